# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The command-line tools.

# fusion_tool_main_name(TOOL out): fusion-opt -> fusionOptMain.
function(fusion_tool_main_name tool out)
  string(REPLACE "-" ";" words ${tool})
  list(POP_FRONT words result)
  foreach(word ${words})
    string(SUBSTRING ${word} 0 1 first)
    string(SUBSTRING ${word} 1 -1 rest)
    string(TOUPPER ${first} first)
    string(APPEND result ${first}${rest})
  endforeach()
  set(${out} "${result}Main" PARENT_SCOPE)
endfunction()

# fusion_add_tool(NAME sources... [LINK_LIBS libraries...] [MLIR])
#   The tool build/bin/NAME. The sources define its entry in the global namespace, named after it
#   (fusion-opt: int fusionOptMain(int argc, char **argv)) and no main. The portable preset makes
#   no executable of its own but a part of the multi-call binary. All tools share that process:
#   command-line options (llvm::cl) live inside the entry function, never at namespace scope.
function(fusion_add_tool name)
  cmake_parse_arguments(ARG "MLIR" "" "LINK_LIBS" ${ARGN})
  fusion_add_library(${name}-main ${ARG_UNPARSED_ARGUMENTS} LINK_LIBS ${ARG_LINK_LIBS})
  set_property(GLOBAL APPEND PROPERTY FUSION_TOOLS ${name})
  if(FUSION_PORTABLE)
    return()
  endif()
  fusion_tool_main_name(${name} FUSION_TOOL_MAIN)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/Main.cpp.in" ${name}-main.cpp @ONLY)
  add_executable(${name} "${CMAKE_CURRENT_BINARY_DIR}/${name}-main.cpp")
  target_link_libraries(${name} PRIVATE ${name}-main)
  fusion_sanitizer_options(${name})
  if(ARG_MLIR)
    fusion_link_mlir(${name})
  endif()
endfunction()
