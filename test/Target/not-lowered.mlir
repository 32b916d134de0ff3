// RUN: not fusion-translate --fuse-to-ptx %s 2>&1 | FileCheck %s
// RUN: not fusion-translate --fuse-to-manifest %s 2>&1 | FileCheck %s

// CHECK: :[[@LINE+3]]:8: error: 'linalg.exp' has not been lowered; lower the module with fuse-to-nvvm
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
