#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace brim::bench {

/// The extents of the benchmark's data: planes of kRows x kColumns float32 values, read and written in chunks of
/// kPlanesPerChunk planes (4 MiB).
inline constexpr std::int64_t kRows = 512;
inline constexpr std::int64_t kColumns = 512;
inline constexpr std::int64_t kPlanesPerChunk = 4;
inline constexpr std::int64_t kChunkElements = kPlanesPerChunk * kRows * kColumns;

enum class Layout : std::uint8_t { kContiguous, kChunked };

/// Writes /t2 (K) and /rh (%) of `planes` planes, and reads the file once so that it is in the page cache.
void write_input(const std::string& path, Layout layout, std::int64_t planes);

/// Makes a file with an empty chunked /td, its space laid out ahead.
void lay_out_output(const std::string& path, std::int64_t planes);

/// Where every chunk of a data set begins in its file; the data set is contiguous or chunked without filters.
std::vector<std::int64_t> chunk_offsets(const std::string& path, const std::string& dataset, std::int64_t planes);

/// All values of /td.
std::vector<float> read_result(const std::string& path, std::int64_t planes);

}  // namespace brim::bench
