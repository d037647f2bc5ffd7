// The workload of dew_point.toml from C++: reads coads_climatology.nc, writes dew_point.h5.
#include <brim/brim.h>

#include <iostream>

int main() try {
  const auto airt = brim::open("coads_climatology.nc:/AIRT");  // deg C
  const auto speh = brim::open("coads_climatology.nc:/SPEH");  // g/kg
  const auto slp = brim::open("coads_climatology.nc:/SLP");    // mb

  const auto t2 = airt + 273.15;                                       // K
  const auto q = speh / 1000;                                          // kg/kg
  const auto p = slp / 10;                                             // kPa
  const auto e = q * p / (0.622 + 0.378 * q);                          // vapour pressure, kPa
  const auto es = 0.611 * exp(5423 * (1.0 / 273 - 1 / t2));            // saturation vapour pressure, kPa
  const auto rh = 100 * e / es;                                        // relative humidity, %
  const auto e_vap = es * rh / 100;                                    // vapour pressure, kPa
  const auto tdps = 1 / (1.0 / 273 - 0.0001844 * log(e_vap / 0.611));  // dew point, K
  const auto tdps_mean = mean(tdps, {.axis = std::vector<int>{0}});    // over the months, K

  const brim::Plan plan = brim::plan({
      brim::store(tdps, "dew_point.h5:/tdps"),
      brim::store(tdps_mean, "dew_point.h5:/tdps_mean"),
  });
  std::cout << plan.explain();
  brim::Executor executor;  // this machine, its own limits
  std::cout << executor.run(plan).summary();
} catch (const brim::Error& error) {
  std::cerr << error.what() << '\n';
  return error.exit_code();
}
