#include "kernels/instruction_set.h"

#include <array>
#include <cstdlib>
#include <string_view>

#include "kernels/program.h"

namespace brim::kernels {
namespace {

constexpr KernelSet kBaseline = {"baseline", baseline::find_kernel, baseline::reduce_kernels};

#if defined(__x86_64__)
constexpr KernelSet kAvx2 = {"avx2", avx2::find_kernel, avx2::reduce_kernels};
constexpr KernelSet kAvx512 = {"avx512", avx512::find_kernel, avx512::reduce_kernels};

/// How many of the sets, from the least on, this CPU has.
int sets_of_cpu() {
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl");
  return avx2 ? (avx512 ? 3 : 2) : 1;
}
constexpr std::array kSets = {&kBaseline, &kAvx2, &kAvx512};
#else
int sets_of_cpu() { return 1; }
constexpr std::array kSets = {&kBaseline};
#endif

const KernelSet& choose() {
  auto available = static_cast<std::size_t>(sets_of_cpu());
  const char* named = std::getenv("BRIM_INSTRUCTION_SET");
  for (std::size_t i = 0; named && i < available; ++i)
    if (std::string_view(named) == kSets[i]->name) available = i + 1;
  return *kSets[available - 1];
}

}  // namespace

const KernelSet& kernel_set() {
  static const KernelSet& chosen = choose();
  return chosen;
}

std::string_view instruction_set() { return kernel_set().name; }

}  // namespace brim::kernels
