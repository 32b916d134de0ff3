// Sizes that are known at run time only end a chain: the remarks name them, and not how often shapes are read.
// RUN: fusion-opt %s --fuse-to-groups="chip=sm_80 force-fusion=true" --remarks-filter="chain-ends|generic|fuse|stitch" -o /dev/null 2>&1 | FileCheck %s

// CHECK-DAG: :[[@LINE+8]]:8: remark: [Missed] chain-ends {{.*}}the chain ends with this value: the sizes of its dimensions 0 and 1 are dynamic, and tiles need static ones
// CHECK-DAG: :[[@LINE+7]]:8: remark: [Missed] generic {{.*}}runs in the generic form: axis 'm' has no static extent: dimension 0 of 'C' is dynamic
// CHECK-DAG: :[[@LINE+8]]:8: remark: [Missed] alone {{.*}}it is not stitched: loop 0 of linalg.generic has a dynamic size
// CHECK-NOT: read in
func.func @attention(%q: tensor<?x64xf16>, %k: tensor<?x64xf16>, %v: tensor<?x64xf16>, %m: index, %n: index) -> tensor<?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%q, %k : tensor<?x64xf16>, tensor<?x64xf16>) outs(%f0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %h0 = tensor.empty(%m, %n) : tensor<?x?xf32>
  %h = linalg.softmax dimension(1) ins(%p : tensor<?x?xf32>) outs(%h0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %w0 = tensor.empty(%m, %n) : tensor<?x?xf16>
  %w = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<?x?xf32>) outs(%w0 : tensor<?x?xf16>) {
  ^bb0(%x: f32, %o: f16):
    %y = arith.truncf %x : f32 to f16
    linalg.yield %y : f16
  } -> tensor<?x?xf16>
  %g0 = tensor.empty(%m) : tensor<?x64xf32>
  %g = linalg.fill ins(%zero : f32) outs(%g0 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %r = linalg.matmul ins(%w, %v : tensor<?x?xf16>, tensor<?x64xf16>) outs(%g : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}
