// The reference as the device: every public function, outputs as .npy, the report as text and JSON.
//
// RUN: rm -rf %t && fusion-run %s --device=reference --shape=0:3x4 --seed=3 --output-dir=%t --json=%t/report.json | FileCheck %s
// RUN: FileCheck %s --check-prefix=JSON < %t/report.json
// RUN: %python -c "import sys, numpy as np; d = sys.argv[1]; x = np.load(d + '/double.input0.npy'); np.testing.assert_array_equal(np.load(d + '/double.result0.npy'), x + x)" %t
//
// The number of threads changes nothing.
// RUN: fusion-run %s --device=reference --shape=0:3x4 --seed=3 --output-dir=%t/one --threads=1
// RUN: cmp %t/double.result0.npy %t/one/double.result0.npy

// CHECK:      double on reference
// CHECK-NEXT:   result 0: f32 3x4, not compared
// CHECK-NEXT:   done
// CHECK:      same on reference
// CHECK-NEXT:   result 0: f32 3x4, not compared
// CHECK-NOT:  hidden

// JSON:      "assembler": null
// JSON:      "chip": null
// JSON-NEXT: "device": "reference"
// JSON:      "entry": "double"
// JSON-NEXT: "error": null
// JSON-NEXT: "kernels": []
// JSON-NEXT: "max_abs_error": null
// JSON-NEXT: "max_rel_error": null
// JSON:      "pass": null
// JSON:      "sanitizer": []
// JSON:      "entry": "same"

func.func @double(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = linalg.add ins(%a, %a : tensor<?x4xf32>, tensor<?x4xf32>) outs(%a : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

func.func @same(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {
  return %a : tensor<?x4xf32>
}

func.func private @hidden(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {
  return %a : tensor<?x4xf32>
}
