# Everything comes from the distribution's packages; tools/install-packages lists them.
find_package(Boost 1.74 REQUIRED COMPONENTS filesystem system)
find_package(HDF5 REQUIRED COMPONENTS C)
# Twice as fast as zlib at HDF5's deflate filter, in both directions.
find_library(LIBDEFLATE_LIBRARY deflate REQUIRED)
find_path(LIBDEFLATE_INCLUDE_DIR libdeflate.h REQUIRED)
find_package(spdlog REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Threads REQUIRED)
# xsimd ships its headers without a link target that works on every distribution.
find_path(XSIMD_INCLUDE_DIR xsimd/xsimd.hpp REQUIRED)
if(BRIM_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()
if(BRIM_BENCH)
  find_package(benchmark REQUIRED)
endif()

# FindHDF5 gives plain variables; one target keeps them out of the module files.
add_library(brim_hdf5 INTERFACE)
target_include_directories(brim_hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS} ${LIBDEFLATE_INCLUDE_DIR})
target_link_libraries(brim_hdf5 INTERFACE ${HDF5_C_LIBRARIES} ${LIBDEFLATE_LIBRARY})
