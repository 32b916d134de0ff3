func.func @chain(%a0: tensor<200x1xbf16>, %a4: tensor<1x16xbf16>, %a6: tensor<168x1xbf16>, %a10: tensor<bf16>, %a12: tensor<168x200xbf16>) -> (tensor<200x168xf32>, tensor<200x16xf32>) {
  %1 = tensor.empty() : tensor<200x1xf32>
  %v1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%a0 : tensor<200x1xbf16>) outs(%1 : tensor<200x1xf32>) {
  ^bb0(%x0: bf16, %old: f32):
    %2 = arith.extf %x0 : bf16 to f32
    linalg.yield %2 : f32
  } -> tensor<200x1xf32>
  %3 = tensor.empty() : tensor<200x1xf32>
  %v2 = linalg.softmax dimension(1) ins(%v1 : tensor<200x1xf32>) outs(%3 : tensor<200x1xf32>) -> tensor<200x1xf32>
  %4 = tensor.empty() : tensor<200x1xbf16>
  %v3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%v2 : tensor<200x1xf32>) outs(%4 : tensor<200x1xbf16>) {
  ^bb0(%x0: f32, %old: bf16):
    %5 = arith.truncf %x0 : f32 to bf16
    linalg.yield %5 : bf16
  } -> tensor<200x1xbf16>
  %6 = tensor.empty() : tensor<200x16xf32>
  %7 = arith.constant 0.000000000e+00 : f32
  %8 = linalg.fill ins(%7 : f32) outs(%6 : tensor<200x16xf32>) -> tensor<200x16xf32>
  %v5 = linalg.generic {indexing_maps = [affine_map<(d0, d2, d1) -> (d0, d1)>, affine_map<(d0, d2, d1) -> (d1, d2)>, affine_map<(d0, d2, d1) -> (d0, d2)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v3, %a4 : tensor<200x1xbf16>, tensor<1x16xbf16>) outs(%8 : tensor<200x16xf32>) {
  ^bb0(%x0: bf16, %x1: bf16, %old: f32):
    %9 = arith.extf %x0 : bf16 to f32
    %10 = arith.extf %x1 : bf16 to f32
    %11 = arith.mulf %9, %10 : f32
    %12 = arith.addf %old, %11 : f32
    linalg.yield %12 : f32
  } -> tensor<200x16xf32>
  %13 = tensor.empty() : tensor<200x168xf32>
  %14 = arith.constant 0.000000000e+00 : f32
  %15 = linalg.fill ins(%14 : f32) outs(%13 : tensor<200x168xf32>) -> tensor<200x168xf32>
  %v7 = linalg.matmul indexing_maps = [affine_map<(d0, d3, d1) -> (d0, d1)>, affine_map<(d0, d3, d1) -> (d3, d1)>, affine_map<(d0, d3, d1) -> (d0, d3)>] ins(%v3, %a6 : tensor<200x1xbf16>, tensor<168x1xbf16>) outs(%15 : tensor<200x168xf32>) -> tensor<200x168xf32>
  %16 = tensor.empty() : tensor<200x168xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(d0, d3) -> (d0, d3)>, affine_map<(d0, d3) -> (d0, d3)>], iterator_types = ["parallel", "parallel"]}
      ins(%v7 : tensor<200x168xf32>) outs(%16 : tensor<200x168xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %17 = arith.constant 1.500000000e+00 : f32
    %18 = arith.mulf %x0, %17 : f32
    linalg.yield %18 : f32
  } -> tensor<200x168xf32>
  %19 = tensor.empty() : tensor<200x168xf32>
  %v9 = linalg.generic {indexing_maps = [affine_map<(d0, d3) -> (d0, d3)>, affine_map<(d0, d3) -> (d0, d3)>], iterator_types = ["parallel", "parallel"]}
      ins(%v8 : tensor<200x168xf32>) outs(%19 : tensor<200x168xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %20 = arith.constant -7.000000000e-01 : f32
    %21 = arith.mulf %x0, %20 : f32
    linalg.yield %21 : f32
  } -> tensor<200x168xf32>
  %22 = tensor.empty() : tensor<200x168xf32>
  %v11 = linalg.generic {indexing_maps = [affine_map<(d0, d3) -> (d0, d3)>, affine_map<(d0, d3) -> ()>, affine_map<(d0, d3) -> (d0, d3)>], iterator_types = ["parallel", "parallel"]}
      ins(%v9, %a10 : tensor<200x168xf32>, tensor<bf16>) outs(%22 : tensor<200x168xf32>) {
  ^bb0(%x0: f32, %x1: bf16, %old: f32):
    %23 = arith.extf %x1 : bf16 to f32
    %24 = arith.addf %x0, %23 : f32
    linalg.yield %24 : f32
  } -> tensor<200x168xf32>
  %25 = tensor.empty() : tensor<200x168xf32>
  %v13 = linalg.generic {indexing_maps = [affine_map<(d0, d3) -> (d0, d3)>, affine_map<(d0, d3) -> (d3, d0)>, affine_map<(d0, d3) -> (d0, d3)>], iterator_types = ["parallel", "parallel"]}
      ins(%v11, %a12 : tensor<200x168xf32>, tensor<168x200xbf16>) outs(%25 : tensor<200x168xf32>) {
  ^bb0(%x0: f32, %x1: bf16, %old: f32):
    %26 = arith.extf %x1 : bf16 to f32
    %27 = arith.addf %x0, %26 : f32
    linalg.yield %27 : f32
  } -> tensor<200x168xf32>
  return %v13, %v5 : tensor<200x168xf32>, tensor<200x16xf32>
}
