// Passes keep their old names as aliases, as flags and in textual pipelines.
// RUN: fusion-opt %s --tile-multiply-in-place --tile-overlap-products --tile-take-turns --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s
// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-multiply-in-place,tile-overlap-products,tile-take-turns))' --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s
// CHECK: tile.kernel(
// CHECK-NEXT: tile-use-shared-operands
// CHECK: tile-overlap-iterations
// CHECK: tile-ping-pong
module {}
