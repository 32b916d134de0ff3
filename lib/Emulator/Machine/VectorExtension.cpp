//===- VectorExtension.cpp - Which loops this machine executes ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Machine/VectorExtension.h"

using namespace fusion::emulator;

VectorExtension fusion::emulator::widestExtension() {
#if defined(FUSION_EMULATOR_X86)
  __builtin_cpu_init();
  bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
            __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
            __builtin_cpu_supports("f16c");
  bool v4 = v3 && __builtin_cpu_supports("avx512f") &&
            __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512cd") &&
            __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vl");
  if (v4)
    return VectorExtension::V4;
  if (v3)
    return VectorExtension::V3;
#endif
  return VectorExtension::Base;
}
