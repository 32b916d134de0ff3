// FusionStitching as printed, whole and in parts. The times of the remarks are those of the latency evaluator that decides.
// RUN: fusion-opt %s --fuse-form-groups="stitch=printed" --remarks-filter=fuse --remark-policy=all 2>&1 | FileCheck %s --check-prefixes=CHECK,PRINTED
// RUN: fusion-opt %s --fuse-form-groups="latency-evaluator=printed" --remarks-filter=fuse --remark-policy=all 2>&1 | FileCheck %s --check-prefixes=CHECK,PRINTED
// RUN: fusion-opt %s --fuse-form-groups="stitch=printed latency-evaluator=default" --remarks-filter=fuse --remark-policy=all 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=CHECK,OURS
// RUN: fusion-opt %s --fuse-form-groups="delta-evaluator=printed" --remarks-filter=fuse --remark-policy=all 2>&1 | FileCheck %s --check-prefixes=CHECK,OURS
// RUN: fusion-opt %s --fuse-form-groups --remarks-filter=fuse --remark-policy=all 2>&1 | FileCheck %s --check-prefixes=CHECK,OURS
// RUN: fusion-opt %s --fuse-form-groups="stitch=printed full-evaluator=true pre-fusion=false" | FileCheck %s

// The evaluator as printed counts the instructions of a few waves of warps, and sees no bandwidth, which 32 MB need.
// PRINTED: [Passed] stitched {{.*}}stitched 2 operators into one kernel: predicted 5.09 us against 9.61 us apart; it moves
// OURS: [Passed] stitched {{.*}}stitched 2 operators into one kernel: predicted 19.78 us against 39.17 us apart; it moves
// CHECK-LABEL: func.func @two
// CHECK-COUNT-1: fuse.stitch
// CHECK-NOT: fuse.stitch
func.func @two(%x: tensor<1024x4096xf32>) -> tensor<1024x4096xf32> {
  %e = tensor.empty() : tensor<1024x4096xf32>
  %a = linalg.abs ins(%x : tensor<1024x4096xf32>) outs(%e : tensor<1024x4096xf32>) -> tensor<1024x4096xf32>
  %b = linalg.exp ins(%a : tensor<1024x4096xf32>) outs(%e : tensor<1024x4096xf32>) -> tensor<1024x4096xf32>
  return %b : tensor<1024x4096xf32>
}
