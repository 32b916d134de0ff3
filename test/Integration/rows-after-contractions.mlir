// Sums of the rows of one contraction divide the next one's, of f32 values: the first one's tile is retained in shared memory,
// without the rows.
// RUN: fusion-run %s --device=emulator --chip=sm_80 --sanitize --force-fusion | FileCheck %s
// RUN: fusion-run %s --device=emulator --chip=sm_86 --sanitize --force-fusion | FileCheck %s
// RUN: fusion-run %s --device=emulator --chip=sm_90a --sanitize --force-fusion | FileCheck %s
// CHECK-COUNT-1: kernel
// CHECK-NOT: kernel
// CHECK: PASS
func.func @rows_after_products(%a0: tensor<16x64x32xf32>, %a1: tensor<16x128x32xf32>, %a2: tensor<16x128x32xf32>) -> tensor<16x64x32xf32> {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.empty() : tensor<16x64x128xf32>
  %v3 = linalg.fill ins(%v1 : f32) outs(%v2 : tensor<16x64x128xf32>) -> tensor<16x64x128xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(b,m,n,k) -> (b,m,k)>, affine_map<(b,m,n,k) -> (b,n,k)>, affine_map<(b,m,n,k) -> (b,m,n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a0, %a1 : tensor<16x64x32xf32>, tensor<16x128x32xf32>) outs(%v3 : tensor<16x64x128xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o0: f32):
    %m = arith.mulf %i0, %i1 : f32
    %s = arith.addf %o0, %m : f32
    linalg.yield %s : f32
  } -> tensor<16x64x128xf32>
  %v5 = tensor.empty() : tensor<16x64x128xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(b,m,n) -> (b,m,n)>, affine_map<(b,m,n) -> (b,m,n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v4 : tensor<16x64x128xf32>) outs(%v5 : tensor<16x64x128xf32>) {
  ^bb0(%i0: f32, %o0: f32):
    %c = arith.constant 0.125 : f32
    %s = arith.mulf %i0, %c : f32
    linalg.yield %s : f32
  } -> tensor<16x64x128xf32>
  %v7 = arith.constant 0xFF800000 : f32
  %v8 = tensor.empty() : tensor<16x64xf32>
  %v9 = linalg.fill ins(%v7 : f32) outs(%v8 : tensor<16x64xf32>) -> tensor<16x64xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(b,m,n) -> (b,m,n)>, affine_map<(b,m,n) -> (b,m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v6 : tensor<16x64x128xf32>) outs(%v9 : tensor<16x64xf32>) {
  ^bb0(%i0: f32, %o0: f32):
    %x = arith.maximumf %o0, %i0 : f32
    linalg.yield %x : f32
  } -> tensor<16x64xf32>
  %v11 = tensor.empty() : tensor<16x64x128xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(b,m,n) -> (b,m,n)>, affine_map<(b,m,n) -> (b,m)>, affine_map<(b,m,n) -> (b,m,n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v6, %v10 : tensor<16x64x128xf32>, tensor<16x64xf32>) outs(%v11 : tensor<16x64x128xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o0: f32):
    %x = arith.subf %i0, %i1 : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<16x64x128xf32>
  %v13 = arith.constant 0.0 : f32
  %v14 = tensor.empty() : tensor<16x64xf32>
  %v15 = linalg.fill ins(%v13 : f32) outs(%v14 : tensor<16x64xf32>) -> tensor<16x64xf32>
  %v16 = linalg.generic {indexing_maps = [affine_map<(b,m,n) -> (b,m,n)>, affine_map<(b,m,n) -> (b,m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v12 : tensor<16x64x128xf32>) outs(%v15 : tensor<16x64xf32>) {
  ^bb0(%i0: f32, %o0: f32):
    %x = arith.addf %o0, %i0 : f32
    linalg.yield %x : f32
  } -> tensor<16x64xf32>
  %v17 = arith.constant 0.0 : f32
  %v18 = tensor.empty() : tensor<16x64x32xf32>
  %v19 = linalg.fill ins(%v17 : f32) outs(%v18 : tensor<16x64x32xf32>) -> tensor<16x64x32xf32>
  %v20 = linalg.generic {indexing_maps = [affine_map<(b,m,h,n) -> (b,m,n)>, affine_map<(b,m,h,n) -> (b,n,h)>, affine_map<(b,m,h,n) -> (b,m,h)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v12, %a2 : tensor<16x64x128xf32>, tensor<16x128x32xf32>) outs(%v19 : tensor<16x64x32xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o0: f32):
    %m = arith.mulf %i0, %i1 : f32
    %s = arith.addf %o0, %m : f32
    linalg.yield %s : f32
  } -> tensor<16x64x32xf32>
  %v21 = tensor.empty() : tensor<16x64x32xf32>
  %v22 = linalg.generic {indexing_maps = [affine_map<(b,m,h) -> (b,m,h)>, affine_map<(b,m,h) -> (b,m)>, affine_map<(b,m,h) -> (b,m,h)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v20, %v16 : tensor<16x64x32xf32>, tensor<16x64xf32>) outs(%v21 : tensor<16x64x32xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o0: f32):
    %x = arith.divf %i0, %i1 : f32
    linalg.yield %x : f32
  } -> tensor<16x64x32xf32>
  return %v22 : tensor<16x64x32xf32>
}
