//===- DataMovementTest.cpp - Chimera's DV and MU -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Cost/DataMovement.h"
#include "fusion/Analysis/Groups/ChainModel.h"
#include "gtest/gtest.h"

using namespace fusion;

namespace {

/// Chimera's names: C[m,l] = A[m,k]·B[k,l], E[m,n] = C[m,l]·D[l,n].
GroupModel chimeraChain(int64_t m, int64_t l, int64_t k, int64_t n,
                        int64_t batch = 1) {
  GroupModel group = makeChainModel({{m, k, l, n}, batch});
  for (Axis &axis : group.axes)
    axis.name = axis.name == "n" ? "l" : axis.name == "h" ? "n" : axis.name;
  return group;
}

llvm::SmallVector<unsigned> orderOf(const GroupModel &group,
                                    llvm::StringRef names) {
  llvm::SmallVector<unsigned> order;
  for (char name : names)
    order.push_back(*group.findAxis(llvm::StringRef(&name, 1)));
  return order;
}

/// The volumes of A, B, D and E.
std::vector<std::string> volumes(llvm::StringRef order,
                                 MovementReading reading) {
  GroupModel group = chimeraChain(1024, 512, 256, 128);
  DataMovement movement =
      analyzeDataMovement(group, orderOf(group, order), reading);
  std::vector<std::string> texts;
  for (const char *name : {"A", "B", "D", "E"})
    texts.push_back(movement.volumeOf(*group.findTensor(name))->print(group));
  EXPECT_EQ(movement.volumeOf(*group.findTensor("C")), nullptr);
  return texts;
}

using Texts = std::vector<std::string>;
constexpr MovementReading kReadings[] = {MovementReading::Printed,
                                         MovementReading::Observation2};

TEST(DataMovement, TableIII) {
  for (MovementReading reading : kReadings)
    EXPECT_EQ(volumes("mlkn", reading),
              (Texts{"MK⌈L/T_L⌉", "KL⌈M/T_M⌉", "LN⌈M/T_M⌉", "MN⌈L/T_L⌉"}));
}

// The loop n of the consumer is outside of the producer's l and k: A and B are
// loaded again in each of its iterations, which the printed algorithm leaves
// out.
TEST(DataMovement, ReadingsDifferWhereTheProducerIsComputedAgain) {
  EXPECT_EQ(volumes("mnlk", MovementReading::Printed),
            (Texts{"MK⌈L/T_L⌉", "KL⌈M/T_M⌉", "LN⌈M/T_M⌉", "MN"}));
  EXPECT_EQ(volumes("mnlk", MovementReading::Observation2),
            (Texts{"MK⌈L/T_L⌉⌈N/T_N⌉", "KL⌈N/T_N⌉⌈M/T_M⌉", "LN⌈M/T_M⌉", "MN"}));
}

// Observation 1: in mknl neither n nor l moves A.
TEST(DataMovement, LoopsInsideOfTheReuseMoveNothing) {
  EXPECT_EQ(volumes("mknl", MovementReading::Printed),
            (Texts{"MK", "KL⌈M/T_M⌉", "LN⌈M/T_M⌉", "MN"}));
  EXPECT_EQ(volumes("mknl", MovementReading::Observation2),
            (Texts{"MK", "KL⌈N/T_N⌉⌈M/T_M⌉", "LN⌈M/T_M⌉", "MN"}));
}

// What a reduction carries can be held instead of moved: all of E's columns in
// mlkn, all of C's in mkln.
TEST(DataMovement, PartialSumsMayBeKept) {
  GroupModel group = chimeraChain(1000, 500, 256, 128);
  auto analyze = [&](llvm::StringRef order) {
    return analyzeDataMovement(group, orderOf(group, order),
                               MovementReading::Observation2,
                               PartialSums::Kept);
  };
  DataMovement movement = analyze("mlkn");
  EXPECT_EQ(movement.printVolume(group),
            "MK⌈L/T_L⌉ + KL⌈M/T_M⌉ + LN⌈M/T_M⌉ + MN");
  EXPECT_EQ(movement.printMemoryUsage(group),
            "max{T_MT_K + T_KT_L + T_MT_L, T_MT_L + T_LT_N + T_MN}");
  EXPECT_EQ(analyze("mkln").printMemoryUsage(group),
            "max{T_MT_K + T_KT_L + T_ML, T_ML + T_LT_N + T_MN}");
  EXPECT_EQ(analyze("mnlk").printMemoryUsage(group),
            "max{T_MT_K + T_KT_L + T_MT_L, T_MT_L + T_LT_N + T_MT_N}");
}

TEST(DataMovement, TableIIIByNumber) {
  GroupModel group = chimeraChain(1000, 500, 256, 128);
  llvm::SmallVector<int64_t> tiles(4);
  auto set = [&](const char *axis, int64_t tile) {
    tiles[*group.findAxis(axis)] = tile;
  };
  set("m", 128), set("l", 64), set("k", 32), set("n", 16);
  DataMovement movement = analyzeDataMovement(group, orderOf(group, "mlkn"),
                                              MovementReading::Printed);
  // 8 tiles of m, 8 of l: K and N divide, M and L do not.
  EXPECT_EQ(movement.volume(group, tiles, /*clipped=*/true),
            1000 * 256 * 8 + 256 * 500 * 8 + 128 * 500 * 8 + 1000 * 128 * 8);
  EXPECT_EQ(movement.volume(group, tiles),
            1024 * 256 * 8 + 256 * 512 * 8 + 128 * 512 * 8 + 1024 * 128 * 8);
  EXPECT_EQ(
      movement.memoryUsage(group, tiles),
      std::max(128 * 32 + 32 * 64 + 128 * 64, 128 * 64 + 64 * 16 + 128 * 16));
  EXPECT_EQ(movement.printVolume(group),
            "MK⌈L/T_L⌉ + KL⌈M/T_M⌉ + LN⌈M/T_M⌉ + MN⌈L/T_L⌉");
  EXPECT_EQ(movement.printMemoryUsage(group),
            "max{T_MT_K + T_KT_L + T_MT_L, T_MT_L + T_LT_N + T_MT_N}");
}

// m in 8 tiles of 128 (the last one clipped), l in 5, k in 2, n in 4.
TEST(DataMovement, OtherOrdersByNumber) {
  GroupModel group = chimeraChain(1000, 500, 256, 128);
  llvm::SmallVector<int64_t> tiles(4);
  auto set = [&](const char *axis, int64_t tile) {
    tiles[*group.findAxis(axis)] = tile;
  };
  set("m", 128), set("l", 100), set("k", 128), set("n", 32);
  constexpr int64_t a = 1000 * 256, b = 256 * 500, d = 500 * 128,
                    e = 1000 * 128;
  struct {
    const char *order;
    MovementReading reading;
    int64_t clipped;
  } cases[] = {
      {"mlkn", MovementReading::Printed, a * 5 + b * 8 + d * 8 + e * 5},
      {"mlkn", MovementReading::Observation2, a * 5 + b * 8 + d * 8 + e * 5},
      {"mnlk", MovementReading::Printed, a * 5 + b * 8 + d * 8 + e},
      {"mnlk", MovementReading::Observation2,
       a * 5 * 4 + b * 4 * 8 + d * 8 + e},
      {"mknl", MovementReading::Printed, a + b * 8 + d * 8 + e},
      {"mknl", MovementReading::Observation2, a + b * 4 * 8 + d * 8 + e}};
  for (const auto &[order, reading, clipped] : cases) {
    DataMovement movement =
        analyzeDataMovement(group, orderOf(group, order), reading);
    EXPECT_EQ(movement.volume(group, tiles, /*clipped=*/true), clipped)
        << order;
    // The footprints are of tiles, whatever the order.
    EXPECT_EQ(movement.memoryUsage(group, tiles),
              std::max(128 * 128 + 128 * 100 + 128 * 100,
                       128 * 100 + 100 * 32 + 128 * 32))
        << order;
  }
}

// The third product has nothing to do with k and n: neither multiplies what it
// moves, wherever they stand.
TEST(DataMovement, LoopsOfTheProducersAlonePassAway) {
  GroupModel group = makeChainModel({{256, 64, 128, 96, 32}});
  DataMovement movement = analyzeDataMovement(group, orderOf(group, "knmhp"),
                                              MovementReading::Observation2);
  EXPECT_EQ(movement.volumeOf(*group.findTensor("F"))->print(group),
            "HP⌈M/T_M⌉");
  EXPECT_EQ(movement.volumeOf(*group.findTensor("D"))->print(group),
            "NH⌈M/T_M⌉");
}

struct ClosedFormCase {
  int64_t m, l, k, n, capacity, batch;
};

class ClosedForm : public ::testing::TestWithParam<ClosedFormCase> {};

// The least DV of all tiles that fit is not below DV* and within its bound; the
// seed's DV is between the two as well. Tiles are multiples of g = 16, α = 16.
TEST_P(ClosedForm, BoundsTheEnumeration) {
  const ClosedFormCase &c = GetParam();
  constexpr int64_t g = 16;
  GroupModel group = chimeraChain(c.m, c.l, c.k, c.n, c.batch);
  std::string reason;
  auto form = solveChimera(group, c.capacity, g, g, reason);
  ASSERT_TRUE(form) << reason;
  std::string order = c.batch > 1 ? "bmlkn" : "mlkn";
  DataMovement movement = analyzeDataMovement(group, orderOf(group, order),
                                              MovementReading::Observation2);
  EXPECT_LE(movement.memoryUsage(group, form->seed), c.capacity);
  unsigned m = *group.findAxis("m"), l = *group.findAxis("l"),
           k = *group.findAxis("k"), n = *group.findAxis("n");
  llvm::SmallVector<int64_t> tiles(group.axes.size(), 1);
  int64_t best = std::numeric_limits<int64_t>::max();
  for (tiles[m] = g; tiles[m] < c.m + g; tiles[m] += g)
    for (tiles[l] = g; tiles[l] < c.l + g; tiles[l] += g)
      for (tiles[k] = g; tiles[k] < c.k + g; tiles[k] += g)
        for (tiles[n] = g; tiles[n] < c.n + g; tiles[n] += g)
          if (movement.memoryUsage(group, tiles) <= c.capacity)
            best = std::min(best, movement.volume(group, tiles, true));
  EXPECT_GE(best, form->volume);
  EXPECT_LE(best, form->volume * form->bound(group));
  EXPECT_LE(movement.volume(group, form->seed, true),
            form->volume * form->bound(group));
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, ClosedForm,
    ::testing::Values(ClosedFormCase{1024, 1024, 256, 256, 40000, 1},
                      ClosedFormCase{512, 512, 64, 64, 83456, 8},
                      ClosedFormCase{768, 384, 64, 64, 20000, 1},
                      ClosedFormCase{1000, 500, 128, 64, 5000, 1},
                      ClosedFormCase{208, 208, 80, 80, 83456, 16}));

// For g = 16 the bound with 1/T_X, as printed, does not hold.
TEST(ClosedFormBound, PrintedBoundFails) {
  GroupModel group = chimeraChain(4096, 4096, 64, 64);
  std::string reason;
  int64_t failures = 0;
  for (int64_t capacity = 1000; capacity < 4000; capacity += 50) {
    auto form = solveChimera(group, capacity, 16, 16, reason);
    ASSERT_TRUE(form) << reason;
    DataMovement movement = analyzeDataMovement(group, orderOf(group, "mlkn"),
                                                MovementReading::Observation2);
    double ratio = movement.volume(group, form->seed, true) / form->volume;
    double printed = 1 + form->tile / 4096 + 1.0 / form->seed[form->rows];
    EXPECT_LE(ratio, form->bound(group));
    failures += ratio > printed;
  }
  EXPECT_GT(failures, 0);
}

TEST(ClosedFormBound, SaysWhyThereIsNone) {
  std::string reason;
  EXPECT_FALSE(
      solveChimera(makeChainModel({{64, 64, 64}}), 4096, 16, 16, reason));
  EXPECT_EQ(reason, "the closed form is for chains of two matmuls");
  EXPECT_FALSE(solveChimera(chimeraChain(64, 64, 64, 64), 100, 16, 16, reason));
  EXPECT_EQ(reason, "100 elements do not hold the least tiles");
}

} // namespace
