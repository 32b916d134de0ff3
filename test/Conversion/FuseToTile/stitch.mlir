// Tile programs of stitched groups, by hand.
// RUN: fusion-opt %s --fuse-search-schedules=chip=sm_80 --fuse-lower-to-tile | FileCheck %s

// The whole row in registers: one load, exchanges through shared memory, one store.
// CHECK-LABEL: tile.kernel @registers_stitch_0
// CHECK: %[[X:.*]] = tile.load
// CHECK: %[[M:.*]] = tile.mask %[[X]]
// CHECK: %[[T:.*]] = tile.reduce maximumf %[[M]] along 1
// CHECK: %[[B:.*]] = tile.broadcast %[[T]] along [1]
// CHECK: %[[Y:.*]] = arith.subf %[[X]], %[[B]]
// CHECK: tile.store %[[Y]]
// CHECK-NOT: tile.load
func.func @registers(%a: tensor<8x100xf32>, %o: tensor<8x100xf32>) -> tensor<8x100xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<8x100xf32>) outs(%p = %o : tensor<8x100xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 128, lanes = 32, warps = 2>}>>} {
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x100xf32>) outs(%s : tensor<8xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.maximumf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t : tensor<8x100xf32>, tensor<8xf32>) outs(%p : tensor<8x100xf32>) {
    ^bb0(%v: f32, %m: f32, %q: f32):
      %0 = arith.subf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8x100xf32>
    fuse.yield %y : tensor<8x100xf32>
  } -> tensor<8x100xf32>
  return %r : tensor<8x100xf32>
}

// A step retained in registers, two in shared memory; the last one, partly beyond the row, is read again.
// CHECK-LABEL: tile.kernel @kept_stitch_0
// CHECK: %[[X:.*]] = tile.load
// CHECK: %[[HELD:.*]] = tile.optimization_barrier %[[X]]
// CHECK: scf.for
// CHECK: %[[S:.*]] = tile.load
// CHECK: arith.maximumf
// CHECK: tile.private_store %[[S]]
// CHECK: tile.load
// CHECK: tile.mask
// CHECK: tile.reduce maximumf
// CHECK: arith.subf %[[HELD]]
// CHECK: tile.store
// CHECK: scf.for
// CHECK: tile.private_load
// CHECK-NOT: tile.load
// CHECK: tile.store
// CHECK: tile.load
// CHECK: tile.store
func.func @kept(%a: tensor<8x100xf32>, %o: tensor<8x100xf32>) -> tensor<8x100xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<8x100xf32>) outs(%p = %o : tensor<8x100xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 128, lanes = 32, warps = 1>}, serial_loop = <axis = "j", step = 32, register_steps = 1, shared_steps = 2>>>} {
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x100xf32>) outs(%s : tensor<8xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.maximumf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t : tensor<8x100xf32>, tensor<8xf32>) outs(%p : tensor<8x100xf32>) {
    ^bb0(%v: f32, %m: f32, %q: f32):
      %0 = arith.subf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8x100xf32>
    fuse.yield %y : tensor<8x100xf32>
  } -> tensor<8x100xf32>
  return %r : tensor<8x100xf32>
}

// Blocks have a part of the columns each; the last of those of the same columns combines them and finishes.
// CHECK-LABEL: tile.kernel @columns_stitch_0
// CHECK-SAME: tile.access = #tile.access<read_write>
// CHECK-SAME: warps = 2 : i64
// CHECK: tile.load {{.*}} -> tensor<32x32xf32
// CHECK: %[[PART:.*]] = tile.reduce addf {{.*}} along 0
// CHECK: tile.store %[[PART]]
// CHECK: %[[LAST:.*]] = tile.last_block %{{.*}} of %{{.*}} {counters = 3 : i64}
// CHECK: scf.if %[[LAST]] {
// CHECK: tile.load {{.*}} -> tensor<4x32xf32
// CHECK: %[[ALL:.*]] = tile.reduce addf {{.*}} along 0
// CHECK: %[[ROOT:.*]] = math.sqrt
// CHECK: tile.store %[[ROOT]]
func.func @columns(%a: tensor<100x96xf32>, %o: tensor<96xf32>) -> tensor<96xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<100x96xf32>) outs(%p = %o : tensor<96xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <{i = #fuse.thread_mapping<tile = 32, warps = 2>, j = #fuse.thread_mapping<tile = 32, lanes = 32>}>>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<96xf32>
    %s = linalg.fill ins(%zero : f32) outs(%e : tensor<96xf32>) -> tensor<96xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
        ins(%x : tensor<100x96xf32>) outs(%s : tensor<96xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<96xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
        ins(%t : tensor<96xf32>) outs(%p : tensor<96xf32>) {
    ^bb0(%v: f32, %q: f32):
      %0 = math.sqrt %v : f32
      linalg.yield %0 : f32
    } -> tensor<96xf32>
    fuse.yield %y : tensor<96xf32>
  } -> tensor<96xf32>
  return %r : tensor<96xf32>
}

// What is the same for all columns is stored by the blocks of the first ones.
// CHECK-LABEL: tile.kernel @once_stitch_0
// CHECK: %[[FIRST:.*]] = arith.cmpi eq
// CHECK: scf.if %[[FIRST]] {
// CHECK-NEXT: tile.view
// CHECK-NEXT: tile.store {{.*}} tensor<8xf32
func.func @once(%a: tensor<64xf32>, %b: tensor<64x96xf32>, %o: tensor<64xf32>, %q: tensor<64x96xf32>) -> (tensor<64xf32>, tensor<64x96xf32>) {
  %r:2 = fuse.stitch ins(%x = %a : tensor<64xf32>, %z = %b : tensor<64x96xf32>) outs(%p = %o : tensor<64xf32>, %w = %q : tensor<64x96xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 8>, j = #fuse.thread_mapping<tile = 32, lanes = 32>}>>} {
    %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<64xf32>) outs(%p : tensor<64xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = math.exp %v : f32
      linalg.yield %0 : f32
    } -> tensor<64xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%z, %y : tensor<64x96xf32>, tensor<64xf32>) outs(%w : tensor<64x96xf32>) {
    ^bb0(%v: f32, %m: f32, %u: f32):
      %0 = arith.mulf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<64x96xf32>
    fuse.yield %y, %t : tensor<64xf32>, tensor<64x96xf32>
  } -> (tensor<64xf32>, tensor<64x96xf32>)
  return %r#0, %r#1 : tensor<64xf32>, tensor<64x96xf32>
}
