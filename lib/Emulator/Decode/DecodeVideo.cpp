//===- DecodeVideo.cpp - Decoding of video instructions -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/DecodeVideo.h"

#include "Emulator/Execute/HandlersVideo.h"

using namespace fusion::emulator;

namespace {

struct Form {
  VideoOp op;
  unsigned elements;
};

const std::unordered_map<std::string_view, Form> &forms() {
  static const std::unordered_map<std::string_view, Form> map = {
      {"vadd", {VideoOp::Add, 1}},
      {"vsub", {VideoOp::Sub, 1}},
      {"vabsdiff", {VideoOp::AbsDiff, 1}},
      {"vmin", {VideoOp::Min, 1}},
      {"vmax", {VideoOp::Max, 1}},
      {"vset", {VideoOp::Set, 1}},
      {"vshl", {VideoOp::Shl, 1}},
      {"vshr", {VideoOp::Shr, 1}},
      {"vmad", {VideoOp::Mad, 1}},
      {"vadd2", {VideoOp::Add, 2}},
      {"vsub2", {VideoOp::Sub, 2}},
      {"vabsdiff2", {VideoOp::AbsDiff, 2}},
      {"vmin2", {VideoOp::Min, 2}},
      {"vmax2", {VideoOp::Max, 2}},
      {"vavrg2", {VideoOp::Avrg, 2}},
      {"vset2", {VideoOp::Set, 2}},
      {"vadd4", {VideoOp::Add, 4}},
      {"vsub4", {VideoOp::Sub, 4}},
      {"vabsdiff4", {VideoOp::AbsDiff, 4}},
      {"vmin4", {VideoOp::Min, 4}},
      {"vmax4", {VideoOp::Max, 4}},
      {"vavrg4", {VideoOp::Avrg, 4}},
      {"vset4", {VideoOp::Set, 4}}};
  return map;
}

/// .b0 … .b3, .h0, .h1.
bool scalarPart(std::string_view text, uint64_t &part) {
  part = uint64_t(VideoPart::Whole);
  if (text.empty())
    return true;
  if (text.size() != 2 || text[1] < '0' ||
      text[1] > (text[0] == 'b'   ? '3'
                 : text[0] == 'h' ? '1'
                                  : '/'))
    return false;
  part = uint64_t(text[0] == 'b' ? VideoPart::B0 : VideoPart::H0) +
         uint64_t(text[1] - '0');
  return true;
}

/// .hxy or .bxyzw, the last digit for the lowest element; four bits for each.
bool elementParts(std::string_view text, unsigned elements,
                  uint64_t whenMissing, uint64_t &parts) {
  parts = whenMissing;
  if (text.empty())
    return true;
  if (text.size() != elements + 1 || text[0] != (elements == 2 ? 'h' : 'b'))
    return false;
  parts = 0;
  for (char digit : text.substr(1)) {
    if (digit < '0' || digit >= char('0' + 2 * elements))
      return false;
    parts = parts << 4 | uint64_t(digit - '0');
  }
  return true;
}

/// Elements that are written, in descending order: .h10, .b320.
bool elementMask(std::string_view text, unsigned elements, uint64_t &mask) {
  mask = (1u << elements) - 1;
  if (text.empty())
    return true;
  if (text.size() < 2 || text[0] != (elements == 2 ? 'h' : 'b'))
    return false;
  mask = 0;
  char before = char('0' + elements);
  for (char digit : text.substr(1)) {
    if (digit < '0' || digit >= before)
      return false;
    before = digit;
    mask |= 1u << (digit - '0');
  }
  return true;
}

} // namespace

bool fusion::emulator::decodeVideo(DecodeContext &context,
                                   std::string_view root,
                                   Modifiers &modifiers) {
  const auto &operands = context.instruction->operands;
  auto form = forms().find(root);
  if (form == forms().end())
    return context.unsupported();
  auto [op, elements] = form->second;
  auto is32 = [](Type type) { return type == Type::U32 || type == Type::S32; };
  bool compares = op == VideoOp::Set;
  uint8_t flags = 0, extra = 0;
  Type d = compares ? Type::U32 : modifiers.takeType();
  Type a = modifiers.takeType(), b = modifiers.takeType();
  if (!is32(d) || !is32(a) || !is32(b))
    return context.unsupported();
  if (compares) {
    int compare = modifiers.takeOneOf({"eq", "ne", "lt", "le", "gt", "ge"});
    if (compare < 0)
      return context.unsupported();
    extra = uint8_t(compare);
  }
  if (op == VideoOp::Shl || op == VideoOp::Shr) {
    int mode = modifiers.takeOneOf({"clamp", "wrap"});
    if (mode < 0 || b != Type::U32)
      return context.unsupported();
    flags |= mode == 1 ? VideoWrap : 0;
  }
  bool scales = op == VideoOp::Mad;
  if (scales) {
    flags |= modifiers.take("po") ? VideoPlusOne : 0;
    int scale = modifiers.takeOneOf({"shr7", "shr15"});
    extra = scale < 0 ? 0 : scale == 0 ? 7 : 15;
  }
  if (!compares && modifiers.take("sat"))
    flags |= VideoSaturate;
  flags |= (d == Type::S32 ? VideoSignedD : 0) |
           (a == Type::S32 ? VideoSignedA : 0) |
           (b == Type::S32 ? VideoSignedB : 0);
  int second = scales ? -1 : modifiers.takeOneOf({"add", "min", "max"});
  VideoSecond what = VideoSecond(int(VideoSecond::Add) + second);
  bool isScalar = elements == 1;
  if (!isScalar && (second > 0 || (second == 0 && (flags & VideoSaturate))))
    return context.unsupported();
  if (!context.count(isScalar && !scales ? 3 : 4, 4))
    return false;
  // -(a * b) + c or a * b - c, without .po (PTX ISA, "vmad").
  bool minusProduct = operands[1].minus != operands[2].minus;
  bool minusC = operands.size() > 3 && operands[3].minus;
  bool anyMinus = operands[1].minus || operands[2].minus || minusC;
  if (operands[0].minus || (anyMinus && !scales))
    return context.fail("only the sources of vmad may be negated");
  if (anyMinus && ((minusProduct && minusC) || (flags & VideoPlusOne)))
    return context.fail("vmad negates the product or c, and none with .po");
  flags |=
      (minusProduct ? VideoNegateProduct : 0) | (minusC ? VideoNegateC : 0);
  uint64_t partsA = 0, partsB = 0, partD = 0;
  std::string_view selectors[3];
  for (unsigned i = 0; i < 3; ++i)
    selectors[i] = operands[i].selector;
  bool good = isScalar
                  ? scalarPart(selectors[0], partD) &&
                        scalarPart(selectors[1], partsA) &&
                        scalarPart(selectors[2], partsB)
                  : elementMask(selectors[0], elements, partD) &&
                        elementParts(selectors[1], elements,
                                     elements == 2 ? 0x10 : 0x3210, partsA) &&
                        elementParts(selectors[2], elements,
                                     elements == 2 ? 0x32 : 0x7654, partsB);
  if (!good || (operands.size() > 3 && !operands[3].selector.empty()))
    return context.fail("a selector that '" + std::string(root) +
                        "' does not have");
  // With three sources a scalar result is merged, or goes on with c.
  if (second < 0)
    what =
        operands.size() == 3 || scales ? VideoSecond::None : VideoSecond::Merge;
  if (isScalar && (what == VideoSecond::Merge) != (partD != 0))
    return context.fail("'" + std::string(root) +
                        "' merges with operand c where d has a selector");
  if ((second >= 0 || !isScalar) && operands.size() != 4)
    return context.fail("operand c is missing");
  std::vector<Ref> refs(4, context.constant(0, 4));
  if (!context.destination(operands[0], d, refs[0]) ||
      !context.source(operands[1], a, refs[1]) ||
      !context.source(operands[2], b, refs[2]))
    return false;
  if (operands.size() > 3 && !context.source(operands[3], d, refs[3]))
    return false;
  Inst &inst = context.emit(videoHandler(), refs, Flow::Next);
  inst.a = uint8_t(op);
  inst.b = uint8_t(elements);
  inst.c = uint8_t(what);
  inst.d = flags;
  inst.e = extra;
  inst.imm = int64_t(partsA | partsB << 16 | partD << 32);
  return true;
}
