// Buffers that are filled and awaited together have their mbarriers in common.
// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-allocate-shared))' | FileCheck %s

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!one = !tile.buffer<1, 16, 16, f16, #shared>
!two = !tile.buffer<2, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
#plain = affine_map<(d0, d1) -> (d0, d1)>

// Also where what they are told by is computed twice; there is room for mbarriers of every buffer, of copies and
// of releases.
// CHECK-LABEL: tile.kernel @together
// CHECK-SAME: shared_memory = 2112 : i64
// CHECK: %[[X:.*]] = tile.alloc {barriers = 2048 : i64, offset = 0 : i64}
// CHECK: %[[Y:.*]] = tile.alloc {barriers = 2048 : i64, offset = 1024 : i64}
// CHECK: tile.await %[[X]]
// CHECK-NOT: tile.await
// CHECK: tile.return
tile.kernel @together(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 1 : i64} {
  %a = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 16, 64>, map = #plain} : !tile.ptr<f16> -> !view
  %x = tile.alloc : !two
  %y = tile.alloc : !two
  scf.for %k = %n to %n step %n {
    %c0 = arith.cmpi slt, %k, %n : index
    tile.copy_async %a[%n, %k], %x[%k] by tma if %c0 : !view, !two
    %c1 = arith.cmpi slt, %k, %n : index
    tile.copy_async %a[%k, %n], %y[%k] by tma if %c1 : !view, !two
    tile.await %x[%n] : !two
    %s = tile.local_load %x[%n] at [0, 0] : !two -> tensor<16x16xf16>
    tile.await %y[%n] : !two
    %t = tile.local_load %y[%n] at [0, 0] : !two -> tensor<16x16xf16>
  }
  tile.return
}

// Not where a product stands between the waits,
// CHECK-LABEL: tile.kernel @one_after_the_other
// CHECK: %[[X:.*]] = tile.alloc {barriers = 2048 : i64
// CHECK: %[[Y:.*]] = tile.alloc {barriers = 2056 : i64
// CHECK: tile.await %[[X]]
// CHECK: tile.await %[[Y]]
tile.kernel @one_after_the_other(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 1 : i64} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 16, 64>, map = #plain} : !tile.ptr<f16> -> !view
  %x = tile.alloc : !one
  %y = tile.alloc : !one
  tile.copy_async %a[%n, %n], %x[%n] by tma : !view, !one
  tile.copy_async %a[%n, %n], %y[%n] by tma : !view, !one
  tile.await %x[%n] : !one
  %s = tile.local_load %x[%n] at [0, 0] : !one -> tensor<16x16xf16>
  %d = tile.dot %s, %s, %zero "mma.m16n8k16" warps [1, 1] : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  tile.await %y[%n] : !one
  %t = tile.local_load %y[%n] at [0, 0] : !one -> tensor<16x16xf16>
  tile.return
}

// nor on different conditions, nor of different stages.
// CHECK-LABEL: tile.kernel @on_other_conditions
// CHECK: barriers = 3072
// CHECK: barriers = 3080
// CHECK: barriers = 3088
// CHECK-COUNT-3: tile.await
tile.kernel @on_other_conditions(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index, %c: i1, %d: i1) attributes {warps = 1 : i64} {
  %a = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 16, 64>, map = #plain} : !tile.ptr<f16> -> !view
  %x = tile.alloc : !one
  %y = tile.alloc : !one
  %z = tile.alloc : !two
  tile.copy_async %a[%n, %n], %x[%n] by tma if %c : !view, !one
  tile.copy_async %a[%n, %n], %y[%n] by tma if %d : !view, !one
  tile.copy_async %a[%n, %n], %z[%n] by tma if %c : !view, !two
  tile.await %x[%n] if %c : !one
  tile.await %y[%n] if %d : !one
  tile.await %z[%n] if %c : !two
  tile.return
}
