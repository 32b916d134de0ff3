// A schedule written by hand is obeyed to the letter.
// RUN: fusion-opt %s --fuse-search-schedules --fuse-complete-schedules --fuse-lower-to-tile | FileCheck %s

// The plan: one launch, 2 x 2 blocks, predicted bytes: A for each h and n, B for each m and h, D for
// each m; the result once.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[A:.*]]: tensor<64x64xf16>, %[[B:.*]]: tensor<64x64xf16>, %[[D:.*]]: tensor<64x64xf16>)
// CHECK: %[[EMPTY:.*]] = tensor.empty()
// CHECK: %[[GRID:.*]] = arith.constant 4 : index
// CHECK: %[[R:.*]] = tile.launch @chain_chain_0 grid(%[[GRID]]) ins(%[[A]], %[[B]], %[[D]] : {{.*}}) outs(%[[EMPTY]] : tensor<64x64xf16>)
// CHECK-SAME: predicted = {global_load_bytes = 81920 : i64, global_store_bytes = 8192 : i64, shared_memory = 4096 : i64, us = {{.*}} : f64}
// CHECK-SAME: schedule = #fuse.schedule<version = 2, tiling = <"mh(n(k(LA,LB,CC),LD,CE),SE)"
// CHECK-NEXT: return %[[R]]

// CHECK-LABEL: tile.kernel @chain_chain_0
// CHECK-SAME: (%[[PA:.*]]: !tile.ptr<f16> {tile.access = #tile.access<read>}, %[[PB:.*]]: !tile.ptr<f16> {tile.access = #tile.access<read>}, %[[PD:.*]]: !tile.ptr<f16> {tile.access = #tile.access<read>}, %[[PE:.*]]: !tile.ptr<f16> {tile.access = #tile.access<write>})
// CHECK-SAME: warps = 2 : i64
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// The block's index is the number (m, h) in base 2.
// CHECK: %[[ID:.*]] = tile.program_id
// CHECK: %[[HDIGIT:.*]] = arith.remui %[[ID]], %[[C2]]
// CHECK: %[[MDIGIT:.*]] = arith.divui %[[ID]], %[[C2]]
// CHECK: %[[H:.*]] = arith.muli %[[HDIGIT]], %[[C32]]
// CHECK: %[[M:.*]] = arith.muli %[[MDIGIT]], %[[C32]]
// CHECK: %[[BA:.*]] = tile.alloc : <1, 32, 16, f16
// CHECK: %[[BB:.*]] = tile.alloc : <1, 16, 32, f16
// CHECK: %[[BD:.*]] = tile.alloc : <1, 32, 32, f16
// CHECK-NOT: tile.alloc
// CHECK: %[[E:.*]] = scf.for %[[N:.*]] = %[[C0]] to %[[C64]] step %[[C32]] iter_args(%[[ESUM:.*]] = %{{.*}}) -> (tensor<32x32xf32>) {
// CHECK:   %[[C:.*]] = scf.for %[[K:.*]] = %[[C0]] to %[[C64]] step %[[C16]] iter_args(%[[CSUM:.*]] = %{{.*}}) -> (tensor<32x32xf32>) {
// CHECK:     tile.copy_async %{{.*}}[%[[M]], %[[K]]], %[[BA]][%[[C0]]] by async16 {in_bounds = array<i1: true, true>}
// CHECK:     tile.copy_async %{{.*}}[%[[K]], %[[N]]], %[[BB]][%[[C0]]] by async16
// CHECK-NEXT: tile.commit
// CHECK-NEXT: tile.wait 0
// CHECK:     %[[TA:.*]] = tile.local_load %[[BA]][%[[C0]]] at [0, 0]
// CHECK:     %[[TB:.*]] = tile.local_load %[[BB]][%[[C0]]] at [0, 0]
// CHECK:     tile.dot %[[TA]], %[[TB]], %[[CSUM]] "mma.m16n8k16" warps [2, 1] : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
// CHECK-NEXT: scf.yield
// The intermediate is rounded and stays where it is.
// CHECK:   %[[CH:.*]] = arith.truncf %[[C]] : tensor<32x32xf32> to tensor<32x32xf16>
// CHECK-NOT: tile.local_store
// CHECK:   tile.copy_async %{{.*}}[%[[N]], %[[H]]], %[[BD]]
// CHECK:   %[[S0:.*]] = tile.slice %[[CH]] at [0, 0] : tensor<32x32xf16> -> tensor<32x16xf16>
// CHECK:   %[[D0:.*]] = tile.local_load %[[BD]][%[[C0]]] at [0, 0]
// CHECK:   %[[E0:.*]] = tile.dot %[[S0]], %[[D0]], %[[ESUM]]
// CHECK:   %[[S1:.*]] = tile.slice %[[CH]] at [0, 16]
// CHECK:   %[[D1:.*]] = tile.local_load %[[BD]][%[[C0]]] at [16, 0]
// CHECK:   tile.dot %[[S1]], %[[D1]], %[[E0]]
// Buffers are free before the result is staged.
// CHECK: arith.truncf %[[E]]
// CHECK-COUNT-3: tile.free
// CHECK: tile.store %{{.*}}, %{{.*}}[%[[M]], %[[H]]] {in_bounds = array<i1: true, true>, vectorize}
// CHECK-NEXT: tile.return

// Other tile sizes are other loops and buffers.
// RUN: sed -e 's/k = 16/k = 32/' -e 's/m = 32/m = 64/' -e 's/blocks = ."m", "h"./blocks = ["h"]/' -e 's/"mh(n/"h(n/' %s \
// RUN:   | fusion-opt --fuse-search-schedules --fuse-lower-to-tile | FileCheck %s --check-prefix=OTHER
// OTHER-LABEL: tile.kernel
// OTHER: tile.alloc : <1, 64, 32, f16
// OTHER: tile.alloc : <1, 32, 32, f16
// OTHER: scf.for {{.*}} -> (tensor<64x32xf32>)

// What an exponential makes of padding is zero again, before it is rounded.
// RUN: sed -e 's/^\( *.\)t = arith.truncf %u/\1power = math.exp %u : f32 \1t = arith.truncf \1power/' -e 's/n = 32/n = 48/' %s \
// RUN:   | fusion-opt --fuse-search-schedules --fuse-lower-to-tile | FileCheck %s --check-prefix=PADDED
// PADDED: %[[EXP:.*]] = math.exp %{{.*}} : tensor<32x48xf32>
// PADDED: %[[MASKED:.*]] = tile.mask %[[EXP]] below %{{.*}} along 1 else %{{.*}} : tensor<32x48xf32>, f32
// PADDED: %[[HALF:.*]] = arith.truncf %[[MASKED]] : tensor<32x48xf32> to tensor<32x48xf16>
// PADDED-NOT: tile.mask
// PADDED: tile.slice %[[HALF]] at [0, 0]

func.func @chain(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %d: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %e = tensor.empty() : tensor<64x64xf16>
  %r = fuse.chain ins(%x = %a : tensor<64x64xf16>, %y = %b : tensor<64x64xf16>, %w = %d : tensor<64x64xf16>)
                  outs(%o = %e : tensor<64x64xf16>)
      attributes {schedule = #fuse.schedule<version = 2,
        tiling = <"mh(n(k(LA,LB,CC),LD,CE),SE)", {m = 32, n = 32, k = 16, h = 32}>,
        mapping = <warps = 2, blocks = ["m", "h"], operators = {
          C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [2, 1]>,
          E = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "h", r1 = "n", warps = [2, 1]>}>,
        memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<registers>,
                   D = #fuse.place<shared, async16>, E = #fuse.place<shared>}>>} {
    %z = arith.constant 0.0 : f32
    %e0 = tensor.empty() : tensor<64x64xf32>
    %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %c = linalg.matmul ins(%x, %y : tensor<64x64xf16>, tensor<64x64xf16>) outs(%f0 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %e1 = tensor.empty() : tensor<64x64xf16>
    %h = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%c : tensor<64x64xf32>) outs(%e1 : tensor<64x64xf16>) {
    ^bb0(%u: f32, %v: f16):
      %t = arith.truncf %u : f32 to f16
      linalg.yield %t : f16
    } -> tensor<64x64xf16>
    %f1 = linalg.fill ins(%z : f32) outs(%e0 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %p = linalg.matmul ins(%h, %w : tensor<64x64xf16>, tensor<64x64xf16>) outs(%f1 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%p : tensor<64x64xf32>) outs(%o : tensor<64x64xf16>) {
    ^bb0(%u: f32, %v: f16):
      %t = arith.truncf %u : f32 to f16
      linalg.yield %t : f16
    } -> tensor<64x64xf16>
    fuse.yield %q : tensor<64x64xf16>
  } -> tensor<64x64xf16>
  return %r : tensor<64x64xf16>
}
