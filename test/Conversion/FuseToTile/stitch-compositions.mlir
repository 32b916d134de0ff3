// Expensive values that the threads of a warp or a block share out have layouts of their own.
// RUN: fusion-opt %s --fuse-lower-to-tile -split-input-file | FileCheck %s

#one = affine_map<(i) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// Eight rows in the registers of each lane: each of eight lanes evaluates one, and loads one.
// CHECK-DAG: #[[ROWS:.*]] = #tile.layout<"register: 8*[1]; lane: 32*[0] -> [8]">
// CHECK-DAG: #[[LANES:.*]] = #tile.layout<"lane: 8*[1] 4*[0] -> [8]">
// CHECK-LABEL: tile.kernel @warp
// CHECK: tile.load {{.*}} -> tensor<8xf32, #[[LANES]]>
// CHECK: %[[TAN:.*]] = math.tan %{{.*}} : tensor<8xf32, #[[LANES]]>
// CHECK: tile.convert_layout %[[TAN]] {in_warp} : tensor<8xf32, #[[LANES]]> -> tensor<8xf32, #[[ROWS]]>
// CHECK-NOT: math.tan
func.func @warp(%a: tensor<64x128xf32>, %g: tensor<64xf32>, %o: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<64x128xf32>, %h = %g : tensor<64xf32>) outs(%p = %o : tensor<64x128xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <compositions = [<operator = 0, scheme = warp>], {i = #fuse.thread_mapping<tile = 8>, j = #fuse.thread_mapping<tile = 128, vector = 4, lanes = 32>}>>} {
    %e = tensor.empty() : tensor<64xf32>
    %t = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%h : tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%v: f32, %q: f32):
      %0 = math.tan %v : f32
      linalg.yield %0 : f32
    } -> tensor<64xf32>
    %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %t : tensor<64x128xf32>, tensor<64xf32>) outs(%p : tensor<64x128xf32>) {
    ^bb0(%v: f32, %u: f32, %q: f32):
      %0 = arith.mulf %v, %u : f32
      linalg.yield %0 : f32
    } -> tensor<64x128xf32>
    fuse.yield %y : tensor<64x128xf32>
  } -> tensor<64x128xf32>
  return %r : tensor<64x128xf32>
}

// -----

#one = affine_map<(i) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(j, i) -> (i)>
#turned = affine_map<(j, i) -> (j, i)>
// Four warps have rows of their own and need the same 128 columns: each thread of the block evaluates one of them. The
// operator before is evaluated in the same layout, and exchanges nothing.
// CHECK-DAG: #[[COLUMNS:.*]] = #tile.layout<"register: 4*[1]; lane: 32*[4]; warp: 4*[0] -> [128]">
// CHECK-DAG: #[[BLOCK:.*]] = #tile.layout<"lane: 32*[1]; warp: 4*[32] -> [128]">
// CHECK-LABEL: tile.kernel @block
// CHECK: %[[H:.*]] = tile.load {{.*}} -> tensor<128xf32, #[[BLOCK]]>
// CHECK: %[[T:.*]] = math.tan %{{.*}} : tensor<128xf32, #[[BLOCK]]>
// CHECK: tile.convert_layout %[[T]] : tensor<128xf32, #[[BLOCK]]> -> tensor<128xf32, #[[COLUMNS]]>
func.func @block(%a: tensor<64x512xf32>, %g: tensor<512xf32>, %o: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<64x512xf32>, %h = %g : tensor<512xf32>) outs(%p = %o : tensor<64x512xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 4>, stitching = <compositions = [<operator = 0, scheme = block>, <operator = 1, scheme = block>], {i = #fuse.thread_mapping<tile = 128, vector = 4, lanes = 32>, j = #fuse.thread_mapping<tile = 8, warps = 4>}>>} {
    %e = tensor.empty() : tensor<512xf32>
    %s = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%h : tensor<512xf32>) outs(%e : tensor<512xf32>) {
    ^bb0(%v: f32, %q: f32):
      %0 = arith.negf %v : f32
      linalg.yield %0 : f32
    } -> tensor<512xf32>
    %t = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%s : tensor<512xf32>) outs(%e : tensor<512xf32>) {
    ^bb0(%v: f32, %q: f32):
      %0 = math.tan %v : f32
      linalg.yield %0 : f32
    } -> tensor<512xf32>
    %y = linalg.generic {indexing_maps = [#turned, #column, #turned], iterator_types = ["parallel", "parallel"]} ins(%x, %t : tensor<64x512xf32>, tensor<512xf32>) outs(%p : tensor<64x512xf32>) {
    ^bb0(%v: f32, %u: f32, %q: f32):
      %0 = arith.mulf %v, %u : f32
      linalg.yield %0 : f32
    } -> tensor<64x512xf32>
    fuse.yield %y : tensor<64x512xf32>
  } -> tensor<64x512xf32>
  return %r : tensor<64x512xf32>
}
