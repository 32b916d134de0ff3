// Every remark is one text, with the function around it and a place in a file, whatever kind of location its operation has.
// RUN: fusion-opt %s --fuse-to-nvvm=chip=sm_80 --remark-format=yaml --remarks-filter=.* --remarks-output-file=%t.yaml -o /dev/null
// RUN: FileCheck %s --implicit-check-not='<unknown' --implicit-check-not='Line: 0' --implicit-check-not="- Remark: ''" < %t.yaml
// RUN: grep -c '^Args:' %t.yaml > %t.remarks
// RUN: grep -c '^ *- Remark:' %t.yaml | diff %t.remarks -
// RUN: fusion-opt %s --fuse-to-nvvm=chip=sm_80 --remarks-filter=.* -o /dev/null 2>&1 | FileCheck %s --check-prefix=TEXT --implicit-check-not='", Remark='
// RUN: fusion-opt %S/../Dialect/Tile/Transforms/tile-pipeline-identify.mlir --tile-pipeline-identify --remarks-filter=pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=KERNEL
// Nothing goes past the helper that sees to that.
// RUN: not grep -rnE 'remark::(passed|missed|analysis|failed)\(' %source_root/lib %source_root/tools

// CHECK:      --- !Analysis
// CHECK-NEXT: Pass:            fuse
// CHECK-NEXT: Name:            intensity
// CHECK-NEXT: DebugLoc:        { File: fused.py, Line: 3, Column: 4 }
// CHECK-NEXT: Function:        two
// CHECK:      Name:            intensity
// CHECK-NEXT: DebugLoc:        { File: callee.py, Line: 5, Column: 6 }
// CHECK-NEXT: Function:        two
// CHECK:      Name:            fused
// CHECK-NEXT: DebugLoc:        { File: callee.py, Line: 5, Column: 6 }
// CHECK-NEXT: Function:        two
// CHECK:      Name:            alone
// CHECK-NEXT: DebugLoc:        { File: named.py, Line: 7, Column: 2 }
// CHECK-NEXT: Function:        one
// CHECK:      Name:            alone
// CHECK-NEXT: DebugLoc:        { File: around.py, Line: 8, Column: 1 }
// CHECK-NEXT: Function:        nowhere
// The first operator of a group.
// CHECK:      Name:            schedule
// CHECK-NEXT: DebugLoc:        { File: fused.py, Line: 3, Column: 4 }
// CHECK-NEXT: Function:        two

// TEXT: fused.py:3:4: remark: [Analysis] intensity | Category:fuse | Function=two | Remark="intensity
// TEXT: fused.py:3:4: remark: [Analysis] schedule | Category:fuse | Function=two | Remark="m{{.*}} fragments in 2 stages"{{$}}

// A kernel is a function, too.
// KERNEL: remark: [Analysis] drained | Category:pipeline | Function=load_use_loop | Remark="

func.func @two(%a: tensor<64x48xf16>, %b: tensor<48x80xf16>, %d: tensor<80x32xf16>) -> tensor<64x32xf16> {
  %z = arith.constant 0.0 : f16
  %e0 = tensor.empty() : tensor<64x80xf16>
  %f0 = linalg.fill ins(%z : f16) outs(%e0 : tensor<64x80xf16>) -> tensor<64x80xf16>
  %c = linalg.matmul ins(%a, %b : tensor<64x48xf16>, tensor<48x80xf16>) outs(%f0 : tensor<64x80xf16>) -> tensor<64x80xf16> loc(fused["first", "fused.py":3:4, "fused.py":9:9])
  %e1 = tensor.empty() : tensor<64x32xf16>
  %f1 = linalg.fill ins(%z : f16) outs(%e1 : tensor<64x32xf16>) -> tensor<64x32xf16>
  %r = linalg.matmul ins(%c, %d : tensor<64x80xf16>, tensor<80x32xf16>) outs(%f1 : tensor<64x32xf16>) -> tensor<64x32xf16> loc(callsite("f"("callee.py":5:6) at "caller.py":9:1))
  return %r : tensor<64x32xf16>
}

func.func @one(%a: tensor<64xf16>) -> tensor<64xf16> {
  %e = tensor.empty() : tensor<64xf16>
  %r = linalg.exp ins(%a : tensor<64xf16>) outs(%e : tensor<64xf16>) -> tensor<64xf16> loc("name"("named.py":7:2))
  return %r : tensor<64xf16>
}

func.func @nowhere(%a: tensor<64xf16>) -> tensor<64xf16> {
  %e = tensor.empty() : tensor<64xf16> loc(unknown)
  %r = linalg.exp ins(%a : tensor<64xf16>) outs(%e : tensor<64xf16>) -> tensor<64xf16> loc(unknown)
  return %r : tensor<64xf16> loc(unknown)
} loc("around.py":8:1)
