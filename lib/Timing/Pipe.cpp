//===- Pipe.cpp - Which units execute instructions ------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Timing/Pipe.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace fusion;
using namespace fusion::timing;
using llvm::StringRef;

StringRef fusion::timing::pipeName(Pipe pipe) {
  static constexpr StringRef names[kNumPipes] = {
      "control", "f32", "multiply", "integer", "half",  "convert",
      "special", "f64", "uniform",  "tensor",  "memory"};
  return names[unsigned(pipe)];
}

/// Returns the pipe of a mnemonic (cuobjdump's "Instruction Set Reference"), or
/// nullopt for one that is not in the table.
static std::optional<Pipe> pipeOf(StringRef mnemonic) {
  std::optional<Pipe> none;
  auto found =
      llvm::StringSwitch<std::optional<Pipe>>(mnemonic)
          .Cases({"FFMA", "FADD", "FMUL", "FFMA2", "FADD2", "FMUL2", "FSWZADD"},
                 Pipe::F32)
          .Cases({"IMAD", "IMUL", "IDP", "IDP4A"}, Pipe::Multiply)
          .Cases({"HFMA2", "HADD2", "HMUL2", "HSETP2", "HSET2", "HMNMX2"},
                 Pipe::Half)
          .Cases({"F2FP", "I2FP", "I2IP", "F2IP"}, Pipe::Convert)
          .Cases({"MUFU", "POPC", "FLO", "BREV", "F2F", "F2I", "I2F", "FRND"},
                 Pipe::Special)
          .Case("I2I", Pipe::Special)
          .Cases({"DFMA", "DADD", "DMUL", "DSETP", "DMNMX"}, Pipe::F64)
          .Cases({"HMMA", "IMMA", "DMMA", "BMMA", "QMMA", "OMMA"}, Pipe::Tensor)
          .Cases({"HGMMA", "IGMMA", "BGMMA", "QGMMA"}, Pipe::Tensor)
          .Cases({"LDG", "LD", "LDS", "LDL", "LDSM", "LDC", "LDGSTS"},
                 Pipe::Memory)
          .Cases({"STG", "ST", "STS", "STL", "STSM", "STAS"}, Pipe::Memory)
          .Cases({"ATOM", "ATOMG", "ATOMS", "RED", "REDG", "REDAS"},
                 Pipe::Memory)
          .Cases({"SHFL", "MATCH", "QSPC", "CCTL", "CCTLL", "CCTLT"},
                 Pipe::Memory)
          .Cases({"SYNCS", "ARRIVES", "LDGDEPBAR", "LDGMC"}, Pipe::Memory)
          .Cases({"UTMALDG", "UTMASTG", "UTMAREDG", "UTMAPF", "UTMACCTL"},
                 Pipe::Memory)
          .Cases({"UBLKCP", "UBLKRED", "UBLKPF", "UTMACMDFLUSH"}, Pipe::Memory)
          .Cases({"IADD3", "IADD", "IADD32I", "LOP3", "LOP", "LEA"},
                 Pipe::Integer)
          .Cases({"SHF", "SHL", "SHR", "BMSK", "SGXT", "PRMT", "IABS"},
                 Pipe::Integer)
          .Cases({"ISETP", "IMNMX", "VIMNMX", "VIMNMX3", "VIADD", "VIADDMNMX"},
                 Pipe::Integer)
          .Cases({"FSETP", "FMNMX", "FMNMX3", "FSEL", "FCHK", "FSET"},
                 Pipe::Integer)
          .Cases({"SEL", "MOV", "MOV32I", "CS2R", "P2R", "R2P", "PLOP3"},
                 Pipe::Integer)
          .Cases({"VABSDIFF", "VABSDIFF4", "IDE", "LEPC", "MOVM"},
                 Pipe::Integer)
          .Cases({"VOTE", "S2R", "S2UR", "R2UR", "REDUX", "CREDUX", "ELECT"},
                 Pipe::Integer)
          .Cases({"BRA", "BRX", "JMP", "CALL", "RET", "EXIT", "KILL"},
                 Pipe::Control)
          .Cases({"BSSY", "BSYNC", "BREAK", "BMOV", "WARPSYNC", "YIELD"},
                 Pipe::Control)
          .Cases({"NOP", "BAR", "DEPBAR", "MEMBAR", "ERRBAR", "CGAERRBAR"},
                 Pipe::Control)
          .Cases({"FENCE", "WARPGROUP", "WARPGROUPSET", "NANOSLEEP", "BPT"},
                 Pipe::Control)
          .Cases({"UCGABAR_ARV", "UCGABAR_WAIT", "USETMAXREG", "ACQBULK"},
                 Pipe::Control)
          .Cases({"PREEXIT", "RPCMOV", "COLLECTIVE", "ENDCOLLECTIVE"},
                 Pipe::Control)
          .Default(none);
  // UMOV, UIADD3, ULDC, VOTEU: as many as there are instructions for warps.
  if (!found && (mnemonic.starts_with("U") || mnemonic == "VOTEU"))
    return Pipe::Uniform;
  return found;
}

/// Returns whether ptxas lets others wait for the result of an instruction with
/// stall counts alone.
static bool hasFixedLatency(Pipe pipe, StringRef mnemonic) {
  switch (pipe) {
  case Pipe::F32:
  case Pipe::Multiply:
  case Pipe::Half:
  case Pipe::Convert:
  case Pipe::Uniform:
  case Pipe::Control:
    return true;
  case Pipe::Integer:
    return mnemonic != "S2R" && mnemonic != "S2UR" && mnemonic != "REDUX";
  case Pipe::Special:
  case Pipe::F64:
  case Pipe::Tensor:
  case Pipe::Memory:
    return false;
  }
  llvm_unreachable("covered switch");
}

/// Lanes of an SM for a pipe; 0: an instruction each cycle.
static unsigned lanesOf(Pipe pipe, const PipeLanes &lanes) {
  switch (pipe) {
  case Pipe::F32:
    return lanes.f32;
  case Pipe::Multiply:
  case Pipe::Integer:
    return lanes.integer;
  case Pipe::Half:
    return lanes.f16x2;
  case Pipe::Convert:
    return lanes.conversion;
  case Pipe::Special:
    return lanes.special;
  case Pipe::F64:
    return lanes.f64;
  case Pipe::Control:
  case Pipe::Uniform:
  case Pipe::Tensor:
  case Pipe::Memory:
    return 0;
  }
  llvm_unreachable("covered switch");
}

/// The shape of a tensor-core instruction.
struct TensorShape {
  unsigned m = 0, n = 0, k = 0;
};

/// Reads the shape of `HMMA.16816.F32` or of `HGMMA.64x128x16.F32`.
static TensorShape shapeOf(const MachineInst &inst) {
  llvm::SmallVector<StringRef> modifiers;
  inst.opcode.split(modifiers, '.');
  for (StringRef modifier : llvm::drop_begin(modifiers)) {
    if (!llvm::isDigit(modifier.front()))
      continue;
    TensorShape shape;
    llvm::SmallVector<StringRef> extents;
    modifier.split(extents, 'x');
    if (extents.size() == 3) {
      extents[0].getAsInteger(10, shape.m);
      extents[1].getAsInteger(10, shape.n);
      extents[2].getAsInteger(10, shape.k);
      return shape;
    }
    // 16816 is 16 × 8 × 16, 1688 is 16 × 8 × 8, 884 is 8 × 8 × 4.
    bool isWide = modifier.starts_with("16");
    shape.m = isWide ? 16 : 8;
    shape.n = 8;
    modifier.drop_front(isWide ? 3 : 2).getAsInteger(10, shape.k);
    return shape;
  }
  return {};
}

/// The type of the elements that a tensor-core instruction multiplies.
static MultiplicandType typeOf(const MachineInst &inst) {
  StringRef mnemonic = inst.mnemonic();
  if (mnemonic.starts_with("D"))
    return MultiplicandType::F64;
  if (mnemonic.starts_with("I") || mnemonic.starts_with("B"))
    return MultiplicandType::S8;
  if (mnemonic.starts_with("Q"))
    return MultiplicandType::FP8;
  return inst.hasModifier("TF32") ? MultiplicandType::TF32
                                  : MultiplicandType::F16;
}

static unsigned bytesOf(MultiplicandType type) {
  switch (type) {
  case MultiplicandType::F64:
    return 8;
  case MultiplicandType::F32:
  case MultiplicandType::TF32:
  case MultiplicandType::TF32Cut:
    return 4;
  case MultiplicandType::F16:
  case MultiplicandType::BF16:
    return 2;
  case MultiplicandType::FP8:
  case MultiplicandType::FP8Coarse:
  case MultiplicandType::S8:
    return 1;
  }
  llvm_unreachable("covered switch");
}

static void addTensorTiming(InstTiming &timing, const MachineInst &inst,
                            const ChipInfo &chip,
                            const Microarchitecture &micro) {
  TensorShape shape = shapeOf(inst);
  MultiplicandType type = typeOf(inst);
  double perCycle = chip.peakFlops(type) / chip.clockHz /
                    (double(chip.numSMs) * kSubPartitions);
  bool isWarpgroup = timing.kind == StepKind::WarpgroupMma;
  timing.flops = 2.0 * shape.m * shape.n * shape.k;
  if (!isWarpgroup) {
    timing.interval =
        perCycle > 0 ? timing.flops / (perCycle * chip.mmaPeakFraction) : 1;
    timing.fixedLatency =
        micro.mmaLatency + shape.k * bytesOf(type) * micro.mmaByteLatency;
    return;
  }
  // Each warp of the warpgroup has a quarter of the rows.
  timing.flops /= kWarpgroupWarps;
  // Rates of whole cycles: those of the table are rounded.
  timing.interval = std::max<float>(std::round(timing.flops / perCycle),
                                    micro.wgmmaMinInterval);
  // `R24, R88, gdesc[UR8], R24` has A in registers, `R24, gdesc[UR8], R24` has
  // both descriptors in neighbouring registers.
  StringRef second = inst.operands.split(',').second.trim();
  timing.readsSharedA = second.starts_with("gdesc");
  unsigned elements = shape.n * shape.k;
  if (timing.readsSharedA)
    elements += shape.m * shape.k;
  timing.sharedBytes = elements * bytesOf(type) / kWarpgroupWarps;
  timing.latency =
      timing.readsSharedA ? micro.wgmmaSharedLatency : micro.wgmmaLatency;
  timing.commitsGroup = inst.operands.contains("gsb0");
}

InstTiming fusion::timing::timingOf(const MachineInst &inst,
                                    const ChipInfo &chip,
                                    const Microarchitecture &micro) {
  InstTiming timing;
  StringRef mnemonic = inst.mnemonic();
  std::optional<Pipe> pipe = pipeOf(mnemonic);
  timing.isKnown = pipe.has_value();
  timing.pipe = pipe.value_or(Pipe::Integer);
  timing.kind = anchorKind(inst);
  if (unsigned lanes = lanesOf(timing.pipe, micro.lanes))
    timing.interval =
        std::max(1.0f, float(kWarpSize * kSubPartitions) / float(lanes));
  timing.latency = micro.constantLatency;
  if (timing.pipe == Pipe::Special || timing.pipe == Pipe::F64)
    timing.latency = micro.specialLatency;
  if (hasFixedLatency(timing.pipe, mnemonic))
    timing.fixedLatency = micro.fixedLatency;
  if (timing.pipe == Pipe::Tensor)
    addTensorTiming(timing, inst, chip, micro);
  if (timing.pipe == Pipe::Memory)
    timing.isShuffle = mnemonic == "SHFL";
  timing.isLocal = mnemonic == "LDL" || mnemonic == "STL";
  // A name of ours, for code that is made of PTX (PtxExpansion.cpp).
  timing.commitsGroup |= mnemonic == "WARPGROUP" && inst.hasModifier("COMMIT");
  timing.commitsBulk = mnemonic == "UTMACMDFLUSH";
  timing.isFence = mnemonic == "FENCE" || mnemonic == "MEMBAR";
  timing.isWideFence = mnemonic == "MEMBAR" &&
                       (inst.hasModifier("GPU") || inst.hasModifier("SYS"));
  return timing;
}
