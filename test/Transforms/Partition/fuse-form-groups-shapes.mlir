// A value that two contractions read in different shapes is a kernel of its own, and a remark says why.
// RUN: fusion-opt %s --fuse-explicit-numerics --fuse-normalize --cse --fuse-form-groups="chip=sm_80 force-fusion=true" \
// RUN:   --remarks-filter=fuse -o %t.groups 2> %t.remarks
// RUN: FileCheck %s < %t.groups
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

#cube = affine_map<(b, i, j) -> (b, i, j)>

// REMARK: :[[@LINE+7]]:8: remark: [Missed] head-shared | {{.*}}a kernel of its own computes what 2 contractions read, since their loops were joined differently and read it in other shapes
// CHECK-LABEL: func.func @two_shapes
// CHECK-COUNT-3: fuse.{{chain|stitch}} ins
// CHECK-NOT: fuse.{{chain|stitch}} ins
func.func @two_shapes(%x: tensor<4x48x32xf16>, %w: tensor<32x64xf16>, %k: tensor<4x32x48xf16>)
    -> (tensor<192x64xf32>, tensor<4x48x48xf32>) {
  %e = tensor.empty() : tensor<4x48x32xf16>
  %h = linalg.generic {indexing_maps = [#cube, #cube], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<4x48x32xf16>) outs(%e : tensor<4x48x32xf16>) {
  ^bb0(%a: f16, %o: f16):
    %t = math.tanh %a : f16
    linalg.yield %t : f16
  } -> tensor<4x48x32xf16>
  %z = arith.constant 0.0 : f32
  %flat = tensor.collapse_shape %h [[0, 1], [2]] : tensor<4x48x32xf16> into tensor<192x32xf16>
  %p0 = tensor.empty() : tensor<192x64xf32>
  %p1 = linalg.fill ins(%z : f32) outs(%p0 : tensor<192x64xf32>) -> tensor<192x64xf32>
  %p = linalg.matmul ins(%flat, %w : tensor<192x32xf16>, tensor<32x64xf16>) outs(%p1 : tensor<192x64xf32>) -> tensor<192x64xf32>
  %q0 = tensor.empty() : tensor<4x48x48xf32>
  %q1 = linalg.fill ins(%z : f32) outs(%q0 : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  %q = linalg.batch_matmul ins(%h, %k : tensor<4x48x32xf16>, tensor<4x32x48xf16>) outs(%q1 : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  return %p, %q : tensor<192x64xf32>, tensor<4x48x48xf32>
}
