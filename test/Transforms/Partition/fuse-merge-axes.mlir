// RUN: fusion-opt %s --fuse-merge-axes=chip=sm_80 -split-input-file | FileCheck %s

// Two batches of two key heads, three query heads each: batches and key heads are batches, query heads and rows are rows.

// CHECK-LABEL: func.func @grouped
// CHECK-DAG: %[[Q:.*]] = tensor.collapse_shape %arg0 {{\[}}[0, 1], [2, 3], [4]] : tensor<2x2x3x5x16xf16> into tensor<4x15x16xf16>
// CHECK-DAG: %[[K:.*]] = tensor.collapse_shape %arg1 {{\[}}[0, 1], [2], [3]] : tensor<2x2x40x16xf16> into tensor<4x40x16xf16>
// CHECK: %[[S:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%[[Q]], %[[K]] :
// CHECK: %[[T:.*]] = linalg.generic {{.*}}["parallel", "parallel", "parallel"]} ins(%[[S]] : tensor<4x15x40xf32>)
// CHECK: %[[R:.*]] = tensor.expand_shape %[[T]] {{\[}}[0, 1], [2, 3], [4]]{{.*}} : tensor<4x15x40xf16> into tensor<2x2x3x5x40xf16>
// CHECK: return %[[R]]
#q = affine_map<(b, c, g, m, n, k) -> (b, c, g, m, k)>
#k = affine_map<(b, c, g, m, n, k) -> (b, c, n, k)>
#s = affine_map<(b, c, g, m, n, k) -> (b, c, g, m, n)>
#all = affine_map<(b, c, g, m, n) -> (b, c, g, m, n)>
func.func @grouped(%q: tensor<2x2x3x5x16xf16>, %k: tensor<2x2x40x16xf16>) -> tensor<2x2x3x5x40xf16> {
  %zero = arith.constant 0.0 : f32
  %s0 = tensor.empty() : tensor<2x2x3x5x40xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<2x2x3x5x40xf32>) -> tensor<2x2x3x5x40xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x2x3x5x16xf16>, tensor<2x2x40x16xf16>) outs(%s1 : tensor<2x2x3x5x40xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %x = arith.extf %a : f16 to f32
    %y = arith.extf %b : f16 to f32
    %z = arith.mulf %x, %y : f32
    %w = arith.addf %c, %z : f32
    linalg.yield %w : f32
  } -> tensor<2x2x3x5x40xf32>
  %t0 = tensor.empty() : tensor<2x2x3x5x40xf16>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x2x3x5x40xf32>) outs(%t0 : tensor<2x2x3x5x40xf16>) {
  ^bb0(%a: f32, %b: f16):
    %h = arith.truncf %a : f32 to f16
    linalg.yield %h : f16
  } -> tensor<2x2x3x5x40xf16>
  return %t : tensor<2x2x3x5x40xf16>
}

// -----

// The keys are repeated for the query heads, then heads are one dimension: they are read where they were. A mask computes with
// the row, which is a remainder of the joined loop's index.

// CHECK-LABEL: func.func @repeated
// CHECK-NOT: linalg.broadcast
// CHECK: %[[Q4:.*]] = tensor.expand_shape %arg0 {{\[}}[0, 1], [2], [3]]{{.*}} into tensor<2x4x5x16xf16>
// CHECK: %[[Q:.*]] = tensor.collapse_shape %[[Q4]] {{\[}}[0], [1, 2], [3]] : tensor<2x4x5x16xf16> into tensor<2x20x16xf16>
// CHECK: linalg.generic {{.*}}ins(%[[Q]], %arg1 : tensor<2x20x16xf16>, tensor<2x192x16xf16>)
// CHECK: linalg.index
// CHECK: arith.remui
// CHECK: %[[R4:.*]] = tensor.expand_shape %{{.*}} {{\[}}[0], [1, 2], [3]]{{.*}} into tensor<2x4x5x192xf32>
// CHECK: tensor.collapse_shape %[[R4]] {{\[}}[0, 1], [2], [3]] : tensor<2x4x5x192xf32> into tensor<8x5x192xf32>
func.func @repeated(%q: tensor<8x5x16xf16>, %k: tensor<2x192x16xf16>) -> tensor<8x5x192xf32> {
  %zero = arith.constant 0.0 : f32
  %k0 = tensor.empty() : tensor<2x4x192x16xf16>
  %k4 = linalg.broadcast ins(%k : tensor<2x192x16xf16>) outs(%k0 : tensor<2x4x192x16xf16>) dimensions = [1]
  %k3 = tensor.collapse_shape %k4 [[0, 1], [2], [3]] : tensor<2x4x192x16xf16> into tensor<8x192x16xf16>
  %s0 = tensor.empty() : tensor<8x5x192xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<8x5x192xf32>) -> tensor<8x5x192xf32>
  %s = linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>,
                                            affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%q, %k3 : tensor<8x5x16xf16>, tensor<8x192x16xf16>) outs(%s1 : tensor<8x5x192xf32>) -> tensor<8x5x192xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<8x5x192xf32>) outs(%s0 : tensor<8x5x192xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = linalg.index 1 : index
    %n = linalg.index 2 : index
    %c = arith.cmpi sle, %m, %n : index
    %r = arith.select %c, %a, %zero : f32
    linalg.yield %r : f32
  } -> tensor<8x5x192xf32>
  return %t : tensor<8x5x192xf32>
}

// -----

// An operand is indexed by the quotient of the head, in two products.

// CHECK-LABEL: func.func @quotient
// CHECK-NOT: floordiv
// CHECK: linalg.generic {{.*}}ins(%{{.*}}, %arg1 : tensor<2x15x16xf16>, tensor<2x16x32xf16>)
// CHECK: linalg.generic {{.*}}ins(%{{.*}}, %arg2 : tensor<2x15x32xf16>, tensor<2x32x16xf16>)
// CHECK: return %{{.*}} : tensor<6x5x16xf32>
#lhs = affine_map<(h, m, n, k) -> (h, m, k)>
#rhs = affine_map<(h, m, n, k) -> (h floordiv 3, k, n)>
#out = affine_map<(h, m, n, k) -> (h, m, n)>
func.func @quotient(%q: tensor<6x5x16xf16>, %k: tensor<2x16x32xf16>, %v: tensor<2x32x16xf16>) -> tensor<6x5x16xf32> {
  %zero = arith.constant 0.0 : f32
  %s0 = tensor.empty() : tensor<6x5x32xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<6x5x32xf32>) -> tensor<6x5x32xf32>
  %s = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<6x5x16xf16>, tensor<2x16x32xf16>) outs(%s1 : tensor<6x5x32xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %x = arith.extf %a : f16 to f32
    %y = arith.extf %b : f16 to f32
    %z = arith.mulf %x, %y : f32
    %w = arith.addf %c, %z : f32
    linalg.yield %w : f32
  } -> tensor<6x5x32xf32>
  %t0 = tensor.empty() : tensor<6x5x32xf16>
  %t = linalg.generic {indexing_maps = [affine_map<(h, m, n) -> (h, m, n)>, affine_map<(h, m, n) -> (h, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<6x5x32xf32>) outs(%t0 : tensor<6x5x32xf16>) {
  ^bb0(%a: f32, %b: f16):
    %h = arith.truncf %a : f32 to f16
    linalg.yield %h : f16
  } -> tensor<6x5x32xf16>
  %o0 = tensor.empty() : tensor<6x5x16xf32>
  %o1 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<6x5x16xf32>) -> tensor<6x5x16xf32>
  %o = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%t, %v : tensor<6x5x32xf16>, tensor<2x32x16xf16>) outs(%o1 : tensor<6x5x16xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %x = arith.extf %a : f16 to f32
    %y = arith.extf %b : f16 to f32
    %z = arith.mulf %x, %y : f32
    %w = arith.addf %c, %z : f32
    linalg.yield %w : f32
  } -> tensor<6x5x16xf32>
  return %o : tensor<6x5x16xf32>
}

// -----

// A bias tells rows of one head from those of the next, the result has the heads behind the rows, and sizes that are known at run
// time only are left alone.

// CHECK-LABEL: func.func @told_apart
// CHECK-NOT: tensor.collapse_shape
// CHECK: linalg.generic {{.*}}["parallel", "parallel", "parallel", "reduction"]
// CHECK-NOT: tensor.collapse_shape
// CHECK: return
func.func @told_apart(%q: tensor<3x5x16xf16>, %k: tensor<16x40xf16>, %bias: tensor<5x40xf32>) -> tensor<3x5x40xf32> {
  %zero = arith.constant 0.0 : f32
  %s0 = tensor.empty() : tensor<3x5x40xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<3x5x40xf32>) -> tensor<3x5x40xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(g, m, n, k) -> (g, m, k)>, affine_map<(g, m, n, k) -> (k, n)>,
                                        affine_map<(g, m, n, k) -> (g, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<3x5x16xf16>, tensor<16x40xf16>) outs(%s1 : tensor<3x5x40xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %x = arith.extf %a : f16 to f32
    %y = arith.extf %b : f16 to f32
    %z = arith.mulf %x, %y : f32
    %w = arith.addf %c, %z : f32
    linalg.yield %w : f32
  } -> tensor<3x5x40xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(g, m, n) -> (g, m, n)>, affine_map<(g, m, n) -> (m, n)>, affine_map<(g, m, n) -> (g, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %bias : tensor<3x5x40xf32>, tensor<5x40xf32>) outs(%s0 : tensor<3x5x40xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<3x5x40xf32>
  return %t : tensor<3x5x40xf32>
}

// CHECK-LABEL: func.func @dynamic
// CHECK-NOT: tensor.collapse_shape
// CHECK: return
func.func @dynamic(%q: tensor<2x?x16xf16>, %k: tensor<16x40xf16>, %rows: index) -> tensor<2x?x40xf32> {
  %zero = arith.constant 0.0 : f32
  %s0 = tensor.empty(%rows) : tensor<2x?x40xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<2x?x40xf32>) -> tensor<2x?x40xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(g, m, n, k) -> (g, m, k)>, affine_map<(g, m, n, k) -> (k, n)>,
                                        affine_map<(g, m, n, k) -> (g, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x?x16xf16>, tensor<16x40xf16>) outs(%s1 : tensor<2x?x40xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %x = arith.extf %a : f16 to f32
    %y = arith.extf %b : f16 to f32
    %z = arith.mulf %x, %y : f32
    %w = arith.addf %c, %z : f32
    linalg.yield %w : f32
  } -> tensor<2x?x40xf32>
  return %s : tensor<2x?x40xf32>
}
