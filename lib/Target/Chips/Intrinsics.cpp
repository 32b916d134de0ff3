//===- Intrinsics.cpp - Instructions that products are mapped to ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/Chips/Intrinsics.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;

static constexpr MultiplicandType halfTypes[] = {MultiplicandType::F16,
                                                 MultiplicandType::BF16};
static constexpr MultiplicandType bf16Types[] = {MultiplicandType::BF16};
static constexpr MultiplicandType f32Types[] = {MultiplicandType::F32};
static constexpr MultiplicandType f64Types[] = {MultiplicandType::F64};
static constexpr MultiplicandType floatTypes[] = {
    MultiplicandType::F32, MultiplicandType::F16, MultiplicandType::BF16};
static constexpr MultiplicandType tf32Types[] = {MultiplicandType::TF32,
                                                 MultiplicandType::TF32Cut};
static constexpr MultiplicandType cutTypes[] = {MultiplicandType::TF32Cut};
static constexpr MultiplicandType s8Types[] = {MultiplicandType::S8};
static constexpr MultiplicandType fp8Types[] = {MultiplicandType::FP8,
                                                MultiplicandType::FP8Coarse};
static constexpr MultiplicandType coarseTypes[] = {MultiplicandType::FP8Coarse};

/// mma.sync of a warp, with all tiles in registers. PTX ISA, "Matrix
/// multiply-accumulate operation using mma instruction": f16, bf16, tf32 and s8
/// since sm_80, 8-bit floats since sm_89. With 8-bit elements two instructions
/// lie side by side (FragmentLayouts.h); the name has the columns of both.
static constexpr Intrinsic mmaSync(llvm::StringLiteral name, int64_t i2,
                                   int64_t r1, unsigned operandBits,
                                   llvm::ArrayRef<MultiplicandType> types,
                                   unsigned minCapability) {
  Intrinsic mma;
  mma.name = name;
  mma.unit = IntrinsicUnit::TensorCore;
  mma.i1 = 16;
  mma.i2 = i2;
  mma.r1 = r1;
  mma.operandBits = operandBits;
  mma.types = types;
  mma.minCapability = minCapability;
  mma.lhs.registers = mma.rhs.registers = mma.accumulator.registers = true;
  mma.lhsLanes = mma.rhsLanes = 8;
  mma.reducedLanes = 4;
  mma.accumulatorColumns = 32 / operandBits;
  return mma;
}

/// wgmma of a warpgroup: A in registers or shared memory, B in shared memory.
/// PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions": sm_90a only. An
/// instruction may have any of the numbers of columns of `instructionColumns`.
static constexpr Intrinsic wgmma(llvm::StringLiteral name, int64_t r1,
                                 unsigned operandBits,
                                 llvm::ArrayRef<MultiplicandType> types) {
  Intrinsic mma;
  mma.name = name;
  mma.unit = IntrinsicUnit::WarpGroup;
  mma.i1 = 16;
  mma.i2 = 8;
  mma.r1 = r1;
  mma.warps = kWarpgroupWarps;
  mma.operandBits = operandBits;
  mma.types = types;
  mma.minCapability = 90;
  mma.feature = &ChipInfo::hasWgmma;
  mma.lhs.registers = mma.lhs.shared = true;
  mma.rhs.shared = true;
  mma.accumulator.registers = true;
  mma.isAsync = true;
  mma.lhsLanes = mma.rhsLanes = 8;
  mma.reducedLanes = 4;
  mma.accumulatorColumns = 2;
  // Found by lowering the limit under single instructions of each shape.
  mma.registersAtLaunch = 26;
  return mma;
}

/// A multiply-add of each lane for 4 x 4 x 4 elements of a thread's tile.
static constexpr Intrinsic multiplyAdds() {
  Intrinsic fma;
  fma.name = "fma.m8n16k4";
  fma.unit = IntrinsicUnit::Fma;
  fma.i1 = 8;
  fma.i2 = 16;
  fma.r1 = 4;
  fma.operandBits = 32;
  fma.types = f32Types;
  fma.lhs.registers = fma.rhs.registers = fma.accumulator.registers = true;
  fma.lhsLanes = 8;
  fma.rhsLanes = 4;
  fma.accumulatorColumns = 4;
  return fma;
}

/// Micro-kernels of vector FMAs. Each step along r1 loads the vectors of a row
/// of the RHS and multiplies them by one element after the other of a column of
/// the LHS. The accumulators leave registers for the loads. Types that are no
/// f32 are widened first.
static constexpr Intrinsic microKernel(llvm::StringLiteral name, int64_t i1,
                                       int64_t i2, unsigned vectorBytes,
                                       unsigned operandBits,
                                       llvm::ArrayRef<MultiplicandType> types) {
  Intrinsic kernel;
  kernel.name = name;
  kernel.unit = IntrinsicUnit::Vector;
  kernel.i1 = i1;
  kernel.i2 = i2;
  kernel.vectorBytes = vectorBytes;
  kernel.operandBits = operandBits;
  kernel.types = types;
  kernel.lhs.registers = kernel.rhs.registers = true;
  kernel.accumulator.registers = true;
  return kernel;
}

/// Micro-kernels whose instruction adds the products of r1 neighbours: 32 bits
/// of a row of the LHS by the same rows of each column (Intel's manual,
/// VDPBF16PS and VPDPBUSD).
static constexpr Intrinsic dotKernel(llvm::StringLiteral name, int64_t r1,
                                     llvm::ArrayRef<MultiplicandType> types,
                                     bool CpuInfo::*feature) {
  Intrinsic kernel = microKernel(name, 14, 32, 64, 32 / r1, types);
  kernel.r1 = r1;
  kernel.cpuFeature = feature;
  return kernel;
}

// wgmma of tf32 truncates its operands, while contractions round them. wgmma of
// 8-bit floats accumulates in fewer bits than f32 has. Both are for types that
// allow it.
static constexpr Intrinsic intrinsics[] = {
    mmaSync("mma.m16n8k16", 8, 16, 16, halfTypes, 80),
    mmaSync("mma.m16n8k8", 8, 8, 32, tf32Types, 80),
    mmaSync("mma.m16n16k32", 16, 32, 8, s8Types, 80),
    mmaSync("mma.m16n16k16", 16, 16, 8, s8Types, 80),
    mmaSync("mma.f8.m16n16k32", 16, 32, 8, fp8Types, 89),
    wgmma("wgmma.m64k16", 16, 16, halfTypes),
    wgmma("wgmma.m64k8", 8, 32, cutTypes),
    wgmma("wgmma.m64k32", 32, 8, s8Types),
    wgmma("wgmma.f8.m64k32", 32, 8, coarseTypes),
    multiplyAdds(),
    // 12 accumulators of 16 registers, 28 of 32.
    microKernel("avx2.m6n16", 6, 16, 32, 32, floatTypes),
    microKernel("avx2.f64.m6n8", 6, 8, 32, 64, f64Types),
    microKernel("avx2.s8.m6n16", 6, 16, 32, 32, s8Types),
    dotKernel("avx512.bf16.m14n32k2", 2, bf16Types, &CpuInfo::hasAvx512Bf16),
    dotKernel("avx512.vnni.m14n32k4", 4, s8Types, &CpuInfo::hasVnni),
    microKernel("avx512.m14n32", 14, 32, 64, 32, floatTypes),
    microKernel("avx512.f64.m14n16", 14, 16, 64, 64, f64Types),
    microKernel("avx512.s8.m14n32", 14, 32, 64, 32, s8Types),
};

bool Intrinsic::multiplies(MultiplicandType type) const {
  return llvm::is_contained(types, type);
}

int64_t Intrinsic::launchRegisters(int64_t columns, bool isAInRegisters) const {
  if (registersAtLaunch == 0)
    return 0;
  return i1 * columns / kWarpSize +
         (isAInRegisters ? operandRegisters(/*isOperandA=*/true, i1) : 0) +
         registersAtLaunch;
}

bool Intrinsic::forwardsTo(const Intrinsic &next) const {
  // The columns of D that a thread holds must be the columns of A that it
  // needs, where lanes share the reduced axis of A. Warpgroups hold other rows
  // than single warps.
  return accumulator.registers && next.lhs.registers &&
         !next.replicatesOperands() && warps == next.warps &&
         accumulatorColumns == 32 / next.operandBits;
}

double Intrinsic::latency(const ChipInfo &chip) const {
  if (isScalar())
    return r1 * chip.fmaCycles / chip.clockHz;
  return chip.mmaLatency;
}

double fusion::mmaRate(const ChipInfo &chip, MultiplicandType type,
                       const Intrinsic &intrinsic) {
  double peak = chip.peakFlops(type);
  return intrinsic.unit == IntrinsicUnit::TensorCore
             ? peak * chip.mmaPeakFraction
             : peak;
}

const Intrinsic *fusion::lookupIntrinsic(llvm::StringRef name) {
  const Intrinsic *it = llvm::find_if(
      intrinsics, [&](const Intrinsic &info) { return info.name == name; });
  return it == std::end(intrinsics) ? nullptr : it;
}

llvm::ArrayRef<Intrinsic> fusion::allIntrinsics() { return intrinsics; }
