func.func @chain(%a0: tensor<256x512xf32>, %a1: tensor<256x512xf32>, %a2: tensor<256x512xf32>, %a3: tensor<512x512xf32>, %a5: tensor<512x512xf32>, %a8: tensor<512xf32>, %a10: tensor<512xf32>, %a11: tensor<512xf32>, %a27: tensor<512x512xf32>, %a29: tensor<512x512xf32>, %a32: tensor<512xf32>, %a34: tensor<512xf32>, %a35: tensor<512xf32>, %a51: tensor<512x512xf32>, %a53: tensor<512x512xf32>, %a56: tensor<512xf32>, %a58: tensor<512xf32>, %a59: tensor<512xf32>, %a75: tensor<512x512xf32>, %a77: tensor<512x512xf32>, %a80: tensor<512xf32>, %a82: tensor<512xf32>, %a83: tensor<512xf32>, %a99: tensor<512xf32>, %a100: tensor<512xf32>) -> (tensor<256x512xf32>, tensor<256x512xf32>) {
  %1 = tensor.empty() : tensor<256x512xf32>
  %2 = arith.constant 0.000000000e+00 : f32
  %3 = linalg.fill ins(%2 : f32) outs(%1 : tensor<256x512xf32>) -> tensor<256x512xf32>
  %v4 = linalg.contract indexing_maps = [affine_map<(b, c, k) -> (b, k)>, affine_map<(b, c, k) -> (k, c)>, affine_map<(b, c, k) -> (b, c)>] ins(%a0, %a3 : tensor<256x512xf32>, tensor<512x512xf32>) outs(%3 : tensor<256x512xf32>) -> tensor<256x512xf32>
  %4 = tensor.empty() : tensor<256x512xf32>
  %5 = arith.constant 0.000000000e+00 : f32
  %6 = linalg.fill ins(%5 : f32) outs(%4 : tensor<256x512xf32>) -> tensor<256x512xf32>
  %v6 = linalg.contract indexing_maps = [affine_map<(b, c, k) -> (b, k)>, affine_map<(b, c, k) -> (k, c)>, affine_map<(b, c, k) -> (b, c)>] ins(%a1, %a5 : tensor<256x512xf32>, tensor<512x512xf32>) outs(%6 : tensor<256x512xf32>) -> tensor<256x512xf32>
  %7 = tensor.empty() : tensor<256x512xf32>
  %v7 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v4, %v6 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%7 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %8 = arith.addf %x0, %x1 : f32
    linalg.yield %8 : f32
  } -> tensor<256x512xf32>
  %9 = tensor.empty() : tensor<256x512xf32>
  %v9 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v7, %a8 : tensor<256x512xf32>, tensor<512xf32>) outs(%9 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %10 = arith.addf %x0, %x1 : f32
    linalg.yield %10 : f32
  } -> tensor<256x512xf32>
  %11 = tensor.empty() : tensor<256xf32>
  %12 = arith.constant 0.000000000e+00 : f32
  %13 = linalg.fill ins(%12 : f32) outs(%11 : tensor<256xf32>) -> tensor<256xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>], iterator_types = ["parallel", "reduction"]}
      ins(%v9 : tensor<256x512xf32>) outs(%13 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %14 = arith.addf %x0, %old : f32
    linalg.yield %14 : f32
  } -> tensor<256xf32>
  %15 = tensor.empty() : tensor<256xf32>
  %v13 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v12 : tensor<256xf32>) outs(%15 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %16 = arith.constant 1.953125000e-03 : f32
    %17 = arith.mulf %x0, %16 : f32
    linalg.yield %17 : f32
  } -> tensor<256xf32>
  %18 = tensor.empty() : tensor<256x512xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v9, %v13 : tensor<256x512xf32>, tensor<256xf32>) outs(%18 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %19 = arith.subf %x0, %x1 : f32
    linalg.yield %19 : f32
  } -> tensor<256x512xf32>
  %20 = tensor.empty() : tensor<256x512xf32>
  %v15 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v14, %v14 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%20 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %21 = arith.mulf %x0, %x1 : f32
    linalg.yield %21 : f32
  } -> tensor<256x512xf32>
  %22 = tensor.empty() : tensor<256xf32>
  %23 = arith.constant 0.000000000e+00 : f32
  %24 = linalg.fill ins(%23 : f32) outs(%22 : tensor<256xf32>) -> tensor<256xf32>
  %v16 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>], iterator_types = ["parallel", "reduction"]}
      ins(%v15 : tensor<256x512xf32>) outs(%24 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %25 = arith.addf %x0, %old : f32
    linalg.yield %25 : f32
  } -> tensor<256xf32>
  %26 = tensor.empty() : tensor<256xf32>
  %v17 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v16 : tensor<256xf32>) outs(%26 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %27 = arith.constant 1.953125000e-03 : f32
    %28 = arith.mulf %x0, %27 : f32
    linalg.yield %28 : f32
  } -> tensor<256xf32>
  %29 = tensor.empty() : tensor<256xf32>
  %v18 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v17 : tensor<256xf32>) outs(%29 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %30 = arith.constant 1.000000000e-05 : f32
    %31 = arith.addf %x0, %30 : f32
    linalg.yield %31 : f32
  } -> tensor<256xf32>
  %32 = tensor.empty() : tensor<256xf32>
  %v19 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v18 : tensor<256xf32>) outs(%32 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %33 = math.rsqrt %x0 : f32
    linalg.yield %33 : f32
  } -> tensor<256xf32>
  %34 = tensor.empty() : tensor<256x512xf32>
  %v20 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v14, %v19 : tensor<256x512xf32>, tensor<256xf32>) outs(%34 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %35 = arith.mulf %x0, %x1 : f32
    linalg.yield %35 : f32
  } -> tensor<256x512xf32>
  %36 = tensor.empty() : tensor<256x512xf32>
  %v21 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v20, %a10 : tensor<256x512xf32>, tensor<512xf32>) outs(%36 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %37 = arith.mulf %x0, %x1 : f32
    linalg.yield %37 : f32
  } -> tensor<256x512xf32>
  %38 = tensor.empty() : tensor<256x512xf32>
  %v22 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v21, %a11 : tensor<256x512xf32>, tensor<512xf32>) outs(%38 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %39 = arith.addf %x0, %x1 : f32
    linalg.yield %39 : f32
  } -> tensor<256x512xf32>
  %40 = tensor.empty() : tensor<256x512xf32>
  %v23 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v22 : tensor<256x512xf32>) outs(%40 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %41 = arith.negf %x0 : f32
    linalg.yield %41 : f32
  } -> tensor<256x512xf32>
  %42 = tensor.empty() : tensor<256x512xf32>
  %v24 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v23 : tensor<256x512xf32>) outs(%42 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %43 = math.exp %x0 : f32
    linalg.yield %43 : f32
  } -> tensor<256x512xf32>
  %44 = tensor.empty() : tensor<256x512xf32>
  %v25 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v24 : tensor<256x512xf32>) outs(%44 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %45 = arith.constant 1.000000000e+00 : f32
    %46 = arith.addf %45, %x0 : f32
    linalg.yield %46 : f32
  } -> tensor<256x512xf32>
  %47 = tensor.empty() : tensor<256x512xf32>
  %v26 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v25 : tensor<256x512xf32>) outs(%47 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %48 = arith.constant 1.000000000e+00 : f32
    %49 = arith.divf %48, %x0 : f32
    linalg.yield %49 : f32
  } -> tensor<256x512xf32>
  %50 = tensor.empty() : tensor<256x512xf32>
  %51 = arith.constant 0.000000000e+00 : f32
  %52 = linalg.fill ins(%51 : f32) outs(%50 : tensor<256x512xf32>) -> tensor<256x512xf32>
  %v28 = linalg.contract indexing_maps = [affine_map<(b, c, k) -> (b, k)>, affine_map<(b, c, k) -> (k, c)>, affine_map<(b, c, k) -> (b, c)>] ins(%a0, %a27 : tensor<256x512xf32>, tensor<512x512xf32>) outs(%52 : tensor<256x512xf32>) -> tensor<256x512xf32>
  %53 = tensor.empty() : tensor<256x512xf32>
  %54 = arith.constant 0.000000000e+00 : f32
  %55 = linalg.fill ins(%54 : f32) outs(%53 : tensor<256x512xf32>) -> tensor<256x512xf32>
  %v30 = linalg.contract indexing_maps = [affine_map<(b, c, k) -> (b, k)>, affine_map<(b, c, k) -> (k, c)>, affine_map<(b, c, k) -> (b, c)>] ins(%a1, %a29 : tensor<256x512xf32>, tensor<512x512xf32>) outs(%55 : tensor<256x512xf32>) -> tensor<256x512xf32>
  %56 = tensor.empty() : tensor<256x512xf32>
  %v31 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v28, %v30 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%56 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %57 = arith.addf %x0, %x1 : f32
    linalg.yield %57 : f32
  } -> tensor<256x512xf32>
  %58 = tensor.empty() : tensor<256x512xf32>
  %v33 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v31, %a32 : tensor<256x512xf32>, tensor<512xf32>) outs(%58 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %59 = arith.addf %x0, %x1 : f32
    linalg.yield %59 : f32
  } -> tensor<256x512xf32>
  %60 = tensor.empty() : tensor<256xf32>
  %61 = arith.constant 0.000000000e+00 : f32
  %62 = linalg.fill ins(%61 : f32) outs(%60 : tensor<256xf32>) -> tensor<256xf32>
  %v36 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>], iterator_types = ["parallel", "reduction"]}
      ins(%v33 : tensor<256x512xf32>) outs(%62 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %63 = arith.addf %x0, %old : f32
    linalg.yield %63 : f32
  } -> tensor<256xf32>
  %64 = tensor.empty() : tensor<256xf32>
  %v37 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v36 : tensor<256xf32>) outs(%64 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %65 = arith.constant 1.953125000e-03 : f32
    %66 = arith.mulf %x0, %65 : f32
    linalg.yield %66 : f32
  } -> tensor<256xf32>
  %67 = tensor.empty() : tensor<256x512xf32>
  %v38 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v33, %v37 : tensor<256x512xf32>, tensor<256xf32>) outs(%67 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %68 = arith.subf %x0, %x1 : f32
    linalg.yield %68 : f32
  } -> tensor<256x512xf32>
  %69 = tensor.empty() : tensor<256x512xf32>
  %v39 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v38, %v38 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%69 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %70 = arith.mulf %x0, %x1 : f32
    linalg.yield %70 : f32
  } -> tensor<256x512xf32>
  %71 = tensor.empty() : tensor<256xf32>
  %72 = arith.constant 0.000000000e+00 : f32
  %73 = linalg.fill ins(%72 : f32) outs(%71 : tensor<256xf32>) -> tensor<256xf32>
  %v40 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>], iterator_types = ["parallel", "reduction"]}
      ins(%v39 : tensor<256x512xf32>) outs(%73 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %74 = arith.addf %x0, %old : f32
    linalg.yield %74 : f32
  } -> tensor<256xf32>
  %75 = tensor.empty() : tensor<256xf32>
  %v41 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v40 : tensor<256xf32>) outs(%75 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %76 = arith.constant 1.953125000e-03 : f32
    %77 = arith.mulf %x0, %76 : f32
    linalg.yield %77 : f32
  } -> tensor<256xf32>
  %78 = tensor.empty() : tensor<256xf32>
  %v42 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v41 : tensor<256xf32>) outs(%78 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %79 = arith.constant 1.000000000e-05 : f32
    %80 = arith.addf %x0, %79 : f32
    linalg.yield %80 : f32
  } -> tensor<256xf32>
  %81 = tensor.empty() : tensor<256xf32>
  %v43 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v42 : tensor<256xf32>) outs(%81 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %82 = math.rsqrt %x0 : f32
    linalg.yield %82 : f32
  } -> tensor<256xf32>
  %83 = tensor.empty() : tensor<256x512xf32>
  %v44 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v38, %v43 : tensor<256x512xf32>, tensor<256xf32>) outs(%83 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %84 = arith.mulf %x0, %x1 : f32
    linalg.yield %84 : f32
  } -> tensor<256x512xf32>
  %85 = tensor.empty() : tensor<256x512xf32>
  %v45 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v44, %a34 : tensor<256x512xf32>, tensor<512xf32>) outs(%85 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %86 = arith.mulf %x0, %x1 : f32
    linalg.yield %86 : f32
  } -> tensor<256x512xf32>
  %87 = tensor.empty() : tensor<256x512xf32>
  %v46 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v45, %a35 : tensor<256x512xf32>, tensor<512xf32>) outs(%87 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %88 = arith.addf %x0, %x1 : f32
    linalg.yield %88 : f32
  } -> tensor<256x512xf32>
  %89 = tensor.empty() : tensor<256x512xf32>
  %v47 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v46 : tensor<256x512xf32>) outs(%89 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %90 = arith.negf %x0 : f32
    linalg.yield %90 : f32
  } -> tensor<256x512xf32>
  %91 = tensor.empty() : tensor<256x512xf32>
  %v48 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v47 : tensor<256x512xf32>) outs(%91 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %92 = math.exp %x0 : f32
    linalg.yield %92 : f32
  } -> tensor<256x512xf32>
  %93 = tensor.empty() : tensor<256x512xf32>
  %v49 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v48 : tensor<256x512xf32>) outs(%93 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %94 = arith.constant 1.000000000e+00 : f32
    %95 = arith.addf %94, %x0 : f32
    linalg.yield %95 : f32
  } -> tensor<256x512xf32>
  %96 = tensor.empty() : tensor<256x512xf32>
  %v50 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v49 : tensor<256x512xf32>) outs(%96 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %97 = arith.constant 1.000000000e+00 : f32
    %98 = arith.divf %97, %x0 : f32
    linalg.yield %98 : f32
  } -> tensor<256x512xf32>
  %99 = tensor.empty() : tensor<256x512xf32>
  %100 = arith.constant 0.000000000e+00 : f32
  %101 = linalg.fill ins(%100 : f32) outs(%99 : tensor<256x512xf32>) -> tensor<256x512xf32>
  %v52 = linalg.contract indexing_maps = [affine_map<(b, c, k) -> (b, k)>, affine_map<(b, c, k) -> (k, c)>, affine_map<(b, c, k) -> (b, c)>] ins(%a0, %a51 : tensor<256x512xf32>, tensor<512x512xf32>) outs(%101 : tensor<256x512xf32>) -> tensor<256x512xf32>
  %102 = tensor.empty() : tensor<256x512xf32>
  %103 = arith.constant 0.000000000e+00 : f32
  %104 = linalg.fill ins(%103 : f32) outs(%102 : tensor<256x512xf32>) -> tensor<256x512xf32>
  %v54 = linalg.contract indexing_maps = [affine_map<(b, c, k) -> (b, k)>, affine_map<(b, c, k) -> (k, c)>, affine_map<(b, c, k) -> (b, c)>] ins(%a1, %a53 : tensor<256x512xf32>, tensor<512x512xf32>) outs(%104 : tensor<256x512xf32>) -> tensor<256x512xf32>
  %105 = tensor.empty() : tensor<256x512xf32>
  %v55 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v52, %v54 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%105 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %106 = arith.addf %x0, %x1 : f32
    linalg.yield %106 : f32
  } -> tensor<256x512xf32>
  %107 = tensor.empty() : tensor<256x512xf32>
  %v57 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v55, %a56 : tensor<256x512xf32>, tensor<512xf32>) outs(%107 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %108 = arith.addf %x0, %x1 : f32
    linalg.yield %108 : f32
  } -> tensor<256x512xf32>
  %109 = tensor.empty() : tensor<256xf32>
  %110 = arith.constant 0.000000000e+00 : f32
  %111 = linalg.fill ins(%110 : f32) outs(%109 : tensor<256xf32>) -> tensor<256xf32>
  %v60 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>], iterator_types = ["parallel", "reduction"]}
      ins(%v57 : tensor<256x512xf32>) outs(%111 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %112 = arith.addf %x0, %old : f32
    linalg.yield %112 : f32
  } -> tensor<256xf32>
  %113 = tensor.empty() : tensor<256xf32>
  %v61 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v60 : tensor<256xf32>) outs(%113 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %114 = arith.constant 1.953125000e-03 : f32
    %115 = arith.mulf %x0, %114 : f32
    linalg.yield %115 : f32
  } -> tensor<256xf32>
  %116 = tensor.empty() : tensor<256x512xf32>
  %v62 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v57, %v61 : tensor<256x512xf32>, tensor<256xf32>) outs(%116 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %117 = arith.subf %x0, %x1 : f32
    linalg.yield %117 : f32
  } -> tensor<256x512xf32>
  %118 = tensor.empty() : tensor<256x512xf32>
  %v63 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v62, %v62 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%118 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %119 = arith.mulf %x0, %x1 : f32
    linalg.yield %119 : f32
  } -> tensor<256x512xf32>
  %120 = tensor.empty() : tensor<256xf32>
  %121 = arith.constant 0.000000000e+00 : f32
  %122 = linalg.fill ins(%121 : f32) outs(%120 : tensor<256xf32>) -> tensor<256xf32>
  %v64 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>], iterator_types = ["parallel", "reduction"]}
      ins(%v63 : tensor<256x512xf32>) outs(%122 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %123 = arith.addf %x0, %old : f32
    linalg.yield %123 : f32
  } -> tensor<256xf32>
  %124 = tensor.empty() : tensor<256xf32>
  %v65 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v64 : tensor<256xf32>) outs(%124 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %125 = arith.constant 1.953125000e-03 : f32
    %126 = arith.mulf %x0, %125 : f32
    linalg.yield %126 : f32
  } -> tensor<256xf32>
  %127 = tensor.empty() : tensor<256xf32>
  %v66 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v65 : tensor<256xf32>) outs(%127 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %128 = arith.constant 1.000000000e-05 : f32
    %129 = arith.addf %x0, %128 : f32
    linalg.yield %129 : f32
  } -> tensor<256xf32>
  %130 = tensor.empty() : tensor<256xf32>
  %v67 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v66 : tensor<256xf32>) outs(%130 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %131 = math.rsqrt %x0 : f32
    linalg.yield %131 : f32
  } -> tensor<256xf32>
  %132 = tensor.empty() : tensor<256x512xf32>
  %v68 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v62, %v67 : tensor<256x512xf32>, tensor<256xf32>) outs(%132 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %133 = arith.mulf %x0, %x1 : f32
    linalg.yield %133 : f32
  } -> tensor<256x512xf32>
  %134 = tensor.empty() : tensor<256x512xf32>
  %v69 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v68, %a58 : tensor<256x512xf32>, tensor<512xf32>) outs(%134 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %135 = arith.mulf %x0, %x1 : f32
    linalg.yield %135 : f32
  } -> tensor<256x512xf32>
  %136 = tensor.empty() : tensor<256x512xf32>
  %v70 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v69, %a59 : tensor<256x512xf32>, tensor<512xf32>) outs(%136 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %137 = arith.addf %x0, %x1 : f32
    linalg.yield %137 : f32
  } -> tensor<256x512xf32>
  %138 = tensor.empty() : tensor<256x512xf32>
  %v71 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v70 : tensor<256x512xf32>) outs(%138 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %139 = arith.negf %x0 : f32
    linalg.yield %139 : f32
  } -> tensor<256x512xf32>
  %140 = tensor.empty() : tensor<256x512xf32>
  %v72 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v71 : tensor<256x512xf32>) outs(%140 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %141 = math.exp %x0 : f32
    linalg.yield %141 : f32
  } -> tensor<256x512xf32>
  %142 = tensor.empty() : tensor<256x512xf32>
  %v73 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v72 : tensor<256x512xf32>) outs(%142 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %143 = arith.constant 1.000000000e+00 : f32
    %144 = arith.addf %143, %x0 : f32
    linalg.yield %144 : f32
  } -> tensor<256x512xf32>
  %145 = tensor.empty() : tensor<256x512xf32>
  %v74 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v73 : tensor<256x512xf32>) outs(%145 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %146 = arith.constant 1.000000000e+00 : f32
    %147 = arith.divf %146, %x0 : f32
    linalg.yield %147 : f32
  } -> tensor<256x512xf32>
  %148 = tensor.empty() : tensor<256x512xf32>
  %149 = arith.constant 0.000000000e+00 : f32
  %150 = linalg.fill ins(%149 : f32) outs(%148 : tensor<256x512xf32>) -> tensor<256x512xf32>
  %v76 = linalg.contract indexing_maps = [affine_map<(b, c, k) -> (b, k)>, affine_map<(b, c, k) -> (k, c)>, affine_map<(b, c, k) -> (b, c)>] ins(%a0, %a75 : tensor<256x512xf32>, tensor<512x512xf32>) outs(%150 : tensor<256x512xf32>) -> tensor<256x512xf32>
  %151 = tensor.empty() : tensor<256x512xf32>
  %152 = arith.constant 0.000000000e+00 : f32
  %153 = linalg.fill ins(%152 : f32) outs(%151 : tensor<256x512xf32>) -> tensor<256x512xf32>
  %v78 = linalg.contract indexing_maps = [affine_map<(b, c, k) -> (b, k)>, affine_map<(b, c, k) -> (k, c)>, affine_map<(b, c, k) -> (b, c)>] ins(%a1, %a77 : tensor<256x512xf32>, tensor<512x512xf32>) outs(%153 : tensor<256x512xf32>) -> tensor<256x512xf32>
  %154 = tensor.empty() : tensor<256x512xf32>
  %v79 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v76, %v78 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%154 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %155 = arith.addf %x0, %x1 : f32
    linalg.yield %155 : f32
  } -> tensor<256x512xf32>
  %156 = tensor.empty() : tensor<256x512xf32>
  %v81 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v79, %a80 : tensor<256x512xf32>, tensor<512xf32>) outs(%156 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %157 = arith.addf %x0, %x1 : f32
    linalg.yield %157 : f32
  } -> tensor<256x512xf32>
  %158 = tensor.empty() : tensor<256xf32>
  %159 = arith.constant 0.000000000e+00 : f32
  %160 = linalg.fill ins(%159 : f32) outs(%158 : tensor<256xf32>) -> tensor<256xf32>
  %v84 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>], iterator_types = ["parallel", "reduction"]}
      ins(%v81 : tensor<256x512xf32>) outs(%160 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %161 = arith.addf %x0, %old : f32
    linalg.yield %161 : f32
  } -> tensor<256xf32>
  %162 = tensor.empty() : tensor<256xf32>
  %v85 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v84 : tensor<256xf32>) outs(%162 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %163 = arith.constant 1.953125000e-03 : f32
    %164 = arith.mulf %x0, %163 : f32
    linalg.yield %164 : f32
  } -> tensor<256xf32>
  %165 = tensor.empty() : tensor<256x512xf32>
  %v86 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v81, %v85 : tensor<256x512xf32>, tensor<256xf32>) outs(%165 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %166 = arith.subf %x0, %x1 : f32
    linalg.yield %166 : f32
  } -> tensor<256x512xf32>
  %167 = tensor.empty() : tensor<256x512xf32>
  %v87 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v86, %v86 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%167 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %168 = arith.mulf %x0, %x1 : f32
    linalg.yield %168 : f32
  } -> tensor<256x512xf32>
  %169 = tensor.empty() : tensor<256xf32>
  %170 = arith.constant 0.000000000e+00 : f32
  %171 = linalg.fill ins(%170 : f32) outs(%169 : tensor<256xf32>) -> tensor<256xf32>
  %v88 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>], iterator_types = ["parallel", "reduction"]}
      ins(%v87 : tensor<256x512xf32>) outs(%171 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %172 = arith.addf %x0, %old : f32
    linalg.yield %172 : f32
  } -> tensor<256xf32>
  %173 = tensor.empty() : tensor<256xf32>
  %v89 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v88 : tensor<256xf32>) outs(%173 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %174 = arith.constant 1.953125000e-03 : f32
    %175 = arith.mulf %x0, %174 : f32
    linalg.yield %175 : f32
  } -> tensor<256xf32>
  %176 = tensor.empty() : tensor<256xf32>
  %v90 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v89 : tensor<256xf32>) outs(%176 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %177 = arith.constant 1.000000000e-05 : f32
    %178 = arith.addf %x0, %177 : f32
    linalg.yield %178 : f32
  } -> tensor<256xf32>
  %179 = tensor.empty() : tensor<256xf32>
  %v91 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v90 : tensor<256xf32>) outs(%179 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %180 = math.rsqrt %x0 : f32
    linalg.yield %180 : f32
  } -> tensor<256xf32>
  %181 = tensor.empty() : tensor<256x512xf32>
  %v92 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v86, %v91 : tensor<256x512xf32>, tensor<256xf32>) outs(%181 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %182 = arith.mulf %x0, %x1 : f32
    linalg.yield %182 : f32
  } -> tensor<256x512xf32>
  %183 = tensor.empty() : tensor<256x512xf32>
  %v93 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v92, %a82 : tensor<256x512xf32>, tensor<512xf32>) outs(%183 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %184 = arith.mulf %x0, %x1 : f32
    linalg.yield %184 : f32
  } -> tensor<256x512xf32>
  %185 = tensor.empty() : tensor<256x512xf32>
  %v94 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v93, %a83 : tensor<256x512xf32>, tensor<512xf32>) outs(%185 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %186 = arith.addf %x0, %x1 : f32
    linalg.yield %186 : f32
  } -> tensor<256x512xf32>
  %187 = tensor.empty() : tensor<256x512xf32>
  %v95 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v94 : tensor<256x512xf32>) outs(%187 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %188 = math.tanh %x0 : f32
    linalg.yield %188 : f32
  } -> tensor<256x512xf32>
  %189 = tensor.empty() : tensor<256x512xf32>
  %v96 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v50, %a2 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%189 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %190 = arith.mulf %x0, %x1 : f32
    linalg.yield %190 : f32
  } -> tensor<256x512xf32>
  %191 = tensor.empty() : tensor<256x512xf32>
  %v97 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v26, %v95 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%191 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %192 = arith.mulf %x0, %x1 : f32
    linalg.yield %192 : f32
  } -> tensor<256x512xf32>
  %193 = tensor.empty() : tensor<256x512xf32>
  %v98 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v96, %v97 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%193 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %194 = arith.addf %x0, %x1 : f32
    linalg.yield %194 : f32
  } -> tensor<256x512xf32>
  %195 = tensor.empty() : tensor<256xf32>
  %196 = arith.constant 0.000000000e+00 : f32
  %197 = linalg.fill ins(%196 : f32) outs(%195 : tensor<256xf32>) -> tensor<256xf32>
  %v101 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>], iterator_types = ["parallel", "reduction"]}
      ins(%v98 : tensor<256x512xf32>) outs(%197 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %198 = arith.addf %x0, %old : f32
    linalg.yield %198 : f32
  } -> tensor<256xf32>
  %199 = tensor.empty() : tensor<256xf32>
  %v102 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v101 : tensor<256xf32>) outs(%199 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %200 = arith.constant 1.953125000e-03 : f32
    %201 = arith.mulf %x0, %200 : f32
    linalg.yield %201 : f32
  } -> tensor<256xf32>
  %202 = tensor.empty() : tensor<256x512xf32>
  %v103 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v98, %v102 : tensor<256x512xf32>, tensor<256xf32>) outs(%202 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %203 = arith.subf %x0, %x1 : f32
    linalg.yield %203 : f32
  } -> tensor<256x512xf32>
  %204 = tensor.empty() : tensor<256x512xf32>
  %v104 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v103, %v103 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%204 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %205 = arith.mulf %x0, %x1 : f32
    linalg.yield %205 : f32
  } -> tensor<256x512xf32>
  %206 = tensor.empty() : tensor<256xf32>
  %207 = arith.constant 0.000000000e+00 : f32
  %208 = linalg.fill ins(%207 : f32) outs(%206 : tensor<256xf32>) -> tensor<256xf32>
  %v105 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>], iterator_types = ["parallel", "reduction"]}
      ins(%v104 : tensor<256x512xf32>) outs(%208 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %209 = arith.addf %x0, %old : f32
    linalg.yield %209 : f32
  } -> tensor<256xf32>
  %210 = tensor.empty() : tensor<256xf32>
  %v106 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v105 : tensor<256xf32>) outs(%210 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %211 = arith.constant 1.953125000e-03 : f32
    %212 = arith.mulf %x0, %211 : f32
    linalg.yield %212 : f32
  } -> tensor<256xf32>
  %213 = tensor.empty() : tensor<256xf32>
  %v107 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v106 : tensor<256xf32>) outs(%213 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %214 = arith.constant 1.000000000e-05 : f32
    %215 = arith.addf %x0, %214 : f32
    linalg.yield %215 : f32
  } -> tensor<256xf32>
  %216 = tensor.empty() : tensor<256xf32>
  %v108 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v107 : tensor<256xf32>) outs(%216 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %217 = math.rsqrt %x0 : f32
    linalg.yield %217 : f32
  } -> tensor<256xf32>
  %218 = tensor.empty() : tensor<256x512xf32>
  %v109 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v103, %v108 : tensor<256x512xf32>, tensor<256xf32>) outs(%218 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %219 = arith.mulf %x0, %x1 : f32
    linalg.yield %219 : f32
  } -> tensor<256x512xf32>
  %220 = tensor.empty() : tensor<256x512xf32>
  %v110 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v109, %a99 : tensor<256x512xf32>, tensor<512xf32>) outs(%220 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %221 = arith.mulf %x0, %x1 : f32
    linalg.yield %221 : f32
  } -> tensor<256x512xf32>
  %222 = tensor.empty() : tensor<256x512xf32>
  %v111 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v110, %a100 : tensor<256x512xf32>, tensor<512xf32>) outs(%222 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %223 = arith.addf %x0, %x1 : f32
    linalg.yield %223 : f32
  } -> tensor<256x512xf32>
  %224 = tensor.empty() : tensor<256x512xf32>
  %v112 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v111 : tensor<256x512xf32>) outs(%224 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %225 = math.tanh %x0 : f32
    linalg.yield %225 : f32
  } -> tensor<256x512xf32>
  %226 = tensor.empty() : tensor<256x512xf32>
  %v113 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v74, %v112 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%226 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %227 = arith.mulf %x0, %x1 : f32
    linalg.yield %227 : f32
  } -> tensor<256x512xf32>
  return %v98, %v113 : tensor<256x512xf32>, tensor<256x512xf32>
}
