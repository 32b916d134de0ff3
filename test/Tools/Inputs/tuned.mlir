func.func @f(%a: tensor<128x64xf16>, %b: tensor<64x96xf16>, %d: tensor<96x64xf16>) -> tensor<128x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x96xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<128x96xf32>) -> tensor<128x96xf32>
  %c = linalg.matmul ins(%a, %b : tensor<128x64xf16>, tensor<64x96xf16>) outs(%f : tensor<128x96xf32>) -> tensor<128x96xf32>
  %e2 = tensor.empty() : tensor<128x96xf16>
  %t = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]} ins(%c : tensor<128x96xf32>) outs(%e2 : tensor<128x96xf16>) {
  ^bb0(%x: f32, %o: f16):
    %y = arith.truncf %x : f32 to f16
    linalg.yield %y : f16
  } -> tensor<128x96xf16>
  %e3 = tensor.empty() : tensor<128x64xf32>
  %f3 = linalg.fill ins(%z : f32) outs(%e3 : tensor<128x64xf32>) -> tensor<128x64xf32>
  %g = linalg.matmul ins(%t, %d : tensor<128x96xf16>, tensor<96x64xf16>) outs(%f3 : tensor<128x64xf32>) -> tensor<128x64xf32>
  return %g : tensor<128x64xf32>
}

// A stitched group, which is not measured.
func.func @rows(%x: tensor<32x64xf32>) -> tensor<32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>], iterator_types=["parallel","reduction"]} ins(%x : tensor<32x64xf32>) outs(%f : tensor<32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %a, %a : f32
    %y = arith.addf %o, %m : f32
    linalg.yield %y : f32
  } -> tensor<32xf32>
  return %s : tensor<32xf32>
}
