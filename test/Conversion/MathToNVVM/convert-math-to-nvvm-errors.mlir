// RUN: fusion-opt %s --pass-pipeline='builtin.module(gpu.module(convert-math-to-nvvm))' -split-input-file -verify-diagnostics

gpu.module @kernels {
  func.func @exp_of_f64(%x: f64) -> f64 {
    // expected-error @below {{'math.exp' on 'f64' has no lowering for the GPU}}
    %0 = math.exp %x : f64
    return %0 : f64
  }
}

// -----

gpu.module @kernels {
  func.func @tanh_of_f64(%x: f64) -> f64 {
    // expected-error @below {{on 'f64' has no lowering for the GPU}}
    %0 = math.erf %x : f64
    return %0 : f64
  }
}
