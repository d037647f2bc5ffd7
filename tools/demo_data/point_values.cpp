// brim-point-values: prints the values of a data set (time, latitude, longitude) at named places, so that a person can
// check a result against what is known of the world.

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <exception>

#include "hdf5_file.h"

namespace {

struct Place {
  std::string name;
  double latitude;
  double longitude;
};

struct Axes {
  std::vector<double> latitude;
  std::vector<double> longitude;
};

/// "Singapore:1.3,103.8", degrees north and east.
Place parse_place(const std::string& text) {
  Place place;
  const auto colon = text.find(':');
  const std::string numbers = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (std::sscanf(numbers.c_str(), "%lf,%lf", &place.latitude, &place.longitude) != 2)
    throw std::runtime_error("'" + text + "' is not a place; write NAME:LATITUDE,LONGITUDE");
  place.name = text.substr(0, colon);
  return place;
}

std::vector<double> read_axis(hid_t file, const std::string& name) {
  const auto dataset = demo::open_dataset(file, name);
  std::vector<double> values(demo::element_count(demo::dataset_shape(dataset)));
  if (H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    throw std::runtime_error("cannot read " + name);
  return values;
}

/// Index of the value next to `wanted`; longitudes are compared around the circle.
std::size_t nearest(const std::vector<double>& axis, double wanted, bool circle) {
  std::size_t best = 0;
  double smallest = 1e300;
  for (std::size_t i = 0; i < axis.size(); ++i) {
    double distance = std::abs(axis[i] - wanted);
    if (circle) distance = std::abs(std::remainder(distance, 360.0));
    if (distance >= smallest) continue;
    smallest = distance;
    best = i;
  }
  return best;
}

/// The value that stands for "no observation" in a data set, NaN where it names none.
double fill_value(hid_t dataset) {
  double value = std::nan("");
  if (H5Aexists(dataset, "_FillValue") <= 0) return value;
  const demo::Handle attribute(H5Aopen(dataset, "_FillValue", H5P_DEFAULT), H5Aclose, "cannot open an attribute");
  H5Aread(attribute, H5T_NATIVE_DOUBLE, &value);
  return value;
}

/// The value at one index, NaN where there is none; the last two entries are latitude and longitude.
double read_point(hid_t dataset, const std::vector<hsize_t>& index) {
  const demo::Handle space(H5Dget_space(dataset), H5Sclose, "cannot read a data set's shape");
  const demo::Handle one(H5Screate(H5S_SCALAR), H5Sclose, "cannot make a shape");
  const std::vector<hsize_t> count(index.size(), 1);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, index.data(), nullptr, count.data(), nullptr);
  double value = 0;
  if (H5Dread(dataset, H5T_NATIVE_DOUBLE, one, space, H5P_DEFAULT, &value) < 0)
    throw std::runtime_error("cannot read a value");
  return value == fill_value(dataset) ? std::nan("") : value;
}

void print_place(hid_t dataset, const std::vector<hsize_t>& shape, const Axes& axes, const Place& place,
                 double subtract) {
  const auto row = nearest(axes.latitude, place.latitude, false);
  const auto column = nearest(axes.longitude, place.longitude, true);
  const double east = std::remainder(axes.longitude[column], 360.0);
  std::printf("  %-14s %5.1f %c %6.1f %c ", place.name.c_str(), std::abs(axes.latitude[row]),
              axes.latitude[row] < 0 ? 'S' : 'N', std::abs(east), east < 0 ? 'W' : 'E');
  std::vector<hsize_t> times = {0};
  if (shape.size() == 3) times = {0, 3, 6, 9};
  for (const auto time : times) {
    std::vector<hsize_t> index = {row, column};
    if (shape.size() == 3) index.insert(index.begin(), time);
    std::printf(" %6.1f", read_point(dataset, index) - subtract);
  }
  std::printf("\n");
}

void print_values(const std::string& address, const std::string& grid, const std::vector<std::string>& places,
                  double subtract) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const auto colon = address.rfind(":/");
  if (colon == std::string::npos) throw std::runtime_error("'" + address + "' is not FILE:/DATASET");
  const auto file = demo::open_file(address.substr(0, colon));
  const auto dataset = demo::open_dataset(file, address.substr(colon + 1));
  const auto grid_file = demo::open_file(grid);
  const Axes axes = {read_axis(grid_file, "COADSY"), read_axis(grid_file, "COADSX")};
  const auto shape = demo::dataset_shape(dataset);
  const auto rank = shape.size();
  if (rank < 2 || rank > 3 || shape[rank - 2] != axes.latitude.size() || shape[rank - 1] != axes.longitude.size())
    throw std::runtime_error(address + " does not lie on the latitudes and longitudes of " + grid);
  std::printf("%s\n  %-32s%s\n", address.c_str(), "grid cell", rank == 3 ? "    Jan    Apr    Jul    Oct" : "   mean");
  for (const auto& place : places) print_place(dataset, shape, axes, parse_place(place), subtract);
}

}  // namespace

int main(int argc, char** argv) {
  std::string address;
  std::string grid;
  std::vector<std::string> places;
  double subtract = 0;
  CLI::App app{"Prints values of a monthly or mean field on the COADS grid at named places."};
  app.add_option("address", address, "FILE:/DATASET, axes ([time,] latitude, longitude)")->required();
  app.add_option("--grid", grid, "file with the axes COADSY and COADSX")->required();
  app.add_option("--at", places, "NAME:LATITUDE,LONGITUDE in degrees north and east; several")->required();
  app.add_option("--subtract", subtract, "printed value = value - this (273.15: kelvin to deg C)");
  CLI11_PARSE(app, argc, argv);
  try {
    print_values(address, grid, places, subtract);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "brim-point-values: %s\n", error.what());
    return 1;
  }
  return 0;
}
