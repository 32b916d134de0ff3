// Operators that read one empty tensor for its shape read one in their group, too: they have the same axes there.
// RUN: fusion-opt %s --fuse-form-groups=chip=x86-64-v3 | FileCheck %s

// CHECK: fuse.stitch
// CHECK: %[[SHAPE:.*]] = tensor.empty() : tensor<1000xf32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[SHAPE]] :
// CHECK-NOT: tensor.empty() : tensor<1000xf32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[SHAPE]] :
// CHECK: fuse.yield
#row = affine_map<(i, j) -> (j)>
#repeated = affine_map<(i, j) -> (i)>
func.func @sum_and_maximum_of_repeated(%a: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %shape = tensor.empty() : tensor<1000xf32>
  %empty = tensor.empty() : tensor<6xf32>
  %from_zero = linalg.fill ins(%zero : f32) outs(%empty : tensor<6xf32>) -> tensor<6xf32>
  %from_least = linalg.fill ins(%least : f32) outs(%empty : tensor<6xf32>) -> tensor<6xf32>
  %sum = linalg.generic {indexing_maps = [#row, #repeated, #row], iterator_types = ["reduction", "parallel"]}
      ins(%a, %shape : tensor<6xf32>, tensor<1000xf32>) outs(%from_zero : tensor<6xf32>) {
  ^bb0(%x: f32, %none: f32, %so_far: f32):
    %more = arith.addf %so_far, %x : f32
    linalg.yield %more : f32
  } -> tensor<6xf32>
  %most = linalg.generic {indexing_maps = [#row, #repeated, #row], iterator_types = ["reduction", "parallel"]}
      ins(%a, %shape : tensor<6xf32>, tensor<1000xf32>) outs(%from_least : tensor<6xf32>) {
  ^bb0(%x: f32, %none: f32, %so_far: f32):
    %more = arith.maximumf %so_far, %x : f32
    linalg.yield %more : f32
  } -> tensor<6xf32>
  return %sum, %most : tensor<6xf32>, tensor<6xf32>
}
