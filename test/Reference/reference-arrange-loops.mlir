// RUN: fusion-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(reference-arrange-loops))" | FileCheck %s

#mapA = affine_map<(m, n, k) -> (m, k)>
#mapB = affine_map<(m, n, k) -> (n, k)>
#mapC = affine_map<(m, n, k) -> (m, n)>

// A product with a transposed operand: both inputs are extended once, B is
// transposed on the way, and n becomes the inner loop.

// CHECK-DAG:   #[[SWAP:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG:   #[[A:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG:   #[[B:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG:   #[[C:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-LABEL: func @transposed
// CHECK:         %[[WIDE_A:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<8x4xf16>) outs(%{{.*}} : tensor<8x4xf32>)
// CHECK:         %[[WIDE_B:.*]] = linalg.generic {indexing_maps = [#[[SWAP]], #{{.*}}], {{.*}} ins(%{{.*}} : tensor<16x4xf16>) outs(%{{.*}} : tensor<4x16xf32>)
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f16, %{{.*}}: f32):
// CHECK-NEXT:      %[[Y:.*]] = arith.extf %[[X]] : f16 to f32
// CHECK-NEXT:      linalg.yield %[[Y]] : f32
// CHECK:         linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[C]]], iterator_types = ["parallel", "reduction", "parallel"]}
// CHECK-SAME:      ins(%[[WIDE_A]], %[[WIDE_B]] : tensor<8x4xf32>, tensor<4x16xf32>)
// CHECK-NEXT:    ^bb0(%[[P:.*]]: f32, %[[Q:.*]]: f32, %[[ACC:.*]]: f32):
// CHECK-NEXT:      %[[M:.*]] = arith.mulf %[[P]], %[[Q]] : f32
// CHECK-NEXT:      arith.addf %[[M]], %[[ACC]] : f32
func.func @transposed(%a: tensor<8x4xf16>, %b: tensor<16x4xf16>, %c: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %r = linalg.generic {indexing_maps = [#mapA, #mapB, #mapC], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<8x4xf16>, tensor<16x4xf16>) outs(%c : tensor<8x16xf32>) {
    ^bb0(%x: f16, %y: f16, %acc: f32):
      %xw = arith.extf %x : f16 to f32
      %yw = arith.extf %y : f16 to f32
      %p = arith.mulf %xw, %yw : f32
      %s = arith.addf %p, %acc : f32
      linalg.yield %s : f32
  } -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#col = affine_map<(i, j) -> (j)>

// A row sum reads its input once: a transposed copy would cost more than it
// gives. A column sum is contiguous along the parallel loop already.

// CHECK-LABEL: func @sums
// CHECK-NOT:     tensor.empty
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]}
// CHECK:         linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]}
func.func @sums(%a: tensor<8x4xf32>, %r: tensor<8xf32>, %c: tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<8x4xf32>) outs(%r : tensor<8xf32>) {
    ^bb0(%x: f32, %acc: f32):
      %s = arith.addf %x, %acc : f32
      linalg.yield %s : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]}
      ins(%a : tensor<8x4xf32>) outs(%c : tensor<4xf32>) {
    ^bb0(%x: f32, %acc: f32):
      %s = arith.addf %x, %acc : f32
      linalg.yield %s : f32
  } -> tensor<4xf32>
  return %0, %1 : tensor<8xf32>, tensor<4xf32>
}

// -----

// A convolution: the window is no projected permutation, but contiguous along
// the inner loop (output width) as it is.

// CHECK-LABEL: func @window
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction", "parallel"]}
// CHECK-SAME:      ins(%{{.*}}, %{{.*}} : tensor<3x10xf32>, tensor<3xf32>)
func.func @window(%x: tensor<3x10xf32>, %f: tensor<3xf32>, %c: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(c, w, k) -> (c, w + k)>, affine_map<(c, w, k) -> (k)>,
                                        affine_map<(c, w, k) -> (c, w)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %f : tensor<3x10xf32>, tensor<3xf32>) outs(%c : tensor<3x8xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %p, %acc : f32
      linalg.yield %s : f32
  } -> tensor<3x8xf32>
  return %r : tensor<3x8xf32>
}
