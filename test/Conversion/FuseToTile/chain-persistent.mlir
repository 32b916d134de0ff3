// Persistent blocks: each has the tile of its own index and further ones in steps of the number of blocks, which is known at
// launch. The operands' buffers live throughout.
// RUN: fusion-opt %s --fuse-search-schedules --fuse-complete-schedules --fuse-lower-to-tile | FileCheck %s

// CHECK: %[[TILES:.*]] = arith.constant 196 : index
// CHECK: tile.launch @product_chain_0 grid(%[[TILES]]) {{.*}} {persistent,
// CHECK-LABEL: tile.kernel @product
// CHECK-SAME: producers = 4 : i64, resident_blocks = 1 : i64
// CHECK: %[[A:.*]] = tile.alloc {pipeline_stages = 8
// CHECK: %[[B:.*]] = tile.alloc {pipeline_stages = 8
// CHECK: %[[OWN:.*]] = tile.program_id
// CHECK-NEXT: %[[BLOCKS:.*]] = tile.program_count
// CHECK-NEXT: scf.for %[[TILE:.*]] = %[[OWN]] to %c196 step %[[BLOCKS]] {
// CHECK-NEXT: arith.remui %[[TILE]], %c14
// CHECK-NEXT: arith.divui %[[TILE]], %c14
// CHECK: scf.for
// CHECK: tile.store {{.*}}
// CHECK-NEXT: }
// CHECK-NEXT: tile.free %[[A]]
// CHECK-NEXT: tile.free %[[B]]
// CHECK-NEXT: tile.return

// RUN: sed -e 's/, producers = 4//' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error: schedule cannot be lowered: 'persistent' without 'producers' is not lowered: a block would load its next tile when it has stored the last one
#map = affine_map<(i, j) -> (i, j)>
#schedule = #fuse.schedule<version = 2, tiling = <"mn(k(LA,LB,CC),SC)", {k = 64, m = 64, n = 64}>, mapping = <warps = 4, blocks = ["m", "n"], operators = {C = #fuse.operator_map<"wgmma.m64k16", i1 = "m", i2 = "n", r1 = "k", warps = [4, 1]>}, persistent = true>, memory = <{A = #fuse.place<shared, tma>, B = #fuse.place<shared, tma>, C = #fuse.place<shared>}>, pipeline = <{A = 8, B = 8}>, parallel = <{}, producers = 4>>
module attributes {fuse.chip = #fuse.chip<"sm_90a">} {
  func.func @product(%a: tensor<840x136xf16>, %b: tensor<136x840xf16>) -> tensor<840x840xf16> {
    %empty = tensor.empty() : tensor<840x840xf16>
    %r = fuse.chain ins(%x = %a : tensor<840x136xf16>, %y = %b : tensor<136x840xf16>) outs(%o = %empty : tensor<840x840xf16>) attributes {schedule = #schedule} {
      %zero = arith.constant 0.0 : f32
      %sums = tensor.empty() : tensor<840x840xf32>
      %start = linalg.fill ins(%zero : f32) outs(%sums : tensor<840x840xf32>) -> tensor<840x840xf32>
      %c = linalg.matmul ins(%x, %y : tensor<840x136xf16>, tensor<136x840xf16>) outs(%start : tensor<840x840xf32>) -> tensor<840x840xf32>
      %t = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<840x840xf32>) outs(%o : tensor<840x840xf16>) {
      ^bb0(%e: f32, %d: f16):
        %s = arith.truncf %e : f32 to f16
        linalg.yield %s : f16
      } -> tensor<840x840xf16>
      fuse.yield %t : tensor<840x840xf16>
    } -> tensor<840x840xf16>
    return %r : tensor<840x840xf16>
  }
}
