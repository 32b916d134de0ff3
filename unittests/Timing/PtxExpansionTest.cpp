//===- PtxExpansionTest.cpp - Tests of the table against ptxas ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels with one instruction each, between loads of what it reads and a store
// of its result. What ptxas makes of each is compared with the table, by pipe.
//
//===----------------------------------------------------------------------===//

#include "fusion/Timing/PtxExpansion.h"
#include "fusion/Timing/Pipe.h"
#include "fusion/Toolchain/Nvdisasm.h"
#include "fusion/Toolchain/Ptxas.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <map>

using namespace fusion;
using namespace fusion::timing;

namespace {

/// Instructions and the registers of their results and sources: r has 32 bits,
/// d 64, h 16, p is a predicate, t the thread, and I a constant.
constexpr std::pair<const char *, const char *> kInstructions[] = {
    {"cvta.to.global.u64", "dd"},
    {"cvt.u32.u64", "rd"},
    {"cvt.u16.u32", "hr"},
    {"cvt.u32.u16", "rh"},
    {"add.s32", "rrr"},
    {"sub.s32", "rrr"},
    {"add.s64", "ddd"},
    {"sub.s64", "ddd"},
    {"add.s16", "hhh"},
    {"mul.lo.s32", "rrr"},
    {"mul.hi.u32", "rrr"},
    {"mul.wide.u32", "drr"},
    {"mul.wide.s32", "drr"},
    {"mul.wide.u16", "rhh"},
    {"mul.lo.s64", "ddd"},
    {"mul.hi.u64", "ddd"},
    {"mul.lo.s16", "hhh"},
    {"mul24.lo.s32", "rrr"},
    {"mad.lo.s32", "rrrr"},
    {"mad.hi.u32", "rrrr"},
    {"mad.lo.s64", "dddd"},
    {"mad.wide.u32", "drrd"},
    {"div.u32", "rrr"},
    {"div.s32", "rrr"},
    {"rem.u32", "rrr"},
    {"rem.s32", "rrr"},
    {"min.s32", "rrr"},
    {"max.u32", "rrr"},
    {"min.s64", "ddd"},
    {"max.u64", "ddd"},
    {"abs.s32", "rr"},
    {"neg.s32", "rr"},
    {"sad.u32", "rrrr"},
    {"dp4a.s32.s32", "rrrr"},
    {"and.b32", "rrr"},
    {"xor.b32", "rrr"},
    {"not.b32", "rr"},
    {"or.b64", "ddd"},
    {"not.b64", "dd"},
    {"and.b16", "hhh"},
    {"lop3.b32", "rrrrI"},
    {"shl.b32", "rrr"},
    {"shr.u32", "rrr"},
    {"shr.s32", "rrr"},
    {"shl.b64", "ddr"},
    {"shr.u64", "ddr"},
    {"shr.s64", "ddr"},
    {"shl.b16", "hhr"},
    {"shr.u16", "hhr"},
    {"shf.l.wrap.b32", "rrrr"},
    {"bfe.u32", "rrII"},
    {"bfe.s32", "rrII"},
    {"bfe.u64", "ddII"},
    {"bfi.b32", "rrrII"},
    {"prmt.b32", "rrrI"},
    {"popc.b32", "rr"},
    {"popc.b64", "rd"},
    {"clz.b32", "rr"},
    {"bfind.u32", "rr"},
    {"brev.b32", "rr"},
    {"add.rn.f32", "rrr"},
    {"sub.rn.f32", "rrr"},
    {"mul.rn.f32", "rrr"},
    {"fma.rn.f32", "rrrr"},
    {"add.rn.f64", "ddd"},
    {"fma.rn.f64", "dddd"},
    {"add.rn.f16x2", "rrr"},
    {"mul.rn.f16x2", "rrr"},
    {"fma.rn.f16x2", "rrrr"},
    {"fma.rn.bf16x2", "rrrr"},
    {"add.rn.f16", "hhh"},
    {"fma.rn.f16", "hhhh"},
    {"min.f32", "rrr"},
    {"max.NaN.f32", "rrr"},
    {"max.f16", "hhh"},
    {"max.f16x2", "rrr"},
    {"abs.f32", "rr"},
    {"neg.f32", "rr"},
    {"abs.f64", "dd"},
    {"neg.f16x2", "rr"},
    {"copysign.f32", "rrr"},
    {"div.rn.f32", "rrr"},
    {"div.full.f32", "rrr"},
    {"div.approx.f32", "rrr"},
    {"rcp.rn.f32", "rr"},
    {"rcp.approx.f32", "rr"},
    {"rcp.approx.ftz.f32", "rr"},
    {"sqrt.rn.f32", "rr"},
    {"sqrt.approx.f32", "rr"},
    {"rsqrt.approx.f32", "rr"},
    {"rsqrt.approx.ftz.f32", "rr"},
    {"ex2.approx.f32", "rr"},
    {"ex2.approx.ftz.f32", "rr"},
    {"lg2.approx.f32", "rr"},
    {"lg2.approx.ftz.f32", "rr"},
    {"sin.approx.f32", "rr"},
    {"cos.approx.f32", "rr"},
    {"tanh.approx.f32", "rr"},
    {"ex2.approx.f16x2", "rr"},
    {"tanh.approx.f16x2", "rr"},
    {"div.rn.f64", "ddd"},
    {"rcp.rn.f64", "dd"},
    {"sqrt.rn.f64", "dd"},
    {"cvt.f32.f16", "rh"},
    {"cvt.f32.bf16", "rh"},
    {"cvt.rn.f16.f32", "hr"},
    {"cvt.rn.bf16.f32", "hr"},
    {"cvt.rn.f16x2.f32", "rrr"},
    {"cvt.rn.bf16x2.f32", "rrr"},
    {"cvt.rna.tf32.f32", "rr"},
    {"cvt.sat.f32.f32", "rr"},
    {"cvt.rni.f32.f32", "rr"},
    {"cvt.rn.f32.s64", "rd"},
    {"cvt.rn.f32.s8", "rr"},
    {"cvt.rzi.s32.f32", "rr"},
    {"cvt.rzi.s64.f32", "dr"},
    {"cvt.f64.f32", "dr"},
    {"cvt.rn.f32.f64", "rd"},
    {"cvt.rn.f64.s32", "dr"},
    {"cvt.rn.f16.s32", "hr"},
    {"cvt.s64.s32", "dr"},
    {"cvt.s32.s16", "rh"},
    {"cvt.s32.s8", "rr"},
    {"setp.lt.s32", "prr"},
    {"setp.lt.u64", "pdd"},
    {"setp.eq.s16", "phh"},
    {"setp.lt.f32", "prr"},
    {"setp.lt.f64", "pdd"},
    {"setp.lt.f16", "phh"},
    {"set.lt.u32.f32", "rrr"},
    {"selp.b64", "dddp"},
    {"shfl.sync.bfly.b32", "rt"},
    {"vote.sync.ballot.b32", "rp"},
    {"match.any.sync.b32", "rt"},
    {"redux.sync.add.s32", "rt"},
};

/// The text of the kernel of an instruction.
std::string kernelOf(unsigned number, llvm::StringRef opcode,
                     llvm::StringRef signature) {
  std::string text = ".visible .entry k" + std::to_string(number) +
                     "(.param .u64 a) {\n"
                     "  .reg .b64 %p, %d<9>;\n  .reg .b32 %r<9>, %s<9>;\n"
                     "  .reg .b16 %h<9>;\n  .reg .pred %q<9>;\n"
                     "  ld.param.u64 %p, [a];\n"
                     "  cvta.to.global.u64 %p, %p;\n";
  std::string operands;
  unsigned offset = 0;
  for (auto [i, kind] : llvm::enumerate(signature)) {
    std::string index = std::to_string(i);
    std::string name = "%" + std::string(1, kind) + index;
    if (kind == 'I') {
      name = "5";
    } else if (kind == 't') {
      name = "%r" + index;
      text += "  mov.u32 " + name + ", %tid.x;\n";
    } else if (kind == 'p') {
      name = "%q" + index;
      if (i)
        text += "  ld.global.b32 %s" + index + ", [%p+" +
                std::to_string(offset) + "];\n  setp.ne.s32 " + name + ", %s" +
                index + ", 0;\n";
    } else if (i) {
      unsigned bits = kind == 'd' ? 64 : kind == 'r' ? 32 : 16;
      text += "  ld.global.b" + std::to_string(bits) + " " + name + ", [%p+" +
              std::to_string(offset) + "];\n";
    }
    offset += 8;
    operands += (i ? ", " : "") + name;
  }
  if (opcode.starts_with("shfl"))
    operands += ", 1, 31, -1";
  else if (opcode.contains(".sync."))
    operands += ", -1";
  text += "  " + opcode.str() + " " + operands + ";\n";
  switch (signature.front()) {
  case 'd':
    text += "  st.global.b64 [%p], %d0;\n";
    break;
  case 'r':
    text += "  st.global.b32 [%p], %r0;\n";
    break;
  case 'h':
    text += "  st.global.b16 [%p], %h0;\n";
    break;
  default:
    text += "  selp.b32 %s0, 7, 9, %q0;\n  st.global.b32 [%p], %s0;\n";
  }
  return text + "  ret;\n}\n";
}

/// Pipes that ptxas takes for each other: additions as IADD3, IMAD and VIADD.
Pipe classOf(Pipe pipe) {
  return pipe == Pipe::Multiply || pipe == Pipe::Uniform ||
                 pipe == Pipe::Convert
             ? Pipe::Integer
             : pipe;
}

/// Returns whether an instruction belongs to the kernel around the one tested.
bool isFrame(const MachineInst &inst) {
  static constexpr llvm::StringRef names[] = {
      "S2R", "S2UR", "LDC",  "ULDC", "LDG",   "STG",  "MOV",   "EXIT",
      "BRA", "NOP",  "UMOV", "BSSY", "BSYNC", "CALL", "UIADD3"};
  // Constants, as `HFMA2.MMA R0, -RZ, RZ, 0, 0`.
  bool isConstant =
      inst.mnemonic() == "HFMA2" && inst.operands.contains("RZ, RZ");
  return llvm::is_contained(names, inst.mnemonic()) || isConstant ||
         inst.hasModifier("MOV") || inst.opcode == "IMAD.U32";
}

using Counts = std::map<Pipe, int>;

class PtxExpansions : public testing::TestWithParam<const char *> {};

TEST_P(PtxExpansions, AreThoseOfPtxas) {
  auto ptxas = findPtxas(), nvdisasm = findNvidiaTool("nvdisasm");
  if (!ptxas || !nvdisasm)
    GTEST_SKIP() << "no ptxas or no nvdisasm";
  const ChipInfo &chip = *lookupChip(GetParam());
  const Microarchitecture &micro = microarchitectureOf(chip);
  std::string ptx =
      ".version 8.0\n.target " + chip.arch.str() + "\n.address_size 64\n";
  for (auto [i, each] : llvm::enumerate(kInstructions))
    ptx += kernelOf(i, each.first, each.second);
  auto cubin = assemblePtx(*ptxas, ptx, chip.arch, PtxLines::With);
  ASSERT_TRUE(bool(cubin)) << llvm::toString(cubin.takeError());
  auto listing = disassembleCubin(*nvdisasm, *cubin);
  ASSERT_TRUE(bool(listing)) << llvm::toString(listing.takeError());
  std::string reason;
  auto code = MachineCode::parse(std::move(*listing), reason);
  ASSERT_TRUE(code) << reason;
  for (auto [i, each] : llvm::enumerate(kInstructions)) {
    auto [opcode, signature] = each;
    const MachineKernel *kernel = code->find("k" + std::to_string(i));
    ASSERT_TRUE(kernel);
    Counts made, expected;
    std::string text;
    int slack = 0;
    for (const MachineInst &inst : kernel->insts) {
      // What a slow path reads is computed in the kernel itself.
      if (inst.mnemonic() == "CALL")
        slack = 2;
      // What has no line is a function of a slow path.
      if (!inst.line || isFrame(inst))
        continue;
      ++made[classOf(timingOf(inst, chip, micro).pipe)];
      text += " " + inst.opcode.str();
    }
    emulator::PtxInst inst;
    inst.opcode = opcode;
    PtxExpansion expansion = expandPtx(inst);
    EXPECT_TRUE(expansion.isKnown) << opcode;
    for (const auto &group : expansion.groups)
      for (const std::string &name : group) {
        MachineInst machine;
        machine.opcode = name;
        ++expected[classOf(timingOf(machine, chip, micro).pipe)];
      }
    // The frame of predicates. ptxas compares and combines at once.
    for (char kind : llvm::StringRef(signature))
      expected[Pipe::Integer] += kind == 'p';
    for (unsigned pipe = 0; pipe < kNumPipes; ++pipe) {
      int want = expected[Pipe(pipe)];
      // Long sequences differ a little from chip to chip.
      EXPECT_NEAR(made[Pipe(pipe)], want, slack + want / 5)
          << opcode << ", " << pipeName(Pipe(pipe)).str() << ":" << text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Chips, PtxExpansions,
                         testing::Values("sm_80", "sm_90a"));

TEST(PtxExpansion, TensorCores) {
  auto opcode = [](const char *text, StepKind step) {
    emulator::PtxInst inst;
    inst.opcode = text;
    inst.step = step;
    return expandPtx(inst).groups.at(0).at(0);
  };
  EXPECT_EQ(opcode("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
                   StepKind::Mma),
            "HMMA.16816.F32");
  EXPECT_EQ(opcode("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
                   StepKind::Mma),
            "HMMA.1688.F32.TF32");
  EXPECT_EQ(
      opcode("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", StepKind::Mma),
      "IMMA.16832.S32");
  EXPECT_EQ(
      opcode("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", StepKind::Mma),
      "DMMA.884.F64");
  EXPECT_EQ(opcode("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16",
                   StepKind::WarpgroupMma),
            "HGMMA.64x128x16.F32");
  EXPECT_EQ(opcode("wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3",
                   StepKind::WarpgroupMma),
            "QGMMA.64x64x32.F32");
}

TEST(PtxExpansion, UnknownOpcodesAreSaid) {
  emulator::PtxInst inst;
  inst.opcode = "frobnicate.b32";
  EXPECT_FALSE(expandPtx(inst).isKnown);
}

} // namespace
