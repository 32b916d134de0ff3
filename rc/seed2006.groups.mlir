#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1, d2) -> (d2, d1)>
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @chain(%arg0: tensor<19x80xf32>, %arg1: tensor<243x80xf32>, %arg2: tensor<192x80xf32>, %arg3: tensor<82x192xf32>, %arg4: tensor<192x82xf32>, %arg5: tensor<19x19xf32>) -> (tensor<19x19xf16>, tensor<19x243xf32>) {
    %cst = arith.constant 0.165647283 : f32
    %cst_0 = arith.constant 2.000000e+00 : f32
    %cst_1 = arith.constant 5.000000e-01 : f32
    %cst_2 = arith.constant 0.108253174 : f32
    %cst_3 = arith.constant 0.167705104 : f32
    %cst_4 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<19x243xf32>
    %1 = fuse.chain ins(%arg6 = %arg0 : tensor<19x80xf32>, %arg7 = %arg1 : tensor<243x80xf32>) outs(%arg8 = %0 : tensor<19x243xf32>) attributes {schedule = #fuse.schedule<version = 1, tiling = <"mn(LA,LB,CC,SC)", {k = 80 : i64, m = 16 : i64, n = 16 : i64}>, mapping = <warps = 2, blocks = ["m", "n"], operators = {C = #fuse.operator_map<"fma.m8n16k4", i1 = "m", i2 = "n", r1 = "k", warps = [2, 1]>}>, memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<registers>}>, pipeline = <{}, registers = 2>>} {
      %cst_5 = arith.constant 0.000000e+00 : f32
      %8 = tensor.empty() : tensor<19x243xf32>
      %9 = linalg.fill ins(%cst_5 : f32) outs(%8 : tensor<19x243xf32>) -> tensor<19x243xf32>
      %10 = linalg.matmul indexing_maps = [#map, #map1, #map2] ins(%arg6, %arg7 : tensor<19x80xf32>, tensor<243x80xf32>) outs(%9 : tensor<19x243xf32>) -> tensor<19x243xf32>
      %cst_6 = arith.constant 0.167705104 : f32
      %11 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<19x243xf32>) outs(%arg8 : tensor<19x243xf32>) {
      ^bb0(%in: f32, %out: f32):
        %12 = arith.mulf %in, %cst_6 : f32
        linalg.yield %12 : f32
      } -> tensor<19x243xf32>
      fuse.yield %11 : tensor<19x243xf32>
    } -> tensor<19x243xf32>
    %2 = tensor.empty() : tensor<19x192xf32>
    %3 = fuse.chain ins(%arg6 = %arg0 : tensor<19x80xf32>, %arg7 = %arg2 : tensor<192x80xf32>) outs(%arg8 = %2 : tensor<19x192xf32>) attributes {schedule = #fuse.schedule<version = 1, tiling = <"mn(LA,LB,CC,SC)", {k = 80 : i64, m = 16 : i64, n = 16 : i64}>, mapping = <warps = 2, blocks = ["m", "n"], operators = {C = #fuse.operator_map<"fma.m8n16k4", i1 = "m", i2 = "n", r1 = "k", warps = [2, 1]>}>, memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<registers>}>, pipeline = <{}, registers = 2>>} {
      %cst_5 = arith.constant 0.000000e+00 : f32
      %8 = tensor.empty() : tensor<19x192xf32>
      %9 = linalg.fill ins(%cst_5 : f32) outs(%8 : tensor<19x192xf32>) -> tensor<19x192xf32>
      %10 = linalg.matmul indexing_maps = [#map, #map1, #map2] ins(%arg6, %arg7 : tensor<19x80xf32>, tensor<192x80xf32>) outs(%9 : tensor<19x192xf32>) -> tensor<19x192xf32>
      %cst_6 = arith.constant 0.167705104 : f32
      %11 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<19x192xf32>) outs(%arg8 : tensor<19x192xf32>) {
      ^bb0(%in: f32, %out: f32):
        %12 = arith.mulf %in, %cst_6 : f32
        linalg.yield %12 : f32
      } -> tensor<19x192xf32>
      fuse.yield %11 : tensor<19x192xf32>
    } -> tensor<19x192xf32>
    %4 = tensor.empty() : tensor<19x82xf32>
    %5 = fuse.chain ins(%arg6 = %3 : tensor<19x192xf32>, %arg7 = %arg3 : tensor<82x192xf32>, %arg8 = %3 : tensor<19x192xf32>, %arg9 = %arg4 : tensor<192x82xf32>) outs(%arg10 = %4 : tensor<19x82xf32>) attributes {schedule = #fuse.schedule<version = 1, tiling = <"mn(k(LA,LB,CC,LD,CE),SE)", {k = 96 : i64, m = 16 : i64, n = 16 : i64}>, mapping = <warps = 2, blocks = ["m", "n"], operators = {C = #fuse.operator_map<"fma.m8n16k4", i1 = "m", i2 = "n", r1 = "k", warps = [2, 1]>, E = #fuse.operator_map<"fma.m8n16k4", i1 = "m", i2 = "n", r1 = "k", warps = [2, 1]>}>, memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<registers>, D = #fuse.place<shared, async8>, E = #fuse.place<registers>}>, pipeline = <{A = 2 : i64, B = 2 : i64, D = 2 : i64}, registers = 2>>} {
      %cst_5 = arith.constant 0.000000e+00 : f32
      %8 = tensor.empty() : tensor<19x82xf32>
      %9 = linalg.fill ins(%cst_5 : f32) outs(%8 : tensor<19x82xf32>) -> tensor<19x82xf32>
      %10 = linalg.matmul indexing_maps = [#map, #map1, #map2] ins(%arg6, %arg7 : tensor<19x192xf32>, tensor<82x192xf32>) outs(%9 : tensor<19x82xf32>) -> tensor<19x82xf32>
      %11 = tensor.empty() : tensor<19x82xf32>
      %cst_6 = arith.constant 0.108253174 : f32
      %12 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<19x82xf32>) outs(%11 : tensor<19x82xf32>) {
      ^bb0(%in: f32, %out: f32):
        %19 = arith.mulf %in, %cst_6 : f32
        linalg.yield %19 : f32
      } -> tensor<19x82xf32>
      %cst_7 = arith.constant 0.000000e+00 : f32
      %13 = tensor.empty() : tensor<19x82xf32>
      %14 = linalg.fill ins(%cst_7 : f32) outs(%13 : tensor<19x82xf32>) -> tensor<19x82xf32>
      %15 = linalg.generic {indexing_maps = [#map, #map4, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg8, %arg9 : tensor<19x192xf32>, tensor<192x82xf32>) outs(%14 : tensor<19x82xf32>) {
      ^bb0(%in: f32, %in_10: f32, %out: f32):
        %19 = arith.mulf %in, %in_10 : f32
        %20 = arith.addf %out, %19 : f32
        linalg.yield %20 : f32
      } -> tensor<19x82xf32>
      %16 = tensor.empty() : tensor<19x82xf32>
      %cst_8 = arith.constant 5.000000e-01 : f32
      %cst_9 = arith.constant 2.000000e+00 : f32
      %17 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<19x82xf32>) outs(%16 : tensor<19x82xf32>) {
      ^bb0(%in: f32, %out: f32):
        %19 = arith.mulf %in, %cst_8 : f32
        %20 = math.tanh %19 : f32
        %21 = arith.mulf %20, %cst_9 : f32
        linalg.yield %21 : f32
      } -> tensor<19x82xf32>
      %18 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%17, %15 : tensor<19x82xf32>, tensor<19x82xf32>) outs(%arg10 : tensor<19x82xf32>) {
      ^bb0(%in: f32, %in_10: f32, %out: f32):
        %19 = arith.mulf %in, %in_10 : f32
        linalg.yield %19 : f32
      } -> tensor<19x82xf32>
      fuse.yield %18 : tensor<19x82xf32>
    } -> tensor<19x82xf32>
    %6 = tensor.empty() : tensor<19x19xf16>
    %7 = fuse.chain ins(%arg6 = %5 : tensor<19x82xf32>, %arg7 = %5 : tensor<19x82xf32>, %arg8 = %arg5 : tensor<19x19xf32>) outs(%arg9 = %6 : tensor<19x19xf16>) attributes {schedule = #fuse.schedule<version = 1, tiling = <"mn(k(LA,LB,CC),LD,SC)", {k = 48 : i64, m = 16 : i64, n = 16 : i64}>, mapping = <warps = 2, blocks = ["m", "n"], operators = {C = #fuse.operator_map<"fma.m8n16k4", i1 = "m", i2 = "n", r1 = "k", warps = [2, 1]>}>, memory = <{A = #fuse.place<shared, async8>, B = #fuse.place<shared, async8>, C = #fuse.place<registers>, D = #fuse.place<registers>}>, pipeline = <{A = 2 : i64, B = 2 : i64}, registers = 2>>} {
      %cst_5 = arith.constant 0.000000e+00 : f32
      %8 = tensor.empty() : tensor<19x19xf32>
      %9 = linalg.fill ins(%cst_5 : f32) outs(%8 : tensor<19x19xf32>) -> tensor<19x19xf32>
      %10 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg6, %arg7 : tensor<19x82xf32>, tensor<19x82xf32>) outs(%9 : tensor<19x19xf32>) {
      ^bb0(%in: f32, %in_7: f32, %out: f32):
        %16 = arith.mulf %in, %in_7 : f32
        %17 = arith.addf %out, %16 : f32
        linalg.yield %17 : f32
      } -> tensor<19x19xf32>
      %11 = tensor.empty() : tensor<19x19xf32>
      %cst_6 = arith.constant 0.165647283 : f32
      %12 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<19x19xf32>) outs(%11 : tensor<19x19xf32>) {
      ^bb0(%in: f32, %out: f32):
        %16 = arith.mulf %in, %cst_6 : f32
        linalg.yield %16 : f32
      } -> tensor<19x19xf32>
      %13 = tensor.empty() : tensor<19x19xf32>
      %14 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%12, %arg8 : tensor<19x19xf32>, tensor<19x19xf32>) outs(%13 : tensor<19x19xf32>) {
      ^bb0(%in: f32, %in_7: f32, %out: f32):
        %16 = arith.addf %in, %in_7 : f32
        linalg.yield %16 : f32
      } -> tensor<19x19xf32>
      %15 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<19x19xf32>) outs(%arg9 : tensor<19x19xf16>) {
      ^bb0(%in: f32, %out: f16):
        %16 = arith.truncf %in : f32 to f16
        linalg.yield %16 : f16
      } -> tensor<19x19xf16>
      fuse.yield %15 : tensor<19x19xf16>
    } -> tensor<19x19xf16>
    return %7, %1 : tensor<19x19xf16>, tensor<19x243xf32>
  }
}

