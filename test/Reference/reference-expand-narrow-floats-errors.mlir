// RUN: fusion-opt %s --reference-expand-narrow-floats -split-input-file -verify-diagnostics

func.func @four_bits(%x: f4E2M1FN) -> f32 {
  // expected-error @below {{values of type 'f4E2M1FN' have no lowering for the CPU}}
  %y = arith.extf %x : f4E2M1FN to f32
  return %y : f32
}

// -----

func.func @six_bits(%x: vector<4xf32>) -> vector<4xf6E3M2FN> {
  // expected-error @below {{values of type 'f6E3M2FN' have no lowering for the CPU}}
  %y = arith.truncf %x : vector<4xf32> to vector<4xf6E3M2FN>
  return %y : vector<4xf6E3M2FN>
}
