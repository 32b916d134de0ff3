# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The Python package: its extension module and, in the build folder, the whole package.

# fusion_find_nanobind(out): nanobind and the headers of a Python interpreter. The interpreter is
# that of the build's environment (scripts/setup) unless Python_EXECUTABLE names one.
function(fusion_find_nanobind out)
  set(${out} FALSE PARENT_SCOPE)
  set(environment "${PROJECT_SOURCE_DIR}/build/venv/bin/python3")
  if(NOT DEFINED Python_EXECUTABLE AND EXISTS "${environment}")
    set(Python_EXECUTABLE "${environment}")
  endif()
  find_package(Python 3.9 COMPONENTS Interpreter Development.Module QUIET GLOBAL)
  if(NOT Python_FOUND)
    message(STATUS "No Python headers: the Python package is not built")
    return()
  endif()
  execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
    OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(STATUS "No nanobind in ${Python_EXECUTABLE}: the Python package is not built")
    return()
  endif()
  set(nanobind_ROOT "${nanobind_ROOT}" PARENT_SCOPE)
  set(Python_EXECUTABLE "${Python_EXECUTABLE}" PARENT_SCOPE)
  set(${out} TRUE PARENT_SCOPE)
endfunction()
