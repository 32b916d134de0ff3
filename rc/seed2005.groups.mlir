#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map6 = affine_map<(d0, d1) -> ()>
#map7 = affine_map<(d0, d1) -> (d1, d0)>
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @chain(%arg0: tensor<200x1xbf16>, %arg1: tensor<1x16xbf16>, %arg2: tensor<168x1xbf16>, %arg3: tensor<bf16>, %arg4: tensor<168x200xbf16>) -> (tensor<200x168xf32>, tensor<200x16xf32>) {
    %cst = arith.constant 0xFFC00000 : f32
    %cst_0 = arith.constant -0.699999988 : f32
    %cst_1 = arith.constant 1.500000e+00 : f32
    %cst_2 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<200x1xf32>
    %1 = fuse.stitch ins(%arg5 = %arg0 : tensor<200x1xbf16>) outs(%arg6 = %0 : tensor<200x1xf32>) attributes {schedule = #fuse.schedule<version = 1, mapping = <warps = 8>>} {
      %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<200x1xbf16>) outs(%arg6 : tensor<200x1xf32>) {
      ^bb0(%in: bf16, %out: f32):
        %14 = arith.extf %in : bf16 to f32
        linalg.yield %14 : f32
      } -> tensor<200x1xf32>
      fuse.yield %13 : tensor<200x1xf32>
    } -> tensor<200x1xf32>
    %2 = tensor.empty() : tensor<200xf32>
    %3 = fuse.stitch ins(%arg5 = %1 : tensor<200x1xf32>) outs(%arg6 = %2 : tensor<200xf32>) attributes {schedule = #fuse.schedule<version = 1, mapping = <warps = 8>>} {
      %cst_3 = arith.constant 0xFFC00000 : f32
      %13 = linalg.fill ins(%cst_3 : f32) outs(%arg6 : tensor<200xf32>) -> tensor<200xf32>
      %14 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg5 : tensor<200x1xf32>) outs(%13 : tensor<200xf32>) {
      ^bb0(%in: f32, %out: f32):
        %15 = arith.maxnumf %in, %out : f32
        linalg.yield %15 : f32
      } -> tensor<200xf32>
      fuse.yield %14 : tensor<200xf32>
    } -> tensor<200xf32>
    %4 = fuse.stitch ins(%arg5 = %1 : tensor<200x1xf32>, %arg6 = %3 : tensor<200xf32>) outs(%arg7 = %0 : tensor<200x1xf32>) attributes {schedule = #fuse.schedule<version = 1, mapping = <warps = 8>>} {
      %13 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg5, %arg6 : tensor<200x1xf32>, tensor<200xf32>) outs(%arg7 : tensor<200x1xf32>) {
      ^bb0(%in: f32, %in_3: f32, %out: f32):
        %14 = arith.subf %in, %in_3 : f32
        %15 = math.exp %14 : f32
        linalg.yield %15 : f32
      } -> tensor<200x1xf32>
      fuse.yield %13 : tensor<200x1xf32>
    } -> tensor<200x1xf32>
    %5 = fuse.stitch ins(%arg5 = %4 : tensor<200x1xf32>) outs(%arg6 = %2 : tensor<200xf32>) attributes {schedule = #fuse.schedule<version = 1, mapping = <warps = 8>>} {
      %cst_3 = arith.constant 0.000000e+00 : f32
      %13 = linalg.fill ins(%cst_3 : f32) outs(%arg6 : tensor<200xf32>) -> tensor<200xf32>
      %14 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg5 : tensor<200x1xf32>) outs(%13 : tensor<200xf32>) {
      ^bb0(%in: f32, %out: f32):
        %15 = arith.addf %in, %out : f32
        linalg.yield %15 : f32
      } -> tensor<200xf32>
      fuse.yield %14 : tensor<200xf32>
    } -> tensor<200xf32>
    %6 = fuse.stitch ins(%arg5 = %4 : tensor<200x1xf32>, %arg6 = %5 : tensor<200xf32>) outs(%arg7 = %0 : tensor<200x1xf32>) attributes {schedule = #fuse.schedule<version = 1, mapping = <warps = 8>>} {
      %13 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg5, %arg6 : tensor<200x1xf32>, tensor<200xf32>) outs(%arg7 : tensor<200x1xf32>) {
      ^bb0(%in: f32, %in_3: f32, %out: f32):
        %14 = arith.divf %in, %in_3 : f32
        linalg.yield %14 : f32
      } -> tensor<200x1xf32>
      fuse.yield %13 : tensor<200x1xf32>
    } -> tensor<200x1xf32>
    %7 = tensor.empty() : tensor<200x1xbf16>
    %8 = fuse.stitch ins(%arg5 = %6 : tensor<200x1xf32>) outs(%arg6 = %7 : tensor<200x1xbf16>) attributes {schedule = #fuse.schedule<version = 1, mapping = <warps = 8>>} {
      %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<200x1xf32>) outs(%arg6 : tensor<200x1xbf16>) {
      ^bb0(%in: f32, %out: bf16):
        %14 = arith.truncf %in : f32 to bf16
        linalg.yield %14 : bf16
      } -> tensor<200x1xbf16>
      fuse.yield %13 : tensor<200x1xbf16>
    } -> tensor<200x1xbf16>
    %9 = tensor.empty() : tensor<200x16xf32>
    %10 = fuse.chain ins(%arg5 = %8 : tensor<200x1xbf16>, %arg6 = %arg1 : tensor<1x16xbf16>) outs(%arg7 = %9 : tensor<200x16xf32>) attributes {schedule = #fuse.schedule<version = 1, tiling = <"m(LA,LB,CC,SC)", {k = 16 : i64, m = 16 : i64, n = 16 : i64}>, mapping = <warps = 1, blocks = ["m"], operators = {C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [1, 1]>}>, memory = <{A = #fuse.place<shared>, B = #fuse.place<shared, async16>, C = #fuse.place<shared>}>>} {
      %cst_3 = arith.constant 0.000000e+00 : f32
      %13 = linalg.fill ins(%cst_3 : f32) outs(%arg7 : tensor<200x16xf32>) -> tensor<200x16xf32>
      %14 = linalg.generic {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg5, %arg6 : tensor<200x1xbf16>, tensor<1x16xbf16>) outs(%13 : tensor<200x16xf32>) {
      ^bb0(%in: bf16, %in_4: bf16, %out: f32):
        %15 = arith.extf %in : bf16 to f32
        %16 = arith.extf %in_4 : bf16 to f32
        %17 = arith.mulf %15, %16 : f32
        %18 = arith.addf %out, %17 : f32
        linalg.yield %18 : f32
      } -> tensor<200x16xf32>
      fuse.yield %14 : tensor<200x16xf32>
    } -> tensor<200x16xf32>
    %11 = tensor.empty() : tensor<200x168xf32>
    %12 = fuse.chain ins(%arg5 = %8 : tensor<200x1xbf16>, %arg6 = %arg2 : tensor<168x1xbf16>, %arg7 = %arg3 : tensor<bf16>, %arg8 = %arg4 : tensor<168x200xbf16>) outs(%arg9 = %11 : tensor<200x168xf32>) attributes {schedule = #fuse.schedule<version = 1, tiling = <"mn(LA,LB,CC,LD,LE,SC)", {k = 16 : i64, m = 32 : i64, n = 32 : i64}>, mapping = <warps = 8, blocks = ["m", "n"], operators = {C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [2, 4]>}>, memory = <{A = #fuse.place<shared>, B = #fuse.place<shared>, C = #fuse.place<shared>, D = #fuse.place<registers>, E = #fuse.place<registers>}>>} {
      %cst_3 = arith.constant 0.000000e+00 : f32
      %13 = tensor.empty() : tensor<200x168xf32>
      %14 = linalg.fill ins(%cst_3 : f32) outs(%13 : tensor<200x168xf32>) -> tensor<200x168xf32>
      %15 = linalg.matmul indexing_maps = [#map2, #map5, #map4] ins(%arg5, %arg6 : tensor<200x1xbf16>, tensor<168x1xbf16>) outs(%14 : tensor<200x168xf32>) -> tensor<200x168xf32>
      %16 = tensor.empty() : tensor<200x168xf32>
      %cst_4 = arith.constant 1.500000e+00 : f32
      %17 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<200x168xf32>) outs(%16 : tensor<200x168xf32>) {
      ^bb0(%in: f32, %out: f32):
        %23 = arith.mulf %in, %cst_4 : f32
        linalg.yield %23 : f32
      } -> tensor<200x168xf32>
      %18 = tensor.empty() : tensor<200x168xf32>
      %cst_5 = arith.constant -0.699999988 : f32
      %19 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%17 : tensor<200x168xf32>) outs(%18 : tensor<200x168xf32>) {
      ^bb0(%in: f32, %out: f32):
        %23 = arith.mulf %in, %cst_5 : f32
        linalg.yield %23 : f32
      } -> tensor<200x168xf32>
      %20 = tensor.empty() : tensor<200x168xf32>
      %21 = linalg.generic {indexing_maps = [#map, #map6, #map], iterator_types = ["parallel", "parallel"]} ins(%19, %arg7 : tensor<200x168xf32>, tensor<bf16>) outs(%20 : tensor<200x168xf32>) {
      ^bb0(%in: f32, %in_6: bf16, %out: f32):
        %23 = arith.extf %in_6 : bf16 to f32
        %24 = arith.addf %in, %23 : f32
        linalg.yield %24 : f32
      } -> tensor<200x168xf32>
      %22 = linalg.generic {indexing_maps = [#map, #map7, #map], iterator_types = ["parallel", "parallel"]} ins(%21, %arg8 : tensor<200x168xf32>, tensor<168x200xbf16>) outs(%arg9 : tensor<200x168xf32>) {
      ^bb0(%in: f32, %in_6: bf16, %out: f32):
        %23 = arith.extf %in_6 : bf16 to f32
        %24 = arith.addf %in, %23 : f32
        linalg.yield %24 : f32
      } -> tensor<200x168xf32>
      fuse.yield %22 : tensor<200x168xf32>
    } -> tensor<200x168xf32>
    return %12, %10 : tensor<200x168xf32>, tensor<200x16xf32>
  }
}

