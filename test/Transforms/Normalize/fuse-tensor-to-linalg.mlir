// RUN: fusion-opt %s --fuse-tensor-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @arithmetic
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x?xf32>, tensor<4x?xf32>)
// CHECK: arith.mulf %{{.*}} : f32
// CHECK: linalg.generic
// CHECK: math.exp %{{.*}} : f32
func.func @arithmetic(%a: tensor<4x?xf32>, %b: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %0 = arith.mulf %a, %b : tensor<4x?xf32>
  %1 = math.exp %0 : tensor<4x?xf32>
  return %1 : tensor<4x?xf32>
}

// CHECK-LABEL: func.func @splat
// CHECK-SAME: (%[[S:.*]]: f32, %[[N:.*]]: index)
// CHECK: %[[E:.*]] = tensor.empty(%[[N]]) : tensor<4x?xf32>
// CHECK: linalg.fill ins(%[[S]] : f32) outs(%[[E]] :
func.func @splat(%s: f32, %n: index) -> tensor<4x?xf32> {
  %0 = tensor.splat %s[%n] : tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// CHECK-LABEL: func.func @bitcast
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<4x?xf32>) outs(%{{.*}} : tensor<4x?xi32>)
// CHECK: arith.bitcast %{{.*}} : f32 to i32
func.func @bitcast(%a: tensor<4x?xf32>) -> tensor<4x?xi32> {
  %0 = tensor.bitcast %a : tensor<4x?xf32> to tensor<4x?xi32>
  return %0 : tensor<4x?xi32>
}

// CHECK-LABEL: func.func @from_elements
// CHECK-SAME: (%[[A:.*]]: f32, %[[B:.*]]: f32)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x1xf32>)
// CHECK: linalg.index 0
// CHECK: arith.select %{{.*}}, %[[B]], %[[A]] : f32
func.func @from_elements(%a: f32, %b: f32) -> tensor<2x1xf32> {
  %0 = tensor.from_elements %a, %b : tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}

// CHECK-LABEL: func.func @no_elements
// CHECK: %[[E:.*]] = arith.constant dense<> : tensor<0xf32>
// CHECK: return %[[E]]
func.func @no_elements() -> tensor<0xf32> {
  %0 = tensor.from_elements : tensor<0xf32>
  return %0 : tensor<0xf32>
}

// CHECK-LABEL: func.func @reshape
// CHECK: %[[F:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<4x6xf32> into tensor<24xf32>
// CHECK: tensor.expand_shape %[[F]] {{\[\[}}0, 1, 2]] output_shape [2, 3, 4] : tensor<24xf32> into tensor<2x3x4xf32>
func.func @reshape(%a: tensor<4x6xf32>, %s: tensor<3xindex>) -> tensor<2x3x4xf32> {
  %0 = tensor.reshape %a(%s) : (tensor<4x6xf32>, tensor<3xindex>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @reshape_scalar
// CHECK: %[[F:.*]] = tensor.expand_shape %{{.*}} [] output_shape [1] : tensor<f32> into tensor<1xf32>
// CHECK: %[[G:.*]] = tensor.expand_shape %[[F]] {{\[\[}}0, 1]] output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32>
// CHECK: tensor.collapse_shape %{{.*}} : tensor<1xf32> into tensor<f32>
func.func @reshape_scalar(%a: tensor<f32>, %b: tensor<1x1xf32>, %s: tensor<2xindex>, %t: tensor<0xindex>) -> (tensor<1x1xf32>, tensor<f32>) {
  %0 = tensor.reshape %a(%s) : (tensor<f32>, tensor<2xindex>) -> tensor<1x1xf32>
  %1 = tensor.reshape %b(%t) : (tensor<1x1xf32>, tensor<0xindex>) -> tensor<f32>
  return %0, %1 : tensor<1x1xf32>, tensor<f32>
}
