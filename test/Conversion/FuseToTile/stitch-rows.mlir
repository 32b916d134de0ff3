// Blocks share the columns' sums: they go through the columns of all their rows, or through the rows as well.
// RUN: fusion-opt %s --fuse-search-schedules=chip=sm_80 --fuse-lower-to-tile | FileCheck %s

// Each step stores its part as soon as it is known; the last block has a serial loop over the columns as well.
// CHECK-LABEL: tile.kernel @columns_stitch_0
// CHECK: scf.for
// CHECK: %[[PART:.*]] = tile.reduce addf {{.*}} along 0
// CHECK: tile.store %[[PART]]
// CHECK: scf.for
// CHECK: arith.subf
// CHECK: %[[LAST:.*]] = tile.last_block %{{.*}} of %{{.*}} {counters = 1 : i64}
// CHECK: scf.if %[[LAST]] {
// CHECK:   scf.for
// CHECK:     %[[ALL:.*]] = tile.reduce addf {{.*}} along 0
// CHECK:     tile.store %[[ALL]]
func.func @columns(%a: tensor<32x128xf32>, %o: tensor<32x128xf32>, %q: tensor<128xf32>) -> (tensor<32x128xf32>, tensor<128xf32>) {
  %r:2 = fuse.stitch ins(%x = %a : tensor<32x128xf32>) outs(%p = %o : tensor<32x128xf32>, %c = %q : tensor<128xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 4>, j = #fuse.thread_mapping<tile = 128, lanes = 32>}, serial_loop = <axis = "j", step = 32>>>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<32xf32>
    %s = linalg.fill ins(%zero : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<32x128xf32>) outs(%s : tensor<32xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<32xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t : tensor<32x128xf32>, tensor<32xf32>) outs(%p : tensor<32x128xf32>) {
    ^bb0(%v: f32, %m: f32, %old: f32):
      %0 = arith.subf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<32x128xf32>
    %f = linalg.fill ins(%zero : f32) outs(%c : tensor<128xf32>) -> tensor<128xf32>
    %g = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
        ins(%x : tensor<32x128xf32>) outs(%f : tensor<128xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<128xf32>
    fuse.yield %y, %g : tensor<32x128xf32>, tensor<128xf32>
  } -> (tensor<32x128xf32>, tensor<128xf32>)
  return %r#0, %r#1 : tensor<32x128xf32>, tensor<128xf32>
}

// Sums are carried through the rows, of the first two steps in registers and of the others in shared memory. Each 4 of the 8
// blocks reduce their partial results, then one block reduces the two results.
// CHECK-LABEL: tile.kernel @rows_stitch_0
// CHECK: scf.for
// CHECK:   tile.private_store
// CHECK: %[[SUMS:.*]]:2 = scf.for {{.*}} iter_args(%[[FIRST:.*]] = %{{.*}}, %[[SECOND:.*]] = %{{.*}})
// CHECK:   arith.addf %[[FIRST]],
// CHECK:   arith.addf %[[SECOND]],
// CHECK:   scf.for
// CHECK:     %[[BEFORE:.*]] = tile.private_load
// CHECK:     %[[SUM:.*]] = arith.addf %[[BEFORE]],
// CHECK:     tile.private_store %[[SUM]]
// CHECK:   arith.subf
// CHECK:   scf.yield
// CHECK: tile.reduce addf %[[SUMS]]#0 along 0
// CHECK: tile.reduce addf %[[SUMS]]#1 along 0
// CHECK: %[[SOME:.*]] = tile.last_block %{{.*}} of %{{.*}} {counters = 3 : i64}
// CHECK: scf.if %[[SOME]] {
// CHECK:   %[[ALL:.*]] = tile.last_block %{{.*}} of %{{.*}} {counters = 3 : i64}
// CHECK:   scf.if %[[ALL]] {
func.func @rows(%a: tensor<32x128xf32>, %o: tensor<32x128xf32>, %q: tensor<128xf32>) -> (tensor<32x128xf32>, tensor<128xf32>) {
  %r:2 = fuse.stitch ins(%x = %a : tensor<32x128xf32>) outs(%p = %o : tensor<32x128xf32>, %c = %q : tensor<128xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <fan_in = 4, split_step = 2, {i = #fuse.thread_mapping<tile = 4>, j = #fuse.thread_mapping<tile = 128, lanes = 32>}, serial_loop = <axis = "j", step = 32, register_steps = 2, shared_steps = 2>>>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<32xf32>
    %s = linalg.fill ins(%zero : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<32x128xf32>) outs(%s : tensor<32xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<32xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t : tensor<32x128xf32>, tensor<32xf32>) outs(%p : tensor<32x128xf32>) {
    ^bb0(%v: f32, %m: f32, %old: f32):
      %0 = arith.subf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<32x128xf32>
    %f = linalg.fill ins(%zero : f32) outs(%c : tensor<128xf32>) -> tensor<128xf32>
    %g = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
        ins(%x : tensor<32x128xf32>) outs(%f : tensor<128xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<128xf32>
    fuse.yield %y, %g : tensor<32x128xf32>, tensor<128xf32>
  } -> (tensor<32x128xf32>, tensor<128xf32>)
  return %r#0, %r#1 : tensor<32x128xf32>, tensor<128xf32>
}
