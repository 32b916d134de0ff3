//===- ScheduleDimensionTest.cpp - The table of what can be chosen --------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Space/ScheduleDimension.h"
#include "LocalSearch.h"
#include "ScheduleRanking.h"
#include "fusion/Analysis/Groups/ChainModel.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Search/Chains/SearchReport.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"

using namespace fusion;

namespace {

/// The space of a chain on a chip, and what it refers to.
struct Case {
  Case(const char *chip, const ChainShape &shape)
      : chip(*lookupChip(chip)), group(makeChainModel(shape)),
        space(group, this->chip, options) {}

  /// A candidate with any value of every dimension.
  ScheduleCandidate draw(Random &numbers) const {
    ScheduleCandidate candidate = space.random(numbers);
    space.drawPolicy(candidate, numbers);
    return candidate;
  }

  const ChipInfo &chip;
  GroupModel group;
  SearchOptions options;
  ScheduleSpace space;
};

template <typename Visit> void forEachCase(Visit visit) {
  for (const char *chip : {"sm_80", "sm_90a"})
    for (const ChainShape &shape :
         {ChainShape{{512, 256, 384}}, ChainShape{{64, 8192, 256}},
          ChainShape{{512, 64, 256, 64}, 16},
          ChainShape{{256, 64, 256, 64, 128}}})
      visit(Case(chip, shape));
}

/// Calls with each dimension and index of its elements.
template <typename Visit>
void forEachElement(const ScheduleSpace &space, Visit visit) {
  for (const ScheduleDimension &dimension : space.dimensions())
    for (unsigned index = 0; index < dimension.elements.size(); ++index)
      visit(dimension, index);
}

void expectContained(const ScheduleSpace &space,
                     const ScheduleCandidate &candidate) {
  forEachElement(
      space, [&](const ScheduleDimension &dimension, unsigned index) {
        EXPECT_TRUE(dimension.contains(dimension.get(candidate, index), index))
            << dimension.name.str() << " " << dimension.elements[index] << ": "
            << dimension.get(candidate, index);
      });
}

// A value that is read can be set, and a set value is read again, for that
// element alone.
TEST(ScheduleDimensions, AreReadAsTheyAreSet) {
  Random numbers(1);
  forEachCase([&](const Case &own) {
    for (unsigned i = 0; i < 50; ++i) {
      ScheduleCandidate candidate = own.draw(numbers);
      expectContained(own.space, candidate);
      forEachElement(
          own.space, [&](const ScheduleDimension &dimension, unsigned index) {
            ScheduleCandidate same = candidate;
            dimension.set(same, dimension.get(candidate, index), index);
            EXPECT_TRUE(same == candidate) << dimension.name.str();
            int64_t value = dimension.domain(
                index)[numbers.below(dimension.domain(index).size())];
            ScheduleCandidate changed = candidate;
            dimension.set(changed, value, index);
            EXPECT_EQ(dimension.get(changed, index), value);
            forEachElement(own.space, [&](const ScheduleDimension &other,
                                          unsigned of) {
              if (other.name != dimension.name || of != index) {
                EXPECT_EQ(other.get(changed, of), other.get(candidate, of))
                    << dimension.name.str() << " changes " << other.name.str();
              }
            });
          });
    }
  });
}

// No value is listed twice, and the first is what candidates have by default,
// but of tiles.
TEST(ScheduleDimensions, BeginWithTheDefault) {
  forEachCase([](const Case &own) {
    forEachElement(
        own.space, [](const ScheduleDimension &dimension, unsigned index) {
          llvm::ArrayRef<int64_t> domain = dimension.domain(index);
          ASSERT_FALSE(dimension.steps(index).empty()) << dimension.name.str();
          if (dimension.scope != DimensionInfo::Scope::Axis) {
            EXPECT_EQ(dimension.get(ScheduleCandidate(), index), domain.front())
                << dimension.name.str();
          }
          for (auto [number, value] : llvm::enumerate(domain))
            EXPECT_EQ(llvm::find(domain, value) - domain.begin(), number)
                << dimension.name.str();
        });
  });
}

// The searches take no value from elsewhere.
TEST(ScheduleDimensions, ContainWhatSearchesChoose) {
  Random numbers(2);
  unsigned costed = 0;
  forEachCase([&](const Case &own) {
    CandidateEvaluator evaluator(own.group, own.chip, own.options, own.space);
    for (unsigned i = 0; i < 100; ++i)
      evaluator.evaluateAll(
          own.space.mutateOutline(own.space.randomOutline(numbers), numbers),
          own.space.usualArrangements(), [] { return kNever; },
          [&](const CandidateEvaluator::Costed &found) {
            ++costed;
            expectContained(own.space, found.candidate);
          });
    LocalSearch local(own.group, own.chip, own.options, own.space);
    local.startRoughly({});
    ScheduleRanking ranking(own.group, own.chip, own.options, own.space);
    for (const Descent::Point &point : local.best()) {
      expectContained(own.space, point.candidate);
      ranking.evaluateAll(point.candidate, own.space.everyArrangement());
    }
    EXPECT_FALSE(ranking.empty());
    for (const ScheduleCandidate &candidate : ranking.candidates())
      expectContained(own.space, candidate);
  });
  EXPECT_GT(costed, 1000u);
}

std::string print(const Schedule &schedule, const GroupModel &group,
                  mlir::MLIRContext &context) {
  std::string text;
  llvm::raw_string_ostream(text) << exportSchedule(schedule, group, &context);
  return text;
}

// Each dimension says something in `#fuse.schedule`, and what it reports
// changes with it.
TEST(ScheduleDimensions, ChangeThePrintedSchedule) {
  mlir::MLIRContext context;
  context.loadDialect<fuse::FuseDialect>();
  llvm::StringSet<> seen; // to change both
  Random numbers(3);
  auto changes = [&](const Case &own, const ScheduleDimension &dimension,
                     const Schedule &before, const Schedule &after) {
    if (print(before, own.group, context) == print(after, own.group, context))
      return false;
    if (!dimension.report)
      return true;
    llvm::json::Object one, two;
    dimension.report(before, own.group, one);
    dimension.report(after, own.group, two);
    return one != two;
  };
  forEachCase([&](const Case &own) {
    for (unsigned i = 0; i < 400; ++i) {
      ScheduleCandidate candidate = own.draw(numbers);
      candidate.intrinsics = own.space.units()[i % own.space.units().size()];
      // A schedule that is never drawn: warpgroups that may alternate, in one
      // loop whose value the last contraction multiplies.
      if (i < 20) {
        candidate.expression = 0;
        candidate.arrangement =
            llvm::find(own.space.arrangements(),
                       WarpArrangement(own.group.contractions.size(), {8, 1})) -
            own.space.arrangements().begin();
        for (auto [axis, info] : llvm::enumerate(own.group.axes))
          candidate.tiles[axis] = info.name == "m"                      ? 128
                                  : own.space.allTiles(axis).size() > 1 ? 64
                                                                        : 1;
        candidate.splits = 1;
        candidate.hoisted = {};
        candidate.retained = {};
        candidate.policy.copied = own.space.transports().back();
        candidate.policy.producers = own.space.producers().back();
      }
      if (!own.space.divides(own.space.arrangements()[candidate.arrangement],
                             candidate))
        continue;
      Schedule before = own.space.complete(candidate);
      forEachElement(
          own.space, [&](const ScheduleDimension &dimension, unsigned index) {
            llvm::ArrayRef<int64_t> domain = dimension.domain(index);
            if (domain.size() == 1 || seen.contains(dimension.name))
              return;
            ScheduleCandidate other = candidate;
            dimension.set(other, domain[numbers.below(domain.size())], index);
            if (changes(own, dimension, before, own.space.complete(other)))
              seen.insert(dimension.name);
          });
    }
  });
  for (const DimensionInfo &info : allDimensions())
    EXPECT_TRUE(seen.contains(info.name)) << info.name.str();
}

// Two candidates have one key where they differ in what is chosen when they are
// evaluated, or in moves that their tree has no loops for, and in nothing else.
TEST(ScheduleDimensions, MakeTheKeysOfCandidates) {
  Random numbers(4);
  KeyBytes<CandidateKey> equal;
  forEachCase([&](const Case &own) {
    for (unsigned i = 0; i < 50; ++i) {
      ScheduleCandidate candidate = own.draw(numbers);
      CandidateKey key(own.space, candidate);
      for (const ScheduleDimension &dimension : own.space.dimensions())
        dimension.forEachStep(candidate, [&](const ScheduleCandidate &other) {
          bool isSame = dimension.isEvaluated ||
                        (dimension.isInTree && own.space.treeOf(other) ==
                                                   own.space.treeOf(candidate));
          EXPECT_EQ(equal(key, CandidateKey(own.space, other)), isSame)
              << dimension.name.str();
        });
    }
  });
}

// Also for the largest groups.
TEST(ScheduleDimensions, FitIntoKeys) {
  unsigned words = 0;
  for (const DimensionInfo &info : allDimensions()) {
    if (info.isEvaluated || info.isInTree)
      continue;
    unsigned elements = info.scope == DimensionInfo::Scope::Schedule ? 1
                        : info.scope == DimensionInfo::Scope::Axis
                            ? CostBound::kMaxAxes
                        : info.scope == DimensionInfo::Scope::Contraction
                            ? kMaxContractions
                            : ScheduleCandidate::kMaxTensors;
    words += elements * (info.isTensorSet ? 4 : 1);
  }
  EXPECT_LE(words, CandidateKey::kMaxWords);
}

// What has no choice beside the others' values is off.
TEST(ScheduleDimensions, AreSettled) {
  Random numbers(5);
  forEachCase([&](const Case &own) {
    for (unsigned i = 0; i < 100; ++i) {
      ScheduleCandidate candidate = own.draw(numbers);
      ScheduleCandidate settled = candidate;
      own.space.settle(settled);
      EXPECT_TRUE(settled == candidate);
      settled.policy.producers = 0;
      own.space.settle(settled);
      EXPECT_FALSE(settled.policy.isPersistent);
      EXPECT_FALSE(settled.policy.isPingPong);
      EXPECT_EQ(settled.policy.overlaps, candidate.policy.overlaps);
    }
  });
}

// A step changes one element, or all together, and leads to every value that no
// other search has for itself.
TEST(ScheduleDimensions, StepThroughAllValues) {
  Random numbers(6);
  forEachCase([&](const Case &own) {
    ScheduleCandidate candidate = own.draw(numbers);
    for (const ScheduleDimension &dimension : own.space.dimensions()) {
      size_t expected = 0, found = 0;
      for (unsigned index = 0; index < dimension.elements.size(); ++index)
        expected += dimension.steps(index).size() -
                    llvm::is_contained(dimension.steps(index),
                                       dimension.get(candidate, index));
      for (const ScheduleDimension::Values &values : dimension.together) {
        bool isOther = false;
        for (auto [index, value] : llvm::enumerate(values))
          isOther |= dimension.get(candidate, index) != value;
        expected += isOther;
      }
      dimension.forEachStep(candidate, [&](const ScheduleCandidate &other) {
        ++found;
        EXPECT_FALSE(other == candidate);
      });
      EXPECT_EQ(found, expected) << dimension.name.str();
    }
  });
}

/// All values of a candidate, as text.
std::string list(const ScheduleSpace &space,
                 const ScheduleCandidate &candidate) {
  std::string text;
  for (const ScheduleDimension &dimension : space.dimensions()) {
    if (dimension.elements.empty())
      continue;
    text += (text.empty() ? "" : ", ") + dimension.name.str();
    for (unsigned index = 0; index < dimension.elements.size(); ++index)
      text += " " + std::to_string(dimension.get(candidate, index));
  }
  return text;
}

// A seed draws what it always drew: a new dimension is drawn behind the others.
TEST(ScheduleDimensions, AreDrawnInOrder) {
  Random numbers(7);
  Case ampere("sm_80", ChainShape{{512, 64, 256, 64}, 16}),
      hopper("sm_90a", ChainShape{{512, 64, 256, 64}, 16});
  auto mutate = [&](const Case &own) {
    return own.space.mutateOutline(own.space.randomOutline(numbers), numbers);
  };
  EXPECT_EQ(list(ampere.space, ampere.draw(numbers)),
            "expressions 3, arrangements 28, tiles 1 464 48 16 96, stages 8, "
            "register_stages 1, parts 1, rasters 1, clusters 0, transports 0, "
            "store_transports 0, intrinsics 0 0, hoisted 0 0 0, kept 0, "
            "producers 0, persistences 0, overlaps 0, turns 0");
  EXPECT_EQ(list(ampere.space, mutate(ampere)),
            "expressions 4, arrangements 0, tiles 1 144 16 64 16, stages 1, "
            "register_stages 1, parts 8, rasters 1, clusters 0, transports 0, "
            "store_transports 0, intrinsics 0 0, hoisted 1 0 0, kept 0, "
            "producers 0, persistences 0, overlaps 0, turns 0");
  EXPECT_EQ(list(hopper.space, hopper.draw(numbers)),
            "expressions 1, arrangements 3, tiles 1 496 80 64 64, stages 5, "
            "register_stages 1, parts 8, rasters 2, clusters 2, transports 2, "
            "store_transports 16, intrinsics 0 0, hoisted 3 0 0, kept 1, "
            "producers 4, persistences 1, overlaps 1, turns 0");
  EXPECT_EQ(list(hopper.space, mutate(hopper)),
            "expressions 0, arrangements 0, tiles 1 64 272 64 16, stages 1, "
            "register_stages 1, parts 1, rasters 8, clusters 0, transports 0, "
            "store_transports 0, intrinsics 0 0, hoisted 0 0 0, kept 0, "
            "producers 0, persistences 0, overlaps 0, turns 0");
}

} // namespace
