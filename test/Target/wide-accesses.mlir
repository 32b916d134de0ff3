// Accesses to memory are as wide as the layouts make them, no narrower and no wider. Two neighbours of a row of the
// accumulator are one load, whatever each of them is for; LLVM would load them one by one.
// RUN: fusion-opt %s --fuse-to-nvvm="chip=sm_80 force-fusion=true" | fusion-translate --fuse-to-ptx | FileCheck %s
// Nothing joins loads of neighbours that lie at the end of a tensor: LLVM would read a fourth one behind three.
// RUN: fusion-run %s --chip=sm_80 --device=emulator --sanitize --force-fusion | FileCheck %s --check-prefix=SOUND
// RUN: fusion-run %s --chip=sm_89 --device=emulator --sanitize --force-fusion | FileCheck %s --check-prefix=SOUND
// SOUND-COUNT-4: PASS

// CHECK-LABEL: .visible .entry even_chain_0
// CHECK: ld.global.nc.v2.b32
// CHECK-NOT: ld.global.nc.b32
// CHECK: ret;
func.func @even(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %bias: tensor<64x64xf32>, %v: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %h = tensor.empty() : tensor<64x64xf16>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%c, %bias : tensor<64x64xf32>, tensor<64x64xf32>) outs(%h : tensor<64x64xf16>) {
  ^bb0(%x: f32, %y: f32, %o: f16):
    %w = arith.addf %x, %y : f32
    %r = arith.truncf %w : f32 to f16
    linalg.yield %r : f16
  } -> tensor<64x64xf16>
  %d = linalg.matmul ins(%s, %v : tensor<64x64xf16>, tensor<64x64xf16>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}

// The multiply-adds of a step each take one element of what is loaded four at a time; LLVM would load them one by one, too.
// CHECK-LABEL: .visible .entry shared_chain_0
// CHECK: ld.shared.v4.b32
// CHECK-NOT: ld.shared.b32
// CHECK-NOT: ld.shared.v2.b32
// CHECK: ret;
func.func @shared(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>, %v: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %c = linalg.matmul ins(%a, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
  %d = linalg.matmul ins(%c, %v : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %d : tensor<32x32xf32>
}

func.func @three(%a: tensor<5x3xf16>, %b: tensor<3x3xf16>, %bias: tensor<3xf32>) -> tensor<5x3xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<5x3xf32>) -> tensor<5x3xf32>
  %c = linalg.matmul ins(%a, %b : tensor<5x3xf16>, tensor<3x3xf16>) outs(%f : tensor<5x3xf32>) -> tensor<5x3xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%c, %bias : tensor<5x3xf32>, tensor<3xf32>) outs(%e : tensor<5x3xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %w = arith.addf %x, %y : f32
    linalg.yield %w : f32
  } -> tensor<5x3xf32>
  return %s : tensor<5x3xf32>
}

// Neighbours of eight bits, which LLVM has as integers.
func.func @narrow(%a: tensor<16x16xf8E4M3FN>, %b: tensor<16x16xf8E4M3FN>, %gate: tensor<16x16xf8E4M3FN>) -> tensor<16x16xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %c = linalg.matmul ins(%a, %b : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%c, %gate : tensor<16x16xf32>, tensor<16x16xf8E4M3FN>) outs(%e : tensor<16x16xf32>) {
  ^bb0(%x: f32, %y: f8E4M3FN, %o: f32):
    %g = arith.extf %y : f8E4M3FN to f32
    %r = arith.mulf %x, %g : f32
    linalg.yield %r : f32
  } -> tensor<16x16xf32>
  return %s : tensor<16x16xf32>
}
