// Warp specialization: producers and consumers each keep the values that their operations depend on.
// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-release-stages,tile-allocate-shared,tile-insert-barriers,tile-specialize-warps))' | FileCheck %s

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
#rows = #tile.layout<"register: 2*[0,1] 2*[8,0]; lane: 4*[0,2] 8*[1,0]; warp: 2*[0,8] -> [16, 16]">
!one = !tile.buffer<1, 16, 16, f16, #shared>
!two = !tile.buffer<2, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
#plain = affine_map<(d0, d1) -> (d0, d1)>

// The producer's loop carries the stage that it fills, the consumers' loop the stage that they read, and their accumulators. No
// barrier stands in the loop.
// CHECK-LABEL: tile.kernel @sums
// CHECK-SAME: producers = 4 : i64
// CHECK: %[[X:.*]] = tile.alloc
// CHECK-NEXT: tile.warp_specialize producer {
// CHECK: %[[A:.*]] = tile.window
// CHECK-NOT: tile.await
// CHECK-NOT: tile.barrier
// CHECK: tile.acquire %[[X]]
// CHECK: tile.copy_async %[[A]]
// CHECK: scf.for {{.*}} iter_args(%[[FILL:.*]] = %{{.*}}) -> (index) {
// CHECK: tile.acquire %[[X]][%[[FILL]]]
// CHECK-NEXT: tile.copy_async %[[A]]{{.*}}, %[[X]][%[[FILL]]] by tma
// CHECK-NOT: tile.local_load
// CHECK: scf.yield %{{.*}} : index
// CHECK-NOT: tile.store
// CHECK: } consumer {
// CHECK-NOT: tile.window
// CHECK-NOT: tile.acquire
// CHECK-NOT: tile.copy_async
// CHECK: %[[SUMS:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[READ:.*]] = %{{.*}}) -> (tensor<16x16xf16, #{{.*}}>, index) {
// CHECK: tile.await %[[X]][%[[READ]]]
// CHECK-NOT: tile.barrier
// CHECK: tile.release %[[X]][%[[READ]]]
// CHECK: tile.store %[[SUMS]]#0
// CHECK: }
// CHECK-NEXT: tile.return
tile.kernel @sums(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %o: !tile.ptr<f16> {tile.access = #tile.access<write>}) attributes {warps = 2 : i64, producers = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf16, #rows>
  %a = tile.window %p[] sizes [%c16, %c64] {bounded = array<i64>, shape = array<i64: 16, 64>, map = #plain} : !tile.ptr<f16> -> !view
  %x = tile.alloc : !two
  tile.copy_async %a[%c0, %c0], %x[%c0] by tma {slot = 0 : i64} : !view, !two
  %r:3 = scf.for %k = %c0 to %c64 step %c16 iter_args(%sum = %zero, %read = %c0, %fill = %c1) -> (tensor<16x16xf16, #rows>, index, index) {
    %next = arith.addi %k, %c16 : index
    %more = arith.cmpi slt, %next, %c64 : index
    tile.producer_acquire
    tile.copy_async %a[%c0, %next], %x[%fill] by tma if %more {slot = 1 : i64} : !view, !two
    tile.await %x[%read] {slot = 0 : i64} : !two
    %t = tile.local_load %x[%read] at [0, 0] {slot = 0 : i64} : !two -> tensor<16x16xf16, #rows>
    tile.consumer_release
    %s = arith.addf %sum, %t : tensor<16x16xf16, #rows>
    %f = arith.subi %c1, %fill : index
    %g = arith.subi %c1, %read : index
    scf.yield %s, %g, %f : tensor<16x16xf16, #rows>, index, index
  }
  %out = tile.view %o[%c0] sizes [%c16, %c16] strides [%c16, %c1] : !tile.ptr<f16> -> !view
  tile.store %r#0, %out[%c0, %c0] : tensor<16x16xf16, #rows>, !view
  tile.return
}

// Tiles that are filled again and not released: the producer waits for all at a barrier, in front of the copies, and the
// loops around these are on both sides.
// CHECK-LABEL: tile.kernel @kept
// CHECK: tile.warp_specialize producer {
// CHECK: scf.for
// CHECK-NEXT: tile.barrier with_producers
// CHECK-NEXT: scf.for
// CHECK-NEXT: tile.copy_async
// CHECK-NOT: scf.for
// CHECK: } consumer {
// CHECK: scf.for
// CHECK-NEXT: tile.barrier with_producers
// CHECK-NEXT: scf.for
// CHECK-NEXT: tile.await
// CHECK: scf.for
// CHECK-NEXT: tile.local_load
// CHECK: tile.local_store
// CHECK: tile.return
tile.kernel @kept(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 2 : i64, producers = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = tile.window %p[] sizes [%c2, %c2] {bounded = array<i64>, shape = array<i64: 16, 64>, map = #plain} : !tile.ptr<f16> -> !view
  %x = tile.alloc : !two
  %y = tile.alloc : !one
  scf.for %m = %c0 to %c2 step %c1 {
    scf.for %k = %c0 to %c2 step %c1 {
      tile.copy_async %a[%m, %k], %x[%k] by tma : !view, !two
    }
    scf.for %k = %c0 to %c2 step %c1 {
      tile.await %x[%k] : !two
    }
    scf.for %k = %c0 to %c2 step %c1 {
      %t = tile.local_load %x[%k] at [0, 0] : !two -> tensor<16x16xf16, #rows>
      tile.local_store %t, %y[%c0] : tensor<16x16xf16, #rows>, !one
    }
  }
  tile.return
}

// Memory that others have written through, and a TMA copy fills later, though that is the first to its buffer: threads wait for
// each other where they meet, and for the producer in front of the copy.
// CHECK-LABEL: tile.kernel @in_the_same_place
// CHECK: tile.warp_specialize producer {
// CHECK: tile.barrier with_producers
// CHECK-NEXT: scf.for
// CHECK: tile.acquire
// CHECK: } consumer {
// CHECK: tile.local_store
// CHECK: tile.barrier
// CHECK-NEXT: tile.local_load
// CHECK: tile.barrier with_producers
// CHECK-NEXT: scf.for
// CHECK: tile.await
tile.kernel @in_the_same_place(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 2 : i64, producers = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf16, #rows>
  %a = tile.window %p[] sizes [%c2, %c2] {bounded = array<i64>, shape = array<i64: 16, 64>, map = #plain} : !tile.ptr<f16> -> !view
  %y = tile.alloc : !one
  tile.local_store %zero, %y[%c0] : tensor<16x16xf16, #rows>, !one
  %s = tile.local_load %y[%c0] at [0, 0] : !one -> tensor<16x16xf16, #rows>
  tile.free %y : !one
  %x = tile.alloc : !one
  scf.for %m = %c0 to %c2 step %c1 {
    tile.copy_async %a[%m, %m], %x[%c0] by tma : !view, !one
    tile.await %x[%c0] : !one
    %t = tile.local_load %x[%c0] at [0, 0] : !one -> tensor<16x16xf16, #rows>
  }
  tile.return
}

// Branches, too, and what they give.
// CHECK-LABEL: tile.kernel @branches
// CHECK: tile.warp_specialize producer {
// CHECK: %[[AT:.*]] = scf.if %{{.*}} -> (index) {
// CHECK: } else {
// CHECK: tile.copy_async %{{.*}}[%[[AT]], %{{.*}}]
// CHECK-NOT: tile.store
// CHECK: } consumer {
// CHECK-NOT: scf.if {{.*}} ->
// CHECK: scf.if
// CHECK: tile.store
tile.kernel @branches(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %o: !tile.ptr<f16> {tile.access = #tile.access<write>}, %c: i1) attributes {warps = 2 : i64, producers = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %a = tile.window %p[] sizes [%c16, %c16] {bounded = array<i64>, shape = array<i64: 16, 64>, map = #plain} : !tile.ptr<f16> -> !view
  %out = tile.view %o[%c0] sizes [%c16, %c16] strides [%c16, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc : !one
  scf.for %m = %c0 to %c16 step %c1 {
    %at:2 = scf.if %c -> (index, index) {
      scf.yield %c0, %c1 : index, index
    } else {
      scf.yield %m, %c1 : index, index
    }
    tile.copy_async %a[%at#0, %m], %x[%c0] by tma : !view, !one
    tile.await %x[%c0] : !one
    %t = tile.local_load %x[%c0] at [0, 0] : !one -> tensor<16x16xf16, #rows>
    scf.if %c {
      tile.store %t, %out[%c0, %c0] : tensor<16x16xf16, #rows>, !view
    }
  }
  tile.return
}

// Without producers nothing changes.
// CHECK-LABEL: tile.kernel @without
// CHECK-NOT: tile.warp_specialize
// CHECK: tile.return
tile.kernel @without() attributes {warps = 2 : i64} {
  tile.return
}
