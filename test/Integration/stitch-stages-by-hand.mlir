// Schedules by hand in which prefetched copies share memory with other buffers, the last block of an axis with a serial loop
// has fewer steps, and vectors lie along another axis than memory: right, without a finding of the sanitizers.
// RUN: split-file %s %t
// RUN: fusion-run %t/exchange-before-the-loop.mlir --chip=sm_80 --device=emulator --sanitize --schedules=4 | FileCheck %s --check-prefix=RIGHT
// RUN: fusion-run %t/last-block-of-parts.mlir --chip=sm_80 --device=emulator --sanitize --schedules=4 | FileCheck %s --check-prefix=RIGHT
// RUN: fusion-run %t/across-vectors.mlir --chip=sm_80 --device=emulator --sanitize --schedules=4 | FileCheck %s --check-prefix=RIGHT
// RIGHT: PASS

//--- exchange-before-the-loop.mlir
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> ()>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d1)>
#map4 = affine_map<(d0, d1) -> ()>
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @main(%arg0: tensor<24x512xf32>, %arg1: tensor<512xf32>) -> tensor<24x512xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<24x512xf32>
    %1 = fuse.stitch ins(%arg2 = %arg1 : tensor<512xf32>, %arg3 = %arg0 : tensor<24x512xf32>) outs(%arg4 = %0 : tensor<24x512xf32>) attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <{j = #fuse.thread_mapping<tile = 8>, i = #fuse.thread_mapping<tile = 512, vector = 4, lanes = 32, warps = 2>}, serial_loop = <axis = "j", step = 1, stages = 3>>>} {
      %cst_0 = arith.constant 0.000000e+00 : f32
      %2 = tensor.empty() : tensor<f32>
      %3 = linalg.fill ins(%cst_0 : f32) outs(%2 : tensor<f32>) -> tensor<f32>
      %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%arg2 : tensor<512xf32>) outs(%3 : tensor<f32>) {
      ^bb0(%in: f32, %out: f32):
        %6 = arith.addf %in, %out : f32
        linalg.yield %6 : f32
      } -> tensor<f32>
      %5 = linalg.generic {indexing_maps = [#map2, #map3, #map4, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg3, %arg2, %4 : tensor<24x512xf32>, tensor<512xf32>, tensor<f32>) outs(%arg4 : tensor<24x512xf32>) {
      ^bb0(%in: f32, %in_1: f32, %in_2: f32, %out: f32):
        %6 = arith.mulf %in, %in_1 : f32
        %7 = arith.addf %6, %in_2 : f32
        linalg.yield %7 : f32
      } -> tensor<24x512xf32>
      fuse.yield %5 : tensor<24x512xf32>
    } -> tensor<24x512xf32>
    return %1 : tensor<24x512xf32>
  }
}

//--- last-block-of-parts.mlir
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
#map2 = affine_map<(d0) -> (d0)>
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @main(%arg0: tensor<40x320xf32>) -> tensor<320xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 4.000000e+01 : f32
    %0 = tensor.empty() : tensor<320xf32>
    %1 = fuse.stitch ins(%arg1 = %arg0 : tensor<40x320xf32>) outs(%arg2 = %0 : tensor<320xf32>) attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 8>, j = #fuse.thread_mapping<tile = 192, lanes = 32>}, serial_loop = <axis = "j", step = 64, stages = 1>>>} {
      %cst_1 = arith.constant 0.000000e+00 : f32
      %2 = tensor.empty() : tensor<320xf32>
      %3 = linalg.fill ins(%cst_1 : f32) outs(%2 : tensor<320xf32>) -> tensor<320xf32>
      %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction", "parallel"]} ins(%arg1 : tensor<40x320xf32>) outs(%3 : tensor<320xf32>) {
      ^bb0(%in: f32, %out: f32):
        %6 = arith.addf %in, %out : f32
        linalg.yield %6 : f32
      } -> tensor<320xf32>
      %cst_2 = arith.constant 4.000000e+01 : f32
      %5 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%4 : tensor<320xf32>) outs(%arg2 : tensor<320xf32>) {
      ^bb0(%in: f32, %out: f32):
        %6 = arith.divf %in, %cst_2 : f32
        linalg.yield %6 : f32
      } -> tensor<320xf32>
      fuse.yield %5 : tensor<320xf32>
    } -> tensor<320xf32>
    return %1 : tensor<320xf32>
  }
}

//--- across-vectors.mlir
#map = affine_map<(d0, d1) -> (d1, d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @main(%arg0: tensor<96x64xf32>, %arg1: tensor<64x96xf32>) -> tensor<64x96xf32> {
    %0 = tensor.empty() : tensor<64x96xf32>
    %1 = fuse.stitch ins(%arg2 = %arg0 : tensor<96x64xf32>, %arg3 = %arg1 : tensor<64x96xf32>) outs(%arg4 = %0 : tensor<64x96xf32>) attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 64, vector = 2, lanes = 32>, j = #fuse.thread_mapping<tile = 32>}, serial_loop = <axis = "j", step = 4, stages = 2>>>} {
      %2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2, %arg3 : tensor<96x64xf32>, tensor<64x96xf32>) outs(%arg4 : tensor<64x96xf32>) {
      ^bb0(%in: f32, %in_0: f32, %out: f32):
        %3 = arith.addf %in, %in_0 : f32
        linalg.yield %3 : f32
      } -> tensor<64x96xf32>
      fuse.yield %2 : tensor<64x96xf32>
    } -> tensor<64x96xf32>
    return %1 : tensor<64x96xf32>
  }
}
