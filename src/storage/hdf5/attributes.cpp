#include "storage/hdf5/attributes.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace brim::storage::hdf5 {
namespace {

constexpr std::array<const char*, 5> kPacking = {"_FillValue", "missing_value", "scale_factor", "add_offset",
                                                 "_Unsigned"};

struct Attribute {
  Handle handle;
  Handle type;
  Handle space;
  std::int64_t count = 0;
};

std::optional<Attribute> find_attribute(hid_t object, const std::string& name, H5T_class_t wanted, H5T_class_t other) {
  const std::string action = "read attribute " + name;
  if (call(action, H5Aexists, object, name.c_str()) == 0) return std::nullopt;
  Attribute attribute;
  attribute.handle = open(action, H5Aclose, H5Aopen, object, name.c_str(), H5P_DEFAULT);
  attribute.type = open(action, H5Tclose, H5Aget_type, attribute.handle.id());
  attribute.space = open(action, H5Sclose, H5Aget_space, attribute.handle.id());
  const auto type_class = H5Tget_class(attribute.type.id());
  if (type_class != wanted && type_class != other) return std::nullopt;
  const QuietErrors quiet;
  attribute.count = std::max<std::int64_t>(0, H5Sget_simple_extent_npoints(attribute.space.id()));
  return attribute;
}

std::string trimmed(const char* text, std::size_t most) {
  std::string result(text, std::find(text, text + most, '\0'));
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

std::vector<std::string> variable_strings(const Attribute& attribute, const std::string& action) {
  const Handle memory = open(action, H5Tclose, H5Tcopy, attribute.type.id());
  std::vector<char*> pointers(static_cast<std::size_t>(attribute.count));
  call(action, H5Aread, attribute.handle.id(), memory.id(), static_cast<void*>(pointers.data()));
  std::vector<std::string> strings;
  for (const char* text : pointers) strings.emplace_back(text == nullptr ? "" : text);
  H5Dvlen_reclaim(memory.id(), attribute.space.id(), H5P_DEFAULT, static_cast<void*>(pointers.data()));
  return strings;
}

std::vector<std::string> fixed_strings(const Attribute& attribute, const std::string& action) {
  const auto size = H5Tget_size(attribute.type.id());
  std::vector<char> text(size * static_cast<std::size_t>(attribute.count));
  call(action, H5Aread, attribute.handle.id(), attribute.type.id(), static_cast<void*>(text.data()));
  std::vector<std::string> strings;
  for (std::size_t i = 0; i * size < text.size(); ++i) strings.push_back(trimmed(text.data() + i * size, size));
  return strings;
}

std::string last_component(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string object_path(hid_t object) {
  const auto size = call("read an object's name", H5Iget_name, object, static_cast<char*>(nullptr), size_t{0});
  std::string path(static_cast<std::size_t>(size), '\0');
  call("read an object's name", H5Iget_name, object, path.data(), path.size() + 1);
  return path;
}

/// The scale of that netCDF dimension number in the data set's group or one above it.
std::string scale_with_number(hid_t dataset, double number) {
  const std::string action = "look for dimension scales";
  std::string path = object_path(dataset);
  while (!path.empty()) {
    path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
    const Handle group = open(action, H5Gclose, H5Gopen2, dataset, path.empty() ? "/" : path.c_str(), H5P_DEFAULT);
    H5G_info_t info{};
    call(action, H5Gget_info, group.id(), &info);
    for (hsize_t i = 0; i < info.nlinks; ++i) {
      std::array<char, 1024> name{};
      call(action, H5Lget_name_by_idx, group.id(), ".", H5_INDEX_NAME, H5_ITER_INC, i, name.data(), name.size(),
           H5P_DEFAULT);
      const QuietErrors quiet;
      const Handle object(H5Oopen(group.id(), name.data(), H5P_DEFAULT), H5Oclose);
      if (!object || H5Iget_type(object.id()) != H5I_DATASET) continue;
      const auto found = find_numbers(object.id(), "_Netcdf4Dimid");
      if (found && found->size() == 1 && found->front() == number) return name.data();
    }
  }
  return {};
}

/// What netCDF-4 leaves at coordinate variables, which are scales themselves and have no DIMENSION_LIST.
std::vector<std::string> names_of_coordinate(hid_t dataset, std::size_t rank) {
  std::vector<std::string> names(rank);
  const auto kind = find_strings(dataset, "CLASS");
  const bool is_scale = kind && kind->size() == 1 && kind->front() == "DIMENSION_SCALE";
  if (const auto numbers = find_numbers(dataset, "_Netcdf4Coordinates"); numbers && numbers->size() == rank)
    for (std::size_t axis = 0; axis < rank; ++axis) names[axis] = scale_with_number(dataset, (*numbers)[axis]);
  if (is_scale && rank == 1 && names[0].empty()) names[0] = last_component(object_path(dataset));
  return names;
}

}  // namespace

std::optional<std::vector<double>> find_numbers(hid_t object, const std::string& name) {
  const auto attribute = find_attribute(object, name, H5T_INTEGER, H5T_FLOAT);
  if (!attribute) return std::nullopt;
  std::vector<double> numbers(static_cast<std::size_t>(attribute->count));
  if (!numbers.empty())
    call("read attribute " + name, H5Aread, attribute->handle.id(), H5T_NATIVE_DOUBLE,
         static_cast<void*>(numbers.data()));
  return numbers;
}

std::optional<std::vector<std::string>> find_strings(hid_t object, const std::string& name) {
  const auto attribute = find_attribute(object, name, H5T_STRING, H5T_STRING);
  if (!attribute) return std::nullopt;
  const std::string action = "read attribute " + name;
  const bool variable = call(action, H5Tis_variable_str, attribute->type.id()) > 0;
  return variable ? variable_strings(*attribute, action) : fixed_strings(*attribute, action);
}

PackingAttributes packing_attributes(hid_t dataset) {
  PackingAttributes packing;
  for (const char* name : {"_FillValue", "missing_value"})
    if (const auto values = find_numbers(dataset, name))
      packing.missing.insert(packing.missing.end(), values->begin(), values->end());
  if (const auto scale = find_numbers(dataset, "scale_factor"); scale && scale->size() == 1)
    packing.scale_factor = scale->front();
  if (const auto offset = find_numbers(dataset, "add_offset"); offset && offset->size() == 1)
    packing.add_offset = offset->front();
  if (auto text = find_strings(dataset, "_Unsigned"); text && text->size() == 1) {
    std::string& word = text->front();
    std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
    if (word == "true" || word == "false") packing.is_unsigned = word == "true";
  }
  return packing;
}

bool is_packing_attribute(const std::string& name) {
  return std::any_of(kPacking.begin(), kPacking.end(), [&](const char* known) { return name == known; });
}

std::vector<std::string> scale_paths(hid_t dataset, std::size_t rank) {
  const std::string action = "read attribute DIMENSION_LIST";
  std::vector<std::string> paths(rank);
  const auto attribute = find_attribute(dataset, "DIMENSION_LIST", H5T_VLEN, H5T_VLEN);
  if (!attribute || attribute->count != static_cast<std::int64_t>(rank)) return paths;
  const Handle base = open(action, H5Tclose, H5Tget_super, attribute->type.id());
  if (call(action, H5Tequal, base.id(), H5T_STD_REF_OBJ) == 0) return paths;
  std::vector<hvl_t> lists(rank);
  call(action, H5Aread, attribute->handle.id(), attribute->type.id(), static_cast<void*>(lists.data()));
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (lists[axis].len == 0) continue;
    const QuietErrors quiet;
    const hid_t scale = H5Rdereference2(dataset, H5P_DEFAULT, H5R_OBJECT, lists[axis].p);
    if (scale < 0) continue;
    const Handle closing(scale, H5Oclose);
    paths[axis] = object_path(scale);
  }
  H5Dvlen_reclaim(attribute->type.id(), attribute->space.id(), H5P_DEFAULT, static_cast<void*>(lists.data()));
  return paths;
}

std::vector<std::string> dimension_names(hid_t dataset, std::size_t rank) {
  if (rank == 0) return {};
  auto names = scale_paths(dataset, rank);
  for (auto& name : names) name = last_component(name);
  const auto labels = find_strings(dataset, "DIMENSION_LABELS");
  for (std::size_t axis = 0; axis < rank; ++axis)
    if (names[axis].empty() && labels && labels->size() == rank) names[axis] = (*labels)[axis];
  const auto unnamed = [](const std::string& name) { return name.empty(); };
  if (std::all_of(names.begin(), names.end(), unnamed)) names = names_of_coordinate(dataset, rank);
  if (std::all_of(names.begin(), names.end(), unnamed)) names.clear();
  return names;
}

}  // namespace brim::storage::hdf5
