// RUN: fusion-run %s --device=emulator --force-fusion --sanitize

// Sizes are no multiples of the tiles, so tiles reach beyond their operands. Zeros stand there, and element-wise operators in a
// prologue may make something else of them, which must not be summed.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// exp(0) = 1 on both sides of every sum.
func.func @one(%a: tensor<30x40xf16>, %b: tensor<40x24xf16>, %d: tensor<24x20xf16>) -> tensor<30x20xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f16
  %a0 = tensor.empty() : tensor<30x40xf16>
  %a1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<30x40xf16>) outs(%a0 : tensor<30x40xf16>) {
  ^bb0(%x: f16, %out: f16):
    %y = math.exp %x : f16
    linalg.yield %y : f16
  } -> tensor<30x40xf16>
  %b0 = tensor.empty() : tensor<40x24xf16>
  %b1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<40x24xf16>) outs(%b0 : tensor<40x24xf16>) {
  ^bb0(%x: f16, %out: f16):
    %y = math.exp %x : f16
    linalg.yield %y : f16
  } -> tensor<40x24xf16>
  %d0 = tensor.empty() : tensor<24x20xf16>
  %d1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d : tensor<24x20xf16>) outs(%d0 : tensor<24x20xf16>) {
  ^bb0(%x: f16, %out: f16):
    %y = math.exp %x : f16
    linalg.yield %y : f16
  } -> tensor<24x20xf16>
  %c0 = tensor.empty() : tensor<30x24xf32>
  %c1 = linalg.fill ins(%zero : f32) outs(%c0 : tensor<30x24xf32>) -> tensor<30x24xf32>
  %c = linalg.matmul ins(%a1, %b1 : tensor<30x40xf16>, tensor<40x24xf16>) outs(%c1 : tensor<30x24xf32>) -> tensor<30x24xf32>
  %t0 = tensor.empty() : tensor<30x24xf16>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<30x24xf32>) outs(%t0 : tensor<30x24xf16>) {
  ^bb0(%x: f32, %out: f16):
    %y = arith.truncf %x : f32 to f16
    linalg.yield %y : f16
  } -> tensor<30x24xf16>
  %e0 = tensor.empty() : tensor<30x20xf32>
  %e1 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<30x20xf32>) -> tensor<30x20xf32>
  %e = linalg.matmul ins(%t, %d1 : tensor<30x24xf16>, tensor<24x20xf16>) outs(%e1 : tensor<30x20xf32>) -> tensor<30x20xf32>
  return %e : tensor<30x20xf32>
}

// 1/0 is infinite, and infinity times the other operand's zero would be NaN.
func.func @infinity_first(%a: tensor<30x40xf16>, %b: tensor<40x24xf16>, %d: tensor<24x20xf16>) -> tensor<30x20xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f16
  %a0 = tensor.empty() : tensor<30x40xf16>
  %a1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<30x40xf16>) outs(%a0 : tensor<30x40xf16>) {
  ^bb0(%x: f16, %out: f16):
    %y = arith.divf %one, %x : f16
    linalg.yield %y : f16
  } -> tensor<30x40xf16>
  %b0 = tensor.empty() : tensor<40x24xf16>
  %b1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<40x24xf16>) outs(%b0 : tensor<40x24xf16>) {
  ^bb0(%x: f16, %out: f16):
    %y = arith.negf %x : f16
    linalg.yield %y : f16
  } -> tensor<40x24xf16>
  %d0 = tensor.empty() : tensor<24x20xf16>
  %d1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d : tensor<24x20xf16>) outs(%d0 : tensor<24x20xf16>) {
  ^bb0(%x: f16, %out: f16):
    %y = arith.negf %x : f16
    linalg.yield %y : f16
  } -> tensor<24x20xf16>
  %c0 = tensor.empty() : tensor<30x24xf32>
  %c1 = linalg.fill ins(%zero : f32) outs(%c0 : tensor<30x24xf32>) -> tensor<30x24xf32>
  %c = linalg.matmul ins(%a1, %b1 : tensor<30x40xf16>, tensor<40x24xf16>) outs(%c1 : tensor<30x24xf32>) -> tensor<30x24xf32>
  %t0 = tensor.empty() : tensor<30x24xf16>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<30x24xf32>) outs(%t0 : tensor<30x24xf16>) {
  ^bb0(%x: f32, %out: f16):
    %y = arith.truncf %x : f32 to f16
    linalg.yield %y : f16
  } -> tensor<30x24xf16>
  %e0 = tensor.empty() : tensor<30x20xf32>
  %e1 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<30x20xf32>) -> tensor<30x20xf32>
  %e = linalg.matmul ins(%t, %d1 : tensor<30x24xf16>, tensor<24x20xf16>) outs(%e1 : tensor<30x20xf32>) -> tensor<30x20xf32>
  return %e : tensor<30x20xf32>
}

func.func @infinity_second(%a: tensor<30x40xf16>, %b: tensor<40x24xf16>, %d: tensor<24x20xf16>) -> tensor<30x20xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f16
  %a0 = tensor.empty() : tensor<30x40xf16>
  %a1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<30x40xf16>) outs(%a0 : tensor<30x40xf16>) {
  ^bb0(%x: f16, %out: f16):
    %y = arith.negf %x : f16
    linalg.yield %y : f16
  } -> tensor<30x40xf16>
  %b0 = tensor.empty() : tensor<40x24xf16>
  %b1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<40x24xf16>) outs(%b0 : tensor<40x24xf16>) {
  ^bb0(%x: f16, %out: f16):
    %y = arith.divf %one, %x : f16
    linalg.yield %y : f16
  } -> tensor<40x24xf16>
  %d0 = tensor.empty() : tensor<24x20xf16>
  %d1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d : tensor<24x20xf16>) outs(%d0 : tensor<24x20xf16>) {
  ^bb0(%x: f16, %out: f16):
    %y = arith.negf %x : f16
    linalg.yield %y : f16
  } -> tensor<24x20xf16>
  %c0 = tensor.empty() : tensor<30x24xf32>
  %c1 = linalg.fill ins(%zero : f32) outs(%c0 : tensor<30x24xf32>) -> tensor<30x24xf32>
  %c = linalg.matmul ins(%a1, %b1 : tensor<30x40xf16>, tensor<40x24xf16>) outs(%c1 : tensor<30x24xf32>) -> tensor<30x24xf32>
  %t0 = tensor.empty() : tensor<30x24xf16>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<30x24xf32>) outs(%t0 : tensor<30x24xf16>) {
  ^bb0(%x: f32, %out: f16):
    %y = arith.truncf %x : f32 to f16
    linalg.yield %y : f16
  } -> tensor<30x24xf16>
  %e0 = tensor.empty() : tensor<30x20xf32>
  %e1 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<30x20xf32>) -> tensor<30x20xf32>
  %e = linalg.matmul ins(%t, %d1 : tensor<30x24xf16>, tensor<24x20xf16>) outs(%e1 : tensor<30x20xf32>) -> tensor<30x20xf32>
  return %e : tensor<30x20xf32>
}

func.func @infinity_last(%a: tensor<30x40xf16>, %b: tensor<40x24xf16>, %d: tensor<24x20xf16>) -> tensor<30x20xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f16
  %a0 = tensor.empty() : tensor<30x40xf16>
  %a1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<30x40xf16>) outs(%a0 : tensor<30x40xf16>) {
  ^bb0(%x: f16, %out: f16):
    %y = arith.negf %x : f16
    linalg.yield %y : f16
  } -> tensor<30x40xf16>
  %b0 = tensor.empty() : tensor<40x24xf16>
  %b1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<40x24xf16>) outs(%b0 : tensor<40x24xf16>) {
  ^bb0(%x: f16, %out: f16):
    %y = arith.negf %x : f16
    linalg.yield %y : f16
  } -> tensor<40x24xf16>
  %d0 = tensor.empty() : tensor<24x20xf16>
  %d1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d : tensor<24x20xf16>) outs(%d0 : tensor<24x20xf16>) {
  ^bb0(%x: f16, %out: f16):
    %y = arith.divf %one, %x : f16
    linalg.yield %y : f16
  } -> tensor<24x20xf16>
  %c0 = tensor.empty() : tensor<30x24xf32>
  %c1 = linalg.fill ins(%zero : f32) outs(%c0 : tensor<30x24xf32>) -> tensor<30x24xf32>
  %c = linalg.matmul ins(%a1, %b1 : tensor<30x40xf16>, tensor<40x24xf16>) outs(%c1 : tensor<30x24xf32>) -> tensor<30x24xf32>
  %t0 = tensor.empty() : tensor<30x24xf16>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<30x24xf32>) outs(%t0 : tensor<30x24xf16>) {
  ^bb0(%x: f32, %out: f16):
    %y = arith.truncf %x : f32 to f16
    linalg.yield %y : f16
  } -> tensor<30x24xf16>
  %e0 = tensor.empty() : tensor<30x20xf32>
  %e1 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<30x20xf32>) -> tensor<30x20xf32>
  %e = linalg.matmul ins(%t, %d1 : tensor<30x24xf16>, tensor<24x20xf16>) outs(%e1 : tensor<30x20xf32>) -> tensor<30x20xf32>
  return %e : tensor<30x20xf32>
}

// Repeating a vector reaches beyond the end of the axis too.
func.func @repeated(%a: tensor<30xf16>, %b: tensor<40x24xf16>, %d: tensor<24x20xf16>) -> tensor<30x20xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f16
  %a0 = tensor.empty() : tensor<30x40xf16>
  %a1 = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<30xf16>) outs(%a0 : tensor<30x40xf16>) {
  ^bb0(%x: f16, %out: f16):
    linalg.yield %x : f16
  } -> tensor<30x40xf16>
  %b0 = tensor.empty() : tensor<40x24xf16>
  %b1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<40x24xf16>) outs(%b0 : tensor<40x24xf16>) {
  ^bb0(%x: f16, %out: f16):
    %y = math.exp %x : f16
    linalg.yield %y : f16
  } -> tensor<40x24xf16>
  %d0 = tensor.empty() : tensor<24x20xf16>
  %d1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d : tensor<24x20xf16>) outs(%d0 : tensor<24x20xf16>) {
  ^bb0(%x: f16, %out: f16):
    %y = arith.negf %x : f16
    linalg.yield %y : f16
  } -> tensor<24x20xf16>
  %c0 = tensor.empty() : tensor<30x24xf32>
  %c1 = linalg.fill ins(%zero : f32) outs(%c0 : tensor<30x24xf32>) -> tensor<30x24xf32>
  %c = linalg.matmul ins(%a1, %b1 : tensor<30x40xf16>, tensor<40x24xf16>) outs(%c1 : tensor<30x24xf32>) -> tensor<30x24xf32>
  %t0 = tensor.empty() : tensor<30x24xf16>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<30x24xf32>) outs(%t0 : tensor<30x24xf16>) {
  ^bb0(%x: f32, %out: f16):
    %y = arith.truncf %x : f32 to f16
    linalg.yield %y : f16
  } -> tensor<30x24xf16>
  %e0 = tensor.empty() : tensor<30x20xf32>
  %e1 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<30x20xf32>) -> tensor<30x20xf32>
  %e = linalg.matmul ins(%t, %d1 : tensor<30x24xf16>, tensor<24x20xf16>) outs(%e1 : tensor<30x20xf32>) -> tensor<30x20xf32>
  return %e : tensor<30x20xf32>
}
