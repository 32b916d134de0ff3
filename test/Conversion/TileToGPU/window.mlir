// Accesses through a window: rows are places of a 6 x 7 image padded by one, columns the 32 channels at 3 x 3 places.
// RUN: fusion-opt %s --convert-tile-to-gpu --canonicalize --cse -split-input-file | FileCheck %s

#layout = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
#map = affine_map<(d0, d1) -> ((d0 floordiv 7) mod 6 + d1 floordiv 96 - 1, d0 mod 7 + (d1 floordiv 32) mod 3 - 1, d1 mod 32)>

// A tile of 16 columns is at one place: its digits are those of its first column. Nothing is read outside.
// CHECK-LABEL: gpu.func @copies
// CHECK-DAG: %[[C7:.*]] = arith.constant 7 : i32
// CHECK-DAG: %[[C6:.*]] = arith.constant 6 : i32
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i32
// CHECK-DAG: arith.divui %{{.*}}, %[[C7]]
// CHECK-DAG: arith.remui %{{.*}}, %[[C7]]
// CHECK-DAG: arith.remui %{{.*}}, %[[C3]]
// CHECK-DAG: arith.cmpi ult, %{{.*}}, %[[C6]]
// CHECK-DAG: arith.cmpi ult, %{{.*}}, %[[C7]]
// CHECK: %[[N:.*]] = arith.select %{{.*}}, %c8, %c0
// CHECK: nvgpu.device_async_copy {{.*}}, 8, %[[N]] {bypassL1}
tile.kernel @copies(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %m: index, %k: index) attributes {warps = 1 : i64, shared_memory = 512 : i64} {
  %c0 = arith.constant 0 : index
  %c42 = arith.constant 42 : index
  %c288 = arith.constant 288 : index
  %w = tile.window %p[] sizes [%c42, %c288] {bounded = array<i64: 0, 1>, map = #map, shape = array<i64: 6, 7, 32>}
      : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  %b = tile.alloc {offset = 0 : i64} : !tile.buffer<1, 16, 16, f16, #layout>
  tile.copy_async %w[%m, %k], %b[%c0] by async16 {in_bounds = array<i1: true, true>} : !tile.view<2 x f16, unit = 1, alignment = 16>, !tile.buffer<1, 16, 16, f16, #layout>
  tile.return
}

// -----

// Loads of one element each where nothing lies side by side, with the border of the rows.
#threads = #tile.layout<"lane: 32*[1,0]; register: 2*[0,1] -> [32, 2]">
// CHECK-LABEL: gpu.func @loads
// CHECK-COUNT-2: vector.load {{.*}} {alignment = 2 : i64} : memref<{{.*}}>, vector<1xf16>
tile.kernel @loads(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %q: !tile.ptr<f16> {tile.access = #tile.access<write>}, %m: index, %k: index) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c40 = arith.constant 40 : index
  %w = tile.window %p[%k] sizes [%c40, %c2] {bounded = array<i64>, map = affine_map<(d0, d1)[s0] -> (s0, d0 * 2 + d1)>, shape = array<i64: 9, 90>}
      : !tile.ptr<f16> -> !tile.view<2 x f16, unit = -1, alignment = 2>
  %x = tile.load %w[%m, %c0] {in_bounds = array<i1: false, true>} : !tile.view<2 x f16, unit = -1, alignment = 2> -> tensor<32x2xf16, #threads>
  %v = tile.view %q[%c0] sizes [%c40, %c2] strides [%c2, %c1] : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 4>
  tile.store %x, %v[%m, %c0] {in_bounds = array<i1: false, true>} : tensor<32x2xf16, #threads>, !tile.view<2 x f16, unit = 1, alignment = 4>
  tile.return
}
