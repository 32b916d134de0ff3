// A row that the blocks of a cluster share: each block has a tile of it, and sends its partial results of reductions to all blocks.
// RUN: fusion-opt %s --pass-pipeline='builtin.module(fuse-search-schedules{chip=sm_90a},fuse-complete-schedules,fuse-lower-to-tile)' | FileCheck %s
// RUN: fusion-opt %s --pass-pipeline='builtin.module(fuse-search-schedules{chip=sm_90a},fuse-complete-schedules,fuse-lower-to-tile,tile.kernel(tile-allocate-shared,tile-insert-barriers))' | FileCheck %s --check-prefix=SHARED

// Four blocks follow one another along a row.
// CHECK: tile.launch @row_stitch_0 grid(%c32)
// CHECK-SAME: global_load_bytes = 32000 : i64
// Two warps' parts behind those of four blocks, which have their place for themselves: 128 bytes each.
// CHECK-SAME: shared_memory = 256 : i64
// Each block retains three of its four steps: 232 of the row's 1000 elements are read again.
// CHECK: tile.launch @walked_stitch_0 grid(%c32)
// CHECK-SAME: global_load_bytes = 39424 : i64

// CHECK: tile.kernel @row_stitch_0
// CHECK-SAME: cluster = 4 : i64
// CHECK: %[[BLOCK:.*]] = tile.program_id
// CHECK: %[[PART:.*]] = arith.remui %[[BLOCK]], %c4
// CHECK: %[[AT:.*]] = arith.muli %[[PART]], %c256
// CHECK: %[[GIVEN:.*]] = tile.alloc : <1, 4, 1, f32, {{.*}}, cluster>
// CHECK: tile.load %{{.*}}[%{{.*}}, %[[AT]]]
// The last block has the end of the row.
// CHECK: arith.subi %c1000, %[[AT]]
// CHECK: tile.mask
// CHECK: %[[MINE:.*]] = tile.reduce maximumf
// CHECK: %[[ALL:.*]] = tile.cluster_reduce maximumf %[[MINE]] in %[[GIVEN]]
// CHECK: tile.broadcast %[[ALL]]
// SHARED: tile.kernel @row_stitch_0
// SHARED-SAME: shared_memory = 256 : i64
// SHARED: tile.alloc {offset = 0 : i64}
// SHARED: tile.reduce {{.*}}offset = 128 : i64
// SHARED-NOT: tile.barrier
// SHARED: tile.cluster_reduce
func.func @row(%a: tensor<8x1000xf32>, %o: tensor<8x1000xf32>) -> tensor<8x1000xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<8x1000xf32>) outs(%p = %o : tensor<8x1000xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2, cluster = 4>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 256, vector = 4, lanes = 32, warps = 2>}>>} {
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x1000xf32>) outs(%s : tensor<8xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.maximumf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t : tensor<8x1000xf32>, tensor<8xf32>) outs(%p : tensor<8x1000xf32>) {
    ^bb0(%v: f32, %m: f32, %q: f32):
      %0 = arith.subf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8x1000xf32>
    fuse.yield %y : tensor<8x1000xf32>
  } -> tensor<8x1000xf32>
  return %r : tensor<8x1000xf32>
}

// What does not fit is walked through: steps that all blocks have whole are not guarded.
// CHECK: tile.kernel @walked_stitch_0
// CHECK-SAME: cluster = 4 : i64
// CHECK: tile.load {{.*}}in_bounds = array<i1: true, true>
// CHECK: tile.cluster_reduce maximumf
func.func @walked(%a: tensor<8x1000xf32>, %o: tensor<8x1000xf32>) -> tensor<8x1000xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<8x1000xf32>) outs(%p = %o : tensor<8x1000xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1, cluster = 4>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 256, vector = 2, lanes = 32>}, serial_loop = <axis = "j", step = 64, register_steps = 1, shared_steps = 2>>>} {
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x1000xf32>) outs(%s : tensor<8xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.maximumf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t : tensor<8x1000xf32>, tensor<8xf32>) outs(%p : tensor<8x1000xf32>) {
    ^bb0(%v: f32, %m: f32, %q: f32):
      %0 = arith.subf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8x1000xf32>
    fuse.yield %y : tensor<8x1000xf32>
  } -> tensor<8x1000xf32>
  return %r : tensor<8x1000xf32>
}
