// Warpgroups have the tensor cores one after the other, and leave them where the most elements are computed between contractions.
// RUN: fusion-opt %s --tile-ping-pong | FileCheck %s

!two = !tile.buffer<2, 64, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] -> [64, 64]">>
!q = !tile.buffer<1, 128, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 16*[8,0] -> [128, 64]">>

// Both products follow one another: a turn lies within an iteration.
// CHECK-LABEL: tile.kernel @beside
// CHECK-NEXT: tile.ping_pong_arrive first
// CHECK: scf.for
// CHECK: tile.await %[[K:.*]][
// CHECK-NEXT: tile.ping_pong_wait{{$}}
// CHECK-NEXT: tile.shared_dot
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: tile.await %[[V:.*]][
// CHECK-NEXT: tile.shared_dot
// CHECK-NEXT: tile.ping_pong_arrive{{$}}
// CHECK-NEXT: tile.await_dot
// CHECK: math.exp
// CHECK: scf.yield
// CHECK: }
// CHECK-NEXT: tile.ping_pong_wait last
// CHECK-NEXT: tile.return
tile.kernel @beside(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 8 : i64, producers = 4 : i64, ping_pong} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %q = tile.alloc : !q
  %k = tile.alloc : !two
  %v = tile.alloc : !two
  %half = arith.constant dense<1.0> : tensor<128x64xf16>
  %sums, %values = scf.for %n = %c0 to %c256 step %c64 iter_args(%sum = %zero, %h = %half) -> (tensor<128x64xf32>, tensor<128x64xf16>) {
    tile.await %k[%c0] : !two
    %s = tile.shared_dot of %q[%c0], %k[%c0], %zero "wgmma.m64k16" warps [8, 1] {async, rhs_transposed} : (!q) !two -> tensor<128x64xf32>
    %scaled = arith.mulf %sum, %sum : tensor<128x64xf32>
    tile.await %v[%c0] : !two
    %o = tile.shared_dot %h, %v[%c0], %scaled "wgmma.m64k16" warps [8, 1] {async} : [tensor<128x64xf16>] !two -> tensor<128x64xf32>
    %scores = tile.await_dot %s pending 1 : tensor<128x64xf32>
    tile.release %k[%c0] : !two
    %e = math.exp %scores : tensor<128x64xf32>
    %next = tile.await_dot %o pending 0 under %e : tensor<128x64xf32>, tensor<128x64xf32>
    %t = arith.truncf %e : tensor<128x64xf32> to tensor<128x64xf16>
    tile.release %v[%c0] : !two
    scf.yield %next, %t : tensor<128x64xf32>, tensor<128x64xf16>
  }
  tile.return
}

// The element-wise work is between the contractions: a turn goes from one iteration to the next, the first one begins before
// the loop.
// CHECK-LABEL: tile.kernel @between
// CHECK-NEXT: tile.ping_pong_arrive first
// CHECK: tile.ping_pong_wait{{$}}
// CHECK-NEXT: scf.for
// CHECK-NEXT: tile.await
// CHECK-NEXT: tile.shared_dot
// CHECK-NEXT: tile.ping_pong_arrive{{$}}
// CHECK-NEXT: tile.release
// CHECK-NEXT: math.exp
// CHECK-NEXT: arith.truncf
// CHECK-NEXT: tile.await
// CHECK-NEXT: tile.ping_pong_wait{{$}}
// CHECK-NEXT: tile.shared_dot
// CHECK-NEXT: tile.release
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: tile.ping_pong_arrive{{$}}
// CHECK-NEXT: arith.negf
// CHECK-NEXT: tile.ping_pong_wait last
// CHECK-NEXT: tile.return
tile.kernel @between(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 8 : i64, producers = 4 : i64, ping_pong} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %q = tile.alloc : !q
  %k = tile.alloc : !two
  %v = tile.alloc : !two
  %sums = scf.for %n = %c0 to %c256 step %c64 iter_args(%sum = %zero) -> (tensor<128x64xf32>) {
    tile.await %k[%c0] : !two
    %s = tile.shared_dot of %q[%c0], %k[%c0], %zero "wgmma.m64k16" warps [8, 1] {rhs_transposed} : (!q) !two -> tensor<128x64xf32>
    tile.release %k[%c0] : !two
    %e = math.exp %s : tensor<128x64xf32>
    %h = arith.truncf %e : tensor<128x64xf32> to tensor<128x64xf16>
    tile.await %v[%c0] : !two
    %o = tile.shared_dot %h, %v[%c0], %sum "wgmma.m64k16" warps [8, 1] : [tensor<128x64xf16>] !two -> tensor<128x64xf32>
    tile.release %v[%c0] : !two
    scf.yield %o : tensor<128x64xf32>
  }
  %used = arith.negf %sums : tensor<128x64xf32>
  tile.return
}

// A kernel that asks for no turns has none.
// CHECK-LABEL: tile.kernel @not_asked
// CHECK-NOT: _turn
tile.kernel @not_asked(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 8 : i64, producers = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %q = tile.alloc : !q
  %k = tile.alloc : !two
  %v = tile.alloc : !two
  %sums = scf.for %n = %c0 to %c256 step %c64 iter_args(%sum = %zero) -> (tensor<128x64xf32>) {
    %h = arith.truncf %sum : tensor<128x64xf32> to tensor<128x64xf16>
    tile.await %v[%c0] : !two
    %o = tile.shared_dot %h, %v[%c0], %sum "wgmma.m64k16" warps [8, 1] : [tensor<128x64xf16>] !two -> tensor<128x64xf32>
    tile.release %v[%c0] : !two
    scf.yield %o : tensor<128x64xf32>
  }
  tile.return
}
