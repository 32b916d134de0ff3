// Rows of 11 elements of 16 bits begin at any element: each thread loads and stores a row in aligned pieces of four, and
// moves words by what the row is off. It has no neighbour among the lanes to exchange anything with. The copy is the
// same, and nothing behind it is written.
// RUN: fusion-test-opt %s --test-tile-to-loops -o %t.loops.mlir
// RUN: FileCheck %s --check-prefix=LOOPS --input-file=%t.loops.mlir
// RUN: %mlir-opt %t.loops.mlir --expand-strided-metadata --lower-affine --convert-scf-to-cf --convert-vector-to-llvm \
// RUN:     --convert-arith-to-llvm --finalize-memref-to-llvm --convert-cf-to-llvm --convert-func-to-llvm \
// RUN:     --reconcile-unrealized-casts -o %t.mlir
// RUN: %mlir-runner %t.mlir -e wrong_elements --entry-point-result=i32 | FileCheck %s --check-prefix=WRONG
// WRONG: {{^}}0{{$}}
// LOOPS: func.func @copy_rows_loops
// LOOPS: vector.load {{.*}} {alignment = 8 : i64} : memref<?xi16>, vector<4xi16>
// Two words are shifted as one of 64 bits.
// LOOPS: arith.shrui %{{.*}}, %{{.*}} : i64
// LOOPS: vector.store {{.*}} {alignment = 8 : i64} : memref<?xi16>, vector<4xi16>

#rows = #tile.layout<"register: 16*[0,1]; lane: 32*[1,0] -> [32, 16]">
!view = !tile.view<2 x i16, unit = 1, alignment = 2>

tile.kernel @copy_rows(%in: !tile.ptr<i16> {tile.access = #tile.access<read>}, %out: !tile.ptr<i16> {tile.access = #tile.access<write>}, %n: index) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %v = tile.view %in[%c0] sizes [%c32, %n] strides [%n, %c1] : !tile.ptr<i16> -> !view
  %w = tile.view %out[%c0] sizes [%c32, %n] strides [%n, %c1] : !tile.ptr<i16> -> !view
  %x = tile.load %v[%c0, %c0] {in_bounds = array<i1: true, false>, ragged, misaligned = 4, within = 352} : !view -> tensor<32x16xi16, #rows>
  tile.store %x, %w[%c0, %c0] {in_bounds = array<i1: true, false>, ragged, misaligned = 4} : tensor<32x16xi16, #rows>, !view
  tile.return
}

func.func private @copy_rows_loops(memref<i16>, memref<i16>, index, index)

func.func @wrong_elements() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c11 = arith.constant 11 : index
  %c352 = arith.constant 352 : index
  %c360 = arith.constant 360 : index
  %zero = arith.constant 0 : i32
  %untouched = arith.constant -1 : i16
  %in = memref.alloc() {alignment = 64 : i64} : memref<352xi16>
  %out = memref.alloc() {alignment = 64 : i64} : memref<360xi16>
  scf.for %i = %c0 to %c352 step %c1 {
    %seventh = arith.muli %i, %c7 : index
    %value = arith.index_cast %seventh : index to i16
    memref.store %value, %in[%i] : memref<352xi16>
  }
  scf.for %i = %c0 to %c360 step %c1 {
    memref.store %untouched, %out[%i] : memref<360xi16>
  }
  %from = memref.reinterpret_cast %in to offset: [0], sizes: [], strides: [] : memref<352xi16> to memref<i16>
  %to = memref.reinterpret_cast %out to offset: [0], sizes: [], strides: [] : memref<360xi16> to memref<i16>
  func.call @copy_rows_loops(%from, %to, %c11, %c1) : (memref<i16>, memref<i16>, index, index) -> ()
  %count = scf.for %i = %c0 to %c360 step %c1 iter_args(%wrong = %zero) -> (i32) {
    %seventh = arith.muli %i, %c7 : index
    %value = arith.index_cast %seventh : index to i16
    %is_copied = arith.cmpi ult, %i, %c352 : index
    %right = arith.select %is_copied, %value, %untouched : i16
    %own = memref.load %out[%i] : memref<360xi16>
    %differs = arith.cmpi ne, %own, %right : i16
    %one = arith.extui %differs : i1 to i32
    %next = arith.addi %wrong, %one : i32
    scf.yield %next : i32
  }
  memref.dealloc %in : memref<352xi16>
  memref.dealloc %out : memref<360xi16>
  return %count : i32
}
