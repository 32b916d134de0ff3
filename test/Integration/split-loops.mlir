// Heads of a row and groups of channels are told apart by some operators: those around go through them alike, so that it is one kernel.
// RUN: fusion-run %s --chip=sm_80 --device=emulator --sanitize --force-fusion | FileCheck %s
// RUN: fusion-run %s --chip=sm_90a --device=emulator --sanitize --force-fusion | FileCheck %s

// CHECK-LABEL: heads on emulator
// CHECK-COUNT-1: kernel heads_
// CHECK-NOT: kernel heads_
// CHECK: PASS
// CHECK-LABEL: group_norm on emulator
// CHECK-COUNT-1: kernel group_norm_
// CHECK-NOT: kernel group_norm_
// CHECK: PASS

#full = affine_map<(i, j) -> (i, j)>
#f3 = affine_map<(i, j, k) -> (i, j, k)>
#r3 = affine_map<(i, j, k) -> (i, j)>
#g3 = affine_map<(i, j, k) -> (k)>
#b = affine_map<(i, j) -> (j)>
func.func @heads(%x: tensor<256x1024xf16>, %bias: tensor<1024xf16>, %gain: tensor<64xf16>) -> tensor<256x1024xf16> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 64.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e = tensor.empty() : tensor<256x1024xf16>
  %y = linalg.generic {indexing_maps = [#full, #b, #full], iterator_types = ["parallel", "parallel"]} ins(%x, %bias : tensor<256x1024xf16>, tensor<1024xf16>) outs(%e : tensor<256x1024xf16>) {
  ^bb0(%a: f16, %c: f16, %o: f16):
    %r = arith.addf %a, %c : f16
    linalg.yield %r : f16
  } -> tensor<256x1024xf16>
  %h = tensor.expand_shape %y [[0], [1, 2]] output_shape [256, 16, 64] : tensor<256x1024xf16> into tensor<256x16x64xf16>
  %rows = tensor.empty() : tensor<256x16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<256x16xf32>) -> tensor<256x16xf32>
  %s = linalg.generic {indexing_maps = [#f3, #r3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%h : tensor<256x16x64xf16>) outs(%s0 : tensor<256x16xf32>) {
  ^bb0(%a: f16, %o: f32):
    %w = arith.extf %a : f16 to f32
    %q = arith.mulf %w, %w : f32
    %r = arith.addf %q, %o : f32
    linalg.yield %r : f32
  } -> tensor<256x16xf32>
  %o3 = tensor.empty() : tensor<256x16x64xf16>
  %z = linalg.generic {indexing_maps = [#f3, #r3, #g3, #f3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%h, %s, %gain : tensor<256x16x64xf16>, tensor<256x16xf32>, tensor<64xf16>) outs(%o3 : tensor<256x16x64xf16>) {
  ^bb0(%a: f16, %m: f32, %g: f16, %o: f16):
    %w = arith.extf %a : f16 to f32
    %mean = arith.divf %m, %n : f32
    %me = arith.addf %mean, %eps : f32
    %rs = math.rsqrt %me : f32
    %q = arith.mulf %w, %rs : f32
    %gw = arith.extf %g : f16 to f32
    %q2 = arith.mulf %q, %gw : f32
    %r = arith.truncf %q2 : f32 to f16
    linalg.yield %r : f16
  } -> tensor<256x16x64xf16>
  %back = tensor.collapse_shape %z [[0], [1, 2]] : tensor<256x16x64xf16> into tensor<256x1024xf16>
  %u = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]} ins(%back, %x : tensor<256x1024xf16>, tensor<256x1024xf16>) outs(%e : tensor<256x1024xf16>) {
  ^bb0(%a: f16, %c: f16, %o: f16):
    %r = arith.mulf %a, %c : f16
    linalg.yield %r : f16
  } -> tensor<256x1024xf16>
  return %u : tensor<256x1024xf16>
}

#id3 = affine_map<(n, c, p) -> (n, c, p)>
#channel3 = affine_map<(n, c, p) -> (c)>
#id4 = affine_map<(n, g, c, p) -> (n, g, c, p)>
#group = affine_map<(n, g, c, p) -> (n, g)>
#id2 = affine_map<(n, g) -> (n, g)>
func.func @group_norm(%x: tensor<4x32x60xf32>, %scale: tensor<32xf32>, %shift: tensor<32xf32>, %before: tensor<4x32x60xf32>) -> tensor<4x32x60xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 480.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e3 = tensor.empty() : tensor<4x32x60xf32>
  %sum3 = linalg.generic {indexing_maps = [#id3, #id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %before : tensor<4x32x60xf32>, tensor<4x32x60xf32>) outs(%e3 : tensor<4x32x60xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<4x32x60xf32>
  %h = tensor.expand_shape %sum3 [[0], [1, 2], [3]] output_shape [4, 4, 8, 60] : tensor<4x32x60xf32> into tensor<4x4x8x60xf32>
  %e2 = tensor.empty() : tensor<4x4xf32>
  %i2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = linalg.generic {indexing_maps = [#id4, #group], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%h : tensor<4x4x8x60xf32>) outs(%i2 : tensor<4x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<4x4xf32>
  %e4 = tensor.empty() : tensor<4x4x8x60xf32>
  %d = linalg.generic {indexing_maps = [#id4, #group, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%h, %s : tensor<4x4x8x60xf32>, tensor<4x4xf32>) outs(%e4 : tensor<4x4x8x60xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %mean = arith.divf %m, %n : f32
    %r = arith.subf %a, %mean : f32
    linalg.yield %r : f32
  } -> tensor<4x4x8x60xf32>
  %v = linalg.generic {indexing_maps = [#id4, #group], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%d : tensor<4x4x8x60xf32>) outs(%i2 : tensor<4x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.mulf %a, %a : f32
    %r = arith.addf %q, %o : f32
    linalg.yield %r : f32
  } -> tensor<4x4xf32>
  %y = linalg.generic {indexing_maps = [#id4, #group, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%d, %v : tensor<4x4x8x60xf32>, tensor<4x4xf32>) outs(%e4 : tensor<4x4x8x60xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %var = arith.divf %m, %n : f32
    %safe = arith.addf %var, %eps : f32
    %rs = math.rsqrt %safe : f32
    %r = arith.mulf %a, %rs : f32
    linalg.yield %r : f32
  } -> tensor<4x4x8x60xf32>
  %back = tensor.collapse_shape %y [[0], [1, 2], [3]] : tensor<4x4x8x60xf32> into tensor<4x32x60xf32>
  %z = linalg.generic {indexing_maps = [#id3, #channel3, #channel3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%back, %scale, %shift : tensor<4x32x60xf32>, tensor<32xf32>, tensor<32xf32>) outs(%e3 : tensor<4x32x60xf32>) {
  ^bb0(%a: f32, %g: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %g : f32
    %r = arith.addf %p, %b : f32
    linalg.yield %r : f32
  } -> tensor<4x32x60xf32>
  %w = linalg.exp ins(%z : tensor<4x32x60xf32>) outs(%e3 : tensor<4x32x60xf32>) -> tensor<4x32x60xf32>
  return %w : tensor<4x32x60xf32>
}
