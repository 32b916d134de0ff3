// RUN: fusion-run %s --device=emulator --sanitize

// What an empty tensor holds is not read, not even to be written back.

func.func @concat(%a: tensor<5x7xf32>, %b: tensor<4x7xf32>) -> tensor<9x7xf32> {
  %r = tensor.concat dim(0) %a, %b : (tensor<5x7xf32>, tensor<4x7xf32>) -> tensor<9x7xf32>
  return %r : tensor<9x7xf32>
}
