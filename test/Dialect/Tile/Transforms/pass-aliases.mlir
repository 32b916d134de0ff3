// Passes keep their old names as aliases, as flags and in textual pipelines.
// RUN: fusion-opt %s --tile-multiply-in-place --tile-overlap-products --tile-take-turns --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s
// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-multiply-in-place,tile-overlap-products,tile-take-turns))' --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s
// What the new name rejects, the old one rejects with the same reason.
// RUN: not fusion-opt %s --pass-pipeline='builtin.module(func.func(tile-ping-pong))' 2>&1 | FileCheck %s --check-prefix=NEST
// RUN: not fusion-opt %s --pass-pipeline='builtin.module(func.func(tile-take-turns))' 2>&1 | FileCheck %s --check-prefix=NEST
// RUN: not fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-ping-pong{none=1}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-take-turns{none=1}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// Pipelines run on modules.
// RUN: not fusion-opt %s --pass-pipeline='builtin.module(func.func(fuse-to-nvvm))' 2>&1 | FileCheck %s --check-prefix=PIPELINE -DNAME=fuse-to-nvvm
// RUN: not fusion-opt %s --pass-pipeline='builtin.module(func.func(tile-pipeline))' 2>&1 | FileCheck %s --check-prefix=PIPELINE -DNAME=tile-pipeline
// NEST-NOT: LLVM ERROR
// NEST: error: Can't add pass 'TilePingPong' restricted to 'tile.kernel' on a PassManager intended to run on 'func.func', did you intend to nest?
// OPTION: error: <Pass-Options-Parser>: no such option none
// PIPELINE-NOT: LLVM ERROR
// PIPELINE: error: Can't add pipeline '[[NAME]]' restricted to 'builtin.module' on a PassManager intended to run on 'func.func', did you intend to nest?
// CHECK: tile.kernel(
// CHECK-NEXT: tile-use-shared-operands
// CHECK: tile-overlap-iterations
// CHECK: tile-ping-pong
module {}
