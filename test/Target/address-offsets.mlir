// A sum of a pointer and a constant that is computed before a loop becomes the immediate of the instructions that use it in the
// loop, and holds no register there: LLVM does so for loads and stores, we for cp.async and ldmatrix too.
// RUN: fusion-translate --fuse-to-ptx %s | FileCheck %s
// CHECK-LABEL: .visible .entry copies(
// CHECK: [[LOOP:\$L__BB0_[0-9]+]]:
// CHECK-NOT: add.s64
// CHECK: cp.async.cg.shared.global [[[SHARED:%r[0-9]+]]+1024], [[[GLOBAL:%rd[0-9]+]]+64], 16;
// CHECK-NEXT: cp.async.cg.shared.global [[[SHARED]]+2048], [[[GLOBAL]]+128], 16;
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{.*}}, [[[SHARED]]+1024];
// CHECK: bra{{.*}} [[LOOP]]
module attributes {fuse.chip = #fuse.chip<"sm_80">, gpu.container_module} {
  gpu.module @kernels {
    llvm.mlir.global external @buffer() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
    llvm.func @copies(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>, %count: i32) attributes {gpu.kernel, nvvm.kernel} {
      %zero = llvm.mlir.constant(0 : i32) : i32
      %one = llvm.mlir.constant(1 : i32) : i32
      %sixteen = llvm.mlir.constant(16 : i32) : i32
      %thread = nvvm.read.ptx.sreg.tid.x : i32
      %offset = llvm.mul %thread, %sixteen : i32
      %buffer = llvm.mlir.addressof @buffer : !llvm.ptr<3>
      %shared = llvm.getelementptr %buffer[%offset] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %global = llvm.getelementptr %in[%offset] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
      %shared1 = llvm.getelementptr %shared[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %shared2 = llvm.getelementptr %shared[2048] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %global1 = llvm.getelementptr %global[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
      %global2 = llvm.getelementptr %global[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
      llvm.br ^loop(%zero, %zero : i32, i32)
    ^loop(%i: i32, %sum: i32):
      nvvm.cp.async.shared.global %shared1, %global1, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
      nvvm.cp.async.shared.global %shared2, %global2, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 0
      nvvm.barrier0
      %matrices = nvvm.ldmatrix %shared1 {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
      %first = llvm.extractvalue %matrices[0] : !llvm.struct<(i32, i32, i32, i32)>
      %added = llvm.add %sum, %first : i32
      %next = llvm.add %i, %one : i32
      %again = llvm.icmp "slt" %next, %count : i32
      llvm.cond_br %again, ^loop(%next, %added : i32, i32), ^end
    ^end:
      %to = llvm.getelementptr %out[%offset] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
      llvm.store %added, %to : i32, !llvm.ptr<1>
      llvm.return
    }
  }
}
