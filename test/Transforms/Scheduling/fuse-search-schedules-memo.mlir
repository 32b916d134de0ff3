// RUN: fusion-opt %s --fuse-search-schedules=chip=sm_90a | FileCheck %s

// Two groups of one text: where the products' left operands are one value they
// have one axis of rows, else each has its own. What was found for the one is
// not the other's.

#left = affine_map<(d0, d1, d2) -> (d0, d2)>
#right = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
#same = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func @two_values
// CHECK: schedule = #fuse.schedule<{{.*}}tiling = <"{{[^"]*}}", {h = {{[0-9]+}} : i64, k = {{[0-9]+}} : i64, m = {{[0-9]+}} : i64, n = {{[0-9]+}} : i64}>
// CHECK-LABEL: func @one_value
// CHECK: schedule = #fuse.schedule<{{.*}}tiling = <"{{[^"]*}}", {k = {{[0-9]+}} : i64, m = {{[0-9]+}} : i64, n = {{[0-9]+}} : i64}>

func.func @two_values(%a: tensor<128x64xf16>, %c: tensor<128x64xf16>, %b: tensor<64x96xf16>, %d: tensor<64x96xf16>) -> tensor<128x96xf32> {
  %init = tensor.empty() : tensor<128x96xf32>
  %0 = fuse.chain ins(%x = %a : tensor<128x64xf16>, %y = %c : tensor<128x64xf16>, %w = %b : tensor<64x96xf16>, %v = %d : tensor<64x96xf16>) outs(%o = %init : tensor<128x96xf32>) {
    %zero = arith.constant 0.0 : f32
    %e0 = tensor.empty() : tensor<128x96xf32>
    %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<128x96xf32>) -> tensor<128x96xf32>
    %p = linalg.contract indexing_maps = [#left, #right, #result] ins(%x, %w : tensor<128x64xf16>, tensor<64x96xf16>) outs(%z0 : tensor<128x96xf32>) -> tensor<128x96xf32>
    %e1 = tensor.empty() : tensor<128x96xf32>
    %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<128x96xf32>) -> tensor<128x96xf32>
    %q = linalg.contract indexing_maps = [#left, #right, #result] ins(%y, %v : tensor<128x64xf16>, tensor<64x96xf16>) outs(%z1 : tensor<128x96xf32>) -> tensor<128x96xf32>
    %r = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]} ins(%p, %q : tensor<128x96xf32>, tensor<128x96xf32>) outs(%o : tensor<128x96xf32>) {
    ^bb0(%left: f32, %right: f32, %out: f32):
      %s = arith.mulf %left, %right : f32
      linalg.yield %s : f32
    } -> tensor<128x96xf32>
    fuse.yield %r : tensor<128x96xf32>
  } -> tensor<128x96xf32>
  return %0 : tensor<128x96xf32>
}

func.func @one_value(%a: tensor<128x64xf16>, %b: tensor<64x96xf16>, %d: tensor<64x96xf16>) -> tensor<128x96xf32> {
  %init = tensor.empty() : tensor<128x96xf32>
  %0 = fuse.chain ins(%x = %a : tensor<128x64xf16>, %y = %a : tensor<128x64xf16>, %w = %b : tensor<64x96xf16>, %v = %d : tensor<64x96xf16>) outs(%o = %init : tensor<128x96xf32>) {
    %zero = arith.constant 0.0 : f32
    %e0 = tensor.empty() : tensor<128x96xf32>
    %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<128x96xf32>) -> tensor<128x96xf32>
    %p = linalg.contract indexing_maps = [#left, #right, #result] ins(%x, %w : tensor<128x64xf16>, tensor<64x96xf16>) outs(%z0 : tensor<128x96xf32>) -> tensor<128x96xf32>
    %e1 = tensor.empty() : tensor<128x96xf32>
    %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<128x96xf32>) -> tensor<128x96xf32>
    %q = linalg.contract indexing_maps = [#left, #right, #result] ins(%y, %v : tensor<128x64xf16>, tensor<64x96xf16>) outs(%z1 : tensor<128x96xf32>) -> tensor<128x96xf32>
    %r = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]} ins(%p, %q : tensor<128x96xf32>, tensor<128x96xf32>) outs(%o : tensor<128x96xf32>) {
    ^bb0(%left: f32, %right: f32, %out: f32):
      %s = arith.mulf %left, %right : f32
      linalg.yield %s : f32
    } -> tensor<128x96xf32>
    fuse.yield %r : tensor<128x96xf32>
  } -> tensor<128x96xf32>
  return %0 : tensor<128x96xf32>
}
