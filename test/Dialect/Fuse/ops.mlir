// Every op of the dialect, printed and read again.
// RUN: fusion-opt %s | FileCheck %s
// RUN: fusion-opt %s | fusion-opt | FileCheck %s
// RUN: fusion-opt %s --mlir-print-op-generic | fusion-opt | FileCheck %s

// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[A:.*]]: tensor<64x32xf16>, %[[B:.*]]: tensor<32x64xf16>, %[[O:.*]]: tensor<64x64xf32>)
func.func @chain(%A: tensor<64x32xf16>, %B: tensor<32x64xf16>, %O: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // CHECK: %[[E:.*]] = fuse.chain
  // CHECK-SAME: ins(%[[X:.*]] = %[[A]] : tensor<64x32xf16>, %[[Y:.*]] = %[[B]] : tensor<32x64xf16>)
  // CHECK-SAME: outs(%[[Z:.*]] = %[[O]] : tensor<64x64xf32>) {
  %e = fuse.chain ins(%a = %A : tensor<64x32xf16>, %b = %B : tensor<32x64xf16>)
                  outs(%o = %O : tensor<64x64xf32>) {
    %zero = arith.constant 0.0 : f32
    // CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[Z]] : tensor<64x64xf32>)
    %init = linalg.fill ins(%zero : f32) outs(%o : tensor<64x64xf32>) -> tensor<64x64xf32>
    // CHECK: %[[C:.*]] = linalg.matmul ins(%[[X]], %[[Y]] :
    %c = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x64xf16>)
                       outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
    // CHECK: fuse.yield %[[C]] : tensor<64x64xf32>
    fuse.yield %c : tensor<64x64xf32>
  // CHECK-NEXT: } -> tensor<64x64xf32>
  } -> tensor<64x64xf32>
  // CHECK: return %[[E]]
  return %e : tensor<64x64xf32>
}

// Scalars may be operands; a group may have several results.
// CHECK-LABEL: func.func @stitch_with_scalar_and_two_results
func.func @stitch_with_scalar_and_two_results(%A: tensor<8xf32>, %S: f32, %O: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: %{{.*}}:2 = fuse.stitch
  // CHECK-SAME: ins(%[[X:.*]] = %{{.*}} : tensor<8xf32>, %[[S:.*]] = %{{.*}} : f32)
  // CHECK-SAME: outs(%[[P:.*]] = %{{.*}} : tensor<8xf32>, %[[Q:.*]] = %{{.*}} : tensor<8xf32>) {
  %r:2 = fuse.stitch ins(%a = %A : tensor<8xf32>, %s = %S : f32)
                     outs(%o = %O : tensor<8xf32>, %p = %O : tensor<8xf32>) {
    %t:2 = linalg.generic {
        indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
        iterator_types = ["parallel"]}
        ins(%a, %s : tensor<8xf32>, f32) outs(%o, %p : tensor<8xf32>, tensor<8xf32>) {
    ^bb0(%x: f32, %y: f32, %u: f32, %v: f32):
      %0 = arith.addf %x, %y : f32
      %1 = arith.mulf %x, %y : f32
      linalg.yield %0, %1 : f32, f32
    } -> (tensor<8xf32>, tensor<8xf32>)
    // CHECK: fuse.yield %{{.*}}#0, %{{.*}}#1 : tensor<8xf32>, tensor<8xf32>
    fuse.yield %t#0, %t#1 : tensor<8xf32>, tensor<8xf32>
  // CHECK-NEXT: } -> (tensor<8xf32>, tensor<8xf32>)
  } -> (tensor<8xf32>, tensor<8xf32>)
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// A group without inputs has no ins.
// CHECK-LABEL: func.func @no_inputs
func.func @no_inputs(%O: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: fuse.stitch outs(
  // CHECK-SAME: attributes {note = "kept"} {
  %r = fuse.stitch outs(%o = %O : tensor<8xf32>) attributes {note = "kept"} {
    %one = arith.constant 1.0 : f32
    %f = linalg.fill ins(%one : f32) outs(%o : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %f : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// Groups have no side effects: groups without readers are erased, two equal groups become one.
// RUN: fusion-opt %s --canonicalize --cse | FileCheck %s --check-prefix=PURE
// PURE-LABEL: func.func @unused
// PURE-NOT: fuse.stitch
// PURE: return
func.func @unused(%O: tensor<8xf32>) -> tensor<8xf32> {
  %r = fuse.stitch outs(%o = %O : tensor<8xf32>) {
    %one = arith.constant 1.0 : f32
    %f = linalg.fill ins(%one : f32) outs(%o : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %f : tensor<8xf32>
  } -> tensor<8xf32>
  return %O : tensor<8xf32>
}
// PURE-LABEL: func.func @equal
// PURE: fuse.stitch
// PURE-NOT: fuse.stitch
func.func @equal(%O: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %r = fuse.stitch outs(%o = %O : tensor<8xf32>) {
    %one = arith.constant 1.0 : f32
    %f = linalg.fill ins(%one : f32) outs(%o : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %f : tensor<8xf32>
  } -> tensor<8xf32>
  %s = fuse.stitch outs(%o = %O : tensor<8xf32>) {
    %one = arith.constant 1.0 : f32
    %f = linalg.fill ins(%one : f32) outs(%o : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %f : tensor<8xf32>
  } -> tensor<8xf32>
  return %r, %s : tensor<8xf32>, tensor<8xf32>
}
