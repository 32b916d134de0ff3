// Partial results that the blocks of a cluster reduce: the split is the fastest digit of the block, each block gets its rows of
// the other blocks' accumulators, and computes their epilogue.
// RUN: fusion-opt %s --fuse-search-schedules --fuse-split-reductions --fuse-lower-to-tile | FileCheck %s
// CHECK: tile.launch @product{{.*}} grid(%c24)
// CHECK-NOT: tile.launch
// CHECK-LABEL: tile.kernel @product
// CHECK-SAME: cluster = 4 : i64
// CHECK: %[[ID:.*]] = tile.program_id
// CHECK: %[[PART:.*]] = arith.remui %[[ID]], %c4
// CHECK: %[[TILE:.*]] = arith.divui %[[ID]], %c4
// CHECK: %[[RANGE:.*]] = arith.muli %[[PART]], %c64
// CHECK: %[[A:.*]] = tile.alloc
// CHECK: %[[B:.*]] = tile.alloc
// CHECK: %[[SUMS:.*]] = scf.for
// The operands' memory is free.
// CHECK: tile.free %[[A]]
// CHECK: tile.free %[[B]]
// CHECK: %[[GIVEN:.*]] = tile.alloc : <4, 8, 32, f32{{.*}}, cluster>
// CHECK-NEXT: tile.barrier cluster
// CHECK-NEXT: tile.cluster_scatter %[[SUMS]], %[[GIVEN]] : tensor<32x32xf32>
// CHECK-NEXT: tile.barrier cluster
// CHECK: %[[FIRST:.*]] = tile.local_load %[[GIVEN]][%c0]
// CHECK: %[[SECOND:.*]] = tile.local_load %[[GIVEN]][%c1]
// CHECK: arith.addf %[[FIRST]], %[[SECOND]] : tensor<8x32xf32>
// CHECK: tile.free %[[GIVEN]]
// CHECK: %[[OWN:.*]] = arith.muli %[[PART]], %c8
// CHECK: arith.truncf {{.*}} : tensor<8x32xf32> to tensor<8x32xf16>
// CHECK: tile.store {{.*}} : tensor<8x32xf16>

// RUN: sed -e 's/k = 4}/k = 16}/' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=MOST
// MOST: error: schedule cannot be lowered: the partial results along axis 'k' cannot be reduced in clusters: one of sm_90a has at most 8 blocks, not 16
// RUN: sed -e 's/k = 4}/k = 3}/' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: error: schedule cannot be lowered: the partial results along axis 'k' cannot be reduced in clusters: 3 blocks do not divide the 32 rows of a tile
// RUN: sed -e 's/m = 32/m = 48/' -e 's/\[2, 2\]/[1, 4]/' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=PANELS
// PANELS: error: schedule cannot be lowered: the partial results along axis 'k' cannot be reduced in clusters: threads hold accumulators across the shares of 12 rows
// RUN: sed -e 's/m = 32, n = 32/m = 96, n = 64/' -e 's/tensor<64x/tensor<192x/g' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=ACROSS
// ACROSS: error: schedule cannot be lowered: the partial results along axis 'k' cannot be reduced in clusters: threads hold accumulators across the shares of 24 rows
// RUN: sed -e 's/"sm_90a"/"sm_80"/' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: schedule cannot be lowered: the partial results along axis 'k' cannot be reduced in clusters: sm_80 has none
// RUN: sed -e 's/block_swizzle = 1/block_swizzle = 1, cluster = 2/' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: schedule cannot be lowered: the partial results along axis 'k' cannot be reduced in clusters: others share what they copy
// RUN: sed -e 's/C = #fuse.place<registers>/C = #fuse.place<shared>/' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=STAGED
// STAGED: error: schedule cannot be lowered: the partial results along axis 'k' cannot be reduced in clusters: 'C' leaves by way of shared memory, from which its rows come
// RUN: sed -e 's/mn(k(/m(n(k(/' -e 's/SC)"/SC))"/' -e 's/blocks = \["m", "n"\]/blocks = ["m"]/' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: error: schedule cannot be lowered: the partial results along axis 'k' cannot be reduced in clusters: a block has several tiles along axis 'n'
// RUN: sed -e 's/<{k = 4}, in_cluster/<{}, in_cluster/' %s | not fusion-opt 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: 'in_cluster' is of reductions that are split
// RUN: sed -e 's/<{k = 4}, in_cluster/<{k = 1}, in_cluster/' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error: schedule cannot be lowered: partial results are reduced in clusters, and no axis is split
#map = affine_map<(i, j) -> (i, j)>
#schedule = #fuse.schedule<version = 2, tiling = <"mn(k(LA,LB,CC),SC)", {k = 32, m = 32, n = 32}>, mapping = <warps = 4, blocks = ["m", "n"], operators = {C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [2, 2]>}, block_swizzle = 1>, memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<registers>}>, parallel = <{k = 4}, in_cluster = true>>
module attributes {fuse.chip = #fuse.chip<"sm_90a">} {
  func.func @product(%a: tensor<64x224xf16>, %b: tensor<224x96xf16>) -> tensor<64x96xf16> {
    %empty = tensor.empty() : tensor<64x96xf16>
    %r = fuse.chain ins(%x = %a : tensor<64x224xf16>, %y = %b : tensor<224x96xf16>) outs(%o = %empty : tensor<64x96xf16>) attributes {schedule = #schedule} {
      %zero = arith.constant 0.0 : f32
      %sums = tensor.empty() : tensor<64x96xf32>
      %start = linalg.fill ins(%zero : f32) outs(%sums : tensor<64x96xf32>) -> tensor<64x96xf32>
      %c = linalg.matmul ins(%x, %y : tensor<64x224xf16>, tensor<224x96xf16>) outs(%start : tensor<64x96xf32>) -> tensor<64x96xf32>
      %t = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<64x96xf32>) outs(%o : tensor<64x96xf16>) {
      ^bb0(%e: f32, %d: f16):
        %s = arith.truncf %e : f32 to f16
        linalg.yield %s : f16
      } -> tensor<64x96xf16>
      fuse.yield %t : tensor<64x96xf16>
    } -> tensor<64x96xf16>
    return %r : tensor<64x96xf16>
  }
}
