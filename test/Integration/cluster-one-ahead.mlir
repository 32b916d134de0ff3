// Two blocks of a cluster of which one is ahead of the other's barriers: what it copies there, long after it was read, has not been
// read since. (A schedule that was drawn.)
// RUN: fusion-run %s --device=emulator --chip=sm_90a --sanitize --schedules=16 \
// RUN:   --pass-pipeline="builtin.module(fuse-search-schedules,tile-pipeline,tile-to-nvvm)" | FileCheck %s
// CHECK-NOT: sanitizer:
// CHECK: PASS
module attributes {fuse.chip = #fuse.chip<"sm_90a">} {
  func.func @chain_100x40x72x24(%arg0: tensor<100x40xf16>, %arg1: tensor<40x72xf16>, %arg2: tensor<72xf16>, %arg3: tensor<72x24xf16>) -> tensor<100x24xf16> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<100x24xf16>
    %1 = fuse.chain ins(%arg4 = %arg0 : tensor<100x40xf16>, %arg5 = %arg1 : tensor<40x72xf16>, %arg6 = %arg2 : tensor<72xf16>, %arg7 = %arg3 : tensor<72x24xf16>) outs(%arg8 = %0 : tensor<100x24xf16>) attributes {schedule = #fuse.schedule<version = 2, tiling = <"m(LF,h(k(LA,LB,CC),LD,CE,SE))", {h = 16 : i64, k = 32 : i64, m = 64 : i64, n = 96 : i64}>, mapping = <warps = 4, blocks = ["m"], operators = {C = #fuse.operator_map<"wgmma.m64k16", i1 = "m", i2 = "n", r1 = "k", warps = [4, 1]>, E = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "h", r1 = "n", warps = [2, 2]>}, cluster = 2>, memory = <{A = #fuse.place<shared, tma>, B = #fuse.place<shared, tma, evict_last>, C = #fuse.place<shared>, D = #fuse.place<shared, tma, evict_first>, E = #fuse.place<shared, tma>, F = #fuse.place<registers>}>, pipeline = <{A = 2 : i64, B = 6 : i64}, register_stages = 2>>} {
      %cst_0 = arith.constant 0.000000e+00 : f32
      %2 = tensor.empty() : tensor<100x72xf32>
      %3 = linalg.fill ins(%cst_0 : f32) outs(%2 : tensor<100x72xf32>) -> tensor<100x72xf32>
      %4 = linalg.matmul ins(%arg4, %arg5 : tensor<100x40xf16>, tensor<40x72xf16>) outs(%3 : tensor<100x72xf32>) -> tensor<100x72xf32>
      %5 = tensor.empty() : tensor<100x72xf32>
      %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%4, %arg6 : tensor<100x72xf32>, tensor<72xf16>) outs(%5 : tensor<100x72xf32>) {
      ^bb0(%in: f32, %in_3: f16, %out: f32):
        %15 = arith.extf %in_3 : f16 to f32
        %16 = arith.addf %in, %15 : f32
        linalg.yield %16 : f32
      } -> tensor<100x72xf32>
      %7 = tensor.empty() : tensor<100x72xf32>
      %cst_1 = arith.constant 0.000000e+00 : f32
      %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<100x72xf32>) outs(%7 : tensor<100x72xf32>) {
      ^bb0(%in: f32, %out: f32):
        %15 = arith.maximumf %in, %cst_1 : f32
        linalg.yield %15 : f32
      } -> tensor<100x72xf32>
      %9 = tensor.empty() : tensor<100x72xf16>
      %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<100x72xf32>) outs(%9 : tensor<100x72xf16>) {
      ^bb0(%in: f32, %out: f16):
        %15 = arith.truncf %in : f32 to f16
        linalg.yield %15 : f16
      } -> tensor<100x72xf16>
      %cst_2 = arith.constant 0.000000e+00 : f32
      %11 = tensor.empty() : tensor<100x24xf32>
      %12 = linalg.fill ins(%cst_2 : f32) outs(%11 : tensor<100x24xf32>) -> tensor<100x24xf32>
      %13 = linalg.matmul ins(%10, %arg7 : tensor<100x72xf16>, tensor<72x24xf16>) outs(%12 : tensor<100x24xf32>) -> tensor<100x24xf32>
      %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<100x24xf32>) outs(%arg8 : tensor<100x24xf16>) {
      ^bb0(%in: f32, %out: f16):
        %15 = arith.truncf %in : f32 to f16
        linalg.yield %15 : f16
      } -> tensor<100x24xf16>
      fuse.yield %14 : tensor<100x24xf16>
    } -> tensor<100x24xf16>
    return %1 : tensor<100x24xf16>
  }
}
