//===- Operations.h - What instructions compute -----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of operations, and the fields by which decoder and handlers name them.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_OPERATIONS_H
#define FUSION_LIB_EMULATOR_EXECUTE_OPERATIONS_H

#include "Emulator/Machine/Code.h"

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
  Mad24HiSat,
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
  FlagOob = 128, ///< fma.oob: 0 where an operand is kOutOfBoundsNan
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

/// The shapes of mma by element types (PTX ISA, "Matrix multiply-accumulate").
struct MmaSpec {
  unsigned m = 0, n = 0, k = 0;
  Type a = Type::None, b = Type::None, accumulator = Type::None,
       result = Type::None;
  bool satfinite = false;
  bool isSparse = false; ///< mma.sp
  /// A is column-major, B row-major: mma.m8n8k4 of f16 alone has a choice.
  bool columnA = false, rowB = false;
  /// The operation on single bits before they are counted.
  enum class BitOp : uint8_t { None, And, Xor } bitOp = BitOp::None;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_OPERATIONS_H
