// What another block writes to has been read there, and written: a barrier of the cluster stands in front of its copies, unless
// stages are released.
// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-insert-barriers))' | FileCheck %s

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
#rows = #tile.layout<"register: 2*[0,1] 2*[8,0] 2*[0,8]; lane: 4*[0,2] 8*[1,0]; warp: 2*[0,0] -> [16, 16]">
!one = !tile.buffer<1, 16, 16, f16, #shared>
!ofall = !tile.buffer<1, 16, 16, f16, #shared, cluster>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
#plain = affine_map<(d0, d1) -> (d0, d1)>

// In the loop, and none behind it or in front of a block's own reads.
// CHECK-LABEL: tile.kernel @filled_anew
// CHECK-NOT: tile.barrier
// CHECK: scf.for
// CHECK-NEXT: tile.barrier cluster
// CHECK-NEXT: tile.copy_async
// CHECK-NOT: tile.barrier
tile.kernel @filled_anew(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 2 : i64, cluster = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.window %p[] sizes [%c16, %c64] {bounded = array<i64>, shape = array<i64: 16, 64>, map = #plain} : !tile.ptr<f16> -> !view
  %x = tile.alloc {offset = 0 : i64} : !ofall
  scf.for %k = %c0 to %c64 step %c16 {
    tile.copy_async %a[%c0, %k], %x[%c0] by tma {multicast} : !view, !ofall
    tile.await %x[%c0] : !ofall
    %t = tile.local_load %x[%c0] at [0, 0] : !ofall -> tensor<16x16xf16, #rows>
  }
  tile.return
}

// A block's own barrier does not tell the others; producers take part in that of the cluster.
// CHECK-LABEL: tile.kernel @with_producers
// CHECK: tile.local_store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.local_load
// CHECK: tile.barrier with_producers cluster
// CHECK-NEXT: tile.copy_async
tile.kernel @with_producers(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %e: f16) attributes {warps = 2 : i64, producers = 1 : i64, cluster = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %a = tile.window %p[] sizes [%c16, %c16] {bounded = array<i64>, shape = array<i64: 16, 16>, map = #plain} : !tile.ptr<f16> -> !view
  %y = tile.alloc {offset = 0 : i64} : !one
  %v = tile.splat %e : f16 -> tensor<16x16xf16, #rows>
  tile.local_store %v, %y[%c0] : tensor<16x16xf16, #rows>, !one
  %t = tile.local_load %y[%c0] at [0, 0] : !one -> tensor<16x16xf16, #rows>
  tile.free %y : !one
  %x = tile.alloc {offset = 0 : i64} : !ofall
  tile.copy_async %a[%c0, %c0], %x[%c0] by tma {multicast} : !view, !ofall
  tile.await %x[%c0] : !ofall
  %u = tile.local_load %x[%c0] at [0, 0] : !ofall -> tensor<16x16xf16, #rows>
  tile.return
}

// CHECK-LABEL: tile.kernel @released
// CHECK-NOT: tile.barrier
// CHECK: tile.return
tile.kernel @released(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 2 : i64, cluster = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.window %p[] sizes [%c16, %c64] {bounded = array<i64>, shape = array<i64: 16, 64>, map = #plain} : !tile.ptr<f16> -> !view
  %x = tile.alloc {offset = 0 : i64, barriers = 512 : i64, released = 520 : i64} : !ofall
  scf.for %k = %c0 to %c64 step %c16 {
    tile.acquire %x[%c0] : !ofall
    tile.copy_async %a[%c0, %k], %x[%c0] by tma {multicast} : !view, !ofall
    tile.await %x[%c0] : !ofall
    %t = tile.local_load %x[%c0] at [0, 0] : !ofall -> tensor<16x16xf16, #rows>
    tile.release %x[%c0] : !ofall
  }
  tile.return
}

// What blocks give one another is memory that none of them uses any more, and there when all have given it.
#acc = #tile.layout<"register: 2*[0,1] 4*[8,0]; lane: 4*[0,2] 8*[1,0]; warp: 2*[0,0] -> [32, 8]">
#part = #tile.layout<"register: 2*[0,1]; lane: 4*[0,2] 8*[1,0]; warp: 2*[0,0] -> [8, 8]">
!share = !tile.buffer<4, 8, 8, f32, #tile.layout<"offset: 8*[0,1] 8*[1,0] -> [8, 8]">, cluster>
// CHECK-LABEL: tile.kernel @given
// CHECK: tile.local_load
// CHECK-NEXT: tile.barrier cluster
// CHECK-NEXT: tile.cluster_scatter
// CHECK-NEXT: tile.barrier cluster
// CHECK-NEXT: tile.local_load
// CHECK-NOT: tile.barrier
// CHECK: tile.return
tile.kernel @given() attributes {warps = 2 : i64, cluster = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sums = arith.constant dense<1.0> : tensor<32x8xf32, #acc>
  %given = tile.alloc {offset = 0 : i64} : !share
  %before = tile.local_load %given[%c0] at [0, 0] : !share -> tensor<8x8xf32, #part>
  tile.cluster_scatter %sums, %given : tensor<32x8xf32, #acc>, !share
  %t = tile.local_load %given[%c0] at [0, 0] : !share -> tensor<8x8xf32, #part>
  %u = tile.local_load %given[%c1] at [0, 0] : !share -> tensor<8x8xf32, #part>
  tile.return
}
