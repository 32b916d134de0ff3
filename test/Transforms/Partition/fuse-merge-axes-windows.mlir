// Convolutions: their loops become those of a contraction, of which the window takes digits; a contraction before a window.
// RUN: fusion-opt %s --fuse-normalize --cse --fuse-merge-axes=chip=sm_80 --remarks-filter=fuse -split-input-file 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: fusion-opt %s --fuse-normalize --cse --fuse-merge-axes="chip=sm_80 force-fusion=true" -split-input-file | FileCheck %s --check-prefix=FORCED

// Places of the result are rows; places and channels of the filter are what is summed over. The padding stays in front.
// REMARK: loops-joined {{.*}}no tensor tells loops of 2 x 9 x 11, 3 x 3 x 16 iterations apart: they are one loop
// CHECK-DAG: #[[WINDOW:.*]] = affine_map<(d0, d1, d2) -> (d0 floordiv 99, (d0 floordiv 11) mod 9 + d2 floordiv 48, d0 mod 11 + (d2 floordiv 16) mod 3, d2 mod 16)>
// CHECK-LABEL: func.func @padded
// CHECK: %[[P:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x11x13x16xf16>)
// CHECK: %[[W:.*]] = tensor.collapse_shape %arg1 {{\[\[}}0, 1, 2], [3]] : tensor<3x3x16x32xf16> into tensor<144x32xf16>
// CHECK: %[[C:.*]] = linalg.generic {indexing_maps = [#[[WINDOW]], #{{.*}}, #{{.*}}], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[P]], %[[W]] : {{.*}}) outs(%{{.*}} : tensor<198x32xf32>)
// CHECK: tensor.expand_shape %[[C]] {{\[\[}}0, 1, 2], [3]]
func.func @padded(%x: tensor<2x9x11x16xf16>, %w: tensor<3x3x16x32xf16>) -> tensor<2x9x11x32xf32> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : f16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %none : f16
  } : tensor<2x9x11x16xf16> to tensor<2x11x13x16xf16>
  %e = tensor.empty() : tensor<2x9x11x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x9x11x32xf32>) -> tensor<2x9x11x32xf32>
  %c = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%p, %w : tensor<2x11x13x16xf16>, tensor<3x3x16x32xf16>) outs(%f : tensor<2x9x11x32xf32>) -> tensor<2x9x11x32xf32>
  return %c : tensor<2x9x11x32xf32>
}

// -----

// With channels first the images are a loop of their own. Two readers have a padding each.
// CHECK-DAG: #[[WINDOW:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3 floordiv 9, (d2 floordiv 5) * 2 + (d3 floordiv 3) mod 3, (d2 mod 5) * 2 + d3 mod 3)>
// CHECK-LABEL: func.func @channels_first
// CHECK: %[[P:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x8x11x11xf16>)
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x8x11x11xf16>)
// CHECK-DAG: linalg.generic {indexing_maps = [#[[WINDOW]], {{.*}} ins(%[[P]], %{{.*}} : tensor<2x8x11x11xf16>, tensor<16x72xf16>) outs(%{{.*}} : tensor<2x16x25xf32>)
// CHECK-DAG: linalg.generic {indexing_maps = [#[[WINDOW]], {{.*}} ins(%[[Q]], %{{.*}} : tensor<2x8x11x11xf16>, tensor<16x72xf16>) outs(%{{.*}} : tensor<2x16x25xf32>)
func.func @channels_first(%x: tensor<2x8x9x9xf16>, %w: tensor<16x8x3x3xf16>, %v: tensor<16x8x3x3xf16>) -> (tensor<2x16x5x5xf32>, tensor<2x16x5x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : f16
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %none : f16
  } : tensor<2x8x9x9xf16> to tensor<2x8x11x11xf16>
  %e = tensor.empty() : tensor<2x16x5x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x16x5x5xf32>) -> tensor<2x16x5x5xf32>
  %c = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%p, %w : tensor<2x8x11x11xf16>, tensor<16x8x3x3xf16>) outs(%f : tensor<2x16x5x5xf32>) -> tensor<2x16x5x5xf32>
  %d = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%p, %v : tensor<2x8x11x11xf16>, tensor<16x8x3x3xf16>) outs(%f : tensor<2x16x5x5xf32>) -> tensor<2x16x5x5xf32>
  return %c, %d : tensor<2x16x5x5xf32>, tensor<2x16x5x5xf32>
}

// -----

// The first contraction is computed at the three places of the second one's window, masked where that lies outside.
// REMARK: window-inlined {{.*}}the contraction that its window reads is computed at each place of the window: predicted {{.*}} us against {{.*}} us apart
// CHECK-LABEL: func.func @line
// CHECK: %[[C:.*]] = linalg.generic {{.*}}["parallel", "parallel", "parallel", "reduction"]} ins(%{{.*}}, %arg1 : tensor<42x16xf16>, tensor<16x32xf16>) outs(%{{.*}} : tensor<40x3x32xf32>)
// CHECK: %[[H:.*]] = linalg.generic {{.*}} ins(%[[C]] : tensor<40x3x32xf32>)
// CHECK: %[[M:.*]] = linalg.generic {{.*}} ins(%[[H]] : tensor<40x3x32xf16>)
// CHECK: linalg.index 0
// CHECK: linalg.index 1
// CHECK: arith.select
// CHECK: linalg.generic {{.*}}["parallel", "parallel", "reduction", "reduction"]} ins(%[[M]], %arg2 : tensor<40x3x32xf16>, tensor<3x32x16xf16>) outs(%{{.*}} : tensor<40x16xf32>)
func.func @line(%x: tensor<40x16xf16>, %w: tensor<16x32xf16>, %v: tensor<3x32x16xf16>) -> tensor<40x16xf32> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<40x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<40x32xf32>) -> tensor<40x32xf32>
  %c = linalg.matmul ins(%x, %w : tensor<40x16xf16>, tensor<16x32xf16>) outs(%f : tensor<40x32xf32>) -> tensor<40x32xf32>
  %g = tensor.empty() : tensor<40x32xf16>
  %h = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<40x32xf32>) outs(%g : tensor<40x32xf16>) {
  ^bb0(%a: f32, %o: f16):
    %b = arith.truncf %a : f32 to f16
    linalg.yield %b : f16
  } -> tensor<40x32xf16>
  %p = tensor.pad %h low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %none : f16
  } : tensor<40x32xf16> to tensor<42x32xf16>
  %r = tensor.empty() : tensor<40x16xf32>
  %s = linalg.fill ins(%zero : f32) outs(%r : tensor<40x16xf32>) -> tensor<40x16xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(p, f, r, c) -> (p + r, c)>, affine_map<(p, f, r, c) -> (r, c, f)>, affine_map<(p, f, r, c) -> (p, f)>],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %v : tensor<42x32xf16>, tensor<3x32x16xf16>) outs(%s : tensor<40x16xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %1 = arith.extf %a : f16 to f32
    %2 = arith.extf %b : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<40x16xf32>
  return %t : tensor<40x16xf32>
}

// -----

// Nine times the first contraction's 2·256·1024 flops a place take longer than a kernel; what others read stays whole.
// REMARK: window-apart {{.*}}not fused with the contraction that its window reads: computed at each place of the window, predicted {{.*}} us against {{.*}} us apart
// CHECK-LABEL: func.func @wide
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4096x256xf32>)
// FORCED-LABEL: func.func @wide
// FORCED: linalg.generic {{.*}} outs(%{{.*}} : tensor<3844x9x256xf32>)
func.func @wide(%y: tensor<1x64x64x1024xf16>, %w: tensor<1x1x1024x256xf16>, %v: tensor<3x3x256x64xf16>) -> tensor<1x62x62x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x64x64x256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x64x64x256xf32>) -> tensor<1x64x64x256xf32>
  %c = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%y, %w : tensor<1x64x64x1024xf16>, tensor<1x1x1024x256xf16>) outs(%f : tensor<1x64x64x256xf32>) -> tensor<1x64x64x256xf32>
  %g = tensor.empty() : tensor<1x64x64x256xf16>
  %h = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k, l)>, affine_map<(i, j, k, l) -> (i, j, k, l)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c : tensor<1x64x64x256xf32>) outs(%g : tensor<1x64x64x256xf16>) {
  ^bb0(%a: f32, %o: f16):
    %b = arith.truncf %a : f32 to f16
    linalg.yield %b : f16
  } -> tensor<1x64x64x256xf16>
  %r = tensor.empty() : tensor<1x62x62x64xf32>
  %s = linalg.fill ins(%zero : f32) outs(%r : tensor<1x62x62x64xf32>) -> tensor<1x62x62x64xf32>
  %t = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%h, %v : tensor<1x64x64x256xf16>, tensor<3x3x256x64xf16>) outs(%s : tensor<1x62x62x64xf32>) -> tensor<1x62x62x64xf32>
  return %t : tensor<1x62x62x64xf32>
}
