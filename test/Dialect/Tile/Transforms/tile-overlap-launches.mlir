// Launches that begin under the ones before them: who waits for whom, and where.
// RUN: fusion-opt %s --tile-overlap-launches --remarks-filter=pipeline -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t
// REMARK: remark: [Passed] launches-overlap {{.*}}2 of 3 launches begin before the one before them has ended

!view = !tile.view<1 x f32, unit = 0, alignment = 16>

// CHECK-LABEL: func.func @three
func.func @three(%x: tensor<64xf32>, %w: tensor<8x8xf32>, %c: index) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %flat = tensor.collapse_shape %w [[0, 1]] : tensor<8x8xf32> into tensor<64xf32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %a = tile.launch @first grid(%c) ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %b = tile.launch @second grid(%c) ins(%a, %flat, %one : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {programmatic} -> tensor<64xf32>
  %square = tensor.expand_shape %b [[0, 1]] output_shape [8, 8] : tensor<64xf32> into tensor<8x8xf32>
  %again = tensor.collapse_shape %square [[0, 1]] : tensor<8x8xf32> into tensor<64xf32>
  // CHECK: tile.launch @third {{.*}} {programmatic}
  %d = tile.launch @third grid(%c) ins(%again : tensor<64xf32>) outs(%e : tensor<64xf32>) {programmatic} -> tensor<64xf32>
  return %d : tensor<64xf32>
}

// Nobody is before the first, and somebody is behind it.
// CHECK-LABEL: tile.kernel @first(
// CHECK-NOT: tile.pending
// CHECK: {
// CHECK-NEXT: tile.launch_dependents
// CHECK-NOT: tile.await_launches
// CHECK: tile.return
tile.kernel @first(%x: !tile.ptr<f32> {tile.access = #tile.access<read>},
                   %y: !tile.ptr<f32> {tile.access = #tile.access<write>}) attributes {warps = 1 : i64} {
  %c = arith.constant 3 : index
  %v = tile.element_load %x[%c] : !tile.ptr<f32> -> f32
  tile.element_store %v, %y[%c] : f32, !tile.ptr<f32>
  tile.return
}

// Inputs and constants are read before the wait; what the first wrote, within a
// loop, is not.
// CHECK-LABEL: tile.kernel @second(
// CHECK-SAME: %[[A:[a-z0-9]+]]: !tile.ptr<f32> {tile.access = #tile.access<read>, tile.pending}
// CHECK-SAME: %[[W:[a-z0-9]+]]: !tile.ptr<f32> {tile.access = #tile.access<read>},
// CHECK-SAME: %[[ONE:[a-z0-9]+]]: !tile.ptr<f32> {tile.access = #tile.access<read>},
// CHECK-SAME: !tile.ptr<f32> {tile.access = #tile.access<write>, tile.pending})
// CHECK-NEXT: tile.launch_dependents
// CHECK: tile.load
// CHECK: tile.element_load %[[ONE]]
// CHECK-NEXT: tile.window %[[A]]
// CHECK-NEXT: tile.await_launches
// CHECK-NEXT: scf.for
// CHECK-NOT: tile.await_launches
// CHECK: tile.return
tile.kernel @second(%a: !tile.ptr<f32> {tile.access = #tile.access<read>},
                    %w: !tile.ptr<f32> {tile.access = #tile.access<read>},
                    %one: !tile.ptr<f32> {tile.access = #tile.access<read>},
                    %y: !tile.ptr<f32> {tile.access = #tile.access<write>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %weights = tile.view %w[%c0] sizes [%c64] strides [%c1] : !tile.ptr<f32> -> !view
  %tile = tile.load %weights[%c0] : !view -> tensor<64xf32>
  %u = tile.element_load %one[%c1] : !tile.ptr<f32> -> f32
  %values = tile.window %a[] sizes [%c64] {bounded = array<i64>, shape = array<i64: 64>, map = affine_map<(d0) -> (d0)>} : !tile.ptr<f32> -> !view
  scf.for %i = %c0 to %c64 step %c1 {
    %v = tile.load %values[%i] : !view -> tensor<64xf32>
    %sum = arith.addf %v, %tile : tensor<64xf32>
  }
  tile.element_store %u, %y[%c1] : f32, !tile.ptr<f32>
  tile.return
}

// A view of what a launch wrote is pending, too, and counters are the kernel's.
// CHECK-LABEL: tile.kernel @third(
// CHECK-SAME: !tile.ptr<f32> {tile.access = #tile.access<read>, tile.pending}
// CHECK-NOT: tile.launch_dependents
// CHECK: tile.await_launches
// CHECK-NEXT: tile.last_block
tile.kernel @third(%b: !tile.ptr<f32> {tile.access = #tile.access<read>},
                   %y: !tile.ptr<f32> {tile.access = #tile.access<write>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = tile.last_block %c0 of %c1 {counters = 1 : i64}
  %v = tile.element_load %b[%c0] : !tile.ptr<f32> -> f32
  tile.element_store %v, %y[%c0] : f32, !tile.ptr<f32>
  tile.return
}

// Launches that are not programmatic stay unchanged.
// CHECK-LABEL: tile.kernel @alone(
// CHECK-NOT: tile.launch_dependents
// CHECK-NOT: tile.await_launches
// CHECK: tile.return
func.func @two(%x: tensor<64xf32>, %c: index) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %a = tile.launch @alone grid(%c) ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %b = tile.launch @alone grid(%c) ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %b : tensor<64xf32>
}
tile.kernel @alone(%x: !tile.ptr<f32> {tile.access = #tile.access<read>},
                   %y: !tile.ptr<f32> {tile.access = #tile.access<write>}) attributes {warps = 1 : i64} {
  tile.return
}
