// Blocks of a cluster, neighbours along the fastest axis of the grid, share the copies of the operand that lacks it.
// RUN: fusion-opt %s --fuse-search-schedules --fuse-complete-schedules --fuse-lower-to-tile | FileCheck %s
// CHECK: global_load_bytes = 4798080
// CHECK-LABEL: tile.kernel @product
// CHECK-SAME: cluster = 2 : i64, producers = 4 : i64
// CHECK: %[[A:.*]] = tile.alloc {pipeline_stages = 8{{.*}}, cluster>
// CHECK: %[[B:.*]] = tile.alloc {pipeline_stages = 8{{.*[^r]}}>
// CHECK: tile.copy_async {{.*}}, %[[A]][%c0] by tma {in_bounds = array<i1: false, false>, multicast}
// CHECK: tile.copy_async {{.*}}, %[[B]][%c0] by tma {in_bounds = array<i1: false, false>}

// RUN: sed -e 's/cluster = 2/cluster = 4/' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=DIVIDES
// DIVIDES: error: schedule cannot be lowered: clusters of 4 blocks do not divide the blocks along 'n'
// A cluster goes through neighbouring tiles: whole clusters divide the blocks and the tiles. The plan launches as many clusters as fit.
// RUN: sed -e 's/cluster = 2/persistent = true, cluster = 2/' %s | fusion-opt --fuse-search-schedules --fuse-lower-to-tile | FileCheck %s --check-prefix=STAY
// STAY-LABEL: tile.kernel @product
// STAY-SAME: cluster = 2 : i64
// STAY: %[[OWN:.*]] = tile.program_id
// STAY: %[[BLOCKS:.*]] = tile.program_count
// STAY: scf.for %{{.*}} = %[[OWN]] to %c196 step %[[BLOCKS]]
// RUN: sed -e 's/cluster = 2/persistent = true, cluster = 2/' %s | fusion-opt --fuse-search-schedules --tile-pipeline --tile-to-nvvm | fusion-translate --fuse-to-manifest | FileCheck %s --check-prefix=PLAN
// PLAN: "grid": [
// PLAN-NEXT: "(min(98, device:active_clusters) * 2)",
// PLAN: mov.u32 {{.*}}, %nctaid.x;
// RUN: sed -e 's/cluster = 2/persistent = true, cluster = 1/' %s | fusion-opt --fuse-search-schedules --tile-pipeline --tile-to-nvvm | fusion-translate --fuse-to-manifest | FileCheck %s --check-prefix=ALONE
// ALONE: "grid": [
// ALONE-NEXT: "min(196, device:active_clusters)",
// RUN: sed -e 's/A = #fuse.place<shared, tma>/A = #fuse.place<shared, async16>/' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: error: schedule cannot be lowered: the blocks of a cluster share no copies: 'A' is not copied by TMA
// RUN: sed -e 's/<"sm_90a">/<"sm_120">/' -e 's/wgmma.m64k16/mma.m16n8k16/' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: schedule cannot be lowered: sm_120 has no multicast of its own speed, by which the blocks of a cluster share what they copy
#map = affine_map<(i, j) -> (i, j)>
#schedule = #fuse.schedule<version = 2, tiling = <"mn(k(LA,LB,CC),SC)", {k = 64, m = 64, n = 64}>, mapping = <warps = 4, blocks = ["m", "n"], operators = {C = #fuse.operator_map<"wgmma.m64k16", i1 = "m", i2 = "n", r1 = "k", warps = [4, 1]>}, cluster = 2>, memory = <{A = #fuse.place<shared, tma>, B = #fuse.place<shared, tma>, C = #fuse.place<shared>}>, pipeline = <{A = 8, B = 8}>, parallel = <{}, producers = 4>>
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
