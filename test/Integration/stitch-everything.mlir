// A reduction over everything is split over many blocks, the last of which reduces the partial results and goes on: its norm,
// another one beside it.
// RUN: fusion-run %s --chip=sm_80 --device=emulator --sanitize --schedules=2 --force-fusion | FileCheck %s
// RUN: fusion-opt %s --fuse-to-groups="chip=sm_80 force-fusion=true" -o /dev/null --remarks-filter=stitch 2>&1 | FileCheck %s --check-prefix=REMARK
// CHECK: norm_and_largest on emulator
// CHECK-NEXT: kernel norm_and_largest_stitch_0: grid {{[0-9][0-9]+}}x1x1
// CHECK-NOT: kernel
// CHECK: PASS
// REMARK: the reductions along {{[a-z]+}} are split over {{[0-9][0-9]+}} blocks
#full = affine_map<(i, j) -> (i, j)>
#none = affine_map<(i, j) -> ()>
#point = affine_map<() -> ()>
func.func @norm_and_largest(%x: tensor<300x1001xf16>) -> (tensor<f32>, tensor<f16>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFC00 : f16
  %e = tensor.empty() : tensor<f32>
  %h = tensor.empty() : tensor<f16>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %t = linalg.fill ins(%low : f16) outs(%h : tensor<f16>) -> tensor<f16>
  %squares = linalg.generic {indexing_maps = [#full, #none], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<300x1001xf16>) outs(%s : tensor<f32>) {
  ^bb0(%a: f16, %o: f32):
    %w = arith.extf %a : f16 to f32
    %q = arith.mulf %w, %w : f32
    %r = arith.addf %q, %o : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  %norm = linalg.generic {indexing_maps = [#point, #point], iterator_types = []} ins(%squares : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.sqrt %a : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  %largest = linalg.generic {indexing_maps = [#full, #none], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<300x1001xf16>) outs(%t : tensor<f16>) {
  ^bb0(%a: f16, %o: f16):
    %m = math.absf %a : f16
    %r = arith.maximumf %m, %o : f16
    linalg.yield %r : f16
  } -> tensor<f16>
  return %norm, %largest : tensor<f32>, tensor<f16>
}
