# brim_module(NAME DEPENDS module... LIBRARIES target...)
#
# One static library per module of docs/architecture.md, from every .cpp file of src/NAME. DEPENDS is the row
# of the layer table: what this module may include. tests/tidy reads the same lines.
function(brim_module name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  add_library(brim_${name} STATIC ${sources})
  target_include_directories(brim_${name} PUBLIC
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/include)
  list(TRANSFORM ARG_DEPENDS PREPEND brim_)
  target_link_libraries(brim_${name} PUBLIC ${ARG_DEPENDS} ${ARG_LIBRARIES}
    PRIVATE $<BUILD_INTERFACE:brim_compile_options>)
  set_property(GLOBAL APPEND PROPERTY BRIM_MODULES brim_${name})
endfunction()

# brim_test(MODULE [LIBRARIES target...]): one test binary from every *_test.cpp of tests/MODULE, linked with that
# module only.
function(brim_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "LIBRARIES" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  add_executable(${name}_test ${sources})
  target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name}_test PRIVATE ${ARG_LIBRARIES} GTest::gtest_main GTest::gmock brim_compile_options)
  if(TARGET brim_${name})
    target_link_libraries(${name}_test PRIVATE brim_${name})
  endif()
  # Tests that start workers start those of this build.
  gtest_discover_tests(${name}_test TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT ${ARG_TIMEOUT}
    ENVIRONMENT BRIM_WORKER=${PROJECT_BINARY_DIR}/bin/brim-worker)
endfunction()
