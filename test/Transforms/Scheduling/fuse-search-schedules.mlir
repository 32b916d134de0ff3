// RUN: fusion-opt %s --fuse-search-schedules --remarks-filter='.*' --remark-policy=all -o %t.mlir 2> %t.remarks
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// What it wrote it reads, and keeps.
// RUN: fusion-opt %t.mlir --fuse-search-schedules | diff %t.mlir -

// The whole product fits in one tile along each axis: no loop and nothing bound to the grid, and a
// schedule without either is printed and read again.
// REMARK: remark: [Analysis] schedule {{.*}}LA,LB,CC,SC: predicted {{.*}} us, bound by {{.*}}; 1 block of 1 warp, {{.*}} bytes of shared memory and about {{.*}} registers per thread; of the {{.*}} candidates of space default that were met {{.*}} were legal
// CHECK-LABEL: func.func @one_tile
func.func @one_tile(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %o: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // CHECK: schedule = #fuse.schedule<version = 2, tiling = <"LA,LB,CC,SC", {k = 16 : i64, m = 16 : i64, n = 16 : i64}>,
  // CHECK-SAME: mapping = <warps = 1, operators = {C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [1, 1]>}>,
  // CHECK-SAME: memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<shared>}>>
  %r = fuse.chain ins(%x = %a : tensor<16x16xf16>, %y = %b : tensor<16x16xf16>) outs(%p = %o : tensor<16x16xf32>) {
    %z = arith.constant 0.0 : f32
    %f = linalg.fill ins(%z : f32) outs(%p : tensor<16x16xf32>) -> tensor<16x16xf32>
    %c = linalg.matmul ins(%x, %y : tensor<16x16xf16>, tensor<16x16xf16>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
    fuse.yield %c : tensor<16x16xf32>
  } -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// Transports follow from what rows are multiples of: 24 × 2 = 48 bytes of 16, 12 × 2 = 24 bytes of 8.
// CHECK-LABEL: func.func @transport_of_8_bytes
func.func @transport_of_8_bytes(%a: tensor<16x24xf16>, %b: tensor<24x12xf16>, %o: tensor<16x12xf32>) -> tensor<16x12xf32> {
  // CHECK: A = #fuse.place<shared, async16>, B = #fuse.place<shared, async8>
  %r = fuse.chain ins(%x = %a : tensor<16x24xf16>, %y = %b : tensor<24x12xf16>) outs(%p = %o : tensor<16x12xf32>) {
    %z = arith.constant 0.0 : f32
    %f = linalg.fill ins(%z : f32) outs(%p : tensor<16x12xf32>) -> tensor<16x12xf32>
    %c = linalg.matmul ins(%x, %y : tensor<16x24xf16>, tensor<24x12xf16>) outs(%f : tensor<16x12xf32>) -> tensor<16x12xf32>
    fuse.yield %c : tensor<16x12xf32>
  } -> tensor<16x12xf32>
  return %r : tensor<16x12xf32>
}

// 18 × 2 = 36 bytes are a multiple of 4, 17 × 2 = 34 of none.
// CHECK-LABEL: func.func @transport_of_4_bytes_and_none
func.func @transport_of_4_bytes_and_none(%a: tensor<16x18xf16>, %b: tensor<18x17xf16>, %o: tensor<16x17xf32>) -> tensor<16x17xf32> {
  // CHECK: A = #fuse.place<shared, async4>, B = #fuse.place<shared>, C = #fuse.place<registers>
  %r = fuse.chain ins(%x = %a : tensor<16x18xf16>, %y = %b : tensor<18x17xf16>) outs(%p = %o : tensor<16x17xf32>) {
    %z = arith.constant 0.0 : f32
    %f = linalg.fill ins(%z : f32) outs(%p : tensor<16x17xf32>) -> tensor<16x17xf32>
    %c = linalg.matmul ins(%x, %y : tensor<16x18xf16>, tensor<18x17xf16>) outs(%f : tensor<16x17xf32>) -> tensor<16x17xf32>
    fuse.yield %c : tensor<16x17xf32>
  } -> tensor<16x17xf32>
  return %r : tensor<16x17xf32>
}

// A stitched group gets a tile program.
// CHECK-LABEL: func.func @stitch
func.func @stitch(%a: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = {{.*}}>}>>
  %r = fuse.stitch ins(%x = %a : tensor<8xf32>) outs(%p = %o : tensor<8xf32>) {
    %e = linalg.exp ins(%x : tensor<8xf32>) outs(%p : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %e : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// A chain of one contraction may have it.
// CHECK-LABEL: func.func @generic_form_by_hand
func.func @generic_form_by_hand(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %o: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // CHECK: schedule = #fuse.schedule<version = 2, mapping = <warps = 2>>
  %r = fuse.chain ins(%x = %a : tensor<16x16xf16>, %y = %b : tensor<16x16xf16>) outs(%p = %o : tensor<16x16xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>>} {
    %z = arith.constant 0.0 : f32
    %f = linalg.fill ins(%z : f32) outs(%p : tensor<16x16xf32>) -> tensor<16x16xf32>
    %c = linalg.matmul ins(%x, %y : tensor<16x16xf16>, tensor<16x16xf16>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
    fuse.yield %c : tensor<16x16xf32>
  } -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}
