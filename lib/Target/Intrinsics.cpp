//===- Intrinsics.cpp - Instructions that products are mapped to --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/Intrinsics.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;

static constexpr ProductType halfTypes[] = {ProductType::F16, ProductType::BF16};
static constexpr ProductType f32Types[] = {ProductType::F32};
static constexpr ProductType tf32Types[] = {ProductType::TF32, ProductType::TF32Cut};
static constexpr ProductType cutTypes[] = {ProductType::TF32Cut};
static constexpr ProductType s8Types[] = {ProductType::S8};
static constexpr ProductType fp8Types[] = {ProductType::FP8, ProductType::FP8Coarse};
static constexpr ProductType coarseTypes[] = {ProductType::FP8Coarse};

// PTX ISA, "Matrix multiply-accumulate operation using mma instruction": f16,
// bf16, tf32 and s8 since sm_80, 8-bit floats since sm_89. Of 8-bit elements
// two instructions side by side (ProductLayouts.h), the name has the columns of
// both. "Asynchronous Warpgroup Level Matrix Instructions": sm_90a only. Those
// of tf32 cut what they read off where products round, those of 8-bit floats
// add up in fewer bits than f32 has: they are for products that may be.
static constexpr Intrinsic intrinsics[] = {
    {"mma.m16n8k16", ProductUnit::TensorCore, 16, 8, 16, 16, halfTypes, 80},
    {"mma.m16n8k8", ProductUnit::TensorCore, 16, 8, 8, 32, tf32Types, 80},
    {"mma.m16n16k32", ProductUnit::TensorCore, 16, 16, 32, 8, s8Types, 80},
    {"mma.m16n16k16", ProductUnit::TensorCore, 16, 16, 16, 8, s8Types, 80},
    {"mma.f8.m16n16k32", ProductUnit::TensorCore, 16, 16, 32, 8, fp8Types, 89},
    {"wgmma.m64k16", ProductUnit::WarpGroup, 16, 8, 16, 16, halfTypes, 90},
    {"wgmma.m64k8", ProductUnit::WarpGroup, 16, 8, 8, 32, cutTypes, 90},
    {"wgmma.m64k32", ProductUnit::WarpGroup, 16, 8, 32, 8, s8Types, 90},
    {"wgmma.f8.m64k32", ProductUnit::WarpGroup, 16, 8, 32, 8, coarseTypes, 90},
    {"fma.m8n16k4", ProductUnit::Fma, 8, 16, 4, 32, f32Types, 0},
};

bool Intrinsic::multiplies(ProductType type) const {
  return llvm::is_contained(types, type);
}

int64_t Intrinsic::parallelLanes(bool isFirst) const {
  return isFirst || unit != ProductUnit::Fma ? 8 : 4;
}

int64_t Intrinsic::reducedLanes() const {
  return unit != ProductUnit::Fma ? 4 : 1;
}

int64_t Intrinsic::launchRegisters(int64_t columns,
                                   bool isFirstInRegisters) const {
  // Found by lowering the limit under single instructions of each shape.
  constexpr int64_t beside = 26;
  if (unit != ProductUnit::WarpGroup)
    return 0;
  return i1 * columns / 32 +
         (isFirstInRegisters ? operandRegisters(/*isFirst=*/true, i1) : 0) +
         beside;
}

bool Intrinsic::handsOverTo(const Intrinsic &next) const {
  // The columns of D that a thread holds are those that it wants of A; but a
  // multiply-add wants all of them in every lane. Groups of warps hold other
  // rows than single ones.
  return next.unit != ProductUnit::Fma && groupWarps() == next.groupWarps() &&
         sumColumns() == 32 / next.operandBits;
}

double Intrinsic::latency(const ChipInfo &chip) const {
  if (unit == ProductUnit::Fma)
    return r1 * chip.fmaCycles / chip.clockHz;
  return chip.mmaLatency;
}

double fusion::productRate(const ChipInfo &chip, ProductType type,
                           const Intrinsic &intrinsic) {
  double peak = chip.productFlops(type);
  return intrinsic.unit == ProductUnit::TensorCore ? peak * chip.mmaShare
                                                   : peak;
}

const Intrinsic *fusion::lookupIntrinsic(llvm::StringRef name) {
  const Intrinsic *it = llvm::find_if(
      intrinsics, [&](const Intrinsic &info) { return info.name == name; });
  return it == std::end(intrinsics) ? nullptr : it;
}

llvm::ArrayRef<Intrinsic> fusion::allIntrinsics() { return intrinsics; }
