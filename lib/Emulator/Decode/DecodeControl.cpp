//===- DecodeControl.cpp - Decoding of control, barriers and products -----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/Decoder.h"
#include "Emulator/Execute/HandlersMisc.h"
#include "Emulator/Execute/HandlersWarp.h"

#include <algorithm>

using namespace fusion::emulator;

bool Decoder::decodeControl(std::string_view root, Modifiers &modifiers) {
  const auto &operands = instruction->operands;
  modifiers.take("uni");
  if (root == "ret" || root == "exit") {
    if (!count(0, 0))
      return false;
    emit(nullptr, {}, root == "ret" ? Flow::Return : Flow::Exit);
    return true;
  }
  if (root == "trap" || root == "brkpt") {
    if (!count(0, 0))
      return false;
    emit(trapHandler(), {}, Flow::Checked).a = root == "brkpt";
    return true;
  }
  if (root == "bra") {
    if (!count(1, 1))
      return false;
    if (operands[0].kind != Operand::Kind::Label ||
        operands[0].index > current->body.size())
      return fail("bra to something that is no label");
    emit(nullptr, {}, Flow::Branch).target = operands[0].index;
    return true;
  }
  // brx.idx index, table
  if (!modifiers.take("idx"))
    return unsupported();
  if (!count(2, 2))
    return false;
  Ref index;
  if (operands[1].kind != Operand::Kind::Table)
    return fail("brx.idx without a list of targets");
  if (!source(operands[0], Type::U32, index))
    return false;
  const auto &targets = current->branchTables[operands[1].index];
  Inst &inst = emit(nullptr, {index}, Flow::BranchTable);
  inst.target = uint32_t(code->targets.size());
  inst.imm = int64_t(targets.size());
  code->targets.insert(code->targets.end(), targets.begin(), targets.end());
  return true;
}

bool Decoder::parameterPlace(const Operand &operand, ParameterPlace &place) {
  if (operand.kind == Operand::Kind::Variable &&
      module.variables[operand.index].space == Space::Param) {
    auto it = frameOffsets.find(operand.index);
    if (it == frameOffsets.end())
      return fail("parameter out of place");
    place.offset = it->second;
    place.bytes = uint32_t(module.variables[operand.index].bytes);
    return true;
  }
  if (operand.kind == Operand::Kind::Register) {
    Type type = current->registers[operand.index].type;
    if (type == Type::Pred)
      return fail("a predicate as argument of a call");
    place.inRegister = true;
    place.reg = slots[operand.index];
    place.registerBytes = uint8_t(bytesOf(type));
    place.bytes = place.registerBytes;
    return true;
  }
  return fail("unexpected argument of a call");
}

bool Decoder::decodeCall(Modifiers &modifiers) {
  modifiers.take("uni");
  const auto &operands = instruction->operands;
  if (!count(1, 4))
    return false;
  size_t next = 0;
  CallSite site;
  site.function = kNone;
  if (operands[next].kind == Operand::Kind::Vector) {
    for (const Operand &operand : operands[next].elements) {
      ParameterPlace place;
      if (!parameterPlace(operand, place))
        return false;
      site.results.push_back(place);
    }
    ++next;
  }
  if (next >= operands.size())
    return fail("call without a function");
  const Operand &callee = operands[next++];
  if (next < operands.size() && operands[next].kind == Operand::Kind::Vector) {
    for (const Operand &operand : operands[next].elements) {
      ParameterPlace place;
      if (!parameterPlace(operand, place))
        return false;
      site.arguments.push_back(place);
    }
    ++next;
  }
  if (callee.kind == Operand::Kind::Function) {
    const Function &function = module.functions[callee.index];
    if (!function.hasBody) { // others have failed before
      if (function.name == "vprintf") {
        emit(nothingHandler(), {});
        return true;
      }
      if (function.name == "malloc" || function.name == "free") {
        bool frees = function.name == "free";
        if (site.arguments.size() != 1 || site.arguments[0].bytes != 8 ||
            site.results.size() != (frees ? 0 : 1) ||
            (!frees && site.results[0].bytes != 8))
          return fail("the arguments of the call of '" +
                      std::string(function.name) + "' do not match");
        Inst &inst = emit(heapHandler(), {}, Flow::Checked);
        inst.a = frees;
        inst.target = uint32_t(code->calls.size());
        code->calls.push_back(std::move(site));
        // Blocks share the heap, and malloc changes which memory exists.
        code->communicates = true;
        return true;
      }
      if (site.arguments.size() < 4)
        return fail("'__assertfail' wants an assertion and its place");
      Inst &inst = emit(trapHandler(), {}, Flow::Checked);
      inst.a = 2;
      inst.target = uint32_t(code->calls.size());
      code->calls.push_back(std::move(site));
      return true;
    }
    if (function.isEntry)
      return fail("call of a kernel");
    site.function = functionOf[callee.index];
    const CodeFunction &out = code->functions[site.function];
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
      return fail("the arguments of the call of '" +
                  std::string(function.name) + "' do not match");
    Inst &inst = emit(nullptr, {}, Flow::Call);
    inst.target = uint32_t(code->calls.size());
  } else {
    Ref address;
    if (!source(callee, Type::U64, address))
      return false;
    Inst &inst = emit(nullptr, {address}, Flow::Call);
    inst.target = uint32_t(code->calls.size());
  }
  code->calls.push_back(std::move(site));
  return true;
}

bool Decoder::decodeBarrier(std::string_view root, Modifiers &modifiers) {
  const auto &operands = instruction->operands;
  if (modifiers.take("warp")) {
    Ref members;
    if (!modifiers.take("sync") || root != "bar")
      return unsupported();
    if (!count(1, 1) || !source(operands[0], Type::B32, members))
      return false;
    emit(nothingHandler(), {members}, Flow::WarpSync).a = 1;
    return true;
  }
  if (modifiers.take("cluster"))
    return root == "barrier" ? decodeClusterBarrier(modifiers) : unsupported();
  modifiers.take("cta");
  bool aligned = root == "bar" || modifiers.take("aligned");
  int kind = modifiers.takeOneOf({"sync", "arrive", "red"});
  if (kind < 0)
    return unsupported();
  int reduction = -1;
  Ref d = scratchRef, id, threads = constant(0, 4), predicate = constant(0, 4);
  size_t next = 0;
  if (kind == 2) {
    reduction = modifiers.takeOneOf({"popc", "and", "or"});
    Type type = modifiers.takeType();
    if (reduction < 0 || type != (reduction == 0 ? Type::U32 : Type::Pred))
      return unsupported();
    if (!count(3, 4) || !destination(operands[0], type, d))
      return false;
    next = 1;
  } else if (!count(1, 2)) {
    return false;
  }
  if (!source(operands[next], Type::U32, id))
    return false;
  ++next;
  size_t last = operands.size() - (kind == 2 ? 1 : 0);
  bool counted = next < last;
  if (counted && !source(operands[next], Type::U32, threads))
    return false;
  if (kind == 1 && !counted)
    return fail("barrier.arrive without a number of threads");
  if (kind == 2 && !predicateValue(operands.back(), predicate))
    return false;
  Inst &inst = emit(kind == 2 ? barrierResultHandler() : nullptr,
                    {d, id, threads, predicate}, Flow::Barrier);
  inst.a = uint8_t(kind == 2 ? reduction : 0);
  inst.b = uint8_t(kind);
  inst.c = aligned;
  inst.d = counted;
  return true;
}

bool Decoder::decodeWarp(std::string_view root, Modifiers &modifiers) {
  const auto &operands = instruction->operands;
  if (root == "activemask") {
    Ref d;
    if (modifiers.takeType() != Type::B32 || !count(1, 1) ||
        !destination(operands[0], Type::B32, d))
      return false;
    emit(activemaskHandler(), {d});
    return true;
  }
  if (!modifiers.take("sync"))
    return fail("'" + std::string(instruction->opcode) +
                "' without .sync is not supported");
  // The destination and an optional predicate beside it.
  Ref d = scratchRef, p = scratchRef + 256, members;
  auto results = [&](Type type) {
    const Operand &result = operands[0];
    if (result.kind != Operand::Kind::Pair)
      return destination(result, type, d);
    return destination(result.elements[0], type, d) &&
           destination(result.elements[1], Type::Pred, p);
  };
  if (root == "shfl") {
    int mode = modifiers.takeOneOf({"up", "down", "bfly", "idx"});
    Ref a, b, c;
    if (mode < 0 || bytesOf(modifiers.takeType()) != 4)
      return unsupported();
    if (!count(5, 5) || !results(Type::B32) ||
        !source(operands[1], Type::B32, a) ||
        !source(operands[2], Type::B32, b) ||
        !source(operands[3], Type::B32, c) ||
        !source(operands[4], Type::U32, members))
      return false;
    emit(shuffleHandler(ShuffleMode(mode)), {d, p, a, b, c, members},
         Flow::WarpSync);
    return true;
  }
  if (root == "vote") {
    int mode = modifiers.takeOneOf({"all", "any", "uni", "ballot"});
    Type type = modifiers.takeType();
    Ref a;
    if (mode < 0 || type != (mode == 3 ? Type::B32 : Type::Pred))
      return unsupported();
    if (!count(3, 3) || !destination(operands[0], type, d) ||
        !predicateValue(operands[1], a) ||
        !source(operands[2], Type::B32, members))
      return false;
    emit(voteHandler(VoteMode(mode)), {d, a, members}, Flow::WarpSync);
    return true;
  }
  if (root == "match") {
    int mode = modifiers.takeOneOf({"any", "all"});
    Type type = modifiers.takeType();
    Ref a;
    Handler handler = matchHandler(mode == 1, bytesOf(type));
    if (mode < 0 || !handler)
      return unsupported();
    if (!count(3, 3) || !results(Type::U32) || !source(operands[1], type, a) ||
        !source(operands[2], Type::U32, members))
      return false;
    emit(handler, {d, p, a, members}, Flow::WarpSync);
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
      return unsupported();
    Type word = type == Type::B32 ? Type::U32 : type;
    if (!count(3, 3) || !destination(operands[0], word, d) ||
        !source(operands[1], word, a) ||
        !source(operands[2], Type::U32, members))
      return false;
    emit(handler, {d, a, members}, Flow::WarpSync);
    return true;
  }
  // elect.sync d|p, membermask
  if (!count(2, 2) || !results(Type::U32) ||
      !source(operands[1], Type::B32, members))
    return false;
  emit(electHandler(), {d, p, members}, Flow::WarpSync);
  return true;
}
