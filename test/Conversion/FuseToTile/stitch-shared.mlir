// Shared memory of stitched groups is predicted to the byte.
// RUN: fusion-opt %s --pass-pipeline='builtin.module(fuse-search-schedules{chip=sm_80},fuse-complete-schedules,fuse-lower-to-tile,tile.kernel(tile-allocate-shared))' | FileCheck %s

// Four warps' partial maxima of a row lie behind two retained steps of 128 floats: 1024 bytes and 128.
// CHECK: tile.launch @aside_stitch_0 {{.*}}shared_memory = 1152 : i64
func.func @aside(%a: tensor<8x500xf32>, %o: tensor<8x500xf32>) -> tensor<8x500xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<8x500xf32>) outs(%p = %o : tensor<8x500xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 4>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 512, lanes = 32, warps = 4>}, serial_loop = <axis = "j", step = 128, register_steps = 1, shared_steps = 2>>>} {
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x500xf32>) outs(%s : tensor<8xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.maximumf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t : tensor<8x500xf32>, tensor<8xf32>) outs(%p : tensor<8x500xf32>) {
    ^bb0(%v: f32, %m: f32, %q: f32):
      %0 = arith.subf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8x500xf32>
    fuse.yield %y : tensor<8x500xf32>
  } -> tensor<8x500xf32>
  return %r : tensor<8x500xf32>
}

// A tile of 32 x 32 floats is turned through rows of 33.
// CHECK: tile.launch @turned_stitch_0 {{.*}}shared_memory = [[TURNED:[0-9]+]] : i64
func.func @turned(%a: tensor<64x64xf32>, %o: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<64x64xf32>) outs(%p = %o : tensor<64x64xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 4>, stitching = <{i = #fuse.thread_mapping<tile = 32, warps = 4>, j = #fuse.thread_mapping<tile = 32, lanes = 32>}>>} {
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<64x64xf32>) outs(%p : tensor<64x64xf32>) {
    ^bb0(%v: f32, %q: f32):
      %0 = arith.negf %v : f32
      linalg.yield %0 : f32
    } -> tensor<64x64xf32>
    fuse.yield %y : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// One axis after the other: two warps combine 256 rows, then two their sums.
// CHECK: tile.launch @twice_stitch_0 {{.*}}shared_memory = 2048 : i64
func.func @twice(%a: tensor<256x64xf32>, %o: tensor<f32>) -> tensor<f32> {
  %r = fuse.stitch ins(%x = %a : tensor<256x64xf32>) outs(%p = %o : tensor<f32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 4>, stitching = <{i = #fuse.thread_mapping<tile = 256, warps = 2>, j = #fuse.thread_mapping<tile = 64, lanes = 32, warps = 2>}>>} {
    %zero = arith.constant 0.0 : f32
    %s = linalg.fill ins(%zero : f32) outs(%p : tensor<f32>) -> tensor<f32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
        ins(%x : tensor<256x64xf32>) outs(%s : tensor<f32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<f32>
    fuse.yield %t : tensor<f32>
  } -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK: tile.kernel @aside_stitch_0
// CHECK-SAME: shared_memory = 1152 : i64
// CHECK: tile.kernel @turned_stitch_0
// CHECK-SAME: shared_memory = [[TURNED]] : i64
// CHECK: tile.kernel @twice_stitch_0
// CHECK-SAME: shared_memory = 2048 : i64
