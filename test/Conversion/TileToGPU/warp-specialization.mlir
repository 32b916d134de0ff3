// Stages that are released by mbarriers, and warps of their own for the copies to them.
// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-release-stages,tile-allocate-shared,tile-insert-barriers,tile-specialize-warps))' | fusion-opt --convert-tile-to-gpu --canonicalize --cse | FileCheck %s

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
#rows = #tile.layout<"register: 2*[0,1] 2*[8,0]; lane: 4*[0,2] 8*[1,0]; warp: 2*[0,8] -> [16, 16]">
!one = !tile.buffer<1, 16, 16, f16, #shared>
!two = !tile.buffer<2, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
#plain = affine_map<(d0, d1) -> (d0, d1)>

// The warp of the thread that copies waits for the opposite of the phase whose copy it will await there; each warp arrives when
// its lanes have loaded.
// CHECK-LABEL: gpu.func @released
// CHECK: %[[WARP:.*]] = arith.divui %{{.*}}, %c32_i32
// CHECK: %[[IN_WARP:.*]] = arith.cmpi eq, %[[WARP]], %c0_i32 : i32
// CHECK: mbarrier.init.shared::cta.b64 [$0 + 0], 1;
// CHECK-SAME: [$0 + 8], 1;
// CHECK-SAME: [$0 + 16], 2;
// CHECK-SAME: [$0 + 24], 2;
// CHECK: scf.for {{.*}} iter_args({{.*}}%[[PHASES:[a-z0-9]*]] = %c0_i32)
// CHECK: %[[WAITS:.*]] = arith.andi %[[IN_WARP]], %{{.*}} : i1
// CHECK: scf.if %[[WAITS]]
// CHECK: %[[BIT:.*]] = arith.shrui %[[PHASES]]
// CHECK: %[[PARITY:.*]] = arith.andi %[[BIT]], %c1_i32
// CHECK: %[[BEFORE:.*]] = arith.xori %[[PARITY]], %c1_i32
// CHECK: llvm.inline_asm has_side_effects
// CHECK-SAME: mbarrier.try_wait.parity
// CHECK-SAME: %[[BEFORE]]
// CHECK: cp.async.bulk.tensor
// CHECK: mbarrier.try_wait.parity
// CHECK: %[[NEXT:.*]] = arith.xori %[[PHASES]]
// CHECK: nvvm.bar.warp.sync
// CHECK: llvm.inline_asm has_side_effects
// CHECK-SAME: @$1 mbarrier.arrive.shared::cta.b64 _, [$0];
// CHECK: scf.yield {{.*}}%[[NEXT]]
tile.kernel @released(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %o: !tile.ptr<f16> {tile.access = #tile.access<write>}) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf16, #rows>
  %a = tile.window %p[] sizes [%c16, %c64] {bounded = array<i64>, shape = array<i64: 16, 64>, map = #plain} : !tile.ptr<f16> -> !view
  %x = tile.alloc : !two
  tile.copy_async %a[%c0, %c0], %x[%c0] by tma {slot = 0 : i64} : !view, !two
  %r:3 = scf.for %k = %c0 to %c64 step %c16 iter_args(%sum = %zero, %read = %c0, %fill = %c1) -> (tensor<16x16xf16, #rows>, index, index) {
    %next = arith.addi %k, %c16 : index
    %more = arith.cmpi slt, %next, %c64 : index
    tile.copy_async %a[%c0, %next], %x[%fill] by tma if %more {slot = 1 : i64} : !view, !two
    tile.await %x[%read] {slot = 0 : i64} : !two
    %t = tile.local_load %x[%read] at [0, 0] {slot = 0 : i64} : !two -> tensor<16x16xf16, #rows>
    %s = arith.addf %sum, %t : tensor<16x16xf16, #rows>
    %f = arith.subi %c1, %fill : index
    %g = arith.subi %c1, %read : index
    scf.yield %s, %g, %f : tensor<16x16xf16, #rows>, index, index
  }
  %out = tile.view %o[%c0] sizes [%c16, %c16] strides [%c16, %c1] : !tile.ptr<f16> -> !view
  tile.store %r#0, %out[%c0, %c0] : tensor<16x16xf16, #rows>, !view
  tile.return
}

// Of four further warps the first copies, behind the two that compute. All of them give registers to the others. The barrier
// behind the initialisation is of the whole block; the barriers of retained tiles are of three warps, and the barriers of
// two warps are of the consumers.
// CHECK-LABEL: gpu.func @producers
// CHECK-SAME: fuse.block = array<i32: 192, 1, 1>
// CHECK: %[[COPIES:.*]] = arith.cmpi eq, %{{.*}}, %c2_i32 : i32
// CHECK: gpu.barrier
// CHECK: %[[WARP:.*]] = nvvm.shfl.sync idx
// CHECK: %[[PRODUCES:.*]] = arith.cmpi uge, %[[WARP]], %c2_i32
// CHECK: scf.if %[[PRODUCES]]
// CHECK: nvvm.setmaxregister decrease 24
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[WARP]], %c2_i32
// CHECK: scf.if %[[FIRST]]
// CHECK: scf.for
// CHECK: nvvm.barrier id = %c2_i32 number_of_threads = %c96_i32
// CHECK: cp.async.bulk.tensor
// CHECK-NOT: mbarrier.try_wait
// CHECK: } else {
// CHECK: nvvm.setmaxregister increase 240
// CHECK: scf.for
// CHECK: nvvm.barrier id = %c2_i32 number_of_threads = %c96_i32
// CHECK: mbarrier.try_wait
// CHECK: nvvm.barrier id = %c1_i32 number_of_threads = %c64_i32
tile.kernel @producers(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 2 : i64, producers = 4 : i64, register_budgets = array<i64: 24, 240>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = tile.window %p[] sizes [%c2, %c2] {bounded = array<i64>, shape = array<i64: 16, 64>, map = #plain} : !tile.ptr<f16> -> !view
  %x = tile.alloc : !two
  %y = tile.alloc : !one
  scf.for %m = %c0 to %c2 step %c1 {
    scf.for %k = %c0 to %c2 step %c1 {
      tile.copy_async %a[%m, %k], %x[%k] by tma : !view, !two
    }
    scf.for %k = %c0 to %c2 step %c1 {
      tile.await %x[%k] : !two
    }
    %t = tile.local_load %x[%c0] at [0, 0] : !two -> tensor<16x16xf16, #rows>
    tile.local_store %t, %y[%c0] : tensor<16x16xf16, #rows>, !one
    %u = tile.local_load %y[%c0] at [0, 0] : !one -> tensor<16x16xf16, #rows>
  }
  tile.return
}

// Each of three groups has a barrier, at which it and the one before meet: 256 threads. The last one lets the first begin, which
// takes the last turn's end.
// CHECK-LABEL: gpu.func @turns
// CHECK: %[[GROUP:.*]] = arith.divui %{{.*}}, %c4_i32
// CHECK: %[[IS_LAST:.*]] = arith.cmpi eq, %[[GROUP]], %c2_i32
// CHECK: scf.if %[[IS_LAST]]
// CHECK: nvvm.barrier.arrive id = %c3_i32 number_of_threads = %c256_i32
// CHECK: %[[OWN:.*]] = arith.addi %[[GROUP]], %c3_i32
// CHECK: nvvm.barrier id = %[[OWN]] number_of_threads = %c256_i32
// CHECK: %[[NEXT:.*]] = arith.addi %[[GROUP]], %c1_i32
// CHECK: %[[IS_OVER:.*]] = arith.cmpi eq, %[[NEXT]], %c3_i32
// CHECK: %[[WRAPPED:.*]] = arith.select %[[IS_OVER]], %c0_i32, %[[NEXT]]
// CHECK: %[[OTHER:.*]] = arith.addi %[[WRAPPED]], %c3_i32
// CHECK: nvvm.barrier.arrive id = %[[OTHER]] number_of_threads = %c256_i32
// CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[GROUP]], %c0_i32
// CHECK: scf.if %[[IS_FIRST]]
// CHECK: %[[FIRST_OWN:.*]] = arith.addi %[[GROUP]], %c3_i32
// CHECK: nvvm.barrier id = %[[FIRST_OWN]] number_of_threads = %c256_i32
tile.kernel @turns(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 12 : i64, producers = 4 : i64, ping_pong} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = tile.window %p[] sizes [%c2, %c2] {bounded = array<i64>, shape = array<i64: 16, 64>, map = #plain} : !tile.ptr<f16> -> !view
  %x = tile.alloc : !two
  tile.ping_pong_arrive first
  scf.for %k = %c0 to %c2 step %c1 {
    tile.copy_async %a[%c0, %k], %x[%k] by tma : !view, !two
    tile.await %x[%k] : !two
    tile.ping_pong_wait
    tile.ping_pong_arrive
  }
  tile.ping_pong_wait last
  tile.return
}
