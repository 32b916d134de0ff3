// Contractions that read an operand through a window, as PyTorch and others write them: one kernel each, without operators between.
// RUN: fusion-run %s --device=emulator --sanitize | FileCheck %s

// Zeros around a matrix are part of reading it, on either side.
// CHECK-LABEL: padmm on emulator
// CHECK-NEXT: kernel padmm_chain_0
// CHECK-NOT: kernel
// CHECK: PASS

// CHECK-LABEL: padbmm on emulator
// CHECK-NEXT: kernel padbmm_chain_0
// CHECK-NOT: kernel
// CHECK: PASS

// Groups of several channels are batches.
// CHECK-LABEL: grouped on emulator
// CHECK-NEXT: kernel grouped_chain_0
// CHECK-NOT: kernel
// CHECK: PASS

// The filter first, and what the sum starts from.
// CHECK-LABEL: second on emulator
// CHECK-NEXT: kernel second_chain_0
// CHECK-NOT: kernel
// CHECK: PASS

// What stands in front of a window is a kernel of its own, what stands in front of the filter is not.
// CHECK-LABEL: front on emulator
// CHECK-NEXT: kernel front_stitch_0
// CHECK: kernel front_chain_1
// CHECK: PASS

func.func @padmm(%a: tensor<50x30xf16>, %b: tensor<32x40xf16>) -> tensor<64x40xf32> {
  %z = arith.constant 0.0 : f16
  %zf = arith.constant 0.0 : f32
  %p = tensor.pad %a low[3, 1] high[11, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f16
  } : tensor<50x30xf16> to tensor<64x32xf16>
  %e = tensor.empty() : tensor<64x40xf32>
  %f = linalg.fill ins(%zf : f32) outs(%e : tensor<64x40xf32>) -> tensor<64x40xf32>
  %c = linalg.matmul ins(%p, %b : tensor<64x32xf16>, tensor<32x40xf16>) outs(%f : tensor<64x40xf32>) -> tensor<64x40xf32>
  return %c : tensor<64x40xf32>
}
func.func @padbmm(%a: tensor<3x50x30xf16>, %b: tensor<3x30x40xf16>) -> tensor<3x52x40xf16> {
  %z = arith.constant 0.0 : f16
  %zf = arith.constant 0.0 : f32
  %p = tensor.pad %a low[0, 1, 1] high[0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %z : f16
  } : tensor<3x50x30xf16> to tensor<3x52x32xf16>
  %q = tensor.pad %b low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %z : f16
  } : tensor<3x30x40xf16> to tensor<3x32x40xf16>
  %e = tensor.empty() : tensor<3x52x40xf32>
  %f = linalg.fill ins(%zf : f32) outs(%e : tensor<3x52x40xf32>) -> tensor<3x52x40xf32>
  %c = linalg.batch_matmul ins(%p, %q : tensor<3x52x32xf16>, tensor<3x32x40xf16>) outs(%f : tensor<3x52x40xf32>) -> tensor<3x52x40xf32>
  %g = tensor.empty() : tensor<3x52x40xf16>
  %h = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c : tensor<3x52x40xf32>) outs(%g : tensor<3x52x40xf16>) {
  ^bb0(%x: f32, %o: f16):
    %y = math.exp %x : f32
    %w = arith.truncf %y : f32 to f16
    linalg.yield %w : f16
  } -> tensor<3x52x40xf16>
  return %h : tensor<3x52x40xf16>
}
#gx = affine_map<(n, g, f, p, q, c, r, s) -> (n, g, c, p * 2 + r, q + s * 2)>
#gw = affine_map<(n, g, f, p, q, c, r, s) -> (g, f, c, r, s)>
#go = affine_map<(n, g, f, p, q, c, r, s) -> (n, g, f, p, q)>
func.func @grouped(%x: tensor<2x3x8x9x11xf16>, %w: tensor<3x16x8x3x3xf16>) -> tensor<2x3x16x4x7xf32> {
  %zf = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x16x4x7xf32>
  %f = linalg.fill ins(%zf : f32) outs(%e : tensor<2x3x16x4x7xf32>) -> tensor<2x3x16x4x7xf32>
  %c = linalg.generic {indexing_maps = [#gx, #gw, #go], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
   ins(%x, %w : tensor<2x3x8x9x11xf16>, tensor<3x16x8x3x3xf16>) outs(%f : tensor<2x3x16x4x7xf32>) {
  ^bb0(%a: f16, %b: f16, %s: f32):
    %1 = arith.extf %a : f16 to f32
    %2 = arith.extf %b : f16 to f32
    %3 = arith.mulf %2, %1 : f32
    %4 = arith.addf %3, %s : f32
    linalg.yield %4 : f32
  } -> tensor<2x3x16x4x7xf32>
  return %c : tensor<2x3x16x4x7xf32>
}
#sx = affine_map<(f, p, r, c) -> (p + r, c)>
#sw = affine_map<(f, p, r, c) -> (r, f, c)>
#so = affine_map<(f, p, r, c) -> (f, p)>
func.func @second(%w: tensor<3x16x24xf16>, %x: tensor<40x24xf16>, %i: tensor<16x38xf32>) -> tensor<16x38xf32> {
  %c = linalg.generic {indexing_maps = [#sw, #sx, #so], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
   ins(%w, %x : tensor<3x16x24xf16>, tensor<40x24xf16>) outs(%i : tensor<16x38xf32>) {
  ^bb0(%a: f16, %b: f16, %s: f32):
    %1 = arith.extf %a : f16 to f32
    %2 = arith.extf %b : f16 to f32
    %3 = arith.mulf %2, %1 : f32
    %4 = arith.addf %3, %s : f32
    linalg.yield %4 : f32
  } -> tensor<16x38xf32>
  return %c : tensor<16x38xf32>
}
#x = affine_map<(p, f, r, c) -> (p + r, c)>
#w = affine_map<(p, f, r, c) -> (r, c, f)>
#o = affine_map<(p, f, r, c) -> (p, f)>
#i = affine_map<(p, c) -> (p, c)>
#v = affine_map<(p, c) -> (p)>
func.func @front(%x: tensor<40x24xf16>, %w: tensor<3x24x16xf32>) -> tensor<38xf32> {
  %zf = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<40x24xf16>
  %y = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<40x24xf16>) outs(%e0 : tensor<40x24xf16>) {
  ^bb0(%a: f16, %o: f16):
    %1 = math.absf %a : f16
    linalg.yield %1 : f16
  } -> tensor<40x24xf16>
  %e1 = tensor.empty() : tensor<3x24x16xf16>
  %wc = linalg.generic {indexing_maps = [affine_map<(a,b,c)->(a,b,c)>, affine_map<(a,b,c)->(a,b,c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<3x24x16xf32>) outs(%e1 : tensor<3x24x16xf16>) {
  ^bb0(%a: f32, %o: f16):
    %1 = arith.truncf %a : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<3x24x16xf16>
  %e = tensor.empty() : tensor<38x16xf32>
  %f = linalg.fill ins(%zf : f32) outs(%e : tensor<38x16xf32>) -> tensor<38x16xf32>
  %c = linalg.generic {indexing_maps = [#x, #w, #o], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
   ins(%y, %wc : tensor<40x24xf16>, tensor<3x24x16xf16>) outs(%f : tensor<38x16xf32>) {
  ^bb0(%a: f16, %b: f16, %s: f32):
    %1 = arith.extf %a : f16 to f32
    %2 = arith.extf %b : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %s, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<38x16xf32>
  %e2 = tensor.empty() : tensor<38xf32>
  %f2 = linalg.fill ins(%zf : f32) outs(%e2 : tensor<38xf32>) -> tensor<38xf32>
  %m = linalg.generic {indexing_maps = [#i, #v], iterator_types = ["parallel", "reduction"]} ins(%c : tensor<38x16xf32>) outs(%f2 : tensor<38xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %a, %o : f32
    linalg.yield %1 : f32
  } -> tensor<38xf32>
  return %m : tensor<38xf32>
}
