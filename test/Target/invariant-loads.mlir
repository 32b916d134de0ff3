// Fragments of a value that is multiplied in every iteration of a loop are loaded in every iteration, as the schedule says. LLVM
// would load all of them before the loop, for which no registers were counted (fusion/Target/PTX/PinLoads.h).
// RUN: fusion-opt %s --pass-pipeline='builtin.module(fuse-search-schedules{chip=sm_80},tile-pipeline,tile-to-nvvm)' | fusion-translate --fuse-to-ptx | FileCheck %s

// CHECK-LABEL: .visible .entry chain_chain_0
// The loop over k, the copies of D, and the loop over h.
// CHECK-COUNT-48: ld.shared.v4.b32
// CHECK-NOT: ld.shared
// CHECK: cp.async.wait_group 0;
// CHECK-NEXT: bar.sync 0;
// CHECK-NOT: ld.shared
// CHECK: $L__BB0_[[LOOP:[0-9]+]]:
// CHECK-COUNT-128: ld.shared.v4.b32
// CHECK-NOT: ld.shared
// CHECK: bra $L__BB0_[[LOOP]];
func.func @chain(%a: tensor<128x32xf32>, %b: tensor<32x64xf32>, %d: tensor<64x128xf32>) -> tensor<128x128xf32> {
  %e = tensor.empty() : tensor<128x128xf32>
  %r = fuse.chain ins(%x = %a : tensor<128x32xf32>, %y = %b : tensor<32x64xf32>, %w = %d : tensor<64x128xf32>)
                  outs(%o = %e : tensor<128x128xf32>)
      attributes {schedule = #fuse.schedule<version = 2,
        tiling = <"m(k(LA,LB,CC),h(LD),h(CE,SE))", {m = 64, n = 64, k = 16, h = 32}>,
        mapping = <warps = 4, blocks = ["m"], operators = {
          C = #fuse.operator_map<"fma.m8n16k4", i1 = "m", i2 = "n", r1 = "k", warps = [2, 2]>,
          E = #fuse.operator_map<"fma.m8n16k4", i1 = "m", i2 = "h", r1 = "n", warps = [2, 2]>}>,
        memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<shared>,
                   D = #fuse.place<shared, async16>, E = #fuse.place<registers>}>>} {
    %z = arith.constant 0.0 : f32
    %e0 = tensor.empty() : tensor<128x64xf32>
    %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<128x64xf32>) -> tensor<128x64xf32>
    %c = linalg.matmul ins(%x, %y : tensor<128x32xf32>, tensor<32x64xf32>) outs(%f0 : tensor<128x64xf32>) -> tensor<128x64xf32>
    %f1 = linalg.fill ins(%z : f32) outs(%o : tensor<128x128xf32>) -> tensor<128x128xf32>
    %p = linalg.matmul ins(%c, %w : tensor<128x64xf32>, tensor<64x128xf32>) outs(%f1 : tensor<128x128xf32>) -> tensor<128x128xf32>
    fuse.yield %p : tensor<128x128xf32>
  } -> tensor<128x128xf32>
  return %r : tensor<128x128xf32>
}
