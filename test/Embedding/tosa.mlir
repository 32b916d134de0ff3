// TOSA as input: a block of products, a bias, a function, a softmax, a transpose, a reduction and a pooling, right by the reference.
// RUN: fusion-run %s --device=emulator --sanitize | FileCheck %s
// RUN: fusion-opt %s --fuse-to-groups="chip=sm_80 force-fusion=true" | FileCheck %s --check-prefix=GROUPS
// CHECK-COUNT-4: PASS

// The contractions are one chain, the softmax one stitched group.
// GROUPS-NOT: tosa.
// GROUPS-LABEL: func.func @block
// GROUPS-COUNT-1: fuse.chain
// GROUPS-NOT: fuse.stitch
// GROUPS-LABEL: func.func @softmax
// GROUPS-COUNT-1: fuse.stitch
// GROUPS-NOT: fuse.stitch
// GROUPS-LABEL: func.func @transposed

func.func @block(%x: tensor<1x64x48xf32>, %w: tensor<1x48x80xf32>, %b: tensor<80xf32>, %v: tensor<1x80x32xf32>) -> tensor<1x64x32xf32> {
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %shape = tosa.const_shape {values = dense<[1, 1, 80]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %bias = tosa.reshape %b, %shape : (tensor<80xf32>, !tosa.shape<3>) -> tensor<1x1x80xf32>
  %0 = tosa.matmul %x, %w, %zp, %zp : (tensor<1x64x48xf32>, tensor<1x48x80xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x64x80xf32>
  %1 = tosa.add %0, %bias : (tensor<1x64x80xf32>, tensor<1x1x80xf32>) -> tensor<1x64x80xf32>
  %2 = tosa.tanh %1 : (tensor<1x64x80xf32>) -> tensor<1x64x80xf32>
  %3 = tosa.matmul %2, %v, %zp, %zp : (tensor<1x64x80xf32>, tensor<1x80x32xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x64x32xf32>
  return %3 : tensor<1x64x32xf32>
}

func.func @softmax(%x: tensor<40x72xf32>) -> tensor<40x72xf32> {
  %m = tosa.reduce_max %x {axis = 1 : i32} : (tensor<40x72xf32>) -> tensor<40x1xf32>
  %d = tosa.sub %x, %m : (tensor<40x72xf32>, tensor<40x1xf32>) -> tensor<40x72xf32>
  %e = tosa.exp %d : (tensor<40x72xf32>) -> tensor<40x72xf32>
  %s = tosa.reduce_sum %e {axis = 1 : i32} : (tensor<40x72xf32>) -> tensor<40x1xf32>
  %r = tosa.reciprocal %s : (tensor<40x1xf32>) -> tensor<40x1xf32>
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %p = tosa.mul %e, %r, %shift : (tensor<40x72xf32>, tensor<40x1xf32>, tensor<1xi8>) -> tensor<40x72xf32>
  return %p : tensor<40x72xf32>
}

func.func @transposed(%x: tensor<24x40xf16>) -> tensor<40x24xf16> {
  %t = tosa.transpose %x {perms = array<i32: 1, 0>} : (tensor<24x40xf16>) -> tensor<40x24xf16>
  %n = tosa.sigmoid %t : (tensor<40x24xf16>) -> tensor<40x24xf16>
  return %n : tensor<40x24xf16>
}

func.func @pooled(%x: tensor<2x8x8x16xf32>) -> tensor<2x4x4x16xf32> {
  %p = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<2x8x8x16xf32>) -> tensor<2x4x4x16xf32>
  return %p : tensor<2x4x4x16xf32>
}
