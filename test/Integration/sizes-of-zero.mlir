// Softmax between contractions over no element at all: the second one's sums are of nothing.
// RUN: fusion-run %s --device=emulator --sanitize | FileCheck %s
// CHECK: PASS
func.func @sizes_of_zero(%a0: tensor<2x16x16xf16>, %a1: tensor<2x0x16xf16>, %a2: tensor<2x0x16xf16>) -> (tensor<2x16x16xf32>, tensor<2x16xf32>) {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.empty() : tensor<2x16x0xf32>
  %v3 = linalg.fill ins(%v1 : f32) outs(%v2 : tensor<2x16x0xf32>) -> tensor<2x16x0xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(b,m,n,k) -> (b,m,k)>, affine_map<(b,m,n,k) -> (b,n,k)>, affine_map<(b,m,n,k) -> (b,m,n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a0, %a1 : tensor<2x16x16xf16>, tensor<2x0x16xf16>) outs(%v3 : tensor<2x16x0xf32>) {
  ^bb0(%i0: f16, %i1: f16, %o0: f32):
    %x = arith.extf %i0 : f16 to f32
    %y = arith.extf %i1 : f16 to f32
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %o0, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x16x0xf32>
  %v5 = tensor.empty() : tensor<2x16x0xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(b,m,n) -> (b,m,n)>, affine_map<(b,m,n) -> (b,m,n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v4 : tensor<2x16x0xf32>) outs(%v5 : tensor<2x16x0xf32>) {
  ^bb0(%i0: f32, %o0: f32):
    %c = arith.constant 0.125 : f32
    %s = arith.mulf %i0, %c : f32
    linalg.yield %s : f32
  } -> tensor<2x16x0xf32>
  %v7 = arith.constant 0xFF800000 : f32
  %v8 = tensor.empty() : tensor<2x16xf32>
  %v9 = linalg.fill ins(%v7 : f32) outs(%v8 : tensor<2x16xf32>) -> tensor<2x16xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(b,m,n) -> (b,m,n)>, affine_map<(b,m,n) -> (b,m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v6 : tensor<2x16x0xf32>) outs(%v9 : tensor<2x16xf32>) {
  ^bb0(%i0: f32, %o0: f32):
    %x = arith.maximumf %o0, %i0 : f32
    linalg.yield %x : f32
  } -> tensor<2x16xf32>
  %v11 = tensor.empty() : tensor<2x16x0xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(b,m,n) -> (b,m,n)>, affine_map<(b,m,n) -> (b,m)>, affine_map<(b,m,n) -> (b,m,n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v6, %v10 : tensor<2x16x0xf32>, tensor<2x16xf32>) outs(%v11 : tensor<2x16x0xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o0: f32):
    %x = arith.subf %i0, %i1 : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<2x16x0xf32>
  %v13 = arith.constant 0.0 : f32
  %v14 = tensor.empty() : tensor<2x16xf32>
  %v15 = linalg.fill ins(%v13 : f32) outs(%v14 : tensor<2x16xf32>) -> tensor<2x16xf32>
  %v16 = linalg.generic {indexing_maps = [affine_map<(b,m,n) -> (b,m,n)>, affine_map<(b,m,n) -> (b,m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v12 : tensor<2x16x0xf32>) outs(%v15 : tensor<2x16xf32>) {
  ^bb0(%i0: f32, %o0: f32):
    %x = arith.addf %o0, %i0 : f32
    linalg.yield %x : f32
  } -> tensor<2x16xf32>
  %v17 = tensor.empty() : tensor<2x16x0xf16>
  %v18 = linalg.generic {indexing_maps = [affine_map<(b,m,n) -> (b,m,n)>, affine_map<(b,m,n) -> (b,m,n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v12 : tensor<2x16x0xf32>) outs(%v17 : tensor<2x16x0xf16>) {
  ^bb0(%i0: f32, %o0: f16):
    %y = arith.truncf %i0 : f32 to f16
    linalg.yield %y : f16
  } -> tensor<2x16x0xf16>
  %v19 = arith.constant 0.0 : f32
  %v20 = tensor.empty() : tensor<2x16x16xf32>
  %v21 = linalg.fill ins(%v19 : f32) outs(%v20 : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %v22 = linalg.generic {indexing_maps = [affine_map<(b,m,h,n) -> (b,m,n)>, affine_map<(b,m,h,n) -> (b,n,h)>, affine_map<(b,m,h,n) -> (b,m,h)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v18, %a2 : tensor<2x16x0xf16>, tensor<2x0x16xf16>) outs(%v21 : tensor<2x16x16xf32>) {
  ^bb0(%i0: f16, %i1: f16, %o0: f32):
    %x = arith.extf %i0 : f16 to f32
    %y = arith.extf %i1 : f16 to f32
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %o0, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x16x16xf32>
  %v23 = tensor.empty() : tensor<2x16x16xf32>
  %v24 = linalg.generic {indexing_maps = [affine_map<(b,m,h) -> (b,m,h)>, affine_map<(b,m,h) -> (b,m)>, affine_map<(b,m,h) -> (b,m,h)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v22, %v16 : tensor<2x16x16xf32>, tensor<2x16xf32>) outs(%v23 : tensor<2x16x16xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o0: f32):
    %x = arith.divf %i0, %i1 : f32
    linalg.yield %x : f32
  } -> tensor<2x16x16xf32>
  %v25 = tensor.empty() : tensor<2x16xf32>
  %v26 = linalg.generic {indexing_maps = [affine_map<(b,m) -> (b,m)>, affine_map<(b,m) -> (b,m)>, affine_map<(b,m) -> (b,m)>], iterator_types = ["parallel", "parallel"]} ins(%v10, %v16 : tensor<2x16xf32>, tensor<2x16xf32>) outs(%v25 : tensor<2x16xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o0: f32):
    %x = math.log %i1 : f32
    %y = arith.addf %x, %i0 : f32
    linalg.yield %y : f32
  } -> tensor<2x16xf32>
  return %v24, %v26 : tensor<2x16x16xf32>, tensor<2x16xf32>
}
