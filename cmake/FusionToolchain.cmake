# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Finds the packaged LLVM and MLIR 22 and sets the compiler flags of the project.

if(NOT MLIR_DIR)
  find_program(FUSION_LLVM_CONFIG NAMES llvm-config-22 llvm-config REQUIRED)
  execute_process(COMMAND "${FUSION_LLVM_CONFIG}" --cmakedir
    OUTPUT_VARIABLE FUSION_LLVM_CMAKEDIR OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  set(MLIR_DIR "${FUSION_LLVM_CMAKEDIR}/../mlir")
endif()
# Not "MLIR 22": the package accepts only requests for its own minor version.
find_package(MLIR REQUIRED CONFIG)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "Fusion needs LLVM and MLIR 22; ${MLIR_DIR} is ${LLVM_VERSION}")
endif()

list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
# Installed programs find the packaged libMLIR too.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
set(LLVM_LIT_OUTPUT_DIR "${CMAKE_BINARY_DIR}/bin")

add_compile_options(-fno-exceptions -Wall -Wextra -Wno-unused-parameter
  -Wno-comment -ffunction-sections -fdata-sections)
# Assertions stay on in every build type: they are cheap here and catch misuse of MLIR early.
foreach(config RELWITHDEBINFO RELEASE)
  string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_${config} "${CMAKE_CXX_FLAGS_${config}}")
endforeach()
# Full debug information of MLIR's templates triples object size; line tables are what a backtrace needs.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  string(REPLACE "-g" "-gline-tables-only" CMAKE_CXX_FLAGS_RELWITHDEBINFO
    "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")
else()
  string(REPLACE "-g" "-g1" CMAKE_CXX_FLAGS_RELWITHDEBINFO "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")
endif()

if(FUSION_SANITIZE)
  # The packaged LLVM lacks the vtable information that -fsanitize=vptr asks for.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=vptr
    -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined)
  if(FUSION_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
  endif()
endif()

# fusion_sanitizer_options(EXECUTABLE): what the sanitizers must know of the packaged LLVM.
function(fusion_sanitizer_options executable)
  if(FUSION_SANITIZE)
    target_sources(${executable} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/SanitizerOptions.cpp")
  endif()
endfunction()

separate_arguments(FUSION_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")
add_definitions(${FUSION_LLVM_DEFINITIONS})
