#pragma once

#include <string>

namespace brim {

/// The history that history_file() wrote, as one HTML page that needs nothing else: timeline of the workers, memory
/// against the budget, width of every op, a table of the ops, the plan as a graph. The file is read once, in memory
/// that does not grow with the number of tasks; so is the page's size bounded. The history of a run that did not finish
/// makes a page that says so. Throws StorageError, with the line, for a file that is no history.
std::string report_page(const std::string& history);

/// Writes that page to a file: whole, or not at all, and never over a file that is no web page. Throws StorageError;
/// UsageError where both are the same file.
void write_report_page(const std::string& history, const std::string& page);

}  // namespace brim
