#include "worker/failure.h"

#include <fmt/format.h>

#include <exception>
#include <new>

namespace brim::worker {
namespace {

Failure describe(const pool::Grant& grant) {
  try {
    throw;
  } catch (const Error& error) {
    return {error.record(), error.record().kind == ErrorKind::kMemory};
  } catch (const std::bad_alloc&) {
    return {{ErrorKind::kMemory,
             fmt::format("a task allocated more than its grant of {} of scratch memory and {} for libraries",
                         to_string(grant.scratch), to_string(grant.library)),
             "",
             {}},
            true};
  } catch (const std::exception& error) {
    return {{ErrorKind::kInternal, error.what(), "", {}}, false};
  } catch (...) {
    return {{ErrorKind::kInternal, "a task threw something that is not an exception", "", {}}, false};
  }
}

}  // namespace

Failure current_failure(const std::string& where, const pool::Grant& grant) {
  auto failure = describe(grant);
  failure.error.context.push_back(where);
  return failure;
}

}  // namespace brim::worker
