// The partial results of a split reduction are reduced by a kernel of their own, whose blocks are counted for it; a schedule of
// the whole holds for the kernel of partial results.
// RUN: fusion-opt %s --fuse-split-reductions --fuse-complete-schedules | FileCheck %s
// RUN: sed 's/parallel = <{k = 3}>>/parallel = <{k = 3}>, codegen = <resident_blocks = 3>>/' %s \
// RUN:   | fusion-opt --fuse-split-reductions --fuse-complete-schedules | FileCheck %s --check-prefix=GIVEN

// CHECK: fuse.chain
// CHECK-SAME: partial = #fuse.partial<axis = "k", splits = 3, length = 96>
// CHECK-SAME: predicted = {global_load_bytes
// CHECK-SAME: parallel = <{k = 3 : i64}>, codegen = <resident_blocks = 1>>
// CHECK: fuse.stitch
// CHECK-SAME: predicted = {global_load_bytes = {{[0-9]+}} : i64, global_store_bytes = 12288 : i64, shared_memory = 0 : i64
// CHECK-SAME: schedule = #fuse.schedule<version = 2, mapping = <warps = 8>, pipeline = <{}, register_stages = 3>>}

// GIVEN: parallel = <{k = 3 : i64}>, codegen = <resident_blocks = 3>>
#schedule = #fuse.schedule<version = 2,
  tiling = <"mn(k(LA,LB,CC),LD,SC)", {m = 32, n = 32, k = 32}>,
  mapping = <warps = 4, blocks = ["m", "n"], operators = {
    C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [2, 2]>}>,
  memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<shared>,
             D = #fuse.place<registers>}>,
  pipeline = <{A = 2, B = 2}>, parallel = <{k = 3}>>
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @product(%a: tensor<64x256xf16>, %b: tensor<256x96xf16>, %bias: tensor<96xf16>, %out: tensor<64x96xf16>) -> tensor<64x96xf16> {
    %r = fuse.chain ins(%x = %a : tensor<64x256xf16>, %y = %b : tensor<256x96xf16>, %v = %bias : tensor<96xf16>)
                    outs(%o = %out : tensor<64x96xf16>) attributes {schedule = #schedule} {
      %zero = arith.constant 0.0 : f32
      %c0 = tensor.empty() : tensor<64x96xf32>
      %c1 = linalg.fill ins(%zero : f32) outs(%c0 : tensor<64x96xf32>) -> tensor<64x96xf32>
      %c = linalg.matmul ins(%x, %y : tensor<64x256xf16>, tensor<256x96xf16>) outs(%c1 : tensor<64x96xf32>) -> tensor<64x96xf32>
      %t = linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%c, %v : tensor<64x96xf32>, tensor<96xf16>) outs(%o : tensor<64x96xf16>) {
      ^bb0(%p: f32, %q: f16, %old: f16):
        %wide = arith.extf %q : f16 to f32
        %s = arith.addf %p, %wide : f32
        %h = arith.truncf %s : f32 to f16
        linalg.yield %h : f16
      } -> tensor<64x96xf16>
      fuse.yield %t : tensor<64x96xf16>
    } -> tensor<64x96xf16>
    return %r : tensor<64x96xf16>
  }
}
