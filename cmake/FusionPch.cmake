# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# One precompiled header for everything that is heavy on MLIR.
#
# MLIR's headers cost five seconds per file. The header is compiled once and shared by all libraries and
# unit tests that ask for it (their compile flags are the same); clang only, since with g++ it costs more
# memory than it saves time. NVVMDialect.h is left out: it alone costs 10 s and few files need it.

option(FUSION_USE_PCH "Precompile MLIR's common headers" ON)

set(FUSION_PCH_HEADERS
  <mlir/Dialect/Affine/IR/AffineOps.h>
  <mlir/Dialect/Arith/IR/Arith.h>
  <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/Dialect/GPU/IR/GPUDialect.h>
  <mlir/Dialect/Linalg/IR/Linalg.h>
  <mlir/Dialect/Math/IR/Math.h>
  <mlir/Dialect/MemRef/IR/MemRef.h>
  <mlir/Dialect/SCF/IR/SCF.h>
  <mlir/Dialect/Tensor/IR/Tensor.h>
  <mlir/Dialect/Utils/StructuredOpsUtils.h>
  <mlir/Dialect/Vector/IR/VectorOps.h>
  <mlir/IR/Builders.h>
  <mlir/IR/BuiltinOps.h>
  <mlir/IR/Matchers.h>
  <mlir/IR/PatternMatch.h>
  <mlir/Interfaces/TilingInterface.h>
  <mlir/Pass/Pass.h>
  <mlir/Transforms/DialectConversion.h>)

# CMake's own options would name the header's path in the build folder a second time, in a way that ccache takes for content.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -include-pch <PCH_FILE>)
endif()

# What a library for any target may see: no dialect of a machine, and no Linalg, which it does not need.
set(FUSION_NEUTRAL_PCH_HEADERS ${FUSION_PCH_HEADERS})
list(FILTER FUSION_NEUTRAL_PCH_HEADERS EXCLUDE REGEX "/(Affine|Func|GPU|Linalg|Tensor|Utils|Pass|Transforms)/|Tiling")

# fusion_use_pch(TARGET [NEUTRAL]): compiles a library or an executable with the shared header, NEUTRAL with
# one that has no dialect of a machine. A file still includes what it uses, so that it compiles without.
function(fusion_use_pch target)
  cmake_parse_arguments(ARG "NEUTRAL" "" "" ${ARGN})
  if(NOT FUSION_USE_PCH OR NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    return()
  endif()
  # Without time stamps the header is the same file after every rebuild, and ccache works.
  set(options -Xclang -fno-pch-timestamp)
  set(pch fusion-pch)
  set(headers ${FUSION_PCH_HEADERS})
  if(ARG_NEUTRAL)
    set(pch fusion-neutral-pch)
    set(headers ${FUSION_NEUTRAL_PCH_HEADERS})
  endif()
  if(NOT TARGET ${pch})
    set(source "${CMAKE_BINARY_DIR}/${pch}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "// Carries the precompiled header.\n")
    add_library(${pch} OBJECT "${source}")
    set_target_properties(${pch} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_compile_options(${pch} PRIVATE ${options})
    target_precompile_headers(${pch} PRIVATE ${headers})
    if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES ccache)
      set_target_properties(${pch} PROPERTIES CXX_COMPILER_LAUNCHER
        "${PROJECT_SOURCE_DIR}/cmake/sum-pch;${CMAKE_CXX_COMPILER_LAUNCHER}")
    endif()
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    # CMake's POSITION_INDEPENDENT_CODE would say -fPIE, of which clang makes another header.
    list(APPEND options -fPIC)
  endif()
  target_compile_options(${target} PRIVATE ${options})
  target_precompile_headers(${target} REUSE_FROM ${pch})
endfunction()
