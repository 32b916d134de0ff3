// Tiles that one thread stores by TMA: fragments of 16 bits are staged as matrices, those of 32 bits in pairs.
// The boxes are one group, which the thread waits for.
// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-allocate-shared,tile-insert-barriers,tile-insert-proxy-fences))' | fusion-opt --convert-tile-to-gpu --canonicalize --cse | FileCheck %s

#c = #tile.layout<"register: 2*[0,1] 2*[8,0] 8*[0,8]; lane: 4*[0,2] 8*[1,0]; warp: 4*[16,0] -> [64, 64]">
#panels = #tile.layout<"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] -> [64, 64]">
#wide = #tile.layout<"offset: 4*[0,1] x[0,4] x[0,8] x[0,16] x[1,4] x[2,8] x[4,16] 8*[8,0] 2*[0,32] -> [64, 64]">
!half = !tile.buffer<1, 64, 64, f16, #panels>
!single = !tile.buffer<1, 64, 64, f32, #wide>

// CHECK-LABEL: gpu.func @matrices
// CHECK-SAME: %[[MAP:[^ ]*]]: !llvm.ptr)
// CHECK-SAME: fuse.tensor_maps = [#tile.tensor_map<of = 0, f16, dims = [72, 100], strides = [144], box = [64, 64], swizzle = 128>]
// CHECK: %[[STORES:.*]] = arith.andi
// CHECK-COUNT-4: nvvm.stmatrix %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>
// CHECK-NOT: stmatrix
// CHECK: fence.proxy
// CHECK: gpu.barrier
// CHECK: scf.if %[[STORES]]
// CHECK: llvm.inline_asm has_side_effects
// CHECK-SAME: "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [$1, {$2, $3}], [$0 + 0];
// CHECK-SAME: cp.async.bulk.commit_group;", "r,l,r,r,~{memory}" %{{.*}}, %[[MAP]]
// CHECK: llvm.inline_asm has_side_effects
// CHECK-SAME: "@$0 cp.async.bulk.wait_group.read 0;", "b,~{memory}" %[[STORES]]
tile.kernel @matrices(%p: !tile.ptr<f16> {tile.access = #tile.access<write>}, %n: index, %i: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %x = arith.constant dense<1.0> : tensor<64x64xf16, #c>
  %v = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 100, 72>, map = affine_map<(d0, d1) -> (d0, d1)>} : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  %a = tile.alloc : !half
  tile.local_store %x, %a[%c0] : tensor<64x64xf16, #c>, !half
  tile.store_async %a[%c0], %v[%i, %c0] : !half, !tile.view<2 x f16, unit = 1, alignment = 16>
  tile.store_wait
  tile.return
}

// Across: the columns of the tile are rows of the buffer.
// CHECK-LABEL: gpu.func @across
// CHECK-COUNT-4: nvvm.stmatrix %{{.*}} layout = #nvvm.mma_layout<col>
// CHECK-NOT: stmatrix
tile.kernel @across(%p: !tile.ptr<f16> {tile.access = #tile.access<write>}, %n: index, %i: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %x = arith.constant dense<1.0> : tensor<64x64xf16, #c>
  %v = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 100, 72>, map = affine_map<(d0, d1) -> (d0, d1)>} : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  %a = tile.alloc : !half
  tile.local_store %x, %a[%c0] transposed : tensor<64x64xf16, #c>, !half
  tile.store_async %a[%c0], %v[%i, %c0] : !half, !tile.view<2 x f16, unit = 1, alignment = 16>
  tile.store_wait
  tile.return
}

// Two panels of 32-bit elements are two boxes of one group.
// CHECK-LABEL: gpu.func @words
// CHECK-SAME: box = [32, 64], swizzle = 128
// CHECK-NOT: stmatrix
// CHECK: vector.store {{.*}} vector<2xf32>
// CHECK: "cp.async.bulk.tensor.2d{{.*}} [$1, {$2, $4}], [$0 + 0];
// CHECK-SAME: cp.async.bulk.tensor.2d{{.*}} [$1, {$3, $4}], [$0 + 8192];
// CHECK-SAME: cp.async.bulk.commit_group;"
tile.kernel @words(%p: !tile.ptr<f32> {tile.access = #tile.access<write>}, %n: index, %i: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %x = arith.constant dense<1.0> : tensor<64x64xf32, #c>
  %v = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 100, 72>, map = affine_map<(d0, d1) -> (d0, d1)>} : !tile.ptr<f32> -> !tile.view<2 x f32, unit = 1, alignment = 16>
  %a = tile.alloc : !single
  tile.local_store %x, %a[%c0] : tensor<64x64xf32, #c>, !single
  tile.store_async %a[%c0], %v[%i, %c0] : !single, !tile.view<2 x f32, unit = 1, alignment = 16>
  tile.store_wait
  tile.return
}
