// A value that goes from one kernel to the other directly, and another one by way of a reshape.
// RUN: fusion-opt %s --fuse-to-unscheduled-groups="chip=sm_80 force-fusion=true" --remarks-filter=fuse -o /dev/null 2>&1 | FileCheck %s
// CHECK: not stitched with line {{[0-9]+}}, whose values it reads: {{.*}} but it also reads one of them in another shape, which is not folded
// CHECK-NOT: third kernel

#id = affine_map<(i, j) -> (i, j)>
#one = affine_map<(i) -> (i)>
func.func @f(%x: tensor<8x32xf32>) -> (tensor<8x32xf32>, tensor<256xf32>) {
  %e = tensor.empty() : tensor<8x32xf32>
  %s = tensor.empty() : tensor<8xf32>
  %c = arith.constant 0.0 : f32
  %f = linalg.fill ins(%c : f32) outs(%s : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x32xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.addf %a, %o : f32
    linalg.yield %m : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (i)>, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %r : tensor<8x32xf32>, tensor<8xf32>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<8x32xf32>
  %flat = tensor.collapse_shape %y [[0, 1]] : tensor<8x32xf32> into tensor<256xf32>
  %e1 = tensor.empty() : tensor<256xf32>
  %z = linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%e1 : tensor<256xf32>) {
  ^bb0(%o: f32):
    %c255 = arith.constant 255 : index
    %i = linalg.index 0 : index
    %k = arith.subi %c255, %i : index
    %a = tensor.extract %flat[%k] : tensor<256xf32>
    %q = arith.constant 3 : index
    %b = tensor.extract %r[%q] : tensor<8xf32>
    %m = arith.addf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<256xf32>
  return %y, %z : tensor<8x32xf32>, tensor<256xf32>
}
