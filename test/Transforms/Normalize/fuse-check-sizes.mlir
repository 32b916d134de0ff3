// RUN: fusion-opt %s --fuse-check-sizes | FileCheck %s
// What is asserted is known: a second time adds no equality.
// RUN: fusion-opt %s --fuse-check-sizes --fuse-check-sizes --cse | FileCheck %s

// CHECK-LABEL: func.func @product
// CHECK-SAME: (%[[A:.*]]: tensor<?x?xf32>, %[[B:.*]]: tensor<?x?xf32>, %[[C:.*]]: tensor<?x?xf32>)
// CHECK: cf.assert %{{.*}}, "{{.*}}fuse-check-sizes.mlir:[[@LINE+5]]:8: linalg.matmul: dimension 0 of input 1 must be equal to dimension 1 of input 0"
// CHECK: cf.assert %{{.*}}, "{{.*}}: dimension 0 of output 0 must be equal to dimension 0 of input 0"
// CHECK: cf.assert %{{.*}}, "{{.*}}: dimension 1 of output 0 must be equal to dimension 1 of input 1"
// CHECK-NEXT: linalg.matmul
func.func @product(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// What was asserted once, and what follows from how tensors are made, is known.
// CHECK-LABEL: func.func @known
// CHECK-SAME: (%[[A:.*]]: tensor<?xf32>, %[[B:.*]]: tensor<?xf32>, %[[C:.*]]: tensor<?xf32>)
// CHECK-DAG: %[[DA:.*]] = tensor.dim %[[A]]
// CHECK-DAG: %[[DB:.*]] = tensor.dim %[[B]]
// CHECK: %[[OK:.*]] = arith.cmpi eq, %[[DB]], %[[DA]]
// CHECK: cf.assert %[[OK]]
// CHECK: linalg.add
// CHECK-NOT: cf.assert
// CHECK: linalg.mul
// CHECK: %[[DC:.*]] = tensor.dim %[[C]]
// CHECK: arith.cmpi eq, %[[DC]], %
// CHECK: cf.assert
// CHECK: linalg.sub
func.func @known(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.mul ins(%0, %b : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %2 = linalg.sub ins(%1, %c : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}

// CHECK-LABEL: func.func @static
// CHECK-NOT: cf.assert
func.func @static(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// A window may be smaller than what there is.
// CHECK-LABEL: func.func @window
// CHECK-SAME: (%[[A:.*]]: tensor<?xf32>, %[[W:.*]]: tensor<3xf32>, %[[O:.*]]: tensor<?xf32>)
// CHECK-DAG: %[[NO:.*]] = tensor.dim %[[O]]
// CHECK-DAG: %[[LAST:.*]] = affine.apply #{{.*}}()[%[[NO]]]
// CHECK-DAG: %[[NA:.*]] = tensor.dim %[[A]]
// CHECK: %[[OK:.*]] = arith.cmpi sle, %[[LAST]], %[[NA]]
// CHECK: cf.assert %[[OK]], "{{.*}}: linalg.conv_1d: the loops must not reach beyond dimension 0 of input 0"
func.func @window(%a: tensor<?xf32>, %w: tensor<3xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.conv_1d ins(%a, %w : tensor<?xf32>, tensor<3xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// An index that does not grow with the loop is not checked.
// CHECK-LABEL: func.func @backwards
// CHECK-NOT: cf.assert
func.func @backwards(%a: tensor<?xf32>, %o: tensor<7xf32>) -> tensor<7xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (6 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<?xf32>) outs(%o : tensor<7xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// CHECK-LABEL: func.func @cast
// CHECK: cf.assert %{{.*}}, "{{.*}}: tensor.cast: dimension 0 of the operand must be 8"
func.func @cast(%a: tensor<?x4xf32>) -> tensor<8x4xf32> {
  %0 = tensor.cast %a : tensor<?x4xf32> to tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @expand
// CHECK-SAME: (%[[A:.*]]: tensor<?xf32>, %[[N:.*]]: index)
// CHECK-DAG: %[[WHOLE:.*]] = affine.apply #{{.*}}()[%[[N]]]
// CHECK-DAG: %[[NA:.*]] = tensor.dim %[[A]]
// CHECK: arith.cmpi eq, %[[NA]], %[[WHOLE]]
// CHECK: cf.assert %{{.*}}, "{{.*}}: tensor.expand_shape: dimension 0 of the operand must be the product of the sizes it is expanded to"
func.func @expand(%a: tensor<?xf32>, %n: index) -> tensor<?x4xf32> {
  %0 = tensor.expand_shape %a [[0, 1]] output_shape [%n, 4] : tensor<?xf32> into tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
