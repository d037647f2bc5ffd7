# Stops with an error when a command fails; gives its output back in `output`.
function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WORK_DIR}
    OUTPUT_VARIABLE printed ERROR_VARIABLE printed RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${status}:\n${printed}")
  endif()
  set(output "${printed}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/first)
# What is installed must not know where it was installed or built.
file(RENAME ${WORK_DIR}/first ${WORK_DIR}/prefix)

run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE_DIR}/examples/embed -B ${WORK_DIR}/build
  -D CMAKE_PREFIX_PATH=${WORK_DIR}/prefix -D CMAKE_CXX_COMPILER=${CXX_COMPILER})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
file(STRINGS ${WORK_DIR}/build/CMakeCache.txt found REGEX "^brim_DIR")
if(NOT found MATCHES "${WORK_DIR}/prefix/")
  message(FATAL_ERROR "found another brim: ${found}")
endif()

run(${WORK_DIR}/build/embed)
if(NOT output MATCHES "pi = 3\\.14159265")
  message(FATAL_ERROR "the consumer computed: ${output}")
endif()
run(${WORK_DIR}/prefix/${BIN_DIR}/brim info)
