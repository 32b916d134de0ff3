// TMA copies that prefetch, which one thread starts for all.
// RUN: fusion-opt %s --fuse-search-schedules=chip=sm_90a --fuse-lower-to-tile | FileCheck %s
// RUN: fusion-opt %s --fuse-search-schedules=chip=sm_90a --tile-pipeline --canonicalize | FileCheck %s --check-prefix=AHEAD
// RUN: fusion-opt %s --fuse-search-schedules=chip=sm_90a --tile-pipeline --convert-tile-to-gpu | FileCheck %s --check-prefix=MAPS

#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// CHECK-LABEL: tile.kernel @persistent
// CHECK: %[[PLACE:.*]] = tile.alloc {pipeline_stages = 3 : i64} : <1, 64, 4, f32,
// CHECK: scf.for
// CHECK: tile.copy_async %{{.*}}, %[[PLACE]][%c0] by{{ +}}tma {in_bounds = array<i1: true, true>, thread_private = tensor<2x128xf32,
// CHECK-NEXT: tile.await %[[PLACE]][%c0]
// CHECK-NEXT: tile.private_load %[[PLACE]][%c0]
// CHECK-NOT: tile.commit

// Each stage is released when all warps have read it, and no barrier stands in the loop.
// AHEAD-LABEL: tile.kernel @persistent
// AHEAD: %[[PLACE:.*]] = tile.alloc {barriers = 3072 : i64, offset = 0 : i64, released = 3096 : i64} : <3, 64, 4, f32,
// AHEAD-COUNT-2: tile.copy_async {{.*}} by tma
// AHEAD: scf.for
// AHEAD-NOT: tile.barrier
// AHEAD: tile.acquire %[[PLACE]][%[[FILL:.*]]] if %[[MORE:.*]] :
// AHEAD: tile.copy_async %{{.*}}, %[[PLACE]][%[[FILL]]] by{{ +}}tma if %[[MORE]] {{.*}} slot = 2
// AHEAD: tile.await %[[PLACE]][%[[READ:.*]]] {slot = 0
// AHEAD: tile.private_load %[[PLACE]][%[[READ]]] {slot = 0
// AHEAD-NEXT: tile.release %[[PLACE]][%[[READ]]]
// AHEAD-NOT: tile.barrier
// AHEAD: tile.return

// MAPS-LABEL: gpu.func @persistent
// MAPS-SAME: fuse.tensor_maps = [#tile.tensor_map<of = 0, f32, dims = [128, 64], strides = [512], box = [128, 2], swizzle = 0>]
func.func @persistent(%a: tensor<64x128xf32>, %g: tensor<128xf32>, %o: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<64x128xf32>, %y = %g : tensor<128xf32>) outs(%p = %o : tensor<64x128xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <{i = #fuse.thread_mapping<tile = 8, warps = 2>, j = #fuse.thread_mapping<tile = 128, vector = 4, lanes = 32>}, serial_loop = <axis = "i", step = 2, stages = 3, tma = true>>>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64xf32>
    %s = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    %t = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<64x128xf32>) outs(%s : tensor<64xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<64xf32>
    %u = linalg.generic {indexing_maps = [#full, #row, #column, #full], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t, %y : tensor<64x128xf32>, tensor<64xf32>, tensor<128xf32>) outs(%p : tensor<64x128xf32>) {
    ^bb0(%v: f32, %m: f32, %n: f32, %old: f32):
      %0 = arith.subf %v, %m : f32
      %1 = arith.mulf %0, %n : f32
      linalg.yield %1 : f32
    } -> tensor<64x128xf32>
    fuse.yield %u : tensor<64x128xf32>
  } -> tensor<64x128xf32>
  return %r : tensor<64x128xf32>
}

// Retained tiles are awaited in the first pass, and present in the second one; their stages are filled once and never released.
// CHECK-LABEL: tile.kernel @kept
// CHECK: %[[PLACES:.*]] = tile.alloc {pipeline_stages = 3 : i64} : <4, 64, 2, f32,
// CHECK: tile.copy_async %{{.*}}, %[[PLACES]][%[[SLOT:.*]]] by{{ +}}tma
// CHECK-NEXT: tile.await %[[PLACES]][%[[SLOT]]]
// CHECK-NEXT: tile.private_load %[[PLACES]][%[[SLOT]]]

// AHEAD-LABEL: tile.kernel @kept
// AHEAD: %[[PLACES:.*]] = tile.alloc {barriers = 2176 : i64, offset = 0 : i64} : <4, 64, 2, f32,
// AHEAD: scf.for %[[K:.*]] = %c0 to %c4
// AHEAD-NOT: tile.acquire
// AHEAD-NOT: tile.barrier
// AHEAD: tile.await %[[PLACES]][%[[K]]] {slot = 0
// AHEAD: tile.private_load %[[PLACES]][%[[K]]] {slot = 0
// AHEAD-NOT: tile.release
// AHEAD: scf.for
// AHEAD-NOT: tile.await
// AHEAD: tile.private_load %[[PLACES]]
// AHEAD: tile.return

// MAPS-LABEL: gpu.func @kept
// MAPS-SAME: fuse.tensor_maps = [#tile.tensor_map<of = 0, f32, dims = [512, 62], strides = [2048], box = [128, 1], swizzle = 0>]
func.func @kept(%a: tensor<62x512xf32>, %g: tensor<512xf32>, %o: tensor<62x512xf32>) -> tensor<62x512xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<62x512xf32>, %y = %g : tensor<512xf32>) outs(%p = %o : tensor<62x512xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 512, vector = 2, lanes = 32, warps = 2>}, serial_loop = <axis = "j", step = 128, shared_steps = 4, stages = 3, tma = true>>>} {
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

// A warp that does nothing else.
// CHECK-LABEL: tile.kernel @by_producer
// CHECK-SAME: producers = 1

// AHEAD-LABEL: tile.kernel @by_producer
// AHEAD: tile.warp_specialize producer {
// AHEAD-NOT: tile.private_load
// AHEAD: scf.for
// AHEAD: tile.acquire
// AHEAD: tile.copy_async {{.*}} by{{ +}}tma
// AHEAD: } consumer {
// AHEAD-NOT: tile.copy_async
// AHEAD: tile.await
// AHEAD: tile.private_load
// AHEAD-NEXT: tile.release
// AHEAD: tile.store
func.func @by_producer(%a: tensor<64x128xf32>, %g: tensor<128xf32>, %o: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<64x128xf32>, %y = %g : tensor<128xf32>) outs(%p = %o : tensor<64x128xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, parallel = <{}, producers = 1>, stitching = <{i = #fuse.thread_mapping<tile = 8, warps = 2>, j = #fuse.thread_mapping<tile = 128, vector = 4, lanes = 32>}, serial_loop = <axis = "i", step = 2, stages = 3, tma = true>>>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64xf32>
    %s = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    %t = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<64x128xf32>) outs(%s : tensor<64xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<64xf32>
    %u = linalg.generic {indexing_maps = [#full, #row, #column, #full], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t, %y : tensor<64x128xf32>, tensor<64xf32>, tensor<128xf32>) outs(%p : tensor<64x128xf32>) {
    ^bb0(%v: f32, %m: f32, %n: f32, %old: f32):
      %0 = arith.subf %v, %m : f32
      %1 = arith.mulf %0, %n : f32
      linalg.yield %1 : f32
    } -> tensor<64x128xf32>
    fuse.yield %u : tensor<64x128xf32>
  } -> tensor<64x128xf32>
  return %r : tensor<64x128xf32>
}
