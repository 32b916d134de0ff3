// Operators that start from data: element-wise ones read it as one more operand, reductions of each kind combine it with what they found.
// They are stitched like others. So are reductions along one element.
// RUN: fusion-run %s --chip=sm_80 --device=emulator --sanitize --force-fusion | FileCheck %s

#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// CHECK-LABEL: accumulated on emulator
// CHECK: kernel accumulated_stitch_0:
// CHECK-NOT: kernel
// CHECK: PASS
func.func @accumulated(%x: tensor<24x300xf32>, %y: tensor<24x300xf32>, %b: tensor<24xf16>) -> (tensor<24x300xf32>, tensor<24xf16>) {
  %z = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<24x300xf32>) outs(%y : tensor<24x300xf32>) {
  ^bb0(%a: f32, %o: f32):
    %e = math.exp %a : f32
    %r = arith.addf %e, %o : f32
    linalg.yield %r : f32
  } -> tensor<24x300xf32>
  %s = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%z : tensor<24x300xf32>) outs(%b : tensor<24xf16>) {
  ^bb0(%a: f32, %o: f16):
    %t = arith.truncf %a : f32 to f16
    %r = arith.addf %t, %o : f16
    linalg.yield %r : f16
  } -> tensor<24xf16>
  return %z, %s : tensor<24x300xf32>, tensor<24xf16>
}

// CHECK-LABEL: of_each_kind on emulator
// CHECK: kernel of_each_kind_stitch_0:
// CHECK-NOT: kernel
// CHECK: PASS
func.func @of_each_kind(%x: tensor<5x70xf32>, %n: tensor<5x70xi32>, %f: tensor<5xf32>, %i: tensor<5xi32>)
    -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>) {
  %0 = linalg.reduce { arith.maximumf } ins(%x : tensor<5x70xf32>) outs(%f : tensor<5xf32>) dimensions = [1]
  %1 = linalg.reduce { arith.minnumf } ins(%x : tensor<5x70xf32>) outs(%f : tensor<5xf32>) dimensions = [1]
  %2 = linalg.reduce { arith.mulf } ins(%x : tensor<5x70xf32>) outs(%f : tensor<5xf32>) dimensions = [1]
  %3 = linalg.reduce { arith.addi } ins(%n : tensor<5x70xi32>) outs(%i : tensor<5xi32>) dimensions = [1]
  %4 = linalg.reduce { arith.xori } ins(%n : tensor<5x70xi32>) outs(%i : tensor<5xi32>) dimensions = [1]
  %5 = linalg.reduce { arith.andi } ins(%n : tensor<5x70xi32>) outs(%i : tensor<5xi32>) dimensions = [1]
  %6 = linalg.reduce { arith.ori } ins(%n : tensor<5x70xi32>) outs(%i : tensor<5xi32>) dimensions = [1]
  %7 = linalg.reduce { arith.maxsi } ins(%n : tensor<5x70xi32>) outs(%i : tensor<5xi32>) dimensions = [1]
  %8 = linalg.reduce { arith.minui } ins(%n : tensor<5x70xi32>) outs(%i : tensor<5xi32>) dimensions = [1]
  return %0, %1, %2, %3, %4, %5, %6, %7, %8
      : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>
}

// CHECK-LABEL: along_one_element on emulator
// CHECK: kernel along_one_element_stitch_0:
// CHECK-NOT: kernel
// CHECK: PASS
func.func @along_one_element(%x: tensor<40x1xf32>) -> tensor<40x1xf32> {
  %e = tensor.empty() : tensor<40x1xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<40x1xf32>) outs(%e : tensor<40x1xf32>) -> tensor<40x1xf32>
  return %r : tensor<40x1xf32>
}

// A product with a vector, whose accumulator holds data, and what follows.
// CHECK-LABEL: times_vector on emulator
// CHECK: kernel times_vector_stitch_0:
// CHECK-NOT: kernel
// CHECK: PASS
func.func @times_vector(%a: tensor<30x50xi8>, %b: tensor<50xi8>, %c: tensor<30xi32>) -> tensor<30xf32> {
  %m = linalg.matvec ins(%a, %b : tensor<30x50xi8>, tensor<50xi8>) outs(%c : tensor<30xi32>) -> tensor<30xi32>
  %e = tensor.empty() : tensor<30xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%m : tensor<30xi32>) outs(%e : tensor<30xf32>) {
  ^bb0(%v: i32, %o: f32):
    %w = arith.sitofp %v : i32 to f32
    linalg.yield %w : f32
  } -> tensor<30xf32>
  return %r : tensor<30xf32>
}
