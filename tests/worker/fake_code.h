#pragma once

#include <string>

#include "worker/loop.h"

namespace brim::worker {

/// Ops that are one or more steps in words, separated by ';':
///   nothing          does nothing
///   touch N          takes N bytes of scratch and writes every page
///   take N           takes N bytes of scratch, touches none
///   allocate N       mallocs N bytes, writes every page, frees them
///   keep N           the same, but keeps them for good
///   copy             adds 1 to every byte of the first input (or to 0) and writes that to the output
///   read             reads all of the inputs
///   throw KIND       memory, storage, standard, alien
///   abort, sleep
///   load-fails       cannot even be built
WorkerCode fake_code();

inline Archive archive_of(const std::string& text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

}  // namespace brim::worker
