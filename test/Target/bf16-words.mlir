// A bf16 of a pair is extended by one instruction on the word that both lie in. What lies alone, or whose
// place in a vector is not known, is converted.
// RUN: fusion-translate --fuse-to-ptx %s | FileCheck %s
// CHECK-LABEL: .visible .entry extended(
// CHECK: ld.global.v4.b32 {[[W0:%r[0-9]+]], [[W1:%r[0-9]+]], [[W2:%r[0-9]+]], [[W3:%r[0-9]+]]}
// CHECK-NOT: cvt
// CHECK-DAG: shl.b32 [[LOW:%r[0-9]+]], [[W0]], 16;
// CHECK-DAG: and.b32 [[HIGH:%r[0-9]+]], [[W3]], -65536;
// CHECK: add.rn.f32 {{%r[0-9]+}}, [[LOW]], [[HIGH]];
// CHECK-LABEL: .visible .entry pair(
// CHECK: ld.global.b32 [[W:%r[0-9]+]]
// CHECK-NOT: cvt
// CHECK: and.b32 {{%r[0-9]+}}, [[W]], -65536;
// CHECK-LABEL: .visible .entry converted(
// CHECK-COUNT-2: cvt.f32.bf16
// CHECK-NOT: cvt.f32.bf16
module attributes {fuse.chip = #fuse.chip<"sm_80">, gpu.container_module} {
  gpu.module @kernels {
    llvm.func @extended(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
      %first = llvm.mlir.constant(0 : i32) : i32
      %last = llvm.mlir.constant(7 : i32) : i32
      %all = llvm.load %in {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
      %a = llvm.extractelement %all[%first : i32] : vector<8xbf16>
      %b = llvm.extractelement %all[%last : i32] : vector<8xbf16>
      %x = llvm.fpext %a : bf16 to f32
      %y = llvm.fpext %b : bf16 to f32
      %sum = llvm.fadd %x, %y : f32
      llvm.store %sum, %out : f32, !llvm.ptr<1>
      llvm.return
    }
    llvm.func @pair(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
      %second = llvm.mlir.constant(1 : index) : i64
      %pair = llvm.load %in {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xbf16>
      %a = llvm.extractelement %pair[%second : i64] : vector<2xbf16>
      %x = llvm.fpext %a : bf16 to f32
      llvm.store %x, %out : f32, !llvm.ptr<1>
      llvm.return
    }
    llvm.func @converted(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>, %which: i32) attributes {gpu.kernel, nvvm.kernel} {
      %pair = llvm.load %in {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xbf16>
      %chosen = llvm.extractelement %pair[%which : i32] : vector<2xbf16>
      %next = llvm.getelementptr %in[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
      %alone = llvm.load %next {alignment = 2 : i64} : !llvm.ptr<1> -> bf16
      %x = llvm.fpext %chosen : bf16 to f32
      %y = llvm.fpext %alone : bf16 to f32
      %sum = llvm.fadd %x, %y : f32
      llvm.store %sum, %out : f32, !llvm.ptr<1>
      llvm.return
    }
  }
}
