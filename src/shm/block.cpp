#include "shm/block.h"

namespace brim::shm {

Bytes charged(Bytes size) {
  constexpr std::int64_t kPage = 4096;
  return Bytes((size.count() + kPage - 1) / kPage * kPage);
}

}  // namespace brim::shm
