// Two kernels: a sum, and a scaling that goes through scratch memory and takes a number.
module attributes {fuse.chip = #fuse.chip<"x86-64-v3">} {
  module @kernels attributes {fuse.native} {
    llvm.func @add(%arguments: !llvm.ptr, %first: i64, %end: i64, %scratch: !llvm.ptr) {
      %c64 = llvm.mlir.constant(64 : i64) : i64
      %one = llvm.mlir.constant(1 : i64) : i64
      %slot1 = llvm.getelementptr %arguments[1] : (!llvm.ptr) -> !llvm.ptr, i64
      %slot2 = llvm.getelementptr %arguments[2] : (!llvm.ptr) -> !llvm.ptr, i64
      %a = llvm.load %arguments : !llvm.ptr -> !llvm.ptr
      %b = llvm.load %slot1 : !llvm.ptr -> !llvm.ptr
      %out = llvm.load %slot2 : !llvm.ptr -> !llvm.ptr
      %low = llvm.mul %first, %c64 : i64
      %high = llvm.mul %end, %c64 : i64
      llvm.br ^head(%low : i64)
    ^head(%i: i64):
      %more = llvm.icmp "slt" %i, %high : i64
      llvm.cond_br %more, ^body, ^done
    ^body:
      %pa = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %pb = llvm.getelementptr %b[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %po = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %x = llvm.load %pa : !llvm.ptr -> f32
      %y = llvm.load %pb : !llvm.ptr -> f32
      %s = llvm.fadd %x, %y : f32
      llvm.store %s, %po : f32, !llvm.ptr
      %n = llvm.add %i, %one : i64
      llvm.br ^head(%n : i64)
    ^done:
      llvm.return
    }
    llvm.func @scale(%arguments: !llvm.ptr, %first: i64, %end: i64, %scratch: !llvm.ptr)
        attributes {fuse.scratch = 250 : i64} {
      %c64 = llvm.mlir.constant(64 : i64) : i64
      %c256 = llvm.mlir.constant(256 : i64) : i64
      %zero = llvm.mlir.constant(0 : i64) : i64
      %one = llvm.mlir.constant(1 : i64) : i64
      %slot1 = llvm.getelementptr %arguments[1] : (!llvm.ptr) -> !llvm.ptr, i64
      %slot2 = llvm.getelementptr %arguments[2] : (!llvm.ptr) -> !llvm.ptr, i64
      %a = llvm.load %arguments : !llvm.ptr -> !llvm.ptr
      %factor = llvm.load %slot1 : !llvm.ptr -> f32
      %out = llvm.load %slot2 : !llvm.ptr -> !llvm.ptr
      llvm.br ^blocks(%first : i64)
    ^blocks(%block: i64):
      %more = llvm.icmp "slt" %block, %end : i64
      llvm.cond_br %more, ^fill(%zero : i64), ^done
    ^fill(%i: i64):
      %low = llvm.mul %block, %c64 : i64
      %at = llvm.add %low, %i : i64
      %pa = llvm.getelementptr %a[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %ps = llvm.getelementptr %scratch[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %x = llvm.load %pa : !llvm.ptr -> f32
      %m = llvm.fmul %x, %factor : f32
      llvm.store volatile %m, %ps : f32, !llvm.ptr
      %n = llvm.add %i, %one : i64
      %again = llvm.icmp "slt" %n, %c64 : i64
      llvm.cond_br %again, ^fill(%n : i64), ^copy
    ^copy:
      %start = llvm.mul %block, %c64 : i64
      %po = llvm.getelementptr %out[%start] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      "llvm.intr.memcpy"(%po, %scratch, %c256) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
      %next = llvm.add %block, %one : i64
      llvm.br ^blocks(%next : i64)
    ^done:
      llvm.return
    }
  }
  // (a + b) * factor, a constant, an argument passed through, and a number.
  func.func @main(%a: tensor<640xf32>, %b: tensor<640xf32>, %factor: f32)
      -> (tensor<640xf32>, tensor<4xf32>, tensor<640xf32>, index) {
    %blocks = arith.constant 10 : index
    %number = arith.constant 7 : index
    %k = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %e = tensor.empty() : tensor<640xf32>
    %0 = tile.launch @kernels::@add grid(%blocks) ins(%a, %b : tensor<640xf32>, tensor<640xf32>) outs(%e : tensor<640xf32>) -> tensor<640xf32>
    %1 = tile.launch @kernels::@scale grid(%blocks) ins(%0, %factor : tensor<640xf32>, f32) outs(%e : tensor<640xf32>) -> tensor<640xf32>
    return %1, %k, %b, %number : tensor<640xf32>, tensor<4xf32>, tensor<640xf32>, index
  }
  func.func @dynamic(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %n = tensor.dim %a, %c0 : tensor<?xf32>
    %blocks = arith.ceildivui %n, %c64 : index
    %e = tensor.empty(%n) : tensor<?xf32>
    %0 = tile.launch @kernels::@add grid(%blocks) ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
}
