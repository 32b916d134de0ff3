// RUN: fusion-opt %s --split-input-file --verify-diagnostics --fuse-explicit-numerics

func.func @on_memrefs(%a: memref<8x4xf16>, %b: memref<4x16xf16>, %c: memref<8x16xf16>) {
  // expected-error @below {{expected tensors: the rules of accumulation and rounding are written into operations on tensors only}}
  linalg.matmul ins(%a, %b : memref<8x4xf16>, memref<4x16xf16>) outs(%c : memref<8x16xf16>)
  return
}

// -----

func.func @softmax_of_integers(%x: tensor<4x8xi32>, %init: tensor<4x8xi32>) -> tensor<4x8xi32> {
  // expected-error @below {{softmax of 'i32' to 'i32' is not a floating-point operation}}
  %s = linalg.softmax dimension(1) ins(%x : tensor<4x8xi32>) outs(%init : tensor<4x8xi32>) -> tensor<4x8xi32>
  return %s : tensor<4x8xi32>
}

// -----

func.func @winograd_of_integers(%f: tensor<2x3x3x4xi32>, %init: tensor<6x6x4x2xi32>) -> tensor<6x6x4x2xi32> {
  // expected-error @below {{winograd transform of 'i32' is not a floating-point operation}}
  %r = linalg.winograd_filter_transform fmr(F_4_3) ins(%f : tensor<2x3x3x4xi32>)
         outs(%init : tensor<6x6x4x2xi32>) -> tensor<6x6x4x2xi32>
  return %r : tensor<6x6x4x2xi32>
}

// -----

func.func @winograd_of_unknown_tiles(%a: tensor<2x10x10x5xf32>, %init: tensor<?x?x2x2x2x5xf32>) -> tensor<?x?x2x2x2x5xf32> {
  // expected-error @below {{winograd transform of tiles of unknown size}}
  %r = linalg.winograd_input_transform fmr(F_4_3) ins(%a : tensor<2x10x10x5xf32>)
         outs(%init : tensor<?x?x2x2x2x5xf32>) -> tensor<?x?x2x2x2x5xf32>
  return %r : tensor<?x?x2x2x2x5xf32>
}
