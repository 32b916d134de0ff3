// RUN: fusion-opt %s --fuse-tosa-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @softmax
// CHECK-NOT: tosa.
// Reduced values have one dimension, and no view stands between them and their readers.
// CHECK: linalg.reduce {{.*}} outs({{.*}} : tensor<40xf32>)
// CHECK-NOT: expand_shape
// CHECK: math.exp
// CHECK-NOT: expand_shape
// CHECK: arith.divf {{.*}} : f32
// CHECK: return
func.func @softmax(%x: tensor<40x72xf32>) -> tensor<40x72xf32> {
  %m = tosa.reduce_max %x {axis = 1 : i32} : (tensor<40x72xf32>) -> tensor<40x1xf32>
  %d = tosa.sub %x, %m : (tensor<40x72xf32>, tensor<40x1xf32>) -> tensor<40x72xf32>
  %e = tosa.exp %d : (tensor<40x72xf32>) -> tensor<40x72xf32>
  %s = tosa.reduce_sum %e {axis = 1 : i32} : (tensor<40x72xf32>) -> tensor<40x1xf32>
  %r = tosa.reciprocal %s : (tensor<40x1xf32>) -> tensor<40x1xf32>
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %p = tosa.mul %e, %r, %shift : (tensor<40x72xf32>, tensor<40x1xf32>, tensor<1xi8>) -> tensor<40x72xf32>
  return %p : tensor<40x72xf32>
}

// What is not TOSA stays as it is, unit dimensions too.
// CHECK-LABEL: func.func @other
// CHECK-NEXT: tensor.empty() : tensor<1x8xf32>
// CHECK-NEXT: linalg.exp {{.*}} tensor<1x8xf32>
func.func @other(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %e = tensor.empty() : tensor<1x8xf32>
  %0 = linalg.exp ins(%x : tensor<1x8xf32>) outs(%e : tensor<1x8xf32>) -> tensor<1x8xf32>
  return %0 : tensor<1x8xf32>
}

// A batch of one is a matrix, and views are left at the border only.
// CHECK-LABEL: func.func @products
// CHECK: %[[X:.*]] = tensor.collapse_shape
// CHECK-NOT: collapse_shape %{{[0-9]+}}
// CHECK: linalg.matmul ins(%[[X]],
// CHECK-NOT: expand_shape
// CHECK: linalg.matmul
// CHECK: tensor.expand_shape
func.func @products(%x: tensor<1x64x48xf32>, %w: tensor<1x48x80xf32>, %b: tensor<1x1x80xf32>, %v: tensor<1x80x32xf32>) -> tensor<1x64x32xf32> {
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.matmul %x, %w, %zp, %zp : (tensor<1x64x48xf32>, tensor<1x48x80xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x64x80xf32>
  %1 = tosa.add %0, %b : (tensor<1x64x80xf32>, tensor<1x1x80xf32>) -> tensor<1x64x80xf32>
  %2 = tosa.tanh %1 : (tensor<1x64x80xf32>) -> tensor<1x64x80xf32>
  %3 = tosa.matmul %2, %v, %zp, %zp : (tensor<1x64x80xf32>, tensor<1x80x32xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x64x32xf32>
  return %3 : tensor<1x64x32xf32>
}
