// UNSUPPORTED: asan
// Upstream's mlir-opt with the plugin compiles a workload: all passes, and a pipeline to PTX that the plain tools make too.
// RUN: %mlir-opt --load-dialect-plugin=%build_root/lib/libFusionPlugin.so --load-pass-plugin=%build_root/lib/libFusionPlugin.so %s \
// RUN:   --pass-pipeline='builtin.module(fuse-to-nvvm{chip=sm_80 force-fusion=true})' | fusion-translate --fuse-to-ptx > %t.plugin.ptx
// RUN: fusion-opt %s --fuse-to-nvvm="chip=sm_80 force-fusion=true" | fusion-translate --fuse-to-ptx > %t.own.ptx
// RUN: diff %t.own.ptx %t.plugin.ptx
// RUN: grep -q mma.sync %t.plugin.ptx

// A single pass, on the plugin's dialect.
// RUN: %mlir-opt --load-dialect-plugin=%build_root/lib/libFusionPlugin.so --load-pass-plugin=%build_root/lib/libFusionPlugin.so %s \
// RUN:   --pass-pipeline='builtin.module(fuse-explicit-numerics,fuse-normalize,fuse-form-groups{chip=sm_80 force-fusion=true})' | FileCheck %s
// CHECK: fuse.chain

// Errors are those of the passes, with their places.
// RUN: not %mlir-opt --load-dialect-plugin=%build_root/lib/libFusionPlugin.so --load-pass-plugin=%build_root/lib/libFusionPlugin.so %s \
// RUN:   --pass-pipeline='builtin.module(fuse-form-groups{chip=sm_1})' 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: {{.*}}sm_1

func.func @chain(%a: tensor<64x48xf16>, %b: tensor<48x80xf16>, %d: tensor<80x32xf16>) -> tensor<64x32xf16> {
  %z = arith.constant 0.0 : f16
  %e0 = tensor.empty() : tensor<64x80xf16>
  %f0 = linalg.fill ins(%z : f16) outs(%e0 : tensor<64x80xf16>) -> tensor<64x80xf16>
  %c = linalg.matmul ins(%a, %b : tensor<64x48xf16>, tensor<48x80xf16>) outs(%f0 : tensor<64x80xf16>) -> tensor<64x80xf16>
  %e1 = tensor.empty() : tensor<64x32xf16>
  %f1 = linalg.fill ins(%z : f16) outs(%e1 : tensor<64x32xf16>) -> tensor<64x32xf16>
  %e = linalg.matmul ins(%c, %d : tensor<64x80xf16>, tensor<80x32xf16>) outs(%f1 : tensor<64x32xf16>) -> tensor<64x32xf16>
  return %e : tensor<64x32xf16>
}
