//===- Schedule.cpp - A schedule as plain data ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Schedules/Schedule.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Target/Layouts/FragmentLayouts.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace fusion;

using Explain = llvm::function_ref<void(const Twine &)>;

unsigned fusion::transportBytes(fuse::Transport transport) {
  switch (transport) {
  case fuse::Transport::Sync:
    return 0;
  case fuse::Transport::Async4:
    return 4;
  case fuse::Transport::Async8:
    return 8;
  case fuse::Transport::Async16:
  case fuse::Transport::TMA:
    return 16;
  }
  llvm_unreachable("covered switch");
}

int64_t fusion::countBlocks(const GroupModel &group, const Schedule &schedule) {
  int64_t blocks = 1;
  for (unsigned axis : schedule.blocks)
    blocks *= tripCount(group.axes[axis], schedule.tiles[axis]);
  if (std::optional<unsigned> split = schedule.splitAxis())
    blocks *= schedule.splitOf(*split);
  return blocks;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Returns the axis called `name`, or calls `explain` and returns nullopt.
static std::optional<unsigned>
resolveAxis(StringRef name, const GroupModel &group, Explain explain) {
  std::optional<unsigned> axis = group.findAxis(name);
  if (!axis)
    explain("the group has no axis '" + name + "'");
  return axis;
}

/// Reads the part of a schedule about machine code into `schedule`, whose
/// contractions have been read. Returns false and calls `explain` if it does
/// not fit the group.
static bool importCodegenOf(fuse::CodegenAttr attr, const GroupModel &group,
                            Schedule &schedule, Explain explain) {
  if (!attr)
    return true;
  schedule.codegen = importCodegen(attr);
  for (StringAttr name : attr.getMasked()) {
    auto *contraction =
        llvm::find_if(group.contractions, [&](const Contraction &each) {
          return group.tensors[each.result].name == name.getValue();
        });
    if (contraction == group.contractions.end()) {
      explain("the group has no product '" + name.getValue() + "'");
      return false;
    }
    schedule.contractions[contraction - group.contractions.begin()].keepsMasks =
        true;
  }
  return true;
}

static bool importProduct(Attribute attr, unsigned number,
                          const GroupModel &group, Schedule &schedule,
                          Explain explain) {
  const Contraction &contraction = group.contractions[number];
  StringRef name = group.tensors[contraction.result].name;
  auto map = dyn_cast_or_null<fuse::OperatorMapAttr>(attr);
  if (!map) {
    explain("the mapping says nothing of the product '" + name + "'");
    return false;
  }
  ContractionMapping &mapping = schedule.contractions.emplace_back();
  mapping.intrinsic = lookupIntrinsic(map.getIntrinsic());
  if (!mapping.intrinsic) {
    explain("unknown intrinsic '" + map.getIntrinsic() + "'");
    return false;
  }
  std::optional<unsigned> i1 = resolveAxis(map.getI1(), group, explain);
  std::optional<unsigned> i2 = resolveAxis(map.getI2(), group, explain);
  std::optional<unsigned> r1 = resolveAxis(map.getR1(), group, explain);
  if (!i1 || !i2 || !r1)
    return false;
  mapping.i1 = *i1;
  mapping.i2 = *i2;
  mapping.r1 = *r1;
  mapping.swapped = llvm::is_contained(contraction.rhsAxes, *i1);
  mapping.warps[0] = map.getWarps()[0];
  mapping.warps[1] = map.getWarps()[1];
  return true;
}

/// Returns the bytes that instructions read of operands in shared memory,
/// `depth` elements deep. A is read once for each part of the columns that one
/// instruction has, B once for each 64 rows.
static int64_t bytesInPlace(const GroupModel &group, const Schedule &schedule,
                            unsigned contraction, int64_t depth) {
  const ContractionMapping &mapping = schedule.contractions[contraction];
  const Intrinsic &intrinsic = *mapping.intrinsic;
  int64_t i1 = schedule.tiles[mapping.i1], i2 = schedule.tiles[mapping.i2],
          elementBytes = intrinsic.operandBits / 8;
  int64_t bytes =
      i1 / (intrinsic.i1 * intrinsic.warps) * i2 * depth * elementBytes;
  if (!isReadFromShared(group, schedule, contraction, mapping.swapped ? 1 : 0))
    return bytes;
  int64_t columns = instructionColumns(i2, mapping.warps[1], elementBytes);
  return bytes + (columns ? i2 / columns : 1) * i1 * depth * elementBytes;
}

int64_t fusion::fragmentBytes(const GroupModel &group, const Schedule &schedule,
                              unsigned contraction, int64_t depth) {
  const ContractionMapping &mapping = schedule.contractions[contraction];
  const Intrinsic &intrinsic = *mapping.intrinsic;
  if (intrinsic.readsShared())
    return bytesInPlace(group, schedule, contraction, depth);
  return intrinsic.operandBytes(/*isOperandA=*/true, schedule.tiles[mapping.i1],
                                depth) *
             mapping.warps[1] +
         intrinsic.operandBytes(/*isOperandA=*/false,
                                schedule.tiles[mapping.i2], depth) *
             mapping.warps[0];
}

bool fusion::isReadFromShared(const GroupModel &group, const Schedule &schedule,
                              unsigned contraction, unsigned operand) {
  const Contraction &info = group.contractions[contraction];
  const ContractionMapping &mapping = schedule.contractions[contraction];
  bool isLhs = mapping.isOperandA(operand);
  if (!mapping.intrinsic->operandPlaces(isLhs).shared || info.computed[operand])
    return false;
  if (std::optional<unsigned> producer = info.producer[operand])
    return schedule.places[group.contractions[*producer].result].space ==
           fuse::Space::Shared;
  return llvm::any_of(llvm::enumerate(group.tensors), [&](const auto &each) {
    const GroupTensor &tensor = each.value();
    return tensor.role == TensorRole::Operand && !tensor.pass &&
           tensor.operandNumber == operand &&
           (tensor.contraction == contraction ||
            llvm::is_contained(tensor.sharedBy, contraction)) &&
           schedule.places[each.index()].space == fuse::Space::Shared;
  });
}

std::optional<fuse::ReductionForm>
fusion::reductionForm(const GroupModel &group, const Schedule &schedule) {
  if (group.reductions.empty())
    return std::nullopt;
  bool isAhead = false;
  for (const Reduction &reduction : group.reductions)
    for (unsigned axis : reduction.reduced) {
      if (sequentialTrips(group, schedule, axis) == 1)
        continue;
      if (!reduction.pass ||
          runsWithContraction(group, schedule.tree,
                              group.rowStatistics[*reduction.pass]))
        return fuse::ReductionForm::Online;
      isAhead = true;
    }
  return isAhead ? fuse::ReductionForm::Prepass : fuse::ReductionForm::OneTile;
}

std::optional<Schedule> fusion::importSchedule(fuse::ScheduleAttr attr,
                                               const GroupModel &group,
                                               Explain explain) {
  Schedule schedule;
  if (attr.getReduction()) {
    if (group.reductions.empty()) {
      explain("'reduction' is for groups with reductions between products");
      return std::nullopt;
    }
    schedule.reduction = attr.getReduction().getForm();
    schedule.rescaleThreshold = attr.getReduction().getRescaleThreshold();
  }
  if (!attr.getTiling()) {
    explain("a chain's schedule needs a tiling");
    return std::nullopt;
  }
  if (attr.getStitching()) {
    explain("'stitching' is for stitched groups");
    return std::nullopt;
  }
  std::optional<TilingTree> tree =
      parseTiling(attr.getTiling().getExpression(), group, explain);
  if (!tree)
    return std::nullopt;
  schedule.tree = std::move(*tree);

  schedule.tiles.assign(group.axes.size(), 0);
  for (NamedAttribute entry : attr.getTiling().getTiles()) {
    std::optional<unsigned> axis =
        resolveAxis(entry.getName().getValue(), group, explain);
    if (!axis)
      return std::nullopt;
    schedule.tiles[*axis] = cast<IntegerAttr>(entry.getValue()).getInt();
  }
  for (auto [tile, axis] : llvm::zip_equal(schedule.tiles, group.axes))
    if (tile == 0) {
      explain("the tiling gives no tile size for axis '" + axis.name + "'");
      return std::nullopt;
    }

  if (mlir::StringAttr skip = attr.getTiling().getSkip()) {
    schedule.maskedAxis = resolveAxis(skip.getValue(), group, explain);
    if (!schedule.maskedAxis)
      return std::nullopt;
  }

  fuse::MappingAttr mapping = attr.getMapping();
  schedule.warps = mapping.getWarps();
  schedule.blockSwizzle = mapping.getBlockSwizzle();
  schedule.persistent = mapping.getPersistent();
  schedule.cluster = mapping.getCluster();
  if (fuse::ParallelAttr parallel = attr.getParallel()) {
    schedule.producerWarps = parallel.getProducers();
    schedule.splitInCluster = parallel.getInCluster();
    schedule.isPingPong = parallel.getPingPong();
    schedule.splits.assign(group.axes.size(), 1);
    for (NamedAttribute entry : parallel.getSplit()) {
      std::optional<unsigned> axis =
          resolveAxis(entry.getName().getValue(), group, explain);
      if (!axis)
        return std::nullopt;
      schedule.splits[*axis] = cast<IntegerAttr>(entry.getValue()).getInt();
    }
  }
  for (StringAttr name : mapping.getBlocks()) {
    std::optional<unsigned> axis = resolveAxis(name.getValue(), group, explain);
    if (!axis)
      return std::nullopt;
    schedule.blocks.push_back(*axis);
  }
  for (unsigned number = 0; number < group.contractions.size(); ++number) {
    StringRef name = group.tensors[group.contractions[number].result].name;
    Attribute map =
        mapping.getOperators() ? mapping.getOperators().get(name) : Attribute();
    if (!importProduct(map, number, group, schedule, explain))
      return std::nullopt;
  }
  if (mapping.getOperators())
    for (NamedAttribute entry : mapping.getOperators()) {
      StringRef name = entry.getName().getValue();
      std::optional<unsigned> tensor = group.findTensor(name);
      if (!tensor ||
          group.contractions[group.tensors[*tensor].contraction].result !=
              *tensor) {
        explain("the group has no product '" + name + "'");
        return std::nullopt;
      }
    }

  if (!importCodegenOf(attr.getCodegen(), group, schedule, explain))
    return std::nullopt;

  schedule.places.assign(group.tensors.size(), {});
  if (attr.getMemory())
    for (NamedAttribute entry : attr.getMemory().getPlaces()) {
      StringRef name = entry.getName().getValue();
      std::optional<unsigned> tensor = group.findTensor(name);
      if (!tensor) {
        explain("the group has no tensor '" + name + "'");
        return std::nullopt;
      }
      auto place = cast<fuse::PlaceAttr>(entry.getValue());
      schedule.places[*tensor].space = place.getSpace();
      schedule.places[*tensor].transport = place.getTransport();
      schedule.places[*tensor].eviction = place.getEviction();
    }
  fuse::PipelineAttr pipeline = attr.getPipeline();
  if (!pipeline)
    return schedule;
  auto inRegisters = [&](unsigned tensor) {
    return hasFragments(group, schedule, tensor);
  };
  auto inShared = [&](unsigned tensor) {
    return schedule.places[tensor].space == fuse::Space::Shared;
  };
  auto tensors = llvm::seq<unsigned>(0, group.tensors.size());
  if (pipeline.getRegisterStages() != 1 &&
      llvm::none_of(tensors, inRegisters)) {
    explain("no tensor has fragments for the " +
            Twine(pipeline.getRegisterStages()) +
            " stages of the register level");
    return std::nullopt;
  }
  for (unsigned tensor : tensors)
    if (inRegisters(tensor))
      schedule.places[tensor].registerStages = pipeline.getRegisterStages();
  // An entry that says nothing is a mistake, too: one stage is the default.
  auto readStages = [&](DictionaryAttr given, unsigned Placement::*stages,
                        llvm::function_ref<bool(unsigned)> isThere,
                        const char *whyNot) {
    for (NamedAttribute entry : given) {
      StringRef name = entry.getName().getValue();
      std::optional<unsigned> tensor = group.findTensor(name);
      if (!tensor) {
        explain("the group has no tensor '" + name + "'");
        return false;
      }
      if (!isThere(*tensor)) {
        explain("'" + name + "' " + whyNot);
        return false;
      }
      schedule.places[*tensor].*stages =
          cast<IntegerAttr>(entry.getValue()).getInt();
    }
    return true;
  };
  if (!readStages(pipeline.getShared(), &Placement::stages, inShared,
                  "is in registers and has no buffer with stages") ||
      (pipeline.getFragments() &&
       !readStages(pipeline.getFragments(), &Placement::registerStages,
                   inRegisters,
                   "is not multiplied from shared memory and has no fragments "
                   "with stages")))
    return std::nullopt;
  if (!pipeline.getOverlap())
    return schedule;
  for (NamedAttribute entry : pipeline.getOverlap()) {
    StringRef name = entry.getName().getValue();
    auto *contraction =
        llvm::find_if(group.contractions, [&](const Contraction &each) {
          return group.tensors[each.result].name == name;
        });
    if (contraction == group.contractions.end()) {
      explain("the group has no product '" + name + "'");
      return std::nullopt;
    }
    schedule.contractions[contraction - group.contractions.begin()].stages =
        cast<IntegerAttr>(entry.getValue()).getInt();
  }
  return schedule;
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

bool fusion::hasFragments(const GroupModel &group, const Schedule &schedule,
                          unsigned tensor) {
  const GroupTensor &info = group.tensors[tensor];
  if (schedule.places[tensor].space != fuse::Space::Shared)
    return false;
  // An operand that is read from shared memory is read as a whole tile; nothing
  // could be loaded early.
  auto isLoaded = [&](unsigned contraction) {
    return !schedule.contractions[contraction].intrinsic->readsShared();
  };
  if (info.role == TensorRole::Operand)
    return isLoaded(info.contraction) || llvm::any_of(info.sharedBy, isLoaded);
  if (info.role != TensorRole::Intermediate)
    return false;
  // Contractions are in program order.
  for (unsigned number = info.contraction + 1;
       number < group.contractions.size(); ++number) {
    const Contraction &consumer = group.contractions[number];
    if ((consumer.producer[0] == info.contraction ||
         consumer.producer[1] == info.contraction) &&
        isLoaded(number))
      return true;
  }
  return false;
}

std::optional<unsigned> fusion::commonRegisterStages(const GroupModel &group,
                                                     const Schedule &schedule) {
  std::optional<unsigned> common;
  for (unsigned tensor = 0; tensor < group.tensors.size(); ++tensor) {
    if (!hasFragments(group, schedule, tensor))
      continue;
    unsigned own = schedule.places[tensor].registerStages;
    if (common && *common != own)
      return std::nullopt;
    common = own;
  }
  return common.value_or(1);
}

SmallVector<unsigned, 2> fusion::listFragments(const GroupModel &group,
                                               const Schedule &schedule,
                                               unsigned contraction,
                                               unsigned operand) {
  SmallVector<unsigned, 2> list;
  if (std::optional<unsigned> producer =
          group.contractions[contraction].producer[operand]) {
    unsigned value = group.contractions[*producer].result;
    if (hasFragments(group, schedule, value))
      list.push_back(value);
  }
  for (auto [index, tensor] : llvm::enumerate(group.tensors))
    if (tensor.role == TensorRole::Operand && tensor.operandNumber == operand &&
        (tensor.contraction == contraction ||
         llvm::is_contained(tensor.sharedBy, contraction)) &&
        hasFragments(group, schedule, index))
      list.push_back(index);
  return list;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

fuse::ScheduleAttr fusion::exportSchedule(const Schedule &schedule,
                                          const GroupModel &group,
                                          MLIRContext *context) {
  mlir::Builder builder(context);
  SmallVector<NamedAttribute> tiles, operators, places, stages, fragments,
      overlapped, splits;
  std::optional<unsigned> common = commonRegisterStages(group, schedule);
  for (auto [axis, tile] : llvm::zip_equal(group.axes, schedule.tiles))
    tiles.push_back(
        builder.getNamedAttr(axis.name, builder.getI64IntegerAttr(tile)));
  for (auto [index, axis] : llvm::enumerate(group.axes))
    if (schedule.splitOf(index) != 1)
      splits.push_back(builder.getNamedAttr(
          axis.name, builder.getI64IntegerAttr(schedule.splitOf(index))));
  for (auto [contraction, mapping] :
       llvm::zip_equal(group.contractions, schedule.contractions)) {
    int64_t warps[] = {mapping.warps[0], mapping.warps[1]};
    operators.push_back(builder.getNamedAttr(
        group.tensors[contraction.result].name,
        fuse::OperatorMapAttr::get(
            context, mapping.intrinsic->name, group.axes[mapping.i1].name,
            group.axes[mapping.i2].name, group.axes[mapping.r1].name, warps)));
    if (mapping.stages > 1)
      overlapped.push_back(
          builder.getNamedAttr(group.tensors[contraction.result].name,
                               builder.getI64IntegerAttr(mapping.stages)));
  }
  for (auto [tensor, place] : llvm::zip_equal(group.tensors, schedule.places)) {
    places.push_back(builder.getNamedAttr(
        tensor.name, fuse::PlaceAttr::get(context, place.space, place.transport,
                                          place.eviction)));
    if (place.stages > 1)
      stages.push_back(builder.getNamedAttr(
          tensor.name, builder.getI64IntegerAttr(place.stages)));
    if (!common && place.registerStages > 1)
      fragments.push_back(builder.getNamedAttr(
          tensor.name, builder.getI64IntegerAttr(place.registerStages)));
  }
  SmallVector<StringAttr> blocks;
  for (unsigned axis : schedule.blocks)
    blocks.push_back(builder.getStringAttr(group.axes[axis].name));
  auto tiling = fuse::TilingAttr::get(
      context, printTiling(schedule.tree, group),
      builder.getDictionaryAttr(tiles),
      schedule.maskedAxis
          ? builder.getStringAttr(group.axes[*schedule.maskedAxis].name)
          : mlir::StringAttr());
  auto mapping = fuse::MappingAttr::get(
      context, schedule.warps, blocks, builder.getDictionaryAttr(operators),
      schedule.blockSwizzle, schedule.persistent, schedule.cluster);
  auto parallel = splits.empty() && schedule.producerWarps == 0
                      ? fuse::ParallelAttr()
                      : fuse::ParallelAttr::get(
                            context, builder.getDictionaryAttr(splits),
                            schedule.splitInCluster, schedule.producerWarps,
                            schedule.isPingPong);
  auto pipeline =
      stages.empty() && common == 1u && overlapped.empty()
          ? fuse::PipelineAttr()
          : fuse::PipelineAttr::get(
                context, builder.getDictionaryAttr(stages), common.value_or(1),
                fragments.empty() ? DictionaryAttr()
                                  : builder.getDictionaryAttr(fragments),
                overlapped.empty() ? DictionaryAttr()
                                   : builder.getDictionaryAttr(overlapped));
  auto result = fuse::ScheduleAttr::get(
      context, fuse::kScheduleVersion, tiling, mapping,
      fuse::MemoryAttr::get(context, builder.getDictionaryAttr(places)),
      pipeline, parallel,
      schedule.reduction
          ? fuse::ReductionAttr::get(context, *schedule.reduction,
                                     schedule.rescaleThreshold)
          : fuse::ReductionAttr());
  if (!schedule.codegen)
    return result;
  SmallVector<StringAttr> masked;
  for (auto [contraction, mapping] :
       llvm::zip_equal(group.contractions, schedule.contractions))
    if (mapping.keepsMasks)
      masked.push_back(
          builder.getStringAttr(group.tensors[contraction.result].name));
  return result.withCodegen(exportCodegen(*schedule.codegen, masked, context));
}

fuse::ScheduleAttr fusion::makeGenericSchedule(MLIRContext *context) {
  // Eight warps hide the latency of independent loads; no shared resource
  // speaks against them.
  constexpr int64_t warps = 8;
  auto mapping = fuse::MappingAttr::get(context, warps, /*cluster=*/1);
  return fuse::ScheduleAttr::get(context, fuse::kScheduleVersion,
                                 fuse::TilingAttr(), mapping,
                                 fuse::MemoryAttr(), fuse::PipelineAttr(),
                                 fuse::ParallelAttr(), fuse::ReductionAttr());
}

std::optional<std::string>
fusion::checkGenericSchedule(fuse::FusedGroupOpInterface group,
                             fuse::ScheduleAttr schedule) {
  fuse::MappingAttr mapping = schedule.getMapping();
  auto plain = fuse::MappingAttr::get(mapping.getContext(), mapping.getWarps(),
                                      /*cluster=*/1);
  if (mapping != plain || schedule.getMemory() || schedule.getPipeline() ||
      schedule.getParallel())
    return "the generic form has no blocks, block_swizzle, memory, pipeline or "
           "parallel part to choose";
  if (schedule.getReduction())
    return "'reduction' is for groups that consume a value while it is reduced";
  if (group.getYieldedValues() !=
      ValueRange(group.getOperators().back()->getResults()))
    return "the generic form yields what its last operator computes";
  return std::nullopt;
}

bool fusion::isGenericSchedule(fuse::ScheduleAttr schedule) {
  return !schedule.getTiling() && !schedule.getMapping().getOperators() &&
         !schedule.getStitching();
}
