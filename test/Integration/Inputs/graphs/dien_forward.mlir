func.func @chain(%a0: tensor<256x36xf32>, %a1: tensor<256x100x36xf32>, %a2: tensor<256x100xf32>, %a6: tensor<36x80xf32>, %a8: tensor<36x80xf32>, %a10: tensor<36x80xf32>, %a12: tensor<36x80xf32>, %a17: tensor<80xf32>, %a19: tensor<80xf32>, %a38: tensor<80x40xf32>, %a40: tensor<40xf32>, %a42: tensor<40xf32>, %a61: tensor<40xf32>, %a74: tensor<256x100x36xf32>, %a75: tensor<36xf32>, %a81: tensor<256x100x36xf32>, %a82: tensor<36xf32>, %a88: tensor<256x100x36xf32>, %a89: tensor<256x100x36xf32>, %a90: tensor<256x100x36xf32>) -> (tensor<256x36xf32>, tensor<256x100x36xf32>) {
  %1 = tensor.empty() : tensor<256x100x36xf32>
  %v3 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a0 : tensor<256x36xf32>) outs(%1 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %old: f32):
    linalg.yield %x0 : f32
  } -> tensor<256x100x36xf32>
  %2 = tensor.empty() : tensor<256x100x36xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v3, %a1 : tensor<256x100x36xf32>, tensor<256x100x36xf32>) outs(%2 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %3 = arith.subf %x0, %x1 : f32
    linalg.yield %3 : f32
  } -> tensor<256x100x36xf32>
  %4 = tensor.empty() : tensor<256x100x36xf32>
  %v5 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v3, %a1 : tensor<256x100x36xf32>, tensor<256x100x36xf32>) outs(%4 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %5 = arith.mulf %x0, %x1 : f32
    linalg.yield %5 : f32
  } -> tensor<256x100x36xf32>
  %6 = tensor.empty() : tensor<256x100x80xf32>
  %7 = arith.constant 0.000000000e+00 : f32
  %8 = linalg.fill ins(%7 : f32) outs(%6 : tensor<256x100x80xf32>) -> tensor<256x100x80xf32>
  %v7 = linalg.contract indexing_maps = [affine_map<(b, t, u, c) -> (b, t, c)>, affine_map<(b, t, u, c) -> (c, u)>, affine_map<(b, t, u, c) -> (b, t, u)>] ins(%v3, %a6 : tensor<256x100x36xf32>, tensor<36x80xf32>) outs(%8 : tensor<256x100x80xf32>) -> tensor<256x100x80xf32>
  %9 = tensor.empty() : tensor<256x100x80xf32>
  %10 = arith.constant 0.000000000e+00 : f32
  %11 = linalg.fill ins(%10 : f32) outs(%9 : tensor<256x100x80xf32>) -> tensor<256x100x80xf32>
  %v9 = linalg.contract indexing_maps = [affine_map<(b, t, u, c) -> (b, t, c)>, affine_map<(b, t, u, c) -> (c, u)>, affine_map<(b, t, u, c) -> (b, t, u)>] ins(%a1, %a8 : tensor<256x100x36xf32>, tensor<36x80xf32>) outs(%11 : tensor<256x100x80xf32>) -> tensor<256x100x80xf32>
  %12 = tensor.empty() : tensor<256x100x80xf32>
  %13 = arith.constant 0.000000000e+00 : f32
  %14 = linalg.fill ins(%13 : f32) outs(%12 : tensor<256x100x80xf32>) -> tensor<256x100x80xf32>
  %v11 = linalg.contract indexing_maps = [affine_map<(b, t, u, c) -> (b, t, c)>, affine_map<(b, t, u, c) -> (c, u)>, affine_map<(b, t, u, c) -> (b, t, u)>] ins(%v4, %a10 : tensor<256x100x36xf32>, tensor<36x80xf32>) outs(%14 : tensor<256x100x80xf32>) -> tensor<256x100x80xf32>
  %15 = tensor.empty() : tensor<256x100x80xf32>
  %16 = arith.constant 0.000000000e+00 : f32
  %17 = linalg.fill ins(%16 : f32) outs(%15 : tensor<256x100x80xf32>) -> tensor<256x100x80xf32>
  %v13 = linalg.contract indexing_maps = [affine_map<(b, t, u, c) -> (b, t, c)>, affine_map<(b, t, u, c) -> (c, u)>, affine_map<(b, t, u, c) -> (b, t, u)>] ins(%v5, %a12 : tensor<256x100x36xf32>, tensor<36x80xf32>) outs(%17 : tensor<256x100x80xf32>) -> tensor<256x100x80xf32>
  %18 = tensor.empty() : tensor<256x100x80xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v7, %v9 : tensor<256x100x80xf32>, tensor<256x100x80xf32>) outs(%18 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %19 = arith.addf %x0, %x1 : f32
    linalg.yield %19 : f32
  } -> tensor<256x100x80xf32>
  %20 = tensor.empty() : tensor<256x100x80xf32>
  %v15 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v14, %v11 : tensor<256x100x80xf32>, tensor<256x100x80xf32>) outs(%20 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %21 = arith.addf %x0, %x1 : f32
    linalg.yield %21 : f32
  } -> tensor<256x100x80xf32>
  %22 = tensor.empty() : tensor<256x100x80xf32>
  %v16 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v15, %v13 : tensor<256x100x80xf32>, tensor<256x100x80xf32>) outs(%22 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %23 = arith.addf %x0, %x1 : f32
    linalg.yield %23 : f32
  } -> tensor<256x100x80xf32>
  %24 = tensor.empty() : tensor<256x100x80xf32>
  %v18 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v16, %a17 : tensor<256x100x80xf32>, tensor<80xf32>) outs(%24 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %25 = arith.addf %x0, %x1 : f32
    linalg.yield %25 : f32
  } -> tensor<256x100x80xf32>
  %26 = tensor.empty() : tensor<256x100xf32>
  %27 = arith.constant 0.000000000e+00 : f32
  %28 = linalg.fill ins(%27 : f32) outs(%26 : tensor<256x100xf32>) -> tensor<256x100xf32>
  %v20 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v18 : tensor<256x100x80xf32>) outs(%28 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %29 = arith.addf %x0, %old : f32
    linalg.yield %29 : f32
  } -> tensor<256x100xf32>
  %30 = tensor.empty() : tensor<256x100xf32>
  %v21 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]}
      ins(%v20 : tensor<256x100xf32>) outs(%30 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %31 = arith.constant 1.250000000e-02 : f32
    %32 = arith.mulf %x0, %31 : f32
    linalg.yield %32 : f32
  } -> tensor<256x100xf32>
  %33 = tensor.empty() : tensor<256x100x80xf32>
  %v22 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v18, %v21 : tensor<256x100x80xf32>, tensor<256x100xf32>) outs(%33 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %34 = arith.subf %x0, %x1 : f32
    linalg.yield %34 : f32
  } -> tensor<256x100x80xf32>
  %35 = tensor.empty() : tensor<256x100x80xf32>
  %v23 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v22, %v22 : tensor<256x100x80xf32>, tensor<256x100x80xf32>) outs(%35 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %36 = arith.mulf %x0, %x1 : f32
    linalg.yield %36 : f32
  } -> tensor<256x100x80xf32>
  %37 = tensor.empty() : tensor<256x100xf32>
  %38 = arith.constant 0.000000000e+00 : f32
  %39 = linalg.fill ins(%38 : f32) outs(%37 : tensor<256x100xf32>) -> tensor<256x100xf32>
  %v24 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v23 : tensor<256x100x80xf32>) outs(%39 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %40 = arith.addf %x0, %old : f32
    linalg.yield %40 : f32
  } -> tensor<256x100xf32>
  %41 = tensor.empty() : tensor<256x100xf32>
  %v25 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]}
      ins(%v24 : tensor<256x100xf32>) outs(%41 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %42 = arith.constant 1.250000000e-02 : f32
    %43 = arith.mulf %x0, %42 : f32
    linalg.yield %43 : f32
  } -> tensor<256x100xf32>
  %44 = tensor.empty() : tensor<256x100xf32>
  %v26 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]}
      ins(%v25 : tensor<256x100xf32>) outs(%44 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %45 = arith.constant 1.000000000e-08 : f32
    %46 = arith.addf %x0, %45 : f32
    linalg.yield %46 : f32
  } -> tensor<256x100xf32>
  %47 = tensor.empty() : tensor<256x100xf32>
  %v27 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]}
      ins(%v26 : tensor<256x100xf32>) outs(%47 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %48 = math.rsqrt %x0 : f32
    linalg.yield %48 : f32
  } -> tensor<256x100xf32>
  %49 = tensor.empty() : tensor<256x100x80xf32>
  %v28 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v22, %v27 : tensor<256x100x80xf32>, tensor<256x100xf32>) outs(%49 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %50 = arith.mulf %x0, %x1 : f32
    linalg.yield %50 : f32
  } -> tensor<256x100x80xf32>
  %51 = tensor.empty() : tensor<256x100x80xf32>
  %v29 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v28 : tensor<256x100x80xf32>) outs(%51 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %52 = arith.negf %x0 : f32
    linalg.yield %52 : f32
  } -> tensor<256x100x80xf32>
  %53 = tensor.empty() : tensor<256x100x80xf32>
  %v30 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v29 : tensor<256x100x80xf32>) outs(%53 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %54 = math.exp %x0 : f32
    linalg.yield %54 : f32
  } -> tensor<256x100x80xf32>
  %55 = tensor.empty() : tensor<256x100x80xf32>
  %v31 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v30 : tensor<256x100x80xf32>) outs(%55 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %56 = arith.constant 1.000000000e+00 : f32
    %57 = arith.addf %56, %x0 : f32
    linalg.yield %57 : f32
  } -> tensor<256x100x80xf32>
  %58 = tensor.empty() : tensor<256x100x80xf32>
  %v32 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v31 : tensor<256x100x80xf32>) outs(%58 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %59 = arith.constant 1.000000000e+00 : f32
    %60 = arith.divf %59, %x0 : f32
    linalg.yield %60 : f32
  } -> tensor<256x100x80xf32>
  %61 = tensor.empty() : tensor<256x100x80xf32>
  %v33 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v32 : tensor<256x100x80xf32>) outs(%61 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %62 = arith.constant 1.000000000e+00 : f32
    %63 = arith.subf %62, %x0 : f32
    linalg.yield %63 : f32
  } -> tensor<256x100x80xf32>
  %64 = tensor.empty() : tensor<256x100x80xf32>
  %v34 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (u)>, affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a19, %v33 : tensor<80xf32>, tensor<256x100x80xf32>) outs(%64 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %65 = arith.mulf %x0, %x1 : f32
    linalg.yield %65 : f32
  } -> tensor<256x100x80xf32>
  %66 = tensor.empty() : tensor<256x100x80xf32>
  %v35 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v34, %v18 : tensor<256x100x80xf32>, tensor<256x100x80xf32>) outs(%66 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %67 = arith.mulf %x0, %x1 : f32
    linalg.yield %67 : f32
  } -> tensor<256x100x80xf32>
  %68 = tensor.empty() : tensor<256x100x80xf32>
  %v36 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v32, %v18 : tensor<256x100x80xf32>, tensor<256x100x80xf32>) outs(%68 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %69 = arith.mulf %x0, %x1 : f32
    linalg.yield %69 : f32
  } -> tensor<256x100x80xf32>
  %70 = tensor.empty() : tensor<256x100x80xf32>
  %v37 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v35, %v36 : tensor<256x100x80xf32>, tensor<256x100x80xf32>) outs(%70 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %71 = arith.addf %x0, %x1 : f32
    linalg.yield %71 : f32
  } -> tensor<256x100x80xf32>
  %72 = tensor.empty() : tensor<256x100x40xf32>
  %73 = arith.constant 0.000000000e+00 : f32
  %74 = linalg.fill ins(%73 : f32) outs(%72 : tensor<256x100x40xf32>) -> tensor<256x100x40xf32>
  %v39 = linalg.contract indexing_maps = [affine_map<(b, t, w, u) -> (b, t, u)>, affine_map<(b, t, w, u) -> (u, w)>, affine_map<(b, t, w, u) -> (b, t, w)>] ins(%v37, %a38 : tensor<256x100x80xf32>, tensor<80x40xf32>) outs(%74 : tensor<256x100x40xf32>) -> tensor<256x100x40xf32>
  %75 = tensor.empty() : tensor<256x100x40xf32>
  %v41 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v39, %a40 : tensor<256x100x40xf32>, tensor<40xf32>) outs(%75 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %76 = arith.addf %x0, %x1 : f32
    linalg.yield %76 : f32
  } -> tensor<256x100x40xf32>
  %77 = tensor.empty() : tensor<256x100xf32>
  %78 = arith.constant 0.000000000e+00 : f32
  %79 = linalg.fill ins(%78 : f32) outs(%77 : tensor<256x100xf32>) -> tensor<256x100xf32>
  %v43 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v41 : tensor<256x100x40xf32>) outs(%79 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %80 = arith.addf %x0, %old : f32
    linalg.yield %80 : f32
  } -> tensor<256x100xf32>
  %81 = tensor.empty() : tensor<256x100xf32>
  %v44 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]}
      ins(%v43 : tensor<256x100xf32>) outs(%81 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %82 = arith.constant 2.500000000e-02 : f32
    %83 = arith.mulf %x0, %82 : f32
    linalg.yield %83 : f32
  } -> tensor<256x100xf32>
  %84 = tensor.empty() : tensor<256x100x40xf32>
  %v45 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v41, %v44 : tensor<256x100x40xf32>, tensor<256x100xf32>) outs(%84 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %85 = arith.subf %x0, %x1 : f32
    linalg.yield %85 : f32
  } -> tensor<256x100x40xf32>
  %86 = tensor.empty() : tensor<256x100x40xf32>
  %v46 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v45, %v45 : tensor<256x100x40xf32>, tensor<256x100x40xf32>) outs(%86 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %87 = arith.mulf %x0, %x1 : f32
    linalg.yield %87 : f32
  } -> tensor<256x100x40xf32>
  %88 = tensor.empty() : tensor<256x100xf32>
  %89 = arith.constant 0.000000000e+00 : f32
  %90 = linalg.fill ins(%89 : f32) outs(%88 : tensor<256x100xf32>) -> tensor<256x100xf32>
  %v47 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v46 : tensor<256x100x40xf32>) outs(%90 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %91 = arith.addf %x0, %old : f32
    linalg.yield %91 : f32
  } -> tensor<256x100xf32>
  %92 = tensor.empty() : tensor<256x100xf32>
  %v48 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]}
      ins(%v47 : tensor<256x100xf32>) outs(%92 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %93 = arith.constant 2.500000000e-02 : f32
    %94 = arith.mulf %x0, %93 : f32
    linalg.yield %94 : f32
  } -> tensor<256x100xf32>
  %95 = tensor.empty() : tensor<256x100xf32>
  %v49 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]}
      ins(%v48 : tensor<256x100xf32>) outs(%95 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %96 = arith.constant 1.000000000e-08 : f32
    %97 = arith.addf %x0, %96 : f32
    linalg.yield %97 : f32
  } -> tensor<256x100xf32>
  %98 = tensor.empty() : tensor<256x100xf32>
  %v50 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]}
      ins(%v49 : tensor<256x100xf32>) outs(%98 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %99 = math.rsqrt %x0 : f32
    linalg.yield %99 : f32
  } -> tensor<256x100xf32>
  %100 = tensor.empty() : tensor<256x100x40xf32>
  %v51 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v45, %v50 : tensor<256x100x40xf32>, tensor<256x100xf32>) outs(%100 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %101 = arith.mulf %x0, %x1 : f32
    linalg.yield %101 : f32
  } -> tensor<256x100x40xf32>
  %102 = tensor.empty() : tensor<256x100x40xf32>
  %v52 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v51 : tensor<256x100x40xf32>) outs(%102 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %103 = arith.negf %x0 : f32
    linalg.yield %103 : f32
  } -> tensor<256x100x40xf32>
  %104 = tensor.empty() : tensor<256x100x40xf32>
  %v53 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v52 : tensor<256x100x40xf32>) outs(%104 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %105 = math.exp %x0 : f32
    linalg.yield %105 : f32
  } -> tensor<256x100x40xf32>
  %106 = tensor.empty() : tensor<256x100x40xf32>
  %v54 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v53 : tensor<256x100x40xf32>) outs(%106 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %107 = arith.constant 1.000000000e+00 : f32
    %108 = arith.addf %107, %x0 : f32
    linalg.yield %108 : f32
  } -> tensor<256x100x40xf32>
  %109 = tensor.empty() : tensor<256x100x40xf32>
  %v55 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v54 : tensor<256x100x40xf32>) outs(%109 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %110 = arith.constant 1.000000000e+00 : f32
    %111 = arith.divf %110, %x0 : f32
    linalg.yield %111 : f32
  } -> tensor<256x100x40xf32>
  %112 = tensor.empty() : tensor<256x100x40xf32>
  %v56 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v55 : tensor<256x100x40xf32>) outs(%112 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %113 = arith.constant 1.000000000e+00 : f32
    %114 = arith.subf %113, %x0 : f32
    linalg.yield %114 : f32
  } -> tensor<256x100x40xf32>
  %115 = tensor.empty() : tensor<256x100x40xf32>
  %v57 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (w)>, affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a42, %v56 : tensor<40xf32>, tensor<256x100x40xf32>) outs(%115 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %116 = arith.mulf %x0, %x1 : f32
    linalg.yield %116 : f32
  } -> tensor<256x100x40xf32>
  %117 = tensor.empty() : tensor<256x100x40xf32>
  %v58 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v57, %v41 : tensor<256x100x40xf32>, tensor<256x100x40xf32>) outs(%117 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %118 = arith.mulf %x0, %x1 : f32
    linalg.yield %118 : f32
  } -> tensor<256x100x40xf32>
  %119 = tensor.empty() : tensor<256x100x40xf32>
  %v59 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v55, %v41 : tensor<256x100x40xf32>, tensor<256x100x40xf32>) outs(%119 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %120 = arith.mulf %x0, %x1 : f32
    linalg.yield %120 : f32
  } -> tensor<256x100x40xf32>
  %121 = tensor.empty() : tensor<256x100x40xf32>
  %v60 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v58, %v59 : tensor<256x100x40xf32>, tensor<256x100x40xf32>) outs(%121 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %122 = arith.addf %x0, %x1 : f32
    linalg.yield %122 : f32
  } -> tensor<256x100x40xf32>
  %123 = tensor.empty() : tensor<256x100x40xf32>
  %v62 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v60, %a61 : tensor<256x100x40xf32>, tensor<40xf32>) outs(%123 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %124 = arith.mulf %x0, %x1 : f32
    linalg.yield %124 : f32
  } -> tensor<256x100x40xf32>
  %125 = tensor.empty() : tensor<256x100xf32>
  %126 = arith.constant 0.000000000e+00 : f32
  %127 = linalg.fill ins(%126 : f32) outs(%125 : tensor<256x100xf32>) -> tensor<256x100xf32>
  %v63 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v62 : tensor<256x100x40xf32>) outs(%127 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %128 = arith.addf %x0, %old : f32
    linalg.yield %128 : f32
  } -> tensor<256x100xf32>
  %129 = tensor.empty() : tensor<256x100xf32>
  %v64 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]}
      ins(%a2 : tensor<256x100xf32>) outs(%129 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %130 = arith.constant 1.000000000e+00 : f32
    %131 = arith.subf %x0, %130 : f32
    %132 = arith.constant 4.290000000e+09 : f32
    %133 = arith.mulf %131, %132 : f32
    linalg.yield %133 : f32
  } -> tensor<256x100xf32>
  %134 = tensor.empty() : tensor<256x100xf32>
  %v65 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]}
      ins(%v63 : tensor<256x100xf32>) outs(%134 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %135 = arith.constant 1.666666667e-01 : f32
    %136 = arith.mulf %x0, %135 : f32
    linalg.yield %136 : f32
  } -> tensor<256x100xf32>
  %137 = tensor.empty() : tensor<256x100xf32>
  %v66 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]}
      ins(%v65, %v64 : tensor<256x100xf32>, tensor<256x100xf32>) outs(%137 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %138 = arith.addf %x0, %x1 : f32
    linalg.yield %138 : f32
  } -> tensor<256x100xf32>
  %139 = tensor.empty() : tensor<256xf32>
  %140 = arith.constant 0xFF800000 : f32
  %141 = linalg.fill ins(%140 : f32) outs(%139 : tensor<256xf32>) -> tensor<256xf32>
  %v67 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b)>], iterator_types = ["parallel", "reduction"]}
      ins(%v66 : tensor<256x100xf32>) outs(%141 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %142 = arith.maximumf %x0, %old : f32
    linalg.yield %142 : f32
  } -> tensor<256xf32>
  %143 = tensor.empty() : tensor<256x100xf32>
  %v68 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b)>, affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]}
      ins(%v66, %v67 : tensor<256x100xf32>, tensor<256xf32>) outs(%143 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %144 = arith.subf %x0, %x1 : f32
    linalg.yield %144 : f32
  } -> tensor<256x100xf32>
  %145 = tensor.empty() : tensor<256x100xf32>
  %v69 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]}
      ins(%v68 : tensor<256x100xf32>) outs(%145 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %146 = math.exp %x0 : f32
    linalg.yield %146 : f32
  } -> tensor<256x100xf32>
  %147 = tensor.empty() : tensor<256xf32>
  %148 = arith.constant 0.000000000e+00 : f32
  %149 = linalg.fill ins(%148 : f32) outs(%147 : tensor<256xf32>) -> tensor<256xf32>
  %v70 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b)>], iterator_types = ["parallel", "reduction"]}
      ins(%v69 : tensor<256x100xf32>) outs(%149 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %150 = arith.addf %x0, %old : f32
    linalg.yield %150 : f32
  } -> tensor<256xf32>
  %151 = tensor.empty() : tensor<256x100xf32>
  %v71 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b)>, affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]}
      ins(%v69, %v70 : tensor<256x100xf32>, tensor<256xf32>) outs(%151 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %152 = arith.divf %x0, %x1 : f32
    linalg.yield %152 : f32
  } -> tensor<256x100xf32>
  %153 = tensor.empty() : tensor<256x100x36xf32>
  %v72 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v71, %a1 : tensor<256x100xf32>, tensor<256x100x36xf32>) outs(%153 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %154 = arith.mulf %x0, %x1 : f32
    linalg.yield %154 : f32
  } -> tensor<256x100x36xf32>
  %155 = tensor.empty() : tensor<256x36xf32>
  %156 = arith.constant 0.000000000e+00 : f32
  %157 = linalg.fill ins(%156 : f32) outs(%155 : tensor<256x36xf32>) -> tensor<256x36xf32>
  %v73 = linalg.generic {indexing_maps = [affine_map<(b, c, t) -> (b, t, c)>, affine_map<(b, c, t) -> (b, c)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v72 : tensor<256x100x36xf32>) outs(%157 : tensor<256x36xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %158 = arith.addf %x0, %old : f32
    linalg.yield %158 : f32
  } -> tensor<256x36xf32>
  %159 = tensor.empty() : tensor<256x100x36xf32>
  %v76 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a74, %a75 : tensor<256x100x36xf32>, tensor<36xf32>) outs(%159 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %160 = arith.addf %x0, %x1 : f32
    linalg.yield %160 : f32
  } -> tensor<256x100x36xf32>
  %161 = tensor.empty() : tensor<256x100x36xf32>
  %v77 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v76 : tensor<256x100x36xf32>) outs(%161 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %162 = arith.negf %x0 : f32
    linalg.yield %162 : f32
  } -> tensor<256x100x36xf32>
  %163 = tensor.empty() : tensor<256x100x36xf32>
  %v78 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v77 : tensor<256x100x36xf32>) outs(%163 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %164 = math.exp %x0 : f32
    linalg.yield %164 : f32
  } -> tensor<256x100x36xf32>
  %165 = tensor.empty() : tensor<256x100x36xf32>
  %v79 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v78 : tensor<256x100x36xf32>) outs(%165 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %166 = arith.constant 1.000000000e+00 : f32
    %167 = arith.addf %166, %x0 : f32
    linalg.yield %167 : f32
  } -> tensor<256x100x36xf32>
  %168 = tensor.empty() : tensor<256x100x36xf32>
  %v80 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v79 : tensor<256x100x36xf32>) outs(%168 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %169 = arith.constant 1.000000000e+00 : f32
    %170 = arith.divf %169, %x0 : f32
    linalg.yield %170 : f32
  } -> tensor<256x100x36xf32>
  %171 = tensor.empty() : tensor<256x100x36xf32>
  %v83 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a81, %a82 : tensor<256x100x36xf32>, tensor<36xf32>) outs(%171 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %172 = arith.addf %x0, %x1 : f32
    linalg.yield %172 : f32
  } -> tensor<256x100x36xf32>
  %173 = tensor.empty() : tensor<256x100x36xf32>
  %v84 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v83 : tensor<256x100x36xf32>) outs(%173 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %174 = arith.negf %x0 : f32
    linalg.yield %174 : f32
  } -> tensor<256x100x36xf32>
  %175 = tensor.empty() : tensor<256x100x36xf32>
  %v85 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v84 : tensor<256x100x36xf32>) outs(%175 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %176 = math.exp %x0 : f32
    linalg.yield %176 : f32
  } -> tensor<256x100x36xf32>
  %177 = tensor.empty() : tensor<256x100x36xf32>
  %v86 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v85 : tensor<256x100x36xf32>) outs(%177 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %178 = arith.constant 1.000000000e+00 : f32
    %179 = arith.addf %178, %x0 : f32
    linalg.yield %179 : f32
  } -> tensor<256x100x36xf32>
  %180 = tensor.empty() : tensor<256x100x36xf32>
  %v87 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v86 : tensor<256x100x36xf32>) outs(%180 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %181 = arith.constant 1.000000000e+00 : f32
    %182 = arith.divf %181, %x0 : f32
    linalg.yield %182 : f32
  } -> tensor<256x100x36xf32>
  %183 = tensor.empty() : tensor<256x100x36xf32>
  %v91 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v87, %a90 : tensor<256x100x36xf32>, tensor<256x100x36xf32>) outs(%183 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %184 = arith.mulf %x0, %x1 : f32
    linalg.yield %184 : f32
  } -> tensor<256x100x36xf32>
  %185 = tensor.empty() : tensor<256x100x36xf32>
  %v92 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a89, %v91 : tensor<256x100x36xf32>, tensor<256x100x36xf32>) outs(%185 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %186 = arith.addf %x0, %x1 : f32
    linalg.yield %186 : f32
  } -> tensor<256x100x36xf32>
  %187 = tensor.empty() : tensor<256x100x36xf32>
  %v93 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v92 : tensor<256x100x36xf32>) outs(%187 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %188 = math.tanh %x0 : f32
    linalg.yield %188 : f32
  } -> tensor<256x100x36xf32>
  %189 = tensor.empty() : tensor<256x100x36xf32>
  %v94 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v71, %v80 : tensor<256x100xf32>, tensor<256x100x36xf32>) outs(%189 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %190 = arith.mulf %x0, %x1 : f32
    linalg.yield %190 : f32
  } -> tensor<256x100x36xf32>
  %191 = tensor.empty() : tensor<256x100x36xf32>
  %v95 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v94 : tensor<256x100x36xf32>) outs(%191 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %192 = arith.constant 1.000000000e+00 : f32
    %193 = arith.subf %192, %x0 : f32
    linalg.yield %193 : f32
  } -> tensor<256x100x36xf32>
  %194 = tensor.empty() : tensor<256x100x36xf32>
  %v96 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v95, %a88 : tensor<256x100x36xf32>, tensor<256x100x36xf32>) outs(%194 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %195 = arith.mulf %x0, %x1 : f32
    linalg.yield %195 : f32
  } -> tensor<256x100x36xf32>
  %196 = tensor.empty() : tensor<256x100x36xf32>
  %v97 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v94, %v93 : tensor<256x100x36xf32>, tensor<256x100x36xf32>) outs(%196 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %197 = arith.mulf %x0, %x1 : f32
    linalg.yield %197 : f32
  } -> tensor<256x100x36xf32>
  %198 = tensor.empty() : tensor<256x100x36xf32>
  %v98 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v96, %v97 : tensor<256x100x36xf32>, tensor<256x100x36xf32>) outs(%198 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %199 = arith.addf %x0, %x1 : f32
    linalg.yield %199 : f32
  } -> tensor<256x100x36xf32>
  %200 = tensor.empty() : tensor<256x100x36xf32>
  %v99 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v98, %a2 : tensor<256x100x36xf32>, tensor<256x100xf32>) outs(%200 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %201 = arith.mulf %x0, %x1 : f32
    linalg.yield %201 : f32
  } -> tensor<256x100x36xf32>
  return %v73, %v99 : tensor<256x36xf32>, tensor<256x100x36xf32>
}
