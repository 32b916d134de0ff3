// Products of every type: their fragments, how they are loaded, the instructions.
// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-allocate-shared))' -split-input-file -o %t.laid.mlir
// RUN: FileCheck %s --check-prefix=LAYOUT < %t.laid.mlir
// RUN: fusion-opt %t.laid.mlir --convert-tile-to-gpu --canonicalize --cse -split-input-file | FileCheck %s

// Two instructions side by side share A; rows of B that lie across are loaded in pairs and separated
// by byte permutations. The accumulator has the layout of the next A.
// LAYOUT-DAG: #[[A8:.*]] = #tile.layout<"register: 4*[0,1] 2*[8,0] 2*[0,16]; lane: 4*[0,4] 8*[1,0] -> [16, 32]">
// LAYOUT-DAG: #[[B8:.*]] = #tile.layout<"register: 4*[1,0] 2*[0,1] 2*[16,0]; lane: 4*[4,0] 8*[0,2] -> [32, 16]">
// LAYOUT-DAG: #[[S8:.*]] = #tile.layout<"register: 4*[0,1] 2*[8,0]; lane: 4*[0,4] 8*[1,0] -> [16, 16]">
// LAYOUT-LABEL: @s8
// LAYOUT: tile.dot {{.*}} : tensor<16x32xi8, #[[A8]]>, tensor<32x16xi8, #[[B8]]> -> tensor<16x16xi32, #[[S8]]>
// CHECK-LABEL: gpu.func @s8
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = false}
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = true}
// CHECK-COUNT-4: nvvm.prmt
// CHECK-COUNT-2: nvvm.mma.sync {{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 32>
!wide = !tile.buffer<1, 16, 32, i8, #tile.layout<"offset: 32*[0,1] 16*[1,0] -> [16, 32]">>
!across = !tile.buffer<1, 32, 16, i8, #tile.layout<"offset: 16*[0,1] 32*[1,0] -> [32, 16]">>
tile.kernel @s8(%p: !tile.ptr<i32> {tile.access = #tile.access<write>}, %n: index) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<16x16xi32>
  %a = tile.alloc : !wide
  %b = tile.alloc : !across
  %x = tile.local_load %a[%c0] at [0, 0] : !wide -> tensor<16x32xi8>
  %y = tile.local_load %b[%c0] at [0, 0] : !across -> tensor<32x16xi8>
  %d = tile.dot %x, %y, %zero "mma.m16n16k32" warps [1, 1] : tensor<16x32xi8>, tensor<32x16xi8> -> tensor<16x16xi32>
  %v = tile.view %p[%c0] sizes [%n, %n] strides [%n, %n] : !tile.ptr<i32> -> !tile.view<2 x i32, unit = 1, alignment = 16>
  tile.store %d, %v[%c0, %c0] : tensor<16x16xi32>, !tile.view<2 x i32, unit = 1, alignment = 16>
  tile.return
}

// -----

// f32 factors are rounded once for all instructions; ldmatrix loads them as words, but not across.
// CHECK-LABEL: gpu.func @tf32
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = false}
// CHECK-COUNT-2: vector.load
// CHECK-COUNT-6: nvvm.convert.float.to.tf32 {{.*}}rnd = #nvvm.fp_rnd_mode<rna>
// CHECK: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<tf32>{{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 8>
!wide = !tile.buffer<1, 16, 8, f32, #tile.layout<"offset: 8*[0,1] 16*[1,0] -> [16, 8]">>
!across = !tile.buffer<1, 8, 8, f32, #tile.layout<"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
tile.kernel @tf32(%p: !tile.ptr<f32> {tile.access = #tile.access<write>}, %n: index) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %a = tile.alloc : !wide
  %b = tile.alloc : !across
  %x = tile.local_load %a[%c0] at [0, 0] : !wide -> tensor<16x8xf32>
  %y = tile.local_load %b[%c0] at [0, 0] : !across -> tensor<8x8xf32>
  %d = tile.dot %x, %y, %zero "mma.m16n8k8" warps [1, 1] : tensor<16x8xf32>, tensor<8x8xf32> -> tensor<16x8xf32>
  %v = tile.view %p[%c0] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f32> -> !tile.view<2 x f32, unit = 1, alignment = 4>
  tile.store %d, %v[%c0, %c0] : tensor<16x8xf32>, !tile.view<2 x f32, unit = 1, alignment = 4>
  tile.return
}

// -----

// Multiply-adds of f32, 16 bytes of each operand at a time.
// CHECK-LABEL: gpu.func @f32
// CHECK: vector.load {{.*}} vector<4xf32>
// CHECK-COUNT-4: vector.load {{.*}} vector<4xf32>
// CHECK-COUNT-16: math.fma
// CHECK-NOT: math.fma
!wide = !tile.buffer<1, 8, 4, f32, #tile.layout<"offset: 4*[0,1] 8*[1,0] -> [8, 4]">>
!across = !tile.buffer<1, 4, 16, f32, #tile.layout<"offset: 16*[0,1] 4*[1,0] -> [4, 16]">>
tile.kernel @f32(%p: !tile.ptr<f32> {tile.access = #tile.access<write>}, %n: index) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<8x16xf32>
  %a = tile.alloc : !wide
  %b = tile.alloc : !across
  %x = tile.local_load %a[%c0] at [0, 0] : !wide -> tensor<8x4xf32>
  %y = tile.local_load %b[%c0] at [0, 0] : !across -> tensor<4x16xf32>
  %d = tile.dot %x, %y, %zero "fma.m8n16k4" warps [1, 1] : tensor<8x4xf32>, tensor<4x16xf32> -> tensor<8x16xf32>
  %v = tile.view %p[%c0] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f32> -> !tile.view<2 x f32, unit = 1, alignment = 16>
  tile.store %d, %v[%c0, %c0] : tensor<8x16xf32>, !tile.view<2 x f32, unit = 1, alignment = 16>
  tile.return
}

// -----

// Two formats of 8-bit floats go together.
// CHECK-LABEL: gpu.func @f8
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e5m2.f32"
tile.kernel @f8(%p: !tile.ptr<f32> {tile.access = #tile.access<write>}, %n: index, %s: f8E4M3FN, %t: f8E5M2) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %x = tile.splat %s : f8E4M3FN -> tensor<16x32xf8E4M3FN>
  %y = tile.splat %t : f8E5M2 -> tensor<32x16xf8E5M2>
  %d = tile.dot %x, %y, %zero "mma.f8.m16n16k32" warps [1, 1] : tensor<16x32xf8E4M3FN>, tensor<32x16xf8E5M2> -> tensor<16x16xf32>
  %v = tile.view %p[%c0] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f32> -> !tile.view<2 x f32, unit = 1, alignment = 16>
  tile.store %d, %v[%c0, %c0] : tensor<16x16xf32>, !tile.view<2 x f32, unit = 1, alignment = 16>
  tile.return
}
