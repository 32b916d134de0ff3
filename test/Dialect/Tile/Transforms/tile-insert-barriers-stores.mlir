// TMA stores: all threads have written the data that one of them stores, and it waits before any thread writes there again. A
// proxy fence stands in front of the first of these barriers only.
// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-insert-barriers,tile-insert-proxy-fences))' | FileCheck %s

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>

// CHECK-LABEL: tile.kernel @in_a_loop
// CHECK: scf.for
// CHECK-NEXT: tile.barrier{{$}}
// CHECK-NEXT: tile.local_store
// CHECK-NEXT: tile.proxy_fence
// CHECK-NEXT: tile.barrier{{$}}
// CHECK-NEXT: tile.store_async
// CHECK-NEXT: tile.store_wait
// CHECK-NEXT: }
tile.kernel @in_a_loop(%p: !tile.ptr<f16> {tile.access = #tile.access<write>}, %n: index) attributes {warps = 2 : i64} {
  %x = arith.constant dense<1.0> : tensor<8x8xf16>
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %v = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 8, 8>, map = affine_map<(d0, d1) -> (d0, d1)>} : !tile.ptr<f16> -> !view
  %a = tile.alloc {offset = 0 : i64} : !buffer
  scf.for %i = %c0 to %n step %c8 {
    tile.local_store %x, %a[%c0] : tensor<8x8xf16>, !buffer
    tile.store_async %a[%c0], %v[%i, %c0] : !buffer, !view
    tile.store_wait
  }
  tile.return
}

// A warp alone waits for its lanes.
// CHECK-LABEL: tile.kernel @one_warp
// CHECK: tile.local_store
// CHECK-NEXT: tile.proxy_fence
// CHECK-NEXT: tile.barrier warp
// CHECK-NEXT: tile.store_async
// CHECK-NEXT: tile.store_wait
tile.kernel @one_warp(%p: !tile.ptr<f16> {tile.access = #tile.access<write>}, %n: index) attributes {warps = 1 : i64} {
  %x = arith.constant dense<1.0> : tensor<8x8xf16>
  %c0 = arith.constant 0 : index
  %v = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 8, 8>, map = affine_map<(d0, d1) -> (d0, d1)>} : !tile.ptr<f16> -> !view
  %a = tile.alloc {offset = 0 : i64} : !buffer
  tile.local_store %x, %a[%c0] : tensor<8x8xf16>, !buffer
  tile.store_async %a[%c0], %v[%c0, %c0] : !buffer, !view
  tile.store_wait
  tile.return
}

// Two results one after the other in the same memory.
// CHECK-LABEL: tile.kernel @side_by_side
// CHECK: tile.local_store
// CHECK-NEXT: tile.proxy_fence
// CHECK-NEXT: tile.barrier{{$}}
// CHECK-NEXT: tile.store_async
// CHECK-NEXT: tile.store_wait
// CHECK: tile.barrier{{$}}
// CHECK-NEXT: tile.local_store
// CHECK-NEXT: tile.proxy_fence
// CHECK-NEXT: tile.barrier{{$}}
// CHECK-NEXT: tile.store_async
// CHECK-NEXT: tile.store_wait
// CHECK-NEXT: tile.return
tile.kernel @side_by_side(%p: !tile.ptr<f16> {tile.access = #tile.access<write>}, %n: index) attributes {warps = 2 : i64} {
  %x = arith.constant dense<1.0> : tensor<8x8xf16>
  %c0 = arith.constant 0 : index
  %v = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 8, 8>, map = affine_map<(d0, d1) -> (d0, d1)>} : !tile.ptr<f16> -> !view
  %a = tile.alloc {offset = 0 : i64} : !buffer
  %b = tile.alloc {offset = 0 : i64} : !buffer
  tile.local_store %x, %a[%c0] : tensor<8x8xf16>, !buffer
  tile.store_async %a[%c0], %v[%c0, %c0] : !buffer, !view
  tile.store_wait
  tile.local_store %x, %b[%c0] : tensor<8x8xf16>, !buffer
  tile.store_async %b[%c0], %v[%n, %c0] : !buffer, !view
  tile.store_wait
  tile.return
}
