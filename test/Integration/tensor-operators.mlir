// RUN: fusion-run %s --device=emulator --sanitize --shape=0:4x6 --shape=1:4x6 | FileCheck %s
// CHECK-COUNT-11: PASS

// What computes on tensors outside of linalg, and generics whose loops the types call parallel though several
// iterations write one element.

func.func @arithmetic(%a: tensor<4x?xf32>, %b: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %0 = arith.mulf %a, %b : tensor<4x?xf32>
  %1 = arith.cmpf olt, %a, %b : tensor<4x?xf32>
  %2 = arith.select %1, %0, %a : tensor<4x?xi1>, tensor<4x?xf32>
  %3 = math.exp %2 : tensor<4x?xf32>
  return %3 : tensor<4x?xf32>
}

func.func @with_constant(%a: tensor<4x6xf16>) -> tensor<4x6xf16> {
  %two = arith.constant dense<2.0> : tensor<4x6xf16>
  %0 = arith.addf %a, %two : tensor<4x6xf16>
  return %0 : tensor<4x6xf16>
}

func.func @splat(%a: tensor<4x?xf32>, %b: tensor<4x?xf32>) -> (tensor<4x?xf32>, tensor<f32>) {
  %c1 = arith.constant 1 : index
  %pi = arith.constant 3.14159 : f32
  %n = tensor.dim %a, %c1 : tensor<4x?xf32>
  %0 = tensor.splat %pi[%n] : tensor<4x?xf32>
  %1 = arith.subf %0, %b : tensor<4x?xf32>
  %2 = tensor.from_elements %pi : tensor<f32>
  return %1, %2 : tensor<4x?xf32>, tensor<f32>
}

func.func @bitcast(%a: tensor<4x?xf32>, %b: tensor<4x?xf32>) -> tensor<4x?xi32> {
  %0 = tensor.bitcast %a : tensor<4x?xf32> to tensor<4x?xi32>
  return %0 : tensor<4x?xi32>
}

func.func @from_elements(%a: tensor<4x6xi16>, %b: tensor<4x6xi16>, %x: f64, %y: f64, %z: f64) -> tensor<3x2xf64> {
  %w = arith.mulf %x, %y : f64
  %0 = tensor.from_elements %x, %y, %z, %w, %x, %z : tensor<3x2xf64>
  return %0 : tensor<3x2xf64>
}

func.func @reshape(%a: tensor<4x6xf32>) -> (tensor<2x3x4xf32>, tensor<24xf32>) {
  %s = arith.constant dense<[2, 3, 4]> : tensor<3xindex>
  %t = arith.constant dense<24> : tensor<1xindex>
  %0 = tensor.reshape %a(%s) : (tensor<4x6xf32>, tensor<3xindex>) -> tensor<2x3x4xf32>
  %1 = math.absf %0 : tensor<2x3x4xf32>
  %2 = tensor.reshape %1(%t) : (tensor<2x3x4xf32>, tensor<1xindex>) -> tensor<24xf32>
  return %0, %2 : tensor<2x3x4xf32>, tensor<24xf32>
}

func.func @last_column(%a: tensor<4x6xf32>, %o: tensor<4x6xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x6xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func @last_row(%a: tensor<4x6xf32>, %o: tensor<4x6xf32>) -> tensor<6xf32> {
  %e = tensor.empty() : tensor<6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x6xf32>) outs(%e : tensor<6xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<6xf32>
  return %r : tensor<6xf32>
}

// Each iteration reads what the one before wrote: the order is visible.
func.func @in_order(%a: tensor<4x6xf32>, %b: tensor<4x6xf32>, %o: tensor<6xf32>) -> tensor<6xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x6xf32>) outs(%o : tensor<6xf32>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.subf %x, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<6xf32>
  return %r : tensor<6xf32>
}

// Scalars from outside, given and computed.
func.func @scalars(%a: tensor<4x6xf32>, %b: tensor<4x6xf32>, %s: f32, %n: i32) -> tensor<4x6xf32> {
  %u = math.exp %s : f32
  %v = arith.sitofp %n : i32 to f32
  %e = tensor.empty() : tensor<4x6xf32>
  %f = linalg.fill ins(%u : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a, %f : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.mulf %x, %v : f32
    %1 = arith.addf %0, %y : f32
    %2 = arith.mulf %1, %s : f32
    linalg.yield %2 : f32
  } -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

func.func @sum_of_scaled(%a: tensor<4x6xf32>, %b: tensor<4x6xf32>, %s: f32) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.reduce ins(%a : tensor<4x6xf32>) outs(%f : tensor<4xf32>) dimensions = [1]
    (%x: f32, %y: f32) {
      %0 = arith.mulf %x, %s : f32
      %1 = arith.addf %0, %y : f32
      linalg.yield %1 : f32
    }
  return %r : tensor<4xf32>
}
