// Rows of odd length: with 'align' each block's tile begins before its row, where memory is aligned.
// RUN: fusion-opt %s --pass-pipeline='builtin.module(fuse-search-schedules{chip=sm_80},fuse-lower-to-tile)' | FileCheck %s

// CHECK-LABEL: tile.kernel @scaled_stitch_0
// CHECK: %[[BLOCK:.*]] = tile.program_id
// Row i begins at element 1001 i; the tile up to 7 elements before.
// CHECK: %[[ROW:.*]] = arith.muli %{{.*}}, %c1001
// CHECK: %[[PLACE:.*]] = arith.addi %{{.*}}, %[[ROW]]
// CHECK: %[[OFF:.*]] = arith.andi %[[PLACE]], %c7
// CHECK: %[[ORIGIN:.*]] = arith.subi %{{.*}}, %[[OFF]]
// Loads of x are aligned, and done whole across the row's ends as long as they stay inside of x.
// CHECK: tile.load %{{.*}}[%{{.*}}, %[[ORIGIN]]] {in_bounds = array<i1: true, false>, ragged, within = 6006 : i64} : <2 x f32, unit = 1, alignment = 16>
// The gains are off by as many elements as the row: lanes exchange aligned pieces of them.
// CHECK: tile.load %{{.*}}[%[[ORIGIN]]] {in_bounds = array<i1: false>, misaligned = 4 : i64, ragged, within = 1001 : i64} : <1 x f32, unit = 0, alignment = 4>
// CHECK: tile.store {{.*}} {in_bounds = array<i1: true, false>, ragged} : {{.*}}, <2 x f32, unit = 1, alignment = 16>
func.func @scaled(%a: tensor<6x1001xf32>, %g: tensor<1001xf32>, %o: tensor<6x1001xf32>) -> tensor<6x1001xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<6x1001xf32>, %w = %g : tensor<1001xf32>) outs(%p = %o : tensor<6x1001xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 256, vector = 4, lanes = 32, warps = 2, align = 8>}>>} {
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %w : tensor<6x1001xf32>, tensor<1001xf32>) outs(%p : tensor<6x1001xf32>) {
    ^bb0(%v: f32, %m: f32, %q: f32):
      %0 = arith.mulf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<6x1001xf32>
    fuse.yield %y : tensor<6x1001xf32>
  } -> tensor<6x1001xf32>
  return %r : tensor<6x1001xf32>
}

// What is before a row must not reach its sum, nor what is behind it.
// CHECK-LABEL: tile.kernel @sum_stitch_0
// CHECK: tile.mask
// CHECK: %[[AT:.*]] = tile.iota
// CHECK: arith.cmpi sge, %[[AT]]
// CHECK: %[[SUMMED:.*]] = arith.select
// CHECK: tile.reduce addf %[[SUMMED]]
func.func @sum(%a: tensor<6x1001xf32>, %o: tensor<6xf32>) -> tensor<6xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<6x1001xf32>) outs(%p = %o : tensor<6xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 1024, vector = 4, lanes = 32, warps = 2, align = 8>}>>} {
    %zero = arith.constant 0.0 : f32
    %s = linalg.fill ins(%zero : f32) outs(%p : tensor<6xf32>) -> tensor<6xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<6x1001xf32>) outs(%s : tensor<6xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<6xf32>
    fuse.yield %t : tensor<6xf32>
  } -> tensor<6xf32>
  return %r : tensor<6xf32>
}

// Tiles of several rows, each of which begins elsewhere: lanes exchange elements of aligned pieces, both ways.
// CHECK-LABEL: tile.kernel @anywhere_stitch_0
// CHECK: tile.load {{.*}} {in_bounds = array<i1: true, false>, misaligned = 4 : i64, ragged, within = 6006 : i64} : <2 x f32, unit = 1, alignment = 4>
// CHECK: tile.store {{.*}} {in_bounds = array<i1: true, false>, misaligned = 4 : i64, ragged} : {{.*}}, <2 x f32, unit = 1, alignment = 4>
func.func @anywhere(%a: tensor<6x1001xf32>, %o: tensor<6x1001xf32>) -> tensor<6x1001xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<6x1001xf32>) outs(%p = %o : tensor<6x1001xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <{i = #fuse.thread_mapping<tile = 2>, j = #fuse.thread_mapping<tile = 256, vector = 4, lanes = 32, warps = 2>}>>} {
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<6x1001xf32>) outs(%p : tensor<6x1001xf32>) {
    ^bb0(%v: f32, %q: f32):
      %0 = arith.negf %v : f32
      linalg.yield %0 : f32
    } -> tensor<6x1001xf32>
    fuse.yield %y : tensor<6x1001xf32>
  } -> tensor<6x1001xf32>
  return %r : tensor<6x1001xf32>
}
