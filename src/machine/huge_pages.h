#pragma once

#include "brim/machine.h"
#include "machine/system_files.h"

namespace brim::machine {

HugePages huge_pages(const SystemFiles& files);

}  // namespace brim::machine
