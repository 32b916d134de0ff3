//===- FuseAttrs.cpp - Verifiers of schedule attributes
//-----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What can be said of a schedule without its group. Whether it fits the group
// and the chip is said by fusion/Analysis/ScheduleLegality.h.
//
//===----------------------------------------------------------------------===//

#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Target/ChipTable.h"
#include "fusion/Target/Hardware.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::fuse;

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

/// Checks that every value of `dictionary` is an integer of at least `minimum`.
/// Entries are positive and so small that footprints are exact in 64 bits.
static LogicalResult verifyIntegers(EmitError emitError,
                                    DictionaryAttr dictionary, StringRef what) {
  constexpr int64_t most = 65536;
  for (NamedAttribute entry : dictionary) {
    auto value = dyn_cast<IntegerAttr>(entry.getValue());
    if (!value || value.getValue().slt(1) || value.getValue().sgt(most))
      return emitError() << what << " of '" << entry.getName().getValue()
                         << "' must be an integer from 1 to " << most
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
      (space == Space::Shared && transport == Transport::Bulk))
    return success();
  return emitError() << "'" << stringifyEviction(eviction)
                     << "' is said of bulk copies to shared memory only";
}

LogicalResult OperatorMapAttr::verify(EmitError emitError, StringRef intrinsic,
                                      StringRef i1, StringRef i2, StringRef r1,
                                      ArrayRef<int64_t> warps) {
  if (warps.size() != 2 || llvm::any_of(warps, [](int64_t count) {
        return count < 1 || count > kMostWarps;
      }))
    return emitError() << "'warps' must be two numbers from 1 to " << kMostWarps
                       << ", the warps along i1 and i2";
  if (i1 == i2 || i1 == r1 || i2 == r1)
    return emitError() << "i1, i2 and r1 must be different axes";
  return success();
}

/// `, key = value` as often as there are any, up to the closing `>`. The value
/// is `parseValue`'s, which is told the key and where it stands.
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
  int64_t warps = 0, raster = 1, cluster = 1;
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
    if (key == "raster")
      return parser.parseInteger(raster);
    if (key == "cluster")
      return parser.parseInteger(cluster);
    if (key != "persistent")
      return parser.emitError(keyLoc)
             << "expected blocks, operators, raster, persistent or cluster";
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
  return MappingAttr::getChecked(
      [&] { return parser.emitError(loc); }, parser.getContext(), warps,
      ArrayRef<StringAttr>(blocks), operators, raster, persistent, cluster);
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
  if (getRaster() != 1)
    printer << ", raster = " << getRaster();
  if (getPersistent())
    printer << ", persistent = true";
  if (getCluster() != 1)
    printer << ", cluster = " << getCluster();
  printer << ">";
}

LogicalResult MappingAttr::verify(EmitError emitError, int64_t warps,
                                  ArrayRef<StringAttr> blocks,
                                  DictionaryAttr operators, int64_t raster,
                                  bool persistent, int64_t cluster) {
  if (warps < 1 || warps > kMostWarps)
    return emitError() << "a block has 1 to " << kMostWarps << " warps, got "
                       << warps;
  if (raster < 1 || cluster < 1)
    return emitError() << "'raster' and 'cluster' must be at least 1";
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
  DictionaryAttr shared, fragments, products;
  int64_t registers = 1;
  if (parser.parseLess() || parser.parseAttribute(shared))
    return {};
  auto parseValue = [&](StringRef key, SMLoc keyLoc) -> ParseResult {
    if (key == "registers")
      return parser.parseInteger(registers);
    if (key == "fragments")
      return parser.parseAttribute(fragments);
    if (key == "products")
      return parser.parseAttribute(products);
    return parser.emitError(keyLoc)
           << "expected registers, fragments or products";
  };
  if (parseEntries(parser, parseValue))
    return {};
  return parser.getChecked<PipelineAttr>(parser.getContext(), shared, registers,
                                         fragments, products);
}

void PipelineAttr::print(AsmPrinter &printer) const {
  printer << "<" << getShared();
  if (getRegisters() != 1)
    printer << ", registers = " << getRegisters();
  if (getFragments())
    printer << ", fragments = " << getFragments();
  if (getProducts())
    printer << ", products = " << getProducts();
  printer << ">";
}

LogicalResult PipelineAttr::verify(EmitError emitError, DictionaryAttr shared,
                                   int64_t registers, DictionaryAttr fragments,
                                   DictionaryAttr products) {
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
  if (failed(verifyLevel(registers, "the register level has")) ||
      failed(verifyLevels(fragments, "stages of fragments",
                          "the register level has")) ||
      failed(verifyLevels(products, "stages of products", "a product has")))
    return failure();
  return verifyIntegers(emitError, shared, "stages");
}

Attribute ParallelAttr::parse(AsmParser &parser, Type) {
  DictionaryAttr split;
  bool inCluster = false, turns = false;
  int64_t producers = 0;
  if (parser.parseLess() || parser.parseAttribute(split))
    return {};
  auto parseValue = [&](StringRef key, SMLoc keyLoc) -> ParseResult {
    if (key == "producers")
      return parser.parseInteger(producers);
    if (key != "in_cluster" && key != "turns")
      return parser.emitError(keyLoc)
             << "expected in_cluster, producers or turns";
    StringRef value;
    SMLoc valueLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&value))
      return failure();
    if (value != "true" && value != "false")
      return parser.emitError(valueLoc) << "expected true or false";
    (key == "turns" ? turns : inCluster) = value == "true";
    return success();
  };
  if (parseEntries(parser, parseValue))
    return {};
  return parser.getChecked<ParallelAttr>(parser.getContext(), split, inCluster,
                                         producers, turns);
}

void ParallelAttr::print(AsmPrinter &printer) const {
  printer << "<" << getSplit();
  if (getInCluster())
    printer << ", in_cluster = true";
  if (getProducers() != 0)
    printer << ", producers = " << getProducers();
  if (getTurns())
    printer << ", turns = true";
  printer << ">";
}

LogicalResult ParallelAttr::verify(EmitError emitError, DictionaryAttr split,
                                   bool inCluster, int64_t producers,
                                   bool turns) {
  if (inCluster && split.empty())
    return emitError() << "'in_cluster' is of reductions that are split";
  if (producers < 0 || producers > 31)
    return emitError() << "a block has 0 to 31 producer warps, got "
                       << producers;
  if (turns && producers == 0)
    return emitError() << "'turns' are of warps beside 'producers'";
  return verifyIntegers(emitError, split, "split factor");
}

LogicalResult ReductionAttr::verify(EmitError emitError, ReductionForm form,
                                    int64_t rescale) {
  // A factor of less than 2^-126 is no normal number.
  if (rescale < 0 || rescale > 126)
    return emitError() << "'rescale' is from 0 to 126, got " << rescale;
  if (rescale > 0 && form != ReductionForm::Online)
    return emitError() << "'rescale' is for reductions that run online";
  return success();
}

LogicalResult PartialAttr::verify(EmitError emitError, StringRef axis,
                                  int64_t parts, int64_t length) {
  if (axis.empty())
    return emitError() << "'axis' must name an axis";
  if (parts < 2)
    return emitError() << "a reduction is split into 2 parts or more, got "
                       << parts;
  if (length < 1)
    return emitError() << "a part has at least one element, got " << length;
  return success();
}

LogicalResult SpreadAttr::verify(EmitError emitError, int64_t tile,
                                 int64_t vector, int64_t lanes, int64_t warps,
                                 int64_t align) {
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

LogicalResult WalkAttr::verify(EmitError emitError, StringAttr, int64_t step,
                               int64_t registers, int64_t shared, bool online,
                               bool costly, int64_t stages, bool bulk) {
  if (stages < 1 || stages > 8)
    return emitError() << "there are 1 to 8 stages, not " << stages;
  if (bulk && stages == 1)
    return emitError() << "'bulk' is of what is copied ahead, in 2 stages or "
                          "more";
  if (step < 1 || registers < 0 || shared < 0)
    return emitError()
           << "a step has an element, and no fewer than none are kept";
  if (online && costly)
    return emitError() << "'costly' is for passes of their own, 'online' saves "
                          "them";
  if (costly && registers + shared == 0)
    return emitError() << "'costly' says what is kept, and no step is";
  return success();
}

LogicalResult StitchingAttr::verify(EmitError emitError, DictionaryAttr spread,
                                    WalkAttr walk, bool, int64_t combine,
                                    int64_t rows) {
  if (combine < 0 || combine == 1)
    return emitError() << "parts of " << combine
                       << " blocks are combined at a time, at least 2 can be";
  if (rows < 0 || (rows > 0 && !walk))
    return emitError() << "goes through rows in steps of " << rows
                       << " elements beside no walk";
  if (walk && !spread.get(walk.getAxis()))
    return emitError() << "walks through axis " << walk.getAxis()
                       << ", which is not spread";
  for (NamedAttribute entry : spread)
    if (!isa<SpreadAttr>(entry.getValue()))
      return emitError() << "axis '" << entry.getName().getValue()
                         << "' must have an #fuse.spread, got "
                         << entry.getValue();
  return success();
}

Attribute CodegenAttr::parse(AsmParser &parser, Type) {
  int64_t residentBlocks = 0, unmaskedIterations = 1;
  SmallVector<int64_t> roleRegisters;
  SmallVector<StringAttr> masked;
  SMLoc loc = parser.getCurrentLocation();
  auto parseRegisters = [&] {
    return parser.parseInteger(roleRegisters.emplace_back());
  };
  auto parseProduct = [&] {
    return parser.parseAttribute(masked.emplace_back());
  };
  if (parser.parseLess() || parser.parseKeyword("resident_blocks") ||
      parser.parseEqual() || parser.parseInteger(residentBlocks))
    return {};
  auto parseValue = [&](StringRef key, SMLoc keyLoc) -> ParseResult {
    if (key == "role_registers")
      return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                            parseRegisters);
    if (key == "masked")
      return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                            parseProduct);
    if (key == "unmasked_iterations")
      return parser.parseInteger(unmaskedIterations);
    return parser.emitError(keyLoc)
           << "expected role_registers, masked or unmasked_iterations";
  };
  if (parseEntries(parser, parseValue))
    return {};
  return CodegenAttr::getChecked(
      [&] { return parser.emitError(loc); }, parser.getContext(),
      residentBlocks, ArrayRef<int64_t>(roleRegisters),
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
  printList("role_registers", getRoleRegisters());
  printList("masked", getMasked());
  if (getUnmaskedIterations() != 1)
    printer << ", unmasked_iterations = " << getUnmaskedIterations();
  printer << ">";
}

LogicalResult CodegenAttr::verify(EmitError emitError, int64_t residentBlocks,
                                  ArrayRef<int64_t> roleRegisters,
                                  ArrayRef<StringAttr> masked,
                                  int64_t unmaskedIterations) {
  if (residentBlocks < 1)
    return emitError() << "an SM holds 1 block or more, got 'resident_blocks' "
                       << residentBlocks;
  if (!roleRegisters.empty() &&
      (roleRegisters.size() != 2 ||
       llvm::any_of(roleRegisters,
                    [](int64_t count) { return count < 1 || count % kReallocationStep != 0; })))
    return emitError() << "'role_registers' are two positive multiples of 8, "
                          "of producers and of the other warps";
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
  if (version != 1)
    return emitError() << "unknown schedule version " << version
                       << "; this compiler reads version 1";
  if (codegen && !tiling && !stitching)
    return emitError() << "'codegen' stands beside 'tiling' or 'stitching': "
                          "the generic form has none";
  return success();
}
