// Stitched groups on a CPU: blocks of one thread, whose tile has whole rows; operators that cannot be stitched have large blocks.
// RUN: fusion-opt %s --fuse-to-groups=chip=x86-64-v3 --remarks-filter=stitch -o - 2>&1 | FileCheck %s
// RUN: fusion-opt %s --fuse-to-groups=chip=sm_80 -o - | FileCheck %s --check-prefix=GPU

// CHECK: remark: {{.*}}predicted {{[0-9.]+}} us: {{[0-9]+}} blocks, at most {{[0-9]+}} of one core; {{[0-9]+}} of {{[0-9]+}} candidates fit
// CHECK-NOT: SM
// CHECK: mapping = <warps = 1>, stitching = <{{.*}}i = #fuse.thread_mapping<tile = {{[0-9]+}}>, j = #fuse.thread_mapping<tile = 768>
// GPU: lanes =
func.func @softmax(%a: tensor<4096x768xf32>) -> tensor<4096x768xf32> {
  %e = tensor.empty() : tensor<4096x768xf32>
  %s = linalg.softmax dimension(1) ins(%a : tensor<4096x768xf32>) outs(%e : tensor<4096x768xf32>) -> tensor<4096x768xf32>
  return %s : tensor<4096x768xf32>
}

// Results that are larger than the caches are stored past them.
// CHECK-LABEL: func.func @large
// CHECK: stitching = <{{.*}}evict_first
func.func @large(%a: tensor<16384x1024xf32>) -> tensor<16384x1024xf32> {
  %e = tensor.empty() : tensor<16384x1024xf32>
  %s = linalg.exp ins(%a : tensor<16384x1024xf32>) outs(%e : tensor<16384x1024xf32>) -> tensor<16384x1024xf32>
  return %s : tensor<16384x1024xf32>
}

// CHECK-LABEL: func.func @small
// CHECK-NOT: evict_first
func.func @small(%a: tensor<256x1024xf32>) -> tensor<256x1024xf32> {
  %e = tensor.empty() : tensor<256x1024xf32>
  %s = linalg.exp ins(%a : tensor<256x1024xf32>) outs(%e : tensor<256x1024xf32>) -> tensor<256x1024xf32>
  return %s : tensor<256x1024xf32>
}
