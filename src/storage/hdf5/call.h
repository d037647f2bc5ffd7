#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace brim::storage::hdf5 {

/// An open HDF5 object: an identifier and the function that closes it.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(std::exchange(other.close_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle();
  hid_t id() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// Keeps HDF5 from printing its error stack while it lives.
class QuietErrors {
 public:
  QuietErrors();
  ~QuietErrors();
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// What HDF5 says went wrong in its last call: the innermost reason.
std::string error_reason();

/// "cannot ACTION: the reason". `action` says what and where: "open /t2 in era5.h5".
[[noreturn]] void throw_hdf5_error(const std::string& action);

/// Calls a function of the HDF5 library; a negative answer is a StorageError about `action`.
template <typename Result, typename... Parameters, typename... Arguments>
Result call(const std::string& action, Result (*function)(Parameters...), Arguments&&... arguments) {
  static_assert(std::is_signed_v<Result> || std::is_enum_v<Result>);
  const QuietErrors quiet;
  const Result result = function(std::forward<Arguments>(arguments)...);
  if (static_cast<std::int64_t>(result) < 0) throw_hdf5_error(action);
  return result;
}

/// The same for functions that open something.
template <typename... Parameters, typename... Arguments>
Handle open(const std::string& action, Handle::Close close, hid_t (*function)(Parameters...),
            Arguments&&... arguments) {
  return {call(action, function, std::forward<Arguments>(arguments)...), close};
}

}  // namespace brim::storage::hdf5
