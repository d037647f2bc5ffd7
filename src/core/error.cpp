#include "brim/error.h"

namespace brim {
namespace {

std::string whole_message(const ErrorRecord& record) {
  std::string message = record.what;
  for (const auto& line : record.context) message += "\n  in " + line;
  if (!record.hint.empty()) message += "\n  " + record.hint;
  return message;
}

ErrorRecord make_record(ErrorKind kind, std::string what, std::string hint) {
  return {kind, std::move(what), std::move(hint), {}};
}

template <typename Kind>
[[noreturn]] void throw_as(const ErrorRecord& record) {
  Kind error("");
  static_cast<Error&>(error) = Error(record);
  throw error;
}

}  // namespace

Error::Error(ErrorRecord record) : std::runtime_error(whole_message(record)), record_(std::move(record)) {}

int Error::exit_code() const {
  switch (record_.kind) {
    case ErrorKind::kUsage:
      return 2;
    case ErrorKind::kStorage:
      return 3;
    case ErrorKind::kMemory:
      return 4;
    case ErrorKind::kWorker:
      return 5;
    case ErrorKind::kCancelled:
      return 130;
    case ErrorKind::kInternal:
      return 70;
  }
  return 70;
}

UsageError::UsageError(std::string what, std::string hint)
    : Error(make_record(ErrorKind::kUsage, std::move(what), std::move(hint))) {}
StorageError::StorageError(std::string what, std::string hint)
    : Error(make_record(ErrorKind::kStorage, std::move(what), std::move(hint))) {}
MemoryError::MemoryError(std::string what, std::string hint)
    : Error(make_record(ErrorKind::kMemory, std::move(what), std::move(hint))) {}
WorkerError::WorkerError(std::string what, std::string hint)
    : Error(make_record(ErrorKind::kWorker, std::move(what), std::move(hint))) {}
Cancelled::Cancelled(std::string what, std::string hint)
    : Error(make_record(ErrorKind::kCancelled, std::move(what), std::move(hint))) {}
InternalError::InternalError(std::string what, std::string hint)
    : Error(make_record(ErrorKind::kInternal, std::move(what), std::move(hint))) {}

void throw_error(const ErrorRecord& record) {
  switch (record.kind) {
    case ErrorKind::kUsage:
      throw_as<UsageError>(record);
    case ErrorKind::kStorage:
      throw_as<StorageError>(record);
    case ErrorKind::kMemory:
      throw_as<MemoryError>(record);
    case ErrorKind::kWorker:
      throw_as<WorkerError>(record);
    case ErrorKind::kCancelled:
      throw_as<Cancelled>(record);
    case ErrorKind::kInternal:
      break;
  }
  throw_as<InternalError>(record);
}

}  // namespace brim
