//===- FuseOps.cpp - Groups of the fuse dialect ---------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace fusion::fuse;

#define GET_OP_CLASSES
#include "fusion/Dialect/Fuse/IR/FuseOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Syntax shared by all groups
//===----------------------------------------------------------------------===//
//
//   fuse.chain ins(%x = %X : type, ...) outs(%o = %O : type, ...) [attributes
//     {...}] { body } -> types

static ParseResult
parseBindings(OpAsmParser &parser, StringRef keyword,
              SmallVectorImpl<OpAsmParser::Argument> &arguments,
              SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
              SmallVectorImpl<Type> &types) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  return parser.parseCommaSeparatedList(
      OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
        OpAsmParser::Argument argument;
        if (parser.parseArgument(argument) || parser.parseEqual() ||
            parser.parseOperand(operands.emplace_back()) ||
            parser.parseColonType(types.emplace_back()))
          return failure();
        argument.type = types.back();
        arguments.push_back(argument);
        return success();
      });
}

static ParseResult parseGroup(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits;
  SmallVector<Type> inputTypes, initTypes, resultTypes;
  SMLoc loc = parser.getCurrentLocation();
  Region *body = result.addRegion();
  if (parseBindings(parser, "ins", arguments, inputs, inputTypes) ||
      parseBindings(parser, "outs", arguments, inits, initTypes) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*body, arguments) ||
      parser.parseOptionalArrowTypeList(resultTypes) ||
      parser.resolveOperands(inputs, inputTypes, loc, result.operands) ||
      parser.resolveOperands(inits, initTypes, loc, result.operands))
    return failure();
  // Properties take what fits and drop the rest.
  if (Attribute schedule = result.attributes.get("schedule"))
    if (!isa<ScheduleAttr>(schedule))
      return parser.emitError(loc, "'schedule' must be a #fuse.schedule, got ")
             << schedule;
  if (Attribute partial = result.attributes.get("partial"))
    if (!isa<PartialAttr>(partial))
      return parser.emitError(loc, "'partial' must be a #fuse.partial, got ")
             << partial;
  if (Attribute predicted = result.attributes.get("predicted"))
    if (!isa<DictionaryAttr>(predicted))
      return parser.emitError(loc, "'predicted' must be a dictionary, got ")
             << predicted;
  result.addTypes(resultTypes);
  result.addAttribute("operandSegmentSizes",
                      parser.getBuilder().getDenseI32ArrayAttr(
                          {static_cast<int32_t>(inputs.size()),
                           static_cast<int32_t>(inits.size())}));
  if (body->empty())
    return parser.emitError(loc, "a group needs a body");
  // Groups without results may leave out their yield.
  if (body->front().empty() ||
      !body->front().back().hasTrait<OpTrait::IsTerminator>()) {
    OpBuilder builder(parser.getContext());
    builder.setInsertionPointToEnd(&body->front());
    YieldOp::create(builder, result.location);
  }
  return success();
}

static void printBindings(OpAsmPrinter &printer, StringRef keyword,
                          ValueRange operands,
                          ArrayRef<BlockArgument> arguments) {
  if (operands.empty())
    return;
  printer << ' ' << keyword << '(';
  llvm::interleaveComma(
      llvm::zip_equal(arguments, operands), printer, [&](auto pair) {
        auto [argument, operand] = pair;
        printer << argument << " = " << operand << " : " << operand.getType();
      });
  printer << ')';
}

template <typename GroupOp>
static void printGroup(GroupOp op, OpAsmPrinter &printer) {
  auto arguments = op.getBody().getArguments();
  unsigned numInputs = op.getInputs().size();
  printBindings(printer, "ins", op.getInputs(),
                arguments.take_front(numInputs));
  printBindings(printer, "outs", op.getInits(),
                arguments.drop_front(numInputs));
  printer.printOptionalAttrDictWithKeyword(op->getAttrs(),
                                           {"operandSegmentSizes"});
  printer << ' ';
  printer.printRegion(op.getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/true);
  printer.printOptionalArrowTypeList(op.getResultTypes());
}

//===----------------------------------------------------------------------===//
// Verification shared by all groups
//===----------------------------------------------------------------------===//

template <typename GroupOp> static LogicalResult verifyGroup(GroupOp op) {
  if (op.getInits().empty())
    return op.emitOpError("needs at least one result");
  if (op.getNumResults() != op.getInits().size())
    return op.emitOpError("has ") << op.getNumResults() << " results but "
                                  << op.getInits().size() << " outs";
  for (auto [index, init, result] :
       llvm::enumerate(op.getInits(), op.getResults()))
    if (init.getType() != result.getType())
      return op.emitOpError("result #")
             << index << " has type " << result.getType()
             << " but its outs has type " << init.getType();
  for (auto [index, input] : llvm::enumerate(op.getInputs())) {
    Type type = input.getType();
    if (!isa<RankedTensorType>(type) && !type.isIntOrIndexOrFloat())
      return op.emitOpError("operand #")
             << index << " must be a ranked tensor or a scalar, got " << type;
  }
  if (op.getBody().getNumArguments() != op->getNumOperands())
    return op.emitOpError("body has ")
           << op.getBody().getNumArguments() << " arguments for "
           << op->getNumOperands() << " operands";
  for (auto [argument, operand] :
       llvm::zip_equal(op.getBody().getArguments(), op->getOperands()))
    if (argument.getType() != operand.getType())
      return op.emitOpError("body argument of type ")
             << argument.getType() << " stands for an operand of type "
             << operand.getType();
  return success();
}

/// A partial group is a chain that yields what is reduced: the sums of a
/// product and running values; its results are as many of them as there are
/// parts.
template <typename GroupOp>
static LogicalResult verifyPartial(GroupOp op, YieldOp yield) {
  PartialAttr partial = op.getPartialAttr();
  if (!partial)
    return success();
  if (!std::is_same_v<GroupOp, ChainOp>)
    return op.emitOpError("cannot be partial; only a chain can");
  for (auto [value, result] :
       llvm::zip_equal(yield.getValues(), op.getResultTypes())) {
    auto reduced = value.template getDefiningOp<linalg::LinalgOp>();
    if (!reduced || reduced.getNumReductionLoops() == 0)
      return op.emitOpError("is partial but yields no sum");
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape = {partial.getSplits()};
    llvm::append_range(shape, type.getShape());
    auto expected = RankedTensorType::get(shape, type.getElementType());
    if (result != expected)
      return op.emitOpError("has ") << partial.getSplits() << " splits of type "
                                    << type << ", so its result must have type "
                                    << expected << ", got " << result;
  }
  return success();
}

template <typename GroupOp> static LogicalResult verifyGroupBody(GroupOp op) {
  auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
  if (yield.getValues().size() != op.getNumResults())
    return yield.emitOpError("names ")
           << yield.getValues().size() << " values for " << op.getNumResults()
           << " results of the group";
  if (failed(verifyPartial(op, yield)))
    return failure();
  for (auto [index, value, result] :
       llvm::enumerate(yield.getValues(), op.getResults())) {
    if (!op.getPartialAttr() && value.getType() != result.getType())
      return yield.emitOpError("value #")
             << index << " has type " << value.getType()
             << " but the group's result has type " << result.getType();
  }
  bool hasOperator = false;
  for (Operation &inner : op.getBody().front().without_terminator()) {
    if (isa<linalg::LinalgOp>(inner)) {
      hasOperator = true;
      continue;
    }
    StringRef dialect = inner.getName().getDialectNamespace();
    if (dialect != "arith" && dialect != "math" && dialect != "tensor" &&
        dialect != "complex" && dialect != "affine")
      return inner.emitOpError("may not stand in a ") << op->getName();
  }
  if (!hasOperator)
    return op.emitOpError("holds no linalg operator");
  return success();
}

#define FUSE_DEFINE_GROUP(OP)                                                  \
  ParseResult OP::parse(OpAsmParser &parser, OperationState &result) {         \
    return parseGroup(parser, result);                                         \
  }                                                                            \
  void OP::print(OpAsmPrinter &printer) { printGroup(*this, printer); }        \
  LogicalResult OP::verify() { return verifyGroup(*this); }                    \
  LogicalResult OP::verifyRegions() { return verifyGroupBody(*this); }

FUSE_DEFINE_GROUP(ChainOp)
FUSE_DEFINE_GROUP(StitchOp)

#undef FUSE_DEFINE_GROUP
