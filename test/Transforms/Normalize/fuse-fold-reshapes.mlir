// RUN: fusion-opt %s --fuse-fold-reshapes | FileCheck %s

#row = affine_map<(b, l, n) -> (b, l)>
#id3 = affine_map<(b, l, n) -> (b, l, n)>
#id2 = affine_map<(m, n) -> (m, n)>
#last = affine_map<(b, l, n) -> (n)>

// Between two contractions by rows, batches and rows are rows.
// CHECK-LABEL: func.func @activation
// CHECK-NOT: shape
// CHECK: linalg.matmul
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%{{.*}} : tensor<24x96xf32>, tensor<96xf32>)
// CHECK: math.tanh
// CHECK-NOT: shape
// CHECK: linalg.matmul
func.func @activation(%x: tensor<24x48xf32>, %w: tensor<48x96xf32>, %bias: tensor<96xf32>, %v: tensor<96x48xf32>) -> tensor<24x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<24x96xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<24x96xf32>) -> tensor<24x96xf32>
  %p = linalg.matmul ins(%x, %w : tensor<24x48xf32>, tensor<48x96xf32>) outs(%i0 : tensor<24x96xf32>) -> tensor<24x96xf32>
  %p3 = tensor.expand_shape %p [[0, 1], [2]] output_shape [2, 12, 96] : tensor<24x96xf32> into tensor<2x12x96xf32>
  %e1 = tensor.empty() : tensor<2x12x96xf32>
  %g = linalg.generic {indexing_maps = [#id3, #last, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p3, %bias : tensor<2x12x96xf32>, tensor<96xf32>) outs(%e1 : tensor<2x12x96xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    %t = math.tanh %s : f32
    linalg.yield %t : f32
  } -> tensor<2x12x96xf32>
  %t3 = linalg.exp ins(%g : tensor<2x12x96xf32>) outs(%e1 : tensor<2x12x96xf32>) -> tensor<2x12x96xf32>
  %t2 = tensor.collapse_shape %t3 [[0, 1], [2]] : tensor<2x12x96xf32> into tensor<24x96xf32>
  %e2 = tensor.empty() : tensor<24x48xf32>
  %i2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<24x48xf32>) -> tensor<24x48xf32>
  %q = linalg.matmul ins(%t2, %v : tensor<24x96xf32>, tensor<96x48xf32>) outs(%i2 : tensor<24x48xf32>) -> tensor<24x48xf32>
  return %q : tensor<24x48xf32>
}

// Dimensions that a reduction keeps are none.
// CHECK-LABEL: func.func @mean
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-NOT: expand_shape
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%{{.*}} : tensor<2x12xf32>)
// CHECK-NOT: collapse_shape
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %{{.*}} : tensor<2x12x48xf32>, tensor<2x12xf32>)
func.func @mean(%x: tensor<2x12x48xf32>) -> tensor<2x12x48xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 48.0 : f32
  %e0 = tensor.empty() : tensor<2x12xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x12xf32>) -> tensor<2x12xf32>
  %sum = linalg.generic {indexing_maps = [#id3, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<2x12x48xf32>) outs(%i0 : tensor<2x12xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<2x12xf32>
  %kept = tensor.expand_shape %sum [[0], [1, 2]] output_shape [2, 12, 1] : tensor<2x12xf32> into tensor<2x12x1xf32>
  %e1 = tensor.empty() : tensor<2x12x1xf32>
  %mean = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%kept : tensor<2x12x1xf32>) outs(%e1 : tensor<2x12x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %d = arith.divf %a, %n : f32
    linalg.yield %d : f32
  } -> tensor<2x12x1xf32>
  %flat = tensor.collapse_shape %mean [[0], [1, 2]] : tensor<2x12x1xf32> into tensor<2x12xf32>
  %e2 = tensor.empty() : tensor<2x12x48xf32>
  %r = linalg.generic {indexing_maps = [#id3, #row, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %flat : tensor<2x12x48xf32>, tensor<2x12xf32>) outs(%e2 : tensor<2x12x48xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<2x12x48xf32>
  return %r : tensor<2x12x48xf32>
}

// A loop of one iteration stays where a contraction has it.
// CHECK-LABEL: func.func @decode
// CHECK-NOT: shape
// CHECK: linalg.matmul
// CHECK: linalg.exp ins(%{{.*}} : tensor<1x96xf32>)
func.func @decode(%x: tensor<1x48xf32>, %w: tensor<48x96xf32>) -> tensor<1x96xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x96xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x96xf32>) -> tensor<1x96xf32>
  %p = linalg.matmul ins(%x, %w : tensor<1x48xf32>, tensor<48x96xf32>) outs(%i : tensor<1x96xf32>) -> tensor<1x96xf32>
  %y = linalg.exp ins(%p : tensor<1x96xf32>) outs(%e : tensor<1x96xf32>) -> tensor<1x96xf32>
  return %y : tensor<1x96xf32>
}

// The rows of a batch are told apart: so they are in front and behind, up to the function's boundary.
// CHECK-LABEL: func.func @positions
// CHECK: tensor.expand_shape %arg0
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]
// CHECK: math.exp
// CHECK-NOT: _shape
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]
// CHECK: arith.mulf
// CHECK-NOT: _shape
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]
// CHECK: math.exp
// CHECK: %[[ALL:.*]] = tensor.collapse_shape
// CHECK-NEXT: return %[[ALL]]
func.func @positions(%x: tensor<24x96xf32>, %c: tensor<12x96xf32>) -> tensor<24x96xf32> {
  %e0 = tensor.empty() : tensor<24x96xf32>
  %y = linalg.exp ins(%x : tensor<24x96xf32>) outs(%e0 : tensor<24x96xf32>) -> tensor<24x96xf32>
  %y3 = tensor.expand_shape %y [[0, 1], [2]] output_shape [2, 12, 96] : tensor<24x96xf32> into tensor<2x12x96xf32>
  %e1 = tensor.empty() : tensor<2x12x96xf32>
  %g = linalg.generic {indexing_maps = [#id3, affine_map<(b, l, n) -> (l, n)>, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y3, %c : tensor<2x12x96xf32>, tensor<12x96xf32>) outs(%e1 : tensor<2x12x96xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.mulf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<2x12x96xf32>
  %t2 = tensor.collapse_shape %g [[0, 1], [2]] : tensor<2x12x96xf32> into tensor<24x96xf32>
  %z = linalg.exp ins(%t2 : tensor<24x96xf32>) outs(%e0 : tensor<24x96xf32>) -> tensor<24x96xf32>
  return %z : tensor<24x96xf32>
}

// A product of the higher rank reads the sum: the reshape would only be in front of it.
// CHECK-LABEL: func.func @batches
// CHECK: tensor.expand_shape
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]
// CHECK: linalg.batch_matmul
func.func @batches(%x: tensor<24x48xf32>, %v: tensor<2x48x16xf32>) -> tensor<2x12x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<24x48xf32>
  %y = linalg.exp ins(%x : tensor<24x48xf32>) outs(%e0 : tensor<24x48xf32>) -> tensor<24x48xf32>
  %y3 = tensor.expand_shape %y [[0, 1], [2]] output_shape [2, 12, 48] : tensor<24x48xf32> into tensor<2x12x48xf32>
  %e1 = tensor.empty() : tensor<2x12x48xf32>
  %t = linalg.tanh ins(%y3 : tensor<2x12x48xf32>) outs(%e1 : tensor<2x12x48xf32>) -> tensor<2x12x48xf32>
  %e2 = tensor.empty() : tensor<2x12x16xf32>
  %i2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x12x16xf32>) -> tensor<2x12x16xf32>
  %q = linalg.batch_matmul ins(%t, %v : tensor<2x12x48xf32>, tensor<2x48x16xf32>) outs(%i2 : tensor<2x12x16xf32>) -> tensor<2x12x16xf32>
  return %q : tensor<2x12x16xf32>
}

// A body that computes with its place keeps its loops.
// CHECK-LABEL: func.func @index
// CHECK: tensor.expand_shape
// CHECK: linalg.index 1
func.func @index(%x: tensor<24x96xf32>) -> tensor<2x12x96xf32> {
  %e0 = tensor.empty() : tensor<24x96xf32>
  %y = linalg.exp ins(%x : tensor<24x96xf32>) outs(%e0 : tensor<24x96xf32>) -> tensor<24x96xf32>
  %y3 = tensor.expand_shape %y [[0, 1], [2]] output_shape [2, 12, 96] : tensor<24x96xf32> into tensor<2x12x96xf32>
  %e1 = tensor.empty() : tensor<2x12x96xf32>
  %g = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y3 : tensor<2x12x96xf32>) outs(%e1 : tensor<2x12x96xf32>) {
  ^bb0(%a: f32, %o: f32):
    %l = linalg.index 1 : index
    %i = arith.index_cast %l : index to i32
    %f = arith.sitofp %i : i32 to f32
    %s = arith.mulf %a, %f : f32
    linalg.yield %s : f32
  } -> tensor<2x12x96xf32>
  return %g : tensor<2x12x96xf32>
}

// Sizes that are known at run time.
// CHECK-LABEL: func.func @dynamic
// CHECK-NOT: expand_shape
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%{{.*}} : tensor<?x96xf32>)
func.func @dynamic(%x: tensor<?x96xf32>, %b: index, %l: index) -> tensor<?x96xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x96xf32>
  %e0 = tensor.empty(%m) : tensor<?x96xf32>
  %y = linalg.exp ins(%x : tensor<?x96xf32>) outs(%e0 : tensor<?x96xf32>) -> tensor<?x96xf32>
  %y3 = tensor.expand_shape %y [[0, 1], [2]] output_shape [%b, %l, 96] : tensor<?x96xf32> into tensor<?x?x96xf32>
  %e1 = tensor.empty(%b, %l) : tensor<?x?x96xf32>
  %t = linalg.tanh ins(%y3 : tensor<?x?x96xf32>) outs(%e1 : tensor<?x?x96xf32>) -> tensor<?x?x96xf32>
  %t2 = tensor.collapse_shape %t [[0, 1], [2]] : tensor<?x?x96xf32> into tensor<?x96xf32>
  %z = linalg.exp ins(%t2 : tensor<?x96xf32>) outs(%e0 : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %z : tensor<?x96xf32>
}

#all7 = affine_map<(a, b, c, d, e, f, g) -> (a, b, c, d, e, f, g)>
#rows7 = affine_map<(a, b, c, d, e, f, g) -> (a, b, c, d, e, f)>
#turned7 = affine_map<(a, b, c, d, e, f, g) -> (d, e, a, b, c, f, g)>

// More loops than a tile has dimensions: loops that follow one another in all operands are merged, in all operators alike.
// CHECK-LABEL: func.func @many_loops
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x2x5x3x2x8xf32>)
// CHECK: %[[V:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1, 2, 3, 4, 5], [6]] : tensor<2x3x2x5x3x2x8xf32> into tensor<360x8xf32>
// CHECK: %[[S:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[V]] : tensor<360x8xf32>) outs(%{{.*}} : tensor<360xf32>)
// CHECK: %[[C:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%{{.*}}, %[[S]] : tensor<360x8xf32>, tensor<360xf32>)
// CHECK: %[[R:.*]] = tensor.expand_shape %[[C]]
// CHECK: return %[[R]]
func.func @many_loops(%x: tensor<2x3x2x5x3x2x8xf32>) -> tensor<2x3x2x5x3x2x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x2x5x3x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x2x5x3x2xf32>) -> tensor<2x3x2x5x3x2xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<2x3x2x5x3x2x8xf32>) outs(%f : tensor<2x3x2x5x3x2xf32>) dimensions = [6]
  %g = tensor.empty() : tensor<2x3x2x5x3x2x8xf32>
  %c = linalg.generic {indexing_maps = [#all7, #rows7, #all7],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %s : tensor<2x3x2x5x3x2x8xf32>, tensor<2x3x2x5x3x2xf32>) outs(%g : tensor<2x3x2x5x3x2x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.subf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x3x2x5x3x2x8xf32>
  return %c : tensor<2x3x2x5x3x2x8xf32>
}

// A transposed operand keeps those apart that it separates; an index that a body computes with keeps its loop.
// CHECK-LABEL: func.func @turned
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%{{.*}}, %{{.*}} : tensor<15x12x2x8xf32>, tensor<12x15x2x8xf32>)
// CHECK: linalg.index 3
func.func @turned(%x: tensor<5x3x2x3x2x2x8xf32>, %y: tensor<2x3x2x5x3x2x8xf32>) -> tensor<2x3x2x5x3x2x8xf32> {
  %g = tensor.empty() : tensor<2x3x2x5x3x2x8xf32>
  %c = linalg.generic {indexing_maps = [#turned7, #all7, #all7],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %y : tensor<5x3x2x3x2x2x8xf32>, tensor<2x3x2x5x3x2x8xf32>) outs(%g : tensor<2x3x2x5x3x2x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %l = linalg.index 6 : index
    %i = arith.index_cast %l : index to i32
    %n = arith.sitofp %i : i32 to f32
    %m = arith.mulf %a, %n : f32
    %r = arith.subf %m, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x3x2x5x3x2x8xf32>
  return %c : tensor<2x3x2x5x3x2x8xf32>
}

// The sum goes through what the other operator tells apart: its loop stays one, and the reshape where it is.
// CHECK-LABEL: func.func @reduced_before
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
// CHECK: tensor.expand_shape %[[Y]]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]
func.func @reduced_before(%x: tensor<24x96xf32>, %c2: tensor<24x12xf32>) -> tensor<24x8x12xf32> {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<24xf32>
  %none = linalg.fill ins(%zero : f32) outs(%rows : tensor<24xf32>) -> tensor<24xf32>
  %sum = linalg.generic {indexing_maps = [#id2, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<24x96xf32>) outs(%none : tensor<24xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<24xf32>
  %e = tensor.empty() : tensor<24x96xf32>
  %y = linalg.generic {indexing_maps = [#id2, affine_map<(m, n) -> (m)>, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<24x96xf32>, tensor<24xf32>) outs(%e : tensor<24x96xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.divf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<24x96xf32>
  %squares = linalg.generic {indexing_maps = [#id2, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<24x96xf32>) outs(%none : tensor<24xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.mulf %a, %a : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<24xf32>
  %y3 = tensor.expand_shape %y [[0], [1, 2]] output_shape [24, 8, 12] : tensor<24x96xf32> into tensor<24x8x12xf32>
  %e3 = tensor.empty() : tensor<24x8x12xf32>
  %g = linalg.generic {indexing_maps = [#id3, affine_map<(b, l, n) -> (b, n)>, affine_map<(b, l, n) -> (b)>, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y3, %c2, %squares : tensor<24x8x12xf32>, tensor<24x12xf32>, tensor<24xf32>) outs(%e3 : tensor<24x8x12xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %d : f32
    linalg.yield %s : f32
  } -> tensor<24x8x12xf32>
  return %g : tensor<24x8x12xf32>
}

// What reads elements by their places keeps its loop of one iteration, and so does who makes them: no reshape is between.
// CHECK-LABEL: func.func @beside_places
// CHECK-NOT: tensor.collapse_shape
// CHECK: linalg.generic
// CHECK-SAME: ins(%{{.*}} : tensor<1x32xf32>)
// CHECK-NOT: tensor.expand_shape
// CHECK: tensor.extract %{{.*}}[%{{.*}}] : tensor<1x32xf32>
// CHECK: return
func.func @beside_places(%x: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %e = tensor.empty() : tensor<1x32xf32>
  %y = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x32xf32>) outs(%e : tensor<1x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.exp %a : f32
    linalg.yield %s : f32
  } -> tensor<1x32xf32>
  %z = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<1x32xf32>) {
  ^bb0(%o: f32):
    %c31 = arith.constant 31 : index
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.subi %c31, %j : index
    %a = tensor.extract %y[%i, %k] : tensor<1x32xf32>
    linalg.yield %a : f32
  } -> tensor<1x32xf32>
  return %z : tensor<1x32xf32>
}
