#include <fmt/core.h>

#include <cstdlib>
#include <cstring>

#include "kernels/measurement.h"

// brim_kernels_bench [dew_point|reductions|copies] [--json FILE]: everything by default.
int main(int argc, char** argv) {
  // Settings of a BLAS library that some machines carry around; NumPy shall run with its defaults.
  unsetenv("OPENBLAS_CORETYPE");
  unsetenv("OPENBLAS_L2_SIZE");
  std::string part;
  std::string json;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0 && i + 1 < argc)
      json = argv[++i];
    else
      part = argv[i];
  }
  std::vector<brim::bench::Row> rows;
  if (part.empty() || part == "dew_point") brim::bench::measure_dew_point(rows);
  if (part.empty() || part == "reductions") brim::bench::measure_reductions(rows);
  if (part.empty() || part == "copies") brim::bench::measure_copies(rows);
  if (rows.empty()) {
    fmt::print(stderr, "unknown part '{}': dew_point, reductions or copies\n", part);
    return 2;
  }
  brim::bench::print_table(rows);
  if (!json.empty()) brim::bench::write_json(rows, json);
}
