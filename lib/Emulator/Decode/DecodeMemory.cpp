//===- DecodeMemory.cpp - Decoding of memory instructions -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/DecodeMemory.h"

#include "Emulator/Decode/DecodeBulk.h"
#include "Emulator/Decode/DecodeHints.h"
#include "Emulator/Execute/HandlersAsync.h"
#include "Emulator/Execute/HandlersAtomic.h"
#include "Emulator/Execute/HandlersCluster.h"
#include "Emulator/Execute/HandlersMisc.h"

#include <algorithm>

using namespace fusion::emulator;

/// What only caches and the order of accesses care about. Accesses happen in
/// program order here, so that the orders are all satisfied; sanitizers look at
/// what was asked for. False where such modifiers do not go together.
static bool takeHints(DecodeContext &context, std::string_view root,
                      Modifiers &modifiers, uint8_t &order, bool &cacheHint) {
  static constexpr uint8_t orders[] = {OrderStrong,                // volatile
                                       OrderStrong,                // relaxed
                                       OrderStrong | OrderAcquire, // acquire
                                       OrderStrong | OrderRelease, // release
                                       OrderStrong | OrderAcquire |
                                           OrderRelease}; // acq_rel
  enum { Volatile, Relaxed, Acquire, Release, AcqRel };
  bool isLoad = root == "ld", isStore = root == "st",
       isAccess = isLoad || isStore;
  bool isMmio = modifiers.take("mmio"), isWeak = modifiers.take("weak");
  int which = modifiers.takeOneOf(
      {"volatile", "relaxed", "acquire", "release", "acq_rel"});
  int scope = modifiers.takeOneOf({"cta", "cluster", "gpu", "sys"});
  cacheHint = modifiers.take("L2::cache_hint");
  bool isCached = false, isConstant = false;
  if (isLoad) {
    isCached = modifiers.takeOneOf({"ca", "cg", "cs", "lu", "cv"}) >= 0;
    isConstant = modifiers.take("nc");
  } else if (isStore) {
    isCached = modifiers.takeOneOf({"wb", "cg", "cs", "wt"}) >= 0;
  }
  bool evicts = false;
  if (isAccess) {
    evicts = modifiers.takeOneOf({"L1::evict_normal", "L1::evict_unchanged",
                                  "L1::evict_first", "L1::evict_last",
                                  "L1::no_allocate"}) >= 0;
    // For vectors of 32 bytes.
    if (modifiers.takeOneOf(
            {"L2::evict_normal", "L2::evict_first", "L2::evict_last"}) >= 0 &&
        modifiers.vectorBytes() != 32)
      return false;
  }
  bool prefetches =
      (isLoad || root == "ldu") &&
      modifiers.takeOneOf({"L2::64B", "L2::128B", "L2::256B"}) >= 0;
  order = which >= 0 ? orders[which] : 0;
  if (scope == 0)
    order |= OrderCta;
  if (scope == 1)
    order |= OrderCluster;
  // A load acquires, a store releases; other orders have a scope there, and
  // nothing else has. Atomics need none.
  bool valid = isLoad    ? which != Release && which != AcqRel
               : isStore ? which != Acquire && which != AcqRel
                         : !isMmio && !isWeak && which != Volatile &&
                               (root != "red" || which == Relaxed ||
                                which == Release || which < 0) &&
                               (root != "ldu" || (which < 0 && scope < 0));
  if (isAccess)
    valid &= (which > Volatile) == (scope >= 0) &&
             (!isMmio || (which == Relaxed && scope == 3)) &&
             (!isWeak || which < 0);
  valid &= !isCached || (which < 0 && !evicts);
  auto has = [&](std::string_view text) {
    const auto &list = context.instruction->modifiers;
    return std::find(list.begin(), list.end(), text) != list.end();
  };
  bool isElsewhere = has("shared") || has("shared::cta") ||
                     has("shared::cluster") || has("local") || has("const") ||
                     has("param") || has("param::entry") || has("param::func");
  valid &= !isConstant || (has("global") && which < 0);
  valid &= !isElsewhere || (!prefetches && !evicts && !isMmio && root != "ldu");
  if (which >= 0 && isAccess)
    valid &= !has("local") && !has("const") && !has("param") &&
             !has("param::entry") && !has("param::func");
  return valid;
}

/// `.shared::cluster` is a part of the generic window: `isCluster`.
static Space takeSpace(Modifiers &modifiers, bool &isCluster) {
  isCluster = modifiers.take("shared::cluster");
  switch (
      modifiers.takeOneOf({"global", "shared", "shared::cta", "const", "local",
                           "param", "param::entry", "param::func"})) {
  case 0:
    return Space::Global;
  case 1:
  case 2:
    return Space::Shared;
  case 3:
    return Space::Const;
  case 4:
    return Space::Local;
  case 5:
  case 6:
  case 7:
    return Space::Param;
  default:
    return Space::Generic;
  }
}

static void noteScope(DecodeContext &context, uint8_t order) {
  context.code->hasCtaScope |= (order & OrderCta) != 0;
  context.code->hasNarrowAccess |= (order & (OrderCta | OrderCluster)) != 0;
}

bool fusion::emulator::decodeAccess(DecodeContext &context,
                                    std::string_view root,
                                    Modifiers &modifiers) {
  bool isStore = root == "st", cacheHint, isCluster;
  uint8_t order;
  if (isStore && modifiers.take("async"))
    return decodeAsyncStore(context, root, modifiers);
  if (!takeHints(context, root, modifiers, order, cacheHint))
    return context.unsupported();
  Space space = takeSpace(modifiers, isCluster);
  int vector = modifiers.takeOneOf({"v2", "v4", "v8"});
  Type type = modifiers.takeType();
  unsigned bytes = bytesOf(type), n = vector < 0 ? 1 : 2u << vector;
  if (!isMemoryType(type) || bytes * n > 32)
    return context.unsupported();
  if (!context.count(cacheHint ? 3 : 2, cacheHint ? 3 : 2))
    return false;
  const Operand &value = context.instruction->operands[isStore ? 1 : 0];
  const Operand &place = context.instruction->operands[isStore ? 0 : 1];
  if (order && !isCluster && !isStore &&
      (space == Space::Global || space == Space::Generic))
    context.code->communicates = true;

  std::vector<const Operand *> elements;
  if (vector >= 0) {
    if (value.kind != Operand::Kind::Vector || value.elements.size() != n)
      return context.fail("'" + std::string(context.instruction->opcode) +
                          "' requires " + std::to_string(n) + " registers");
    for (const Operand &element : value.elements)
      elements.push_back(&element);
  } else if (value.kind == Operand::Kind::Vector &&
             value.elements.size() == 1) {
    elements.push_back(&value.elements[0]);
  } else {
    elements.push_back(&value);
  }
  std::vector<Ref> refs(n + 1);
  unsigned width = 0;
  // Elements of vectors are taken as bits by ptxas, but for .f32 and .f64.
  Type element = vector >= 0 && !isFloatLike(type) ? bitsLike(type) : type;
  for (unsigned i = 0; i < n; ++i) {
    unsigned w;
    if (isStore ? !context.wideSource(*elements[i], element, refs[i], w)
                : !context.wideDestination(*elements[i], element, refs[i], w))
      return false;
    if (elements[i]->kind != Operand::Kind::Register)
      continue; // sinks and constants follow the registers
    if (width && w != width)
      return context.fail("registers of different widths in one vector");
    width = w;
  }
  if (!width)
    width = bytes;
  for (unsigned i = 0; i < n; ++i)
    if (isStore && width != bytes &&
        elements[i]->kind == Operand::Kind::Integer)
      refs[i] = context.constant(elements[i]->value, width);

  if (cacheHint &&
      !decodeCachePolicy(context, context.instruction->operands[2]))
    return false;
  unsigned addressWidth;
  int64_t offset;
  Space variableSpace = Space::Generic;
  if (!context.address(place, refs[n], addressWidth, offset, &variableSpace))
    return false;
  bool kernelParameter = false;
  if (space == Space::Param && !isStore && context.current->isEntry) {
    const Operand &base = place.elements[0];
    kernelParameter = base.kind != Operand::Kind::Variable;
    for (const Formal &formal : context.current->parameters)
      kernelParameter |=
          base.kind == Operand::Kind::Variable && formal.variable == base.index;
  }
  if (space == Space::Const && addressWidth == 4)
    // The low half of an address in the module's region, which lies in one
    // window.
    offset += int64_t((kModuleVariables + context.module.id % kModuleRegions *
                                              kModuleVariableBytes) &
                      ~uint64_t(0xffffffffu));
  if (isCluster)
    offset += int64_t(kSharedWindow);
  else if (space == Space::Generic && variableSpace != Space::Generic &&
           variableSpace != Space::Global && variableSpace != Space::Const)
    space = variableSpace; // a variable named without its space
  Handler handler = kernelParameter ? parameterLoadHandler()
                    : isStore       ? context.table.store(space, bytes)
                                    : context.table.load(space, bytes);
  if (!handler)
    return context.unsupported();
  Inst &made = context.emit(handler, refs, Flow::Checked);
  made.imm = offset;
  made.a = uint8_t(bytes);
  made.b = uint8_t(n);
  made.c = uint8_t(addressWidth);
  made.d = isSigned(type);
  made.e = uint8_t(width);
  made.imm2 = isStore ? kStoresOperands : 0;
  made.order = order;
  if (!context.updates.empty() && context.updates[context.pc]) {
    made.order |= OrderUpdate;
    context.code->hasUpdates = true;
  }
  // A strong one needs no excuse.
  if (!context.guesses.empty() && context.guesses[context.pc] && !order)
    made.order = OrderGuess;
  noteScope(context, order);
  return true;
}

namespace {

/// An atom or red instruction, without its operands.
struct Atomic {
  AtomicOp op;
  Type type;
  unsigned elements; ///< of a vector, or 1
  Space space;
  bool isReduction, isCluster, keepsSubnormals;
  uint8_t order;

  unsigned bytes() const { return bytesOf(type); }
  bool isFloatingPoint() const {
    return isFloat(type) || type == Type::F16x2 || type == Type::BF16x2;
  }
  /// Returns whether PTX has the operation for single elements of the type.
  bool hasType() const;
  /// Returns whether PTX has the instruction.
  bool exists() const;
};

} // namespace

bool Atomic::hasType() const {
  switch (op) {
  case AtomicOp::Add:
    return isFloatingPoint() || type == Type::U32 || type == Type::S32 ||
           type == Type::U64 || type == Type::S64;
  case AtomicOp::Min:
  case AtomicOp::Max:
    return type == Type::U32 || type == Type::S32 || type == Type::U64 ||
           type == Type::S64 || type == Type::F16 || type == Type::BF16 ||
           type == Type::F16x2 || type == Type::BF16x2;
  case AtomicOp::Inc:
  case AtomicOp::Dec:
    return type == Type::U32;
  case AtomicOp::Exch:
  case AtomicOp::Cas:
    return !isReduction &&
           ((type == Type::B16 && op == AtomicOp::Cas) || type == Type::B32 ||
            type == Type::B64 || type == Type::B128 || type == Type::U32 ||
            type == Type::S32 || type == Type::U64 || type == Type::F32);
  default:
    return type == Type::B32 || type == Type::B64 || type == Type::U32 ||
           type == Type::S32 || type == Type::U64 || type == Type::S64;
  }
}

bool Atomic::exists() const {
  if (!hasType() || type == Type::TF32)
    return false;
  // Sums of halves say that they do not flush, and have their least and most
  // in vectors alone.
  bool isHalf = isFloatingPoint() && type != Type::F32 && type != Type::F64;
  if (isHalf != keepsSubnormals ||
      (isHalf && op != AtomicOp::Add && elements == 1))
    return false;
  // Vectors are of at most 16 bytes of floats, in global memory.
  return elements == 1 ||
         (isFloatingPoint() && type != Type::F64 && elements * bytes() <= 16 &&
          space != Space::Shared && !isCluster);
}

/// Resolves the values of an atomic's elements. What one element gives may lie
/// where the operand of the next one does, so that later ones are copied unless
/// the results are discarded.
static bool takeValues(DecodeContext &context, const Atomic &atomic,
                       const Operand &operand, Type element, bool discards,
                       std::vector<Ref> &values) {
  values.resize(atomic.elements);
  for (unsigned k = 0; k < atomic.elements; ++k) {
    if (!context.source(atomic.elements > 1 ? operand.elements[k] : operand,
                        element, values[k]))
      return false;
    if (k == 0 || discards)
      continue;
    Type bits = atomic.bytes() == 2 ? Type::B16 : Type::B32;
    Ref copy = context.scratch(kLanes * atomic.bytes());
    context.emit(context.table.integer(IntOp::Mov, bits), {copy, values[k]},
                 Flow::Hidden);
    values[k] = copy;
  }
  return true;
}

/// Decodes the operands of an atomic, and emits an instruction for each element
/// of a vector: each is atomic by itself (PTX ISA, "atom", "red").
static bool emitAtomic(DecodeContext &context, const Atomic &atomic,
                       bool cacheHint) {
  size_t base = atomic.isReduction ? 0 : 1;
  size_t sources = atomic.op == AtomicOp::Cas ? 2 : 1;
  size_t wanted = base + 1 + sources + cacheHint;
  const auto &operands = context.instruction->operands;
  if (!context.count(wanted, wanted) ||
      (cacheHint && !decodeCachePolicy(context, operands.back())))
    return false;
  unsigned n = atomic.elements;
  auto isVector = [&](const Operand &operand) {
    return operand.kind == Operand::Kind::Vector &&
           operand.elements.size() == n;
  };
  bool discards = atomic.isReduction || operands[0].kind == Operand::Kind::Sink;
  if (n > 1 &&
      (!isVector(operands[base + 1]) || (!discards && !isVector(operands[0]))))
    return context.fail("'" + std::string(context.instruction->opcode) +
                        "' requires " + std::to_string(n) + " registers");
  Ref d = context.scratchRef, c = context.scratchRef, a;
  unsigned width;
  int64_t offset;
  if (!context.address(operands[base], a, width, offset) ||
      (sources == 2 && !context.source(operands[base + 2], atomic.type, c)))
    return false;
  if (atomic.isCluster)
    offset += int64_t(kSharedWindow);
  Type element =
      n > 1 && atomic.type != Type::F32 ? bitsLike(atomic.type) : atomic.type;
  std::vector<Ref> values;
  if (!takeValues(context, atomic, operands[base + 1], element, discards,
                  values))
    return false;
  for (unsigned k = 0; k < n; ++k) {
    const Operand &result = operands[0];
    bool isOne = n == 1 || discards;
    if (!atomic.isReduction &&
        !context.destination(isOne ? result : result.elements[k], element, d))
      return false;
    Inst &inst = context.emit(atomicHandler(), {d, values[k], c, a},
                              k ? Flow::Hidden : Flow::Checked);
    if (k && context.instruction->guard != kNone) {
      inst.guard = context.slots[context.instruction->guard];
      inst.guardFlip = context.instruction->guardNegated ? ~0u : 0;
    }
    inst.imm = offset + int64_t(k * atomic.bytes());
    inst.a = uint8_t(atomic.op);
    inst.b = uint8_t(atomic.type);
    inst.c = uint8_t(width);
    inst.d = uint8_t(atomic.space);
    inst.e = discards;
    inst.order = uint8_t(atomic.order | OrderStrong);
  }
  context.code->hasAtomics = true;
  noteScope(context, atomic.order);
  // Sums of integers do not depend on the order of the CTAs; whatever tells
  // one CTA about another, and rounding, does.
  // Hosts have no atomics of 128 bits everywhere.
  if (atomic.space != Space::Shared && !atomic.isCluster &&
      (!discards || atomic.isFloatingPoint() || atomic.bytes() == 16))
    context.code->communicates = true;
  return true;
}

bool fusion::emulator::decodeAtomic(DecodeContext &context,
                                    std::string_view root,
                                    Modifiers &modifiers) {
  Atomic atomic;
  bool cacheHint;
  atomic.isReduction = root == "red";
  if (atomic.isReduction && modifiers.take("async"))
    return decodeAsyncStore(context, root, modifiers);
  if (!takeHints(context, root, modifiers, atomic.order, cacheHint))
    return context.unsupported();
  atomic.space = takeSpace(modifiers, atomic.isCluster);
  int operation = modifiers.takeOneOf(
      {"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"});
  atomic.keepsSubnormals = modifiers.take("noftz");
  int vector = modifiers.takeOneOf({"v2", "v4", "v8"});
  atomic.elements = vector < 0 ? 1 : 2u << vector;
  atomic.type = modifiers.takeType();
  if (operation < 0 || !atomic.bytes() ||
      (atomic.space != Space::Global && atomic.space != Space::Shared &&
       atomic.space != Space::Generic))
    return context.unsupported();
  atomic.op = AtomicOp(operation);
  if (!atomic.exists())
    return context.unsupported();
  return emitAtomic(context, atomic, cacheHint);
}

bool fusion::emulator::decodeMatrixAccess(DecodeContext &context,
                                          std::string_view root,
                                          Modifiers &modifiers) {
  bool isStore = root == "stmatrix";
  bool sync = modifiers.take("sync") && modifiers.take("aligned");
  bool shape = modifiers.take("m8n8");
  int number = modifiers.takeOneOf({"x1", "x2", "x4"});
  bool transposed = modifiers.take("trans");
  bool isCluster;
  Space space = takeSpace(modifiers, isCluster);
  Type type = modifiers.takeType();
  if (isCluster || !sync || !shape || number < 0 || type != Type::B16 ||
      (space != Space::Shared && space != Space::Generic))
    return context.unsupported();
  if (!context.count(2, 2))
    return false;
  unsigned n = 1u << number;
  const Operand &registers = context.instruction->operands[isStore ? 1 : 0];
  const Operand &place = context.instruction->operands[isStore ? 0 : 1];
  std::vector<Ref> refs;
  if (!context.fragment(registers, Type::B32, n, !isStore, refs))
    return false;
  refs.push_back(0);
  unsigned width;
  int64_t offset;
  if (!context.address(place, refs[n], width, offset))
    return false;
  Inst &inst = context.emit(isStore ? matrixStoreHandler(transposed)
                                    : matrixLoadHandler(transposed),
                            refs, Flow::WarpAligned);
  inst.imm = offset;
  inst.a = space == Space::Generic;
  inst.b = uint8_t(n);
  inst.c = uint8_t(width);
  return true;
}

/// movmatrix.sync.aligned.m8n8.trans.b16 d, a
bool fusion::emulator::decodeMatrixMove(DecodeContext &context,
                                        std::string_view,
                                        Modifiers &modifiers) {
  bool known = modifiers.take("sync") && modifiers.take("aligned") &&
               modifiers.take("m8n8") && modifiers.take("trans");
  Ref d, a;
  if (!known || modifiers.takeType() != Type::B16)
    return context.unsupported();
  if (!context.count(2, 2) ||
      !context.destination(context.instruction->operands[0], Type::B32, d) ||
      !context.source(context.instruction->operands[1], Type::B32, a))
    return false;
  context.emit(matrixMoveHandler(), {d, a}, Flow::WarpAligned);
  return true;
}

static uint64_t windowOf(Space space) {
  switch (space) {
  case Space::Shared:
    return kSharedWindow;
  case Space::Local:
    return kLocalWindow;
  case Space::Param:
    return kParamWindow;
  default:
    return 0;
  }
}

bool fusion::emulator::decodeAddress(DecodeContext &context,
                                     std::string_view root,
                                     Modifiers &modifiers) {
  bool to = modifiers.take("to"), isCluster;
  Space space = takeSpace(modifiers, isCluster);
  if (isCluster)
    space = Space::Shared;
  if (space == Space::Generic)
    return context.unsupported();
  if (!context.count(2, 2))
    return false;
  Ref d, a;
  if (root == "isspacep") {
    // A word is the low half of an address whose high half is zero.
    const Operand &place = context.instruction->operands[1];
    bool isWord = place.kind == Operand::Kind::Register &&
                  bytesOf(context.current->registers[place.index].type) == 4;
    if (to ||
        !context.destination(context.instruction->operands[0], Type::Pred, d) ||
        !context.source(place, isWord ? Type::U32 : Type::U64, a))
      return false;
    if (isWord) {
      Ref word = a;
      a = context.scratch(256);
      context.emit(widenAddressHandler(), {a, word}, Flow::Hidden).c = 4;
    }
    Inst &inst = context.emit(isSpaceHandler(), {d, a});
    inst.a = uint8_t(space);
    inst.b = isCluster;
    return true;
  }
  if (modifiers.takeType() != Type::U64)
    return context.unsupported();
  if (!context.destination(context.instruction->operands[0], Type::U64, d) ||
      !context.source(context.instruction->operands[1], Type::U64, a))
    return false;
  uint64_t window = windowOf(space);
  context.emit(addressHandler(), {d, a}).imm =
      int64_t(to ? 0 - window : window);
  return true;
}
