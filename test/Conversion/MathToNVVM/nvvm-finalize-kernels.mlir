// RUN: fusion-opt %s --pass-pipeline='builtin.module(gpu.module(nvvm-finalize-kernels))' -split-input-file -verify-diagnostics | FileCheck %s

// Dynamic shared memory is external and aligned to 1024 bytes; other globals stay.
// CHECK: llvm.mlir.global external @dynamic() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK: llvm.mlir.global internal @static() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x i8>
// CHECK: llvm.mlir.global internal constant @number
gpu.module @memory {
  llvm.mlir.global internal @dynamic() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  llvm.mlir.global internal @static() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x i8>
  llvm.mlir.global internal constant @number(3 : i32) : i32
}

// -----

gpu.module @calls {
  // expected-error @below {{the kernels call '__nv_sinf', which nothing defines}}
  llvm.func @__nv_sinf(f32) -> f32
  llvm.func @f(%x: f32) -> f32 {
    %0 = llvm.call @__nv_sinf(%x) : (f32) -> f32
    llvm.return %0 : f32
  }
}

// -----

// Declared but not called, or an intrinsic: no error.
gpu.module @declarations {
  llvm.func @__nv_cosf(f32) -> f32
  llvm.func @llvm.nvvm.barrier0()
  llvm.func @g() {
    llvm.call @llvm.nvvm.barrier0() : () -> ()
    llvm.return
  }
}

// -----

// Tensor maps are the last parameters, and read where they lie.
// CHECK: llvm.func @copies(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant})
gpu.module @maps {
  llvm.func @copies(%p: !llvm.ptr, %map: !llvm.ptr) attributes {
      fuse.tensor_maps = [#tile.tensor_map<of = 0, f16, dims = [64, 32], strides = [128], box = [64, 16], swizzle = 128>]} {
    llvm.return
  }
}
