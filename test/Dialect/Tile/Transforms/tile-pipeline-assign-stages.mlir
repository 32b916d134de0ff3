// RUN: fusion-opt %s --tile-pipeline-assign-stages | FileCheck %s

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>

// A buffer that cannot have stages, or has none, leaves its copy alone.
// CHECK-LABEL: tile.kernel @stages
// CHECK: tile.copy_async {{.*}}{stages = 4 : i64}
// CHECK-NOT: stages =
tile.kernel @stages(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 4 : i64, pipelined} : !buffer
  %y = tile.alloc {pipeline_stages = 4 : i64} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 : !view, !buffer
    tile.copy_async %a[%c0, %k], %y[%c0] by async16 : !view, !buffer
    tile.commit
    tile.wait 0
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    %u = tile.local_load %y[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}

// What passes through registers carries its stages on the store.
// CHECK-LABEL: tile.kernel @through_registers
// CHECK: tile.load
// CHECK: tile.local_store {{.*}}{stages = 2 : i64}
tile.kernel @through_registers(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 2 : i64, pipelined} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    %v = tile.load %a[%c0, %k] : !view -> tensor<16x16xf16>
    tile.local_store %v, %x[%c0] : tensor<16x16xf16>, !buffer
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}
