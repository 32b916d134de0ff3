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

// A bf16 is the integer with its bits wherever it is moved.
// CHECK-LABEL: func.func @bits
// CHECK-NOT: bf16
// CHECK: scf.for {{.*}} -> (i16)
// CHECK: arith.andi %{{.*}}, %{{.*}} : i16
// CHECK-NOT: bf16
// CHECK: vector.broadcast %{{.*}} : i16 to vector<8xi16>
// CHECK: return
func.func @bits(%x: f32, %n: index) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %least = arith.constant 0xFF80 : bf16
  %y = arith.truncf %x : f32 to bf16
  %z = scf.for %i = %c0 to %n step %c1 iter_args(%a = %least) -> (bf16) {
    %b = math.absf %y : bf16
    scf.yield %b : bf16
  }
  %v = vector.broadcast %z : bf16 to vector<8xbf16>
  %w = arith.extf %v : vector<8xbf16> to vector<8xf32>
  return %w : vector<8xf32>
}
