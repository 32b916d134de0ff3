// RUN: not fusion-opt %s --fuse-to-nvvm=chip=sm_80 -o /dev/null 2>&1 | FileCheck %s

// An operation that upstream's conversions leave is rejected at its location.
// CHECK: fuse-tosa-to-linalg-errors.mlir:[[@LINE+2]]:8: error: failed to legalize operation 'tosa.custom'
func.func @custom(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tosa.custom %x {domain_name = "none", operator_name = "none", implementation_attrs = ""} : (tensor<8xf32>) -> (tensor<8xf32>)
  return %0 : tensor<8xf32>
}
