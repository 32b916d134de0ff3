// Products of what lies in shared memory: descriptors, and one piece of assembly from the fence to the wait.
// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-allocate-shared))' -o %t.laid.mlir
// RUN: fusion-opt %t.laid.mlir --convert-tile-to-gpu --canonicalize --cse | FileCheck %s

// Rows of 128 bytes: the 128-byte swizzle (1 in bits 62 and 63), 1024 bytes from 8 rows to the next. Along the rows a step of 16 elements is 32 bytes (2
// units of 16), across them 16 rows (128 units). The first sum begins at zero, by the instruction's predicate, the second one in the first one's registers;
// the first contraction's values are A in registers.
// CHECK-LABEL: gpu.func @chain
// CHECK-DAG: %[[ACROSS:.*]] = arith.constant 4611686293338849280 : i64
// CHECK-DAG: %[[ALONG:.*]] = arith.constant 4611686293305360384 : i64
// 18 bits of an address: in a cluster, the higher ones name its block.
// CHECK-DAG: arith.andi %{{.*}}, %c262143_i32 : i32
// CHECK: arith.shrui %{{.*}}, %c4_i32
// CHECK: %[[B:.*]] = arith.ori %{{.*}}, %[[ALONG]] : i64
// CHECK: %[[A:.*]] = arith.ori %{{.*}}, %[[ALONG]] : i64
// CHECK: llvm.inline_asm has_side_effects
// CHECK-SAME: wgmma.fence.sync.aligned;
// The first step reads where the tiles begin, the others behind that.
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {$0, {{[^}]*}}, $31}, $33, $32, begins, 1, 1, 0, 0;
// CHECK-SAME: add.s64 [[A1:matrix[0-9]+]], $33, 2;
// CHECK-SAME: add.s64 [[B1:matrix[0-9]+]], $32, 2;
// CHECK-SAME: , [[A1]], [[B1]], adds, 1, 1, 0, 0;
// CHECK-SAME: add.s64 [[A2:matrix[0-9]+]], $33, 4;
// CHECK-SAME: add.s64 [[B2:matrix[0-9]+]], $32, 4;
// CHECK-SAME: , [[A2]], [[B2]], adds, 1, 1, 0, 0;
// CHECK-SAME: add.s64 [[A3:matrix[0-9]+]], $33, 6;
// CHECK-SAME: add.s64 [[B3:matrix[0-9]+]], $32, 6;
// CHECK-SAME: , [[A3]], [[B3]], adds, 1, 1, 0, 0;
// CHECK-SAME: wgmma.commit_group.sync.aligned;
// CHECK-SAME: wgmma.wait_group.sync.aligned 0;
// CHECK-SAME: "=&f,{{.*}}l,l,~{memory}" %[[B]], %[[A]]
// CHECK: %[[D:.*]] = arith.ori %{{.*}}, %[[ACROSS]] : i64
// CHECK: llvm.inline_asm has_side_effects
// CHECK-SAME: {$33, $34, $35, $36}, $32, adds, 1, 1, 1;
// CHECK-SAME: add.s64 [[D1:matrix[0-9]+]], $32, {{[0-9]+}};
// CHECK-SAME: {$37, $38, $39, $40}, [[D1]], adds, 1, 1, 1;
// CHECK-SAME: ,0,1,2,{{.*}},31,~{memory}" %[[D]],
// CHECK-NOT: vector.store{{.*}}workgroup
#panels = #tile.layout<"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] -> [64, 64]">
!two = !tile.buffer<2, 64, 64, f16, #panels>
!one = !tile.buffer<1, 64, 64, f16, #panels>
tile.kernel @chain(%p: !tile.ptr<f32> {tile.access = #tile.access<write>}, %n: index, %stage: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.alloc : !one
  %b = tile.alloc : !two
  %c = tile.shared_dot of %a[%c0], %b[%stage], %zero "wgmma.m64k16" warps [4, 1] {rhs_transposed} : (!one) !two -> tensor<64x64xf32>
  %f = arith.truncf %c : tensor<64x64xf32> to tensor<64x64xf16>
  %d = tile.shared_dot %f, %a[%c0], %c "wgmma.m64k16" warps [4, 1] : [tensor<64x64xf16>] !one -> tensor<64x64xf32>
  %v = tile.view %p[%c0] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f32> -> !tile.view<2 x f32, unit = 1, alignment = 16>
  tile.store %d, %v[%c0, %c0] : tensor<64x64xf32>, !tile.view<2 x f32, unit = 1, alignment = 16>
  tile.return
}
