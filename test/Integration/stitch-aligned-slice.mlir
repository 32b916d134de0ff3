// A misaligned slice is reduced: its tile begins at the aligned element before it, and no element is lost.
// RUN: fusion-opt %s --fuse-to-groups="chip=sm_80 force-fusion=true" | FileCheck %s
// RUN: fusion-run %s --chip=sm_80 --device=emulator --force-fusion --sanitize

// CHECK: align = 8
func.func @sum_of_squares(%a: tensor<46xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %part = tensor.extract_slice %a[3] [33] [1] : tensor<46xf32> to tensor<33xf32>
  %e = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%part : tensor<33xf32>) outs(%start : tensor<f32>) {
  ^bb0(%x: f32, %old: f32):
    %0 = arith.mulf %x, %x : f32
    %1 = arith.addf %0, %old : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %sum : tensor<f32>
}
