// RUN: fusion-opt %s --convert-math-to-cpu | FileCheck %s

// An exponential is arithmetic on whole vectors.
// CHECK-LABEL: func.func @exponential
// CHECK-NOT: math.exp
// CHECK: math.fma {{.*}} : vector<16xf32>
// CHECK: arith.shli {{.*}} : vector<16xi32>
// CHECK: return
func.func @exponential(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// Functions of narrow types are computed in f32.
// CHECK-LABEL: func.func @narrow
// CHECK: arith.extf {{.*}} : vector<8xf16> to vector<8xf32>
// CHECK-NOT: math.tanh
// CHECK: arith.truncf {{.*}} : vector<8xf32> to vector<8xf16>
func.func @narrow(%x: vector<8xf16>) -> vector<8xf16> {
  %0 = math.tanh %x : vector<8xf16>
  return %0 : vector<8xf16>
}

// What has no vector form is called for each lane.
// CHECK-LABEL: func.func @lanes
// CHECK-COUNT-4: llvm.call @_Z3sinf
// CHECK-NOT: llvm.call
// CHECK: return
func.func @lanes(%x: vector<4xf32>) -> vector<4xf32> {
  %0 = math.sin %x : vector<4xf32>
  return %0 : vector<4xf32>
}

// CHECK-LABEL: func.func @root
// CHECK: %[[ROOT:.*]] = math.sqrt %{{.*}} : vector<8xf32>
// CHECK: arith.divf %{{.*}}, %[[ROOT]]
func.func @root(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.rsqrt %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// Conversions of 8-bit floats are integer arithmetic, and everything else on them is done in f32.
// CHECK-LABEL: func.func @bytes
// CHECK: arith.bitcast %{{.*}} : vector<8xf8E4M3FN> to vector<8xi8>
// CHECK: arith.maximumf %{{.*}} : vector<8xf32>
// CHECK: arith.trunci %{{.*}} : vector<8xi32> to vector<8xi8>
// CHECK-NOT: arith.extf
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @bytes(%x: vector<8xf8E4M3FN>, %y: vector<8xf8E4M3FN>) -> vector<8xf8E4M3FN> {
  %0 = arith.maximumf %x, %y : vector<8xf8E4M3FN>
  return %0 : vector<8xf8E4M3FN>
}
