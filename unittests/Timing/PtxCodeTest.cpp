//===- PtxCodeTest.cpp - Tests of PTX as machine code ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Timing/PtxCode.h"
#include "fusion/Timing/Simulation.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace fusion;
using namespace fusion::timing;
using emulator::ExecutedInsts;
using emulator::PtxListing;

namespace {

const ChipInfo &chip() { return *lookupChip("sm_80"); }
const Microarchitecture &micro() { return microarchitectureOf(chip()); }

PtxListing listingOf(const std::string &body) {
  emulator::Error error;
  auto program = emulator::Program::parse(
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k() {\n"
      ".reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %q<9>;\n"
      ".shared .align 8 .b8 bar[8];\n" +
          body + "ret;\n}\n",
      error);
  EXPECT_TRUE(program) << error.message;
  if (!program)
    return {};
  auto listing = emulator::listPtx(*program, "k", error);
  EXPECT_TRUE(listing) << error.message;
  return listing.value_or(PtxListing());
}

ExecutedInsts executed(std::vector<unsigned> numbers) {
  ExecutedInsts insts;
  for (unsigned number : numbers)
    insts.add(number);
  return insts;
}

/// The opcodes of a path that take issue slots.
std::vector<std::string> opcodes(const PtxCode &code, const MachinePath &path) {
  std::vector<std::string> result;
  for (unsigned inst : path.insts)
    if (!code.kernel().insts[inst].isFree)
      result.push_back(code.kernel().insts[inst].opcode.str());
  return result;
}

Cycles cyclesOf(const PtxCode &code, const MachinePath &path,
                llvm::ArrayRef<Step> steps = {}) {
  BlockLevels levels;
  BlockWork work{0, {{&path, steps}}, &levels};
  SimulatedChip simulated;
  simulated.chip = &chip();
  simulated.gpcs = {1};
  SimulationResult result = simulate(code.kernel(), work, simulated);
  EXPECT_EQ(result.problem, "");
  return result.cycles - micro().blockInterval - micro().blockLatency;
}

TEST(PtxCode, DependentAndIndependentInstructions) {
  // add waits for add; xor is independent of the chain and fills its gaps.
  PtxListing listing = listingOf("add.rn.f32 %r1, %r1, %r5;\n"
                                 "add.rn.f32 %r1, %r1, %r5;\n"
                                 "add.rn.f32 %r1, %r1, %r5;\n"
                                 "add.rn.f32 %r1, %r1, %r5;\n"
                                 "xor.b32 %r2, %r3, 1;\n"
                                 "xor.b32 %r4, %r3, 2;\n");
  PtxCode code(listing, "k", chip());
  EXPECT_TRUE(code.unknownOpcodes().empty());
  const MachinePath *path = code.path(executed({0, 1, 2, 3, 4, 5, 6}), {});
  EXPECT_EQ(opcodes(code, *path),
            (std::vector<std::string>{"FADD", "LOP3", "LOP3", "FADD", "FADD",
                                      "FADD", "EXIT"}));
  // Three times four cycles, the last one, and EXIT behind it.
  EXPECT_EQ(cyclesOf(code, *path), 3 * micro().fixedLatency + 1);
}

TEST(PtxCode, LoadsAreWaitedForAtTheirUse) {
  PtxListing listing = listingOf("ld.shared.b32 %r1, [bar];\n"
                                 "mov.b32 %r2, %r1;\n"
                                 "add.s32 %r3, %r2, 1;\n"
                                 "add.s32 %r3, %r3, 1;\n");
  PtxCode code(listing, "k", chip());
  Step load;
  load.kind = StepKind::SharedLoad;
  load.wavefronts = 3;
  const MachinePath *path = code.path(executed({0, 1, 2, 3, 4}), {load});
  EXPECT_EQ(opcodes(code, *path),
            (std::vector<std::string>{"LDS", "IADD3", "IADD3", "EXIT"}));
  EXPECT_EQ(path->steps.front(), 0u);
  EXPECT_EQ(path->places.front(), 0u);
  EXPECT_EQ(cyclesOf(code, *path, load), micro().sharedLatency +
                                             2 * micro().wavefrontLatency +
                                             micro().fixedLatency + 1);
}

TEST(PtxCode, MemoryKeepsItsOrder) {
  // A load may not pass a store to the same space; one of another space may.
  PtxListing listing = listingOf("div.rn.f32 %r1, %r2, %r3;\n"
                                 "st.shared.b32 [bar], %r1;\n"
                                 "ld.shared.b32 %r4, [bar];\n"
                                 "ld.global.nc.b32 %r5, [%d1];\n");
  PtxCode code(listing, "k", chip());
  std::vector<std::string> order =
      opcodes(code, *code.path(executed({0, 1, 2, 3, 4}), {}));
  auto place = [&](const char *opcode) {
    return llvm::find(order, opcode) - order.begin();
  };
  EXPECT_LT(place("STS"), place("LDS"));
  EXPECT_LT(place("LDG.E"), place("STS"));
}

TEST(PtxCode, BranchesAndGuards) {
  // A loop whose store is guarded: the lanes of the first iteration fail.
  PtxListing listing = listingOf("again:\n"
                                 "setp.lt.s32 %q1, %r1, 3;\n"
                                 "@%q1 st.shared.b32 [bar], %r1;\n"
                                 "add.s32 %r1, %r1, 1;\n"
                                 "setp.lt.s32 %q2, %r1, %r2;\n"
                                 "@%q2 bra again;\n");
  PtxCode code(listing, "k", chip());
  Step store;
  store.kind = StepKind::SharedStore;
  store.order = 6; // the second of the second iteration
  const MachinePath *path =
      code.path(executed({0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5}), store);
  ASSERT_EQ(path->insts.size(), 11u);
  unsigned stores = 0;
  for (auto [inst, step] : llvm::zip_equal(path->insts, path->steps)) {
    if (code.kernel().insts[inst].opcode != "STS")
      continue;
    EXPECT_EQ(step, stores++ ? 0u : MachinePath::kNoStep);
  }
  EXPECT_EQ(stores, 2u);
  auto branch = llvm::find_if(code.kernel().insts, [](const MachineInst &inst) {
    return inst.opcode == "BRA";
  });
  ASSERT_NE(branch, code.kernel().insts.end());
  EXPECT_EQ(branch->target, 0u);
}

TEST(PtxCode, TriesThatFailAreLeftOut) {
  PtxListing listing =
      listingOf("wait:\n"
                "mbarrier.test_wait.shared.b64 %q1, [bar], %d1;\n"
                "@!%q1 bra wait;\n"
                "add.s32 %r1, %r1, 1;\n");
  PtxCode code(listing, "k", chip());
  Step wait;
  wait.kind = StepKind::Mbarrier;
  wait.action = emulator::StepAction::Wait;
  wait.order = 4; // the third try
  const MachinePath *path = code.path(executed({0, 1, 0, 1, 0, 1, 2, 3}), wait);
  EXPECT_EQ(
      opcodes(code, *path),
      (std::vector<std::string>{"SYNCS.PHASECHK", "BRA", "IADD3", "EXIT"}));
  EXPECT_EQ(path->steps.front(), 0u);
}

TEST(PtxCode, RegistersThatAreAlive) {
  // Four values of 32 bits and one of 64.
  PtxListing listing =
      listingOf("ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [bar];\n"
                "ld.shared.b64 %d1, [bar];\n"
                "add.s32 %r5, %r1, %r2;\n"
                "add.s32 %r6, %r3, %r4;\n"
                "add.s32 %r7, %r5, %r6;\n"
                "st.shared.b64 [bar], %d1;\n"
                "st.shared.b32 [bar], %r7;\n");
  EXPECT_EQ(listing.liveRegisters, 6u);
}

} // namespace
