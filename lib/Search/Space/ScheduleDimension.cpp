//===- ScheduleDimension.cpp - The table of what can be chosen ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each dimension, and their order. A new one goes last: it is
// then drawn behind all others.
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Space/ScheduleDimension.h"
#include "fusion/Analysis/Schedules/TMASupport.h"
#include "fusion/Search/Space/ScheduleSpace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/JSON.h"

using namespace fusion;
using llvm::json::Array;
using llvm::json::Object;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool ScheduleDimension::contains(int64_t value, unsigned index) const {
  if (isTensorSet)
    return (value & ~domain(index).back()) == 0;
  return llvm::is_contained(domain(index), value);
}

void ScheduleDimension::reset(ScheduleCandidate &candidate) const {
  for (auto [element, values] : llvm::zip_equal(elements, domains))
    write(candidate, element, values.front());
}

void ScheduleDimension::forEachStep(
    const ScheduleCandidate &candidate,
    llvm::function_ref<void(const ScheduleCandidate &)> visit) const {
  for (const Values &values : together) {
    ScheduleCandidate other = candidate;
    for (auto [element, value] : llvm::zip_equal(elements, values))
      write(other, element, value);
    if (!(other == candidate))
      visit(other);
  }
  for (unsigned index = 0; index < elements.size(); ++index) {
    ScheduleCandidate other = candidate;
    int64_t own = get(candidate, index);
    for (int64_t value : steps(index))
      if (value != own) {
        set(other, value, index);
        visit(other);
      }
  }
}

namespace {

template <typename Class, typename Type> Class classOf(Type Class::*);

/// A member of the candidate or of its movement.
template <auto Member, typename Candidate>
auto &memberOf(Candidate &candidate) {
  if constexpr (std::is_same_v<decltype(classOf(Member)), MainloopPolicy>)
    return candidate.policy.*Member;
  else
    return candidate.*Member;
}

/// A dimension with one value in the schedule.
template <auto Member>
DimensionInfo ofSchedule(llvm::StringLiteral name,
                         decltype(DimensionInfo::list) list) {
  return {name, DimensionInfo::Scope::Schedule,
          [](const ScheduleCandidate &candidate, unsigned) -> int64_t {
            return memberOf<Member>(candidate);
          },
          [](ScheduleCandidate &candidate, unsigned, int64_t value) {
            memberOf<Member>(candidate) = value;
          },
          list};
}

/// A dimension with a value of each axis, product or tensor.
template <auto Member>
DimensionInfo ofEach(DimensionInfo::Scope scope, llvm::StringLiteral name,
                     decltype(DimensionInfo::list) list) {
  return {name, scope,
          [](const ScheduleCandidate &candidate, unsigned element) -> int64_t {
            return memberOf<Member>(candidate)[element];
          },
          [](ScheduleCandidate &candidate, unsigned element, int64_t value) {
            memberOf<Member>(candidate)[element] = value;
          },
          list};
}

template <typename Range>
void addElement(ScheduleDimension &dimension, Range &&values,
                unsigned element = 0) {
  dimension.elements.push_back(element);
  dimension.domains.emplace_back(values.begin(), values.end());
}

void addNumbers(ScheduleDimension &dimension, size_t count,
                unsigned element = 0) {
  addElement(dimension, llvm::seq<int64_t>(0, count), element);
}

const std::string &nameOf(const GroupModel &group, unsigned contraction) {
  return group.tensors[group.contractions[contraction].result].name;
}

//===----------------------------------------------------------------------===//
// Loops, tiles, warps and stages
//===----------------------------------------------------------------------===//

DimensionInfo expressions() {
  DimensionInfo info = ofSchedule<&ScheduleCandidate::expression>(
      "expressions",
      [](const ScheduleSpace &space, ScheduleDimension &dimension) {
        addNumbers(dimension, space.expressions().size());
      });
  info.report = [](const Schedule &schedule, const GroupModel &group,
                   Object &entry) {
    entry["tiling"] = printTiling(schedule.tree, group);
  };
  info.isInTree = true;
  info.isDrawnWithLoops = true;
  return info;
}

DimensionInfo arrangements() {
  DimensionInfo info = ofSchedule<&ScheduleCandidate::arrangement>(
      "arrangements",
      [](const ScheduleSpace &space, ScheduleDimension &dimension) {
        addNumbers(dimension, space.arrangements().size());
      });
  info.report = [](const Schedule &schedule, const GroupModel &group,
                   Object &entry) {
    Object arrangement, places;
    for (auto [number, mapping] : llvm::enumerate(schedule.contractions))
      arrangement[nameOf(group, number)] =
          Array{mapping.warps[0], mapping.warps[1]};
    // Warps decide whether a product's value can stay in registers.
    for (auto [tensor, place] : llvm::zip_equal(group.tensors, schedule.places))
      if (tensor.role == TensorRole::Intermediate)
        places[tensor.name] =
            place.space == fuse::Space::Shared ? "shared" : "registers";
    entry["warps"] = schedule.warps;
    entry["arrangement"] = std::move(arrangement);
    entry["intermediates"] = std::move(places);
  };
  info.isEvaluated = true;
  info.isDrawnWithLoops = true;
  return info;
}

DimensionInfo tiles() {
  DimensionInfo info = ofEach<&ScheduleCandidate::tiles>(
      DimensionInfo::Scope::Axis, "tiles",
      [](const ScheduleSpace &space, ScheduleDimension &dimension) {
        for (unsigned axis = 0; axis < space.model().axes.size(); ++axis)
          addElement(dimension, space.allTiles(axis), axis);
      });
  info.report = [](const Schedule &schedule, const GroupModel &group,
                   Object &entry) {
    Object tiles;
    for (auto [axis, tile] : llvm::zip_equal(group.axes, schedule.tiles))
      tiles[axis.name] = tile;
    entry["tiles"] = std::move(tiles);
  };
  info.isDrawnWithLoops = true;
  return info;
}

DimensionInfo stages() {
  DimensionInfo info = ofSchedule<&ScheduleCandidate::stages>(
      "stages", [](const ScheduleSpace &space, ScheduleDimension &dimension) {
        addElement(dimension, space.stages());
      });
  info.report = [](const Schedule &schedule, const GroupModel &group,
                   Object &entry) {
    Object stages;
    for (auto [tensor, place] : llvm::zip_equal(group.tensors, schedule.places))
      if (place.space == fuse::Space::Shared)
        stages[tensor.name] = place.stages;
    entry["stages"] = std::move(stages);
  };
  info.words = [](const Schedule &schedule, const GroupModel &group) {
    std::string text;
    for (auto [tensor, place] : llvm::zip_equal(group.tensors, schedule.places))
      if (place.stages > 1)
        text += (text.empty() ? "" : ", ") + tensor.name + " in " +
                std::to_string(place.stages) + " stages";
    return text;
  };
  info.isEvaluated = true;
  info.isDrawnWithLoops = true;
  return info;
}

DimensionInfo registerStages() {
  DimensionInfo info = ofSchedule<&ScheduleCandidate::registerStages>(
      "register_stages",
      [](const ScheduleSpace &space, ScheduleDimension &dimension) {
        addElement(dimension,
                   llvm::seq_inclusive<int64_t>(1, space.maxRegisterStages()));
      });
  info.report = [](const Schedule &schedule, const GroupModel &group,
                   Object &entry) {
    Object fragments;
    for (auto [index, tensor] : llvm::enumerate(group.tensors))
      if (hasFragments(group, schedule, index))
        fragments[tensor.name] = schedule.places[index].registerStages;
    entry["register_stages"] = std::move(fragments);
  };
  info.words = [](const Schedule &schedule, const GroupModel &group) {
    if (std::optional<unsigned> stages = commonRegisterStages(group, schedule))
      return *stages > 1 ? "fragments in " + std::to_string(*stages) + " stages"
                         : std::string();
    std::string text;
    for (auto [tensor, place] : llvm::zip_equal(group.tensors, schedule.places))
      if (place.registerStages > 1)
        text += (text.empty() ? "fragments of " : ", ") + tensor.name + " in " +
                std::to_string(place.registerStages) + " stages";
    return text;
  };
  info.isEvaluated = true;
  info.isDrawnWithLoops = true;
  return info;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

DimensionInfo splits() {
  DimensionInfo info = ofSchedule<&ScheduleCandidate::splits>(
      "parts", [](const ScheduleSpace &space, ScheduleDimension &dimension) {
        addElement(dimension, space.splits());
      });
  info.report = [](const Schedule &schedule, const GroupModel &group,
                   Object &entry) {
    Object splits;
    for (auto [axis, info] : llvm::enumerate(group.axes))
      if (schedule.splitOf(axis) > 1)
        splits[info.name] = schedule.splitOf(axis);
    entry["splits"] = std::move(splits);
  };
  info.isDrawnWithLoops = true;
  info.drawsForOther = 2; // most reductions need no split
  return info;
}

DimensionInfo blockSwizzles() {
  DimensionInfo info = ofSchedule<&ScheduleCandidate::blockSwizzle>(
      "rasters", [](const ScheduleSpace &, ScheduleDimension &dimension) {
        // Widths of columns, from 1, which is row by row.
        addElement(dimension, llvm::ArrayRef<int64_t>{1, 2, 4, 8, 16, 32});
      });
  info.apply = [](const ScheduleSpace &space,
                  const ScheduleCandidate &candidate, Schedule &schedule) {
    if (schedule.blocks.size() < 2)
      return;
    unsigned fastest = schedule.blocks.back();
    if (candidate.blockSwizzle <
        tripCount(space.model().axes[fastest], schedule.tiles[fastest]))
      schedule.blockSwizzle = candidate.blockSwizzle;
  };
  info.report = [](const Schedule &schedule, const GroupModel &,
                   Object &entry) { entry["raster"] = schedule.blockSwizzle; };
  info.wordsOfGrid = [](const Schedule &schedule) {
    return schedule.blockSwizzle > 1
               ? " in columns of " + std::to_string(schedule.blockSwizzle)
               : std::string();
  };
  info.isOrderOfBlocks = true;
  info.isDrawnWithLoops = true;
  info.drawsForOther = 2; // most grids need no other order
  return info;
}

DimensionInfo clusters() {
  DimensionInfo info = ofSchedule<&ScheduleCandidate::cluster>(
      "clusters", [](const ScheduleSpace &space, ScheduleDimension &dimension) {
        addNumbers(dimension, space.clusters().size());
        // Parts in clusters want parts and tiles of their own
        // (`Refinement::trySplitsInClusters`).
        dimension.searchedApart = space.clusterOfPartials() ? 1 : 0;
      });
  info.apply = [](const ScheduleSpace &space,
                  const ScheduleCandidate &candidate, Schedule &schedule) {
    const Cluster &cluster = space.clusters()[candidate.cluster];
    schedule.cluster = cluster.blocks;
    schedule.splitInCluster = cluster.reducesPartials && candidate.splits > 1;
  };
  info.report = [](const Schedule &schedule, const GroupModel &,
                   Object &entry) {
    entry["split_in_cluster"] = schedule.splitInCluster;
    entry["cluster"] = schedule.cluster;
  };
  info.wordsOfGrid = [](const Schedule &schedule) {
    return schedule.cluster > 1
               ? ", in clusters of " + std::to_string(schedule.cluster)
               : std::string();
  };
  return info;
}

//===----------------------------------------------------------------------===//
// Copies and intrinsics
//===----------------------------------------------------------------------===//

DimensionInfo transports() {
  DimensionInfo info = ofSchedule<&MainloopPolicy::copied>(
      "transports",
      [](const ScheduleSpace &space, ScheduleDimension &dimension) {
        addElement(dimension, space.transports());
      });
  info.report = [](const Schedule &schedule, const GroupModel &group,
                   Object &entry) {
    Object transports;
    for (unsigned tensor : listCopied(group, schedule))
      transports[group.tensors[tensor].name] =
          fuse::stringifyTransport(schedule.places[tensor].transport);
    entry["transports"] = std::move(transports);
  };
  info.isEvaluated = true;
  info.isMainloopPolicy = true;
  info.isTensorSet = true;
  return info;
}

/// Not `isEvaluated`: results that TMA stores pass through shared memory.
DimensionInfo storeTransports() {
  DimensionInfo info = ofSchedule<&MainloopPolicy::stored>(
      "store_transports",
      [](const ScheduleSpace &space, ScheduleDimension &dimension) {
        addElement(dimension, space.storeTransports());
      });
  info.report = [](const Schedule &schedule, const GroupModel &group,
                   Object &entry) {
    Object stores;
    for (auto [tensor, place] : llvm::zip_equal(group.tensors, schedule.places))
      if (tensor.role == TensorRole::Result)
        stores[tensor.name] = fuse::stringifyTransport(place.transport);
    entry["stores"] = std::move(stores);
  };
  info.isMainloopPolicy = true;
  info.isTensorSet = true;
  return info;
}

DimensionInfo intrinsics() {
  DimensionInfo info = ofEach<&ScheduleCandidate::intrinsics>(
      DimensionInfo::Scope::Contraction, "intrinsics",
      [](const ScheduleSpace &space, ScheduleDimension &dimension) {
        for (auto [contraction, list] : llvm::enumerate(space.intrinsics()))
          addNumbers(dimension, list.size(), contraction);
        for (const auto &unit : space.units())
          dimension.together.emplace_back(
              unit.begin(), unit.begin() + dimension.elements.size());
      });
  info.report = [](const Schedule &schedule, const GroupModel &group,
                   Object &entry) {
    Object intrinsics;
    for (auto [number, mapping] : llvm::enumerate(schedule.contractions))
      intrinsics[nameOf(group, number)] = mapping.intrinsic->name;
    entry["intrinsics"] = std::move(intrinsics);
  };
  info.isDrawnWithLoops = true;
  return info;
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

DimensionInfo asMove(DimensionInfo info) {
  info.isInTree = true;
  info.isMove = true;
  info.isDrawnWithLoops = true;
  info.drawsForOther = 4; // of each tensor, so that most are where they were
  return info;
}

DimensionInfo hoisted() {
  return asMove(ofEach<&ScheduleCandidate::hoisted>(
      DimensionInfo::Scope::Tensor, "hoisted",
      [](const ScheduleSpace &space, ScheduleDimension &dimension) {
        for (unsigned tensor : space.operands())
          addNumbers(dimension, ScheduleSpace::kMaxLevels + 1, tensor);
      }));
}

DimensionInfo retained() {
  return asMove(ofEach<&ScheduleCandidate::retained>(
      DimensionInfo::Scope::Contraction, "kept",
      [](const ScheduleSpace &space, ScheduleDimension &dimension) {
        for (unsigned contraction : space.intermediates())
          addNumbers(dimension, ScheduleSpace::kMaxLevels + 1, contraction);
      }));
}

//===----------------------------------------------------------------------===//
// Who copies
//===----------------------------------------------------------------------===//

DimensionInfo producers() {
  DimensionInfo info = ofSchedule<&MainloopPolicy::producers>(
      "producers",
      [](const ScheduleSpace &space, ScheduleDimension &dimension) {
        addElement(dimension, space.producers());
      });
  info.report = [](const Schedule &schedule, const GroupModel &,
                   Object &entry) {
    entry["producers"] = schedule.producerWarps;
  };
  info.isEvaluated = true;
  info.isMainloopPolicy = true;
  return info;
}

DimensionInfo persistences() {
  DimensionInfo info = ofSchedule<&MainloopPolicy::isPersistent>(
      "persistences",
      [](const ScheduleSpace &space, ScheduleDimension &dimension) {
        addNumbers(dimension, space.producers().size() > 1 ? 2 : 1);
      });
  info.report = [](const Schedule &schedule, const GroupModel &,
                   Object &entry) {
    entry["persistent"] = schedule.persistent;
  };
  info.wordsOfGrid = [](const Schedule &schedule) {
    return std::string(schedule.persistent ? ", each going through tiles" : "");
  };
  info.isOpen = [](const ScheduleSpace &space,
                   const ScheduleCandidate &candidate) {
    return space.mayPersist(candidate.policy.producers);
  };
  info.isEvaluated = true;
  info.isMainloopPolicy = true;
  return info;
}

DimensionInfo overlaps() {
  DimensionInfo info = ofSchedule<&MainloopPolicy::overlaps>(
      "overlaps", [](const ScheduleSpace &space, ScheduleDimension &dimension) {
        addNumbers(dimension, space.mayOverlap() ? 2 : 1);
      });
  info.report = [](const Schedule &schedule, const GroupModel &group,
                   Object &entry) {
    Array overlapped;
    for (auto [number, mapping] : llvm::enumerate(schedule.contractions))
      if (mapping.stages > 1)
        overlapped.push_back(nameOf(group, number));
    entry["overlapped"] = std::move(overlapped);
  };
  info.isOpen = [](const ScheduleSpace &space, const ScheduleCandidate &) {
    return space.mayOverlap();
  };
  info.isEvaluated = true;
  info.isMainloopPolicy = true;
  return info;
}

DimensionInfo turns() {
  DimensionInfo info = ofSchedule<&MainloopPolicy::isPingPong>(
      "turns", [](const ScheduleSpace &space, ScheduleDimension &dimension) {
        bool mayBe = space.mayOverlap() && space.producers().size() > 1;
        addNumbers(dimension, mayBe ? 2 : 1);
      });
  info.report = [](const Schedule &schedule, const GroupModel &,
                   Object &entry) { entry["turns"] = schedule.isPingPong; };
  info.isOpen = [](const ScheduleSpace &space,
                   const ScheduleCandidate &candidate) {
    return space.mayPingPong(candidate.policy.producers);
  };
  info.isEvaluated = true;
  info.isMainloopPolicy = true;
  return info;
}

} // namespace

llvm::ArrayRef<DimensionInfo> fusion::allDimensions() {
  static const DimensionInfo all[] = {
      expressions(),    arrangements(),    tiles(),         stages(),
      registerStages(), splits(),          blockSwizzles(), clusters(),
      transports(),     storeTransports(), intrinsics(),    hoisted(),
      retained(),       producers(),       persistences(),  overlaps(),
      turns()};
  return all;
}
