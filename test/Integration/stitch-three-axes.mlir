// Reductions over three axes at once: with kept ones between them, with the innermost one kept, with an operator that reads the result,
// over all of what three axes have.
// RUN: fusion-run %s --chip=sm_80 --device=emulator --sanitize --force-fusion | FileCheck %s
// CHECK: apart on emulator
// CHECK-NEXT: kernel apart_stitch_0:
// CHECK-NOT: kernel
// CHECK: PASS
// CHECK: columns on emulator
// CHECK-NEXT: kernel columns_stitch_0:
// CHECK-NOT: kernel
// CHECK: PASS
// CHECK: cube on emulator
// CHECK-NEXT: kernel cube_stitch_0:
// CHECK-NOT: kernel
// CHECK: PASS
#all = affine_map<(a, b, c, d, e) -> (a, b, c, d, e)>
func.func @apart(%x: tensor<6x5x7x9x24xf32>) -> tensor<5x9xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x9xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<5x9xf32>) -> tensor<5x9xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<6x5x7x9x24xf32>) outs(%s : tensor<5x9xf32>) dimensions = [0, 2, 4]
  return %r : tensor<5x9xf32>
}
func.func @columns(%x: tensor<6x5x7x9x24xf32>) -> (tensor<5x24xf32>, tensor<6x5x7x9x24xf32>) {
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<5x24xf32>
  %f = tensor.empty() : tensor<6x5x7x9x24xf32>
  %s = linalg.fill ins(%low : f32) outs(%e : tensor<5x24xf32>) -> tensor<5x24xf32>
  %r = linalg.reduce { arith.maximumf } ins(%x : tensor<6x5x7x9x24xf32>) outs(%s : tensor<5x24xf32>) dimensions = [0, 2, 3]
  %d = linalg.generic {indexing_maps = [#all, affine_map<(a, b, c, d, e) -> (b, e)>, #all],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %r : tensor<6x5x7x9x24xf32>, tensor<5x24xf32>) outs(%f : tensor<6x5x7x9x24xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %0 = arith.subf %a, %m : f32
    linalg.yield %0 : f32
  } -> tensor<6x5x7x9x24xf32>
  return %r, %d : tensor<5x24xf32>, tensor<6x5x7x9x24xf32>
}
// Turned, so that the axes are none before the loops are unified.
func.func @cube(%x: tensor<7x9x11xf32>, %y: tensor<11x7x9xf32>) -> tensor<i32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<i32>
  %s = linalg.fill ins(%zero : i32) outs(%e : tensor<i32>) -> tensor<i32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (c, a, b)>, affine_map<(a, b, c) -> ()>],
                       iterator_types = ["reduction", "reduction", "reduction"]}
      ins(%x, %y : tensor<7x9x11xf32>, tensor<11x7x9xf32>) outs(%s : tensor<i32>) {
  ^bb0(%a: f32, %b: f32, %o: i32):
    %less = arith.cmpf olt, %a, %b : f32
    %one = arith.extui %less : i1 to i32
    %sum = arith.addi %one, %o : i32
    linalg.yield %sum : i32
  } -> tensor<i32>
  return %r : tensor<i32>
}
