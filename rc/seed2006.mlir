func.func @chain(%a0: tensor<19x80xf32>, %a1: tensor<243x80xf32>, %a4: tensor<192x80xf32>, %a7: tensor<82x192xf32>, %a10: tensor<192x82xf32>, %a16: tensor<19x19xf32>) -> (tensor<19x19xf16>, tensor<19x243xf32>) {
  %1 = tensor.empty() : tensor<19x243xf32>
  %2 = arith.constant 0.000000000e+00 : f32
  %3 = linalg.fill ins(%2 : f32) outs(%1 : tensor<19x243xf32>) -> tensor<19x243xf32>
  %v2 = linalg.matmul indexing_maps = [affine_map<(d0, d2, d1) -> (d0, d1)>, affine_map<(d0, d2, d1) -> (d2, d1)>, affine_map<(d0, d2, d1) -> (d0, d2)>] ins(%a0, %a1 : tensor<19x80xf32>, tensor<243x80xf32>) outs(%3 : tensor<19x243xf32>) -> tensor<19x243xf32>
  %4 = tensor.empty() : tensor<19x243xf32>
  %v3 = linalg.generic {indexing_maps = [affine_map<(d0, d2) -> (d0, d2)>, affine_map<(d0, d2) -> (d0, d2)>], iterator_types = ["parallel", "parallel"]}
      ins(%v2 : tensor<19x243xf32>) outs(%4 : tensor<19x243xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %5 = arith.constant 1.677050983e-01 : f32
    %6 = arith.mulf %x0, %5 : f32
    linalg.yield %6 : f32
  } -> tensor<19x243xf32>
  %7 = tensor.empty() : tensor<19x192xf32>
  %8 = arith.constant 0.000000000e+00 : f32
  %9 = linalg.fill ins(%8 : f32) outs(%7 : tensor<19x192xf32>) -> tensor<19x192xf32>
  %v5 = linalg.matmul indexing_maps = [affine_map<(d0, d3, d1) -> (d0, d1)>, affine_map<(d0, d3, d1) -> (d3, d1)>, affine_map<(d0, d3, d1) -> (d0, d3)>] ins(%a0, %a4 : tensor<19x80xf32>, tensor<192x80xf32>) outs(%9 : tensor<19x192xf32>) -> tensor<19x192xf32>
  %10 = tensor.empty() : tensor<19x192xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d3) -> (d0, d3)>, affine_map<(d0, d3) -> (d0, d3)>], iterator_types = ["parallel", "parallel"]}
      ins(%v5 : tensor<19x192xf32>) outs(%10 : tensor<19x192xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %11 = arith.constant 1.677050983e-01 : f32
    %12 = arith.mulf %x0, %11 : f32
    linalg.yield %12 : f32
  } -> tensor<19x192xf32>
  %13 = tensor.empty() : tensor<19x82xf32>
  %14 = arith.constant 0.000000000e+00 : f32
  %15 = linalg.fill ins(%14 : f32) outs(%13 : tensor<19x82xf32>) -> tensor<19x82xf32>
  %v8 = linalg.matmul indexing_maps = [affine_map<(d0, d4, d3) -> (d0, d3)>, affine_map<(d0, d4, d3) -> (d4, d3)>, affine_map<(d0, d4, d3) -> (d0, d4)>] ins(%v6, %a7 : tensor<19x192xf32>, tensor<82x192xf32>) outs(%15 : tensor<19x82xf32>) -> tensor<19x82xf32>
  %16 = tensor.empty() : tensor<19x82xf32>
  %v9 = linalg.generic {indexing_maps = [affine_map<(d0, d4) -> (d0, d4)>, affine_map<(d0, d4) -> (d0, d4)>], iterator_types = ["parallel", "parallel"]}
      ins(%v8 : tensor<19x82xf32>) outs(%16 : tensor<19x82xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %17 = arith.constant 1.082531755e-01 : f32
    %18 = arith.mulf %x0, %17 : f32
    linalg.yield %18 : f32
  } -> tensor<19x82xf32>
  %19 = tensor.empty() : tensor<19x82xf32>
  %20 = arith.constant 0.000000000e+00 : f32
  %21 = linalg.fill ins(%20 : f32) outs(%19 : tensor<19x82xf32>) -> tensor<19x82xf32>
  %v11 = linalg.generic {indexing_maps = [affine_map<(d0, d4, d3) -> (d0, d3)>, affine_map<(d0, d4, d3) -> (d3, d4)>, affine_map<(d0, d4, d3) -> (d0, d4)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v6, %a10 : tensor<19x192xf32>, tensor<192x82xf32>) outs(%21 : tensor<19x82xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %22 = arith.mulf %x0, %x1 : f32
    %23 = arith.addf %old, %22 : f32
    linalg.yield %23 : f32
  } -> tensor<19x82xf32>
  %24 = tensor.empty() : tensor<19x82xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(d0, d4) -> (d0, d4)>, affine_map<(d0, d4) -> (d0, d4)>], iterator_types = ["parallel", "parallel"]}
      ins(%v9 : tensor<19x82xf32>) outs(%24 : tensor<19x82xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %25 = arith.constant 5.000000000e-01 : f32
    %26 = arith.mulf %x0, %25 : f32
    %27 = math.tanh %26 : f32
    %28 = arith.constant 2.000000000e+00 : f32
    %29 = arith.mulf %27, %28 : f32
    linalg.yield %29 : f32
  } -> tensor<19x82xf32>
  %30 = tensor.empty() : tensor<19x82xf32>
  %v13 = linalg.generic {indexing_maps = [affine_map<(d0, d4) -> (d0, d4)>, affine_map<(d0, d4) -> (d0, d4)>, affine_map<(d0, d4) -> (d0, d4)>], iterator_types = ["parallel", "parallel"]}
      ins(%v12, %v11 : tensor<19x82xf32>, tensor<19x82xf32>) outs(%30 : tensor<19x82xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %31 = arith.mulf %x0, %x1 : f32
    linalg.yield %31 : f32
  } -> tensor<19x82xf32>
  %32 = tensor.empty() : tensor<19x19xf32>
  %33 = arith.constant 0.000000000e+00 : f32
  %34 = linalg.fill ins(%33 : f32) outs(%32 : tensor<19x19xf32>) -> tensor<19x19xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(d0, d5, d4) -> (d0, d4)>, affine_map<(d0, d5, d4) -> (d5, d4)>, affine_map<(d0, d5, d4) -> (d0, d5)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v13, %v13 : tensor<19x82xf32>, tensor<19x82xf32>) outs(%34 : tensor<19x19xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %35 = arith.mulf %x0, %x1 : f32
    %36 = arith.addf %old, %35 : f32
    linalg.yield %36 : f32
  } -> tensor<19x19xf32>
  %37 = tensor.empty() : tensor<19x19xf32>
  %v15 = linalg.generic {indexing_maps = [affine_map<(d0, d5) -> (d0, d5)>, affine_map<(d0, d5) -> (d0, d5)>], iterator_types = ["parallel", "parallel"]}
      ins(%v14 : tensor<19x19xf32>) outs(%37 : tensor<19x19xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %38 = arith.constant 1.656472891e-01 : f32
    %39 = arith.mulf %x0, %38 : f32
    linalg.yield %39 : f32
  } -> tensor<19x19xf32>
  %40 = tensor.empty() : tensor<19x19xf32>
  %v17 = linalg.generic {indexing_maps = [affine_map<(d0, d5) -> (d0, d5)>, affine_map<(d0, d5) -> (d0, d5)>, affine_map<(d0, d5) -> (d0, d5)>], iterator_types = ["parallel", "parallel"]}
      ins(%v15, %a16 : tensor<19x19xf32>, tensor<19x19xf32>) outs(%40 : tensor<19x19xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %41 = arith.addf %x0, %x1 : f32
    linalg.yield %41 : f32
  } -> tensor<19x19xf32>
  %42 = tensor.empty() : tensor<19x19xf16>
  %v18 = linalg.generic {indexing_maps = [affine_map<(d0, d5) -> (d0, d5)>, affine_map<(d0, d5) -> (d0, d5)>], iterator_types = ["parallel", "parallel"]}
      ins(%v17 : tensor<19x19xf32>) outs(%42 : tensor<19x19xf16>) {
  ^bb0(%x0: f32, %old: f16):
    %43 = arith.truncf %x0 : f32 to f16
    linalg.yield %43 : f16
  } -> tensor<19x19xf16>
  return %v18, %v3 : tensor<19x19xf16>, tensor<19x243xf32>
}
