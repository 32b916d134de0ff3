// Schedules for a CPU: blocks of one core, micro-kernels, operands in place or packed, remarks without SMs. What a CPU does not have is
// an error.
// RUN: fusion-opt %s --fuse-search-schedules=chip=x86-64-v3 --remarks-filter=fuse -o - 2>&1 | FileCheck %s
// RUN: fusion-opt %s --fuse-search-schedules=chip=x86-64-v4 -o - | FileCheck %s --check-prefix=WIDE
// RUN: not fusion-opt %s --fuse-search-schedules="chip=x86-64-v3 space=paper" -o /dev/null 2>&1 | FileCheck %s --check-prefix=PAPER
// RUN: not fusion-opt %s --fuse-search-schedules="chip=x86-64-v3 search=evolutionary" -o /dev/null 2>&1 | FileCheck %s --check-prefix=EVOLUTION
// RUN: fusion-opt %s --fuse-search-schedules="chip=x86-64-v3 random-seed=3" -o - | FileCheck %s --check-prefix=DRAWN

// CHECK: remark: {{.*}}schedule{{.*}}predicted {{[0-9.]+}} us, bound by {{instructions|L2|L3|DRAM}}; {{[0-9]+}} blocks, at most {{[0-9]+}} of one core; of the {{[0-9]+}} candidates of space default that were met {{[0-9]+}} were legal; blocks over {{.*}}; C by avx2.m6n16, rows along m
// CHECK-NOT: SM
// CHECK: mapping = <warps = 1
// WIDE: avx512.m14n32
// PAPER: error: no schedule found: space 'paper' is not offered for x86-64-v3, which is a CPU
// EVOLUTION: error: no schedule found: the evolutionary search is not offered for x86-64-v3, which is a CPU
// DRAWN: avx2.m6n16
func.func @chain(%a: tensor<512x64xf32>, %b: tensor<64x256xf32>, %d: tensor<256x64xf32>) -> tensor<512x64xf32> {
  %out = tensor.empty() : tensor<512x64xf32>
  %e = fuse.chain ins(%x = %a : tensor<512x64xf32>, %y = %b : tensor<64x256xf32>, %z = %d : tensor<256x64xf32>)
                  outs(%o = %out : tensor<512x64xf32>) {
    %zero = arith.constant 0.0 : f32
    %c0 = tensor.empty() : tensor<512x256xf32>
    %c1 = linalg.fill ins(%zero : f32) outs(%c0 : tensor<512x256xf32>) -> tensor<512x256xf32>
    %c = linalg.matmul ins(%x, %y : tensor<512x64xf32>, tensor<64x256xf32>)
                       outs(%c1 : tensor<512x256xf32>) -> tensor<512x256xf32>
    %e1 = linalg.fill ins(%zero : f32) outs(%o : tensor<512x64xf32>) -> tensor<512x64xf32>
    %p = linalg.matmul ins(%c, %z : tensor<512x256xf32>, tensor<256x64xf32>)
                       outs(%e1 : tensor<512x64xf32>) -> tensor<512x64xf32>
    fuse.yield %p : tensor<512x64xf32>
  } -> tensor<512x64xf32>
  return %e : tensor<512x64xf32>
}
