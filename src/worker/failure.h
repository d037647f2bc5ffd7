#pragma once

#include <string>

#include "brim/error.h"
#include "pool/protocol.h"

namespace brim::worker {

/// What a task's exception becomes on its way to the coordinator.
struct Failure {
  ErrorRecord error;
  bool memory = false;
};

/// Describes the exception being handled; call it inside a catch block. `where` is added to its context.
Failure current_failure(const std::string& where, const pool::Grant& grant);

}  // namespace brim::worker
