// RUN: fusion-opt %s --pass-pipeline='builtin.module(gpu.module(convert-math-to-nvvm))' -split-input-file -verify-diagnostics

gpu.module @kernels {
  func.func @sine_of_f128(%x: f128) -> f128 {
    // expected-error @below {{'math.sin' on 'f128' has no lowering for the GPU}}
    %0 = math.sin %x : f128
    return %0 : f128
  }
}
