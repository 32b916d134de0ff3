// Reductions across the warps in the steps that registers keep, in front of a loop of steps that are copied ahead: no exchange lies where copies do.
// RUN: fusion-run %s --chip=sm_80 --device=emulator --sanitize --schedules=4 | FileCheck %s
// CHECK: PASS
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d1)>
#map3 = affine_map<(d0) -> (d0)>
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @layer_norm_backward(%arg0: tensor<23x1000xf32>, %arg1: tensor<23x1000xf32>, %arg2: tensor<23xf32>, %arg3: tensor<23xf32>, %arg4: tensor<1000xf32>) -> (tensor<23x1000xf32>, tensor<1000xf32>, tensor<1000xf32>) {
    %cst = arith.constant 1.000000e+03 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<23x1000xf32>
    %1 = tensor.empty() : tensor<1000xf32>
    %2 = tensor.empty() : tensor<1000xf32>
    %3:3 = fuse.stitch ins(%arg5 = %arg1 : tensor<23x1000xf32>, %arg6 = %arg2 : tensor<23xf32>, %arg7 = %arg3 : tensor<23xf32>, %arg8 = %arg0 : tensor<23x1000xf32>, %arg9 = %arg4 : tensor<1000xf32>) outs(%arg10 = %0 : tensor<23x1000xf32>, %arg11 = %1 : tensor<1000xf32>, %arg12 = %2 : tensor<1000xf32>) attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <{i = #fuse.thread_mapping<tile = 8, warps = 2>, j = #fuse.thread_mapping<tile = 1024, vector = 4, lanes = 32>}, serial_loop = <axis = "j", step = 128, register_steps = 1, shared_steps = 7, stages = 3>>>} {
      %4 = tensor.empty() : tensor<23x1000xf32>
      %5 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg5, %arg6 : tensor<23x1000xf32>, tensor<23xf32>) outs(%4 : tensor<23x1000xf32>) {
      ^bb0(%in: f32, %in_7: f32, %out: f32):
        %35 = arith.subf %in, %in_7 : f32
        linalg.yield %35 : f32
      } -> tensor<23x1000xf32>
      %6 = tensor.empty() : tensor<23x1000xf32>
      %7 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%5, %arg7 : tensor<23x1000xf32>, tensor<23xf32>) outs(%6 : tensor<23x1000xf32>) {
      ^bb0(%in: f32, %in_7: f32, %out: f32):
        %35 = arith.mulf %in, %in_7 : f32
        linalg.yield %35 : f32
      } -> tensor<23x1000xf32>
      %8 = tensor.empty() : tensor<23x1000xf32>
      %9 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%arg8, %arg9 : tensor<23x1000xf32>, tensor<1000xf32>) outs(%8 : tensor<23x1000xf32>) {
      ^bb0(%in: f32, %in_7: f32, %out: f32):
        %35 = arith.mulf %in, %in_7 : f32
        linalg.yield %35 : f32
      } -> tensor<23x1000xf32>
      %10 = tensor.empty() : tensor<23x1000xf32>
      %11 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%9, %7 : tensor<23x1000xf32>, tensor<23x1000xf32>) outs(%10 : tensor<23x1000xf32>) {
      ^bb0(%in: f32, %in_7: f32, %out: f32):
        %35 = arith.mulf %in, %in_7 : f32
        linalg.yield %35 : f32
      } -> tensor<23x1000xf32>
      %cst_1 = arith.constant 0.000000e+00 : f32
      %12 = tensor.empty() : tensor<23xf32>
      %13 = linalg.fill ins(%cst_1 : f32) outs(%12 : tensor<23xf32>) -> tensor<23xf32>
      %14 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%9 : tensor<23x1000xf32>) outs(%13 : tensor<23xf32>) {
      ^bb0(%in: f32, %out: f32):
        %35 = arith.addf %in, %out : f32
        linalg.yield %35 : f32
      } -> tensor<23xf32>
      %15 = tensor.empty() : tensor<23xf32>
      %cst_2 = arith.constant 1.000000e+03 : f32
      %16 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%14 : tensor<23xf32>) outs(%15 : tensor<23xf32>) {
      ^bb0(%in: f32, %out: f32):
        %35 = arith.divf %in, %cst_2 : f32
        linalg.yield %35 : f32
      } -> tensor<23xf32>
      %17 = tensor.empty() : tensor<23x1000xf32>
      %18 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%9, %16 : tensor<23x1000xf32>, tensor<23xf32>) outs(%17 : tensor<23x1000xf32>) {
      ^bb0(%in: f32, %in_7: f32, %out: f32):
        %35 = arith.subf %in, %in_7 : f32
        linalg.yield %35 : f32
      } -> tensor<23x1000xf32>
      %cst_3 = arith.constant 0.000000e+00 : f32
      %19 = tensor.empty() : tensor<23xf32>
      %20 = linalg.fill ins(%cst_3 : f32) outs(%19 : tensor<23xf32>) -> tensor<23xf32>
      %21 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%11 : tensor<23x1000xf32>) outs(%20 : tensor<23xf32>) {
      ^bb0(%in: f32, %out: f32):
        %35 = arith.addf %in, %out : f32
        linalg.yield %35 : f32
      } -> tensor<23xf32>
      %22 = tensor.empty() : tensor<23xf32>
      %cst_4 = arith.constant 1.000000e+03 : f32
      %23 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%21 : tensor<23xf32>) outs(%22 : tensor<23xf32>) {
      ^bb0(%in: f32, %out: f32):
        %35 = arith.divf %in, %cst_4 : f32
        linalg.yield %35 : f32
      } -> tensor<23xf32>
      %24 = tensor.empty() : tensor<23x1000xf32>
      %25 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%7, %23 : tensor<23x1000xf32>, tensor<23xf32>) outs(%24 : tensor<23x1000xf32>) {
      ^bb0(%in: f32, %in_7: f32, %out: f32):
        %35 = arith.mulf %in, %in_7 : f32
        linalg.yield %35 : f32
      } -> tensor<23x1000xf32>
      %26 = tensor.empty() : tensor<23x1000xf32>
      %27 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%18, %25 : tensor<23x1000xf32>, tensor<23x1000xf32>) outs(%26 : tensor<23x1000xf32>) {
      ^bb0(%in: f32, %in_7: f32, %out: f32):
        %35 = arith.subf %in, %in_7 : f32
        linalg.yield %35 : f32
      } -> tensor<23x1000xf32>
      %28 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%27, %arg7 : tensor<23x1000xf32>, tensor<23xf32>) outs(%arg10 : tensor<23x1000xf32>) {
      ^bb0(%in: f32, %in_7: f32, %out: f32):
        %35 = arith.mulf %in, %in_7 : f32
        linalg.yield %35 : f32
      } -> tensor<23x1000xf32>
      %29 = tensor.empty() : tensor<23x1000xf32>
      %30 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg8, %7 : tensor<23x1000xf32>, tensor<23x1000xf32>) outs(%29 : tensor<23x1000xf32>) {
      ^bb0(%in: f32, %in_7: f32, %out: f32):
        %35 = arith.mulf %in, %in_7 : f32
        linalg.yield %35 : f32
      } -> tensor<23x1000xf32>
      %cst_5 = arith.constant 0.000000e+00 : f32
      %31 = linalg.fill ins(%cst_5 : f32) outs(%arg11 : tensor<1000xf32>) -> tensor<1000xf32>
      %32 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["reduction", "parallel"]} ins(%30 : tensor<23x1000xf32>) outs(%31 : tensor<1000xf32>) {
      ^bb0(%in: f32, %out: f32):
        %35 = arith.addf %in, %out : f32
        linalg.yield %35 : f32
      } -> tensor<1000xf32>
      %cst_6 = arith.constant 0.000000e+00 : f32
      %33 = linalg.fill ins(%cst_6 : f32) outs(%arg12 : tensor<1000xf32>) -> tensor<1000xf32>
      %34 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["reduction", "parallel"]} ins(%arg8 : tensor<23x1000xf32>) outs(%33 : tensor<1000xf32>) {
      ^bb0(%in: f32, %out: f32):
        %35 = arith.addf %in, %out : f32
        linalg.yield %35 : f32
      } -> tensor<1000xf32>
      fuse.yield %28, %32, %34 : tensor<23x1000xf32>, tensor<1000xf32>, tensor<1000xf32>
    } -> (tensor<23x1000xf32>, tensor<1000xf32>, tensor<1000xf32>)
    return %3#0, %3#1, %3#2 : tensor<23x1000xf32>, tensor<1000xf32>, tensor<1000xf32>
  }
}
