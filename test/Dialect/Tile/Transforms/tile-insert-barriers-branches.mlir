// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-insert-barriers))' | FileCheck %s

// A barrier in one branch says nothing about the others.

#rows = #tile.layout<"register: 2*[0,1]; lane: 4*[0,2] 8*[1,0] -> [8, 8]">
!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
!tensor = tensor<8x8xf16, #rows>

// CHECK-LABEL: tile.kernel @branch_without_barrier
tile.kernel @branch_without_barrier(%e: f16, %n: index, %c: i1) attributes {warps = 2 : i64} {
  %a = tile.alloc {offset = 0 : i64} : !buffer
  %x = tile.splat %e : f16 -> !tensor
  tile.local_store %x, %a[%n] : !tensor, !buffer
  // CHECK: scf.if
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.local_load
  scf.if %c {
    %y = tile.local_load %a[%n] at [0, 0] : !buffer -> !tensor
  }
  // CHECK: }
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.local_load
  %z = tile.local_load %a[%n] at [0, 0] : !buffer -> !tensor
  tile.return
}

// CHECK-LABEL: tile.kernel @both_branches_start_alike
tile.kernel @both_branches_start_alike(%e: f16, %n: index, %c: i1) attributes {warps = 2 : i64} {
  %a = tile.alloc {offset = 0 : i64} : !buffer
  %x = tile.splat %e : f16 -> !tensor
  tile.local_store %x, %a[%n] : !tensor, !buffer
  // CHECK: scf.if
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.local_load
  scf.if %c {
    %y = tile.local_load %a[%n] at [0, 0] : !buffer -> !tensor
  // CHECK: else
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.local_load
  } else {
    %y = tile.local_load %a[%n] at [0, 0] : !buffer -> !tensor
  }
  tile.return
}
