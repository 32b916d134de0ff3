func.func @chain(%a0: tensor<256x100x36xf32>, %a1: tensor<256x100xf32>, %a2: tensor<256x100xf32>, %a3: tensor<256x100x36xf32>, %a4: tensor<256x100x36xf32>, %a5: tensor<256x100x36xf32>, %a6: tensor<256x100x36xf32>, %a7: tensor<256x100x36xf32>, %a30: tensor<256x100x36xf32>, %a31: tensor<256x36xf32>, %a43: tensor<256x100x40xf32>, %a44: tensor<40xf32>, %a48: tensor<256x100x40xf32>, %a49: tensor<40xf32>, %a50: tensor<256x100xf32>, %a51: tensor<256x100xf32>, %a81: tensor<256x100x80xf32>, %a82: tensor<256x100x80xf32>, %a83: tensor<80xf32>, %a84: tensor<256x100xf32>, %a85: tensor<256x100xf32>, %a115: tensor<256x36xf32>, %a116: tensor<256x100x36xf32>, %a117: tensor<256x100x36xf32>, %a118: tensor<256x100x36xf32>, %a122: tensor<256x100x36xf32>) -> (tensor<256x100x36xf32>, tensor<36xf32>, tensor<256x100x36xf32>, tensor<36xf32>, tensor<256x100x36xf32>, tensor<36xf32>, tensor<256x100x36xf32>, tensor<256x100x36xf32>, tensor<40xf32>, tensor<256x100x40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<256x100x80xf32>, tensor<80xf32>, tensor<80xf32>, tensor<256x36xf32>, tensor<256x100x36xf32>) {
  %1 = tensor.empty() : tensor<256x100x36xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a0, %a1 : tensor<256x100x36xf32>, tensor<256x100xf32>) outs(%1 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %2 = arith.mulf %x0, %x1 : f32
    linalg.yield %2 : f32
  } -> tensor<256x100x36xf32>
  %3 = tensor.empty() : tensor<256x100x36xf32>
  %v9 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a6, %a3 : tensor<256x100x36xf32>, tensor<256x100x36xf32>) outs(%3 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %4 = arith.subf %x0, %x1 : f32
    linalg.yield %4 : f32
  } -> tensor<256x100x36xf32>
  %5 = tensor.empty() : tensor<256x100x36xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v8, %v9 : tensor<256x100x36xf32>, tensor<256x100x36xf32>) outs(%5 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %6 = arith.mulf %x0, %x1 : f32
    linalg.yield %6 : f32
  } -> tensor<256x100x36xf32>
  %7 = tensor.empty() : tensor<256x100x36xf32>
  %v11 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a2, %a4 : tensor<256x100xf32>, tensor<256x100x36xf32>) outs(%7 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %8 = arith.mulf %x0, %x1 : f32
    linalg.yield %8 : f32
  } -> tensor<256x100x36xf32>
  %9 = tensor.empty() : tensor<256x100x36xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v8, %v11 : tensor<256x100x36xf32>, tensor<256x100x36xf32>) outs(%9 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %10 = arith.mulf %x0, %x1 : f32
    linalg.yield %10 : f32
  } -> tensor<256x100x36xf32>
  %11 = tensor.empty() : tensor<256x100x36xf32>
  %v13 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a6 : tensor<256x100x36xf32>) outs(%11 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %12 = arith.constant 1.000000000e+00 : f32
    %13 = arith.mulf %x0, %x0 : f32
    %14 = arith.subf %12, %13 : f32
    linalg.yield %14 : f32
  } -> tensor<256x100x36xf32>
  %15 = tensor.empty() : tensor<256x100x36xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v12, %v13 : tensor<256x100x36xf32>, tensor<256x100x36xf32>) outs(%15 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %16 = arith.mulf %x0, %x1 : f32
    linalg.yield %16 : f32
  } -> tensor<256x100x36xf32>
  %17 = tensor.empty() : tensor<256x100x36xf32>
  %v15 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v14, %a7 : tensor<256x100x36xf32>, tensor<256x100x36xf32>) outs(%17 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %18 = arith.mulf %x0, %x1 : f32
    linalg.yield %18 : f32
  } -> tensor<256x100x36xf32>
  %19 = tensor.empty() : tensor<256x100x36xf32>
  %v16 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a5 : tensor<256x100x36xf32>) outs(%19 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %20 = arith.constant 1.000000000e+00 : f32
    %21 = arith.subf %20, %x0 : f32
    linalg.yield %21 : f32
  } -> tensor<256x100x36xf32>
  %22 = tensor.empty() : tensor<256x100x36xf32>
  %v17 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a5, %v16 : tensor<256x100x36xf32>, tensor<256x100x36xf32>) outs(%22 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %23 = arith.mulf %x0, %x1 : f32
    linalg.yield %23 : f32
  } -> tensor<256x100x36xf32>
  %24 = tensor.empty() : tensor<256x100x36xf32>
  %v18 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v15, %v17 : tensor<256x100x36xf32>, tensor<256x100x36xf32>) outs(%24 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %25 = arith.mulf %x0, %x1 : f32
    linalg.yield %25 : f32
  } -> tensor<256x100x36xf32>
  %26 = tensor.empty() : tensor<256x100x36xf32>
  %v19 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v14, %a5 : tensor<256x100x36xf32>, tensor<256x100x36xf32>) outs(%26 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %27 = arith.mulf %x0, %x1 : f32
    linalg.yield %27 : f32
  } -> tensor<256x100x36xf32>
  %28 = tensor.empty() : tensor<256x100x36xf32>
  %v20 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v10, %a2 : tensor<256x100x36xf32>, tensor<256x100xf32>) outs(%28 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %29 = arith.mulf %x0, %x1 : f32
    linalg.yield %29 : f32
  } -> tensor<256x100x36xf32>
  %30 = tensor.empty() : tensor<256x100x36xf32>
  %v21 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a4 : tensor<256x100x36xf32>) outs(%30 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %31 = arith.constant 1.000000000e+00 : f32
    %32 = arith.subf %31, %x0 : f32
    linalg.yield %32 : f32
  } -> tensor<256x100x36xf32>
  %33 = tensor.empty() : tensor<256x100x36xf32>
  %v22 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a4, %v21 : tensor<256x100x36xf32>, tensor<256x100x36xf32>) outs(%33 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %34 = arith.mulf %x0, %x1 : f32
    linalg.yield %34 : f32
  } -> tensor<256x100x36xf32>
  %35 = tensor.empty() : tensor<256x100x36xf32>
  %v23 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v20, %v22 : tensor<256x100x36xf32>, tensor<256x100x36xf32>) outs(%35 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %36 = arith.mulf %x0, %x1 : f32
    linalg.yield %36 : f32
  } -> tensor<256x100x36xf32>
  %37 = tensor.empty() : tensor<256x100x36xf32>
  %v24 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a2, %a4 : tensor<256x100xf32>, tensor<256x100x36xf32>) outs(%37 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %38 = arith.mulf %x0, %x1 : f32
    linalg.yield %38 : f32
  } -> tensor<256x100x36xf32>
  %39 = tensor.empty() : tensor<256x100x36xf32>
  %v25 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v24 : tensor<256x100x36xf32>) outs(%39 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %40 = arith.constant 1.000000000e+00 : f32
    %41 = arith.subf %40, %x0 : f32
    linalg.yield %41 : f32
  } -> tensor<256x100x36xf32>
  %42 = tensor.empty() : tensor<256x100x36xf32>
  %v26 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v8, %v25 : tensor<256x100x36xf32>, tensor<256x100x36xf32>) outs(%42 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %43 = arith.mulf %x0, %x1 : f32
    linalg.yield %43 : f32
  } -> tensor<256x100x36xf32>
  %44 = tensor.empty() : tensor<36xf32>
  %45 = arith.constant 0.000000000e+00 : f32
  %46 = linalg.fill ins(%45 : f32) outs(%44 : tensor<36xf32>) -> tensor<36xf32>
  %v27 = linalg.generic {indexing_maps = [affine_map<(c, b, t) -> (b, t, c)>, affine_map<(c, b, t) -> (c)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v23 : tensor<256x100x36xf32>) outs(%46 : tensor<36xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %47 = arith.addf %x0, %old : f32
    linalg.yield %47 : f32
  } -> tensor<36xf32>
  %48 = tensor.empty() : tensor<36xf32>
  %49 = arith.constant 0.000000000e+00 : f32
  %50 = linalg.fill ins(%49 : f32) outs(%48 : tensor<36xf32>) -> tensor<36xf32>
  %v28 = linalg.generic {indexing_maps = [affine_map<(c, b, t) -> (b, t, c)>, affine_map<(c, b, t) -> (c)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v18 : tensor<256x100x36xf32>) outs(%50 : tensor<36xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %51 = arith.addf %x0, %old : f32
    linalg.yield %51 : f32
  } -> tensor<36xf32>
  %52 = tensor.empty() : tensor<36xf32>
  %53 = arith.constant 0.000000000e+00 : f32
  %54 = linalg.fill ins(%53 : f32) outs(%52 : tensor<36xf32>) -> tensor<36xf32>
  %v29 = linalg.generic {indexing_maps = [affine_map<(c, b, t) -> (b, t, c)>, affine_map<(c, b, t) -> (c)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v14 : tensor<256x100x36xf32>) outs(%54 : tensor<36xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %55 = arith.addf %x0, %old : f32
    linalg.yield %55 : f32
  } -> tensor<36xf32>
  %56 = tensor.empty() : tensor<256x100x36xf32>
  %v32 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v10, %a4 : tensor<256x100x36xf32>, tensor<256x100x36xf32>) outs(%56 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %57 = arith.mulf %x0, %x1 : f32
    linalg.yield %57 : f32
  } -> tensor<256x100x36xf32>
  %58 = tensor.empty() : tensor<256x100xf32>
  %59 = arith.constant 0.000000000e+00 : f32
  %60 = linalg.fill ins(%59 : f32) outs(%58 : tensor<256x100xf32>) -> tensor<256x100xf32>
  %v33 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v32 : tensor<256x100x36xf32>) outs(%60 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %61 = arith.addf %x0, %old : f32
    linalg.yield %61 : f32
  } -> tensor<256x100xf32>
  %62 = tensor.empty() : tensor<256x100x36xf32>
  %v34 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a30, %a31 : tensor<256x100x36xf32>, tensor<256x36xf32>) outs(%62 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %63 = arith.mulf %x0, %x1 : f32
    linalg.yield %63 : f32
  } -> tensor<256x100x36xf32>
  %64 = tensor.empty() : tensor<256x100xf32>
  %65 = arith.constant 0.000000000e+00 : f32
  %66 = linalg.fill ins(%65 : f32) outs(%64 : tensor<256x100xf32>) -> tensor<256x100xf32>
  %v35 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v34 : tensor<256x100x36xf32>) outs(%66 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %67 = arith.addf %x0, %old : f32
    linalg.yield %67 : f32
  } -> tensor<256x100xf32>
  %68 = tensor.empty() : tensor<256x100xf32>
  %v36 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]}
      ins(%v33, %v35 : tensor<256x100xf32>, tensor<256x100xf32>) outs(%68 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %69 = arith.addf %x0, %x1 : f32
    linalg.yield %69 : f32
  } -> tensor<256x100xf32>
  %70 = tensor.empty() : tensor<256x100x36xf32>
  %v37 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t)>, affine_map<(b, t, c) -> (b, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a2, %a31 : tensor<256x100xf32>, tensor<256x36xf32>) outs(%70 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %71 = arith.mulf %x0, %x1 : f32
    linalg.yield %71 : f32
  } -> tensor<256x100x36xf32>
  %72 = tensor.empty() : tensor<256x100xf32>
  %v38 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]}
      ins(%v36, %a2 : tensor<256x100xf32>, tensor<256x100xf32>) outs(%72 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %73 = arith.mulf %x0, %x1 : f32
    linalg.yield %73 : f32
  } -> tensor<256x100xf32>
  %74 = tensor.empty() : tensor<256xf32>
  %75 = arith.constant 0.000000000e+00 : f32
  %76 = linalg.fill ins(%75 : f32) outs(%74 : tensor<256xf32>) -> tensor<256xf32>
  %v39 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b)>], iterator_types = ["parallel", "reduction"]}
      ins(%v38 : tensor<256x100xf32>) outs(%76 : tensor<256xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %77 = arith.addf %x0, %old : f32
    linalg.yield %77 : f32
  } -> tensor<256xf32>
  %78 = tensor.empty() : tensor<256x100xf32>
  %v40 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b)>, affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]}
      ins(%v36, %v39 : tensor<256x100xf32>, tensor<256xf32>) outs(%78 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %79 = arith.subf %x0, %x1 : f32
    linalg.yield %79 : f32
  } -> tensor<256x100xf32>
  %80 = tensor.empty() : tensor<256x100xf32>
  %v41 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]}
      ins(%a2, %v40 : tensor<256x100xf32>, tensor<256x100xf32>) outs(%80 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %81 = arith.mulf %x0, %x1 : f32
    linalg.yield %81 : f32
  } -> tensor<256x100xf32>
  %82 = tensor.empty() : tensor<256x100xf32>
  %v42 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]}
      ins(%v41 : tensor<256x100xf32>) outs(%82 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %83 = arith.constant 1.666666667e-01 : f32
    %84 = arith.mulf %x0, %83 : f32
    linalg.yield %84 : f32
  } -> tensor<256x100xf32>
  %85 = tensor.empty() : tensor<256x100x40xf32>
  %v45 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t)>, affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v42, %a43 : tensor<256x100xf32>, tensor<256x100x40xf32>) outs(%85 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %86 = arith.mulf %x0, %x1 : f32
    linalg.yield %86 : f32
  } -> tensor<256x100x40xf32>
  %87 = tensor.empty() : tensor<40xf32>
  %88 = arith.constant 0.000000000e+00 : f32
  %89 = linalg.fill ins(%88 : f32) outs(%87 : tensor<40xf32>) -> tensor<40xf32>
  %v46 = linalg.generic {indexing_maps = [affine_map<(w, b, t) -> (b, t, w)>, affine_map<(w, b, t) -> (w)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v45 : tensor<256x100x40xf32>) outs(%89 : tensor<40xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %90 = arith.addf %x0, %old : f32
    linalg.yield %90 : f32
  } -> tensor<40xf32>
  %91 = tensor.empty() : tensor<256x100x40xf32>
  %v47 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t)>, affine_map<(b, t, w) -> (w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v42, %a44 : tensor<256x100xf32>, tensor<40xf32>) outs(%91 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %92 = arith.mulf %x0, %x1 : f32
    linalg.yield %92 : f32
  } -> tensor<256x100x40xf32>
  %93 = tensor.empty() : tensor<256x100x40xf32>
  %v52 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a48, %a50 : tensor<256x100x40xf32>, tensor<256x100xf32>) outs(%93 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %94 = arith.subf %x0, %x1 : f32
    linalg.yield %94 : f32
  } -> tensor<256x100x40xf32>
  %95 = tensor.empty() : tensor<256x100x40xf32>
  %v53 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v52, %a51 : tensor<256x100x40xf32>, tensor<256x100xf32>) outs(%95 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %96 = arith.mulf %x0, %x1 : f32
    linalg.yield %96 : f32
  } -> tensor<256x100x40xf32>
  %97 = tensor.empty() : tensor<256x100x40xf32>
  %v54 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v53 : tensor<256x100x40xf32>) outs(%97 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %98 = arith.negf %x0 : f32
    linalg.yield %98 : f32
  } -> tensor<256x100x40xf32>
  %99 = tensor.empty() : tensor<256x100x40xf32>
  %v55 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v54 : tensor<256x100x40xf32>) outs(%99 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %100 = math.exp %x0 : f32
    linalg.yield %100 : f32
  } -> tensor<256x100x40xf32>
  %101 = tensor.empty() : tensor<256x100x40xf32>
  %v56 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v55 : tensor<256x100x40xf32>) outs(%101 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %102 = arith.constant 1.000000000e+00 : f32
    %103 = arith.addf %102, %x0 : f32
    linalg.yield %103 : f32
  } -> tensor<256x100x40xf32>
  %104 = tensor.empty() : tensor<256x100x40xf32>
  %v57 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v56 : tensor<256x100x40xf32>) outs(%104 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %105 = arith.constant 1.000000000e+00 : f32
    %106 = arith.divf %105, %x0 : f32
    linalg.yield %106 : f32
  } -> tensor<256x100x40xf32>
  %107 = tensor.empty() : tensor<256x100x40xf32>
  %v58 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v57 : tensor<256x100x40xf32>) outs(%107 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %108 = arith.constant 1.000000000e+00 : f32
    %109 = arith.subf %108, %x0 : f32
    linalg.yield %109 : f32
  } -> tensor<256x100x40xf32>
  %110 = tensor.empty() : tensor<256x100x40xf32>
  %v59 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v47, %v58 : tensor<256x100x40xf32>, tensor<256x100x40xf32>) outs(%110 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %111 = arith.mulf %x0, %x1 : f32
    linalg.yield %111 : f32
  } -> tensor<256x100x40xf32>
  %112 = tensor.empty() : tensor<256x100x40xf32>
  %v60 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v59, %a48 : tensor<256x100x40xf32>, tensor<256x100x40xf32>) outs(%112 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %113 = arith.mulf %x0, %x1 : f32
    linalg.yield %113 : f32
  } -> tensor<256x100x40xf32>
  %114 = tensor.empty() : tensor<40xf32>
  %115 = arith.constant 0.000000000e+00 : f32
  %116 = linalg.fill ins(%115 : f32) outs(%114 : tensor<40xf32>) -> tensor<40xf32>
  %v61 = linalg.generic {indexing_maps = [affine_map<(w, b, t) -> (b, t, w)>, affine_map<(w, b, t) -> (w)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v60 : tensor<256x100x40xf32>) outs(%116 : tensor<40xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %117 = arith.addf %x0, %old : f32
    linalg.yield %117 : f32
  } -> tensor<40xf32>
  %118 = tensor.empty() : tensor<256x100x40xf32>
  %v62 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (w)>, affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a49, %v58 : tensor<40xf32>, tensor<256x100x40xf32>) outs(%118 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %119 = arith.mulf %x0, %x1 : f32
    linalg.yield %119 : f32
  } -> tensor<256x100x40xf32>
  %120 = tensor.empty() : tensor<256x100x40xf32>
  %v63 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v62, %v57 : tensor<256x100x40xf32>, tensor<256x100x40xf32>) outs(%120 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %121 = arith.addf %x0, %x1 : f32
    linalg.yield %121 : f32
  } -> tensor<256x100x40xf32>
  %122 = tensor.empty() : tensor<256x100x40xf32>
  %v64 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v47, %v63 : tensor<256x100x40xf32>, tensor<256x100x40xf32>) outs(%122 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %123 = arith.mulf %x0, %x1 : f32
    linalg.yield %123 : f32
  } -> tensor<256x100x40xf32>
  %124 = tensor.empty() : tensor<256x100x40xf32>
  %v65 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v57, %v58 : tensor<256x100x40xf32>, tensor<256x100x40xf32>) outs(%124 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %125 = arith.mulf %x0, %x1 : f32
    linalg.yield %125 : f32
  } -> tensor<256x100x40xf32>
  %126 = tensor.empty() : tensor<40xf32>
  %v66 = linalg.generic {indexing_maps = [affine_map<(w) -> (w)>, affine_map<(w) -> (w)>], iterator_types = ["parallel"]}
      ins(%a49 : tensor<40xf32>) outs(%126 : tensor<40xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %127 = arith.constant 1.000000000e+00 : f32
    %128 = arith.subf %127, %x0 : f32
    linalg.yield %128 : f32
  } -> tensor<40xf32>
  %129 = tensor.empty() : tensor<256x100x40xf32>
  %v67 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a48, %v66 : tensor<256x100x40xf32>, tensor<40xf32>) outs(%129 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %130 = arith.mulf %x0, %x1 : f32
    linalg.yield %130 : f32
  } -> tensor<256x100x40xf32>
  %131 = tensor.empty() : tensor<256x100x40xf32>
  %v68 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v65, %v67 : tensor<256x100x40xf32>, tensor<256x100x40xf32>) outs(%131 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %132 = arith.mulf %x0, %x1 : f32
    linalg.yield %132 : f32
  } -> tensor<256x100x40xf32>
  %133 = tensor.empty() : tensor<256x100x40xf32>
  %v69 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v47, %v68 : tensor<256x100x40xf32>, tensor<256x100x40xf32>) outs(%133 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %134 = arith.mulf %x0, %x1 : f32
    linalg.yield %134 : f32
  } -> tensor<256x100x40xf32>
  %135 = tensor.empty() : tensor<256x100x40xf32>
  %v70 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v69, %v53 : tensor<256x100x40xf32>, tensor<256x100x40xf32>) outs(%135 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %136 = arith.mulf %x0, %x1 : f32
    linalg.yield %136 : f32
  } -> tensor<256x100x40xf32>
  %137 = tensor.empty() : tensor<256x100xf32>
  %138 = arith.constant 0.000000000e+00 : f32
  %139 = linalg.fill ins(%138 : f32) outs(%137 : tensor<256x100xf32>) -> tensor<256x100xf32>
  %v71 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v70 : tensor<256x100x40xf32>) outs(%139 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %140 = arith.addf %x0, %old : f32
    linalg.yield %140 : f32
  } -> tensor<256x100xf32>
  %141 = tensor.empty() : tensor<256x100xf32>
  %v72 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]}
      ins(%v71 : tensor<256x100xf32>) outs(%141 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %142 = arith.constant 2.500000000e-02 : f32
    %143 = arith.mulf %x0, %142 : f32
    linalg.yield %143 : f32
  } -> tensor<256x100xf32>
  %144 = tensor.empty() : tensor<256x100xf32>
  %145 = arith.constant 0.000000000e+00 : f32
  %146 = linalg.fill ins(%145 : f32) outs(%144 : tensor<256x100xf32>) -> tensor<256x100xf32>
  %v73 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v69 : tensor<256x100x40xf32>) outs(%146 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %147 = arith.addf %x0, %old : f32
    linalg.yield %147 : f32
  } -> tensor<256x100xf32>
  %148 = tensor.empty() : tensor<256x100xf32>
  %v74 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]}
      ins(%v73 : tensor<256x100xf32>) outs(%148 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %149 = arith.constant 2.500000000e-02 : f32
    %150 = arith.mulf %x0, %149 : f32
    linalg.yield %150 : f32
  } -> tensor<256x100xf32>
  %151 = tensor.empty() : tensor<256x100x40xf32>
  %v75 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v69, %v74 : tensor<256x100x40xf32>, tensor<256x100xf32>) outs(%151 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %152 = arith.subf %x0, %x1 : f32
    linalg.yield %152 : f32
  } -> tensor<256x100x40xf32>
  %153 = tensor.empty() : tensor<256x100x40xf32>
  %v76 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v53, %v72 : tensor<256x100x40xf32>, tensor<256x100xf32>) outs(%153 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %154 = arith.mulf %x0, %x1 : f32
    linalg.yield %154 : f32
  } -> tensor<256x100x40xf32>
  %155 = tensor.empty() : tensor<256x100x40xf32>
  %v77 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v75, %v76 : tensor<256x100x40xf32>, tensor<256x100x40xf32>) outs(%155 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %156 = arith.subf %x0, %x1 : f32
    linalg.yield %156 : f32
  } -> tensor<256x100x40xf32>
  %157 = tensor.empty() : tensor<256x100x40xf32>
  %v78 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v77, %a51 : tensor<256x100x40xf32>, tensor<256x100xf32>) outs(%157 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %158 = arith.mulf %x0, %x1 : f32
    linalg.yield %158 : f32
  } -> tensor<256x100x40xf32>
  %159 = tensor.empty() : tensor<256x100x40xf32>
  %v79 = linalg.generic {indexing_maps = [affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>, affine_map<(b, t, w) -> (b, t, w)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v64, %v78 : tensor<256x100x40xf32>, tensor<256x100x40xf32>) outs(%159 : tensor<256x100x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %160 = arith.addf %x0, %x1 : f32
    linalg.yield %160 : f32
  } -> tensor<256x100x40xf32>
  %161 = tensor.empty() : tensor<40xf32>
  %162 = arith.constant 0.000000000e+00 : f32
  %163 = linalg.fill ins(%162 : f32) outs(%161 : tensor<40xf32>) -> tensor<40xf32>
  %v80 = linalg.generic {indexing_maps = [affine_map<(w, b, t) -> (b, t, w)>, affine_map<(w, b, t) -> (w)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v79 : tensor<256x100x40xf32>) outs(%163 : tensor<40xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %164 = arith.addf %x0, %old : f32
    linalg.yield %164 : f32
  } -> tensor<40xf32>
  %165 = tensor.empty() : tensor<256x100x80xf32>
  %v86 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a82, %a84 : tensor<256x100x80xf32>, tensor<256x100xf32>) outs(%165 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %166 = arith.subf %x0, %x1 : f32
    linalg.yield %166 : f32
  } -> tensor<256x100x80xf32>
  %167 = tensor.empty() : tensor<256x100x80xf32>
  %v87 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v86, %a85 : tensor<256x100x80xf32>, tensor<256x100xf32>) outs(%167 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %168 = arith.mulf %x0, %x1 : f32
    linalg.yield %168 : f32
  } -> tensor<256x100x80xf32>
  %169 = tensor.empty() : tensor<256x100x80xf32>
  %v88 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v87 : tensor<256x100x80xf32>) outs(%169 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %170 = arith.negf %x0 : f32
    linalg.yield %170 : f32
  } -> tensor<256x100x80xf32>
  %171 = tensor.empty() : tensor<256x100x80xf32>
  %v89 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v88 : tensor<256x100x80xf32>) outs(%171 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %172 = math.exp %x0 : f32
    linalg.yield %172 : f32
  } -> tensor<256x100x80xf32>
  %173 = tensor.empty() : tensor<256x100x80xf32>
  %v90 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v89 : tensor<256x100x80xf32>) outs(%173 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %174 = arith.constant 1.000000000e+00 : f32
    %175 = arith.addf %174, %x0 : f32
    linalg.yield %175 : f32
  } -> tensor<256x100x80xf32>
  %176 = tensor.empty() : tensor<256x100x80xf32>
  %v91 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v90 : tensor<256x100x80xf32>) outs(%176 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %177 = arith.constant 1.000000000e+00 : f32
    %178 = arith.divf %177, %x0 : f32
    linalg.yield %178 : f32
  } -> tensor<256x100x80xf32>
  %179 = tensor.empty() : tensor<256x100x80xf32>
  %v92 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v91 : tensor<256x100x80xf32>) outs(%179 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %180 = arith.constant 1.000000000e+00 : f32
    %181 = arith.subf %180, %x0 : f32
    linalg.yield %181 : f32
  } -> tensor<256x100x80xf32>
  %182 = tensor.empty() : tensor<256x100x80xf32>
  %v93 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a81, %v92 : tensor<256x100x80xf32>, tensor<256x100x80xf32>) outs(%182 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %183 = arith.mulf %x0, %x1 : f32
    linalg.yield %183 : f32
  } -> tensor<256x100x80xf32>
  %184 = tensor.empty() : tensor<256x100x80xf32>
  %v94 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v93, %a82 : tensor<256x100x80xf32>, tensor<256x100x80xf32>) outs(%184 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %185 = arith.mulf %x0, %x1 : f32
    linalg.yield %185 : f32
  } -> tensor<256x100x80xf32>
  %186 = tensor.empty() : tensor<80xf32>
  %187 = arith.constant 0.000000000e+00 : f32
  %188 = linalg.fill ins(%187 : f32) outs(%186 : tensor<80xf32>) -> tensor<80xf32>
  %v95 = linalg.generic {indexing_maps = [affine_map<(u, b, t) -> (b, t, u)>, affine_map<(u, b, t) -> (u)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v94 : tensor<256x100x80xf32>) outs(%188 : tensor<80xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %189 = arith.addf %x0, %old : f32
    linalg.yield %189 : f32
  } -> tensor<80xf32>
  %190 = tensor.empty() : tensor<256x100x80xf32>
  %v96 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (u)>, affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a83, %v92 : tensor<80xf32>, tensor<256x100x80xf32>) outs(%190 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %191 = arith.mulf %x0, %x1 : f32
    linalg.yield %191 : f32
  } -> tensor<256x100x80xf32>
  %192 = tensor.empty() : tensor<256x100x80xf32>
  %v97 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v96, %v91 : tensor<256x100x80xf32>, tensor<256x100x80xf32>) outs(%192 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %193 = arith.addf %x0, %x1 : f32
    linalg.yield %193 : f32
  } -> tensor<256x100x80xf32>
  %194 = tensor.empty() : tensor<256x100x80xf32>
  %v98 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a81, %v97 : tensor<256x100x80xf32>, tensor<256x100x80xf32>) outs(%194 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %195 = arith.mulf %x0, %x1 : f32
    linalg.yield %195 : f32
  } -> tensor<256x100x80xf32>
  %196 = tensor.empty() : tensor<256x100x80xf32>
  %v99 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v91, %v92 : tensor<256x100x80xf32>, tensor<256x100x80xf32>) outs(%196 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %197 = arith.mulf %x0, %x1 : f32
    linalg.yield %197 : f32
  } -> tensor<256x100x80xf32>
  %198 = tensor.empty() : tensor<80xf32>
  %v100 = linalg.generic {indexing_maps = [affine_map<(u) -> (u)>, affine_map<(u) -> (u)>], iterator_types = ["parallel"]}
      ins(%a83 : tensor<80xf32>) outs(%198 : tensor<80xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %199 = arith.constant 1.000000000e+00 : f32
    %200 = arith.subf %199, %x0 : f32
    linalg.yield %200 : f32
  } -> tensor<80xf32>
  %201 = tensor.empty() : tensor<256x100x80xf32>
  %v101 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a82, %v100 : tensor<256x100x80xf32>, tensor<80xf32>) outs(%201 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %202 = arith.mulf %x0, %x1 : f32
    linalg.yield %202 : f32
  } -> tensor<256x100x80xf32>
  %203 = tensor.empty() : tensor<256x100x80xf32>
  %v102 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v99, %v101 : tensor<256x100x80xf32>, tensor<256x100x80xf32>) outs(%203 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %204 = arith.mulf %x0, %x1 : f32
    linalg.yield %204 : f32
  } -> tensor<256x100x80xf32>
  %205 = tensor.empty() : tensor<256x100x80xf32>
  %v103 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a81, %v102 : tensor<256x100x80xf32>, tensor<256x100x80xf32>) outs(%205 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %206 = arith.mulf %x0, %x1 : f32
    linalg.yield %206 : f32
  } -> tensor<256x100x80xf32>
  %207 = tensor.empty() : tensor<256x100x80xf32>
  %v104 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v103, %v87 : tensor<256x100x80xf32>, tensor<256x100x80xf32>) outs(%207 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %208 = arith.mulf %x0, %x1 : f32
    linalg.yield %208 : f32
  } -> tensor<256x100x80xf32>
  %209 = tensor.empty() : tensor<256x100xf32>
  %210 = arith.constant 0.000000000e+00 : f32
  %211 = linalg.fill ins(%210 : f32) outs(%209 : tensor<256x100xf32>) -> tensor<256x100xf32>
  %v105 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v104 : tensor<256x100x80xf32>) outs(%211 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %212 = arith.addf %x0, %old : f32
    linalg.yield %212 : f32
  } -> tensor<256x100xf32>
  %213 = tensor.empty() : tensor<256x100xf32>
  %v106 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]}
      ins(%v105 : tensor<256x100xf32>) outs(%213 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %214 = arith.constant 1.250000000e-02 : f32
    %215 = arith.mulf %x0, %214 : f32
    linalg.yield %215 : f32
  } -> tensor<256x100xf32>
  %216 = tensor.empty() : tensor<256x100xf32>
  %217 = arith.constant 0.000000000e+00 : f32
  %218 = linalg.fill ins(%217 : f32) outs(%216 : tensor<256x100xf32>) -> tensor<256x100xf32>
  %v107 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v103 : tensor<256x100x80xf32>) outs(%218 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %219 = arith.addf %x0, %old : f32
    linalg.yield %219 : f32
  } -> tensor<256x100xf32>
  %220 = tensor.empty() : tensor<256x100xf32>
  %v108 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]}
      ins(%v107 : tensor<256x100xf32>) outs(%220 : tensor<256x100xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %221 = arith.constant 1.250000000e-02 : f32
    %222 = arith.mulf %x0, %221 : f32
    linalg.yield %222 : f32
  } -> tensor<256x100xf32>
  %223 = tensor.empty() : tensor<256x100x80xf32>
  %v109 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v103, %v108 : tensor<256x100x80xf32>, tensor<256x100xf32>) outs(%223 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %224 = arith.subf %x0, %x1 : f32
    linalg.yield %224 : f32
  } -> tensor<256x100x80xf32>
  %225 = tensor.empty() : tensor<256x100x80xf32>
  %v110 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v87, %v106 : tensor<256x100x80xf32>, tensor<256x100xf32>) outs(%225 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %226 = arith.mulf %x0, %x1 : f32
    linalg.yield %226 : f32
  } -> tensor<256x100x80xf32>
  %227 = tensor.empty() : tensor<256x100x80xf32>
  %v111 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v109, %v110 : tensor<256x100x80xf32>, tensor<256x100x80xf32>) outs(%227 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %228 = arith.subf %x0, %x1 : f32
    linalg.yield %228 : f32
  } -> tensor<256x100x80xf32>
  %229 = tensor.empty() : tensor<256x100x80xf32>
  %v112 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v111, %a85 : tensor<256x100x80xf32>, tensor<256x100xf32>) outs(%229 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %230 = arith.mulf %x0, %x1 : f32
    linalg.yield %230 : f32
  } -> tensor<256x100x80xf32>
  %231 = tensor.empty() : tensor<256x100x80xf32>
  %v113 = linalg.generic {indexing_maps = [affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>, affine_map<(b, t, u) -> (b, t, u)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v98, %v112 : tensor<256x100x80xf32>, tensor<256x100x80xf32>) outs(%231 : tensor<256x100x80xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %232 = arith.addf %x0, %x1 : f32
    linalg.yield %232 : f32
  } -> tensor<256x100x80xf32>
  %233 = tensor.empty() : tensor<80xf32>
  %234 = arith.constant 0.000000000e+00 : f32
  %235 = linalg.fill ins(%234 : f32) outs(%233 : tensor<80xf32>) -> tensor<80xf32>
  %v114 = linalg.generic {indexing_maps = [affine_map<(u, b, t) -> (b, t, u)>, affine_map<(u, b, t) -> (u)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v113 : tensor<256x100x80xf32>) outs(%235 : tensor<80xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %236 = arith.addf %x0, %old : f32
    linalg.yield %236 : f32
  } -> tensor<80xf32>
  %237 = tensor.empty() : tensor<256x100x36xf32>
  %v119 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a118, %a116 : tensor<256x100x36xf32>, tensor<256x100x36xf32>) outs(%237 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %238 = arith.addf %x0, %x1 : f32
    linalg.yield %238 : f32
  } -> tensor<256x100x36xf32>
  %239 = tensor.empty() : tensor<256x100x36xf32>
  %v120 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a117, %a30 : tensor<256x100x36xf32>, tensor<256x100x36xf32>) outs(%239 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %240 = arith.mulf %x0, %x1 : f32
    linalg.yield %240 : f32
  } -> tensor<256x100x36xf32>
  %241 = tensor.empty() : tensor<256x100x36xf32>
  %v121 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v119, %v120 : tensor<256x100x36xf32>, tensor<256x100x36xf32>) outs(%241 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %242 = arith.addf %x0, %x1 : f32
    linalg.yield %242 : f32
  } -> tensor<256x100x36xf32>
  %243 = tensor.empty() : tensor<256x100x36xf32>
  %v123 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a122, %v37 : tensor<256x100x36xf32>, tensor<256x100x36xf32>) outs(%243 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %244 = arith.addf %x0, %x1 : f32
    linalg.yield %244 : f32
  } -> tensor<256x100x36xf32>
  %245 = tensor.empty() : tensor<256x100x36xf32>
  %v124 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v123, %a116 : tensor<256x100x36xf32>, tensor<256x100x36xf32>) outs(%245 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %246 = arith.subf %x0, %x1 : f32
    linalg.yield %246 : f32
  } -> tensor<256x100x36xf32>
  %247 = tensor.empty() : tensor<256x100x36xf32>
  %v125 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a117, %a115 : tensor<256x100x36xf32>, tensor<256x36xf32>) outs(%247 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %248 = arith.mulf %x0, %x1 : f32
    linalg.yield %248 : f32
  } -> tensor<256x100x36xf32>
  %249 = tensor.empty() : tensor<256x100x36xf32>
  %v126 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v124, %v125 : tensor<256x100x36xf32>, tensor<256x100x36xf32>) outs(%249 : tensor<256x100x36xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %250 = arith.addf %x0, %x1 : f32
    linalg.yield %250 : f32
  } -> tensor<256x100x36xf32>
  %251 = tensor.empty() : tensor<256x36xf32>
  %252 = arith.constant 0.000000000e+00 : f32
  %253 = linalg.fill ins(%252 : f32) outs(%251 : tensor<256x36xf32>) -> tensor<256x36xf32>
  %v127 = linalg.generic {indexing_maps = [affine_map<(b, c, t) -> (b, t, c)>, affine_map<(b, c, t) -> (b, c)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v121 : tensor<256x100x36xf32>) outs(%253 : tensor<256x36xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %254 = arith.addf %x0, %old : f32
    linalg.yield %254 : f32
  } -> tensor<256x36xf32>
  return %v23, %v27, %v18, %v28, %v14, %v29, %v19, %v26, %v46, %v79, %v61, %v80, %v113, %v95, %v114, %v127, %v126 : tensor<256x100x36xf32>, tensor<36xf32>, tensor<256x100x36xf32>, tensor<36xf32>, tensor<256x100x36xf32>, tensor<36xf32>, tensor<256x100x36xf32>, tensor<256x100x36xf32>, tensor<40xf32>, tensor<256x100x40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<256x100x80xf32>, tensor<80xf32>, tensor<80xf32>, tensor<256x36xf32>, tensor<256x100x36xf32>
}
