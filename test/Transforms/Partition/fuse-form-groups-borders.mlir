// Operators between a contraction and stitched operators become a part of the contraction's kernel or of the stitched one,
// whichever takes less time in all: epilogues and prologues.
// RUN: fusion-opt %s --fuse-explicit-numerics --fuse-normalize --cse --fuse-form-groups --remarks-filter=fuse --remark-policy=all \
// RUN:   -o %t.groups 2> %t.remarks
// RUN: FileCheck %s < %t.groups
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: fusion-opt %s --fuse-explicit-numerics --fuse-normalize --cse --fuse-form-groups=force-fusion=true --remarks-filter=fuse -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FORCED

// What is legal is the chain's where fusion is forced.
// FORCED: [Passed] border {{.*}} Function=read_together {{.*}} are the chain's: {{.*}} us with them in the groups (forced)"

#full = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>

// Less is stored of narrow numbers: the conversion is the chain's.
// REMARK: [Passed] border {{.*}}1 operators next to stitched groups are the chain's: predicted {{.*}} us for the chain and the groups around with them in the chain, {{.*}} us with them in the groups
// CHECK-LABEL: func.func @narrowed
// CHECK: fuse.chain
// CHECK: arith.truncf
// CHECK: fuse.yield {{.*}} : tensor<2048x2048xf16>
// CHECK: fuse.stitch
// CHECK: fuse.yield {{.*}} : tensor<2048xf32>
func.func @narrowed(%a: tensor<2048x512xf16>, %b: tensor<512x2048xf16>) -> (tensor<2048x2048xf16>, tensor<2048xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2048x2048xf32>
  %h = tensor.empty() : tensor<2048x2048xf16>
  %v = tensor.empty() : tensor<2048xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %p = linalg.matmul ins(%a, %b : tensor<2048x512xf16>, tensor<512x2048xf16>) outs(%f : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %n = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<2048x2048xf32>) outs(%h : tensor<2048x2048xf16>) {
  ^bb0(%x: f32, %o: f16):
    %r = arith.truncf %x : f32 to f16
    linalg.yield %r : f16
  } -> tensor<2048x2048xf16>
  %z = linalg.fill ins(%zero : f32) outs(%v : tensor<2048xf32>) -> tensor<2048xf32>
  %s = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%n : tensor<2048x2048xf16>) outs(%z : tensor<2048xf32>) {
  ^bb0(%x: f16, %o: f32):
    %w = arith.extf %x : f16 to f32
    %r = arith.addf %w, %o : f32
    linalg.yield %r : f32
  } -> tensor<2048xf32>
  return %n, %s : tensor<2048x2048xf16>, tensor<2048xf32>
}

// What the stitched operators read anyway they add themselves.
// REMARK: [Missed] border-left {{.*}}1 operators next to stitched groups are left to these: predicted {{.*}} us for the chain and the groups around with them in the chain, {{.*}} us with them in the groups
// CHECK-LABEL: func.func @read_together
// CHECK: fuse.chain
// CHECK-NOT: linalg.add
// CHECK: fuse.yield
// CHECK: fuse.stitch
// CHECK: linalg.add
// CHECK-NOT: fuse.stitch
// CHECK: return
func.func @read_together(%a: tensor<2048x512xf16>, %b: tensor<512x2048xf16>, %big: tensor<2048x2048xf32>) -> (tensor<2048x2048xf32>, tensor<2048x2048xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2048x2048xf32>
  %v = tensor.empty() : tensor<2048xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %p = linalg.matmul ins(%a, %b : tensor<2048x512xf16>, tensor<512x2048xf16>) outs(%f : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %q = linalg.add ins(%p, %big : tensor<2048x2048xf32>, tensor<2048x2048xf32>) outs(%e : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %t = linalg.mul ins(%q, %big : tensor<2048x2048xf32>, tensor<2048x2048xf32>) outs(%e : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %soft = linalg.softmax dimension(1) ins(%t : tensor<2048x2048xf32>) outs(%e : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %soft2 = linalg.softmax dimension(1) ins(%q : tensor<2048x2048xf32>) outs(%e : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  return %soft, %soft2 : tensor<2048x2048xf32>, tensor<2048x2048xf32>
}

// With a prologue the contraction's kernel loads two operands in place of one, which saves a kernel's store of the prologue.
// REMARK: [Passed] border {{.*}}1 operators next to stitched groups are the chain's
// CHECK-LABEL: func.func @in_front
// CHECK: fuse.stitch
// CHECK-NOT: arith.truncf
// CHECK: fuse.yield
// CHECK: fuse.chain
// CHECK: arith.truncf
// CHECK: linalg.matmul
func.func @in_front(%x: tensor<16384x512xf32>, %y: tensor<16384x512xf32>, %b: tensor<512x512xf16>) -> (tensor<16384x512xf32>, tensor<16384x512xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16384x512xf32>
  %h = tensor.empty() : tensor<16384x512xf16>
  %s = linalg.softmax dimension(1) ins(%x : tensor<16384x512xf32>) outs(%e : tensor<16384x512xf32>) -> tensor<16384x512xf32>
  %n = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%s, %y : tensor<16384x512xf32>, tensor<16384x512xf32>) outs(%h : tensor<16384x512xf16>) {
  ^bb0(%p: f32, %q: f32, %o: f16):
    %u = arith.mulf %p, %q : f32
    %r = arith.truncf %u : f32 to f16
    linalg.yield %r : f16
  } -> tensor<16384x512xf16>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16384x512xf32>) -> tensor<16384x512xf32>
  %p = linalg.matmul ins(%n, %b : tensor<16384x512xf16>, tensor<512x512xf16>) outs(%f : tensor<16384x512xf32>) -> tensor<16384x512xf32>
  return %s, %p : tensor<16384x512xf32>, tensor<16384x512xf32>
}

// Where it would load them for many columns the stitched operators compute it.
// REMARK: [Missed] border-left {{.*}}1 operators next to stitched groups are left to these
// CHECK-LABEL: func.func @in_front_of_many_columns
// CHECK: fuse.stitch
// CHECK: arith.truncf
// CHECK: fuse.yield
// CHECK: fuse.chain
// CHECK-NOT: arith.truncf
// CHECK: linalg.matmul
func.func @in_front_of_many_columns(%x: tensor<2048x512xf32>, %y: tensor<2048x512xf32>, %b: tensor<512x8192xf16>) -> (tensor<2048x512xf32>, tensor<2048x8192xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2048x512xf32>
  %w = tensor.empty() : tensor<2048x8192xf32>
  %h = tensor.empty() : tensor<2048x512xf16>
  %s = linalg.softmax dimension(1) ins(%x : tensor<2048x512xf32>) outs(%e : tensor<2048x512xf32>) -> tensor<2048x512xf32>
  %n = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%s, %y : tensor<2048x512xf32>, tensor<2048x512xf32>) outs(%h : tensor<2048x512xf16>) {
  ^bb0(%p: f32, %q: f32, %o: f16):
    %u = arith.mulf %p, %q : f32
    %r = arith.truncf %u : f32 to f16
    linalg.yield %r : f16
  } -> tensor<2048x512xf16>
  %f = linalg.fill ins(%zero : f32) outs(%w : tensor<2048x8192xf32>) -> tensor<2048x8192xf32>
  %p = linalg.matmul ins(%n, %b : tensor<2048x512xf16>, tensor<512x8192xf16>) outs(%f : tensor<2048x8192xf32>) -> tensor<2048x8192xf32>
  return %s, %p : tensor<2048x512xf32>, tensor<2048x8192xf32>
}
