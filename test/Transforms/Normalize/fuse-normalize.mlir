// RUN: fusion-opt %s --fuse-normalize | FileCheck %s
// A second time changes nothing.
// RUN: fusion-opt %s --fuse-normalize --mlir-print-local-scope > %t.once
// RUN: fusion-opt %t.once --fuse-normalize --mlir-print-local-scope | diff %t.once -

// CHECK-LABEL: func.func @accumulator_with_data
// CHECK-SAME: (%[[A:.*]]: tensor<8x4xf16>, %[[B:.*]]: tensor<4x16xf16>, %[[C:.*]]: tensor<8x16xf32>)
func.func @accumulator_with_data(%a: tensor<8x4xf16>, %b: tensor<4x16xf16>, %c: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
  // CHECK-DAG: %[[EMPTY:.*]] = tensor.empty() : tensor<8x16xf32>
  // CHECK: %[[INIT:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs(%[[EMPTY]] : tensor<8x16xf32>)
  // CHECK: %[[P:.*]] = linalg.matmul ins(%[[A]], %[[B]] : {{.*}}) outs(%[[INIT]] :
  // CHECK: %[[S:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%[[P]], %[[C]] : tensor<8x16xf32>, tensor<8x16xf32>)
  // CHECK: arith.addf
  // CHECK: return %[[S]]
  %0 = linalg.matmul ins(%a, %b : tensor<8x4xf16>, tensor<4x16xf16>) outs(%c : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// CHECK-LABEL: func.func @accumulator_of_zeros_stays
func.func @accumulator_of_zeros_stays(%a: tensor<8x4xf16>, %b: tensor<4x16xf16>) -> tensor<8x16xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  // CHECK: linalg.matmul
  // CHECK-NEXT: return
  %0 = linalg.matmul ins(%a, %b : tensor<8x4xf16>, tensor<4x16xf16>) outs(%i : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// CHECK-LABEL: func.func @accumulator_filled_with_one
func.func @accumulator_filled_with_one(%a: tensor<8x4xf16>, %b: tensor<4x16xf16>) -> tensor<8x16xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %i = linalg.fill ins(%one : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  // CHECK: linalg.matmul
  // CHECK: arith.addf
  %0 = linalg.matmul ins(%a, %b : tensor<8x4xf16>, tensor<4x16xf16>) outs(%i : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// What a reduction starts from is combined with its result; of a product of integers, too.
// CHECK-LABEL: func.func @reductions_that_start_from_data
// CHECK-SAME: (%[[A:.*]]: tensor<8x4xf32>, %[[C:.*]]: tensor<8xf32>, %[[M:.*]]: tensor<8x4xi32>, %[[V:.*]]: tensor<4xi32>, %[[D:.*]]: tensor<8xi32>)
func.func @reductions_that_start_from_data(%a: tensor<8x4xf32>, %c: tensor<8xf32>, %m: tensor<8x4xi32>, %v: tensor<4xi32>, %d: tensor<8xi32>)
    -> (tensor<8xf32>, tensor<8xi32>) {
  // CHECK: %[[LEAST:.*]] = arith.constant 0xFF800000 : f32
  // CHECK: %[[START:.*]] = linalg.fill ins(%[[LEAST]] : f32)
  // CHECK: %[[R:.*]] = linalg.reduce { arith.maximumf } ins(%[[A]] : tensor<8x4xf32>) outs(%[[START]] : tensor<8xf32>) dimensions = [1]
  // CHECK: linalg.generic {{.*}}iterator_types = ["parallel"]} ins(%[[R]], %[[C]] : tensor<8xf32>, tensor<8xf32>)
  // CHECK: arith.maximumf
  %0 = linalg.reduce { arith.maximumf } ins(%a : tensor<8x4xf32>) outs(%c : tensor<8xf32>) dimensions = [1]
  // CHECK: %[[P:.*]] = linalg.matvec ins(%[[M]], %[[V]] :
  // CHECK: linalg.generic {{.*}}iterator_types = ["parallel"]} ins(%[[P]], %[[D]] : tensor<8xi32>, tensor<8xi32>)
  // CHECK: arith.addi
  %1 = linalg.matvec ins(%m, %v : tensor<8x4xi32>, tensor<4xi32>) outs(%d : tensor<8xi32>) -> tensor<8xi32>
  return %0, %1 : tensor<8xf32>, tensor<8xi32>
}

// What a reduction starts from by a constant stays.
// CHECK-LABEL: func.func @reduction_keeps_its_start
func.func @reduction_keeps_its_start(%a: tensor<8x4xf32>) -> tensor<8xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %c = linalg.fill ins(%one : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  // CHECK: linalg.reduce
  // CHECK-NEXT: return
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<8x4xf32>) outs(%c : tensor<8xf32>) dimensions = [1]
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @converted_fill_is_a_fill
func.func @converted_fill_is_a_fill() -> tensor<8xf32> {
  // CHECK: %[[V:.*]] = arith.constant 2.000000e+00 : f32
  // CHECK: %[[F:.*]] = linalg.fill ins(%[[V]] : f32) {{.*}} -> tensor<8xf32>
  // CHECK: return %[[F]]
  %z = arith.constant 2.0 : f16
  %e = tensor.empty() : tensor<8xf16>
  %f = tensor.empty() : tensor<8xf32>
  %i = linalg.fill ins(%z : f16) outs(%e : tensor<8xf16>) -> tensor<8xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%i : tensor<8xf16>) outs(%f : tensor<8xf32>) {
  ^bb0(%x: f16, %o: f32):
    %1 = arith.extf %x : f16 to f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @pad
// CHECK-SAME: (%[[A:.*]]: tensor<5x7xf32>)
func.func @pad(%a: tensor<5x7xf32>) -> tensor<8x9xf32> {
  // CHECK-NOT: tensor.pad
  // CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<8x9xf32>)
  // CHECK: linalg.index 0
  // CHECK: linalg.index 1
  // CHECK: tensor.extract %[[A]]
  // CHECK: arith.select
  %z = arith.constant 1.5 : f32
  %0 = tensor.pad %a low[1, 2] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<5x7xf32> to tensor<8x9xf32>
  return %0 : tensor<8x9xf32>
}

// CHECK-LABEL: func.func @extract_slice_with_strides_and_a_dropped_dimension
func.func @extract_slice_with_strides_and_a_dropped_dimension(%a: tensor<5x17xf32>) -> tensor<6xf32> {
  // CHECK-NOT: tensor.extract_slice
  // CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<6xf32>)
  // CHECK: tensor.extract %{{.*}}[%{{.*}}, %{{.*}}]
  %0 = tensor.extract_slice %a[3, 1] [1, 6] [1, 3] : tensor<5x17xf32> to tensor<6xf32>
  return %0 : tensor<6xf32>
}

// CHECK-LABEL: func.func @insert_slice
// CHECK-SAME: (%[[A:.*]]: tensor<2x3xf32>, %[[B:.*]]: tensor<8x9xf32>)
func.func @insert_slice(%a: tensor<2x3xf32>, %b: tensor<8x9xf32>) -> tensor<8x9xf32> {
  // CHECK-NOT: tensor.insert_slice
  // CHECK: linalg.generic {{.*}} ins(%[[B]] : tensor<8x9xf32>) outs(%{{.*}} : tensor<8x9xf32>)
  // CHECK: tensor.extract %[[A]]
  %0 = tensor.insert_slice %a into %b[1, 2] [2, 3] [3, 2] : tensor<2x3xf32> into tensor<8x9xf32>
  return %0 : tensor<8x9xf32>
}

// CHECK-LABEL: func.func @nothing_inserted
// CHECK-SAME: (%{{.*}}, %[[B:.*]]: tensor<8xf32>)
func.func @nothing_inserted(%a: tensor<0xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: return %[[B]]
  %0 = tensor.insert_slice %a into %b[1] [0] [1] : tensor<0xf32> into tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @concat
func.func @concat(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>) -> tensor<6x3xf32> {
  // CHECK-NOT: tensor.concat
  // CHECK: linalg.generic
  // CHECK: tensor.extract %{{.*}} : tensor<2x3xf32>
  // CHECK: tensor.extract %{{.*}} : tensor<4x3xf32>
  // CHECK-NOT: linalg.generic
  // CHECK: return
  %0 = tensor.concat dim(0) %a, %b : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
  return %0 : tensor<6x3xf32>
}

// CHECK-LABEL: func.func @concat_dynamic
func.func @concat_dynamic(%a: tensor<2x?xf32>, %b: tensor<2x0xf32>, %c: tensor<2x?xf32>) -> tensor<2x?xf32> {
  // CHECK-COUNT-1: linalg.generic
  // CHECK: tensor.extract
  // CHECK: tensor.extract
  // CHECK-NOT: tensor.extract
  // CHECK: return
  %0 = tensor.concat dim(1) %a, %b, %c : (tensor<2x?xf32>, tensor<2x0xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}

#id = affine_map<(i) -> (i)>

// A scalar from outside is an operand; constants stay where they are.
// CHECK-LABEL: func.func @captured_scalar
// CHECK-SAME: (%[[A:.*]]: tensor<8xf32>, %[[S:.*]]: f32)
func.func @captured_scalar(%a: tensor<8xf32>, %s: f32) -> tensor<8xf32> {
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  // CHECK: linalg.generic {indexing_maps = [#[[ID:.*]], #[[SCALAR:.*]], #[[ID]]]{{.*}} ins(%[[A]], %[[S]] : tensor<8xf32>, f32)
  // CHECK: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %{{.*}}: f32):
  // CHECK: arith.mulf %[[X]], %[[Y]]
  // CHECK: arith.addf %{{.*}}, %{{cst.*}}
  // CHECK: arith.subf %{{.*}}, %[[Y]]
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %p = arith.mulf %x, %s : f32
    %q = arith.addf %p, %two : f32
    %t = arith.subf %q, %s : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// Plans have no floating-point arithmetic: the body computes the scalar.
// CHECK-LABEL: func.func @computed_scalar
// CHECK-SAME: (%[[A:.*]]: tensor<8xf32>, %[[S:.*]]: f32)
func.func @computed_scalar(%a: tensor<8xf32>, %s: f32) -> tensor<8xf32> {
  // CHECK-NOT: math.exp
  %u = math.exp %s : f32
  %v = arith.addf %u, %s : f32
  %e = tensor.empty() : tensor<8xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[A]], %[[S]] : tensor<8xf32>, f32)
  // CHECK: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %{{.*}}: f32):
  // CHECK: %[[U:.*]] = math.exp %[[Y]]
  // CHECK: %[[V:.*]] = arith.addf %[[U]], %[[Y]]
  // CHECK: arith.mulf %[[X]], %[[V]]
  %r = linalg.generic {indexing_maps = [#id, affine_map<(i) -> ()>, #id], iterator_types = ["parallel"]}
      ins(%a, %v : tensor<8xf32>, f32) outs(%e : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// CHECK-LABEL: func.func @filled_with_a_computed_scalar
// CHECK-SAME: (%[[S:.*]]: f32)
// CHECK: linalg.generic {{.*}} ins(%[[S]] : f32)
// CHECK: math.exp
// CHECK-NOT: linalg.fill
func.func @filled_with_a_computed_scalar(%s: f32) -> tensor<8xf32> {
  %u = math.exp %s : f32
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.fill ins(%u : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// CHECK-LABEL: func.func @map_with_a_scalar
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<8xf32>, f32)
func.func @map_with_a_scalar(%a: tensor<8xf32>, %s: f32) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.map ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) (%x: f32, %o: f32) {
    %p = arith.mulf %x, %s : f32
    linalg.yield %p : f32
  }
  return %r : tensor<8xf32>
}

// What is overwritten is not read; what is read is an operand, or a number.
// CHECK-LABEL: func.func @overwritten
// CHECK-SAME: (%[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>)
func.func @overwritten(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<8xf32>
  // CHECK: linalg.add ins(%[[A]], %[[B]] : {{.*}}) outs(%[[E]] :
  %0 = linalg.add ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[A]], %[[B]] : tensor<8xf32>, tensor<8xf32>) outs(%{{.*}} : tensor<8xf32>) {
  // CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %{{.*}}: f32):
  // CHECK-NEXT: arith.addf %[[X]], %[[Y]]
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%b : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %2 = arith.addf %x, %o : f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[A]] : tensor<8xf32>) outs(%{{.*}} : tensor<8xf32>) {
  // CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
  // CHECK-NEXT: arith.addf %[[X]], %cst
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%two : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %4 = arith.addf %x, %o : f32
    linalg.yield %4 : f32
  } -> tensor<8xf32>
  return %0, %1, %3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// A convolution with one place of its filter is a contraction; one that skips places still has a window.
// CHECK-LABEL: func.func @pointwise
func.func @pointwise(%x: tensor<2x8x8x16xf16>, %f: tensor<1x1x16x32xf16>, %g: tensor<3x1x16x32xf16>) -> (tensor<2x8x8x32xf32>, tensor<2x3x4x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<2x8x8x32xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x8x8x32xf32>) -> tensor<2x8x8x32xf32>
  // CHECK: %[[F:.*]] = tensor.collapse_shape %arg1 {{\[\[}}0, 1, 2], [3]] : tensor<1x1x16x32xf16> into tensor<16x32xf16>
  // CHECK: linalg.generic {indexing_maps = [#[[A:map[0-9]*]], #{{.*}}, #{{.*}}], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %[[F]] :
  %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %f : tensor<2x8x8x16xf16>, tensor<1x1x16x32xf16>) outs(%i0 : tensor<2x8x8x32xf32>) -> tensor<2x8x8x32xf32>
  %e1 = tensor.empty() : tensor<2x3x4x32xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x3x4x32xf32>) -> tensor<2x3x4x32xf32>
  // CHECK: %[[G:.*]] = tensor.collapse_shape %arg2 {{\[\[}}0, 1], [2], [3]] : tensor<3x1x16x32xf16> into tensor<3x16x32xf16>
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%arg0, %[[G]] :
  %1 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%x, %g : tensor<2x8x8x16xf16>, tensor<3x1x16x32xf16>) outs(%i1 : tensor<2x3x4x32xf32>) -> tensor<2x3x4x32xf32>
  return %0, %1 : tensor<2x8x8x32xf32>, tensor<2x3x4x32xf32>
}

// A filter's loop that is not summed with another stays, and so does one over places without channels.
// CHECK-LABEL: func.func @one_dimensional
// CHECK: linalg.conv_2d
func.func @one_dimensional(%x: tensor<8x8xf16>, %f: tensor<1x1xf16>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<8x8xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = linalg.conv_2d ins(%x, %f : tensor<8x8xf16>, tensor<1x1xf16>) outs(%i0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Views, sizes, scalars and constants are for the host.
// CHECK-LABEL: func.func @host_stays
func.func @host_stays(%a: tensor<4x?xf32>, %s: index) -> (tensor<?xf32>, index, tensor<2xf32>) {
  // CHECK: tensor.collapse_shape
  %0 = tensor.collapse_shape %a [[0, 1]] : tensor<4x?xf32> into tensor<?xf32>
  %c1 = arith.constant 1 : index
  // CHECK: tensor.dim
  %d = tensor.dim %a, %c1 : tensor<4x?xf32>
  // CHECK: arith.muli
  // CHECK: return
  %m = arith.muli %d, %s : index
  %k = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %0, %m, %k : tensor<?xf32>, index, tensor<2xf32>
}

// CHECK-LABEL: func.func private @external
func.func private @external(tensor<4xf32>) -> tensor<4xf32>

// An operand that is read at the one index of a dimension loses it.
// CHECK-LABEL: func.func @unit_indices
// CHECK: %[[V:.*]] = tensor.collapse_shape %arg1 {{\[\[}}0, 1, 2]] : tensor<1x1x8xf32> into tensor<8xf32>
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[BIAS:.*]], #{{.*}}], {{.*}} ins(%arg0, %[[V]] : tensor<4x8xf32>, tensor<8xf32>)
func.func @unit_indices(%x: tensor<4x8xf32>, %b: tensor<1x1x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (0, 0, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<4x8xf32>, tensor<1x1x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// A number in place of a tensor full of it; where nothing else says how many there are to sum, the tensor stays.
// CHECK-LABEL: func.func @filled
// CHECK-SAME: (%[[A:.*]]: tensor<8xf32>, %[[S:.*]]: f32)
func.func @filled(%a: tensor<8xf32>, %s: f32) -> (tensor<8xf32>, tensor<f32>) {
  %e = tensor.empty() : tensor<8xf32>
  %two = arith.constant 2.0 : f32
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%two : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %g = linalg.fill ins(%s : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[A]], %[[S]] : tensor<8xf32>, f32)
  // CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %{{.*}}: f32):
  // CHECK-NEXT: %[[P:.*]] = arith.mulf %[[X]], %cst{{.*}} : f32
  // CHECK-NEXT: arith.addf %[[P]], %[[Y]] : f32
  %r = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %f, %g : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %p, %z : f32
    linalg.yield %q : f32
  } -> tensor<8xf32>
  %e0 = tensor.empty() : tensor<f32>
  %i = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  // CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%{{.*}} : tensor<8xf32>)
  %t = linalg.generic {indexing_maps = [#id, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%f : tensor<8xf32>) outs(%i : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %q = arith.addf %o, %x : f32
    linalg.yield %q : f32
  } -> tensor<f32>
  return %r, %t : tensor<8xf32>, tensor<f32>
}

#row = affine_map<(i, j) -> (i)>
#full = affine_map<(i, j) -> (i, j)>

// An element of a computed row is computed where it is picked; what is read at the operator's own place is an operand.
// CHECK-LABEL: func.func @picked_from_computed_rows
// CHECK-SAME: (%[[X:.*]]: tensor<8x16xf32>, %[[M:.*]]: tensor<8xf32>, %[[I:.*]]: tensor<8xi32>)
func.func @picked_from_computed_rows(%x: tensor<8x16xf32>, %m: tensor<8xf32>, %i: tensor<8xi32>) -> (tensor<8x16xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8x16xf32>
  // CHECK: %[[C:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[M]] :
  %c = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<8x16xf32>, tensor<8xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.subf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<8x16xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[I]], %[[M]] : tensor<8xi32>, tensor<8xf32>)
  // CHECK-NEXT: ^bb0(%[[AT:.*]]: i32, %[[MEAN:.*]]: f32, %{{.*}}: f32):
  // CHECK: %[[COLUMN:.*]] = arith.index_cast %[[AT]] : i32 to index
  // CHECK: %[[ELEMENT:.*]] = tensor.extract %[[X]][%{{.*}}, %[[COLUMN]]]
  // CHECK: arith.subf %[[ELEMENT]], %[[MEAN]]
  %f = tensor.empty() : tensor<8xf32>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%i : tensor<8xi32>) outs(%f : tensor<8xf32>) {
  ^bb0(%at: i32, %o: f32):
    %row = linalg.index 0 : index
    %column = arith.index_cast %at : i32 to index
    %r = tensor.extract %c[%row, %column] : tensor<8x16xf32>
    linalg.yield %r : f32
  } -> tensor<8xf32>
  return %c, %p : tensor<8x16xf32>, tensor<8xf32>
}

// Where more elements are read than there are, as of a table, the tensor is made.
// CHECK-LABEL: func.func @read_more_often_than_made
// CHECK: %[[T:.*]] = linalg.exp
// CHECK: tensor.extract %[[T]]
func.func @read_more_often_than_made(%x: tensor<4xf32>, %i: tensor<8xi32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %t = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %f = tensor.empty() : tensor<8xf32>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%i : tensor<8xi32>) outs(%f : tensor<8xf32>) {
  ^bb0(%at: i32, %o: f32):
    %k = arith.index_cast %at : i32 to index
    %r = tensor.extract %t[%k] : tensor<4xf32>
    linalg.yield %r : f32
  } -> tensor<8xf32>
  return %p : tensor<8xf32>
}

// A reduction along computed values that are concatenated is one of each piece; the pieces of the other operand are slices.
// CHECK-LABEL: func.func @reduction_of_pieces
// CHECK-SAME: (%[[X:.*]]: tensor<8x16xf32>, %[[W:.*]]: tensor<40xf32>, %[[Y:.*]]: tensor<8x24xf32>)
func.func @reduction_of_pieces(%x: tensor<8x16xf32>, %w: tensor<40xf32>, %y: tensor<8x24xf32>) -> tensor<8xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  // CHECK: %[[E:.*]] = linalg.exp ins(%[[X]]
  %c = linalg.exp ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  // CHECK-NOT: outs({{.*}} : tensor<8x40xf32>)
  %all = tensor.concat dim(1) %c, %y : (tensor<8x16xf32>, tensor<8x24xf32>) -> tensor<8x40xf32>
  %f = tensor.empty() : tensor<8xf32>
  // CHECK: %[[START:.*]] = linalg.fill ins(%cst{{.*}} : f32)
  %s = linalg.fill ins(%one : f32) outs(%f : tensor<8xf32>) -> tensor<8xf32>
  // CHECK: %[[FIRST:.*]] = linalg.matvec ins(%[[E]], %{{.*}} : tensor<8x16xf32>, tensor<16xf32>) outs(%[[START]] :
  // CHECK: %[[SECOND:.*]] = linalg.matvec ins(%[[Y]], %{{.*}} : tensor<8x24xf32>, tensor<24xf32>)
  // CHECK: linalg.generic {{.*}} ins(%[[FIRST]], %[[SECOND]] : tensor<8xf32>, tensor<8xf32>)
  // CHECK: arith.addf
  %r = linalg.matvec ins(%all, %w : tensor<8x40xf32>, tensor<40xf32>) outs(%s : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// What is padded is computed in the padding, if operators other than contractions read it; there an element is read where it
// matters only.
// CHECK-LABEL: func.func @computed_in_a_padding
// CHECK-SAME: (%[[X:.*]]: tensor<8xf32>)
// CHECK-NOT: linalg.exp
// CHECK: %[[INSIDE:.*]] = arith.andi
// CHECK: %[[AT:.*]] = arith.select %[[INSIDE]], %{{.*}}, %c0
// CHECK: %[[READ:.*]] = tensor.extract %[[X]][%[[AT]]]
// CHECK: %[[ELEMENT:.*]] = arith.select %[[INSIDE]], %[[READ]], %cst
// CHECK: %[[COMPUTED:.*]] = math.exp %[[ELEMENT]]
// CHECK: arith.select %[[INSIDE]], %[[COMPUTED]], %cst
// CHECK: linalg.abs
func.func @computed_in_a_padding(%x: tensor<8xf32>) -> tensor<11xf32> {
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<11xf32>
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %p = tensor.pad %c low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %two : f32
  } : tensor<8xf32> to tensor<11xf32>
  %r = linalg.abs ins(%p : tensor<11xf32>) outs(%f : tensor<11xf32>) -> tensor<11xf32>
  return %r : tensor<11xf32>
}

// For the function's result alone it is stored where it belongs.
// CHECK-LABEL: func.func @padded_result
// CHECK: %[[C:.*]] = linalg.exp
// CHECK: tensor.extract %[[C]]
func.func @padded_result(%x: tensor<8xf32>) -> tensor<11xf32> {
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %c = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %p = tensor.pad %c low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %two : f32
  } : tensor<8xf32> to tensor<11xf32>
  return %p : tensor<11xf32>
}

// Each result by itself, with the inputs that it reads; what both need is in both.
// CHECK-LABEL: func.func @sum_and_squares
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[Y:.*]]: tensor<4x8xf32>
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<4x8xf32>) outs
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[S:.*]]: f32):
// CHECK-NEXT: %[[E:.*]] = math.exp %[[A]]
// CHECK-NEXT: %[[R:.*]] = arith.addf %[[S]], %[[E]]
// CHECK-NEXT: linalg.yield %[[R]]
// CHECK: %[[SQUARES:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[Y]] : tensor<4x8xf32>, tensor<4x8xf32>) outs
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[S:.*]]: f32):
// CHECK-NEXT: %[[E:.*]] = math.exp %[[A]]
// CHECK-NEXT: %[[M:.*]] = arith.mulf %[[E]], %[[B]]
// CHECK-NEXT: %[[R:.*]] = arith.addf %[[S]], %[[M]]
// CHECK-NEXT: linalg.yield %[[R]]
// CHECK: return %[[SUM]], %[[SQUARES]]
func.func @sum_and_squares(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %0:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x, %y : tensor<4x8xf32>, tensor<4x8xf32>) outs(%s, %s : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32, %squares: f32):
    %exp = math.exp %a : f32
    %next = arith.addf %sum, %exp : f32
    %square = arith.mulf %exp, %b : f32
    %more = arith.addf %squares, %square : f32
    linalg.yield %next, %more : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// The place of the largest value needs the largest so far.
// CHECK-LABEL: func.func @place_of_largest
// CHECK: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: -> (tensor<4xf32>, tensor<4xi32>)
func.func @place_of_largest(%x: tensor<4x8xf32>, %top: tensor<4xf32>, %at: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%top, %at : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%a: f32, %most: f32, %place: i32):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i32
    %more = arith.cmpf ogt, %a, %most : f32
    %value = arith.select %more, %a, %most : f32
    %where = arith.select %more, %n, %place : i32
    linalg.yield %value, %where : f32, i32
  } -> (tensor<4xf32>, tensor<4xi32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xi32>
}

// Where only the other result says how often a loop runs, nothing is divided.
// CHECK-LABEL: func.func @loop_of_one_result
// CHECK: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: -> (tensor<4xf32>, tensor<4x8xf32>)
func.func @loop_of_one_result(%x: tensor<4xf32>, %s: tensor<4xf32>, %w: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4x8xf32>) {
  %0:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4xf32>) outs(%s, %w : tensor<4xf32>, tensor<4x8xf32>) {
  ^bb0(%a: f32, %sum: f32, %b: f32):
    %next = arith.addf %sum, %a : f32
    %other = arith.addf %b, %a : f32
    linalg.yield %next, %other : f32, f32
  } -> (tensor<4xf32>, tensor<4x8xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4x8xf32>
}
