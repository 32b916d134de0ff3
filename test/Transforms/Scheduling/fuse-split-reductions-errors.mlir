// A reduction that cannot be split is rejected with the reason, by this pass as by the check of schedules.
// RUN: sed -e 's|SPLIT|k = 2|' %s | not fusion-opt --fuse-split-reductions 2>&1 | FileCheck %s --check-prefix=EARLIER
// EARLIER: error: schedule cannot be lowered: axis 'k' cannot be split: it is reduced by 'C', which is rounded before it is used
// RUN: sed -e 's|SPLIT|h = 2|' %s | not fusion-opt --fuse-split-reductions 2>&1 | FileCheck %s --check-prefix=PARALLEL
// PARALLEL: error: schedule cannot be lowered: axis 'h' cannot be split: the last contraction does not reduce it
// RUN: sed -e 's|SPLIT|m = 2, n = 2|' %s | not fusion-opt --fuse-split-reductions 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: schedule cannot be lowered: axis 'm' and axis 'n' are both split, and partial results are reduced along one axis
// RUN: sed -e 's|SPLIT|q = 2|' %s | not fusion-opt --fuse-split-reductions 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: schedule does not fit the group: the group has no axis 'q'
// RUN: sed -e 's|SPLIT|n = 2|' -e 's|<64x|<?x|g' -e 's|tensor.empty()|tensor.empty(%%rows)|g' %s | not fusion-opt --fuse-split-reductions 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: error: reductions cannot be split: axis 'm' has no static extent
// Without the pass, such a group is not lowered, and one that is split in another way is not either.
// RUN: sed -e 's|SPLIT|n = 2|' %s | not fusion-opt --fuse-lower-to-tile 2>&1 | FileCheck %s --check-prefix=UNSPLIT
// UNSPLIT: error: schedule does not fit the group: the schedule splits axis 'n' of a group that is not partial; run fuse-split-reductions
// RUN: sed -e 's|SPLIT|n = 2|' %s | fusion-opt --fuse-split-reductions | sed -e 's|length = 64|length = 32|' | not fusion-opt --fuse-lower-to-tile 2>&1 | FileCheck %s --check-prefix=LENGTH
// LENGTH: error: schedule does not fit the group: the group has 2 partial results of 32 along 'n', its schedule 2 of 64 along 'n'
// RUN: sed -e 's|SPLIT|n = 2|' %s | fusion-opt --fuse-split-reductions | sed -e 's|parallel = <{n = 2 : i64}>|parallel = <{}>|' | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: error: schedule does not fit the group: the group is partial along 'n', which its schedule does not split
// RUN: sed -e 's|SPLIT|n = 2|' %s | fusion-opt --fuse-split-reductions | sed -e 's|, schedule = #fuse.*parallel = <{n = 2 : i64}>>||' | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=UNSCHEDULED
// UNSCHEDULED: error: is partial but has no schedule that splits 'n'

#schedule = #fuse.schedule<version = 2,
  tiling = <"mh(n(k(LA,LB,CC),LD,CE),SE)", {m = 32, n = 32, k = 32, h = 16}>,
  mapping = <warps = 2, blocks = ["m", "h"], operators = {
    C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [2, 1]>,
    E = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "h", r1 = "n", warps = [2, 1]>}>,
  memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<registers>,
             D = #fuse.place<shared, async16>, E = #fuse.place<shared>}>, parallel = <{SPLIT}>>
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
func.func @chain(%a: tensor<64x80xf16>, %b: tensor<80x96xf16>, %d: tensor<96x48xf16>, %out: tensor<64x48xf32>, %size: index) -> tensor<64x48xf32> {
  %r = fuse.chain ins(%x = %a : tensor<64x80xf16>, %y = %b : tensor<80x96xf16>, %z = %d : tensor<96x48xf16>, %rows = %size : index)
                  outs(%o = %out : tensor<64x48xf32>) attributes {schedule = #schedule} {
    %zero = arith.constant 0.0 : f32
    %c0 = tensor.empty() : tensor<64x96xf32>
    %c1 = linalg.fill ins(%zero : f32) outs(%c0 : tensor<64x96xf32>) -> tensor<64x96xf32>
    %c = linalg.matmul ins(%x, %y : tensor<64x80xf16>, tensor<80x96xf16>) outs(%c1 : tensor<64x96xf32>) -> tensor<64x96xf32>
    %t0 = tensor.empty() : tensor<64x96xf16>
    %t = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]} ins(%c : tensor<64x96xf32>) outs(%t0 : tensor<64x96xf16>) {
    ^bb0(%p: f32, %old: f16):
      %h = arith.truncf %p : f32 to f16
      linalg.yield %h : f16
    } -> tensor<64x96xf16>
    %e1 = linalg.fill ins(%zero : f32) outs(%o : tensor<64x48xf32>) -> tensor<64x48xf32>
    %e = linalg.matmul ins(%t, %z : tensor<64x96xf16>, tensor<96x48xf16>) outs(%e1 : tensor<64x48xf32>) -> tensor<64x48xf32>
    fuse.yield %e : tensor<64x48xf32>
  } -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}
}
