// Blocks of a cluster exchange their partial results of a reduction.
// RUN: fusion-opt %s --convert-tile-to-gpu | FileCheck %s
// RUN: fusion-opt %s --tile-to-nvvm | FileCheck %s --check-prefix=NVVM

#all = #tile.layout<"lane: 32*[]; warp: 2*[] -> []">
#parts = #tile.layout<"offset: 1*[0, 1] 4*[1, 0] -> [4, 1]">
// CHECK: gpu.func @sum
// CHECK-SAME: nvvm.cluster_dim = array<i32: 4, 1, 1>
// Who writes to another block's memory knows that it has begun.
// CHECK: nvvm.cluster.arrive.relaxed {aligned}
// CHECK: nvvm.cluster.wait {aligned}
// CHECK: scf.if
// CHECK:   %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank : i32
// CHECK-COUNT-4: nvvm.mapa %{{.*}}, %{{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK:   llvm.store %{{.*}}, %{{.*}} : f32, !llvm.ptr<7>
// CHECK: }
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK: nvvm.cluster.wait {aligned}
// CHECK-COUNT-4: memref.load
// The second one needs no more than its own barrier: its parts lie elsewhere.
// CHECK-NOT: nvvm.cluster
// CHECK: scf.if
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK-NOT: nvvm.cluster
// NVVM: llvm.func @sum
// NVVM-SAME: nvvm.cluster_dim = array<i32: 4, 1, 1>
tile.kernel @sum(%p: !tile.ptr<f32> {tile.access = #tile.access<read>}, %q: !tile.ptr<f32> {tile.access = #tile.access<write>})
    attributes {cluster = 4 : i64, shared_memory = 256 : i64, warps = 2 : i64} {
  %block = tile.program_id
  %c0 = arith.constant 0 : index
  %first = tile.alloc {offset = 0 : i64} : !tile.buffer<1, 4, 1, f32, #parts, cluster>
  %second = tile.alloc {offset = 128 : i64} : !tile.buffer<1, 4, 1, f32, #parts, cluster>
  %0 = tile.element_load %p[%block] : !tile.ptr<f32> -> f32
  %mine = tile.splat %0 : f32 -> tensor<f32, #all>
  %sum = tile.cluster_reduce addf %mine in %first : tensor<f32, #all>, !tile.buffer<1, 4, 1, f32, #parts, cluster>
  %most = tile.cluster_reduce maximumf %sum in %second : tensor<f32, #all>, !tile.buffer<1, 4, 1, f32, #parts, cluster>
  %v = tile.view %q[%block] sizes [] strides [] : !tile.ptr<f32> -> !tile.view<0 x f32, unit = -1, alignment = 4>
  tile.store %most, %v[] : tensor<f32, #all>, !tile.view<0 x f32, unit = -1, alignment = 4>
  tile.return
}

// In a loop the blocks alternate between two places, and the barrier of the cluster is before it.
// CHECK: gpu.func @rows
// CHECK: nvvm.cluster.arrive.relaxed {aligned}
// CHECK: nvvm.cluster.wait {aligned}
// CHECK: scf.for
// CHECK:   %[[STAGE:.*]] = arith.remui
// CHECK:   arith.muli %[[STAGE]], %{{.*}} : index
// CHECK:   scf.if
// CHECK-COUNT-4: nvvm.mapa
// CHECK:   nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK-COUNT-4: memref.load
// CHECK-NOT: nvvm.cluster
tile.kernel @rows(%p: !tile.ptr<f32> {tile.access = #tile.access<read>}, %q: !tile.ptr<f32> {tile.access = #tile.access<write>})
    attributes {cluster = 4 : i64, shared_memory = 128 : i64, warps = 2 : i64} {
  %block = tile.program_id
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %parts = tile.alloc {offset = 0 : i64} : !tile.buffer<2, 4, 1, f32, #parts, cluster>
  %v = tile.view %q[%block] sizes [] strides [] : !tile.ptr<f32> -> !tile.view<0 x f32, unit = -1, alignment = 4>
  scf.for %i = %c0 to %c9 step %c1 {
    %0 = tile.element_load %p[%i] : !tile.ptr<f32> -> f32
    %mine = tile.splat %0 : f32 -> tensor<f32, #all>
    %stage = arith.remui %i, %c2 : index
    %sum = tile.cluster_reduce addf %mine in %parts[%stage] : tensor<f32, #all>, !tile.buffer<2, 4, 1, f32, #parts, cluster>
    tile.store %sum, %v[] : tensor<f32, #all>, !tile.view<0 x f32, unit = -1, alignment = 4>
  }
  tile.return
}
