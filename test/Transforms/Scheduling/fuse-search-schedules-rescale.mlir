// Sums of a reduction that runs online are corrected late: the schedule says from which factor on, the search sets it where it is
// asked for, and lowering carries the reference beside the running value.
// RUN: fusion-opt %s --fuse-search-schedules --fuse-lower-to-tile | FileCheck %s
// CHECK-LABEL: tile.kernel
// The running maximum, the reference and the sum of rows, and the accumulator of the second contraction.
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (tensor<32x48xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>)
// CHECK: tile.reduce maximumf
// CHECK: %[[FACTOR:.*]] = arith.minimumf
// CHECK: arith.cmpf oge, %[[FACTOR]], %{{.*}} : tensor<32xf32>
// CHECK: arith.cmpf ole, %[[FACTOR]], %{{.*}} : tensor<32xf32>
// CHECK: %[[NEAR:.*]] = arith.andi
// CHECK: %[[ROWS:.*]] = arith.select %[[NEAR]], %{{.*}}, %[[FACTOR]] : tensor<32xi1>, tensor<32xf32>
// CHECK: arith.select %[[NEAR]]
// CHECK: tile.broadcast %[[ROWS]] along [1] : tensor<32xf32> -> tensor<32x48xf32>
// CHECK: tile.scale
// CHECK: tile.dot

// The search: with room for the threshold, without, and where nothing runs online.
// RUN: sed -e 's| attributes {schedule = #schedule}||' %s > %t.unscheduled
// RUN: fusion-opt %t.unscheduled --fuse-search-schedules="rescale-threshold=9 random-seed=2" | FileCheck %s --check-prefix=ASKED
// ASKED: reduction = <online, rescale_threshold = 9>
// RUN: fusion-opt %t.unscheduled --fuse-search-schedules="rescale-threshold=16 random-seed=2" --remarks-filter=fuse 2>&1 | FileCheck %s --check-prefix=ROOM
// ROOM: remark: [Missed] rescale | Category:fuse |{{.*}} Remark="every iteration rescales the accumulators: rescaling along 'n' can be postponed up to 2^15, which values that linalg.generic rounds to f16 have room for, not up to 2^16"
// ROOM: reduction = <online>
// Of 16 columns there is one tile.
// RUN: sed -e 's|96x|16x|g' -e 's|x96|x16|g' %t.unscheduled > %t.narrow
// RUN: fusion-opt %t.narrow --fuse-search-schedules="rescale-threshold=9" --remarks-filter=fuse 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE-NOT: [Missed] rescale
// WHOLE: reduction = <one_tile>

#schedule = #fuse.schedule<version = 2,
  tiling = <"m(LA,n(LB,CC,LD,CE),SE,SF)", {m = 32, n = 16, k = 32, h = 48}>,
  mapping = <warps = 2, blocks = ["m"], operators = {
    C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [2, 1]>,
    E = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "h", r1 = "n", warps = [2, 1]>}>,
  memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<registers>,
             D = #fuse.place<shared, async16>, E = #fuse.place<shared>, F = #fuse.place<registers>}>,
  reduction = <online, rescale_threshold = 8>>

#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#vector = affine_map<(i) -> (i)>



module attributes {fuse.chip = #fuse.chip<"sm_80">} {
func.func @online(%q: tensor<64x32xf16>, %k: tensor<32x96xf16>, %v: tensor<96x48xf16>, %out: tensor<64x48xf16>,
                  %logs: tensor<64xf32>) -> (tensor<64x48xf16>, tensor<64xf32>) {
  %r:2 = fuse.chain ins(%x = %q : tensor<64x32xf16>, %y = %k : tensor<32x96xf16>, %z = %v : tensor<96x48xf16>)
      outs(%o = %out : tensor<64x48xf16>, %l = %logs : tensor<64xf32>) attributes {schedule = #schedule} {
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %s0 = tensor.empty() : tensor<64x96xf32>
    %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<64x96xf32>) -> tensor<64x96xf32>
    %s = linalg.matmul ins(%x, %y : tensor<64x32xf16>, tensor<32x96xf16>) outs(%s1 : tensor<64x96xf32>) -> tensor<64x96xf32>
    %t0 = tensor.empty() : tensor<64xf32>
    %t1 = linalg.fill ins(%low : f32) outs(%t0 : tensor<64xf32>) -> tensor<64xf32>
    %top = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
        ins(%s : tensor<64x96xf32>) outs(%t1 : tensor<64xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maximumf %b, %a : f32
      linalg.yield %c : f32
    } -> tensor<64xf32>
    %e = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
        ins(%s, %top : tensor<64x96xf32>, tensor<64xf32>) outs(%s0 : tensor<64x96xf32>) {
    ^bb0(%a: f32, %b: f32, %old: f32):
      %c = arith.subf %a, %b : f32
      %d = math.exp %c : f32
      linalg.yield %d : f32
    } -> tensor<64x96xf32>
    %u1 = linalg.fill ins(%zero : f32) outs(%t0 : tensor<64xf32>) -> tensor<64xf32>
    %sum = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
        ins(%e : tensor<64x96xf32>) outs(%u1 : tensor<64xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %b, %a : f32
      linalg.yield %c : f32
    } -> tensor<64xf32>
    %p0 = tensor.empty() : tensor<64x96xf16>
    %p = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
        ins(%e, %sum : tensor<64x96xf32>, tensor<64xf32>) outs(%p0 : tensor<64x96xf16>) {
    ^bb0(%a: f32, %b: f32, %old: f16):
      %c = arith.divf %a, %b : f32
      %h = arith.truncf %c : f32 to f16
      linalg.yield %h : f16
    } -> tensor<64x96xf16>
    %n = linalg.generic {indexing_maps = [#vector, #vector, #vector], iterator_types = ["parallel"]}
        ins(%top, %sum : tensor<64xf32>, tensor<64xf32>) outs(%l : tensor<64xf32>) {
    ^bb0(%a: f32, %b: f32, %old: f32):
      %c = math.log %b : f32
      %d = arith.addf %a, %c : f32
      linalg.yield %d : f32
    } -> tensor<64xf32>
    %w0 = tensor.empty() : tensor<64x48xf32>
    %w1 = linalg.fill ins(%zero : f32) outs(%w0 : tensor<64x48xf32>) -> tensor<64x48xf32>
    %w = linalg.matmul ins(%p, %z : tensor<64x96xf16>, tensor<96x48xf16>) outs(%w1 : tensor<64x48xf32>) -> tensor<64x48xf32>
    %f = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
        ins(%w : tensor<64x48xf32>) outs(%o : tensor<64x48xf16>) {
    ^bb0(%a: f32, %old: f16):
      %h = arith.truncf %a : f32 to f16
      linalg.yield %h : f16
    } -> tensor<64x48xf16>
    fuse.yield %f, %n : tensor<64x48xf16>, tensor<64xf32>
  } -> (tensor<64x48xf16>, tensor<64xf32>)
  return %r#0, %r#1 : tensor<64x48xf16>, tensor<64xf32>
}
}
