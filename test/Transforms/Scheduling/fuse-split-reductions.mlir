// RUN: fusion-opt %s --fuse-split-reductions -split-input-file | FileCheck %s

// The bias and the rounding follow the sum; the chain's destination is the second group's. 8 tiles of k in 3 parts are 3, 3
// and 2 tiles.
#schedule = #fuse.schedule<version = 2,
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
// CHECK-SAME: partial = #fuse.partial<axis = "k", splits = 3, length = 96>
// CHECK-SAME: tiling = <"mn(k(LA,LB,CC),SC)"
// CHECK-SAME: memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<shared>}>
// CHECK-SAME: pipeline = <{A = 2 : i64, B = 2 : i64}>
// CHECK-SAME: parallel = <{k = 3 : i64}>
// CHECK-NOT: tensor<64x96xf16>
// CHECK: %[[C:.*]] = linalg.matmul ins(%[[X]], %[[Y]]
// CHECK-NEXT: fuse.yield %[[C]] : tensor<64x96xf32>
// CHECK: %[[R:.*]] = fuse.stitch ins(%[[V:.*]] = %[[BIAS]] : tensor<96xf16>, %[[P:.*]] = %[[PARTS]] : tensor<3x64x96xf32>) outs(%[[O:.*]] = %[[OUT]] : tensor<64x96xf16>)
// CHECK-SAME: schedule = #fuse.schedule<version = 2, mapping = <warps = 8>, pipeline = <{}, register_stages = 3>>
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
#schedule = #fuse.schedule<version = 2,
  tiling = <"mn(LA,LB,CC,SC)", {m = 32, n = 32, k = 64}>,
  mapping = <warps = 4, blocks = ["m", "n"], operators = {
    C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [2, 2]>}>,
  memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>}>, parallel = <{k = 2}>>

// CHECK-LABEL: func.func @sum
// CHECK: fuse.chain {{.*}}partial = #fuse.partial<axis = "k", splits = 2, length = 64>
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
// CHECK: fuse.chain {{.*}}attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 4>, parallel = <{k = 1 : i64}>>} {
// CHECK: fuse.chain {{.*}}partial = #fuse.partial<axis = "k", splits = 2, length = 64>
// CHECK-NOT: fuse.{{chain|stitch}}
// CHECK: return
func.func @others(%a: tensor<64x128xf16>, %b: tensor<128x96xf16>, %out: tensor<64x96xf32>, %parts: tensor<2x64x96xf32>) -> tensor<2x64x96xf32> {
  %s = fuse.stitch ins(%x = %out : tensor<64x96xf32>) outs(%o = %out : tensor<64x96xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 8>>} {
    %e = linalg.exp ins(%x : tensor<64x96xf32>) outs(%o : tensor<64x96xf32>) -> tensor<64x96xf32>
    fuse.yield %e : tensor<64x96xf32>
  } -> tensor<64x96xf32>
  %r = fuse.chain ins(%x = %a : tensor<64x128xf16>, %y = %b : tensor<128x96xf16>) outs(%o = %out : tensor<64x96xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 4>, parallel = <{k = 1}>>} {
    %c = linalg.matmul ins(%x, %y : tensor<64x128xf16>, tensor<128x96xf16>) outs(%o : tensor<64x96xf32>) -> tensor<64x96xf32>
    fuse.yield %c : tensor<64x96xf32>
  } -> tensor<64x96xf32>
  %p = fuse.chain ins(%x = %a : tensor<64x128xf16>, %y = %b : tensor<128x96xf16>, %z = %r : tensor<64x96xf32>)
      outs(%o = %parts : tensor<2x64x96xf32>)
      attributes {partial = #fuse.partial<axis = "k", splits = 2, length = 64>,
                  schedule = #fuse.schedule<version = 2, mapping = <warps = 4>, parallel = <{k = 2}>>} {
    %c = linalg.matmul ins(%x, %y : tensor<64x128xf16>, tensor<128x96xf16>) outs(%z : tensor<64x96xf32>) -> tensor<64x96xf32>
    fuse.yield %c : tensor<64x96xf32>
  } -> tensor<2x64x96xf32>
  return %p : tensor<2x64x96xf32>
}

// -----

// Reductions run along n: every part stores its maximum and its sum beside the product, whose terms the quotient has left. A
// group for each result merges the parts as the loop would go on, and does what follows.
#schedule = #fuse.schedule<version = 2,
  tiling = <"m(LA,n(LB,CC,LD,CE),SE,SF)", {m = 32, n = 16, k = 32, h = 48}>,
  mapping = <warps = 2, blocks = ["m"], operators = {
    C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [2, 1]>,
    E = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "h", r1 = "n", warps = [2, 1]>}>,
  memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<registers>,
             D = #fuse.place<shared, async16>, E = #fuse.place<shared>, F = #fuse.place<registers>}>,
  parallel = <{n = 3}>, reduction = <online>>

#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#vector = affine_map<(i) -> (i)>

// CHECK-LABEL: func.func @online
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: tensor<64x48xf16>, %[[LOGS:[a-z0-9]+]]: tensor<64xf32>)
// CHECK: %[[PARTS:.*]]:3 = fuse.chain {{.*}}partial = #fuse.partial<axis = "n", splits = 3, length = 32>
// CHECK-SAME: tiling = <"m(LA,n(LB,CC,LD,CE),SE,SF,SG)"
// CHECK-SAME: reduction = <online>
// CHECK: %[[S:.*]] = linalg.matmul
// CHECK: %[[TOP:.*]] = linalg.generic {{.*}}"reduction"
// CHECK: arith.maximumf
// CHECK: %[[E:.*]] = linalg.generic {{.*}}ins(%[[S]], %[[TOP]] :
// CHECK: math.exp
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}}"reduction"
// CHECK-SAME: ins(%[[E]] :
// CHECK-NOT: arith.divf
// CHECK-NOT: math.log
// CHECK: %[[P:.*]] = linalg.generic {{.*}}ins(%[[E]] : tensor<64x96xf32>) outs(
// CHECK: arith.truncf
// CHECK: %[[O:.*]] = linalg.matmul ins(%[[P]],
// CHECK-NEXT: fuse.yield %[[O]], %[[TOP]], %[[SUM]] : tensor<64x48xf32>, tensor<64xf32>, tensor<64xf32>
// CHECK: -> (tensor<3x64x48xf32>, tensor<3x64xf32>, tensor<3x64xf32>)

// CHECK: %[[R:.*]] = fuse.stitch ins(%[[T:.*]] = %[[PARTS]]#1 : tensor<3x64xf32>, %[[Z:.*]] = %[[PARTS]]#2 : tensor<3x64xf32>, %[[Q:.*]] = %[[PARTS]]#0 : tensor<3x64x48xf32>) outs(%{{.*}} = %[[OUT]] : tensor<64x48xf16>)
// CHECK: %[[M:.*]]:3 = linalg.generic {{.*}}iterator_types = ["reduction", "parallel", "parallel"]} ins(%[[T]], %[[Z]], %[[Q]] :
// CHECK: ^bb0(%[[TP:.*]]: f32, %[[ZP:.*]]: f32, %[[QP:.*]]: f32, %[[TA:.*]]: f32, %[[ZA:.*]]: f32, %[[QA:.*]]: f32):
// CHECK: %[[TM:.*]] = arith.maximumf %[[TA]], %[[TP]]
// CHECK: math.exp
// CHECK: arith.minimumf
// CHECK: %[[ZS:.*]] = arith.mulf %[[ZA]],
// CHECK: %[[ZQ:.*]] = arith.mulf %[[ZP]],
// CHECK: %[[ZM:.*]] = arith.addf %[[ZS]], %[[ZQ]]
// CHECK: %[[QM:.*]] = arith.addf
// CHECK: linalg.yield %[[TM]], %[[ZM]], %[[QM]]
// CHECK: arith.divf
// CHECK: arith.truncf
// CHECK: fuse.yield %{{.*}} : tensor<64x48xf16>

// CHECK: %[[L:.*]] = fuse.stitch ins(%{{.*}} = %[[PARTS]]#1 : tensor<3x64xf32>, %{{.*}} = %[[PARTS]]#2 : tensor<3x64xf32>) outs(%{{.*}} = %[[LOGS]] : tensor<64xf32>)
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]}
// CHECK: math.log
// CHECK: fuse.yield %{{.*}} : tensor<64xf32>
// CHECK: return %[[R]], %[[L]]
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

// -----

// Statistics of the finished sum's rows stay with what adds the parts: the first group has no reductions, nor a form of them.
#schedule = #fuse.schedule<version = 2,
  tiling = <"m(k(LA,LB,CC),SC)", {m = 32, n = 64, k = 32}>,
  mapping = <warps = 4, blocks = ["m"], operators = {
    C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [2, 2]>}>,
  memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<shared>}>,
  parallel = <{k = 4}>, reduction = <one_tile>>

// CHECK-LABEL: func.func @behind_the_sum
// CHECK: fuse.chain
// CHECK-SAME: partial = #fuse.partial<axis = "k", splits = 4, length = 64>
// CHECK-NOT: reduction = <one_tile>
// CHECK: fuse.stitch
// CHECK: arith.maximumf
func.func @behind_the_sum(%a: tensor<64x256xf16>, %b: tensor<256x64xf16>, %out: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = fuse.chain ins(%x = %a : tensor<64x256xf16>, %y = %b : tensor<256x64xf16>)
                  outs(%o = %out : tensor<64x64xf32>) attributes {schedule = #schedule} {
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %c0 = tensor.empty() : tensor<64x64xf32>
    %c1 = linalg.fill ins(%zero : f32) outs(%c0 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %c = linalg.matmul ins(%x, %y : tensor<64x256xf16>, tensor<256x64xf16>) outs(%c1 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %t0 = tensor.empty() : tensor<64xf32>
    %t1 = linalg.fill ins(%low : f32) outs(%t0 : tensor<64xf32>) -> tensor<64xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                         iterator_types = ["parallel", "reduction"]}
        ins(%c : tensor<64x64xf32>) outs(%t1 : tensor<64xf32>) {
    ^bb0(%v: f32, %old: f32):
      %m = arith.maximumf %v, %old : f32
      linalg.yield %m : f32
    } -> tensor<64xf32>
    %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%c, %t : tensor<64x64xf32>, tensor<64xf32>) outs(%o : tensor<64x64xf32>) {
    ^bb0(%v: f32, %top: f32, %old: f32):
      %s = arith.subf %v, %top : f32
      linalg.yield %s : f32
    } -> tensor<64x64xf32>
    fuse.yield %d : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
