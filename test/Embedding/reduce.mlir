// A module that the compiler rejects is made smaller as long as it is still rejected. The script returns 1 where that is so.
// RUN: split-file %s %t
// RUN: chmod +x %t/refused.sh
// RUN: fusion-reduce %t/whole.mlir --reduction-tree="traversal-mode=0 test=%t/refused.sh" -o %t/small.mlir
// RUN: FileCheck %s < %t/small.mlir
// RUN: not fusion-opt %t/small.mlir --fuse-to-groups=chip=sm_80 2>&1 | FileCheck %s --check-prefix=WHY
// CHECK-NOT: func.func @fine
// CHECK: func.func @refused
// CHECK-NOT: func.func
// WHY: error: operation 'vector.print' is not supported

//--- refused.sh
#!/bin/sh
fusion-opt "$1" --fuse-to-groups=chip=sm_80 2>&1 | grep -q "'vector.print' is not supported" && exit 1
exit 0

//--- whole.mlir
func.func @fine(%a: tensor<64x48xf16>) -> tensor<64x48xf16> {
  %e = tensor.empty() : tensor<64x48xf16>
  %0 = linalg.exp ins(%a : tensor<64x48xf16>) outs(%e : tensor<64x48xf16>) -> tensor<64x48xf16>
  return %0 : tensor<64x48xf16>
}

func.func @refused(%a: tensor<64x48xf16>) -> tensor<64x48xf16> {
  %c = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<64x48xf16>
  %0 = linalg.exp ins(%a : tensor<64x48xf16>) outs(%e : tensor<64x48xf16>) -> tensor<64x48xf16>
  %1 = linalg.negf ins(%0 : tensor<64x48xf16>) outs(%e : tensor<64x48xf16>) -> tensor<64x48xf16>
  vector.print %c : f32
  return %1 : tensor<64x48xf16>
}

func.func @fine_too(%a: tensor<64x48xf16>) -> tensor<64x48xf16> {
  return %a : tensor<64x48xf16>
}
