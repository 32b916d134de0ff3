// Kernels do their work where their schedules put it. LLVM would sink the multiply-adds of rows that only some blocks store to the
// stores, behind everything else: all that they multiply would wait for them in registers.
// RUN: fusion-opt %s --fuse-to-nvvm="chip=sm_80 force-fusion=true" | fusion-translate --fuse-to-ptx | FileCheck %s

// CHECK-LABEL: .visible .entry rows_chain_0
// CHECK-COUNT-384: fma.rn.f32
// CHECK-NOT: fma.rn.f32
// CHECK: @%p{{.*}} bra
// CHECK-NOT: fma.rn.f32
// CHECK: st.global
// CHECK-NOT: fma.rn.f32
// CHECK: ret;
func.func @rows(%a: tensor<20x32xf32>, %b: tensor<32x32xf32>, %v: tensor<32x32xf32>) -> tensor<20x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<20x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<20x32xf32>) -> tensor<20x32xf32>
  %c = linalg.matmul ins(%a, %b : tensor<20x32xf32>, tensor<32x32xf32>) outs(%f : tensor<20x32xf32>) -> tensor<20x32xf32>
  %d = linalg.matmul ins(%c, %v : tensor<20x32xf32>, tensor<32x32xf32>) outs(%f : tensor<20x32xf32>) -> tensor<20x32xf32>
  return %d : tensor<20x32xf32>
}
