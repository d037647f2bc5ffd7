#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace brim::storage {

/// The checksum of HDF5's fletcher32 filter.
std::uint32_t fletcher32(std::span<const std::byte> data);
/// The data without the checksum that HDF5 puts behind it, or nothing (an empty span with a null pointer) when it does
/// not match.
std::span<std::byte> verified_fletcher32(std::span<std::byte> data_and_checksum);

}  // namespace brim::storage
