// RUN: fusion-opt %s --tile-pipeline-place | FileCheck %s

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>

// The fills and what they are computed from are gathered at the top; reads and the last use follow.
// CHECK-LABEL: tile.kernel @two_products
// CHECK: scf.for %[[K:.*]] =
// CHECK-NEXT: tile.producer_acquire
// CHECK-NEXT: tile.copy_async %{{.*}}[%c0, %[[K]]], %[[X:.*]][%c0] by async16 {stages = 3 : i64}
// CHECK-NEXT: %[[AT:.*]] = arith.addi %[[K]], %c1
// CHECK-NEXT: tile.copy_async %{{.*}}[%c0, %[[AT]]], %[[Y:.*]][%c0] by async16 {stages = 2 : i64}
// CHECK-NEXT: tile.producer_commit
// CHECK-NEXT: tile.consumer_wait 0
// CHECK-NEXT: tile.local_load %[[X]]
// CHECK-NEXT: arith.addf
// CHECK-NEXT: tile.local_load %[[Y]]
// CHECK-NEXT: tile.consumer_release
// CHECK-NEXT: arith.addf
// CHECK-NOT: tile.commit
// CHECK-NOT: tile.wait
tile.kernel @two_products(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  %y = tile.alloc {pipeline_stages = 2 : i64, pipelined} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 3 : i64} : !view, !buffer
    tile.commit
    tile.wait 0
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    %s = arith.addf %t, %t : tensor<16x16xf16>
    %at = arith.addi %k, %c1 : index
    tile.copy_async %a[%c0, %at], %y[%c0] by async16 {stages = 2 : i64} : !view, !buffer
    tile.commit
    tile.wait 0
    %u = tile.local_load %y[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    %w = arith.addf %u, %s : tensor<16x16xf16>
  }
  tile.return
}

// A read deeper inside ends the use region behind the loop that holds it; a copy that is not pipelined keeps its group.
// CHECK-LABEL: tile.kernel @nested_read
// CHECK: tile.producer_acquire
// CHECK-NEXT: tile.copy_async {{.*}}{stages = 3 : i64}
// CHECK-NEXT: tile.producer_commit
// CHECK-NEXT: tile.consumer_wait 0
// CHECK-NEXT: tile.copy_async %{{[^{]*}} :
// CHECK-NEXT: tile.commit
// CHECK-NEXT: tile.wait 0
// CHECK-NEXT: scf.for
// CHECK: }
// CHECK-NEXT: tile.consumer_release
tile.kernel @nested_read(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  %y = tile.alloc : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 3 : i64} : !view, !buffer
    tile.copy_async %a[%c0, %k], %y[%c0] by async16 : !view, !buffer
    tile.commit
    tile.wait 0
    scf.for %n = %c0 to %c64 step %c16 {
      %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    }
    %u = tile.local_load %y[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}

// Through registers: load and store are both part of the load region.
// CHECK-LABEL: tile.kernel @through_registers
// CHECK: tile.producer_acquire
// CHECK-NEXT: %[[V:.*]] = tile.load
// CHECK-NEXT: tile.local_store %[[V]]
// CHECK-NEXT: tile.producer_commit
// CHECK-NEXT: tile.consumer_wait 0
// CHECK-NEXT: tile.local_load
// CHECK-NEXT: tile.consumer_release
tile.kernel @through_registers(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 2 : i64, pipelined} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    %v = tile.load %a[%c0, %k] : !view -> tensor<16x16xf16>
    tile.local_store %v, %x[%c0] {stages = 2 : i64} : tensor<16x16xf16>, !buffer
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}

// Without stages nothing is placed.
// CHECK-LABEL: tile.kernel @nothing
// CHECK-NOT: tile.producer_acquire
// CHECK: tile.wait 0
tile.kernel @nothing(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 2 : i64} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 : !view, !buffer
    tile.commit
    tile.wait 0
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}

// A copy in front of the loop, which the loop's wait was for: where nothing is copied in stages, it is waited for there.
// CHECK-LABEL: tile.kernel @resident
// CHECK: tile.copy_async
// CHECK-NEXT: tile.commit
// CHECK-NEXT: tile.wait 0
// CHECK-NEXT: scf.for
// CHECK-NEXT: tile.producer_acquire
// CHECK-NEXT: tile.load
tile.kernel @resident(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %y = tile.alloc : !buffer
  %x = tile.alloc {pipeline_stages = 2 : i64, pipelined} : !buffer
  tile.copy_async %a[%c0, %c0], %y[%c0] by async16 : !view, !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    %v = tile.load %a[%c0, %k] : !view -> tensor<16x16xf16>
    tile.local_store %v, %x[%c0] {stages = 2 : i64} : tensor<16x16xf16>, !buffer
    tile.commit
    tile.wait 0
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    %u = tile.local_load %y[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}
