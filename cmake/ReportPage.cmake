# Puts src/runtime/page/page.{html,css,js} together into one string of the runtime module: an installed brim needs no
# data files.
set(page_folder ${PROJECT_SOURCE_DIR}/src/runtime/page)
file(READ ${page_folder}/page.html page_text)
file(READ ${page_folder}/page.css page_css)
file(READ ${page_folder}/page.js page_js)
string(REPLACE "@CSS@" "${page_css}" page_text "${page_text}")
string(REPLACE "@JS@" "${page_js}" page_text "${page_text}")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/page_text.cpp @ONLY CONTENT
[=[#include "runtime/page_text.h"

namespace brim::runtime {

std::string_view page_text() { return R"PAGE(@page_text@)PAGE"; }

}  // namespace brim::runtime
]=])
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${page_folder}/page.html ${page_folder}/page.css ${page_folder}/page.js)
target_sources(brim_runtime PRIVATE ${PROJECT_BINARY_DIR}/generated/page_text.cpp)
