func.func @chain(%a0: tensor<4x3x36x31xbf16>, %a6: tensor<31x26xbf16>, %a9: tensor<4x3x22x31xbf16>, %a12: tensor<22x4x3x36xbf16>) -> (tensor<4x3x36x22xf32>, tensor<4x3x36xf32>, tensor<4x3x36x26xf32>) {
  %1 = tensor.empty() : tensor<4x3x36x31xf32>
  %v1 = linalg.generic {indexing_maps = [affine_map<(b0, b1, d2, d3) -> (b0, b1, d2, d3)>, affine_map<(b0, b1, d2, d3) -> (b0, b1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a0 : tensor<4x3x36x31xbf16>) outs(%1 : tensor<4x3x36x31xf32>) {
  ^bb0(%x0: bf16, %old: f32):
    %2 = arith.extf %x0 : bf16 to f32
    linalg.yield %2 : f32
  } -> tensor<4x3x36x31xf32>
  %3 = tensor.empty() : tensor<4x3x36xf32>
  %4 = arith.constant 0.000000000e+00 : f32
  %5 = linalg.fill ins(%4 : f32) outs(%3 : tensor<4x3x36xf32>) -> tensor<4x3x36xf32>
  %v2 = linalg.generic {indexing_maps = [affine_map<(b0, b1, d2, d3) -> (b0, b1, d2, d3)>, affine_map<(b0, b1, d2, d3) -> (b0, b1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%v1 : tensor<4x3x36x31xf32>) outs(%5 : tensor<4x3x36xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %6 = arith.mulf %x0, %x0 : f32
    %7 = arith.addf %6, %old : f32
    linalg.yield %7 : f32
  } -> tensor<4x3x36xf32>
  %8 = tensor.empty() : tensor<4x3x36xf32>
  %v3 = linalg.generic {indexing_maps = [affine_map<(b0, b1, d2) -> (b0, b1, d2)>, affine_map<(b0, b1, d2) -> (b0, b1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v2 : tensor<4x3x36xf32>) outs(%8 : tensor<4x3x36xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %9 = arith.constant 4.032258065e-03 : f32
    %10 = arith.mulf %x0, %9 : f32
    %11 = arith.constant 1.000000000e-02 : f32
    %12 = arith.addf %10, %11 : f32
    %13 = math.rsqrt %12 : f32
    linalg.yield %13 : f32
  } -> tensor<4x3x36xf32>
  %14 = tensor.empty() : tensor<4x3x36x31xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(b0, b1, d2, d3) -> (b0, b1, d2, d3)>, affine_map<(b0, b1, d2, d3) -> (b0, b1, d2)>, affine_map<(b0, b1, d2, d3) -> (b0, b1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v1, %v3 : tensor<4x3x36x31xf32>, tensor<4x3x36xf32>) outs(%14 : tensor<4x3x36x31xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %15 = arith.mulf %x0, %x1 : f32
    linalg.yield %15 : f32
  } -> tensor<4x3x36x31xf32>
  %16 = tensor.empty() : tensor<4x3x36x31xbf16>
  %v5 = linalg.generic {indexing_maps = [affine_map<(b0, b1, d2, d3) -> (b0, b1, d2, d3)>, affine_map<(b0, b1, d2, d3) -> (b0, b1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v4 : tensor<4x3x36x31xf32>) outs(%16 : tensor<4x3x36x31xbf16>) {
  ^bb0(%x0: f32, %old: bf16):
    %17 = arith.truncf %x0 : f32 to bf16
    linalg.yield %17 : bf16
  } -> tensor<4x3x36x31xbf16>
  %18 = tensor.empty() : tensor<4x3x36x26xf32>
  %19 = arith.constant 0.000000000e+00 : f32
  %20 = linalg.fill ins(%19 : f32) outs(%18 : tensor<4x3x36x26xf32>) -> tensor<4x3x36x26xf32>
  %v7 = linalg.contract indexing_maps = [affine_map<(b0, b1, d2, d4, d3) -> (b0, b1, d2, d3)>, affine_map<(b0, b1, d2, d4, d3) -> (d3, d4)>, affine_map<(b0, b1, d2, d4, d3) -> (b0, b1, d2, d4)>] ins(%v5, %a6 : tensor<4x3x36x31xbf16>, tensor<31x26xbf16>) outs(%20 : tensor<4x3x36x26xf32>) -> tensor<4x3x36x26xf32>
  %21 = tensor.empty() : tensor<4x3x36x26xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(b0, b1, d2, d4) -> (b0, b1, d2, d4)>, affine_map<(b0, b1, d2, d4) -> (b0, b1, d2, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v7 : tensor<4x3x36x26xf32>) outs(%21 : tensor<4x3x36x26xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %22 = arith.constant 9.525009525e-02 : f32
    %23 = arith.mulf %x0, %22 : f32
    linalg.yield %23 : f32
  } -> tensor<4x3x36x26xf32>
  %24 = tensor.empty() : tensor<4x3x36x22xf32>
  %25 = arith.constant 0.000000000e+00 : f32
  %26 = linalg.fill ins(%25 : f32) outs(%24 : tensor<4x3x36x22xf32>) -> tensor<4x3x36x22xf32>
  %v10 = linalg.contract indexing_maps = [affine_map<(b0, b1, d2, d5, d3) -> (b0, b1, d2, d3)>, affine_map<(b0, b1, d2, d5, d3) -> (b0, b1, d5, d3)>, affine_map<(b0, b1, d2, d5, d3) -> (b0, b1, d2, d5)>] ins(%v5, %a9 : tensor<4x3x36x31xbf16>, tensor<4x3x22x31xbf16>) outs(%26 : tensor<4x3x36x22xf32>) -> tensor<4x3x36x22xf32>
  %27 = tensor.empty() : tensor<4x3x36x22xf32>
  %v11 = linalg.generic {indexing_maps = [affine_map<(b0, b1, d2, d5) -> (b0, b1, d2, d5)>, affine_map<(b0, b1, d2, d5) -> (b0, b1, d2, d5)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v10 : tensor<4x3x36x22xf32>) outs(%27 : tensor<4x3x36x22xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %28 = arith.constant 9.525009525e-02 : f32
    %29 = arith.mulf %x0, %28 : f32
    linalg.yield %29 : f32
  } -> tensor<4x3x36x22xf32>
  %30 = tensor.empty() : tensor<4x3x36x22xf32>
  %v13 = linalg.generic {indexing_maps = [affine_map<(b0, b1, d2, d5) -> (b0, b1, d2, d5)>, affine_map<(b0, b1, d2, d5) -> (d5, b0, b1, d2)>, affine_map<(b0, b1, d2, d5) -> (b0, b1, d2, d5)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v11, %a12 : tensor<4x3x36x22xf32>, tensor<22x4x3x36xbf16>) outs(%30 : tensor<4x3x36x22xf32>) {
  ^bb0(%x0: f32, %x1: bf16, %old: f32):
    %31 = arith.extf %x1 : bf16 to f32
    %32 = arith.addf %x0, %31 : f32
    linalg.yield %32 : f32
  } -> tensor<4x3x36x22xf32>
  return %v13, %v3, %v8 : tensor<4x3x36x22xf32>, tensor<4x3x36xf32>, tensor<4x3x36x26xf32>
}
