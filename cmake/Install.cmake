# cmake --install: headers, libbrim, the programs, and the CMake package behind find_package(brim).
include(CMakePackageConfigHelpers)

set(BRIM_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/brim)
set(BRIM_WORKER_DIR ${CMAKE_INSTALL_LIBEXECDIR}/brim)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/brim DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
install(TARGETS brim EXPORT brimTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET brim_cli)
  # The installed tree may be moved as a whole.
  file(RELATIVE_PATH library_from_bin /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  set_target_properties(brim_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${library_from_bin}")
  install(TARGETS brim_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET brim_worker_program)
  install(TARGETS brim_worker_program RUNTIME DESTINATION ${BRIM_WORKER_DIR})
endif()

install(EXPORT brimTargets NAMESPACE brim:: DESTINATION ${BRIM_PACKAGE_DIR})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/brimConfig.cmake.in
  ${PROJECT_BINARY_DIR}/brimConfig.cmake INSTALL_DESTINATION ${BRIM_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/brimConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/brimConfig.cmake ${PROJECT_BINARY_DIR}/brimConfigVersion.cmake
  DESTINATION ${BRIM_PACKAGE_DIR})
