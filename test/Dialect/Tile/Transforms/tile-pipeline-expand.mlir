// RUN: fusion-opt %s --tile-pipeline-place --tile-pipeline-expand --canonicalize | FileCheck %s

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>

// Two buffers with 3 and 2 stages are two groups of an iteration, the one with fewer first: the wait for it leaves the
// other's last copy in flight.
// CHECK-LABEL: tile.kernel @two_buffers
// CHECK: %[[X:.*]] = tile.alloc : <3, 16, 16, f16, #{{.*}}>
// CHECK: %[[Y:.*]] = tile.alloc : <2, 16, 16, f16, #{{.*}}>
// CHECK: tile.copy_async %{{.*}}[%c0, %c0], %[[X]][%c0] by async16 {slot = 0 : i64}
// CHECK-NEXT: tile.producer_commit
// CHECK-NEXT: tile.copy_async %{{.*}}[%c0, %c0], %[[Y]][%c0] by async16 {slot = 0 : i64}
// CHECK-NEXT: tile.producer_commit
// CHECK-NEXT: tile.copy_async %{{.*}}[%c0, %c16], %[[X]][%c1] by async16 {slot = 1 : i64}
// CHECK-NEXT: tile.producer_commit
// CHECK: scf.for %[[K:.*]] = %c0 to %c64 step %c16 iter_args({{.*}}, %[[IY:.*]] = %c0_i32, %[[JY:.*]] = %c1_i32, %[[IX:.*]] = %c0_i32, %[[JX:.*]] = %c2_i32)
// CHECK-NEXT: %[[RY:.*]] = arith.index_castui %[[IY]]
// CHECK-NEXT: %[[WY:.*]] = arith.index_castui %[[JY]]
// CHECK-NEXT: %[[RX:.*]] = arith.index_castui %[[IX]]
// CHECK-NEXT: %[[WX:.*]] = arith.index_castui %[[JX]]
// CHECK-NEXT: tile.consumer_wait 1
// CHECK-NEXT: tile.producer_acquire
// CHECK: tile.copy_async {{.*}}, %[[Y]][%[[WY]]] by async16 if %{{.*}} {slot = 1 : i64}
// CHECK-NEXT: tile.producer_commit
// CHECK-NEXT: %[[LATER:.*]] = arith.addi %[[K]], %c32
// CHECK-NEXT: %[[EXISTS:.*]] = arith.cmpi slt, %[[LATER]], %c64
// CHECK-NEXT: tile.copy_async %{{.*}}[%c0, %[[LATER]]], %[[X]][%[[WX]]] by async16 if %[[EXISTS]] {slot = 2 : i64}
// CHECK-NEXT: tile.producer_commit
// CHECK-NOT: tile.wait
// CHECK: tile.local_load %[[X]][%[[RX]]] at [0, 0] {slot = 0 : i64}
// CHECK: tile.local_load %[[Y]][%[[RY]]] at [0, 0] {slot = 0 : i64}
// CHECK-NEXT: tile.consumer_release
tile.kernel @two_buffers(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  %y = tile.alloc {pipeline_stages = 2 : i64, pipelined} : !buffer
  %r = scf.for %k = %c0 to %c64 step %c16 iter_args(%acc = %zero) -> tensor<16x16xf32> {
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 3 : i64} : !view, !buffer
    tile.copy_async %a[%c0, %k], %y[%c0] by async16 {stages = 2 : i64} : !view, !buffer
    tile.commit
    tile.wait 0
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    %u = tile.local_load %y[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    %d = tile.dot %t, %u, %acc "mma.m16n8k16" warps [1, 1] : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  tile.return
}

// A trip count that is known at run time only, and one below the stages: what does not exist is not copied.
// CHECK-LABEL: tile.kernel @any_trip_count
// CHECK: %[[FIRST:.*]] = arith.cmpi sgt, %[[BOUND:.*]], %c0 : index
// CHECK: tile.copy_async {{.*}} if %[[FIRST]] {slot = 0 : i64}
// CHECK: %[[SECOND:.*]] = arith.cmpi sgt, %[[BOUND]], %c16 : index
// CHECK: tile.copy_async {{.*}} if %[[SECOND]] {slot = 1 : i64}
// CHECK: scf.for %{{.*}} = %c0 to %[[BOUND]]
tile.kernel @any_trip_count(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %bound: index) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %a = tile.view %p[%c0] sizes[%c16, %bound] strides[%bound, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  scf.for %k = %c0 to %bound step %c16 {
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 3 : i64} : !view, !buffer
    tile.commit
    tile.wait 0
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}

// A copy that is not pipelined keeps its own group and wait.
// CHECK-LABEL: tile.kernel @beside_another
// CHECK: scf.for
// CHECK: tile.consumer_wait 0
// CHECK: tile.commit
// CHECK-NEXT: tile.wait 0
tile.kernel @beside_another(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 2 : i64, pipelined} : !buffer
  %y = tile.alloc : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 2 : i64} : !view, !buffer
    tile.copy_async %a[%c0, %k], %y[%c0] by async16 : !view, !buffer
    tile.commit
    tile.wait 0
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    %u = tile.local_load %y[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}

// Through registers: the load is an iteration ahead, the store goes to the other stage when this one has been read.
// Nothing is copied asynchronously, so nothing is committed or waited for.
// CHECK-LABEL: tile.kernel @through_registers
// CHECK: %[[X:.*]] = tile.alloc : <2, 16, 16, f16
// CHECK: %[[FIRST:.*]] = tile.load %{{.*}}[%c0, %c0]
// CHECK-NEXT: tile.local_store %[[FIRST]], %[[X]][%c0] {slot = 0 : i64}
// CHECK-NEXT: scf.for %[[K:.*]] = %c0 to %c64 step %c16 iter_args({{.*}}, %[[I:.*]] = %c0_i32, %[[J:.*]] = %c1_i32)
// CHECK-NEXT: %[[READ:.*]] = arith.index_castui %[[I]]
// CHECK-NEXT: %[[WRITE:.*]] = arith.index_castui %[[J]]
// CHECK-NEXT: tile.producer_acquire
// CHECK-NEXT: %[[LATER:.*]] = arith.addi %[[K]], %c16
// CHECK-NEXT: %[[EXISTS:.*]] = arith.cmpi slt, %[[LATER]], %c64
// CHECK-NEXT: %[[NEXT:.*]] = tile.load %{{.*}}[%c0, %[[LATER]]] if %[[EXISTS]]
// CHECK-NEXT: tile.local_load %[[X]][%[[READ]]] at [0, 0] {slot = 0 : i64}
// CHECK-NEXT: tile.local_store %[[NEXT]], %[[X]][%[[WRITE]]] {slot = 1 : i64}
// CHECK-NEXT: tile.consumer_release
tile.kernel @through_registers(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 2 : i64, pipelined} : !buffer
  %zero = arith.constant dense<0.0> : tensor<16x16xf16>
  %r = scf.for %k = %c0 to %c64 step %c16 iter_args(%sum = %zero) -> tensor<16x16xf16> {
    %v = tile.load %a[%c0, %k] : !view -> tensor<16x16xf16>
    tile.local_store %v, %x[%c0] {stages = 2 : i64} : tensor<16x16xf16>, !buffer
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    %next = arith.addf %sum, %t : tensor<16x16xf16>
    scf.yield %next : tensor<16x16xf16>
  }
  tile.return
}
