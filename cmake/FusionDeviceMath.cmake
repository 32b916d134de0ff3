# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# fusion_device_math(TARGET): writes DeviceMath.inc, functions of f64 and f32 of LLVM's libclc for NVPTX as
# bit code, with the names of the callable ones, and adds it to TARGET.
#
# As a script (cmake -P, with BITCODE, NAMES and OUTPUT) it turns the bit code into that file.

set(fusion_device_math_unary
  acos acosh asin asinh atan atanh cbrt cos cosh erf erfc exp exp2 expm1 log log10 log1p log2 sin sinh
  tan tanh)

# The f32 functions that upstream's approximations do not cover, or only near zero, or far from it.
set(fusion_device_math_unary_f32 acosh asinh atanh cos cosh sin sinh tan)

if(CMAKE_SCRIPT_MODE_FILE)
  file(READ "${BITCODE}" bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(................................................................................)"
    "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([^,]+),?" "\"\\1\"," names "${NAMES}")
  file(WRITE "${OUTPUT}" "const unsigned char kBitcode[] = {\n${bytes}};\n"
    "const char *const kNames[] = {${names}};\n")
  return()
endif()

function(fusion_device_math target)
  find_file(FUSION_LIBCLC nvptx64--.bc PATHS /usr/lib/clc /usr/share/clc "${LLVM_LIBRARY_DIR}/clc"
    NO_DEFAULT_PATH REQUIRED DOC "libclc for NVPTX (Debian: libclc-22)")
  # The Itanium ABI's names of OpenCL's functions.
  set(names _Z3powdd _Z3powff _Z5atan2dd _Z5atan2ff _Z4fmoddd _Z4fmodff _Z4powndi _Z4pownfi)
  foreach(function IN LISTS fusion_device_math_unary)
    string(LENGTH "${function}" length)
    list(APPEND names "_Z${length}${function}d")
  endforeach()
  foreach(function IN LISTS fusion_device_math_unary_f32)
    string(LENGTH "${function}" length)
    list(APPEND names "_Z${length}${function}f")
  endforeach()
  list(JOIN names "," names)
  set(bitcode "${CMAKE_CURRENT_BINARY_DIR}/DeviceMath.bc")
  set(output "${CMAKE_CURRENT_BINARY_DIR}/DeviceMath.inc")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${LLVM_TOOLS_BINARY_DIR}/opt" -passes=internalize,globaldce,strip
      "--internalize-public-api-list=${names}" "${FUSION_LIBCLC}" -o "${bitcode}"
    COMMAND "${CMAKE_COMMAND}" "-DBITCODE=${bitcode}" "-DNAMES=${names}" "-DOUTPUT=${output}"
      -P "${CMAKE_CURRENT_FUNCTION_LIST_FILE}"
    DEPENDS "${FUSION_LIBCLC}" "${CMAKE_CURRENT_FUNCTION_LIST_FILE}" VERBATIM)
  target_sources(${target} PRIVATE "${output}")
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}")
endfunction()
