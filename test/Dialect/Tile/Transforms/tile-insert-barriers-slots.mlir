// Buffers of several slots: those whose number is constant are told apart, and what fills one after the other does not
// wait for itself.
// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-insert-barriers))' | FileCheck %s

#rows = #tile.layout<"register: 2*[0,1]; lane: 4*[0,2] 8*[1,0] -> [8, 8]">
!buffer = !tile.buffer<4, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
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
