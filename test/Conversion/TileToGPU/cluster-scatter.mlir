// Shares of a tile for the blocks of a cluster.
// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-allocate-shared))' | fusion-opt --convert-tile-to-gpu | FileCheck %s

// Each row that a thread holds goes to the buffer of one block, where its elements are stored at their distances from one another.
#acc = #tile.layout<"register: 2*[0,1] 4*[8,0]; lane: 4*[0,2] 8*[1,0] -> [32,8]">
!share = !tile.buffer<4, 8, 8, f32, #tile.layout<"offset: 8*[0,1] 8*[1,0] -> [8,8]">, cluster>
// CHECK-LABEL: gpu.func @scatter
// CHECK: arith.divui
// CHECK: nvvm.mapa
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<7>
// CHECK: nvvm.mapa
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<7>
// CHECK: nvvm.mapa
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<7>
// CHECK: nvvm.mapa
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<7>
// CHECK-NOT: nvvm.mapa
// CHECK: gpu.return
tile.kernel @scatter(%p: !tile.ptr<f32> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64, cluster = 4 : i64} {
  %sums = arith.constant dense<1.0> : tensor<32x8xf32, #acc>
  %given = tile.alloc : !share
  tile.barrier cluster
  tile.cluster_scatter %sums, %given : tensor<32x8xf32, #acc>, !share
  tile.barrier cluster
  tile.return
}
