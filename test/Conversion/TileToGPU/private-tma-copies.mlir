// TMA copies that fill the private places of all threads, and the loads of these threads.
// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-allocate-shared))' | fusion-opt --convert-tile-to-gpu --canonicalize --cse | FileCheck %s

// Two warps have a row each, 32 lanes four elements of it side by side, and two such words: the box has 128 elements of the row, then both
// rows, then the row's other half.
#own = #tile.layout<"register: 4*[0,1] 2*[0,128]; lane: 32*[0,4]; warp: 2*[1,0] -> [2, 256]">
!aside = !tile.buffer<3, 64, 8, f32, <"offset: 8*[0,1] 64*[1,0] -> [64, 8]">>
!view = !tile.view<2 x f32, unit = 1, alignment = 16>
// CHECK-LABEL: gpu.func @own
// CHECK-SAME: fuse.shared_memory = 6192
// CHECK-SAME: fuse.tensor_maps = [#tile.tensor_map<of = 0, f32, dims = [128, 8, 2], strides = [1024, 512], box = [128, 2, 2], swizzle = 0>]
// CHECK: %[[ROW:.*]] = arith.index_cast {{.*}} : index to i32
// CHECK: mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], 2048;
// CHECK-SAME: cp.async.bulk.tensor.3d
// CHECK-SAME: [$2, {$3, $4, $5}]
// CHECK-SAME: %c0_i32, %[[ROW]], %c0_i32 :
// CHECK: mbarrier.try_wait.parity
// CHECK: %[[WORD:.*]] = vector.load {{.*}} {alignment = 16 : i64} : {{.*}}, vector<4xf32>
// CHECK: llvm.freeze %[[WORD]]
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : {{.*}}, vector<4xf32>
tile.kernel @own(%p: !tile.ptr<f32> {tile.access = #tile.access<read>}, %q: !tile.ptr<f32> {tile.access = #tile.access<write>}) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c256 = arith.constant 256 : index
  %block = tile.program_id
  %first = arith.muli %block, %c2 : index
  %v = tile.view %p[%c0] sizes[%c8, %c256] strides[%c256, %c1] : <f32> -> !view
  %w = tile.view %q[%c0] sizes[%c8, %c256] strides[%c256, %c1] : <f32> -> !view
  %b = tile.alloc : !aside
  tile.copy_async %v[%first, %c0], %b[%c2] by tma {thread_private = tensor<2x256xf32, #own>, in_bounds = array<i1: true, true>} : !view, !aside
  tile.await %b[%c2] : !aside
  %x = tile.private_load %b[%c2] : !aside -> tensor<2x256xf32, #own>
  tile.store %x, %w[%first, %c0] {in_bounds = array<i1: true, true>} : tensor<2x256xf32, #own>, !view
  tile.return
}
