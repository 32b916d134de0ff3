// Groups without copies, in unrolled rounds of a pipelined loop and around them.
// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-pipeline-prune))' | FileCheck %s

#rows = #tile.layout<"register: 2*[0,1]; lane: 4*[0,2] 8*[1,0] -> [8, 8]">
!buffer = !tile.buffer<4, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
!tensor = tensor<8x8xf16, #rows>

// Three rounds of three stages: the prologue copies two, the first round the third. The other rounds copy nothing, and
// what they wait for is counted without their groups.
// CHECK-LABEL: tile.kernel @rounds
tile.kernel @rounds(%v: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %a = tile.alloc : !buffer
  %view = tile.view %v[%c0] sizes [%c24, %c8] strides [%c8, %c1] : !tile.ptr<f16> -> !view
  // CHECK: tile.copy_async
  // CHECK-NEXT: tile.producer_commit
  // CHECK-NEXT: tile.copy_async
  // CHECK-NEXT: tile.producer_commit
  // CHECK-NEXT: tile.consumer_wait 1
  // CHECK-NEXT: tile.producer_acquire
  // CHECK-NEXT: tile.copy_async
  // CHECK-NEXT: tile.producer_commit
  // CHECK-NEXT: tile.local_load
  // CHECK-NEXT: tile.consumer_release
  // CHECK-NEXT: tile.consumer_wait 1
  // CHECK-NEXT: tile.local_load
  // CHECK-NEXT: tile.consumer_wait 0
  // CHECK-NEXT: tile.local_load
  // CHECK-NEXT: tile.return
  tile.copy_async %view[%c0, %c0], %a[%c0] by async16 : !view, !buffer
  tile.producer_commit
  tile.copy_async %view[%c8, %c0], %a[%c1] by async16 : !view, !buffer
  tile.producer_commit

  tile.consumer_wait 1
  tile.producer_acquire
  tile.copy_async %view[%c16, %c0], %a[%c2] by async16 : !view, !buffer
  tile.producer_commit
  %x0 = tile.local_load %a[%c0] at [0, 0] : !buffer -> !tensor
  tile.consumer_release

  tile.consumer_wait 1
  tile.producer_acquire
  tile.producer_commit
  %x1 = tile.local_load %a[%c1] at [0, 0] : !buffer -> !tensor
  tile.consumer_release

  tile.consumer_wait 1
  tile.producer_acquire
  tile.producer_commit
  %x2 = tile.local_load %a[%c2] at [0, 0] : !buffer -> !tensor
  tile.consumer_release
  tile.return
}

// Nothing has been copied since the wait before.
// CHECK-LABEL: tile.kernel @waits
tile.kernel @waits(%v: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = tile.alloc : !buffer
  %view = tile.view %v[%c0] sizes [%c8, %c8] strides [%c8, %c1] : !tile.ptr<f16> -> !view
  // CHECK: tile.copy_async
  // CHECK-NEXT: tile.commit
  // CHECK-NEXT: tile.wait 0
  // CHECK-NEXT: tile.local_load
  // CHECK-NEXT: tile.local_load
  // CHECK-NEXT: tile.return
  tile.copy_async %view[%c0, %c0], %a[%c0] by async16 : !view, !buffer
  tile.commit
  tile.wait 0
  %x = tile.local_load %a[%c0] at [0, 0] : !buffer -> !tensor
  tile.commit
  tile.wait 0
  %y = tile.local_load %a[%c0] at [0, 0] : !buffer -> !tensor
  tile.return
}

// The wait in the loop counts the empty group while the copy in front of it may be in flight: without it, it would not wait
// for the copy.
// CHECK-LABEL: tile.kernel @counted_elsewhere
tile.kernel @counted_elsewhere(%v: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = tile.alloc : !buffer
  %view = tile.view %v[%c0] sizes [%c8, %c8] strides [%c8, %c1] : !tile.ptr<f16> -> !view
  // CHECK: tile.copy_async
  // CHECK-NEXT: tile.commit
  // CHECK-NEXT: tile.commit
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: tile.wait 1
  tile.copy_async %view[%c0, %c0], %a[%c0] by async16 : !view, !buffer
  tile.commit
  tile.commit
  scf.for %i = %c0 to %c8 step %c1 {
    tile.wait 1
    %x = tile.local_load %a[%c0] at [0, 0] : !buffer -> !tensor
  }
  tile.return
}

// The empty group with nothing in flight before it.
// CHECK-LABEL: tile.kernel @nothing_in_flight
tile.kernel @nothing_in_flight(%v: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = tile.alloc : !buffer
  %view = tile.view %v[%c0] sizes [%c8, %c8] strides [%c8, %c1] : !tile.ptr<f16> -> !view
  // CHECK: tile.commit
  // CHECK-NEXT: tile.wait 0
  // CHECK-NEXT: tile.copy_async
  // CHECK-NEXT: tile.commit
  // CHECK-NEXT: scf.for
  tile.copy_async %view[%c0, %c0], %a[%c0] by async16 : !view, !buffer
  tile.commit
  tile.wait 0
  tile.commit
  tile.copy_async %view[%c0, %c0], %a[%c1] by async16 : !view, !buffer
  tile.commit
  scf.for %i = %c0 to %c8 step %c1 {
    tile.wait 0
    %x = tile.local_load %a[%c1] at [0, 0] : !buffer -> !tensor
  }
  tile.return
}

// What the loop around copies before its body begins may be in the first group of the body; a copy that a loop has left
// open is in the group behind it.
// CHECK-LABEL: tile.kernel @open
tile.kernel @open(%v: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = tile.alloc : !buffer
  %view = tile.view %v[%c0] sizes [%c8, %c8] strides [%c8, %c1] : !tile.ptr<f16> -> !view
  // CHECK: scf.for
  // CHECK-NEXT: tile.commit
  // CHECK-NEXT: tile.wait 0
  // CHECK-NEXT: tile.copy_async
  // CHECK-NEXT: }
  // CHECK-NEXT: tile.commit
  // CHECK-NEXT: tile.wait 0
  scf.for %i = %c0 to %c8 step %c1 {
    tile.commit
    tile.wait 0
    tile.copy_async %view[%c0, %c0], %a[%c0] by async16 : !view, !buffer
  }
  tile.commit
  tile.wait 0
  tile.return
}

// The loop may not run: what was copied in front of it may still be in the open group.
// CHECK-LABEL: tile.kernel @open_in_front
tile.kernel @open_in_front(%v: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = tile.alloc : !buffer
  %view = tile.view %v[%c0] sizes [%c8, %c8] strides [%c8, %c1] : !tile.ptr<f16> -> !view
  // CHECK: tile.copy_async
  // CHECK-NEXT: scf.for
  // CHECK: }
  // CHECK-NEXT: tile.commit
  // CHECK-NEXT: tile.wait 0
  tile.copy_async %view[%c0, %c0], %a[%c0] by async16 : !view, !buffer
  scf.for %i = %c0 to %n step %c1 {
    tile.copy_async %view[%c0, %c0], %a[%c1] by async16 : !view, !buffer
    tile.commit
    tile.wait 0
  }
  tile.commit
  tile.wait 0
  tile.return
}

// One that surely runs has closed it.
// CHECK-LABEL: tile.kernel @closed
tile.kernel @closed(%v: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = tile.alloc : !buffer
  %view = tile.view %v[%c0] sizes [%c8, %c8] strides [%c8, %c1] : !tile.ptr<f16> -> !view
  // CHECK: scf.for
  // CHECK: }
  // CHECK-NEXT: tile.return
  tile.copy_async %view[%c0, %c0], %a[%c0] by async16 : !view, !buffer
  scf.for %i = %c0 to %c8 step %c1 {
    tile.commit
    tile.wait 0
  }
  tile.commit
  tile.wait 0
  tile.return
}

// A loop that loads fragments ahead acquires where its body ends, for the next iteration. The last of unrolled rounds has
// none.
// CHECK-LABEL: tile.kernel @ends_with_acquire
tile.kernel @ends_with_acquire(%v: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %a = tile.alloc : !buffer
  %view = tile.view %v[%c0] sizes [%c8, %c8] strides [%c8, %c1] : !tile.ptr<f16> -> !view
  // CHECK: scf.for
  // CHECK: tile.producer_commit
  // CHECK: tile.consumer_wait 0
  // CHECK-NEXT: tile.producer_acquire
  // CHECK-NEXT: tile.local_load
  scf.for %i = %c0 to %c8 step %c1 {
    tile.copy_async %view[%c0, %c0], %a[%c1] by async16 {slot = 1 : i64} : !view, !buffer
    tile.producer_commit
    tile.consumer_release
    tile.consumer_wait 0
    tile.producer_acquire
    %x = tile.local_load %a[%c0] at [0, 0] {slot = 1 : i64} : !buffer -> !tensor
  }
  // CHECK: scf.for
  // CHECK: tile.producer_acquire
  // CHECK-NEXT: tile.copy_async
  // CHECK-NEXT: tile.producer_commit
  // CHECK: tile.consumer_release
  // CHECK-NEXT: tile.consumer_wait 0
  // CHECK-NEXT: tile.local_load
  // CHECK-NEXT: }
  %b = tile.alloc : !buffer
  scf.for %i = %c0 to %c8 step %c1 {
    tile.copy_async %view[%c0, %c0], %b[%c0] by async16 : !view, !buffer
    tile.producer_commit
    tile.consumer_wait 0
    tile.producer_acquire
    tile.copy_async %view[%c0, %c0], %b[%c1] by async16 : !view, !buffer
    tile.producer_commit
    %x = tile.local_load %b[%c0] at [0, 0] : !buffer -> !tensor
    tile.consumer_release
    tile.consumer_wait 0
    tile.producer_acquire
    %y = tile.local_load %b[%c1] at [0, 0] : !buffer -> !tensor
    tile.consumer_release
  }
  tile.return
}
