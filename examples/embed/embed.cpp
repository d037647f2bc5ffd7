// brim inside another program: computes pi as the area of a circle, from ten million heights that are never all in
// memory, and reads the answer back.
#include <brim/brim.h>

#include <cstring>
#include <iostream>

int main() try {
  constexpr std::int64_t kSteps = 10'000'000;
  const brim::Array x = (brim::arange(kSteps) + 0.5) / static_cast<double>(kSteps);
  const brim::Array pi = 4 * mean(sqrt(1 - x * x));

  brim::Executor executor;
  executor.run(brim::plan(brim::store(pi, "pi.h5:/pi")));

  const brim::Values values = brim::read("pi.h5:/pi");
  double result = 0;
  std::memcpy(&result, values.bytes.data(), sizeof result);
  std::cout.precision(9);
  std::cout << "pi = " << result << '\n';
} catch (const brim::Error& error) {
  std::cerr << error.what() << '\n';
  return error.exit_code();
}
