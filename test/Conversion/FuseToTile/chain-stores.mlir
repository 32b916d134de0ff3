// A result with a TMA store is staged in a buffer in plain panels, stored and waited for; the operands' buffers are
// free by then.
// RUN: fusion-opt %s --fuse-search-schedules --fuse-lower-to-tile | FileCheck %s

// CHECK-LABEL: tile.kernel @product
// CHECK-SAME: %[[C:[^ ,]*]]: !tile.ptr<f16> {tile.access = #tile.access<write>})
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[SUM]]
// CHECK-COUNT-2: tile.free
// CHECK: %[[STAGED:.*]] = tile.alloc : <1, 64, 64, f16
// CHECK-NEXT: tile.local_store %[[ROUNDED]], %[[STAGED]][%c0]
// CHECK-NEXT: %[[VIEW:.*]] = tile.window %[[C]][] sizes[%c840, %c840] {{.*}}shape = array<i64: 840, 840>
// CHECK-NEXT: tile.store_async %[[STAGED]][%c0], %[[VIEW]][%[[M:.*]], %[[N:.*]]]
// CHECK-NEXT: tile.store_wait
// CHECK-NEXT: tile.free %[[STAGED]]
// CHECK-NEXT: tile.return

// Across the accumulator.
// RUN: sed -e 's/i1 = "m", i2 = "n"/i1 = "n", i2 = "m"/' -e 's/wgmma.m64k16/mma.m16n8k16/' %s | fusion-opt --fuse-search-schedules --fuse-lower-to-tile | FileCheck %s --check-prefix=ACROSS
// ACROSS: tile.local_store %{{.*}}, %{{.*}}[%c0] transposed
// ACROSS: tile.store_async

// What cannot be, with the reason.
// RUN: sed -e 's/C = #fuse.place<shared, tma>/C = #fuse.place<registers, tma>/' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=REGISTERS
// REGISTERS: error: schedule cannot be lowered: 'C' is stored by TMA and must be placed in shared memory
// RUN: sed -e 's/C = #fuse.place<shared, tma>/C = #fuse.place<shared, async16>/' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: error: schedule cannot be lowered: 'C' is stored by threads or by TMA, not by asynchronous copies of threads
// RUN: sed -e 's/x840/x836/g' -e 's/B = #fuse.place<shared, tma>/B = #fuse.place<shared, async8>/' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: error: schedule cannot be lowered: 'C' has rows that do not begin at multiples of 16 bytes, and no tensor map describes it
// RUN: sed -e 's/mapping = </parallel = <{k = 2}>, mapping = </' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=PARTS
// PARTS: error: schedule cannot be lowered: 'C' is a partial result, which threads store
#map = affine_map<(i, j) -> (i, j)>
#schedule = #fuse.schedule<version = 2, tiling = <"mn(k(LA,LB,CC),SC)", {k = 64, m = 64, n = 64}>, mapping = <warps = 4, blocks = ["m", "n"], operators = {C = #fuse.operator_map<"wgmma.m64k16", i1 = "m", i2 = "n", r1 = "k", warps = [4, 1]>}>, memory = <{A = #fuse.place<shared, tma>, B = #fuse.place<shared, tma>, C = #fuse.place<shared, tma>}>>
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
