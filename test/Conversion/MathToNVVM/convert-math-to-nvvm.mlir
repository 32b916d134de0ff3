// RUN: fusion-opt %s --pass-pipeline='builtin.module(gpu.module(convert-math-to-nvvm))' | FileCheck %s

gpu.module @kernels {
  // exp(x) = 2^(x log2 e), by the instruction.
  // CHECK-LABEL: func.func @exp
  // CHECK: %[[LOG2E:.*]] = arith.constant 1.44269502 : f32
  // CHECK: %[[X:.*]] = arith.mulf %{{.*}}, %[[LOG2E]]
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"(%[[X]]) : (f32) -> f32
  func.func @exp(%x: f32) -> f32 {
    %0 = math.exp %x : f32
    return %0 : f32
  }
  // Where small results may be zero.
  // CHECK-LABEL: func.func @flushed
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
  func.func @flushed(%x: f32) -> f32 {
    %0 = math.exp %x {fuse.flush} : f32
    %1 = math.exp2 %0 {fuse.flush} : f32
    return %1 : f32
  }
  // CHECK-LABEL: func.func @fma
  // CHECK-NEXT: llvm.call_intrinsic "llvm.fma.f32"
  func.func @fma(%x: f32, %y: f32, %z: f32) -> f32 {
    %0 = math.fma %x, %y, %z : f32
    return %0 : f32
  }
  // CHECK-LABEL: func.func @exp2
  // CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"
  func.func @exp2(%x: f32) -> f32 {
    %0 = math.exp2 %x : f32
    return %0 : f32
  }
  // CHECK-LABEL: func.func @log
  // CHECK: %[[Y:.*]] = llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"
  // CHECK: arith.mulf %[[Y]]
  func.func @log(%x: f32) -> f32 {
    %0 = math.log %x : f32
    return %0 : f32
  }
  // CHECK-LABEL: func.func @rsqrt
  // CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"
  func.func @rsqrt(%x: f32) -> f32 {
    %0 = math.rsqrt %x : f32
    return %0 : f32
  }
  // A constant factor of the argument is folded; one that leaves the normal numbers is not.
  // CHECK-LABEL: func.func @exp_scaled
  // CHECK: %[[FACTOR:.*]] = arith.constant 0.360673755 : f32
  // CHECK: %[[X:.*]] = arith.mulf %{{.*}}, %[[FACTOR]]
  // CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"(%[[X]]) : (f32) -> f32
  func.func @exp_scaled(%x: f32) -> f32 {
    %c = arith.constant 0.25 : f32
    %0 = arith.mulf %x, %c : f32
    %1 = math.exp %0 : f32
    return %1 : f32
  }
  // CHECK-LABEL: func.func @exp_of_zeros
  // CHECK: arith.mulf
  // CHECK: arith.mulf
  // CHECK: llvm.call_intrinsic
  func.func @exp_of_zeros(%x: f32) -> f32 {
    %c = arith.constant 0.0 : f32
    %0 = arith.mulf %x, %c : f32
    %1 = math.exp %0 : f32
    return %1 : f32
  }
  // Narrow types are computed in f32 and rounded.
  // CHECK-LABEL: func.func @exp_of_f16
  // CHECK: arith.extf %{{.*}} : f16 to f32
  // CHECK: llvm.call_intrinsic
  // CHECK: arith.truncf %{{.*}} : f32 to f16
  func.func @exp_of_f16(%x: f16) -> f16 {
    %0 = math.exp %x : f16
    return %0 : f16
  }
  // What is exact in its own type is computed in it.
  // CHECK-LABEL: func.func @absolute_value_of_bf16
  // CHECK-NEXT: llvm.call_intrinsic "llvm.fabs.bf16"
  func.func @absolute_value_of_bf16(%x: bf16) -> bf16 {
    %0 = math.absf %x : bf16
    return %0 : bf16
  }
  // CHECK-LABEL: func.func @square_root_of_f64
  // CHECK-NEXT: llvm.call_intrinsic "llvm.sqrt.f64"
  func.func @square_root_of_f64(%x: f64) -> f64 {
    %0 = math.sqrt %x : f64
    return %0 : f64
  }
  // CHECK-LABEL: func.func @polynomials
  // CHECK-NOT: math.tanh
  // CHECK-NOT: math.erf
  // CHECK: return
  func.func @polynomials(%x: f32) -> (f32, f32) {
    %0 = math.tanh %x : f32
    %1 = math.erf %x : f32
    return %0, %1 : f32, f32
  }
  // Small arguments by a polynomial, large ones by that of the reciprocal; the sign is the argument's, of zeros too.
  // CHECK-LABEL: func.func @arc_tangent
  // CHECK: %[[X:.*]] = llvm.call_intrinsic "llvm.fabs.f32"(%[[ARG:.*]]) :
  // CHECK: %[[SMALL:.*]] = arith.cmpf olt, %[[X]]
  // CHECK: %[[INVERSE:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[X]])
  // CHECK: %[[T:.*]] = arith.select %[[SMALL]], %[[X]], %[[INVERSE]]
  // CHECK: arith.mulf %[[T]], %[[T]]
  // CHECK-COUNT-8: llvm.call_intrinsic "llvm.fma.f32"
  // CHECK-NOT: llvm.fma
  // CHECK: %[[Y:.*]] = arith.select %[[SMALL]]
  // CHECK: llvm.call_intrinsic "llvm.copysign.f32"(%[[Y]], %[[ARG]])
  // CHECK-NEXT: return
  func.func @arc_tangent(%x: f32) -> f32 {
    %0 = math.atan %x : f32
    return %0 : f32
  }
  // No difference of an exponential and 1, no logarithm but that of special values.
  // CHECK-LABEL: func.func @near_zero
  // CHECK-NOT: ex2.approx
  // CHECK: llvm.call_intrinsic "llvm.copysign.f32"
  // CHECK: arith.cmpi ult
  // CHECK: llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"
  // CHECK-NEXT: arith.select
  // CHECK: llvm.call_intrinsic "llvm.copysign.f32"
  // CHECK-NOT: lg2.approx
  // CHECK: return
  func.func @near_zero(%x: f32) -> f32 {
    %0 = math.expm1 %x : f32
    %1 = math.log1p %0 : f32
    return %1 : f32
  }
  // The maximum that ignores NaN is an instruction.
  // CHECK-LABEL: func.func @maximum_number
  // CHECK-NEXT: llvm.intr.maxnum(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
  func.func @maximum_number(%x: f32, %y: f32) -> f32 {
    %0 = arith.maxnumf %x, %y : f32
    return %0 : f32
  }
  // Integers, and an index as the 64 bits that it has.
  // CHECK-LABEL: func.func @absolute_value_of_integers
  // CHECK: llvm.call_intrinsic "llvm.abs.i32"
  // CHECK: %[[WIDE:.*]] = arith.index_cast %{{.*}} : index to i64
  // CHECK: %[[ABS:.*]] = llvm.call_intrinsic "llvm.abs.i64"(%[[WIDE]],
  // CHECK: %[[INDEX:.*]] = arith.index_cast %[[ABS]] : i64 to index
  // CHECK: return %{{.*}}, %[[INDEX]]
  func.func @absolute_value_of_integers(%x: i32, %y: index) -> (i32, index) {
    %0 = math.absi %x : i32
    %1 = math.absi %y : index
    return %0, %1 : i32, index
  }
  // CHECK-LABEL: func.func @arithmetic_stays
  // CHECK-NEXT: arith.addf
  // CHECK-NEXT: arith.divf
  // CHECK-NEXT: return
  func.func @arithmetic_stays(%x: f32, %y: f32) -> f32 {
    %0 = arith.addf %x, %y : f32
    %1 = arith.divf %0, %y : f32
    return %1 : f32
  }
  // Functions of f64 are calls of libclc's, declared once.
  // CHECK-LABEL: func.func @exp_of_f64
  // CHECK: %[[Y:.*]] = llvm.call @_Z3expd(%{{.*}}) : (f64) -> f64
  // CHECK: llvm.call @_Z3expd(%[[Y]])
  // CHECK-NOT: llvm.func @_Z3expd
  func.func @exp_of_f64(%x: f64) -> f64 {
    %0 = math.exp %x : f64
    %1 = math.exp %0 : f64
    return %1 : f64
  }
  // They lose the signs of zeros.
  // CHECK-LABEL: func.func @signs_of_f64
  // CHECK: %[[Y:.*]] = llvm.call @_Z3erfd(%[[X:.*]]) : (f64) -> f64
  // CHECK: %[[ERF:.*]] = llvm.call_intrinsic "llvm.copysign.f64"(%[[Y]], %[[X]])
  // CHECK: %[[SINE:.*]] = llvm.call @_Z3sind(%[[ERF]]) : (f64) -> f64
  // CHECK: %[[ZERO:.*]] = arith.cmpf oeq, %[[ERF]], %{{.*}} : f64
  // CHECK: arith.select %[[ZERO]], %[[ERF]], %[[SINE]] : f64
  func.func @signs_of_f64(%x: f64) -> f64 {
    %0 = math.erf %x : f64
    %1 = math.sin %0 : f64
    return %1 : f64
  }
  // A large exponent is 2^65: the product with the logarithm is to be a number.
  // CHECK-LABEL: func.func @power_of_f64
  // CHECK: %[[LIMIT:.*]] = arith.constant 3.6893488147419103E+19 : f64
  // CHECK: %[[ABS:.*]] = llvm.call_intrinsic "llvm.fabs.f64"(%[[Y:.*]]) :
  // CHECK: %[[LARGE:.*]] = arith.cmpf ogt, %[[ABS]], %[[LIMIT]]
  // CHECK: %[[MOST:.*]] = llvm.call_intrinsic "llvm.copysign.f64"(%[[LIMIT]], %[[Y]])
  // CHECK: %[[MODERATE:.*]] = arith.select %[[LARGE]], %[[MOST]], %[[Y]]
  // CHECK: llvm.call @_Z3powdd(%{{.*}}, %[[MODERATE]])
  // CHECK-NEXT: return
  func.func @power_of_f64(%x: f64, %y: f64) -> f64 {
    %0 = math.powf %x, %y : f64
    return %0 : f64
  }
}
