// Persistent blocks, and copies that prefetch the steps of a loop.
// RUN: fusion-opt %s --fuse-search-schedules=chip=sm_80 --fuse-lower-to-tile | FileCheck %s
// RUN: fusion-opt %s --fuse-search-schedules=chip=sm_80 --tile-pipeline --canonicalize | FileCheck %s --check-prefix=AHEAD

#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// A block has four steps of two rows, the last one three: what is the same in all of them is loaded first, and the rows are copied ahead.
// CHECK-LABEL: tile.kernel @persistent
// CHECK: %[[BLOCK:.*]] = tile.program_id
// CHECK: %[[ORIGIN:.*]] = arith.muli %[[BLOCK]], %c8
// CHECK: %[[GAIN:.*]] = tile.load {{.*}} -> tensor<128xf32
// CHECK: %[[PLACE:.*]] = tile.alloc {pipeline_stages = 3 : i64} : <1, 32, 8, f32,
// CHECK: %[[DONE:.*]] = arith.divui %[[ORIGIN]], %c2
// CHECK: %[[LEFT:.*]] = arith.subi %c31, %[[DONE]]
// CHECK: %[[STEPS:.*]] = arith.minui %c4, %[[LEFT]]
// CHECK: scf.for %[[K:.*]] = %c0 to %[[STEPS]] step %c1 {
// CHECK-NOT: tile.load
// CHECK: tile.copy_async %{{.*}}, %[[PLACE]][%c0] by async16 {in_bounds = array<i1: true, true>, thread_private = tensor<2x128xf32,
// CHECK-NEXT: tile.commit
// CHECK-NEXT: tile.wait 0
// CHECK-NEXT: %[[X:.*]] = tile.private_load %[[PLACE]][%c0]
// CHECK: tile.reduce addf %[[X]] along 1
// CHECK: tile.broadcast %[[GAIN]] along [0]
// CHECK: tile.store
// CHECK: tile.return

// Two copies are in flight when the loop begins; no barrier stands in it.
// AHEAD-LABEL: tile.kernel @persistent
// AHEAD: tile.alloc {{.*}} : <3, 32, 8, f32,
// AHEAD-COUNT-2: tile.producer_commit
// AHEAD: scf.for
// AHEAD-NEXT: arith.index_cast
// AHEAD-NEXT: arith.index_cast
// AHEAD-NEXT: tile.consumer_wait 1
// AHEAD: tile.copy_async {{.*}} if {{.*}} slot = 2 {{.*}} thread_private = 
// AHEAD-NEXT: tile.producer_commit
// AHEAD-NOT: tile.barrier
// AHEAD: tile.private_load
// AHEAD-NOT: tile.barrier
// AHEAD: tile.return
func.func @persistent(%a: tensor<62x128xf32>, %g: tensor<128xf32>, %o: tensor<62x128xf32>) -> tensor<62x128xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<62x128xf32>, %y = %g : tensor<128xf32>) outs(%p = %o : tensor<62x128xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 8>, j = #fuse.thread_mapping<tile = 128, vector = 4, lanes = 32>}, serial_loop = <axis = "i", step = 2, stages = 3>>>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<62xf32>
    %s = linalg.fill ins(%zero : f32) outs(%e : tensor<62xf32>) -> tensor<62xf32>
    %t = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<62x128xf32>) outs(%s : tensor<62xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<62xf32>
    %u = linalg.generic {indexing_maps = [#full, #row, #column, #full], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t, %y : tensor<62x128xf32>, tensor<62xf32>, tensor<128xf32>) outs(%p : tensor<62x128xf32>) {
    ^bb0(%v: f32, %m: f32, %n: f32, %old: f32):
      %0 = arith.subf %v, %m : f32
      %1 = arith.mulf %0, %n : f32
      linalg.yield %1 : f32
    } -> tensor<62x128xf32>
    fuse.yield %u : tensor<62x128xf32>
  } -> tensor<62x128xf32>
  return %r : tensor<62x128xf32>
}

// What the second pass takes back is copied to where it is kept, which the fill says.
// CHECK-LABEL: tile.kernel @kept
// CHECK: %[[PLACES:.*]] = tile.alloc {pipeline_stages = 3 : i64} : <4, 32, 4, f32,
// CHECK: scf.for %[[K:.*]] = %c0 to %c4 step %c1
// CHECK: %[[SLOT:.*]] = arith.subi %[[K]], %c0
// CHECK: tile.copy_async %{{.*}}, %[[PLACES]][%[[SLOT]]] by{{ +}}async16 {{.*}} thread_private = tensor<1x128xf32,
// CHECK: tile.private_load %[[PLACES]][%[[SLOT]]]
// CHECK-NOT: tile.private_store
// CHECK: tile.reduce addf
// CHECK: scf.for
// CHECK: tile.private_load %[[PLACES]]
// CHECK: tile.return

// There are as many places as before, and the loop has no counters.
// AHEAD-LABEL: tile.kernel @kept
// AHEAD: %[[PLACES:.*]] = tile.alloc {{.*}} : <4, 32, 4, f32,
// AHEAD-COUNT-2: tile.producer_commit
// AHEAD: scf.for %[[K:.*]] = %c0 to %c4 step %c1 iter_args({{[^,]*}}) -> (tensor<1x128xf32
// AHEAD-NEXT: tile.consumer_wait 1
// AHEAD: %[[NEXT:.*]] = arith.addi %[[K]], %c2
// AHEAD: tile.copy_async %{{.*}}, %[[PLACES]][%[[NEXT]]] by{{ +}}async16 if
// AHEAD: tile.private_load %[[PLACES]][%[[K]]]
func.func @kept(%a: tensor<62x512xf32>, %g: tensor<512xf32>, %o: tensor<62x512xf32>) -> tensor<62x512xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<62x512xf32>, %y = %g : tensor<512xf32>) outs(%p = %o : tensor<62x512xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 512, vector = 4, lanes = 32>}, serial_loop = <axis = "j", step = 128, shared_steps = 4, stages = 3>>>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<62xf32>
    %s = linalg.fill ins(%zero : f32) outs(%e : tensor<62xf32>) -> tensor<62xf32>
    %t = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<62x512xf32>) outs(%s : tensor<62xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<62xf32>
    %u = linalg.generic {indexing_maps = [#full, #row, #column, #full], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t, %y : tensor<62x512xf32>, tensor<62xf32>, tensor<512xf32>) outs(%p : tensor<62x512xf32>) {
    ^bb0(%v: f32, %m: f32, %n: f32, %old: f32):
      %0 = arith.subf %v, %m : f32
      %1 = arith.mulf %0, %n : f32
      linalg.yield %1 : f32
    } -> tensor<62x512xf32>
    fuse.yield %u : tensor<62x512xf32>
  } -> tensor<62x512xf32>
  return %r : tensor<62x512xf32>
}
