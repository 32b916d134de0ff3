func.func @chain(%a0: tensor<8x256x512xf32>, %a1: tensor<8x256x512xf32>, %a5: tensor<8x256x2048xf32>, %a6: tensor<8x256x2048xf32>, %a9: tensor<8x256x2048xf32>, %a12: tensor<8x256x512xf32>, %a13: tensor<8x256x512xf32>, %a14: tensor<8x256xf32>, %a15: tensor<512xf32>, %a30: tensor<8x256x512xf32>, %a34: tensor<8x8x256x256xf32>, %a35: tensor<8x8x256x256xf32>, %a38: tensor<8x8x256x256xf32>, %a43: tensor<8x8x256x64xf32>, %a47: tensor<8x256x512xf32>, %a48: tensor<8x256x512xf32>, %a49: tensor<8x256xf32>, %a50: tensor<512xf32>, %a65: tensor<8x256x512xf32>, %a69: tensor<8x8x256x256xf32>, %a70: tensor<8x8x256x256xf32>, %a73: tensor<8x8x256x256xf32>, %a79: tensor<8x8x256x64xf32>, %a83: tensor<8x256x512xf32>, %a84: tensor<8x256x512xf32>, %a85: tensor<8x256xf32>, %a86: tensor<512xf32>) -> (tensor<8x256x512xf32>, tensor<512xf32>, tensor<8x256x2048xf32>, tensor<2048xf32>, tensor<512xf32>, tensor<512xf32>, tensor<8x256x512xf32>, tensor<512xf32>, tensor<8x8x256x256xf32>, tensor<8x256x8x64xf32>, tensor<8x64xf32>, tensor<512xf32>, tensor<512xf32>, tensor<8x256x512xf32>, tensor<512xf32>, tensor<8x8x256x256xf32>, tensor<8x256x8x64xf32>, tensor<8x64xf32>, tensor<512xf32>, tensor<512xf32>, tensor<8x256x512xf32>) {
  %1 = tensor.empty() : tensor<8x256x512xf32>
  %v2 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a0, %a1 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%1 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %2 = arith.mulf %x0, %x1 : f32
    linalg.yield %2 : f32
  } -> tensor<8x256x512xf32>
  %3 = tensor.empty() : tensor<8x256x512xf32>
  %v3 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v2 : tensor<8x256x512xf32>) outs(%3 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %4 = arith.constant 1.111111111e+00 : f32
    %5 = arith.mulf %x0, %4 : f32
    linalg.yield %5 : f32
  } -> tensor<8x256x512xf32>
  %6 = tensor.empty() : tensor<512xf32>
  %7 = arith.constant 0.000000000e+00 : f32
  %8 = linalg.fill ins(%7 : f32) outs(%6 : tensor<512xf32>) -> tensor<512xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(d, b, m) -> (b, m, d)>, affine_map<(d, b, m) -> (d)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v3 : tensor<8x256x512xf32>) outs(%8 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %9 = arith.addf %x0, %old : f32
    linalg.yield %9 : f32
  } -> tensor<512xf32>
  %10 = tensor.empty() : tensor<8x256x2048xf32>
  %v7 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a5, %a6 : tensor<8x256x2048xf32>, tensor<8x256x2048xf32>) outs(%10 : tensor<8x256x2048xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %11 = arith.mulf %x0, %x1 : f32
    linalg.yield %11 : f32
  } -> tensor<8x256x2048xf32>
  %12 = tensor.empty() : tensor<8x256x2048xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v7 : tensor<8x256x2048xf32>) outs(%12 : tensor<8x256x2048xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %13 = arith.constant 1.111111111e+00 : f32
    %14 = arith.mulf %x0, %13 : f32
    linalg.yield %14 : f32
  } -> tensor<8x256x2048xf32>
  %15 = tensor.empty() : tensor<8x256x2048xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v8, %a9 : tensor<8x256x2048xf32>, tensor<8x256x2048xf32>) outs(%15 : tensor<8x256x2048xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %16 = arith.constant 0.000000000e+00 : f32
    %17 = arith.cmpf ogt, %x1, %16 : f32
    %18 = arith.constant 0.000000000e+00 : f32
    %19 = arith.select %17, %x0, %18 : f32
    linalg.yield %19 : f32
  } -> tensor<8x256x2048xf32>
  %20 = tensor.empty() : tensor<2048xf32>
  %21 = arith.constant 0.000000000e+00 : f32
  %22 = linalg.fill ins(%21 : f32) outs(%20 : tensor<2048xf32>) -> tensor<2048xf32>
  %v11 = linalg.generic {indexing_maps = [affine_map<(f, b, m) -> (b, m, f)>, affine_map<(f, b, m) -> (f)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v10 : tensor<8x256x2048xf32>) outs(%22 : tensor<2048xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %23 = arith.addf %x0, %old : f32
    linalg.yield %23 : f32
  } -> tensor<2048xf32>
  %24 = tensor.empty() : tensor<8x256x512xf32>
  %v16 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a12, %a15 : tensor<8x256x512xf32>, tensor<512xf32>) outs(%24 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %25 = arith.mulf %x0, %x1 : f32
    linalg.yield %25 : f32
  } -> tensor<8x256x512xf32>
  %26 = tensor.empty() : tensor<8x256xf32>
  %27 = arith.constant 0.000000000e+00 : f32
  %28 = linalg.fill ins(%27 : f32) outs(%26 : tensor<8x256xf32>) -> tensor<8x256xf32>
  %v17 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v16 : tensor<8x256x512xf32>) outs(%28 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %29 = arith.addf %x0, %old : f32
    linalg.yield %29 : f32
  } -> tensor<8x256xf32>
  %30 = tensor.empty() : tensor<8x256xf32>
  %v18 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v17 : tensor<8x256xf32>) outs(%30 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %31 = arith.constant 1.953125000e-03 : f32
    %32 = arith.mulf %x0, %31 : f32
    linalg.yield %32 : f32
  } -> tensor<8x256xf32>
  %33 = tensor.empty() : tensor<8x256x512xf32>
  %v19 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v16, %a13 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%33 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %34 = arith.mulf %x0, %x1 : f32
    linalg.yield %34 : f32
  } -> tensor<8x256x512xf32>
  %35 = tensor.empty() : tensor<8x256xf32>
  %36 = arith.constant 0.000000000e+00 : f32
  %37 = linalg.fill ins(%36 : f32) outs(%35 : tensor<8x256xf32>) -> tensor<8x256xf32>
  %v20 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v19 : tensor<8x256x512xf32>) outs(%37 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %38 = arith.addf %x0, %old : f32
    linalg.yield %38 : f32
  } -> tensor<8x256xf32>
  %39 = tensor.empty() : tensor<8x256xf32>
  %v21 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v20 : tensor<8x256xf32>) outs(%39 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %40 = arith.constant 1.953125000e-03 : f32
    %41 = arith.mulf %x0, %40 : f32
    linalg.yield %41 : f32
  } -> tensor<8x256xf32>
  %42 = tensor.empty() : tensor<8x256x512xf32>
  %v22 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v16, %v18 : tensor<8x256x512xf32>, tensor<8x256xf32>) outs(%42 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %43 = arith.subf %x0, %x1 : f32
    linalg.yield %43 : f32
  } -> tensor<8x256x512xf32>
  %44 = tensor.empty() : tensor<8x256x512xf32>
  %v23 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a13, %v21 : tensor<8x256x512xf32>, tensor<8x256xf32>) outs(%44 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %45 = arith.mulf %x0, %x1 : f32
    linalg.yield %45 : f32
  } -> tensor<8x256x512xf32>
  %46 = tensor.empty() : tensor<8x256x512xf32>
  %v24 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v22, %v23 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%46 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %47 = arith.subf %x0, %x1 : f32
    linalg.yield %47 : f32
  } -> tensor<8x256x512xf32>
  %48 = tensor.empty() : tensor<8x256x512xf32>
  %v25 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v24, %a14 : tensor<8x256x512xf32>, tensor<8x256xf32>) outs(%48 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %49 = arith.mulf %x0, %x1 : f32
    linalg.yield %49 : f32
  } -> tensor<8x256x512xf32>
  %50 = tensor.empty() : tensor<8x256x512xf32>
  %v26 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a12, %a13 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%50 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %51 = arith.mulf %x0, %x1 : f32
    linalg.yield %51 : f32
  } -> tensor<8x256x512xf32>
  %52 = tensor.empty() : tensor<512xf32>
  %53 = arith.constant 0.000000000e+00 : f32
  %54 = linalg.fill ins(%53 : f32) outs(%52 : tensor<512xf32>) -> tensor<512xf32>
  %v27 = linalg.generic {indexing_maps = [affine_map<(d, b, m) -> (b, m, d)>, affine_map<(d, b, m) -> (d)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v26 : tensor<8x256x512xf32>) outs(%54 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %55 = arith.addf %x0, %old : f32
    linalg.yield %55 : f32
  } -> tensor<512xf32>
  %56 = tensor.empty() : tensor<512xf32>
  %57 = arith.constant 0.000000000e+00 : f32
  %58 = linalg.fill ins(%57 : f32) outs(%56 : tensor<512xf32>) -> tensor<512xf32>
  %v28 = linalg.generic {indexing_maps = [affine_map<(d, b, m) -> (b, m, d)>, affine_map<(d, b, m) -> (d)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%a12 : tensor<8x256x512xf32>) outs(%58 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %59 = arith.addf %x0, %old : f32
    linalg.yield %59 : f32
  } -> tensor<512xf32>
  %60 = tensor.empty() : tensor<8x256x512xf32>
  %v29 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a0, %v25 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%60 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %61 = arith.addf %x0, %x1 : f32
    linalg.yield %61 : f32
  } -> tensor<8x256x512xf32>
  %62 = tensor.empty() : tensor<8x256x512xf32>
  %v31 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v29, %a30 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%62 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %63 = arith.mulf %x0, %x1 : f32
    linalg.yield %63 : f32
  } -> tensor<8x256x512xf32>
  %64 = tensor.empty() : tensor<8x256x512xf32>
  %v32 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v31 : tensor<8x256x512xf32>) outs(%64 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %65 = arith.constant 1.111111111e+00 : f32
    %66 = arith.mulf %x0, %65 : f32
    linalg.yield %66 : f32
  } -> tensor<8x256x512xf32>
  %67 = tensor.empty() : tensor<512xf32>
  %68 = arith.constant 0.000000000e+00 : f32
  %69 = linalg.fill ins(%68 : f32) outs(%67 : tensor<512xf32>) -> tensor<512xf32>
  %v33 = linalg.generic {indexing_maps = [affine_map<(d, b, m) -> (b, m, d)>, affine_map<(d, b, m) -> (d)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v32 : tensor<8x256x512xf32>) outs(%69 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %70 = arith.addf %x0, %old : f32
    linalg.yield %70 : f32
  } -> tensor<512xf32>
  %71 = tensor.empty() : tensor<8x8x256x256xf32>
  %v36 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a34, %a35 : tensor<8x8x256x256xf32>, tensor<8x8x256x256xf32>) outs(%71 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %72 = arith.mulf %x0, %x1 : f32
    linalg.yield %72 : f32
  } -> tensor<8x8x256x256xf32>
  %73 = tensor.empty() : tensor<8x8x256x256xf32>
  %v37 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v36 : tensor<8x8x256x256xf32>) outs(%73 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %74 = arith.constant 1.111111111e+00 : f32
    %75 = arith.mulf %x0, %74 : f32
    linalg.yield %75 : f32
  } -> tensor<8x8x256x256xf32>
  %76 = tensor.empty() : tensor<8x8x256x256xf32>
  %v39 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v37, %a38 : tensor<8x8x256x256xf32>, tensor<8x8x256x256xf32>) outs(%76 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %77 = arith.mulf %x0, %x1 : f32
    linalg.yield %77 : f32
  } -> tensor<8x8x256x256xf32>
  %78 = tensor.empty() : tensor<8x8x256xf32>
  %79 = arith.constant 0.000000000e+00 : f32
  %80 = linalg.fill ins(%79 : f32) outs(%78 : tensor<8x8x256xf32>) -> tensor<8x8x256xf32>
  %v40 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%v39 : tensor<8x8x256x256xf32>) outs(%80 : tensor<8x8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %81 = arith.addf %x0, %old : f32
    linalg.yield %81 : f32
  } -> tensor<8x8x256xf32>
  %82 = tensor.empty() : tensor<8x8x256x256xf32>
  %v41 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v37, %v40 : tensor<8x8x256x256xf32>, tensor<8x8x256xf32>) outs(%82 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %83 = arith.subf %x0, %x1 : f32
    linalg.yield %83 : f32
  } -> tensor<8x8x256x256xf32>
  %84 = tensor.empty() : tensor<8x8x256x256xf32>
  %v42 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a38, %v41 : tensor<8x8x256x256xf32>, tensor<8x8x256x256xf32>) outs(%84 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %85 = arith.mulf %x0, %x1 : f32
    linalg.yield %85 : f32
  } -> tensor<8x8x256x256xf32>
  %86 = tensor.empty() : tensor<8x256x8x64xf32>
  %v44 = linalg.transpose ins(%a43 : tensor<8x8x256x64xf32>) outs(%86 : tensor<8x256x8x64xf32>) permutation = [0, 2, 1, 3]
  %87 = tensor.empty() : tensor<8x8x256x256xf32>
  %v45 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v42 : tensor<8x8x256x256xf32>) outs(%87 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %88 = arith.constant 1.250000000e-01 : f32
    %89 = arith.mulf %x0, %88 : f32
    linalg.yield %89 : f32
  } -> tensor<8x8x256x256xf32>
  %90 = tensor.empty() : tensor<8x64xf32>
  %91 = arith.constant 0.000000000e+00 : f32
  %92 = linalg.fill ins(%91 : f32) outs(%90 : tensor<8x64xf32>) -> tensor<8x64xf32>
  %v46 = linalg.generic {indexing_maps = [affine_map<(h, e, b, m) -> (b, m, h, e)>, affine_map<(h, e, b, m) -> (h, e)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%v44 : tensor<8x256x8x64xf32>) outs(%92 : tensor<8x64xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %93 = arith.addf %x0, %old : f32
    linalg.yield %93 : f32
  } -> tensor<8x64xf32>
  %94 = tensor.empty() : tensor<8x256x512xf32>
  %v51 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a47, %a50 : tensor<8x256x512xf32>, tensor<512xf32>) outs(%94 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %95 = arith.mulf %x0, %x1 : f32
    linalg.yield %95 : f32
  } -> tensor<8x256x512xf32>
  %96 = tensor.empty() : tensor<8x256xf32>
  %97 = arith.constant 0.000000000e+00 : f32
  %98 = linalg.fill ins(%97 : f32) outs(%96 : tensor<8x256xf32>) -> tensor<8x256xf32>
  %v52 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v51 : tensor<8x256x512xf32>) outs(%98 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %99 = arith.addf %x0, %old : f32
    linalg.yield %99 : f32
  } -> tensor<8x256xf32>
  %100 = tensor.empty() : tensor<8x256xf32>
  %v53 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v52 : tensor<8x256xf32>) outs(%100 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %101 = arith.constant 1.953125000e-03 : f32
    %102 = arith.mulf %x0, %101 : f32
    linalg.yield %102 : f32
  } -> tensor<8x256xf32>
  %103 = tensor.empty() : tensor<8x256x512xf32>
  %v54 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v51, %a48 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%103 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %104 = arith.mulf %x0, %x1 : f32
    linalg.yield %104 : f32
  } -> tensor<8x256x512xf32>
  %105 = tensor.empty() : tensor<8x256xf32>
  %106 = arith.constant 0.000000000e+00 : f32
  %107 = linalg.fill ins(%106 : f32) outs(%105 : tensor<8x256xf32>) -> tensor<8x256xf32>
  %v55 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v54 : tensor<8x256x512xf32>) outs(%107 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %108 = arith.addf %x0, %old : f32
    linalg.yield %108 : f32
  } -> tensor<8x256xf32>
  %109 = tensor.empty() : tensor<8x256xf32>
  %v56 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v55 : tensor<8x256xf32>) outs(%109 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %110 = arith.constant 1.953125000e-03 : f32
    %111 = arith.mulf %x0, %110 : f32
    linalg.yield %111 : f32
  } -> tensor<8x256xf32>
  %112 = tensor.empty() : tensor<8x256x512xf32>
  %v57 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v51, %v53 : tensor<8x256x512xf32>, tensor<8x256xf32>) outs(%112 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %113 = arith.subf %x0, %x1 : f32
    linalg.yield %113 : f32
  } -> tensor<8x256x512xf32>
  %114 = tensor.empty() : tensor<8x256x512xf32>
  %v58 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a48, %v56 : tensor<8x256x512xf32>, tensor<8x256xf32>) outs(%114 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %115 = arith.mulf %x0, %x1 : f32
    linalg.yield %115 : f32
  } -> tensor<8x256x512xf32>
  %116 = tensor.empty() : tensor<8x256x512xf32>
  %v59 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v57, %v58 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%116 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %117 = arith.subf %x0, %x1 : f32
    linalg.yield %117 : f32
  } -> tensor<8x256x512xf32>
  %118 = tensor.empty() : tensor<8x256x512xf32>
  %v60 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v59, %a49 : tensor<8x256x512xf32>, tensor<8x256xf32>) outs(%118 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %119 = arith.mulf %x0, %x1 : f32
    linalg.yield %119 : f32
  } -> tensor<8x256x512xf32>
  %120 = tensor.empty() : tensor<8x256x512xf32>
  %v61 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a47, %a48 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%120 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %121 = arith.mulf %x0, %x1 : f32
    linalg.yield %121 : f32
  } -> tensor<8x256x512xf32>
  %122 = tensor.empty() : tensor<512xf32>
  %123 = arith.constant 0.000000000e+00 : f32
  %124 = linalg.fill ins(%123 : f32) outs(%122 : tensor<512xf32>) -> tensor<512xf32>
  %v62 = linalg.generic {indexing_maps = [affine_map<(d, b, m) -> (b, m, d)>, affine_map<(d, b, m) -> (d)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v61 : tensor<8x256x512xf32>) outs(%124 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %125 = arith.addf %x0, %old : f32
    linalg.yield %125 : f32
  } -> tensor<512xf32>
  %126 = tensor.empty() : tensor<512xf32>
  %127 = arith.constant 0.000000000e+00 : f32
  %128 = linalg.fill ins(%127 : f32) outs(%126 : tensor<512xf32>) -> tensor<512xf32>
  %v63 = linalg.generic {indexing_maps = [affine_map<(d, b, m) -> (b, m, d)>, affine_map<(d, b, m) -> (d)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%a47 : tensor<8x256x512xf32>) outs(%128 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %129 = arith.addf %x0, %old : f32
    linalg.yield %129 : f32
  } -> tensor<512xf32>
  %130 = tensor.empty() : tensor<8x256x512xf32>
  %v64 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v29, %v60 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%130 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %131 = arith.addf %x0, %x1 : f32
    linalg.yield %131 : f32
  } -> tensor<8x256x512xf32>
  %132 = tensor.empty() : tensor<8x256x512xf32>
  %v66 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v64, %a65 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%132 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %133 = arith.mulf %x0, %x1 : f32
    linalg.yield %133 : f32
  } -> tensor<8x256x512xf32>
  %134 = tensor.empty() : tensor<8x256x512xf32>
  %v67 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v66 : tensor<8x256x512xf32>) outs(%134 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %135 = arith.constant 1.111111111e+00 : f32
    %136 = arith.mulf %x0, %135 : f32
    linalg.yield %136 : f32
  } -> tensor<8x256x512xf32>
  %137 = tensor.empty() : tensor<512xf32>
  %138 = arith.constant 0.000000000e+00 : f32
  %139 = linalg.fill ins(%138 : f32) outs(%137 : tensor<512xf32>) -> tensor<512xf32>
  %v68 = linalg.generic {indexing_maps = [affine_map<(d, b, m) -> (b, m, d)>, affine_map<(d, b, m) -> (d)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v67 : tensor<8x256x512xf32>) outs(%139 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %140 = arith.addf %x0, %old : f32
    linalg.yield %140 : f32
  } -> tensor<512xf32>
  %141 = tensor.empty() : tensor<8x8x256x256xf32>
  %v71 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a69, %a70 : tensor<8x8x256x256xf32>, tensor<8x8x256x256xf32>) outs(%141 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %142 = arith.mulf %x0, %x1 : f32
    linalg.yield %142 : f32
  } -> tensor<8x8x256x256xf32>
  %143 = tensor.empty() : tensor<8x8x256x256xf32>
  %v72 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v71 : tensor<8x8x256x256xf32>) outs(%143 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %144 = arith.constant 1.111111111e+00 : f32
    %145 = arith.mulf %x0, %144 : f32
    linalg.yield %145 : f32
  } -> tensor<8x8x256x256xf32>
  %146 = tensor.empty() : tensor<8x8x256x256xf32>
  %v74 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v72, %a73 : tensor<8x8x256x256xf32>, tensor<8x8x256x256xf32>) outs(%146 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %147 = arith.mulf %x0, %x1 : f32
    linalg.yield %147 : f32
  } -> tensor<8x8x256x256xf32>
  %148 = tensor.empty() : tensor<8x8x256xf32>
  %149 = arith.constant 0.000000000e+00 : f32
  %150 = linalg.fill ins(%149 : f32) outs(%148 : tensor<8x8x256xf32>) -> tensor<8x8x256xf32>
  %v75 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%v74 : tensor<8x8x256x256xf32>) outs(%150 : tensor<8x8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %151 = arith.addf %x0, %old : f32
    linalg.yield %151 : f32
  } -> tensor<8x8x256xf32>
  %152 = tensor.empty() : tensor<8x8x256x256xf32>
  %v76 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v72, %v75 : tensor<8x8x256x256xf32>, tensor<8x8x256xf32>) outs(%152 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %153 = arith.subf %x0, %x1 : f32
    linalg.yield %153 : f32
  } -> tensor<8x8x256x256xf32>
  %154 = tensor.empty() : tensor<8x8x256x256xf32>
  %v77 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a73, %v76 : tensor<8x8x256x256xf32>, tensor<8x8x256x256xf32>) outs(%154 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %155 = arith.mulf %x0, %x1 : f32
    linalg.yield %155 : f32
  } -> tensor<8x8x256x256xf32>
  %156 = tensor.empty() : tensor<8x8x256x256xf32>
  %v78 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v77 : tensor<8x8x256x256xf32>) outs(%156 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %157 = linalg.index 3 : index
    %158 = linalg.index 2 : index
    %159 = arith.cmpi sle, %157, %158 : index
    %160 = arith.constant 0.000000000e+00 : f32
    %161 = arith.select %159, %x0, %160 : f32
    linalg.yield %161 : f32
  } -> tensor<8x8x256x256xf32>
  %162 = tensor.empty() : tensor<8x256x8x64xf32>
  %v80 = linalg.transpose ins(%a79 : tensor<8x8x256x64xf32>) outs(%162 : tensor<8x256x8x64xf32>) permutation = [0, 2, 1, 3]
  %163 = tensor.empty() : tensor<8x8x256x256xf32>
  %v81 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v78 : tensor<8x8x256x256xf32>) outs(%163 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %164 = arith.constant 1.250000000e-01 : f32
    %165 = arith.mulf %x0, %164 : f32
    linalg.yield %165 : f32
  } -> tensor<8x8x256x256xf32>
  %166 = tensor.empty() : tensor<8x64xf32>
  %167 = arith.constant 0.000000000e+00 : f32
  %168 = linalg.fill ins(%167 : f32) outs(%166 : tensor<8x64xf32>) -> tensor<8x64xf32>
  %v82 = linalg.generic {indexing_maps = [affine_map<(h, e, b, m) -> (b, m, h, e)>, affine_map<(h, e, b, m) -> (h, e)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%v80 : tensor<8x256x8x64xf32>) outs(%168 : tensor<8x64xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %169 = arith.addf %x0, %old : f32
    linalg.yield %169 : f32
  } -> tensor<8x64xf32>
  %170 = tensor.empty() : tensor<8x256x512xf32>
  %v87 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a83, %a86 : tensor<8x256x512xf32>, tensor<512xf32>) outs(%170 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %171 = arith.mulf %x0, %x1 : f32
    linalg.yield %171 : f32
  } -> tensor<8x256x512xf32>
  %172 = tensor.empty() : tensor<8x256xf32>
  %173 = arith.constant 0.000000000e+00 : f32
  %174 = linalg.fill ins(%173 : f32) outs(%172 : tensor<8x256xf32>) -> tensor<8x256xf32>
  %v88 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v87 : tensor<8x256x512xf32>) outs(%174 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %175 = arith.addf %x0, %old : f32
    linalg.yield %175 : f32
  } -> tensor<8x256xf32>
  %176 = tensor.empty() : tensor<8x256xf32>
  %v89 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v88 : tensor<8x256xf32>) outs(%176 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %177 = arith.constant 1.953125000e-03 : f32
    %178 = arith.mulf %x0, %177 : f32
    linalg.yield %178 : f32
  } -> tensor<8x256xf32>
  %179 = tensor.empty() : tensor<8x256x512xf32>
  %v90 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v87, %a84 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%179 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %180 = arith.mulf %x0, %x1 : f32
    linalg.yield %180 : f32
  } -> tensor<8x256x512xf32>
  %181 = tensor.empty() : tensor<8x256xf32>
  %182 = arith.constant 0.000000000e+00 : f32
  %183 = linalg.fill ins(%182 : f32) outs(%181 : tensor<8x256xf32>) -> tensor<8x256xf32>
  %v91 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v90 : tensor<8x256x512xf32>) outs(%183 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %184 = arith.addf %x0, %old : f32
    linalg.yield %184 : f32
  } -> tensor<8x256xf32>
  %185 = tensor.empty() : tensor<8x256xf32>
  %v92 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v91 : tensor<8x256xf32>) outs(%185 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %186 = arith.constant 1.953125000e-03 : f32
    %187 = arith.mulf %x0, %186 : f32
    linalg.yield %187 : f32
  } -> tensor<8x256xf32>
  %188 = tensor.empty() : tensor<8x256x512xf32>
  %v93 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v87, %v89 : tensor<8x256x512xf32>, tensor<8x256xf32>) outs(%188 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %189 = arith.subf %x0, %x1 : f32
    linalg.yield %189 : f32
  } -> tensor<8x256x512xf32>
  %190 = tensor.empty() : tensor<8x256x512xf32>
  %v94 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a84, %v92 : tensor<8x256x512xf32>, tensor<8x256xf32>) outs(%190 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %191 = arith.mulf %x0, %x1 : f32
    linalg.yield %191 : f32
  } -> tensor<8x256x512xf32>
  %192 = tensor.empty() : tensor<8x256x512xf32>
  %v95 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v93, %v94 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%192 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %193 = arith.subf %x0, %x1 : f32
    linalg.yield %193 : f32
  } -> tensor<8x256x512xf32>
  %194 = tensor.empty() : tensor<8x256x512xf32>
  %v96 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v95, %a85 : tensor<8x256x512xf32>, tensor<8x256xf32>) outs(%194 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %195 = arith.mulf %x0, %x1 : f32
    linalg.yield %195 : f32
  } -> tensor<8x256x512xf32>
  %196 = tensor.empty() : tensor<8x256x512xf32>
  %v97 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a83, %a84 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%196 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %197 = arith.mulf %x0, %x1 : f32
    linalg.yield %197 : f32
  } -> tensor<8x256x512xf32>
  %198 = tensor.empty() : tensor<512xf32>
  %199 = arith.constant 0.000000000e+00 : f32
  %200 = linalg.fill ins(%199 : f32) outs(%198 : tensor<512xf32>) -> tensor<512xf32>
  %v98 = linalg.generic {indexing_maps = [affine_map<(d, b, m) -> (b, m, d)>, affine_map<(d, b, m) -> (d)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v97 : tensor<8x256x512xf32>) outs(%200 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %201 = arith.addf %x0, %old : f32
    linalg.yield %201 : f32
  } -> tensor<512xf32>
  %202 = tensor.empty() : tensor<512xf32>
  %203 = arith.constant 0.000000000e+00 : f32
  %204 = linalg.fill ins(%203 : f32) outs(%202 : tensor<512xf32>) -> tensor<512xf32>
  %v99 = linalg.generic {indexing_maps = [affine_map<(d, b, m) -> (b, m, d)>, affine_map<(d, b, m) -> (d)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%a83 : tensor<8x256x512xf32>) outs(%204 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %205 = arith.addf %x0, %old : f32
    linalg.yield %205 : f32
  } -> tensor<512xf32>
  %206 = tensor.empty() : tensor<8x256x512xf32>
  %v100 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v64, %v96 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%206 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %207 = arith.addf %x0, %x1 : f32
    linalg.yield %207 : f32
  } -> tensor<8x256x512xf32>
  return %v3, %v4, %v10, %v11, %v27, %v28, %v32, %v33, %v45, %v44, %v46, %v62, %v63, %v67, %v68, %v81, %v80, %v82, %v98, %v99, %v100 : tensor<8x256x512xf32>, tensor<512xf32>, tensor<8x256x2048xf32>, tensor<2048xf32>, tensor<512xf32>, tensor<512xf32>, tensor<8x256x512xf32>, tensor<512xf32>, tensor<8x8x256x256xf32>, tensor<8x256x8x64xf32>, tensor<8x64xf32>, tensor<512xf32>, tensor<512xf32>, tensor<8x256x512xf32>, tensor<512xf32>, tensor<8x8x256x256xf32>, tensor<8x256x8x64xf32>, tensor<8x64xf32>, tensor<512xf32>, tensor<512xf32>, tensor<8x256x512xf32>
}
