// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts))' | FileCheck %s

// The fragments of mma.m16n8k16 (PTX ISA, "Matrix Fragments for mma.m16n8k16"), repeated over the
// tile. A lane holds two neighbours, eight rows further down, eight columns to the right.
// CHECK-DAG: #[[A:.*]] = #tile.layout<"register: 2*[0,1] 2*[8,0] 2*[0,8]; lane: 4*[0,2] 8*[1,0]; warp: 4*[16,0] -> [64, 16]">
// CHECK-DAG: #[[B:.*]] = #tile.layout<"register: 2*[1,0] 2*[8,0] 8*[0,8]; lane: 4*[2,0] 8*[0,1]; warp: 4*[0,0] -> [16, 64]">
// CHECK-DAG: #[[ACC:.*]] = #tile.layout<"register: 2*[0,1] 2*[8,0] 8*[0,8]; lane: 4*[0,2] 8*[1,0]; warp: 4*[16,0] -> [64, 64]">
// Eight f16 side by side make a store of 16 bytes.
// CHECK-DAG: #[[WIDE:.*]] = #tile.layout<"register: 8*[0,1] 4*[16,0]; lane: 8*[0,8] 4*[1,0]; warp: 4*[4,0] -> [64, 64]">
// Two by two warps.
// CHECK-DAG: #[[A22:.*]] = #tile.layout<"register: 2*[0,1] 2*[8,0] 2*[0,8] 2*[16,0]; lane: 4*[0,2] 8*[1,0]; warp: 2*[32,0] 2*[0,0] -> [64, 16]">
// CHECK-DAG: #[[B22:.*]] = #tile.layout<"register: 2*[1,0] 2*[8,0] 4*[0,8]; lane: 4*[2,0] 8*[0,1]; warp: 2*[0,0] 2*[0,32] -> [16, 64]">
// CHECK-DAG: #[[ACC22:.*]] = #tile.layout<"register: 2*[0,1] 2*[8,0] 4*[0,8] 2*[16,0]; lane: 4*[0,2] 8*[1,0]; warp: 2*[32,0] 2*[0,32] -> [64, 64]">
// What lacks a dimension, and what a store asks for.
// CHECK-DAG: #[[ROW:.*]] = #tile.layout<"register: 2*[1] 2*[0] 8*[8]; lane: 4*[2] 8*[0]; warp: 4*[0] -> [64]">
// CHECK-DAG: #[[COLUMN:.*]] = #tile.layout<"register: 2*[0] 2*[8] 8*[0]; lane: 4*[0] 8*[1]; warp: 4*[16] -> [64]">
// CHECK-DAG: #[[STORE4:.*]] = #tile.layout<"register: 4*[0,1] 2*[16,0]; lane: 8*[0,4] 4*[1,0]; warp: 4*[4,0] -> [32, 32]">
// CHECK-DAG: #[[STORE1:.*]] = #tile.layout<"register: 8*[4,0]; lane: 32*[0,1]; warp: 4*[1,0] -> [32, 32]">

!in = !tile.view<2 x f16, unit = 1, alignment = 16>

// CHECK-LABEL: tile.kernel @accumulator_feeds_the_next_product_as_it_is
// With all warps along the rows the accumulator's layout is that of A: no conversion.
tile.kernel @accumulator_feeds_the_next_product_as_it_is(
    %o: !tile.ptr<f16> {tile.access = #tile.access<write>}, %n: index, %v: !tile.ptr<f16> {tile.access = #tile.access<read>})
    attributes {warps = 4 : i64} {
  %in = tile.view %v[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f16> -> !in
  // CHECK: %[[X:.*]] = tile.load {{.*}} -> tensor<64x16xf16, #[[A]]>
  %x = tile.load %in[%n, %n] : !in -> tensor<64x16xf16>
  // CHECK: %[[Y:.*]] = tile.load {{.*}} -> tensor<16x64xf16, #[[B]]>
  %y = tile.load %in[%n, %n] : !in -> tensor<16x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // CHECK: %[[C:.*]] = tile.dot %[[X]], %[[Y]], %{{.*}} : tensor<64x16xf16, #[[A]]>, tensor<16x64xf16, #[[B]]> -> tensor<64x64xf32, #[[ACC]]>
  %c = tile.dot %x, %y, %zero "mma.m16n8k16" warps [4, 1] : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
  // CHECK: %[[H:.*]] = arith.truncf %[[C]] : tensor<64x64xf32, #[[ACC]]> to tensor<64x64xf16, #[[ACC]]>
  %h = arith.truncf %c : tensor<64x64xf32> to tensor<64x64xf16>
  // CHECK-NOT: tile.convert_layout
  // CHECK: tile.slice %[[H]] at [0, 16] : tensor<64x64xf16, #[[ACC]]> -> tensor<64x16xf16, #[[A]]>
  %s = tile.slice %h at [0, 16] : tensor<64x64xf16> -> tensor<64x16xf16>
  // CHECK: tile.dot
  %d = tile.dot %s, %y, %c "mma.m16n8k16" warps [4, 1] : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
  %w = tile.view %o[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f16> -> !in
  %f = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xf16>
  // CHECK-NOT: tile.convert_layout
  // CHECK: tile.store %{{.*}} : tensor<64x64xf16, #[[ACC]]>
  tile.store %f, %w[%n, %n] : tensor<64x64xf16>, !in
  tile.return
}

// CHECK-LABEL: tile.kernel @columns_over_warps_need_a_conversion
tile.kernel @columns_over_warps_need_a_conversion(
    %o: !tile.ptr<f16> {tile.access = #tile.access<write>}, %n: index, %e: f16)
    attributes {warps = 4 : i64} {
  %x = tile.splat %e : f16 -> tensor<64x16xf16>
  %y = tile.splat %e : f16 -> tensor<16x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // CHECK: %[[C:.*]] = tile.dot {{.*}} : tensor<64x16xf16, #[[A22]]>, tensor<16x64xf16, #[[B22]]> -> tensor<64x64xf32, #[[ACC22]]>
  %c = tile.dot %x, %y, %zero "mma.m16n8k16" warps [2, 2] : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
  // CHECK: %[[H:.*]] = arith.truncf
  %h = arith.truncf %c : tensor<64x64xf32> to tensor<64x64xf16>
  // The whole value is converted, once, and cut afterwards.
  // CHECK: %[[T:.*]] = tile.convert_layout %[[H]] : tensor<64x64xf16, #[[ACC22]]> ->
  // CHECK-NOT: tile.convert_layout
  // CHECK: tile.slice %[[T]] at [0, 16] {{.*}} -> tensor<64x16xf16, #[[A22]]>
  %s = tile.slice %h at [0, 16] : tensor<64x64xf16> -> tensor<64x16xf16>
  %d = tile.dot %s, %y, %c "mma.m16n8k16" warps [2, 2] : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
  // CHECK: tile.slice %[[T]] at [0, 32]
  %t = tile.slice %h at [0, 32] : tensor<64x64xf16> -> tensor<64x16xf16>
  %g = tile.dot %t, %y, %d "mma.m16n8k16" warps [2, 2] : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
  %f = arith.truncf %g : tensor<64x64xf32> to tensor<64x64xf16>
  %w = tile.view %o[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f16> -> !in
  tile.store %f, %w[%n, %n] : tensor<64x64xf16>, !in
  tile.return
}

// CHECK-LABEL: tile.kernel @vectorized_store_converts_once_before_it
tile.kernel @vectorized_store_converts_once_before_it(
    %o: !tile.ptr<f16> {tile.access = #tile.access<write>}, %n: index, %e: f16, %v: !tile.ptr<f16> {tile.access = #tile.access<read>})
    attributes {warps = 4 : i64} {
  %x = tile.splat %e : f16 -> tensor<64x16xf16>
  %y = tile.splat %e : f16 -> tensor<16x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c = tile.dot %x, %y, %zero "mma.m16n8k16" warps [4, 1] : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
  %h = arith.truncf %c : tensor<64x64xf32> to tensor<64x64xf16>
  // What is read beside the accumulator comes in the accumulator's layout.
  // CHECK: %[[R:.*]] = tile.load {{.*}} -> tensor<64x64xf16, #[[ACC]]>
  %in = tile.view %v[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f16> -> !in
  %r = tile.load %in[%n, %n] : !in -> tensor<64x64xf16>
  // CHECK: %[[G:.*]] = arith.addf %{{.*}}, %[[R]] : tensor<64x64xf16, #[[ACC]]>
  %g = arith.addf %h, %r : tensor<64x64xf16>
  %w = tile.view %o[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f16> -> !in
  // CHECK: %[[T:.*]] = tile.convert_layout %[[G]] : tensor<64x64xf16, #[[ACC]]> -> tensor<64x64xf16, #[[WIDE]]>
  // CHECK-NEXT: tile.store %[[T]], {{.*}}vectorize
  tile.store %g, %w[%n, %n] {vectorize} : tensor<64x64xf16>, !in
  tile.return
}

// CHECK-LABEL: tile.kernel @loop_carries_the_accumulator_layout
tile.kernel @loop_carries_the_accumulator_layout(
    %o: !tile.ptr<f32> {tile.access = #tile.access<write>}, %n: index, %e: f16)
    attributes {warps = 4 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #[[ACC]]>
  // CHECK: scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[ZERO]]) -> (tensor<64x64xf32, #[[ACC]]>) {
  %r = scf.for %i = %n to %n step %n iter_args(%sum = %zero) -> tensor<64x64xf32> {
    %x = tile.splat %e : f16 -> tensor<64x16xf16>
    %y = tile.splat %e : f16 -> tensor<16x64xf16>
    // CHECK: tile.dot %{{.*}}, %{{.*}}, %[[SUM]] {{.*}} -> tensor<64x64xf32, #[[ACC]]>
    %c = tile.dot %x, %y, %sum "mma.m16n8k16" warps [4, 1] : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
    scf.yield %c : tensor<64x64xf32>
  }
  %w = tile.view %o[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f32> -> !tile.view<2 x f32, unit = 1, alignment = 16>
  // CHECK: tile.store {{.*}} : tensor<64x64xf32, #[[ACC]]>
  tile.store %r, %w[%n, %n] : tensor<64x64xf32>, !tile.view<2 x f32, unit = 1, alignment = 16>
  tile.return
}

// A fragment that the outer loop only passes to the inner one has the layout that the contraction there needs.
// CHECK-LABEL: tile.kernel @two_loops_carry_a_fragment
tile.kernel @two_loops_carry_a_fragment(
    %o: !tile.ptr<f32> {tile.access = #tile.access<write>}, %n: index, %e: f16)
    attributes {warps = 4 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %first = tile.splat %e : f16 -> tensor<64x16xf16>
  // CHECK: scf.for {{.*}} -> (tensor<64x64xf32, #[[ACC]]>, tensor<64x16xf16, #[[FRAGMENT:.*]]>) {
  %r:2 = scf.for %i = %n to %n step %n iter_args(%sum = %zero, %x = %first) -> (tensor<64x64xf32>, tensor<64x16xf16>) {
    // CHECK: scf.for {{.*}} -> (tensor<64x64xf32, #[[ACC]]>, tensor<64x16xf16, #[[FRAGMENT]]>) {
    %s:2 = scf.for %j = %n to %n step %n iter_args(%inner = %sum, %z = %x) -> (tensor<64x64xf32>, tensor<64x16xf16>) {
      %y = tile.splat %e : f16 -> tensor<16x64xf16>
      %c = tile.dot %z, %y, %inner "mma.m16n8k16" warps [4, 1] : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
      %next = tile.splat %e : f16 -> tensor<64x16xf16>
      scf.yield %c, %next : tensor<64x64xf32>, tensor<64x16xf16>
    }
    %again = tile.splat %e : f16 -> tensor<64x16xf16>
    scf.yield %s#0, %again : tensor<64x64xf32>, tensor<64x16xf16>
  }
  %w = tile.view %o[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f32> -> !tile.view<2 x f32, unit = 1, alignment = 16>
  tile.store %r#0, %w[%n, %n] : tensor<64x64xf32>, !tile.view<2 x f32, unit = 1, alignment = 16>
  tile.return
}

// A row vector and a scalar that are added to the accumulator come in its layout, less the
// dimensions that they lack.
// CHECK-LABEL: tile.kernel @broadcast_takes_the_layout_of_its_user
tile.kernel @broadcast_takes_the_layout_of_its_user(
    %o: !tile.ptr<f32> {tile.access = #tile.access<write>}, %n: index, %e: f16, %v: !tile.ptr<f32> {tile.access = #tile.access<read>})
    attributes {warps = 4 : i64} {
  %x = tile.splat %e : f16 -> tensor<64x16xf16>
  %y = tile.splat %e : f16 -> tensor<16x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c = tile.dot %x, %y, %zero "mma.m16n8k16" warps [4, 1] : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
  %in = tile.view %v[%n] sizes [%n] strides [%n] : !tile.ptr<f32> -> !tile.view<1 x f32, unit = 0, alignment = 16>
  // CHECK: tile.load {{.*}} -> tensor<64xf32, #[[ROW]]>
  %row = tile.load %in[%n] : !tile.view<1 x f32, unit = 0, alignment = 16> -> tensor<64xf32>
  %rows = tile.broadcast %row along [0] : tensor<64xf32> -> tensor<64x64xf32>
  // CHECK: tile.load {{.*}} -> tensor<64xf32, #[[COLUMN]]>
  %column = tile.load %in[%n] : !tile.view<1 x f32, unit = 0, alignment = 16> -> tensor<64xf32>
  %columns = tile.broadcast %column along [1] : tensor<64xf32> -> tensor<64x64xf32>
  %s = arith.addf %c, %rows : tensor<64x64xf32>
  %t = arith.mulf %s, %columns : tensor<64x64xf32>
  %w = tile.view %o[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f32> -> !tile.view<2 x f32, unit = 1, alignment = 16>
  tile.store %t, %w[%n, %n] : tensor<64x64xf32>, !tile.view<2 x f32, unit = 1, alignment = 16>
  tile.return
}

// Without a product the store decides.
// CHECK-LABEL: tile.kernel @store_decides_where_nothing_else_does
tile.kernel @store_decides_where_nothing_else_does(
    %o: !tile.ptr<f32> {tile.access = #tile.access<write>}, %n: index, %e: f32)
    attributes {warps = 4 : i64} {
  %x = tile.splat %e : f32 -> tensor<32x32xf32>
  %w = tile.view %o[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f32> -> !tile.view<2 x f32, unit = 1, alignment = 16>
  // CHECK: tile.store {{.*}} : tensor<32x32xf32, #[[STORE4]]>
  tile.store %x, %w[%n, %n] : tensor<32x32xf32>, !tile.view<2 x f32, unit = 1, alignment = 16>
  %u = tile.view %o[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f32> -> !tile.view<2 x f32, unit = -1, alignment = 4>
  // The value is made a second time, in the layout of this store.
  // CHECK: tile.store {{.*}} : tensor<32x32xf32, #[[STORE1]]>
  tile.store %x, %u[%n, %n] : tensor<32x32xf32>, !tile.view<2 x f32, unit = -1, alignment = 4>
  tile.return
}

// CHECK-LABEL: tile.kernel @generic_form_has_nothing_to_lay_out
tile.kernel @generic_form_has_nothing_to_lay_out(%o: !tile.ptr<f32> {tile.access = #tile.access<write>}, %e: f32)
    attributes {warps = 4 : i64} {
  // CHECK-NEXT: tile.thread_id
  %i = tile.thread_id
  // CHECK-NEXT: tile.element_store
  tile.element_store %e, %o[%i] : f32, !tile.ptr<f32>
  // CHECK-NEXT: tile.return
  tile.return
}

// The reduced tile has the contraction's layout and its rows that layout without the columns, so that repeating them costs
// nothing; the other contraction has fewer columns, hence fewer registers that hold the same.
// CHECK-LABEL: tile.kernel @reduced_product
tile.kernel @reduced_product(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 1 : i64} {
  %v = tile.view %p[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  %a = tile.load %v[%n, %n] : !tile.view<2 x f16, unit = 1, alignment = 16> -> tensor<16x16xf16>
  %b = tile.load %v[%n, %n] : !tile.view<2 x f16, unit = 1, alignment = 16> -> tensor<16x8xf16>
  %wide = arith.constant dense<0.0> : tensor<16x16xf32>
  %narrow = arith.constant dense<0.0> : tensor<16x8xf32>
  // CHECK: %[[DOT:.*]] = tile.dot {{.*}} -> tensor<16x16xf32, #[[ACC:.*]]>
  %d = tile.dot %a, %a, %wide "mma.m16n8k16" warps [1, 1] : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  // CHECK: %[[SUM:.*]] = tile.reduce addf %[[DOT]] along 1 : tensor<16x16xf32, #[[ACC]]> -> tensor<16xf32, #[[ROW:.*]]>
  // CHECK: %[[RENAMED:.*]] = tile.convert_layout %[[SUM]] : tensor<16xf32, #[[ROW]]> -> tensor<16xf32, #[[FEWER:.*]]>
  %s = tile.reduce addf %d along 1 : tensor<16x16xf32> -> tensor<16xf32>
  %e = tile.dot %a, %b, %narrow "mma.m16n8k16" warps [1, 1] : tensor<16x16xf16>, tensor<16x8xf16> -> tensor<16x8xf32>
  // CHECK: tile.broadcast %[[RENAMED]] along [1] : tensor<16xf32, #[[FEWER]]> -> tensor<16x8xf32, #{{.*}}>
  %r = tile.broadcast %s along [1] : tensor<16xf32> -> tensor<16x8xf32>
  %q = arith.divf %e, %r : tensor<16x8xf32>
  %h = arith.truncf %q : tensor<16x8xf32> to tensor<16x8xf16>
  tile.store %h, %v[%n, %n] : tensor<16x8xf16>, !tile.view<2 x f16, unit = 1, alignment = 16>
  tile.return
}

// Without a product what is reduced is laid out for the widest loads.
// CHECK-LABEL: tile.kernel @reduced_load
tile.kernel @reduced_load(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index,
                          %q: !tile.ptr<f32> {tile.access = #tile.access<write>}) attributes {warps = 1 : i64} {
  %v = tile.view %p[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  // CHECK: tile.load {{.*}} -> tensor<8x64xf16, #[[WIDE:.*]]>
  %a = tile.load %v[%n, %n] : !tile.view<2 x f16, unit = 1, alignment = 16> -> tensor<8x64xf16>
  %x = arith.extf %a : tensor<8x64xf16> to tensor<8x64xf32>
  // CHECK: tile.reduce addf {{.*}} : tensor<8x64xf32, #[[WIDE]]>
  %s = tile.reduce addf %x along 1 : tensor<8x64xf32> -> tensor<8xf32>
  %w = tile.view %q[%n] sizes [%n] strides [%n] : !tile.ptr<f32> -> !tile.view<1 x f32, unit = 0, alignment = 16>
  tile.store %s, %w[%n] : tensor<8xf32>, !tile.view<1 x f32, unit = 0, alignment = 16>
  tile.return
}
