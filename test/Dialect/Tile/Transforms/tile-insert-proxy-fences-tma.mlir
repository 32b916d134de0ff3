// Where mbarriers lie, and the order around TMA copies.
// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-allocate-shared,tile-insert-barriers,tile-insert-proxy-fences))' | FileCheck %s

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
#rows = #tile.layout<"register: 2*[0,1] 2*[8,0]; lane: 4*[0,2] 8*[1,0]; warp: 2*[0,8] -> [16, 16]">
!one = !tile.buffer<1, 16, 16, f16, #shared>
!two = !tile.buffer<2, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
#plain = affine_map<(d0, d1) -> (d0, d1)>

// Buffers are aligned to 1024 bytes, mbarriers come after all of them, 8 bytes for each stage. Data that was awaited needs
// no barrier; a stage that is filled again does.
// CHECK-LABEL: tile.kernel @pipelined
// CHECK-SAME: shared_memory = 2096 : i64
// CHECK: %[[X:.*]] = tile.alloc {barriers = 2048 : i64, offset = 0 : i64} : <2
// CHECK: %[[Y:.*]] = tile.alloc {barriers = 2064 : i64, offset = 1024 : i64} : <1
// CHECK: tile.copy_async
// CHECK-NEXT: tile.copy_async
// CHECK-NEXT: tile.await %[[Y]]
// CHECK-NEXT: scf.for
// CHECK: tile.barrier
// CHECK-NEXT: tile.producer_acquire
// CHECK-NEXT: tile.copy_async
// CHECK-NEXT: tile.await %[[X]]
// CHECK-NEXT: tile.local_load %[[X]]
// CHECK-NEXT: tile.local_load %[[Y]]
// CHECK-NOT: tile.barrier
// CHECK-NOT: tile.proxy_fence
// CHECK: tile.return
tile.kernel @pipelined(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %a = tile.window %p[] sizes [%c8, %c8] {bounded = array<i64>, shape = array<i64: 16, 64>, map = #plain} : !tile.ptr<f16> -> !view
  %x = tile.alloc : !two
  %y = tile.alloc : !one
  tile.copy_async %a[%c0, %c0], %y[%c0] by tma : !view, !one
  tile.copy_async %a[%c0, %c0], %x[%c0] by tma {slot = 0 : i64} : !view, !two
  tile.await %y[%c0] : !one
  scf.for %k = %c0 to %c8 step %c1 {
    %read = arith.remui %k, %c2 : index
    %fill = arith.subi %c1, %read : index
    tile.producer_acquire
    tile.copy_async %a[%c0, %k], %x[%fill] by tma {slot = 1 : i64} : !view, !two
    tile.await %x[%read] {slot = 0 : i64} : !two
    %t = tile.local_load %x[%read] at [0, 0] {slot = 0 : i64} : !two -> tensor<16x16xf16, #rows>
    %u = tile.local_load %y[%c0] at [0, 0] : !one -> tensor<16x16xf16, #rows>
    tile.consumer_release
  }
  tile.return
}

// A fence before the barrier orders stores of threads before a TMA copy to the same memory.
// CHECK-LABEL: tile.kernel @stored_before
// CHECK: tile.local_store
// CHECK-NOT: tile.proxy_fence
// CHECK: tile.free
// CHECK: tile.proxy_fence
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.copy_async
// CHECK-NEXT: tile.await
// CHECK-NEXT: tile.local_load
// CHECK-NEXT: tile.return
tile.kernel @stored_before(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %e: f16) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %a = tile.window %p[] sizes [%c8, %c8] {bounded = array<i64>, shape = array<i64: 16, 64>, map = #plain} : !tile.ptr<f16> -> !view
  %t = tile.splat %e : f16 -> tensor<16x16xf16, #rows>
  %x = tile.alloc : !one
  tile.local_store %t, %x[%c0] : tensor<16x16xf16, #rows>, !one
  %s = tile.local_load %x[%c0] at [0, 0] : !one -> tensor<16x16xf16, #rows>
  tile.free %x : !one
  %y = tile.alloc : !one
  tile.copy_async %a[%c0, %c0], %y[%c0] by tma : !view, !one
  tile.await %y[%c0] : !one
  %u = tile.local_load %y[%c0] at [0, 0] : !one -> tensor<16x16xf16, #rows>
  tile.return
}

// Loads need a barrier only, and a buffer elsewhere nothing.
// CHECK-LABEL: tile.kernel @loaded_before
// CHECK-NOT: tile.proxy_fence
// CHECK: tile.return
tile.kernel @loaded_before(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %e: f16) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %a = tile.window %p[] sizes [%c8, %c8] {bounded = array<i64>, shape = array<i64: 16, 64>, map = #plain} : !tile.ptr<f16> -> !view
  %t = tile.splat %e : f16 -> tensor<16x16xf16, #rows>
  %x = tile.alloc : !one
  %y = tile.alloc : !one
  tile.local_store %t, %y[%c0] : tensor<16x16xf16, #rows>, !one
  tile.copy_async %a[%c0, %c0], %x[%c0] by tma : !view, !one
  tile.await %x[%c0] : !one
  %s = tile.local_load %x[%c0] at [0, 0] : !one -> tensor<16x16xf16, #rows>
  tile.copy_async %a[%c0, %c8], %x[%c0] by tma : !view, !one
  tile.await %x[%c0] : !one
  %u = tile.local_load %x[%c0] at [0, 0] : !one -> tensor<16x16xf16, #rows>
  tile.return
}

// What blocks have given one another is passed on in front of the barrier that they meet at, by those who wrote it, and is read
// before a TMA copy fills its place.
#acc = #tile.layout<"register: 2*[0,1] 4*[8,0]; lane: 4*[0,2] 8*[1,0]; warp: 2*[0,0] -> [32, 8]">
#part = #tile.layout<"register: 2*[0,1]; lane: 4*[0,2] 8*[1,0]; warp: 2*[0,0] -> [8, 8]">
!share = !tile.buffer<4, 8, 8, f32, #tile.layout<"offset: 8*[0,1] 8*[1,0] -> [8, 8]">, cluster>
// CHECK-LABEL: tile.kernel @given_before
// CHECK: tile.cluster_scatter
// CHECK-NEXT: tile.proxy_fence
// CHECK-NEXT: tile.barrier cluster
// CHECK-NEXT: tile.local_load
// CHECK-NEXT: tile.free
// CHECK-NEXT: tile.alloc {barriers = 1024 : i64, offset = 0 : i64}
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.copy_async
// CHECK-NOT: tile.proxy_fence
// CHECK: tile.return
tile.kernel @given_before(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 2 : i64, cluster = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %a = tile.window %p[] sizes [%c8, %c8] {bounded = array<i64>, shape = array<i64: 16, 64>, map = #plain} : !tile.ptr<f16> -> !view
  %sums = arith.constant dense<1.0> : tensor<32x8xf32, #acc>
  %given = tile.alloc : !share
  tile.cluster_scatter %sums, %given : tensor<32x8xf32, #acc>, !share
  %t = tile.local_load %given[%c0] at [0, 0] : !share -> tensor<8x8xf32, #part>
  tile.free %given : !share
  %x = tile.alloc : !one
  tile.copy_async %a[%c0, %c0], %x[%c0] by tma : !view, !one
  tile.await %x[%c0] : !one
  %u = tile.local_load %x[%c0] at [0, 0] : !one -> tensor<16x16xf16, #rows>
  tile.return
}

// Stores of threads to memory that no later TMA copy writes have no fence.
// CHECK-LABEL: tile.kernel @stored_behind
// CHECK: tile.local_store
// CHECK-NOT: tile.proxy_fence
// CHECK: tile.return
tile.kernel @stored_behind(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %a = tile.window %p[] sizes [%c8, %c8] {bounded = array<i64>, shape = array<i64: 16, 64>, map = #plain} : !tile.ptr<f16> -> !view
  %x = tile.alloc : !one
  tile.copy_async %a[%c0, %c0], %x[%c0] by tma : !view, !one
  tile.await %x[%c0] : !one
  %t = tile.local_load %x[%c0] at [0, 0] : !one -> tensor<16x16xf16, #rows>
  tile.free %x : !one
  %y = tile.alloc : !one
  tile.local_store %t, %y[%c0] : tensor<16x16xf16, #rows>, !one
  %u = tile.local_load %y[%c0] at [0, 0] : !one -> tensor<16x16xf16, #rows>
  tile.return
}

// A TMA store from memory that held another buffer has a fence for itself alone.
// CHECK-LABEL: tile.kernel @taken_over
// CHECK: tile.local_store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.local_load
// CHECK: tile.barrier
// CHECK-NEXT: tile.local_store
// CHECK-NEXT: tile.proxy_fence
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.store_async
// CHECK-NOT: tile.proxy_fence
// CHECK: tile.return
tile.kernel @taken_over(%p: !tile.ptr<f16> {tile.access = #tile.access<write>}, %e: f16) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.window %p[] sizes [%c16, %c64] {bounded = array<i64>, shape = array<i64: 16, 64>, map = #plain} : !tile.ptr<f16> -> !view
  %t = tile.splat %e : f16 -> tensor<16x16xf16, #rows>
  %x = tile.alloc : !one
  tile.local_store %t, %x[%c0] : tensor<16x16xf16, #rows>, !one
  %u = tile.local_load %x[%c0] at [0, 0] : !one -> tensor<16x16xf16, #rows>
  tile.free %x : !one
  %y = tile.alloc : !one
  tile.local_store %u, %y[%c0] : tensor<16x16xf16, #rows>, !one
  tile.store_async %y[%c0], %a[%c0, %c0] : !one, !view
  tile.store_wait
  tile.return
}
