func.func @chain(%a0: tensor<8x128x768xf32>, %a1: tensor<8x128xf32>, %a2: tensor<768x12x64xf32>, %a4: tensor<12x64xf32>, %a6: tensor<8x128x768xf32>, %a7: tensor<768x12x64xf32>, %a9: tensor<12x64xf32>, %a11: tensor<768x12x64xf32>, %a13: tensor<12x64xf32>, %a26: tensor<8x12x128x128xf32>, %a33: tensor<12x64x768xf32>, %a35: tensor<768xf32>, %a37: tensor<8x128x768xf32>, %a42: tensor<768xf32>, %a43: tensor<768xf32>, %a55: tensor<768x3072xf32>, %a57: tensor<3072xf32>, %a68: tensor<3072x768xf32>, %a70: tensor<768xf32>, %a72: tensor<8x128x768xf32>, %a77: tensor<768xf32>, %a78: tensor<768xf32>) -> tensor<8x128x768xf32> {
  %1 = tensor.empty() : tensor<8x128x12x64xf32>
  %2 = arith.constant 0.000000000e+00 : f32
  %3 = linalg.fill ins(%2 : f32) outs(%1 : tensor<8x128x12x64xf32>) -> tensor<8x128x12x64xf32>
  %v3 = linalg.contract indexing_maps = [affine_map<(b, m, h, e, d) -> (b, m, d)>, affine_map<(b, m, h, e, d) -> (d, h, e)>, affine_map<(b, m, h, e, d) -> (b, m, h, e)>] ins(%a0, %a2 : tensor<8x128x768xf32>, tensor<768x12x64xf32>) outs(%3 : tensor<8x128x12x64xf32>) -> tensor<8x128x12x64xf32>
  %4 = tensor.empty() : tensor<8x128x12x64xf32>
  %v5 = linalg.generic {indexing_maps = [affine_map<(b, m, h, e) -> (b, m, h, e)>, affine_map<(b, m, h, e) -> (h, e)>, affine_map<(b, m, h, e) -> (b, m, h, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v3, %a4 : tensor<8x128x12x64xf32>, tensor<12x64xf32>) outs(%4 : tensor<8x128x12x64xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %5 = arith.addf %x0, %x1 : f32
    linalg.yield %5 : f32
  } -> tensor<8x128x12x64xf32>
  %6 = tensor.empty() : tensor<8x128x12x64xf32>
  %7 = arith.constant 0.000000000e+00 : f32
  %8 = linalg.fill ins(%7 : f32) outs(%6 : tensor<8x128x12x64xf32>) -> tensor<8x128x12x64xf32>
  %v8 = linalg.contract indexing_maps = [affine_map<(b, n, h, e, d) -> (b, n, d)>, affine_map<(b, n, h, e, d) -> (d, h, e)>, affine_map<(b, n, h, e, d) -> (b, n, h, e)>] ins(%a6, %a7 : tensor<8x128x768xf32>, tensor<768x12x64xf32>) outs(%8 : tensor<8x128x12x64xf32>) -> tensor<8x128x12x64xf32>
  %9 = tensor.empty() : tensor<8x128x12x64xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(b, n, h, e) -> (b, n, h, e)>, affine_map<(b, n, h, e) -> (h, e)>, affine_map<(b, n, h, e) -> (b, n, h, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v8, %a9 : tensor<8x128x12x64xf32>, tensor<12x64xf32>) outs(%9 : tensor<8x128x12x64xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %10 = arith.addf %x0, %x1 : f32
    linalg.yield %10 : f32
  } -> tensor<8x128x12x64xf32>
  %11 = tensor.empty() : tensor<8x128x12x64xf32>
  %12 = arith.constant 0.000000000e+00 : f32
  %13 = linalg.fill ins(%12 : f32) outs(%11 : tensor<8x128x12x64xf32>) -> tensor<8x128x12x64xf32>
  %v12 = linalg.contract indexing_maps = [affine_map<(b, n, h, e, d) -> (b, n, d)>, affine_map<(b, n, h, e, d) -> (d, h, e)>, affine_map<(b, n, h, e, d) -> (b, n, h, e)>] ins(%a6, %a11 : tensor<8x128x768xf32>, tensor<768x12x64xf32>) outs(%13 : tensor<8x128x12x64xf32>) -> tensor<8x128x12x64xf32>
  %14 = tensor.empty() : tensor<8x128x12x64xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(b, n, h, e) -> (b, n, h, e)>, affine_map<(b, n, h, e) -> (h, e)>, affine_map<(b, n, h, e) -> (b, n, h, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v12, %a13 : tensor<8x128x12x64xf32>, tensor<12x64xf32>) outs(%14 : tensor<8x128x12x64xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %15 = arith.addf %x0, %x1 : f32
    linalg.yield %15 : f32
  } -> tensor<8x128x12x64xf32>
  %16 = tensor.empty() : tensor<8x12x128x64xf32>
  %v15 = linalg.transpose ins(%v5 : tensor<8x128x12x64xf32>) outs(%16 : tensor<8x12x128x64xf32>) permutation = [0, 2, 1, 3]
  %17 = tensor.empty() : tensor<8x12x128x64xf32>
  %v16 = linalg.transpose ins(%v10 : tensor<8x128x12x64xf32>) outs(%17 : tensor<8x12x128x64xf32>) permutation = [0, 2, 1, 3]
  %18 = tensor.empty() : tensor<8x12x128x128xf32>
  %19 = arith.constant 0.000000000e+00 : f32
  %20 = linalg.fill ins(%19 : f32) outs(%18 : tensor<8x12x128x128xf32>) -> tensor<8x12x128x128xf32>
  %v17 = linalg.contract indexing_maps = [affine_map<(b, h, m, n, e) -> (b, h, m, e)>, affine_map<(b, h, m, n, e) -> (b, h, n, e)>, affine_map<(b, h, m, n, e) -> (b, h, m, n)>] ins(%v15, %v16 : tensor<8x12x128x64xf32>, tensor<8x12x128x64xf32>) outs(%20 : tensor<8x12x128x128xf32>) -> tensor<8x12x128x128xf32>
  %21 = tensor.empty() : tensor<8x12x128x128xf32>
  %v18 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v17 : tensor<8x12x128x128xf32>) outs(%21 : tensor<8x12x128x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %22 = arith.constant 1.250000000e-01 : f32
    %23 = arith.mulf %x0, %22 : f32
    linalg.yield %23 : f32
  } -> tensor<8x12x128x128xf32>
  %24 = tensor.empty() : tensor<8x128xf32>
  %v19 = linalg.generic {indexing_maps = [affine_map<(b, n) -> (b, n)>, affine_map<(b, n) -> (b, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%a1 : tensor<8x128xf32>) outs(%24 : tensor<8x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %25 = arith.constant 1.000000000e+00 : f32
    %26 = arith.subf %25, %x0 : f32
    %27 = arith.constant -1.000000000e+04 : f32
    %28 = arith.mulf %26, %27 : f32
    linalg.yield %28 : f32
  } -> tensor<8x128xf32>
  %29 = tensor.empty() : tensor<8x12x128x128xf32>
  %v20 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v18, %v19 : tensor<8x12x128x128xf32>, tensor<8x128xf32>) outs(%29 : tensor<8x12x128x128xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %30 = arith.addf %x0, %x1 : f32
    linalg.yield %30 : f32
  } -> tensor<8x12x128x128xf32>
  %31 = tensor.empty() : tensor<8x12x128xf32>
  %32 = arith.constant 0xFF800000 : f32
  %33 = linalg.fill ins(%32 : f32) outs(%31 : tensor<8x12x128xf32>) -> tensor<8x12x128xf32>
  %v21 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%v20 : tensor<8x12x128x128xf32>) outs(%33 : tensor<8x12x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %34 = arith.maximumf %x0, %old : f32
    linalg.yield %34 : f32
  } -> tensor<8x12x128xf32>
  %35 = tensor.empty() : tensor<8x12x128x128xf32>
  %v22 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v20, %v21 : tensor<8x12x128x128xf32>, tensor<8x12x128xf32>) outs(%35 : tensor<8x12x128x128xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %36 = arith.subf %x0, %x1 : f32
    linalg.yield %36 : f32
  } -> tensor<8x12x128x128xf32>
  %37 = tensor.empty() : tensor<8x12x128x128xf32>
  %v23 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v22 : tensor<8x12x128x128xf32>) outs(%37 : tensor<8x12x128x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %38 = math.exp %x0 : f32
    linalg.yield %38 : f32
  } -> tensor<8x12x128x128xf32>
  %39 = tensor.empty() : tensor<8x12x128xf32>
  %40 = arith.constant 0.000000000e+00 : f32
  %41 = linalg.fill ins(%40 : f32) outs(%39 : tensor<8x12x128xf32>) -> tensor<8x12x128xf32>
  %v24 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%v23 : tensor<8x12x128x128xf32>) outs(%41 : tensor<8x12x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %42 = arith.addf %x0, %old : f32
    linalg.yield %42 : f32
  } -> tensor<8x12x128xf32>
  %43 = tensor.empty() : tensor<8x12x128x128xf32>
  %v25 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v23, %v24 : tensor<8x12x128x128xf32>, tensor<8x12x128xf32>) outs(%43 : tensor<8x12x128x128xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %44 = arith.divf %x0, %x1 : f32
    linalg.yield %44 : f32
  } -> tensor<8x12x128x128xf32>
  %45 = tensor.empty() : tensor<8x12x128x128xf32>
  %v27 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a26 : tensor<8x12x128x128xf32>) outs(%45 : tensor<8x12x128x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %46 = arith.constant 8.000000000e-01 : f32
    %47 = arith.addf %x0, %46 : f32
    %48 = arith.constant 0.000000000e+00 : f32
    %49 = arith.cmpf ogt, %47, %48 : f32
    %50 = arith.constant 1.000000000e+00 : f32
    %51 = arith.constant 0.000000000e+00 : f32
    %52 = arith.select %49, %50, %51 : f32
    linalg.yield %52 : f32
  } -> tensor<8x12x128x128xf32>
  %53 = tensor.empty() : tensor<8x12x128x128xf32>
  %v28 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v25, %v27 : tensor<8x12x128x128xf32>, tensor<8x12x128x128xf32>) outs(%53 : tensor<8x12x128x128xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %54 = arith.mulf %x0, %x1 : f32
    linalg.yield %54 : f32
  } -> tensor<8x12x128x128xf32>
  %55 = tensor.empty() : tensor<8x12x128x128xf32>
  %v29 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v28 : tensor<8x12x128x128xf32>) outs(%55 : tensor<8x12x128x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %56 = arith.constant 1.111111111e+00 : f32
    %57 = arith.mulf %x0, %56 : f32
    linalg.yield %57 : f32
  } -> tensor<8x12x128x128xf32>
  %58 = tensor.empty() : tensor<8x12x128x64xf32>
  %v30 = linalg.transpose ins(%v14 : tensor<8x128x12x64xf32>) outs(%58 : tensor<8x12x128x64xf32>) permutation = [0, 2, 1, 3]
  %59 = tensor.empty() : tensor<8x12x128x64xf32>
  %60 = arith.constant 0.000000000e+00 : f32
  %61 = linalg.fill ins(%60 : f32) outs(%59 : tensor<8x12x128x64xf32>) -> tensor<8x12x128x64xf32>
  %v31 = linalg.contract indexing_maps = [affine_map<(b, h, m, e, n) -> (b, h, m, n)>, affine_map<(b, h, m, e, n) -> (b, h, n, e)>, affine_map<(b, h, m, e, n) -> (b, h, m, e)>] ins(%v29, %v30 : tensor<8x12x128x128xf32>, tensor<8x12x128x64xf32>) outs(%61 : tensor<8x12x128x64xf32>) -> tensor<8x12x128x64xf32>
  %62 = tensor.empty() : tensor<8x128x12x64xf32>
  %v32 = linalg.transpose ins(%v31 : tensor<8x12x128x64xf32>) outs(%62 : tensor<8x128x12x64xf32>) permutation = [0, 2, 1, 3]
  %63 = tensor.empty() : tensor<8x128x768xf32>
  %64 = arith.constant 0.000000000e+00 : f32
  %65 = linalg.fill ins(%64 : f32) outs(%63 : tensor<8x128x768xf32>) -> tensor<8x128x768xf32>
  %v34 = linalg.contract indexing_maps = [affine_map<(b, m, d, h, e) -> (b, m, h, e)>, affine_map<(b, m, d, h, e) -> (h, e, d)>, affine_map<(b, m, d, h, e) -> (b, m, d)>] ins(%v32, %a33 : tensor<8x128x12x64xf32>, tensor<12x64x768xf32>) outs(%65 : tensor<8x128x768xf32>) -> tensor<8x128x768xf32>
  %66 = tensor.empty() : tensor<8x128x768xf32>
  %v36 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v34, %a35 : tensor<8x128x768xf32>, tensor<768xf32>) outs(%66 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %67 = arith.addf %x0, %x1 : f32
    linalg.yield %67 : f32
  } -> tensor<8x128x768xf32>
  %68 = tensor.empty() : tensor<8x128x768xf32>
  %v38 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a37 : tensor<8x128x768xf32>) outs(%68 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %69 = arith.constant 8.000000000e-01 : f32
    %70 = arith.addf %x0, %69 : f32
    %71 = arith.constant 0.000000000e+00 : f32
    %72 = arith.cmpf ogt, %70, %71 : f32
    %73 = arith.constant 1.000000000e+00 : f32
    %74 = arith.constant 0.000000000e+00 : f32
    %75 = arith.select %72, %73, %74 : f32
    linalg.yield %75 : f32
  } -> tensor<8x128x768xf32>
  %76 = tensor.empty() : tensor<8x128x768xf32>
  %v39 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v36, %v38 : tensor<8x128x768xf32>, tensor<8x128x768xf32>) outs(%76 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %77 = arith.mulf %x0, %x1 : f32
    linalg.yield %77 : f32
  } -> tensor<8x128x768xf32>
  %78 = tensor.empty() : tensor<8x128x768xf32>
  %v40 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v39 : tensor<8x128x768xf32>) outs(%78 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %79 = arith.constant 1.111111111e+00 : f32
    %80 = arith.mulf %x0, %79 : f32
    linalg.yield %80 : f32
  } -> tensor<8x128x768xf32>
  %81 = tensor.empty() : tensor<8x128x768xf32>
  %v41 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v40, %a0 : tensor<8x128x768xf32>, tensor<8x128x768xf32>) outs(%81 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %82 = arith.addf %x0, %x1 : f32
    linalg.yield %82 : f32
  } -> tensor<8x128x768xf32>
  %83 = tensor.empty() : tensor<8x128xf32>
  %84 = arith.constant 0.000000000e+00 : f32
  %85 = linalg.fill ins(%84 : f32) outs(%83 : tensor<8x128xf32>) -> tensor<8x128xf32>
  %v44 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v41 : tensor<8x128x768xf32>) outs(%85 : tensor<8x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %86 = arith.addf %x0, %old : f32
    linalg.yield %86 : f32
  } -> tensor<8x128xf32>
  %87 = tensor.empty() : tensor<8x128xf32>
  %v45 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v44 : tensor<8x128xf32>) outs(%87 : tensor<8x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %88 = arith.constant 1.302083333e-03 : f32
    %89 = arith.mulf %x0, %88 : f32
    linalg.yield %89 : f32
  } -> tensor<8x128xf32>
  %90 = tensor.empty() : tensor<8x128x768xf32>
  %v46 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v41, %v45 : tensor<8x128x768xf32>, tensor<8x128xf32>) outs(%90 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %91 = arith.subf %x0, %x1 : f32
    linalg.yield %91 : f32
  } -> tensor<8x128x768xf32>
  %92 = tensor.empty() : tensor<8x128x768xf32>
  %v47 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v46, %v46 : tensor<8x128x768xf32>, tensor<8x128x768xf32>) outs(%92 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %93 = arith.mulf %x0, %x1 : f32
    linalg.yield %93 : f32
  } -> tensor<8x128x768xf32>
  %94 = tensor.empty() : tensor<8x128xf32>
  %95 = arith.constant 0.000000000e+00 : f32
  %96 = linalg.fill ins(%95 : f32) outs(%94 : tensor<8x128xf32>) -> tensor<8x128xf32>
  %v48 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v47 : tensor<8x128x768xf32>) outs(%96 : tensor<8x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %97 = arith.addf %x0, %old : f32
    linalg.yield %97 : f32
  } -> tensor<8x128xf32>
  %98 = tensor.empty() : tensor<8x128xf32>
  %v49 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v48 : tensor<8x128xf32>) outs(%98 : tensor<8x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %99 = arith.constant 1.302083333e-03 : f32
    %100 = arith.mulf %x0, %99 : f32
    linalg.yield %100 : f32
  } -> tensor<8x128xf32>
  %101 = tensor.empty() : tensor<8x128xf32>
  %v50 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v49 : tensor<8x128xf32>) outs(%101 : tensor<8x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %102 = arith.constant 1.000000000e-05 : f32
    %103 = arith.addf %x0, %102 : f32
    linalg.yield %103 : f32
  } -> tensor<8x128xf32>
  %104 = tensor.empty() : tensor<8x128xf32>
  %v51 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v50 : tensor<8x128xf32>) outs(%104 : tensor<8x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %105 = math.rsqrt %x0 : f32
    linalg.yield %105 : f32
  } -> tensor<8x128xf32>
  %106 = tensor.empty() : tensor<8x128x768xf32>
  %v52 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v46, %v51 : tensor<8x128x768xf32>, tensor<8x128xf32>) outs(%106 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %107 = arith.mulf %x0, %x1 : f32
    linalg.yield %107 : f32
  } -> tensor<8x128x768xf32>
  %108 = tensor.empty() : tensor<8x128x768xf32>
  %v53 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v52, %a42 : tensor<8x128x768xf32>, tensor<768xf32>) outs(%108 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %109 = arith.mulf %x0, %x1 : f32
    linalg.yield %109 : f32
  } -> tensor<8x128x768xf32>
  %110 = tensor.empty() : tensor<8x128x768xf32>
  %v54 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v53, %a43 : tensor<8x128x768xf32>, tensor<768xf32>) outs(%110 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %111 = arith.addf %x0, %x1 : f32
    linalg.yield %111 : f32
  } -> tensor<8x128x768xf32>
  %112 = tensor.empty() : tensor<8x128x3072xf32>
  %113 = arith.constant 0.000000000e+00 : f32
  %114 = linalg.fill ins(%113 : f32) outs(%112 : tensor<8x128x3072xf32>) -> tensor<8x128x3072xf32>
  %v56 = linalg.contract indexing_maps = [affine_map<(b, m, f, d) -> (b, m, d)>, affine_map<(b, m, f, d) -> (d, f)>, affine_map<(b, m, f, d) -> (b, m, f)>] ins(%v54, %a55 : tensor<8x128x768xf32>, tensor<768x3072xf32>) outs(%114 : tensor<8x128x3072xf32>) -> tensor<8x128x3072xf32>
  %115 = tensor.empty() : tensor<8x128x3072xf32>
  %v58 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v56, %a57 : tensor<8x128x3072xf32>, tensor<3072xf32>) outs(%115 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %116 = arith.addf %x0, %x1 : f32
    linalg.yield %116 : f32
  } -> tensor<8x128x3072xf32>
  %117 = tensor.empty() : tensor<8x128x3072xf32>
  %v59 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v58, %v58 : tensor<8x128x3072xf32>, tensor<8x128x3072xf32>) outs(%117 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %118 = arith.mulf %x0, %x1 : f32
    linalg.yield %118 : f32
  } -> tensor<8x128x3072xf32>
  %119 = tensor.empty() : tensor<8x128x3072xf32>
  %v60 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v59, %v58 : tensor<8x128x3072xf32>, tensor<8x128x3072xf32>) outs(%119 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %120 = arith.mulf %x0, %x1 : f32
    linalg.yield %120 : f32
  } -> tensor<8x128x3072xf32>
  %121 = tensor.empty() : tensor<8x128x3072xf32>
  %v61 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v60 : tensor<8x128x3072xf32>) outs(%121 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %122 = arith.constant 4.471500000e-02 : f32
    %123 = arith.mulf %x0, %122 : f32
    linalg.yield %123 : f32
  } -> tensor<8x128x3072xf32>
  %124 = tensor.empty() : tensor<8x128x3072xf32>
  %v62 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v58, %v61 : tensor<8x128x3072xf32>, tensor<8x128x3072xf32>) outs(%124 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %125 = arith.addf %x0, %x1 : f32
    linalg.yield %125 : f32
  } -> tensor<8x128x3072xf32>
  %126 = tensor.empty() : tensor<8x128x3072xf32>
  %v63 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v62 : tensor<8x128x3072xf32>) outs(%126 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %127 = arith.constant 7.978845608e-01 : f32
    %128 = arith.mulf %x0, %127 : f32
    linalg.yield %128 : f32
  } -> tensor<8x128x3072xf32>
  %129 = tensor.empty() : tensor<8x128x3072xf32>
  %v64 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v58 : tensor<8x128x3072xf32>) outs(%129 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %130 = arith.constant 5.000000000e-01 : f32
    %131 = arith.mulf %x0, %130 : f32
    linalg.yield %131 : f32
  } -> tensor<8x128x3072xf32>
  %132 = tensor.empty() : tensor<8x128x3072xf32>
  %v65 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v63 : tensor<8x128x3072xf32>) outs(%132 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %133 = math.tanh %x0 : f32
    linalg.yield %133 : f32
  } -> tensor<8x128x3072xf32>
  %134 = tensor.empty() : tensor<8x128x3072xf32>
  %v66 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v65 : tensor<8x128x3072xf32>) outs(%134 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %135 = arith.constant 1.000000000e+00 : f32
    %136 = arith.addf %135, %x0 : f32
    linalg.yield %136 : f32
  } -> tensor<8x128x3072xf32>
  %137 = tensor.empty() : tensor<8x128x3072xf32>
  %v67 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v64, %v66 : tensor<8x128x3072xf32>, tensor<8x128x3072xf32>) outs(%137 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %138 = arith.mulf %x0, %x1 : f32
    linalg.yield %138 : f32
  } -> tensor<8x128x3072xf32>
  %139 = tensor.empty() : tensor<8x128x768xf32>
  %140 = arith.constant 0.000000000e+00 : f32
  %141 = linalg.fill ins(%140 : f32) outs(%139 : tensor<8x128x768xf32>) -> tensor<8x128x768xf32>
  %v69 = linalg.contract indexing_maps = [affine_map<(b, m, d, f) -> (b, m, f)>, affine_map<(b, m, d, f) -> (f, d)>, affine_map<(b, m, d, f) -> (b, m, d)>] ins(%v67, %a68 : tensor<8x128x3072xf32>, tensor<3072x768xf32>) outs(%141 : tensor<8x128x768xf32>) -> tensor<8x128x768xf32>
  %142 = tensor.empty() : tensor<8x128x768xf32>
  %v71 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v69, %a70 : tensor<8x128x768xf32>, tensor<768xf32>) outs(%142 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %143 = arith.addf %x0, %x1 : f32
    linalg.yield %143 : f32
  } -> tensor<8x128x768xf32>
  %144 = tensor.empty() : tensor<8x128x768xf32>
  %v73 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a72 : tensor<8x128x768xf32>) outs(%144 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %145 = arith.constant 8.000000000e-01 : f32
    %146 = arith.addf %x0, %145 : f32
    %147 = arith.constant 0.000000000e+00 : f32
    %148 = arith.cmpf ogt, %146, %147 : f32
    %149 = arith.constant 1.000000000e+00 : f32
    %150 = arith.constant 0.000000000e+00 : f32
    %151 = arith.select %148, %149, %150 : f32
    linalg.yield %151 : f32
  } -> tensor<8x128x768xf32>
  %152 = tensor.empty() : tensor<8x128x768xf32>
  %v74 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v71, %v73 : tensor<8x128x768xf32>, tensor<8x128x768xf32>) outs(%152 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %153 = arith.mulf %x0, %x1 : f32
    linalg.yield %153 : f32
  } -> tensor<8x128x768xf32>
  %154 = tensor.empty() : tensor<8x128x768xf32>
  %v75 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v74 : tensor<8x128x768xf32>) outs(%154 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %155 = arith.constant 1.111111111e+00 : f32
    %156 = arith.mulf %x0, %155 : f32
    linalg.yield %156 : f32
  } -> tensor<8x128x768xf32>
  %157 = tensor.empty() : tensor<8x128x768xf32>
  %v76 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v75, %v54 : tensor<8x128x768xf32>, tensor<8x128x768xf32>) outs(%157 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %158 = arith.addf %x0, %x1 : f32
    linalg.yield %158 : f32
  } -> tensor<8x128x768xf32>
  %159 = tensor.empty() : tensor<8x128xf32>
  %160 = arith.constant 0.000000000e+00 : f32
  %161 = linalg.fill ins(%160 : f32) outs(%159 : tensor<8x128xf32>) -> tensor<8x128xf32>
  %v79 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v76 : tensor<8x128x768xf32>) outs(%161 : tensor<8x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %162 = arith.addf %x0, %old : f32
    linalg.yield %162 : f32
  } -> tensor<8x128xf32>
  %163 = tensor.empty() : tensor<8x128xf32>
  %v80 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v79 : tensor<8x128xf32>) outs(%163 : tensor<8x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %164 = arith.constant 1.302083333e-03 : f32
    %165 = arith.mulf %x0, %164 : f32
    linalg.yield %165 : f32
  } -> tensor<8x128xf32>
  %166 = tensor.empty() : tensor<8x128x768xf32>
  %v81 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v76, %v80 : tensor<8x128x768xf32>, tensor<8x128xf32>) outs(%166 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %167 = arith.subf %x0, %x1 : f32
    linalg.yield %167 : f32
  } -> tensor<8x128x768xf32>
  %168 = tensor.empty() : tensor<8x128x768xf32>
  %v82 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v81, %v81 : tensor<8x128x768xf32>, tensor<8x128x768xf32>) outs(%168 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %169 = arith.mulf %x0, %x1 : f32
    linalg.yield %169 : f32
  } -> tensor<8x128x768xf32>
  %170 = tensor.empty() : tensor<8x128xf32>
  %171 = arith.constant 0.000000000e+00 : f32
  %172 = linalg.fill ins(%171 : f32) outs(%170 : tensor<8x128xf32>) -> tensor<8x128xf32>
  %v83 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v82 : tensor<8x128x768xf32>) outs(%172 : tensor<8x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %173 = arith.addf %x0, %old : f32
    linalg.yield %173 : f32
  } -> tensor<8x128xf32>
  %174 = tensor.empty() : tensor<8x128xf32>
  %v84 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v83 : tensor<8x128xf32>) outs(%174 : tensor<8x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %175 = arith.constant 1.302083333e-03 : f32
    %176 = arith.mulf %x0, %175 : f32
    linalg.yield %176 : f32
  } -> tensor<8x128xf32>
  %177 = tensor.empty() : tensor<8x128xf32>
  %v85 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v84 : tensor<8x128xf32>) outs(%177 : tensor<8x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %178 = arith.constant 1.000000000e-05 : f32
    %179 = arith.addf %x0, %178 : f32
    linalg.yield %179 : f32
  } -> tensor<8x128xf32>
  %180 = tensor.empty() : tensor<8x128xf32>
  %v86 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v85 : tensor<8x128xf32>) outs(%180 : tensor<8x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %181 = math.rsqrt %x0 : f32
    linalg.yield %181 : f32
  } -> tensor<8x128xf32>
  %182 = tensor.empty() : tensor<8x128x768xf32>
  %v87 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v81, %v86 : tensor<8x128x768xf32>, tensor<8x128xf32>) outs(%182 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %183 = arith.mulf %x0, %x1 : f32
    linalg.yield %183 : f32
  } -> tensor<8x128x768xf32>
  %184 = tensor.empty() : tensor<8x128x768xf32>
  %v88 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v87, %a77 : tensor<8x128x768xf32>, tensor<768xf32>) outs(%184 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %185 = arith.mulf %x0, %x1 : f32
    linalg.yield %185 : f32
  } -> tensor<8x128x768xf32>
  %186 = tensor.empty() : tensor<8x128x768xf32>
  %v89 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v88, %a78 : tensor<8x128x768xf32>, tensor<768xf32>) outs(%186 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %187 = arith.addf %x0, %x1 : f32
    linalg.yield %187 : f32
  } -> tensor<8x128x768xf32>
  return %v89 : tensor<8x128x768xf32>
}
