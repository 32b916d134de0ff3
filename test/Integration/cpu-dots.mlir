// Micro-kernels of instructions that the machine may not have: its own instructions do the same. The last word of a row may have
// fewer elements than another one, either operand may be transposed, and tiles end inside of vectors.
// RUN: fusion-run %s --chip=znver5 --instructions=x86-64-v3 | FileCheck %s
// RUN: fusion-run %s --chip=x86-64-v4 --instructions=x86-64-v3 | FileCheck %s --check-prefix=V4
// CHECK: kernel product_bf16_37x53x29_c
// CHECK: operator_map<"avx512.bf16.m14n32k2"
// CHECK: PASS
// V4: operator_map<"avx512.m14n32"
// V4: PASS
// CHECK: kernel product_bf16_37x53x29_b
// CHECK: operator_map<"avx512.bf16.m14n32k2"
// CHECK: PASS
// V4: operator_map<"avx512.m14n32"
// V4: PASS
// CHECK: kernel product_bf16_40x16x64_a
// CHECK: operator_map<"avx512.bf16.m14n32k2"
// CHECK: PASS
// V4: operator_map<"avx512.m14n32"
// V4: PASS
// CHECK: kernel product_i8_37x53x30_b
// CHECK: operator_map<"avx512.vnni.m14n32k4"
// CHECK: PASS
// V4: operator_map<"avx512.s8.m14n32"
// V4: PASS
// CHECK: kernel product_i8_30x40x131_c
// CHECK: operator_map<"avx512.vnni.m14n32k4"
// CHECK: PASS
// V4: operator_map<"avx512.s8.m14n32"
// V4: PASS
// CHECK: kernel product_i8_16x33x3_a
// CHECK: operator_map<"avx512.vnni.m14n32k4"
// CHECK: PASS
// V4: operator_map<"avx512.s8.m14n32"
// V4: PASS

func.func @product_bf16_37x53x29_c(%a: tensor<37x29xbf16>, %b: tensor<29x53xbf16>) -> tensor<37x53xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<37x53xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<37x53xf32>) -> tensor<37x53xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<37x29xbf16>, tensor<29x53xbf16>) outs(%i : tensor<37x53xf32>) {
  ^bb0(%x: bf16, %y: bf16, %sum: f32):
    %wide_x = arith.extf %x : bf16 to f32
    %wide_y = arith.extf %y : bf16 to f32
    %product = arith.mulf %wide_x, %wide_y : f32
    %more = arith.addf %sum, %product : f32
    linalg.yield %more : f32
  } -> tensor<37x53xf32>
  return %r : tensor<37x53xf32>
}
func.func @product_bf16_37x53x29_b(%a: tensor<37x29xbf16>, %b: tensor<53x29xbf16>) -> tensor<37x53xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<37x53xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<37x53xf32>) -> tensor<37x53xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<37x29xbf16>, tensor<53x29xbf16>) outs(%i : tensor<37x53xf32>) {
  ^bb0(%x: bf16, %y: bf16, %sum: f32):
    %wide_x = arith.extf %x : bf16 to f32
    %wide_y = arith.extf %y : bf16 to f32
    %product = arith.mulf %wide_x, %wide_y : f32
    %more = arith.addf %sum, %product : f32
    linalg.yield %more : f32
  } -> tensor<37x53xf32>
  return %r : tensor<37x53xf32>
}
func.func @product_bf16_40x16x64_a(%a: tensor<64x40xbf16>, %b: tensor<64x16xbf16>) -> tensor<40x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x16xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<40x16xf32>) -> tensor<40x16xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x40xbf16>, tensor<64x16xbf16>) outs(%i : tensor<40x16xf32>) {
  ^bb0(%x: bf16, %y: bf16, %sum: f32):
    %wide_x = arith.extf %x : bf16 to f32
    %wide_y = arith.extf %y : bf16 to f32
    %product = arith.mulf %wide_x, %wide_y : f32
    %more = arith.addf %sum, %product : f32
    linalg.yield %more : f32
  } -> tensor<40x16xf32>
  return %r : tensor<40x16xf32>
}
func.func @product_i8_37x53x30_b(%a: tensor<37x30xi8>, %b: tensor<53x30xi8>) -> tensor<37x53xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<37x53xi32>
  %i = linalg.fill ins(%zero : i32) outs(%e : tensor<37x53xi32>) -> tensor<37x53xi32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<37x30xi8>, tensor<53x30xi8>) outs(%i : tensor<37x53xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %wide_x = arith.extsi %x : i8 to i32
    %wide_y = arith.extsi %y : i8 to i32
    %product = arith.muli %wide_x, %wide_y : i32
    %more = arith.addi %sum, %product : i32
    linalg.yield %more : i32
  } -> tensor<37x53xi32>
  return %r : tensor<37x53xi32>
}
func.func @product_i8_30x40x131_c(%a: tensor<30x131xi8>, %b: tensor<131x40xi8>) -> tensor<30x40xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<30x40xi32>
  %i = linalg.fill ins(%zero : i32) outs(%e : tensor<30x40xi32>) -> tensor<30x40xi32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<30x131xi8>, tensor<131x40xi8>) outs(%i : tensor<30x40xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %wide_x = arith.extsi %x : i8 to i32
    %wide_y = arith.extsi %y : i8 to i32
    %product = arith.muli %wide_x, %wide_y : i32
    %more = arith.addi %sum, %product : i32
    linalg.yield %more : i32
  } -> tensor<30x40xi32>
  return %r : tensor<30x40xi32>
}
func.func @product_i8_16x33x3_a(%a: tensor<3x16xi8>, %b: tensor<3x33xi8>) -> tensor<16x33xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<16x33xi32>
  %i = linalg.fill ins(%zero : i32) outs(%e : tensor<16x33xi32>) -> tensor<16x33xi32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x16xi8>, tensor<3x33xi8>) outs(%i : tensor<16x33xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %wide_x = arith.extsi %x : i8 to i32
    %wide_y = arith.extsi %y : i8 to i32
    %product = arith.muli %wide_x, %wide_y : i32
    %more = arith.addi %sum, %product : i32
    linalg.yield %more : i32
  } -> tensor<16x33xi32>
  return %r : tensor<16x33xi32>
}
