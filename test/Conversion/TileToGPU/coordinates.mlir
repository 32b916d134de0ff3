// Coordinates of a thread's registers are compared by the constants in which they differ: one difference in 32 bits, that what is further
// away than these hold does not change.
// RUN: fusion-opt %s --convert-tile-to-gpu -split-input-file | FileCheck %s
// RUN: fusion-opt %s --convert-tile-to-gpu -split-input-file --canonicalize --cse | FileCheck %s --check-prefix=ONCE

#rows = #tile.layout<"register: 2*[0,1] 2*[8,0] 2*[0,8]; lane: 4*[0,2] 8*[1,0] -> [16, 16]">

// CHECK-LABEL: gpu.func @triangle
// CHECK: %[[APART:.*]] = arith.subi %{{.*}}, %{{.*}} overflow<nsw> : index
// CHECK: %[[ABOVE:.*]] = arith.maxsi %[[APART]], %c-2147483648 : index
// CHECK: %[[BOTH:.*]] = arith.minsi %[[ABOVE]], %c2147483647 : index
// CHECK: %[[NARROW:.*]] = arith.index_cast %[[BOTH]] : index to i32
// CHECK: %[[D:.*]] = llvm.inline_asm "", "=r,0" %[[NARROW]]
// CHECK-COUNT-8: arith.cmpi sle, %[[D]], %{{.*}} : i32
// CHECK-NOT: arith.cmpi
// ONCE-LABEL: gpu.func @triangle
// The columns and rows of eight registers: differences of 0, -1, 8, 7, -8 and -9.
// ONCE-COUNT-6: arith.cmpi sle
// ONCE-NOT: arith.cmpi
tile.kernel @triangle(%p: !tile.ptr<f32> {tile.access = #tile.access<read>}, %q: !tile.ptr<f32> {tile.access = #tile.access<write>}, %n: index) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %v = tile.view %p[%c0] sizes [%n, %n] strides [%c16, %c1] : !tile.ptr<f32> -> !tile.view<2 x f32, unit = 1, alignment = 16>
  %x = tile.load %v[%c0, %c0] {in_bounds = array<i1: true, true>} : !tile.view<2 x f32, unit = 1, alignment = 16> -> tensor<16x16xf32, #rows>
  %i = tile.iota %n along 0 : tensor<16x16xindex, #rows>
  %j = tile.iota %c0 along 1 : tensor<16x16xindex, #rows>
  %inside = arith.cmpi sle, %j, %i : tensor<16x16xindex, #rows>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #rows>
  %y = arith.select %inside, %x, %zero : tensor<16x16xi1, #rows>, tensor<16x16xf32, #rows>
  %w = tile.view %q[%c0] sizes [%n, %n] strides [%c16, %c1] : !tile.ptr<f32> -> !tile.view<2 x f32, unit = 1, alignment = 16>
  tile.store %y, %w[%c0, %c0] {in_bounds = array<i1: true, true>} : tensor<16x16xf32, #rows>, !tile.view<2 x f32, unit = 1, alignment = 16>
  tile.return
}

// -----

// Unsigned comparisons say nothing of differences. What is the same for all columns is compared once, and elements of 16 bits that share
// their condition are chosen two at a time.
#rows = #tile.layout<"register: 2*[0,1] 2*[8,0] 2*[0,8]; lane: 4*[0,2] 8*[1,0] -> [16, 16]">

// ONCE-LABEL: gpu.func @rows
// CHECK-LABEL: gpu.func @rows
// CHECK-COUNT-2: arith.cmpi ult, %{{.*}}, %{{.*}} : index
// CHECK-NOT: arith.cmpi
// CHECK-COUNT-4: arith.select %{{.*}} : i32
// CHECK-NOT: arith.select
tile.kernel @rows(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %q: !tile.ptr<f16> {tile.access = #tile.access<write>}, %n: index) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %v = tile.view %p[%c0] sizes [%n, %n] strides [%c16, %c1] : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  %x = tile.load %v[%c0, %c0] {in_bounds = array<i1: true, true>} : !tile.view<2 x f16, unit = 1, alignment = 16> -> tensor<16x16xf16, #rows>
  %i = tile.iota %n along 0 : tensor<16x16xindex, #rows>
  %five = arith.constant dense<5> : tensor<16x16xindex, #rows>
  %inside = arith.cmpi ult, %i, %five : tensor<16x16xindex, #rows>
  %zero = arith.constant dense<0.0> : tensor<16x16xf16, #rows>
  %y = arith.select %inside, %x, %zero : tensor<16x16xi1, #rows>, tensor<16x16xf16, #rows>
  %w = tile.view %q[%c0] sizes [%n, %n] strides [%c16, %c1] : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  tile.store %y, %w[%c0, %c0] {in_bounds = array<i1: true, true>} : tensor<16x16xf16, #rows>, !tile.view<2 x f16, unit = 1, alignment = 16>
  tile.return
}
