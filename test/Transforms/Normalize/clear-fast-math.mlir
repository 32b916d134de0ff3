// RUN: fusion-opt %s --clear-fast-math | FileCheck %s

// Upstream's emulation of narrow types marks the roundings as removable.
// RUN: fusion-opt %s --reference-to-llvm | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: func @f
// CHECK-NOT:     fastmath
// LLVM-LABEL:  llvm.func @f
// LLVM-COUNT-3:  llvm.fptrunc
// LLVM-NOT:      fastmath
func.func @f(%x: f16, %y: f16) -> f16 {
  %s = arith.addf %x, %y fastmath<fast> : f16
  %p = arith.mulf %s, %s fastmath<contract> : f16
  %e = math.exp %p fastmath<afn> : f16
  return %e : f16
}
