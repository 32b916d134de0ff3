// RUN: fusion-opt %s --tile-overlap-launches -split-input-file -verify-diagnostics

func.func @nothing_before(%x: tensor<4xf32>, %c: index) -> tensor<4xf32> {
  // expected-error @below {{'tile.launch' op is programmatic, and there is no launch of a block program before it}}
  %a = tile.launch @k grid(%c) outs(%x : tensor<4xf32>) {programmatic} -> tensor<4xf32>
  return %a : tensor<4xf32>
}
tile.kernel @k(%y: !tile.ptr<f32> {tile.access = #tile.access<write>}) attributes {warps = 1 : i64} {
  tile.return
}

// -----

func.func @no_kernel(%x: tensor<4xf32>, %c: index) -> tensor<4xf32> {
  %a = tile.launch @k grid(%c) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{'tile.launch' op is programmatic, and its kernel is no block program}}
  %b = tile.launch @elsewhere grid(%c) outs(%x : tensor<4xf32>) {programmatic} -> tensor<4xf32>
  return %b : tensor<4xf32>
}
tile.kernel @k(%y: !tile.ptr<f32> {tile.access = #tile.access<write>}) attributes {warps = 1 : i64} {
  tile.return
}
