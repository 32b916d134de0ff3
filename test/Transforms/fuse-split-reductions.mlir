// RUN: fusion-opt %s --fuse-split-reductions -split-input-file | FileCheck %s

// The bias and the rounding follow the sum; the chain's destination is the second group's. 8 tiles of k in 3 parts are 3, 3
// and 2 tiles.
#schedule = #fuse.schedule<version = 1,
  tiling = <"mn(k(LA,LB,CC),LD,SC)", {m = 32, n = 32, k = 32}>,
  mapping = <warps = 4, blocks = ["m", "n"], operators = {
    C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [2, 2]>}>,
  memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<shared>,
             D = #fuse.place<registers>}>,
  pipeline = <{A = 2, B = 2}>, parallel = <{k = 3}>>

// CHECK-LABEL: func.func @product
// CHECK-SAME: (%[[A:.*]]: tensor<64x256xf16>, %[[B:.*]]: tensor<256x96xf16>, %[[BIAS:.*]]: tensor<96xf16>, %[[OUT:.*]]: tensor<64x96xf16>)
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<3x64x96xf32>
// CHECK: %[[PARTS:.*]] = fuse.chain ins(%[[X:.*]] = %[[A]] : tensor<64x256xf16>, %[[Y:.*]] = %[[B]] : tensor<256x96xf16>) outs(%{{.*}} = %[[EMPTY]] : tensor<3x64x96xf32>)
// CHECK-SAME: partial = #fuse.partial<axis = "k", parts = 3, length = 96>
// CHECK-SAME: tiling = <"mn(k(LA,LB,CC),SC)"
// CHECK-SAME: memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<shared>}>
// CHECK-SAME: pipeline = <{A = 2 : i64, B = 2 : i64}>
// CHECK-SAME: parallel = <{k = 3 : i64}>
// CHECK-NOT: tensor<64x96xf16>
// CHECK: %[[C:.*]] = linalg.matmul ins(%[[X]], %[[Y]]
// CHECK-NEXT: fuse.yield %[[C]] : tensor<64x96xf32>
// CHECK: %[[R:.*]] = fuse.stitch ins(%[[V:.*]] = %[[BIAS]] : tensor<96xf16>, %[[P:.*]] = %[[PARTS]] : tensor<3x64x96xf32>) outs(%[[O:.*]] = %[[OUT]] : tensor<64x96xf16>)
// CHECK-SAME: schedule = #fuse.schedule<version = 1, mapping = <warps = 8>>
// CHECK: %[[ZERO:.*]] = linalg.fill
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}}iterator_types = ["reduction", "parallel", "parallel"]} ins(%[[P]] : tensor<3x64x96xf32>) outs(%[[ZERO]] : tensor<64x96xf32>)
// CHECK: ^bb0(%[[PART:.*]]: f32, %[[BEFORE:.*]]: f32):
// CHECK: arith.addf %[[BEFORE]], %[[PART]]
// CHECK: %[[T:.*]] = linalg.generic {{.*}}ins(%[[SUM]], %[[V]] : tensor<64x96xf32>, tensor<96xf16>) outs(%[[O]] : tensor<64x96xf16>)
// CHECK: arith.truncf
// CHECK: fuse.yield %[[T]] : tensor<64x96xf16>
// CHECK: return %[[R]]
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

// -----

// Nothing follows the sum: it starts from the destination of the second group.
#schedule = #fuse.schedule<version = 1,
  tiling = <"mn(LA,LB,CC,SC)", {m = 32, n = 32, k = 64}>,
  mapping = <warps = 4, blocks = ["m", "n"], operators = {
    C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [2, 2]>}>,
  memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>}>, parallel = <{k = 2}>>

// CHECK-LABEL: func.func @sum
// CHECK: fuse.chain {{.*}}partial = #fuse.partial<axis = "k", parts = 2, length = 64>
// CHECK: %[[START:.*]] = tensor.empty() : tensor<64x96xf32>
// CHECK: linalg.fill {{.*}} outs(%[[START]]
// CHECK: fuse.stitch {{.*}} outs(%[[O:.*]] = %{{.*}} : tensor<64x96xf32>)
// CHECK: %[[ZERO:.*]] = linalg.fill {{.*}} outs(%[[O]]
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} outs(%[[ZERO]]
// CHECK: fuse.yield %[[SUM]]
func.func @sum(%a: tensor<64x128xf16>, %b: tensor<128x96xf16>, %out: tensor<64x96xf32>) -> tensor<64x96xf32> {
  %r = fuse.chain ins(%x = %a : tensor<64x128xf16>, %y = %b : tensor<128x96xf16>) outs(%o = %out : tensor<64x96xf32>)
      attributes {schedule = #schedule} {
    %zero = arith.constant 0.0 : f32
    %c1 = linalg.fill ins(%zero : f32) outs(%o : tensor<64x96xf32>) -> tensor<64x96xf32>
    %c = linalg.matmul ins(%x, %y : tensor<64x128xf16>, tensor<128x96xf16>) outs(%c1 : tensor<64x96xf32>) -> tensor<64x96xf32>
    fuse.yield %c : tensor<64x96xf32>
  } -> tensor<64x96xf32>
  return %r : tensor<64x96xf32>
}

// -----

// What splits nothing stays as it is, and so does what has been split.
// CHECK-LABEL: func.func @others
// CHECK: fuse.stitch {{.*}}mapping = <warps = 8>
// CHECK: fuse.chain {{.*}}attributes {schedule = #fuse.schedule<version = 1, mapping = <warps = 4>, parallel = <{k = 1 : i64}>>} {
// CHECK: fuse.chain {{.*}}partial = #fuse.partial<axis = "k", parts = 2, length = 64>
// CHECK-NOT: fuse.{{chain|stitch}}
// CHECK: return
func.func @others(%a: tensor<64x128xf16>, %b: tensor<128x96xf16>, %out: tensor<64x96xf32>, %parts: tensor<2x64x96xf32>) -> tensor<2x64x96xf32> {
  %s = fuse.stitch ins(%x = %out : tensor<64x96xf32>) outs(%o = %out : tensor<64x96xf32>)
      attributes {schedule = #fuse.schedule<version = 1, mapping = <warps = 8>>} {
    %e = linalg.exp ins(%x : tensor<64x96xf32>) outs(%o : tensor<64x96xf32>) -> tensor<64x96xf32>
    fuse.yield %e : tensor<64x96xf32>
  } -> tensor<64x96xf32>
  %r = fuse.chain ins(%x = %a : tensor<64x128xf16>, %y = %b : tensor<128x96xf16>) outs(%o = %out : tensor<64x96xf32>)
      attributes {schedule = #fuse.schedule<version = 1, mapping = <warps = 4>, parallel = <{k = 1}>>} {
    %c = linalg.matmul ins(%x, %y : tensor<64x128xf16>, tensor<128x96xf16>) outs(%o : tensor<64x96xf32>) -> tensor<64x96xf32>
    fuse.yield %c : tensor<64x96xf32>
  } -> tensor<64x96xf32>
  %p = fuse.chain ins(%x = %a : tensor<64x128xf16>, %y = %b : tensor<128x96xf16>, %z = %r : tensor<64x96xf32>)
      outs(%o = %parts : tensor<2x64x96xf32>)
      attributes {partial = #fuse.partial<axis = "k", parts = 2, length = 64>,
                  schedule = #fuse.schedule<version = 1, mapping = <warps = 4>, parallel = <{k = 2}>>} {
    %c = linalg.matmul ins(%x, %y : tensor<64x128xf16>, tensor<128x96xf16>) outs(%z : tensor<64x96xf32>) -> tensor<64x96xf32>
    fuse.yield %c : tensor<64x96xf32>
  } -> tensor<2x64x96xf32>
  return %p : tensor<2x64x96xf32>
}
