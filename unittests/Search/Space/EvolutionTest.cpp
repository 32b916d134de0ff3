//===- EvolutionTest.cpp - MCFuser's evolutionary search ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Space/Evolution.h"
#include "fusion/Analysis/Groups/ChainModel.h"
#include "fusion/Search/Papers/PaperSpace.h"
#include "gtest/gtest.h"
#include <map>

using namespace fusion;

namespace {

class SmallSpace : public ::testing::TestWithParam<ChainShape> {
protected:
  PaperSpace makeSpace(const GroupModel &group) {
    std::string reason;
    auto space = PaperSpace::create(group, *lookupChip("sm_80"), {}, reason);
    EXPECT_TRUE(space) << reason;
    return std::move(*space);
  }
};

TEST_P(SmallSpace, FindsTheOptimumOfTheExhaustiveSearch) {
  GroupModel group = makeChainModel(GetParam());
  PaperSpace space = makeSpace(group);
  auto best = space.searchExhaustively();
  ASSERT_TRUE(best);
  for (uint64_t seed = 0; seed < 5; ++seed) {
    EvolutionOptions options;
    options.seed = seed;
    auto found = evolve(MutableExpressions{space}, options);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->seconds, best->seconds) << seed;
    EXPECT_EQ(space.estimate(found->best), found->seconds);
    EXPECT_TRUE(found->hasConverged);
    EXPECT_TRUE(found->measuredBy.empty());
    EXPECT_EQ(found->measurements, 0u);
  }
}

TEST_P(SmallSpace, IsTheSameForAnyNumberOfThreads) {
  GroupModel group = makeChainModel(GetParam());
  for (Convergence convergence :
       {Convergence::Printed, Convergence::BestOfAll}) {
    EvolutionOptions options;
    options.seed = 3;
    options.population = 100; // no multiple of the threads
    options.convergence = convergence;
    PaperSpace space = makeSpace(group), other = makeSpace(group);
    auto one = evolve(MutableExpressions{space}, options);
    options.threads = 8;
    auto eight = evolve(MutableExpressions{other}, options);
    ASSERT_TRUE(one && eight);
    EXPECT_EQ(one->best, eight->best);
    EXPECT_EQ(one->seconds, eight->seconds);
    EXPECT_EQ(one->rounds, eight->rounds);
  }
}

// As printed it stops as soon as two rounds are alike, near the optimum at
// best.
TEST_P(SmallSpace, PrintedConvergenceComesClose) {
  GroupModel group = makeChainModel(GetParam());
  PaperSpace space = makeSpace(group);
  EvolutionOptions options;
  options.convergence = Convergence::Printed;
  auto found = evolve(space, options);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->hasConverged);
  double best = space.searchExhaustively()->seconds;
  EXPECT_GE(found->seconds, best);
  EXPECT_LE(found->seconds, 1.5 * best);
}

INSTANTIATE_TEST_SUITE_P(Chains, SmallSpace,
                         ::testing::Values(ChainShape{{1024, 512, 1024, 512}},
                                           ChainShape{{512, 64, 256, 64}},
                                           ChainShape{{208, 80, 208, 80}, 16},
                                           ChainShape{{512, 64, 512, 64}, 8},
                                           ChainShape{{64, 64, 64}},
                                           ChainShape{
                                               {256, 64, 128, 64, 128}}));

/// Candidates are numbers, drawn one after the other; a mutant is the next.
struct Numbers {
  using Candidate = int;
  mutable int next = 0;
  mutable std::map<int, int> children;
  std::vector<double> times = {1};

  int random(Random &) const { return next++; }
  int mutate(int parent, Random &) const {
    ++children[parent];
    return next++;
  }
  double estimate(int candidate) const {
    return times[std::min<size_t>(candidate, times.size() - 1)];
  }
};

/// Says what it is told to.
struct Script : Measurement<int> {
  std::map<int, std::optional<double>> answers;
  double otherwise = 2;
  std::vector<int> asked;

  llvm::StringRef name() const override { return "script"; }
  std::optional<double> measure(const int &candidate) override {
    asked.push_back(candidate);
    auto found = answers.find(candidate);
    return found == answers.end() ? otherwise : found->second;
  }
};

EvolutionOptions oneByOne(Convergence convergence) {
  EvolutionOptions options;
  options.population = options.measured = 1;
  options.convergence = convergence;
  options.patience = 2;
  return options;
}

// Erratum of algorithm 1: a second round that is alike but worse is its answer.
TEST(Evolution, ReturnsTheBetterOfTwoRounds) {
  Script script;
  script.answers = {{0, 1.0}, {1, 1.005}, {2, 1.5}};
  auto printed = evolve(Numbers(), oneByOne(Convergence::Printed), &script);
  ASSERT_TRUE(printed);
  EXPECT_EQ(printed->best, 1);
  EXPECT_EQ(printed->seconds, 1.005);
  EXPECT_EQ(printed->rounds, 2u);
  auto ours = evolve(Numbers(), oneByOne(Convergence::BestOfAll), &script);
  ASSERT_TRUE(ours);
  EXPECT_EQ(ours->best, 0);
  EXPECT_EQ(ours->seconds, 1.0);
  EXPECT_EQ(ours->rounds, 3u); // two that bring nothing
  EXPECT_EQ(ours->measuredBy, "script");
}

TEST(Evolution, MeasurementsDecideAmongTheBestByTheModel) {
  Numbers space;
  space.times = {5, 4, 3, 2, 1, 9};
  Script script;
  script.answers = {{4, std::nullopt}, {3, 8.0}, {2, 0.5}, {1, 0.1}};
  EvolutionOptions options;
  options.population = 5;
  options.measured = 3;
  options.maxRounds = 1;
  auto found = evolve(space, options, &script);
  ASSERT_TRUE(found);
  EXPECT_EQ(script.asked, (std::vector<int>{4, 3, 2}));
  EXPECT_EQ(found->best, 2); // 4 does not run, 1 is not among the best three
  EXPECT_EQ(found->seconds, 0.5);
  EXPECT_EQ(found->measurements, 3u);
  EXPECT_FALSE(found->hasConverged);
}

TEST(Evolution, NoCandidateIsMeasuredTwice) {
  GroupModel group = makeChainModel({{128, 64, 128, 64}});
  std::string reason;
  auto space = PaperSpace::create(group, *lookupChip("sm_80"), {}, reason);
  ASSERT_TRUE(space) << reason;
  struct Once : Measurement<PaperCandidate> {
    const PaperSpace &space;
    std::vector<PaperCandidate> asked;
    explicit Once(const PaperSpace &space) : space(space) {}
    llvm::StringRef name() const override { return "once"; }
    std::optional<double> measure(const PaperCandidate &candidate) override {
      EXPECT_FALSE(llvm::is_contained(asked, candidate));
      asked.push_back(candidate);
      return 2 * space.estimate(candidate);
    }
  } once(*space);
  auto found = evolve(MutableExpressions{*space}, {}, &once);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->measurements, once.asked.size());
  EXPECT_GT(found->estimates, found->measurements);
  EXPECT_EQ(found->seconds, 2 * space->searchExhaustively()->seconds);
}

// A candidate of a ninth of the time is a parent nine times as often.
TEST(Evolution, ParentsAreDrawnByTheirSpeed) {
  Numbers space;
  space.times.assign(2000, 9);
  std::fill(space.times.begin(), space.times.begin() + 1000, 1);
  EvolutionOptions options;
  options.population = 2000;
  options.maxRounds = 1;
  options.convergence = Convergence::Printed;
  ASSERT_TRUE(evolve(space, options));
  int fast = 0, slow = 0;
  for (auto [parent, number] : space.children)
    (parent < 1000 ? fast : slow) += number;
  EXPECT_EQ(fast + slow, 2000);
  EXPECT_NEAR(fast, 1800, 60);
}

TEST(Evolution, NothingIsFoundWhereNothingIsPossible) {
  Numbers space;
  space.times = {std::numeric_limits<double>::infinity()};
  EvolutionOptions options;
  options.maxRounds = 3;
  EXPECT_FALSE(evolve(space, options));
}

TEST(RandomNumbers, AreThoseOfTheStandardEngine) {
  std::mt19937_64 engine(5);
  Random numbers(5);
  for (int i = 0; i < 1000; ++i) {
    uint64_t raw = engine();
    EXPECT_EQ(numbers.below(1u << 16), raw >> 48);
    double fraction = numbers.fraction();
    EXPECT_EQ(fraction, static_cast<double>(engine() >> 11) / 0x1p53);
    EXPECT_LT(fraction, 1);
  }
}

} // namespace
