// Boolean masks: after a contraction they are read as bytes, several at once; in a prologue whose values pass through shared
// memory, the operator stays apart and a remark says so.
// RUN: fusion-run %s --device=emulator --chip=sm_80 --sanitize --force-fusion | FileCheck %s
// RUN: fusion-opt %s --fuse-to-groups="chip=sm_80 force-fusion=true" -o %t --remarks-filter=fuse 2>&1 | FileCheck %s --check-prefix=REMARK
// CHECK: behind on emulator
// CHECK-COUNT-1: kernel
// CHECK: PASS
// CHECK: in_front on emulator
// CHECK: PASS
// CHECK: in_narrow on emulator
// CHECK-COUNT-1: kernel
// CHECK: PASS
// REMARK: [Missed] alone {{.*}}linalg.generic becomes a kernel of its own

#full = affine_map<(i, j) -> (i, j)>

func.func @behind(%a: tensor<40x32xf16>, %b: tensor<32x48xf16>, %mask: tensor<40x48xi1>) -> tensor<40x48xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %0 = tensor.empty() : tensor<40x48xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<40x48xf32>) -> tensor<40x48xf32>
  %2 = linalg.matmul ins(%a, %b : tensor<40x32xf16>, tensor<32x48xf16>) outs(%1 : tensor<40x48xf32>) -> tensor<40x48xf32>
  %3 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%2, %mask : tensor<40x48xf32>, tensor<40x48xi1>) outs(%0 : tensor<40x48xf32>) {
  ^bb0(%x: f32, %keep: i1, %old: f32):
    %y = arith.select %keep, %x, %low : f32
    linalg.yield %y : f32
  } -> tensor<40x48xf32>
  return %3 : tensor<40x48xf32>
}

func.func @in_front(%a: tensor<40x32xf16>, %b: tensor<32x48xf16>, %mask: tensor<40x32xi1>) -> tensor<40x48xf32> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<40x32xf16>
  %m = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%a, %mask : tensor<40x32xf16>, tensor<40x32xi1>) outs(%e : tensor<40x32xf16>) {
  ^bb0(%x: f16, %keep: i1, %old: f16):
    %y = arith.select %keep, %x, %none : f16
    linalg.yield %y : f16
  } -> tensor<40x32xf16>
  %0 = tensor.empty() : tensor<40x48xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<40x48xf32>) -> tensor<40x48xf32>
  %2 = linalg.matmul ins(%m, %b : tensor<40x32xf16>, tensor<32x48xf16>) outs(%1 : tensor<40x48xf32>) -> tensor<40x48xf32>
  return %2 : tensor<40x48xf32>
}

// The mask's rows are as short as the view's narrowest access.
func.func @in_narrow(%a: tensor<7x16xf16>, %b: tensor<16x9xf16>, %mask: tensor<9xi1>) -> tensor<7x9xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<7x9xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<7x9xf32>) -> tensor<7x9xf32>
  %2 = linalg.matmul ins(%a, %b : tensor<7x16xf16>, tensor<16x9xf16>) outs(%1 : tensor<7x9xf32>) -> tensor<7x9xf32>
  %3 = linalg.generic {indexing_maps = [#full, affine_map<(i, j) -> (j)>, #full], iterator_types = ["parallel", "parallel"]}
      ins(%2, %mask : tensor<7x9xf32>, tensor<9xi1>) outs(%0 : tensor<7x9xf32>) {
  ^bb0(%x: f32, %keep: i1, %old: f32):
    %y = arith.select %keep, %x, %zero : f32
    linalg.yield %y : f32
  } -> tensor<7x9xf32>
  return %3 : tensor<7x9xf32>
}
