// RUN: fusion-opt %s --verify-diagnostics --reference-parallelize-loops

func.func @on_tensors(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expected an operation on memrefs}}
  %r = linalg.exp ins(%a : tensor<8xf32>) outs(%b : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
