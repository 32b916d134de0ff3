// The generic form with register stages: iterations of an innermost reduction that load their elements together.
// RUN: fusion-opt %s --fuse-search-schedules --fuse-lower-to-tile | FileCheck %s

// Two iterations at a time, and the fifth behind the loop.
// CHECK-LABEL: tile.kernel @odd_stitch_0
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c4{{.*}} step %c2
// CHECK-COUNT-2: tile.element_load
// CHECK-NOT: tile.element_load
// CHECK: scf.yield
// CHECK: tile.element_load
// CHECK-NOT: tile.element_load
// CHECK: tile.element_store
func.func @odd(%a: tensor<8x5xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<8x5xf32>) outs(%p = %o : tensor<8xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 8>, pipeline = <{}, register_stages = 2>>} {
    %z = arith.constant 0.0 : f32
    %f = linalg.fill ins(%z : f32) outs(%p : tensor<8xf32>) -> tensor<8xf32>
    %e = linalg.reduce { arith.addf } ins(%x : tensor<8x5xf32>) outs(%f : tensor<8xf32>) dimensions = [1]
    fuse.yield %e : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// All of few iterations at once: no loop.
// CHECK-LABEL: tile.kernel @few_stitch_0
// CHECK-NOT: scf.for
// CHECK-COUNT-3: tile.element_load
// CHECK: tile.element_store
func.func @few(%a: tensor<8x3xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<8x3xf32>) outs(%p = %o : tensor<8xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 8>, pipeline = <{}, register_stages = 3>>} {
    %z = arith.constant 0.0 : f32
    %f = linalg.fill ins(%z : f32) outs(%p : tensor<8xf32>) -> tensor<8xf32>
    %e = linalg.reduce { arith.addf } ins(%x : tensor<8x3xf32>) outs(%f : tensor<8xf32>) dimensions = [1]
    fuse.yield %e : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// A size that is not known: the rest is a loop of its own.
// CHECK-LABEL: tile.kernel @dynamic_stitch_0
// CHECK: arith.remui
// CHECK: scf.for {{.*}} step %c4
// CHECK-COUNT-4: tile.element_load
// CHECK: scf.for {{.*}} step %c1
// CHECK: tile.element_load
// CHECK-NOT: tile.element_load
// CHECK: tile.element_store
func.func @dynamic(%a: tensor<?x?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<?x?xf32>) outs(%p = %o : tensor<?xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 8>, pipeline = <{}, register_stages = 4>>} {
    %z = arith.constant 0.0 : f32
    %f = linalg.fill ins(%z : f32) outs(%p : tensor<?xf32>) -> tensor<?xf32>
    %e = linalg.reduce { arith.addf } ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
    fuse.yield %e : tensor<?xf32>
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
