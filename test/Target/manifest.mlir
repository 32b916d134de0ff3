// The host plan as JSON.
// Each operator by itself, so that there are temporaries.
// RUN: fusion-opt %s --fuse-to-nvvm="chip=sm_80 stitch=none" \
// RUN:   | fusion-translate --fuse-to-manifest > %t.json
// RUN: %python -c "import json, sys; m = json.load(open(sys.argv[1])); m.pop('ptx'); print(json.dumps(m, sort_keys=True))" %t.json > %t.txt
// RUN: FileCheck %s < %t.txt

// Constants are bytes; a splat is stored as one element.
// CHECK: "chip": "sm_80", "constants": [{"bytes": 8, "splat": "0000c03f"}, {"bytes": 16, "data": "AACAPwAAAEAAAEBAAACAQA=="}]

// Results: the constant, an argument, and a buffer that is returned twice.
// CHECK-SAME: {"inputs": [{"shape": [4], "type": "f32"}]
// CHECK-SAME: "name": "aliases", "results": [{"shape": [4], "type": "f32"}, {"alias": {"of": "result0"}, "shape": [4], "type": "f32"}, {"alias": {"of": "arg0"}, "shape": [4], "type": "f32"}, {"alias": {"of": "const0"}, "shape": [2], "type": "f32"}], "temporaries": []
func.func @aliases(%b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>) {
  %a = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %k = arith.constant dense<1.5> : tensor<2xf32>
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0, %0, %b, %k : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>
}

// Sizes are expressions over those of the arguments; what lives at different times shares memory.
// CHECK-SAME: {"inputs": [{"shape": ["?"], "type": "f32"}]
// CHECK-SAME: "launches": [{"arguments": [{"kind": "buffer", "of": "arg0"}, {{.*}}{"kind": "buffer", "of": "temp0"}, {"kind": "i32", "of": "size:arg0.0"}, {"kind": "i32", "of": "size:arg0.0"}], "grid": ["ceildiv({{.*}}size:arg0.0{{.*}}, 256)", 1, 1], "kernel": "dynamic_stitch_0"}
// CHECK-SAME: "name": "dynamic", "results": [{"shape": ["size:arg0.0"], "type": "f32"}], "temporaries": [{"alignment": 256, "bytes": "(4 * size:arg0.0)"}]
func.func @dynamic(%a: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %f = tensor.empty(%n) : tensor<?xf32>
  %1 = linalg.log ins(%0 : tensor<?xf32>) outs(%f : tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// What sizes must fulfil; a condition on numbers that hold anyway is none.
// CHECK-SAME: "name": "conditions"
// CHECK-SAME: "requires": [{"equal": ["size:arg1.0", "size:arg0.0"], "message": "{{[^"]*}}: linalg.add: dimension 0 of input 1 must be equal to dimension 0 of input 0"}, {"at_most": ["(size:arg1.0 + 2)", "size:arg0.0"], "message": "too small"}]
func.func @conditions(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %m = tensor.dim %b, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %s = arith.addi %m, %c2 : index
  %fits = arith.cmpi sle, %s, %n : index
  cf.assert %fits, "too small"
  %always = arith.cmpi sle, %c0, %c2 : index
  cf.assert %always, "never said"
  return %0 : tensor<?xf32>
}

// CHECK-SAME: "name": "reuse"
// CHECK-SAME: "temporaries": [{"alignment": 256, "bytes": 256, "offset": 0}, {"alignment": 256, "bytes": 256, "offset": 256}, {"alignment": 256, "bytes": 256, "offset": 0}]
func.func @reuse(%a: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.exp ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %1 = linalg.log ins(%0 : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %2 = linalg.abs ins(%1 : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %3 = linalg.ceil ins(%2 : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %3 : tensor<64xf32>
}

// Functions that nobody outside can call have no plan.
// CHECK-NOT: "name": "hidden"
func.func private @hidden(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

// The kernels, with what was predicted; of sizes that are not known the generic form predicts nothing.
// CHECK-SAME: "kernels": [{"arguments": [{"access": "read", "alignment": 16, "kind": "buffer"}, {"access": "read", "alignment": 16, "kind": "buffer"}, {"access": "write", "alignment": 16, "kind": "buffer"}], "block": [32, 1, 1], "cluster": [1, 1, 1], "dynamic_shared_memory": 0, "name": "aliases_stitch_0", "predicted": {"global_load_bytes": 256, "global_store_bytes": 16, "shared_memory": 0, "us": {{[0-9.]+}}}
// CHECK-SAME: "name": "dynamic_stitch_0", "predicted": {"global_load_bytes": null, "global_store_bytes": null, "shared_memory": null, "us": null}
// CHECK-SAME: "version": 1
