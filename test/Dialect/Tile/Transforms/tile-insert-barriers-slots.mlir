// Buffers of several slots: those whose number is constant are told apart, and what fills one after the other does not
// wait for itself.
// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-insert-barriers))' | FileCheck %s

#rows = #tile.layout<"register: 2*[0,1]; lane: 4*[0,2] 8*[1,0] -> [8, 8]">
!buffer = !tile.buffer<4, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
!two = !tile.buffer<2, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
!three = !tile.buffer<3, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
!tensor = tensor<8x8xf16, #rows>

// CHECK-LABEL: tile.kernel @slots_apart
tile.kernel @slots_apart(%e: f16) attributes {warps = 2 : i64} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = tile.alloc {offset = 0 : i64} : !buffer
  %x = tile.splat %e : f16 -> !tensor
  // CHECK: tile.local_store
  // CHECK-NEXT: tile.local_load
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.local_load
  // CHECK-NEXT: tile.return
  tile.local_store %x, %a[%c1] : !tensor, !buffer
  %y = tile.local_load %a[%c2] at [0, 0] : !buffer -> !tensor
  %z = tile.local_load %a[%c1] at [0, 0] : !buffer -> !tensor
  tile.return
}

// A loop fills what another one reads, in a loop around both: one barrier when the data is there, one before it is
// overwritten, both in front of the loops, none inside of them.
// CHECK-LABEL: tile.kernel @resident
tile.kernel @resident(%v: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %a = tile.alloc {offset = 0 : i64} : !buffer
  %view = tile.view %v[%c0] sizes [%c32, %c8] strides [%c8, %c1] : !tile.ptr<f16> -> !view
  // CHECK: scf.for
  scf.for %h = %c0 to %c4 step %c1 {
    // CHECK-NEXT: tile.barrier
    // CHECK-NEXT: scf.for
    // CHECK-NEXT: arith.divui
    // CHECK-NEXT: tile.copy_async
    // CHECK-NEXT: }
    scf.for %k = %c0 to %c32 step %c8 {
      %slot = arith.divui %k, %c8 : index
      tile.copy_async %view[%k, %c0], %a[%slot] by async16 : !view, !buffer
    }
    // CHECK-NEXT: tile.commit
    // CHECK-NEXT: tile.wait 0
    tile.commit
    tile.wait 0
    // CHECK-NEXT: tile.barrier
    // CHECK-NEXT: scf.for
    // CHECK-NEXT: arith.divui
    // CHECK-NEXT: tile.local_load
    scf.for %k = %c0 to %c32 step %c8 {
      %slot = arith.divui %k, %c8 : index
      %x = tile.local_load %a[%slot] at [0, 0] : !buffer -> !tensor
    }
  }
  tile.return
}

// Behind a pipelined loop of four iterations, which have read stages 0, 1, 2 and 0, the last one filling stage 2: since its barrier no thread has accessed stage 1. A fragment that is loaded ahead comes from the stage of its own iteration in the
// last one, so that stage 0 waits for it, too.
// CHECK-LABEL: tile.kernel @behind
tile.kernel @behind(%v: !tile.ptr<f16> {tile.access = #tile.access<read>}, %e: f16) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %i3 = arith.constant 3 : i32
  %a = tile.alloc {offset = 0 : i64} : !three
  %view = tile.view %v[%c0] sizes [%c32, %c8] strides [%c8, %c1] : !tile.ptr<f16> -> !view
  %x = tile.splat %e : f16 -> !tensor
  tile.copy_async %view[%c0, %c0], %a[%c0] by async16 {slot = 0 : i64} : !view, !three
  tile.producer_commit
  tile.copy_async %view[%c8, %c0], %a[%c1] by async16 {slot = 1 : i64} : !view, !three
  tile.producer_commit
  // CHECK: scf.for
  // CHECK: tile.consumer_wait 1
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.producer_acquire
  // CHECK-NOT: tile.barrier
  // CHECK: scf.yield
  %last:2 = scf.for %k = %c0 to %c32 step %c8 iter_args(%r = %i0, %w = %i2) -> (i32, i32) {
    %read = arith.index_castui %r : i32 to index
    %write = arith.index_castui %w : i32 to index
    tile.consumer_wait 1
    tile.producer_acquire
    %next = arith.addi %k, %c16 : index
    %inside = arith.cmpi slt, %next, %c32 : index
    tile.copy_async %view[%next, %c0], %a[%write] by async16 if %inside {slot = 2 : i64} : !view, !three
    tile.producer_commit
    %y = tile.local_load %a[%read] at [0, 0] {slot = 0 : i64} : !three -> !tensor
    tile.consumer_release
    %r1 = arith.addi %r, %i1 : i32
    %r2 = arith.remui %r1, %i3 : i32
    %w1 = arith.addi %w, %i1 : i32
    %w2 = arith.remui %w1, %i3 : i32
    scf.yield %r2, %w2 : i32, i32
  }
  // CHECK-NEXT: }
  // CHECK-NEXT: tile.local_store %{{.*}}[%c1
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.local_store %{{.*}}[%c0
  tile.local_store %x, %a[%c1] : !tensor, !three
  tile.local_store %x, %a[%c0] : !tensor, !three
  tile.return
}

// CHECK-LABEL: tile.kernel @behind_loads_ahead
tile.kernel @behind_loads_ahead(%v: !tile.ptr<f16> {tile.access = #tile.access<read>}, %e: f16) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c24 = arith.constant 24 : index
  %c32 = arith.constant 32 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i4 = arith.constant 4 : i32
  %a = tile.alloc {offset = 0 : i64} : !buffer
  %view = tile.view %v[%c0] sizes [%c32, %c8] strides [%c8, %c1] : !tile.ptr<f16> -> !view
  %x = tile.splat %e : f16 -> !tensor
  // CHECK: scf.for
  // CHECK: tile.consumer_wait 1
  // CHECK-NEXT: tile.barrier
  // CHECK: scf.yield
  %last = scf.for %k = %c0 to %c32 step %c8 iter_args(%r = %i0) -> (i32) {
    %read = arith.index_castui %r : i32 to index
    tile.consumer_wait 1
    tile.producer_acquire
    %next = arith.addi %k, %c24 : index
    %inside = arith.cmpi slt, %next, %c32 : index
    tile.copy_async %view[%next, %c0], %a[%read] by async16 if %inside {slot = 3 : i64} : !view, !buffer
    tile.producer_commit
    %y = tile.local_load %a[%read] at [0, 0] {slot = 1 : i64} : !buffer -> !tensor
    tile.consumer_release
    %r1 = arith.addi %r, %i1 : i32
    %r2 = arith.remui %r1, %i4 : i32
    scf.yield %r2 : i32
  }
  // CHECK-NEXT: }
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.local_store %{{.*}}[%c1
  tile.local_store %x, %a[%c1] : !tensor, !buffer
  tile.return
}

// As many iterations as stages, but what threads store the last one stores, too, where the first one has read.
// CHECK-LABEL: tile.kernel @stored_in_the_last
tile.kernel @stored_in_the_last(%v: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %a = tile.alloc {offset = 0 : i64} : !two
  %view = tile.view %v[%c0] sizes [%c16, %c8] strides [%c8, %c1] : !tile.ptr<f16> -> !view
  // CHECK: scf.for
  // CHECK: tile.barrier
  // CHECK-NEXT: tile.local_store
  // CHECK: tile.local_load
  // CHECK: scf.yield
  %last:2 = scf.for %k = %c0 to %c16 step %c8 iter_args(%r = %i0, %w = %i1) -> (i32, i32) {
    %read = arith.index_castui %r : i32 to index
    %write = arith.index_castui %w : i32 to index
    %next = arith.addi %k, %c8 : index
    %inside = arith.cmpi slt, %next, %c16 : index
    %x = tile.load %view[%next, %c0] if %inside : !view -> !tensor
    tile.local_store %x, %a[%write] {slot = 1 : i64} : !tensor, !two
    %y = tile.local_load %a[%read] at [0, 0] {slot = 0 : i64} : !two -> !tensor
    %r1 = arith.addi %r, %i1 : i32
    %r2 = arith.remui %r1, %i2 : i32
    %w1 = arith.addi %w, %i1 : i32
    %w2 = arith.remui %w1, %i2 : i32
    scf.yield %r2, %w2 : i32, i32
  }
  tile.return
}
