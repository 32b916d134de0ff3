// Values that operators read at other places than their own are computed there: one kernel, right, with the rounding of what is read.
// RUN: fusion-run %s --chip=sm_80 --device=emulator --sanitize --force-fusion | FileCheck %s

#id = affine_map<(i) -> (i)>
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// Picked from values that are picked from others, each rounded to a narrow type; one operand is indexed by the body itself.
// CHECK-LABEL: picked_twice on emulator
// CHECK: kernel picked_twice_stitch_0:
// CHECK-NOT: kernel
// CHECK: max abs error 0,
// CHECK: PASS
func.func @picked_twice(%x: tensor<40x24xf32>, %m: tensor<40xf32>, %i: tensor<40xi32>) -> tensor<20xbf16> {
  %zero = arith.constant 0 : i32
  %last = arith.constant 23 : i32
  %e = tensor.empty() : tensor<40x24xbf16>
  %c = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<40x24xf32>, tensor<40xf32>) outs(%e : tensor<40x24xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %k = linalg.index 1 : index
    %n = arith.index_cast %k : index to i32
    %w = arith.sitofp %n : i32 to f32
    %s = arith.subf %a, %b : f32
    %t = arith.mulf %s, %w : f32
    %r = arith.truncf %t : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<40x24xbf16>
  %f = tensor.empty() : tensor<40xbf16>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%i : tensor<40xi32>) outs(%f : tensor<40xbf16>) {
  ^bb0(%at: i32, %o: bf16):
    %row = linalg.index 0 : index
    %low = arith.maxsi %at, %zero : i32
    %inside = arith.minsi %low, %last : i32
    %k = arith.index_cast %inside : i32 to index
    %v = tensor.extract %c[%row, %k] : tensor<40x24xbf16>
    %w = arith.extf %v : bf16 to f32
    %q = arith.mulf %w, %w : f32
    %r = arith.truncf %q : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<40xbf16>
  %g = tensor.empty() : tensor<20xbf16>
  %h = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%g : tensor<20xbf16>) {
  ^bb0(%o: bf16):
    %k = linalg.index 0 : index
    %two = arith.constant 2 : index
    %at = arith.muli %k, %two : index
    %v = tensor.extract %p[%at] : tensor<40xbf16>
    %r = arith.negf %v : bf16
    linalg.yield %r : bf16
  } -> tensor<20xbf16>
  return %h : tensor<20xbf16>
}

// Sums and maxima along computed values that are concatenated, with themselves as both operands, too, and from a start of their own.
// CHECK-LABEL: of_pieces on emulator
// CHECK: kernel of_pieces_stitch_0:
// CHECK-NOT: kernel
// CHECK: PASS
func.func @of_pieces(%x: tensor<6x33xf32>, %y: tensor<6x70xf32>, %w: tensor<136xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
  %one = arith.constant 1.0 : f32
  %e0 = tensor.empty() : tensor<6x33xf32>
  %e1 = tensor.empty() : tensor<6x70xf32>
  %v = tensor.empty() : tensor<6xf32>
  %s = linalg.fill ins(%one : f32) outs(%v : tensor<6xf32>) -> tensor<6xf32>
  %a = linalg.exp ins(%x : tensor<6x33xf32>) outs(%e0 : tensor<6x33xf32>) -> tensor<6x33xf32>
  %b = linalg.abs ins(%y : tensor<6x70xf32>) outs(%e1 : tensor<6x70xf32>) -> tensor<6x70xf32>
  %all = tensor.concat dim(1) %a, %b, %x : (tensor<6x33xf32>, tensor<6x70xf32>, tensor<6x33xf32>) -> tensor<6x136xf32>
  %0 = linalg.reduce { arith.maximumf } ins(%all : tensor<6x136xf32>) outs(%s : tensor<6xf32>) dimensions = [1]
  %1 = linalg.generic {indexing_maps = [#full, #full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%all, %all : tensor<6x136xf32>, tensor<6x136xf32>) outs(%s : tensor<6xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<6xf32>
  %2 = linalg.generic {indexing_maps = [#column, #full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%w, %all : tensor<136xf32>, tensor<6x136xf32>) outs(%s : tensor<6xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %r = arith.addf %m, %o : f32
    linalg.yield %r : f32
  } -> tensor<6xf32>
  return %0, %1, %2 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
}

// Along the other dimension each element is computed where it is concatenated.
// CHECK-LABEL: across_pieces on emulator
// CHECK: kernel across_pieces_stitch_0:
// CHECK-NOT: kernel
// CHECK: PASS
func.func @across_pieces(%x: tensor<6x33xf32>, %y: tensor<4x33xf32>) -> (tensor<10xf32>, tensor<33xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x33xf32>
  %v = tensor.empty() : tensor<10xf32>
  %u = tensor.empty() : tensor<33xf32>
  %s = linalg.fill ins(%zero : f32) outs(%v : tensor<10xf32>) -> tensor<10xf32>
  %t = linalg.fill ins(%zero : f32) outs(%u : tensor<33xf32>) -> tensor<33xf32>
  %a = linalg.exp ins(%x : tensor<6x33xf32>) outs(%e : tensor<6x33xf32>) -> tensor<6x33xf32>
  %all = tensor.concat dim(0) %a, %y : (tensor<6x33xf32>, tensor<4x33xf32>) -> tensor<10x33xf32>
  %0 = linalg.reduce { arith.addf } ins(%all : tensor<10x33xf32>) outs(%s : tensor<10xf32>) dimensions = [1]
  %1 = linalg.reduce { arith.addf } ins(%all : tensor<10x33xf32>) outs(%t : tensor<33xf32>) dimensions = [0]
  return %0, %1 : tensor<10xf32>, tensor<33xf32>
}

// A matmul reads the whole of a concatenation, and a contraction's own epilogue stays with it.
// CHECK-LABEL: behind_a_product on emulator
// CHECK: PASS
func.func @behind_a_product(%x: tensor<32x48xf16>, %w: tensor<48x64xf16>, %b: tensor<64xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %p = linalg.matmul ins(%x, %w : tensor<32x48xf16>, tensor<48x64xf16>) outs(%f : tensor<32x64xf32>) -> tensor<32x64xf32>
  %q = linalg.generic {indexing_maps = [#full, #column, #full], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<32x64xf32>, tensor<64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i32
    %g = arith.sitofp %n : i32 to f32
    %s = arith.addf %a, %c : f32
    %r = arith.addf %s, %g : f32
    linalg.yield %r : f32
  } -> tensor<32x64xf32>
  %0 = tensor.extract_slice %q[0, 0] [32, 32] [1, 1] : tensor<32x64xf32> to tensor<32x32xf32>
  %1 = tensor.extract_slice %q[0, 32] [32, 32] [1, 1] : tensor<32x64xf32> to tensor<32x32xf32>
  %g = tensor.empty() : tensor<32x32xf32>
  %2 = linalg.mul ins(%0, %1 : tensor<32x32xf32>, tensor<32x32xf32>) outs(%g : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %2, %1 : tensor<32x32xf32>, tensor<32x32xf32>
}

// Rotary embeddings by halves of rows, one of them negated: each half is a view with bounds.
// CHECK-LABEL: rotated_halves on emulator
// CHECK: kernel rotated_halves_stitch_0:
// CHECK-NOT: kernel
// CHECK: PASS
func.func @rotated_halves(%x: tensor<30x64xf32>, %c: tensor<30x64xf32>, %s: tensor<30x64xf32>) -> tensor<30x64xf32> {
  %h = tensor.empty() : tensor<30x32xf32>
  %e = tensor.empty() : tensor<30x64xf32>
  %left = tensor.extract_slice %x[0, 0] [30, 32] [1, 1] : tensor<30x64xf32> to tensor<30x32xf32>
  %right = tensor.extract_slice %x[0, 32] [30, 32] [1, 1] : tensor<30x64xf32> to tensor<30x32xf32>
  %minus = linalg.negf ins(%right : tensor<30x32xf32>) outs(%h : tensor<30x32xf32>) -> tensor<30x32xf32>
  %turned = tensor.concat dim(1) %minus, %left : (tensor<30x32xf32>, tensor<30x32xf32>) -> tensor<30x64xf32>
  %0 = linalg.mul ins(%x, %c : tensor<30x64xf32>, tensor<30x64xf32>) outs(%e : tensor<30x64xf32>) -> tensor<30x64xf32>
  %1 = linalg.mul ins(%turned, %s : tensor<30x64xf32>, tensor<30x64xf32>) outs(%e : tensor<30x64xf32>) -> tensor<30x64xf32>
  %2 = linalg.add ins(%0, %1 : tensor<30x64xf32>, tensor<30x64xf32>) outs(%e : tensor<30x64xf32>) -> tensor<30x64xf32>
  return %2 : tensor<30x64xf32>
}

// Rows less their maximum, concatenated under a softmax: the maximum is read at the rows' own places.
// CHECK-LABEL: concatenated on emulator
// CHECK: kernel concatenated_stitch_0:
// CHECK-NOT: kernel
// CHECK: PASS
func.func @concatenated(%x: tensor<17x40xf32>, %y: tensor<17x9xf32>) -> tensor<17x49xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<17x40xf32>
  %v = tensor.empty() : tensor<17xf32>
  %f = linalg.fill ins(%zero : f32) outs(%v : tensor<17xf32>) -> tensor<17xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<17x40xf32>) outs(%f : tensor<17xf32>) dimensions = [1]
  %d = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<17x40xf32>, tensor<17xf32>) outs(%e : tensor<17x40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.subf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<17x40xf32>
  %all = tensor.concat dim(1) %d, %y : (tensor<17x40xf32>, tensor<17x9xf32>) -> tensor<17x49xf32>
  %h = tensor.empty() : tensor<17x49xf32>
  %s = linalg.softmax dimension(1) ins(%all : tensor<17x49xf32>) outs(%h : tensor<17x49xf32>) -> tensor<17x49xf32>
  return %s : tensor<17x49xf32>
}

// Padded, too: what matters under two conditions is read under both.
// CHECK-LABEL: padded on emulator
// CHECK: PASS
func.func @padded(%x: tensor<17x40xf32>, %y: tensor<17x9xf32>) -> tensor<17x53xf32> {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<17x40xf32>
  %v = tensor.empty() : tensor<17xf32>
  %f = linalg.fill ins(%zero : f32) outs(%v : tensor<17xf32>) -> tensor<17xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<17x40xf32>) outs(%f : tensor<17xf32>) dimensions = [1]
  %d = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<17x40xf32>, tensor<17xf32>) outs(%e : tensor<17x40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.subf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<17x40xf32>
  %p = tensor.pad %d low[0, 1] high[0, 3] {
  ^bb0(%i: index, %j: index):
    tensor.yield %two : f32
  } : tensor<17x40xf32> to tensor<17x44xf32>
  %g = tensor.empty() : tensor<17x44xf32>
  %q = linalg.exp ins(%p : tensor<17x44xf32>) outs(%g : tensor<17x44xf32>) -> tensor<17x44xf32>
  %all = tensor.concat dim(1) %q, %y : (tensor<17x44xf32>, tensor<17x9xf32>) -> tensor<17x53xf32>
  %h = tensor.empty() : tensor<17x53xf32>
  %s = linalg.softmax dimension(1) ins(%all : tensor<17x53xf32>) outs(%h : tensor<17x53xf32>) -> tensor<17x53xf32>
  return %s : tensor<17x53xf32>
}
