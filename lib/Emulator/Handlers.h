//===- Handlers.h - Tables of instruction handlers --------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handlers are compiled several times, for vector extensions of growing width
// (folder Isa), and chosen once when the program starts. Every function below
// returns null where there is no such instruction.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_HANDLERS_H
#define FUSION_LIB_EMULATOR_HANDLERS_H

#include "Code.h"

namespace fusion::emulator {

/// Operands in op[]: destination first, then sources, unless said otherwise.
enum class IntOp : uint8_t {
  Add,
  Sub,
  Mul,
  MulHi,
  MulWide,
  Mad,
  MadHi,
  MadWide,
  Mul24,
  Mul24Hi,
  Mad24,
  Mad24Hi,
  Sad,
  Div,
  Rem,
  Abs,
  Neg,
  Min,
  Max,
  Min3,
  Max3,
  And,
  Or,
  Xor,
  Not,
  Cnot,
  Shl,
  Shr,
  Popc,
  Clz,
  Bfind,
  BfindShift,
  Brev,
  Bfe,
  Bfi,
  AddSat,
  SubSat,
  MadHiSat,
  AddCC,
  AddC,
  AddCCC,
  SubCC,
  SubC,
  SubCCC,
  MadCC,
  MadC,
  MadCCC,
  MadHiCC,
  MadHiC,
  MadHiCCC,
  ShfL,
  ShfR, // a: clamp
  Prmt, // a: mode
  Lop3, // op[4]: table constant
  Dp4a,
  Dp2a, // a: first signed, b: second signed, c: .hi
  Bmsk,
  Szext,
  Fns, // a: clamp / wrap
  ReluMin,
  ReluMax,
  Mov,
  Select,
  Slct,  // op[3]: predicate or s32
  SlctF, // op[3]: f32
};

enum class FloatOp : uint8_t {
  Add,
  Sub,
  Mul,
  Fma,
  Div,
  Sqrt,
  Rcp,
  Rsqrt,
  Sin,
  Cos,
  Lg2,
  Ex2,
  Tanh,
  Neg,
  Abs,
  Min,
  Max,
  Min3,
  Max3,
  Copysign,
  Testp,
  Ex2Fast,
};

enum class Rounding : uint8_t { None, Nearest, Zero, Down, Up, Away, Integer };

/// Bits of Inst::a for floating-point handlers.
enum FloatFlags : uint8_t {
  FlagFtz = 1,     ///< subnormal inputs and results become zero
  FlagSat = 2,     ///< clamp to [0, 1], NaN to 0
  FlagNaN = 4,     ///< min and max propagate NaN
  FlagXorSign = 8, ///< min.xorsign.abs
  FlagRelu = 16,   ///< negative to 0, NaN stays
  FlagAbs = 32,
  FlagSatFinite = 64,
};

enum class Compare : uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan,
};
enum class Combine : uint8_t { None, And, Or, Xor };

/// Everything of setp, set and their packed forms:
/// op: [p, q, a, b, c] for setp, [d, a, b, c] for set.
struct CompareSpec {
  Type type;
  Compare compare;
  bool isSet = false; ///< set: op[0] is a register of `destination`
  Type destination = Type::None;
};

enum class ShuffleMode : uint8_t { Up, Down, Bfly, Idx };
enum class AtomicOp : uint8_t {
  Add,
  Min,
  Max,
  Inc,
  Dec,
  And,
  Or,
  Xor,
  Exch,
  Cas,
};
enum class VoteMode : uint8_t { All, Any, Uni, Ballot };

/// mma shapes by element types (PTX ISA, "Matrix multiply-accumulate").
struct MmaSpec {
  unsigned m = 0, n = 0, k = 0;
  Type a = Type::None, b = Type::None, accumulator = Type::None,
       result = Type::None;
  bool satfinite = false;
};

struct HandlerTable {
  const char *name;
  Handler (*integer)(IntOp op, Type type);
  Handler (*floating)(FloatOp op, Type type, uint8_t flags);
  Handler (*compare)(const CompareSpec &spec);
  /// Widths of the registers that hold source and destination may exceed the
  /// types'. Inst::a: flags, b: rounding, c and d: types, e: register widths.
  Handler (*convert)(Type destination, Type source, Rounding rounding,
                     uint8_t flags);
  /// op: [values…, address]; a: bytes of an element, b: elements, c: address
  /// width, d: bit 0 sign extension, e: bytes of the registers.
  Handler (*load)(Space space, unsigned bytes);
  Handler (*store)(Space space, unsigned bytes);
  Handler (*mma)(const MmaSpec &spec);
  Handler (*wmma)(const MmaSpec &spec);
};

/// The widest table that this machine executes.
const HandlerTable &handlerTable();
/// Every table that this machine executes, for tests.
std::vector<const HandlerTable *> allHandlerTables();

// Handlers that exist once (their loops do not vectorise), by file.

// HandlersDirected.cpp: f32 and f64 under rz, rm, rp. a: flags, b: Rounding.
Handler directedHandler(FloatOp op, Type type);

// HandlersWarp.cpp
Handler shuffleHandler(ShuffleMode mode);       ///< [d, p, a, b, c, membermask]
Handler voteHandler(VoteMode mode);             ///< [d, a, membermask]
Handler matchHandler(bool all, unsigned bytes); ///< [d, p, a, membermask]
Handler reduxHandler(AtomicOp op, Type type);   ///< [d, a, membermask]
Handler activemaskHandler();                    ///< [d]
Handler electHandler();                         ///< [d, p, membermask]

// HandlersAtomic.cpp: [d, b, c, address]; a: AtomicOp, b: type, c: address
// width, d: space, e: bit 0 discards the result.
Handler atomicHandler();

// HandlersAsync.cpp
/// [destination, source, size or predicate]; imm and imm2 their offsets, a:
/// bytes, b: 1 source size, 2 ignore-source predicate, c and d: widths.
Handler asyncCopyHandler();
Handler asyncCommitHandler();
Handler asyncWaitHandler(); ///< imm: groups that may stay, -1: none, of all
/// [registers…, address]; b: matrices, c: address width, a: 1 if generic.
Handler matrixLoadHandler(bool transposed);
Handler matrixStoreHandler(bool transposed);
Handler matrixMoveHandler(); ///< [d, a]: transposed
/// What the lanes still have in flight arrives.
void finishCopies(Warp &warp, uint32_t mask);

// HandlersMisc.cpp
/// [values…, base]: from the kernel's parameters; fields as of load.
Handler parameterLoadHandler();
Handler addressHandler();      ///< [d, a]: d = a + imm, 64 bits
Handler localAddressHandler(); ///< [d]: imm + the frame's local memory
Handler isSpaceHandler();      ///< [p, a]; a: Space
Handler packHandler();         ///< [d, e0, …]; a: elements, b: bytes of one
Handler unpackHandler();       ///< [e0, …, s]; a: elements, b: bytes of one
Handler clockHandler();        ///< [d]; a: bytes
Handler trapHandler();
Handler barrierResultHandler();     ///< [d]; a: 0 popc, 1 and, 2 or
Handler predicateHandler(IntOp op); ///< And, Or, Xor, Not, Mov of predicates
Handler testpHandler();             ///< [p, a]; a: test, b: bytes
Handler nothingHandler();

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_HANDLERS_H
