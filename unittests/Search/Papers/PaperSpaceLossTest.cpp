//===- PaperSpaceLossTest.cpp - What the pruning rules lose ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every loss is that of the best predicted time (MCFuser's equations 2 to 5) of
// the candidates whose tiles fit into a block, with all that loops carry: rule
// 4 lets some pass that do not, and without it there is no limit at all.
//
//===----------------------------------------------------------------------===//

#include "../../benchmarks/search/ChainWorkloads.h"
#include "fusion/Search/Papers/PaperOrder.h"
#include "llvm/ADT/Sequence.h"
#include "gtest/gtest.h"

using namespace fusion;

namespace {

PaperSpace makeSpace(const GroupModel &group, const ChipInfo &chip,
                     const PaperSpaceOptions &options) {
  std::string reason;
  auto space = PaperSpace::create(group, chip, options, reason);
  EXPECT_TRUE(space) << reason;
  return std::move(*space);
}

/// The A100 of MCFuser (section VI): PCIe, 40 GB.
ChipInfo documentsChip() {
  ChipInfo chip = *lookupChip("sm_80");
  chip.numSMs = 108;
  chip.sharedMemoryPerBlock = 163 * 1024;
  chip.dramBytesPerSecond = 1.555e12;
  chip.tensorFlops.f16 = 312e12;
  return chip;
}

/// Without rules 2 and 3, and of rule 4 just what cannot fit.
PaperSpaceOptions unpruned() {
  PaperSpaceOptions options;
  options.completeIntermediates = false;
  options.padding = PaddingRule::None;
  options.slack = 1;
  return options;
}

PaperSpaceOptions withPadding(PaddingRule rule) {
  PaperSpaceOptions options;
  options.padding = rule;
  return options;
}

double bestTime(const ChainShape &shape, const ChipInfo &chip,
                const PaperSpaceOptions &options) {
  GroupModel group = makeChainModel(shape);
  auto best = searchFitting(group, makeSpace(group, chip, options), chip);
  EXPECT_TRUE(best);
  return best->seconds;
}

std::vector<ChainWorkload> workloads() {
  std::string error;
  std::vector<ChainWorkload> read = readChainWorkloads(error);
  EXPECT_TRUE(error.empty()) << error;
  return read;
}

std::vector<ChainWorkload> allPairs() {
  std::string error;
  std::vector<ChainWorkload> read = readProductPairs(error);
  EXPECT_TRUE(error.empty()) << error;
  return read;
}

/// A workload's shape and the same with other reductions.
std::vector<ChainShape> withReductions(const ChainShape &shape) {
  std::vector<ChainShape> shapes = {shape};
  for (int64_t k : {64, 256, 512, 1024, 2048, 4096, 8192, 16384})
    if (k != shape.sizes[1]) {
      shapes.push_back(shape);
      shapes.back().sizes[1] = k;
    }
  return shapes;
}

// Rule 1: every expression costs what its class does, and none of them gets
// better when h is not bound though rule 1 binds it.
TEST(PaperSpaceLoss, RuleOneLosesNothing) {
  std::string reason;
  for (const ChipInfo &chip : {*lookupChip("sm_80"), *lookupChip("sm_86")})
    for (const ChainShape &shape :
         {ChainShape{{1024, 512, 1024, 512}}, ChainShape{{512, 64, 256, 128}},
          ChainShape{{96, 400, 48, 80}}, ChainShape{{64, 64, 64, 64}}}) {
      GroupModel group = makeChainModel(shape);
      PaperSpaceOptions options;
      options.completeIntermediates = false;
      PaperSpace pruned = makeSpace(group, chip, options);
      options.deduplicate = false;
      PaperSpace all = makeSpace(group, chip, options);
      EXPECT_EQ(all.expressions().size(), 26u);
      EXPECT_EQ(pruned.expressions().size(), 5u);
      auto best = searchFitting(group, pruned, chip);
      auto bestOfAll = searchFitting(group, all, chip);
      ASSERT_TRUE(best && bestOfAll);
      EXPECT_EQ(best->seconds, bestOfAll->seconds);
      // The full expressions with nothing but m bound, m outermost.
      unsigned m = *group.findAxis("m");
      auto inner = llvm::to_vector(llvm::seq<unsigned>(4));
      llvm::erase(inner, m);
      auto expressions = listExpressions(group, inner, {});
      double least = std::numeric_limits<double>::infinity();
      for (const TilingTree &expression : *expressions) {
        TilingTree loops = makeNest({m});
        loops.front().children = expression;
        pruned.forEachTiles([&](llvm::ArrayRef<int64_t> tiles) {
          TilingTree tree = placeStatements(group, loops, tiles, {m});
          auto model = McFuserModel::create(group, tree, {m}, chip, reason);
          ASSERT_TRUE(model) << reason;
          if (model->sharedMemory(tiles, FootprintUnit::Bytes) <=
              chip.sharedMemoryPerBlock)
            least = std::min(least, model->predict(tiles).total);
        });
      }
      EXPECT_GE(least, best->seconds * (1 - 1e-12));
    }
}

TEST(PaperSpaceLoss, TheLeastOfEqualTripCountsLosesNothing) {
  for (const auto &[name, workload] : workloads()) {
    PaperSpaceOptions options = unpruned();
    double best = bestTime(workload, *lookupChip("sm_80"), options);
    options.padding = PaddingRule::LeastOfTrips;
    EXPECT_EQ(bestTime(workload, *lookupChip("sm_80"), options), best) << name;
  }
}

// Rules 2 and 4 with ours for rule 3: all workloads, K up to 16k. What rule 3
// as printed loses is kept with the test's results.
TEST(PaperSpaceLoss, OurRulesLoseLessThanTwoPercent) {
  double most = 0, maxPrinted = 0, maxAuto = 0;
  unsigned shapes = 0;
  for (const char *name : {"sm_80", "sm_86", "sm_90a"})
    for (const auto &[workloadName, workload] : allPairs())
      for (const ChainShape &shape : withReductions(workload)) {
        const ChipInfo &chip = *lookupChip(name);
        double best = bestTime(shape, chip, unpruned());
        auto loss = [&](PaddingRule rule) {
          return bestTime(shape, chip, withPadding(rule)) / best - 1;
        };
        double ours = loss(PaddingRule::LeastOfTrips);
        EXPECT_LE(ours, 0.02)
            << name << " " << workloadName << " K=" << shape.sizes[1];
        most = std::max(most, ours);
        double printed = loss(PaddingRule::Printed);
        maxPrinted = std::max(maxPrinted, printed);
        auto known = lossByPadding(makeChainModel(shape), chip, {});
        ASSERT_TRUE(known) << name << " " << workloadName;
        maxAuto = std::max(maxAuto, *known <= kAllowedLoss ? printed : ours);
        ++shapes;
      }
  // What the search takes where nobody says (`padding=auto`) is one of the two.
  EXPECT_LE(maxAuto, kAllowedLoss);
  EXPECT_GT(maxPrinted, kAllowedLoss);
  RecordProperty("mostLossAsPrinted", std::to_string(maxPrinted));
  RecordProperty("mostLoss", std::to_string(most));
  RecordProperty("shapes", shapes);
}

// Rule 3 as printed is no match for dimensions with few divisors: 208 is 13·16,
// so that only tiles of 16 and 208 are left, while 112 pads by 8 %. That it
// loses more than 2 % is the reason for ours.
TEST(PaperSpaceLoss, RuleThreeAsPrintedLosesWhereDivisorsAreFew) {
  const ChipInfo &chip = *lookupChip("sm_80");
  unsigned above = 0, total = 0;
  for (const auto &[name, workload] : workloads()) {
    double loss =
        bestTime(workload, chip, withPadding(PaddingRule::Printed)) /
            bestTime(workload, chip, withPadding(PaddingRule::LeastOfTrips)) -
        1;
    EXPECT_GE(loss, -1e-12) << name;
    RecordProperty(name, std::to_string(loss));
    bool hasFewDivisors = workload.sizes[0] == 208;
    if (!hasFewDivisors)
      EXPECT_LE(loss, 0.02) << name;
    above += loss > 0.02;
    ++total;
  }
  EXPECT_EQ(total, 24u);
  EXPECT_GT(above, 0u);
}

// (M, N, K, H) = (1024, 2048, 16384, 512): without rule 2 all of C is kept for
// each k. With sums of two bytes, as equation 1 would have them, that loses 1.2
// %; in f32 fewer of them fit, and 0.5 % is left.
TEST(PaperSpaceLoss, LongReductions) {
  ChainShape shape{{1024, 16384, 2048, 512}};
  const ChipInfo chip = documentsChip();
  GroupModel group = makeChainModel(shape);
  auto narrow = [&](const PaperSpaceOptions &options) {
    return makeSpace(group, chip, options)
        .searchExhaustively(
            [&](const McFuserModel &model, llvm::ArrayRef<int64_t> tiles) {
              return 2 * model.sharedMemory(tiles, FootprintUnit::Elements) <=
                     chip.sharedMemoryPerBlock;
            })
        ->seconds;
  };
  EXPECT_NEAR(narrow({}) / narrow(unpruned()) - 1, 0.0129, 0.0001);
  EXPECT_NEAR(bestTime(shape, chip, {}) / bestTime(shape, chip, unpruned()) - 1,
              0.0050, 0.0001);
}

} // namespace
