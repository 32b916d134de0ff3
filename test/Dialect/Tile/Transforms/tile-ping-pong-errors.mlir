// Groups that cannot have turns have none, for a reason.
// RUN: fusion-opt %s --tile-ping-pong --remarks-filter=specialize -split-input-file -o %t 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: FileCheck %s < %t

// WHY: warpgroups do not alternate on the tensor cores: the warps that multiply also issue copies
// WHY: warpgroups do not alternate on the tensor cores: no loop multiplies in shared memory
// WHY: warpgroups do not alternate on the tensor cores: warps wait for one another in it
// WHY: warpgroups do not alternate on the tensor cores: nothing is computed between its contractions
// WHY: warpgroups do not alternate on the tensor cores: between its contractions a stage is released and awaited again
// WHY: warpgroups do not alternate on the tensor cores: a loop or branch is between its contractions

// CHECK-NOT: ping_pong
!two = !tile.buffer<2, 64, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] -> [64, 64]">>
!q = !tile.buffer<1, 128, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 16*[8,0] -> [128, 64]">>

tile.kernel @copies_itself(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 8 : i64, ping_pong} {
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

// -----

!two = !tile.buffer<2, 64, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] -> [64, 64]">>
!q = !tile.buffer<1, 128, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 16*[8,0] -> [128, 64]">>

tile.kernel @no_loop(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 8 : i64, producers = 4 : i64, ping_pong} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %q = tile.alloc : !q
  %k = tile.alloc : !two
  %v = tile.alloc : !two
  %s = tile.shared_dot of %q[%c0], %k[%c0], %zero "wgmma.m64k16" warps [8, 1] {rhs_transposed} : (!q) !two -> tensor<128x64xf32>
  tile.return
}

// -----

!two = !tile.buffer<2, 64, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] -> [64, 64]">>
!q = !tile.buffer<1, 128, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 16*[8,0] -> [128, 64]">>

tile.kernel @meets(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 8 : i64, producers = 4 : i64, ping_pong} {
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
    tile.barrier
    tile.await %v[%c0] : !two
    %o = tile.shared_dot %h, %v[%c0], %sum "wgmma.m64k16" warps [8, 1] : [tensor<128x64xf16>] !two -> tensor<128x64xf32>
    tile.release %v[%c0] : !two
    scf.yield %o : tensor<128x64xf32>
  }
  tile.return
}

// -----

!two = !tile.buffer<2, 64, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] -> [64, 64]">>
!q = !tile.buffer<1, 128, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 16*[8,0] -> [128, 64]">>

tile.kernel @products_alone(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 8 : i64, producers = 4 : i64, ping_pong} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %q = tile.alloc : !q
  %k = tile.alloc : !two
  %v = tile.alloc : !two
  %sums = scf.for %n = %c0 to %c256 step %c64 iter_args(%sum = %zero) -> (tensor<128x64xf32>) {
    %o = tile.shared_dot of %q[%c0], %k[%c0], %sum "wgmma.m64k16" warps [8, 1] {rhs_transposed} : (!q) !two -> tensor<128x64xf32>
    scf.yield %o : tensor<128x64xf32>
  }
  tile.return
}

// -----

!two = !tile.buffer<2, 64, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] -> [64, 64]">>
!q = !tile.buffer<1, 128, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 16*[8,0] -> [128, 64]">>

tile.kernel @awaited_again(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 8 : i64, producers = 4 : i64, ping_pong} {
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
    %s = tile.shared_dot of %q[%c0], %k[%c0], %sum "wgmma.m64k16" warps [8, 1] {rhs_transposed} : (!q) !two -> tensor<128x64xf32>
    tile.release %k[%c0] : !two
    tile.await %k[%c1] : !two
    %o = tile.shared_dot of %q[%c0], %k[%c1], %s "wgmma.m64k16" warps [8, 1] {rhs_transposed} : (!q) !two -> tensor<128x64xf32>
    tile.release %k[%c1] : !two
    %e = math.exp %o : tensor<128x64xf32>
    scf.yield %o : tensor<128x64xf32>
  }
  tile.return
}

// -----

!two = !tile.buffer<2, 64, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] -> [64, 64]">>
!q = !tile.buffer<1, 128, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 16*[8,0] -> [128, 64]">>

tile.kernel @loop_between(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 8 : i64, producers = 4 : i64, ping_pong} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %q = tile.alloc : !q
  %k = tile.alloc : !two
  %v = tile.alloc : !two
  %sums = scf.for %n = %c0 to %c256 step %c64 iter_args(%sum = %zero) -> (tensor<128x64xf32>) {
    %s = tile.shared_dot of %q[%c0], %k[%c0], %sum "wgmma.m64k16" warps [8, 1] {rhs_transposed} : (!q) !two -> tensor<128x64xf32>
    scf.for %i = %c0 to %c64 step %c64 {
      tile.await %v[%c0] : !two
      tile.release %v[%c0] : !two
    }
    %o = tile.shared_dot of %q[%c0], %k[%c0], %s "wgmma.m64k16" warps [8, 1] {rhs_transposed} : (!q) !two -> tensor<128x64xf32>
    %e = math.exp %o : tensor<128x64xf32>
    scf.yield %o : tensor<128x64xf32>
  }
  tile.return
}
