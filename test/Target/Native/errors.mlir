// RUN: split-file %s %t
// RUN: not fusion-translate --fuse-to-object %t/no-chip.mlir 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: no-chip.mlir:2:3: error: the module does not say for which chip (attribute 'fuse.chip'); lower it with fuse-to-native
// RUN: not fusion-translate --fuse-to-object %t/gpu.mlir 2>&1 | FileCheck %s --check-prefix=GPU
// GPU: gpu.mlir:2:3: error: 'sm_80' is a GPU, for which there is no object file; fuse-to-nvvm makes PTX for it
// RUN: not fusion-translate --fuse-to-c-header %t/gpu.mlir 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: not fusion-translate --fuse-to-manifest %t/unlowered.mlir 2>&1 | FileCheck %s --check-prefix=UNLOWERED
// UNLOWERED: unlowered.mlir:3:10: error: 'linalg.fill' has not been lowered; lower the module with fuse-to-native
// RUN: not fusion-translate --fuse-to-object %t/two.mlir 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: error: only one module of kernels can be translated
// RUN: not fusion-translate --fuse-to-object %t/dialect.mlir 2>&1 | FileCheck %s --check-prefix=DIALECT
// DIALECT: dialect.mlir:4:12: error: 'arith.constant' is not in the llvm dialect; lower the module with fuse-to-native
// RUN: not fusion-translate --fuse-to-object %t/signature.mlir 2>&1 | FileCheck %s --check-prefix=SIGNATURE
// SIGNATURE: signature.mlir:3:5: error: 'k' is of type '!llvm.func<void (ptr)>'; a native kernel is of type '!llvm.func<void (ptr, i64, i64, ptr)>'
// RUN: not fusion-translate --fuse-to-object %t/undefined.mlir 2>&1 | FileCheck %s --check-prefix=UNDEFINED
// UNDEFINED: error: the machine code needs 'expf', 'other', which no host has; only memcpy, memmove and memset can be called
// RUN: not fusion-translate --fuse-to-object %t/symbol.mlir 2>&1 | FileCheck %s --check-prefix=SYMBOL
// SYMBOL: symbol.mlir:7:3: error: has the symbol 'fusion_f', as another function or kernel
// RUN: not fusion-translate --fuse-to-manifest %t/kernel.mlir 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: error: 'tile.launch' op launches '@kernels::@nope', which is no lowered kernel; lower the module with fuse-to-native
// RUN: not fusion-translate --fuse-to-object %t/instructions.mlir 2>&1 | FileCheck %s --check-prefix=INSTRUCTIONS
// INSTRUCTIONS: instructions.mlir:2:3: error: 'fuse.instructions' is #fuse.chip<"sm_80">; the instructions must be those of a CPU
// RUN: not fusion-run %t/no-chip.mlir --chip=znver5 --instructions=sm_80 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: fusion-run: error: --instructions: 'sm_80' is no CPU
// RUN: not fusion-run %t/no-chip.mlir --chip=sm_80 --instructions=x86-64-v3 2>&1 | FileCheck %s --check-prefix=OF-GPU
// OF-GPU: fusion-run: error: --instructions is for CPUs, and 'sm_80' is a GPU
// A module without kernels has no code.
// RUN: fusion-translate --fuse-to-object %t/empty.mlir | count 0

//--- no-chip.mlir
module {
  func.func @f() {
    return
  }
}
//--- instructions.mlir
module attributes {fuse.chip = #fuse.chip<"znver5">, fuse.instructions = #fuse.chip<"sm_80">} {
  func.func @f() {
    return
  }
}
//--- gpu.mlir
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @f() {
    return
  }
}
//--- unlowered.mlir
module attributes {fuse.chip = #fuse.chip<"x86-64-v3">} {
  func.func @f(%a: tensor<4xf32>, %x: f32) -> tensor<4xf32> {
    %0 = linalg.fill ins(%x : f32) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
//--- two.mlir
module attributes {fuse.chip = #fuse.chip<"x86-64-v3">} {
  module @a attributes {fuse.native} {
  }
  module @b attributes {fuse.native} {
  }
}
//--- dialect.mlir
module attributes {fuse.chip = #fuse.chip<"x86-64-v3">} {
  module @kernels attributes {fuse.native} {
    llvm.func @k(%arguments: !llvm.ptr, %first: i64, %end: i64, %scratch: !llvm.ptr) {
      %c = arith.constant 1 : i64
      llvm.return
    }
  }
}
//--- signature.mlir
module attributes {fuse.chip = #fuse.chip<"x86-64-v3">} {
  module @kernels attributes {fuse.native} {
    llvm.func @k(%arguments: !llvm.ptr) {
      llvm.return
    }
  }
}
//--- undefined.mlir
module attributes {fuse.chip = #fuse.chip<"x86-64-v3">} {
  module @kernels attributes {fuse.native} {
    llvm.func @other()
    llvm.func @k(%arguments: !llvm.ptr, %first: i64, %end: i64, %scratch: !llvm.ptr) {
      %x = llvm.load %scratch : !llvm.ptr -> f32
      %y = llvm.intr.exp(%x) : (f32) -> f32
      llvm.store %y, %scratch : f32, !llvm.ptr
      llvm.call @other() : () -> ()
      llvm.return
    }
  }
}
//--- symbol.mlir
module attributes {fuse.chip = #fuse.chip<"x86-64-v3">} {
  module @kernels attributes {fuse.native} {
    llvm.func @fusion_f(%arguments: !llvm.ptr, %first: i64, %end: i64, %scratch: !llvm.ptr) {
      llvm.return
    }
  }
  func.func @f() {
    return
  }
}
//--- kernel.mlir
module attributes {fuse.chip = #fuse.chip<"x86-64-v3">} {
  module @kernels attributes {fuse.native} {
  }
  func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
    %c1 = arith.constant 1 : index
    %e = tensor.empty() : tensor<4xf32>
    %0 = tile.launch @kernels::@nope grid(%c1) ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
//--- empty.mlir
module attributes {fuse.chip = #fuse.chip<"x86-64-v3">} {
  func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
    return %a : tensor<4xf32>
  }
}
