// RUN: fusion-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(nvvm-expand-narrow-floats))' | FileCheck %s

// Without instructions: integer arithmetic, one multiplication for the bias.
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  gpu.module @kernels {
    // CHECK-LABEL: func.func @extend
    // CHECK-DAG: %[[SCALE:.*]] = arith.constant 5.19229686E+33 : f32
    // CHECK-DAG: %[[INFINITY:.*]] = arith.constant 0x7F800000 : f32
    // CHECK: %[[CODE:.*]] = arith.bitcast %{{.*}} : f8E5M2 to i8
    // CHECK: %[[WIDE:.*]] = arith.extui %[[CODE]] : i8 to i32
    // CHECK: %[[MAGNITUDE:.*]] = arith.andi %[[WIDE]], %c127_i32
    // CHECK: %[[PLACED:.*]] = arith.shli %[[MAGNITUDE]], %c21_i32
    // CHECK: %[[VALUE:.*]] = arith.bitcast %[[PLACED]] : i32 to f32
    // CHECK: arith.mulf %[[VALUE]], %[[SCALE]]
    // CHECK: arith.select %{{.*}}, %[[INFINITY]]
    // CHECK-NOT: call_intrinsic
    func.func @extend(%x: f8E5M2) -> f32 {
      %0 = arith.extf %x : f8E5M2 to f32
      return %0 : f32
    }
    // CHECK-LABEL: func.func @truncate
    // CHECK-NOT: call_intrinsic
    // CHECK: %[[CODE:.*]] = arith.trunci %{{.*}} : vector<4xi32> to vector<4xi8>
    // CHECK: arith.bitcast %[[CODE]] : vector<4xi8> to vector<4xf8E4M3FN>
    func.func @truncate(%x: vector<4xf32>) -> vector<4xf8E4M3FN> {
      %0 = arith.truncf %x : vector<4xf32> to vector<4xf8E4M3FN>
      return %0 : vector<4xf8E4M3FN>
    }
  }
}

// -----

module attributes {fuse.chip = #fuse.chip<"sm_89">} {
  gpu.module @kernels {
    // CHECK-LABEL: func.func @extend
    // CHECK: %[[PAIR:.*]] = llvm.call_intrinsic "llvm.nvvm.e5m2x2.to.f16x2.rn"(%{{.*}}) : (i16) -> vector<2xf16>
    // CHECK: %[[VALUE:.*]] = vector.extract %[[PAIR]][0]
    // CHECK: arith.extf %[[VALUE]] : f16 to f32
    func.func @extend(%x: f8E5M2) -> f32 {
      %0 = arith.extf %x : f8E5M2 to f32
      return %0 : f32
    }
    // Pairs of elements; the last of an odd number is alone. The instruction saturates, the format does not:
    // 464 is rounded to 448, more is not a number.
    // CHECK-LABEL: func.func @truncate
    // CHECK-DAG: arith.constant dense<4.640000e+02> : vector<3xf32>
    // CHECK-DAG: arith.constant 0.000000e+00 : f32
    // CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"
    // CHECK-NOT: call_intrinsic
    // CHECK: arith.cmpf ogt
    // CHECK: arith.select
    func.func @truncate(%x: vector<3xf32>) -> vector<3xf8E4M3FN> {
      %0 = arith.truncf %x : vector<3xf32> to vector<3xf8E4M3FN>
      return %0 : vector<3xf8E4M3FN>
    }
    // From f64 by way of f32 would be two roundings.
    // CHECK-LABEL: func.func @truncate_f64
    // CHECK-NOT: call_intrinsic
    // CHECK: arith.bitcast %{{.*}} : f64 to i64
    func.func @truncate_f64(%x: f64) -> f8E5M2 {
      %0 = arith.truncf %x : f64 to f8E5M2
      return %0 : f8E5M2
    }
    // No instruction knows the format.
    // CHECK-LABEL: func.func @other_format
    // CHECK-NOT: call_intrinsic
    // CHECK: arith.bitcast %{{.*}} : i8 to f8E3M4
    func.func @other_format(%x: f32) -> f8E3M4 {
      %0 = arith.truncf %x : f32 to f8E3M4
      return %0 : f8E3M4
    }
    // Operations are computed in f32; each is rounded, also one that feeds another.
    // CHECK-LABEL: func.func @arithmetic
    // CHECK: %[[PRODUCT:.*]] = arith.mulf %{{.*}} : f32
    // CHECK: "llvm.nvvm.ff.to.e4m3x2.rn"({{.*}}%[[PRODUCT]])
    // CHECK: "llvm.nvvm.e4m3x2.to.f16x2.rn"
    // CHECK: math.absf %{{.*}} : f32
    func.func @arithmetic(%x: f8E4M3FN) -> f8E4M3FN {
      %0 = arith.mulf %x, %x fastmath<fast> : f8E4M3FN
      %1 = math.absf %0 : f8E4M3FN
      return %1 : f8E4M3FN
    }
  }
}
