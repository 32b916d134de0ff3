// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-use-shared-operands))' | FileCheck %s

!rows = !tile.buffer<2, 64, 32, f16, <"offset: 32*[0,1] 64*[1,0] -> [64, 32]">>
!columns = !tile.buffer<1, 64, 32, f16, <"offset: 32*[0,1] 64*[1,0] -> [64, 32]">>
!across = !tile.buffer<1, 32, 64, f16, <"offset: 64*[0,1] 32*[1,0] -> [32, 64]">>

// Both operands stay where they are, and the loads go.
// CHECK-LABEL: tile.kernel @both
// CHECK: %[[A:.*]] = tile.alloc : <2, 64, 32
// CHECK: %[[B:.*]] = tile.alloc : <1, 64, 32
// CHECK-NOT: tile.local_load
// CHECK: tile.shared_dot of %[[A]][%{{.*}}], %[[B]][%{{.*}}], %{{.*}} "wgmma.m64k16" warps [4, 1] {lhs_slot = 1 : i64, rhs_transposed} : (!tile.buffer<2, 64, 32, {{.*}}>) <1, 64, 32, {{.*}}> -> tensor<64x64xf32>
// CHECK-NOT: tile.dot
tile.kernel @both(%stage: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.alloc : !rows
  %b = tile.alloc : !columns
  %x = tile.local_load %a[%stage] at [0, 0] {slot = 1 : i64} : !rows -> tensor<64x32xf16>
  %y = tile.local_load %b[%c0] at [0, 0] transposed : !columns -> tensor<32x64xf16>
  %d = tile.dot %x, %y, %zero "wgmma.m64k16" warps [4, 1] : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  tile.return
}

// What is computed stays in registers, and what others read is loaded for them.
// CHECK-LABEL: tile.kernel @first_computed
// CHECK: %[[X:.*]] = tile.local_load
// CHECK: %[[LESS:.*]] = arith.negf %[[X]]
// CHECK: tile.shared_dot %[[LESS]], %{{.*}}[%{{.*}}], %{{.*}} "wgmma.m64k16" warps [4, 1] : [tensor<64x32xf16>] <1, 32, 64, {{.*}}> -> tensor<64x64xf32>
// CHECK: tile.shared_dot of
// CHECK-SAME: : (!tile.buffer<2, 64, 32
tile.kernel @first_computed(%stage: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.alloc : !rows
  %b = tile.alloc : !across
  %x = tile.local_load %a[%stage] at [0, 0] : !rows -> tensor<64x32xf16>
  %y = tile.local_load %b[%c0] at [0, 0] : !across -> tensor<32x64xf16>
  %less = arith.negf %x : tensor<64x32xf16>
  %d = tile.dot %less, %y, %zero "wgmma.m64k16" warps [4, 1] : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  %e = tile.dot %x, %y, %d "wgmma.m64k16" warps [4, 1] : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  tile.return
}

// A part of A is loaded; warps on their own load all.
// CHECK-LABEL: tile.kernel @does_not_fire
// CHECK: tile.local_load %{{.*}} at [0, 16]
// CHECK: tile.shared_dot %{{.*}}, %{{.*}}[
// CHECK: tile.dot {{.*}} "mma.m16n8k16"
tile.kernel @does_not_fire(%stage: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.alloc : <1, 64, 48, f16, <"offset: 48*[0,1] 64*[1,0] -> [64, 48]">>
  %b = tile.alloc : !across
  %x = tile.local_load %a[%stage] at [0, 16] : !tile.buffer<1, 64, 48, f16, <"offset: 48*[0,1] 64*[1,0] -> [64, 48]">> -> tensor<64x32xf16>
  %y = tile.local_load %b[%c0] at [0, 0] : !across -> tensor<32x64xf16>
  %d = tile.dot %x, %y, %zero "wgmma.m64k16" warps [4, 1] : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  %e = tile.dot %x, %y, %d "mma.m16n8k16" warps [4, 1] : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  tile.return
}

// A stage has been read when the contraction is complete.
// CHECK-LABEL: tile.kernel @released
// CHECK-NOT: tile.consumer_release
// CHECK: tile.shared_dot
// CHECK-NEXT: tile.consumer_release
tile.kernel @released(%stage: index) attributes {warps = 4 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.alloc : !rows
  %b = tile.alloc : !columns
  %x = tile.local_load %a[%stage] at [0, 0] {slot = 0 : i64} : !rows -> tensor<64x32xf16>
  %y = tile.local_load %b[%stage] at [0, 0] transposed {slot = 0 : i64} : !columns -> tensor<32x64xf16>
  tile.consumer_release
  %d = tile.dot %x, %y, %zero "wgmma.m64k16" warps [4, 1] : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  tile.return
}

// The next iteration's data goes to another stage meanwhile.
// CHECK-LABEL: tile.kernel @stored_elsewhere
// CHECK: tile.local_store
// CHECK: tile.shared_dot of
tile.kernel @stored_elsewhere(%stage: index, %next: index) attributes {warps = 4 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = arith.constant dense<1.0> : tensor<64x32xf16>
  %a = tile.alloc : !rows
  %b = tile.alloc : !columns
  %x = tile.local_load %a[%stage] at [0, 0] {slot = 0 : i64} : !rows -> tensor<64x32xf16>
  %y = tile.local_load %b[%stage] at [0, 0] transposed {slot = 0 : i64} : !columns -> tensor<32x64xf16>
  tile.local_store %z, %a[%next] {slot = 1 : i64} : tensor<64x32xf16>, !rows
  %d = tile.dot %x, %y, %zero "wgmma.m64k16" warps [4, 1] : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  tile.return
}

// A store to another stage, whose number is known where a loop was unrolled, may stand in between.
// CHECK-LABEL: tile.kernel @another_stage
// CHECK: tile.local_store %{{.*}}, %[[B:.*]][%c1]
// CHECK: tile.shared_dot %{{.*}}, %[[B]][%c0]
tile.kernel @another_stage() attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = arith.constant dense<1.0> : tensor<64x32xf16>
  %z = arith.constant dense<1.0> : tensor<32x64xf16>
  %b = tile.alloc : !tile.buffer<2, 32, 64, f16, <"offset: 64*[0,1] 32*[1,0] -> [32, 64]">>
  %y = tile.local_load %b[%c0] at [0, 0] : !tile.buffer<2, 32, 64, f16, <"offset: 64*[0,1] 32*[1,0] -> [32, 64]">> -> tensor<32x64xf16>
  tile.local_store %z, %b[%c1] : tensor<32x64xf16>, !tile.buffer<2, 32, 64, f16, <"offset: 64*[0,1] 32*[1,0] -> [32, 64]">>
  %d = tile.dot %x, %y, %zero "wgmma.m64k16" warps [4, 1] : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  tile.return
}
