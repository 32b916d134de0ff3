// RUN: split-file %s %t
// RUN: not fusion-translate --fuse-to-manifest %t/no-chip.mlir 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: the module does not say for which chip (attribute 'fuse.chip'); lower it with fuse-to-nvvm
// RUN: not fusion-translate --fuse-to-manifest %t/unlowered.mlir 2>&1 | FileCheck %s --check-prefix=UNLOWERED
// UNLOWERED: unlowered.mlir:3:10: error: 'linalg.fill' has not been lowered; lower the module with fuse-to-nvvm
// RUN: not fusion-translate --fuse-to-manifest %t/half.mlir 2>&1 | FileCheck %s --check-prefix=HALF
// HALF: error: 'linalg.fill' op is not part of a host plan; lower the module with fuse-to-nvvm
// RUN: not fusion-translate --fuse-to-ptx %t/gpu.mlir 2>&1 | FileCheck %s --check-prefix=GPU
// GPU: error: 'gpu.return' is not in the nvvm or llvm dialect; lower the module with fuse-to-nvvm
// RUN: not fusion-translate --fuse-to-ptx %t/two.mlir 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: error: only one gpu.module can be translated
// RUN: not fusion-translate --fuse-to-ptx %t/name.mlir 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: 'a b' is no identifier of PTX
// RUN: not fusion-translate --fuse-to-manifest %t/kernel.mlir 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: error: 'tile.launch' has not been lowered; lower the module with fuse-to-nvvm
// RUN: not fusion-translate --fuse-to-manifest %t/other-kernel.mlir 2>&1 | FileCheck %s --check-prefix=OTHERKERNEL
// OTHERKERNEL: error: 'tile.launch' op launches '@nope', which is no lowered kernel; lower the module with fuse-to-nvvm
// RUN: not fusion-translate --fuse-to-manifest %t/control.mlir 2>&1 | FileCheck %s --check-prefix=CONTROL
// CONTROL: error: 'scf.if' op is not part of a host plan; lower the module with fuse-to-nvvm
// RUN: not fusion-translate --fuse-to-manifest %t/blocks.mlir 2>&1 | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: error: a host plan has one block
// RUN: not fusion-translate --fuse-to-manifest %t/end.mlir 2>&1 | FileCheck %s --check-prefix=END
// END: error: a host plan ends in a func.return
// RUN: not fusion-translate --fuse-to-manifest %t/scalar.mlir 2>&1 | FileCheck %s --check-prefix=SCALAR
// SCALAR: error: 'arith.addf' op is no expression over sizes
// RUN: not fusion-translate --fuse-to-manifest %t/maker.mlir 2>&1 | FileCheck %s --check-prefix=MAKER
// MAKER: error: 'tile.launch' op reads a tensor that no launch makes
// RUN: not fusion-translate --fuse-to-manifest %t/assertion.mlir 2>&1 | FileCheck %s --check-prefix=ASSERTION
// ASSERTION: assertion.mlir:4:5: error: 'cf.assert' op asserts what is neither 'eq' nor 'sle' of sizes
// RUN: not fusion-translate --fuse-to-ptx %t/cpu.mlir 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: cpu.mlir:2:3: error: 'x86-64-v3' is a CPU, for which there is no PTX; fuse-to-native makes machine code for it
// An empty module and one without kernels are translated.
// RUN: fusion-opt %t/empty.mlir --fuse-to-nvvm | fusion-translate --fuse-to-ptx | count 0
// RUN: fusion-opt %t/empty.mlir --fuse-to-nvvm | fusion-translate --fuse-to-manifest | FileCheck %s --check-prefix=EMPTY
// EMPTY: "functions": []

//--- empty.mlir
//--- assertion.mlir
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @f(%a: index, %b: index) {
    %0 = arith.cmpi ne, %a, %b : index
    cf.assert %0, "equal"
    return
  }
}
//--- no-chip.mlir
func.func @f() {
  return
}
//--- unlowered.mlir
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @f(%a: tensor<4xf32>, %c: f32) -> tensor<4xf32> {
    %0 = linalg.fill ins(%c : f32) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
//--- half.mlir
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  gpu.module @kernels {
    llvm.func @x() attributes {nvvm.kernel} {
      llvm.return
    }
  }
  func.func @f(%a: tensor<4xf32>, %c: f32) -> tensor<4xf32> {
    %0 = linalg.fill ins(%c : f32) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
//--- gpu.mlir
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  gpu.module @kernels {
    gpu.func @x() kernel {
      gpu.return
    }
  }
}
//--- two.mlir
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  gpu.module @kernels {}
  gpu.module @others {}
}
//--- name.mlir
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  gpu.module @kernels {
    llvm.func @"a b"() attributes {nvvm.kernel} {
      llvm.return
    }
  }
}
//--- kernel.mlir
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @f(%a: tensor<4xf32>, %g: index) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %0 = tile.launch @nope grid(%g) ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
//--- other-kernel.mlir
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  gpu.module @kernels {
    llvm.func @x() attributes {nvvm.kernel} {
      llvm.return
    }
  }
  func.func @f(%a: tensor<4xf32>, %g: index) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %0 = tile.launch @nope grid(%g) ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
//--- control.mlir
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @f(%a: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
    %0 = scf.if %c -> tensor<4xf32> {
      scf.yield %a : tensor<4xf32>
    } else {
      scf.yield %a : tensor<4xf32>
    }
    return %0 : tensor<4xf32>
  }
}
//--- blocks.mlir
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
    cf.br ^next
  ^next:
    return %a : tensor<4xf32>
  }
}
//--- end.mlir
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
    llvm.unreachable
  }
}
//--- scalar.mlir
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @f(%a: f32) -> f32 {
    %0 = arith.addf %a, %a : f32
    return %0 : f32
  }
}
//--- maker.mlir
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  gpu.module @kernels {
    llvm.func @x() attributes {nvvm.kernel} {
      llvm.return
    }
  }
  func.func @f(%a: tensor<4xf32>, %g: index) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %i = tensor.insert_slice %a into %e[0] [4] [1] : tensor<4xf32> into tensor<4xf32>
    %0 = tile.launch @kernels::@x grid(%g) ins(%i : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
//--- cpu.mlir
module attributes {fuse.chip = #fuse.chip<"x86-64-v3">} {
  gpu.module @kernels {
  }
}
