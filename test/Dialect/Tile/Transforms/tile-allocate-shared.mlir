// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-allocate-shared))' | FileCheck %s

!small = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
!big = !tile.buffer<2, 64, 64, f16, <"offset: 64*[0,1] 64*[1,0] -> [64, 64]">>
!odd = !tile.buffer<1, 3, 8, f16, <"offset: 8*[0,1] 3*[1,0] -> [3, 8]">>

// CHECK-LABEL: tile.kernel @beside_each_other
// CHECK-SAME: shared_memory = 16640 : i64
tile.kernel @beside_each_other() attributes {warps = 1 : i64} {
  // CHECK: tile.alloc {offset = 0 : i64} : <1, 8, 8
  %a = tile.alloc : !small
  // All stages of a buffer: 2 x 64 x 64 x 2 bytes.
  // CHECK: tile.alloc {offset = 128 : i64} : <2, 64, 64
  %b = tile.alloc : !big
  // CHECK: tile.alloc {offset = 16512 : i64} : <1, 8, 8
  %c = tile.alloc : !small
  tile.free %a : !small
  tile.free %b : !big
  tile.free %c : !small
  tile.return
}

// CHECK-LABEL: tile.kernel @freed_memory_is_used_again
// CHECK-SAME: shared_memory = 16512 : i64
tile.kernel @freed_memory_is_used_again() attributes {warps = 1 : i64} {
  // CHECK: tile.alloc {offset = 0 : i64} : <1, 8, 8
  %a = tile.alloc : !small
  // CHECK: tile.alloc {offset = 128 : i64} : <2, 64, 64
  %b = tile.alloc : !big
  tile.free %b : !big
  // CHECK: tile.alloc {offset = 128 : i64} : <2, 64, 64
  %c = tile.alloc : !big
  tile.free %a : !small
  // The lowest hole that is large enough.
  // CHECK: tile.alloc {offset = 0 : i64} : <1, 8, 8
  %d = tile.alloc : !small
  tile.return
}

// CHECK-LABEL: tile.kernel @never_freed_lives_to_the_end
// CHECK-SAME: shared_memory = 256 : i64
tile.kernel @never_freed_lives_to_the_end() attributes {warps = 1 : i64} {
  // CHECK: offset = 0
  %a = tile.alloc : !small
  // CHECK: offset = 128
  %b = tile.alloc : !small
  tile.return
}

// 48 bytes take a line of 128.
// CHECK-LABEL: tile.kernel @lines_of_128_bytes
// CHECK-SAME: shared_memory = 256 : i64
tile.kernel @lines_of_128_bytes() attributes {warps = 1 : i64} {
  // CHECK: offset = 0
  %a = tile.alloc : !odd
  // CHECK: offset = 128
  %b = tile.alloc : !odd
  tile.return
}

// CHECK-LABEL: tile.kernel @nothing
// CHECK-SAME: shared_memory = 0 : i64
tile.kernel @nothing() attributes {warps = 1 : i64} {
  tile.return
}

#acc = #tile.layout<"register: 2*[0,1] 2*[8,0] 2*[0,8]; lane: 4*[0,2] 8*[1,0] -> [16, 16]">
#renamed = #tile.layout<"register: 2*[0,8] 2*[8,0] 2*[0,1]; lane: 4*[0,2] 8*[1,0] -> [16, 16]">
#rows = #tile.layout<"register: 8*[0,1]; lane: 2*[0,8] 16*[1,0] -> [16, 16]">

// CHECK-LABEL: tile.kernel @conversion_through_shared_memory
// CHECK-SAME: shared_memory = 640 : i64
tile.kernel @conversion_through_shared_memory(%e: f16) attributes {warps = 1 : i64} {
  %x = tile.splat %e : f16 -> tensor<16x16xf16, #acc>
  // CHECK: tile.alloc {offset = 0 : i64}
  %a = tile.alloc : !small
  // 16 x 16 x 2 bytes of scratch, beside the buffer that lives.
  // CHECK: tile.convert_layout %{{.*}} {offset = 128 : i64}
  %y = tile.convert_layout %x : tensor<16x16xf16, #acc> -> tensor<16x16xf16, #rows>
  tile.free %a : !small
  // And in its place where it is freed.
  // CHECK: tile.convert_layout %{{.*}} {offset = 0 : i64}
  %z = tile.convert_layout %x : tensor<16x16xf16, #acc> -> tensor<16x16xf16, #rows>
  tile.return
}

// CHECK-LABEL: tile.kernel @renaming_of_registers_needs_no_scratch
// CHECK-SAME: shared_memory = 0 : i64
tile.kernel @renaming_of_registers_needs_no_scratch(%e: f16) attributes {warps = 1 : i64} {
  %x = tile.splat %e : f16 -> tensor<16x16xf16, #acc>
  // CHECK: tile.convert_layout
  // CHECK-NOT: offset
  %y = tile.convert_layout %x : tensor<16x16xf16, #acc> -> tensor<16x16xf16, #renamed>
  tile.return
}

#halves = #tile.layout<"register: 2*[0,1] 2*[8,0] 2*[0,8]; lane: 4*[0,2] 8*[1,0]; warp: 2*[0,16] -> [16, 32]">
#row = #tile.layout<"register: 2*[0] 2*[8] 2*[0]; lane: 4*[0] 8*[1]; warp: 2*[0] -> [16]">
#column = #tile.layout<"register: 2*[1] 2*[0] 2*[8]; lane: 4*[2] 8*[0]; warp: 2*[16] -> [32]">

// CHECK-LABEL: tile.kernel @reduction_over_warps
// CHECK-SAME: shared_memory = 128 : i64
tile.kernel @reduction_over_warps(%e: f32) attributes {warps = 2 : i64} {
  %x = tile.splat %e : f32 -> tensor<16x32xf32, #halves>
  // Two warps hold a half of each of the 16 rows.
  // CHECK: tile.reduce addf %{{.*}} along 1 {offset = 0 : i64}
  %r = tile.reduce addf %x along 1 : tensor<16x32xf32, #halves> -> tensor<16xf32, #row>
  // Every column lies in one of them.
  // CHECK: tile.reduce addf %{{.*}} along 0 :
  %c = tile.reduce addf %x along 0 : tensor<16x32xf32, #halves> -> tensor<32xf32, #column>
  tile.return
}
