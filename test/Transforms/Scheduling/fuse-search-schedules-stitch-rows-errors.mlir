// Split reductions along one axis with a serial loop over another one, in ways that lowering could not obey.
// RUN: fusion-opt %s --fuse-search-schedules=chip=sm_80 -split-input-file -verify-diagnostics

func.func @results_walked(%a: tensor<32x128xf32>, %o: tensor<32x128xf32>, %q: tensor<f32>) -> (tensor<32x128xf32>, tensor<f32>) {
  // expected-error @below {{schedule cannot be lowered: axis 'i' is reduced over blocks with a serial loop over axis 'j', along which its results are reduced}}
  %r:2 = fuse.stitch ins(%x = %a : tensor<32x128xf32>) outs(%p = %o : tensor<32x128xf32>, %c = %q : tensor<f32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 4>, j = #fuse.thread_mapping<tile = 128, lanes = 32>}, serial_loop = <axis = "j", step = 32>>>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<32xf32>
    %s = linalg.fill ins(%zero : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<32x128xf32>) outs(%s : tensor<32xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<32xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t : tensor<32x128xf32>, tensor<32xf32>) outs(%p : tensor<32x128xf32>) {
    ^bb0(%v: f32, %m: f32, %old: f32):
      %0 = arith.subf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<32x128xf32>
    %d = tensor.empty() : tensor<128xf32>
    %f = linalg.fill ins(%zero : f32) outs(%d : tensor<128xf32>) -> tensor<128xf32>
    %g = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
        ins(%x : tensor<32x128xf32>) outs(%f : tensor<128xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<128xf32>
    %h = linalg.fill ins(%zero : f32) outs(%c : tensor<f32>) -> tensor<f32>
    %k = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> ()>], iterator_types = ["reduction"]}
        ins(%g : tensor<128xf32>) outs(%h : tensor<f32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<f32>
    fuse.yield %y, %k : tensor<32x128xf32>, tensor<f32>
  } -> (tensor<32x128xf32>, tensor<f32>)
  return %r#0, %r#1 : tensor<32x128xf32>, tensor<f32>
}

// -----

func.func @rows_not_kept(%a: tensor<32x128xf32>, %o: tensor<32x128xf32>, %q: tensor<128xf32>) -> (tensor<32x128xf32>, tensor<128xf32>) {
  // expected-error @below {{schedule cannot be lowered: axis 'i' is reduced over blocks in steps, and each step of the serial loop must retain its partial results}}
  %r:2 = fuse.stitch ins(%x = %a : tensor<32x128xf32>) outs(%p = %o : tensor<32x128xf32>, %c = %q : tensor<128xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <split_step = 2, {i = #fuse.thread_mapping<tile = 4>, j = #fuse.thread_mapping<tile = 128, lanes = 32>}, serial_loop = <axis = "j", step = 32, register_steps = 1, shared_steps = 1>>>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<32xf32>
    %s = linalg.fill ins(%zero : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<32x128xf32>) outs(%s : tensor<32xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<32xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t : tensor<32x128xf32>, tensor<32xf32>) outs(%p : tensor<32x128xf32>) {
    ^bb0(%v: f32, %m: f32, %old: f32):
      %0 = arith.subf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<32x128xf32>
    %f = linalg.fill ins(%zero : f32) outs(%c : tensor<128xf32>) -> tensor<128xf32>
    %g = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
        ins(%x : tensor<32x128xf32>) outs(%f : tensor<128xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<128xf32>
    fuse.yield %y, %g : tensor<32x128xf32>, tensor<128xf32>
  } -> (tensor<32x128xf32>, tensor<128xf32>)
  return %r#0, %r#1 : tensor<32x128xf32>, tensor<128xf32>
}

// -----

func.func @rows_of_everything(%a: tensor<32x128xf32>, %o: tensor<32x128xf32>, %q: tensor<f32>) -> (tensor<32x128xf32>, tensor<f32>) {
  // expected-error @below {{schedule cannot be lowered: axis 'i' is reduced over blocks in steps, and a result is the same in all steps of the serial loop}}
  %r:2 = fuse.stitch ins(%x = %a : tensor<32x128xf32>) outs(%p = %o : tensor<32x128xf32>, %c = %q : tensor<f32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <split_step = 2, {i = #fuse.thread_mapping<tile = 4>, j = #fuse.thread_mapping<tile = 128, lanes = 32>}, serial_loop = <axis = "j", step = 32, register_steps = 4>>>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<32xf32>
    %s = linalg.fill ins(%zero : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<32x128xf32>) outs(%s : tensor<32xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<32xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t : tensor<32x128xf32>, tensor<32xf32>) outs(%p : tensor<32x128xf32>) {
    ^bb0(%v: f32, %m: f32, %old: f32):
      %0 = arith.subf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<32x128xf32>
    %f = linalg.fill ins(%zero : f32) outs(%c : tensor<f32>) -> tensor<f32>
    %g = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
        ins(%x : tensor<32x128xf32>) outs(%f : tensor<f32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<f32>
    fuse.yield %y, %g : tensor<32x128xf32>, tensor<f32>
  } -> (tensor<32x128xf32>, tensor<f32>)
  return %r#0, %r#1 : tensor<32x128xf32>, tensor<f32>
}

// -----

func.func @rows_of_no_part(%a: tensor<32x128xf32>, %o: tensor<32x128xf32>, %q: tensor<128xf32>) -> (tensor<32x128xf32>, tensor<128xf32>) {
  // expected-error @below {{schedule does not fit the group: blocks with 'split_step' share no reduction along an axis but that of the serial loop}}
  %r:2 = fuse.stitch ins(%x = %a : tensor<32x128xf32>) outs(%p = %o : tensor<32x128xf32>, %c = %q : tensor<128xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <split_step = 2, {i = #fuse.thread_mapping<tile = 32>, j = #fuse.thread_mapping<tile = 128, lanes = 32>}, serial_loop = <axis = "j", step = 32, register_steps = 4>>>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<32xf32>
    %s = linalg.fill ins(%zero : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<32x128xf32>) outs(%s : tensor<32xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<32xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t : tensor<32x128xf32>, tensor<32xf32>) outs(%p : tensor<32x128xf32>) {
    ^bb0(%v: f32, %m: f32, %old: f32):
      %0 = arith.subf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<32x128xf32>
    %f = linalg.fill ins(%zero : f32) outs(%c : tensor<128xf32>) -> tensor<128xf32>
    %g = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
        ins(%x : tensor<32x128xf32>) outs(%f : tensor<128xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<128xf32>
    fuse.yield %y, %g : tensor<32x128xf32>, tensor<128xf32>
  } -> (tensor<32x128xf32>, tensor<128xf32>)
  return %r#0, %r#1 : tensor<32x128xf32>, tensor<128xf32>
}

// -----

func.func @uneven_rows(%a: tensor<32x128xf32>, %o: tensor<32x128xf32>, %q: tensor<128xf32>) -> (tensor<32x128xf32>, tensor<128xf32>) {
  // expected-error @below {{schedule does not fit the group: a tile of 4 is no multiple of 3 rows, or that of 1}}
  %r:2 = fuse.stitch ins(%x = %a : tensor<32x128xf32>) outs(%p = %o : tensor<32x128xf32>, %c = %q : tensor<128xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <split_step = 3, {i = #fuse.thread_mapping<tile = 4>, j = #fuse.thread_mapping<tile = 128, lanes = 32>}, serial_loop = <axis = "j", step = 32, register_steps = 4>>>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<32xf32>
    %s = linalg.fill ins(%zero : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<32x128xf32>) outs(%s : tensor<32xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<32xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t : tensor<32x128xf32>, tensor<32xf32>) outs(%p : tensor<32x128xf32>) {
    ^bb0(%v: f32, %m: f32, %old: f32):
      %0 = arith.subf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<32x128xf32>
    %f = linalg.fill ins(%zero : f32) outs(%c : tensor<128xf32>) -> tensor<128xf32>
    %g = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
        ins(%x : tensor<32x128xf32>) outs(%f : tensor<128xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<128xf32>
    fuse.yield %y, %g : tensor<32x128xf32>, tensor<128xf32>
  } -> (tensor<32x128xf32>, tensor<128xf32>)
  return %r#0, %r#1 : tensor<32x128xf32>, tensor<128xf32>
}
