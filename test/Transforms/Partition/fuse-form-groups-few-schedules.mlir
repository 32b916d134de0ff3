// Two kernels stay two where one is predicted to take longer: each block would read the whole matrix for the sum. A plan of few
// kernels is costed by the schedules that they would get; where these are not requested, by the best of a few, as the remark
// says.
// RUN: fusion-opt %s --fuse-form-groups=chip=sm_90a --remarks-filter=fuse --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: fusion-opt %s --fuse-form-groups="chip=sm_90a stitch=greedy" --remarks-filter=fuse --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=FEW
// ALL: [Missed] not-stitched {{.*}}but it is predicted to take {{[0-9.]+}} us against {{[0-9.]+}} us apart"
// FEW: [Missed] not-stitched {{.*}}but it is predicted to take {{[0-9.]+}} us against {{[0-9.]+}} us apart, with the best of a few schedules"
// RUN: fusion-opt %s --fuse-form-groups="chip=sm_90a force-fusion=true plan-report=%t.json" --remarks-filter=fuse -o /dev/null 2>&1 | FileCheck %s --check-prefix=FORCED
// RUN: grep '"forced": true' %t.json
// FORCED: [Passed] stitched {{.*}}stitched 2 operators into one kernel: predicted {{[0-9.]+}} us against {{[0-9.]+}} us apart (forced)
#all = affine_map<(i, j) -> (i, j)>
#none = affine_map<(i, j) -> ()>
func.func @scaled_by_its_sum(%x: tensor<4096x4096xf32>) -> (tensor<4096x4096xf32>) {
  %zero = arith.constant 0.0 : f32
  %number = tensor.empty() : tensor<f32>
  %filled = linalg.fill ins(%zero : f32) outs(%number : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [#all, #none], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<4096x4096xf32>) outs(%filled : tensor<f32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %empty = tensor.empty() : tensor<4096x4096xf32>
  %scaled = linalg.generic {indexing_maps = [#all, #none, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4096x4096xf32>, tensor<f32>) outs(%empty : tensor<4096x4096xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<4096x4096xf32>
  return %scaled : tensor<4096x4096xf32>
}
