// Each op of a block program by itself.
// RUN: fusion-opt %s --convert-tile-to-gpu -split-input-file | FileCheck %s

// Sizes become 32-bit integers; scalars stay.
// CHECK-LABEL: gpu.func @arguments
// CHECK-SAME: (%[[P:.*]]: memref<f32> {llvm.align = 16 : i64, llvm.noalias}, %[[N:.*]]: i32, %[[S:.*]]: f32, %[[I:.*]]: i64)
// CHECK: arith.index_castui %[[N]] : i32 to index
// The generic form: the block's and the thread's index, single elements.
// CHECK: gpu.block_id x
// CHECK: gpu.thread_id x
// CHECK: memref.store %[[S]], %{{.*}}[%{{.*}}] : memref<?xf32>
tile.kernel @arguments(%p: !tile.ptr<f32> {tile.access = #tile.access<write>}, %n: index, %s: f32, %i: i64) attributes {warps = 2 : i64} {
  %b = tile.program_id
  %t = tile.thread_id
  %x = arith.addi %b, %t : index
  %y = arith.addi %x, %n : index
  tile.element_store %s, %p[%y] : f32, !tile.ptr<f32>
  tile.return
}

// -----

// Rows of the tile may lie outside of the view, columns not: a load is guarded by the row alone.
#rows = #tile.layout<"register: 8*[0,1]; lane: 4*[0,8] 8*[1,0]; warp: 2*[8,0] -> [16, 32]">
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
// CHECK-LABEL: gpu.func @masked_load_and_store
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt
// CHECK-NOT: arith.cmpi
// CHECK: %[[X:.*]] = scf.if %[[INSIDE]] -> (vector<8xf16>) {
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : memref<?xf16>, vector<8xf16>
// CHECK: } else {
// CHECK: dense<0.000000e+00> : vector<8xf16>
// CHECK: }
// A store in bounds is not guarded.
// CHECK-NOT: scf.if
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : memref<?xf16>, vector<8xf16>
// CHECK: gpu.return
tile.kernel @masked_load_and_store(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %q: !tile.ptr<f16> {tile.access = #tile.access<write>}, %n: index) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %p[%c0] sizes [%n, %n] strides [%n, %c1] : !tile.ptr<f16> -> !view
  %x = tile.load %v[%c0, %c0] {in_bounds = array<i1: false, true>} : !view -> tensor<16x32xf16, #rows>
  %w = tile.view %q[%c0] sizes [%n, %n] strides [%n, %c1] : !tile.ptr<f16> -> !view
  tile.store %x, %w[%c0, %c0] {in_bounds = array<i1: true, true>} : tensor<16x32xf16, #rows>, !view
  tile.return
}

// -----

// Accesses are no wider than what the view promises.
#rows = #tile.layout<"register: 8*[0,1]; lane: 4*[0,8] 8*[1,0]; warp: 2*[8,0] -> [16, 32]">
// CHECK-LABEL: gpu.func @narrow_view
// CHECK-COUNT-4: vector.load {{.*}} {alignment = 4 : i64} : memref<?xf16>, vector<2xf16>
// CHECK-NOT: vector.load
tile.kernel @narrow_view(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %p[%c0] sizes [%n, %n] strides [%n, %c1] : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 4>
  %x = tile.load %v[%c0, %c0] {in_bounds = array<i1: true, true>} : !tile.view<2 x f16, unit = 1, alignment = 4> -> tensor<16x32xf16, #rows>
  tile.return
}

// -----

// Booleans take a byte each.
#rows = #tile.layout<"register: 8*[0,1]; lane: 4*[0,8] 8*[1,0]; warp: 2*[8,0] -> [16, 32]">
!truth = !tile.view<2 x i1, unit = 1, alignment = 4>
// CHECK-LABEL: gpu.func @truth_values
// CHECK-SAME: memref<i8>
// CHECK: %[[BYTES:.*]] = vector.load {{.*}} {alignment = 4 : i64} : memref<?xi8>, vector<4xi8>
// A vector whose elements go different ways is used as a whole first, or LLVM would load them one by one.
// CHECK: %[[WHOLE:.*]] = llvm.freeze %[[BYTES]] : vector<4xi8>
// CHECK: %[[BYTE:.*]] = vector.extract %[[WHOLE]][0]
// CHECK: arith.cmpi ne, %[[BYTE]], {{.*}} : i8
// CHECK: arith.extui {{.*}} : i1 to i8
// CHECK: vector.store {{.*}} {alignment = 4 : i64} : memref<?xi8>, vector<4xi8>
tile.kernel @truth_values(%p: !tile.ptr<i1> {tile.access = #tile.access<read>}, %q: !tile.ptr<i1> {tile.access = #tile.access<write>}, %n: index) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %p[%c0] sizes [%n, %n] strides [%n, %c1] : !tile.ptr<i1> -> !truth
  %x = tile.load %v[%c0, %c0] {in_bounds = array<i1: true, true>} : !truth -> tensor<16x32xi1, #rows>
  %w = tile.view %q[%c0] sizes [%n, %n] strides [%n, %c1] : !tile.ptr<i1> -> !truth
  tile.store %x, %w[%c0, %c0] {in_bounds = array<i1: true, true>} : tensor<16x32xi1, #rows>, !truth
  tile.return
}

// -----

// Of threads that hold the same element one stores.
#replicated = #tile.layout<"register: 2*[1]; lane: 4*[2] 8*[0]; warp: 2*[0] -> [8]">
// CHECK-LABEL: gpu.func @replicas_store_once
// CHECK: %[[LANE:.*]] = arith.remui
// CHECK: %[[WARP:.*]] = arith.divui
// CHECK: arith.cmpi eq
// CHECK: scf.if
// CHECK: vector.store {{.*}} vector<2xf32>
// CHECK-NOT: vector.store
tile.kernel @replicas_store_once(%p: !tile.ptr<f32> {tile.access = #tile.access<write>}, %n: index, %e: f32) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = tile.splat %e : f32 -> tensor<8xf32, #replicated>
  %v = tile.view %p[%c0] sizes [%n] strides [%c1] : !tile.ptr<f32> -> !tile.view<1 x f32, unit = 0, alignment = 16>
  tile.store %x, %v[%c0] {in_bounds = array<i1: true>} : tensor<8xf32, #replicated>, !tile.view<1 x f32, unit = 0, alignment = 16>
  tile.return
}

// -----

// One copy of 16 bytes for each thread, two of 8, four of 4; where a chunk may be outside its source
// size is 0, so that it arrives as zeros and reads nothing.
!buffer = !tile.buffer<1, 16, 16, f16, <"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">>
// CHECK-LABEL: gpu.func @copies
// CHECK: nvgpu.device_async_copy %{{.*}}, 8 {bypassL1}
// CHECK-NOT: , 8
// CHECK-COUNT-2: nvgpu.device_async_copy %{{.*}}, 4 :
// CHECK-COUNT-4: nvgpu.device_async_copy %{{.*}}, 2 :
// CHECK-NOT: nvgpu.device_async_copy
// CHECK: %[[CHUNK:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : index
// CHECK: nvgpu.device_async_copy %{{.*}}, 8, %[[CHUNK]] {bypassL1}
// CHECK: %[[G:.*]] = nvgpu.device_async_create_group
// CHECK: nvvm.cp.async.wait.group 1
tile.kernel @copies(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 1 : i64, shared_memory = 512 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tile.alloc {offset = 0 : i64} : !buffer
  %v = tile.view %p[%c0] sizes [%n, %n] strides [%n, %c1] : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  tile.copy_async %v[%c0, %c0], %b[%c0] by async16 {in_bounds = array<i1: true, true>} : !tile.view<2 x f16, unit = 1, alignment = 16>, !buffer
  tile.copy_async %v[%c0, %c0], %b[%c0] by async8 {in_bounds = array<i1: true, true>} : !tile.view<2 x f16, unit = 1, alignment = 16>, !buffer
  tile.copy_async %v[%c0, %c0], %b[%c0] by async4 {in_bounds = array<i1: true, true>} : !tile.view<2 x f16, unit = 1, alignment = 16>, !buffer
  tile.copy_async %v[%c0, %c0], %b[%c0] by async16 : !tile.view<2 x f16, unit = 1, alignment = 16>, !buffer
  tile.commit
  tile.wait 1
  tile.return
}

// -----

// Fragments of operands come by ldmatrix, transposed where the buffer's rows are the other dimension;
// other layouts and other types by plain loads.
#a = #tile.layout<"register: 2*[0,1] 2*[8,0] 2*[0,8]; lane: 4*[0,2] 8*[1,0] -> [16, 16]">
#b = #tile.layout<"register: 2*[1,0] 2*[8,0] 2*[0,8]; lane: 4*[2,0] 8*[0,1] -> [16, 16]">
#rows = #tile.layout<"register: 8*[0,1]; lane: 2*[0,8] 16*[1,0] -> [16, 16]">
#wide = #tile.layout<"register: 2*[0,1] 2*[8,0] 2*[0,8]; lane: 4*[0,2] 8*[1,0] -> [16, 16]">
!buffer = !tile.buffer<2, 16, 16, f16, <"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">>
!words = !tile.buffer<1, 16, 16, f32, <"offset: 4*[0,1] x[0,4] x[0,8] 2*[1,0] x[2,4] x[4,8] 2*[8,0] -> [16, 16]">>
// CHECK-LABEL: gpu.func @local_loads
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = false}
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = true}
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = true}
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = false}
// CHECK-NOT: nvgpu.ldmatrix
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : memref<512xf16, {{.*}}>, vector<8xf16>
// CHECK-COUNT-4: vector.load {{.*}} {alignment = 8 : i64} : memref<256xf32, {{.*}}>, vector<2xf32>
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : memref<512xf16, {{.*}}>, vector<8xf16>
tile.kernel @local_loads(%n: index) attributes {warps = 1 : i64, shared_memory = 2048 : i64} {
  %b = tile.alloc {offset = 0 : i64} : !buffer
  %w = tile.alloc {offset = 1024 : i64} : !words
  %0 = tile.local_load %b[%n] at [0, 0] : !buffer -> tensor<16x16xf16, #a>
  %1 = tile.local_load %b[%n] at [0, 0] : !buffer -> tensor<16x16xf16, #b>
  %2 = tile.local_load %b[%n] at [0, 0] transposed : !buffer -> tensor<16x16xf16, #a>
  %3 = tile.local_load %b[%n] at [0, 0] transposed : !buffer -> tensor<16x16xf16, #b>
  %4 = tile.local_load %b[%n] at [0, 0] : !buffer -> tensor<16x16xf16, #rows>
  %5 = tile.local_load %w[%n] at [0, 0] : !words -> tensor<16x16xf32, #wide>
  tile.local_store %4, %b[%n] : tensor<16x16xf16, #rows>, !buffer
  tile.return
}

// -----

// bf16 pairs are passed as integers, f16 pairs as vectors.
#a = #tile.layout<"register: 2*[0,1] 2*[8,0] 2*[0,8]; lane: 4*[0,2] 8*[1,0] -> [16, 16]">
#b = #tile.layout<"register: 2*[1,0] 2*[8,0]; lane: 4*[2,0] 8*[0,1] -> [16, 8]">
#acc = #tile.layout<"register: 2*[0,1] 2*[8,0]; lane: 4*[0,2] 8*[1,0] -> [16, 8]">
// CHECK-LABEL: gpu.func @products
// CHECK: nvvm.mma.sync A[{{.*}}] B[{{.*}}] C[{{.*}}] {{.*}} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
// CHECK: nvvm.mma.sync A[{{.*}}] B[{{.*}}] C[{{.*}}] {{.*}}multiplicandAPtxType = #nvvm.mma_type<bf16>{{.*}} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
tile.kernel @products(%h: f16, %g: bf16, %z: f32) attributes {warps = 1 : i64} {
  %a = tile.splat %h : f16 -> tensor<16x16xf16, #a>
  %b = tile.splat %h : f16 -> tensor<16x8xf16, #b>
  %c = tile.splat %z : f32 -> tensor<16x8xf32, #acc>
  %d = tile.dot %a, %b, %c "mma.m16n8k16" warps [1, 1] : tensor<16x16xf16, #a>, tensor<16x8xf16, #b> -> tensor<16x8xf32, #acc>
  %e = tile.splat %g : bf16 -> tensor<16x16xbf16, #a>
  %f = tile.splat %g : bf16 -> tensor<16x8xbf16, #b>
  %i = tile.dot %e, %f, %d "mma.m16n8k16" warps [1, 1] : tensor<16x16xbf16, #a>, tensor<16x8xbf16, #b> -> tensor<16x8xf32, #acc>
  tile.return
}

// -----

// What needs no data of other threads is renaming: no instruction at all.
#acc = #tile.layout<"register: 2*[0,1] 2*[8,0] 2*[0,8]; lane: 4*[0,2] 8*[1,0] -> [16, 16]">
#part = #tile.layout<"register: 2*[0,1] 2*[8,0]; lane: 4*[0,2] 8*[1,0] -> [16, 8]">
#turned = #tile.layout<"register: 2*[1,0] 2*[0,8] 2*[8,0]; lane: 4*[2,0] 8*[0,1] -> [16, 16]">
#permuted = #tile.layout<"register: 2*[0,8] 2*[8,0] 2*[0,1]; lane: 4*[0,2] 8*[1,0] -> [16, 16]">
#row = #tile.layout<"register: 2*[1] 2*[0] 2*[8]; lane: 4*[2] 8*[0] -> [16]">
// CHECK-LABEL: gpu.func @renaming
// CHECK: gpu.thread_id x
// CHECK-NOT: vector
// CHECK-NOT: gpu.barrier
// CHECK-NOT: scf
// CHECK: gpu.return
tile.kernel @renaming(%e: f32) attributes {warps = 1 : i64} {
  %x = tile.splat %e : f32 -> tensor<16x16xf32, #acc>
  %s = tile.slice %x at [0, 8] : tensor<16x16xf32, #acc> -> tensor<16x8xf32, #part>
  %t = tile.transpose %x : tensor<16x16xf32, #acc> -> tensor<16x16xf32, #turned>
  %p = tile.convert_layout %x : tensor<16x16xf32, #acc> -> tensor<16x16xf32, #permuted>
  %r = tile.splat %e : f32 -> tensor<16xf32, #row>
  %b = tile.broadcast %r along [0] : tensor<16xf32, #row> -> tensor<16x16xf32, #acc>
  tile.return
}

// -----

// Registers of one column share its comparison: four columns per thread.
#acc = #tile.layout<"register: 2*[0,1] 2*[8,0] 2*[0,8]; lane: 4*[0,2] 8*[1,0] -> [16, 16]">
// CHECK-LABEL: gpu.func @mask
// CHECK-COUNT-4: arith.cmpi slt
// CHECK-NOT: arith.cmpi
// CHECK: gpu.return
tile.kernel @mask(%e: f32, %n: index, %z: f32, %p: !tile.ptr<f32> {tile.access = #tile.access<write>}) attributes {warps = 1 : i64} {
  %x = tile.splat %e : f32 -> tensor<16x16xf32, #acc>
  %m = tile.mask %x below %n along 1 else %z : tensor<16x16xf32, #acc>, f32 -> tensor<16x16xf32, #acc>
  tile.return
}

// -----

// Loops carry the registers of tensors, and element-wise operations are done register by register.
#acc = #tile.layout<"register: 2*[0,1] 2*[8,0]; lane: 4*[0,2] 8*[1,0] -> [16, 8]">
// CHECK-LABEL: gpu.func @loop
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (f32, f32, f32, f32) {
// CHECK-COUNT-4: arith.addf {{.*}} : f32
// CHECK: scf.yield {{.*}} : f32, f32, f32, f32
tile.kernel @loop(%e: f32, %n: index) attributes {warps = 1 : i64} {
  %x = tile.splat %e : f32 -> tensor<16x8xf32, #acc>
  %r = scf.for %i = %n to %n step %n iter_args(%s = %x) -> tensor<16x8xf32, #acc> {
    %t = arith.addf %s, %x : tensor<16x8xf32, #acc>
    scf.yield %t : tensor<16x8xf32, #acc>
  }
  tile.return
}

// -----

// The name of the module gives way.
// CHECK: func.func @kernels
// CHECK: tile.launch @kernels_::@k
// CHECK: gpu.module @kernels_
func.func @kernels(%a: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %r = tile.launch @k grid(%n) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
tile.kernel @k(%p: !tile.ptr<f32> {tile.access = #tile.access<write>}) attributes {warps = 1 : i64} {
  tile.return
}

// -----

// A module without kernels stays as it is.
// CHECK: module {
// CHECK-NOT: gpu.module
// CHECK: func.func @nothing
func.func @nothing() {
  return
}

// -----

// A reduction: 2 elements of each row in a thread, 4 lanes of a warp, two warps through shared memory.
#halves = #tile.layout<"register: 2*[0,1] 2*[8,0]; lane: 4*[0,2] 8*[1,0]; warp: 2*[0,8] -> [16, 16]">
#row = #tile.layout<"register: 2*[0] 2*[8]; lane: 4*[0] 8*[1]; warp: 2*[0] -> [16]">
// CHECK-LABEL: gpu.func @reduce
// CHECK: arith.maximumf
// CHECK: gpu.shuffle xor
// CHECK: arith.maximumf
// CHECK: gpu.shuffle xor
// CHECK: arith.maximumf
// The second row of the thread.
// CHECK: arith.maximumf
// CHECK-COUNT-2: gpu.shuffle xor
// The first of the four lanes writes the part of its warp.
// CHECK: scf.if
// CHECK-COUNT-2: memref.store {{.*}} : memref<32xf32, #gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK-COUNT-2: memref.load {{.*}} : memref<32xf32, #gpu.address_space<workgroup>>
// CHECK: arith.maximumf
// CHECK-COUNT-2: memref.load {{.*}} : memref<32xf32, #gpu.address_space<workgroup>>
// CHECK: arith.maximumf
tile.kernel @reduce(%e: f32) attributes {warps = 2 : i64, shared_memory = 128 : i64} {
  %x = tile.splat %e : f32 -> tensor<16x16xf32, #halves>
  %m = tile.reduce maximumf %x along 1 {offset = 0 : i64} : tensor<16x16xf32, #halves> -> tensor<16xf32, #row>
  tile.return
}

// -----

// Factors that are mostly one: the warp votes on those of its rows, two in each thread, and multiplies only where one is another
// number.
#tile16 = #tile.layout<"register: 2*[0,1] 2*[8,0]; lane: 4*[0,2] 8*[1,0] -> [16, 8]">
#rows16 = #tile.layout<"register: 2*[0] 2*[8]; lane: 4*[0] 8*[1] -> [16]">
// CHECK-LABEL: gpu.func @scale
// CHECK-COUNT-2: arith.cmpf une
// CHECK: arith.ori
// CHECK: %[[ANY:.*]] = nvvm.vote.sync any %{{.*}}, %{{.*}} -> i1
// CHECK: %[[EXPECTED:.*]] = llvm.intr.expect %[[ANY]], %{{.*}} : i1
// CHECK: %[[R:.*]]:4 = scf.if %[[EXPECTED]] -> (f32, f32, f32, f32) {
// CHECK-COUNT-4: arith.mulf
// CHECK-NOT: arith.mulf
// CHECK: } else {
// CHECK-NEXT: scf.yield
tile.kernel @scale(%p: !tile.ptr<f32> {tile.access = #tile.access<write>}, %n: index, %e: f32) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = tile.iota %n along 0 : tensor<16xindex, #rows16>
  %j = arith.index_cast %i : tensor<16xindex, #rows16> to tensor<16xi32, #rows16>
  %f = arith.sitofp %j : tensor<16xi32, #rows16> to tensor<16xf32, #rows16>
  %x = tile.splat %e : f32 -> tensor<16x8xf32, #tile16>
  %b = tile.broadcast %f along [1] : tensor<16xf32, #rows16> -> tensor<16x8xf32, #tile16>
  %s = tile.scale %x by %b : tensor<16x8xf32, #tile16>
  %v = tile.view %p[%c0] sizes [%n, %n] strides [%n, %c1] : !tile.ptr<f32> -> !tile.view<2 x f32, unit = 1, alignment = 4>
  tile.store %s, %v[%c0, %c0] : tensor<16x8xf32, #tile16>, !tile.view<2 x f32, unit = 1, alignment = 4>
  tile.return
}

// -----

// Elements that each lane holds are selected by the bits of its number; back, each is read from one lane.
#rows = #tile.layout<"register: 4*[1]; lane: 32*[0] -> [4]">
#lanes = #tile.layout<"lane: 4*[1] 8*[0] -> [4]">
// CHECK-LABEL: gpu.func @exchange_in_warp
// CHECK-COUNT-3: arith.select
// CHECK-NOT: arith.select
// CHECK-COUNT-4: gpu.shuffle idx
// CHECK-NOT: gpu.shuffle
tile.kernel @exchange_in_warp(%e: f32, %p: !tile.ptr<f32> {tile.access = #tile.access<write>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %i = tile.iota %c0 along 0 : tensor<4xindex, #rows>
  %n = arith.index_cast %i : tensor<4xindex, #rows> to tensor<4xi32, #rows>
  %x = arith.sitofp %n : tensor<4xi32, #rows> to tensor<4xf32, #rows>
  %s = tile.convert_layout %x {in_warp} : tensor<4xf32, #rows> -> tensor<4xf32, #lanes>
  %y = tile.convert_layout %s {in_warp} : tensor<4xf32, #lanes> -> tensor<4xf32, #rows>
  %w = tile.view %p[%c0] sizes [%c4] strides [%c1] : !tile.ptr<f32> -> !tile.view<1 x f32, unit = 0, alignment = 16>
  tile.store %y, %w[%c0] : tensor<4xf32, #rows>, !tile.view<1 x f32, unit = 0, alignment = 16>
  tile.return
}

// -----

// Exponents of rows: one vote for the two rows of a thread and for the step, which is one value for each row, replicated. Behind the
// branch there is a multiply-add for each element. Only the branch has differences; 0.75 * log2(e) is not rounded as log2(e) is.
#tile16 = #tile.layout<"register: 2*[0,1] 2*[8,0]; lane: 4*[0,2] 8*[1,0] -> [16, 8]">
#rows16 = #tile.layout<"register: 2*[0] 2*[8]; lane: 4*[0] 8*[1] -> [16]">
// CHECK-LABEL: gpu.func @exponents
// CHECK-COUNT-3: arith.cmpf ugt
// CHECK-NOT: arith.cmpf
// CHECK: %[[ANY:.*]] = nvvm.vote.sync any %{{.*}}, %{{.*}} -> i1
// CHECK: %[[EXPECTED:.*]] = llvm.intr.expect %[[ANY]], %{{.*}} : i1
// CHECK: %[[R:.*]]:10 = scf.if %[[EXPECTED]]
// CHECK-COUNT-4: arith.mulf
// CHECK: } else {
// CHECK-NEXT: scf.yield
// CHECK-COUNT-4: math.fma
// CHECK-NOT: nvvm.vote.sync
tile.kernel @exponents(%p: !tile.ptr<f32> {tile.access = #tile.access<write>}, %n: index, %e: f32) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = tile.iota %n along 0 : tensor<16xindex, #rows16>
  %j = arith.index_cast %i : tensor<16xindex, #rows16> to tensor<16xi32, #rows16>
  %to = arith.sitofp %j : tensor<16xi32, #rows16> to tensor<16xf32, #rows16>
  %from = tile.splat %e : f32 -> tensor<16xf32, #rows16>
  %columns = tile.iota %n along 1 : tensor<16x8xindex, #tile16>
  %k = arith.index_cast %columns : tensor<16x8xindex, #tile16> to tensor<16x8xi32, #tile16>
  %x = arith.sitofp %k : tensor<16x8xi32, #tile16> to tensor<16x8xf32, #tile16>
  %tos = tile.broadcast %to along [1] : tensor<16xf32, #rows16> -> tensor<16x8xf32, #tile16>
  %y = tile.exponent %x less %tos {scale = 0.75 : f32} : tensor<16x8xf32, #tile16>
  %step = tile.exponent_step %from to %to {scale = 0.75 : f32} : tensor<16xf32, #rows16>
  %steps = tile.broadcast %step along [1] : tensor<16xf32, #rows16> -> tensor<16x8xf32, #tile16>
  %s = arith.addf %y, %steps : tensor<16x8xf32, #tile16>
  %v = tile.view %p[%c0] sizes [%n, %n] strides [%n, %c1] : !tile.ptr<f32> -> !tile.view<2 x f32, unit = 1, alignment = 4>
  tile.store %s, %v[%c0, %c0] : tensor<16x8xf32, #tile16>, !tile.view<2 x f32, unit = 1, alignment = 4>
  tile.return
}
