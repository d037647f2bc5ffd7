#pragma once

namespace brim::pool {

/// A worker that does what --fake=MODE says:
///   echo     answers every Run with Done, every Define with Trimmed holding the archive's size
///   deaf     says Ready and never reads
///   garbage  says Ready, answers the first message with bytes that are no message, and listens on
///   cut      answers the first message with half a frame and leaves
///   status   leaves with exit status 3 at once
///   closed   closes its socket and lives on
///   report   answers every Run with Failed: its open descriptors and environment in the context
int run_fake_worker(int argument_count, char** arguments);

}  // namespace brim::pool
