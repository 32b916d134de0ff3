// RUN: fusion-opt %s --pass-pipeline='builtin.module(gpu.module(nvvm-expand-narrow-floats))' -split-input-file -verify-diagnostics

gpu.module @kernels {
  func.func @of_4_bits(%x: i4) -> f32 {
    // expected-error @below {{values of type 'f4E2M1FN' have no lowering for the GPU}}
    %0 = arith.bitcast %x : i4 to f4E2M1FN
    %1 = arith.extf %0 : f4E2M1FN to f32
    return %1 : f32
  }
}

// -----

gpu.module @kernels {
  func.func @vector_of_6_bits(%x: vector<4xf32>) -> vector<4xf6E3M2FN> {
    // expected-error @below {{values of type 'f6E3M2FN' have no lowering for the GPU}}
    %0 = arith.truncf %x : vector<4xf32> to vector<4xf6E3M2FN>
    return %0 : vector<4xf6E3M2FN>
  }
}

// -----

gpu.module @kernels {
  func.func @no_format_of_memory(%x: f32) -> f32 {
    // expected-error @below {{values of type 'tf32' have no lowering for the GPU}}
    %0 = arith.truncf %x : f32 to tf32
    %1 = arith.extf %0 : tf32 to f32
    return %1 : f32
  }
}
