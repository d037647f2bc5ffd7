#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace brim {

/// What the reader of an error does next decides its kind. The values cross process boundaries.
enum class ErrorKind : std::uint8_t {
  kUsage,      ///< the call, expression or workload is wrong: change it
  kStorage,    ///< a file or data set cannot be read or written: look there
  kMemory,     ///< it does not fit: raise the memory or shrink the chunks
  kWorker,     ///< a worker process died or broke, again and again
  kCancelled,  ///< stopped on request
  kInternal,   ///< a defect in brim
};

/// An error as a plain value: what travels from a worker to the coordinator.
struct ErrorRecord {
  ErrorKind kind = ErrorKind::kInternal;
  std::string what;                  ///< one line: what is wrong, and where
  std::string hint;                  ///< one line: what to do about it; may be empty
  std::vector<std::string> context;  ///< innermost first: "op dew-0, task 17, chunk (0, 3, 1)"
};

/// Base of everything brim throws on purpose. what() is the whole message: the line, its context and the hint.
class Error : public std::runtime_error {
 public:
  explicit Error(ErrorRecord record);
  const ErrorRecord& record() const { return record_; }
  /// The exit status that the command line tool gives for this kind: usage 2, storage 3, memory 4, worker 5,
  /// internal 70, cancelled 130.
  int exit_code() const;

 private:
  ErrorRecord record_;
};

class UsageError : public Error {
 public:
  explicit UsageError(std::string what, std::string hint = {});
};
class StorageError : public Error {
 public:
  explicit StorageError(std::string what, std::string hint = {});
};
class MemoryError : public Error {
 public:
  explicit MemoryError(std::string what, std::string hint = {});
};
class WorkerError : public Error {
 public:
  explicit WorkerError(std::string what, std::string hint = {});
};
class Cancelled : public Error {
 public:
  explicit Cancelled(std::string what, std::string hint = {});
};
class InternalError : public Error {
 public:
  explicit InternalError(std::string what, std::string hint = {});
};

/// Throws the exception type that belongs to record.kind, with the record's hint and context kept.
[[noreturn]] void throw_error(const ErrorRecord& record);

}  // namespace brim
