// Tensors of indices, which have 64 bits: read, made and read by.
// RUN: fusion-run %s --device=emulator --sanitize | FileCheck %s
// CHECK: PASS
func.func @index_tensors(%x: tensor<100xindex>, %table: tensor<40x8xf32>) -> (tensor<100xindex>, tensor<6x8xf32>, tensor<40xindex>) {
  %e = tensor.empty() : tensor<100xindex>
  %twice = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<100xindex>) outs(%e : tensor<100xindex>) {
  ^bb0(%a: index, %o: index):
    %m = arith.addi %a, %a : index
    linalg.yield %m : index
  } -> tensor<100xindex>
  %p = tensor.empty() : tensor<6xindex>
  %places = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%p : tensor<6xindex>) {
  ^bb0(%o: index):
    %i = linalg.index 0 : index
    %seven = arith.constant 7 : index
    %at = arith.muli %i, %seven : index
    linalg.yield %at : index
  } -> tensor<6xindex>
  %g = tensor.empty() : tensor<6x8xf32>
  %rows = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%places : tensor<6xindex>) outs(%g : tensor<6x8xf32>) {
  ^bb0(%at: index, %o: f32):
    %j = linalg.index 1 : index
    %value = tensor.extract %table[%at, %j] : tensor<40x8xf32>
    linalg.yield %value : f32
  } -> tensor<6x8xf32>
  %low = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : index
  %f = tensor.empty() : tensor<40xf32>
  %n = tensor.empty() : tensor<40xindex>
  %tops = linalg.fill ins(%low : f32) outs(%f : tensor<40xf32>) -> tensor<40xf32>
  %first = linalg.fill ins(%none : index) outs(%n : tensor<40xindex>) -> tensor<40xindex>
  %most:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
                            iterator_types = ["parallel", "reduction"]}
      ins(%table : tensor<40x8xf32>) outs(%tops, %first : tensor<40xf32>, tensor<40xindex>) {
  ^bb0(%a: f32, %top: f32, %at: index):
    %j = linalg.index 1 : index
    %more = arith.cmpf ogt, %a, %top : f32
    %value = arith.select %more, %a, %top : f32
    %place = arith.select %more, %j, %at : index
    linalg.yield %value, %place : f32, index
  } -> (tensor<40xf32>, tensor<40xindex>)
  return %twice, %rows, %most#1 : tensor<100xindex>, tensor<6x8xf32>, tensor<40xindex>
}
