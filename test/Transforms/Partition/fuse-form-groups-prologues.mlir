// Reductions of a contraction's prologue are part of its kernel where that is legal and predicted to be faster; remarks say so.
// RUN: fusion-opt %s --fuse-explicit-numerics --fuse-normalize --cse --fuse-form-groups=chip=sm_80 \
// RUN:   --remarks-filter=fuse -o %t.groups 2> %t.remarks
// RUN: FileCheck %s < %t.groups
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#vector = affine_map<(i) -> (i)>

// REMARK: remark: [Passed] head | Category:fuse |{{.*}} Remark="the reductions of the contraction's prologue are in its kernel: predicted {{.*}} us together against {{.*}} us apart"
// CHECK-LABEL: func.func @mean_square
// CHECK: fuse.chain
// CHECK: iterator_types = ["parallel", "reduction"]
// CHECK: math.rsqrt
// CHECK: linalg.matmul
// CHECK: fuse.yield %{{[0-9]+}} : tensor<64x64xf32>
// CHECK-NOT: fuse.stitch
func.func @mean_square(%x: tensor<64x128xf16>, %w: tensor<128x64xf16>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 128.0 : f32
  %s0 = tensor.empty() : tensor<64xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x128xf16>) outs(%s1 : tensor<64xf32>) {
  ^bb0(%a: f16, %o: f32):
    %e = arith.extf %a : f16 to f32
    %q = arith.mulf %e, %e : f32
    %r = arith.addf %o, %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %m0 = tensor.empty() : tensor<64xf32>
  %m = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%s : tensor<64xf32>) outs(%m0 : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.divf %a, %n : f32
    %r = math.rsqrt %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %y0 = tensor.empty() : tensor<64x128xf16>
  %y = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<64x128xf16>, tensor<64xf32>) outs(%y0 : tensor<64x128xf16>) {
  ^bb0(%a: f16, %b: f32, %o: f16):
    %e = arith.extf %a : f16 to f32
    %q = arith.mulf %e, %b : f32
    %r = arith.truncf %q : f32 to f16
    linalg.yield %r : f16
  } -> tensor<64x128xf16>
  %p0 = tensor.empty() : tensor<64x64xf32>
  %p1 = linalg.fill ins(%zero : f32) outs(%p0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%y, %w : tensor<64x128xf16>, tensor<128x64xf16>) outs(%p1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p : tensor<64x64xf32>
}

// Values of rows leave as further results.
// REMARK: remark: [Passed] head
// CHECK-LABEL: func.func @with_its_scale
// CHECK: fuse.chain
// CHECK: fuse.yield %{{[0-9]+}}, %{{[0-9]+}} : tensor<64xf32>, tensor<64x64xf32>
// CHECK-NOT: fuse.stitch
func.func @with_its_scale(%x: tensor<64x128xf16>, %w: tensor<128x64xf16>) -> (tensor<64x64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 128.0 : f32
  %s0 = tensor.empty() : tensor<64xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x128xf16>) outs(%s1 : tensor<64xf32>) {
  ^bb0(%a: f16, %o: f32):
    %e = arith.extf %a : f16 to f32
    %q = arith.mulf %e, %e : f32
    %r = arith.addf %o, %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %m0 = tensor.empty() : tensor<64xf32>
  %m = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%s : tensor<64xf32>) outs(%m0 : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.divf %a, %n : f32
    %r = math.rsqrt %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %y0 = tensor.empty() : tensor<64x128xf16>
  %y = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<64x128xf16>, tensor<64xf32>) outs(%y0 : tensor<64x128xf16>) {
  ^bb0(%a: f16, %b: f32, %o: f16):
    %e = arith.extf %a : f16 to f32
    %q = arith.mulf %e, %b : f32
    %r = arith.truncf %q : f32 to f16
    linalg.yield %r : f16
  } -> tensor<64x128xf16>
  %p0 = tensor.empty() : tensor<64x64xf32>
  %p1 = linalg.fill ins(%zero : f32) outs(%p0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%y, %w : tensor<64x128xf16>, tensor<128x64xf16>) outs(%p1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p, %m : tensor<64x64xf32>, tensor<64xf32>
}

// Two contractions multiply normalised values: each recomputes them.
// REMARK: remark: [Passed] head-copied | Category:fuse |{{.*}} Remark="each of 2 contractions recomputes their common prologue: predicted {{.*}} us with copies of their own against {{.*}} us with kernels for it"
// CHECK-LABEL: func.func @two_projections
// CHECK-NOT: fuse.stitch
// CHECK: fuse.chain
// CHECK: math.rsqrt
// CHECK: linalg.matmul
// CHECK: fuse.chain
// CHECK: math.rsqrt
// CHECK: linalg.matmul
// CHECK-NOT: fuse.stitch
func.func @two_projections(%x: tensor<64x128xf16>, %w: tensor<128x64xf16>, %v: tensor<128x64xf16>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 128.0 : f32
  %s0 = tensor.empty() : tensor<64xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x128xf16>) outs(%s1 : tensor<64xf32>) {
  ^bb0(%a: f16, %o: f32):
    %e = arith.extf %a : f16 to f32
    %q = arith.mulf %e, %e : f32
    %r = arith.addf %o, %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %y0 = tensor.empty() : tensor<64x128xf16>
  %y = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<64x128xf16>, tensor<64xf32>) outs(%y0 : tensor<64x128xf16>) {
  ^bb0(%a: f16, %b: f32, %o: f16):
    %e = arith.extf %a : f16 to f32
    %m = arith.divf %b, %n : f32
    %c = math.rsqrt %m : f32
    %q = arith.mulf %e, %c : f32
    %r = arith.truncf %q : f32 to f16
    linalg.yield %r : f16
  } -> tensor<64x128xf16>
  %p0 = tensor.empty() : tensor<64x64xf32>
  %p1 = linalg.fill ins(%zero : f32) outs(%p0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%y, %w : tensor<64x128xf16>, tensor<128x64xf16>) outs(%p1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %h = linalg.matmul ins(%y, %v : tensor<64x128xf16>, tensor<128x64xf16>) outs(%p1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p, %h : tensor<64x64xf32>, tensor<64x64xf32>
}

// Other operators read the normalised values, too: a kernel before the contraction computes them.
// CHECK-LABEL: func.func @normalised_is_a_result
// CHECK-COUNT-1: fuse.stitch
// CHECK-NOT: fuse.stitch
// CHECK: fuse.chain
// CHECK-NOT: "reduction"
// CHECK: linalg.matmul
func.func @normalised_is_a_result(%x: tensor<64x128xf16>, %w: tensor<128x64xf16>) -> (tensor<64x64xf32>, tensor<64x128xf16>) {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 128.0 : f32
  %s0 = tensor.empty() : tensor<64xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x128xf16>) outs(%s1 : tensor<64xf32>) {
  ^bb0(%a: f16, %o: f32):
    %e = arith.extf %a : f16 to f32
    %q = arith.mulf %e, %e : f32
    %r = arith.addf %o, %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %m0 = tensor.empty() : tensor<64xf32>
  %m = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%s : tensor<64xf32>) outs(%m0 : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.divf %a, %n : f32
    %r = math.rsqrt %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %y0 = tensor.empty() : tensor<64x128xf16>
  %y = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<64x128xf16>, tensor<64xf32>) outs(%y0 : tensor<64x128xf16>) {
  ^bb0(%a: f16, %b: f32, %o: f16):
    %e = arith.extf %a : f16 to f32
    %q = arith.mulf %e, %b : f32
    %r = arith.truncf %q : f32 to f16
    linalg.yield %r : f16
  } -> tensor<64x128xf16>
  %p0 = tensor.empty() : tensor<64x64xf32>
  %p1 = linalg.fill ins(%zero : f32) outs(%p0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%y, %w : tensor<64x128xf16>, tensor<128x64xf16>) outs(%p1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p, %y : tensor<64x64xf32>, tensor<64x128xf16>
}

// Statistics of columns are not along the axis that the product sums over.
// REMARK: remark: [Missed] head-apart | Category:fuse |{{.*}} Remark="the reductions of the contraction's prologue are kernels of their own: a reduction of a contraction's prologue is along other axes than the contraction sums over"
// CHECK-LABEL: func.func @columns
// CHECK: fuse.stitch
// CHECK: fuse.chain
func.func @columns(%x: tensor<64x128xf32>, %w: tensor<128x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %s0 = tensor.empty() : tensor<128xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<128xf32>) -> tensor<128xf32>
  %s = linalg.generic {indexing_maps = [#full, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<64x128xf32>) outs(%s1 : tensor<128xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<128xf32>
  %y0 = tensor.empty() : tensor<64x128xf32>
  %y = linalg.generic {indexing_maps = [#full, affine_map<(i, j) -> (j)>, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<64x128xf32>, tensor<128xf32>) outs(%y0 : tensor<64x128xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<64x128xf32>
  %p0 = tensor.empty() : tensor<64x64xf32>
  %p1 = linalg.fill ins(%zero : f32) outs(%p0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%y, %w : tensor<64x128xf32>, tensor<128x64xf32>) outs(%p1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p : tensor<64x64xf32>
}
