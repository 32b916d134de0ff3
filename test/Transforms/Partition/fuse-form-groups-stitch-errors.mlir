// RUN: not fusion-opt %s --fuse-form-groups="stitch=xla" 2>&1 | FileCheck %s --check-prefix=STRATEGY
// STRATEGY: error: no stitch 'xla'; known are explorer, printed, greedy, none
// RUN: not fusion-opt %s --fuse-form-groups="beam=0" 2>&1 | FileCheck %s --check-prefix=BEAM
// RUN: not fusion-opt %s --fuse-form-groups="top-k=0" 2>&1 | FileCheck %s --check-prefix=BEAM
// RUN: not fusion-opt %s --fuse-form-groups="pre-fusion=often" 2>&1 | FileCheck %s --check-prefix=PREFUSION
// PREFUSION: error: no pre-fusion 'often'; known are auto, true, false
// RUN: not fusion-opt %s --fuse-form-groups="full-evaluator=1" 2>&1 | FileCheck %s --check-prefix=EVALUATOR
// EVALUATOR: error: no full-evaluator '1'; known are auto, true, false
// RUN: not fusion-opt %s --fuse-form-groups="latency-evaluator=paper" 2>&1 | FileCheck %s --check-prefix=LATENCY
// LATENCY: error: no latency-evaluator 'paper'; known are auto, default, printed
// RUN: not fusion-opt %s --fuse-form-groups="delta-evaluator=paper" 2>&1 | FileCheck %s --check-prefix=DELTA
// RUN: not fusion-opt %s --fuse-to-groups="delta-evaluator=paper" 2>&1 | FileCheck %s --check-prefix=DELTA
// DELTA: error: no delta-evaluator 'paper'; known are auto, default, printed
// BEAM: error: beam and top-k are at least 1
// RUN: not fusion-opt %s --fuse-form-groups="plan-report=%t.missing/plan.json" 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not fusion-opt %s --fuse-form-groups="plan-html=%t.missing/plan.html" 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: cannot write the plan to '{{.*}}.missing/plan.{{json|html}}': {{[Nn]}}o such file or directory

func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
