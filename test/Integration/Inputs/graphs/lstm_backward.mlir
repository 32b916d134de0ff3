func.func @chain(%a0: tensor<256x512xf32>, %a1: tensor<256x512xf32>, %a2: tensor<256x512xf32>, %a3: tensor<256x512xf32>, %a4: tensor<256x512xf32>, %a5: tensor<256x512xf32>, %a6: tensor<256x512xf32>, %a7: tensor<256x512xf32>, %a11: tensor<256x512xf32>, %a12: tensor<256xf32>, %a13: tensor<512xf32>, %a36: tensor<256x512xf32>, %a37: tensor<256xf32>, %a38: tensor<512xf32>, %a56: tensor<256x512xf32>, %a57: tensor<256xf32>, %a58: tensor<512xf32>, %a76: tensor<256x512xf32>, %a77: tensor<256xf32>, %a78: tensor<512xf32>, %a95: tensor<256x512xf32>, %a96: tensor<256xf32>, %a97: tensor<512xf32>) -> (tensor<512xf32>, tensor<512xf32>, tensor<256x512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<256x512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<256x512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<256x512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<256x512xf32>, tensor<512xf32>) {
  %1 = tensor.empty() : tensor<256x512xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%a0, %a5 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%1 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %2 = arith.mulf %x0, %x1 : f32
    linalg.yield %2 : f32
  } -> tensor<256x512xf32>
  %3 = tensor.empty() : tensor<256x512xf32>
  %v9 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%a7 : tensor<256x512xf32>) outs(%3 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %4 = arith.constant 1.000000000e+00 : f32
    %5 = arith.mulf %x0, %x0 : f32
    %6 = arith.subf %4, %5 : f32
    linalg.yield %6 : f32
  } -> tensor<256x512xf32>
  %7 = tensor.empty() : tensor<256x512xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v8, %v9 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%7 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %8 = arith.mulf %x0, %x1 : f32
    linalg.yield %8 : f32
  } -> tensor<256x512xf32>
  %9 = tensor.empty() : tensor<256x512xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v10, %a13 : tensor<256x512xf32>, tensor<512xf32>) outs(%9 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %10 = arith.mulf %x0, %x1 : f32
    linalg.yield %10 : f32
  } -> tensor<256x512xf32>
  %11 = tensor.empty() : tensor<256xf32>
  %12 = arith.constant 0.000000000e+00 : f32
  %13 = linalg.fill ins(%12 : f32) outs(%11 : tensor<256xf32>) -> tensor<256xf32>
  %v15 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>], iterator_types = ["parallel", "reduction"]}
      ins(%v14 : tensor<256x512xf32>) outs(%13 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %14 = arith.addf %x0, %old : f32
    linalg.yield %14 : f32
  } -> tensor<256xf32>
  %15 = tensor.empty() : tensor<256xf32>
  %v16 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v15 : tensor<256xf32>) outs(%15 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %16 = arith.constant 1.953125000e-03 : f32
    %17 = arith.mulf %x0, %16 : f32
    linalg.yield %17 : f32
  } -> tensor<256xf32>
  %18 = tensor.empty() : tensor<256x512xf32>
  %v17 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v14, %a11 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%18 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %19 = arith.mulf %x0, %x1 : f32
    linalg.yield %19 : f32
  } -> tensor<256x512xf32>
  %20 = tensor.empty() : tensor<256xf32>
  %21 = arith.constant 0.000000000e+00 : f32
  %22 = linalg.fill ins(%21 : f32) outs(%20 : tensor<256xf32>) -> tensor<256xf32>
  %v18 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>], iterator_types = ["parallel", "reduction"]}
      ins(%v17 : tensor<256x512xf32>) outs(%22 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %23 = arith.addf %x0, %old : f32
    linalg.yield %23 : f32
  } -> tensor<256xf32>
  %24 = tensor.empty() : tensor<256xf32>
  %v19 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v18 : tensor<256xf32>) outs(%24 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %25 = arith.constant 1.953125000e-03 : f32
    %26 = arith.mulf %x0, %25 : f32
    linalg.yield %26 : f32
  } -> tensor<256xf32>
  %27 = tensor.empty() : tensor<256x512xf32>
  %v20 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v14, %v16 : tensor<256x512xf32>, tensor<256xf32>) outs(%27 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %28 = arith.subf %x0, %x1 : f32
    linalg.yield %28 : f32
  } -> tensor<256x512xf32>
  %29 = tensor.empty() : tensor<256x512xf32>
  %v21 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%a11, %v19 : tensor<256x512xf32>, tensor<256xf32>) outs(%29 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %30 = arith.mulf %x0, %x1 : f32
    linalg.yield %30 : f32
  } -> tensor<256x512xf32>
  %31 = tensor.empty() : tensor<256x512xf32>
  %v22 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v20, %v21 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%31 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %32 = arith.subf %x0, %x1 : f32
    linalg.yield %32 : f32
  } -> tensor<256x512xf32>
  %33 = tensor.empty() : tensor<256x512xf32>
  %v23 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v22, %a12 : tensor<256x512xf32>, tensor<256xf32>) outs(%33 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %34 = arith.mulf %x0, %x1 : f32
    linalg.yield %34 : f32
  } -> tensor<256x512xf32>
  %35 = tensor.empty() : tensor<256x512xf32>
  %v24 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v10, %a11 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%35 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %36 = arith.mulf %x0, %x1 : f32
    linalg.yield %36 : f32
  } -> tensor<256x512xf32>
  %37 = tensor.empty() : tensor<512xf32>
  %38 = arith.constant 0.000000000e+00 : f32
  %39 = linalg.fill ins(%38 : f32) outs(%37 : tensor<512xf32>) -> tensor<512xf32>
  %v25 = linalg.generic {indexing_maps = [affine_map<(c, b) -> (b, c)>, affine_map<(c, b) -> (c)>], iterator_types = ["parallel", "reduction"]}
      ins(%v24 : tensor<256x512xf32>) outs(%39 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %40 = arith.addf %x0, %old : f32
    linalg.yield %40 : f32
  } -> tensor<512xf32>
  %41 = tensor.empty() : tensor<512xf32>
  %42 = arith.constant 0.000000000e+00 : f32
  %43 = linalg.fill ins(%42 : f32) outs(%41 : tensor<512xf32>) -> tensor<512xf32>
  %v26 = linalg.generic {indexing_maps = [affine_map<(c, b) -> (b, c)>, affine_map<(c, b) -> (c)>], iterator_types = ["parallel", "reduction"]}
      ins(%v10 : tensor<256x512xf32>) outs(%43 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %44 = arith.addf %x0, %old : f32
    linalg.yield %44 : f32
  } -> tensor<512xf32>
  %45 = tensor.empty() : tensor<256x512xf32>
  %v27 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v23, %a1 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%45 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %46 = arith.addf %x0, %x1 : f32
    linalg.yield %46 : f32
  } -> tensor<256x512xf32>
  %47 = tensor.empty() : tensor<256x512xf32>
  %v28 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v27, %a6 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%47 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %48 = arith.mulf %x0, %x1 : f32
    linalg.yield %48 : f32
  } -> tensor<256x512xf32>
  %49 = tensor.empty() : tensor<256x512xf32>
  %v29 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v27, %a2 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%49 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %50 = arith.mulf %x0, %x1 : f32
    linalg.yield %50 : f32
  } -> tensor<256x512xf32>
  %51 = tensor.empty() : tensor<256x512xf32>
  %v30 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%a0, %a7 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%51 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %52 = arith.mulf %x0, %x1 : f32
    linalg.yield %52 : f32
  } -> tensor<256x512xf32>
  %53 = tensor.empty() : tensor<256x512xf32>
  %v31 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v27, %a3 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%53 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %54 = arith.mulf %x0, %x1 : f32
    linalg.yield %54 : f32
  } -> tensor<256x512xf32>
  %55 = tensor.empty() : tensor<256x512xf32>
  %v32 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v27, %a4 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%55 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %56 = arith.mulf %x0, %x1 : f32
    linalg.yield %56 : f32
  } -> tensor<256x512xf32>
  %57 = tensor.empty() : tensor<256x512xf32>
  %v33 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%a3 : tensor<256x512xf32>) outs(%57 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %58 = arith.constant 1.000000000e+00 : f32
    %59 = arith.subf %58, %x0 : f32
    linalg.yield %59 : f32
  } -> tensor<256x512xf32>
  %60 = tensor.empty() : tensor<256x512xf32>
  %v34 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%a3, %v33 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%60 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %61 = arith.mulf %x0, %x1 : f32
    linalg.yield %61 : f32
  } -> tensor<256x512xf32>
  %62 = tensor.empty() : tensor<256x512xf32>
  %v35 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v28, %v34 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%62 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %63 = arith.mulf %x0, %x1 : f32
    linalg.yield %63 : f32
  } -> tensor<256x512xf32>
  %64 = tensor.empty() : tensor<256x512xf32>
  %v39 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v35, %a38 : tensor<256x512xf32>, tensor<512xf32>) outs(%64 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %65 = arith.mulf %x0, %x1 : f32
    linalg.yield %65 : f32
  } -> tensor<256x512xf32>
  %66 = tensor.empty() : tensor<256xf32>
  %67 = arith.constant 0.000000000e+00 : f32
  %68 = linalg.fill ins(%67 : f32) outs(%66 : tensor<256xf32>) -> tensor<256xf32>
  %v40 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>], iterator_types = ["parallel", "reduction"]}
      ins(%v39 : tensor<256x512xf32>) outs(%68 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %69 = arith.addf %x0, %old : f32
    linalg.yield %69 : f32
  } -> tensor<256xf32>
  %70 = tensor.empty() : tensor<256xf32>
  %v41 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v40 : tensor<256xf32>) outs(%70 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %71 = arith.constant 1.953125000e-03 : f32
    %72 = arith.mulf %x0, %71 : f32
    linalg.yield %72 : f32
  } -> tensor<256xf32>
  %73 = tensor.empty() : tensor<256x512xf32>
  %v42 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v39, %a36 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%73 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %74 = arith.mulf %x0, %x1 : f32
    linalg.yield %74 : f32
  } -> tensor<256x512xf32>
  %75 = tensor.empty() : tensor<256xf32>
  %76 = arith.constant 0.000000000e+00 : f32
  %77 = linalg.fill ins(%76 : f32) outs(%75 : tensor<256xf32>) -> tensor<256xf32>
  %v43 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>], iterator_types = ["parallel", "reduction"]}
      ins(%v42 : tensor<256x512xf32>) outs(%77 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %78 = arith.addf %x0, %old : f32
    linalg.yield %78 : f32
  } -> tensor<256xf32>
  %79 = tensor.empty() : tensor<256xf32>
  %v44 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v43 : tensor<256xf32>) outs(%79 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %80 = arith.constant 1.953125000e-03 : f32
    %81 = arith.mulf %x0, %80 : f32
    linalg.yield %81 : f32
  } -> tensor<256xf32>
  %82 = tensor.empty() : tensor<256x512xf32>
  %v45 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v39, %v41 : tensor<256x512xf32>, tensor<256xf32>) outs(%82 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %83 = arith.subf %x0, %x1 : f32
    linalg.yield %83 : f32
  } -> tensor<256x512xf32>
  %84 = tensor.empty() : tensor<256x512xf32>
  %v46 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%a36, %v44 : tensor<256x512xf32>, tensor<256xf32>) outs(%84 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %85 = arith.mulf %x0, %x1 : f32
    linalg.yield %85 : f32
  } -> tensor<256x512xf32>
  %86 = tensor.empty() : tensor<256x512xf32>
  %v47 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v45, %v46 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%86 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %87 = arith.subf %x0, %x1 : f32
    linalg.yield %87 : f32
  } -> tensor<256x512xf32>
  %88 = tensor.empty() : tensor<256x512xf32>
  %v48 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v47, %a37 : tensor<256x512xf32>, tensor<256xf32>) outs(%88 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %89 = arith.mulf %x0, %x1 : f32
    linalg.yield %89 : f32
  } -> tensor<256x512xf32>
  %90 = tensor.empty() : tensor<256x512xf32>
  %v49 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v35, %a36 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%90 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %91 = arith.mulf %x0, %x1 : f32
    linalg.yield %91 : f32
  } -> tensor<256x512xf32>
  %92 = tensor.empty() : tensor<512xf32>
  %93 = arith.constant 0.000000000e+00 : f32
  %94 = linalg.fill ins(%93 : f32) outs(%92 : tensor<512xf32>) -> tensor<512xf32>
  %v50 = linalg.generic {indexing_maps = [affine_map<(c, b) -> (b, c)>, affine_map<(c, b) -> (c)>], iterator_types = ["parallel", "reduction"]}
      ins(%v49 : tensor<256x512xf32>) outs(%94 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %95 = arith.addf %x0, %old : f32
    linalg.yield %95 : f32
  } -> tensor<512xf32>
  %96 = tensor.empty() : tensor<512xf32>
  %97 = arith.constant 0.000000000e+00 : f32
  %98 = linalg.fill ins(%97 : f32) outs(%96 : tensor<512xf32>) -> tensor<512xf32>
  %v51 = linalg.generic {indexing_maps = [affine_map<(c, b) -> (b, c)>, affine_map<(c, b) -> (c)>], iterator_types = ["parallel", "reduction"]}
      ins(%v35 : tensor<256x512xf32>) outs(%98 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %99 = arith.addf %x0, %old : f32
    linalg.yield %99 : f32
  } -> tensor<512xf32>
  %100 = tensor.empty() : tensor<512xf32>
  %101 = arith.constant 0.000000000e+00 : f32
  %102 = linalg.fill ins(%101 : f32) outs(%100 : tensor<512xf32>) -> tensor<512xf32>
  %v52 = linalg.generic {indexing_maps = [affine_map<(c, b) -> (b, c)>, affine_map<(c, b) -> (c)>], iterator_types = ["parallel", "reduction"]}
      ins(%v48 : tensor<256x512xf32>) outs(%102 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %103 = arith.addf %x0, %old : f32
    linalg.yield %103 : f32
  } -> tensor<512xf32>
  %104 = tensor.empty() : tensor<256x512xf32>
  %v53 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%a4 : tensor<256x512xf32>) outs(%104 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %105 = arith.constant 1.000000000e+00 : f32
    %106 = arith.subf %105, %x0 : f32
    linalg.yield %106 : f32
  } -> tensor<256x512xf32>
  %107 = tensor.empty() : tensor<256x512xf32>
  %v54 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%a4, %v53 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%107 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %108 = arith.mulf %x0, %x1 : f32
    linalg.yield %108 : f32
  } -> tensor<256x512xf32>
  %109 = tensor.empty() : tensor<256x512xf32>
  %v55 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v29, %v54 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%109 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %110 = arith.mulf %x0, %x1 : f32
    linalg.yield %110 : f32
  } -> tensor<256x512xf32>
  %111 = tensor.empty() : tensor<256x512xf32>
  %v59 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v55, %a58 : tensor<256x512xf32>, tensor<512xf32>) outs(%111 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %112 = arith.mulf %x0, %x1 : f32
    linalg.yield %112 : f32
  } -> tensor<256x512xf32>
  %113 = tensor.empty() : tensor<256xf32>
  %114 = arith.constant 0.000000000e+00 : f32
  %115 = linalg.fill ins(%114 : f32) outs(%113 : tensor<256xf32>) -> tensor<256xf32>
  %v60 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>], iterator_types = ["parallel", "reduction"]}
      ins(%v59 : tensor<256x512xf32>) outs(%115 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %116 = arith.addf %x0, %old : f32
    linalg.yield %116 : f32
  } -> tensor<256xf32>
  %117 = tensor.empty() : tensor<256xf32>
  %v61 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v60 : tensor<256xf32>) outs(%117 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %118 = arith.constant 1.953125000e-03 : f32
    %119 = arith.mulf %x0, %118 : f32
    linalg.yield %119 : f32
  } -> tensor<256xf32>
  %120 = tensor.empty() : tensor<256x512xf32>
  %v62 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v59, %a56 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%120 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %121 = arith.mulf %x0, %x1 : f32
    linalg.yield %121 : f32
  } -> tensor<256x512xf32>
  %122 = tensor.empty() : tensor<256xf32>
  %123 = arith.constant 0.000000000e+00 : f32
  %124 = linalg.fill ins(%123 : f32) outs(%122 : tensor<256xf32>) -> tensor<256xf32>
  %v63 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>], iterator_types = ["parallel", "reduction"]}
      ins(%v62 : tensor<256x512xf32>) outs(%124 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %125 = arith.addf %x0, %old : f32
    linalg.yield %125 : f32
  } -> tensor<256xf32>
  %126 = tensor.empty() : tensor<256xf32>
  %v64 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v63 : tensor<256xf32>) outs(%126 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %127 = arith.constant 1.953125000e-03 : f32
    %128 = arith.mulf %x0, %127 : f32
    linalg.yield %128 : f32
  } -> tensor<256xf32>
  %129 = tensor.empty() : tensor<256x512xf32>
  %v65 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v59, %v61 : tensor<256x512xf32>, tensor<256xf32>) outs(%129 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %130 = arith.subf %x0, %x1 : f32
    linalg.yield %130 : f32
  } -> tensor<256x512xf32>
  %131 = tensor.empty() : tensor<256x512xf32>
  %v66 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%a56, %v64 : tensor<256x512xf32>, tensor<256xf32>) outs(%131 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %132 = arith.mulf %x0, %x1 : f32
    linalg.yield %132 : f32
  } -> tensor<256x512xf32>
  %133 = tensor.empty() : tensor<256x512xf32>
  %v67 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v65, %v66 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%133 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %134 = arith.subf %x0, %x1 : f32
    linalg.yield %134 : f32
  } -> tensor<256x512xf32>
  %135 = tensor.empty() : tensor<256x512xf32>
  %v68 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v67, %a57 : tensor<256x512xf32>, tensor<256xf32>) outs(%135 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %136 = arith.mulf %x0, %x1 : f32
    linalg.yield %136 : f32
  } -> tensor<256x512xf32>
  %137 = tensor.empty() : tensor<256x512xf32>
  %v69 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v55, %a56 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%137 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %138 = arith.mulf %x0, %x1 : f32
    linalg.yield %138 : f32
  } -> tensor<256x512xf32>
  %139 = tensor.empty() : tensor<512xf32>
  %140 = arith.constant 0.000000000e+00 : f32
  %141 = linalg.fill ins(%140 : f32) outs(%139 : tensor<512xf32>) -> tensor<512xf32>
  %v70 = linalg.generic {indexing_maps = [affine_map<(c, b) -> (b, c)>, affine_map<(c, b) -> (c)>], iterator_types = ["parallel", "reduction"]}
      ins(%v69 : tensor<256x512xf32>) outs(%141 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %142 = arith.addf %x0, %old : f32
    linalg.yield %142 : f32
  } -> tensor<512xf32>
  %143 = tensor.empty() : tensor<512xf32>
  %144 = arith.constant 0.000000000e+00 : f32
  %145 = linalg.fill ins(%144 : f32) outs(%143 : tensor<512xf32>) -> tensor<512xf32>
  %v71 = linalg.generic {indexing_maps = [affine_map<(c, b) -> (b, c)>, affine_map<(c, b) -> (c)>], iterator_types = ["parallel", "reduction"]}
      ins(%v55 : tensor<256x512xf32>) outs(%145 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %146 = arith.addf %x0, %old : f32
    linalg.yield %146 : f32
  } -> tensor<512xf32>
  %147 = tensor.empty() : tensor<512xf32>
  %148 = arith.constant 0.000000000e+00 : f32
  %149 = linalg.fill ins(%148 : f32) outs(%147 : tensor<512xf32>) -> tensor<512xf32>
  %v72 = linalg.generic {indexing_maps = [affine_map<(c, b) -> (b, c)>, affine_map<(c, b) -> (c)>], iterator_types = ["parallel", "reduction"]}
      ins(%v68 : tensor<256x512xf32>) outs(%149 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %150 = arith.addf %x0, %old : f32
    linalg.yield %150 : f32
  } -> tensor<512xf32>
  %151 = tensor.empty() : tensor<256x512xf32>
  %v73 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%a5 : tensor<256x512xf32>) outs(%151 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %152 = arith.constant 1.000000000e+00 : f32
    %153 = arith.subf %152, %x0 : f32
    linalg.yield %153 : f32
  } -> tensor<256x512xf32>
  %154 = tensor.empty() : tensor<256x512xf32>
  %v74 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%a5, %v73 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%154 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %155 = arith.mulf %x0, %x1 : f32
    linalg.yield %155 : f32
  } -> tensor<256x512xf32>
  %156 = tensor.empty() : tensor<256x512xf32>
  %v75 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v30, %v74 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%156 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %157 = arith.mulf %x0, %x1 : f32
    linalg.yield %157 : f32
  } -> tensor<256x512xf32>
  %158 = tensor.empty() : tensor<256x512xf32>
  %v79 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v75, %a78 : tensor<256x512xf32>, tensor<512xf32>) outs(%158 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %159 = arith.mulf %x0, %x1 : f32
    linalg.yield %159 : f32
  } -> tensor<256x512xf32>
  %160 = tensor.empty() : tensor<256xf32>
  %161 = arith.constant 0.000000000e+00 : f32
  %162 = linalg.fill ins(%161 : f32) outs(%160 : tensor<256xf32>) -> tensor<256xf32>
  %v80 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>], iterator_types = ["parallel", "reduction"]}
      ins(%v79 : tensor<256x512xf32>) outs(%162 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %163 = arith.addf %x0, %old : f32
    linalg.yield %163 : f32
  } -> tensor<256xf32>
  %164 = tensor.empty() : tensor<256xf32>
  %v81 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v80 : tensor<256xf32>) outs(%164 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %165 = arith.constant 1.953125000e-03 : f32
    %166 = arith.mulf %x0, %165 : f32
    linalg.yield %166 : f32
  } -> tensor<256xf32>
  %167 = tensor.empty() : tensor<256x512xf32>
  %v82 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v79, %a76 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%167 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %168 = arith.mulf %x0, %x1 : f32
    linalg.yield %168 : f32
  } -> tensor<256x512xf32>
  %169 = tensor.empty() : tensor<256xf32>
  %170 = arith.constant 0.000000000e+00 : f32
  %171 = linalg.fill ins(%170 : f32) outs(%169 : tensor<256xf32>) -> tensor<256xf32>
  %v83 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>], iterator_types = ["parallel", "reduction"]}
      ins(%v82 : tensor<256x512xf32>) outs(%171 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %172 = arith.addf %x0, %old : f32
    linalg.yield %172 : f32
  } -> tensor<256xf32>
  %173 = tensor.empty() : tensor<256xf32>
  %v84 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v83 : tensor<256xf32>) outs(%173 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %174 = arith.constant 1.953125000e-03 : f32
    %175 = arith.mulf %x0, %174 : f32
    linalg.yield %175 : f32
  } -> tensor<256xf32>
  %176 = tensor.empty() : tensor<256x512xf32>
  %v85 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v79, %v81 : tensor<256x512xf32>, tensor<256xf32>) outs(%176 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %177 = arith.subf %x0, %x1 : f32
    linalg.yield %177 : f32
  } -> tensor<256x512xf32>
  %178 = tensor.empty() : tensor<256x512xf32>
  %v86 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%a76, %v84 : tensor<256x512xf32>, tensor<256xf32>) outs(%178 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %179 = arith.mulf %x0, %x1 : f32
    linalg.yield %179 : f32
  } -> tensor<256x512xf32>
  %180 = tensor.empty() : tensor<256x512xf32>
  %v87 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v85, %v86 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%180 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %181 = arith.subf %x0, %x1 : f32
    linalg.yield %181 : f32
  } -> tensor<256x512xf32>
  %182 = tensor.empty() : tensor<256x512xf32>
  %v88 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v87, %a77 : tensor<256x512xf32>, tensor<256xf32>) outs(%182 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %183 = arith.mulf %x0, %x1 : f32
    linalg.yield %183 : f32
  } -> tensor<256x512xf32>
  %184 = tensor.empty() : tensor<256x512xf32>
  %v89 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v75, %a76 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%184 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %185 = arith.mulf %x0, %x1 : f32
    linalg.yield %185 : f32
  } -> tensor<256x512xf32>
  %186 = tensor.empty() : tensor<512xf32>
  %187 = arith.constant 0.000000000e+00 : f32
  %188 = linalg.fill ins(%187 : f32) outs(%186 : tensor<512xf32>) -> tensor<512xf32>
  %v90 = linalg.generic {indexing_maps = [affine_map<(c, b) -> (b, c)>, affine_map<(c, b) -> (c)>], iterator_types = ["parallel", "reduction"]}
      ins(%v89 : tensor<256x512xf32>) outs(%188 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %189 = arith.addf %x0, %old : f32
    linalg.yield %189 : f32
  } -> tensor<512xf32>
  %190 = tensor.empty() : tensor<512xf32>
  %191 = arith.constant 0.000000000e+00 : f32
  %192 = linalg.fill ins(%191 : f32) outs(%190 : tensor<512xf32>) -> tensor<512xf32>
  %v91 = linalg.generic {indexing_maps = [affine_map<(c, b) -> (b, c)>, affine_map<(c, b) -> (c)>], iterator_types = ["parallel", "reduction"]}
      ins(%v75 : tensor<256x512xf32>) outs(%192 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %193 = arith.addf %x0, %old : f32
    linalg.yield %193 : f32
  } -> tensor<512xf32>
  %194 = tensor.empty() : tensor<512xf32>
  %195 = arith.constant 0.000000000e+00 : f32
  %196 = linalg.fill ins(%195 : f32) outs(%194 : tensor<512xf32>) -> tensor<512xf32>
  %v92 = linalg.generic {indexing_maps = [affine_map<(c, b) -> (b, c)>, affine_map<(c, b) -> (c)>], iterator_types = ["parallel", "reduction"]}
      ins(%v88 : tensor<256x512xf32>) outs(%196 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %197 = arith.addf %x0, %old : f32
    linalg.yield %197 : f32
  } -> tensor<512xf32>
  %198 = tensor.empty() : tensor<256x512xf32>
  %v93 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%a6 : tensor<256x512xf32>) outs(%198 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %199 = arith.constant 1.000000000e+00 : f32
    %200 = arith.mulf %x0, %x0 : f32
    %201 = arith.subf %199, %200 : f32
    linalg.yield %201 : f32
  } -> tensor<256x512xf32>
  %202 = tensor.empty() : tensor<256x512xf32>
  %v94 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v31, %v93 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%202 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %203 = arith.mulf %x0, %x1 : f32
    linalg.yield %203 : f32
  } -> tensor<256x512xf32>
  %204 = tensor.empty() : tensor<256x512xf32>
  %v98 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v94, %a97 : tensor<256x512xf32>, tensor<512xf32>) outs(%204 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %205 = arith.mulf %x0, %x1 : f32
    linalg.yield %205 : f32
  } -> tensor<256x512xf32>
  %206 = tensor.empty() : tensor<256xf32>
  %207 = arith.constant 0.000000000e+00 : f32
  %208 = linalg.fill ins(%207 : f32) outs(%206 : tensor<256xf32>) -> tensor<256xf32>
  %v99 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>], iterator_types = ["parallel", "reduction"]}
      ins(%v98 : tensor<256x512xf32>) outs(%208 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %209 = arith.addf %x0, %old : f32
    linalg.yield %209 : f32
  } -> tensor<256xf32>
  %210 = tensor.empty() : tensor<256xf32>
  %v100 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v99 : tensor<256xf32>) outs(%210 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %211 = arith.constant 1.953125000e-03 : f32
    %212 = arith.mulf %x0, %211 : f32
    linalg.yield %212 : f32
  } -> tensor<256xf32>
  %213 = tensor.empty() : tensor<256x512xf32>
  %v101 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v98, %a95 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%213 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %214 = arith.mulf %x0, %x1 : f32
    linalg.yield %214 : f32
  } -> tensor<256x512xf32>
  %215 = tensor.empty() : tensor<256xf32>
  %216 = arith.constant 0.000000000e+00 : f32
  %217 = linalg.fill ins(%216 : f32) outs(%215 : tensor<256xf32>) -> tensor<256xf32>
  %v102 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>], iterator_types = ["parallel", "reduction"]}
      ins(%v101 : tensor<256x512xf32>) outs(%217 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %218 = arith.addf %x0, %old : f32
    linalg.yield %218 : f32
  } -> tensor<256xf32>
  %219 = tensor.empty() : tensor<256xf32>
  %v103 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
      ins(%v102 : tensor<256xf32>) outs(%219 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %220 = arith.constant 1.953125000e-03 : f32
    %221 = arith.mulf %x0, %220 : f32
    linalg.yield %221 : f32
  } -> tensor<256xf32>
  %222 = tensor.empty() : tensor<256x512xf32>
  %v104 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v98, %v100 : tensor<256x512xf32>, tensor<256xf32>) outs(%222 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %223 = arith.subf %x0, %x1 : f32
    linalg.yield %223 : f32
  } -> tensor<256x512xf32>
  %224 = tensor.empty() : tensor<256x512xf32>
  %v105 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%a95, %v103 : tensor<256x512xf32>, tensor<256xf32>) outs(%224 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %225 = arith.mulf %x0, %x1 : f32
    linalg.yield %225 : f32
  } -> tensor<256x512xf32>
  %226 = tensor.empty() : tensor<256x512xf32>
  %v106 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v104, %v105 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%226 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %227 = arith.subf %x0, %x1 : f32
    linalg.yield %227 : f32
  } -> tensor<256x512xf32>
  %228 = tensor.empty() : tensor<256x512xf32>
  %v107 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v106, %a96 : tensor<256x512xf32>, tensor<256xf32>) outs(%228 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %229 = arith.mulf %x0, %x1 : f32
    linalg.yield %229 : f32
  } -> tensor<256x512xf32>
  %230 = tensor.empty() : tensor<256x512xf32>
  %v108 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%v94, %a95 : tensor<256x512xf32>, tensor<256x512xf32>) outs(%230 : tensor<256x512xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %231 = arith.mulf %x0, %x1 : f32
    linalg.yield %231 : f32
  } -> tensor<256x512xf32>
  %232 = tensor.empty() : tensor<512xf32>
  %233 = arith.constant 0.000000000e+00 : f32
  %234 = linalg.fill ins(%233 : f32) outs(%232 : tensor<512xf32>) -> tensor<512xf32>
  %v109 = linalg.generic {indexing_maps = [affine_map<(c, b) -> (b, c)>, affine_map<(c, b) -> (c)>], iterator_types = ["parallel", "reduction"]}
      ins(%v108 : tensor<256x512xf32>) outs(%234 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %235 = arith.addf %x0, %old : f32
    linalg.yield %235 : f32
  } -> tensor<512xf32>
  %236 = tensor.empty() : tensor<512xf32>
  %237 = arith.constant 0.000000000e+00 : f32
  %238 = linalg.fill ins(%237 : f32) outs(%236 : tensor<512xf32>) -> tensor<512xf32>
  %v110 = linalg.generic {indexing_maps = [affine_map<(c, b) -> (b, c)>, affine_map<(c, b) -> (c)>], iterator_types = ["parallel", "reduction"]}
      ins(%v94 : tensor<256x512xf32>) outs(%238 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %239 = arith.addf %x0, %old : f32
    linalg.yield %239 : f32
  } -> tensor<512xf32>
  %240 = tensor.empty() : tensor<512xf32>
  %241 = arith.constant 0.000000000e+00 : f32
  %242 = linalg.fill ins(%241 : f32) outs(%240 : tensor<512xf32>) -> tensor<512xf32>
  %v111 = linalg.generic {indexing_maps = [affine_map<(c, b) -> (b, c)>, affine_map<(c, b) -> (c)>], iterator_types = ["parallel", "reduction"]}
      ins(%v107 : tensor<256x512xf32>) outs(%242 : tensor<512xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %243 = arith.addf %x0, %old : f32
    linalg.yield %243 : f32
  } -> tensor<512xf32>
  return %v25, %v26, %v32, %v50, %v51, %v48, %v52, %v70, %v71, %v68, %v72, %v90, %v91, %v88, %v92, %v109, %v110, %v107, %v111 : tensor<512xf32>, tensor<512xf32>, tensor<256x512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<256x512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<256x512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<256x512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<256x512xf32>, tensor<512xf32>
}
