func.func @chain(%a0: tensor<8x256x512xf32>, %a1: tensor<8x256x512xf32>, %a2: tensor<8x256xf32>, %a3: tensor<512xf32>, %a17: tensor<8x256x512xf32>, %a21: tensor<8x256x2048xf32>, %a22: tensor<8x256x2048xf32>, %a25: tensor<8x256x2048xf32>, %a28: tensor<8x256x512xf32>, %a30: tensor<8x256x512xf32>, %a31: tensor<8x256xf32>, %a32: tensor<512xf32>, %a46: tensor<8x256x512xf32>, %a50: tensor<8x8x256x256xf32>, %a51: tensor<8x8x256x256xf32>, %a54: tensor<8x8x256x256xf32>, %a59: tensor<8x8x256x64xf32>, %a63: tensor<8x256x512xf32>, %a65: tensor<8x256x512xf32>, %a66: tensor<8x256xf32>, %a67: tensor<512xf32>, %a81: tensor<8x256x512xf32>, %a85: tensor<8x8x256x256xf32>, %a86: tensor<8x8x256x256xf32>, %a89: tensor<8x8x256x256xf32>, %a95: tensor<8x8x256x64xf32>, %a99: tensor<8x256x512xf32>) -> (tensor<512xf32>, tensor<512xf32>, tensor<8x256x512xf32>, tensor<512xf32>, tensor<8x256x2048xf32>, tensor<2048xf32>, tensor<512xf32>, tensor<512xf32>, tensor<8x256x512xf32>, tensor<512xf32>, tensor<8x8x256x256xf32>, tensor<8x256x8x64xf32>, tensor<8x64xf32>, tensor<512xf32>, tensor<512xf32>, tensor<8x256x512xf32>, tensor<512xf32>, tensor<8x8x256x256xf32>, tensor<8x256x8x64xf32>, tensor<8x64xf32>, tensor<8x256x512xf32>) {
  %1 = tensor.empty() : tensor<8x256x512xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a0, %a3 : tensor<8x256x512xf32>, tensor<512xf32>) outs(%1 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %2 = arith.mulf %x0, %x1 : f32
    linalg.yield %2 : f32
  } -> tensor<8x256x512xf32>
  %3 = tensor.empty() : tensor<8x256xf32>
  %4 = arith.constant 0.000000000e+00 : f32
  %5 = linalg.fill ins(%4 : f32) outs(%3 : tensor<8x256xf32>) -> tensor<8x256xf32>
  %v5 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v4 : tensor<8x256x512xf32>) outs(%5 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %6 = arith.addf %x0, %old : f32
    linalg.yield %6 : f32
  } -> tensor<8x256xf32>
  %7 = tensor.empty() : tensor<8x256xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v5 : tensor<8x256xf32>) outs(%7 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %8 = arith.constant 1.953125000e-03 : f32
    %9 = arith.mulf %x0, %8 : f32
    linalg.yield %9 : f32
  } -> tensor<8x256xf32>
  %10 = tensor.empty() : tensor<8x256x512xf32>
  %v7 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v4, %a1 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%10 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %11 = arith.mulf %x0, %x1 : f32
    linalg.yield %11 : f32
  } -> tensor<8x256x512xf32>
  %12 = tensor.empty() : tensor<8x256xf32>
  %13 = arith.constant 0.000000000e+00 : f32
  %14 = linalg.fill ins(%13 : f32) outs(%12 : tensor<8x256xf32>) -> tensor<8x256xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v7 : tensor<8x256x512xf32>) outs(%14 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %15 = arith.addf %x0, %old : f32
    linalg.yield %15 : f32
  } -> tensor<8x256xf32>
  %16 = tensor.empty() : tensor<8x256xf32>
  %v9 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v8 : tensor<8x256xf32>) outs(%16 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %17 = arith.constant 1.953125000e-03 : f32
    %18 = arith.mulf %x0, %17 : f32
    linalg.yield %18 : f32
  } -> tensor<8x256xf32>
  %19 = tensor.empty() : tensor<8x256x512xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v4, %v6 : tensor<8x256x512xf32>, tensor<8x256xf32>) outs(%19 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %20 = arith.subf %x0, %x1 : f32
    linalg.yield %20 : f32
  } -> tensor<8x256x512xf32>
  %21 = tensor.empty() : tensor<8x256x512xf32>
  %v11 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a1, %v9 : tensor<8x256x512xf32>, tensor<8x256xf32>) outs(%21 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %22 = arith.mulf %x0, %x1 : f32
    linalg.yield %22 : f32
  } -> tensor<8x256x512xf32>
  %23 = tensor.empty() : tensor<8x256x512xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v10, %v11 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%23 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %24 = arith.subf %x0, %x1 : f32
    linalg.yield %24 : f32
  } -> tensor<8x256x512xf32>
  %25 = tensor.empty() : tensor<8x256x512xf32>
  %v13 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v12, %a2 : tensor<8x256x512xf32>, tensor<8x256xf32>) outs(%25 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %26 = arith.mulf %x0, %x1 : f32
    linalg.yield %26 : f32
  } -> tensor<8x256x512xf32>
  %27 = tensor.empty() : tensor<8x256x512xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a0, %a1 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%27 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %28 = arith.mulf %x0, %x1 : f32
    linalg.yield %28 : f32
  } -> tensor<8x256x512xf32>
  %29 = tensor.empty() : tensor<512xf32>
  %30 = arith.constant 0.000000000e+00 : f32
  %31 = linalg.fill ins(%30 : f32) outs(%29 : tensor<512xf32>) -> tensor<512xf32>
  %v15 = linalg.generic {indexing_maps = [affine_map<(d, b, m) -> (b, m, d)>, affine_map<(d, b, m) -> (d)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v14 : tensor<8x256x512xf32>) outs(%31 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %32 = arith.addf %x0, %old : f32
    linalg.yield %32 : f32
  } -> tensor<512xf32>
  %33 = tensor.empty() : tensor<512xf32>
  %34 = arith.constant 0.000000000e+00 : f32
  %35 = linalg.fill ins(%34 : f32) outs(%33 : tensor<512xf32>) -> tensor<512xf32>
  %v16 = linalg.generic {indexing_maps = [affine_map<(d, b, m) -> (b, m, d)>, affine_map<(d, b, m) -> (d)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%a0 : tensor<8x256x512xf32>) outs(%35 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %36 = arith.addf %x0, %old : f32
    linalg.yield %36 : f32
  } -> tensor<512xf32>
  %37 = tensor.empty() : tensor<8x256x512xf32>
  %v18 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v13, %a17 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%37 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %38 = arith.mulf %x0, %x1 : f32
    linalg.yield %38 : f32
  } -> tensor<8x256x512xf32>
  %39 = tensor.empty() : tensor<8x256x512xf32>
  %v19 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v18 : tensor<8x256x512xf32>) outs(%39 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %40 = arith.constant 1.111111111e+00 : f32
    %41 = arith.mulf %x0, %40 : f32
    linalg.yield %41 : f32
  } -> tensor<8x256x512xf32>
  %42 = tensor.empty() : tensor<512xf32>
  %43 = arith.constant 0.000000000e+00 : f32
  %44 = linalg.fill ins(%43 : f32) outs(%42 : tensor<512xf32>) -> tensor<512xf32>
  %v20 = linalg.generic {indexing_maps = [affine_map<(d, b, m) -> (b, m, d)>, affine_map<(d, b, m) -> (d)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v19 : tensor<8x256x512xf32>) outs(%44 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %45 = arith.addf %x0, %old : f32
    linalg.yield %45 : f32
  } -> tensor<512xf32>
  %46 = tensor.empty() : tensor<8x256x2048xf32>
  %v23 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a21, %a22 : tensor<8x256x2048xf32>, tensor<8x256x2048xf32>) outs(%46 : tensor<8x256x2048xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %47 = arith.mulf %x0, %x1 : f32
    linalg.yield %47 : f32
  } -> tensor<8x256x2048xf32>
  %48 = tensor.empty() : tensor<8x256x2048xf32>
  %v24 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v23 : tensor<8x256x2048xf32>) outs(%48 : tensor<8x256x2048xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %49 = arith.constant 1.111111111e+00 : f32
    %50 = arith.mulf %x0, %49 : f32
    linalg.yield %50 : f32
  } -> tensor<8x256x2048xf32>
  %51 = tensor.empty() : tensor<8x256x2048xf32>
  %v26 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v24, %a25 : tensor<8x256x2048xf32>, tensor<8x256x2048xf32>) outs(%51 : tensor<8x256x2048xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %52 = arith.constant 0.000000000e+00 : f32
    %53 = arith.cmpf ogt, %x1, %52 : f32
    %54 = arith.constant 0.000000000e+00 : f32
    %55 = arith.select %53, %x0, %54 : f32
    linalg.yield %55 : f32
  } -> tensor<8x256x2048xf32>
  %56 = tensor.empty() : tensor<2048xf32>
  %57 = arith.constant 0.000000000e+00 : f32
  %58 = linalg.fill ins(%57 : f32) outs(%56 : tensor<2048xf32>) -> tensor<2048xf32>
  %v27 = linalg.generic {indexing_maps = [affine_map<(f, b, m) -> (b, m, f)>, affine_map<(f, b, m) -> (f)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v26 : tensor<8x256x2048xf32>) outs(%58 : tensor<2048xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %59 = arith.addf %x0, %old : f32
    linalg.yield %59 : f32
  } -> tensor<2048xf32>
  %60 = tensor.empty() : tensor<8x256x512xf32>
  %v29 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a28, %v13 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%60 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %61 = arith.addf %x0, %x1 : f32
    linalg.yield %61 : f32
  } -> tensor<8x256x512xf32>
  %62 = tensor.empty() : tensor<8x256x512xf32>
  %v33 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v29, %a32 : tensor<8x256x512xf32>, tensor<512xf32>) outs(%62 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %63 = arith.mulf %x0, %x1 : f32
    linalg.yield %63 : f32
  } -> tensor<8x256x512xf32>
  %64 = tensor.empty() : tensor<8x256xf32>
  %65 = arith.constant 0.000000000e+00 : f32
  %66 = linalg.fill ins(%65 : f32) outs(%64 : tensor<8x256xf32>) -> tensor<8x256xf32>
  %v34 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v33 : tensor<8x256x512xf32>) outs(%66 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %67 = arith.addf %x0, %old : f32
    linalg.yield %67 : f32
  } -> tensor<8x256xf32>
  %68 = tensor.empty() : tensor<8x256xf32>
  %v35 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v34 : tensor<8x256xf32>) outs(%68 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %69 = arith.constant 1.953125000e-03 : f32
    %70 = arith.mulf %x0, %69 : f32
    linalg.yield %70 : f32
  } -> tensor<8x256xf32>
  %71 = tensor.empty() : tensor<8x256x512xf32>
  %v36 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v33, %a30 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%71 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %72 = arith.mulf %x0, %x1 : f32
    linalg.yield %72 : f32
  } -> tensor<8x256x512xf32>
  %73 = tensor.empty() : tensor<8x256xf32>
  %74 = arith.constant 0.000000000e+00 : f32
  %75 = linalg.fill ins(%74 : f32) outs(%73 : tensor<8x256xf32>) -> tensor<8x256xf32>
  %v37 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v36 : tensor<8x256x512xf32>) outs(%75 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %76 = arith.addf %x0, %old : f32
    linalg.yield %76 : f32
  } -> tensor<8x256xf32>
  %77 = tensor.empty() : tensor<8x256xf32>
  %v38 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v37 : tensor<8x256xf32>) outs(%77 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %78 = arith.constant 1.953125000e-03 : f32
    %79 = arith.mulf %x0, %78 : f32
    linalg.yield %79 : f32
  } -> tensor<8x256xf32>
  %80 = tensor.empty() : tensor<8x256x512xf32>
  %v39 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v33, %v35 : tensor<8x256x512xf32>, tensor<8x256xf32>) outs(%80 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %81 = arith.subf %x0, %x1 : f32
    linalg.yield %81 : f32
  } -> tensor<8x256x512xf32>
  %82 = tensor.empty() : tensor<8x256x512xf32>
  %v40 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a30, %v38 : tensor<8x256x512xf32>, tensor<8x256xf32>) outs(%82 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %83 = arith.mulf %x0, %x1 : f32
    linalg.yield %83 : f32
  } -> tensor<8x256x512xf32>
  %84 = tensor.empty() : tensor<8x256x512xf32>
  %v41 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v39, %v40 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%84 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %85 = arith.subf %x0, %x1 : f32
    linalg.yield %85 : f32
  } -> tensor<8x256x512xf32>
  %86 = tensor.empty() : tensor<8x256x512xf32>
  %v42 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v41, %a31 : tensor<8x256x512xf32>, tensor<8x256xf32>) outs(%86 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %87 = arith.mulf %x0, %x1 : f32
    linalg.yield %87 : f32
  } -> tensor<8x256x512xf32>
  %88 = tensor.empty() : tensor<8x256x512xf32>
  %v43 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v29, %a30 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%88 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %89 = arith.mulf %x0, %x1 : f32
    linalg.yield %89 : f32
  } -> tensor<8x256x512xf32>
  %90 = tensor.empty() : tensor<512xf32>
  %91 = arith.constant 0.000000000e+00 : f32
  %92 = linalg.fill ins(%91 : f32) outs(%90 : tensor<512xf32>) -> tensor<512xf32>
  %v44 = linalg.generic {indexing_maps = [affine_map<(d, b, m) -> (b, m, d)>, affine_map<(d, b, m) -> (d)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v43 : tensor<8x256x512xf32>) outs(%92 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %93 = arith.addf %x0, %old : f32
    linalg.yield %93 : f32
  } -> tensor<512xf32>
  %94 = tensor.empty() : tensor<512xf32>
  %95 = arith.constant 0.000000000e+00 : f32
  %96 = linalg.fill ins(%95 : f32) outs(%94 : tensor<512xf32>) -> tensor<512xf32>
  %v45 = linalg.generic {indexing_maps = [affine_map<(d, b, m) -> (b, m, d)>, affine_map<(d, b, m) -> (d)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v29 : tensor<8x256x512xf32>) outs(%96 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %97 = arith.addf %x0, %old : f32
    linalg.yield %97 : f32
  } -> tensor<512xf32>
  %98 = tensor.empty() : tensor<8x256x512xf32>
  %v47 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v42, %a46 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%98 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %99 = arith.mulf %x0, %x1 : f32
    linalg.yield %99 : f32
  } -> tensor<8x256x512xf32>
  %100 = tensor.empty() : tensor<8x256x512xf32>
  %v48 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v47 : tensor<8x256x512xf32>) outs(%100 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %101 = arith.constant 1.111111111e+00 : f32
    %102 = arith.mulf %x0, %101 : f32
    linalg.yield %102 : f32
  } -> tensor<8x256x512xf32>
  %103 = tensor.empty() : tensor<512xf32>
  %104 = arith.constant 0.000000000e+00 : f32
  %105 = linalg.fill ins(%104 : f32) outs(%103 : tensor<512xf32>) -> tensor<512xf32>
  %v49 = linalg.generic {indexing_maps = [affine_map<(d, b, m) -> (b, m, d)>, affine_map<(d, b, m) -> (d)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v48 : tensor<8x256x512xf32>) outs(%105 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %106 = arith.addf %x0, %old : f32
    linalg.yield %106 : f32
  } -> tensor<512xf32>
  %107 = tensor.empty() : tensor<8x8x256x256xf32>
  %v52 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a50, %a51 : tensor<8x8x256x256xf32>, tensor<8x8x256x256xf32>) outs(%107 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %108 = arith.mulf %x0, %x1 : f32
    linalg.yield %108 : f32
  } -> tensor<8x8x256x256xf32>
  %109 = tensor.empty() : tensor<8x8x256x256xf32>
  %v53 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v52 : tensor<8x8x256x256xf32>) outs(%109 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %110 = arith.constant 1.111111111e+00 : f32
    %111 = arith.mulf %x0, %110 : f32
    linalg.yield %111 : f32
  } -> tensor<8x8x256x256xf32>
  %112 = tensor.empty() : tensor<8x8x256x256xf32>
  %v55 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v53, %a54 : tensor<8x8x256x256xf32>, tensor<8x8x256x256xf32>) outs(%112 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %113 = arith.mulf %x0, %x1 : f32
    linalg.yield %113 : f32
  } -> tensor<8x8x256x256xf32>
  %114 = tensor.empty() : tensor<8x8x256xf32>
  %115 = arith.constant 0.000000000e+00 : f32
  %116 = linalg.fill ins(%115 : f32) outs(%114 : tensor<8x8x256xf32>) -> tensor<8x8x256xf32>
  %v56 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%v55 : tensor<8x8x256x256xf32>) outs(%116 : tensor<8x8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %117 = arith.addf %x0, %old : f32
    linalg.yield %117 : f32
  } -> tensor<8x8x256xf32>
  %118 = tensor.empty() : tensor<8x8x256x256xf32>
  %v57 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v53, %v56 : tensor<8x8x256x256xf32>, tensor<8x8x256xf32>) outs(%118 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %119 = arith.subf %x0, %x1 : f32
    linalg.yield %119 : f32
  } -> tensor<8x8x256x256xf32>
  %120 = tensor.empty() : tensor<8x8x256x256xf32>
  %v58 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a54, %v57 : tensor<8x8x256x256xf32>, tensor<8x8x256x256xf32>) outs(%120 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %121 = arith.mulf %x0, %x1 : f32
    linalg.yield %121 : f32
  } -> tensor<8x8x256x256xf32>
  %122 = tensor.empty() : tensor<8x256x8x64xf32>
  %v60 = linalg.transpose ins(%a59 : tensor<8x8x256x64xf32>) outs(%122 : tensor<8x256x8x64xf32>) permutation = [0, 2, 1, 3]
  %123 = tensor.empty() : tensor<8x8x256x256xf32>
  %v61 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v58 : tensor<8x8x256x256xf32>) outs(%123 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %124 = arith.constant 1.250000000e-01 : f32
    %125 = arith.mulf %x0, %124 : f32
    linalg.yield %125 : f32
  } -> tensor<8x8x256x256xf32>
  %126 = tensor.empty() : tensor<8x64xf32>
  %127 = arith.constant 0.000000000e+00 : f32
  %128 = linalg.fill ins(%127 : f32) outs(%126 : tensor<8x64xf32>) -> tensor<8x64xf32>
  %v62 = linalg.generic {indexing_maps = [affine_map<(h, e, b, m) -> (b, m, h, e)>, affine_map<(h, e, b, m) -> (h, e)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%v60 : tensor<8x256x8x64xf32>) outs(%128 : tensor<8x64xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %129 = arith.addf %x0, %old : f32
    linalg.yield %129 : f32
  } -> tensor<8x64xf32>
  %130 = tensor.empty() : tensor<8x256x512xf32>
  %v64 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a63, %v42 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%130 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %131 = arith.addf %x0, %x1 : f32
    linalg.yield %131 : f32
  } -> tensor<8x256x512xf32>
  %132 = tensor.empty() : tensor<8x256x512xf32>
  %v68 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v64, %a67 : tensor<8x256x512xf32>, tensor<512xf32>) outs(%132 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %133 = arith.mulf %x0, %x1 : f32
    linalg.yield %133 : f32
  } -> tensor<8x256x512xf32>
  %134 = tensor.empty() : tensor<8x256xf32>
  %135 = arith.constant 0.000000000e+00 : f32
  %136 = linalg.fill ins(%135 : f32) outs(%134 : tensor<8x256xf32>) -> tensor<8x256xf32>
  %v69 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v68 : tensor<8x256x512xf32>) outs(%136 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %137 = arith.addf %x0, %old : f32
    linalg.yield %137 : f32
  } -> tensor<8x256xf32>
  %138 = tensor.empty() : tensor<8x256xf32>
  %v70 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v69 : tensor<8x256xf32>) outs(%138 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %139 = arith.constant 1.953125000e-03 : f32
    %140 = arith.mulf %x0, %139 : f32
    linalg.yield %140 : f32
  } -> tensor<8x256xf32>
  %141 = tensor.empty() : tensor<8x256x512xf32>
  %v71 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v68, %a65 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%141 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %142 = arith.mulf %x0, %x1 : f32
    linalg.yield %142 : f32
  } -> tensor<8x256x512xf32>
  %143 = tensor.empty() : tensor<8x256xf32>
  %144 = arith.constant 0.000000000e+00 : f32
  %145 = linalg.fill ins(%144 : f32) outs(%143 : tensor<8x256xf32>) -> tensor<8x256xf32>
  %v72 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v71 : tensor<8x256x512xf32>) outs(%145 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %146 = arith.addf %x0, %old : f32
    linalg.yield %146 : f32
  } -> tensor<8x256xf32>
  %147 = tensor.empty() : tensor<8x256xf32>
  %v73 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v72 : tensor<8x256xf32>) outs(%147 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %148 = arith.constant 1.953125000e-03 : f32
    %149 = arith.mulf %x0, %148 : f32
    linalg.yield %149 : f32
  } -> tensor<8x256xf32>
  %150 = tensor.empty() : tensor<8x256x512xf32>
  %v74 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v68, %v70 : tensor<8x256x512xf32>, tensor<8x256xf32>) outs(%150 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %151 = arith.subf %x0, %x1 : f32
    linalg.yield %151 : f32
  } -> tensor<8x256x512xf32>
  %152 = tensor.empty() : tensor<8x256x512xf32>
  %v75 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a65, %v73 : tensor<8x256x512xf32>, tensor<8x256xf32>) outs(%152 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %153 = arith.mulf %x0, %x1 : f32
    linalg.yield %153 : f32
  } -> tensor<8x256x512xf32>
  %154 = tensor.empty() : tensor<8x256x512xf32>
  %v76 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v74, %v75 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%154 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %155 = arith.subf %x0, %x1 : f32
    linalg.yield %155 : f32
  } -> tensor<8x256x512xf32>
  %156 = tensor.empty() : tensor<8x256x512xf32>
  %v77 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v76, %a66 : tensor<8x256x512xf32>, tensor<8x256xf32>) outs(%156 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %157 = arith.mulf %x0, %x1 : f32
    linalg.yield %157 : f32
  } -> tensor<8x256x512xf32>
  %158 = tensor.empty() : tensor<8x256x512xf32>
  %v78 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v64, %a65 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%158 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %159 = arith.mulf %x0, %x1 : f32
    linalg.yield %159 : f32
  } -> tensor<8x256x512xf32>
  %160 = tensor.empty() : tensor<512xf32>
  %161 = arith.constant 0.000000000e+00 : f32
  %162 = linalg.fill ins(%161 : f32) outs(%160 : tensor<512xf32>) -> tensor<512xf32>
  %v79 = linalg.generic {indexing_maps = [affine_map<(d, b, m) -> (b, m, d)>, affine_map<(d, b, m) -> (d)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v78 : tensor<8x256x512xf32>) outs(%162 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %163 = arith.addf %x0, %old : f32
    linalg.yield %163 : f32
  } -> tensor<512xf32>
  %164 = tensor.empty() : tensor<512xf32>
  %165 = arith.constant 0.000000000e+00 : f32
  %166 = linalg.fill ins(%165 : f32) outs(%164 : tensor<512xf32>) -> tensor<512xf32>
  %v80 = linalg.generic {indexing_maps = [affine_map<(d, b, m) -> (b, m, d)>, affine_map<(d, b, m) -> (d)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v64 : tensor<8x256x512xf32>) outs(%166 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %167 = arith.addf %x0, %old : f32
    linalg.yield %167 : f32
  } -> tensor<512xf32>
  %168 = tensor.empty() : tensor<8x256x512xf32>
  %v82 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v77, %a81 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%168 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %169 = arith.mulf %x0, %x1 : f32
    linalg.yield %169 : f32
  } -> tensor<8x256x512xf32>
  %170 = tensor.empty() : tensor<8x256x512xf32>
  %v83 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v82 : tensor<8x256x512xf32>) outs(%170 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %171 = arith.constant 1.111111111e+00 : f32
    %172 = arith.mulf %x0, %171 : f32
    linalg.yield %172 : f32
  } -> tensor<8x256x512xf32>
  %173 = tensor.empty() : tensor<512xf32>
  %174 = arith.constant 0.000000000e+00 : f32
  %175 = linalg.fill ins(%174 : f32) outs(%173 : tensor<512xf32>) -> tensor<512xf32>
  %v84 = linalg.generic {indexing_maps = [affine_map<(d, b, m) -> (b, m, d)>, affine_map<(d, b, m) -> (d)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v83 : tensor<8x256x512xf32>) outs(%175 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %176 = arith.addf %x0, %old : f32
    linalg.yield %176 : f32
  } -> tensor<512xf32>
  %177 = tensor.empty() : tensor<8x8x256x256xf32>
  %v87 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a85, %a86 : tensor<8x8x256x256xf32>, tensor<8x8x256x256xf32>) outs(%177 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %178 = arith.mulf %x0, %x1 : f32
    linalg.yield %178 : f32
  } -> tensor<8x8x256x256xf32>
  %179 = tensor.empty() : tensor<8x8x256x256xf32>
  %v88 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v87 : tensor<8x8x256x256xf32>) outs(%179 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %180 = arith.constant 1.111111111e+00 : f32
    %181 = arith.mulf %x0, %180 : f32
    linalg.yield %181 : f32
  } -> tensor<8x8x256x256xf32>
  %182 = tensor.empty() : tensor<8x8x256x256xf32>
  %v90 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v88, %a89 : tensor<8x8x256x256xf32>, tensor<8x8x256x256xf32>) outs(%182 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %183 = arith.mulf %x0, %x1 : f32
    linalg.yield %183 : f32
  } -> tensor<8x8x256x256xf32>
  %184 = tensor.empty() : tensor<8x8x256xf32>
  %185 = arith.constant 0.000000000e+00 : f32
  %186 = linalg.fill ins(%185 : f32) outs(%184 : tensor<8x8x256xf32>) -> tensor<8x8x256xf32>
  %v91 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%v90 : tensor<8x8x256x256xf32>) outs(%186 : tensor<8x8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %187 = arith.addf %x0, %old : f32
    linalg.yield %187 : f32
  } -> tensor<8x8x256xf32>
  %188 = tensor.empty() : tensor<8x8x256x256xf32>
  %v92 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v88, %v91 : tensor<8x8x256x256xf32>, tensor<8x8x256xf32>) outs(%188 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %189 = arith.subf %x0, %x1 : f32
    linalg.yield %189 : f32
  } -> tensor<8x8x256x256xf32>
  %190 = tensor.empty() : tensor<8x8x256x256xf32>
  %v93 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a89, %v92 : tensor<8x8x256x256xf32>, tensor<8x8x256x256xf32>) outs(%190 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %191 = arith.mulf %x0, %x1 : f32
    linalg.yield %191 : f32
  } -> tensor<8x8x256x256xf32>
  %192 = tensor.empty() : tensor<8x8x256x256xf32>
  %v94 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v93 : tensor<8x8x256x256xf32>) outs(%192 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %193 = linalg.index 3 : index
    %194 = linalg.index 2 : index
    %195 = arith.cmpi sle, %193, %194 : index
    %196 = arith.constant 0.000000000e+00 : f32
    %197 = arith.select %195, %x0, %196 : f32
    linalg.yield %197 : f32
  } -> tensor<8x8x256x256xf32>
  %198 = tensor.empty() : tensor<8x256x8x64xf32>
  %v96 = linalg.transpose ins(%a95 : tensor<8x8x256x64xf32>) outs(%198 : tensor<8x256x8x64xf32>) permutation = [0, 2, 1, 3]
  %199 = tensor.empty() : tensor<8x8x256x256xf32>
  %v97 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v94 : tensor<8x8x256x256xf32>) outs(%199 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %200 = arith.constant 1.250000000e-01 : f32
    %201 = arith.mulf %x0, %200 : f32
    linalg.yield %201 : f32
  } -> tensor<8x8x256x256xf32>
  %202 = tensor.empty() : tensor<8x64xf32>
  %203 = arith.constant 0.000000000e+00 : f32
  %204 = linalg.fill ins(%203 : f32) outs(%202 : tensor<8x64xf32>) -> tensor<8x64xf32>
  %v98 = linalg.generic {indexing_maps = [affine_map<(h, e, b, m) -> (b, m, h, e)>, affine_map<(h, e, b, m) -> (h, e)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%v96 : tensor<8x256x8x64xf32>) outs(%204 : tensor<8x64xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %205 = arith.addf %x0, %old : f32
    linalg.yield %205 : f32
  } -> tensor<8x64xf32>
  %206 = tensor.empty() : tensor<8x256x512xf32>
  %v100 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a99, %v77 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%206 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %207 = arith.addf %x0, %x1 : f32
    linalg.yield %207 : f32
  } -> tensor<8x256x512xf32>
  return %v15, %v16, %v19, %v20, %v26, %v27, %v44, %v45, %v48, %v49, %v61, %v60, %v62, %v79, %v80, %v83, %v84, %v97, %v96, %v98, %v100 : tensor<512xf32>, tensor<512xf32>, tensor<8x256x512xf32>, tensor<512xf32>, tensor<8x256x2048xf32>, tensor<2048xf32>, tensor<512xf32>, tensor<512xf32>, tensor<8x256x512xf32>, tensor<512xf32>, tensor<8x8x256x256xf32>, tensor<8x256x8x64xf32>, tensor<8x64xf32>, tensor<512xf32>, tensor<512xf32>, tensor<8x256x512xf32>, tensor<512xf32>, tensor<8x8x256x256xf32>, tensor<8x256x8x64xf32>, tensor<8x64xf32>, tensor<8x256x512xf32>
}
