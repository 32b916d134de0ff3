func.func @chain(%a0: tensor<8x128x768xf32>, %a1: tensor<8x128x768xf32>, %a2: tensor<8x128xf32>, %a3: tensor<768xf32>, %a17: tensor<8x128x768xf32>, %a21: tensor<8x128x3072xf32>, %a22: tensor<8x128x3072xf32>, %a42: tensor<8x128x768xf32>, %a44: tensor<8x128x768xf32>, %a45: tensor<8x128xf32>, %a46: tensor<768xf32>, %a60: tensor<8x128x768xf32>, %a64: tensor<8x12x128x128xf32>, %a65: tensor<8x12x128x128xf32>, %a68: tensor<8x12x128x128xf32>, %a74: tensor<8x12x128x64xf32>, %a77: tensor<8x12x128x64xf32>, %a80: tensor<8x12x128x64xf32>, %a83: tensor<8x128x768xf32>, %a84: tensor<8x128x768xf32>, %a86: tensor<8x128x768xf32>) -> (tensor<768xf32>, tensor<768xf32>, tensor<8x128x768xf32>, tensor<768xf32>, tensor<8x128x3072xf32>, tensor<3072xf32>, tensor<768xf32>, tensor<768xf32>, tensor<8x128x768xf32>, tensor<768xf32>, tensor<8x12x128x128xf32>, tensor<8x128x12x64xf32>, tensor<12x64xf32>, tensor<8x128x12x64xf32>, tensor<12x64xf32>, tensor<8x128x12x64xf32>, tensor<12x64xf32>, tensor<8x128x768xf32>) {
  %1 = tensor.empty() : tensor<8x128x768xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a0, %a3 : tensor<8x128x768xf32>, tensor<768xf32>) outs(%1 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %2 = arith.mulf %x0, %x1 : f32
    linalg.yield %2 : f32
  } -> tensor<8x128x768xf32>
  %3 = tensor.empty() : tensor<8x128xf32>
  %4 = arith.constant 0.000000000e+00 : f32
  %5 = linalg.fill ins(%4 : f32) outs(%3 : tensor<8x128xf32>) -> tensor<8x128xf32>
  %v5 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v4 : tensor<8x128x768xf32>) outs(%5 : tensor<8x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %6 = arith.addf %x0, %old : f32
    linalg.yield %6 : f32
  } -> tensor<8x128xf32>
  %7 = tensor.empty() : tensor<8x128xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v5 : tensor<8x128xf32>) outs(%7 : tensor<8x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %8 = arith.constant 1.302083333e-03 : f32
    %9 = arith.mulf %x0, %8 : f32
    linalg.yield %9 : f32
  } -> tensor<8x128xf32>
  %10 = tensor.empty() : tensor<8x128x768xf32>
  %v7 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v4, %a1 : tensor<8x128x768xf32>, tensor<8x128x768xf32>) outs(%10 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %11 = arith.mulf %x0, %x1 : f32
    linalg.yield %11 : f32
  } -> tensor<8x128x768xf32>
  %12 = tensor.empty() : tensor<8x128xf32>
  %13 = arith.constant 0.000000000e+00 : f32
  %14 = linalg.fill ins(%13 : f32) outs(%12 : tensor<8x128xf32>) -> tensor<8x128xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v7 : tensor<8x128x768xf32>) outs(%14 : tensor<8x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %15 = arith.addf %x0, %old : f32
    linalg.yield %15 : f32
  } -> tensor<8x128xf32>
  %16 = tensor.empty() : tensor<8x128xf32>
  %v9 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v8 : tensor<8x128xf32>) outs(%16 : tensor<8x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %17 = arith.constant 1.302083333e-03 : f32
    %18 = arith.mulf %x0, %17 : f32
    linalg.yield %18 : f32
  } -> tensor<8x128xf32>
  %19 = tensor.empty() : tensor<8x128x768xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v4, %v6 : tensor<8x128x768xf32>, tensor<8x128xf32>) outs(%19 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %20 = arith.subf %x0, %x1 : f32
    linalg.yield %20 : f32
  } -> tensor<8x128x768xf32>
  %21 = tensor.empty() : tensor<8x128x768xf32>
  %v11 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a1, %v9 : tensor<8x128x768xf32>, tensor<8x128xf32>) outs(%21 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %22 = arith.mulf %x0, %x1 : f32
    linalg.yield %22 : f32
  } -> tensor<8x128x768xf32>
  %23 = tensor.empty() : tensor<8x128x768xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v10, %v11 : tensor<8x128x768xf32>, tensor<8x128x768xf32>) outs(%23 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %24 = arith.subf %x0, %x1 : f32
    linalg.yield %24 : f32
  } -> tensor<8x128x768xf32>
  %25 = tensor.empty() : tensor<8x128x768xf32>
  %v13 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v12, %a2 : tensor<8x128x768xf32>, tensor<8x128xf32>) outs(%25 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %26 = arith.mulf %x0, %x1 : f32
    linalg.yield %26 : f32
  } -> tensor<8x128x768xf32>
  %27 = tensor.empty() : tensor<8x128x768xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a0, %a1 : tensor<8x128x768xf32>, tensor<8x128x768xf32>) outs(%27 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %28 = arith.mulf %x0, %x1 : f32
    linalg.yield %28 : f32
  } -> tensor<8x128x768xf32>
  %29 = tensor.empty() : tensor<768xf32>
  %30 = arith.constant 0.000000000e+00 : f32
  %31 = linalg.fill ins(%30 : f32) outs(%29 : tensor<768xf32>) -> tensor<768xf32>
  %v15 = linalg.generic {indexing_maps = [affine_map<(d, b, m) -> (b, m, d)>, affine_map<(d, b, m) -> (d)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v14 : tensor<8x128x768xf32>) outs(%31 : tensor<768xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %32 = arith.addf %x0, %old : f32
    linalg.yield %32 : f32
  } -> tensor<768xf32>
  %33 = tensor.empty() : tensor<768xf32>
  %34 = arith.constant 0.000000000e+00 : f32
  %35 = linalg.fill ins(%34 : f32) outs(%33 : tensor<768xf32>) -> tensor<768xf32>
  %v16 = linalg.generic {indexing_maps = [affine_map<(d, b, m) -> (b, m, d)>, affine_map<(d, b, m) -> (d)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%a0 : tensor<8x128x768xf32>) outs(%35 : tensor<768xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %36 = arith.addf %x0, %old : f32
    linalg.yield %36 : f32
  } -> tensor<768xf32>
  %37 = tensor.empty() : tensor<8x128x768xf32>
  %v18 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v13, %a17 : tensor<8x128x768xf32>, tensor<8x128x768xf32>) outs(%37 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %38 = arith.mulf %x0, %x1 : f32
    linalg.yield %38 : f32
  } -> tensor<8x128x768xf32>
  %39 = tensor.empty() : tensor<8x128x768xf32>
  %v19 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v18 : tensor<8x128x768xf32>) outs(%39 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %40 = arith.constant 1.111111111e+00 : f32
    %41 = arith.mulf %x0, %40 : f32
    linalg.yield %41 : f32
  } -> tensor<8x128x768xf32>
  %42 = tensor.empty() : tensor<768xf32>
  %43 = arith.constant 0.000000000e+00 : f32
  %44 = linalg.fill ins(%43 : f32) outs(%42 : tensor<768xf32>) -> tensor<768xf32>
  %v20 = linalg.generic {indexing_maps = [affine_map<(d, b, m) -> (b, m, d)>, affine_map<(d, b, m) -> (d)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v19 : tensor<8x128x768xf32>) outs(%44 : tensor<768xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %45 = arith.addf %x0, %old : f32
    linalg.yield %45 : f32
  } -> tensor<768xf32>
  %46 = tensor.empty() : tensor<8x128x3072xf32>
  %v23 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a22, %a22 : tensor<8x128x3072xf32>, tensor<8x128x3072xf32>) outs(%46 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %47 = arith.mulf %x0, %x1 : f32
    linalg.yield %47 : f32
  } -> tensor<8x128x3072xf32>
  %48 = tensor.empty() : tensor<8x128x3072xf32>
  %v24 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v23, %a22 : tensor<8x128x3072xf32>, tensor<8x128x3072xf32>) outs(%48 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %49 = arith.mulf %x0, %x1 : f32
    linalg.yield %49 : f32
  } -> tensor<8x128x3072xf32>
  %50 = tensor.empty() : tensor<8x128x3072xf32>
  %v25 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v24 : tensor<8x128x3072xf32>) outs(%50 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %51 = arith.constant 4.471500000e-02 : f32
    %52 = arith.mulf %x0, %51 : f32
    linalg.yield %52 : f32
  } -> tensor<8x128x3072xf32>
  %53 = tensor.empty() : tensor<8x128x3072xf32>
  %v26 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a22, %v25 : tensor<8x128x3072xf32>, tensor<8x128x3072xf32>) outs(%53 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %54 = arith.addf %x0, %x1 : f32
    linalg.yield %54 : f32
  } -> tensor<8x128x3072xf32>
  %55 = tensor.empty() : tensor<8x128x3072xf32>
  %v27 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v26 : tensor<8x128x3072xf32>) outs(%55 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %56 = arith.constant 7.978845608e-01 : f32
    %57 = arith.mulf %x0, %56 : f32
    linalg.yield %57 : f32
  } -> tensor<8x128x3072xf32>
  %58 = tensor.empty() : tensor<8x128x3072xf32>
  %v28 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v27 : tensor<8x128x3072xf32>) outs(%58 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %59 = math.tanh %x0 : f32
    linalg.yield %59 : f32
  } -> tensor<8x128x3072xf32>
  %60 = tensor.empty() : tensor<8x128x3072xf32>
  %v29 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v23 : tensor<8x128x3072xf32>) outs(%60 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %61 = arith.constant 1.341450000e-01 : f32
    %62 = arith.mulf %x0, %61 : f32
    linalg.yield %62 : f32
  } -> tensor<8x128x3072xf32>
  %63 = tensor.empty() : tensor<8x128x3072xf32>
  %v30 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v29 : tensor<8x128x3072xf32>) outs(%63 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %64 = arith.constant 1.000000000e+00 : f32
    %65 = arith.addf %64, %x0 : f32
    linalg.yield %65 : f32
  } -> tensor<8x128x3072xf32>
  %66 = tensor.empty() : tensor<8x128x3072xf32>
  %v31 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v30 : tensor<8x128x3072xf32>) outs(%66 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %67 = arith.constant 7.978845608e-01 : f32
    %68 = arith.mulf %x0, %67 : f32
    linalg.yield %68 : f32
  } -> tensor<8x128x3072xf32>
  %69 = tensor.empty() : tensor<8x128x3072xf32>
  %v32 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v28 : tensor<8x128x3072xf32>) outs(%69 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %70 = arith.constant 1.000000000e+00 : f32
    %71 = arith.addf %70, %x0 : f32
    linalg.yield %71 : f32
  } -> tensor<8x128x3072xf32>
  %72 = tensor.empty() : tensor<8x128x3072xf32>
  %v33 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v32 : tensor<8x128x3072xf32>) outs(%72 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %73 = arith.constant 5.000000000e-01 : f32
    %74 = arith.mulf %x0, %73 : f32
    linalg.yield %74 : f32
  } -> tensor<8x128x3072xf32>
  %75 = tensor.empty() : tensor<8x128x3072xf32>
  %v34 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a22 : tensor<8x128x3072xf32>) outs(%75 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %76 = arith.constant 5.000000000e-01 : f32
    %77 = arith.mulf %x0, %76 : f32
    linalg.yield %77 : f32
  } -> tensor<8x128x3072xf32>
  %78 = tensor.empty() : tensor<8x128x3072xf32>
  %v35 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v28, %v28 : tensor<8x128x3072xf32>, tensor<8x128x3072xf32>) outs(%78 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %79 = arith.mulf %x0, %x1 : f32
    linalg.yield %79 : f32
  } -> tensor<8x128x3072xf32>
  %80 = tensor.empty() : tensor<8x128x3072xf32>
  %v36 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v35 : tensor<8x128x3072xf32>) outs(%80 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %81 = arith.constant 1.000000000e+00 : f32
    %82 = arith.subf %81, %x0 : f32
    linalg.yield %82 : f32
  } -> tensor<8x128x3072xf32>
  %83 = tensor.empty() : tensor<8x128x3072xf32>
  %v37 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v34, %v36 : tensor<8x128x3072xf32>, tensor<8x128x3072xf32>) outs(%83 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %84 = arith.mulf %x0, %x1 : f32
    linalg.yield %84 : f32
  } -> tensor<8x128x3072xf32>
  %85 = tensor.empty() : tensor<8x128x3072xf32>
  %v38 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v37, %v31 : tensor<8x128x3072xf32>, tensor<8x128x3072xf32>) outs(%85 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %86 = arith.mulf %x0, %x1 : f32
    linalg.yield %86 : f32
  } -> tensor<8x128x3072xf32>
  %87 = tensor.empty() : tensor<8x128x3072xf32>
  %v39 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v33, %v38 : tensor<8x128x3072xf32>, tensor<8x128x3072xf32>) outs(%87 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %88 = arith.addf %x0, %x1 : f32
    linalg.yield %88 : f32
  } -> tensor<8x128x3072xf32>
  %89 = tensor.empty() : tensor<8x128x3072xf32>
  %v40 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a21, %v39 : tensor<8x128x3072xf32>, tensor<8x128x3072xf32>) outs(%89 : tensor<8x128x3072xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %90 = arith.mulf %x0, %x1 : f32
    linalg.yield %90 : f32
  } -> tensor<8x128x3072xf32>
  %91 = tensor.empty() : tensor<3072xf32>
  %92 = arith.constant 0.000000000e+00 : f32
  %93 = linalg.fill ins(%92 : f32) outs(%91 : tensor<3072xf32>) -> tensor<3072xf32>
  %v41 = linalg.generic {indexing_maps = [affine_map<(f, b, m) -> (b, m, f)>, affine_map<(f, b, m) -> (f)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v40 : tensor<8x128x3072xf32>) outs(%93 : tensor<3072xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %94 = arith.addf %x0, %old : f32
    linalg.yield %94 : f32
  } -> tensor<3072xf32>
  %95 = tensor.empty() : tensor<8x128x768xf32>
  %v43 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a42, %v13 : tensor<8x128x768xf32>, tensor<8x128x768xf32>) outs(%95 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %96 = arith.addf %x0, %x1 : f32
    linalg.yield %96 : f32
  } -> tensor<8x128x768xf32>
  %97 = tensor.empty() : tensor<8x128x768xf32>
  %v47 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v43, %a46 : tensor<8x128x768xf32>, tensor<768xf32>) outs(%97 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %98 = arith.mulf %x0, %x1 : f32
    linalg.yield %98 : f32
  } -> tensor<8x128x768xf32>
  %99 = tensor.empty() : tensor<8x128xf32>
  %100 = arith.constant 0.000000000e+00 : f32
  %101 = linalg.fill ins(%100 : f32) outs(%99 : tensor<8x128xf32>) -> tensor<8x128xf32>
  %v48 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v47 : tensor<8x128x768xf32>) outs(%101 : tensor<8x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %102 = arith.addf %x0, %old : f32
    linalg.yield %102 : f32
  } -> tensor<8x128xf32>
  %103 = tensor.empty() : tensor<8x128xf32>
  %v49 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v48 : tensor<8x128xf32>) outs(%103 : tensor<8x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %104 = arith.constant 1.302083333e-03 : f32
    %105 = arith.mulf %x0, %104 : f32
    linalg.yield %105 : f32
  } -> tensor<8x128xf32>
  %106 = tensor.empty() : tensor<8x128x768xf32>
  %v50 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v47, %a44 : tensor<8x128x768xf32>, tensor<8x128x768xf32>) outs(%106 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %107 = arith.mulf %x0, %x1 : f32
    linalg.yield %107 : f32
  } -> tensor<8x128x768xf32>
  %108 = tensor.empty() : tensor<8x128xf32>
  %109 = arith.constant 0.000000000e+00 : f32
  %110 = linalg.fill ins(%109 : f32) outs(%108 : tensor<8x128xf32>) -> tensor<8x128xf32>
  %v51 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v50 : tensor<8x128x768xf32>) outs(%110 : tensor<8x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %111 = arith.addf %x0, %old : f32
    linalg.yield %111 : f32
  } -> tensor<8x128xf32>
  %112 = tensor.empty() : tensor<8x128xf32>
  %v52 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v51 : tensor<8x128xf32>) outs(%112 : tensor<8x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %113 = arith.constant 1.302083333e-03 : f32
    %114 = arith.mulf %x0, %113 : f32
    linalg.yield %114 : f32
  } -> tensor<8x128xf32>
  %115 = tensor.empty() : tensor<8x128x768xf32>
  %v53 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v47, %v49 : tensor<8x128x768xf32>, tensor<8x128xf32>) outs(%115 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %116 = arith.subf %x0, %x1 : f32
    linalg.yield %116 : f32
  } -> tensor<8x128x768xf32>
  %117 = tensor.empty() : tensor<8x128x768xf32>
  %v54 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a44, %v52 : tensor<8x128x768xf32>, tensor<8x128xf32>) outs(%117 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %118 = arith.mulf %x0, %x1 : f32
    linalg.yield %118 : f32
  } -> tensor<8x128x768xf32>
  %119 = tensor.empty() : tensor<8x128x768xf32>
  %v55 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v53, %v54 : tensor<8x128x768xf32>, tensor<8x128x768xf32>) outs(%119 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %120 = arith.subf %x0, %x1 : f32
    linalg.yield %120 : f32
  } -> tensor<8x128x768xf32>
  %121 = tensor.empty() : tensor<8x128x768xf32>
  %v56 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v55, %a45 : tensor<8x128x768xf32>, tensor<8x128xf32>) outs(%121 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %122 = arith.mulf %x0, %x1 : f32
    linalg.yield %122 : f32
  } -> tensor<8x128x768xf32>
  %123 = tensor.empty() : tensor<8x128x768xf32>
  %v57 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v43, %a44 : tensor<8x128x768xf32>, tensor<8x128x768xf32>) outs(%123 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %124 = arith.mulf %x0, %x1 : f32
    linalg.yield %124 : f32
  } -> tensor<8x128x768xf32>
  %125 = tensor.empty() : tensor<768xf32>
  %126 = arith.constant 0.000000000e+00 : f32
  %127 = linalg.fill ins(%126 : f32) outs(%125 : tensor<768xf32>) -> tensor<768xf32>
  %v58 = linalg.generic {indexing_maps = [affine_map<(d, b, m) -> (b, m, d)>, affine_map<(d, b, m) -> (d)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v57 : tensor<8x128x768xf32>) outs(%127 : tensor<768xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %128 = arith.addf %x0, %old : f32
    linalg.yield %128 : f32
  } -> tensor<768xf32>
  %129 = tensor.empty() : tensor<768xf32>
  %130 = arith.constant 0.000000000e+00 : f32
  %131 = linalg.fill ins(%130 : f32) outs(%129 : tensor<768xf32>) -> tensor<768xf32>
  %v59 = linalg.generic {indexing_maps = [affine_map<(d, b, m) -> (b, m, d)>, affine_map<(d, b, m) -> (d)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v43 : tensor<8x128x768xf32>) outs(%131 : tensor<768xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %132 = arith.addf %x0, %old : f32
    linalg.yield %132 : f32
  } -> tensor<768xf32>
  %133 = tensor.empty() : tensor<8x128x768xf32>
  %v61 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v56, %a60 : tensor<8x128x768xf32>, tensor<8x128x768xf32>) outs(%133 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %134 = arith.mulf %x0, %x1 : f32
    linalg.yield %134 : f32
  } -> tensor<8x128x768xf32>
  %135 = tensor.empty() : tensor<8x128x768xf32>
  %v62 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v61 : tensor<8x128x768xf32>) outs(%135 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %136 = arith.constant 1.111111111e+00 : f32
    %137 = arith.mulf %x0, %136 : f32
    linalg.yield %137 : f32
  } -> tensor<8x128x768xf32>
  %138 = tensor.empty() : tensor<768xf32>
  %139 = arith.constant 0.000000000e+00 : f32
  %140 = linalg.fill ins(%139 : f32) outs(%138 : tensor<768xf32>) -> tensor<768xf32>
  %v63 = linalg.generic {indexing_maps = [affine_map<(d, b, m) -> (b, m, d)>, affine_map<(d, b, m) -> (d)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v62 : tensor<8x128x768xf32>) outs(%140 : tensor<768xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %141 = arith.addf %x0, %old : f32
    linalg.yield %141 : f32
  } -> tensor<768xf32>
  %142 = tensor.empty() : tensor<8x12x128x128xf32>
  %v66 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a64, %a65 : tensor<8x12x128x128xf32>, tensor<8x12x128x128xf32>) outs(%142 : tensor<8x12x128x128xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %143 = arith.mulf %x0, %x1 : f32
    linalg.yield %143 : f32
  } -> tensor<8x12x128x128xf32>
  %144 = tensor.empty() : tensor<8x12x128x128xf32>
  %v67 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v66 : tensor<8x12x128x128xf32>) outs(%144 : tensor<8x12x128x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %145 = arith.constant 1.111111111e+00 : f32
    %146 = arith.mulf %x0, %145 : f32
    linalg.yield %146 : f32
  } -> tensor<8x12x128x128xf32>
  %147 = tensor.empty() : tensor<8x12x128x128xf32>
  %v69 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v67, %a68 : tensor<8x12x128x128xf32>, tensor<8x12x128x128xf32>) outs(%147 : tensor<8x12x128x128xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %148 = arith.mulf %x0, %x1 : f32
    linalg.yield %148 : f32
  } -> tensor<8x12x128x128xf32>
  %149 = tensor.empty() : tensor<8x12x128xf32>
  %150 = arith.constant 0.000000000e+00 : f32
  %151 = linalg.fill ins(%150 : f32) outs(%149 : tensor<8x12x128xf32>) -> tensor<8x12x128xf32>
  %v70 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%v69 : tensor<8x12x128x128xf32>) outs(%151 : tensor<8x12x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %152 = arith.addf %x0, %old : f32
    linalg.yield %152 : f32
  } -> tensor<8x12x128xf32>
  %153 = tensor.empty() : tensor<8x12x128x128xf32>
  %v71 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v67, %v70 : tensor<8x12x128x128xf32>, tensor<8x12x128xf32>) outs(%153 : tensor<8x12x128x128xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %154 = arith.subf %x0, %x1 : f32
    linalg.yield %154 : f32
  } -> tensor<8x12x128x128xf32>
  %155 = tensor.empty() : tensor<8x12x128x128xf32>
  %v72 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a68, %v71 : tensor<8x12x128x128xf32>, tensor<8x12x128x128xf32>) outs(%155 : tensor<8x12x128x128xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %156 = arith.mulf %x0, %x1 : f32
    linalg.yield %156 : f32
  } -> tensor<8x12x128x128xf32>
  %157 = tensor.empty() : tensor<8x12x128x128xf32>
  %v73 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v72 : tensor<8x12x128x128xf32>) outs(%157 : tensor<8x12x128x128xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %158 = arith.constant 1.250000000e-01 : f32
    %159 = arith.mulf %x0, %158 : f32
    linalg.yield %159 : f32
  } -> tensor<8x12x128x128xf32>
  %160 = tensor.empty() : tensor<8x128x12x64xf32>
  %v75 = linalg.transpose ins(%a74 : tensor<8x12x128x64xf32>) outs(%160 : tensor<8x128x12x64xf32>) permutation = [0, 2, 1, 3]
  %161 = tensor.empty() : tensor<12x64xf32>
  %162 = arith.constant 0.000000000e+00 : f32
  %163 = linalg.fill ins(%162 : f32) outs(%161 : tensor<12x64xf32>) -> tensor<12x64xf32>
  %v76 = linalg.generic {indexing_maps = [affine_map<(h, e, b, m) -> (b, m, h, e)>, affine_map<(h, e, b, m) -> (h, e)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%v75 : tensor<8x128x12x64xf32>) outs(%163 : tensor<12x64xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %164 = arith.addf %x0, %old : f32
    linalg.yield %164 : f32
  } -> tensor<12x64xf32>
  %165 = tensor.empty() : tensor<8x128x12x64xf32>
  %v78 = linalg.transpose ins(%a77 : tensor<8x12x128x64xf32>) outs(%165 : tensor<8x128x12x64xf32>) permutation = [0, 2, 1, 3]
  %166 = tensor.empty() : tensor<12x64xf32>
  %167 = arith.constant 0.000000000e+00 : f32
  %168 = linalg.fill ins(%167 : f32) outs(%166 : tensor<12x64xf32>) -> tensor<12x64xf32>
  %v79 = linalg.generic {indexing_maps = [affine_map<(h, e, b, m) -> (b, m, h, e)>, affine_map<(h, e, b, m) -> (h, e)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%v78 : tensor<8x128x12x64xf32>) outs(%168 : tensor<12x64xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %169 = arith.addf %x0, %old : f32
    linalg.yield %169 : f32
  } -> tensor<12x64xf32>
  %170 = tensor.empty() : tensor<8x128x12x64xf32>
  %v81 = linalg.transpose ins(%a80 : tensor<8x12x128x64xf32>) outs(%170 : tensor<8x128x12x64xf32>) permutation = [0, 2, 1, 3]
  %171 = tensor.empty() : tensor<12x64xf32>
  %172 = arith.constant 0.000000000e+00 : f32
  %173 = linalg.fill ins(%172 : f32) outs(%171 : tensor<12x64xf32>) -> tensor<12x64xf32>
  %v82 = linalg.generic {indexing_maps = [affine_map<(h, e, b, m) -> (b, m, h, e)>, affine_map<(h, e, b, m) -> (h, e)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%v81 : tensor<8x128x12x64xf32>) outs(%173 : tensor<12x64xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %174 = arith.addf %x0, %old : f32
    linalg.yield %174 : f32
  } -> tensor<12x64xf32>
  %175 = tensor.empty() : tensor<8x128x768xf32>
  %v85 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a83, %a84 : tensor<8x128x768xf32>, tensor<8x128x768xf32>) outs(%175 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %176 = arith.addf %x0, %x1 : f32
    linalg.yield %176 : f32
  } -> tensor<8x128x768xf32>
  %177 = tensor.empty() : tensor<8x128x768xf32>
  %v87 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v85, %a86 : tensor<8x128x768xf32>, tensor<8x128x768xf32>) outs(%177 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %178 = arith.addf %x0, %x1 : f32
    linalg.yield %178 : f32
  } -> tensor<8x128x768xf32>
  %179 = tensor.empty() : tensor<8x128x768xf32>
  %v88 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v87, %v56 : tensor<8x128x768xf32>, tensor<8x128x768xf32>) outs(%179 : tensor<8x128x768xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %180 = arith.addf %x0, %x1 : f32
    linalg.yield %180 : f32
  } -> tensor<8x128x768xf32>
  return %v15, %v16, %v19, %v20, %v40, %v41, %v58, %v59, %v62, %v63, %v73, %v75, %v76, %v78, %v79, %v81, %v82, %v88 : tensor<768xf32>, tensor<768xf32>, tensor<8x128x768xf32>, tensor<768xf32>, tensor<8x128x3072xf32>, tensor<3072xf32>, tensor<768xf32>, tensor<768xf32>, tensor<8x128x768xf32>, tensor<768xf32>, tensor<8x12x128x128xf32>, tensor<8x128x12x64xf32>, tensor<12x64xf32>, tensor<8x128x12x64xf32>, tensor<12x64xf32>, tensor<8x128x12x64xf32>, tensor<12x64xf32>, tensor<8x128x768xf32>
}
