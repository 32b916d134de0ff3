// A lookup in a table ends a chain, and the remarks name it. Operators before it that are operators of their own are the chain's.
// RUN: fusion-opt %s --fuse-to-groups=chip=sm_80 --remarks-filter=fuse -split-input-file -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.mlir

#at = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
// REMARK: [[@LINE+14]]:8: remark: [Missed] chain-ends {{.*}}the chain ends with this value: linalg.generic reads it, and reads elements of a tensor at computed indices (tensor.extract), which no chain does"
// REMARK: [[@LINE+16]]:8: remark: [Missed] not-in-chain {{.*}}not in the kernel of the chain next to it: linalg.generic reads elements of a tensor at computed indices (tensor.extract), which no chain does"
// CHECK-LABEL: func.func @one_body(
// CHECK: fuse.chain
// CHECK-NOT: arith.fptosi
// CHECK: fuse.yield %{{.*}} : tensor<64x48xf32>
// CHECK: fuse.stitch
// CHECK: arith.fptosi
// CHECK: tensor.extract
func.func @one_body(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %table: tensor<256xf16>,
                    %bias: tensor<48xf16>) -> tensor<64x48xf16> {
  %zero = arith.constant 0.0 : f32
  %c0 = tensor.empty() : tensor<64x48xf32>
  %c1 = linalg.fill ins(%zero : f32) outs(%c0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  %c = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>)
                     outs(%c1 : tensor<64x48xf32>) -> tensor<64x48xf32>
  %r0 = tensor.empty() : tensor<64x48xf16>
  %r = linalg.generic {indexing_maps = [#at, #column, #at], iterator_types = ["parallel", "parallel"]}
      ins(%c, %bias : tensor<64x48xf32>, tensor<48xf16>) outs(%r0 : tensor<64x48xf16>) {
  ^bb0(%x: f32, %y: f16, %ignored: f16):
    %most = arith.constant 255.0 : f32
    %above = arith.maximumf %x, %zero : f32
    %inside = arith.minimumf %above, %most : f32
    %word = arith.fptosi %inside : f32 to i32
    %index = arith.index_cast %word : i32 to index
    %value = tensor.extract %table[%index] : tensor<256xf16>
    %sum = arith.addf %value, %y : f16
    linalg.yield %sum : f16
  } -> tensor<64x48xf16>
  return %r : tensor<64x48xf16>
}

// -----

#at = affine_map<(i, j) -> (i, j)>
// REMARK: [[@LINE+14]]:8: remark: [Missed] chain-ends {{.*}}linalg.generic reads it, and reads elements of a tensor at computed indices
// CHECK-LABEL: func.func @two_operators(
// CHECK: fuse.chain
// CHECK: fuse.yield %{{.*}} : tensor<64x48xf32>
// CHECK: fuse.stitch
// CHECK: arith.fptoui
// CHECK: tensor.extract
func.func @two_operators(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %table: tensor<256xf16>) -> tensor<64x48xf16> {
  %zero = arith.constant 0.0 : f32
  %c0 = tensor.empty() : tensor<64x48xf32>
  %c1 = linalg.fill ins(%zero : f32) outs(%c0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  %c = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>)
                     outs(%c1 : tensor<64x48xf32>) -> tensor<64x48xf32>
  %q0 = tensor.empty() : tensor<64x48xi8>
  %q = linalg.generic {indexing_maps = [#at, #at], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<64x48xf32>) outs(%q0 : tensor<64x48xi8>) {
  ^bb0(%x: f32, %ignored: i8):
    %most = arith.constant 255.0 : f32
    %above = arith.maximumf %x, %zero : f32
    %inside = arith.minimumf %above, %most : f32
    %byte = arith.fptoui %inside : f32 to i8
    linalg.yield %byte : i8
  } -> tensor<64x48xi8>
  %r0 = tensor.empty() : tensor<64x48xf16>
  %r = linalg.generic {indexing_maps = [#at, #at], iterator_types = ["parallel", "parallel"]}
      ins(%q : tensor<64x48xi8>) outs(%r0 : tensor<64x48xf16>) {
  ^bb0(%byte: i8, %ignored: f16):
    %index = arith.index_castui %byte : i8 to index
    %value = tensor.extract %table[%index] : tensor<256xf16>
    linalg.yield %value : f16
  } -> tensor<64x48xf16>
  return %r : tensor<64x48xf16>
}
