func.func @main(%a: tensor<640xf32>, %b: tensor<640xf32>, %factor: f32)
    -> (tensor<640xf32>, tensor<4xf32>, tensor<640xf32>, index) {
  %number = arith.constant 7 : index
  %k = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %e = tensor.empty() : tensor<640xf32>
  %0 = linalg.add ins(%a, %b : tensor<640xf32>, tensor<640xf32>) outs(%e : tensor<640xf32>) -> tensor<640xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%0, %factor : tensor<640xf32>, f32) outs(%e : tensor<640xf32>) {
  ^bb0(%x: f32, %f: f32, %o: f32):
    %m = arith.mulf %x, %f : f32
    linalg.yield %m : f32
  } -> tensor<640xf32>
  return %1, %k, %b, %number : tensor<640xf32>, tensor<4xf32>, tensor<640xf32>, index
}
