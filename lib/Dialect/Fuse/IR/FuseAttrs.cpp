//===- FuseAttrs.cpp - Verifiers of schedule attributes -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks of a schedule that need no group. Checks against the group and the
// chip are in fusion/Analysis/Legality/ScheduleLegality.h.
//
//===----------------------------------------------------------------------===//

#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Support/TileSize.h"
#include "fusion/Target/Chips/ChipTable.h"
#include "fusion/Target/Chips/Hardware.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::fuse;

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

/// Checks that every value of `dictionary` is an integer of at least `minimum`
/// and below the bound that keeps footprints exact in 64 bits.
static LogicalResult verifyIntegers(EmitError emitError,
                                    DictionaryAttr dictionary, StringRef what) {
  for (NamedAttribute entry : dictionary) {
    auto value = dyn_cast<IntegerAttr>(entry.getValue());
    if (!value || value.getValue().slt(1) || value.getValue().sgt(kMaxTileSize))
      return emitError() << what << " of '" << entry.getName().getValue()
                         << "' must be an integer from 1 to " << kMaxTileSize
                         << ", got " << entry.getValue();
  }
  return success();
}

LogicalResult ChipAttr::verify(EmitError emitError, StringRef name) {
  if (lookupChip(name))
    return success();
  return emitError() << "unknown chip '" << name << "'; known chips are "
                     << knownChipNames();
}

LogicalResult TilingAttr::verify(EmitError emitError, StringRef expression,
                                 DictionaryAttr tiles, StringAttr) {
  if (expression.empty())
    return emitError() << "tiling expression must not be empty";
  return verifyIntegers(emitError, tiles, "tile size");
}

LogicalResult PlaceAttr::verify(EmitError emitError, Space space,
                                Transport transport, Eviction eviction) {
  if (eviction == Eviction::Normal ||
      (space == Space::Shared && transport == Transport::TMA))
    return success();
  return emitError() << "'" << stringifyEviction(eviction)
                     << "' is said of TMA copies to shared memory only";
}

LogicalResult OperatorMapAttr::verify(EmitError emitError, StringRef intrinsic,
                                      StringRef i1, StringRef i2, StringRef r1,
                                      ArrayRef<int64_t> warps) {
  if (warps.size() != 2 || llvm::any_of(warps, [](int64_t count) {
        return count < 1 || count > kMaxWarps;
      }))
    return emitError() << "'warps' must be two numbers from 1 to " << kMaxWarps
                       << ", the warps along i1 and i2";
  if (i1 == i2 || i1 == r1 || i2 == r1)
    return emitError() << "i1, i2 and r1 must be different axes";
  return success();
}

/// Parses any number of `, key = value` entries up to the closing `>`.
/// `parseValue` parses each value; it gets the key and its location.
static ParseResult
parseEntries(AsmParser &parser,
             function_ref<ParseResult(StringRef, SMLoc)> parseValue) {
  llvm::StringSet<> seen;
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef key;
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    if (!seen.insert(key).second)
      return parser.emitError(loc) << "'" << key << "' is given twice";
    if (parseValue(key, loc))
      return failure();
  }
  return parser.parseGreater();
}

Attribute MappingAttr::parse(AsmParser &parser, Type) {
  int64_t warps = 0, blockSwizzle = 1, cluster = 1;
  bool persistent = false;
  SmallVector<StringAttr> blocks;
  DictionaryAttr operators;
  SMLoc loc = parser.getCurrentLocation();
  auto parseBlock = [&] {
    return parser.parseAttribute(blocks.emplace_back());
  };
  if (parser.parseLess() || parser.parseKeyword("warps") ||
      parser.parseEqual() || parser.parseInteger(warps))
    return {};
  auto parseValue = [&](StringRef key, SMLoc keyLoc) -> ParseResult {
    if (key == "blocks")
      return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                            parseBlock);
    if (key == "operators")
      return parser.parseAttribute(operators);
    if (key == "block_swizzle")
      return parser.parseInteger(blockSwizzle);
    if (key == "cluster")
      return parser.parseInteger(cluster);
    if (key != "persistent")
      return parser.emitError(keyLoc)
             << "expected blocks, operators, block_swizzle, persistent or "
                "cluster";
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    persistent = word == "true";
    if (!persistent && word != "false")
      return parser.emitError(keyLoc) << "'persistent' is true or false";
    return success();
  };
  if (parseEntries(parser, parseValue))
    return {};
  return MappingAttr::getChecked([&] { return parser.emitError(loc); },
                                 parser.getContext(), warps,
                                 ArrayRef<StringAttr>(blocks), operators,
                                 blockSwizzle, persistent, cluster);
}

void MappingAttr::print(AsmPrinter &printer) const {
  printer << "<warps = " << getWarps();
  if (!getBlocks().empty()) {
    printer << ", blocks = [";
    llvm::interleaveComma(getBlocks(), printer);
    printer << "]";
  }
  if (getOperators())
    printer << ", operators = " << getOperators();
  if (getBlockSwizzle() != 1)
    printer << ", block_swizzle = " << getBlockSwizzle();
  if (getPersistent())
    printer << ", persistent = true";
  if (getCluster() != 1)
    printer << ", cluster = " << getCluster();
  printer << ">";
}

LogicalResult MappingAttr::verify(EmitError emitError, int64_t warps,
                                  ArrayRef<StringAttr> blocks,
                                  DictionaryAttr operators,
                                  int64_t blockSwizzle, bool persistent,
                                  int64_t cluster) {
  if (warps < 1 || warps > kMaxWarps)
    return emitError() << "a block has 1 to " << kMaxWarps << " warps, got "
                       << warps;
  if (blockSwizzle < 1 || cluster < 1)
    return emitError() << "'block_swizzle' and 'cluster' must be at least 1";
  llvm::StringSet<> seen;
  for (StringAttr axis : blocks)
    if (!seen.insert(axis.getValue()).second)
      return emitError() << "axis '" << axis.getValue()
                         << "' is bound to the grid twice";
  if (operators)
    for (NamedAttribute entry : operators)
      if (!isa<OperatorMapAttr>(entry.getValue()))
        return emitError() << "operator '" << entry.getName().getValue()
                           << "' must have an #fuse.operator_map, got "
                           << entry.getValue();
  return success();
}

LogicalResult MemoryAttr::verify(EmitError emitError, DictionaryAttr places) {
  for (NamedAttribute entry : places)
    if (!isa<PlaceAttr>(entry.getValue()))
      return emitError() << "tensor '" << entry.getName().getValue()
                         << "' must have an #fuse.place, got "
                         << entry.getValue();
  return success();
}

Attribute PipelineAttr::parse(AsmParser &parser, Type) {
  DictionaryAttr shared, fragments, overlap;
  int64_t registerStages = 1;
  if (parser.parseLess() || parser.parseAttribute(shared))
    return {};
  auto parseValue = [&](StringRef key, SMLoc keyLoc) -> ParseResult {
    if (key == "register_stages")
      return parser.parseInteger(registerStages);
    if (key == "fragments")
      return parser.parseAttribute(fragments);
    if (key == "overlap")
      return parser.parseAttribute(overlap);
    return parser.emitError(keyLoc)
           << "expected register_stages, fragments or overlap";
  };
  if (parseEntries(parser, parseValue))
    return {};
  return parser.getChecked<PipelineAttr>(parser.getContext(), shared,
                                         registerStages, fragments, overlap);
}

void PipelineAttr::print(AsmPrinter &printer) const {
  printer << "<" << getShared();
  if (getRegisterStages() != 1)
    printer << ", register_stages = " << getRegisterStages();
  if (getFragments())
    printer << ", fragments = " << getFragments();
  if (getOverlap())
    printer << ", overlap = " << getOverlap();
  printer << ">";
}

LogicalResult PipelineAttr::verify(EmitError emitError, DictionaryAttr shared,
                                   int64_t registerStages,
                                   DictionaryAttr fragments,
                                   DictionaryAttr overlap) {
  auto verifyLevel = [&](int64_t stages, const char *who) -> LogicalResult {
    if (stages >= 1 && stages <= 2)
      return success();
    return emitError() << who << " 1 or 2 stages, got " << stages;
  };
  auto verifyLevels = [&](DictionaryAttr given, const char *what,
                          const char *who) -> LogicalResult {
    if (!given)
      return success();
    if (failed(verifyIntegers(emitError, given, what)))
      return failure();
    for (NamedAttribute entry : given)
      if (failed(
              verifyLevel(cast<IntegerAttr>(entry.getValue()).getInt(), who)))
        return failure();
    return success();
  };
  if (registerStages < 1 || registerStages > kMaxRegisterStages)
    return emitError() << "the register level has 1 to " << kMaxRegisterStages
                       << " stages, got " << registerStages;
  if (failed(verifyLevels(fragments, "stages of fragments",
                          "the register level has")) ||
      failed(
          verifyLevels(overlap, "stages of contractions", "a contraction has")))
    return failure();
  return verifyIntegers(emitError, shared, "stages");
}

Attribute ParallelAttr::parse(AsmParser &parser, Type) {
  DictionaryAttr split;
  bool inCluster = false, pingPong = false;
  int64_t producers = 0;
  if (parser.parseLess() || parser.parseAttribute(split))
    return {};
  auto parseValue = [&](StringRef key, SMLoc keyLoc) -> ParseResult {
    if (key == "producers")
      return parser.parseInteger(producers);
    if (key != "in_cluster" && key != "ping_pong")
      return parser.emitError(keyLoc)
             << "expected in_cluster, producers or ping_pong";
    StringRef value;
    SMLoc valueLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&value))
      return failure();
    if (value != "true" && value != "false")
      return parser.emitError(valueLoc) << "expected true or false";
    (key == "ping_pong" ? pingPong : inCluster) = value == "true";
    return success();
  };
  if (parseEntries(parser, parseValue))
    return {};
  return parser.getChecked<ParallelAttr>(parser.getContext(), split, inCluster,
                                         producers, pingPong);
}

void ParallelAttr::print(AsmPrinter &printer) const {
  printer << "<" << getSplit();
  if (getInCluster())
    printer << ", in_cluster = true";
  if (getProducers() != 0)
    printer << ", producers = " << getProducers();
  if (getPingPong())
    printer << ", ping_pong = true";
  printer << ">";
}

LogicalResult ParallelAttr::verify(EmitError emitError, DictionaryAttr split,
                                   bool inCluster, int64_t producers,
                                   bool pingPong) {
  if (inCluster && split.empty())
    return emitError() << "'in_cluster' is of reductions that are split";
  if (producers < 0 || producers >= kMaxWarps)
    return emitError() << "a block has 0 to " << kMaxWarps - 1
                       << " producer warps, got " << producers;
  if (pingPong && producers == 0)
    return emitError() << "'ping_pong' is of kernels with 'producers'";
  return verifyIntegers(emitError, split, "split factor");
}

LogicalResult ReductionAttr::verify(EmitError emitError, ReductionForm form,
                                    int64_t rescaleThreshold) {
  // A factor of less than 2^-126 is not a normal f32 number.
  if (rescaleThreshold < 0 || rescaleThreshold > 126)
    return emitError() << "'rescale_threshold' is from 0 to 126, got "
                       << rescaleThreshold;
  if (rescaleThreshold > 0 && form != ReductionForm::Online)
    return emitError()
           << "'rescale_threshold' is for reductions that run online";
  return success();
}

LogicalResult PartialAttr::verify(EmitError emitError, StringRef axis,
                                  int64_t splits, int64_t length) {
  if (axis.empty())
    return emitError() << "'axis' must name an axis";
  if (splits < 2)
    return emitError() << "a reduction has 2 splits or more, got " << splits;
  if (length < 1)
    return emitError() << "a split has at least one element, got " << length;
  return success();
}

LogicalResult ThreadMappingAttr::verify(EmitError emitError, int64_t tile,
                                        int64_t vector, int64_t lanes,
                                        int64_t warps, int64_t align) {
  if (tile < 1 || vector < 1 || lanes < 1 || warps < 1)
    return emitError() << "tile, vector, lanes and warps are at least 1";
  if (tile % (vector * lanes * warps) != 0)
    return emitError() << "a tile of " << tile << " is no multiple of "
                       << vector << " elements of " << lanes << " lanes of "
                       << warps << " warps";
  if (lanes > kWarpSize || (lanes & (lanes - 1)) != 0)
    return emitError() << "lanes are a power of two up to " << kWarpSize
                       << ", got " << lanes;
  if (!llvm::isPowerOf2_64(align) || align < 1)
    return emitError() << "'align' is a power of two, got " << align;
  if (align > 1 && align % vector != 0)
    return emitError() << "'align' is a multiple of 'vector', got " << align
                       << " and " << vector;
  return success();
}

LogicalResult SerialLoopAttr::verify(EmitError emitError, StringAttr,
                                     int64_t step, int64_t registerSteps,
                                     int64_t sharedSteps, bool online,
                                     bool retainExpensive, int64_t stages,
                                     bool tma) {
  if (stages < 1 || stages > 8)
    return emitError() << "there are 1 to 8 stages, not " << stages;
  if (tma && stages == 1)
    return emitError() << "'tma' is of copies in 2 stages or more";
  if (step < 1 || registerSteps < 0 || sharedSteps < 0)
    return emitError() << "'step' is at least 1, 'register_steps' and "
                          "'shared_steps' at least 0";
  if (online && retainExpensive)
    return emitError() << "'retain_expensive' is for passes of their own, "
                          "'online' saves them";
  if (retainExpensive && registerSteps + sharedSteps == 0)
    return emitError() << "'retain_expensive' says what is retained, and no "
                          "step is";
  return success();
}

LogicalResult CompositionAttr::verify(EmitError emitError, int64_t op,
                                      Sharing) {
  if (op < 0)
    return emitError() << "operators count from 0, got " << op;
  return success();
}

LogicalResult StitchingAttr::verify(EmitError emitError,
                                    DictionaryAttr threadMapping,
                                    SerialLoopAttr serialLoop, bool,
                                    int64_t fanIn, int64_t splitStep,
                                    ArrayRef<CompositionAttr> compositions) {
  if (fanIn < 0 || fanIn == 1)
    return emitError() << "'fan_in' is at least 2 blocks, got " << fanIn;
  if (splitStep < 0 || (splitStep > 0 && !serialLoop))
    return emitError() << "'split_step' is positive and needs 'serial_loop', "
                          "got "
                       << splitStep;
  if (serialLoop && !threadMapping.get(serialLoop.getAxis()))
    return emitError() << "the serial loop runs over axis "
                       << serialLoop.getAxis()
                       << ", which has no thread mapping";
  for (NamedAttribute entry : threadMapping)
    if (!isa<ThreadMappingAttr>(entry.getValue()))
      return emitError() << "axis '" << entry.getName().getValue()
                         << "' must have an #fuse.thread_mapping, got "
                         << entry.getValue();
  for (unsigned at = 1; at < compositions.size(); ++at)
    if (compositions[at - 1].getOp() >= compositions[at].getOp())
      return emitError() << "'compositions' must name operators in ascending "
                            "order, got "
                         << compositions[at].getOp() << " after "
                         << compositions[at - 1].getOp();
  return success();
}

Attribute CodegenAttr::parse(AsmParser &parser, Type) {
  int64_t residentBlocks = 0, unmaskedIterations = 1;
  SmallVector<int64_t> registerBudgets;
  SmallVector<StringAttr> masked;
  SMLoc loc = parser.getCurrentLocation();
  auto parseRegisters = [&] {
    return parser.parseInteger(registerBudgets.emplace_back());
  };
  auto parseContraction = [&] {
    return parser.parseAttribute(masked.emplace_back());
  };
  if (parser.parseLess() || parser.parseKeyword("resident_blocks") ||
      parser.parseEqual() || parser.parseInteger(residentBlocks))
    return {};
  auto parseValue = [&](StringRef key, SMLoc keyLoc) -> ParseResult {
    if (key == "register_budgets")
      return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                            parseRegisters);
    if (key == "masked")
      return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                            parseContraction);
    if (key == "unmasked_iterations")
      return parser.parseInteger(unmaskedIterations);
    return parser.emitError(keyLoc)
           << "expected register_budgets, masked or unmasked_iterations";
  };
  if (parseEntries(parser, parseValue))
    return {};
  return CodegenAttr::getChecked(
      [&] { return parser.emitError(loc); }, parser.getContext(),
      residentBlocks, ArrayRef<int64_t>(registerBudgets),
      ArrayRef<StringAttr>(masked), unmaskedIterations);
}

void CodegenAttr::print(AsmPrinter &printer) const {
  printer << "<resident_blocks = " << getResidentBlocks();
  auto printList = [&](StringRef key, auto list) {
    if (list.empty())
      return;
    printer << ", " << key << " = [";
    llvm::interleaveComma(list, printer);
    printer << "]";
  };
  printList("register_budgets", getRegisterBudgets());
  printList("masked", getMasked());
  if (getUnmaskedIterations() != 1)
    printer << ", unmasked_iterations = " << getUnmaskedIterations();
  printer << ">";
}

LogicalResult CodegenAttr::verify(EmitError emitError, int64_t residentBlocks,
                                  ArrayRef<int64_t> registerBudgets,
                                  ArrayRef<StringAttr> masked,
                                  int64_t unmaskedIterations) {
  if (residentBlocks < 1)
    return emitError() << "an SM holds 1 block or more, got 'resident_blocks' "
                       << residentBlocks;
  if (!registerBudgets.empty() &&
      (registerBudgets.size() != 2 ||
       llvm::any_of(registerBudgets, [](int64_t count) {
         return count < 1 || count % kReallocationStep != 0;
       })))
    return emitError() << "'register_budgets' are two positive multiples of 8, "
                          "of producers and of consumers";
  for (unsigned number = 0; number < masked.size(); ++number)
    if (llvm::is_contained(masked.take_front(number), masked[number]))
      return emitError() << "'masked' names " << masked[number] << " twice";
  if (unmaskedIterations < 1)
    return emitError() << "a loop has 1 iteration or more, got "
                          "'unmasked_iterations' "
                       << unmaskedIterations;
  return success();
}

ScheduleAttr ScheduleAttr::withCodegen(CodegenAttr codegen) const {
  return get(getContext(), getVersion(), getTiling(), getMapping(), getMemory(),
             getPipeline(), getParallel(), getReduction(), getStitching(),
             codegen);
}

LogicalResult ScheduleAttr::verify(EmitError emitError, int64_t version,
                                   TilingAttr tiling, MappingAttr mapping,
                                   MemoryAttr, PipelineAttr, ParallelAttr,
                                   ReductionAttr, StitchingAttr stitching,
                                   CodegenAttr codegen) {
  if (version == 1)
    return emitError() << "version 1 of #fuse.schedule is not read: its fields "
                          "have other names in version 2 (docs/glossary.md)";
  if (version != kScheduleVersion)
    return emitError() << "unknown schedule version " << version
                       << "; this compiler reads version " << kScheduleVersion;
  if (codegen && !tiling && !stitching)
    return emitError() << "'codegen' needs 'tiling' or 'stitching': the "
                          "generic form has no 'codegen'";
  return success();
}
