// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-insert-barriers,tile-insert-proxy-fences))' | FileCheck %s

#rows = #tile.layout<"register: 2*[0,1] 8*[0,8]; lane: 4*[0,2] 8*[1,0]; warp: 4*[8,0] -> [32, 64]">
!buffer = !tile.buffer<1, 32, 64, f16, <"offset: 64*[0,1] 32*[1,0] -> [32, 64]">>
!stages = !tile.buffer<2, 32, 64, f16, <"offset: 64*[0,1] 32*[1,0] -> [32, 64]">>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>

// A copy writes where it is waited for.
// CHECK-LABEL: tile.kernel @copied
// CHECK: tile.wait 0
// CHECK-NEXT: tile.proxy_fence
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.shared_dot
tile.kernel @copied(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 4 : i64} {
  %x = arith.constant dense<1.0> : tensor<64x32xf16>
  %s = arith.constant dense<0.0> : tensor<64x64xf32>
  %v = tile.view %p[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f16> -> !view
  %b = tile.alloc {offset = 0 : i64} : !buffer
  tile.copy_async %v[%n, %n], %b[%n] by async16 : !view, !buffer
  tile.commit
  tile.wait 0
  %d = tile.shared_dot %x, %b[%n], %s "wgmma.m64k16" warps [4, 1] : [tensor<64x32xf16>] !buffer -> tensor<64x64xf32>
  tile.return
}

// So does a store; the second contraction needs no further fence, nor does one that reads another buffer, which no thread wrote
// meanwhile.
// CHECK-LABEL: tile.kernel @stored
// CHECK: tile.local_store
// CHECK-NEXT: tile.local_store
// CHECK-NEXT: tile.proxy_fence
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.shared_dot
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.shared_dot
// CHECK-NEXT: tile.return
tile.kernel @stored(%n: index, %e: f16) attributes {warps = 4 : i64} {
  %x = arith.constant dense<1.0> : tensor<64x32xf16>
  %s = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.alloc {offset = 0 : i64} : !buffer
  %b = tile.alloc {offset = 4096 : i64} : !buffer
  %t = tile.splat %e : f16 -> tensor<32x64xf16, #rows>
  tile.local_store %t, %a[%n] : tensor<32x64xf16, #rows>, !buffer
  tile.local_store %t, %b[%n] : tensor<32x64xf16, #rows>, !buffer
  %d = tile.shared_dot %x, %a[%n], %s "wgmma.m64k16" warps [4, 1] : [tensor<64x32xf16>] !buffer -> tensor<64x64xf32>
  tile.barrier
  %f = tile.shared_dot %x, %b[%n], %d "wgmma.m64k16" warps [4, 1] : [tensor<64x32xf16>] !buffer -> tensor<64x64xf32>
  tile.return
}

// What threads load themselves needs none, in whichever kernel.
// CHECK-LABEL: tile.kernel @loaded
// CHECK-NOT: tile.proxy_fence
// CHECK: tile.return
tile.kernel @loaded(%n: index, %e: f16) attributes {warps = 4 : i64} {
  %b = tile.alloc {offset = 0 : i64} : !buffer
  %t = tile.splat %e : f16 -> tensor<32x64xf16, #rows>
  tile.local_store %t, %b[%n] : tensor<32x64xf16, #rows>, !buffer
  %y = tile.local_load %b[%n] at [0, 0] : !buffer -> tensor<32x64xf16, #rows>
  tile.return
}

// In a loop the copies of the iteration before have arrived: a fence in each. Not behind the loop.
// CHECK-LABEL: tile.kernel @in_a_loop
// CHECK: scf.for
// CHECK: tile.consumer_wait 0
// CHECK-NEXT: tile.proxy_fence
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.producer_acquire
// CHECK: tile.shared_dot
// CHECK: }
// CHECK-NOT: tile.proxy_fence
// CHECK: tile.return
tile.kernel @in_a_loop(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 4 : i64} {
  %x = arith.constant dense<1.0> : tensor<64x32xf16>
  %s = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %v = tile.view %p[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f16> -> !view
  %b = tile.alloc {offset = 0 : i64} : !stages
  tile.copy_async %v[%n, %n], %b[%c0] by async16 {slot = 0 : i64} : !view, !stages
  tile.producer_commit
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%sum = %s) -> tensor<64x64xf32> {
    %stage = arith.remui %i, %c8 : index
    tile.consumer_wait 0
    tile.producer_acquire
    tile.copy_async %v[%i, %n], %b[%stage] by async16 {slot = 1 : i64} : !view, !stages
    tile.producer_commit
    %d = tile.shared_dot %x, %b[%stage], %sum "wgmma.m64k16" warps [4, 1] {rhs_slot = 0 : i64} : [tensor<64x32xf16>] !stages -> tensor<64x64xf32>
    tile.consumer_release
    scf.yield %d : tensor<64x64xf32>
  }
  tile.barrier
  tile.return
}
