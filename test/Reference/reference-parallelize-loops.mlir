// RUN: fusion-opt %s --split-input-file --reference-parallelize-loops --canonicalize | FileCheck %s

// The leading parallel loops become a function of a range; the innermost loop
// stays inside.

// CHECK-LABEL: func @elementwise
// CHECK-SAME:    %[[A:.*]]: memref<4x8x16xf32>, %[[B:.*]]: memref<4x8x16xf32>
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C32:.*]] = arith.constant 32 : index
// CHECK:         call @fusion_parallel_body_0(%[[C0]], %[[C32]], {{.*}}) : (index, index, memref<4x8x16xf32>, memref<4x8x16xf32>)
// CHECK-NOT:     scf.for
// CHECK:       func.func private @fusion_parallel_body_0(%[[BEGIN:.*]]: index, %[[END:.*]]: index
// CHECK:         scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK:           scf.for
// CHECK:             memref.load
// CHECK:             arith.negf
// CHECK:             memref.store
func.func @elementwise(%a: memref<4x8x16xf32>, %b: memref<4x8x16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>],
                  iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a : memref<4x8x16xf32>) outs(%b : memref<4x8x16xf32>) {
    ^bb0(%x: f32, %o: f32):
      %n = arith.negf %x : f32
      linalg.yield %n : f32
  }
  return
}

// -----

// A reduction first: nothing is parallel at the top.

// CHECK-LABEL: func @column_sum
// CHECK-NOT:     call
// CHECK:         scf.for
// CHECK:           scf.for
func.func @column_sum(%a: memref<8x16xf32>, %b: memref<16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
                  iterator_types = ["reduction", "parallel"]}
      ins(%a : memref<8x16xf32>) outs(%b : memref<16xf32>) {
    ^bb0(%x: f32, %o: f32):
      %n = arith.addf %x, %o : f32
      linalg.yield %n : f32
  }
  return
}

// -----

// A parallel loop that does not tell the elements of an output apart is not
// run in parallel, and neither is an operation inside a loop.

// CHECK-LABEL: func @not_parallel
// CHECK-NOT:     call
func.func @not_parallel(%a: memref<8x16xf32>, %b: memref<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<8x16xf32>) outs(%b : memref<16xf32>) {
    ^bb0(%x: f32, %o: f32):
      linalg.yield %x : f32
  }
  scf.for %i = %c0 to %n step %c1 {
    linalg.fill ins(%zero : f32) outs(%b : memref<16xf32>)
  }
  return
}

// -----

// Copies are loops, too.

// CHECK-LABEL: func @strided_copy
// CHECK-NOT:     memref.copy
// CHECK:         call @fusion_parallel_body_0
func.func @strided_copy(%a: memref<?x4xf32, strided<[9, 2]>>, %b: memref<?x4xf32>) {
  memref.copy %a, %b : memref<?x4xf32, strided<[9, 2]>> to memref<?x4xf32>
  return
}
