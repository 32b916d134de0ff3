// What the search chooses copies ahead beside a norm of the gains that all blocks compute first: right, without a finding.
// RUN: fusion-run %s --chip=sm_90a --device=emulator --sanitize --force-fusion | FileCheck %s
// CHECK: PASS
func.func @main(%arg0: tensor<512xbf16>, %arg1: tensor<512x512xbf16>, %arg2: tensor<512x512xbf16>, %arg3: tensor<512x512xbf16>) -> (tensor<512xf32>, tensor<512x512xbf16>) {
%v1 = tensor.empty() : tensor<512xf32>
%v2 = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]} ins(%arg0 : tensor<512xbf16>) outs(%v1 : tensor<512xf32>) {
^bb0(%a0: bf16, %old: f32):
%r = arith.extf %a0 : bf16 to f32
linalg.yield %r : f32
} -> tensor<512xf32>
%v3 = tensor.empty() : tensor<512xf32>
%v4 = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]} ins(%v2, %v2 : tensor<512xf32>, tensor<512xf32>) outs(%v3 : tensor<512xf32>) {
^bb0(%a0: f32, %a1: f32, %old: f32):
%r = arith.mulf %a0, %a1 : f32
linalg.yield %r : f32
} -> tensor<512xf32>
%v5 = tensor.empty() : tensor<f32>
%v6 = arith.constant 0.0 : f32
%v7 = linalg.fill ins(%v6 : f32) outs(%v5 : tensor<f32>) -> tensor<f32>
%v8 = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> ()>], iterator_types = ["reduction"]} ins(%v4 : tensor<512xf32>) outs(%v7 : tensor<f32>) {
^bb0(%a0: f32, %old: f32):
%r = arith.addf %a0, %old : f32
linalg.yield %r : f32
} -> tensor<f32>
%v9 = tensor.empty() : tensor<512xf32>
%v10 = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> ( )>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]} ins(%v2, %v8 : tensor<512xf32>, tensor<f32>) outs(%v9 : tensor<512xf32>) {
^bb0(%a0: f32, %a1: f32, %old: f32):
%s = math.absf %a1 : f32
%q = arith.constant 1.0 : f32
%s2 = arith.addf %s, %q : f32
%r = arith.divf %a0, %s2 : f32
linalg.yield %r : f32
} -> tensor<512xf32>
%v11 = tensor.empty() : tensor<512x512xf32>
%v12 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<512x512xbf16>) outs(%v11 : tensor<512x512xf32>) {
^bb0(%a0: bf16, %old: f32):
%r = arith.extf %a0 : bf16 to f32
linalg.yield %r : f32
} -> tensor<512x512xf32>
%v13 = tensor.empty() : tensor<512x512xf32>
%v14 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%v12, %v10 : tensor<512x512xf32>, tensor<512xf32>) outs(%v13 : tensor<512x512xf32>) {
^bb0(%a0: f32, %a1: f32, %old: f32):
%r = arith.addf %a0, %a1 : f32
linalg.yield %r : f32
} -> tensor<512x512xf32>
%v15 = tensor.empty() : tensor<512x512xf32>
%v16 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<512x512xbf16>) outs(%v15 : tensor<512x512xf32>) {
^bb0(%a0: bf16, %old: f32):
%r = arith.extf %a0 : bf16 to f32
linalg.yield %r : f32
} -> tensor<512x512xf32>
%v17 = tensor.empty() : tensor<512x512xf32>
%v18 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%v14, %v16 : tensor<512x512xf32>, tensor<512x512xf32>) outs(%v17 : tensor<512x512xf32>) {
^bb0(%a0: f32, %a1: f32, %old: f32):
%r = arith.addf %a0, %a1 : f32
linalg.yield %r : f32
} -> tensor<512x512xf32>
%v19 = tensor.empty() : tensor<512x512xf32>
%v20 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<512x512xbf16>) outs(%v19 : tensor<512x512xf32>) {
^bb0(%a0: bf16, %old: f32):
%r = arith.extf %a0 : bf16 to f32
linalg.yield %r : f32
} -> tensor<512x512xf32>
%v21 = tensor.empty() : tensor<512x512xf32>
%v22 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%v18, %v20 : tensor<512x512xf32>, tensor<512x512xf32>) outs(%v21 : tensor<512x512xf32>) {
^bb0(%a0: f32, %a1: f32, %old: f32):
%r = arith.subf %a0, %a1 : f32
linalg.yield %r : f32
} -> tensor<512x512xf32>
%v23 = tensor.empty() : tensor<512xf32>
%v24 = arith.constant 0.0 : f32
%v25 = linalg.fill ins(%v24 : f32) outs(%v23 : tensor<512xf32>) -> tensor<512xf32>
%v26 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%v22 : tensor<512x512xf32>) outs(%v25 : tensor<512xf32>) {
^bb0(%a0: f32, %old: f32):
%r = arith.addf %a0, %old : f32
linalg.yield %r : f32
} -> tensor<512xf32>
%v27 = tensor.empty() : tensor<512xf32>
%v28 = arith.constant 0xFF800000 : f32
%v29 = linalg.fill ins(%v28 : f32) outs(%v27 : tensor<512xf32>) -> tensor<512xf32>
%v30 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%v22 : tensor<512x512xf32>) outs(%v29 : tensor<512xf32>) {
^bb0(%a0: f32, %old: f32):
%r = arith.maximumf %a0, %old : f32
linalg.yield %r : f32
} -> tensor<512xf32>
%v31 = tensor.empty() : tensor<512x512xf32>
%v32 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%v22, %v30 : tensor<512x512xf32>, tensor<512xf32>) outs(%v31 : tensor<512x512xf32>) {
^bb0(%a0: f32, %a1: f32, %old: f32):
%r = arith.subf %a0, %a1 : f32
linalg.yield %r : f32
} -> tensor<512x512xf32>
%v33 = tensor.empty() : tensor<512x512xf32>
%v34 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%v32 : tensor<512x512xf32>) outs(%v33 : tensor<512x512xf32>) {
^bb0(%a0: f32, %old: f32):
%r = math.exp %a0 : f32
linalg.yield %r : f32
} -> tensor<512x512xf32>
%v35 = tensor.empty() : tensor<512xf32>
%v36 = arith.constant 0.0 : f32
%v37 = linalg.fill ins(%v36 : f32) outs(%v35 : tensor<512xf32>) -> tensor<512xf32>
%v38 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%v34 : tensor<512x512xf32>) outs(%v37 : tensor<512xf32>) {
^bb0(%a0: f32, %old: f32):
%r = arith.addf %a0, %old : f32
linalg.yield %r : f32
} -> tensor<512xf32>
%v39 = tensor.empty() : tensor<512x512xf32>
%v40 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%v34, %v38 : tensor<512x512xf32>, tensor<512xf32>) outs(%v39 : tensor<512x512xf32>) {
^bb0(%a0: f32, %a1: f32, %old: f32):
%r = arith.divf %a0, %a1 : f32
linalg.yield %r : f32
} -> tensor<512x512xf32>
%v41 = tensor.empty() : tensor<512x512xbf16>
%v42 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%v40 : tensor<512x512xf32>) outs(%v41 : tensor<512x512xbf16>) {
^bb0(%a0: f32, %old: bf16):
%r = arith.truncf %a0 : f32 to bf16
linalg.yield %r : bf16
} -> tensor<512x512xbf16>
return %v26, %v42 : tensor<512xf32>, tensor<512x512xbf16>
}
