// What PTX says of a kernel.
// RUN: fusion-opt %s --fuse-to-nvvm=chip=sm_80 | fusion-translate --fuse-to-ptx | FileCheck %s
// RUN: fusion-opt %s --fuse-to-nvvm=chip=sm_90a | fusion-translate --fuse-to-ptx | FileCheck %s --check-prefix=HOPPER
// HOPPER: .target sm_90a

// CHECK: .version 8.0
// CHECK: .target sm_80
// Dynamic shared memory is the launch's.
// CHECK: .extern .shared .align 1024 .b8 {{.*}}[];
// CHECK-NOT: .extern .func
// Pointers keep their alignment, the threads of a block are bounded.
// CHECK: .visible .entry product_chain_0(
// CHECK-COUNT-3: .param .u64 .ptr .align 16 product_chain_0_param_
// CHECK: .maxntid {{[0-9]+}}, 1, 1
// CHECK: cp.async.cg.shared.global [%r{{[0-9]+}}], [%rd{{[0-9]+}}], 16;
// CHECK: cp.async.commit_group;
// CHECK: cp.async.wait_group {{[0-9]}};
// CHECK: bar.warp.sync
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK: st.global.v4.b32
func.func @product(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}

// Each operation keeps its rounding: what is written as two stays two.
// CHECK: .visible .entry multiply_then_add_stitch_0(
// CHECK-NOT: fma
// CHECK: mul.rn.f32
// CHECK: add.rn.f32
// CHECK: ret;
func.func @multiply_then_add(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y fastmath<contract> : f32
    %s = arith.addf %m, %y fastmath<contract> : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
