# The files simd/*_<set>.cpp are one source compiled for several instruction sets; which of them runs is chosen on the
# CPU at hand. Each set has its own namespace, xsimd's included (-Dxsimd=...), so that the linker can never take an
# inline function compiled for one CPU into the code for another. They are optimised in every build type: unoptimised
# they would emit such functions for std as well.
set(BRIM_SIMD_SETS baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND BRIM_SIMD_SETS avx2 avx512)
endif()
set(BRIM_SIMD_FLAGS_avx2 -mavx2 -mfma)
set(BRIM_SIMD_FLAGS_avx512 -mavx512f -mavx512cd -mavx512dq -mavx512bw -mavx512vl -mfma -mprefer-vector-width=512)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms from inside GCC's own intrinsics.
  list(APPEND BRIM_SIMD_FLAGS_avx512 -Wno-uninitialized -Wno-maybe-uninitialized)
endif()

# Without contraction and with errno and traps out of the way, a loop gives the same bits vectorised or not: the value
# of an element does not depend on its place.
set(flags -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math)
foreach(set IN LISTS BRIM_SIMD_SETS)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*_${set}.cpp)
  set_source_files_properties(${sources} PROPERTIES
    COMPILE_OPTIONS "${flags};${BRIM_SIMD_FLAGS_${set}}"
    COMPILE_DEFINITIONS "BRIM_SIMD=${set};xsimd=xsimd_${set}")
endforeach()
