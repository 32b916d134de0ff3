// TMA copies: one thread expects a stage's bytes at its mbarrier and copies all boxes; every thread waits for the
// phase, of which it carries the parity along.
// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-allocate-shared))' | fusion-opt --convert-tile-to-gpu --canonicalize --cse | FileCheck %s

// With a limit a wait traps, by the option or by the module's attribute; a wait that may not be has a limit, too.
// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-allocate-shared))' | fusion-opt --convert-tile-to-gpu=wait-limit=1000 | FileCheck %s --check-prefix=LIMIT
// RUN: sed -e '/^tile.kernel @pipelined/i module attributes {tile.wait_limit = 1000 : i64} {' -e '$a }' %s | fusion-opt --pass-pipeline='builtin.module(tile.kernel(tile-allocate-shared))' | fusion-opt --convert-tile-to-gpu | FileCheck %s --check-prefix=LIMIT
// LIMIT: .reg .b32 tries;{{.*}}mov.b32 tries, 0;{{.*}}WAIT:{{.*}}@over bra.uni DONE;{{.*}}add.u32 tries, tries, 1;{{.*}}setp.ge.u32 late, tries, 1000;{{.*}}@late trap;{{.*}}bra.uni WAIT;{{.*}}DONE:
// LIMIT: mov.b32 tries, 0;{{.*}}@!$2 bra.uni DONE;{{.*}}@late trap;
// LIMIT-NOT: try_wait{{.*}}@over bra.uni DONE;{{[^a]*}}bra.uni WAIT
// RUN: not fusion-opt %s --convert-tile-to-gpu=wait-limit=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: wait-limit is from 0 to 2147483647
// RUN: echo 'module attributes {tile.wait_limit = 0 : i64} {}' | not fusion-opt 2>&1 | FileCheck %s --check-prefix=ATTRIBUTE
// ATTRIBUTE: error: 'tile.wait_limit' is an i64 from 1 to 2147483647, not 0 : i64

#half = #tile.layout<"offset: 8*[0,1] x[0,8] x[0,16] 2*[1,0] x[2,8] x[4,16] 2*[8,0] 3*[0,32] -> [16, 96]">
#whole = #tile.layout<"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 64*[8,0] -> [512, 64]">
!two = !tile.buffer<2, 16, 96, f16, #half>
!one = !tile.buffer<1, 512, 64, f16, #whole>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>

// Three panels of 64 bytes, whose boxes lie in the 64-byte swizzle, of a tensor of which the batch is a symbol. The maps are
// the last parameters.
// CHECK-LABEL: gpu.func @pipelined
// CHECK-SAME: (%{{.*}}: memref<f16> {{.*}}, %[[MAP:.*]]: !llvm.ptr, %[[OTHER:.*]]: !llvm.ptr)
// CHECK-SAME: fuse.tensor_maps = [#tile.tensor_map<of = 0, f16, dims = [200, 100, 3], strides = [400, 40000], box = [32, 16, 1], swizzle = 64>, #tile.tensor_map<of = 0, f16, dims = [64, 1000], strides = [128], box = [64, 256], swizzle = 128>]
// CHECK: %[[ELECTED:.*]] = nvvm.elect.sync
// CHECK: %[[COPIES:.*]] = arith.andi %[[ELECTED]]
// CHECK: llvm.inline_asm has_side_effects
// CHECK-SAME: @$1 mbarrier.init.shared::cta.b64 [$0 + 0], 1;
// CHECK-SAME: [$0 + 8], 1;
// CHECK-SAME: [$0 + 16], 1;
// CHECK-SAME: @$1 fence.mbarrier_init.release.cluster;", "r,b,~{memory}" %{{.*}}, %[[COPIES]]
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: llvm.inline_asm {{.*}}"@$1 prefetch.tensormap [$0];", "l,b,~{memory}" %[[MAP]], %[[COPIES]]
// CHECK-NEXT: llvm.inline_asm {{.*}}"@$1 prefetch.tensormap [$0];", "l,b,~{memory}" %[[OTHER]], %[[COPIES]]
// CHECK: scf.if %[[COPIES]]
// CHECK: llvm.inline_asm has_side_effects
// CHECK-SAME: mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], 3072;
// CHECK-SAME: cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$1 + 0], [$2, {$3, $6, $7}], [$0];
// CHECK-SAME: [$1 + 1024], [$2, {$4, $6, $7}], [$0];
// CHECK-SAME: [$1 + 2048], [$2, {$5, $6, $7}], [$0];", "r,r,l,r,r,r,r,r,~{memory}" %{{.*}}, %{{.*}}, %[[MAP]],
// A box has at most 256 rows.
// CHECK: llvm.inline_asm has_side_effects
// CHECK-SAME: _, [$0], 65536;
// CHECK-SAME: tensor.2d{{.*}} [$1 + 0], [$2, {$3, $4}], [$0];
// CHECK-SAME: [$1 + 32768], [$2, {$3, $5}], [$0];{{.*}} %[[OTHER]],
// CHECK: %[[END:.*]] = scf.for {{.*}} iter_args(%[[PHASES:.*]] = %c0_i32)
// CHECK: %[[BIT:.*]] = arith.shrui %[[PHASES]], %[[STAGE:.*]] : i32
// CHECK: %[[PARITY:.*]] = arith.andi %[[BIT]], %c1_i32
// CHECK: llvm.inline_asm has_side_effects
// CHECK-SAME: WAIT:{{.*}}mbarrier.try_wait.parity.shared::cta.b64 over, [$0], $1;{{.*}}@over bra.uni DONE;{{.*}}bra.uni WAIT;{{.*}}DONE:
// CHECK-SAME: "r,r,~{memory}" %{{.*}}, %[[PARITY]]
// CHECK: %[[TURNED:.*]] = arith.shli %c1_i32, %[[STAGE]]
// CHECK: %[[NEXT:.*]] = arith.xori %[[PHASES]], %[[TURNED]]
// CHECK: scf.yield %[[NEXT]]
// A wait that may not be: its bit, the third one, stays.
// CHECK: arith.shrui %[[END]], %c2_i32
// CHECK: llvm.inline_asm has_side_effects
// CHECK-SAME: @!$2 bra.uni DONE;
tile.kernel @pipelined(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index, %i: index, %j: index, %c: i1) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = tile.window %p[%i] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 3, 100, 200>, map = affine_map<(d0, d1)[s0] -> (s0, d0, d1)>} : !tile.ptr<f16> -> !view
  %b = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 1000, 64>, map = affine_map<(d0, d1) -> (d0, d1)>} : !tile.ptr<f16> -> !view
  %x = tile.alloc : !two
  %y = tile.alloc : !one
  tile.copy_async %a[%c0, %n], %x[%c0] by tma {slot = 0 : i64} : !view, !two
  tile.copy_async %b[%n, %c0], %y[%c0] by tma if %c : !view, !one
  scf.for %k = %c0 to %c8 step %c1 {
    tile.await %x[%j] {slot = 0 : i64} : !two
  }
  tile.await %y[%c0] if %c : !one
  tile.return
}

// What leaves the L2 first is said by a policy of the thread that copies.
// CHECK-LABEL: gpu.func @evicted
// CHECK: .reg .b64 policy;
// CHECK-SAME: createpolicy.fractional.L2::evict_last.b64 policy, 1.0;
// CHECK-SAME: mbarrier.arrive.expect_tx
// CHECK-SAME: complete_tx::bytes.L2::cache_hint [$1 + 0], [$2, {$3, $4}], [$0], policy;
tile.kernel @evicted(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index, %i: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %b = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 1000, 64>, map = affine_map<(d0, d1) -> (d0, d1)>} : !tile.ptr<f16> -> !view
  %y = tile.alloc : !one
  tile.copy_async %b[%i, %c0], %y[%c0] by tma {eviction = #tile.eviction<last>} : !view, !one
  tile.await %y[%c0] : !one
  tile.return
}
