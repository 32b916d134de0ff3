// Accesses to global memory that are aligned although rows are not, and evict-first accesses.
// RUN: fusion-opt %s --convert-tile-to-gpu -split-input-file | FileCheck %s

// Each lane loads the four words that its own begin in; the last one of a warp those behind as well.
#lanes = #tile.layout<"register: 4*[1]; lane: 32*[4] -> [128]">
!row = !tile.view<1 x f32, unit = 0, alignment = 4>
// CHECK-LABEL: gpu.func @realigned
// CHECK: %[[OFF:.*]] = arith.andi %{{.*}}, %c3 : index
// CHECK: arith.subi %{{.*}}, %[[OFF]]
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
// CHECK: arith.cmpi ne, %[[OFF]]
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
// CHECK-COUNT-4: gpu.shuffle idx
// CHECK: vector.store
tile.kernel @realigned(%p: !tile.ptr<f32> {tile.access = #tile.access<read>}, %q: !tile.ptr<f32> {tile.access = #tile.access<write>}, %n: index) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %p[%c0] sizes [%n] strides [%c1] : !tile.ptr<f32> -> !row
  %x = tile.load %v[%n] {ragged, misaligned = 4, within = 1000} : !row -> tensor<128xf32, #lanes>
  %w = tile.view %q[%c0] sizes [%n] strides [%c1] : !tile.ptr<f32> -> !tile.view<1 x f32, unit = 0, alignment = 16>
  tile.store %x, %w[%c0] {in_bounds = array<i1: true>} : tensor<128xf32, #lanes>, !tile.view<1 x f32, unit = 0, alignment = 16>
  tile.return
}

// -----

// With two registers in a warp, the last lane's first register gets its missing elements from the first lane's second one; only after both registers there is nothing. Stores go the other way: each lane stores the piece that its own begins in. Of both ends the first lanes store an element each;
// what crosses an end of the tensor's row is stored in halves.
#lanes = #tile.layout<"register: 4*[1] 2*[128]; lane: 32*[4] -> [256]">
!row = !tile.view<1 x f32, unit = 0, alignment = 4>
// CHECK-LABEL: gpu.func @realigned_registers
// CHECK-COUNT-3: vector.load {{.*}} {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
// CHECK-NOT: vector.load
// CHECK-COUNT-16: gpu.shuffle idx
// CHECK-NOT: gpu.shuffle
// CHECK: vector.store {{.*}} {alignment = 4 : i64} : memref<?xf32>, vector<1xf32>
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
// CHECK: vector.store {{.*}} {alignment = 8 : i64} : memref<?xf32>, vector<2xf32>
// CHECK: vector.store {{.*}} {alignment = 4 : i64} : memref<?xf32>, vector<1xf32>
// CHECK-COUNT-8: gpu.shuffle idx
// CHECK-NOT: gpu.shuffle
// CHECK: vector.store {{.*}} {alignment = 4 : i64} : memref<?xf32>, vector<1xf32>
// CHECK: gpu.return
tile.kernel @realigned_registers(%p: !tile.ptr<f32> {tile.access = #tile.access<read>}, %q: !tile.ptr<f32> {tile.access = #tile.access<write>}, %n: index) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %p[%n] sizes [%n] strides [%c1] : !tile.ptr<f32> -> !row
  %x = tile.load %v[%c0] {in_bounds = array<i1: true>, ragged, misaligned = 4, within = 1000} : !row -> tensor<256xf32, #lanes>
  %w = tile.view %q[%n] sizes [%n] strides [%c1] : !tile.ptr<f32> -> !row
  tile.store %x, %w[%c0] {ragged, misaligned = 4} : tensor<256xf32, #lanes>, !row
  tile.return
}

// -----

// Two lanes along a row are not enough for the four elements of a piece: each stores its own.
#lanes = #tile.layout<"register: 4*[0,1]; lane: 2*[0,4] 16*[1,0] -> [16,8]">
!rows = !tile.view<2 x f32, unit = 1, alignment = 4>
// CHECK-LABEL: gpu.func @few_lanes
// CHECK-COUNT-4: gpu.shuffle idx
// CHECK-NOT: gpu.shuffle
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
// CHECK: gpu.return
tile.kernel @few_lanes(%p: !tile.ptr<f32> {tile.access = #tile.access<write>}, %n: index) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<16x8xf32, #lanes>
  %w = tile.view %p[%c1] sizes [%n, %n] strides [%n, %c1] : !tile.ptr<f32> -> !rows
  tile.store %x, %w[%c0, %c0] {ragged, misaligned = 4} : tensor<16x8xf32, #lanes>, !rows
  tile.return
}

// -----

#lanes = #tile.layout<"register: 8*[1]; lane: 32*[8] -> [256]">
!row = !tile.view<1 x f16, unit = 0, alignment = 16>
// CHECK-LABEL: gpu.func @streamed
// CHECK: llvm.inline_asm has_side_effects "ld.global.L1::no_allocate.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l"
// CHECK: llvm.inline_asm has_side_effects "st.global.cs.v4.b32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r"
tile.kernel @streamed(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %q: !tile.ptr<f16> {tile.access = #tile.access<write>}, %n: index) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %p[%c0] sizes [%n] strides [%c1] : !tile.ptr<f16> -> !row
  %x = tile.load %v[%c0] {in_bounds = array<i1: true>, evict_first} : !row -> tensor<256xf16, #lanes>
  %w = tile.view %q[%c0] sizes [%n] strides [%c1] : !tile.ptr<f16> -> !row
  tile.store %x, %w[%c0] {in_bounds = array<i1: true>, evict_first} : tensor<256xf16, #lanes>, !row
  tile.return
}

// -----

// Tiles that are aligned begin before their rows: of numbers that may be negative nothing says that unsigned ones do not wrap, which
// would leave all that depends on them undefined.
#unit_first = #tile.layout<"register: 2*[1, 0]; lane: 32*[2, 0] -> [64, 1]">
!columns = !tile.view<2 x f32, unit = 0, alignment = 8>
// CHECK-LABEL: gpu.func @before_rows
// CHECK: arith.muli %{{.*}}, %c1 : index
// CHECK-NEXT: %[[AT:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK-NEXT: %[[MOVED:.*]] = arith.muli %{{.*}}, %c77 overflow<nsw, nuw> : index
// CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[AT]], %[[MOVED]] overflow<nsw> : index
// CHECK: arith.addi %[[SUM]], %{{.*}} overflow<nsw> : index
tile.kernel @before_rows(%p: !tile.ptr<f32> {tile.access = #tile.access<read>}, %q: !tile.ptr<f32> {tile.access = #tile.access<write>}, %n: index) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c77 = arith.constant 77 : index
  %v = tile.view %p[%c0] sizes [%n, %n] strides [%c1, %c77] : !tile.ptr<f32> -> !columns
  %x = tile.load %v[%n, %n] {in_bounds = array<i1: false, true>, ragged} : !columns -> tensor<64x1xf32, #unit_first>
  %w = tile.view %q[%c0] sizes [%n, %n] strides [%c1, %c77] : !tile.ptr<f32> -> !columns
  tile.store %x, %w[%c0, %c0] {in_bounds = array<i1: true, true>} : tensor<64x1xf32, #unit_first>, !columns
  tile.return
}

// CHECK-LABEL: gpu.func @places_before_rows
// CHECK: %[[START:.*]] = arith.subi
// CHECK: %[[FIRST:.*]] = arith.addi %[[START]], %{{.*}} overflow<nsw> : index
// CHECK: arith.addi %[[FIRST]], %{{.*}} overflow<nsw> : index
tile.kernel @places_before_rows(%q: !tile.ptr<f32> {tile.access = #tile.access<write>}, %n: index) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %start = arith.subi %n, %c3 : index
  %i = tile.iota %start along 0 : tensor<64xindex, #tile.layout<"register: 2*[1]; lane: 32*[2] -> [64]">>
  %j = arith.index_cast %i : tensor<64xindex, #tile.layout<"register: 2*[1]; lane: 32*[2] -> [64]">> to tensor<64xi32, #tile.layout<"register: 2*[1]; lane: 32*[2] -> [64]">>
  %f = arith.sitofp %j : tensor<64xi32, #tile.layout<"register: 2*[1]; lane: 32*[2] -> [64]">> to tensor<64xf32, #tile.layout<"register: 2*[1]; lane: 32*[2] -> [64]">>
  %w = tile.view %q[%c0] sizes [%n] strides [%c1] : !tile.ptr<f32> -> !tile.view<1 x f32, unit = 0, alignment = 8>
  tile.store %f, %w[%c0] {in_bounds = array<i1: true>} : tensor<64xf32, #tile.layout<"register: 2*[1]; lane: 32*[2] -> [64]">>, !tile.view<1 x f32, unit = 0, alignment = 8>
  tile.return
}
