// A contraction that cannot overlap with the next iteration is not moved, and a remark says why.
// RUN: fusion-opt %s --tile-overlap-iterations --remarks-filter=pipeline -split-input-file -o %t 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: FileCheck %s < %t

!two = !tile.buffer<2, 64, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] -> [64, 64]">>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
#k = affine_map<(d0, d1) -> (d0, d1)>

// WHY: the contraction does not overlap with the next iteration's: there is no contraction before it in its loop
// WHY: the contraction does not overlap with the next iteration's: its LHS is not computed for it alone in the loop
// WHY: the contraction does not overlap with the next iteration's: its loop may have no iterations
// WHY: the contraction does not overlap with the next iteration's: its RHS is not released by an mbarrier in the loop
// WHY: the contraction does not overlap with the next iteration's: its RHS is copied by threads
// WHY: the contraction does not overlap with the next iteration's: another contraction needs its result
// WHY: the contraction does not overlap with the next iteration's: it is in no loop
// WHY: the contraction does not overlap with the next iteration's: its sum is needed in each iteration
// WHY: the contraction does not overlap with the next iteration's: a factor is not released by an mbarrier in the loop
// WHY: the contraction does not overlap with the next iteration's: the loop has another contraction
// WHY: the contraction does not overlap with the next iteration's: its loop may have no iterations

// CHECK-NOT: {{[{]}}async
// CHECK-NOT: stages =
tile.kernel @alone(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %h = arith.constant dense<1.0> : tensor<64x64xf16>
  %view = tile.window %p[] sizes [%c256, %c64] {bounded = array<i64>, shape = array<i64: 256, 64>, map = #k} : !tile.ptr<f16> -> !view
  %vb = tile.alloc : !two
  %sums = scf.for %n = %c0 to %c256 step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
    tile.acquire %vb[%c0] : !two
    tile.copy_async %view[%n, %c0], %vb[%c0] by tma : !view, !two
    tile.await %vb[%c0] : !two
    %twice = arith.addf %h, %h : tensor<64x64xf16>
    %o = tile.shared_dot %twice, %vb[%c0], %sum "wgmma.m64k16" warps [4, 1] {stages = 2 : i64} : [tensor<64x64xf16>] !two -> tensor<64x64xf32>
    tile.release %vb[%c0] : !two
    scf.yield %o : tensor<64x64xf32>
  }
  tile.return
}

// -----

!two = !tile.buffer<2, 64, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] -> [64, 64]">>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
#k = affine_map<(d0, d1) -> (d0, d1)>

tile.kernel @not_computed(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %h = arith.constant dense<1.0> : tensor<64x64xf16>
  %view = tile.window %p[] sizes [%c256, %c64] {bounded = array<i64>, shape = array<i64: 256, 64>, map = #k} : !tile.ptr<f16> -> !view
  %vb = tile.alloc : !two
  %sums = scf.for %n = %c0 to %c256 step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
    tile.acquire %vb[%c0] : !two
    tile.copy_async %view[%n, %c0], %vb[%c0] by tma : !view, !two
    tile.await %vb[%c0] : !two
    %o = tile.shared_dot %h, %vb[%c0], %sum "wgmma.m64k16" warps [4, 1] {stages = 2 : i64} : [tensor<64x64xf16>] !two -> tensor<64x64xf32>
    tile.release %vb[%c0] : !two
    scf.yield %o : tensor<64x64xf32>
  }
  tile.return
}

// -----

!two = !tile.buffer<2, 64, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] -> [64, 64]">>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
#k = affine_map<(d0, d1) -> (d0, d1)>
tile.kernel @no_iterations(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %id = tile.program_id
  %end = arith.minsi %id, %c256 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %view = tile.window %p[] sizes [%c256, %c64] {bounded = array<i64>, shape = array<i64: 256, 64>, map = #k} : !tile.ptr<f16> -> !view
  %kb = tile.alloc : !two
  %vb = tile.alloc : !two
  %sums = scf.for %n = %c0 to %end step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
    %s = tile.shared_dot of %kb[%c0], %kb[%c0], %zero "wgmma.m64k16" warps [4, 1] : (!two) !two -> tensor<64x64xf32>
    %h = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    tile.acquire %vb[%c0] : !two
    tile.copy_async %view[%n, %c0], %vb[%c0] by tma : !view, !two
    tile.await %vb[%c0] : !two
    %o = tile.shared_dot %h, %vb[%c0], %sum "wgmma.m64k16" warps [4, 1] {stages = 2 : i64} : [tensor<64x64xf16>] !two -> tensor<64x64xf32>
    tile.release %vb[%c0] : !two
    scf.yield %o : tensor<64x64xf32>
  }
  tile.return
}

// -----

!two = !tile.buffer<2, 64, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] -> [64, 64]">>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
#k = affine_map<(d0, d1) -> (d0, d1)>
tile.kernel @not_released(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %view = tile.window %p[] sizes [%c256, %c64] {bounded = array<i64>, shape = array<i64: 256, 64>, map = #k} : !tile.ptr<f16> -> !view
  %kb = tile.alloc : !two
  %vb = tile.alloc : !two
  %sums = scf.for %n = %c0 to %c256 step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
    %s = tile.shared_dot of %kb[%c0], %kb[%c0], %zero "wgmma.m64k16" warps [4, 1] : (!two) !two -> tensor<64x64xf32>
    %h = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    tile.copy_async %view[%n, %c0], %vb[%c0] by tma : !view, !two
    tile.await %vb[%c0] : !two
    %o = tile.shared_dot %h, %vb[%c0], %sum "wgmma.m64k16" warps [4, 1] {stages = 2 : i64} : [tensor<64x64xf16>] !two -> tensor<64x64xf32>
    scf.yield %o : tensor<64x64xf32>
  }
  tile.return
}

// -----

!two = !tile.buffer<2, 64, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] -> [64, 64]">>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
#k = affine_map<(d0, d1) -> (d0, d1)>
tile.kernel @by_threads(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %view = tile.window %p[] sizes [%c256, %c64] {bounded = array<i64>, shape = array<i64: 256, 64>, map = #k} : !tile.ptr<f16> -> !view
  %kb = tile.alloc : !two
  %vb = tile.alloc : !two
  %sums = scf.for %n = %c0 to %c256 step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
    %s = tile.shared_dot of %kb[%c0], %kb[%c0], %zero "wgmma.m64k16" warps [4, 1] : (!two) !two -> tensor<64x64xf32>
    %h = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    tile.copy_async %view[%n, %c0], %vb[%c0] by async16 : !view, !two
    tile.commit
    tile.wait 0
    %o = tile.shared_dot %h, %vb[%c0], %sum "wgmma.m64k16" warps [4, 1] {stages = 2 : i64} : [tensor<64x64xf16>] !two -> tensor<64x64xf32>
    scf.yield %o : tensor<64x64xf32>
  }
  tile.return
}

// -----

!two = !tile.buffer<2, 64, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] -> [64, 64]">>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
#k = affine_map<(d0, d1) -> (d0, d1)>
tile.kernel @third_product(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %view = tile.window %p[] sizes [%c256, %c64] {bounded = array<i64>, shape = array<i64: 256, 64>, map = #k} : !tile.ptr<f16> -> !view
  %kb = tile.alloc : !two
  %vb = tile.alloc : !two
  %sums = scf.for %n = %c0 to %c256 step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
    %s = tile.shared_dot of %kb[%c0], %kb[%c0], %zero "wgmma.m64k16" warps [4, 1] : (!two) !two -> tensor<64x64xf32>
    %h = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    tile.acquire %vb[%c0] : !two
    tile.copy_async %view[%n, %c0], %vb[%c0] by tma : !view, !two
    tile.await %vb[%c0] : !two
    %o = tile.shared_dot %h, %vb[%c0], %zero "wgmma.m64k16" warps [4, 1] {stages = 2 : i64} : [tensor<64x64xf16>] !two -> tensor<64x64xf32>
    tile.release %vb[%c0] : !two
    %g = arith.truncf %o : tensor<64x64xf32> to tensor<64x64xf16>
    %f = tile.shared_dot %g, %kb[%c0], %sum "wgmma.m64k16" warps [4, 1] : [tensor<64x64xf16>] !two -> tensor<64x64xf32>
    scf.yield %f : tensor<64x64xf32>
  }
  tile.return
}

// -----

!two = !tile.buffer<2, 64, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] -> [64, 64]">>
tile.kernel @outside() attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %h = arith.constant dense<1.0> : tensor<64x64xf16>
  %vb = tile.alloc : !two
  %o = tile.shared_dot %h, %vb[%c0], %zero "wgmma.m64k16" warps [4, 1] {stages = 2 : i64} : [tensor<64x64xf16>] !two -> tensor<64x64xf32>
  tile.return
}

// -----

!two = !tile.buffer<2, 64, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] -> [64, 64]">>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
#k = affine_map<(d0, d1) -> (d0, d1)>
tile.kernel @needed_sum(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %id = tile.program_id
  %few = arith.minsi %id, %c256 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %view = tile.window %p[] sizes [%c256, %c64] {bounded = array<i64>, shape = array<i64: 256, 64>, map = #k} : !tile.ptr<f16> -> !view
  %b = tile.alloc : !two
  %sums = scf.for %n = %c0 to %c256 step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
    tile.acquire %b[%c0] : !two
    tile.copy_async %view[%n, %c0], %b[%c0] by tma : !view, !two
    tile.await %b[%c0] : !two
    %o = tile.shared_dot of %b[%c0], %b[%c0], %sum "wgmma.m64k16" warps [4, 1] {stages = 2 : i64} : (!two) !two -> tensor<64x64xf32>
    tile.release %b[%c0] : !two
    %half = arith.negf %o : tensor<64x64xf32>
    scf.yield %half : tensor<64x64xf32>
  }
  tile.return
}

// -----

!two = !tile.buffer<2, 64, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] -> [64, 64]">>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
#k = affine_map<(d0, d1) -> (d0, d1)>
tile.kernel @never_released(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %id = tile.program_id
  %few = arith.minsi %id, %c256 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %view = tile.window %p[] sizes [%c256, %c64] {bounded = array<i64>, shape = array<i64: 256, 64>, map = #k} : !tile.ptr<f16> -> !view
  %b = tile.alloc : !two
  %sums = scf.for %n = %c0 to %c256 step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
    tile.acquire %b[%c0] : !two
    tile.copy_async %view[%n, %c0], %b[%c0] by tma : !view, !two
    tile.await %b[%c0] : !two
    %o = tile.shared_dot of %b[%c0], %b[%c0], %sum "wgmma.m64k16" warps [4, 1] {stages = 2 : i64} : (!two) !two -> tensor<64x64xf32>
    scf.yield %o : tensor<64x64xf32>
  }
  tile.return
}

// -----

!two = !tile.buffer<2, 64, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] -> [64, 64]">>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
#k = affine_map<(d0, d1) -> (d0, d1)>
tile.kernel @beside_another(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %id = tile.program_id
  %few = arith.minsi %id, %c256 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %view = tile.window %p[] sizes [%c256, %c64] {bounded = array<i64>, shape = array<i64: 256, 64>, map = #k} : !tile.ptr<f16> -> !view
  %b = tile.alloc : !two
  %sums = scf.for %n = %c0 to %c256 step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
    tile.acquire %b[%c0] : !two
    tile.copy_async %view[%n, %c0], %b[%c0] by tma : !view, !two
    tile.await %b[%c0] : !two
    %s = tile.shared_dot of %b[%c0], %b[%c0], %zero "wgmma.m64k16" warps [4, 1] : (!two) !two -> tensor<64x64xf32>
    %o = tile.shared_dot of %b[%c0], %b[%c0], %sum "wgmma.m64k16" warps [4, 1] {stages = 2 : i64} : (!two) !two -> tensor<64x64xf32>
    tile.release %b[%c0] : !two
    scf.yield %o : tensor<64x64xf32>
  }
  tile.return
}

// -----

!two = !tile.buffer<2, 64, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] -> [64, 64]">>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
#k = affine_map<(d0, d1) -> (d0, d1)>
tile.kernel @few_iterations(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %id = tile.program_id
  %few = arith.minsi %id, %c256 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %view = tile.window %p[] sizes [%c256, %c64] {bounded = array<i64>, shape = array<i64: 256, 64>, map = #k} : !tile.ptr<f16> -> !view
  %b = tile.alloc : !two
  %sums = scf.for %n = %c0 to %few step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
    tile.acquire %b[%c0] : !two
    tile.copy_async %view[%n, %c0], %b[%c0] by tma : !view, !two
    tile.await %b[%c0] : !two
    %o = tile.shared_dot of %b[%c0], %b[%c0], %sum "wgmma.m64k16" warps [4, 1] {stages = 2 : i64} : (!two) !two -> tensor<64x64xf32>
    tile.release %b[%c0] : !two
    scf.yield %o : tensor<64x64xf32>
  }
  tile.return
}
