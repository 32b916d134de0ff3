// RUN: not fusion-opt %s --fuse-merge-axes=chip=sm_1 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: fuse-merge-axes-errors.mlir:{{[1-9][0-9]*}}:1: error: option chip: unknown chip 'sm_1'

// A loop that cannot be divided stays one, and a remark says so: heads of three and of two do not fit together.
// RUN: fusion-opt %s --fuse-merge-axes=chip=sm_80 --remarks-filter=fuse 2>&1 | FileCheck %s
// CHECK: remark: [Missed] loops-not-split {{.*}}a loop whose quotient indexes an operand stays one loop: the operators that it runs through do not fit together
// CHECK: floordiv 3
func.func @quotients(%q: tensor<6x16xf32>, %k: tensor<2x16xf32>, %v: tensor<3x16xf32>) -> tensor<6x16xf32> {
  %o0 = tensor.empty() : tensor<6x16xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(h, k) -> (h, k)>, affine_map<(h, k) -> (h floordiv 3, k)>,
                                        affine_map<(h, k) -> (h floordiv 2, k)>, affine_map<(h, k) -> (h, k)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%q, %k, %v : tensor<6x16xf32>, tensor<2x16xf32>, tensor<3x16xf32>) outs(%o0 : tensor<6x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %old: f32):
    %x = arith.addf %a, %b : f32
    %y = arith.addf %x, %c : f32
    linalg.yield %y : f32
  } -> tensor<6x16xf32>
  return %o : tensor<6x16xf32>
}
