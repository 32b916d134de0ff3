//===- Intrinsics.cpp - Matrix instructions that products are mapped to -------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/Intrinsics.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;

// PTX ISA, "Matrix multiply-accumulate operation using mma instruction": f16 and
// bf16 with shape m16n8k16 since sm_80.
static constexpr TensorCoreType halfTypes[] = {TensorCoreType::F16, TensorCoreType::BF16};
static constexpr Intrinsic intrinsics[] = {
    {"mma.m16n8k16", 16, 8, 16, halfTypes, 80},
};

bool Intrinsic::multiplies(TensorCoreType type) const {
  return llvm::is_contained(types, type);
}

const Intrinsic *fusion::lookupIntrinsic(llvm::StringRef name) {
  const Intrinsic *it = llvm::find_if(
      intrinsics, [&](const Intrinsic &info) { return info.name == name; });
  return it == std::end(intrinsics) ? nullptr : it;
}

llvm::ArrayRef<Intrinsic> fusion::allIntrinsics() { return intrinsics; }
