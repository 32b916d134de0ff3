// RUN: fusion-opt %s --fuse-explicit-numerics --fuse-normalize --cse --fuse-form-groups \
// RUN:   --remarks-filter='.*' --remark-policy=all -o %t.groups 2> %t.remarks
// RUN: FileCheck %s < %t.groups
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: fusion-opt %s --fuse-explicit-numerics --fuse-normalize --cse --fuse-form-groups=force-fusion \
// RUN:   --remarks-filter='.*' --remark-policy=all -o - 2>&1 | FileCheck %s --check-prefix=FORCED

// The chip is noted for the passes that follow.
// CHECK: module attributes {fuse.chip = #fuse.chip<"sm_80">}

// Two contractions with a low arithmetic intensity.
// REMARK: [[@LINE+9]]:{{.*}}remark: [Analysis] intensity {{.*}}intensity of the contraction is 53.9 flop per element moved, the balance of sm_80 is {{.*}}: memory-bound
// REMARK: remark: [Passed] fused {{.*}}fused 2 contractions into one kernel: predicted {{.*}} us against {{.*}} us separately"
// CHECK-LABEL: func.func @memory_bound_chain
// CHECK-SAME: (%[[A:.*]]: tensor<512x64xf16>, %[[B:.*]]: tensor<64x256xf16>, %[[D:.*]]: tensor<256x64xf16>)
func.func @memory_bound_chain(%a: tensor<512x64xf16>, %b: tensor<64x256xf16>, %d: tensor<256x64xf16>) -> tensor<512x64xf16> {
  %z = arith.constant 0.0 : f16
  %e0 = tensor.empty() : tensor<512x256xf16>
  %f0 = linalg.fill ins(%z : f16) outs(%e0 : tensor<512x256xf16>) -> tensor<512x256xf16>
  // CHECK: %[[O:.*]] = tensor.empty() : tensor<512x64xf16>
  %c = linalg.matmul ins(%a, %b : tensor<512x64xf16>, tensor<64x256xf16>) outs(%f0 : tensor<512x256xf16>) -> tensor<512x256xf16>
  %e1 = tensor.empty() : tensor<512x64xf16>
  %f1 = linalg.fill ins(%z : f16) outs(%e1 : tensor<512x64xf16>) -> tensor<512x64xf16>
  // CHECK-NEXT: %[[E:.*]] = fuse.chain ins(%[[X:.*]] = %[[A]] : {{.*}}, %[[Y:.*]] = %[[B]] : {{.*}}, %[[Z:.*]] = %[[D]] : {{.*}}) outs(%[[P:.*]] = %[[O]] : tensor<512x64xf16>) {
  // CHECK: %[[C:.*]] = linalg.matmul ins(%[[X]], %[[Y]] :
  // CHECK: %[[H:.*]] = linalg.generic {{.*}} ins(%[[C]] :
  // CHECK: linalg.matmul ins(%[[H]], %[[Z]] :
  // CHECK: %[[R:.*]] = linalg.generic {{.*}} outs(%[[P]] :
  // CHECK: fuse.yield %[[R]]
  // CHECK-NEXT: } -> tensor<512x64xf16>
  // CHECK-NEXT: return %[[E]]
  %e = linalg.matmul ins(%c, %d : tensor<512x256xf16>, tensor<256x64xf16>) outs(%f1 : tensor<512x64xf16>) -> tensor<512x64xf16>
  return %e : tensor<512x64xf16>
}

// Fused, large products compute or move many times as much.
// REMARK: [Analysis] intensity {{.*}}: compute-bound
// REMARK: [Missed] not-fused {{.*}}not fused with the contraction before it: predicted {{.*}} us fused against {{.*}} us separately; the fused kernel is bound by {{.*}}, computes {{.*}} times the flops and moves {{.*}} times the bytes
// FORCED: [Passed] fused {{.*}}fused 2 contractions into one kernel: predicted {{.*}} us against {{.*}} us separately (forced)
// CHECK-LABEL: func.func @compute_bound_products_stay_apart
// CHECK-COUNT-2: fuse.chain
// CHECK-NOT: fuse.chain
// FORCED-LABEL: func.func @compute_bound_products_stay_apart
// FORCED: fuse.chain
// FORCED-NOT: fuse.chain
func.func @compute_bound_products_stay_apart(%a: tensor<4096x4096xf16>, %b: tensor<4096x4096xf16>, %d: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
  %z = arith.constant 0.0 : f16
  %e0 = tensor.empty() : tensor<4096x4096xf16>
  %f0 = linalg.fill ins(%z : f16) outs(%e0 : tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  %c = linalg.matmul ins(%a, %b : tensor<4096x4096xf16>, tensor<4096x4096xf16>) outs(%f0 : tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  %e = linalg.matmul ins(%c, %d : tensor<4096x4096xf16>, tensor<4096x4096xf16>) outs(%f0 : tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  return %e : tensor<4096x4096xf16>
}

// A value that is also returned is no intermediate, whatever the cost says.
// CHECK-LABEL: func.func @value_read_twice_stays
// CHECK-COUNT-2: fuse.chain
// FORCED-LABEL: func.func @value_read_twice_stays
// FORCED-COUNT-2: fuse.chain
func.func @value_read_twice_stays(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %d: tensor<48x64xf16>) -> (tensor<64x48xf32>, tensor<64x64xf32>) {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x48xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  %c = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%f0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  %e1 = tensor.empty() : tensor<64x48xf16>
  %h = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<64x48xf32>) outs(%e1 : tensor<64x48xf16>) {
  ^bb0(%x: f32, %o: f16):
    %t = arith.truncf %x : f32 to f16
    linalg.yield %t : f16
  } -> tensor<64x48xf16>
  %e2 = tensor.empty() : tensor<64x64xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %e = linalg.matmul ins(%h, %d : tensor<64x48xf16>, tensor<48x64xf16>) outs(%f2 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %c, %e : tensor<64x48xf32>, tensor<64x64xf32>
}

// Element-wise operators before, between and after the contractions belong to the chain.
// CHECK-LABEL: func.func @elementwise_operators_come_along
// CHECK: fuse.chain
// CHECK: arith.mulf
// CHECK: linalg.matmul
// CHECK: arith.maximumf
// CHECK: linalg.matmul
// CHECK: arith.addf
// CHECK: fuse.yield
// CHECK-NOT: fuse.stitch
// CHECK: return
func.func @elementwise_operators_come_along(%a: tensor<64x32xf16>, %s: tensor<32xf16>, %b: tensor<32x48xf16>, %d: tensor<48x64xf16>, %bias: tensor<64xf16>) -> tensor<64x64xf16> {
  %z = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<64x32xf16>
  %scaled = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a, %s : tensor<64x32xf16>, tensor<32xf16>) outs(%e : tensor<64x32xf16>) {
  ^bb0(%x: f16, %y: f16, %o: f16):
    %t = arith.mulf %x, %y : f16
    linalg.yield %t : f16
  } -> tensor<64x32xf16>
  %e0 = tensor.empty() : tensor<64x48xf16>
  %f0 = linalg.fill ins(%z : f16) outs(%e0 : tensor<64x48xf16>) -> tensor<64x48xf16>
  %c = linalg.matmul ins(%scaled, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%f0 : tensor<64x48xf16>) -> tensor<64x48xf16>
  %relu = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<64x48xf16>) outs(%e0 : tensor<64x48xf16>) {
  ^bb0(%x: f16, %o: f16):
    %t = arith.maximumf %x, %z : f16
    linalg.yield %t : f16
  } -> tensor<64x48xf16>
  %e1 = tensor.empty() : tensor<64x64xf16>
  %f1 = linalg.fill ins(%z : f16) outs(%e1 : tensor<64x64xf16>) -> tensor<64x64xf16>
  %p = linalg.matmul ins(%relu, %d : tensor<64x48xf16>, tensor<48x64xf16>) outs(%f1 : tensor<64x64xf16>) -> tensor<64x64xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : tensor<64x64xf16>, tensor<64xf16>) outs(%e1 : tensor<64x64xf16>) {
  ^bb0(%x: f16, %y: f16, %o: f16):
    %t = arith.addf %x, %y : f16
    linalg.yield %t : f16
  } -> tensor<64x64xf16>
  return %r : tensor<64x64xf16>
}

// The same product in other words: a generic operation, a contraction with maps, a batch.
// CHECK-LABEL: func.func @other_forms_of_products
// CHECK: fuse.chain
// CHECK: linalg.generic {{.*}}"reduction"]
// CHECK: fuse.chain
// CHECK: linalg.contract
// CHECK: fuse.chain
// CHECK: linalg.batch_matmul
// CHECK: fuse.chain
// CHECK: linalg.matmul indexing_maps
// CHECK-NOT: fuse.stitch
// CHECK: return
func.func @other_forms_of_products(%a: tensor<64x32xf16>, %b: tensor<48x32xf16>, %g: tensor<2x64x32xf16>, %h: tensor<2x32x48xf16>)
    -> (tensor<64x48xf32>, tensor<48x64xf32>, tensor<2x64x48xf32>, tensor<64x48xf32>) {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x48xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32xf16>, tensor<48x32xf16>) outs(%f0 : tensor<64x48xf32>) {
  ^bb0(%x: f16, %y: f16, %o: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %p = arith.mulf %u, %v : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<64x48xf32>
  %e1 = tensor.empty() : tensor<48x64xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<48x64xf32>) -> tensor<48x64xf32>
  %1 = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (n, m)>]
      ins(%a, %b : tensor<64x32xf16>, tensor<48x32xf16>) outs(%f1 : tensor<48x64xf32>) -> tensor<48x64xf32>
  %e2 = tensor.empty() : tensor<2x64x48xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<2x64x48xf32>) -> tensor<2x64x48xf32>
  %2 = linalg.batch_matmul ins(%g, %h : tensor<2x64x32xf16>, tensor<2x32x48xf16>) outs(%f2 : tensor<2x64x48xf32>) -> tensor<2x64x48xf32>
  %3 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<64x32xf16>, tensor<48x32xf16>) outs(%f0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %0, %1, %2, %3 : tensor<64x48xf32>, tensor<48x64xf32>, tensor<2x64x48xf32>, tensor<64x48xf32>
}

// CHECK-LABEL: func.func @operand_read_twice
// CHECK: fuse.chain ins(%[[X:.*]] = %[[A:.*]] : tensor<64x64xf16>, %[[Y:.*]] = %[[A]] : tensor<64x64xf16>)
// CHECK: linalg.matmul ins(%[[X]], %[[Y]] :
func.func @operand_read_twice(%a: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x64xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul ins(%a, %a : tensor<64x64xf16>, tensor<64x64xf16>) outs(%f0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// An operator that adds two contractions joins them in one kernel.
// CHECK-LABEL: func.func @sum_of_two_products
// CHECK: fuse.chain
// CHECK: linalg.matmul
// CHECK: linalg.matmul
// CHECK: linalg.add
// CHECK-NOT: fuse.chain
// REMARK: remark: [Passed] joined | Category:fuse |{{.*}} Remark="joined with the contractions whose values it meets: predicted {{.*}} joined against {{.*}} apart"
func.func @sum_of_two_products(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>) -> tensor<64x64xf32> {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x64xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x64xf16>) outs(%f0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%b, %a : tensor<32x64xf16>, tensor<64x32xf16>) outs(%f0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = linalg.add ins(%0, %1 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// What no chain can hold is stitched, as far as there are tile programs.
// CHECK-LABEL: func.func @other_operators_are_stitched
// CHECK: fuse.stitch
// CHECK: linalg.pooling_nhwc_max
// CHECK: fuse.stitch
// CHECK: linalg.reduce
// CHECK-NOT: fuse.stitch
// CHECK: linalg.exp
func.func @other_operators_are_stitched(%a: tensor<1x8x8x4xf32>, %b: tensor<8x9xf32>) -> (tensor<1x7x7x4xf32>, tensor<8xf32>) {
  %low = arith.constant 0xFF800000 : f32
  %w = tensor.empty() : tensor<2x2xf32>
  %e0 = tensor.empty() : tensor<1x7x7x4xf32>
  %f0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<1x7x7x4xf32>) -> tensor<1x7x7x4xf32>
  %0 = linalg.pooling_nhwc_max ins(%a, %w : tensor<1x8x8x4xf32>, tensor<2x2xf32>) outs(%f0 : tensor<1x7x7x4xf32>) -> tensor<1x7x7x4xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %f1 = linalg.fill ins(%low : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %1 = linalg.reduce { arith.maximumf } ins(%b : tensor<8x9xf32>) outs(%f1 : tensor<8xf32>) dimensions = [1]
  %2 = linalg.exp ins(%1 : tensor<8xf32>) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  return %0, %2 : tensor<1x7x7x4xf32>, tensor<8xf32>
}

// A fill that only starts others is copied into their groups; one that is read is a group.
// CHECK-LABEL: func.func @fill_that_is_returned
// CHECK: fuse.stitch outs(
// CHECK: linalg.fill
// CHECK: fuse.yield
func.func @fill_that_is_returned() -> tensor<8xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %f : tensor<8xf32>
}

// A contraction that no intrinsic multiplies runs in the generic form, and the remark says why.
// REMARK: [Missed] generic {{.*}}runs in the generic form: no intrinsic of sm_80 multiplies the operands of contraction 'C'
// CHECK-LABEL: func.func @f64_product
// CHECK: fuse.stitch
// CHECK: linalg.matmul
func.func @f64_product(%a: tensor<64x32xf64>, %b: tensor<32x48xf64>, %c: tensor<64x48xf64>) -> tensor<64x48xf64> {
  %z = arith.constant 0.0 : f64
  %f = linalg.fill ins(%z : f64) outs(%c : tensor<64x48xf64>) -> tensor<64x48xf64>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf64>, tensor<32x48xf64>) outs(%f : tensor<64x48xf64>) -> tensor<64x48xf64>
  return %0 : tensor<64x48xf64>
}

// A product with a vector is a reduction of products, stitched with what follows.
// REMARK: stitched 2 operators into one kernel
// CHECK-LABEL: func.func @matrix_times_vector
// CHECK: fuse.stitch
// CHECK: linalg.matvec
// CHECK: linalg.exp
// CHECK-NOT: fuse.stitch
// CHECK: return
func.func @matrix_times_vector(%a: tensor<64x32xf16>, %b: tensor<32xf16>) -> tensor<64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %0 = linalg.matvec ins(%a, %b : tensor<64x32xf16>, tensor<32xf16>) outs(%f : tensor<64xf32>) -> tensor<64xf32>
  %1 = linalg.exp ins(%0 : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %1 : tensor<64xf32>
}

// REMARK: runs in the generic form: axis 'm' has no static extent: dimension 0 of 'C' is dynamic
// CHECK-LABEL: func.func @dynamic_rows
// CHECK: fuse.stitch
func.func @dynamic_rows(%a: tensor<?x32xf16>, %b: tensor<32x48xf16>, %c: tensor<?x48xf32>) -> tensor<?x48xf32> {
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%c : tensor<?x48xf32>) -> tensor<?x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x32xf16>, tensor<32x48xf16>) outs(%f : tensor<?x48xf32>) -> tensor<?x48xf32>
  return %0 : tensor<?x48xf32>
}

// REMARK: runs in the generic form: axis 'k' is empty
// CHECK-LABEL: func.func @empty_reduction
// CHECK: fuse.stitch
func.func @empty_reduction(%a: tensor<64x0xf16>, %b: tensor<0x48xf16>) -> tensor<64x48xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x0xf16>, tensor<0x48xf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %0 : tensor<64x48xf32>
}

// REMARK: runs in the generic form: an operand is not an input but an empty or filled tensor
// CHECK-LABEL: func.func @operand_of_any_contents
// CHECK: fuse.stitch
func.func @operand_of_any_contents(%b: tensor<32x48xf16>) -> tensor<64x48xf32> {
  %z = arith.constant 0.0 : f32
  %a = tensor.empty() : tensor<64x32xf16>
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %0 : tensor<64x48xf32>
}

// A gather: the tensor that the body reads is an operand of the group.
// CHECK-LABEL: func.func @gather
// CHECK-SAME: (%[[T:.*]]: tensor<100x8xf32>, %[[I:.*]]: tensor<5xi32>)
// CHECK: fuse.stitch ins(%{{.*}} = %[[I]] : tensor<5xi32>, %[[X:.*]] = %[[T]] : tensor<100x8xf32>)
// CHECK: tensor.extract %[[X]]
func.func @gather(%t: tensor<100x8xf32>, %i: tensor<5xi32>) -> tensor<5x8xf32> {
  %e = tensor.empty() : tensor<5x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<5xi32>) outs(%e : tensor<5x8xf32>) {
  ^bb0(%x: i32, %o: f32):
    %r = arith.index_cast %x : i32 to index
    %c = linalg.index 1 : index
    %v = tensor.extract %t[%r, %c] : tensor<100x8xf32>
    linalg.yield %v : f32
  } -> tensor<5x8xf32>
  return %0 : tensor<5x8xf32>
}

// A scalar that the operator between takes from around it is no obstacle.
// FORCED-LABEL: func.func @scale_from_outside
// FORCED: fuse.chain
// FORCED-SAME: %{{.*}} = %[[S:.*]] : f32
// FORCED-NOT: fuse.chain
// FORCED-NOT: fuse.stitch
// CHECK-LABEL: func.func @scale_from_outside
func.func @scale_from_outside(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %d: tensor<48x64xf16>, %s: f32) -> tensor<64x64xf32> {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x48xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  %c = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%f0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  %h0 = tensor.empty() : tensor<64x48xf16>
  %h = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<64x48xf32>) outs(%h0 : tensor<64x48xf16>) {
  ^bb0(%x: f32, %o: f16):
    %y = arith.mulf %x, %s : f32
    %t = arith.truncf %y : f32 to f16
    linalg.yield %t : f16
  } -> tensor<64x48xf16>
  %e1 = tensor.empty() : tensor<64x64xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %e = linalg.matmul ins(%h, %d : tensor<64x48xf16>, tensor<48x64xf16>) outs(%f1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %e : tensor<64x64xf32>
}

// An operator that overwrites the value before it reads it in one place.
// FORCED-LABEL: func.func @in_place
// FORCED-COUNT-1: fuse.chain
// FORCED-NOT: fuse.chain
// FORCED-NOT: fuse.stitch
// CHECK-LABEL: func.func @in_place
func.func @in_place(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %d: tensor<48x64xf16>, %s: tensor<64x48xf16>) -> tensor<64x64xf32> {
  %z = arith.constant 0.0 : f16
  %e0 = tensor.empty() : tensor<64x48xf16>
  %f0 = linalg.fill ins(%z : f16) outs(%e0 : tensor<64x48xf16>) -> tensor<64x48xf16>
  %c = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%f0 : tensor<64x48xf16>) -> tensor<64x48xf16>
  %h = linalg.add ins(%c, %s : tensor<64x48xf16>, tensor<64x48xf16>) outs(%c : tensor<64x48xf16>) -> tensor<64x48xf16>
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<64x64xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %e = linalg.matmul ins(%h, %d : tensor<64x48xf16>, tensor<48x64xf16>) outs(%f1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %e : tensor<64x64xf32>
}

// An operator with two results, of which one needs the other's running value, so that the chain cannot include it, read again
// after the second contraction: the kernel ends before that reader.
// FORCED-LABEL: func.func @way_back
// FORCED: %[[C:.*]]:2 = fuse.chain
// FORCED: linalg.reduce
// FORCED: linalg.matmul
// FORCED: %[[TWO:.*]]:2 = fuse.stitch ins(%{{.*}} = %[[C]]#0
// FORCED: fuse.stitch ins(%{{.*}} = %[[C]]#1 : tensor<32x32xf32>, %{{.*}} = %[[TWO]]#0
// CHECK-LABEL: func.func @way_back
func.func @way_back(%a: tensor<32x16xf16>, %b: tensor<16x48xf16>, %d: tensor<48x32xf16>, %w: tensor<4xf32>) -> (tensor<32x32xf32>, tensor<32xf32>) {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<32x48xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<32x48xf32>) -> tensor<32x48xf32>
  %c = linalg.matmul ins(%a, %b : tensor<32x16xf16>, tensor<16x48xf16>) outs(%f0 : tensor<32x48xf32>) -> tensor<32x48xf32>
  %row = tensor.empty() : tensor<32xf32>
  %start = linalg.fill ins(%z : f32) outs(%row : tensor<32xf32>) -> tensor<32xf32>
  %sum = linalg.reduce { arith.addf } ins(%c : tensor<32x48xf32>) outs(%start : tensor<32xf32>) dimensions = [1]
  %h0 = tensor.empty() : tensor<32x48xf16>
  %h = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<32x48xf32>) outs(%h0 : tensor<32x48xf16>) {
  ^bb0(%x: f32, %o: f16):
    %t = arith.truncf %x : f32 to f16
    linalg.yield %t : f16
  } -> tensor<32x48xf16>
  %two:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
                           iterator_types = ["parallel", "reduction"]}
      ins(%sum, %w : tensor<32xf32>, tensor<4xf32>) outs(%start, %start : tensor<32xf32>, tensor<32xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32, %p: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %o, %m : f32
    %u = arith.addf %p, %o : f32
    linalg.yield %t, %u : f32, f32
  } -> (tensor<32xf32>, tensor<32xf32>)
  %e1 = tensor.empty() : tensor<32x32xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<32x32xf32>) -> tensor<32x32xf32>
  %e = linalg.matmul ins(%h, %d : tensor<32x48xf16>, tensor<48x32xf16>) outs(%f1 : tensor<32x32xf32>) -> tensor<32x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%e, %two#0 : tensor<32x32xf32>, tensor<32xf32>) outs(%e1 : tensor<32x32xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %t = arith.addf %x, %y : f32
    linalg.yield %t : f32
  } -> tensor<32x32xf32>
  return %r, %two#1 : tensor<32x32xf32>, tensor<32xf32>
}

// A contraction whose value is repeated along a loop of the result alone is a contraction.
// CHECK-LABEL: func.func @repeated_product
// CHECK: fuse.chain
// CHECK: iterator_types = ["parallel", "parallel", "parallel", "reduction"]
// CHECK-NOT: fuse.stitch
// CHECK: return
func.func @repeated_product(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> tensor<5x64x48xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x64x48xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<5x64x48xf32>) -> tensor<5x64x48xf32>
  %c = linalg.generic {
    indexing_maps = [affine_map<(r, m, n, k) -> (m, k)>, affine_map<(r, m, n, k) -> (k, n)>,
                     affine_map<(r, m, n, k) -> (r, m, n)>],
    iterator_types = ["parallel", "parallel", "parallel", "reduction"]
  } ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%f : tensor<5x64x48xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %x32 = arith.extf %x : f16 to f32
    %y32 = arith.extf %y : f16 to f32
    %p = arith.mulf %x32, %y32 : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<5x64x48xf32>
  return %c : tensor<5x64x48xf32>
}
