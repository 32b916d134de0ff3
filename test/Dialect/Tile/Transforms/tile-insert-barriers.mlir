// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-insert-barriers))' | FileCheck %s

#rows = #tile.layout<"register: 2*[0,1]; lane: 4*[0,2] 8*[1,0] -> [8, 8]">
!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
!tensor = tensor<8x8xf16, #rows>

// CHECK-LABEL: tile.kernel @read_after_write
tile.kernel @read_after_write(%e: f16, %n: index) attributes {warps = 1 : i64} {
  %a = tile.alloc {offset = 0 : i64} : !buffer
  %x = tile.splat %e : f16 -> !tensor
  // CHECK: tile.local_store
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.local_load
  tile.local_store %x, %a[%n] : !tensor, !buffer
  %y = tile.local_load %a[%n] at [0, 0] : !buffer -> !tensor
  // Reads do not disturb each other.
  // CHECK-NEXT: tile.local_load
  %z = tile.local_load %a[%n] at [0, 0] : !buffer -> !tensor
  // Writing after reading needs one.
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.local_store
  tile.local_store %x, %a[%n] : !tensor, !buffer
  // CHECK-NEXT: tile.return
  tile.return
}

// CHECK-LABEL: tile.kernel @buffers_apart_need_none
tile.kernel @buffers_apart_need_none(%e: f16, %n: index) attributes {warps = 1 : i64} {
  %a = tile.alloc {offset = 0 : i64} : !buffer
  %b = tile.alloc {offset = 128 : i64} : !buffer
  %x = tile.splat %e : f16 -> !tensor
  // CHECK: tile.local_store
  // CHECK-NEXT: tile.local_load
  // CHECK-NEXT: tile.return
  tile.local_store %x, %a[%n] : !tensor, !buffer
  %y = tile.local_load %b[%n] at [0, 0] : !buffer -> !tensor
  tile.return
}

// CHECK-LABEL: tile.kernel @buffers_that_share_memory
tile.kernel @buffers_that_share_memory(%e: f16, %n: index) attributes {warps = 1 : i64} {
  %a = tile.alloc {offset = 0 : i64} : !buffer
  %b = tile.alloc {offset = 64 : i64} : !buffer
  %x = tile.splat %e : f16 -> !tensor
  // CHECK: tile.local_load
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.local_store
  %y = tile.local_load %a[%n] at [0, 0] : !buffer -> !tensor
  tile.local_store %x, %b[%n] : !tensor, !buffer
  tile.return
}

// CHECK-LABEL: tile.kernel @barrier_that_is_there_serves
tile.kernel @barrier_that_is_there_serves(%e: f16, %n: index) attributes {warps = 1 : i64} {
  %a = tile.alloc {offset = 0 : i64} : !buffer
  %x = tile.splat %e : f16 -> !tensor
  // CHECK: tile.local_store
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.local_load
  tile.local_store %x, %a[%n] : !tensor, !buffer
  tile.barrier
  %y = tile.local_load %a[%n] at [0, 0] : !buffer -> !tensor
  tile.return
}

// The thread's own copies have arrived at the wait, those of the others at the barrier.
// CHECK-LABEL: tile.kernel @asynchronous_copy
tile.kernel @asynchronous_copy(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 1 : i64} {
  %a = tile.alloc {offset = 0 : i64} : !buffer
  %v = tile.view %p[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f16> -> !view
  // CHECK: tile.copy_async
  // CHECK-NEXT: tile.commit
  // CHECK-NEXT: tile.wait 0
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.local_load
  tile.copy_async %v[%n, %n], %a[%n] by async16 : !view, !buffer
  tile.commit
  tile.wait 0
  %y = tile.local_load %a[%n] at [0, 0] : !buffer -> !tensor
  tile.return
}

// In a loop: one barrier before the tile is read and one before the next iteration overwrites it.
// CHECK-LABEL: tile.kernel @loop
tile.kernel @loop(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 1 : i64} {
  %a = tile.alloc {offset = 0 : i64} : !buffer
  %v = tile.view %p[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f16> -> !view
  // CHECK: scf.for
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.copy_async
  // CHECK-NEXT: tile.commit
  // CHECK-NEXT: tile.wait 0
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.local_load
  // CHECK-NEXT: }
  scf.for %i = %n to %n step %n {
    tile.copy_async %v[%n, %n], %a[%n] by async16 : !view, !buffer
    tile.commit
    tile.wait 0
    %y = tile.local_load %a[%n] at [0, 0] : !buffer -> !tensor
  }
  // What the loop's last iteration read is overwritten after a barrier.
  // CHECK: tile.barrier
  // CHECK-NEXT: tile.local_store
  %x = arith.constant dense<0.0> : !tensor
  tile.local_store %x, %a[%n] : !tensor, !buffer
  tile.return
}

// A loop that only reads needs none inside.
// CHECK-LABEL: tile.kernel @loop_that_reads
tile.kernel @loop_that_reads(%e: f16, %n: index) attributes {warps = 1 : i64} {
  %a = tile.alloc {offset = 0 : i64} : !buffer
  %x = tile.splat %e : f16 -> !tensor
  tile.local_store %x, %a[%n] : !tensor, !buffer
  tile.barrier
  // CHECK: scf.for
  // CHECK-NEXT: tile.local_load
  // CHECK-NEXT: }
  scf.for %i = %n to %n step %n {
    %y = tile.local_load %a[%n] at [0, 0] : !buffer -> !tensor
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @both_branches
tile.kernel @both_branches(%e: f16, %n: index, %c: i1) attributes {warps = 1 : i64} {
  %a = tile.alloc {offset = 0 : i64} : !buffer
  %x = tile.splat %e : f16 -> !tensor
  // CHECK: scf.if
  scf.if %c {
    // CHECK-NEXT: tile.local_store
    tile.local_store %x, %a[%n] : !tensor, !buffer
  }
  // CHECK: tile.barrier
  // CHECK-NEXT: tile.local_load
  %y = tile.local_load %a[%n] at [0, 0] : !buffer -> !tensor
  tile.return
}

// A conversion has a barrier of its own between its stores and its loads; what follows only has to
// wait where it overwrites the scratch.
#acc = #tile.layout<"register: 2*[0,1] 2*[8,0] 2*[0,8]; lane: 4*[0,2] 8*[1,0] -> [16, 16]">
#wide = #tile.layout<"register: 8*[0,1]; lane: 2*[0,8] 16*[1,0] -> [16, 16]">
// CHECK-LABEL: tile.kernel @conversion
tile.kernel @conversion(%e: f16, %n: index) attributes {warps = 1 : i64} {
  %a = tile.alloc {offset = 0 : i64} : !buffer
  %x = tile.splat %e : f16 -> tensor<16x16xf16, #acc>
  // CHECK: tile.local_load
  %u = tile.local_load %a[%n] at [0, 0] : !buffer -> !tensor
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.convert_layout
  %y = tile.convert_layout %x {offset = 0 : i64} : tensor<16x16xf16, #acc> -> tensor<16x16xf16, #wide>
  // CHECK-NEXT: tile.local_load
  %z = tile.local_load %a[%n] at [0, 0] : !buffer -> !tensor
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.local_store
  tile.local_store %u, %a[%n] : !tensor, !buffer
  // In registers it touches nothing.
  // CHECK-NEXT: tile.convert_layout
  // CHECK-NEXT: tile.return
  %w = tile.convert_layout %x : tensor<16x16xf16, #acc> -> tensor<16x16xf16, #acc>
  tile.return
}

#halves = #tile.layout<"register: 2*[0,1] 2*[8,0] 2*[0,8]; lane: 4*[0,2] 8*[1,0]; warp: 2*[0,16] -> [16, 32]">
#row = #tile.layout<"register: 2*[0] 2*[8] 2*[0]; lane: 4*[0] 8*[1]; warp: 2*[0] -> [16]">
// A reduction over warps has a barrier of its own between its stores and its loads; its scratch must be free.
// CHECK-LABEL: tile.kernel @reduction
tile.kernel @reduction(%e: f32) attributes {warps = 2 : i64} {
  %x = tile.splat %e : f32 -> tensor<16x32xf32, #halves>
  // CHECK: tile.splat
  // CHECK-NEXT: tile.reduce maximumf
  %m = tile.reduce maximumf %x along 1 {offset = 0 : i64} : tensor<16x32xf32, #halves> -> tensor<16xf32, #row>
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.reduce addf
  %s = tile.reduce addf %x along 1 {offset = 0 : i64} : tensor<16x32xf32, #halves> -> tensor<16xf32, #row>
  // CHECK-NEXT: tile.reduce mulf
  %p = tile.reduce mulf %x along 1 {offset = 128 : i64} : tensor<16x32xf32, #halves> -> tensor<16xf32, #row>
  tile.return
}
