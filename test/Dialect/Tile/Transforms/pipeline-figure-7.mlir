// ALCOP's figure 7, phase by phase: a product with A_shared in three stages and A_reg in two, B alike.
// RUN: fusion-opt %s --tile-pipeline-identify -o %t.identified.mlir
// RUN: FileCheck %s --check-prefix=IDENTIFY --input-file=%t.identified.mlir
// RUN: fusion-opt %t.identified.mlir --tile-pipeline-assign-stages -o %t.staged.mlir
// RUN: FileCheck %s --check-prefix=STAGES --input-file=%t.staged.mlir
// RUN: fusion-opt %t.staged.mlir --tile-pipeline-place -o %t.placed.mlir
// RUN: FileCheck %s --check-prefix=PLACE --input-file=%t.placed.mlir
// RUN: fusion-opt %t.placed.mlir --tile-pipeline-expand --canonicalize -o %t.expanded.mlir
// RUN: FileCheck %s --check-prefix=EXPAND --input-file=%t.expanded.mlir
// RUN: fusion-opt %t.expanded.mlir --tile-pipeline-registers --canonicalize | FileCheck %s --check-prefix=REGISTERS

// Section II-A: both buffers are filled by a copy in the loop that reads them. Nothing else changes.
// IDENTIFY: %[[A:.*]] = tile.alloc {pipeline_stages = 3 : i64, pipelined} : <1, 64, 32, f16
// IDENTIFY: %[[B:.*]] = tile.alloc {pipeline_stages = 3 : i64, pipelined} : <1, 32, 64, f16
// IDENTIFY: tile.copy_async %{{.*}}, %[[A]][%c0] by async16 {in_bounds = array<i1: true, true>} :
// IDENTIFY-NOT: stages = 3
// IDENTIFY-NOT: producer

// Step 1: the hints, carried to the copies.
// STAGES: tile.copy_async {{.*}} by async16 {{.*}}stages = 3 : i64
// STAGES: tile.copy_async {{.*}} by async16 {{.*}}stages = 3 : i64
// STAGES: tile.commit

// Steps 2 to 5: the pipelined loop is that over ko; load and use regions stand between the primitives.
// PLACE: scf.for %[[KO:.*]] = %c0 to %c128 step %c32
// PLACE-NEXT: tile.producer_acquire
// PLACE-NEXT: tile.copy_async %{{.*}}[%{{.*}}, %[[KO]]], %[[A:.*]][%c0]
// PLACE-NEXT: tile.copy_async %{{.*}}[%[[KO]], %{{.*}}], %[[B:.*]][%c0]
// PLACE-NEXT: tile.producer_commit
// PLACE-NEXT: tile.consumer_wait 0
// PLACE-NEXT: tile.local_load %[[A]][%c0] at [0, 0]
// PLACE-NEXT: tile.local_load %[[B]][%c0] at [0, 0]
// PLACE-NEXT: tile.dot
// PLACE-NEXT: tile.local_load %[[A]][%c0] at [0, 16]
// PLACE-NEXT: tile.local_load %[[B]][%c0] at [16, 0]
// PLACE-NEXT: tile.consumer_release
// PLACE-NEXT: tile.dot
// PLACE-NEXT: scf.yield

// Section III-B: three times the memory; the prologue has the first two copies; the copy in the loop is for ko + 2, into
// the stage that wraps around, and not made beyond the end; reads are of stage ko mod 3; one group stays in flight.
// EXPAND: %[[A:.*]] = tile.alloc : <3, 64, 32, f16
// EXPAND: %[[B:.*]] = tile.alloc : <3, 32, 64, f16
// EXPAND: tile.copy_async %{{.*}}[%{{.*}}, %c0], %[[A]][%c0] by async16
// EXPAND-NEXT: tile.copy_async %{{.*}}[%c0, %{{.*}}], %[[B]][%c0] by async16
// EXPAND-NEXT: tile.producer_commit
// EXPAND-NEXT: tile.copy_async %{{.*}}[%{{.*}}, %c32], %[[A]][%c1] by async16
// EXPAND-NEXT: tile.copy_async %{{.*}}[%c32, %{{.*}}], %[[B]][%c1] by async16
// EXPAND-NEXT: tile.producer_commit
// EXPAND-NEXT: scf.for %[[KO:.*]] = %c0 to %c128 step %c32 iter_args(%{{.*}} = %{{.*}}, %[[I:.*]] = %c0_i32, %[[J:.*]] = %c2_i32)
// EXPAND-NEXT: %[[READ:.*]] = arith.index_castui %[[I]]
// EXPAND-NEXT: %[[WRITE:.*]] = arith.index_castui %[[J]]
// EXPAND-NEXT: tile.consumer_wait 1
// EXPAND-NEXT: tile.producer_acquire
// EXPAND-NEXT: %[[LATER:.*]] = arith.addi %[[KO]], %c64
// EXPAND-NEXT: %[[EXISTS:.*]] = arith.cmpi slt, %[[LATER]], %c128
// EXPAND-NEXT: tile.copy_async %{{.*}}[%{{.*}}, %[[LATER]]], %[[A]][%[[WRITE]]] by async16 if %[[EXISTS]]
// EXPAND: tile.copy_async %{{.*}}[%{{.*}}, %{{.*}}], %[[B]][%[[WRITE]]] by async16 if
// EXPAND-NEXT: tile.producer_commit
// EXPAND-NEXT: tile.local_load %[[A]][%[[READ]]] at [0, 0]
// EXPAND: tile.consumer_release
// EXPAND-NEXT: tile.dot
// EXPAND-NEXT: arith.addi %[[I]], %c1_i32
// EXPAND-NEXT: arith.cmpi eq, {{.*}}, %c3_i32
// EXPAND-NEXT: arith.select

// The inner level: its prologue stands in front of the outer loop, its last load is of the next ko (the carry), so that
// there is no bubble between outer iterations.
// REGISTERS: tile.consumer_wait 1
// REGISTERS-NEXT: tile.producer_acquire
// REGISTERS-NEXT: %[[A0:.*]] = tile.local_load %{{.*}}[%c0] at [0, 0]
// REGISTERS-NEXT: %[[B0:.*]] = tile.local_load %{{.*}}[%c0] at [0, 0]
// REGISTERS-NEXT: scf.for {{.*}}, %[[I:[^ ]*]] = %c0_i32, {{.*}}, %[[AREG:.*]] = %[[A0]], %[[BREG:.*]] = %[[B0]])
// REGISTERS-NEXT: %[[READ:.*]] = arith.index_castui %[[I]]
// REGISTERS: tile.producer_commit
// REGISTERS-NEXT: %[[A1:.*]] = tile.local_load %{{.*}}[%[[READ]]] at [0, 16]
// REGISTERS-NEXT: %[[B1:.*]] = tile.local_load %{{.*}}[%[[READ]]] at [16, 0]
// REGISTERS-NEXT: %[[D:.*]] = tile.dot %[[AREG]], %[[BREG]]
// REGISTERS: tile.consumer_wait 1
// REGISTERS-NEXT: tile.producer_acquire
// REGISTERS: %[[NEXTREAD:.*]] = arith.select
// REGISTERS: %[[A2:.*]] = tile.local_load %{{.*}}[%{{.*}}] at [0, 0]
// REGISTERS-NEXT: %[[B2:.*]] = tile.local_load %{{.*}}[%{{.*}}] at [0, 0]
// REGISTERS-NEXT: tile.dot %[[A1]], %[[B1]], %[[D]]
// REGISTERS: scf.yield {{.*}}, %[[A2]], %[[B2]]

#a = #tile.layout<"offset: 8*[0,1] x[0,8] x[0,16] 2*[1,0] x[2,8] x[4,16] 8*[8,0] -> [64, 32]">
#b = #tile.layout<"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 4*[8,0] -> [32, 64]">
!a = !tile.buffer<1, 64, 32, f16, #a>
!b = !tile.buffer<1, 32, 64, f16, #b>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @figure_7(%pa: !tile.ptr<f16> {tile.access = #tile.access<read>},
                      %pb: !tile.ptr<f16> {tile.access = #tile.access<read>},
                      %pc: !tile.ptr<f32> {tile.access = #tile.access<write>})
    attributes {warps = 4 : i64, register_stages = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %block = tile.program_id
  %m = arith.muli %block, %c64 : index
  %va = tile.view %pa[%c0] sizes[%c128, %c128] strides[%c128, %c1] : !tile.ptr<f16> -> !view
  %vb = tile.view %pb[%c0] sizes[%c128, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %vc = tile.view %pc[%c0] sizes[%c128, %c64] strides[%c64, %c1] : !tile.ptr<f32> -> !tile.view<2 x f32, unit = 1, alignment = 16>
  %A_shared = tile.alloc {pipeline_stages = 3 : i64} : !a
  %B_shared = tile.alloc {pipeline_stages = 3 : i64} : !b
  %C = scf.for %ko = %c0 to %c128 step %c32 iter_args(%sum = %zero) -> tensor<64x64xf32> {
    tile.copy_async %va[%m, %ko], %A_shared[%c0] by async16 {in_bounds = array<i1: true, true>} : !view, !a
    tile.copy_async %vb[%ko, %c0], %B_shared[%c0] by async16 {in_bounds = array<i1: true, true>} : !view, !b
    tile.commit
    tile.wait 0
    %A_reg0 = tile.local_load %A_shared[%c0] at [0, 0] : !a -> tensor<64x16xf16>
    %B_reg0 = tile.local_load %B_shared[%c0] at [0, 0] : !b -> tensor<16x64xf16>
    %C0 = tile.dot %A_reg0, %B_reg0, %sum "mma.m16n8k16" warps [4, 1] : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
    %A_reg1 = tile.local_load %A_shared[%c0] at [0, 16] : !a -> tensor<64x16xf16>
    %B_reg1 = tile.local_load %B_shared[%c0] at [16, 0] : !b -> tensor<16x64xf16>
    %C1 = tile.dot %A_reg1, %B_reg1, %C0 "mma.m16n8k16" warps [4, 1] : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
    scf.yield %C1 : tensor<64x64xf32>
  }
  tile.free %A_shared : !a
  tile.free %B_shared : !b
  tile.store %C, %vc[%m, %c0] : tensor<64x64xf32>, !tile.view<2 x f32, unit = 1, alignment = 16>
  tile.return
}
