#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map6 = affine_map<(d0, d1) -> (d0, d1)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#map9 = affine_map<(d0, d1, d2) -> (d2, d0, d1)>
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @chain(%arg0: tensor<4x3x36x31xbf16>, %arg1: tensor<31x26xbf16>, %arg2: tensor<4x3x22x31xbf16>, %arg3: tensor<22x4x3x36xbf16>) -> (tensor<4x3x36x22xf32>, tensor<4x3x36xf32>, tensor<4x3x36x26xf32>) {
    %cst = arith.constant 0.0952500924 : f32
    %cst_0 = arith.constant 0.00999999977 : f32
    %cst_1 = arith.constant 0.00403225794 : f32
    %cst_2 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<4x3x36x31xf32>
    %1 = fuse.stitch ins(%arg4 = %arg0 : tensor<4x3x36x31xbf16>) outs(%arg5 = %0 : tensor<4x3x36x31xf32>) attributes {schedule = #fuse.schedule<version = 1, mapping = <warps = 8>>} {
      %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg4 : tensor<4x3x36x31xbf16>) outs(%arg5 : tensor<4x3x36x31xf32>) {
      ^bb0(%in: bf16, %out: f32):
        %13 = arith.extf %in : bf16 to f32
        linalg.yield %13 : f32
      } -> tensor<4x3x36x31xf32>
      fuse.yield %12 : tensor<4x3x36x31xf32>
    } -> tensor<4x3x36x31xf32>
    %2 = tensor.empty() : tensor<4x3x36xf32>
    %3 = fuse.stitch ins(%arg4 = %1 : tensor<4x3x36x31xf32>) outs(%arg5 = %2 : tensor<4x3x36xf32>) attributes {schedule = #fuse.schedule<version = 1, mapping = <warps = 8>>} {
      %cst_7 = arith.constant 0.000000e+00 : f32
      %12 = linalg.fill ins(%cst_7 : f32) outs(%arg5 : tensor<4x3x36xf32>) -> tensor<4x3x36xf32>
      %13 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg4 : tensor<4x3x36x31xf32>) outs(%12 : tensor<4x3x36xf32>) {
      ^bb0(%in: f32, %out: f32):
        %14 = arith.mulf %in, %in : f32
        %15 = arith.addf %14, %out : f32
        linalg.yield %15 : f32
      } -> tensor<4x3x36xf32>
      fuse.yield %13 : tensor<4x3x36xf32>
    } -> tensor<4x3x36xf32>
    %4 = fuse.stitch ins(%arg4 = %3 : tensor<4x3x36xf32>) outs(%arg5 = %2 : tensor<4x3x36xf32>) attributes {schedule = #fuse.schedule<version = 1, mapping = <warps = 8>>} {
      %cst_7 = arith.constant 0.00403225794 : f32
      %cst_8 = arith.constant 0.00999999977 : f32
      %12 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg4 : tensor<4x3x36xf32>) outs(%arg5 : tensor<4x3x36xf32>) {
      ^bb0(%in: f32, %out: f32):
        %13 = arith.mulf %in, %cst_7 : f32
        %14 = arith.addf %13, %cst_8 : f32
        %15 = math.rsqrt %14 : f32
        linalg.yield %15 : f32
      } -> tensor<4x3x36xf32>
      fuse.yield %12 : tensor<4x3x36xf32>
    } -> tensor<4x3x36xf32>
    %5 = fuse.stitch ins(%arg4 = %1 : tensor<4x3x36x31xf32>, %arg5 = %4 : tensor<4x3x36xf32>) outs(%arg6 = %0 : tensor<4x3x36x31xf32>) attributes {schedule = #fuse.schedule<version = 1, mapping = <warps = 8>>} {
      %12 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg4, %arg5 : tensor<4x3x36x31xf32>, tensor<4x3x36xf32>) outs(%arg6 : tensor<4x3x36x31xf32>) {
      ^bb0(%in: f32, %in_7: f32, %out: f32):
        %13 = arith.mulf %in, %in_7 : f32
        linalg.yield %13 : f32
      } -> tensor<4x3x36x31xf32>
      fuse.yield %12 : tensor<4x3x36x31xf32>
    } -> tensor<4x3x36x31xf32>
    %6 = tensor.empty() : tensor<4x3x36x31xbf16>
    %7 = fuse.stitch ins(%arg4 = %5 : tensor<4x3x36x31xf32>) outs(%arg5 = %6 : tensor<4x3x36x31xbf16>) attributes {schedule = #fuse.schedule<version = 1, mapping = <warps = 8>>} {
      %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg4 : tensor<4x3x36x31xf32>) outs(%arg5 : tensor<4x3x36x31xbf16>) {
      ^bb0(%in: f32, %out: bf16):
        %13 = arith.truncf %in : f32 to bf16
        linalg.yield %13 : bf16
      } -> tensor<4x3x36x31xbf16>
      fuse.yield %12 : tensor<4x3x36x31xbf16>
    } -> tensor<4x3x36x31xbf16>
    %collapsed = tensor.collapse_shape %7 [[0, 1, 2], [3]] : tensor<4x3x36x31xbf16> into tensor<432x31xbf16>
    %8 = tensor.empty() : tensor<432x26xf32>
    %9 = fuse.chain ins(%arg4 = %collapsed : tensor<432x31xbf16>, %arg5 = %arg1 : tensor<31x26xbf16>) outs(%arg6 = %8 : tensor<432x26xf32>) attributes {schedule = #fuse.schedule<version = 1, tiling = <"m(LA,LB,CC,SC)", {k = 32 : i64, m = 16 : i64, n = 32 : i64}>, mapping = <warps = 1, blocks = ["m"], operators = {C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [1, 1]>}>, memory = <{A = #fuse.place<shared>, B = #fuse.place<shared, async4>, C = #fuse.place<registers>}>, pipeline = <{}, registers = 2>>} {
      %cst_7 = arith.constant 0.000000e+00 : f32
      %12 = tensor.empty() : tensor<432x26xf32>
      %13 = linalg.fill ins(%cst_7 : f32) outs(%12 : tensor<432x26xf32>) -> tensor<432x26xf32>
      %14 = linalg.generic {indexing_maps = [#map3, #map4, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg4, %arg5 : tensor<432x31xbf16>, tensor<31x26xbf16>) outs(%13 : tensor<432x26xf32>) {
      ^bb0(%in: bf16, %in_9: bf16, %out: f32):
        %16 = arith.extf %in : bf16 to f32
        %17 = arith.extf %in_9 : bf16 to f32
        %18 = arith.mulf %16, %17 : f32
        %19 = arith.addf %out, %18 : f32
        linalg.yield %19 : f32
      } -> tensor<432x26xf32>
      %cst_8 = arith.constant 0.0952500924 : f32
      %15 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<432x26xf32>) outs(%arg6 : tensor<432x26xf32>) {
      ^bb0(%in: f32, %out: f32):
        %16 = arith.mulf %in, %cst_8 : f32
        linalg.yield %16 : f32
      } -> tensor<432x26xf32>
      fuse.yield %15 : tensor<432x26xf32>
    } -> tensor<432x26xf32>
    %expanded = tensor.expand_shape %9 [[0, 1, 2], [3]] output_shape [4, 3, 36, 26] : tensor<432x26xf32> into tensor<4x3x36x26xf32>
    %collapsed_3 = tensor.collapse_shape %7 [[0, 1], [2], [3]] : tensor<4x3x36x31xbf16> into tensor<12x36x31xbf16>
    %collapsed_4 = tensor.collapse_shape %arg2 [[0, 1], [2], [3]] : tensor<4x3x22x31xbf16> into tensor<12x22x31xbf16>
    %collapsed_5 = tensor.collapse_shape %arg3 [[0], [1, 2], [3]] : tensor<22x4x3x36xbf16> into tensor<22x12x36xbf16>
    %10 = tensor.empty() : tensor<12x36x22xf32>
    %11 = fuse.chain ins(%arg4 = %collapsed_3 : tensor<12x36x31xbf16>, %arg5 = %collapsed_4 : tensor<12x22x31xbf16>, %arg6 = %collapsed_5 : tensor<22x12x36xbf16>) outs(%arg7 = %10 : tensor<12x36x22xf32>) attributes {schedule = #fuse.schedule<version = 1, tiling = <"bmn(LA,LB,CC,LD,SC)", {b = 1 : i64, k = 32 : i64, m = 16 : i64, n = 16 : i64}>, mapping = <warps = 1, blocks = ["b", "m", "n"], operators = {C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [1, 1]>}>, memory = <{A = #fuse.place<shared>, B = #fuse.place<shared>, C = #fuse.place<registers>, D = #fuse.place<registers>}>, pipeline = <{}, registers = 2>>} {
      %cst_7 = arith.constant 0.000000e+00 : f32
      %12 = tensor.empty() : tensor<12x36x22xf32>
      %13 = linalg.fill ins(%cst_7 : f32) outs(%12 : tensor<12x36x22xf32>) -> tensor<12x36x22xf32>
      %14 = linalg.generic {indexing_maps = [#map7, #map8, #map1], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg4, %arg5 : tensor<12x36x31xbf16>, tensor<12x22x31xbf16>) outs(%13 : tensor<12x36x22xf32>) {
      ^bb0(%in: bf16, %in_9: bf16, %out: f32):
        %18 = arith.extf %in : bf16 to f32
        %19 = arith.extf %in_9 : bf16 to f32
        %20 = arith.mulf %18, %19 : f32
        %21 = arith.addf %out, %20 : f32
        linalg.yield %21 : f32
      } -> tensor<12x36x22xf32>
      %15 = tensor.empty() : tensor<12x36x22xf32>
      %cst_8 = arith.constant 0.0952500924 : f32
      %16 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14 : tensor<12x36x22xf32>) outs(%15 : tensor<12x36x22xf32>) {
      ^bb0(%in: f32, %out: f32):
        %18 = arith.mulf %in, %cst_8 : f32
        linalg.yield %18 : f32
      } -> tensor<12x36x22xf32>
      %17 = linalg.generic {indexing_maps = [#map2, #map9, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16, %arg6 : tensor<12x36x22xf32>, tensor<22x12x36xbf16>) outs(%arg7 : tensor<12x36x22xf32>) {
      ^bb0(%in: f32, %in_9: bf16, %out: f32):
        %18 = arith.extf %in_9 : bf16 to f32
        %19 = arith.addf %in, %18 : f32
        linalg.yield %19 : f32
      } -> tensor<12x36x22xf32>
      fuse.yield %17 : tensor<12x36x22xf32>
    } -> tensor<12x36x22xf32>
    %expanded_6 = tensor.expand_shape %11 [[0, 1], [2], [3]] output_shape [4, 3, 36, 22] : tensor<12x36x22xf32> into tensor<4x3x36x22xf32>
    return %expanded_6, %4, %expanded : tensor<4x3x36x22xf32>, tensor<4x3x36xf32>, tensor<4x3x36x26xf32>
  }
}

