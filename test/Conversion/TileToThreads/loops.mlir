// Distribution to threads knows no machine: a target of tests makes loops over blocks and threads of a block program.
// RUN: fusion-test-opt %s --test-tile-to-loops -split-input-file | FileCheck %s

// 64 x 32 elements of a view whose last rows and columns may be outside; eight elements of a row for each thread.
#rows = #tile.layout<"register: 8*[0,1]; lane: 4*[0,8] 8*[1,0]; warp: 2*[8,0] -> [16, 32]">
!view = !tile.view<2 x f32, unit = 1, alignment = 16>
// CHECK-LABEL: func.func @scale_loops(
// CHECK-SAME: %[[P:.*]]: memref<f32>, %[[Q:.*]]: memref<f32>, %[[M:.*]]: index, %[[N:.*]]: index, %[[F:.*]]: f32, %[[BLOCKS:.*]]: index)
// CHECK: scf.for %[[BLOCK:.*]] = %{{.*}} to %[[BLOCKS]]
// CHECK: %[[THREADS:.*]] = arith.constant 64 : index
// CHECK: scf.for %[[THREAD:.*]] = %{{.*}} to %[[THREADS]]
// The thread's lane and warp, once.
// CHECK: %[[NARROW:.*]] = arith.index_castui %[[THREAD]] : index to i32
// CHECK: arith.remui %[[NARROW]]
// CHECK: arith.divui %[[NARROW]]
// CHECK: memref.reinterpret_cast %[[P]]
// The tile's first row.
// CHECK: arith.muli %[[BLOCK]], %{{.*}} : index
// Two guarded accesses of 16 bytes, one product of each element, and two guarded stores.
// CHECK-COUNT-2: vector.load {{.*}} {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
// CHECK-COUNT-8: arith.mulf %{{.*}}, %[[F]] : f32
// CHECK-COUNT-2: vector.store {{.*}} {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
// CHECK-NOT: tile.
tile.kernel @scale(%p: !tile.ptr<f32> {tile.access = #tile.access<read>}, %q: !tile.ptr<f32> {tile.access = #tile.access<write>}, %m: index, %n: index, %f: f32) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %block = tile.program_id
  %row = arith.muli %block, %c16 : index
  %v = tile.view %p[%c0] sizes [%m, %n] strides [%n, %c1] : !tile.ptr<f32> -> !view
  %w = tile.view %q[%c0] sizes [%m, %n] strides [%n, %c1] : !tile.ptr<f32> -> !view
  %x = tile.load %v[%row, %c0] : !view -> tensor<16x32xf32, #rows>
  %factor = tile.splat %f : f32 -> tensor<16x32xf32, #rows>
  %y = arith.mulf %x, %factor : tensor<16x32xf32, #rows>
  tile.store %y, %w[%row, %c0] : tensor<16x32xf32, #rows>, !view
  tile.return
}

// -----

// A loop carries what the thread holds. Its bounds are known to need 32 bits; without tensor cores nothing is asked of
// compilers below.
#rows = #tile.layout<"register: 2*[0,1]; lane: 4*[0,2] 8*[1,0] -> [8, 8]">
// CHECK-LABEL: func.func @accumulate_loops(
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (f32, f32) : i32
// CHECK-COUNT-2: arith.addf {{.*}} : f32
// CHECK: scf.yield {{.*}} : f32, f32
// CHECK-NOT: loop_annotation
tile.kernel @accumulate(%e: f32) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = tile.splat %e : f32 -> tensor<8x8xf32, #rows>
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %x) -> (tensor<8x8xf32, #rows>) {
    %next = arith.addf %s, %x : tensor<8x8xf32, #rows>
    scf.yield %next : tensor<8x8xf32, #rows>
  }
  tile.return
}

// -----

// The layout says which elements a thread combines: here it holds a whole row, so that a reduction exchanges nothing.
#rows = #tile.layout<"register: 4*[0,1]; lane: 32*[1,0] -> [32, 4]">
#sums = #tile.layout<"register: 1*[0]; lane: 32*[1] -> [32]">
// CHECK-LABEL: func.func @sum_of_registers_loops(
// CHECK-COUNT-3: arith.addf {{.*}} : f32
// CHECK-NOT: arith.addf
tile.kernel @sum_of_registers(%e: f32) attributes {warps = 1 : i64} {
  %x = tile.splat %e : f32 -> tensor<32x4xf32, #rows>
  %sums = tile.reduce addf %x along 1 : tensor<32x4xf32, #rows> -> tensor<32xf32, #sums>
  tile.return
}
