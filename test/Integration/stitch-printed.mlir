// Kernels by FusionStitching as printed, whole and by its latency evaluator alone, compute what the reference does.
// RUN: fusion-run %s --chip=sm_80 --device=emulator --sanitize --pass-pipeline="builtin.module(fuse-to-nvvm{chip=sm_80 stitch=printed})" | FileCheck %s
// RUN: fusion-run %s --chip=sm_90a --device=emulator --sanitize --pass-pipeline="builtin.module(fuse-to-nvvm{chip=sm_90a latency-evaluator=printed})" | FileCheck %s
// RUN: fusion-run %s --chip=sm_90a --device=emulator --sanitize \
// RUN:   --pass-pipeline="builtin.module(fuse-to-nvvm{chip=sm_90a stitch=printed full-evaluator=true pre-fusion=false})" | FileCheck %s

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// CHECK-LABEL: softmax on emulator
// CHECK: kernel softmax_stitch_0
// CHECK-NOT: kernel
// CHECK: PASS
func.func @softmax(%x: tensor<37x3001xf16>) -> tensor<37x3001xf16> {
  %e = tensor.empty() : tensor<37x3001xf16>
  %r = linalg.softmax dimension(1) ins(%x : tensor<37x3001xf16>) outs(%e : tensor<37x3001xf16>) -> tensor<37x3001xf16>
  return %r : tensor<37x3001xf16>
}

// Rows are centred; sums of the columns are another reduction of the same values.
// CHECK-LABEL: centred on emulator
// CHECK: PASS
func.func @centred(%x: tensor<300x200xf32>) -> (tensor<300x200xf32>, tensor<200xf32>) {
  %zero = arith.constant 0.0 : f32
  %m = tensor.empty() : tensor<300x200xf32>
  %v = tensor.empty() : tensor<300xf32>
  %w = tensor.empty() : tensor<200xf32>
  %s = linalg.fill ins(%zero : f32) outs(%v : tensor<300xf32>) -> tensor<300xf32>
  %t = linalg.fill ins(%zero : f32) outs(%w : tensor<200xf32>) -> tensor<200xf32>
  %sums = linalg.reduce { arith.addf } ins(%x : tensor<300x200xf32>) outs(%s : tensor<300xf32>) dimensions = [1]
  %centred = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sums : tensor<300x200xf32>, tensor<300xf32>) outs(%m : tensor<300x200xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %each = arith.constant 5.0e-3 : f32
    %mean = arith.mulf %b, %each : f32
    %r = arith.subf %a, %mean : f32
    linalg.yield %r : f32
  } -> tensor<300x200xf32>
  %columns = linalg.reduce { arith.addf } ins(%centred : tensor<300x200xf32>) outs(%t : tensor<200xf32>) dimensions = [0]
  return %centred, %columns : tensor<300x200xf32>, tensor<200xf32>
}

// Independent operators of different shapes: kernel packing.
// CHECK-LABEL: packed on emulator
// CHECK: PASS
func.func @packed(%x: tensor<64x65xf32>, %y: tensor<1000xf32>) -> (tensor<64x65xf32>, tensor<1000xf32>) {
  %m = tensor.empty() : tensor<64x65xf32>
  %v = tensor.empty() : tensor<1000xf32>
  %a = linalg.exp ins(%x : tensor<64x65xf32>) outs(%m : tensor<64x65xf32>) -> tensor<64x65xf32>
  %b = linalg.abs ins(%y : tensor<1000xf32>) outs(%v : tensor<1000xf32>) -> tensor<1000xf32>
  return %a, %b : tensor<64x65xf32>, tensor<1000xf32>
}
