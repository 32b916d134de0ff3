//===- DecodeMbarrier.cpp - Decoding of mbarriers and clusters ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/DecodeMbarrier.h"

#include "Emulator/Execute/HandlersCluster.h"
#include "Emulator/Execute/HandlersMbarrier.h"

using namespace fusion::emulator;

/// Takes `.shared`, `.shared::cta` or `.shared::cluster`; without any the
/// address is generic.
static bool takeShared(Modifiers &modifiers) {
  return modifiers.takeOneOf({"shared", "shared::cta", "shared::cluster"}) >= 0;
}

/// Takes semantics and scope. `order` gets OrderStrong if the operation is
/// .relaxed, and OrderCta unless the scope is .cluster (PTX ISA: the default
/// scope is .cta, in whichever block the mbarrier lies). Both modifiers must be
/// there, or none; `strongest` is the semantics other than relaxed.
static bool takeOrder(Modifiers &modifiers, std::string_view strongest,
                      uint8_t &order) {
  int which = modifiers.takeOneOf({"relaxed", strongest});
  int scope = modifiers.takeOneOf({"cta", "cluster"});
  order = uint8_t((which == 0 ? OrderStrong : 0) | (scope == 1 ? 0 : OrderCta));
  return (which >= 0) == (scope >= 0);
}

bool fusion::emulator::decodeMbarrier(DecodeContext &context, std::string_view,
                                      Modifiers &modifiers) {
  const auto &operands = context.instruction->operands;
  int kind = modifiers.takeOneOf({"init", "inval", "expect_tx", "complete_tx",
                                  "arrive", "arrive_drop", "test_wait",
                                  "try_wait", "pending_count"});
  // mbarrier.arrive.expect_tx
  bool expects = false;
  if (kind == 2 && modifiers.takeOneOf({"arrive", "arrive_drop"}) >= 0)
    return context.unsupported();
  if (kind == 4 || kind == 5)
    expects = modifiers.take("expect_tx");
  // expect_tx orders nothing for other threads.
  bool arrives = kind == 4 || kind == 5, waits = kind == 6 || kind == 7;
  uint8_t order = 0;
  if (arrives || waits || kind == 2 || kind == 3)
    if (!takeOrder(modifiers,
                   arrives ? "release"
                   : waits ? "acquire"
                           : "relaxed",
                   order))
      return context.unsupported();
  bool noComplete = modifiers.take("noComplete");
  bool parity = modifiers.take("parity");
  bool shared = takeShared(modifiers);
  if (kind < 0 || modifiers.takeType() != Type::B64 ||
      (noComplete && kind != 4 && kind != 5) ||
      (parity && kind != 6 && kind != 7))
    return context.unsupported();
  Ref place = 0, value = context.scratchRef;
  switch (kind) {
  case 0: // init [a], count
  case 2: // expect_tx [a], bytes
  case 3:
    if (!context.count(2, 2) ||
        !context.genericAddress(operands[0], shared, place) ||
        !context.source(operands[1], Type::U32, value))
      return false;
    context.emit(mbarrierHandler(kind == 0   ? MbarrierOp::Init
                                 : kind == 2 ? MbarrierOp::ExpectTx
                                             : MbarrierOp::CompleteTx),
                 {value, place}, Flow::Checked);
    return true;
  case 1:
    if (!context.count(1, 1) ||
        !context.genericAddress(operands[0], shared, place))
      return false;
    context.emit(mbarrierHandler(MbarrierOp::Invalidate), {value, place},
                 Flow::Checked);
    context.code->hasInvalidation = true;
    return true;
  case 4:
  case 5: {
    // arrive state, [a]{, count or bytes}; the state may be missing.
    bool noState =
        !operands.empty() && operands[0].kind == Operand::Kind::Address;
    size_t base = noState ? 0 : 1;
    Ref state = context.scratchRef, n = context.constant(1, 4),
        bytes = context.constant(0, 4);
    if (!context.count(base + 1, base + 2) ||
        (!noState && !context.destination(operands[0], Type::U64, state)) ||
        !context.genericAddress(operands[base], shared, place))
      return false;
    bool hasValue = operands.size() > base + 1;
    if ((expects || noComplete) && !hasValue)
      return context.count(base + 2, base + 2);
    if (hasValue &&
        !context.source(operands[base + 1], Type::U32, expects ? bytes : n))
      return false;
    Inst &inst = context.emit(mbarrierHandler(MbarrierOp::Arrive),
                              {state, n, bytes, place}, Flow::Checked);
    inst.a = uint8_t((kind == 5 ? MbarrierDrop : 0) |
                     (noComplete ? MbarrierNoComplete : 0) |
                     (expects ? MbarrierHasTx : 0));
    inst.order = order;
    return true;
  }
  case 6:
  case 7: {
    Ref p, hint;
    if (!context.count(3, kind == 7 ? 4 : 3) ||
        !context.destination(operands[0], Type::Pred, p) ||
        !context.genericAddress(operands[1], shared, place) ||
        !context.source(operands[2], parity ? Type::U32 : Type::U64, value) ||
        (operands.size() > 3 && !context.source(operands[3], Type::U32, hint)))
      return false;
    Inst &inst = context.emit(mbarrierHandler(MbarrierOp::Wait),
                              {p, value, place}, Flow::Wait);
    inst.a = parity ? MbarrierParity : 0;
    inst.order = order;
    context.code->hasNarrowWaits |= (order & OrderCta) != 0;
    return true;
  }
  default: {
    Ref d;
    if (!context.count(2, 2) ||
        !context.destination(operands[0], Type::U32, d) ||
        !context.source(operands[1], Type::U64, value))
      return false;
    context.emit(pendingCountHandler(), {d, value});
    return true;
  }
  }
}

/// cp.async.mbarrier.arrive{.noinc}{.shared{::cta}}.b64 [a]
bool fusion::emulator::decodeAsyncArrive(DecodeContext &context,
                                         Modifiers &modifiers) {
  bool known = modifiers.take("arrive");
  bool noIncrement = modifiers.take("noinc");
  bool shared = takeShared(modifiers);
  Ref place;
  if (!known || modifiers.takeType() != Type::B64)
    return context.unsupported();
  if (!context.count(1, 1) ||
      !context.genericAddress(context.instruction->operands[0], shared, place))
    return false;
  context
      .emit(mbarrierHandler(MbarrierOp::AsyncArrive),
            {context.scratchRef, place}, Flow::Checked)
      .a = noIncrement;
  return true;
}

/// mapa{.shared::cluster}.type d, a, rank
/// getctarank{.shared::cluster}.type d, a
bool fusion::emulator::decodeCluster(DecodeContext &context,
                                     std::string_view root,
                                     Modifiers &modifiers) {
  const auto &operands = context.instruction->operands;
  bool shared = modifiers.take("shared::cluster");
  Type type = modifiers.takeType();
  bool isMapa = root == "mapa";
  if (type != Type::U32 && type != Type::U64)
    return context.unsupported();
  Ref d, a, rank = context.scratchRef;
  if (!context.count(isMapa ? 3 : 2, isMapa ? 3 : 2) ||
      !context.destination(operands[0], isMapa ? type : Type::U32, d) ||
      !context.source(operands[1], type, a) ||
      (isMapa && !context.source(operands[2], Type::U32, rank)))
    return false;
  Inst &inst = isMapa ? context.emit(mapaHandler(), {d, a, rank}, Flow::Checked)
                      : context.emit(ctaRankHandler(), {d, a}, Flow::Checked);
  inst.a = !shared;
  inst.c = uint8_t(bytesOf(type));
  return true;
}

/// barrier.cluster.arrive{.release, .relaxed}{.aligned}
/// barrier.cluster.wait{.acquire}{.aligned}
bool fusion::emulator::decodeClusterBarrier(DecodeContext &context,
                                            Modifiers &modifiers) {
  bool arrives = modifiers.take("arrive");
  bool waits = modifiers.take("wait");
  bool aligned = modifiers.take("aligned");
  int order = modifiers.takeOneOf({"release", "relaxed", "acquire"});
  if (arrives == waits)
    return context.unsupported();
  if (!context.count(0, 0))
    return false;
  Inst &inst = waits
                   ? context.emit(clusterWaitHandler(), {}, Flow::Wait)
                   : context.emit(clusterArriveHandler(), {},
                                  aligned ? Flow::WarpAligned : Flow::Checked);
  inst.order = order == 1 ? OrderStrong : 0;
  return true;
}
