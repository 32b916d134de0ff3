// Reductions along the axis of the serial loop that run in the pass of the reductions they depend on.
// RUN: fusion-opt %s --fuse-search-schedules=chip=sm_80 --fuse-lower-to-tile | FileCheck %s

// Softmax: the running sum is multiplied by exp(before - after) in every step, each place by its own; behind the loop it goes from
// a place's maximum to that of the row, by at most the largest number, and from the guarded to the true one.
// CHECK-LABEL: tile.kernel @softmax_stitch_0
// CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[TOP:.*]] = %{{.*}}, %[[SUM:.*]] = %{{.*}})
// CHECK: %[[X:.*]] = tile.load
// CHECK: %[[NEW:.*]] = arith.maximumf %[[TOP]], %[[X]]
// CHECK: %[[BEFORE:.*]] = arith.select %{{.*}}, %{{.*}}, %[[TOP]]
// CHECK: %[[AFTER:.*]] = arith.select %{{.*}}, %{{.*}}, %[[NEW]]
// CHECK: arith.subf %[[X]], %[[AFTER]]
// CHECK: %[[TERM:.*]] = math.exp
// CHECK: arith.subf %[[BEFORE]], %[[AFTER]]
// CHECK: %[[F:.*]] = math.exp
// CHECK: %[[LIMITED:.*]] = arith.minimumf %[[F]]
// CHECK: %[[SCALED:.*]] = arith.mulf %[[SUM]], %[[LIMITED]]
// CHECK: %[[SUMMED:.*]] = arith.addf %[[SCALED]], %[[TERM]]
// CHECK: scf.yield %[[NEW]], %[[SUMMED]]
// CHECK: tile.reduce maximumf
// CHECK: math.exp
// CHECK: arith.minimumf
// CHECK: tile.reduce addf
// CHECK: math.exp
// CHECK-NOT: arith.minimumf
// CHECK: arith.mulf
// A second pass, and no third one.
// CHECK: scf.for
// CHECK: tile.load
// CHECK: arith.divf
// CHECK: tile.store
// CHECK-NOT: scf.for
// CHECK: tile.load
// CHECK: tile.store
// CHECK-NOT: tile.load
// CHECK: tile.return
func.func @softmax(%a: tensor<8x100xf32>, %o: tensor<8x100xf32>) -> tensor<8x100xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<8x100xf32>) outs(%p = %o : tensor<8x100xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 128, lanes = 32>}, serial_loop = <axis = "j", step = 32, online = true>>>} {
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8xf32>
    %f = tensor.empty() : tensor<8x100xf32>
    %s0 = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %s1 = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %top = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x100xf32>) outs(%s0 : tensor<8xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.maximumf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    %exp = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %top : tensor<8x100xf32>, tensor<8xf32>) outs(%f : tensor<8x100xf32>) {
    ^bb0(%v: f32, %m: f32, %q: f32):
      %0 = arith.subf %v, %m : f32
      %1 = math.exp %0 : f32
      linalg.yield %1 : f32
    } -> tensor<8x100xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%exp : tensor<8x100xf32>) outs(%s1 : tensor<8xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%exp, %sum : tensor<8x100xf32>, tensor<8xf32>) outs(%p : tensor<8x100xf32>) {
    ^bb0(%v: f32, %m: f32, %q: f32):
      %0 = arith.divf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8x100xf32>
    fuse.yield %y : tensor<8x100xf32>
  } -> tensor<8x100xf32>
  return %r : tensor<8x100xf32>
}
