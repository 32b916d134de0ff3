// What blocks tell one another.
// RUN: fusion-opt %s --convert-tile-to-gpu | FileCheck %s

// CHECK: llvm.mlir.global internal @shared_counters(dense<0> : tensor<6xi32>) {{.*}}addr_space = 1
// CHECK: gpu.func @shared
// CHECK: %[[BLOCKS:.*]] = arith.constant 24 : index
// CHECK: gpu.barrier
// CHECK: %[[MINE:.*]] = scf.if
// CHECK:   nvvm.memory.barrier <gpu>
// CHECK:   %[[AT:.*]] = llvm.getelementptr
// CHECK:   %[[COUNT:.*]] = arith.index_castui %[[BLOCKS]] : index to i32
// CHECK:   %[[MOST:.*]] = arith.subi %[[COUNT]]
// CHECK:   %[[BEFORE:.*]] = llvm.atomicrmw uinc_wrap %[[AT]], %[[MOST]] syncscope("device") monotonic
// CHECK:   arith.cmpi eq, %[[BEFORE]], %[[MOST]]
// CHECK:   nvvm.memory.barrier <gpu>
// CHECK: %[[IS_LAST:.*]] = arith.cmpi ne, %[[MINE]]
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.red.or.aligned.all"(%{{.*}}, %[[IS_LAST]])
// CHECK: scf.if
tile.kernel @shared(%p: !tile.ptr<f32> {tile.access = #tile.access<read_write>}) attributes {warps = 2 : i64} {
  %block = tile.program_id
  %blocks = arith.constant 24 : index
  %last = tile.last_block %block of %blocks {counters = 6 : i64}
  scf.if %last {
    %0 = tile.element_load %p[%block] : !tile.ptr<f32> -> f32
    tile.element_store %0, %p[%block] : f32, !tile.ptr<f32>
  }
  tile.return
}

// Whole lines inside of the tensor are discarded, thread by thread.
// CHECK: gpu.func @discarded
// CHECK: gpu.barrier
// CHECK: %[[LINES:.*]] = arith.constant 24 : index
// CHECK: %[[THREADS:.*]] = arith.constant 64 : index
// CHECK: scf.for %[[LINE:.*]] = %{{.*}} to %[[LINES]] step %[[THREADS]]
// CHECK:   arith.remui %[[LINE]]
// CHECK:   arith.cmpi ult
// CHECK:   arith.cmpi ult
// CHECK:   scf.if
// CHECK:     %[[SIZE:.*]] = llvm.mlir.constant(128 : i64)
// CHECK:     llvm.call_intrinsic "llvm.nvvm.discard.global.L2"(%{{.*}}, %[[SIZE]])
tile.kernel @discarded(%p: !tile.ptr<f32> {tile.access = #tile.access<read_write>}, %n: index) attributes {warps = 2 : i64} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %stride = arith.constant 96 : index
  %v = tile.view %p[%zero] sizes [%n, %stride] strides [%stride, %one] : !tile.ptr<f32> -> !tile.view<2 x f32, unit = 1, alignment = 16>
  tile.discard %v[%zero, %zero] {shape = array<i64: 8, 96>} : !tile.view<2 x f32, unit = 1, alignment = 16>
  tile.return
}

// Booleans take a byte each: 2 rows of 2 lines.
// CHECK: gpu.func @discarded_truths
// CHECK: %[[LINES:.*]] = arith.constant 4 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[LINES]]
// CHECK: arith.constant 128 : index
tile.kernel @discarded_truths(%p: !tile.ptr<i1> {tile.access = #tile.access<read_write>}, %n: index) attributes {warps = 2 : i64} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %stride = arith.constant 256 : index
  %v = tile.view %p[%zero] sizes [%n, %stride] strides [%stride, %one] : !tile.ptr<i1> -> !tile.view<2 x i1, unit = 1, alignment = 16>
  tile.discard %v[%zero, %zero] {shape = array<i64: 2, 256>} : !tile.view<2 x i1, unit = 1, alignment = 16>
  tile.return
}

// A kernel that begins before those in front of it have ended: nothing moves over
// its wait, and what they may write is not promised to stay.
// CHECK: gpu.func @dependent
// CHECK-SAME: memref<f32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
// CHECK-SAME: memref<f32> {llvm.align = 16 : i64},
// CHECK-SAME: memref<f32> {llvm.align = 16 : i64}) kernel
// CHECK: nvvm.griddepcontrol launch_dependents
// CHECK: memref.load
// CHECK: llvm.inline_asm has_side_effects "griddepcontrol.wait;", "~{memory}"
// CHECK: memref.load
tile.kernel @dependent(%w: !tile.ptr<f32> {tile.access = #tile.access<read>},
                       %p: !tile.ptr<f32> {tile.access = #tile.access<read>, tile.pending},
                       %q: !tile.ptr<f32> {tile.access = #tile.access<write>, tile.pending}) attributes {warps = 1 : i64} {
  tile.launch_dependents
  %c = tile.thread_id
  %0 = tile.element_load %w[%c] : !tile.ptr<f32> -> f32
  tile.await_launches
  %1 = tile.element_load %p[%c] : !tile.ptr<f32> -> f32
  %2 = arith.addf %0, %1 : f32
  tile.element_store %2, %q[%c] : f32, !tile.ptr<f32>
  tile.return
}
