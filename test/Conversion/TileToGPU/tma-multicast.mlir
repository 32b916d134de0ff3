// Blocks of a cluster copy for one another: each its part of the rows to the buffers of all, at whose mbarriers it completes. Every
// warp tells all blocks that it has read.
// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-release-stages,tile-allocate-shared,tile-insert-barriers))' | fusion-opt --convert-tile-to-gpu --canonicalize --cse | FileCheck %s

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] 2*[0,64] -> [64, 128]">
!one = !tile.buffer<1, 64, 128, f16, #shared, cluster>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
#plain = affine_map<(d0, d1) -> (d0, d1)>

// The mbarriers are there before another block's copy completes; those of releases count the warps of all blocks.
// CHECK-LABEL: gpu.func @shared
// CHECK-SAME: box = [64, 16]
// CHECK-SAME: nvvm.cluster_dim = array<i32: 4, 1, 1>
// CHECK-DAG: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank : i32
// CHECK-DAG: %[[HAS:.*]] = arith.cmpi ult, %[[LANE:.*]], %c4_i32
// CHECK: llvm.inline_asm has_side_effects
// CHECK-SAME: mbarrier.init.shared::cta.b64 [$0 + 0], 1;
// CHECK-SAME: mbarrier.init.shared::cta.b64 [$0 + 8], 8;
// CHECK-SAME: fence.mbarrier_init.release.cluster
// CHECK-NEXT: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK-NOT: gpu.barrier
// CHECK: scf.for
// What was read in other blocks needs no wider scope than what was read here.
// CHECK: mbarrier.try_wait.parity.shared::cta.b64
// A part has 16 rows of two panels, which lie 64 rows apart. Each block expects all of them.
// CHECK: %[[ROW:.*]] = arith.muli %[[RANK]], %c16_i32
// CHECK: llvm.inline_asm has_side_effects
// CHECK-SAME: .reg .b16 all;
// CHECK-SAME: mov.b16 all, 15;
// CHECK-SAME: mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], 16384;
// CHECK-SAME: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [$1 + 0], [$2, {$3, $5}], [$0], all;
// CHECK-SAME: multicast::cluster [$1 + 8192], [$2, {$4, $5}], [$0], all;
// CHECK: mbarrier.try_wait.parity.shared::cta.b64
// CHECK: mapa.shared::cluster.u32 there, $0, $2;
// CHECK-SAME: @$1 mbarrier.arrive.shared::cluster.b64 _, [there];
// CHECK-SAME: %[[HAS]], %[[LANE]]
// CHECK: }
// Nobody arrives at a block that has ended.
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK-NEXT: gpu.return
tile.kernel @shared(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 2 : i64, cluster = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  %a = tile.window %p[] sizes [%c1024, %c1024] {bounded = array<i64>, shape = array<i64: 1024, 1024>, map = #plain} : !tile.ptr<f16> -> !view
  %x = tile.alloc : !one
  scf.for %k = %c0 to %c1024 step %c64 {
    tile.copy_async %a[%k, %c0], %x[%c0] by tma {multicast} : !view, !one
    tile.await %x[%c0] : !one
    %t = tile.local_load %x[%c0] at [0, 0] : !one -> tensor<16x16xf16, #tile.layout<"register: 2*[0,1] 2*[8,0] 2*[0,8]; lane: 4*[0,2] 8*[1,0]; warp: 2*[0,0] -> [16, 16]">>
  }
  tile.return
}
