// Reductions of booleans: along rows longer than the largest tile, down columns and over everything, by the blocks of a split
// reduction, which store their partial results as bytes and discard them.
// RUN: fusion-run %s --chip=sm_80 --device=emulator --sanitize --force-fusion | FileCheck %s
// RUN: fusion-opt %s --fuse-to-nvvm="chip=sm_80 force-fusion=true" | fusion-translate --fuse-to-ptx | FileCheck %s --check-prefix=PTX
// RUN: fusion-run %s --chip=sm_90a --device=emulator --sanitize --force-fusion | FileCheck %s
// CHECK: any on emulator
// CHECK: PASS
// CHECK: wide on emulator
// CHECK: PASS
func.func @any(%x: tensor<3x70000xi1>, %y: tensor<40000x9xi1>, %z: tensor<200000xi1>) -> (tensor<3xi1>, tensor<9xi1>, tensor<i1>) {
  %false = arith.constant false
  %true = arith.constant true
  %r = tensor.empty() : tensor<3xi1>
  %c = tensor.empty() : tensor<9xi1>
  %e = tensor.empty() : tensor<i1>
  %0 = linalg.fill ins(%false : i1) outs(%r : tensor<3xi1>) -> tensor<3xi1>
  %1 = linalg.fill ins(%true : i1) outs(%c : tensor<9xi1>) -> tensor<9xi1>
  %2 = linalg.fill ins(%false : i1) outs(%e : tensor<i1>) -> tensor<i1>
  %a = linalg.reduce { arith.ori } ins(%x : tensor<3x70000xi1>) outs(%0 : tensor<3xi1>) dimensions = [1]
  %b = linalg.reduce { arith.andi } ins(%y : tensor<40000x9xi1>) outs(%1 : tensor<9xi1>) dimensions = [0]
  %d = linalg.reduce { arith.xori } ins(%z : tensor<200000xi1>) outs(%2 : tensor<i1>) dimensions = [0]
  return %a, %b, %d : tensor<3xi1>, tensor<9xi1>, tensor<i1>
}
// Aligned rows are loaded 16 bytes at a time.
// PTX-LABEL: .entry wide_stitch_0
// PTX-NOT: ld.global{{.*}}.b8
// PTX: ld.global.nc.v4.b32
// PTX-NOT: ld.global{{.*}}.b8
func.func @wide(%x: tensor<256x512xi1>) -> (tensor<256xi1>, tensor<256xi32>) {
  %false = arith.constant false
  %zero = arith.constant 0 : i32
  %r = tensor.empty() : tensor<256xi1>
  %c = tensor.empty() : tensor<256xi32>
  %0 = linalg.fill ins(%false : i1) outs(%r : tensor<256xi1>) -> tensor<256xi1>
  %1 = linalg.fill ins(%zero : i32) outs(%c : tensor<256xi32>) -> tensor<256xi32>
  %any = linalg.reduce { arith.ori } ins(%x : tensor<256x512xi1>) outs(%0 : tensor<256xi1>) dimensions = [1]
  %count = linalg.reduce ins(%x : tensor<256x512xi1>) outs(%1 : tensor<256xi32>) dimensions = [1]
    (%b: i1, %o: i32) {
      %n = arith.extui %b : i1 to i32
      %s = arith.addi %n, %o : i32
      linalg.yield %s : i32
    }
  return %any, %count : tensor<256xi1>, tensor<256xi32>
}
