// RUN: fusion-opt %s --reference-report-assertions | FileCheck %s

// CHECK-DAG: memref.global "private" constant @[[TEXT:.*]] : memref<6xi8> = dense<[115, 105, 122, 101, 115, 0]>
// CHECK-DAG: func.func private @fusion_reference_refuse(index, index, index)
// CHECK-DAG: func.func private @fusion_reference_goes_on() -> i1

// CHECK-LABEL: func.func @callee
// CHECK-SAME: (%[[A:.*]]: memref<?xf32>, %[[M:.*]]: index, %[[N:.*]]: index)
// CHECK: %[[OK:.*]] = arith.cmpi eq, %[[M]], %[[N]]
// CHECK: cf.cond_br %[[OK]], ^[[REST:.*]], ^[[LEAVE:.*]]
// CHECK: ^[[REST]]:
// CHECK: return %[[A]]
// CHECK: ^[[LEAVE]]:
// CHECK: %[[GLOBAL:.*]] = memref.get_global @[[TEXT]]
// CHECK: %[[AT:.*]] = memref.extract_aligned_pointer_as_index %[[GLOBAL]]
// CHECK: call @fusion_reference_refuse(%[[AT]], %[[M]], %[[N]])
// CHECK: %[[NOTHING:.*]] = ub.poison : memref<?xf32>
// CHECK: return %[[NOTHING]]
func.func @callee(%a: memref<?xf32>, %m: index, %n: index) -> memref<?xf32> {
  %ok = arith.cmpi eq, %m, %n : index
  cf.assert %ok, "sizes"
  return %a : memref<?xf32>
}

// CHECK-LABEL: func.func @caller
// CHECK: call @callee
// CHECK: %[[ON:.*]] = call @fusion_reference_goes_on()
// CHECK: cf.cond_br %[[ON]], ^[[REST:.*]], ^[[LEAVE:.*]]
// CHECK: ^[[REST]]:
// CHECK: memref.load
// CHECK: ^[[LEAVE]]:
// CHECK: ub.poison : f32
func.func @caller(%a: memref<?xf32>, %m: index, %n: index) -> f32 {
  %r = call @callee(%a, %m, %n) : (memref<?xf32>, index, index) -> memref<?xf32>
  %x = memref.load %r[%m] : memref<?xf32>
  return %x : f32
}
