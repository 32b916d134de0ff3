// A contraction with two stages overlaps with the next iteration, whose values are computed under it.
// RUN: fusion-opt %s --tile-overlap-iterations | FileCheck %s

#k = affine_map<(d0, d1) -> (d0, d1)>
!two = !tile.buffer<2, 64, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] -> [64, 64]">>
!one = !tile.buffer<1, 64, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] -> [64, 64]">>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>

// The first iteration's scores and what is made of them, of the buffer that is read early alone.
// CHECK-LABEL: tile.kernel @two_products
// CHECK: %[[Q:.*]] = tile.alloc : <1,
// CHECK: %[[K:.*]] = tile.alloc : <2,
// CHECK: %[[V:.*]] = tile.alloc : <2,
// CHECK: tile.copy_async {{.*}}, %[[K]]
// CHECK: tile.copy_async {{.*}}, %[[V]]
// CHECK-NOT: %[[V]]
// CHECK: tile.copy_async {{.*}}, %[[K]]{{.*}} {slot = 1 : i64}
// CHECK-NOT: %[[V]]
// CHECK: tile.await %[[K]][{{.*}}] {slot = 0 : i64}
// CHECK-NOT: async
// CHECK: tile.shared_dot of %[[Q]]
// CHECK: tile.release %[[K]]
// CHECK: %[[E0:.*]] = math.exp
// CHECK: %[[P0:.*]] = arith.truncf %[[E0]]
// CHECK-NOT: %[[V]]

// Slots of the early buffer are counted from the iteration of the new loop. The factor is carried as a row, not repeated.
// CHECK: %[[START:.*]] = arith.addi
// CHECK: %[[OUT:.*]]:{{[0-9]+}} = scf.for %{{.*}} = %[[START]] to {{.*}} iter_args({{.*}} = %[[P0]]
// CHECK-SAME: tensor<64xf32>
// CHECK: tile.acquire %[[K]]
// CHECK: tile.copy_async {{.*}}, %[[K]]{{.*}} {slot = 2 : i64}
// CHECK: tile.await %[[K]][{{.*}}] {slot = 1 : i64}
// CHECK: %[[S:.*]] = tile.shared_dot of %[[Q]][{{.*}}], %[[K]]{{.*}} {async, rhs_slot = 1 : i64, rhs_transposed}
// CHECK-NOT: tile.release
// CHECK: tile.acquire %[[V]]
// CHECK: tile.copy_async {{.*}}, %[[V]]{{.*}} {slot = 1 : i64}
// CHECK: %[[WIDE:.*]] = tile.broadcast
// CHECK: %[[SCALED:.*]] = arith.mulf %{{.*}}, %[[WIDE]]
// CHECK: tile.await %[[V]][{{.*}}] {slot = 0 : i64}
// CHECK: %[[O:.*]] = tile.shared_dot %{{.*}}, %[[V]]{{.*}}, %[[SCALED]] {{.*}} {async, rhs_slot = 0 : i64}
// CHECK-NEXT: %[[SCORES:.*]] = tile.await_dot %[[S]] pending 1
// CHECK-NEXT: tile.release %[[K]]
// CHECK: %[[E:.*]] = math.exp %[[SCORES]]
// CHECK-NOT: truncf
// CHECK: %[[SUM:.*]] = tile.await_dot %[[O]] pending 0 under {{.*}}%[[E]]
// CHECK-NEXT: arith.truncf %[[E]]
// CHECK-NEXT: tile.release %[[V]]
// CHECK: scf.yield {{.*}}%[[SUM]]

// The last contraction waits for itself.
// CHECK: }
// CHECK: tile.await %[[V]][%{{.*}}] : <2,
// CHECK-NEXT: %[[LAST:.*]] = tile.shared_dot %{{.*}}, %[[V]][%{{.*}}], %{{.*}} "wgmma.m64k16" warps [4, 1] : [
// CHECK-NEXT: tile.release %[[V]]
// CHECK: arith.negf %[[LAST]]
tile.kernel @two_products(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %r: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %true = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ones = arith.constant dense<1.0> : tensor<64xf32>
  %keys = tile.window %p[] sizes [%c256, %c64] {bounded = array<i64>, shape = array<i64: 256, 64>, map = #k} : !tile.ptr<f16> -> !view
  %q = tile.alloc : !one
  %kb = tile.alloc : !two
  %vb = tile.alloc : !two
  tile.copy_async %keys[%c0, %c0], %kb[%c0] by tma {slot = 0 : i64} : !view, !two
  tile.copy_async %keys[%c0, %c0], %vb[%c0] by tma {slot = 0 : i64} : !view, !two
  %sums, %rows, %end, %fill_end = scf.for %n = %c0 to %c256 step %c64 iter_args(%sum = %zero, %row = %ones, %stage = %c0, %fill = %c1) -> (tensor<64x64xf32>, tensor<64xf32>, index, index) {
    %next = arith.addi %n, %c64 : index
    %more = arith.cmpi slt, %next, %c256 : index
    %view = tile.window %p[] sizes [%c256, %c64] {bounded = array<i64>, shape = array<i64: 256, 64>, map = #k} : !tile.ptr<f16> -> !view
    tile.acquire %kb[%fill] if %more : !two
    tile.copy_async %view[%next, %c0], %kb[%fill] by tma if %more {slot = 1 : i64} : !view, !two
    %values = tile.window %r[] sizes [%c256, %c64] {bounded = array<i64>, shape = array<i64: 256, 64>, map = #k} : !tile.ptr<f16> -> !view
    tile.acquire %vb[%fill] if %more : !two
    tile.copy_async %values[%next, %c0], %vb[%fill] by tma if %more {slot = 1 : i64} : !view, !two
    tile.await %kb[%stage] {slot = 0 : i64} : !two
    %s = tile.shared_dot of %q[%c0], %kb[%stage], %zero "wgmma.m64k16" warps [4, 1] {rhs_slot = 0 : i64, rhs_transposed} : (!one) !two -> tensor<64x64xf32>
    tile.release %kb[%stage] : !two
    %e = math.exp %s : tensor<64x64xf32>
    %largest = tile.reduce maxnumf %e along 1 : tensor<64x64xf32> -> tensor<64xf32>
    %factor = arith.mulf %row, %largest : tensor<64xf32>
    %h = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
    %wide = tile.broadcast %factor along [1] : tensor<64xf32> -> tensor<64x64xf32>
    %scaled = arith.mulf %sum, %wide : tensor<64x64xf32>
    tile.await %vb[%stage] {slot = 0 : i64} : !two
    %o = tile.shared_dot %h, %vb[%stage], %scaled "wgmma.m64k16" warps [4, 1] {rhs_slot = 0 : i64, stages = 2 : i64} : [tensor<64x64xf16>] !two -> tensor<64x64xf32>
    tile.release %vb[%stage] : !two
    scf.yield %o, %largest, %fill, %stage : tensor<64x64xf32>, tensor<64xf32>, index, index
  }
  %used = arith.negf %sums : tensor<64x64xf32>
  tile.return
}

// A sum of products of buffers: the iteration before is waited for behind the next one's contraction. Its stage is released, and
// refilled, after that. The first contraction starts from zero.
// CHECK-LABEL: tile.kernel @sum
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
// CHECK: %[[A:.*]] = tile.alloc
// CHECK: %[[B:.*]] = tile.alloc
// CHECK: tile.await %[[A]][%[[C0:.*]]] {slot = 0 : i64}
// CHECK: tile.await %[[B]][%[[C0]]] {slot = 0 : i64}
// CHECK-NEXT: %[[FIRST:.*]] = tile.shared_dot of %[[A]][%[[C0]]], %[[B]][%[[C0]]], %[[ZERO]] {{.*}} {async, lhs_slot = 0 : i64, rhs_slot = 0 : i64}
// CHECK-NOT: await_dot
// CHECK-NOT: tile.release
// CHECK: tile.acquire %[[A]]
// CHECK-NEXT: tile.copy_async {{.*}}, %[[A]]
// CHECK: %[[START:.*]] = arith.addi
// CHECK: %[[SUM:.*]]:4 = scf.for %{{.*}} = %[[START]] to {{.*}} iter_args(%[[ACC:.*]] = %[[FIRST]], %[[STAGE:.*]] = {{.*}}, %{{.*}} = {{.*}}, %[[BEFORE:.*]] = %[[C0]])
// CHECK: tile.await %[[B]][%[[STAGE]]] {slot = 1 : i64}
// CHECK-NEXT: %[[NEXT:.*]] = tile.shared_dot of %[[A]][%[[STAGE]]], %[[B]][%[[STAGE]]], %[[ACC]] {{.*}} {async, lhs_slot = 1 : i64, rhs_slot = 1 : i64}
// CHECK-NEXT: tile.await_dots pending 1
// CHECK-NEXT: tile.release %[[A]][%[[BEFORE]]]
// CHECK-NEXT: tile.release %[[B]][%[[BEFORE]]]
// CHECK: tile.acquire %[[A]]
// CHECK: scf.yield %[[NEXT]], {{.*}}, {{.*}}, %[[STAGE]]
// CHECK: }
// CHECK: %[[ALL:.*]] = tile.await_dot %[[SUM]]#0 pending 0
// CHECK-NEXT: tile.release %[[A]][%[[SUM]]#3]
// CHECK-NEXT: tile.release %[[B]][%[[SUM]]#3]
// CHECK: arith.negf %[[ALL]]
tile.kernel @sum(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %view = tile.window %p[] sizes [%c256, %c64] {bounded = array<i64>, shape = array<i64: 256, 64>, map = #k} : !tile.ptr<f16> -> !view
  %a = tile.alloc : !two
  %b = tile.alloc : !two
  tile.copy_async %view[%c0, %c0], %a[%c0] by tma {slot = 0 : i64} : !view, !two
  tile.copy_async %view[%c0, %c0], %b[%c0] by tma {slot = 0 : i64} : !view, !two
  %sums, %end, %fill_end = scf.for %k = %c0 to %c256 step %c64 iter_args(%sum = %zero, %stage = %c0, %fill = %c1) -> (tensor<64x64xf32>, index, index) {
    %next = arith.addi %k, %c64 : index
    %more = arith.cmpi slt, %next, %c256 : index
    tile.acquire %a[%fill] if %more : !two
    tile.copy_async %view[%next, %c0], %a[%fill] by tma if %more {slot = 1 : i64} : !view, !two
    tile.acquire %b[%fill] if %more : !two
    tile.copy_async %view[%next, %c0], %b[%fill] by tma if %more {slot = 1 : i64} : !view, !two
    tile.await %a[%stage] {slot = 0 : i64} : !two
    tile.await %b[%stage] {slot = 0 : i64} : !two
    %o = tile.shared_dot of %a[%stage], %b[%stage], %sum "wgmma.m64k16" warps [4, 1] {lhs_slot = 0 : i64, rhs_slot = 0 : i64, stages = 2 : i64} : (!two) !two -> tensor<64x64xf32>
    tile.release %a[%stage] : !two
    tile.release %b[%stage] : !two
    scf.yield %o, %fill, %stage : tensor<64x64xf32>, index, index
  }
  %used = arith.negf %sums : tensor<64x64xf32>
  tile.return
}
