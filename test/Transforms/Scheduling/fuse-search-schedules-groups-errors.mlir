// Groups that no schedule fits.
// RUN: fusion-opt %s --fuse-search-schedules -split-input-file -verify-diagnostics

func.func @tiled_stitch(%a: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{schedule cannot be lowered: a stitched group has a 'stitching' part, or the generic form}}
  %r = fuse.stitch ins(%x = %a : tensor<8xf32>) outs(%p = %o : tensor<8xf32>)
      attributes {schedule = #fuse.schedule<version = 2, tiling = <"x(LA)", {x = 4}>, mapping = <warps = 8>>} {
    %e = linalg.exp ins(%x : tensor<8xf32>) outs(%p : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %e : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @generic_form_with_memory(%a: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{schedule cannot be lowered: the generic form has no blocks, block_swizzle, memory or parallel part to choose}}
  %r = fuse.stitch ins(%x = %a : tensor<8xf32>) outs(%p = %o : tensor<8xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 8>, memory = <{A = #fuse.place<shared>}>>} {
    %e = linalg.exp ins(%x : tensor<8xf32>) outs(%p : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %e : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @generic_form_with_raster(%a: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{schedule cannot be lowered: the generic form has no blocks, block_swizzle, memory or parallel part to choose}}
  %r = fuse.stitch ins(%x = %a : tensor<8xf32>) outs(%p = %o : tensor<8xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 8, block_swizzle = 2>>} {
    %e = linalg.exp ins(%x : tensor<8xf32>) outs(%p : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %e : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @no_product(%a: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{cannot be lowered as a chain: there is no contraction}}
  %r = fuse.chain ins(%x = %a : tensor<8xf32>) outs(%p = %o : tensor<8xf32>) {
    %e = linalg.exp ins(%x : tensor<8xf32>) outs(%p : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %e : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @reduction_in_a_chain(%a: tensor<8x8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{cannot be lowered as a chain: linalg.reduce is neither a contraction nor element-wise}}
  %r = fuse.chain ins(%x = %a : tensor<8x8xf32>) outs(%p = %o : tensor<8xf32>) {
    %e = linalg.reduce { arith.addf } ins(%x : tensor<8x8xf32>) outs(%p : tensor<8xf32>) dimensions = [1]
    fuse.yield %e : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @accumulator(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %o: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // expected-error @below {{cannot be lowered as a chain: the accumulator of a contraction is not filled with zero}}
  %r = fuse.chain ins(%x = %a : tensor<16x16xf16>, %y = %b : tensor<16x16xf16>) outs(%p = %o : tensor<16x16xf32>) {
    %c = linalg.matmul ins(%x, %y : tensor<16x16xf16>, tensor<16x16xf16>) outs(%p : tensor<16x16xf32>) -> tensor<16x16xf32>
    fuse.yield %c : tensor<16x16xf32>
  } -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// -----

func.func @input_in_two_places(%a: tensor<16x16xf16>, %o: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // expected-error @below {{cannot be lowered as a chain: an input is read in two places of the chain}}
  %r = fuse.chain ins(%x = %a : tensor<16x16xf16>) outs(%p = %o : tensor<16x16xf32>) {
    %z = arith.constant 0.0 : f32
    %f = linalg.fill ins(%z : f32) outs(%p : tensor<16x16xf32>) -> tensor<16x16xf32>
    %c = linalg.matmul ins(%x, %x : tensor<16x16xf16>, tensor<16x16xf16>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
    fuse.yield %c : tensor<16x16xf32>
  } -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// -----

func.func @two_results(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %o: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  // expected-error @below {{cannot be lowered as a chain: one value is two results}}
  %r:2 = fuse.chain ins(%x = %a : tensor<16x16xf16>, %y = %b : tensor<16x16xf16>)
                    outs(%p = %o : tensor<16x16xf32>, %q = %o : tensor<16x16xf32>) {
    %z = arith.constant 0.0 : f32
    %f = linalg.fill ins(%z : f32) outs(%p : tensor<16x16xf32>) -> tensor<16x16xf32>
    %c = linalg.matmul ins(%x, %y : tensor<16x16xf16>, tensor<16x16xf16>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
    fuse.yield %c, %c : tensor<16x16xf32>, tensor<16x16xf32>
  } -> (tensor<16x16xf32>, tensor<16x16xf32>)
  return %r#0, %r#1 : tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

func.func @two_values_of_one_product(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %o: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  // expected-error @below {{cannot be lowered as a chain: two values of one contraction leave its epilogue}}
  %r:2 = fuse.chain ins(%x = %a : tensor<16x16xf16>, %y = %b : tensor<16x16xf16>)
                    outs(%p = %o : tensor<16x16xf32>, %q = %o : tensor<16x16xf32>) {
    %z = arith.constant 0.0 : f32
    %f = linalg.fill ins(%z : f32) outs(%p : tensor<16x16xf32>) -> tensor<16x16xf32>
    %c = linalg.matmul ins(%x, %y : tensor<16x16xf16>, tensor<16x16xf16>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
    %d = linalg.exp ins(%c : tensor<16x16xf32>) outs(%q : tensor<16x16xf32>) -> tensor<16x16xf32>
    fuse.yield %c, %d : tensor<16x16xf32>, tensor<16x16xf32>
  } -> (tensor<16x16xf32>, tensor<16x16xf32>)
  return %r#0, %r#1 : tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

func.func @joins_and_leaves(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %u: tensor<16x16xf16>, %v: tensor<16x16xf16>, %o: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  // expected-error @below {{cannot be lowered as a chain: a contraction's value is read inside and outside of the chain}}
  %r:2 = fuse.chain ins(%x = %a : tensor<16x16xf16>, %y = %b : tensor<16x16xf16>, %s = %u : tensor<16x16xf16>, %t = %v : tensor<16x16xf16>)
                    outs(%p = %o : tensor<16x16xf32>, %q = %o : tensor<16x16xf32>) {
    %z = arith.constant 0.0 : f32
    %f = linalg.fill ins(%z : f32) outs(%p : tensor<16x16xf32>) -> tensor<16x16xf32>
    %c = linalg.matmul ins(%x, %y : tensor<16x16xf16>, tensor<16x16xf16>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
    %d = linalg.matmul ins(%s, %t : tensor<16x16xf16>, tensor<16x16xf16>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
    %e = linalg.add ins(%c, %d : tensor<16x16xf32>, tensor<16x16xf32>) outs(%q : tensor<16x16xf32>) -> tensor<16x16xf32>
    fuse.yield %e, %c : tensor<16x16xf32>, tensor<16x16xf32>
  } -> (tensor<16x16xf32>, tensor<16x16xf32>)
  return %r#0, %r#1 : tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

func.func @no_intrinsic(%a: tensor<16x16xf64>, %b: tensor<16x16xf64>, %o: tensor<16x16xf64>) -> tensor<16x16xf64> {
  // expected-error @below {{no schedule found: no intrinsic of sm_80 multiplies the operands of contraction 'C'}}
  %r = fuse.chain ins(%x = %a : tensor<16x16xf64>, %y = %b : tensor<16x16xf64>) outs(%p = %o : tensor<16x16xf64>) {
    %z = arith.constant 0.0 : f64
    %f = linalg.fill ins(%z : f64) outs(%p : tensor<16x16xf64>) -> tensor<16x16xf64>
    %c = linalg.matmul ins(%x, %y : tensor<16x16xf64>, tensor<16x16xf64>) outs(%f : tensor<16x16xf64>) -> tensor<16x16xf64>
    fuse.yield %c : tensor<16x16xf64>
  } -> tensor<16x16xf64>
  return %r : tensor<16x16xf64>
}

// -----

// 8-bit floats want sm_89.
func.func @newer_intrinsic(%a: tensor<16x32xf8E4M3FN>, %b: tensor<32x16xf8E4M3FN>, %o: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // expected-error @below {{no schedule found: no intrinsic of sm_80 multiplies the operands of contraction 'C'}}
  %r = fuse.chain ins(%x = %a : tensor<16x32xf8E4M3FN>, %y = %b : tensor<32x16xf8E4M3FN>) outs(%p = %o : tensor<16x16xf32>) {
    %z = arith.constant 0.0 : f32
    %f = linalg.fill ins(%z : f32) outs(%p : tensor<16x16xf32>) -> tensor<16x16xf32>
    %c = linalg.matmul ins(%x, %y : tensor<16x32xf8E4M3FN>, tensor<32x16xf8E4M3FN>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
    fuse.yield %c : tensor<16x16xf32>
  } -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// -----

// Integers that are extended with zeros are not s8.
func.func @unsigned(%a: tensor<16x32xi8>, %b: tensor<32x16xi8>, %o: tensor<16x16xi32>) -> tensor<16x16xi32> {
  // expected-error @below {{no schedule found: no intrinsic of sm_80 multiplies the operands of contraction 'C'}}
  %r = fuse.chain ins(%x = %a : tensor<16x32xi8>, %y = %b : tensor<32x16xi8>) outs(%p = %o : tensor<16x16xi32>) {
    %z = arith.constant 0 : i32
    %f = linalg.fill ins(%z : i32) outs(%p : tensor<16x16xi32>) -> tensor<16x16xi32>
    %c = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%x, %y : tensor<16x32xi8>, tensor<32x16xi8>) outs(%f : tensor<16x16xi32>) -> tensor<16x16xi32>
    fuse.yield %c : tensor<16x16xi32>
  } -> tensor<16x16xi32>
  return %r : tensor<16x16xi32>
}

// -----

func.func @two_results(%a: tensor<8x16xf32>, %o: tensor<8x16xf32>, %q: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  // expected-error @below {{schedule cannot be lowered: the generic form yields what its last operator computes}}
  %r:2 = fuse.stitch ins(%x = %a : tensor<8x16xf32>) outs(%p = %o : tensor<8x16xf32>, %p1 = %q : tensor<8x16xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 4>>} {
    %t = linalg.exp ins(%x : tensor<8x16xf32>) outs(%p : tensor<8x16xf32>) -> tensor<8x16xf32>
    %u = linalg.tanh ins(%x : tensor<8x16xf32>) outs(%p1 : tensor<8x16xf32>) -> tensor<8x16xf32>
    fuse.yield %t, %u : tensor<8x16xf32>, tensor<8x16xf32>
  } -> (tensor<8x16xf32>, tensor<8x16xf32>)
  return %r#0, %r#1 : tensor<8x16xf32>, tensor<8x16xf32>
}
