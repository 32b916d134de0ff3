// What bounds each loop, by the pipelining model, as remarks: without stages the round trip of a load, then, with few of
// them, the same for less, and in the end the work.
// RUN: sed 's/STAGES/1/g;s/REGISTERS/1/' %s | fusion-opt --fuse-search-schedules --remarks-filter=pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: sed 's/STAGES/2/g;s/REGISTERS/2/' %s | fusion-opt --fuse-search-schedules --remarks-filter=pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: sed 's/STAGES/6/g;s/REGISTERS/2/' %s | fusion-opt --fuse-search-schedules --remarks-filter=pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=SIX
// ONE: loop 'n': 8 iterations
// ONE: loop 'k': 32 iterations, [[LOAD:[0-9.]+]] us of loads and {{.*}}, 1 stage, 1 block at a time on an SM: {{.*}}, bound by latency
// TWO: loop 'k': 32 iterations, {{.*}} 2 stages, {{.*}}, bound by latency
// SIX: loop 'k': 32 iterations, {{.*}} 6 stages, {{.*}}, bound by use

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @G6(%arg0: tensor<1x128x1024xf16>, %arg1: tensor<1x1024x512xf16>, %arg2: tensor<1x512x256xf16>) -> tensor<1x128x256xf16> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x128x256xf16>
    %1 = fuse.chain ins(%arg3 = %arg0 : tensor<1x128x1024xf16>, %arg4 = %arg1 : tensor<1x1024x512xf16>, %arg5 = %arg2 : tensor<1x512x256xf16>) outs(%arg6 = %0 : tensor<1x128x256xf16>) attributes {schedule = #fuse.schedule<version = 2, tiling = <"mh(n(k(LA,LB,CC),LD,CE),SE)", {b = 1, m = 64, n = 64, k = 32, h = 128}>, mapping = <warps = 4, blocks = ["m", "h"], operators = {C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [4, 1]>, E = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "h", r1 = "n", warps = [4, 1]>}>, memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<registers>, D = #fuse.place<shared, async16>, E = #fuse.place<shared>}>, pipeline = <{A = STAGES, B = STAGES}, register_stages = REGISTERS>>} {
      %cst_0 = arith.constant 0.000000e+00 : f32
      %2 = tensor.empty() : tensor<1x128x512xf32>
      %3 = linalg.fill ins(%cst_0 : f32) outs(%2 : tensor<1x128x512xf32>) -> tensor<1x128x512xf32>
      %4 = linalg.batch_matmul ins(%arg3, %arg4 : tensor<1x128x1024xf16>, tensor<1x1024x512xf16>) outs(%3 : tensor<1x128x512xf32>) -> tensor<1x128x512xf32>
      %5 = tensor.empty() : tensor<1x128x512xf16>
      %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<1x128x512xf32>) outs(%5 : tensor<1x128x512xf16>) {
      ^bb0(%in: f32, %out: f16):
        %11 = arith.truncf %in : f32 to f16
        linalg.yield %11 : f16
      } -> tensor<1x128x512xf16>
      %cst_1 = arith.constant 0.000000e+00 : f32
      %7 = tensor.empty() : tensor<1x128x256xf32>
      %8 = linalg.fill ins(%cst_1 : f32) outs(%7 : tensor<1x128x256xf32>) -> tensor<1x128x256xf32>
      %9 = linalg.batch_matmul ins(%6, %arg5 : tensor<1x128x512xf16>, tensor<1x512x256xf16>) outs(%8 : tensor<1x128x256xf32>) -> tensor<1x128x256xf32>
      %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<1x128x256xf32>) outs(%arg6 : tensor<1x128x256xf16>) {
      ^bb0(%in: f32, %out: f16):
        %11 = arith.truncf %in : f32 to f16
        linalg.yield %11 : f16
      } -> tensor<1x128x256xf16>
      fuse.yield %10 : tensor<1x128x256xf16>
    } -> tensor<1x128x256xf16>
    return %1 : tensor<1x128x256xf16>
  }
}

