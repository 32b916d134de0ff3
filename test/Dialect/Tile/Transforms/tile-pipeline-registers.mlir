// RUN: fusion-opt %s --tile-pipeline-place --tile-pipeline-expand --tile-pipeline-registers | FileCheck %s
// RUN: fusion-opt %s --tile-pipeline-place --tile-pipeline-expand --tile-pipeline-registers --remarks-filter=pipeline \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// WHY: fragments are not loaded across iterations: the loop may have no iterations
// WHY: fragments are not loaded across iterations: the loop's leading contraction reads a buffer that has one stage and is filled in the loop
// WHY-NOT: fragments are not loaded

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] x[0,16] 2*[1,0] x[2,8] x[4,16] 2*[8,0] -> [16, 32]">
!buffer = !tile.buffer<1, 16, 32, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>

// Two contractions in an iteration: the second one's loads run under the first contraction, the next iteration's first loads
// under the second, after the wait for its data. The first fragments are loaded before the loop and carried.
// CHECK-LABEL: tile.kernel @two_levels
// CHECK: tile.producer_commit
// CHECK: tile.consumer_wait 0
// CHECK-NEXT: tile.producer_acquire
// CHECK: %[[A0:.*]] = tile.local_load %{{.*}} at [0, 0] {slot = 0 : i64}
// CHECK-NEXT: %[[B0:.*]] = tile.local_load %{{.*}} at [0, 0] transposed {slot = 0 : i64}
// CHECK: scf.for {{.*}}, %[[A:.*]] = %[[A0]], %[[B:.*]] = %[[B0]])
// CHECK-NOT: consumer_wait
// CHECK: tile.producer_commit
// CHECK: %[[A1:.*]] = tile.local_load %{{.*}} at [0, 16] {slot = 0 : i64}
// CHECK: %[[B1:.*]] = tile.local_load %{{.*}} at [0, 16] transposed {slot = 0 : i64}
// CHECK: tile.dot %[[A]], %[[B]]
// CHECK: tile.consumer_wait 0
// CHECK: tile.producer_acquire
// CHECK: %[[A2:.*]] = tile.local_load %{{.*}} at [0, 0] {slot = 1 : i64}
// CHECK: %[[B2:.*]] = tile.local_load %{{.*}} at [0, 0] transposed {slot = 1 : i64}
// CHECK: tile.dot %[[A1]], %[[B1]]
// CHECK: scf.yield {{.*}}, %[[A2]], %[[B2]]
tile.kernel @two_levels(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64, register_stages = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.view %p[%c0] sizes[%c16, %c128] strides[%c128, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 2 : i64, pipelined} : !buffer
  %y = tile.alloc {pipeline_stages = 2 : i64, pipelined} : !buffer
  %r = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %zero) -> tensor<16x16xf32> {
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 2 : i64} : !view, !buffer
    tile.copy_async %a[%c0, %k], %y[%c0] by async16 {stages = 2 : i64} : !view, !buffer
    tile.commit
    tile.wait 0
    %t0 = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    %u0 = tile.local_load %y[%c0] at [0, 0] transposed : !buffer -> tensor<16x16xf16>
    %d0 = tile.dot %t0, %u0, %acc "mma.m16n8k16" warps [1, 1] : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    %t1 = tile.local_load %x[%c0] at [0, 16] : !buffer -> tensor<16x16xf16>
    %u1 = tile.local_load %y[%c0] at [0, 16] transposed : !buffer -> tensor<16x16xf16>
    %d1 = tile.dot %t1, %u1, %d0 "mma.m16n8k16" warps [1, 1] : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %d1 : tensor<16x16xf32>
  }
  tile.return
}

// Stages of one buffer's fragments alone: those of the other are loaded where they are multiplied, behind the wait that
// stands in front of the last contraction of the iteration before.
// CHECK-LABEL: tile.kernel @one_buffer
// CHECK: tile.producer_acquire
// CHECK: %[[A0:.*]] = tile.local_load %[[X:.*]][%{{.*}}] at [0, 0] {slot = 0 : i64}
// CHECK-NOT: tile.local_load
// CHECK: scf.for {{.*}}, %[[A:.*]] = %[[A0]])
// CHECK: %[[B:.*]] = tile.local_load %[[Y:.*]][%{{.*}}] at [0, 0] transposed {slot = 0 : i64}
// CHECK: %[[A1:.*]] = tile.local_load %[[X]][%{{.*}}] at [0, 16] {slot = 0 : i64}
// CHECK: tile.dot %[[A]], %[[B]]
// CHECK: %[[B1:.*]] = tile.local_load %[[Y]][%{{.*}}] at [0, 16] transposed {slot = 0 : i64}
// CHECK: tile.producer_acquire
// CHECK: %[[A2:.*]] = tile.local_load %[[X]][%{{.*}}] at [0, 0] {slot = 1 : i64}
// CHECK-NOT: tile.local_load
// CHECK: tile.dot %[[A1]], %[[B1]]
// CHECK: scf.yield {{.*}}, %[[A2]]
tile.kernel @one_buffer(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.view %p[%c0] sizes[%c16, %c128] strides[%c128, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 2 : i64, pipelined, register_stages = 2 : i64} : !buffer
  %y = tile.alloc {pipeline_stages = 2 : i64, pipelined} : !buffer
  %r = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %zero) -> tensor<16x16xf32> {
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 2 : i64} : !view, !buffer
    tile.copy_async %a[%c0, %k], %y[%c0] by async16 {stages = 2 : i64} : !view, !buffer
    tile.commit
    tile.wait 0
    %t0 = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    %u0 = tile.local_load %y[%c0] at [0, 0] transposed : !buffer -> tensor<16x16xf16>
    %d0 = tile.dot %t0, %u0, %acc "mma.m16n8k16" warps [1, 1] : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    %t1 = tile.local_load %x[%c0] at [0, 16] : !buffer -> tensor<16x16xf16>
    %u1 = tile.local_load %y[%c0] at [0, 16] transposed : !buffer -> tensor<16x16xf16>
    %d1 = tile.dot %t1, %u1, %d0 "mma.m16n8k16" warps [1, 1] : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %d1 : tensor<16x16xf32>
  }
  tile.return
}

// A buffer's own stages come before the kernel's.
// CHECK-LABEL: tile.kernel @all_but_one_buffer
// CHECK: tile.producer_acquire
// CHECK: %[[A0:.*]] = tile.local_load %[[X:.*]][%{{.*}}] at [0, 0] {slot = 0 : i64}
// CHECK-NOT: tile.local_load
// CHECK: scf.for {{.*}}, %[[A:.*]] = %[[A0]])
// CHECK: %[[B:.*]] = tile.local_load %[[Y:.*]][%{{.*}}] at [0, 0] transposed {slot = 0 : i64}
// CHECK: %[[A1:.*]] = tile.local_load %[[X]][%{{.*}}] at [0, 16] {slot = 0 : i64}
// CHECK: tile.dot %[[A]], %[[B]]
// CHECK: %[[B1:.*]] = tile.local_load %[[Y]][%{{.*}}] at [0, 16] transposed {slot = 0 : i64}
// CHECK: tile.producer_acquire
// CHECK: %[[A2:.*]] = tile.local_load %[[X]][%{{.*}}] at [0, 0] {slot = 1 : i64}
// CHECK-NOT: tile.local_load
// CHECK: tile.dot %[[A1]], %[[B1]]
// CHECK: scf.yield {{.*}}, %[[A2]]
tile.kernel @all_but_one_buffer(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64, register_stages = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.view %p[%c0] sizes[%c16, %c128] strides[%c128, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 2 : i64, pipelined} : !buffer
  %y = tile.alloc {pipeline_stages = 2 : i64, pipelined, register_stages = 1 : i64} : !buffer
  %r = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %zero) -> tensor<16x16xf32> {
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 2 : i64} : !view, !buffer
    tile.copy_async %a[%c0, %k], %y[%c0] by async16 {stages = 2 : i64} : !view, !buffer
    tile.commit
    tile.wait 0
    %t0 = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    %u0 = tile.local_load %y[%c0] at [0, 0] transposed : !buffer -> tensor<16x16xf16>
    %d0 = tile.dot %t0, %u0, %acc "mma.m16n8k16" warps [1, 1] : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    %t1 = tile.local_load %x[%c0] at [0, 16] : !buffer -> tensor<16x16xf16>
    %u1 = tile.local_load %y[%c0] at [0, 16] transposed : !buffer -> tensor<16x16xf16>
    %d1 = tile.dot %t1, %u1, %d0 "mma.m16n8k16" warps [1, 1] : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %d1 : tensor<16x16xf32>
  }
  tile.return
}

// A loop of one stage: its loads cannot pass the wait, but the second contraction's move under the first.
// CHECK-LABEL: tile.kernel @registers_alone
// CHECK: scf.for
// CHECK: tile.wait 0
// CHECK-COUNT-4: tile.local_load
// CHECK: tile.dot
// CHECK-NOT: tile.local_load
// CHECK: tile.dot
tile.kernel @registers_alone(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64, register_stages = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.view %p[%c0] sizes[%c16, %c128] strides[%c128, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc : !buffer
  %r = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %zero) -> tensor<16x16xf32> {
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 : !view, !buffer
    tile.commit
    tile.wait 0
    %t0 = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    %u0 = tile.local_load %x[%c0] at [0, 0] transposed : !buffer -> tensor<16x16xf16>
    %d0 = tile.dot %t0, %u0, %acc "mma.m16n8k16" warps [1, 1] : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    %t1 = tile.local_load %x[%c0] at [0, 16] : !buffer -> tensor<16x16xf16>
    %u1 = tile.local_load %x[%c0] at [0, 16] transposed : !buffer -> tensor<16x16xf16>
    %d1 = tile.dot %t1, %u1, %d0 "mma.m16n8k16" warps [1, 1] : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %d1 : tensor<16x16xf32>
  }
  tile.return
}

// Without the wish nothing moves.
// CHECK-LABEL: tile.kernel @one_register_stage
// CHECK: tile.local_load
// CHECK: tile.dot
// CHECK: tile.local_load
// CHECK: tile.dot
tile.kernel @one_register_stage() attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %x = tile.alloc : !buffer
  %u = tile.local_load %x[%c0] at [0, 0] transposed : !buffer -> tensor<16x16xf16>
  %t0 = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  %d0 = tile.dot %t0, %u, %zero "mma.m16n8k16" warps [1, 1] : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  %t1 = tile.local_load %x[%c0] at [0, 16] : !buffer -> tensor<16x16xf16>
  %d1 = tile.dot %t1, %u, %d0 "mma.m16n8k16" warps [1, 1] : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  tile.return
}

// A loop that may not run: in front of it there may be nothing to load.
// CHECK-LABEL: tile.kernel @perhaps_no_iteration
// CHECK: tile.producer_commit
// CHECK-NOT: tile.local_load
// CHECK: scf.for
// CHECK-NEXT: arith.index_castui
// CHECK-NEXT: arith.index_castui
// CHECK-NEXT: tile.consumer_wait 0
// CHECK: tile.local_load {{.*}} at [0, 0]
// CHECK: tile.dot
tile.kernel @perhaps_no_iteration(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 1 : i64, register_stages = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.view %p[%c0] sizes[%c16, %n] strides[%n, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 2 : i64, pipelined} : !buffer
  %r = scf.for %k = %c0 to %n step %c32 iter_args(%acc = %zero) -> tensor<16x16xf32> {
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 2 : i64} : !view, !buffer
    tile.commit
    tile.wait 0
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    %u = tile.local_load %x[%c0] at [0, 0] transposed : !buffer -> tensor<16x16xf16>
    %d = tile.dot %t, %u, %acc "mma.m16n8k16" warps [1, 1] : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  tile.return
}

// One operand has stages, the other is filled by the iteration that reads it: its fragments cannot be loaded before.
// CHECK-LABEL: tile.kernel @one_operand_in_stages
// CHECK: tile.producer_commit
// CHECK-NOT: tile.local_load
// CHECK: scf.for
// CHECK: tile.wait 0
// CHECK-COUNT-2: tile.local_load
// CHECK: tile.dot
tile.kernel @one_operand_in_stages(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64, register_stages = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.view %p[%c0] sizes[%c16, %c128] strides[%c128, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 2 : i64, pipelined} : !buffer
  %y = tile.alloc : !buffer
  %r = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %zero) -> tensor<16x16xf32> {
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 2 : i64} : !view, !buffer
    tile.copy_async %a[%c0, %k], %y[%c0] by async16 : !view, !buffer
    tile.commit
    tile.wait 0
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    %u = tile.local_load %y[%c0] at [0, 0] transposed : !buffer -> tensor<16x16xf16>
    %d = tile.dot %t, %u, %acc "mma.m16n8k16" warps [1, 1] : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  tile.return
}

// One operand has stages, the tiles of the other are all there, in slots that the loop's variable tells apart: behind
// the last iteration its own slot is read again.
// CHECK-LABEL: tile.kernel @one_operand_resident
// CHECK: %[[C32:.*]] = arith.constant 32 : index
// CHECK: tile.alloc : <4, 16, 32
// CHECK: tile.consumer_wait 0
// CHECK-NEXT: tile.producer_acquire
// CHECK: %[[SLOT:.*]] = arith.divui %c0, %[[C32]]
// CHECK: %[[A0:.*]] = tile.local_load %{{.*}} at [0, 0] {slot = 0 : i64}
// CHECK-NEXT: %[[B0:.*]] = tile.local_load %{{.*}}[%[[SLOT]]] at [0, 0] transposed
// CHECK: scf.for %[[K:[^ ]*]] = {{.*}}, %[[A:.*]] = %[[A0]], %[[B:.*]] = %[[B0]])
// CHECK: %[[NEXT:.*]] = arith.addi %[[K]], %[[C32]]
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[NEXT]], %{{.*}}
// CHECK: %[[AT:.*]] = arith.select %[[EXISTS]], %[[NEXT]], %[[K]]
// CHECK: %[[LATER:.*]] = arith.divui %[[AT]], %[[C32]]
// CHECK: tile.local_load %{{.*}}[%[[LATER]]] at [0, 0] transposed
// CHECK: tile.dot %[[A]], %[[B]]
tile.kernel @one_operand_resident(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64, register_stages = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.view %p[%c0] sizes[%c16, %c128] strides[%c128, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 2 : i64, pipelined} : !buffer
  %y = tile.alloc : !tile.buffer<4, 16, 32, f16, #shared>
  %r = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %zero) -> tensor<16x16xf32> {
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 2 : i64} : !view, !buffer
    tile.commit
    tile.wait 0
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    %slot = arith.divui %k, %c32 : index
    %u = tile.local_load %y[%slot] at [0, 0] transposed : !tile.buffer<4, 16, 32, f16, #shared> -> tensor<16x16xf16>
    %d = tile.dot %t, %u, %acc "mma.m16n8k16" warps [1, 1] : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  tile.return
}
