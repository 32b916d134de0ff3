// Tiles that TMA copies cannot fill are copied by threads, with the reason in a remark; a schedule by hand is rejected for that
// reason.
// RUN: fusion-opt %s --fuse-search-schedules=chip=sm_90a --remarks-filter=fuse -o %t.mlir 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: FileCheck %s --input-file=%t.mlir
// WHY-NOT: threads copy 'B'
// WHY: threads copy 'A': 'A' has rows that do not begin at multiples of 16 bytes, and no tensor map describes it
// CHECK: memory = <{A = #fuse.place<shared, async8>, B = #fuse.place<shared, tma>, C = #fuse.place
// RUN: sed -e 's|shared, async8|shared, tma|' %t.mlir | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=HAND
// HAND: error: schedule cannot be lowered: 'A' is aligned to 8 bytes but copied 16 at a time

// A chip without them has neither.
// RUN: fusion-opt %s --fuse-search-schedules=chip=sm_89 --remarks-filter=fuse -o %t.89.mlir 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER-NOT: threads copy
// RUN: sed -e 's|B = #fuse.place<shared, async16>|B = #fuse.place<shared, tma>|' %t.89.mlir | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: schedule cannot be lowered: sm_89 has no TMA copies
func.func @product(%a: tensor<256x68xf16>, %b: tensor<68x256xf16>) -> tensor<256x256xf16> {
  %empty = tensor.empty() : tensor<256x256xf16>
  %0 = fuse.chain ins(%x = %a : tensor<256x68xf16>, %y = %b : tensor<68x256xf16>) outs(%o = %empty : tensor<256x256xf16>) {
    %zero = arith.constant 0.0 : f32
    %sums = tensor.empty() : tensor<256x256xf32>
    %start = linalg.fill ins(%zero : f32) outs(%sums : tensor<256x256xf32>) -> tensor<256x256xf32>
    %c = linalg.matmul ins(%x, %y : tensor<256x68xf16>, tensor<68x256xf16>) outs(%start : tensor<256x256xf32>) -> tensor<256x256xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%c : tensor<256x256xf32>) outs(%o : tensor<256x256xf16>) {
    ^bb0(%e: f32, %d: f16):
      %t = arith.truncf %e : f32 to f16
      linalg.yield %t : f16
    } -> tensor<256x256xf16>
    fuse.yield %r : tensor<256x256xf16>
  } -> tensor<256x256xf16>
  return %0 : tensor<256x256xf16>
}
