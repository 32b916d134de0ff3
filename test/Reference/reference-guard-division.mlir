// RUN: fusion-opt %s --reference-guard-division | FileCheck %s
// RUN: fusion-run %s --device=reference

// CHECK-LABEL: func.func @quotient
// CHECK: %[[ZERO:.*]] = arith.cmpi eq, %[[Y:.*]], %c0_i32
// CHECK: arith.cmpi eq, %[[Y]], %c-1_i32
// CHECK: arith.cmpi eq, %{{.*}}, %c-2147483648_i32
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: func.call @fusion_reference_undefined()
// CHECK: %[[SAFE:.*]] = arith.select %{{.*}}, %c1_i32, %[[Y]]
// CHECK: arith.divsi %{{.*}}, %[[SAFE]]
func.func @quotient(%a: tensor<64xi32>, %b: tensor<64xi32>) -> tensor<64xi32> {
  %e = tensor.empty() : tensor<64xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%a, %b : tensor<64xi32>, tensor<64xi32>) outs(%e : tensor<64xi32>) {
  ^bb0(%x: i32, %y: i32, %o: i32):
    %q = arith.divsi %x, %y : i32
    linalg.yield %q : i32
  } -> tensor<64xi32>
  return %r : tensor<64xi32>
}
