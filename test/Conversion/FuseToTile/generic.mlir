// The generic form: a thread computes one point of the result, with all reductions as loops.
// RUN: fusion-opt %s --fuse-search-schedules --fuse-complete-schedules --fuse-lower-to-tile | FileCheck %s

// CHECK-LABEL: func.func @elementwise
// CHECK: %[[POINTS:.*]] = arith.muli
// CHECK: %[[GRID:.*]] = arith.ceildivui %{{.*}}, %{{.*}}
// CHECK: tile.launch @elementwise_stitch_0 grid(%[[GRID]]) ins(%{{.*}} : tensor<33x7xf32>) outs(%{{.*}} : tensor<33x7xf32>) {predicted = {global_load_bytes = 924 : i64, global_store_bytes = 924 : i64, shared_memory = 0 : i64, us = {{.*}}}, schedule = #fuse.schedule<version = 2, mapping = <warps = 8>>}
func.func @elementwise(%a: tensor<33x7xf32>, %o: tensor<33x7xf32>) -> tensor<33x7xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<33x7xf32>) outs(%p = %o : tensor<33x7xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 8>>} {
    %e = linalg.exp ins(%x : tensor<33x7xf32>) outs(%p : tensor<33x7xf32>) -> tensor<33x7xf32>
    fuse.yield %e : tensor<33x7xf32>
  } -> tensor<33x7xf32>
  return %r : tensor<33x7xf32>
}

// Sizes that are not known come as arguments, one for each dimension of each operand.
// CHECK-LABEL: func.func @dynamic_sum_of_rows
// CHECK-SAME: (%[[A:.*]]: tensor<?x?xf32>, %[[O:.*]]: tensor<?xf32>)
// CHECK-DAG: %[[GRIDROWS:.*]] = tensor.dim %[[O]]
// CHECK: tile.launch @dynamic_sum_of_rows_stitch_0 {{.*}} sizes(%{{.*}}, %{{.*}}, %{{.*}})
func.func @dynamic_sum_of_rows(%a: tensor<?x?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<?x?xf32>) outs(%p = %o : tensor<?xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 8>>} {
    %z = arith.constant 0.0 : f32
    %f = linalg.fill ins(%z : f32) outs(%p : tensor<?xf32>) -> tensor<?xf32>
    %e = linalg.reduce { arith.addf } ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
    fuse.yield %e : tensor<?xf32>
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @gather
func.func @gather(%t: tensor<100x8xf32>, %i: tensor<5xi32>, %o: tensor<5x8xf32>) -> tensor<5x8xf32> {
  %r = fuse.stitch ins(%x = %i : tensor<5xi32>, %y = %t : tensor<100x8xf32>) outs(%p = %o : tensor<5x8xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 8>>} {
    %e = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r, c)>], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<5xi32>) outs(%p : tensor<5x8xf32>) {
    ^bb0(%u: i32, %v: f32):
      %row = arith.index_cast %u : i32 to index
      %c = linalg.index 1 : index
      %s = tensor.extract %y[%row, %c] : tensor<100x8xf32>
      linalg.yield %s : f32
    } -> tensor<5x8xf32>
    fuse.yield %e : tensor<5x8xf32>
  } -> tensor<5x8xf32>
  return %r : tensor<5x8xf32>
}

// A result that adds to what was there reads it.
// CHECK-LABEL: func.func @accumulates
func.func @accumulates(%a: tensor<8x16xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<8x16xf32>) outs(%p = %o : tensor<8xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 8>>} {
    %e = linalg.reduce { arith.addf } ins(%x : tensor<8x16xf32>) outs(%p : tensor<8xf32>) dimensions = [1]
    fuse.yield %e : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// Memory of any contents may be read as anything.
// CHECK-LABEL: func.func @empty_operand
func.func @empty_operand(%a: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<8xf32>) outs(%p = %o : tensor<8xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 8>>} {
    %y = tensor.empty() : tensor<8xf32>
    %e = linalg.add ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%p : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %e : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// Names of kernels are identifiers of PTX and unlike all others.
// CHECK-LABEL: func.func @"odd name.1"
// CHECK: tile.launch @odd_name_1_stitch_0_ grid
func.func @"odd name.1"(%a: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<8xf32>) outs(%p = %o : tensor<8xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 8>>} {
    %e = linalg.exp ins(%x : tensor<8xf32>) outs(%p : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %e : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
func.func private @odd_name_1_stitch_0()
// CHECK-LABEL: func.func @"1st"
// CHECK: tile.launch @_1st_stitch_0 grid
func.func @"1st"(%a: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<8xf32>) outs(%p = %o : tensor<8xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 8>>} {
    %e = linalg.exp ins(%x : tensor<8xf32>) outs(%p : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %e : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// Threads beyond the last point do nothing; the point is the number (row, column).
// CHECK-LABEL: tile.kernel @elementwise_stitch_0
// CHECK-SAME: warps = 8 : i64
// CHECK-DAG: %[[C256:.*]] = arith.constant 256 : index
// CHECK-DAG: %[[C7:.*]] = arith.constant 7 : index
// CHECK: %[[BLOCK:.*]] = tile.program_id
// CHECK: %[[FIRST:.*]] = arith.muli %[[BLOCK]], %[[C256]]
// CHECK: %[[THREAD:.*]] = tile.thread_id
// CHECK: %[[POINT:.*]] = arith.addi %[[FIRST]], %[[THREAD]]
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[POINT]]
// CHECK: scf.if %[[INSIDE]] {
// CHECK: arith.remui %[[POINT]], %[[C7]]
// CHECK: arith.divui %[[POINT]], %[[C7]]
// CHECK: tile.element_load
// CHECK: math.exp
// CHECK: tile.element_store

// CHECK-LABEL: tile.kernel @dynamic_sum_of_rows_stitch_0
// CHECK-SAME: (%[[PA:.*]]: !tile.ptr<f32> {{.*}}, %[[PO:.*]]: !tile.ptr<f32> {{.*}}, %[[ROWS:.*]]: index, %[[COLUMNS:.*]]: index, %{{.*}}: index)
// CHECK: scf.if
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[SUM:.*]] = scf.for %{{.*}} to %[[COLUMNS]] {{.*}} iter_args(%[[S:.*]] = %[[ZERO]]) -> (f32)
// CHECK: %[[X:.*]] = tile.element_load %[[PA]]
// CHECK: arith.addf
// CHECK: tile.element_store %[[SUM]], %[[PO]]

// CHECK-LABEL: tile.kernel @gather_stitch_0
// CHECK: %[[I:.*]] = tile.element_load {{.*}} -> i32
// CHECK: %[[R:.*]] = arith.index_cast %[[I]]
// CHECK: tile.element_load {{.*}} -> f32

// CHECK-LABEL: tile.kernel @accumulates_stitch_0
// CHECK: scf.if
// CHECK: %[[OLD:.*]] = tile.element_load %{{.*}} : <f32> -> f32
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[OLD]]) -> (f32)

// CHECK-LABEL: tile.kernel @empty_operand_stitch_0
// CHECK: scf.if
// CHECK-COUNT-1: tile.element_load
// CHECK-NOT: tile.element_load
// CHECK: arith.addf

// A thread computes what it reads of the other operators: the sum of its row for every element, and what several read
// once.
// CHECK-LABEL: tile.kernel @reduction_and_elementwise_stitch_0
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: math.sqrt
func.func @reduction_and_elementwise(%a: tensor<8x16xf32>, %o: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<8x16xf32>) outs(%p = %o : tensor<8x16xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 8>>} {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %sum = linalg.reduce { arith.addf } ins(%x : tensor<8x16xf32>) outs(%f : tensor<8xf32>) dimensions = [1]
    %root = linalg.sqrt ins(%sum : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>,
                                          affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %sum, %root : tensor<8x16xf32>, tensor<8xf32>, tensor<8xf32>) outs(%p : tensor<8x16xf32>) {
    ^bb0(%u: f32, %v: f32, %w: f32, %old: f32):
      %s = arith.divf %u, %v : f32
      %t = arith.addf %s, %w : f32
      linalg.yield %t : f32
    } -> tensor<8x16xf32>
    fuse.yield %q : tensor<8x16xf32>
  } -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}
