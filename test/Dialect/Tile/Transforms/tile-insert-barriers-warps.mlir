// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-insert-barriers))' | FileCheck %s

// Rows 0 to 7 belong to warp 0, rows 8 to 15 to warp 1; #halves gives each warp half of the columns.
#rows = #tile.layout<"register: 2*[0,1]; lane: 4*[0,2] 8*[1,0]; warp: 2*[8,0] -> [16, 8]">
#turned = #tile.layout<"register: 2*[1,0]; lane: 4*[2,0] 8*[0,1]; warp: 2*[8,0] -> [16, 8]">
#halves = #tile.layout<"register: 2*[0,1]; lane: 2*[0,2] 16*[1,0]; warp: 2*[0,4] -> [16, 8]">
!buffer = !tile.buffer<1, 16, 8, f16, <"offset: 8*[0,1] 16*[1,0] -> [16, 8]">>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
!mine = tensor<16x8xf16, #rows>
!turned = tensor<16x8xf16, #turned>
!halves = tensor<16x8xf16, #halves>

// Every warp reads back what it wrote, by whichever lane.
// CHECK-LABEL: tile.kernel @same_warp
tile.kernel @same_warp(%e: f16, %n: index) attributes {warps = 2 : i64} {
  %a = tile.alloc {offset = 0 : i64} : !buffer
  %x = tile.splat %e : f16 -> !mine
  // CHECK: tile.local_store
  // CHECK-NEXT: tile.barrier warp
  // CHECK-NEXT: tile.local_load
  // CHECK-NEXT: tile.barrier warp
  // CHECK-NEXT: tile.local_store
  tile.local_store %x, %a[%n] : !mine, !buffer
  %y = tile.local_load %a[%n] at [0, 0] : !buffer -> !turned
  tile.local_store %x, %a[%n] : !mine, !buffer
  tile.return
}

// One read by another warp, and the whole buffer needs the block's barrier.
// CHECK-LABEL: tile.kernel @other_warp
tile.kernel @other_warp(%e: f16, %n: index) attributes {warps = 2 : i64} {
  %a = tile.alloc {offset = 0 : i64} : !buffer
  %x = tile.splat %e : f16 -> !mine
  // CHECK: tile.local_store
  // CHECK-NEXT: tile.barrier{{$}}
  // CHECK-NEXT: tile.local_load
  tile.local_store %x, %a[%n] : !mine, !buffer
  %y = tile.local_load %a[%n] at [0, 0] : !buffer -> !halves
  tile.return
}

// Copies: 16 rows of 16 bytes are 16 lanes of the first warp, which does not read the second half.
// CHECK-LABEL: tile.kernel @copied_by_the_first_warp
tile.kernel @copied_by_the_first_warp(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 2 : i64} {
  %a = tile.alloc {offset = 0 : i64} : !buffer
  %v = tile.view %p[%n] sizes[%n, %n] strides[%n, %n] : !tile.ptr<f16> -> !view
  tile.copy_async %v[%n, %n], %a[%n] by async16 : !view, !buffer
  tile.commit
  // CHECK: tile.wait 0
  // CHECK-NEXT: tile.barrier{{$}}
  tile.wait 0
  %y = tile.local_load %a[%n] at [0, 0] : !buffer -> !mine
  tile.return
}

// Memory that a buffer takes over from another was another warp's.
// CHECK-LABEL: tile.kernel @memory_of_another_buffer
tile.kernel @memory_of_another_buffer(%e: f16, %n: index) attributes {warps = 2 : i64} {
  %a = tile.alloc {offset = 0 : i64} : !buffer
  %b = tile.alloc {offset = 128 : i64} : !buffer
  %x = tile.splat %e : f16 -> !mine
  // CHECK: tile.local_load
  // CHECK-NEXT: tile.barrier{{$}}
  // CHECK-NEXT: tile.local_store
  %y = tile.local_load %a[%n] at [0, 0] : !buffer -> !mine
  tile.local_store %x, %b[%n] : !mine, !buffer
  tile.return
}

// A barrier of the warps does not stand in front of one of the block: accesses to shared memory wait here, too.
// CHECK-LABEL: tile.kernel @one_for_both
tile.kernel @one_for_both(%e: f16, %n: index) attributes {warps = 2 : i64} {
  %a = tile.alloc {offset = 0 : i64} : !buffer
  %b = tile.alloc {offset = 1024 : i64} : !buffer
  %x = tile.splat %e : f16 -> !mine
  tile.local_store %x, %a[%n] : !mine, !buffer
  tile.local_store %x, %b[%n] : !mine, !buffer
  // CHECK: tile.barrier{{$}}
  // CHECK-NEXT: tile.local_load
  // CHECK-NEXT: tile.local_load
  %y = tile.local_load %a[%n] at [0, 0] : !buffer -> !mine
  %z = tile.local_load %b[%n] at [0, 0] : !buffer -> !halves
  tile.return
}

// A conversion inside of warps: what follows overwrites its scratch when the warp has read it.
// CHECK-LABEL: tile.kernel @conversion_in_warps
tile.kernel @conversion_in_warps(%e: f16, %n: index) attributes {warps = 2 : i64} {
  %x = tile.splat %e : f16 -> !mine
  // CHECK: scf.for
  // CHECK-NEXT: tile.barrier warp
  // CHECK-NEXT: tile.convert_layout
  // CHECK-NEXT: {{^ *}$}}
  scf.for %i = %n to %n step %n {
    %y = tile.convert_layout %x {offset = 0 : i64} : !mine -> !turned
  }
  tile.return
}
