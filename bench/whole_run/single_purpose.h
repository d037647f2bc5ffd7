#pragma once

#include <cstdint>
#include <string>

namespace brim::bench {

/// What a specialist would write for this one job: two processes that each read half of the chunks with pread, run one
/// fused SIMD loop compiled for this CPU, and pwrite the results where the output file has room for them.
void run_single_purpose(const std::string& input, const std::string& output, std::int64_t planes);

}  // namespace brim::bench
