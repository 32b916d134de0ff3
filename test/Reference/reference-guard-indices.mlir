// RUN: fusion-opt %s --reference-guard-indices | FileCheck %s

// What data gives is checked, each dimension for itself; what loops give is inside.
// CHECK-LABEL: func.func @picked
// CHECK-SAME: (%[[TABLE:.*]]: memref<?x16xf32>, %[[AT:.*]]: memref<8xi32>, %[[COLUMN:.*]]: index, %{{.*}}: memref<8x16xf32>)
// CHECK: %[[NUMBER:.*]] = memref.load %[[AT]][%[[I:.*]]]
// CHECK: %[[ROW:.*]] = arith.index_cast %[[NUMBER]]
// CHECK: %[[ROWS:.*]] = memref.dim %[[TABLE]], %c0
// CHECK: %[[LEAVES:.*]] = arith.cmpi uge, %[[ROW]], %[[ROWS]]
// CHECK: %[[INSIDE:.*]] = arith.select %[[LEAVES]], %c0{{.*}}, %[[ROW]]
// CHECK: scf.if %[[LEAVES]] {
// CHECK-NEXT: func.call @fusion_reference_undefined()
// CHECK: memref.load %[[TABLE]][%[[INSIDE]], %[[J:.*]]]
// CHECK: arith.cmpi uge, %[[COLUMN]]
// CHECK: scf.if
// CHECK: memref.load %[[TABLE]][%[[I]], %{{.*}}]
// CHECK-NOT: scf.if
// CHECK: memref.load %[[TABLE]][%[[I]], %[[J]]]
func.func @picked(%table: memref<?x16xf32>, %at: memref<8xi32>, %column: index, %result: memref<8x16xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = arith.constant 8 : index
  %columns = arith.constant 16 : index
  scf.for %i = %zero to %rows step %one {
    scf.for %j = %zero to %columns step %one {
      %n = memref.load %at[%i] : memref<8xi32>
      %row = arith.index_cast %n : i32 to index
      %a = memref.load %table[%row, %j] : memref<?x16xf32>
      %b = memref.load %table[%i, %column] : memref<?x16xf32>
      %c = memref.load %table[%i, %j] : memref<?x16xf32>
      %d = arith.addf %a, %b : f32
      %e = arith.addf %c, %d : f32
      memref.store %e, %result[%i, %j] : memref<8x16xf32>
    }
  }
  return
}
