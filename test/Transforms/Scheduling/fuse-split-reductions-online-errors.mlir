// Where the axis that cannot be split is one along which reductions run, and where parts cannot leave the kernel.
// RUN: sed -e 's|TILING|mh(LA,n(LB,CC,LD,CE),SE,SF)|' -e 's|blocks = \["m"\]|blocks = ["m", "h"]|' -e 's|math.exp %c|arith.maximumf %c, %zero|' %s | not fusion-opt --fuse-split-reductions 2>&1 | FileCheck %s --check-prefix=THRESHOLD
// THRESHOLD: error: schedule cannot be lowered: the reductions along axis 'n' cannot be split: linalg.generic combines what depends on a result of its own loop in a way that cannot be corrected
// RUN: sed -e 's|TILING|m(h(LA,n(LB,CC,LD,CE),SE),SF)|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=REPEATED
// REPEATED: error: schedule cannot be lowered: loop 'h' repeats the rows of 'C', which leave the kernel
// RUN: sed -e 's|TILING|mh(LA,n(LB,CC,LD,CE),SE,SF)|' -e 's|blocks = \["m"\]|blocks = ["m", "h"]|' -e 's|n = 3|n = 3, k = 2|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: schedule cannot be lowered: axis 'n' and axis 'k' are both split, and partial results are reduced along one axis
// Parts that are stored by a group that is not partial any more are its results.
// RUN: sed -e 's|TILING|mh(LA,n(LB,CC,LD,CE),SE,SF)|' -e 's|blocks = \["m"\]|blocks = ["m", "h"]|' %s | fusion-opt --fuse-split-reductions | sed -e 's|splits = 3|splits = 2|' -e 's|3x64|2x64|g' | not fusion-opt --fuse-lower-to-tile 2>&1 | FileCheck %s --check-prefix=PARTS
// PARTS: error: schedule does not fit the group: the group has 2 partial results of 32 along 'n', its schedule 3 of 32 along 'n'

#schedule = #fuse.schedule<version = 2,
  tiling = <"TILING", {m = 32, n = 16, k = 32, h = 16}>,
  mapping = <warps = 2, blocks = ["m"], operators = {
    C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [2, 1]>,
    E = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "h", r1 = "n", warps = [2, 1]>}>,
  memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<registers>,
             D = #fuse.place<shared, async16>, E = #fuse.place<shared>, F = #fuse.place<registers>}>,
  parallel = <{n = 3}>, reduction = <online>>

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
