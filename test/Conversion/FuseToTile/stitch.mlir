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
      attributes {schedule = #fuse.schedule<version = 1, mapping = <warps = 2>, stitching = <{i = #fuse.spread<tile = 1>, j = #fuse.spread<tile = 128, lanes = 32, warps = 2>}>>} {
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

// A step held in registers, two put aside; the last one, partly beyond the row, is read again.
// CHECK-LABEL: tile.kernel @kept_stitch_0
// CHECK: %[[X:.*]] = tile.load
// CHECK: %[[HELD:.*]] = tile.hold %[[X]]
// CHECK: scf.for
// CHECK: %[[S:.*]] = tile.load
// CHECK: arith.maximumf
// CHECK: tile.stash %[[S]]
// CHECK: tile.load
// CHECK: tile.mask
// CHECK: tile.reduce maximumf
// CHECK: arith.subf %[[HELD]]
// CHECK: tile.store
// CHECK: scf.for
// CHECK: tile.unstash
// CHECK-NOT: tile.load
// CHECK: tile.store
// CHECK: tile.load
// CHECK: tile.store
func.func @kept(%a: tensor<8x100xf32>, %o: tensor<8x100xf32>) -> tensor<8x100xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<8x100xf32>) outs(%p = %o : tensor<8x100xf32>)
      attributes {schedule = #fuse.schedule<version = 1, mapping = <warps = 1>, stitching = <{i = #fuse.spread<tile = 1>, j = #fuse.spread<tile = 128, lanes = 32, warps = 1>}, walk = <axis = "j", step = 32, registers = 1, shared = 2>>>} {
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
