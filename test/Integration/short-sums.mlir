// Sums that are shorter than one step of the intrinsic of 8-bit factors, 32: tiles are that long all the same, and the products are
// one kernel of tensor cores.
// RUN: fusion-run %s --device=emulator --chip=sm_89 --sanitize --force-fusion | FileCheck %s
// CHECK: short_sums on emulator
// CHECK-COUNT-1: kernel
// CHECK: "mma.f8.m16n16k32"
// CHECK-NOT: mma flops 0
// CHECK-NOT: kernel
// CHECK: PASS
func.func @short_sums(%a: tensor<40x8xf8E4M3FN>, %b: tensor<8x10xf8E4M3FN>, %d: tensor<10x24xf8E4M3FN>) -> tensor<40x24xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<40x10xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<40x10xf32>) -> tensor<40x10xf32>
  %2 = linalg.matmul ins(%a, %b : tensor<40x8xf8E4M3FN>, tensor<8x10xf8E4M3FN>) outs(%1 : tensor<40x10xf32>) -> tensor<40x10xf32>
  %3 = tensor.empty() : tensor<40x10xf8E4M3FN>
  %4 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%2 : tensor<40x10xf32>) outs(%3 : tensor<40x10xf8E4M3FN>) {
  ^bb0(%x: f32, %old: f8E4M3FN):
    %y = arith.truncf %x : f32 to f8E4M3FN
    linalg.yield %y : f8E4M3FN
  } -> tensor<40x10xf8E4M3FN>
  %5 = tensor.empty() : tensor<40x24xf32>
  %6 = linalg.fill ins(%zero : f32) outs(%5 : tensor<40x24xf32>) -> tensor<40x24xf32>
  %7 = linalg.matmul ins(%4, %d : tensor<40x10xf8E4M3FN>, tensor<10x24xf8E4M3FN>) outs(%6 : tensor<40x24xf32>) -> tensor<40x24xf32>
  return %7 : tensor<40x24xf32>
}
