//===- Lanes.h - Loops over the lanes of a warp -----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the handlers that are compiled once per vector extension. All of
// it has internal linkage: a copy compiled for wide vectors must never be the
// one that an older machine links to.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_MACHINE_LANES_H
#define FUSION_LIB_EMULATOR_MACHINE_LANES_H

#include "Emulator/Machine/Warp.h"

// Destination and source of an instruction are the same array or disjoint, so
// iterations never depend on one another.
#if defined(__clang__)
// Unrolling would come before vectorisation and leave nothing of the loop.
#define FUSION_LANES                                                           \
  _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#elif defined(__GNUC__)
#define FUSION_LANES _Pragma("GCC ivdep")
#else
#define FUSION_LANES
#endif

#ifndef FUSION_ISA
#error "FUSION_ISA names the namespace of this vector extension"
#endif

namespace fusion::emulator::FUSION_ISA {
namespace {

/// d[i] = s[i] for the lanes of `mask`.
template <class T> inline void blend(T *d, const T *s, uint32_t mask) {
  FUSION_LANES
  for (unsigned i = 0; i < kLanes; ++i)
    d[i] = (mask >> i) & 1 ? s[i] : d[i];
}

/// A destination: the register itself when every lane is active, else a
/// temporary that `finish` blends in.
template <class T> struct Destination {
  alignas(64) T temporary[kLanes];
  T *reg;
  uint32_t mask;
  Destination(Warp &warp, Ref ref, uint32_t mask)
      : reg(warp.reg<T>(ref)), mask(mask) {}
  T *data() { return mask == kFullMask ? reg : temporary; }
  void finish() {
    if (mask != kFullMask)
      blend(reg, temporary, mask);
  }
};

template <class Op, class D, class A>
void map1(Warp &warp, const Inst &inst, uint32_t mask) {
  Destination<D> destination(warp, inst.op[0], mask);
  D *d = destination.data();
  const A *a = warp.reg<A>(inst.op[1]);
  FUSION_LANES
  for (unsigned i = 0; i < kLanes; ++i)
    d[i] = Op::run(a[i]);
  destination.finish();
}

template <class Op, class D, class A, class B>
void map2(Warp &warp, const Inst &inst, uint32_t mask) {
  Destination<D> destination(warp, inst.op[0], mask);
  D *d = destination.data();
  const A *a = warp.reg<A>(inst.op[1]);
  const B *b = warp.reg<B>(inst.op[2]);
  FUSION_LANES
  for (unsigned i = 0; i < kLanes; ++i)
    d[i] = Op::run(a[i], b[i]);
  destination.finish();
}

template <class Op, class D, class A, class B, class C>
void map3(Warp &warp, const Inst &inst, uint32_t mask) {
  Destination<D> destination(warp, inst.op[0], mask);
  D *d = destination.data();
  const A *a = warp.reg<A>(inst.op[1]);
  const B *b = warp.reg<B>(inst.op[2]);
  const C *c = warp.reg<C>(inst.op[3]);
  FUSION_LANES
  for (unsigned i = 0; i < kLanes; ++i)
    d[i] = Op::run(a[i], b[i], c[i]);
  destination.finish();
}

} // namespace
} // namespace fusion::emulator::FUSION_ISA

#endif // FUSION_LIB_EMULATOR_MACHINE_LANES_H
