// RUN: fusion-opt %s --tile-unroll-arrays | FileCheck %s
// Nothing else changes in a kernel without arrays.
// RUN: fusion-opt %s --tile-unroll-arrays | fusion-opt --tile-unroll-arrays | FileCheck %s

!buffer = !tile.buffer<2, 32, 32, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[1,8] x[2,16] 8*[4,0] -> [32, 32]">>
!tiles = !tile.array<2 x tensor<32x32xf32>>

// Accumulators that the outer loop carries: it stays, with one value for each; the inner loop indexes them and goes.
// CHECK-LABEL: tile.kernel @accumulators
tile.kernel @accumulators(%o: !tile.ptr<f32> {tile.access = #tile.access<write>}) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %b = tile.alloc : !buffer
  %v = tile.view %o[%c0] sizes [%c64, %c64] strides [%c64, %c1] : !tile.ptr<f32> -> !tile.view<2 x f32, unit = 1, alignment = 16>
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.0
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %zeros = tile.make_array %zero : !tiles
  // CHECK: %[[SUMS:.*]]:2 = scf.for {{.*}} iter_args(%[[FIRST:.*]] = %[[ZERO]], %[[SECOND:.*]] = %[[ZERO]]) -> (tensor<32x32xf32>, tensor<32x32xf32>)
  %sums = scf.for %k = %c0 to %c64 step %c32 iter_args(%outer = %zeros) -> (!tiles) {
    // CHECK-NEXT: %[[X:.*]] = tile.local_load
    // CHECK-NOT: scf.for
    %x = tile.local_load %b[%c0] at [0, 0] : !buffer -> tensor<32x32xf16>
    %inner = scf.for %n = %c0 to %c64 step %c32 iter_args(%given = %outer) -> (!tiles) {
      %slot = arith.divui %n, %c32 : index
      // CHECK: %[[Y0:.*]] = tile.local_load %{{.*}}[%c0
      // CHECK: %[[D0:.*]] = tile.dot %[[X]], %[[Y0]], %[[FIRST]]
      // CHECK: %[[Y1:.*]] = tile.local_load %{{.*}}[%c1
      // CHECK: %[[D1:.*]] = tile.dot %[[X]], %[[Y1]], %[[SECOND]]
      %y = tile.local_load %b[%slot] at [0, 0] : !buffer -> tensor<32x32xf16>
      %old = tile.array_get %given[%slot] : !tiles
      %new = tile.dot %x, %y, %old "mma.m16n8k16" warps [2, 1] : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
      %set = tile.array_set %new, %given[%slot] : !tiles
      scf.yield %set : !tiles
    }
    // CHECK: scf.yield %[[D0]], %[[D1]]
    scf.yield %inner : !tiles
  }
  // CHECK: tile.store %[[SUMS]]#0, %{{.*}}[%c0{{.*}}, %c0
  // CHECK: tile.store %[[SUMS]]#1, %{{.*}}[%c0{{.*}}, %c32
  // CHECK-NOT: array
  scf.for %n = %c0 to %c64 step %c32 {
    %slot = arith.divui %n, %c32 : index
    %sum = tile.array_get %sums[%slot] : !tiles
    tile.store %sum, %v[%c0, %n] : tensor<32x32xf32>, !tile.view<2 x f32, unit = 1, alignment = 16>
  }
  tile.return
}

// A pipelined loop: stages become constants, the notes relative to an iteration go, the copy that its end predicates
// off does, too, but not the group that it would have been in.
// CHECK-LABEL: tile.kernel @pipelined
tile.kernel @pipelined(%a: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %b = tile.alloc : !buffer
  %v = tile.view %a[%c0] sizes [%c32, %c64] strides [%c64, %c1] : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  %zero = arith.constant dense<0.0> : tensor<32x32xf16>
  %zeros = tile.make_array %zero : !tile.array<2 x tensor<32x32xf16>>
  // CHECK: tile.copy_async %{{.*}}[%c0{{.*}}, %c0{{.*}}], %{{.*}}[%c0{{.*}}] by async16 : {{.*}}
  tile.copy_async %v[%c0, %c0], %b[%c0] by async16 {slot = 0 : i64} : !tile.view<2 x f16, unit = 1, alignment = 16>, !buffer
  tile.producer_commit
  // CHECK: tile.producer_commit
  // CHECK-NOT: scf.for
  %all:3 = scf.for %n = %c0 to %c64 step %c32 iter_args(%given = %zeros, %r = %i0, %w = %i1) -> (!tile.array<2 x tensor<32x32xf16>>, i32, i32) {
    %read = arith.index_castui %r : i32 to index
    %write = arith.index_castui %w : i32 to index
    // CHECK: tile.consumer_wait 0
    // CHECK-NEXT: tile.producer_acquire
    // CHECK-NEXT: tile.copy_async %{{.*}}[%c0{{.*}}, %c32{{.*}}], %{{.*}}[%c1{{.*}}] by async16 :
    // CHECK-NEXT: tile.producer_commit
    // CHECK-NEXT: tile.local_load %{{.*}}[%c0{{.*}}] at [0, 0] :
    // CHECK: tile.consumer_wait 0
    // CHECK-NEXT: tile.producer_acquire
    // CHECK-NEXT: tile.producer_commit
    // CHECK-NEXT: tile.local_load %{{.*}}[%c1{{.*}}] at [0, 0] :
    tile.consumer_wait 0
    tile.producer_acquire
    %next = arith.addi %n, %c32 : index
    %inside = arith.cmpi slt, %next, %c64 : index
    tile.copy_async %v[%c0, %next], %b[%write] by async16 if %inside {slot = 1 : i64} : !tile.view<2 x f16, unit = 1, alignment = 16>, !buffer
    tile.producer_commit
    %x = tile.local_load %b[%read] at [0, 0] {slot = 0 : i64} : !buffer -> tensor<32x32xf16>
    %slot = arith.divui %n, %c32 : index
    %set = tile.array_set %x, %given[%slot] : !tile.array<2 x tensor<32x32xf16>>
    tile.consumer_release
    %r1 = arith.addi %r, %i1 : i32
    %rend = arith.cmpi eq, %r1, %i2 : i32
    %r2 = arith.select %rend, %i0, %r1 : i32
    %w1 = arith.addi %w, %i1 : i32
    %wend = arith.cmpi eq, %w1, %i2 : i32
    %w2 = arith.select %wend, %i0, %w1 : i32
    scf.yield %set, %r2, %w2 : !tile.array<2 x tensor<32x32xf16>>, i32, i32
  }
  %first = tile.array_get %all#0[%c0] : !tile.array<2 x tensor<32x32xf16>>
  %second = tile.array_get %all#0[%c1] : !tile.array<2 x tensor<32x32xf16>>
  %c = tile.alloc : !buffer
  tile.local_store %first, %c[%c0] : tensor<32x32xf16>, !buffer
  tile.local_store %second, %c[%c1] : tensor<32x32xf16>, !buffer
  tile.return
}

// A loop inside of the one that goes changes one of the tiles: it carries that one.
// CHECK-LABEL: tile.kernel @one_of_two
tile.kernel @one_of_two(%o: !tile.ptr<f32> {tile.access = #tile.access<write>}) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %b = tile.alloc : !buffer
  %v = tile.view %o[%c0] sizes [%c64, %c64] strides [%c64, %c1] : !tile.ptr<f32> -> !tile.view<2 x f32, unit = 1, alignment = 16>
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.0
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %zeros = tile.make_array %zero : !tiles
  // CHECK: scf.for {{.*}} iter_args(%[[FIRST:.*]] = %[[ZERO]], %[[SECOND:.*]] = %[[ZERO]]) -> (tensor<32x32xf32>, tensor<32x32xf32>)
  %sums = scf.for %k = %c0 to %c64 step %c32 iter_args(%outer = %zeros) -> (!tiles) {
    %inner = scf.for %n = %c0 to %c64 step %c32 iter_args(%given = %outer) -> (!tiles) {
      %slot = arith.divui %n, %c32 : index
      // CHECK: %[[D0:.*]] = scf.for {{.*}} iter_args(%[[S0:.*]] = %[[FIRST]]) -> (tensor<32x32xf32>)
      // CHECK: tile.dot %{{.*}}, %{{.*}}, %[[S0]]
      // CHECK: %[[D1:.*]] = scf.for {{.*}} iter_args(%[[S1:.*]] = %[[SECOND]]) -> (tensor<32x32xf32>)
      // CHECK: tile.dot %{{.*}}, %{{.*}}, %[[S1]]
      %innermost = scf.for %r = %c0 to %c3 step %c1 iter_args(%tiles = %given) -> (!tiles) {
        %x = tile.local_load %b[%c0] at [0, 0] : !buffer -> tensor<32x32xf16>
        %old = tile.array_get %tiles[%slot] : !tiles
        %new = tile.dot %x, %x, %old "mma.m16n8k16" warps [2, 1] : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
        %set = tile.array_set %new, %tiles[%slot] : !tiles
        scf.yield %set : !tiles
      }
      scf.yield %innermost : !tiles
    }
    // CHECK: scf.yield %[[D0]], %[[D1]]
    scf.yield %inner : !tiles
  }
  scf.for %n = %c0 to %c64 step %c32 {
    %slot = arith.divui %n, %c32 : index
    %sum = tile.array_get %sums[%slot] : !tiles
    tile.store %sum, %v[%c0, %n] : tensor<32x32xf32>, !tile.view<2 x f32, unit = 1, alignment = 16>
  }
  tile.return
}

// The same through a loop in between: neither carries what the other does not change, and a tile that no loop changes is
// what the array was made of.
// CHECK-LABEL: tile.kernel @each_loop_carries_what_it_changes
tile.kernel @each_loop_carries_what_it_changes(%o: !tile.ptr<f32> {tile.access = #tile.access<write>}) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %b = tile.alloc : !buffer
  %v = tile.view %o[%c0] sizes [%c64, %c64] strides [%c64, %c1] : !tile.ptr<f32> -> !tile.view<2 x f32, unit = 1, alignment = 16>
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.0
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %zeros = tile.make_array %zero : !tile.array<3 x tensor<32x32xf32>>
  // CHECK: %[[SUMS:.*]]:2 = scf.for {{.*}} iter_args(%[[FIRST:.*]] = %[[ZERO]], %[[SECOND:.*]] = %[[ZERO]]) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %sums = scf.for %k = %c0 to %c64 step %c32 iter_args(%outer = %zeros) -> (!tile.array<3 x tensor<32x32xf32>>) {
    %x = tile.local_load %b[%c0] at [0, 0] : !buffer -> tensor<32x32xf16>
    // CHECK: %[[OUTER0:.*]] = scf.for {{.*}} iter_args(%[[FIRST1:.*]] = %[[FIRST]]) -> (tensor<32x32xf32>) {
    // CHECK: %[[INNER0:.*]] = scf.for {{.*}} iter_args(%[[FIRST2:.*]] = %[[FIRST1]]) -> (tensor<32x32xf32>) {
    // CHECK: %[[D0:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[FIRST2]]
    // CHECK-NEXT: scf.yield %[[D0]] : tensor<32x32xf32>
    // CHECK: scf.yield %[[INNER0]] : tensor<32x32xf32>
    // CHECK: %[[OUTER1:.*]] = scf.for {{.*}} iter_args(%[[SECOND1:.*]] = %[[SECOND]]) -> (tensor<32x32xf32>) {
    // CHECK: %[[INNER1:.*]] = scf.for {{.*}} iter_args(%[[SECOND2:.*]] = %[[SECOND1]]) -> (tensor<32x32xf32>) {
    // CHECK: %[[D1:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[SECOND2]]
    // CHECK-NEXT: scf.yield %[[D1]] : tensor<32x32xf32>
    // CHECK: scf.yield %[[INNER1]] : tensor<32x32xf32>
    // CHECK: scf.yield %[[OUTER0]], %[[OUTER1]] : tensor<32x32xf32>, tensor<32x32xf32>
    %all = scf.for %n = %c0 to %c64 step %c32 iter_args(%given = %outer) -> (!tile.array<3 x tensor<32x32xf32>>) {
      %slot = arith.divui %n, %c32 : index
      %some = scf.for %r = %c0 to %c2 step %c1 iter_args(%taken = %given) -> (!tile.array<3 x tensor<32x32xf32>>) {
        %one = scf.for %s = %c0 to %c2 step %c1 iter_args(%held = %taken) -> (!tile.array<3 x tensor<32x32xf32>>) {
          %y = tile.local_load %b[%s] at [0, 0] : !buffer -> tensor<32x32xf16>
          %old = tile.array_get %held[%slot] : !tile.array<3 x tensor<32x32xf32>>
          %new = tile.dot %x, %y, %old "mma.m16n8k16" warps [2, 1] : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
          %set = tile.array_set %new, %held[%slot] : !tile.array<3 x tensor<32x32xf32>>
          scf.yield %set : !tile.array<3 x tensor<32x32xf32>>
        }
        scf.yield %one : !tile.array<3 x tensor<32x32xf32>>
      }
      scf.yield %some : !tile.array<3 x tensor<32x32xf32>>
    }
    scf.yield %all : !tile.array<3 x tensor<32x32xf32>>
  }
  // CHECK: tile.store %[[SUMS]]#0
  // CHECK: tile.store %[[SUMS]]#1
  // CHECK: tile.store %[[ZERO]]
  %first = tile.array_get %sums[%c0] : !tile.array<3 x tensor<32x32xf32>>
  %second = tile.array_get %sums[%c1] : !tile.array<3 x tensor<32x32xf32>>
  %third = tile.array_get %sums[%c2] : !tile.array<3 x tensor<32x32xf32>>
  tile.store %first, %v[%c0, %c0] : tensor<32x32xf32>, !tile.view<2 x f32, unit = 1, alignment = 16>
  tile.store %second, %v[%c0, %c32] : tensor<32x32xf32>, !tile.view<2 x f32, unit = 1, alignment = 16>
  tile.store %third, %v[%c32, %c0] : tensor<32x32xf32>, !tile.view<2 x f32, unit = 1, alignment = 16>
  tile.return
}

// A loop that goes around a pipelined one: what fills the first stages of that one in front of it, and the notes relative
// to its iterations, stay.
// CHECK-LABEL: tile.kernel @pipelined_inside
tile.kernel @pipelined_inside(%a: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %b = tile.alloc : !buffer
  %v = tile.view %a[%c0] sizes [%c32, %c64] strides [%c64, %c1] : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  %zero = arith.constant dense<0.0> : tensor<32x32xf16>
  %zeros = tile.make_array %zero : !tile.array<2 x tensor<32x32xf16>>
  // CHECK: tile.copy_async {{.*}} {slot = 0 : i64}
  // CHECK: scf.for
  // CHECK: tile.copy_async {{.*}} {slot = 1 : i64}
  // CHECK: tile.local_load {{.*}} {slot = 0 : i64}
  // CHECK: tile.copy_async {{.*}} {slot = 0 : i64}
  %all = scf.for %n = %c0 to %c64 step %c32 iter_args(%given = %zeros) -> (!tile.array<2 x tensor<32x32xf16>>) {
    %slot = arith.divui %n, %c32 : index
    tile.copy_async %v[%c0, %c0], %b[%c0] by async16 {slot = 0 : i64} : !tile.view<2 x f16, unit = 1, alignment = 16>, !buffer
    tile.producer_commit
    %sum:2 = scf.for %k = %c0 to %c64 step %c32 iter_args(%s = %zero, %r = %i0) -> (tensor<32x32xf16>, i32) {
      %read = arith.index_castui %r : i32 to index
      %w = arith.subi %i1, %r : i32
      %write = arith.index_castui %w : i32 to index
      tile.consumer_wait 0
      tile.producer_acquire
      %next = arith.addi %k, %c32 : index
      %inside = arith.cmpi slt, %next, %c64 : index
      tile.copy_async %v[%c0, %next], %b[%write] by async16 if %inside {slot = 1 : i64} : !tile.view<2 x f16, unit = 1, alignment = 16>, !buffer
      tile.producer_commit
      %x = tile.local_load %b[%read] at [0, 0] {slot = 0 : i64} : !buffer -> tensor<32x32xf16>
      %t = arith.addf %s, %x : tensor<32x32xf16>
      tile.consumer_release
      scf.yield %t, %w : tensor<32x32xf16>, i32
    }
    %set = tile.array_set %sum#0, %given[%slot] : !tile.array<2 x tensor<32x32xf16>>
    scf.yield %set : !tile.array<2 x tensor<32x32xf16>>
  }
  %first = tile.array_get %all[%c0] : !tile.array<2 x tensor<32x32xf16>>
  %c = tile.alloc : !buffer
  tile.local_store %first, %c[%c0] : tensor<32x32xf16>, !buffer
  tile.return
}
