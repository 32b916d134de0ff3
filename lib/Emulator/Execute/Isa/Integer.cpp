//===- Integer.cpp - Integer and bit instructions -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/Isa/IntegerOps.h"

namespace fusion::emulator::FUSION_ISA {
namespace {

template <class T> void select(Warp &warp, const Inst &inst, uint32_t mask) {
  Destination<T> destination(warp, inst.op[0], mask);
  T *d = destination.data();
  const T *a = warp.reg<T>(inst.op[1]), *b = warp.reg<T>(inst.op[2]);
  uint32_t p = warp.predicate(inst.op[3]);
  FUSION_LANES
  for (unsigned i = 0; i < kLanes; ++i)
    d[i] = (p >> i) & 1 ? a[i] : b[i];
  destination.finish();
}

template <class T> void bfi(Warp &warp, const Inst &inst, uint32_t mask) {
  Destination<T> destination(warp, inst.op[0], mask);
  T *d = destination.data();
  const T *a = warp.reg<T>(inst.op[1]), *b = warp.reg<T>(inst.op[2]);
  const uint32_t *p = warp.reg<uint32_t>(inst.op[3]);
  const uint32_t *n = warp.reg<uint32_t>(inst.op[4]);
  FUSION_LANES
  for (unsigned i = 0; i < kLanes; ++i)
    d[i] = Bfi::run(a[i], b[i], p[i], n[i]);
  destination.finish();
}

/// Extended-precision arithmetic through CC.CF. `In` reads it, `Out` writes.
enum class Extended { Add, Sub, Mad, MadHi };
template <Extended E, bool In, bool Out, class T>
void extended(Warp &warp, const Inst &inst, uint32_t mask) {
  using U = Unsigned<T>;
  Destination<U> destination(warp, inst.op[0], mask);
  U *d = destination.data();
  const T *a = warp.reg<T>(inst.op[1]), *b = warp.reg<T>(inst.op[2]);
  const U *c = E == Extended::Mad || E == Extended::MadHi
                   ? warp.reg<U>(inst.op[3])
                   : nullptr;
  uint32_t carry = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    // A difference is a + ~b + 1, and the flag its carry, not the borrow:
    // nvcc's division of 128-bit numbers reads it with addc.
    U in = In ? (warp.carry >> i) & 1 : E == Extended::Sub;
    U first, second;
    if (E == Extended::Mad) {
      first = U(U(a[i]) * U(b[i]));
      second = c[i];
    } else if (E == Extended::MadHi) {
      first = U(high(a[i], b[i]));
      second = c[i];
    } else {
      first = U(a[i]);
      second = E == Extended::Sub ? U(~U(b[i])) : U(b[i]);
    }
    U sum = U(first + second);
    U total = U(sum + in);
    bool over = sum < first || total < sum;
    carry |= uint32_t(over) << i;
    d[i] = total;
  }
  if (Out)
    warp.carry = (warp.carry & ~mask) | (carry & mask);
  destination.finish();
}

template <class Op> Handler same1(Type type) {
  switch (type) {
  case Type::B16:
  case Type::U16:
    return map1<Op, uint16_t, uint16_t>;
  case Type::S16:
    return map1<Op, int16_t, int16_t>;
  case Type::B32:
  case Type::U32:
    return map1<Op, uint32_t, uint32_t>;
  case Type::S32:
    return map1<Op, int32_t, int32_t>;
  case Type::B64:
  case Type::U64:
    return map1<Op, uint64_t, uint64_t>;
  case Type::S64:
    return map1<Op, int64_t, int64_t>;
  default:
    return nullptr;
  }
}
template <class Op> Handler to32(Type type) {
  switch (type) {
  case Type::B32:
  case Type::U32:
    return map1<Op, uint32_t, uint32_t>;
  case Type::S32:
    return map1<Op, uint32_t, int32_t>;
  case Type::B64:
  case Type::U64:
    return map1<Op, uint32_t, uint64_t>;
  case Type::S64:
    return map1<Op, uint32_t, int64_t>;
  default:
    return nullptr;
  }
}
template <class Op> Handler same2(Type type) {
  switch (type) {
  case Type::B16:
  case Type::U16:
    return map2<Op, uint16_t, uint16_t, uint16_t>;
  case Type::S16:
    return map2<Op, int16_t, int16_t, int16_t>;
  case Type::B32:
  case Type::U32:
    return map2<Op, uint32_t, uint32_t, uint32_t>;
  case Type::S32:
    return map2<Op, int32_t, int32_t, int32_t>;
  case Type::B64:
  case Type::U64:
    return map2<Op, uint64_t, uint64_t, uint64_t>;
  case Type::S64:
    return map2<Op, int64_t, int64_t, int64_t>;
  default:
    return nullptr;
  }
}
template <class Op> Handler bits2(Type type) {
  switch (bytesOf(type)) {
  case 2:
    return map2<Op, uint16_t, uint16_t, uint16_t>;
  case 4:
    return map2<Op, uint32_t, uint32_t, uint32_t>;
  case 8:
    return map2<Op, uint64_t, uint64_t, uint64_t>;
  default:
    return nullptr;
  }
}
template <class Op> Handler shift2(Type type) {
  switch (type) {
  case Type::B16:
  case Type::U16:
    return map2<Op, uint16_t, uint16_t, uint32_t>;
  case Type::S16:
    return map2<Op, int16_t, int16_t, uint32_t>;
  case Type::B32:
  case Type::U32:
    return map2<Op, uint32_t, uint32_t, uint32_t>;
  case Type::S32:
    return map2<Op, int32_t, int32_t, uint32_t>;
  case Type::B64:
  case Type::U64:
    return map2<Op, uint64_t, uint64_t, uint32_t>;
  case Type::S64:
    return map2<Op, int64_t, int64_t, uint32_t>;
  default:
    return nullptr;
  }
}
template <class Op> Handler wide2(Type type) {
  switch (type) {
  case Type::U16:
    return map2<Op, uint32_t, uint16_t, uint16_t>;
  case Type::S16:
    return map2<Op, int32_t, int16_t, int16_t>;
  case Type::U32:
    return map2<Op, uint64_t, uint32_t, uint32_t>;
  case Type::S32:
    return map2<Op, int64_t, int32_t, int32_t>;
  default:
    return nullptr;
  }
}
template <class Op> Handler wide3(Type type) {
  switch (type) {
  case Type::U16:
    return map3<Op, uint32_t, uint16_t, uint16_t, uint32_t>;
  case Type::S16:
    return map3<Op, int32_t, int16_t, int16_t, int32_t>;
  case Type::U32:
    return map3<Op, uint64_t, uint32_t, uint32_t, uint64_t>;
  case Type::S32:
    return map3<Op, int64_t, int32_t, int32_t, int64_t>;
  default:
    return nullptr;
  }
}
template <class Op> Handler same3(Type type) {
  switch (type) {
  case Type::U16:
    return map3<Op, uint16_t, uint16_t, uint16_t, uint16_t>;
  case Type::S16:
    return map3<Op, int16_t, int16_t, int16_t, int16_t>;
  case Type::U32:
    return map3<Op, uint32_t, uint32_t, uint32_t, uint32_t>;
  case Type::S32:
    return map3<Op, int32_t, int32_t, int32_t, int32_t>;
  case Type::U64:
    return map3<Op, uint64_t, uint64_t, uint64_t, uint64_t>;
  case Type::S64:
    return map3<Op, int64_t, int64_t, int64_t, int64_t>;
  default:
    return nullptr;
  }
}
template <class Op> Handler only32(Type type) {
  return type == Type::U32   ? Handler(map2<Op, uint32_t, uint32_t, uint32_t>)
         : type == Type::S32 ? Handler(map2<Op, int32_t, int32_t, int32_t>)
                             : nullptr;
}
template <class Op> Handler only32x3(Type type) {
  return type == Type::U32
             ? Handler(map3<Op, uint32_t, uint32_t, uint32_t, uint32_t>)
         : type == Type::S32
             ? Handler(map3<Op, int32_t, int32_t, int32_t, int32_t>)
             : nullptr;
}
template <Extended E, bool In, bool Out> Handler extendedFor(Type type) {
  switch (type) {
  case Type::B32:
  case Type::U32:
    return extended<E, In, Out, uint32_t>;
  case Type::S32:
    return extended<E, In, Out, int32_t>;
  case Type::B64:
  case Type::U64:
    return extended<E, In, Out, uint64_t>;
  case Type::S64:
    return extended<E, In, Out, int64_t>;
  default:
    return nullptr;
  }
}
template <class Op, class C> Handler slctFor(Type type) {
  switch (bytesOf(type)) {
  case 2:
    return map3<Op, uint16_t, uint16_t, uint16_t, C>;
  case 4:
    return map3<Op, uint32_t, uint32_t, uint32_t, C>;
  case 8:
    return map3<Op, uint64_t, uint64_t, uint64_t, C>;
  default:
    return nullptr;
  }
}

/// Packed 16-bit integers: twice as many elements of half the width.
template <class Op, class T>
void packed2(Warp &warp, const Inst &inst, uint32_t mask) {
  Destination<uint32_t> destination(warp, inst.op[0], mask);
  T *d = reinterpret_cast<T *>(destination.data());
  const T *a = warp.reg<T>(inst.op[1]), *b = warp.reg<T>(inst.op[2]);
  FUSION_LANES
  for (unsigned i = 0; i < 2 * kLanes; ++i)
    d[i] = Op::run(a[i], b[i]);
  destination.finish();
}
template <class Op> Handler min2(Type type) {
  if (type == Type::U16x2)
    return packed2<Op, uint16_t>;
  if (type == Type::S16x2)
    return packed2<Op, int16_t>;
  return same2<Op>(type);
}

} // namespace

/// Bits.cpp: instructions of 32 bits only.
Handler bitsHandler(IntOp op);

Handler integerHandler(IntOp op, Type type) {
  switch (op) {
  case IntOp::Add:
    return type == Type::U16x2 || type == Type::S16x2
               ? Handler(packed2<Add, uint16_t>)
               : same2<Add>(type);
  case IntOp::Sub:
    return same2<Sub>(type);
  case IntOp::Mul:
    return same2<Mul>(type);
  case IntOp::MulHi:
    return same2<MulHi>(type);
  case IntOp::MulWide:
    return wide2<MulWide>(type);
  case IntOp::Mad:
    return same3<Mad>(type);
  case IntOp::MadHi:
    return same3<MadHi>(type);
  case IntOp::MadWide:
    return wide3<MadWide>(type);
  case IntOp::Mul24:
    return only32<Mul24>(type);
  case IntOp::Mul24Hi:
    return only32<Mul24Hi>(type);
  case IntOp::Mad24:
    return only32x3<Mad24>(type);
  case IntOp::Mad24Hi:
    return only32x3<Mad24Hi>(type);
  case IntOp::Mad24HiSat:
    return type == Type::S32
               ? Handler(map3<Mad24HiSat, int32_t, int32_t, int32_t, int32_t>)
               : nullptr;
  case IntOp::Sad:
    return same3<Sad>(type);
  case IntOp::Div:
    return same2<Div>(type);
  case IntOp::Rem:
    return same2<Rem>(type);
  case IntOp::Abs:
    return same1<Abs>(type);
  case IntOp::Neg:
    return same1<Neg>(type);
  case IntOp::Min:
    return min2<Min>(type);
  case IntOp::Max:
    return min2<Max>(type);
  case IntOp::Min3:
    return only32x3<Min3>(type);
  case IntOp::Max3:
    return only32x3<Max3>(type);
  case IntOp::ReluMin:
    return min2<ReluMin>(type);
  case IntOp::ReluMax:
    return min2<ReluMax>(type);
  case IntOp::And:
    return bits2<And>(type);
  case IntOp::Or:
    return bits2<Or>(type);
  case IntOp::Xor:
    return bits2<Xor>(type);
  case IntOp::Not:
    return same1<Not>(type);
  case IntOp::Cnot:
    return same1<Cnot>(type);
  case IntOp::Mov:
    switch (bytesOf(type)) {
    case 1:
      return map1<Mov, uint8_t, uint8_t>;
    case 2:
      return map1<Mov, uint16_t, uint16_t>;
    case 4:
      return map1<Mov, uint32_t, uint32_t>;
    case 8:
      return map1<Mov, uint64_t, uint64_t>;
    case 16:
      return map1<Mov, unsigned __int128, unsigned __int128>;
    default:
      return nullptr;
    }
  case IntOp::Shl:
    return shift2<Shl>(type);
  case IntOp::Shr:
    return shift2<Shr>(type);
  case IntOp::Popc:
    return to32<Popc>(type);
  case IntOp::Clz:
    return to32<Clz>(type);
  case IntOp::Bfind:
    return to32<Bfind>(type);
  case IntOp::BfindShift:
    return to32<BfindShift>(type);
  case IntOp::Brev:
    return same1<Brev>(type);
  case IntOp::Bfe:
    switch (type) {
    case Type::U32:
      return map3<Bfe, uint32_t, uint32_t, uint32_t, uint32_t>;
    case Type::S32:
      return map3<Bfe, int32_t, int32_t, uint32_t, uint32_t>;
    case Type::U64:
      return map3<Bfe, uint64_t, uint64_t, uint32_t, uint32_t>;
    case Type::S64:
      return map3<Bfe, int64_t, int64_t, uint32_t, uint32_t>;
    default:
      return nullptr;
    }
  case IntOp::Bfi:
    return bytesOf(type) == 4   ? bfi<uint32_t>
           : bytesOf(type) == 8 ? bfi<uint64_t>
                                : Handler(nullptr);
  case IntOp::AddSat:
    return map2<AddSat, int32_t, int32_t, int32_t>;
  case IntOp::SubSat:
    return map2<SubSat, int32_t, int32_t, int32_t>;
  case IntOp::MadHiSat:
    return map3<MadHiSat, int32_t, int32_t, int32_t, int32_t>;
  case IntOp::AddCC:
    return extendedFor<Extended::Add, false, true>(type);
  case IntOp::AddC:
    return extendedFor<Extended::Add, true, false>(type);
  case IntOp::AddCCC:
    return extendedFor<Extended::Add, true, true>(type);
  case IntOp::SubCC:
    return extendedFor<Extended::Sub, false, true>(type);
  case IntOp::SubC:
    return extendedFor<Extended::Sub, true, false>(type);
  case IntOp::SubCCC:
    return extendedFor<Extended::Sub, true, true>(type);
  case IntOp::MadCC:
    return extendedFor<Extended::Mad, false, true>(type);
  case IntOp::MadC:
    return extendedFor<Extended::Mad, true, false>(type);
  case IntOp::MadCCC:
    return extendedFor<Extended::Mad, true, true>(type);
  case IntOp::MadHiCC:
    return extendedFor<Extended::MadHi, false, true>(type);
  case IntOp::MadHiC:
    return extendedFor<Extended::MadHi, true, false>(type);
  case IntOp::MadHiCCC:
    return extendedFor<Extended::MadHi, true, true>(type);
  case IntOp::ShfL:
  case IntOp::ShfR:
  case IntOp::Prmt:
  case IntOp::Lop3:
  case IntOp::Dp4a:
  case IntOp::Dp2a:
  case IntOp::Fns:
    return bitsHandler(op);
  case IntOp::Bmsk:
    // `type` U32: clamp, B32: wrap.
    return type == Type::U32 ? Handler(map2<Bmsk, uint32_t, uint32_t, uint32_t>)
                             : map2<BmskWrap, uint32_t, uint32_t, uint32_t>;
  case IntOp::Szext: // U32, S32: clamp; U64, S64: wrap
    switch (type) {
    case Type::U32:
      return map2<Szext<false>, uint32_t, uint32_t, uint32_t>;
    case Type::S32:
      return map2<Szext<false>, int32_t, int32_t, uint32_t>;
    case Type::U64:
      return map2<Szext<true>, uint32_t, uint32_t, uint32_t>;
    case Type::S64:
      return map2<Szext<true>, int32_t, int32_t, uint32_t>;
    default:
      return nullptr;
    }
  case IntOp::Select:
    switch (bytesOf(type)) {
    case 2:
      return select<uint16_t>;
    case 4:
      return select<uint32_t>;
    case 8:
      return select<uint64_t>;
    default:
      return nullptr;
    }
  case IntOp::Slct:
    return slctFor<Slct, int32_t>(type);
  case IntOp::SlctF:
    return slctFor<SlctF, float>(type);
  }
  return nullptr;
}

} // namespace fusion::emulator::FUSION_ISA
