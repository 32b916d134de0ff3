// The schedule of a stitched group by FusionStitching's latency evaluator as printed, and by ours. The printed one sees no
// bandwidth, no stages and no clusters.
// RUN: fusion-opt %s --fuse-to-unscheduled-groups=chip=sm_90a --fuse-search-schedules="chip=sm_90a latency-evaluator=printed" \
// RUN:   --remarks-filter=stitch --remark-policy=all 2>&1 | FileCheck %s --check-prefixes=REMARK,PRINTED
// RUN: fusion-opt %s --fuse-to-unscheduled-groups=chip=sm_90a --fuse-search-schedules="chip=sm_90a latency-evaluator=default" \
// RUN:   --remarks-filter=stitch --remark-policy=all 2>&1 | FileCheck %s --check-prefixes=REMARK,OURS
// The pipeline chooses schedules by the evaluator that forms the groups.
// RUN: fusion-opt %s --fuse-to-groups="chip=sm_90a stitch=printed" | FileCheck %s --check-prefix=PRINTED
// RUN: fusion-opt %s --fuse-to-groups="chip=sm_90a latency-evaluator=printed" | FileCheck %s --check-prefix=PRINTED
// RUN: fusion-opt %s --fuse-to-groups="chip=sm_90a stitch=printed latency-evaluator=default" | FileCheck %s --check-prefix=OURS
// RUN: fusion-opt %s --fuse-to-groups="chip=sm_90a delta-evaluator=printed" | FileCheck %s --check-prefix=OURS

// The remarks have our counts of bytes for both.
// REMARK: [Analysis] schedule {{.*}}predicted {{[0-9.]+}} us: {{[0-9]+}} blocks of {{[0-9]+}} warps
// REMARK: [Analysis] traffic {{.*}}67108864 bytes are loaded, of them 0 of operands that are repeated, and 67108864 stored; 134217728 bytes are compulsory
// PRINTED: schedule = #fuse.schedule<version = 2, mapping = <warps = 32>, stitching = <
// PRINTED-NOT: stages =
// PRINTED: fuse.yield
// OURS: cluster = 8>, stitching = <{{.*}}, stages = 4>
func.func @softmax(%x: tensor<512x65536xf16>) -> tensor<512x65536xf16> {
  %e = tensor.empty() : tensor<512x65536xf16>
  %r = linalg.softmax dimension(1) ins(%x : tensor<512x65536xf16>) outs(%e : tensor<512x65536xf16>) -> tensor<512x65536xf16>
  return %r : tensor<512x65536xf16>
}
