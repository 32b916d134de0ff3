// Schedules of stitched groups that lowering could not obey.
// RUN: fusion-opt %s --fuse-search-schedules=chip=sm_80 -split-input-file -verify-diagnostics

func.func @more_beside(%a: tensor<8x100xf32>, %o: tensor<8x100xf32>) -> tensor<8x100xf32> {
  // expected-error @below {{schedule does not fit the group: 'stitching' has nothing beside it but the warps and the cluster of the mapping, and producers}}
  %r = fuse.stitch ins(%x = %a : tensor<8x100xf32>) outs(%p = %o : tensor<8x100xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, reduction = <one_tile>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 128, lanes = 32, warps = 2>}>>} {
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x100xf32>) outs(%s : tensor<8xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.maximumf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t : tensor<8x100xf32>, tensor<8xf32>) outs(%p : tensor<8x100xf32>) {
    ^bb0(%v: f32, %m: f32, %q: f32):
      %0 = arith.subf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8x100xf32>
    fuse.yield %y : tensor<8x100xf32>
  } -> tensor<8x100xf32>
  return %r : tensor<8x100xf32>
}

// -----

func.func @no_such_axis(%a: tensor<8x100xf32>, %o: tensor<8x100xf32>) -> tensor<8x100xf32> {
  // expected-error @below {{schedule does not fit the group: there is no axis 'k'}}
  %r = fuse.stitch ins(%x = %a : tensor<8x100xf32>) outs(%p = %o : tensor<8x100xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 128, lanes = 32, warps = 2>, k = #fuse.thread_mapping<tile = 1>}>>} {
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x100xf32>) outs(%s : tensor<8xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.maximumf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t : tensor<8x100xf32>, tensor<8xf32>) outs(%p : tensor<8x100xf32>) {
    ^bb0(%v: f32, %m: f32, %q: f32):
      %0 = arith.subf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8x100xf32>
    fuse.yield %y : tensor<8x100xf32>
  } -> tensor<8x100xf32>
  return %r : tensor<8x100xf32>
}

// -----

func.func @axis_left_out(%a: tensor<8x100xf32>, %o: tensor<8x100xf32>) -> tensor<8x100xf32> {
  // expected-error @below {{schedule does not fit the group: axis 'i' has no #fuse.thread_mapping}}
  %r = fuse.stitch ins(%x = %a : tensor<8x100xf32>) outs(%p = %o : tensor<8x100xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <{j = #fuse.thread_mapping<tile = 128, lanes = 32, warps = 2>}>>} {
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x100xf32>) outs(%s : tensor<8xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.maximumf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t : tensor<8x100xf32>, tensor<8xf32>) outs(%p : tensor<8x100xf32>) {
    ^bb0(%v: f32, %m: f32, %q: f32):
      %0 = arith.subf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8x100xf32>
    fuse.yield %y : tensor<8x100xf32>
  } -> tensor<8x100xf32>
  return %r : tensor<8x100xf32>
}

// -----

func.func @part_of_a_row(%a: tensor<8x100xf32>, %o: tensor<8x100xf32>) -> tensor<8x100xf32> {
  // expected-error @below {{schedule cannot be lowered: axis 'j' is reduced: a block has all of it, or no operator of the block can use the result}}
  %r = fuse.stitch ins(%x = %a : tensor<8x100xf32>) outs(%p = %o : tensor<8x100xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 64, lanes = 32, warps = 2>}>>} {
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x100xf32>) outs(%s : tensor<8xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.maximumf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t : tensor<8x100xf32>, tensor<8xf32>) outs(%p : tensor<8x100xf32>) {
    ^bb0(%v: f32, %m: f32, %q: f32):
      %0 = arith.subf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8x100xf32>
    fuse.yield %y : tensor<8x100xf32>
  } -> tensor<8x100xf32>
  return %r : tensor<8x100xf32>
}

// -----

func.func @too_many_lanes(%a: tensor<8x100xf32>, %o: tensor<8x100xf32>) -> tensor<8x100xf32> {
  // expected-error @below {{schedule cannot be lowered: the lanes of all axes are 64, a warp has 32}}
  %r = fuse.stitch ins(%x = %a : tensor<8x100xf32>) outs(%p = %o : tensor<8x100xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <{i = #fuse.thread_mapping<tile = 2, lanes = 2>, j = #fuse.thread_mapping<tile = 128, lanes = 32, warps = 2>}>>} {
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x100xf32>) outs(%s : tensor<8xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.maximumf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t : tensor<8x100xf32>, tensor<8xf32>) outs(%p : tensor<8x100xf32>) {
    ^bb0(%v: f32, %m: f32, %q: f32):
      %0 = arith.subf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8x100xf32>
    fuse.yield %y : tensor<8x100xf32>
  } -> tensor<8x100xf32>
  return %r : tensor<8x100xf32>
}

// -----

func.func @other_warps(%a: tensor<8x100xf32>, %o: tensor<8x100xf32>) -> tensor<8x100xf32> {
  // expected-error @below {{schedule cannot be lowered: the warps of all axes are 2, the block has 4}}
  %r = fuse.stitch ins(%x = %a : tensor<8x100xf32>) outs(%p = %o : tensor<8x100xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 4>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 128, lanes = 32, warps = 2>}>>} {
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x100xf32>) outs(%s : tensor<8xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.maximumf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t : tensor<8x100xf32>, tensor<8xf32>) outs(%p : tensor<8x100xf32>) {
    ^bb0(%v: f32, %m: f32, %q: f32):
      %0 = arith.subf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8x100xf32>
    fuse.yield %y : tensor<8x100xf32>
  } -> tensor<8x100xf32>
  return %r : tensor<8x100xf32>
}

// -----

func.func @too_long_a_tile(%a: tensor<8x70000xf32>, %o: tensor<8x70000xf32>) -> tensor<8x70000xf32> {
  // expected-error @below {{schedule cannot be lowered: axis 'j' has 73728 elements at once, a tile has at most 65536}}
  %r = fuse.stitch ins(%x = %a : tensor<8x70000xf32>) outs(%p = %o : tensor<8x70000xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 73728, lanes = 32, warps = 2>}>>} {
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x70000xf32>) outs(%s : tensor<8xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.maximumf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t : tensor<8x70000xf32>, tensor<8xf32>) outs(%p : tensor<8x70000xf32>) {
    ^bb0(%v: f32, %m: f32, %q: f32):
      %0 = arith.subf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8x70000xf32>
    fuse.yield %y : tensor<8x70000xf32>
  } -> tensor<8x70000xf32>
  return %r : tensor<8x70000xf32>
}

// -----

func.func @uneven_steps(%a: tensor<8x100xf32>, %o: tensor<8x100xf32>) -> tensor<8x100xf32> {
  // expected-error @below {{schedule does not fit the group: a tile of 128 is no multiple of 96, or that of 64}}
  %r = fuse.stitch ins(%x = %a : tensor<8x100xf32>) outs(%p = %o : tensor<8x100xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 128, lanes = 32, warps = 2>}, serial_loop = <axis = "j", step = 96>>>} {
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x100xf32>) outs(%s : tensor<8xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.maximumf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t : tensor<8x100xf32>, tensor<8xf32>) outs(%p : tensor<8x100xf32>) {
    ^bb0(%v: f32, %m: f32, %q: f32):
      %0 = arith.subf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8x100xf32>
    fuse.yield %y : tensor<8x100xf32>
  } -> tensor<8x100xf32>
  return %r : tensor<8x100xf32>
}

// -----

func.func @more_kept_than_there_is(%a: tensor<8x100xf32>, %o: tensor<8x100xf32>) -> tensor<8x100xf32> {
  // expected-error @below {{schedule does not fit the group: more steps are retained than there are}}
  %r = fuse.stitch ins(%x = %a : tensor<8x100xf32>) outs(%p = %o : tensor<8x100xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 128, lanes = 32, warps = 2>}, serial_loop = <axis = "j", step = 64, register_steps = 2, shared_steps = 1>>>} {
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x100xf32>) outs(%s : tensor<8xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.maximumf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t : tensor<8x100xf32>, tensor<8xf32>) outs(%p : tensor<8x100xf32>) {
    ^bb0(%v: f32, %m: f32, %q: f32):
      %0 = arith.subf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8x100xf32>
    fuse.yield %y : tensor<8x100xf32>
  } -> tensor<8x100xf32>
  return %r : tensor<8x100xf32>
}

// -----

func.func @both_shared(%a: tensor<8x100xf32>, %o: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{schedule cannot be lowered: axis 'i' and 'j' are both reduced over blocks}}
  %r = fuse.stitch ins(%x = %a : tensor<8x100xf32>) outs(%p = %o : tensor<f32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 64, lanes = 32, warps = 2>}>>} {
    %low = arith.constant 0.0 : f32
    %s = linalg.fill ins(%low : f32) outs(%p : tensor<f32>) -> tensor<f32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
        ins(%x : tensor<8x100xf32>) outs(%s : tensor<f32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<f32>
    fuse.yield %t : tensor<f32>
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

func.func @parts_of_many(%a: tensor<8x100xf32>, %b: tensor<100xf32>, %o: tensor<8x100xf32>, %q: tensor<f32>) -> (tensor<8x100xf32>, tensor<f32>) {
  // expected-error @below {{schedule cannot be lowered: axis 'j' is reduced over blocks, and blocks along axis 'i' would all write the same partial results}}
  %r:2 = fuse.stitch ins(%x = %a : tensor<8x100xf32>, %y = %b : tensor<100xf32>) outs(%p = %o : tensor<8x100xf32>, %s = %q : tensor<f32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 64, lanes = 32, warps = 2>}>>} {
    %low = arith.constant 0.0 : f32
    %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %y : tensor<8x100xf32>, tensor<100xf32>) outs(%p : tensor<8x100xf32>) {
    ^bb0(%v: f32, %w: f32, %old: f32):
      %0 = arith.mulf %v, %w : f32
      linalg.yield %0 : f32
    } -> tensor<8x100xf32>
    %f = linalg.fill ins(%low : f32) outs(%s : tensor<f32>) -> tensor<f32>
    %t = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> ()>], iterator_types = ["reduction"]}
        ins(%y : tensor<100xf32>) outs(%f : tensor<f32>) {
    ^bb0(%v: f32, %old: f32):
      %0 = arith.addf %v, %old : f32
      linalg.yield %0 : f32
    } -> tensor<f32>
    fuse.yield %m, %t : tensor<8x100xf32>, tensor<f32>
  } -> (tensor<8x100xf32>, tensor<f32>)
  return %r#0, %r#1 : tensor<8x100xf32>, tensor<f32>
}

// -----

func.func @no_room_for_what_is_kept(%a: tensor<8x50000xf32>, %o: tensor<8x50000xf32>) -> tensor<8x50000xf32> {
  // expected-error @below {{schedule cannot be lowered: a block would need 180352 bytes of shared memory, it has at most 166912}}
  %r = fuse.stitch ins(%x = %a : tensor<8x50000xf32>) outs(%p = %o : tensor<8x50000xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 50048, lanes = 32, warps = 2>}, serial_loop = <axis = "j", step = 64, register_steps = 0, shared_steps = 704>>>} {
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x50000xf32>) outs(%s : tensor<8xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.maximumf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t : tensor<8x50000xf32>, tensor<8xf32>) outs(%p : tensor<8x50000xf32>) {
    ^bb0(%v: f32, %m: f32, %q: f32):
      %0 = arith.subf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8x50000xf32>
    fuse.yield %y : tensor<8x50000xf32>
  } -> tensor<8x50000xf32>
  return %r : tensor<8x50000xf32>
}

// -----

func.func @rows_of_their_own(%a: tensor<6x1001xf32>, %o: tensor<6x1001xf32>) -> tensor<6x1001xf32> {
  // expected-error @below {{axis 'j' is aligned for each element of axis 'i', of which a block has one}}
  %r = fuse.stitch ins(%x = %a : tensor<6x1001xf32>) outs(%p = %o : tensor<6x1001xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 2>, j = #fuse.thread_mapping<tile = 128, vector = 4, lanes = 32, align = 8>}>>} {
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<6x1001xf32>) outs(%p : tensor<6x1001xf32>) {
    ^bb0(%v: f32, %q: f32):
      %0 = arith.negf %v : f32
      linalg.yield %0 : f32
    } -> tensor<6x1001xf32>
    fuse.yield %y : tensor<6x1001xf32>
  } -> tensor<6x1001xf32>
  return %r : tensor<6x1001xf32>
}

// -----

func.func @too_wide(%a: tensor<6x1001xf32>, %o: tensor<6x1001xf32>) -> tensor<6x1001xf32> {
  // expected-error @below {{axis 'j' has no tensor whose rows could be aligned to 16 elements, but to 8}}
  %r = fuse.stitch ins(%x = %a : tensor<6x1001xf32>) outs(%p = %o : tensor<6x1001xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 128, vector = 4, lanes = 32, align = 16>}>>} {
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<6x1001xf32>) outs(%p : tensor<6x1001xf32>) {
    ^bb0(%v: f32, %q: f32):
      %0 = arith.negf %v : f32
      linalg.yield %0 : f32
    } -> tensor<6x1001xf32>
    fuse.yield %y : tensor<6x1001xf32>
  } -> tensor<6x1001xf32>
  return %r : tensor<6x1001xf32>
}

// -----

func.func @no_clusters(%a: tensor<8x1000xf32>, %o: tensor<8x1000xf32>) -> tensor<8x1000xf32> {
  // expected-error @below {{axis 'j' has a cluster of 4 blocks, of which sm_80 has none}}
  %r = fuse.stitch ins(%x = %a : tensor<8x1000xf32>) outs(%p = %o : tensor<8x1000xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2, cluster = 4>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 256, vector = 4, lanes = 32, warps = 2>}>>} {
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x1000xf32>) outs(%s : tensor<8xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.maximumf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t : tensor<8x1000xf32>, tensor<8xf32>) outs(%p : tensor<8x1000xf32>) {
    ^bb0(%v: f32, %m: f32, %q: f32):
      %0 = arith.subf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8x1000xf32>
    fuse.yield %y : tensor<8x1000xf32>
  } -> tensor<8x1000xf32>
  return %r : tensor<8x1000xf32>
}

// -----

func.func @one_left(%a: tensor<8x1024xf32>, %o: tensor<8x1024xf32>) -> tensor<8x1024xf32> {
  // expected-error @below {{one whole step along axis 'j' is not retained, which is no loop: retain it, or one less}}
  %r = fuse.stitch ins(%x = %a : tensor<8x1024xf32>) outs(%p = %o : tensor<8x1024xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 1024, vector = 4, lanes = 32, warps = 2>}, serial_loop = <axis = "j", step = 256, register_steps = 1, shared_steps = 2>>>} {
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x1024xf32>) outs(%s : tensor<8xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.maximumf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t : tensor<8x1024xf32>, tensor<8xf32>) outs(%p : tensor<8x1024xf32>) {
    ^bb0(%v: f32, %m: f32, %q: f32):
      %0 = arith.subf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8x1024xf32>
    fuse.yield %y : tensor<8x1024xf32>
  } -> tensor<8x1024xf32>
  return %r : tensor<8x1024xf32>
}
