func.func @chain(%a0: tensor<8x256x512xf32>, %a1: tensor<8x8x256x64xf32>, %a2: tensor<8x8x256x64xf32>, %a3: tensor<512xf32>, %a4: tensor<512xf32>, %a16: tensor<512x8x64xf32>, %a18: tensor<8x64xf32>, %a29: tensor<8x8x256x256xf32>, %a35: tensor<8x64x512xf32>, %a37: tensor<512xf32>, %a39: tensor<8x256x512xf32>, %a44: tensor<8x8x256x64xf32>, %a45: tensor<8x8x256x64xf32>, %a46: tensor<512xf32>, %a47: tensor<512xf32>, %a59: tensor<512x8x64xf32>, %a61: tensor<8x64xf32>, %a71: tensor<8x8x256x256xf32>, %a77: tensor<8x64x512xf32>, %a79: tensor<512xf32>, %a81: tensor<8x256x512xf32>, %a86: tensor<8x8x256x64xf32>, %a87: tensor<8x8x256x64xf32>, %a88: tensor<512xf32>, %a89: tensor<512xf32>, %a101: tensor<512x2048xf32>, %a103: tensor<2048xf32>, %a106: tensor<8x256x2048xf32>, %a110: tensor<2048x512xf32>, %a112: tensor<512xf32>, %a114: tensor<8x256x512xf32>) -> tensor<8x256x512xf32> {
  %1 = tensor.empty() : tensor<8x256xf32>
  %2 = arith.constant 0.000000000e+00 : f32
  %3 = linalg.fill ins(%2 : f32) outs(%1 : tensor<8x256xf32>) -> tensor<8x256xf32>
  %v5 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a0 : tensor<8x256x512xf32>) outs(%3 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %4 = arith.addf %x0, %old : f32
    linalg.yield %4 : f32
  } -> tensor<8x256xf32>
  %5 = tensor.empty() : tensor<8x256xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v5 : tensor<8x256xf32>) outs(%5 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %6 = arith.constant 1.953125000e-03 : f32
    %7 = arith.mulf %x0, %6 : f32
    linalg.yield %7 : f32
  } -> tensor<8x256xf32>
  %8 = tensor.empty() : tensor<8x256x512xf32>
  %v7 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a0, %v6 : tensor<8x256x512xf32>, tensor<8x256xf32>) outs(%8 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %9 = arith.subf %x0, %x1 : f32
    linalg.yield %9 : f32
  } -> tensor<8x256x512xf32>
  %10 = tensor.empty() : tensor<8x256x512xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v7, %v7 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%10 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %11 = arith.mulf %x0, %x1 : f32
    linalg.yield %11 : f32
  } -> tensor<8x256x512xf32>
  %12 = tensor.empty() : tensor<8x256xf32>
  %13 = arith.constant 0.000000000e+00 : f32
  %14 = linalg.fill ins(%13 : f32) outs(%12 : tensor<8x256xf32>) -> tensor<8x256xf32>
  %v9 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v8 : tensor<8x256x512xf32>) outs(%14 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %15 = arith.addf %x0, %old : f32
    linalg.yield %15 : f32
  } -> tensor<8x256xf32>
  %16 = tensor.empty() : tensor<8x256xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v9 : tensor<8x256xf32>) outs(%16 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %17 = arith.constant 1.953125000e-03 : f32
    %18 = arith.mulf %x0, %17 : f32
    linalg.yield %18 : f32
  } -> tensor<8x256xf32>
  %19 = tensor.empty() : tensor<8x256xf32>
  %v11 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v10 : tensor<8x256xf32>) outs(%19 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %20 = arith.constant 1.000000000e-05 : f32
    %21 = arith.addf %x0, %20 : f32
    linalg.yield %21 : f32
  } -> tensor<8x256xf32>
  %22 = tensor.empty() : tensor<8x256xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v11 : tensor<8x256xf32>) outs(%22 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %23 = math.rsqrt %x0 : f32
    linalg.yield %23 : f32
  } -> tensor<8x256xf32>
  %24 = tensor.empty() : tensor<8x256x512xf32>
  %v13 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v7, %v12 : tensor<8x256x512xf32>, tensor<8x256xf32>) outs(%24 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %25 = arith.mulf %x0, %x1 : f32
    linalg.yield %25 : f32
  } -> tensor<8x256x512xf32>
  %26 = tensor.empty() : tensor<8x256x512xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v13, %a3 : tensor<8x256x512xf32>, tensor<512xf32>) outs(%26 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %27 = arith.mulf %x0, %x1 : f32
    linalg.yield %27 : f32
  } -> tensor<8x256x512xf32>
  %28 = tensor.empty() : tensor<8x256x512xf32>
  %v15 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v14, %a4 : tensor<8x256x512xf32>, tensor<512xf32>) outs(%28 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %29 = arith.addf %x0, %x1 : f32
    linalg.yield %29 : f32
  } -> tensor<8x256x512xf32>
  %30 = tensor.empty() : tensor<8x256x8x64xf32>
  %31 = arith.constant 0.000000000e+00 : f32
  %32 = linalg.fill ins(%31 : f32) outs(%30 : tensor<8x256x8x64xf32>) -> tensor<8x256x8x64xf32>
  %v17 = linalg.contract indexing_maps = [affine_map<(b, m, h, e, d) -> (b, m, d)>, affine_map<(b, m, h, e, d) -> (d, h, e)>, affine_map<(b, m, h, e, d) -> (b, m, h, e)>] ins(%v15, %a16 : tensor<8x256x512xf32>, tensor<512x8x64xf32>) outs(%32 : tensor<8x256x8x64xf32>) -> tensor<8x256x8x64xf32>
  %33 = tensor.empty() : tensor<8x256x8x64xf32>
  %v19 = linalg.generic {indexing_maps = [affine_map<(b, m, h, e) -> (b, m, h, e)>, affine_map<(b, m, h, e) -> (h, e)>, affine_map<(b, m, h, e) -> (b, m, h, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v17, %a18 : tensor<8x256x8x64xf32>, tensor<8x64xf32>) outs(%33 : tensor<8x256x8x64xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %34 = arith.addf %x0, %x1 : f32
    linalg.yield %34 : f32
  } -> tensor<8x256x8x64xf32>
  %35 = tensor.empty() : tensor<8x8x256x64xf32>
  %v20 = linalg.transpose ins(%v19 : tensor<8x256x8x64xf32>) outs(%35 : tensor<8x8x256x64xf32>) permutation = [0, 2, 1, 3]
  %36 = tensor.empty() : tensor<8x8x256x256xf32>
  %37 = arith.constant 0.000000000e+00 : f32
  %38 = linalg.fill ins(%37 : f32) outs(%36 : tensor<8x8x256x256xf32>) -> tensor<8x8x256x256xf32>
  %v21 = linalg.contract indexing_maps = [affine_map<(b, h, m, n, e) -> (b, h, m, e)>, affine_map<(b, h, m, n, e) -> (b, h, n, e)>, affine_map<(b, h, m, n, e) -> (b, h, m, n)>] ins(%v20, %a1 : tensor<8x8x256x64xf32>, tensor<8x8x256x64xf32>) outs(%38 : tensor<8x8x256x256xf32>) -> tensor<8x8x256x256xf32>
  %39 = tensor.empty() : tensor<8x8x256x256xf32>
  %v22 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v21 : tensor<8x8x256x256xf32>) outs(%39 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %40 = arith.constant 1.250000000e-01 : f32
    %41 = arith.mulf %x0, %40 : f32
    linalg.yield %41 : f32
  } -> tensor<8x8x256x256xf32>
  %42 = tensor.empty() : tensor<8x8x256x256xf32>
  %v23 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v22 : tensor<8x8x256x256xf32>) outs(%42 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %43 = linalg.index 3 : index
    %44 = linalg.index 2 : index
    %45 = arith.cmpi sle, %43, %44 : index
    %46 = arith.constant 0xFF800000 : f32
    %47 = arith.select %45, %x0, %46 : f32
    linalg.yield %47 : f32
  } -> tensor<8x8x256x256xf32>
  %48 = tensor.empty() : tensor<8x8x256xf32>
  %49 = arith.constant 0xFF800000 : f32
  %50 = linalg.fill ins(%49 : f32) outs(%48 : tensor<8x8x256xf32>) -> tensor<8x8x256xf32>
  %v24 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%v23 : tensor<8x8x256x256xf32>) outs(%50 : tensor<8x8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %51 = arith.maximumf %x0, %old : f32
    linalg.yield %51 : f32
  } -> tensor<8x8x256xf32>
  %52 = tensor.empty() : tensor<8x8x256x256xf32>
  %v25 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v23, %v24 : tensor<8x8x256x256xf32>, tensor<8x8x256xf32>) outs(%52 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %53 = arith.subf %x0, %x1 : f32
    linalg.yield %53 : f32
  } -> tensor<8x8x256x256xf32>
  %54 = tensor.empty() : tensor<8x8x256x256xf32>
  %v26 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v25 : tensor<8x8x256x256xf32>) outs(%54 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %55 = math.exp %x0 : f32
    linalg.yield %55 : f32
  } -> tensor<8x8x256x256xf32>
  %56 = tensor.empty() : tensor<8x8x256xf32>
  %57 = arith.constant 0.000000000e+00 : f32
  %58 = linalg.fill ins(%57 : f32) outs(%56 : tensor<8x8x256xf32>) -> tensor<8x8x256xf32>
  %v27 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%v26 : tensor<8x8x256x256xf32>) outs(%58 : tensor<8x8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %59 = arith.addf %x0, %old : f32
    linalg.yield %59 : f32
  } -> tensor<8x8x256xf32>
  %60 = tensor.empty() : tensor<8x8x256x256xf32>
  %v28 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v26, %v27 : tensor<8x8x256x256xf32>, tensor<8x8x256xf32>) outs(%60 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %61 = arith.divf %x0, %x1 : f32
    linalg.yield %61 : f32
  } -> tensor<8x8x256x256xf32>
  %62 = tensor.empty() : tensor<8x8x256x256xf32>
  %v30 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a29 : tensor<8x8x256x256xf32>) outs(%62 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %63 = arith.constant 8.000000000e-01 : f32
    %64 = arith.addf %x0, %63 : f32
    %65 = arith.constant 0.000000000e+00 : f32
    %66 = arith.cmpf ogt, %64, %65 : f32
    %67 = arith.constant 1.000000000e+00 : f32
    %68 = arith.constant 0.000000000e+00 : f32
    %69 = arith.select %66, %67, %68 : f32
    linalg.yield %69 : f32
  } -> tensor<8x8x256x256xf32>
  %70 = tensor.empty() : tensor<8x8x256x256xf32>
  %v31 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v28, %v30 : tensor<8x8x256x256xf32>, tensor<8x8x256x256xf32>) outs(%70 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %71 = arith.mulf %x0, %x1 : f32
    linalg.yield %71 : f32
  } -> tensor<8x8x256x256xf32>
  %72 = tensor.empty() : tensor<8x8x256x256xf32>
  %v32 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v31 : tensor<8x8x256x256xf32>) outs(%72 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %73 = arith.constant 1.111111111e+00 : f32
    %74 = arith.mulf %x0, %73 : f32
    linalg.yield %74 : f32
  } -> tensor<8x8x256x256xf32>
  %75 = tensor.empty() : tensor<8x8x256x64xf32>
  %76 = arith.constant 0.000000000e+00 : f32
  %77 = linalg.fill ins(%76 : f32) outs(%75 : tensor<8x8x256x64xf32>) -> tensor<8x8x256x64xf32>
  %v33 = linalg.contract indexing_maps = [affine_map<(b, h, m, e, n) -> (b, h, m, n)>, affine_map<(b, h, m, e, n) -> (b, h, n, e)>, affine_map<(b, h, m, e, n) -> (b, h, m, e)>] ins(%v32, %a2 : tensor<8x8x256x256xf32>, tensor<8x8x256x64xf32>) outs(%77 : tensor<8x8x256x64xf32>) -> tensor<8x8x256x64xf32>
  %78 = tensor.empty() : tensor<8x256x8x64xf32>
  %v34 = linalg.transpose ins(%v33 : tensor<8x8x256x64xf32>) outs(%78 : tensor<8x256x8x64xf32>) permutation = [0, 2, 1, 3]
  %79 = tensor.empty() : tensor<8x256x512xf32>
  %80 = arith.constant 0.000000000e+00 : f32
  %81 = linalg.fill ins(%80 : f32) outs(%79 : tensor<8x256x512xf32>) -> tensor<8x256x512xf32>
  %v36 = linalg.contract indexing_maps = [affine_map<(b, m, d, h, e) -> (b, m, h, e)>, affine_map<(b, m, d, h, e) -> (h, e, d)>, affine_map<(b, m, d, h, e) -> (b, m, d)>] ins(%v34, %a35 : tensor<8x256x8x64xf32>, tensor<8x64x512xf32>) outs(%81 : tensor<8x256x512xf32>) -> tensor<8x256x512xf32>
  %82 = tensor.empty() : tensor<8x256x512xf32>
  %v38 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v36, %a37 : tensor<8x256x512xf32>, tensor<512xf32>) outs(%82 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %83 = arith.addf %x0, %x1 : f32
    linalg.yield %83 : f32
  } -> tensor<8x256x512xf32>
  %84 = tensor.empty() : tensor<8x256x512xf32>
  %v40 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a39 : tensor<8x256x512xf32>) outs(%84 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %85 = arith.constant 8.000000000e-01 : f32
    %86 = arith.addf %x0, %85 : f32
    %87 = arith.constant 0.000000000e+00 : f32
    %88 = arith.cmpf ogt, %86, %87 : f32
    %89 = arith.constant 1.000000000e+00 : f32
    %90 = arith.constant 0.000000000e+00 : f32
    %91 = arith.select %88, %89, %90 : f32
    linalg.yield %91 : f32
  } -> tensor<8x256x512xf32>
  %92 = tensor.empty() : tensor<8x256x512xf32>
  %v41 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v38, %v40 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%92 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %93 = arith.mulf %x0, %x1 : f32
    linalg.yield %93 : f32
  } -> tensor<8x256x512xf32>
  %94 = tensor.empty() : tensor<8x256x512xf32>
  %v42 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v41 : tensor<8x256x512xf32>) outs(%94 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %95 = arith.constant 1.111111111e+00 : f32
    %96 = arith.mulf %x0, %95 : f32
    linalg.yield %96 : f32
  } -> tensor<8x256x512xf32>
  %97 = tensor.empty() : tensor<8x256x512xf32>
  %v43 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v42, %a0 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%97 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %98 = arith.addf %x0, %x1 : f32
    linalg.yield %98 : f32
  } -> tensor<8x256x512xf32>
  %99 = tensor.empty() : tensor<8x256xf32>
  %100 = arith.constant 0.000000000e+00 : f32
  %101 = linalg.fill ins(%100 : f32) outs(%99 : tensor<8x256xf32>) -> tensor<8x256xf32>
  %v48 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v43 : tensor<8x256x512xf32>) outs(%101 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %102 = arith.addf %x0, %old : f32
    linalg.yield %102 : f32
  } -> tensor<8x256xf32>
  %103 = tensor.empty() : tensor<8x256xf32>
  %v49 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v48 : tensor<8x256xf32>) outs(%103 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %104 = arith.constant 1.953125000e-03 : f32
    %105 = arith.mulf %x0, %104 : f32
    linalg.yield %105 : f32
  } -> tensor<8x256xf32>
  %106 = tensor.empty() : tensor<8x256x512xf32>
  %v50 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v43, %v49 : tensor<8x256x512xf32>, tensor<8x256xf32>) outs(%106 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %107 = arith.subf %x0, %x1 : f32
    linalg.yield %107 : f32
  } -> tensor<8x256x512xf32>
  %108 = tensor.empty() : tensor<8x256x512xf32>
  %v51 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v50, %v50 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%108 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %109 = arith.mulf %x0, %x1 : f32
    linalg.yield %109 : f32
  } -> tensor<8x256x512xf32>
  %110 = tensor.empty() : tensor<8x256xf32>
  %111 = arith.constant 0.000000000e+00 : f32
  %112 = linalg.fill ins(%111 : f32) outs(%110 : tensor<8x256xf32>) -> tensor<8x256xf32>
  %v52 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v51 : tensor<8x256x512xf32>) outs(%112 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %113 = arith.addf %x0, %old : f32
    linalg.yield %113 : f32
  } -> tensor<8x256xf32>
  %114 = tensor.empty() : tensor<8x256xf32>
  %v53 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v52 : tensor<8x256xf32>) outs(%114 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %115 = arith.constant 1.953125000e-03 : f32
    %116 = arith.mulf %x0, %115 : f32
    linalg.yield %116 : f32
  } -> tensor<8x256xf32>
  %117 = tensor.empty() : tensor<8x256xf32>
  %v54 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v53 : tensor<8x256xf32>) outs(%117 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %118 = arith.constant 1.000000000e-05 : f32
    %119 = arith.addf %x0, %118 : f32
    linalg.yield %119 : f32
  } -> tensor<8x256xf32>
  %120 = tensor.empty() : tensor<8x256xf32>
  %v55 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v54 : tensor<8x256xf32>) outs(%120 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %121 = math.rsqrt %x0 : f32
    linalg.yield %121 : f32
  } -> tensor<8x256xf32>
  %122 = tensor.empty() : tensor<8x256x512xf32>
  %v56 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v50, %v55 : tensor<8x256x512xf32>, tensor<8x256xf32>) outs(%122 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %123 = arith.mulf %x0, %x1 : f32
    linalg.yield %123 : f32
  } -> tensor<8x256x512xf32>
  %124 = tensor.empty() : tensor<8x256x512xf32>
  %v57 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v56, %a46 : tensor<8x256x512xf32>, tensor<512xf32>) outs(%124 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %125 = arith.mulf %x0, %x1 : f32
    linalg.yield %125 : f32
  } -> tensor<8x256x512xf32>
  %126 = tensor.empty() : tensor<8x256x512xf32>
  %v58 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v57, %a47 : tensor<8x256x512xf32>, tensor<512xf32>) outs(%126 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %127 = arith.addf %x0, %x1 : f32
    linalg.yield %127 : f32
  } -> tensor<8x256x512xf32>
  %128 = tensor.empty() : tensor<8x256x8x64xf32>
  %129 = arith.constant 0.000000000e+00 : f32
  %130 = linalg.fill ins(%129 : f32) outs(%128 : tensor<8x256x8x64xf32>) -> tensor<8x256x8x64xf32>
  %v60 = linalg.contract indexing_maps = [affine_map<(b, m, h, e, d) -> (b, m, d)>, affine_map<(b, m, h, e, d) -> (d, h, e)>, affine_map<(b, m, h, e, d) -> (b, m, h, e)>] ins(%v58, %a59 : tensor<8x256x512xf32>, tensor<512x8x64xf32>) outs(%130 : tensor<8x256x8x64xf32>) -> tensor<8x256x8x64xf32>
  %131 = tensor.empty() : tensor<8x256x8x64xf32>
  %v62 = linalg.generic {indexing_maps = [affine_map<(b, m, h, e) -> (b, m, h, e)>, affine_map<(b, m, h, e) -> (h, e)>, affine_map<(b, m, h, e) -> (b, m, h, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v60, %a61 : tensor<8x256x8x64xf32>, tensor<8x64xf32>) outs(%131 : tensor<8x256x8x64xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %132 = arith.addf %x0, %x1 : f32
    linalg.yield %132 : f32
  } -> tensor<8x256x8x64xf32>
  %133 = tensor.empty() : tensor<8x8x256x64xf32>
  %v63 = linalg.transpose ins(%v62 : tensor<8x256x8x64xf32>) outs(%133 : tensor<8x8x256x64xf32>) permutation = [0, 2, 1, 3]
  %134 = tensor.empty() : tensor<8x8x256x256xf32>
  %135 = arith.constant 0.000000000e+00 : f32
  %136 = linalg.fill ins(%135 : f32) outs(%134 : tensor<8x8x256x256xf32>) -> tensor<8x8x256x256xf32>
  %v64 = linalg.contract indexing_maps = [affine_map<(b, h, m, n, e) -> (b, h, m, e)>, affine_map<(b, h, m, n, e) -> (b, h, n, e)>, affine_map<(b, h, m, n, e) -> (b, h, m, n)>] ins(%v63, %a44 : tensor<8x8x256x64xf32>, tensor<8x8x256x64xf32>) outs(%136 : tensor<8x8x256x256xf32>) -> tensor<8x8x256x256xf32>
  %137 = tensor.empty() : tensor<8x8x256x256xf32>
  %v65 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v64 : tensor<8x8x256x256xf32>) outs(%137 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %138 = arith.constant 1.250000000e-01 : f32
    %139 = arith.mulf %x0, %138 : f32
    linalg.yield %139 : f32
  } -> tensor<8x8x256x256xf32>
  %140 = tensor.empty() : tensor<8x8x256xf32>
  %141 = arith.constant 0xFF800000 : f32
  %142 = linalg.fill ins(%141 : f32) outs(%140 : tensor<8x8x256xf32>) -> tensor<8x8x256xf32>
  %v66 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%v65 : tensor<8x8x256x256xf32>) outs(%142 : tensor<8x8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %143 = arith.maximumf %x0, %old : f32
    linalg.yield %143 : f32
  } -> tensor<8x8x256xf32>
  %144 = tensor.empty() : tensor<8x8x256x256xf32>
  %v67 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v65, %v66 : tensor<8x8x256x256xf32>, tensor<8x8x256xf32>) outs(%144 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %145 = arith.subf %x0, %x1 : f32
    linalg.yield %145 : f32
  } -> tensor<8x8x256x256xf32>
  %146 = tensor.empty() : tensor<8x8x256x256xf32>
  %v68 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v67 : tensor<8x8x256x256xf32>) outs(%146 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %147 = math.exp %x0 : f32
    linalg.yield %147 : f32
  } -> tensor<8x8x256x256xf32>
  %148 = tensor.empty() : tensor<8x8x256xf32>
  %149 = arith.constant 0.000000000e+00 : f32
  %150 = linalg.fill ins(%149 : f32) outs(%148 : tensor<8x8x256xf32>) -> tensor<8x8x256xf32>
  %v69 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%v68 : tensor<8x8x256x256xf32>) outs(%150 : tensor<8x8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %151 = arith.addf %x0, %old : f32
    linalg.yield %151 : f32
  } -> tensor<8x8x256xf32>
  %152 = tensor.empty() : tensor<8x8x256x256xf32>
  %v70 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v68, %v69 : tensor<8x8x256x256xf32>, tensor<8x8x256xf32>) outs(%152 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %153 = arith.divf %x0, %x1 : f32
    linalg.yield %153 : f32
  } -> tensor<8x8x256x256xf32>
  %154 = tensor.empty() : tensor<8x8x256x256xf32>
  %v72 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a71 : tensor<8x8x256x256xf32>) outs(%154 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %155 = arith.constant 8.000000000e-01 : f32
    %156 = arith.addf %x0, %155 : f32
    %157 = arith.constant 0.000000000e+00 : f32
    %158 = arith.cmpf ogt, %156, %157 : f32
    %159 = arith.constant 1.000000000e+00 : f32
    %160 = arith.constant 0.000000000e+00 : f32
    %161 = arith.select %158, %159, %160 : f32
    linalg.yield %161 : f32
  } -> tensor<8x8x256x256xf32>
  %162 = tensor.empty() : tensor<8x8x256x256xf32>
  %v73 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v70, %v72 : tensor<8x8x256x256xf32>, tensor<8x8x256x256xf32>) outs(%162 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %163 = arith.mulf %x0, %x1 : f32
    linalg.yield %163 : f32
  } -> tensor<8x8x256x256xf32>
  %164 = tensor.empty() : tensor<8x8x256x256xf32>
  %v74 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v73 : tensor<8x8x256x256xf32>) outs(%164 : tensor<8x8x256x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %165 = arith.constant 1.111111111e+00 : f32
    %166 = arith.mulf %x0, %165 : f32
    linalg.yield %166 : f32
  } -> tensor<8x8x256x256xf32>
  %167 = tensor.empty() : tensor<8x8x256x64xf32>
  %168 = arith.constant 0.000000000e+00 : f32
  %169 = linalg.fill ins(%168 : f32) outs(%167 : tensor<8x8x256x64xf32>) -> tensor<8x8x256x64xf32>
  %v75 = linalg.contract indexing_maps = [affine_map<(b, h, m, e, n) -> (b, h, m, n)>, affine_map<(b, h, m, e, n) -> (b, h, n, e)>, affine_map<(b, h, m, e, n) -> (b, h, m, e)>] ins(%v74, %a45 : tensor<8x8x256x256xf32>, tensor<8x8x256x64xf32>) outs(%169 : tensor<8x8x256x64xf32>) -> tensor<8x8x256x64xf32>
  %170 = tensor.empty() : tensor<8x256x8x64xf32>
  %v76 = linalg.transpose ins(%v75 : tensor<8x8x256x64xf32>) outs(%170 : tensor<8x256x8x64xf32>) permutation = [0, 2, 1, 3]
  %171 = tensor.empty() : tensor<8x256x512xf32>
  %172 = arith.constant 0.000000000e+00 : f32
  %173 = linalg.fill ins(%172 : f32) outs(%171 : tensor<8x256x512xf32>) -> tensor<8x256x512xf32>
  %v78 = linalg.contract indexing_maps = [affine_map<(b, m, d, h, e) -> (b, m, h, e)>, affine_map<(b, m, d, h, e) -> (h, e, d)>, affine_map<(b, m, d, h, e) -> (b, m, d)>] ins(%v76, %a77 : tensor<8x256x8x64xf32>, tensor<8x64x512xf32>) outs(%173 : tensor<8x256x512xf32>) -> tensor<8x256x512xf32>
  %174 = tensor.empty() : tensor<8x256x512xf32>
  %v80 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v78, %a79 : tensor<8x256x512xf32>, tensor<512xf32>) outs(%174 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %175 = arith.addf %x0, %x1 : f32
    linalg.yield %175 : f32
  } -> tensor<8x256x512xf32>
  %176 = tensor.empty() : tensor<8x256x512xf32>
  %v82 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a81 : tensor<8x256x512xf32>) outs(%176 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %177 = arith.constant 8.000000000e-01 : f32
    %178 = arith.addf %x0, %177 : f32
    %179 = arith.constant 0.000000000e+00 : f32
    %180 = arith.cmpf ogt, %178, %179 : f32
    %181 = arith.constant 1.000000000e+00 : f32
    %182 = arith.constant 0.000000000e+00 : f32
    %183 = arith.select %180, %181, %182 : f32
    linalg.yield %183 : f32
  } -> tensor<8x256x512xf32>
  %184 = tensor.empty() : tensor<8x256x512xf32>
  %v83 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v80, %v82 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%184 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %185 = arith.mulf %x0, %x1 : f32
    linalg.yield %185 : f32
  } -> tensor<8x256x512xf32>
  %186 = tensor.empty() : tensor<8x256x512xf32>
  %v84 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v83 : tensor<8x256x512xf32>) outs(%186 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %187 = arith.constant 1.111111111e+00 : f32
    %188 = arith.mulf %x0, %187 : f32
    linalg.yield %188 : f32
  } -> tensor<8x256x512xf32>
  %189 = tensor.empty() : tensor<8x256x512xf32>
  %v85 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v84, %v43 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%189 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %190 = arith.addf %x0, %x1 : f32
    linalg.yield %190 : f32
  } -> tensor<8x256x512xf32>
  %191 = tensor.empty() : tensor<8x256xf32>
  %192 = arith.constant 0.000000000e+00 : f32
  %193 = linalg.fill ins(%192 : f32) outs(%191 : tensor<8x256xf32>) -> tensor<8x256xf32>
  %v90 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v85 : tensor<8x256x512xf32>) outs(%193 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %194 = arith.addf %x0, %old : f32
    linalg.yield %194 : f32
  } -> tensor<8x256xf32>
  %195 = tensor.empty() : tensor<8x256xf32>
  %v91 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v90 : tensor<8x256xf32>) outs(%195 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %196 = arith.constant 1.953125000e-03 : f32
    %197 = arith.mulf %x0, %196 : f32
    linalg.yield %197 : f32
  } -> tensor<8x256xf32>
  %198 = tensor.empty() : tensor<8x256x512xf32>
  %v92 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v85, %v91 : tensor<8x256x512xf32>, tensor<8x256xf32>) outs(%198 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %199 = arith.subf %x0, %x1 : f32
    linalg.yield %199 : f32
  } -> tensor<8x256x512xf32>
  %200 = tensor.empty() : tensor<8x256x512xf32>
  %v93 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v92, %v92 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%200 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %201 = arith.mulf %x0, %x1 : f32
    linalg.yield %201 : f32
  } -> tensor<8x256x512xf32>
  %202 = tensor.empty() : tensor<8x256xf32>
  %203 = arith.constant 0.000000000e+00 : f32
  %204 = linalg.fill ins(%203 : f32) outs(%202 : tensor<8x256xf32>) -> tensor<8x256xf32>
  %v94 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v93 : tensor<8x256x512xf32>) outs(%204 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %205 = arith.addf %x0, %old : f32
    linalg.yield %205 : f32
  } -> tensor<8x256xf32>
  %206 = tensor.empty() : tensor<8x256xf32>
  %v95 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v94 : tensor<8x256xf32>) outs(%206 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %207 = arith.constant 1.953125000e-03 : f32
    %208 = arith.mulf %x0, %207 : f32
    linalg.yield %208 : f32
  } -> tensor<8x256xf32>
  %209 = tensor.empty() : tensor<8x256xf32>
  %v96 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v95 : tensor<8x256xf32>) outs(%209 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %210 = arith.constant 1.000000000e-05 : f32
    %211 = arith.addf %x0, %210 : f32
    linalg.yield %211 : f32
  } -> tensor<8x256xf32>
  %212 = tensor.empty() : tensor<8x256xf32>
  %v97 = linalg.generic {indexing_maps = [affine_map<(b, m) -> (b, m)>, affine_map<(b, m) -> (b, m)>], iterator_types = ["parallel", "parallel"]}
      ins(%v96 : tensor<8x256xf32>) outs(%212 : tensor<8x256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %213 = math.rsqrt %x0 : f32
    linalg.yield %213 : f32
  } -> tensor<8x256xf32>
  %214 = tensor.empty() : tensor<8x256x512xf32>
  %v98 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v92, %v97 : tensor<8x256x512xf32>, tensor<8x256xf32>) outs(%214 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %215 = arith.mulf %x0, %x1 : f32
    linalg.yield %215 : f32
  } -> tensor<8x256x512xf32>
  %216 = tensor.empty() : tensor<8x256x512xf32>
  %v99 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v98, %a88 : tensor<8x256x512xf32>, tensor<512xf32>) outs(%216 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %217 = arith.mulf %x0, %x1 : f32
    linalg.yield %217 : f32
  } -> tensor<8x256x512xf32>
  %218 = tensor.empty() : tensor<8x256x512xf32>
  %v100 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v99, %a89 : tensor<8x256x512xf32>, tensor<512xf32>) outs(%218 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %219 = arith.addf %x0, %x1 : f32
    linalg.yield %219 : f32
  } -> tensor<8x256x512xf32>
  %220 = tensor.empty() : tensor<8x256x2048xf32>
  %221 = arith.constant 0.000000000e+00 : f32
  %222 = linalg.fill ins(%221 : f32) outs(%220 : tensor<8x256x2048xf32>) -> tensor<8x256x2048xf32>
  %v102 = linalg.contract indexing_maps = [affine_map<(b, m, f, d) -> (b, m, d)>, affine_map<(b, m, f, d) -> (d, f)>, affine_map<(b, m, f, d) -> (b, m, f)>] ins(%v100, %a101 : tensor<8x256x512xf32>, tensor<512x2048xf32>) outs(%222 : tensor<8x256x2048xf32>) -> tensor<8x256x2048xf32>
  %223 = tensor.empty() : tensor<8x256x2048xf32>
  %v104 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v102, %a103 : tensor<8x256x2048xf32>, tensor<2048xf32>) outs(%223 : tensor<8x256x2048xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %224 = arith.addf %x0, %x1 : f32
    linalg.yield %224 : f32
  } -> tensor<8x256x2048xf32>
  %225 = tensor.empty() : tensor<8x256x2048xf32>
  %v105 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v104 : tensor<8x256x2048xf32>) outs(%225 : tensor<8x256x2048xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %226 = arith.constant 0.000000000e+00 : f32
    %227 = arith.maximumf %x0, %226 : f32
    linalg.yield %227 : f32
  } -> tensor<8x256x2048xf32>
  %228 = tensor.empty() : tensor<8x256x2048xf32>
  %v107 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a106 : tensor<8x256x2048xf32>) outs(%228 : tensor<8x256x2048xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %229 = arith.constant 8.000000000e-01 : f32
    %230 = arith.addf %x0, %229 : f32
    %231 = arith.constant 0.000000000e+00 : f32
    %232 = arith.cmpf ogt, %230, %231 : f32
    %233 = arith.constant 1.000000000e+00 : f32
    %234 = arith.constant 0.000000000e+00 : f32
    %235 = arith.select %232, %233, %234 : f32
    linalg.yield %235 : f32
  } -> tensor<8x256x2048xf32>
  %236 = tensor.empty() : tensor<8x256x2048xf32>
  %v108 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v105, %v107 : tensor<8x256x2048xf32>, tensor<8x256x2048xf32>) outs(%236 : tensor<8x256x2048xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %237 = arith.mulf %x0, %x1 : f32
    linalg.yield %237 : f32
  } -> tensor<8x256x2048xf32>
  %238 = tensor.empty() : tensor<8x256x2048xf32>
  %v109 = linalg.generic {indexing_maps = [affine_map<(b, m, f) -> (b, m, f)>, affine_map<(b, m, f) -> (b, m, f)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v108 : tensor<8x256x2048xf32>) outs(%238 : tensor<8x256x2048xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %239 = arith.constant 1.111111111e+00 : f32
    %240 = arith.mulf %x0, %239 : f32
    linalg.yield %240 : f32
  } -> tensor<8x256x2048xf32>
  %241 = tensor.empty() : tensor<8x256x512xf32>
  %242 = arith.constant 0.000000000e+00 : f32
  %243 = linalg.fill ins(%242 : f32) outs(%241 : tensor<8x256x512xf32>) -> tensor<8x256x512xf32>
  %v111 = linalg.contract indexing_maps = [affine_map<(b, m, d, f) -> (b, m, f)>, affine_map<(b, m, d, f) -> (f, d)>, affine_map<(b, m, d, f) -> (b, m, d)>] ins(%v109, %a110 : tensor<8x256x2048xf32>, tensor<2048x512xf32>) outs(%243 : tensor<8x256x512xf32>) -> tensor<8x256x512xf32>
  %244 = tensor.empty() : tensor<8x256x512xf32>
  %v113 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v111, %a112 : tensor<8x256x512xf32>, tensor<512xf32>) outs(%244 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %245 = arith.addf %x0, %x1 : f32
    linalg.yield %245 : f32
  } -> tensor<8x256x512xf32>
  %246 = tensor.empty() : tensor<8x256x512xf32>
  %v115 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a114 : tensor<8x256x512xf32>) outs(%246 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %247 = arith.constant 8.000000000e-01 : f32
    %248 = arith.addf %x0, %247 : f32
    %249 = arith.constant 0.000000000e+00 : f32
    %250 = arith.cmpf ogt, %248, %249 : f32
    %251 = arith.constant 1.000000000e+00 : f32
    %252 = arith.constant 0.000000000e+00 : f32
    %253 = arith.select %250, %251, %252 : f32
    linalg.yield %253 : f32
  } -> tensor<8x256x512xf32>
  %254 = tensor.empty() : tensor<8x256x512xf32>
  %v116 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v113, %v115 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%254 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %255 = arith.mulf %x0, %x1 : f32
    linalg.yield %255 : f32
  } -> tensor<8x256x512xf32>
  %256 = tensor.empty() : tensor<8x256x512xf32>
  %v117 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v116 : tensor<8x256x512xf32>) outs(%256 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %257 = arith.constant 1.111111111e+00 : f32
    %258 = arith.mulf %x0, %257 : f32
    linalg.yield %258 : f32
  } -> tensor<8x256x512xf32>
  %259 = tensor.empty() : tensor<8x256x512xf32>
  %v118 = linalg.generic {indexing_maps = [affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>, affine_map<(b, m, d) -> (b, m, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v117, %v85 : tensor<8x256x512xf32>, tensor<8x256x512xf32>) outs(%259 : tensor<8x256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %260 = arith.addf %x0, %x1 : f32
    linalg.yield %260 : f32
  } -> tensor<8x256x512xf32>
  return %v118 : tensor<8x256x512xf32>
}
