// RUN: fusion-opt %s --fuse-check-initialized -verify-diagnostics -split-input-file
// The pipelines say so once, at the operator.
// RUN: fusion-opt %s --fuse-to-unscheduled-groups=chip=sm_80 -split-input-file -o /dev/null 2>&1 | grep -c 'warning: .*initialised' | grep -x 7

func.func @accumulates(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  // expected-warning @below {{'linalg.matmul' accumulates into outs that are not initialised: their elements come from 'tensor.empty' and have no defined value; fill them first, with 'linalg.fill'}}
  %r = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

// Seen through what gives tensors another shape.
func.func @reshaped(%a: tensor<4x8xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  %c = tensor.collapse_shape %e [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  %s = tensor.extract_slice %c[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
  // expected-warning @below {{'linalg.reduce' accumulates into outs that are not initialised}}
  %r = linalg.reduce ins(%a : tensor<4x8xf32>) outs(%s : tensor<4xf32>) dimensions = [1]
    (%in: f32, %out: f32) {
      %0 = arith.addf %in, %out : f32
      linalg.yield %0 : f32
    }
  return %r : tensor<4xf32>
}

// -----

func.func @reads(%n: index) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %o = tensor.empty(%n) : tensor<?xf32>
  // expected-warning @below {{'linalg.exp' reads an input that is not initialised: its elements come from 'tensor.empty' and have no defined value}}
  %r = linalg.exp ins(%e : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @generic(%a: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-warning @below {{'linalg.generic' accumulates into outs that are not initialised}}
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.mulf %x, %o : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// What is filled, what an argument holds, and outs that nothing reads.
func.func @initialised(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x8xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  %o = tensor.empty() : tensor<4x8xf32>
  %x = linalg.exp ins(%a : tensor<4x8xf32>) outs(%o : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r, %s, %x : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x8xf32>
}

// -----

func.func @returned(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<2x2xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %s = tensor.expand_shape %e [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  // expected-warning @below {{'func.return' returns a tensor that is not initialised: its elements come from 'tensor.empty' and have no defined value}}
  return %a, %s : tensor<4xf32>, tensor<2x2xf32>
}

// -----

func.func @joined(%a: tensor<4xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-warning @below {{'tensor.concat' reads an input that is not initialised}}
  %c = tensor.concat dim(0) %a, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %c : tensor<8xf32>
}

// -----

func.func @padded() -> tensor<8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  // expected-warning @below {{'tensor.pad' reads an input that is not initialised}}
  %p = tensor.pad %e low[2] high[2] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<4xf32> to tensor<8xf32>
  return %p : tensor<8xf32>
}
