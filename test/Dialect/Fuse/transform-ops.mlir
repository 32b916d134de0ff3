// Groups and a schedule from a script; what it says is kept, lowered and right.
// RUN: fusion-opt %s --transform-interpreter | FileCheck %s
// RUN: fusion-opt %s --transform-interpreter -o %t.groups.mlir
// RUN: fusion-opt %t.groups.mlir --fuse-to-groups=chip=sm_80 | FileCheck %s --check-prefix=KEPT
// RUN: fusion-run %t.groups.mlir --chip=sm_80 --sanitize | FileCheck %s --check-prefix=RESULT

// CHECK-LABEL: func.func @f
// CHECK: fuse.chain
// CHECK-SAME: schedule = #fuse.schedule<version = 2, tiling = <"m(k(LA,LB,CC),LD,CE,SE)"
// CHECK: linalg.matmul
// CHECK: linalg.generic
// CHECK: linalg.matmul
// CHECK: fuse.yield
// CHECK: fuse.stitch
// CHECK-COUNT-2: linalg.exp
// CHECK: fuse.yield

// KEPT: fuse.chain
// KEPT-SAME: tiling = <"m(k(LA,LB,CC),LD,CE,SE)", {h = 16 : i64, k = 16 : i64, m = 32 : i64, n = 48 : i64}>
// KEPT: fuse.stitch

// RESULT: f_chain_0
// RESULT: tiling = <"m(k(LA,LB,CC),LD,CE,SE)"
// RESULT: f_stitch_1
// RESULT: PASS
module attributes {transform.with_named_sequence} {
func.func @f(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<48x16xf16>) -> (tensor<64x16xf32>, tensor<64x32xf16>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x48xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  %p = linalg.matmul {product} ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%i0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  %e1 = tensor.empty() : tensor<64x48xf16>
  %t = linalg.generic {product, indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<64x48xf32>) outs(%e1 : tensor<64x48xf16>) {
  ^bb0(%v: f32, %o: f16):
    %w = arith.truncf %v : f32 to f16
    linalg.yield %w : f16
  } -> tensor<64x48xf16>
  %e3 = tensor.empty() : tensor<64x32xf16>
  %x = linalg.exp {elementwise} ins(%a : tensor<64x32xf16>) outs(%e3 : tensor<64x32xf16>) -> tensor<64x32xf16>
  %e2 = tensor.empty() : tensor<64x16xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<64x16xf32>) -> tensor<64x16xf32>
  %q = linalg.matmul {product} ins(%t, %c : tensor<64x48xf16>, tensor<48x16xf16>) outs(%i1 : tensor<64x16xf32>) -> tensor<64x16xf32>
  %y = linalg.exp {elementwise} ins(%x : tensor<64x32xf16>) outs(%e3 : tensor<64x32xf16>) -> tensor<64x32xf16>
  return %q, %y : tensor<64x16xf32>, tensor<64x32xf16>
}
transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
  %products = transform.structured.match attributes {product} in %root : (!transform.any_op) -> !transform.any_op
  %chain = transform.fuse.form_chain %products : (!transform.any_op) -> !transform.any_op
  transform.fuse.set_schedule %chain : !transform.any_op to #fuse.schedule<version = 2,
    tiling = <"m(k(LA,LB,CC),LD,CE,SE)", {h = 16, k = 16, m = 32, n = 48}>,
    mapping = <warps = 2, blocks = ["m"],
               operators = {C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [2, 1]>,
                            E = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "h", r1 = "n", warps = [2, 1]>}>,
    memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<registers>,
               D = #fuse.place<shared, async16>, E = #fuse.place<shared>}>,
    pipeline = <{}, register_stages = 2>>
  %rest = transform.structured.match attributes {elementwise} in %root : (!transform.any_op) -> !transform.any_op
  %group = transform.fuse.form_stitch %rest : (!transform.any_op) -> !transform.any_op
  transform.yield
}
}
