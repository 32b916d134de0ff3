//===- ScheduleLegalityTest.cpp - What lowering can do --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Every refusal with its reason, beside the nearest schedule that is legal.

#include "fusion/Analysis/Legality/ScheduleLegality.h"
#include "ScheduledGroup.h"
#include "fusion/Analysis/Schedules/Forwarding.h"
#include "fusion/Analysis/Schedules/TMASupport.h"
#include "fusion/Support/TileLayouts.h"

using namespace fusion;
using namespace fusion::test;

namespace {

class ScheduleLegality : public ::testing::Test {
protected:
  explicit ScheduleLegality(llvm::ArrayRef<int64_t> sizes = {64, 64, 64, 64},
                            const char *type = "f16")
      : group(chainIR(sizes, type)), chip(*lookupChip("sm_80")) {}

  std::string check() {
    return checkSchedule(group.model(), *group.schedule, chip)
        .value_or("legal");
  }

  ScheduledGroup group;
  ChipInfo chip;
};

TEST_F(ScheduleLegality, TheScheduleOfTheseTestsIsLegal) {
  EXPECT_EQ(check(), "legal");
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

TEST_F(ScheduleLegality, ChipWithoutTheIntrinsic) {
  chip.computeCapability = 75;
  EXPECT_EQ(check(),
            "no intrinsic of sm_80 multiplies the operands of contraction 'C'");
  EXPECT_EQ(checkGroup(group.model(), chip), check());
}

TEST_F(ScheduleLegality, TypesThatNoIntrinsicMultiplies) {
  group.model().contractions[1].type = MultiplicandType::F64;
  EXPECT_EQ(check(),
            "no intrinsic of sm_80 multiplies the operands of contraction 'E'");
  group.model().contractions[1].type = std::nullopt;
  EXPECT_EQ(check(),
            "no intrinsic of sm_80 multiplies the operands of contraction 'E'");
  group.model().contractions[1].type = MultiplicandType::BF16;
  EXPECT_EQ(check(), "legal");
}

TEST_F(ScheduleLegality, DynamicOrEmptyAxis) {
  Axis &axis = group.model().axes[group.axis("n")];
  axis.isDynamic = true;
  EXPECT_EQ(check(),
            "axis 'n' has no static extent: dimension 1 of 'C' is dynamic");
  axis.isDynamic = false;
  axis.extent = 0;
  EXPECT_EQ(check(), "axis 'n' is empty");
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

TEST_F(ScheduleLegality, AxesOfTheIntrinsic) {
  ContractionMapping &c = group.schedule->contractions[0];
  const ContractionMapping before = c;
  c.i1 = group.axis("k");
  EXPECT_EQ(check(), "i1 = 'k' is no parallel axis of one operand of 'C'");
  c = before;
  c.i2 = group.axis("m");
  EXPECT_EQ(check(),
            "i2 = 'm' is no parallel axis of the other operand of 'C'");
  c = before;
  c.r1 = group.axis("h");
  EXPECT_EQ(check(), "r1 = 'h' is not reduced by 'C'");
}

TEST_F(ScheduleLegality, WarpsOfProductAndBlock) {
  group.schedule->contractions[1].warps[0] = 1;
  EXPECT_EQ(check(), "'E' arranges 1 warps but the block has 2");
  group.schedule->contractions[1].warps[1] = 2;
  group.place("C").space = fuse::Space::Shared;
  EXPECT_EQ(check(), "legal");
}

TEST_F(ScheduleLegality, TilesAreMultiplesOfTheIntrinsicOverTheWarps) {
  group.setTile("m", 16);
  EXPECT_EQ(check(), "the tile of 'C' (16 x 32 x 32) is no multiple of "
                     "mma.m16n8k16 over 2 x 1 warps");
  group.setTile("m", 32);
  group.setTile("k", 24);
  EXPECT_EQ(check(), "the tile of 'C' (32 x 32 x 24) is no multiple of "
                     "mma.m16n8k16 over 2 x 1 warps");
  group.setTile("k", 16);
  EXPECT_EQ(check(), "legal");
  // The intrinsic has 8 columns, but the next contraction reduces in steps of
  // 16.
  group.setTile("n", 24);
  EXPECT_EQ(check(), "the tile of 'C' (32 x 24 x 16) is no multiple of "
                     "mma.m16n8k16 over 2 x 1 warps");
  group.setTile("n", 48);
  EXPECT_EQ(check(), "legal");
}

TEST(ScheduleLegalityOfBatches, AxesBesideTheIntrinsicHaveTilesOfOne) {
  ScheduledGroup group(R"(
func.func @f(%a: tensor<4x32x32xf16>, %b: tensor<4x32x32xf16>) -> tensor<4x32x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x32x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x32x32xf32>) -> tensor<4x32x32xf32>
  %c = linalg.batch_matmul ins(%a, %b : tensor<4x32x32xf16>, tensor<4x32x32xf16>) outs(%f : tensor<4x32x32xf32>) -> tensor<4x32x32xf32>
  return %c : tensor<4x32x32xf32>
})",
                       R"x(#fuse.schedule<version = 2,
  tiling = <"b(LA,LB,CC,SC)", {b = 1, m = 32, n = 32, k = 32}>,
  mapping = <warps = 1, blocks = ["b"], operators = {
    C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [1, 1]>}>,
  memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>}>>)x");
  ASSERT_TRUE(group.schedule) << group.reason;
  const ChipInfo &chip = *lookupChip("sm_80");
  EXPECT_EQ(checkSchedule(group.model(), *group.schedule, chip), std::nullopt);
  group.setTile("b", 2);
  EXPECT_EQ(checkSchedule(group.model(), *group.schedule, chip),
            "axis 'b' of 'C' is not mapped to the intrinsic, so its tile size "
            "must be 1");
}

//===----------------------------------------------------------------------===//
// The gate
//===----------------------------------------------------------------------===//

// What is costed but not lowered is told apart from what could never run.
TEST_F(ScheduleLegality, GateIsApartFromTheRest) {
  EXPECT_EQ(whyNotLowered(*group.schedule), std::nullopt);
  group.schedule->persistent = true;
  EXPECT_EQ(check(), whyNotLowered(*group.schedule));
  EXPECT_EQ(whyImpossible(group.model(), *group.schedule, chip), std::nullopt);
  group.setBlocks({"m", "h", "n"});
  EXPECT_NE(whyImpossible(group.model(), *group.schedule, chip), std::nullopt);
}

//===----------------------------------------------------------------------===//
// Grid and nest
//===----------------------------------------------------------------------===//

TEST_F(ScheduleLegality, ReducedAxesAreNotBoundToTheGrid) {
  group.setBlocks({"m", "h", "n"});
  EXPECT_EQ(check(),
            "axis 'n' is reduced by 'E' and cannot be bound to the grid "
            "(a reduction is split by 'parallel')");
  group.setBlocks({"m"});
  EXPECT_EQ(check(), "legal");
  group.setBlocks({});
  EXPECT_EQ(check(), "legal");
}

TEST_F(ScheduleLegality, RasterOrdersTwoGridAxes) {
  // 2 x 2 blocks: the row is one column of two.
  group.schedule->blockSwizzle = 2;
  EXPECT_EQ(check(),
            "a block_swizzle of 2 blocks is row by row: axis 'h' has 2");
  group.setTile("h", 16);
  EXPECT_EQ(check(), "legal");
  group.setTiling("m(n(k(LA,LB,CC),LD,CE),SE)");
  group.setTile("h", 64);
  group.setBlocks({"m"});
  EXPECT_EQ(check(),
            "'block_swizzle' orders blocks of two grid axes; there are 1");
}

struct NestCase {
  const char *tiling, *reason;
};
class ScheduleLegalityOfNests : public ScheduleLegality,
                                public ::testing::WithParamInterface<NestCase> {
};

TEST_P(ScheduleLegalityOfNests, Refused) {
  group.setTiling(GetParam().tiling);
  EXPECT_EQ(check(), GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(
    All, ScheduleLegalityOfNests,
    ::testing::Values(
        NestCase{"mh(n(k(n(LA,LB,CC)),LD,CE),SE)",
                 "loop 'n' is nested in itself"},
        NestCase{"m(n(h(k(LA,LB,CC),LD,CE)),SE)",
                 "loop 'h' is bound to the grid but stands inside of 'n', "
                 "which is not"},
        NestCase{
            "m(LA,h(n(k(LB,CC),LD,CE),SE))",
            "loop 'h' is bound to the grid and must enclose everything else"},
        NestCase{"mh(n(k(LA,LA,LB,CC),LD,CE),SE)",
                 "tensor 'A' has the same statement twice"},
        NestCase{"mh(n(k(LA,LB,LC,CC),LD,CE),SE)",
                 "contraction 'C' must not be loaded"},
        NestCase{"mh(n(k(LA,CC),LD,CE),SE)", "operand 'B' is never loaded"},
        NestCase{"mh(n(k(LA,LB),LD,CE),SE)",
                 "contraction 'C' is never computed"},
        NestCase{"mh(n(k(LA,LB,CC),LD,CD,CE),SE)",
                 "operand 'D' must not be computed"},
        NestCase{"mh(n(k(LA,LB,CC),LD,CE))", "result 'E' is never stored"},
        NestCase{"mh(n(k(LA,LB,CC),SC,LD,CE),SE)",
                 "'C' is no result and must not be stored"},
        NestCase{"mh(n(LA,k(LB,CC),LD,CE),SE)",
                 "LA stands outside of loop 'k'"},
        NestCase{"mh(n(k(LA,LB,CC),LD),CE,SE)",
                 "CE stands outside of loop 'n'"},
        NestCase{"mh(k(LA,n(LB,CC,LD,CE)),SE)",
                 "CE does not follow the completion of 'C'"},
        NestCase{"mh(n(LD,CE,k(LA,LB,CC)),SE)",
                 "CE does not follow the completion of 'C'"},
        NestCase{"mh(n(k(LA,LB,CC,LD,CE)),SE)",
                 "CE does not follow the completion of 'C'"},
        NestCase{"mh(n(k(LA,LB,CC),LD,CE,SE))",
                 "SE must directly follow the completion of 'E'"},
        NestCase{"mh(n(k(LB,CC,LA),LD,CE),SE)", "LA does not precede CC"},
        // The neighbours.
        NestCase{"hm(n(k(LB,LA,CC),LD,CE),SE)", "legal"},
        NestCase{"mh(n(LD,k(LA,LB,CC),CE),SE)", "legal"}));

TEST_F(ScheduleLegality, LoopsOfOneIterationAreLeftOut) {
  group.setTile("k", 64);
  EXPECT_EQ(check(),
            "loop 'k' has one iteration and must not be in the expression");
  group.setTiling("mh(n(LA,LB,CC,LD,CE),SE)");
  EXPECT_EQ(check(), "legal");
}

TEST_F(ScheduleLegality, StoreOutsideOfItsLoops) {
  group.setBlocks({"m"});
  group.setTiling("m(h(n(k(LA,LB,CC),LD,CE)),SE)");
  EXPECT_EQ(check(), "SE stands outside of loop 'h'");
}

TEST_F(ScheduleLegality, LoopThatRepeatsAProductInsideOfItsReduction) {
  group.setBlocks({"m"});
  group.setTiling("m(k(h(LA,n(LB,CC,LD,CE),SE)))");
  EXPECT_EQ(check(), "loop 'h' repeats CC inside of its own reduction");
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

TEST_F(ScheduleLegality, Stages) {
  group.place("A").stages = 8;
  EXPECT_EQ(check(), "legal");
  group.place("A").stages = 9;
  EXPECT_EQ(check(), "'A' asks for 9 stages; a buffer has 1 to 8");
  group.place("A").stages = 2;
  group.place("A").transport = fuse::Transport::Sync;
  EXPECT_EQ(check(), "legal");
  group.place("A").stages = 3;
  EXPECT_EQ(check(),
            "'A' is not copied asynchronously: registers hold one tile "
            "ahead, which makes two stages");
  group.place("A").stages = 1;
  group.place("C").stages = 2;
  EXPECT_EQ(check(), "'C' is no operand that is loaded in a loop and has one "
                     "stage");
}

TEST_F(ScheduleLegality, OperandsOfProductsAreShared) {
  group.place("B").space = fuse::Space::Registers;
  EXPECT_EQ(check(),
            "operand 'B' of a contraction must be placed in shared memory");
}

TEST_F(ScheduleLegality, ChipWithoutAsynchronousCopies) {
  chip.hasAsyncCopy = false;
  EXPECT_EQ(check(), "sm_80 has no asynchronous copies");
  for (llvm::StringRef name : {"A", "B", "D"})
    group.place(name).transport = fuse::Transport::Sync;
  EXPECT_EQ(check(), "legal");
}

TEST_F(ScheduleLegality, HandOverInRegistersNeedsRowsOverWarps) {
  group.place("C").space = fuse::Space::Shared;
  EXPECT_EQ(check(),
            "'C' is held by the threads that multiply it next and stays "
            "in registers");
  group.place("C").space = fuse::Space::Registers;
  for (ContractionMapping &mapping : group.schedule->contractions) {
    mapping.warps[0] = 1;
    mapping.warps[1] = 2;
  }
  EXPECT_EQ(check(),
            "'C' cannot stay in registers: the warps that multiply it do not "
            "hold all of axis 'n'");
  group.place("C").space = fuse::Space::Shared;
  EXPECT_EQ(check(), "legal");
}

TEST_F(ScheduleLegality, ForwardingInRegistersNeedsTheOperandsLayout) {
  ContractionMapping &c = group.schedule->contractions[0];
  std::swap(c.i1, c.i2);
  c.swapped = true;
  EXPECT_EQ(check(), "'C' cannot stay in registers: its accumulator's layout "
                     "is none of an operand of the next intrinsic");
  group.place("C").space = fuse::Space::Shared;
  EXPECT_EQ(check(), "legal");
}

/// The predicate against the layouts that lowering gives the two tiles: both
/// agree on every mapping of the two contractions on up to eight warps.
TEST_F(ScheduleLegality, ForwardingInRegistersIsWhatTheLayoutsAllow) {
  constexpr int64_t size = 128;
  unsigned m = group.axis("m"), n = group.axis("n"), h = group.axis("h");
  ContractionMapping &c = group.schedule->contractions[0];
  ContractionMapping &e = group.schedule->contractions[1];
  unsigned inRegisters = 0, throughMemory = 0;
  for (int64_t warps : {1, 2, 4, 8})
    for (int64_t rowsC = 1; rowsC <= warps; rowsC *= 2)
      for (int64_t rowsE = 1; rowsE <= warps; rowsE *= 2)
        for (bool mirrored : {false, true})
          for (bool second : {false, true}) {
            c.i1 = mirrored ? n : m;
            c.i2 = mirrored ? m : n;
            c.swapped = mirrored;
            c.warps[0] = rowsC;
            c.warps[1] = warps / rowsC;
            e.i1 = second ? h : m;
            e.i2 = second ? m : h;
            e.swapped = second;
            e.warps[0] = rowsE;
            e.warps[1] = warps / rowsE;
            // Both as tiles [m, n] of C.
            LinearLayout held =
                mmaAccumulatorTile(size, size, c.warps[0], c.warps[1]);
            if (mirrored)
              held = held.transposeOuts({1, 0});
            LinearLayout wanted =
                second
                    ? mmaOperandBTile(16, size, size, e.warps[0], e.warps[1])
                          .transposeOuts({1, 0})
                    : mmaOperandATile(16, size, size, e.warps[0], e.warps[1]);
            bool stays = registerPermutation(held, wanted).has_value();
            ++(stays ? inRegisters : throughMemory);
            EXPECT_EQ(
                !whyNotForwardedInRegisters(group.model(), *group.schedule, 0),
                stays)
                << warps << " warps, " << rowsC << " and " << rowsE
                << " along rows, mirrored " << mirrored << ", second "
                << second;
          }
  EXPECT_EQ(inRegisters, 8u);
  EXPECT_GT(throughMemory, 100u);
}

struct NarrowRows : ScheduleLegality {
  NarrowRows() : ScheduleLegality({64, 68, 64, 64}) {}
};
TEST_F(NarrowRows, TransportIsNoWiderThanTheAlignment) {
  EXPECT_EQ(check(), "'A' is aligned to 8 bytes but copied 16 at a time");
  group.place("A").transport = fuse::Transport::Async8;
  EXPECT_EQ(check(), "legal");
  group.place("A").transport = fuse::Transport::Async4;
  EXPECT_EQ(check(), "legal");
}

TEST_F(NarrowRows, BulkCopiesWantRowsAtSixteenBytes) {
  chip = *lookupChip("sm_90a");
  group.place("A").transport = fuse::Transport::TMA;
  EXPECT_EQ(check(), "'A' is aligned to 8 bytes but copied 16 at a time");
  EXPECT_EQ(whyNotTMA(group.model(), *group.schedule, chip,
                      *group.model().findTensor("A")),
            "'A' has rows that do not begin at multiples of 16 bytes, and no "
            "tensor map describes it");
}

TEST_F(ScheduleLegality, BulkCopies) {
  group.place("A").transport = fuse::Transport::TMA;
  EXPECT_EQ(check(), "sm_80 has no TMA copies");
  chip = *lookupChip("sm_90a");
  EXPECT_EQ(check(), "legal");
  unsigned a = *group.model().findTensor("A");
  auto why = [&] { return whyNotTMA(group.model(), *group.schedule, chip, a); };
  EXPECT_EQ(why(), std::nullopt);
  // Its buffers begin at multiples of 1024 bytes, and mbarriers of copies and
  // of releases come after them.
  Footprint before, after;
  group.place("A").transport = fuse::Transport::Async16;
  EXPECT_FALSE(checkSchedule(group.model(), *group.schedule, chip, &before));
  group.place("A").transport = fuse::Transport::TMA;
  EXPECT_FALSE(checkSchedule(group.model(), *group.schedule, chip, &after));
  EXPECT_GE(after.sharedMemory, before.sharedMemory + 16);
  EXPECT_EQ(after.sharedMemory % 1024, 16);
  // Indices of boxes have 32 bits.
  Axis &axis = group.model().axes[group.axis("m")];
  int64_t extent = axis.extent;
  axis.extent = int64_t(1) << 32;
  EXPECT_EQ(why(),
            "'A' has an index beyond 31 bits, and coordinates of TMA copies "
            "have 32");
  axis.extent = extent;
}

// Where one thread copies everything nobody keeps addresses.
TEST_F(ScheduleLegality, BulkCopiesOfAllOperandsTakeFewerRegisters) {
  chip = *lookupChip("sm_90a");
  auto registers = [&](std::initializer_list<const char *> usesTMA) {
    for (const char *name : {"A", "B", "D"})
      group.place(name).transport = fuse::Transport::Async16;
    for (const char *name : usesTMA)
      group.place(name).transport = fuse::Transport::TMA;
    Footprint footprint;
    EXPECT_EQ(checkSchedule(group.model(), *group.schedule, chip, &footprint),
              std::nullopt);
    return footprint.registers;
  };
  int64_t none = registers({});
  EXPECT_EQ(registers({"A", "D"}), none);
  EXPECT_EQ(registers({"A", "B", "D"}), none - 6);
}

TEST_F(ScheduleLegality, BulkCopiesInOrdersThatAreNoSwizzles) {
  chip = *lookupChip("sm_90a");
  group.schedule->contractions[0].intrinsic = lookupIntrinsic("mma.m16n8k8");
  auto why = [&](const char *name) {
    return whyNotTMA(group.model(), *group.schedule, chip,
                     *group.model().findTensor(name));
  };
  EXPECT_EQ(why("B"), "'B' lies in shared memory in an order of mma.m16n8k8, "
                      "which is no swizzle of TMA copies");
  EXPECT_EQ(why("A"), std::nullopt);
}

/// A product with a scale of A's columns before it, a bias after it, and B
/// stored with its batch last.
class ScheduleLegalityOfExtras : public ::testing::Test {
protected:
  ScheduleLegalityOfExtras()
      : group(R"(
func.func @f(%a: tensor<1x32x32xf16>, %s: tensor<32xf16>, %b: tensor<32x32x1xf16>, %bias: tensor<32xf32>) -> tensor<1x32x32xf32> {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<1x32x32xf16>
  %scaled = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a, %s : tensor<1x32x32xf16>, tensor<32xf16>) outs(%e0 : tensor<1x32x32xf16>) {
  ^bb0(%x: f16, %y: f16, %o: f16):
    %t = arith.mulf %x, %y : f16
    linalg.yield %t : f16
  } -> tensor<1x32x32xf16>
  %e = tensor.empty() : tensor<1x32x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x32x32xf32>) -> tensor<1x32x32xf32>
  %c = linalg.contract indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, n, b)>, affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%scaled, %b : tensor<1x32x32xf16>, tensor<32x32x1xf16>) outs(%f : tensor<1x32x32xf32>) -> tensor<1x32x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c, %bias : tensor<1x32x32xf32>, tensor<32xf32>) outs(%e : tensor<1x32x32xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %t = arith.addf %x, %y : f32
    linalg.yield %t : f32
  } -> tensor<1x32x32xf32>
  return %r : tensor<1x32x32xf32>
})",
              R"x(#fuse.schedule<version = 2,
  tiling = <"k(LA,LB,LC,CD),LE,SD", {b = 1, m = 32, n = 32, k = 16}>,
  mapping = <warps = 1, operators = {
    D = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [1, 1]>}>,
  memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<registers>,
             C = #fuse.place<shared>, D = #fuse.place<registers>, E = #fuse.place<registers>}>>)x") {
  }

  std::string check() {
    return checkSchedule(group.model(), *group.schedule, *lookupChip("sm_80"))
        .value_or("legal");
  }
  ScheduledGroup group;
};

TEST_F(ScheduleLegalityOfExtras, AsTheyStand) { EXPECT_EQ(check(), "legal"); }

TEST_F(ScheduleLegalityOfExtras, OperandThatLacksAnAxisIsInRegisters) {
  group.place("B").space = fuse::Space::Shared;
  EXPECT_EQ(check(),
            "operand 'B' lacks an axis of its contraction's tile and must "
            "be placed in registers");
}

TEST_F(ScheduleLegalityOfExtras, TileThatIsNotDenseIsCopiedSynchronously) {
  group.place("C").transport = fuse::Transport::Async4;
  EXPECT_EQ(check(), "the tile of 'C' is not dense in memory and cannot be "
                     "copied asynchronously");
}

TEST_F(ScheduleLegalityOfExtras, WhatIsReadAfterAProductIsInRegisters) {
  group.place("E").space = fuse::Space::Shared;
  EXPECT_EQ(check(), "'E' is read by element-wise operators after a "
                     "contraction and must be placed in registers");
}

TEST_F(ScheduleLegalityOfExtras, WhatIsReadAfterAProductIsLoadedOnTime) {
  group.setTiling("k(LA,LB,LC,CD,LE),SD");
  EXPECT_EQ(check(), "LE is inside of the loops that sum 'D'");
  group.setTiling("k(LA,LB,LC,CD),SD,LE");
  EXPECT_EQ(check(), "LE does not precede SD");
  group.setTiling("LE,k(LA,LB,LC,CD),SD");
  EXPECT_EQ(check(), "legal");
}

//===----------------------------------------------------------------------===//
// Resources
//===----------------------------------------------------------------------===//

struct LongReduction : ScheduleLegality {
  LongReduction() : ScheduleLegality({64, 8192, 64, 64}) {}
};
TEST_F(LongReduction, SharedMemory) {
  group.setTile("k", 1024);
  // A and B of 32 x 1024 x 2 bytes, D of 32 x 32 x 2.
  EXPECT_EQ(check(), "legal");
  group.setTile("k", 2048);
  EXPECT_EQ(check(), "the tiles need 264192 bytes of shared memory; a block of "
                     "sm_80 has at most 166912");
}

struct Wide : ScheduleLegality {
  Wide() : ScheduleLegality({256, 64, 64, 256}) {}
};
TEST_F(Wide, Registers) {
  group.setTile("m", 64);
  EXPECT_EQ(check(), "legal");
  group.setTile("m", 128);
  group.setTile("h", 128);
  // 64 x 128 accumulators per warp are 256 registers per thread.
  EXPECT_NE(check().find("registers per thread; 255 are available"),
            std::string::npos)
      << check();
}

struct Huge : ScheduleLegality {
  Huge() : ScheduleLegality({int64_t(1) << 21, 64, 64, int64_t(1) << 21}) {}
};
TEST_F(Huge, Grid) {
  EXPECT_EQ(check(), "the grid would have 4294967296 blocks");
  group.setTile("m", 64);
  group.setTile("h", 64);
  EXPECT_EQ(check(), "legal");
}

} // namespace
