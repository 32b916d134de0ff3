// A pipeline of TMA copies: no groups and no waits for them; each buffer is awaited by itself in front of its first use.
// RUN: fusion-opt %s --tile-pipeline-place --tile-pipeline-expand --canonicalize | FileCheck %s
// RUN: fusion-opt %s --tile-pipeline-place | FileCheck %s --check-prefix=PLACED
// RUN: fusion-opt %s --tile-pipeline-place --tile-pipeline-expand --tile-pipeline-registers --tile-pipeline-prune | FileCheck %s --check-prefix=FRAGMENTS

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
#plain = affine_map<(d0, d1) -> (d0, d1)>

// What was in the loop's body to await them stands where the primitives are now.
// PLACED-LABEL: tile.kernel @two_buffers
// PLACED: scf.for
// PLACED: tile.producer_acquire
// PLACED-NEXT: tile.copy_async {{.*}} by tma {stages = 3 : i64}
// PLACED-NEXT: tile.copy_async {{.*}} by tma {stages = 2 : i64}
// PLACED-NEXT: tile.producer_commit
// PLACED-NEXT: tile.consumer_wait 0
// PLACED-NEXT: tile.local_load
// PLACED-NOT: tile.await
// PLACED: scf.yield

// CHECK-LABEL: tile.kernel @two_buffers
// CHECK: %[[X:.*]] = tile.alloc : <3, 16, 16, f16, #{{.*}}>
// CHECK: %[[Y:.*]] = tile.alloc : <2, 16, 16, f16, #{{.*}}>
// CHECK-NOT: tile.producer_commit
// CHECK: tile.copy_async %{{.*}}[%c0, %c0], %[[X]][%c0] by tma {slot = 0 : i64}
// CHECK-NEXT: tile.copy_async %{{.*}}[%c0, %c0], %[[Y]][%c0] by tma {slot = 0 : i64}
// CHECK-NEXT: tile.copy_async %{{.*}}[%c0, %c16], %[[X]][%c1] by tma {slot = 1 : i64}
// CHECK-NEXT: scf.for
// CHECK-NEXT: %[[RY:.*]] = arith.index_castui
// CHECK-NEXT: %[[WY:.*]] = arith.index_castui
// CHECK-NEXT: %[[RX:.*]] = arith.index_castui
// CHECK-NEXT: %[[WX:.*]] = arith.index_castui
// CHECK-NEXT: tile.producer_acquire
// CHECK: tile.copy_async {{.*}}, %[[Y]][%[[WY]]] by tma if %{{.*}} {slot = 1 : i64}
// CHECK: tile.copy_async {{.*}}, %[[X]][%[[WX]]] by tma if %{{.*}} {slot = 2 : i64}
// CHECK-NEXT: tile.await %[[X]][%[[RX]]] {slot = 0 : i64}
// CHECK-NEXT: tile.local_load %[[X]][%[[RX]]] at [0, 0] {slot = 0 : i64}
// CHECK-NEXT: tile.await %[[Y]][%[[RY]]] {slot = 0 : i64}
// CHECK-NEXT: tile.local_load %[[Y]][%[[RY]]] at [0, 0] {slot = 0 : i64}
// CHECK-NEXT: tile.consumer_release

// With a second stage of fragments the next iteration's are loaded, and awaited, before the last contraction; after the last
// iteration there is nothing to wait for.
// FRAGMENTS-LABEL: tile.kernel @two_buffers
// FRAGMENTS-NOT: tile.consumer_wait
// FRAGMENTS: tile.producer_acquire
// FRAGMENTS: tile.await %[[X:.*]][%{{.*}}] {slot = 0 : i64}
// FRAGMENTS-NEXT: tile.await %[[Y:.*]][%{{.*}}] {slot = 0 : i64}
// FRAGMENTS: tile.local_load %[[X]]
// FRAGMENTS: tile.local_load %[[Y]]
// FRAGMENTS: scf.for
// FRAGMENTS-NOT: tile.await
// FRAGMENTS: tile.copy_async
// FRAGMENTS: tile.producer_acquire
// FRAGMENTS: %[[EXISTS:.*]] = arith.cmpi slt
// FRAGMENTS: tile.await %[[X]][%{{.*}}] if %[[EXISTS]] {slot = 1 : i64}
// FRAGMENTS-NEXT: tile.await %[[Y]][%{{.*}}] if %[[EXISTS]] {slot = 1 : i64}
// FRAGMENTS-NEXT: tile.local_load %[[X]]
// FRAGMENTS-NEXT: tile.local_load %[[Y]]
// FRAGMENTS-NEXT: tile.dot
tile.kernel @two_buffers(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64, register_stages = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.window %p[] sizes [%c16, %c64] {bounded = array<i64>, shape = array<i64: 16, 64>, map = #plain} : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  %y = tile.alloc {pipeline_stages = 2 : i64, pipelined} : !buffer
  %r = scf.for %k = %c0 to %c64 step %c16 iter_args(%acc = %zero) -> tensor<16x16xf32> {
    tile.copy_async %a[%c0, %k], %x[%c0] by tma {stages = 3 : i64} : !view, !buffer
    tile.copy_async %a[%c0, %k], %y[%c0] by tma {stages = 2 : i64} : !view, !buffer
    tile.await %x[%c0] : !buffer
    tile.await %y[%c0] : !buffer
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    %u = tile.local_load %y[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    %d = tile.dot %t, %u, %acc "mma.m16n8k16" warps [1, 1] : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  tile.return
}

// Beside copies in groups: the group of those with two stages is awaited by number, and has nothing of the others. What was
// copied in front of the loop, and is used inside, is awaited behind the first copies of the loop.
// CHECK-LABEL: tile.kernel @beside_groups
// CHECK: %[[Q:.*]] = tile.alloc : <1, 16, 16
// CHECK: tile.copy_async %{{.*}}, %[[Q]][%c0] by tma :
// CHECK: tile.copy_async {{.*}} by tma if %{{.*}} {slot = 0 : i64}
// CHECK: tile.copy_async {{.*}} by async16 if %{{.*}} {slot = 0 : i64}
// CHECK-NEXT: tile.producer_commit
// CHECK: tile.copy_async {{.*}} by tma if %{{.*}} {slot = 1 : i64}
// CHECK-NEXT: tile.await %[[Q]][%c0] :
// CHECK-NEXT: scf.for
// CHECK: tile.consumer_wait 0
// CHECK-NEXT: tile.producer_acquire
// CHECK: tile.copy_async {{.*}} by async16 if
// CHECK-NEXT: tile.producer_commit
// CHECK: tile.copy_async {{.*}} by tma if
// CHECK-NOT: tile.producer_commit
// CHECK: tile.return
tile.kernel @beside_groups(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.window %p[] sizes [%c16, %c64] {bounded = array<i64>, shape = array<i64: 16, 64>, map = #plain} : !tile.ptr<f16> -> !view
  %b = tile.view %p[%c0] sizes [%c16, %c64] strides [%c64, %c1] : !tile.ptr<f16> -> !view
  %q = tile.alloc : !buffer
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  %y = tile.alloc {pipeline_stages = 2 : i64, pipelined} : !buffer
  tile.copy_async %a[%c0, %c0], %q[%c0] by tma : !view, !buffer
  tile.await %q[%c0] : !buffer
  %bound = arith.addi %n, %c16 : index
  scf.for %k = %c0 to %bound step %c16 {
    tile.copy_async %a[%c0, %k], %x[%c0] by tma {stages = 3 : i64} : !view, !buffer
    tile.copy_async %b[%c0, %k], %y[%c0] by async16 {stages = 2 : i64} : !view, !buffer
    tile.commit
    tile.wait 0
    tile.await %x[%c0] : !buffer
    %s = tile.local_load %q[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    %u = tile.local_load %y[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}
