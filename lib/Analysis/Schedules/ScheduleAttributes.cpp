//===- ScheduleAttributes.cpp - Schedules from and to attributes ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Schedules/Schedule.h"
#include "fusion/Target/Chips/Hardware.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace fusion;

using Explain = llvm::function_ref<void(const Twine &)>;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// Reads a schedule from its attribute, one part after the other. A part that
/// does not fit the group calls `explain`, and its function returns false or
/// nullopt.
class ScheduleReader {
public:
  ScheduleReader(fuse::ScheduleAttr attr, const GroupModel &group,
                 Explain explain)
      : attr(attr), group(group), explain(explain) {}

  std::optional<Schedule> read() {
    if (!readReduction() || !readTiling() || !readMapping() || !readCodegen() ||
        !readPlaces() || !readPipeline())
      return std::nullopt;
    return std::move(schedule);
  }

private:
  bool readReduction();
  bool readTiling();
  bool readMapping();
  bool readParallel();
  /// Reads the mappings of all contractions.
  bool readContractions(DictionaryAttr operators);
  bool readContraction(unsigned number, Attribute entry);
  bool readCodegen();
  bool readPlaces();
  bool readPipeline();
  /// Reads `stages` of the tensors that `given` names. Each has to be one that
  /// `isThere`, else `whyNot` is the reason.
  bool readStages(DictionaryAttr given, unsigned Placement::*stages,
                  llvm::function_ref<bool(unsigned)> isThere,
                  const char *whyNot);

  std::optional<unsigned> findAxis(StringRef name);
  std::optional<unsigned> findTensor(StringRef name);
  /// Returns the contraction with a result of this name.
  std::optional<unsigned> findContraction(StringRef name);

  /// Calls `explain` with the reason, and returns false.
  bool decline(const Twine &reason) {
    explain(reason);
    return false;
  }

  fuse::ScheduleAttr attr;
  const GroupModel &group;
  Explain explain;
  Schedule schedule;
};

} // namespace

std::optional<unsigned> ScheduleReader::findAxis(StringRef name) {
  std::optional<unsigned> axis = group.findAxis(name);
  if (!axis)
    explain("the group has no axis '" + name + "'");
  return axis;
}

std::optional<unsigned> ScheduleReader::findTensor(StringRef name) {
  std::optional<unsigned> tensor = group.findTensor(name);
  if (!tensor)
    explain("the group has no tensor '" + name + "'");
  return tensor;
}

std::optional<unsigned> ScheduleReader::findContraction(StringRef name) {
  for (auto [number, contraction] : llvm::enumerate(group.contractions))
    if (group.tensors[contraction.result].name == name)
      return number;
  explain("the group has no contraction '" + name + "'");
  return std::nullopt;
}

bool ScheduleReader::readReduction() {
  fuse::ReductionAttr reduction = attr.getReduction();
  if (!reduction)
    return true;
  if (group.reductions.empty())
    return decline(
        "'reduction' is for groups with reductions between contractions");
  schedule.reduction = reduction.getForm();
  schedule.rescaleThreshold = reduction.getRescaleThreshold();
  return true;
}

bool ScheduleReader::readTiling() {
  fuse::TilingAttr tiling = attr.getTiling();
  if (!tiling)
    return decline("a chain's schedule needs a tiling");
  if (attr.getStitching())
    return decline("'stitching' is for stitched groups");
  std::optional<TilingTree> tree =
      parseTiling(tiling.getExpression(), group, explain);
  if (!tree)
    return false;
  schedule.tree = std::move(*tree);

  schedule.tiles.assign(group.axes.size(), 0);
  for (NamedAttribute entry : tiling.getTiles()) {
    std::optional<unsigned> axis = findAxis(entry.getName().getValue());
    if (!axis)
      return false;
    schedule.tiles[*axis] = cast<IntegerAttr>(entry.getValue()).getInt();
  }
  for (auto [tile, axis] : llvm::zip_equal(schedule.tiles, group.axes))
    if (tile == 0)
      return decline("the tiling gives no tile size for axis '" + axis.name +
                     "'");

  if (mlir::StringAttr skip = tiling.getSkip()) {
    schedule.maskedAxis = findAxis(skip.getValue());
    return schedule.maskedAxis.has_value();
  }
  return true;
}

bool ScheduleReader::readMapping() {
  fuse::MappingAttr mapping = attr.getMapping();
  schedule.warps = mapping.getWarps();
  schedule.blockSwizzle = mapping.getBlockSwizzle();
  schedule.persistent = mapping.getPersistent();
  schedule.cluster = mapping.getCluster();
  if (!readParallel())
    return false;
  for (StringAttr name : mapping.getBlocks()) {
    std::optional<unsigned> axis = findAxis(name.getValue());
    if (!axis)
      return false;
    schedule.blocks.push_back(*axis);
  }
  return readContractions(mapping.getOperators());
}

bool ScheduleReader::readParallel() {
  fuse::ParallelAttr parallel = attr.getParallel();
  if (!parallel)
    return true;
  schedule.producerWarps = parallel.getProducers();
  schedule.splitInCluster = parallel.getInCluster();
  schedule.isPingPong = parallel.getPingPong();
  schedule.splits.assign(group.axes.size(), 1);
  for (NamedAttribute entry : parallel.getSplit()) {
    std::optional<unsigned> axis = findAxis(entry.getName().getValue());
    if (!axis)
      return false;
    schedule.splits[*axis] = cast<IntegerAttr>(entry.getValue()).getInt();
  }
  return true;
}

bool ScheduleReader::readContractions(DictionaryAttr operators) {
  for (auto [number, contraction] : llvm::enumerate(group.contractions)) {
    StringRef name = group.tensors[contraction.result].name;
    if (!readContraction(number, operators ? operators.get(name) : Attribute()))
      return false;
  }
  return !operators || llvm::all_of(operators, [&](NamedAttribute entry) {
    return findContraction(entry.getName().getValue()).has_value();
  });
}

bool ScheduleReader::readContraction(unsigned number, Attribute entry) {
  const Contraction &contraction = group.contractions[number];
  auto map = dyn_cast_or_null<fuse::OperatorMapAttr>(entry);
  if (!map)
    return decline("the mapping says nothing of the contraction '" +
                   group.tensors[contraction.result].name + "'");
  ContractionMapping &mapping = schedule.contractions.emplace_back();
  mapping.intrinsic = lookupIntrinsic(map.getIntrinsic());
  if (!mapping.intrinsic)
    return decline("unknown intrinsic '" + map.getIntrinsic() + "'");
  std::optional<unsigned> i1 = findAxis(map.getI1());
  std::optional<unsigned> i2 = findAxis(map.getI2());
  std::optional<unsigned> r1 = findAxis(map.getR1());
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

bool ScheduleReader::readCodegen() {
  fuse::CodegenAttr codegen = attr.getCodegen();
  if (!codegen)
    return true;
  schedule.codegen = importCodegen(codegen);
  for (StringAttr name : codegen.getMasked()) {
    std::optional<unsigned> contraction = findContraction(name.getValue());
    if (!contraction)
      return false;
    schedule.contractions[*contraction].keepsMasks = true;
  }
  return true;
}

bool ScheduleReader::readPlaces() {
  schedule.places.assign(group.tensors.size(), {});
  if (!attr.getMemory())
    return true;
  for (NamedAttribute entry : attr.getMemory().getPlaces()) {
    std::optional<unsigned> tensor = findTensor(entry.getName().getValue());
    if (!tensor)
      return false;
    auto place = cast<fuse::PlaceAttr>(entry.getValue());
    schedule.places[*tensor].space = place.getSpace();
    schedule.places[*tensor].transport = place.getTransport();
    schedule.places[*tensor].eviction = place.getEviction();
  }
  return true;
}

bool ScheduleReader::readPipeline() {
  fuse::PipelineAttr pipeline = attr.getPipeline();
  if (!pipeline)
    return true;
  auto inRegisters = [&](unsigned tensor) {
    return hasFragments(group, schedule, tensor);
  };
  auto inShared = [&](unsigned tensor) {
    return schedule.places[tensor].space == fuse::Space::Shared;
  };
  auto tensors = llvm::seq<unsigned>(0, group.tensors.size());
  if (pipeline.getRegisterStages() != 1 && llvm::none_of(tensors, inRegisters))
    return decline("no tensor has fragments for the " +
                   Twine(pipeline.getRegisterStages()) +
                   " stages of the register level");
  for (unsigned tensor : tensors)
    if (inRegisters(tensor))
      schedule.places[tensor].registerStages = pipeline.getRegisterStages();
  // An entry that says nothing is a mistake, too: one stage is the default.
  if (!readStages(pipeline.getShared(), &Placement::stages, inShared,
                  "is in registers and has no buffer with stages") ||
      (pipeline.getFragments() &&
       !readStages(pipeline.getFragments(), &Placement::registerStages,
                   inRegisters,
                   "is not multiplied from shared memory and has no fragments "
                   "with stages")))
    return false;
  if (!pipeline.getOverlap())
    return true;
  for (NamedAttribute entry : pipeline.getOverlap()) {
    std::optional<unsigned> contraction =
        findContraction(entry.getName().getValue());
    if (!contraction)
      return false;
    schedule.contractions[*contraction].stages =
        cast<IntegerAttr>(entry.getValue()).getInt();
  }
  return true;
}

bool ScheduleReader::readStages(DictionaryAttr given,
                                unsigned Placement::*stages,
                                llvm::function_ref<bool(unsigned)> isThere,
                                const char *whyNot) {
  for (NamedAttribute entry : given) {
    StringRef name = entry.getName().getValue();
    std::optional<unsigned> tensor = findTensor(name);
    if (!tensor)
      return false;
    if (!isThere(*tensor))
      return decline("'" + name + "' " + whyNot);
    schedule.places[*tensor].*stages =
        cast<IntegerAttr>(entry.getValue()).getInt();
  }
  return true;
}

std::optional<Schedule> fusion::importSchedule(fuse::ScheduleAttr attr,
                                               const GroupModel &group,
                                               Explain explain) {
  return ScheduleReader(attr, group, explain).read();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {

/// Writes the parts of a schedule's attribute.
class ScheduleWriter {
public:
  ScheduleWriter(const Schedule &schedule, const GroupModel &group,
                 MLIRContext *context)
      : schedule(schedule), group(group), builder(context) {}

  fuse::ScheduleAttr write();

private:
  fuse::TilingAttr tiling();
  fuse::MappingAttr mapping();
  fuse::MemoryAttr memory();
  fuse::PipelineAttr pipeline();
  fuse::ParallelAttr parallel();
  fuse::CodegenAttr codegen();

  NamedAttribute entry(StringRef name, int64_t number) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(number));
  }
  MLIRContext *context() { return builder.getContext(); }
  StringRef nameOf(const Contraction &contraction) const {
    return group.tensors[contraction.result].name;
  }

  const Schedule &schedule;
  const GroupModel &group;
  Builder builder;
};

} // namespace

fuse::TilingAttr ScheduleWriter::tiling() {
  SmallVector<NamedAttribute> tiles;
  for (auto [axis, tile] : llvm::zip_equal(group.axes, schedule.tiles))
    tiles.push_back(entry(axis.name, tile));
  return fuse::TilingAttr::get(
      context(), printTiling(schedule.tree, group),
      builder.getDictionaryAttr(tiles),
      schedule.maskedAxis
          ? builder.getStringAttr(group.axes[*schedule.maskedAxis].name)
          : mlir::StringAttr());
}

fuse::MappingAttr ScheduleWriter::mapping() {
  SmallVector<NamedAttribute> operators;
  for (auto [contraction, mapping] :
       llvm::zip_equal(group.contractions, schedule.contractions)) {
    int64_t warps[] = {mapping.warps[0], mapping.warps[1]};
    operators.push_back(builder.getNamedAttr(
        nameOf(contraction),
        fuse::OperatorMapAttr::get(
            context(), mapping.intrinsic->name, group.axes[mapping.i1].name,
            group.axes[mapping.i2].name, group.axes[mapping.r1].name, warps)));
  }
  SmallVector<StringAttr> blocks;
  for (unsigned axis : schedule.blocks)
    blocks.push_back(builder.getStringAttr(group.axes[axis].name));
  return fuse::MappingAttr::get(
      context(), schedule.warps, blocks, builder.getDictionaryAttr(operators),
      schedule.blockSwizzle, schedule.persistent, schedule.cluster);
}

fuse::MemoryAttr ScheduleWriter::memory() {
  SmallVector<NamedAttribute> places;
  for (auto [tensor, place] : llvm::zip_equal(group.tensors, schedule.places))
    places.push_back(builder.getNamedAttr(
        tensor.name, fuse::PlaceAttr::get(context(), place.space,
                                          place.transport, place.eviction)));
  return fuse::MemoryAttr::get(context(), builder.getDictionaryAttr(places));
}

fuse::PipelineAttr ScheduleWriter::pipeline() {
  SmallVector<NamedAttribute> stages, fragments, overlapped;
  std::optional<unsigned> common = commonRegisterStages(group, schedule);
  for (auto [contraction, mapping] :
       llvm::zip_equal(group.contractions, schedule.contractions))
    if (mapping.stages > 1)
      overlapped.push_back(entry(nameOf(contraction), mapping.stages));
  for (auto [tensor, place] : llvm::zip_equal(group.tensors, schedule.places)) {
    if (place.stages > 1)
      stages.push_back(entry(tensor.name, place.stages));
    if (!common && place.registerStages > 1)
      fragments.push_back(entry(tensor.name, place.registerStages));
  }
  if (stages.empty() && common == 1u && overlapped.empty())
    return {};
  return fuse::PipelineAttr::get(
      context(), builder.getDictionaryAttr(stages), common.value_or(1),
      fragments.empty() ? DictionaryAttr()
                        : builder.getDictionaryAttr(fragments),
      overlapped.empty() ? DictionaryAttr()
                         : builder.getDictionaryAttr(overlapped));
}

fuse::ParallelAttr ScheduleWriter::parallel() {
  SmallVector<NamedAttribute> splits;
  for (auto [index, axis] : llvm::enumerate(group.axes))
    if (schedule.splitOf(index) != 1)
      splits.push_back(entry(axis.name, schedule.splitOf(index)));
  if (splits.empty() && schedule.producerWarps == 0)
    return {};
  return fuse::ParallelAttr::get(context(), builder.getDictionaryAttr(splits),
                                 schedule.splitInCluster,
                                 schedule.producerWarps, schedule.isPingPong);
}

fuse::CodegenAttr ScheduleWriter::codegen() {
  SmallVector<StringAttr> masked;
  for (auto [contraction, mapping] :
       llvm::zip_equal(group.contractions, schedule.contractions))
    if (mapping.keepsMasks)
      masked.push_back(builder.getStringAttr(nameOf(contraction)));
  return exportCodegen(*schedule.codegen, masked, context());
}

fuse::ScheduleAttr ScheduleWriter::write() {
  auto result = fuse::ScheduleAttr::get(
      context(), fuse::kScheduleVersion, tiling(), mapping(), memory(),
      pipeline(), parallel(),
      schedule.reduction
          ? fuse::ReductionAttr::get(context(), *schedule.reduction,
                                     schedule.rescaleThreshold)
          : fuse::ReductionAttr());
  return schedule.codegen ? result.withCodegen(codegen()) : result;
}

fuse::ScheduleAttr fusion::exportSchedule(const Schedule &schedule,
                                          const GroupModel &group,
                                          MLIRContext *context) {
  return ScheduleWriter(schedule, group, context).write();
}

//===----------------------------------------------------------------------===//
// The generic form
//===----------------------------------------------------------------------===//

int64_t fusion::genericStages(int64_t iterations, int64_t loads) {
  // A register for each element leaves room for many warps.
  int64_t most = std::max<int64_t>(1, fuse::kMaxRegisterStages / loads);
  return ShapedType::isDynamic(iterations) ? most : std::min(iterations, most);
}

int64_t fusion::genericStages(ArrayRef<linalg::LinalgOp> operators) {
  int64_t stages = 1;
  for (linalg::LinalgOp op : operators) {
    SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
    auto innermost =
        llvm::find(llvm::reverse(kinds), utils::IteratorType::reduction);
    if (innermost != kinds.rend())
      stages = std::max(
          stages,
          genericStages(op.getStaticLoopRanges()[kinds.rend() - innermost - 1],
                        std::max<int64_t>(1, op.getNumDpsInputs())));
  }
  return stages;
}

fuse::ScheduleAttr
fusion::makeGenericSchedule(MLIRContext *context,
                            ArrayRef<linalg::LinalgOp> operators,
                            bool isForCpu) {
  // Eight warps hide the latency of independent loads; no shared resource
  // speaks against them.
  constexpr int64_t usual = 8;
  auto mapping = fuse::MappingAttr::get(context, isForCpu ? kMaxWarps : usual,
                                        /*cluster=*/1);
  int64_t stages = isForCpu ? 1 : genericStages(operators);
  auto pipeline =
      stages == 1
          ? fuse::PipelineAttr()
          : fuse::PipelineAttr::get(context, DictionaryAttr::get(context),
                                    stages, DictionaryAttr(), DictionaryAttr());
  return fuse::ScheduleAttr::get(context, fuse::kScheduleVersion,
                                 fuse::TilingAttr(), mapping,
                                 fuse::MemoryAttr(), pipeline,
                                 fuse::ParallelAttr(), fuse::ReductionAttr());
}

std::optional<std::string>
fusion::checkGenericSchedule(fuse::FusedGroupOpInterface group,
                             fuse::ScheduleAttr schedule) {
  fuse::MappingAttr mapping = schedule.getMapping();
  auto plain = fuse::MappingAttr::get(mapping.getContext(), mapping.getWarps(),
                                      /*cluster=*/1);
  if (mapping != plain || schedule.getMemory() || schedule.getParallel())
    return "the generic form has no blocks, block_swizzle, memory or parallel "
           "part to choose";
  if (fuse::PipelineAttr pipeline = schedule.getPipeline();
      pipeline && (!pipeline.getShared().empty() || pipeline.getFragments() ||
                   pipeline.getOverlap()))
    return "the generic form's pipeline has register stages alone";
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
