// RUN: fusion-opt %s --pass-pipeline='builtin.module(gpu.module(convert-math-to-nvvm))' -split-input-file -verify-diagnostics

gpu.module @kernels {
  func.func @sincos_of_f64(%x: f64) -> f64 {
    // expected-error @below {{'math.sincos' on 'f64' has no lowering for the GPU}}
    %0, %1 = math.sincos %x : f64
    return %0 : f64
  }
}
