// Every pass that takes chip=NAME refuses the same.
// RUN: not fusion-opt %s --fuse-form-groups=chip=sm_42 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not fusion-opt %s --fuse-search-schedules=chip=sm_42 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not fusion-opt %s --fuse-to-nvvm=chip=sm_42 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: {{.*}}errors.mlir:[[@LINE+13]]:1: error: option chip: unknown chip 'sm_42'; known chips are sm_80, sm_86, a6000, sm_89, sm_90a, h200, sm_100a, sm_120, x86-64-v3, x86-64-v4, znver5, sapphirerapids, host

// RUN: fusion-opt %s --fuse-form-groups=chip=sm_80 | not fusion-opt --fuse-search-schedules=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: chip=sm_90a contradicts the module, which is for sm_80

// The same chip, or none, is no contradiction.
// RUN: fusion-opt %s --fuse-form-groups=chip=sm_89 | fusion-opt --fuse-search-schedules=chip=sm_89 | FileCheck %s --check-prefix=SAME
// RUN: fusion-opt %s --fuse-form-groups=chip=sm_89 | fusion-opt --fuse-search-schedules | FileCheck %s --check-prefix=SAME
// SAME: fuse.chip = #fuse.chip<"sm_89">

// RUN: sed 's/^module {/module attributes {fuse.chip = "sm_80"} {/' %s | not fusion-opt --fuse-form-groups 2>&1 | FileCheck %s --check-prefix=STRING
// STRING: error: attribute 'fuse.chip' must be a #fuse.chip, got "sm_80"

module {
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
}
