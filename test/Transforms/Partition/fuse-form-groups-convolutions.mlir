// Convolutions are chains with the padding that they read; what is no product stays generic, with the reason.
// RUN: fusion-opt %s --fuse-normalize --cse --fuse-merge-axes=chip=sm_80 --cse --fuse-form-groups --remarks-filter=fuse -split-input-file -o %t 2> %t.remarks
// RUN: FileCheck %s < %t
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

// CHECK-LABEL: func.func @with_its_padding
// CHECK-NEXT: arith.constant
// CHECK-NOT: linalg
// CHECK: fuse.chain ins(%[[X:.*]] = %arg0 : tensor<1x9x11x16xf16>,
// CHECK: tensor.extract %[[X]]
// CHECK: linalg.generic
// CHECK: fuse.yield
func.func @with_its_padding(%x: tensor<1x9x11x16xf16>, %w: tensor<3x3x16x32xf16>) -> tensor<1x9x11x32xf32> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : f16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %none : f16
  } : tensor<1x9x11x16xf16> to tensor<1x11x13x16xf16>
  %e = tensor.empty() : tensor<1x9x11x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x9x11x32xf32>) -> tensor<1x9x11x32xf32>
  %c = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%p, %w : tensor<1x11x13x16xf16>, tensor<3x3x16x32xf16>) outs(%f : tensor<1x9x11x32xf32>) -> tensor<1x9x11x32xf32>
  return %c : tensor<1x9x11x32xf32>
}

// -----

// What surrounds it is no zero: the padding is a kernel of its own.
// CHECK-LABEL: func.func @padded_by_ones
// CHECK: fuse.stitch
// CHECK: fuse.chain
func.func @padded_by_ones(%x: tensor<1x9x11x16xf16>, %w: tensor<3x3x16x32xf16>) -> tensor<1x9x11x32xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %one : f16
  } : tensor<1x9x11x16xf16> to tensor<1x11x13x16xf16>
  %e = tensor.empty() : tensor<1x9x11x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x9x11x32xf32>) -> tensor<1x9x11x32xf32>
  %c = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%p, %w : tensor<1x11x13x16xf16>, tensor<3x3x16x32xf16>) outs(%f : tensor<1x9x11x32xf32>) -> tensor<1x9x11x32xf32>
  return %c : tensor<1x9x11x32xf32>
}

// -----

// REMARK: generic {{.*}}runs in the generic form: no loop of the convolution is in the filter and the result alone, so that it is no matmul
// CHECK-LABEL: func.func @by_groups_of_one
// CHECK: fuse.stitch
// CHECK-NOT: fuse.chain
func.func @by_groups_of_one(%x: tensor<1x11x13x16xf16>, %w: tensor<3x3x16xf16>) -> tensor<1x9x11x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x9x11x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x9x11x16xf32>) -> tensor<1x9x11x16xf32>
  %c = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x11x13x16xf16>, tensor<3x3x16xf16>) outs(%f : tensor<1x9x11x16xf32>) -> tensor<1x9x11x16xf32>
  return %c : tensor<1x9x11x16xf32>
}

// -----

// The same as a loop over one channel.
// REMARK: generic {{.*}}runs in the generic form: no loop of the convolution is in the filter and the result alone, so that it is no matmul
// CHECK-LABEL: func.func @one_channel_each
// CHECK-NOT: fuse.chain
func.func @one_channel_each(%x: tensor<1x11x13x16xf16>, %w: tensor<3x3x16x1xf16>) -> tensor<1x9x11x16x1xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x9x11x16x1xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x9x11x16x1xf32>) -> tensor<1x9x11x16x1xf32>
  %c = linalg.depthwise_conv_2d_nhwc_hwcm {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x11x13x16xf16>, tensor<3x3x16x1xf16>) outs(%f : tensor<1x9x11x16x1xf32>) -> tensor<1x9x11x16x1xf32>
  return %c : tensor<1x9x11x16x1xf32>
}

// -----

// REMARK: generic {{.*}}runs in the generic form: sizes of the convolution are known at run time only
// CHECK-LABEL: func.func @of_any_size
// CHECK-NOT: fuse.chain
func.func @of_any_size(%x: tensor<1x?x13x16xf16>, %w: tensor<3x3x16x32xf16>, %e: tensor<1x?x11x32xf32>) -> tensor<1x?x11x32xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x?x11x32xf32>) -> tensor<1x?x11x32xf32>
  %c = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x?x13x16xf16>, tensor<3x3x16x32xf16>) outs(%f : tensor<1x?x11x32xf32>) -> tensor<1x?x11x32xf32>
  return %c : tensor<1x?x11x32xf32>
}

// -----

// REMARK: generic {{.*}}runs in the generic form: the convolution computes more than sums of products
// CHECK-LABEL: func.func @with_zero_points
// CHECK-NOT: fuse.chain
func.func @with_zero_points(%x: tensor<1x11x13x16xi8>, %w: tensor<3x3x16x32xi8>, %a: i32, %b: i32) -> tensor<1x9x11x32xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1x9x11x32xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x9x11x32xi32>) -> tensor<1x9x11x32xi32>
  %c = linalg.conv_2d_nhwc_hwcf_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w, %a, %b : tensor<1x11x13x16xi8>, tensor<3x3x16x32xi8>, i32, i32) outs(%f : tensor<1x9x11x32xi32>) -> tensor<1x9x11x32xi32>
  return %c : tensor<1x9x11x32xi32>
}

// -----

// No intrinsic multiplies f64.
// REMARK: generic {{.*}}runs in the generic form: no intrinsic of sm_80 multiplies the operands of contraction 'C'
// CHECK-LABEL: func.func @of_doubles
// CHECK-NOT: fuse.chain
func.func @of_doubles(%x: tensor<1x11x13x16xf64>, %w: tensor<3x3x16x32xf64>) -> tensor<1x9x11x32xf64> {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<1x9x11x32xf64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<1x9x11x32xf64>) -> tensor<1x9x11x32xf64>
  %c = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x11x13x16xf64>, tensor<3x3x16x32xf64>) outs(%f : tensor<1x9x11x32xf64>) -> tensor<1x9x11x32xf64>
  return %c : tensor<1x9x11x32xf64>
}

// -----

// The operators between read other values at the window's places, so that both products are kernels.
// REMARK: window-apart {{.*}}operators between the contractions compute with indices or read other values at the window's places
// REMARK: chain-ends {{.*}}a convolution reads it through its window, so that tiles would overlap
// CHECK-LABEL: func.func @read_in_a_window
// CHECK-COUNT-2: fuse.chain
func.func @read_in_a_window(%x: tensor<40x16xf16>, %w: tensor<16x32xf16>, %y: tensor<40x32xf32>, %v: tensor<3x32x16xf16>) -> tensor<38x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<40x32xf32>) -> tensor<40x32xf32>
  %c = linalg.matmul ins(%x, %w : tensor<40x16xf16>, tensor<16x32xf16>) outs(%f : tensor<40x32xf32>) -> tensor<40x32xf32>
  %g = tensor.empty() : tensor<40x32xf16>
  %h = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%c, %y : tensor<40x32xf32>, tensor<40x32xf32>) outs(%g : tensor<40x32xf16>) {
  ^bb0(%a: f32, %b: f32, %o: f16):
    %1 = arith.addf %a, %b : f32
    %2 = arith.truncf %1 : f32 to f16
    linalg.yield %2 : f16
  } -> tensor<40x32xf16>
  %r = tensor.empty() : tensor<38x16xf32>
  %s = linalg.fill ins(%zero : f32) outs(%r : tensor<38x16xf32>) -> tensor<38x16xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(p, f, r, c) -> (p + r, c)>, affine_map<(p, f, r, c) -> (r, c, f)>, affine_map<(p, f, r, c) -> (p, f)>],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%h, %v : tensor<40x32xf16>, tensor<3x32x16xf16>) outs(%s : tensor<38x16xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %1 = arith.extf %a : f16 to f32
    %2 = arith.extf %b : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<38x16xf32>
  return %t : tensor<38x16xf32>
}
