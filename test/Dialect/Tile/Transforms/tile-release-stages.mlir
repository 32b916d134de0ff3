// Stages that TMA copies fill are released by mbarriers: an acquire in front of each copy, a release behind the last use.
// RUN: fusion-opt %s --tile-pipeline-place --tile-pipeline-expand --tile-pipeline-registers --tile-release-stages | FileCheck %s
// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-pipeline-place,tile-pipeline-expand,tile-pipeline-registers,tile-release-stages,tile-allocate-shared,tile-insert-barriers))' | FileCheck %s --check-prefix=PLACED

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!one = !tile.buffer<1, 16, 16, f16, #shared>
!two = !tile.buffer<2, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
#plain = affine_map<(d0, d1) -> (d0, d1)>

// Each buffer by itself, on the condition of its copy. The first copies to a stage wait for nobody.
// CHECK-LABEL: tile.kernel @ahead
// CHECK: %[[X:.*]] = tile.alloc : <3,
// CHECK: %[[Y:.*]] = tile.alloc : <2,
// CHECK-NOT: tile.acquire
// CHECK: scf.for
// CHECK: %[[RY:.*]] = arith.index_castui
// CHECK: %[[WY:.*]] = arith.index_castui
// CHECK: %[[RX:.*]] = arith.index_castui
// CHECK: %[[WX:.*]] = arith.index_castui
// CHECK-NOT: tile.producer_acquire
// CHECK: tile.acquire %[[Y]][%[[WY]]] if %[[MORE:.*]] :
// CHECK-NEXT: tile.copy_async {{.*}}, %[[Y]][%[[WY]]] by tma if %[[MORE]]
// CHECK: tile.acquire %[[X]][%[[WX]]] if
// CHECK: tile.await %[[X]][%[[RX]]]
// CHECK-NEXT: tile.local_load %[[X]]
// CHECK-NEXT: tile.release %[[X]][%[[RX]]]
// CHECK-NEXT: tile.await %[[Y]][%[[RY]]]
// CHECK-NEXT: tile.local_load %[[Y]]
// CHECK-NEXT: tile.release %[[Y]][%[[RY]]]
// CHECK-NOT: tile.consumer_release
// CHECK: scf.yield
// The mbarriers of releases lie behind those of copies, and nothing in the loop waits for the block.
// PLACED-LABEL: tile.kernel @ahead
// PLACED-SAME: shared_memory = 3152 : i64
// PLACED: tile.alloc {barriers = 3072 : i64, offset = 0 : i64, released = 3112 : i64} : <3,
// PLACED: tile.alloc {barriers = 3096 : i64, offset = 2048 : i64, released = 3136 : i64} : <2,
// PLACED-NOT: tile.barrier
// PLACED: tile.return
tile.kernel @ahead(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.window %p[] sizes [%c16, %c64] {bounded = array<i64>, shape = array<i64: 16, 64>, map = #plain} : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !one
  %y = tile.alloc {pipeline_stages = 2 : i64, pipelined} : !one
  scf.for %k = %c0 to %c64 step %c16 {
    tile.copy_async %a[%c0, %k], %x[%c0] by tma {stages = 3 : i64} : !view, !one
    tile.copy_async %a[%c0, %k], %y[%c0] by tma {stages = 2 : i64} : !view, !one
    tile.await %x[%c0] : !one
    tile.await %y[%c0] : !one
    %t = tile.local_load %x[%c0] at [0, 0] : !one -> tensor<16x16xf16>
    %u = tile.local_load %y[%c0] at [0, 0] : !one -> tensor<16x16xf16>
  }
  tile.return
}

// Fragments of the next iteration are loaded before this one's product: behind that load the stage that was read is released,
// as behind the last iteration it is loaded again.
// CHECK-LABEL: tile.kernel @fragments_ahead
// CHECK: %[[X:.*]] = tile.alloc : <3,
// CHECK: tile.await %[[X]]
// CHECK: tile.local_load %[[X]]
// CHECK-NOT: tile.release
// CHECK: scf.for
// CHECK: %[[AT:.*]] = arith.index_castui
// CHECK: tile.local_load %[[X]][%[[AT]]] at [0, 16] {slot = 0 : i64}
// CHECK: tile.dot
// CHECK: tile.await %[[X]][%{{.*}}] if %{{.*}} {slot = 1 : i64}
// CHECK-NEXT: tile.local_load %[[X]][%{{.*}}] at [0, 0] {slot = 1 : i64}
// CHECK-NEXT: tile.release %[[X]][%[[AT]]]
// CHECK-NEXT: tile.dot
tile.kernel @fragments_ahead(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 4 : i64, register_stages = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.window %p[] sizes [%c32, %c128] {bounded = array<i64>, shape = array<i64: 16, 128>, map = #plain} : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !tile.buffer<1, 16, 32, f16, <"offset: 8*[0,1] x[0,8] x[0,16] 2*[1,0] x[2,8] x[4,16] 2*[8,0] -> [16, 32]">>
  %r = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %zero) -> tensor<16x16xf32> {
    tile.copy_async %a[%c0, %k], %x[%c0] by tma {stages = 3 : i64} : !view, !tile.buffer<1, 16, 32, f16, <"offset: 8*[0,1] x[0,8] x[0,16] 2*[1,0] x[2,8] x[4,16] 2*[8,0] -> [16, 32]">>
    tile.await %x[%c0] : !tile.buffer<1, 16, 32, f16, <"offset: 8*[0,1] x[0,8] x[0,16] 2*[1,0] x[2,8] x[4,16] 2*[8,0] -> [16, 32]">>
    %t = tile.local_load %x[%c0] at [0, 0] : !tile.buffer<1, 16, 32, f16, <"offset: 8*[0,1] x[0,8] x[0,16] 2*[1,0] x[2,8] x[4,16] 2*[8,0] -> [16, 32]">> -> tensor<16x16xf16>
    %u = tile.local_load %x[%c0] at [0, 16] : !tile.buffer<1, 16, 32, f16, <"offset: 8*[0,1] x[0,8] x[0,16] 2*[1,0] x[2,8] x[4,16] 2*[8,0] -> [16, 32]">> -> tensor<16x16xf16>
    %d = tile.dot %t, %t, %acc "mma.m16n8k16" warps [1, 1] : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    %e = tile.dot %u, %u, %d "mma.m16n8k16" warps [1, 1] : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %e : tensor<16x16xf32>
  }
  tile.return
}

// One stage that each iteration fills, and one that a block fills twice; what is filled once is not released.
// CHECK-LABEL: tile.kernel @without_a_pipeline
// CHECK: %[[ONCE:.*]] = tile.alloc
// CHECK: %[[AGAIN:.*]] = tile.alloc
// CHECK: %[[TWICE:.*]] = tile.alloc
// CHECK-NOT: tile.acquire %[[ONCE]]
// CHECK: scf.for
// CHECK-NEXT: tile.acquire %[[AGAIN]][%{{c0.*}}]
// CHECK-NEXT: tile.copy_async
// CHECK-NEXT: tile.await %[[AGAIN]]
// CHECK-NEXT: scf.for
// CHECK: tile.local_load %[[AGAIN]]
// CHECK: }
// CHECK-NEXT: tile.release %[[AGAIN]][%{{c0.*}}]
// CHECK-NOT: tile.acquire
// CHECK: tile.await %[[TWICE]]
// CHECK-NEXT: tile.local_load %[[TWICE]]
// CHECK-NEXT: tile.release %[[TWICE]][%{{c0.*}}]
// CHECK-NEXT: tile.acquire %[[TWICE]][%{{c0.*}}]
// CHECK: tile.await %[[TWICE]]
// CHECK: tile.release %[[TWICE]][%{{c0.*}}]
// CHECK-NEXT: tile.return
tile.kernel @without_a_pipeline(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.window %p[] sizes [%c16, %c64] {bounded = array<i64>, shape = array<i64: 16, 64>, map = #plain} : !tile.ptr<f16> -> !view
  %once = tile.alloc : !one
  %again = tile.alloc : !one
  %twice = tile.alloc : !one
  tile.copy_async %a[%c0, %c0], %once[%c0] by tma : !view, !one
  tile.await %once[%c0] : !one
  scf.for %k = %c0 to %c64 step %c16 {
    tile.copy_async %a[%c0, %k], %again[%c0] by tma : !view, !one
    tile.await %again[%c0] : !one
    scf.for %l = %c0 to %c64 step %c16 {
      %s = tile.local_load %once[%c0] at [0, 0] : !one -> tensor<16x16xf16>
      %t = tile.local_load %again[%c0] at [0, 0] : !one -> tensor<16x16xf16>
    }
  }
  tile.copy_async %a[%c0, %c0], %twice[%c0] by tma : !view, !one
  tile.await %twice[%c0] : !one
  %t = tile.local_load %twice[%c0] at [0, 0] : !one -> tensor<16x16xf16>
  tile.copy_async %a[%c0, %c16], %twice[%c0] by tma : !view, !one
  tile.await %twice[%c0] : !one
  %u = tile.local_load %twice[%c0] at [0, 0] : !one -> tensor<16x16xf16>
  tile.return
}

// Tiles that one loop fills and another one reads have no place for a release.
// CHECK-LABEL: tile.kernel @kept
// CHECK-NOT: tile.acquire
// CHECK: tile.return
tile.kernel @kept(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = tile.window %p[] sizes [%c2, %c2] {bounded = array<i64>, shape = array<i64: 16, 64>, map = #plain} : !tile.ptr<f16> -> !view
  %x = tile.alloc : !two
  scf.for %m = %c0 to %c2 step %c1 {
    scf.for %k = %c0 to %c2 step %c1 {
      tile.copy_async %a[%m, %k], %x[%k] by tma : !view, !two
    }
    scf.for %k = %c0 to %c2 step %c1 {
      tile.await %x[%k] : !two
    }
    scf.for %k = %c0 to %c2 step %c1 {
      %t = tile.local_load %x[%k] at [0, 0] : !two -> tensor<16x16xf16>
    }
  }
  tile.return
}

// Beside copies in groups, whose stages barriers keep, the barriers serve both;
// CHECK-LABEL: tile.kernel @beside_groups
// CHECK-NOT: tile.acquire
// CHECK: tile.producer_acquire
// CHECK-NOT: tile.acquire
// CHECK: tile.return
tile.kernel @beside_groups(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.window %p[] sizes [%c16, %c64] {bounded = array<i64>, shape = array<i64: 16, 64>, map = #plain} : !tile.ptr<f16> -> !view
  %b = tile.view %p[%c0] sizes [%c16, %c64] strides [%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 2 : i64, pipelined} : !one
  %y = tile.alloc {pipeline_stages = 2 : i64, pipelined} : !one
  scf.for %k = %c0 to %c64 step %c16 {
    tile.copy_async %a[%c0, %k], %x[%c0] by tma {stages = 2 : i64} : !view, !one
    tile.copy_async %b[%c0, %k], %y[%c0] by async16 {stages = 2 : i64} : !view, !one
    tile.commit
    tile.wait 0
    tile.await %x[%c0] : !one
    %t = tile.local_load %x[%c0] at [0, 0] : !one -> tensor<16x16xf16>
    %u = tile.local_load %y[%c0] at [0, 0] : !one -> tensor<16x16xf16>
  }
  tile.return
}

// unless another warp issues TMA copies, which they do not hold back.
// CHECK-LABEL: tile.kernel @beside_groups_of_producers
// CHECK: tile.acquire
// CHECK: tile.producer_acquire
// CHECK: tile.acquire
// CHECK: tile.release
// CHECK: tile.consumer_release
tile.kernel @beside_groups_of_producers(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 4 : i64, producers = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.window %p[] sizes [%c16, %c64] {bounded = array<i64>, shape = array<i64: 16, 64>, map = #plain} : !tile.ptr<f16> -> !view
  %b = tile.view %p[%c0] sizes [%c16, %c64] strides [%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 2 : i64, pipelined} : !one
  %y = tile.alloc {pipeline_stages = 2 : i64, pipelined} : !one
  scf.for %k = %c0 to %c64 step %c16 {
    tile.copy_async %a[%c0, %k], %x[%c0] by tma {stages = 2 : i64} : !view, !one
    tile.copy_async %b[%c0, %k], %y[%c0] by async16 {stages = 2 : i64} : !view, !one
    tile.commit
    tile.wait 0
    tile.await %x[%c0] : !one
    %t = tile.local_load %x[%c0] at [0, 0] : !one -> tensor<16x16xf16>
    %u = tile.local_load %y[%c0] at [0, 0] : !one -> tensor<16x16xf16>
  }
  tile.return
}

// The lanes of one warp wait for one another for less.
// CHECK-LABEL: tile.kernel @one_warp
// CHECK-NOT: tile.acquire
// CHECK: tile.return
tile.kernel @one_warp(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.window %p[] sizes [%c16, %c64] {bounded = array<i64>, shape = array<i64: 16, 64>, map = #plain} : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !one
  scf.for %k = %c0 to %c64 step %c16 {
    tile.copy_async %a[%c0, %k], %x[%c0] by tma {stages = 3 : i64} : !view, !one
    tile.await %x[%c0] : !one
    %t = tile.local_load %x[%c0] at [0, 0] : !one -> tensor<16x16xf16>
  }
  tile.return
}
