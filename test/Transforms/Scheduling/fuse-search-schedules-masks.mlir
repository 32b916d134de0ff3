// RUN: fusion-opt %s --fuse-to-groups=chip=sm_80 --remarks-filter=fuse -o /dev/null 2>&1 | FileCheck %s
// RUN: fusion-opt %s --fuse-to-groups="chip=sm_80 skip-masked=false" --remarks-filter=fuse -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALL

// How many tiles a mask leaves out, or why all are visited.

#s = affine_map<(b, i, j) -> (b, i, j)>

// CHECK: remark: [Analysis] masks | {{.*}}Remark="{{[0-9]+}} of {{[0-9]+}} tiles along 'n' are visited: what lies where m - n < 0 counts for nothing"
// ALL: remark: [Missed] masks | {{.*}}Remark="all tiles along 'n' are visited: what lies where m - n < 0 counts for nothing, but the schedule does not skip it"
func.func @causal(%q: tensor<2x2048x64xf16>, %k: tensor<2x2048x64xf16>, %v: tensor<2x2048x64xf16>) -> tensor<2x2048x64xf32> {
  %zero = arith.constant 0.0 : f32
  %minf = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<2x2048x2048xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x2048x2048xf32>) -> tensor<2x2048x2048xf32>
  %p = linalg.contract indexing_maps = [affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (b, j, k)>, affine_map<(b, i, j, k) -> (b, i, j)>] ins(%q, %k : tensor<2x2048x64xf16>, tensor<2x2048x64xf16>) outs(%z0 : tensor<2x2048x2048xf32>) -> tensor<2x2048x2048xf32>
  %m = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p : tensor<2x2048x2048xf32>) outs(%e0 : tensor<2x2048x2048xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %c = arith.cmpi sge, %i, %j : index
    %r = arith.select %c, %x, %minf : f32
    linalg.yield %r : f32
  } -> tensor<2x2048x2048xf32>
  %sm = linalg.softmax dimension(2) ins(%m : tensor<2x2048x2048xf32>) outs(%e0 : tensor<2x2048x2048xf32>) -> tensor<2x2048x2048xf32>
  %eh = tensor.empty() : tensor<2x2048x2048xf16>
  %h = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%sm : tensor<2x2048x2048xf32>) outs(%eh : tensor<2x2048x2048xf16>) {
  ^bb0(%x: f32, %o: f16):
    %t = arith.truncf %x : f32 to f16
    linalg.yield %t : f16
  } -> tensor<2x2048x2048xf16>
  %e1 = tensor.empty() : tensor<2x2048x64xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x2048x64xf32>) -> tensor<2x2048x64xf32>
  %r = linalg.contract indexing_maps = [affine_map<(b, i, d, j) -> (b, i, j)>, affine_map<(b, i, d, j) -> (b, j, d)>, affine_map<(b, i, d, j) -> (b, i, d)>] ins(%h, %v : tensor<2x2048x2048xf16>, tensor<2x2048x64xf16>) outs(%z1 : tensor<2x2048x64xf32>) -> tensor<2x2048x64xf32>
  return %r : tensor<2x2048x64xf32>
}

// Every 128th key.
// CHECK: remark: [Missed] masks | {{.*}}Remark="all tiles along 'n' are visited: operators compare its index, but nothing proves that what they make along it is left out"
func.func @dilated(%q: tensor<2x2048x64xf16>, %k: tensor<2x2048x64xf16>, %v: tensor<2x2048x64xf16>) -> tensor<2x2048x64xf32> {
  %zero = arith.constant 0.0 : f32
  %minf = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<2x2048x2048xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x2048x2048xf32>) -> tensor<2x2048x2048xf32>
  %p = linalg.contract indexing_maps = [affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (b, j, k)>, affine_map<(b, i, j, k) -> (b, i, j)>] ins(%q, %k : tensor<2x2048x64xf16>, tensor<2x2048x64xf16>) outs(%z0 : tensor<2x2048x2048xf32>) -> tensor<2x2048x2048xf32>
  %m = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p : tensor<2x2048x2048xf32>) outs(%e0 : tensor<2x2048x2048xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %w = arith.constant 128 : index
    %bi = arith.remui %i, %w : index
    %bj = arith.remui %j, %w : index
    %c = arith.cmpi eq, %bi, %bj : index
    %r = arith.select %c, %x, %minf : f32
    linalg.yield %r : f32
  } -> tensor<2x2048x2048xf32>
  %sm = linalg.softmax dimension(2) ins(%m : tensor<2x2048x2048xf32>) outs(%e0 : tensor<2x2048x2048xf32>) -> tensor<2x2048x2048xf32>
  %eh = tensor.empty() : tensor<2x2048x2048xf16>
  %h = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%sm : tensor<2x2048x2048xf32>) outs(%eh : tensor<2x2048x2048xf16>) {
  ^bb0(%x: f32, %o: f16):
    %t = arith.truncf %x : f32 to f16
    linalg.yield %t : f16
  } -> tensor<2x2048x2048xf16>
  %e1 = tensor.empty() : tensor<2x2048x64xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x2048x64xf32>) -> tensor<2x2048x64xf32>
  %r = linalg.contract indexing_maps = [affine_map<(b, i, d, j) -> (b, i, j)>, affine_map<(b, i, d, j) -> (b, j, d)>, affine_map<(b, i, d, j) -> (b, i, d)>] ins(%h, %v : tensor<2x2048x2048xf16>, tensor<2x2048x64xf16>) outs(%z1 : tensor<2x2048x64xf32>) -> tensor<2x2048x64xf32>
  return %r : tensor<2x2048x64xf32>
}

// What is compared is a score that its index is part of.
// CHECK-NOT: remark: [{{.*}}] masks
func.func @alibi(%q: tensor<2x2048x64xf16>, %k: tensor<2x2048x64xf16>, %v: tensor<2x2048x64xf16>) -> tensor<2x2048x64xf32> {
  %zero = arith.constant 0.0 : f32
  %minf = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<2x2048x2048xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x2048x2048xf32>) -> tensor<2x2048x2048xf32>
  %p = linalg.contract indexing_maps = [affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (b, j, k)>, affine_map<(b, i, j, k) -> (b, i, j)>] ins(%q, %k : tensor<2x2048x64xf16>, tensor<2x2048x64xf16>) outs(%z0 : tensor<2x2048x2048xf32>) -> tensor<2x2048x2048xf32>
  %m = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p : tensor<2x2048x2048xf32>) outs(%e0 : tensor<2x2048x2048xf32>) {
  ^bb0(%x: f32, %o: f32):
    %j = linalg.index 2 : index
    %ji = arith.index_cast %j : index to i32
    %jf = arith.sitofp %ji : i32 to f32
    %y = arith.addf %x, %jf : f32
    %c = arith.cmpf ogt, %y, %zero : f32
    %r = arith.select %c, %y, %zero : f32
    linalg.yield %r : f32
  } -> tensor<2x2048x2048xf32>
  %sm = linalg.softmax dimension(2) ins(%m : tensor<2x2048x2048xf32>) outs(%e0 : tensor<2x2048x2048xf32>) -> tensor<2x2048x2048xf32>
  %eh = tensor.empty() : tensor<2x2048x2048xf16>
  %h = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%sm : tensor<2x2048x2048xf32>) outs(%eh : tensor<2x2048x2048xf16>) {
  ^bb0(%x: f32, %o: f16):
    %t = arith.truncf %x : f32 to f16
    linalg.yield %t : f16
  } -> tensor<2x2048x2048xf16>
  %e1 = tensor.empty() : tensor<2x2048x64xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x2048x64xf32>) -> tensor<2x2048x64xf32>
  %r = linalg.contract indexing_maps = [affine_map<(b, i, d, j) -> (b, i, j)>, affine_map<(b, i, d, j) -> (b, j, d)>, affine_map<(b, i, d, j) -> (b, i, d)>] ins(%h, %v : tensor<2x2048x2048xf16>, tensor<2x2048x64xf16>) outs(%z1 : tensor<2x2048x64xf32>) -> tensor<2x2048x64xf32>
  return %r : tensor<2x2048x64xf32>
}

// No row begins or ends with masked elements.
// CHECK: remark: [Missed] masks | {{.*}}Remark="all tiles along 'n' are visited: what lies where {{.*}} counts for nothing, but rows neither begin nor end there"
func.func @hole(%q: tensor<2x2048x64xf16>, %k: tensor<2x2048x64xf16>, %v: tensor<2x2048x64xf16>) -> tensor<2x2048x64xf32> {
  %zero = arith.constant 0.0 : f32
  %minf = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<2x2048x2048xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x2048x2048xf32>) -> tensor<2x2048x2048xf32>
  %p = linalg.contract indexing_maps = [affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (b, j, k)>, affine_map<(b, i, j, k) -> (b, i, j)>] ins(%q, %k : tensor<2x2048x64xf16>, tensor<2x2048x64xf16>) outs(%z0 : tensor<2x2048x2048xf32>) -> tensor<2x2048x2048xf32>
  %m = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p : tensor<2x2048x2048xf32>) outs(%e0 : tensor<2x2048x2048xf32>) {
  ^bb0(%x: f32, %o: f32):
    %j = linalg.index 2 : index
    %first = arith.constant 100 : index
    %last = arith.constant 400 : index
    %before = arith.cmpi slt, %j, %first : index
    %behind = arith.cmpi sge, %j, %last : index
    %c = arith.ori %before, %behind : i1
    %r = arith.select %c, %x, %minf : f32
    linalg.yield %r : f32
  } -> tensor<2x2048x2048xf32>
  %sm = linalg.softmax dimension(2) ins(%m : tensor<2x2048x2048xf32>) outs(%e0 : tensor<2x2048x2048xf32>) -> tensor<2x2048x2048xf32>
  %eh = tensor.empty() : tensor<2x2048x2048xf16>
  %h = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%sm : tensor<2x2048x2048xf32>) outs(%eh : tensor<2x2048x2048xf16>) {
  ^bb0(%x: f32, %o: f16):
    %t = arith.truncf %x : f32 to f16
    linalg.yield %t : f16
  } -> tensor<2x2048x2048xf16>
  %e1 = tensor.empty() : tensor<2x2048x64xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x2048x64xf32>) -> tensor<2x2048x64xf32>
  %r = linalg.contract indexing_maps = [affine_map<(b, i, d, j) -> (b, i, j)>, affine_map<(b, i, d, j) -> (b, j, d)>, affine_map<(b, i, d, j) -> (b, i, d)>] ins(%h, %v : tensor<2x2048x2048xf16>, tensor<2x2048x64xf16>) outs(%z1 : tensor<2x2048x64xf32>) -> tensor<2x2048x64xf32>
  return %r : tensor<2x2048x64xf32>
}
