#include "storage/hdf5/file_driver.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/check.h"
#include "storage/file.h"

namespace brim::storage::hdf5 {
namespace {

thread_local ExtentProbe* active_probe = nullptr;
/// While a file is closed: what went wrong with its last writes, or 0.
thread_local int* closing_error = nullptr;

/// HDF5 treats the first member as the base class and keeps a pointer to it.
struct OpenFile {
  H5FD_t base{};
  int descriptor = -1;
  haddr_t end = 0;
  haddr_t allocated = 0;
  bool broken = false;  ///< a write failed
};

OpenFile& self(H5FD_t* file) { return *reinterpret_cast<OpenFile*>(file); }
const OpenFile& self(const H5FD_t* file) { return *reinterpret_cast<const OpenFile*>(file); }

/// HDF5 keeps the innermost error that was pushed; this puts the system's reason there.
herr_t failed(int error) {
  H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_IO, H5E_SYSERRSTR, "%s",
           error == 0 ? "truncated file: it ends too early" : std::strerror(error));
  return -1;
}

/// A write fails once. What follows is HDF5 tidying up a file that nobody wants any more; a file that it cannot close
/// makes it crash at the end of the program.
herr_t failed_write(OpenFile& file, int error) {
  file.broken = true;
  if (closing_error == nullptr) return failed(error);
  *closing_error = error;
  return 0;
}

H5FD_t* driver_open(const char* name, unsigned flags, hid_t, haddr_t) {
  int mode = (flags & H5F_ACC_RDWR) != 0 ? O_RDWR : O_RDONLY;
  if ((flags & H5F_ACC_TRUNC) != 0) mode |= O_TRUNC;
  const int descriptor = ::open(name, mode | O_CLOEXEC);
  struct stat status {};
  if (descriptor < 0) {
    failed(errno);
    return nullptr;
  }
  if (fstat(descriptor, &status) != 0) {
    failed(errno);
    ::close(descriptor);
    return nullptr;
  }
  auto* file = new OpenFile;
  file->descriptor = descriptor;
  file->end = static_cast<haddr_t>(status.st_size);
  return &file->base;
}

herr_t driver_close(H5FD_t* file) {
  ::close(self(file).descriptor);
  delete &self(file);
  return 0;
}

herr_t driver_query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t driver_get_eoa(const H5FD_t* file, H5FD_mem_t) { return self(file).allocated; }
haddr_t driver_get_eof(const H5FD_t* file, H5FD_mem_t) { return self(file).end; }

herr_t driver_set_eoa(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  self(file).allocated = address;
  return 0;
}

herr_t driver_read(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t address, size_t size, void* buffer) {
  if (active_probe != nullptr && type == H5FD_MEM_DRAW) {
    active_probe->on_read({static_cast<std::int64_t>(address), static_cast<std::int64_t>(size)});
    return 0;
  }
  auto* next = static_cast<char*>(buffer);
  while (size > 0) {
    const auto count = pread(self(file).descriptor, next, size, static_cast<off_t>(address));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return failed(count < 0 ? errno : 0);
    next += count;
    size -= static_cast<size_t>(count);
    address += static_cast<haddr_t>(count);
  }
  return 0;
}

herr_t driver_write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, const void* buffer) {
  if (self(file).broken) return 0;
  const auto* next = static_cast<const char*>(buffer);
  while (size > 0) {
    const auto count = pwrite(self(file).descriptor, next, size, static_cast<off_t>(address));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed_write(self(file), errno);
    next += count;
    size -= static_cast<size_t>(count);
    address += static_cast<haddr_t>(count);
    self(file).end = std::max(self(file).end, address);
  }
  return 0;
}

/// The file is as long as what is allocated in it.
herr_t driver_truncate(H5FD_t* file, hid_t, hbool_t) {
  OpenFile& open = self(file);
  if (open.end == open.allocated || open.broken) return 0;
  if (ftruncate(open.descriptor, static_cast<off_t>(open.allocated)) != 0) return failed_write(open, errno);
  open.end = open.allocated;
  return 0;
}

H5FD_class_t make_driver() {
  H5FD_class_t driver{};
#ifdef H5FD_CLASS_VERSION
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(600);
#endif
  driver.name = "brim";
  driver.maxaddr = (static_cast<haddr_t>(1) << 62) - 1;
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.open = driver_open;
  driver.close = driver_close;
  driver.query = driver_query;
  driver.get_eoa = driver_get_eoa;
  driver.set_eoa = driver_set_eoa;
  driver.get_eof = driver_get_eof;
  driver.read = driver_read;
  driver.write = driver_write;
  driver.truncate = driver_truncate;
  for (auto& type : driver.fl_map) type = H5FD_MEM_DEFAULT;
  return driver;
}

hid_t driver_id() {
  static const H5FD_class_t driver = make_driver();
  static hid_t id = H5I_INVALID_HID;
  // A program that closes the whole library takes the driver away with it.
  if (id < 0 || H5Iis_valid(id) <= 0) id = call("register brim's file driver", H5FDregister, &driver);
  return id;
}

void keep_metadata_cache_small(hid_t access) {
  H5AC_cache_config_t cache{};
  cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  const std::string action = "set up HDF5's metadata cache";
  call(action, H5Pget_mdc_config, access, &cache);
  cache.set_initial_size = 1;
  cache.initial_size = 256 << 10;
  cache.min_size = 256 << 10;
  cache.max_size = 512 << 10;
  cache.min_clean_fraction = 0.0;
  call(action, H5Pset_mdc_config, access, &cache);
}

Handle access_properties(const std::string& action) {
  Handle access = hdf5::open(action, H5Pclose, H5Pcreate, H5P_FILE_ACCESS);
  call(action, H5Pset_driver, access.id(), driver_id(), nullptr);
  keep_metadata_cache_small(access.id());
  return access;
}

}  // namespace

Handle open_for_reading(const std::string& file) {
  const auto action = "open " + file;
  const Handle access = access_properties(action);
  return hdf5::open(action, H5Fclose, H5Fopen, file.c_str(), H5F_ACC_RDONLY, access.id());
}

Handle open_for_writing(const std::string& file) {
  const auto action = "open " + file + " to write";
  const Handle access = access_properties(action);
  call(action, H5Pset_libver_bounds, access.id(), H5F_LIBVER_V110, H5F_LIBVER_LATEST);
  return hdf5::open(action, H5Fclose, H5Fopen, file.c_str(), H5F_ACC_RDWR, access.id());
}

void close_written(Handle file, const std::string& name) {
  call("write " + name, H5Fflush, file.id(), H5F_SCOPE_LOCAL);
  int error = 0;
  closing_error = &error;
  { const Handle closing = std::move(file); }
  closing_error = nullptr;
  if (error != 0) throw_system_error("write", name, error);
}

Handle start_file(const std::string& file) {
  const auto action = "write " + file;
  const Handle access = access_properties(action);
  call(action, H5Pset_libver_bounds, access.id(), H5F_LIBVER_V110, H5F_LIBVER_LATEST);
  const Handle creation = hdf5::open(action, H5Pclose, H5Pcreate, H5P_FILE_CREATE);
  call(action, H5Pset_obj_track_times, creation.id(), hbool_t{false});  // equal runs make equal files
  return hdf5::open(action, H5Fclose, H5Fcreate, file.c_str(), H5F_ACC_TRUNC, creation.id(), access.id());
}

ExtentProbe::ExtentProbe() {
  check(active_probe == nullptr, "two probes at once");
  active_probe = this;
}

ExtentProbe::~ExtentProbe() { active_probe = nullptr; }

}  // namespace brim::storage::hdf5
