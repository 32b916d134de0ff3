// RUN: fusion-opt %s --split-input-file --fuse-explicit-numerics --canonicalize | FileCheck %s
// The pass is idempotent.
// RUN: fusion-opt %s --split-input-file --fuse-explicit-numerics --canonicalize --cse > %t.once
// RUN: fusion-opt %s --split-input-file --fuse-explicit-numerics --fuse-explicit-numerics --canonicalize --cse > %t.twice
// RUN: diff %t.once %t.twice

// A named product keeps its name; the zero stays a fill.

// CHECK-LABEL: func @matmul_f16
// CHECK-SAME:    %[[A:.*]]: tensor<8x4xf16>, %[[B:.*]]: tensor<4x16xf16>
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[EMPTY:.*]] = tensor.empty() : tensor<8x16xf32>
// CHECK:         %[[INIT:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs(%[[EMPTY]] : tensor<8x16xf32>)
// CHECK:         %[[C:.*]] = linalg.matmul ins(%[[A]], %[[B]] : tensor<8x4xf16>, tensor<4x16xf16>) outs(%[[INIT]] : tensor<8x16xf32>)
// CHECK:         %[[OUT:.*]] = tensor.empty() : tensor<8x16xf16>
// CHECK:         %[[ROUNDED:.*]] = linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "parallel"]
// CHECK-SAME:      ins(%[[C]] : tensor<8x16xf32>) outs(%[[OUT]] : tensor<8x16xf16>)
// CHECK:           arith.truncf %{{.*}} : f32 to f16
// CHECK:         return %[[ROUNDED]]
func.func @matmul_f16(%a: tensor<8x4xf16>, %b: tensor<4x16xf16>) -> tensor<8x16xf16> {
  %zero = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<8x16xf16>
  %init = linalg.fill ins(%zero : f16) outs(%empty : tensor<8x16xf16>) -> tensor<8x16xf16>
  %c = linalg.matmul ins(%a, %b : tensor<8x4xf16>, tensor<4x16xf16>)
                     outs(%init : tensor<8x16xf16>) -> tensor<8x16xf16>
  return %c : tensor<8x16xf16>
}

// -----

// An accumulator that is an operand is extended; transposition survives.

#mapA = affine_map<(m, n, k) -> (m, k)>
#mapB = affine_map<(m, n, k) -> (n, k)>
#mapC = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func @transposed_bf16_dynamic
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<?x?xbf16>, %[[B:[a-z0-9]+]]: tensor<?x?xbf16>, %[[ACC:[a-z0-9]+]]: tensor<?x?xbf16>
// CHECK:         %[[INIT:.*]] = linalg.generic
// CHECK-SAME:      ins(%[[ACC]] : tensor<?x?xbf16>)
// CHECK:           arith.extf %{{.*}} : bf16 to f32
// CHECK:         linalg.matmul indexing_maps = [{{.*}}] ins(%[[A]], %[[B]] : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%[[INIT]] : tensor<?x?xf32>)
// CHECK:         arith.truncf %{{.*}} : f32 to bf16
func.func @transposed_bf16_dynamic(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>,
                                   %acc: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %c = linalg.matmul indexing_maps = [#mapA, #mapB, #mapC]
         ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>)
         outs(%acc : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %c : tensor<?x?xbf16>
}

// -----

// CHECK-LABEL: func @batch_matmul_f8
// CHECK:         linalg.batch_matmul ins(%{{.*}}, %{{.*}} : tensor<2x8x4xf8E4M3FN>, tensor<2x4x16xf8E4M3FN>) outs(%{{.*}} : tensor<2x8x16xf32>)
// CHECK:         arith.truncf %{{.*}} : f32 to f8E4M3FN
func.func @batch_matmul_f8(%a: tensor<2x8x4xf8E4M3FN>, %b: tensor<2x4x16xf8E4M3FN>,
                           %acc: tensor<2x8x16xf8E4M3FN>) -> tensor<2x8x16xf8E4M3FN> {
  %c = linalg.batch_matmul ins(%a, %b : tensor<2x8x4xf8E4M3FN>, tensor<2x4x16xf8E4M3FN>)
                           outs(%acc : tensor<2x8x16xf8E4M3FN>) -> tensor<2x8x16xf8E4M3FN>
  return %c : tensor<2x8x16xf8E4M3FN>
}

// -----

#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (k, b, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>

// CHECK-LABEL: func @contract_f16
// CHECK:         linalg.contract indexing_maps = [{{.*}}] ins(%{{.*}}, %{{.*}} : tensor<2x8x4xf16>, tensor<4x2x16xf16>) outs(%{{.*}} : tensor<2x8x16xf32>)
// CHECK:         arith.truncf
func.func @contract_f16(%a: tensor<2x8x4xf16>, %b: tensor<4x2x16xf16>,
                        %acc: tensor<2x8x16xf16>) -> tensor<2x8x16xf16> {
  %c = linalg.contract indexing_maps = [#a, #b, #c]
         ins(%a, %b : tensor<2x8x4xf16>, tensor<4x2x16xf16>)
         outs(%acc : tensor<2x8x16xf16>) -> tensor<2x8x16xf16>
  return %c : tensor<2x8x16xf16>
}

// -----

// CHECK-LABEL: func @matmul_i8
// CHECK:         arith.extsi %{{.*}} : i8 to i32
// CHECK:         linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<8x4xi8>, tensor<4x16xi8>) outs(%{{.*}} : tensor<8x16xi32>)
// CHECK:         arith.trunci %{{.*}} : i32 to i8
func.func @matmul_i8(%a: tensor<8x4xi8>, %b: tensor<4x16xi8>, %acc: tensor<8x16xi8>) -> tensor<8x16xi8> {
  %c = linalg.matmul ins(%a, %b : tensor<8x4xi8>, tensor<4x16xi8>)
                     outs(%acc : tensor<8x16xi8>) -> tensor<8x16xi8>
  return %c : tensor<8x16xi8>
}

// -----

// Accumulators that are wide enough stay.

// CHECK-LABEL: func @wide_stay
// CHECK-NOT:     arith.extf
// CHECK:         linalg.matmul ins(%{{.*}} : tensor<8x4xf16>, tensor<4x16xf16>) outs(%{{.*}} : tensor<8x16xf32>)
// CHECK:         linalg.matmul ins(%{{.*}} : tensor<8x4xf64>, tensor<4x16xf64>) outs(%{{.*}} : tensor<8x16xf64>)
// CHECK:         linalg.matmul ins(%{{.*}} : tensor<8x4xi8>, tensor<4x16xi8>) outs(%{{.*}} : tensor<8x16xi32>)
// CHECK-NOT:     arith.trunc
func.func @wide_stay(%a: tensor<8x4xf16>, %b: tensor<4x16xf16>, %c: tensor<8x16xf32>,
                     %d: tensor<8x4xf64>, %e: tensor<4x16xf64>, %f: tensor<8x16xf64>,
                     %g: tensor<8x4xi8>, %h: tensor<4x16xi8>, %i: tensor<8x16xi32>)
    -> (tensor<8x16xf32>, tensor<8x16xf64>, tensor<8x16xi32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<8x4xf16>, tensor<4x16xf16>) outs(%c : tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = linalg.matmul ins(%d, %e : tensor<8x4xf64>, tensor<4x16xf64>) outs(%f : tensor<8x16xf64>) -> tensor<8x16xf64>
  %2 = linalg.matmul ins(%g, %h : tensor<8x4xi8>, tensor<4x16xi8>) outs(%i : tensor<8x16xi32>) -> tensor<8x16xi32>
  return %0, %1, %2 : tensor<8x16xf32>, tensor<8x16xf64>, tensor<8x16xi32>
}

// -----

// CHECK-LABEL: func @reduce_sum_f16
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%{{.*}} : tensor<8x4xf16>) outs(%{{.*}} : tensor<8xf32>)
// CHECK-NEXT:    ^bb0(%[[IN:.*]]: f16, %[[ACC:.*]]: f32):
// CHECK-NEXT:      %[[WIDE:.*]] = arith.extf %[[IN]] : f16 to f32
// CHECK-NEXT:      %[[SUM:.*]] = arith.addf %[[ACC]], %[[WIDE]] : f32
// CHECK-NEXT:      linalg.yield %[[SUM]] : f32
func.func @reduce_sum_f16(%a: tensor<8x4xf16>, %init: tensor<8xf16>) -> tensor<8xf16> {
  %r = linalg.reduce { arith.addf } ins(%a : tensor<8x4xf16>) outs(%init : tensor<8xf16>) dimensions = [1]
  return %r : tensor<8xf16>
}

// -----

// Maxima and minima of a reduction stay, products of integers, factors and initial values, and element-wise sums.

// CHECK-LABEL: func @not_sums
// CHECK-NOT:     f32
func.func @not_sums(%a: tensor<8x4xf16>, %init: tensor<8xf16>, %full: tensor<8x4xf16>, %n: tensor<8x4xi8>, %bytes: tensor<8xi8>)
    -> (tensor<8xf16>, tensor<8xf16>, tensor<8xf16>, tensor<8x4xf16>, tensor<8xi8>) {
  %0 = linalg.reduce { arith.maximumf } ins(%a : tensor<8x4xf16>) outs(%init : tensor<8xf16>) dimensions = [1]
  %1 = linalg.reduce { arith.minnumf } ins(%a : tensor<8x4xf16>) outs(%init : tensor<8xf16>) dimensions = [1]
  %2 = linalg.reduce ins(%a : tensor<8x4xf16>) outs(%init : tensor<8xf16>) dimensions = [1]
    (%x: f16, %acc: f16) {
      %m = arith.mulf %acc, %x : f16
      %s = arith.addf %m, %x : f16
      linalg.yield %s : f16
    }
  %3 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<8x4xf16>) outs(%full : tensor<8x4xf16>) {
    ^bb0(%x: f16, %acc: f16):
      %s = arith.addf %x, %acc : f16
      linalg.yield %s : f16
  } -> tensor<8x4xf16>
  %4 = linalg.reduce { arith.muli } ins(%n : tensor<8x4xi8>) outs(%bytes : tensor<8xi8>) dimensions = [1]
  return %0, %1, %2, %3, %4 : tensor<8xf16>, tensor<8xf16>, tensor<8xf16>, tensor<8x4xf16>, tensor<8xi8>
}

// -----

// A product of all elements is rounded once, as a sum is; the factors are what the body says.

// CHECK-LABEL: func @product
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<8x4xbf16>) outs(%{{.*}} : tensor<8xf32>)
// CHECK-NEXT:    ^bb0(%[[IN:.*]]: bf16, %[[ACC:.*]]: f32):
// CHECK-NEXT:      %[[SQUARE:.*]] = arith.mulf %[[IN]], %[[IN]] : bf16
// CHECK-NEXT:      %[[WIDE:.*]] = arith.extf %[[SQUARE]] : bf16 to f32
// CHECK-NEXT:      %[[PRODUCT:.*]] = arith.mulf %[[WIDE]], %[[ACC]] : f32
// CHECK-NEXT:      linalg.yield %[[PRODUCT]] : f32
// CHECK:         arith.truncf %{{.*}} : f32 to bf16
func.func @product(%a: tensor<8x4xbf16>, %init: tensor<8xbf16>) -> tensor<8xbf16> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<8x4xbf16>) outs(%init : tensor<8xbf16>) {
    ^bb0(%x: bf16, %acc: bf16):
      %s = arith.mulf %x, %x : bf16
      %m = arith.mulf %s, %acc : bf16
      linalg.yield %m : bf16
  } -> tensor<8xbf16>
  return %r : tensor<8xbf16>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The element-wise chain before the sum keeps its f16 roundings. Each output is decided alone: a sum beside a maximum.

// CHECK-LABEL: func @chain_in_body
// CHECK:         ins(%{{.*}} : tensor<8x4xf16>) outs(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8xf16>)
// CHECK-NEXT:    ^bb0(%[[IN:.*]]: f16, %[[ACC:.*]]: f32, %[[MAX:.*]]: f16):
// CHECK-NEXT:      %[[E:.*]] = math.exp %[[IN]] : f16
// CHECK-NEXT:      %[[S:.*]] = arith.mulf %[[E]], %[[IN]] : f16
// CHECK-NEXT:      %[[WIDE:.*]] = arith.extf %[[S]] : f16 to f32
// CHECK-NEXT:      %[[SUM:.*]] = arith.addf %[[ACC]], %[[WIDE]] : f32
// CHECK-NEXT:      %[[NEWMAX:.*]] = arith.maximumf %[[MAX]], %[[E]] : f16
// CHECK-NEXT:      linalg.yield %[[SUM]], %[[NEWMAX]] : f32, f16
func.func @chain_in_body(%a: tensor<8x4xf16>, %i0: tensor<8xf16>, %i1: tensor<8xf16>)
    -> (tensor<8xf16>, tensor<8xf16>) {
  %r:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<8x4xf16>) outs(%i0, %i1 : tensor<8xf16>, tensor<8xf16>) {
    ^bb0(%x: f16, %sum: f16, %max: f16):
      %e = math.exp %x : f16
      %s = arith.mulf %e, %x : f16
      %0 = arith.addf %sum, %s : f16
      %1 = arith.maximumf %max, %e : f16
      linalg.yield %0, %1 : f16, f16
  } -> (tensor<8xf16>, tensor<8xf16>)
  return %r#0, %r#1 : tensor<8xf16>, tensor<8xf16>
}

// -----

#ga = affine_map<(m, n, k) -> (m, k)>
#gb = affine_map<(m, n, k) -> (k, n)>
#gc = affine_map<(m, n, k) -> (m, n)>

// The products of a contraction written as a generic are formed in f32.

// CHECK-LABEL: func @generic_contraction
// CHECK:         ^bb0(%[[A:.*]]: f8E5M2, %[[B:.*]]: f16, %[[ACC:.*]]: f32):
// CHECK-DAG:       %[[WA:.*]] = arith.extf %[[A]] : f8E5M2 to f32
// CHECK-DAG:       %[[WB:.*]] = arith.extf %[[B]] : f16 to f32
// CHECK:           %[[P:.*]] = arith.mulf %[[WA]], %[[WB]] : f32
// CHECK:           %[[S:.*]] = arith.addf %[[ACC]], %[[P]] : f32
// CHECK:           linalg.yield %[[S]] : f32
func.func @generic_contraction(%a: tensor<8x4xf8E5M2>, %b: tensor<4x16xf16>, %c: tensor<8x16xf16>) -> tensor<8x16xf16> {
  %r = linalg.generic {indexing_maps = [#ga, #gb, #gc], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<8x4xf8E5M2>, tensor<4x16xf16>) outs(%c : tensor<8x16xf16>) {
    ^bb0(%x: f8E5M2, %y: f16, %acc: f16):
      %wide = arith.extf %x : f8E5M2 to f16
      %p = arith.mulf %wide, %y : f16
      %s = arith.addf %acc, %p : f16
      linalg.yield %s : f16
  } -> tensor<8x16xf16>
  return %r : tensor<8x16xf16>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Masked sums, and sums that round in every step of the body.

// CHECK-LABEL: func @masked_and_stepwise
// CHECK:         ^bb0(%[[IN:.*]]: f16, %[[M:.*]]: i1, %[[ACC:.*]]: f32, %[[ACC2:.*]]: f32):
// CHECK:           %[[W:.*]] = arith.extf %[[IN]] : f16 to f32
// CHECK:           %[[S:.*]] = arith.addf %[[ACC]], %[[W]] : f32
// CHECK:           %[[SEL:.*]] = arith.select %[[M]], %[[S]], %[[ACC]] : f32
// CHECK:           %[[S2:.*]] = arith.subf %[[ACC2]], %{{.*}} : f32
// CHECK-NOT:       arith.truncf
// CHECK:           linalg.yield %[[SEL]], %[[S2]] : f32, f32
func.func @masked_and_stepwise(%a: tensor<8x4xf16>, %mask: tensor<8x4xi1>, %i0: tensor<8xf16>, %i1: tensor<8xf16>)
    -> (tensor<8xf16>, tensor<8xf16>) {
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a, %mask : tensor<8x4xf16>, tensor<8x4xi1>) outs(%i0, %i1 : tensor<8xf16>, tensor<8xf16>) {
    ^bb0(%x: f16, %m: i1, %acc: f16, %acc2: f16):
      %s = arith.addf %acc, %x : f16
      %sel = arith.select %m, %s, %acc : f16
      %wide = arith.extf %acc2 : f16 to f32
      %xw = arith.extf %x : f16 to f32
      %s2 = arith.subf %wide, %xw : f32
      %t = arith.truncf %s2 : f32 to f16
      linalg.yield %sel, %t : f16, f16
  } -> (tensor<8xf16>, tensor<8xf16>)
  return %r#0, %r#1 : tensor<8xf16>, tensor<8xf16>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// A recurrence is no sum: the accumulator is scaled in every step.

// CHECK-LABEL: func @recurrence
// CHECK-NOT:     f32
func.func @recurrence(%a: tensor<8x4xf16>, %init: tensor<8xf16>) -> tensor<8xf16> {
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<8x4xf16>) outs(%init : tensor<8xf16>) {
    ^bb0(%x: f16, %acc: f16):
      %m = arith.mulf %acc, %x : f16
      %s = arith.addf %m, %x : f16
      linalg.yield %s : f16
  } -> tensor<8xf16>
  return %r : tensor<8xf16>
}

// -----

// CHECK-LABEL: func @convolution_and_pooling
// CHECK:         linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%{{.*}} : tensor<1x9x9x4xf16>, tensor<3x3x4x8xf16>) outs(%{{.*}} : tensor<1x4x4x8xf32>)
// CHECK:         linalg.pooling_nhwc_sum {{.*}} outs(%{{.*}} : tensor<1x3x3x8xf32>)
// CHECK:         linalg.pooling_nhwc_max {{.*}} outs(%{{.*}} : tensor<1x3x3x8xf16>)
func.func @convolution_and_pooling(%x: tensor<1x9x9x4xf16>, %f: tensor<3x3x4x8xf16>, %i: tensor<1x4x4x8xf16>,
                                   %w: tensor<2x2xf16>, %p: tensor<1x3x3x8xf16>)
    -> (tensor<1x3x3x8xf16>, tensor<1x3x3x8xf16>) {
  %c = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
         ins(%x, %f : tensor<1x9x9x4xf16>, tensor<3x3x4x8xf16>) outs(%i : tensor<1x4x4x8xf16>) -> tensor<1x4x4x8xf16>
  %s = linalg.pooling_nhwc_sum ins(%c, %w : tensor<1x4x4x8xf16>, tensor<2x2xf16>)
         outs(%p : tensor<1x3x3x8xf16>) -> tensor<1x3x3x8xf16>
  %m = linalg.pooling_nhwc_max ins(%c, %w : tensor<1x4x4x8xf16>, tensor<2x2xf16>)
         outs(%p : tensor<1x3x3x8xf16>) -> tensor<1x3x3x8xf16>
  return %s, %m : tensor<1x3x3x8xf16>, tensor<1x3x3x8xf16>
}

// -----

// The interior of a softmax is f32, rounded once.

// CHECK-LABEL: func @softmax_f16
// CHECK-NOT:     linalg.softmax
// CHECK:         arith.extf %{{.*}} : f16 to f32
// CHECK:         arith.maxnumf %{{.*}} : f32
// CHECK:         arith.subf %{{.*}} : f32
// CHECK-NEXT:    math.exp %{{.*}} : f32
// CHECK:         arith.addf %{{.*}} : f32
// CHECK:         arith.divf %{{.*}} : f32
// CHECK:         arith.truncf %{{.*}} : f32 to f16
func.func @softmax_f16(%x: tensor<4x?xf16>, %init: tensor<4x?xf16>) -> tensor<4x?xf16> {
  %s = linalg.softmax dimension(1) ins(%x : tensor<4x?xf16>) outs(%init : tensor<4x?xf16>) -> tensor<4x?xf16>
  return %s : tensor<4x?xf16>
}

// -----

// CHECK-LABEL: func @softmax_f64
// CHECK-NOT:     linalg.softmax
// CHECK-NOT:     f32
// CHECK:         math.exp %{{.*}} : f64
// CHECK-NOT:     arith.truncf
func.func @softmax_f64(%x: tensor<4x8xf64>, %init: tensor<4x8xf64>) -> tensor<4x8xf64> {
  %s = linalg.softmax dimension(0) ins(%x : tensor<4x8xf64>) outs(%init : tensor<4x8xf64>) -> tensor<4x8xf64>
  return %s : tensor<4x8xf64>
}

// -----

// Tiles are dimensions: a contraction for the rows and one for the columns, each rounded as the IR says.

// CHECK-LABEL: func @winograd_filter
// CHECK-NOT:     linalg.winograd
// CHECK-NOT:     scf.for
// CHECK-DAG:     %[[G:.*]] = arith.constant dense<{{.*}}> : tensor<6x3xf16>
// CHECK-DAG:     %[[GT:.*]] = arith.constant dense<{{.*}}> : tensor<3x6xf16>
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%[[G]], %arg0 : tensor<6x3xf16>, tensor<2x3x3x4xf16>) outs(%{{.*}} : tensor<6x3x4x2xf32>)
// CHECK:         arith.truncf
// CHECK:         linalg.generic {{.*}} ins(%[[GT]], %{{.*}} : tensor<3x6xf16>, tensor<6x3x4x2xf16>) outs(%{{.*}} : tensor<6x6x4x2xf32>)
// CHECK:         arith.truncf
func.func @winograd_filter(%f: tensor<2x3x3x4xf16>, %init: tensor<6x6x4x2xf16>) -> tensor<6x6x4x2xf16> {
  %r = linalg.winograd_filter_transform fmr(F_4_3) ins(%f : tensor<2x3x3x4xf16>)
         outs(%init : tensor<6x6x4x2xf16>) -> tensor<6x6x4x2xf16>
  return %r : tensor<6x6x4x2xf16>
}

// -----

// Tiles of the input overlap; rows only.

// CHECK:       #map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d2 * 4 + d6, d3, d5)>
// CHECK-LABEL: func @winograd_input
// CHECK:         linalg.generic {indexing_maps = [#{{.*}}, #map1, #{{.*}}]{{.*}} ins(%{{.*}}, %arg0 : tensor<6x6xf32>, tensor<2x10x3x5xf32>) outs(%{{.*}} : tensor<6x1x2x3x2x5xf32>)
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @winograd_input(%a: tensor<2x10x3x5xf32>, %init: tensor<6x1x2x3x2x5xf32>) -> tensor<6x1x2x3x2x5xf32> {
  %r = linalg.winograd_input_transform fmr(F_4_3) ins(%a : tensor<2x10x3x5xf32>)
         outs(%init : tensor<6x1x2x3x2x5xf32>) -> tensor<6x1x2x3x2x5xf32>
  return %r : tensor<6x1x2x3x2x5xf32>
}

// -----

// The output is added to, tile by tile.

// CHECK-LABEL: func @winograd_output
// CHECK-SAME:    (%[[A:.*]]: tensor<4x4x2x3x?x5xf32>, %[[O:.*]]: tensor<?x4x6x5xf32>)
// CHECK:         %[[START:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2], [3, 4], [5]] output_shape [%{{.*}}, 2, 2, 3, 2, 5] : tensor<?x4x6x5xf32> into tensor<?x2x2x3x2x5xf32>
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %[[A]] :
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} outs(%[[START]] : tensor<?x2x2x3x2x5xf32>)
// CHECK:         %[[R:.*]] = tensor.collapse_shape %[[SUM]]
// CHECK:         return %[[R]]
func.func @winograd_output(%a: tensor<4x4x2x3x?x5xf32>, %init: tensor<?x4x6x5xf32>) -> tensor<?x4x6x5xf32> {
  %r = linalg.winograd_output_transform fmr(F_2_3) ins(%a : tensor<4x4x2x3x?x5xf32>)
         outs(%init : tensor<?x4x6x5xf32>) -> tensor<?x4x6x5xf32>
  return %r : tensor<?x4x6x5xf32>
}

// -----

// Iterations that write one element run in order, whatever they are called.

// CHECK-LABEL: func @last_iteration_wins
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
func.func @last_iteration_wins(%a: tensor<5x7xf32>, %o: tensor<5xf32>) -> tensor<5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<5x7xf32>) outs(%o : tensor<5xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}

// -----

// The quotient of an exponential of the difference from its row's maximum and of
// the row's sum is the product with the sum's reciprocal. Weights that are
// rounded to f16 do not tell apart zero and less than the normal numbers.

// CHECK-LABEL: func @weights_f16
// CHECK:         math.exp %{{.*}} {fuse.flush} : f32
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.addf
// CHECK:         %[[RECIPROCAL:.*]] = linalg.generic {{.*}} ins(%[[SUM]] : tensor<4xf32>)
// CHECK:           arith.divf %{{.*}}, %{{.*}} : f32
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %[[RECIPROCAL]] : tensor<4x8xf32>, tensor<4xf32>)
// CHECK:           arith.mulf
// CHECK-NOT:     arith.divf
// CHECK:         return
func.func @weights_f16(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %empty = tensor.empty() : tensor<4x8xf16>
  %y = linalg.softmax dimension(1) ins(%x : tensor<4x8xf16>) outs(%empty : tensor<4x8xf16>) -> tensor<4x8xf16>
  return %y : tensor<4x8xf16>
}

// -----

// f32 results tell them apart.

// CHECK-LABEL: func @weights_f32
// CHECK-NOT:     fuse.flush
// CHECK:         return
func.func @weights_f32(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %empty = tensor.empty() : tensor<4x8xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%empty : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

#map = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// Without a maximum the sum may be so small that its reciprocal overflows.

// CHECK-LABEL: func @no_maximum
// CHECK-NOT:     arith.mulf
// CHECK:         arith.divf
// CHECK-NOT:     arith.mulf
// CHECK:         return
func.func @no_maximum(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %e = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
         ins(%x : tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<4x4xf32>
  %rows = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%rows : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]}
         ins(%e : tensor<4x4xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#map, #row, #map], iterator_types = ["parallel", "parallel"]}
         ins(%e, %s : tensor<4x4xf32>, tensor<4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

#map = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// Sums of columns are no sums of the rows whose maximum was subtracted.

// CHECK-LABEL: func @other_sum
// CHECK-NOT:     arith.constant 1.0
// CHECK-NOT:     arith.mulf
// CHECK:         arith.divf
// CHECK-NOT:     arith.mulf
// CHECK:         return
func.func @other_sum(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %rows = tensor.empty() : tensor<4xf32>
  %lowest = linalg.fill ins(%low : f32) outs(%rows : tensor<4xf32>) -> tensor<4xf32>
  %m = linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]}
         ins(%x : tensor<4x4xf32>) outs(%lowest : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %out, %in : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %empty = tensor.empty() : tensor<4x4xf32>
  %e = linalg.generic {indexing_maps = [#map, #row, #map], iterator_types = ["parallel", "parallel"]}
         ins(%x, %m : tensor<4x4xf32>, tensor<4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%rows : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.generic {indexing_maps = [#map, #column], iterator_types = ["reduction", "parallel"]}
         ins(%e : tensor<4x4xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#map, #column, #map], iterator_types = ["parallel", "parallel"]}
         ins(%e, %s : tensor<4x4xf32>, tensor<4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
