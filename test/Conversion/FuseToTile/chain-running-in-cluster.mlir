// Parts of an axis along which reductions run, which the blocks of a cluster combine: each running value in turn, corrected for what
// all have so far, then the sums, corrected in the same way and multiplied by what has left them. What other blocks write to is
// allocated before all else and not freed.
// RUN: fusion-opt %s --fuse-search-schedules --fuse-split-reductions --fuse-lower-to-tile | FileCheck %s
// CHECK: tile.launch @softmax{{.*}} grid(%c24)
// CHECK-NOT: tile.launch
// CHECK-LABEL: tile.kernel @softmax
// CHECK-SAME: cluster = 4 : i64
// CHECK: %[[TOPS:.*]] = tile.alloc : <1, 4, 16, f32{{.*}}, cluster>
// CHECK-NEXT: %[[TOTALS:.*]] = tile.alloc : <1, 4, 16, f32{{.*}}, cluster>
// CHECK-NEXT: %[[A:.*]] = tile.alloc : <1, 16, 32, f16
// CHECK: %[[RAN:.*]]:3 = scf.for
// CHECK: %[[SOFAR:.*]] = arith.select {{.*}}, %[[RAN]]#1 :
// CHECK: %[[TOP:.*]] = tile.cluster_reduce maximumf %[[RAN]]#1 in %[[TOPS]]
// CHECK: %[[ALL:.*]] = arith.select {{.*}}, %[[TOP]] :
// CHECK: arith.subf %[[SOFAR]], %[[ALL]]
// CHECK: %[[FACTOR:.*]] = arith.minimumf
// CHECK: %[[OWN:.*]] = arith.mulf %[[RAN]]#2, %[[FACTOR]]
// CHECK: %[[TOTAL:.*]] = tile.cluster_reduce addf %[[OWN]] in %[[TOTALS]]
// CHECK: %[[SUMS:.*]] = arith.mulf %[[RAN]]#0
// CHECK: arith.mulf %[[TOTAL]]
// CHECK: arith.divf
// CHECK: %[[SCALED:.*]] = arith.mulf %[[SUMS]]
// CHECK: tile.free %[[A]]
// CHECK-NOT: tile.free %[[TOPS]]
// CHECK: %[[GIVEN:.*]] = tile.alloc : <4, 4, 32, f32{{.*}}, cluster>
// CHECK-NEXT: tile.cluster_scatter %[[SCALED]], %[[GIVEN]]
// CHECK-NEXT: tile.barrier cluster
// CHECK-NOT: tile.broadcast
// CHECK: tile.store {{.*}} : tensor<4x32xf16>

// RUN: sed -e 's/n = 16/n = 48/' -e 's/<online>/<one_tile>/' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error: schedule cannot be lowered: the partial results along axis 'n' cannot be reduced in clusters: a block reduces a single tile, in which nothing runs
#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d0)>
#map5 = affine_map<(d0, d1, d2) -> (d2, d1)>
module attributes {fuse.chip = #fuse.chip<"sm_90a">} {
  func.func @softmax(%arg0: tensor<40x32xf16>, %arg1: tensor<150x32xf16>, %arg2: tensor<150x64xf16>, %arg3: tensor<40x150xf32>) -> tensor<40x64xf16> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0.176776692 : f32
    %cst_1 = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<40x64xf16>
    %1 = fuse.chain ins(%arg4 = %arg0 : tensor<40x32xf16>, %arg5 = %arg1 : tensor<150x32xf16>, %arg6 = %arg3 : tensor<40x150xf32>, %arg7 = %arg2 : tensor<150x64xf16>) outs(%arg8 = %0 : tensor<40x64xf16>) attributes {schedule = #fuse.schedule<version = 2, tiling = <"mh(LA,n(LB,CC,LF,LD,CE),SE)", {m = 16, n = 16, k = 32, h = 32}>, mapping = <warps = 1, blocks = ["m", "h"], operators = {C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [1, 1]>, E = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "h", r1 = "n", warps = [1, 1]>}, block_swizzle = 1>, memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<registers>, D = #fuse.place<shared, async16>, E = #fuse.place<registers>, F = #fuse.place<registers>}>, pipeline = <{}, register_stages = 1>, parallel = <{n = 4}, in_cluster = true>, reduction = <online>>} {
      %cst_2 = arith.constant 0.000000e+00 : f32
      %2 = tensor.empty() : tensor<40x150xf32>
      %3 = linalg.fill ins(%cst_2 : f32) outs(%2 : tensor<40x150xf32>) -> tensor<40x150xf32>
      %4 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg4, %arg5 : tensor<40x32xf16>, tensor<150x32xf16>) outs(%3 : tensor<40x150xf32>) {
      ^bb0(%in: f16, %in_7: f16, %out: f32):
        %23 = arith.extf %in : f16 to f32
        %24 = arith.extf %in_7 : f16 to f32
        %25 = arith.mulf %23, %24 : f32
        %26 = arith.addf %out, %25 : f32
        linalg.yield %26 : f32
      } -> tensor<40x150xf32>
      %5 = tensor.empty() : tensor<40x150xf32>
      %cst_3 = arith.constant 0.176776692 : f32
      %6 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%4, %arg6 : tensor<40x150xf32>, tensor<40x150xf32>) outs(%5 : tensor<40x150xf32>) {
      ^bb0(%in: f32, %in_7: f32, %out: f32):
        %23 = arith.mulf %in, %cst_3 : f32
        %24 = arith.addf %23, %in_7 : f32
        linalg.yield %24 : f32
      } -> tensor<40x150xf32>
      %cst_4 = arith.constant 0xFF800000 : f32
      %7 = tensor.empty() : tensor<40xf32>
      %8 = linalg.fill ins(%cst_4 : f32) outs(%7 : tensor<40xf32>) -> tensor<40xf32>
      %9 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "reduction"]} ins(%6 : tensor<40x150xf32>) outs(%8 : tensor<40xf32>) {
      ^bb0(%in: f32, %out: f32):
        %23 = arith.maximumf %out, %in : f32
        linalg.yield %23 : f32
      } -> tensor<40xf32>
      %10 = tensor.empty() : tensor<40x150xf32>
      %11 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%6, %9 : tensor<40x150xf32>, tensor<40xf32>) outs(%10 : tensor<40x150xf32>) {
      ^bb0(%in: f32, %in_7: f32, %out: f32):
        %23 = arith.subf %in, %in_7 : f32
        %24 = math.exp %23 : f32
        linalg.yield %24 : f32
      } -> tensor<40x150xf32>
      %cst_5 = arith.constant 0.000000e+00 : f32
      %12 = tensor.empty() : tensor<40xf32>
      %13 = linalg.fill ins(%cst_5 : f32) outs(%12 : tensor<40xf32>) -> tensor<40xf32>
      %14 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "reduction"]} ins(%11 : tensor<40x150xf32>) outs(%13 : tensor<40xf32>) {
      ^bb0(%in: f32, %out: f32):
        %23 = arith.addf %out, %in : f32
        linalg.yield %23 : f32
      } -> tensor<40xf32>
      %15 = tensor.empty() : tensor<40x150xf32>
      %16 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%11, %14 : tensor<40x150xf32>, tensor<40xf32>) outs(%15 : tensor<40x150xf32>) {
      ^bb0(%in: f32, %in_7: f32, %out: f32):
        %23 = arith.divf %in, %in_7 : f32
        linalg.yield %23 : f32
      } -> tensor<40x150xf32>
      %17 = tensor.empty() : tensor<40x150xf16>
      %18 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<40x150xf32>) outs(%17 : tensor<40x150xf16>) {
      ^bb0(%in: f32, %out: f16):
        %23 = arith.truncf %in : f32 to f16
        linalg.yield %23 : f16
      } -> tensor<40x150xf16>
      %cst_6 = arith.constant 0.000000e+00 : f32
      %19 = tensor.empty() : tensor<40x64xf32>
      %20 = linalg.fill ins(%cst_6 : f32) outs(%19 : tensor<40x64xf32>) -> tensor<40x64xf32>
      %21 = linalg.generic {indexing_maps = [#map, #map5, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%18, %arg7 : tensor<40x150xf16>, tensor<150x64xf16>) outs(%20 : tensor<40x64xf32>) {
      ^bb0(%in: f16, %in_7: f16, %out: f32):
        %23 = arith.extf %in : f16 to f32
        %24 = arith.extf %in_7 : f16 to f32
        %25 = arith.mulf %23, %24 : f32
        %26 = arith.addf %out, %25 : f32
        linalg.yield %26 : f32
      } -> tensor<40x64xf32>
      %22 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%21 : tensor<40x64xf32>) outs(%arg8 : tensor<40x64xf16>) {
      ^bb0(%in: f32, %out: f16):
        %23 = arith.truncf %in : f32 to f16
        linalg.yield %23 : f16
      } -> tensor<40x64xf16>
      fuse.yield %22 : tensor<40x64xf16>
    } -> tensor<40x64xf16>
    return %1 : tensor<40x64xf16>
  }
}

