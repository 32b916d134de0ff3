// Kernels in upstream's dialects become functions of the llvm dialect, and machine code.
// RUN: fusion-opt %s --tile-to-native > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: fusion-translate --fuse-to-assembly %t.mlir | FileCheck %s --check-prefix=ASM

// CHECK-LABEL: llvm.func @sums
// CHECK-NOT: {{scf|vector\.|math\.|arith\.}}
// CHECK: llvm.intr.sqrt
// CHECK: llvm.intr.fmuladd
// CHECK: llvm.return

// ASM-LABEL: sums:
// ASM: vsqrtps {{.*}}%ymm
// ASM: vfmadd{{.*}}ps {{.*}}%ymm

module attributes {fuse.chip = #fuse.chip<"x86-64-v3">} {
  module @kernels attributes {fuse.native} {
    llvm.func @sums(%arguments: !llvm.ptr, %first: i64, %end: i64, %scratch: !llvm.ptr) {
      %one = arith.constant 1 : i64
      %from = llvm.load %arguments : !llvm.ptr -> !llvm.ptr
      %slot = llvm.getelementptr %arguments[1] : (!llvm.ptr) -> !llvm.ptr, i64
      %to = llvm.load %slot : !llvm.ptr -> !llvm.ptr
      scf.for %block = %first to %end step %one : i64 {
        %in = llvm.getelementptr %from[%block] : (!llvm.ptr, i64) -> !llvm.ptr, vector<8xf32>
        %out = llvm.getelementptr %to[%block] : (!llvm.ptr, i64) -> !llvm.ptr, vector<8xf32>
        %x = llvm.load %in {alignment = 16} : !llvm.ptr -> vector<8xf32>
        %r = math.sqrt %x : vector<8xf32>
        %y = vector.fma %x, %r, %x : vector<8xf32>
        llvm.store %y, %out {alignment = 16} : vector<8xf32>, !llvm.ptr
      }
      llvm.return
    }
  }
  func.func @main(%a: tensor<64xf32>) -> tensor<64xf32> {
    %blocks = arith.constant 8 : index
    %e = tensor.empty() : tensor<64xf32>
    %0 = tile.launch @kernels::@sums grid(%blocks) ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    return %0 : tensor<64xf32>
  }
}
