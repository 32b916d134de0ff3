// What a block program's threads compute as loops, on the host: as many elements as main counts differ from the ones
// that the formula gives, of a tensor whose last rows and columns lie in tiles that reach beyond it.
// RUN: fusion-test-opt %s --test-tile-to-loops \
// RUN: | %mlir-opt --expand-strided-metadata --lower-affine --convert-scf-to-cf --convert-vector-to-llvm \
// RUN:     --convert-arith-to-llvm --finalize-memref-to-llvm --convert-cf-to-llvm --convert-func-to-llvm \
// RUN:     --reconcile-unrealized-casts -o %t.mlir
// RUN: %mlir-runner %t.mlir -e wrong_elements --entry-point-result=i32 | FileCheck %s --check-prefix=WRONG
// RUN: %mlir-runner %t.mlir -e elements_with_another_factor --entry-point-result=i32 | FileCheck %s --check-prefix=OTHER
// WRONG: {{^}}0{{$}}
// With another factor 34 x 33 elements differ: all but those of row 0, of column 0 and of the filled column.
// OTHER: {{^}}1122{{$}}

#rows = #tile.layout<"register: 8*[0,1]; lane: 4*[0,8] 8*[1,0]; warp: 2*[8,0] -> [16, 32]">
!view = !tile.view<2 x f32, unit = 1, alignment = 4>

// out(i, j) = factor · i · j + 4 · in(i, j) of 35 x 35 elements, in 3 x 2 tiles; from column 34 on, -1.
tile.kernel @formula(%in: !tile.ptr<f32> {tile.access = #tile.access<read>}, %out: !tile.ptr<f32> {tile.access = #tile.access<write>}, %m: index, %n: index, %factor: f32) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c34 = arith.constant 34 : index
  %fill = arith.constant -1.0 : f32
  %block = tile.program_id
  %tile_row = arith.divui %block, %c2 : index
  %tile_column = arith.remui %block, %c2 : index
  %row = arith.muli %tile_row, %c16 : index
  %column = arith.muli %tile_column, %c32 : index
  %v = tile.view %in[%c0] sizes [%m, %n] strides [%n, %c1] : !tile.ptr<f32> -> !view
  %w = tile.view %out[%c0] sizes [%m, %n] strides [%n, %c1] : !tile.ptr<f32> -> !view
  %x = tile.load %v[%row, %column] : !view -> tensor<16x32xf32, #rows>
  %i = tile.iota %row along 0 : tensor<16x32xindex, #rows>
  %j = tile.iota %column along 1 : tensor<16x32xindex, #rows>
  %i32 = arith.index_cast %i : tensor<16x32xindex, #rows> to tensor<16x32xi32, #rows>
  %j32 = arith.index_cast %j : tensor<16x32xindex, #rows> to tensor<16x32xi32, #rows>
  %fi = arith.sitofp %i32 : tensor<16x32xi32, #rows> to tensor<16x32xf32, #rows>
  %fj = arith.sitofp %j32 : tensor<16x32xi32, #rows> to tensor<16x32xf32, #rows>
  %f = tile.splat %factor : f32 -> tensor<16x32xf32, #rows>
  %fij = arith.mulf %fi, %fj : tensor<16x32xf32, #rows>
  %begin = arith.mulf %f, %fij : tensor<16x32xf32, #rows>
  %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %begin) -> (tensor<16x32xf32, #rows>) {
    %next = arith.addf %s, %x : tensor<16x32xf32, #rows>
    scf.yield %next : tensor<16x32xf32, #rows>
  }
  %bound = arith.subi %c34, %column : index
  %y = tile.mask %sum below %bound along 1 else %fill : tensor<16x32xf32, #rows>, f32 -> tensor<16x32xf32, #rows>
  tile.store %y, %w[%row, %column] : tensor<16x32xf32, #rows>, !view
  tile.return
}

func.func private @formula_loops(memref<f32>, memref<f32>, index, index, f32, index)

// Elements that differ from the formula with the factor `expected`.
func.func private @differ(%expected: f32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c34 = arith.constant 34 : index
  %c35 = arith.constant 35 : index
  %zero = arith.constant 0 : i32
  %factor = arith.constant 2.0 : f32
  %four = arith.constant 4.0 : f32
  %fill = arith.constant -1.0 : f32
  %in = memref.alloc() : memref<35x35xf32>
  %out = memref.alloc() : memref<35x35xf32>
  scf.for %i = %c0 to %c35 step %c1 {
    scf.for %j = %c0 to %c35 step %c1 {
      %ij = arith.addi %i, %j : index
      %ij32 = arith.index_cast %ij : index to i32
      %value = arith.sitofp %ij32 : i32 to f32
      memref.store %value, %in[%i, %j] : memref<35x35xf32>
    }
  }
  %from = memref.reinterpret_cast %in to offset: [0], sizes: [], strides: [] : memref<35x35xf32> to memref<f32>
  %to = memref.reinterpret_cast %out to offset: [0], sizes: [], strides: [] : memref<35x35xf32> to memref<f32>
  func.call @formula_loops(%from, %to, %c35, %c35, %factor, %c6) : (memref<f32>, memref<f32>, index, index, f32, index) -> ()
  %count = scf.for %i = %c0 to %c35 step %c1 iter_args(%rows = %zero) -> (i32) {
    %of_row = scf.for %j = %c0 to %c35 step %c1 iter_args(%wrong = %rows) -> (i32) {
      %i32 = arith.index_cast %i : index to i32
      %j32 = arith.index_cast %j : index to i32
      %fi = arith.sitofp %i32 : i32 to f32
      %fj = arith.sitofp %j32 : i32 to f32
      %fij = arith.mulf %fi, %fj : f32
      %product = arith.mulf %expected, %fij : f32
      %x = memref.load %in[%i, %j] : memref<35x35xf32>
      %x4 = arith.mulf %four, %x : f32
      %formula = arith.addf %product, %x4 : f32
      %is_inside = arith.cmpi ult, %j, %c34 : index
      %right = arith.select %is_inside, %formula, %fill : f32
      %own = memref.load %out[%i, %j] : memref<35x35xf32>
      %differs = arith.cmpf une, %own, %right : f32
      %one = arith.extui %differs : i1 to i32
      %next = arith.addi %wrong, %one : i32
      scf.yield %next : i32
    }
    scf.yield %of_row : i32
  }
  memref.dealloc %in : memref<35x35xf32>
  memref.dealloc %out : memref<35x35xf32>
  return %count : i32
}

func.func @wrong_elements() -> i32 {
  %factor = arith.constant 2.0 : f32
  %count = func.call @differ(%factor) : (f32) -> i32
  return %count : i32
}

func.func @elements_with_another_factor() -> i32 {
  %factor = arith.constant 3.0 : f32
  %count = func.call @differ(%factor) : (f32) -> i32
  return %count : i32
}
