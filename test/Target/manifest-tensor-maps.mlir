// Tensor maps in the plan: the kernel's last parameters, made at each launch from an operand or a result of it.
// RUN: fusion-opt %s --fuse-to-nvvm="chip=sm_90a force-fusion=true" | fusion-translate --fuse-to-manifest > %t.json
// RUN: %python -c "import json, sys; m = json.load(open(sys.argv[1])); m.pop('ptx'); print(json.dumps(m, sort_keys=True))" %t.json > %t.txt
// RUN: FileCheck %s < %t.txt
// RUN: fusion-opt %s --fuse-to-nvvm="chip=sm_90a force-fusion=true" | fusion-translate --fuse-to-ptx | FileCheck %s --check-prefix=PTX

// Sizes and strides of the whole tensors, innermost first; the tile has one of the five batches.
// CHECK: {"arguments": [{"kind": "buffer", "of": "arg0"}, {"kind": "buffer", "of": "arg1"}, {"kind": "buffer", "of": "result0"},
// CHECK-SAME: {"box": [{{[0-9]+}}, {{[0-9]+}}, 1], "dims": [200, 96, 5], "fill": "zero", "kind": "tensor_map", "of": "arg0", "strides_bytes": [400, 38400], "swizzle": "{{none|32B|64B|128B}}", "type": "f16"},
// CHECK-SAME: {"box": [{{[0-9]+}}, {{[0-9]+}}, 1], "dims": [64, 200, 5], "fill": "zero", "kind": "tensor_map", "of": "arg1", "strides_bytes": [128, 25600], "swizzle": "{{32B|64B|128B}}", "type": "f16"},
// CHECK-SAME: {"box": [{{[0-9]+}}, {{[0-9]+}}, 1], "dims": [64, 96, 5], "fill": "zero", "kind": "tensor_map", "of": "result0", "strides_bytes": [256, 24576], "swizzle": "{{32B|64B|128B}}", "type": "f32"}]
// CHECK-SAME: "kernels": [{"arguments": [{"access": "read", "alignment": 16, "kind": "buffer"}, {"access": "read", "alignment": 16, "kind": "buffer"}, {"access": "write", "alignment": 16, "kind": "buffer"}, {"kind": "tensor_map"}, {"kind": "tensor_map"}, {"kind": "tensor_map"}]

// PTX: .param .u64 .ptr .align 16 [[NAME:.*]]_param_2,
// PTX-NEXT: .param .align 64 .b8 [[NAME]]_param_3[128],
// PTX-NEXT: .param .align 64 .b8 [[NAME]]_param_4[128],
// PTX-NEXT: .param .align 64 .b8 [[NAME]]_param_5[128]
// PTX: cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
func.func @product(%a: tensor<5x96x200xf16>, %b: tensor<5x200x64xf16>) -> tensor<5x96x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<5x96x64xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<5x96x64xf32>) -> tensor<5x96x64xf32>
  %c = linalg.batch_matmul ins(%a, %b : tensor<5x96x200xf16>, tensor<5x200x64xf16>) outs(%start : tensor<5x96x64xf32>) -> tensor<5x96x64xf32>
  return %c : tensor<5x96x64xf32>
}
