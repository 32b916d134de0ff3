//===- DecodeControl.cpp - Decoding of control, barriers and products -----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/DecodeControl.h"

#include "Emulator/Decode/DecodeMbarrier.h"
#include "Emulator/Execute/HandlersMisc.h"
#include "Emulator/Execute/HandlersWarp.h"

#include <algorithm>

using namespace fusion::emulator;

bool fusion::emulator::decodeControl(DecodeContext &context,
                                     std::string_view root,
                                     Modifiers &modifiers) {
  const auto &operands = context.instruction->operands;
  modifiers.take("uni");
  if (root == "ret" || root == "exit") {
    if (!context.count(0, 0))
      return false;
    context.emit(nullptr, {}, root == "ret" ? Flow::Return : Flow::Exit);
    return true;
  }
  if (root == "trap" || root == "brkpt") {
    if (!context.count(0, 0))
      return false;
    context.emit(trapHandler(), {}, Flow::Checked).a = root == "brkpt";
    return true;
  }
  if (root == "bra") {
    if (!context.count(1, 1))
      return false;
    if (operands[0].kind != Operand::Kind::Label ||
        operands[0].index > context.current->body.size())
      return context.fail("bra to something that is no label");
    context.emit(nullptr, {}, Flow::Branch).target = operands[0].index;
    return true;
  }
  // brx.idx index, table
  if (!modifiers.take("idx"))
    return context.unsupported();
  if (!context.count(2, 2))
    return false;
  Ref index;
  if (operands[1].kind != Operand::Kind::Table)
    return context.fail("brx.idx without a list of targets");
  if (!context.source(operands[0], Type::U32, index))
    return false;
  const auto &targets = context.current->branchTables[operands[1].index];
  Inst &inst = context.emit(nullptr, {index}, Flow::BranchTable);
  inst.target = uint32_t(context.code->targets.size());
  inst.imm = int64_t(targets.size());
  context.code->targets.insert(context.code->targets.end(), targets.begin(),
                               targets.end());
  return true;
}

static bool parameterPlace(DecodeContext &context, const Operand &operand,
                           ParameterPlace &place) {
  if (operand.kind == Operand::Kind::Variable &&
      context.module.variables[operand.index].space == Space::Param) {
    auto it = context.frameOffsets.find(operand.index);
    if (it == context.frameOffsets.end())
      return context.fail("parameter out of place");
    place.offset = it->second;
    place.bytes = uint32_t(context.module.variables[operand.index].bytes);
    return true;
  }
  if (operand.kind == Operand::Kind::Register) {
    Type type = context.current->registers[operand.index].type;
    if (type == Type::Pred)
      return context.fail("a predicate as argument of a call");
    place.inRegister = true;
    place.reg = context.slots[operand.index];
    place.registerBytes = uint8_t(bytesOf(type));
    place.bytes = place.registerBytes;
    return true;
  }
  return context.fail("unexpected argument of a call");
}

bool fusion::emulator::decodeCall(DecodeContext &context,
                                  Modifiers &modifiers) {
  modifiers.take("uni");
  const auto &operands = context.instruction->operands;
  if (!context.count(1, 4))
    return false;
  size_t next = 0;
  CallSite site;
  site.function = kNone;
  if (operands[next].kind == Operand::Kind::Vector) {
    for (const Operand &operand : operands[next].elements) {
      ParameterPlace place;
      if (!parameterPlace(context, operand, place))
        return false;
      site.results.push_back(place);
    }
    ++next;
  }
  if (next >= operands.size())
    return context.fail("call without a function");
  const Operand &callee = operands[next++];
  if (next < operands.size() && operands[next].kind == Operand::Kind::Vector) {
    for (const Operand &operand : operands[next].elements) {
      ParameterPlace place;
      if (!parameterPlace(context, operand, place))
        return false;
      site.arguments.push_back(place);
    }
    ++next;
  }
  if (callee.kind == Operand::Kind::Function) {
    const Function &function = context.module.functions[callee.index];
    if (!function.hasBody) { // others have failed before
      if (function.name == "vprintf") {
        context.emit(nothingHandler(), {});
        return true;
      }
      if (function.name == "malloc" || function.name == "free") {
        bool frees = function.name == "free";
        if (site.arguments.size() != 1 || site.arguments[0].bytes != 8 ||
            site.results.size() != (frees ? 0 : 1) ||
            (!frees && site.results[0].bytes != 8))
          return context.fail("the arguments of the call of '" +
                              std::string(function.name) + "' do not match");
        Inst &inst = context.emit(heapHandler(), {}, Flow::Checked);
        inst.a = frees;
        inst.target = uint32_t(context.code->calls.size());
        context.code->calls.push_back(std::move(site));
        // Blocks share the heap, and malloc changes which memory exists.
        context.code->communicates = true;
        return true;
      }
      if (site.arguments.size() < 4)
        return context.fail(
            "'__assertfail' requires an assertion and its place");
      Inst &inst = context.emit(trapHandler(), {}, Flow::Checked);
      inst.a = 2;
      inst.target = uint32_t(context.code->calls.size());
      context.code->calls.push_back(std::move(site));
      return true;
    }
    if (function.isEntry)
      return context.fail("call of a kernel");
    site.function = context.functionOf[callee.index];
    const CodeFunction &out = context.code->functions[site.function];
    auto matches = [](const std::vector<ParameterPlace> &a,
                      const std::vector<ParameterPlace> &b) {
      if (a.size() != b.size())
        return false;
      for (size_t i = 0; i < a.size(); ++i)
        if (a[i].bytes != b[i].bytes)
          return false;
      return true;
    };
    if (!matches(site.arguments, out.parameters) ||
        !matches(site.results, out.results))
      return context.fail("the arguments of the call of '" +
                          std::string(function.name) + "' do not match");
    Inst &inst = context.emit(nullptr, {}, Flow::Call);
    inst.target = uint32_t(context.code->calls.size());
  } else {
    Ref address;
    if (!context.source(callee, Type::U64, address))
      return false;
    Inst &inst = context.emit(nullptr, {address}, Flow::Call);
    inst.target = uint32_t(context.code->calls.size());
  }
  context.code->calls.push_back(std::move(site));
  return true;
}

bool fusion::emulator::decodeBarrier(DecodeContext &context,
                                     std::string_view root,
                                     Modifiers &modifiers) {
  const auto &operands = context.instruction->operands;
  if (modifiers.take("warp")) {
    Ref members;
    if (!modifiers.take("sync") || root != "bar")
      return context.unsupported();
    if (!context.count(1, 1) ||
        !context.source(operands[0], Type::B32, members))
      return false;
    context.emit(nothingHandler(), {members}, Flow::WarpSync).a = 1;
    return true;
  }
  if (modifiers.take("cluster"))
    return root == "barrier" ? decodeClusterBarrier(context, modifiers)
                             : context.unsupported();
  modifiers.take("cta");
  bool aligned = root == "bar" || modifiers.take("aligned");
  int kind = modifiers.takeOneOf({"sync", "arrive", "red"});
  if (kind < 0)
    return context.unsupported();
  int reduction = -1;
  Ref d = context.scratchRef, id, threads = context.constant(0, 4),
      predicate = context.constant(0, 4);
  size_t next = 0;
  if (kind == 2) {
    reduction = modifiers.takeOneOf({"popc", "and", "or"});
    Type type = modifiers.takeType();
    if (reduction < 0 || type != (reduction == 0 ? Type::U32 : Type::Pred))
      return context.unsupported();
    if (!context.count(3, 4) || !context.destination(operands[0], type, d))
      return false;
    next = 1;
  } else if (!context.count(1, 2)) {
    return false;
  }
  if (!context.source(operands[next], Type::U32, id))
    return false;
  ++next;
  size_t last = operands.size() - (kind == 2 ? 1 : 0);
  bool counted = next < last;
  if (counted && !context.source(operands[next], Type::U32, threads))
    return false;
  if (kind == 1 && !counted)
    return context.fail("barrier.arrive without a number of threads");
  if (kind == 2 && !context.predicateValue(operands.back(), predicate))
    return false;
  Inst &inst = context.emit(kind == 2 ? barrierResultHandler() : nullptr,
                            {d, id, threads, predicate}, Flow::Barrier);
  inst.a = uint8_t(kind == 2 ? reduction : 0);
  inst.b = uint8_t(kind);
  inst.c = aligned;
  inst.d = counted;
  return true;
}

bool fusion::emulator::decodeWarp(DecodeContext &context, std::string_view root,
                                  Modifiers &modifiers) {
  const auto &operands = context.instruction->operands;
  if (root == "activemask") {
    Ref d;
    if (modifiers.takeType() != Type::B32 || !context.count(1, 1) ||
        !context.destination(operands[0], Type::B32, d))
      return false;
    context.emit(activemaskHandler(), {d});
    return true;
  }
  if (!modifiers.take("sync"))
    return context.fail("'" + std::string(context.instruction->opcode) +
                        "' without .sync is not supported");
  // The destination and an optional predicate beside it.
  Ref d = context.scratchRef, p = context.scratchRef + 256, members;
  auto results = [&](Type type) {
    const Operand &result = operands[0];
    if (result.kind != Operand::Kind::Pair)
      return context.destination(result, type, d);
    return context.destination(result.elements[0], type, d) &&
           context.destination(result.elements[1], Type::Pred, p);
  };
  if (root == "shfl") {
    int mode = modifiers.takeOneOf({"up", "down", "bfly", "idx"});
    Ref a, b, c;
    if (mode < 0 || bytesOf(modifiers.takeType()) != 4)
      return context.unsupported();
    if (!context.count(5, 5) || !results(Type::B32) ||
        !context.source(operands[1], Type::B32, a) ||
        !context.source(operands[2], Type::B32, b) ||
        !context.source(operands[3], Type::B32, c) ||
        !context.source(operands[4], Type::U32, members))
      return false;
    context.emit(shuffleHandler(ShuffleMode(mode)), {d, p, a, b, c, members},
                 Flow::WarpSync);
    return true;
  }
  if (root == "vote") {
    int mode = modifiers.takeOneOf({"all", "any", "uni", "ballot"});
    Type type = modifiers.takeType();
    Ref a;
    if (mode < 0 || type != (mode == 3 ? Type::B32 : Type::Pred))
      return context.unsupported();
    if (!context.count(3, 3) || !context.destination(operands[0], type, d) ||
        !context.predicateValue(operands[1], a) ||
        !context.source(operands[2], Type::B32, members))
      return false;
    context.emit(voteHandler(VoteMode(mode)), {d, a, members}, Flow::WarpSync);
    return true;
  }
  if (root == "match") {
    int mode = modifiers.takeOneOf({"any", "all"});
    Type type = modifiers.takeType();
    Ref a;
    Handler handler = matchHandler(mode == 1, bytesOf(type));
    if (mode < 0 || !handler)
      return context.unsupported();
    if (!context.count(3, 3) || !results(Type::U32) ||
        !context.source(operands[1], type, a) ||
        !context.source(operands[2], Type::U32, members))
      return false;
    context.emit(handler, {d, p, a, members}, Flow::WarpSync);
    return true;
  }
  if (root == "redux") {
    int operation =
        modifiers.takeOneOf({"add", "min", "max", "and", "or", "xor"});
    static const AtomicOp operations[] = {AtomicOp::Add, AtomicOp::Min,
                                          AtomicOp::Max, AtomicOp::And,
                                          AtomicOp::Or,  AtomicOp::Xor};
    Type type = modifiers.takeType();
    Ref a;
    Handler handler = nullptr;
    if (operation >= 0 && type == Type::F32) {
      bool isAbsolute = modifiers.take("abs"),
           propagatesNaN = modifiers.take("NaN");
      handler =
          reduxFloatHandler(operations[operation], isAbsolute, propagatesNaN);
    } else if (operation >= 0) {
      handler = reduxHandler(operations[operation], type);
    }
    if (!handler)
      return context.unsupported();
    Type word = type == Type::B32 ? Type::U32 : type;
    if (!context.count(3, 3) || !context.destination(operands[0], word, d) ||
        !context.source(operands[1], word, a) ||
        !context.source(operands[2], Type::U32, members))
      return false;
    context.emit(handler, {d, a, members}, Flow::WarpSync);
    return true;
  }
  // elect.sync d|p, membermask
  if (!context.count(2, 2) || !results(Type::U32) ||
      !context.source(operands[1], Type::B32, members))
    return false;
  context.emit(electHandler(), {d, p, members}, Flow::WarpSync);
  return true;
}
