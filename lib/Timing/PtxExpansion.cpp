//===- PtxExpansion.cpp - What stands for a PTX instruction ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources: each entry above "Not checked" is what ptxas 13.0 makes of a kernel
// with this one instruction, without the kernel's loads and stores. A test
// compares the two (unittests/Timing/PtxExpansionTest.cpp). Of divisions, roots
// and reciprocals it is the fast path, which ordinary values take. Where sm_80
// and sm_90a differ (IMNMX and VIMNMX), an opcode of the same pipe stands for
// both.
//
//===----------------------------------------------------------------------===//

#include "fusion/Timing/PtxExpansion.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace fusion::timing;
using fusion::emulator::PtxInst;
using fusion::emulator::StepKind;
using llvm::StringRef;

namespace {

/// `ptx`: the opcode's first part, and modifiers that follow in this order,
/// others between them. `.i32` is any of .s32, .u32 and .b32, and so on. The
/// first entry that fits counts. `machine`: groups are separated by spaces,
/// instructions of a group by `+`.
struct Entry {
  StringRef ptx, machine;
};

constexpr Entry table[] = {
    // Values that are renamed. Constants are operands of the instructions that
    // use them.
    {"mov", ""},
    {"cvta", ""},
    {"cvt.u64.i32", ""},
    {"cvt.u64.i16", ""},
    {"cvt.i32.i64", ""},
    {"cvt.i16.i32", ""},
    {"cvt.u32.u16", ""},
    {"cvt.i16.i64", ""},
    {"bar.warp", ""},

    // Integers.
    {"add.i64", "IADD3 IADD3.X"},
    {"sub.i64", "IADD3 IADD3.X"},
    {"add.i32", "IADD3"},
    {"sub.i32", "IADD3"},
    {"add.i16", "IADD3"},
    {"sub.i16", "IADD3"},
    {"addc", "IADD3.X"},
    {"subc", "IADD3.X"},
    {"mul.wide.i16", "IMAD"},
    {"mul.wide", "IMAD.WIDE"},
    {"mul.lo.i64", "IMAD+IMAD.WIDE IMAD IADD3"},
    {"mul.hi.i64", "IMAD.WIDE IMAD.WIDE IMAD.WIDE IADD3.X+IADD3 IMAD.WIDE.X"},
    {"mul.hi", "IMAD.HI"},
    {"mul.lo.i32", "IMAD"},
    {"mul.lo.i16", "PRMT+PRMT IMAD"},
    {"mul24", "SGXT+SGXT IMAD"},
    {"mad.lo.i64", "IMAD+IMAD.WIDE IMAD IADD3"},
    {"mad.wide", "IMAD.WIDE IADD3 IADD3.X"},
    {"mad.hi", "IMAD.HI"},
    {"mad.lo.i32", "IMAD"},
    {"mad.lo.i16", "PRMT+PRMT IMAD"},
    {"madc", "IMAD.X"},
    {"div.i64", // a function
     "I2F MUFU.RCP IADD3 F2I IMAD.WIDE IMAD IADD3 IMAD IMAD.HI IMAD.X "
     "IMAD.WIDE "
     "IMAD.HI IMAD.HI IADD3 IMAD.X IMAD.WIDE IADD3.X IMAD IADD3 IMAD IMAD.HI "
     "IADD3 IMAD.HI IMAD IMAD.HI IADD3 IADD3.X IMAD.WIDE IMAD IADD3 ISETP "
     "IADD3 "
     "IADD3.X ISETP SEL SEL SEL ISETP IADD3 SEL SEL"},
    {"rem.i64",
     "I2F MUFU.RCP IADD3 F2I IMAD.WIDE IMAD IADD3 IMAD IMAD.HI IMAD.X "
     "IMAD.WIDE "
     "IMAD.HI IMAD.HI IADD3 IMAD.X IMAD.WIDE IADD3.X IMAD IADD3 IMAD IMAD.HI "
     "IADD3 IMAD.HI IMAD IMAD.HI IADD3 IADD3.X IMAD.WIDE IMAD IADD3 ISETP "
     "IADD3 "
     "IADD3.X ISETP SEL SEL ISETP IADD3 SEL SEL"},
    {"div.u32", "I2F+ISETP MUFU.RCP IADD3 F2I IADD3 IMAD IMAD.HI IMAD.HI IADD3 "
                "IMAD ISETP IADD3+IADD3 ISETP IADD3+LOP3"},
    {"div.s32",
     "IABS+IABS I2F+IABS MUFU.RCP+LOP3 IADD3+ISETP F2I IADD3 IMAD "
     "IMAD.HI IMAD.HI IMAD ISETP IADD3+IADD3 ISETP+ISETP IADD3 IADD3 "
     "LOP3"},
    {"rem.u32", "I2F+ISETP MUFU.RCP IADD3 F2I IADD3 IMAD IMAD.HI IMAD.HI IADD3 "
                "IMAD ISETP IADD3 ISETP IADD3 LOP3"},
    {"rem.s32",
     "IABS+IABS I2F+IABS MUFU.RCP+ISETP IADD3 F2I IADD3 IMAD IMAD.HI "
     "IMAD.HI IMAD ISETP+ISETP IADD3 ISETP IADD3 IADD3 LOP3"},
    {"min.i64", "ISETP ISETP.EX SEL+SEL"},
    {"max.i64", "ISETP ISETP.EX SEL+SEL"},
    {"min.i32", "VIMNMX"},
    {"max.i32", "VIMNMX"},
    {"min.i16", "PRMT+PRMT VIMNMX"},
    {"max.i16", "PRMT+PRMT VIMNMX"},
    {"abs.s32", "IABS"},
    {"neg.s32", "IADD3"},
    {"neg.s64", "IADD3 IADD3.X"},
    {"sad", "VABSDIFF"},
    {"dp4a", "IDP.4A"},

    // Bits.
    {"and.pred", "PLOP3"},
    {"or.pred", "PLOP3"},
    {"xor.pred", "PLOP3"},
    {"not.pred", ""},
    {"and.b64", "LOP3+LOP3"},
    {"or.b64", "LOP3+LOP3"},
    {"xor.b64", "LOP3+LOP3"},
    {"not.b64", "LOP3+LOP3"},
    {"and", "LOP3"},
    {"or", "LOP3"},
    {"xor", "LOP3"},
    {"not", "LOP3"},
    {"lop3", "LOP3"},
    {"shl.b64", "SHF.L+SHF.L"},
    {"shr.i64", "SHF.R+SHF.R"},
    {"shl.b16", "ISETP SEL LOP3 SHF.L"},
    {"shr.i16", "ISETP SEL LOP3 SHF.R"},
    {"shl", "SHF.L"},
    {"shr", "SHF.R"},
    {"shf", "SHF"},
    {"bfe.i64", "SHF.R LOP3"},
    {"bfe", "SHF.R SGXT"},
    {"bfi", "SHF.L LOP3"},
    {"prmt", "PRMT"},
    {"popc.b64", "POPC+POPC IADD3"},
    {"popc", "POPC"},
    {"clz", "FLO IADD3"},
    {"bfind", "FLO"},
    {"brev", "BREV"},

    // Floating point.
    {"add.f32", "FADD"},
    {"sub.f32", "FADD"},
    {"mul.f32", "FMUL"},
    {"fma.f32", "FFMA"},
    {"add.f64", "DADD"},
    {"sub.f64", "DADD"},
    {"mul.f64", "DMUL"},
    {"fma.f64", "DFMA"},
    {"add.f32x2", "FADD2"},
    {"sub.f32x2", "FADD2"},
    {"mul.f32x2", "FMUL2"},
    {"fma.f32x2", "FFMA2"},
    {"add", "HADD2"}, // of 16 bits, one or two
    {"sub", "HADD2"},
    {"mul", "HMUL2"},
    {"fma", "HFMA2"},
    {"min.f64", "DSETP FSEL+SEL"},
    {"max.f64", "DSETP FSEL+SEL"},
    {"min.f32", "FMNMX"},
    {"max.f32", "FMNMX"},
    {"min", "HMNMX2"},
    {"max", "HMNMX2"},
    {"abs.f32", "FADD"},
    {"neg.f32", "FADD"},
    {"abs.f64", "DADD"},
    {"neg.f64", "DADD"},
    {"abs", "HADD2"},
    {"neg", "HADD2"},
    {"copysign.f32", "LOP3"},
    {"div.rn.f32", "MUFU.RCP+FCHK FFMA FFMA FFMA FFMA FFMA"},
    {"div.full.f32", "FSETP+FSETP FMUL+FMUL FMUL+FMUL MUFU.RCP FMUL"},
    {"div.approx.f32", "FSETP FMUL+FMUL MUFU.RCP FMUL"},
    {"div.f64",
     "MUFU.RCP64H+FSETP DFMA DFMA DFMA DFMA DFMA DMUL DFMA DFMA FFMA "
     "FSETP"},
    {"rcp.approx.ftz.f32", "MUFU.RCP"},
    {"rcp.approx.f32", "FSETP+FSETP FSEL+FSEL FMUL MUFU.RCP FMUL"},
    {"rcp.f32", "IADD3 LOP3 ISETP MUFU.RCP FFMA FADD FFMA"},
    {"rcp.f64", "MUFU.RCP64H+IADD3 FSETP DFMA DFMA DFMA DFMA DFMA"},
    {"sqrt.approx.f32", "FSETP FMUL MUFU.SQRT FMUL"},
    {"sqrt.f32", "IADD3+MUFU.RSQ ISETP FMUL+FMUL FFMA FFMA"},
    {"sqrt.f64", "MUFU.RSQ64H IADD3 ISETP DMUL DFMA DFMA DMUL DFMA DMUL DFMA "
                 "DFMA"},
    {"rsqrt.approx.ftz.f32", "MUFU.RSQ"},
    {"rsqrt.approx.f32", "FSETP FMUL MUFU.RSQ FMUL"},
    {"ex2.approx.ftz.f32", "MUFU.EX2"},
    {"ex2.approx.f32", "FSETP FMUL MUFU.EX2 FMUL"},
    {"lg2.approx.ftz.f32", "MUFU.LG2"},
    {"lg2.approx.f32", "FSETP FMUL MUFU.LG2 FADD"},
    {"sin", "FMUL MUFU.SIN"},
    {"cos", "FMUL MUFU.COS"},
    {"tanh.approx.f32", "MUFU.TANH"},
    {"ex2.f16x2", "MUFU.EX2.F16+MUFU.EX2.F16 PRMT"},
    {"tanh.f16x2", "MUFU.TANH.F16+MUFU.TANH.F16 PRMT"},

    // Conversions; the type of the result stands first.
    {"cvt.f32.f16", "HADD2.F32"},
    {"cvt.f32.bf16", "SHF.L"},
    {"cvt.rna.tf32", "IADD3+FSETP LOP3"},
    {"cvt.f16x2.f32", "F2FP"},
    {"cvt.bf16x2.f32", "F2FP"},
    {"cvt.f16x2", "F2FP"},
    {"cvt.e4m3x2", "F2FP"},
    {"cvt.e5m2x2", "F2FP"},
    {"cvt.f16.f32", "F2FP"},
    {"cvt.bf16.f32", "F2FP"},
    {"cvt.sat.f32.f32", "FADD"},
    {"cvt.f32.f32", "FRND"},
    {"cvt.f32.f64", "F2F"},
    {"cvt.f64.f32", "F2F"},
    {"cvt.f32.s8", "I2F"},
    {"cvt.f32.i64", "I2F"},
    {"cvt.f32.i32", "I2FP"},
    {"cvt.f32.i16", "I2FP"},
    {"cvt.f16.i16", "I2F"},
    {"cvt.f16.i32", "I2F"},
    {"cvt.f16.i64", "I2F"},
    {"cvt.f64", "I2F"},
    {"cvt.i32.f32", "F2I"},
    {"cvt.i64.f32", "F2I"},
    {"cvt.s64.s32", "SHF.R"},
    {"cvt.s32.s16", "PRMT"},
    {"cvt.i32.s8", "PRMT"},

    // Comparisons and selections.
    {"setp.i64", "ISETP ISETP.EX"},
    {"setp.i16", "PRMT+PRMT ISETP"},
    {"setp.i32", "ISETP"},
    {"setp.f32", "FSETP"},
    {"setp.f64", "DSETP"},
    {"setp", "HSETP2"},
    {"set.f32", "FSETP SEL"},
    {"selp.b64", "SEL+SEL"},
    {"selp", "SEL"},

    // Lanes.
    {"shfl", "SHFL"},
    {"vote", "VOTE"},
    {"match", "MATCH"},
    {"redux", "REDUX"},

    // Memory.
    {"ld.param", "LDC"},
    {"ld.const", "LDC"},
    {"ld.local", "LDL"},
    {"ld.shared", "LDS"},
    {"ld.shared::cta", "LDS"},
    {"ld", "LDG.E"},
    {"st.local", "STL"},
    {"st.shared", "STS"},
    {"st.shared::cta", "STS"},
    {"st", "STG.E"},
    {"ldmatrix", "LDSM"},
    {"cp.async.commit_group", "LDGDEPBAR"},
    {"cp.async.wait_group", "DEPBAR.LE"},
    {"cp.async.wait_all", "DEPBAR.LE"},
    {"atom.shared", "ATOMS"},
    {"atom", "ATOMG"},
    {"red", "REDG"},

    // Control.
    {"bra", "BRA"},
    {"brx", "BRX"},
    {"ret", "EXIT"},
    {"exit", "EXIT"},
    {"bar.sync", "BAR.SYNC"},
    {"bar.arrive", "BAR.ARV"},

    // Not checked, as the test would need operands of several kinds: opcodes
    // that were read in the machine code of kernels with them.
    {"fns", "FLO"},
    {"slct", "ISETP SEL"},
    {"testp", "FSETP"},
    {"cnot", "ISETP SEL"},
    {"set", "ISETP SEL"},
    {"szext", "SGXT"},
    {"bmsk", "BMSK"},
    {"dp2a", "IDP.2A"},
    {"mad24", "SGXT+SGXT IMAD"},
    {"cvt", "PRMT"},
    {"isspacep", "ISETP"},
    {"mapa", "PRMT"},
    {"getctarank", "SHF.R"},
    {"activemask", "VOTE"},
    {"elect", "ELECT"},
    {"movmatrix", "MOVM"},
    {"ldu", "LDG.E"},
    {"stmatrix", "STSM"},
    {"cp.async.mbarrier.arrive", "ARRIVES"},
    {"cp.async.bulk.commit_group", "UTMACMDFLUSH"},
    {"cp.async.bulk.wait_group", "DEPBAR.LE"},
    {"cp.async.bulk.prefetch", "UTMAPF"},
    {"cp.reduce.async.bulk", "UTMAREDG"},
    {"cp.async", "LDGSTS.E"}, // bulk ones by their kind of step
    {"prefetch.tensormap", "UTMACCTL"},
    {"prefetch", "CCTL"},
    {"prefetchu", "CCTL"},
    {"discard", "CCTL"},
    {"applypriority", "CCTL"},
    {"createpolicy", "IADD3"},
    {"wmma.load", "LDSM+LDSM"},
    {"wmma.store", "STS+STS"},
    {"wgmma.fence", "WARPGROUP.ARRIVE"},
    // The last wgmma of a group has it in machine code.
    {"wgmma.commit_group", "WARPGROUP.COMMIT"},
    {"wgmma.wait_group", "WARPGROUP.DEPBAR"},
    {"barrier.cluster.arrive.relaxed", "UCGABAR_ARV"},
    {"barrier.cluster.arrive", "MEMBAR.ALL.GPU ERRBAR CGAERRBAR UCGABAR_ARV"},
    {"barrier.cluster.wait", "UCGABAR_WAIT CCTL.IVALL"},
    {"barrier.arrive", "BAR.ARV"},
    {"barrier", "BAR.SYNC"},
    {"bar", "BAR.RED"},
    {"mbarrier.test_wait", "SYNCS.PHASECHK"},
    {"mbarrier.try_wait", "SYNCS.PHASECHK"},
    {"mbarrier.inval", "SYNCS.CCTL"},
    {"mbarrier.pending_count", "LOP3"},
    {"mbarrier.init", "R2UR FENCE.VIEW.ASYNC SYNCS.EXCH"},
    {"mbarrier", "SYNCS"},
    {"membar.cta", "MEMBAR.SC.CTA"},
    {"membar", "MEMBAR.SC.GPU ERRBAR CGAERRBAR CCTL.IVALL"},
    {"fence.proxy.async.shared::cta", "MEMBAR.ALL.CTA FENCE.VIEW.ASYNC"},
    {"fence.proxy.async", "MEMBAR.ALL.GPU FENCE.VIEW.ASYNC"},
    {"fence.proxy", "FENCE.VIEW.ASYNC"},
    {"fence.mbarrier_init", ""},
    {"fence.cta", "MEMBAR.ALL.CTA"},
    {"fence", "MEMBAR.ALL.GPU ERRBAR CGAERRBAR CCTL.IVALL"},
    {"griddepcontrol", "ACQBULK"},
    {"setmaxnreg", "USETMAXREG"},
    {"nanosleep", "NANOSLEEP"},
    {"call", "CALL"},
    {"trap", "BPT"},
    {"brkpt", "BPT"},
    {"pmevent", "NOP"},
    {"tensormap", "STG.E"},
    {"alloca", "IADD3"},
    {"stacksave", "IADD3"},
    {"stackrestore", "IADD3"},
};

/// A type's class: `.i32` of `.s32`.
StringRef classOf(StringRef modifier) {
  return llvm::StringSwitch<StringRef>(modifier)
      .Cases({"s16", "u16", "b16"}, "i16")
      .Cases({"s32", "u32", "b32"}, "i32")
      .Cases({"s64", "u64", "b64"}, "i64")
      .Default(modifier);
}

bool fits(StringRef pattern, StringRef root,
          llvm::ArrayRef<StringRef> modifiers) {
  auto [first, rest] = pattern.split('.');
  if (first != root)
    return false;
  while (!rest.empty()) {
    StringRef wanted;
    std::tie(wanted, rest) = rest.split('.');
    while (!modifiers.empty() && modifiers.front() != wanted &&
           classOf(modifiers.front()) != wanted)
      modifiers = modifiers.drop_front();
    if (modifiers.empty())
      return false;
    modifiers = modifiers.drop_front();
  }
  return true;
}

/// Returns the opcode of an MMA: `HMMA.16816.F32` of
/// `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32`, `HGMMA.64x128x16.F32`
/// of `wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16`.
std::string tensorOpcode(llvm::ArrayRef<StringRef> modifiers, bool isGroup) {
  std::string shape, result;
  StringRef type;
  bool isSparse = false;
  for (StringRef modifier : modifiers) {
    isSparse |= modifier == "sp" || modifier.starts_with("sp::");
    if (shape.empty() && modifier.starts_with("m") && modifier.size() > 1 &&
        llvm::isDigit(modifier[1])) {
      StringRef extents = modifier.drop_front();
      for (char c : extents)
        shape += llvm::isDigit(c) ? c : 'x';
    } else if (!shape.empty() && modifier != "row" && modifier != "col") {
      // The result's type, then that of A.
      if (result.empty())
        result = modifier.upper();
      else if (type.empty())
        type = modifier;
    }
  }
  llvm::SmallVector<StringRef> extents;
  StringRef(shape).split(extents, 'x');
  StringRef unit = llvm::StringSwitch<StringRef>(type)
                       .Cases({"s8", "u8", "s4", "u4"}, "I")
                       .Cases({"e4m3", "e5m2"}, "Q")
                       .Case("b1", "B")
                       .Case("f64", "D")
                       .Default("H");
  if (!isGroup && extents.size() == 3) {
    // `wmma` names its type elsewhere; 16 × 8 is what the units multiply.
    shape = (extents[0] + "8" + extents[2]).str();
  }
  std::string opcode = unit.str() + (isGroup ? "GMMA." : "MMA.");
  if (isSparse)
    opcode += "SP.";
  opcode += shape + "." + result;
  if (type == "tf32")
    opcode += ".TF32";
  return opcode;
}

} // namespace

PtxExpansion fusion::timing::expandPtx(const PtxInst &inst) {
  llvm::SmallVector<StringRef, 8> modifiers;
  StringRef(inst.opcode).split(modifiers, '.');
  StringRef root = modifiers.front();
  modifiers.erase(modifiers.begin());
  if (inst.readsSpecial && root == "mov")
    return {{{"S2R"}}};
  switch (inst.step) {
  case StepKind::Mma: {
    std::string opcode = tensorOpcode(modifiers, /*isGroup=*/false);
    // 16 × 16 are two instructions of 16 × 8.
    if (root == "wmma")
      return {{{opcode, opcode}}};
    return {{{opcode}}};
  }
  case StepKind::WarpgroupMma:
    return {{{tensorOpcode(modifiers, /*isGroup=*/true)}}};
  case StepKind::TMALoad:
    return {{{"R2UR", "R2UR", "R2UR", "R2UR"}, {"UTMALDG"}}};
  case StepKind::TMAStore:
    return {{{"R2UR", "R2UR", "R2UR"}, {"UTMASTG"}}};
  default:
    break;
  }
  for (const Entry &entry : table) {
    if (!fits(entry.ptx, root, modifiers))
      continue;
    PtxExpansion expansion;
    llvm::SmallVector<StringRef> groups, opcodes;
    entry.machine.split(groups, ' ', -1, /*KeepEmpty=*/false);
    for (StringRef group : groups) {
      opcodes.clear();
      group.split(opcodes, '+');
      expansion.groups.emplace_back(opcodes.begin(), opcodes.end());
    }
    return expansion;
  }
  return {{{"IADD3"}}, /*isKnown=*/false};
}
