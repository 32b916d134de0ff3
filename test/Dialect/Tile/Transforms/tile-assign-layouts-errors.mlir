// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts))' -split-input-file -verify-diagnostics

#rows = #tile.layout<"register: 4*[0,1]; lane: 4*[0,4] 8*[1,0]; warp: 4*[8,0] -> [32, 16]">
tile.kernel @twice(%e: f32) attributes {warps = 4 : i64} {
  // expected-error @below {{'tile.splat' op already has a layout}}
  %x = tile.splat %e : f32 -> tensor<32x16xf32, #rows>
  // Only a kernel that came with all of its layouts keeps them.
  %y = tile.splat %e : f32 -> tensor<32x16xf32>
  tile.return
}

// -----

tile.kernel @intrinsic(%e: f16, %z: f32) attributes {warps = 4 : i64} {
  %x = tile.splat %e : f16 -> tensor<64x16xf16>
  %y = tile.splat %e : f16 -> tensor<16x64xf16>
  %c = tile.splat %z : f32 -> tensor<64x64xf32>
  // expected-error @below {{'tile.dot' op unknown intrinsic 'mma.m8n8k4'}}
  %d = tile.dot %x, %y, %c "mma.m8n8k4" warps [4, 1] : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
  tile.return
}

// -----

tile.kernel @rows(%e: f16, %z: f32) attributes {warps = 4 : i64} {
  %x = tile.splat %e : f16 -> tensor<48x16xf16>
  %y = tile.splat %e : f16 -> tensor<16x64xf16>
  %c = tile.splat %z : f32 -> tensor<48x64xf32>
  // expected-error @below {{'tile.dot' op tile 'tensor<48x64xf32>' is no multiple of the intrinsic over [4, 1] warps}}
  %d = tile.dot %x, %y, %c "mma.m16n8k16" warps [4, 1] : tensor<48x16xf16>, tensor<16x64xf16> -> tensor<48x64xf32>
  tile.return
}

// -----

tile.kernel @reduction(%e: f16, %z: f32) attributes {warps = 4 : i64} {
  %x = tile.splat %e : f16 -> tensor<64x8xf16>
  %y = tile.splat %e : f16 -> tensor<8x64xf16>
  %c = tile.splat %z : f32 -> tensor<64x64xf32>
  // expected-error @below {{'tile.dot' op tile 'tensor<64x64xf32>' is no multiple of the intrinsic over [4, 1] warps}}
  %d = tile.dot %x, %y, %c "mma.m16n8k16" warps [4, 1] : tensor<64x8xf16>, tensor<8x64xf16> -> tensor<64x64xf32>
  tile.return
}

// -----

tile.kernel @warps(%e: f16, %z: f32) attributes {warps = 8 : i64} {
  %x = tile.splat %e : f16 -> tensor<64x16xf16>
  %y = tile.splat %e : f16 -> tensor<16x64xf16>
  %c = tile.splat %z : f32 -> tensor<64x64xf32>
  // expected-error @below {{'tile.dot' op arranges other warps than the kernel has}}
  %d = tile.dot %x, %y, %c "mma.m16n8k16" warps [4, 1] : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
  tile.return
}

// -----

!view = !tile.view<2 x f32, unit = 1, alignment = 16>
tile.kernel @constant(%o: !tile.ptr<f32> {tile.access = #tile.access<write>}, %n: index) attributes {warps = 4 : i64} {
  // expected-error @below {{'arith.constant' op must be a splat in a block program}}
  %x = arith.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %w = tile.view %o[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f32> -> !view
  tile.store %x, %w[%n, %n] : tensor<1x2xf32>, !view
  tile.return
}

// -----

!view = !tile.view<2 x f32, unit = 1, alignment = 16>
tile.kernel @foreign(%o: !tile.ptr<f32> {tile.access = #tile.access<write>}, %n: index) attributes {warps = 4 : i64} {
  // expected-error @below {{'tensor.empty' op has a result that no layout can be given to}}
  %x = tensor.empty() : tensor<16x16xf32>
  %w = tile.view %o[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f32> -> !view
  tile.store %x, %w[%n, %n] : tensor<16x16xf32>, !view
  tile.return
}

// -----

!view = !tile.view<2 x f32, unit = 1, alignment = 16>
tile.kernel @conditional(%o: !tile.ptr<f32> {tile.access = #tile.access<write>}, %n: index, %c: i1, %e: f32) attributes {warps = 4 : i64} {
  // expected-error @below {{'scf.if' op has a result that no layout can be given to}}
  %x = scf.if %c -> tensor<16x16xf32> {
    %y = tile.splat %e : f32 -> tensor<16x16xf32>
    scf.yield %y : tensor<16x16xf32>
  } else {
    %y = tile.splat %e : f32 -> tensor<16x16xf32>
    scf.yield %y : tensor<16x16xf32>
  }
  %w = tile.view %o[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f32> -> !view
  tile.store %x, %w[%n, %n] : tensor<16x16xf32>, !view
  tile.return
}

// -----

!view = !tile.view<2 x f32, unit = 1, alignment = 16>
tile.kernel @loop_without_product(%o: !tile.ptr<f32> {tile.access = #tile.access<write>}, %n: index, %e: f32) attributes {warps = 4 : i64} {
  %z = tile.splat %e : f32 -> tensor<16x16xf32>
  %w = tile.view %o[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f32> -> !view
  // expected-error @below {{a loop carries a tensor that no layout reaches}}
  scf.for %i = %n to %n step %n iter_args(%x = %z) -> tensor<16x16xf32> {
    tile.store %x, %w[%n, %n] : tensor<16x16xf32>, !view
    scf.yield %x : tensor<16x16xf32>
  }
  tile.return
}

// -----

// A loop that stores something is not dropped with its unread tensor.
!view = !tile.view<2 x f32, unit = 1, alignment = 16>
tile.kernel @loop_whose_tensor_nobody_reads(%o: !tile.ptr<f32> {tile.access = #tile.access<write>}, %n: index, %e: f32) attributes {warps = 4 : i64} {
  // expected-error @below {{'tile.splat' op has a result that no layout reaches}}
  %z = tile.splat %e : f32 -> tensor<16x16xf32>
  %w = tile.view %o[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f32> -> !view
  scf.for %i = %n to %n step %n iter_args(%x = %z) -> tensor<16x16xf32> {
    %y = tile.splat %e : f32 -> tensor<16x16xf32>
    tile.store %y, %w[%n, %n] : tensor<16x16xf32>, !view
    scf.yield %x : tensor<16x16xf32>
  }
  tile.return
}

// -----

tile.kernel @other_type() attributes {warps = 1 : i64} {
  %x = arith.constant dense<0.0> : tensor<16x16xf32>
  %y = arith.constant dense<0.0> : tensor<16x16xf32>
  %c = arith.constant dense<0.0> : tensor<16x16xf32>
  // expected-error @below {{'tile.dot' op 'mma.m16n8k16' does not multiply 'f32'}}
  %d = tile.dot %x, %y, %c "mma.m16n8k16" warps [1, 1] : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  tile.return
}
