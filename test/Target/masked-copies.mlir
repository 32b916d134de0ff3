// A copy whose size is chosen, by however many conditions, reads or ignores its source by a predicate, and has the offsets of its addresses;
// one of a size that may be anything is as it was.
// RUN: fusion-translate --fuse-to-ptx %s | FileCheck %s --implicit-check-not=selp
// RUN: fusion-translate --fuse-to-ptx %s -o %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_80 %t.ptx -o %t.cubin %}
// CHECK-LABEL: .visible .entry copies(
// CHECK-DAG: setp.lt.s32 [[ROW:%p[0-9]+]], {{.*}}, 7;
// CHECK-DAG: and.pred [[BOTH:%p[0-9]+]],
// CHECK: cp.async.ca.shared.global [[[SHARED:%r[0-9]+]]+1024], [[[GLOBAL:%rd[0-9]+]]+64], 4, !{{%p[0-9]+}};
// CHECK: cp.async.cg.shared.global [[[SHARED]]+2048], [[[GLOBAL]]+128], 16, ![[BOTH]];
// CHECK: cp.async.ca.shared.global [[[SHARED]]+4096], [[[GLOBAL]]+256], 4, {{%r[0-9]+}};
module attributes {fuse.chip = #fuse.chip<"sm_80">, gpu.container_module} {
  gpu.module @kernels {
    llvm.mlir.global external @buffer() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
    llvm.func @copies(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>, %row: i32, %column: i32, %any: i32) attributes {gpu.kernel, nvvm.kernel} {
      %zero = llvm.mlir.constant(0 : i32) : i32
      %four = llvm.mlir.constant(4 : i32) : i32
      %sixteen = llvm.mlir.constant(16 : i32) : i32
      %seven = llvm.mlir.constant(7 : i32) : i32
      %thread = nvvm.read.ptx.sreg.tid.x : i32
      %offset = llvm.mul %thread, %sixteen : i32
      %buffer = llvm.mlir.addressof @buffer : !llvm.ptr<3>
      %shared = llvm.getelementptr %buffer[%offset] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %global = llvm.getelementptr %in[%offset] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
      %shared1 = llvm.getelementptr %shared[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %shared2 = llvm.getelementptr %shared[2048] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %shared3 = llvm.getelementptr %shared[4096] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %global1 = llvm.getelementptr %global[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
      %global2 = llvm.getelementptr %global[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
      %global3 = llvm.getelementptr %global[256] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
      %inRow = llvm.icmp "slt" %row, %seven : i32
      %inColumn = llvm.icmp "slt" %column, %seven : i32
      %inside = llvm.and %inRow, %inColumn : i1
      %size1 = llvm.select %inRow, %four, %zero : i1, i32
      nvvm.cp.async.shared.global %shared1, %global1, 4, cache = ca, %size1 : !llvm.ptr<3>, !llvm.ptr<1>, i32
      %size2 = llvm.select %inside, %sixteen, %zero : i1, i32
      nvvm.cp.async.shared.global %shared2, %global2, 16, cache = cg, %size2 : !llvm.ptr<3>, !llvm.ptr<1>, i32
      nvvm.cp.async.shared.global %shared3, %global3, 4, cache = ca, %any : !llvm.ptr<3>, !llvm.ptr<1>, i32
      nvvm.cp.async.wait.group 0
      %loaded = llvm.load %shared : !llvm.ptr<3> -> i32
      llvm.store %loaded, %out : i32, !llvm.ptr<1>
      llvm.return
    }
  }
}
