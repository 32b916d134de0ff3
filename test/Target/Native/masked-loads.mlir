// RUN: fusion-translate --fuse-to-assembly %s | FileCheck %s
// RUN: sed s/x86-64-v3/x86-64-v4/ %s | fusion-translate --fuse-to-assembly | FileCheck %s --check-prefix=AVX512

// Where half of a mask is false whatever the other half is, nothing is loaded in whole vectors from there.
// CHECK-LABEL: load:
// CHECK-DAG: vmaskmovps 32(%[[FROM:r[a-z0-9]+]]), %ymm
// CHECK-DAG: vmaskmovps (%[[FROM]]), %ymm
// CHECK-NOT: vmovups (%[[FROM]])
// CHECK: retq
// AVX512-LABEL: load:
// AVX512: vmovups (%r{{[a-z0-9]+}}), %zmm{{[0-9]+}} {%k1}
module attributes {fuse.chip = #fuse.chip<"x86-64-v3">} {
  module @kernels attributes {fuse.native} {
    llvm.func @load(%arguments: !llvm.ptr, %first: i64, %end: i64, %scratch: !llvm.ptr) {
      %two = llvm.mlir.constant(2 : i64) : i64
      %slot = llvm.getelementptr %arguments[1] : (!llvm.ptr) -> !llvm.ptr, i64
      %from = llvm.load %arguments : !llvm.ptr -> !llvm.ptr
      %to = llvm.load %slot : !llvm.ptr -> !llvm.ptr
      %lanes = llvm.mlir.constant(dense<[false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, true]> : vector<16xi1>) : vector<16xi1>
      %none = llvm.mlir.constant(dense<0.0> : vector<16xf32>) : vector<16xf32>
      %nothing = llvm.mlir.poison : vector<16xi1>
      %zero = llvm.mlir.constant(0 : i64) : i64
      %is = llvm.icmp "slt" %first, %two : i64
      %one = llvm.insertelement %is, %nothing[%zero : i64] : vector<16xi1>
      %all = llvm.shufflevector %one, %nothing [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] : vector<16xi1>
      %mask = llvm.and %all, %lanes : vector<16xi1>
      %x = llvm.intr.masked.load %from, %mask, %none {alignment = 4 : i32} : (!llvm.ptr, vector<16xi1>, vector<16xf32>) -> vector<16xf32>
      llvm.store %x, %to {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
      llvm.return
    }
  }
}
