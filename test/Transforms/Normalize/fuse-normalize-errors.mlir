// RUN: fusion-opt %s --fuse-normalize -split-input-file -verify-diagnostics

// expected-error @below {{control flow between blocks is not supported}}
func.func @blocks(%c: i1, %a: tensor<4xf32>) -> tensor<4xf32> {
  cf.cond_br %c, ^a, ^b
^a:
  return %a : tensor<4xf32>
^b:
  return %a : tensor<4xf32>
}

// -----

func.func @structured(%c: i1, %a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{operation 'scf.if' is not supported in a function that is compiled for a GPU}}
  %0 = scf.if %c -> tensor<4xf32> {
    scf.yield %a : tensor<4xf32>
  } else {
    scf.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func private @callee(tensor<4xf32>) -> tensor<4xf32>
func.func @call(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{operation 'func.call' is not supported in a function that is compiled for a GPU}}
  %0 = call @callee(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @elementwise_outside_linalg(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{operation 'arith.addf' is not supported}}
  %0 = arith.addf %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// The argument is where it is.
func.func @half_bytes(%a: tensor<4xf32>,
    // expected-error @below {{type 'tensor<4xi4>' is not supported in a function that is compiled for a GPU; numbers are i1, i8, i16, i32, i64, index, f16, bf16, f32, f64 or an 8-bit float}}
    %b: tensor<4xi4>) {
  return
}

// -----

// expected-error @below {{type 'tensor<5xtf32>' is not supported}}
func.func @tf32(%a: tensor<5xtf32>) {
  return
}

// -----

// expected-error @below {{type 'tensor<5xui8>' is not supported}}
func.func @unsigned(%a: tensor<5xui8>) {
  return
}

// -----

// expected-error @below {{type 'f4E2M1FN' is not supported}}
func.func @scalar(%a: f4E2M1FN) {
  return
}

// -----

func.func @between() -> tensor<4xf32> {
  // expected-error @below {{type 'tensor<4xi4>' is not supported}}
  %a = tensor.empty() : tensor<4xi4>
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<4xi4>) outs(%e : tensor<4xf32>) {
  ^bb0(%x: i4, %o: f32):
    %y = arith.sitofp %x : i4 to f32
    linalg.yield %y : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @padding_of_nothing(%a: tensor<0xf32>) -> tensor<4xf32> {
  %z = arith.constant 0.0 : f32
  // expected-error @below {{operation 'tensor.pad' is not supported}}
  %0 = tensor.pad %a low[2] high[2] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<0xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{type 'memref<4xf32>' is not supported in a function that is compiled for a GPU}}
func.func @memref(%a: memref<4xf32>) {
  return
}

// -----

// expected-error @below {{type 'tensor<*xf32>' is not supported}}
func.func @unranked(%a: tensor<*xf32>) {
  return
}

// -----

// expected-error @below {{type 'tensor<4xcomplex<f32>>' is not supported}}
func.func @complex(%a: tensor<4xcomplex<f32>>) {
  return
}

// -----

// expected-error @below {{type 'tensor<4xvector<2xf32>>' is not supported}}
func.func @vector_elements(%a: tensor<4xvector<2xf32>>) {
  return
}

// -----

// expected-error @below {{type 'vector<4xf32>' is not supported}}
func.func @vector(%a: vector<4xf32>) {
  return
}

// -----

// expected-error @below {{type 'tensor<4xf128>' is not supported}}
func.func @wide_elements(%a: tensor<4xf128>) {
  return
}

// -----

// expected-error @below {{type 'tensor<4xi65>' is not supported}}
func.func @wide_integers(%a: tensor<4xi65>) {
  return
}

// -----

func.func @complex_inside() -> tensor<2xf32> {
  // expected-error @below {{type 'tensor<2xcomplex<f32>>' is not supported}}
  %0 = arith.constant dense<[(1.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f32>>
  %e = tensor.empty() : tensor<2xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%0 : tensor<2xcomplex<f32>>) outs(%e : tensor<2xf32>) {
  ^bb0(%x: complex<f32>, %o: f32):
    %2 = complex.re %x : complex<f32>
    linalg.yield %2 : f32
  } -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// expected-error @below {{tensor 'tensor<4611686018427387904x64xf16>' is too large}}
func.func @too_large(%a: tensor<4611686018427387904x64xf16>) {
  return
}

// -----

func.func @operator_on_memrefs(%s: f32) {
  // expected-error @below {{type 'memref<4xf32>' is not supported}}
  %m = memref.alloc() : memref<4xf32>
  linalg.fill ins(%s : f32) outs(%m : memref<4xf32>)
  return
}
