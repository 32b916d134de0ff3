// RUN: fusion-opt %s --reference-inline-groups | FileCheck %s

// CHECK-LABEL: func.func @f
// CHECK-NOT: fuse.
// CHECK: %[[X:.*]] = linalg.exp ins(%arg0 {{.*}}) outs(%[[E:.*]] :
// CHECK: return %[[X]]
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = fuse.stitch ins(%x = %a : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %y = linalg.exp ins(%x : tensor<8xf32>) outs(%o : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %y : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
