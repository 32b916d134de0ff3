// Compositions of element-wise operators that lowering could not obey.
// RUN: fusion-opt %s --fuse-search-schedules=chip=sm_80 -split-input-file -verify-diagnostics

#one = affine_map<(i) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @no_operator(%a: tensor<64x128xf32>, %g: tensor<64xf32>, %o: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{schedule does not fit the group: there is no operator 2, the group has 2}}
  %r = fuse.stitch ins(%x = %a : tensor<64x128xf32>, %h = %g : tensor<64xf32>) outs(%p = %o : tensor<64x128xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <compositions = [<operator = 2, scheme = warp>], {i = #fuse.thread_mapping<tile = 8>, j = #fuse.thread_mapping<tile = 128, vector = 4, lanes = 32>}>>} {
    %e = tensor.empty() : tensor<64xf32>
    %t = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%h : tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%v: f32, %q: f32):
      %0 = math.tan %v : f32
      linalg.yield %0 : f32
    } -> tensor<64xf32>
    %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %t : tensor<64x128xf32>, tensor<64xf32>) outs(%p : tensor<64x128xf32>) {
    ^bb0(%v: f32, %u: f32, %q: f32):
      %0 = arith.mulf %v, %u : f32
      linalg.yield %0 : f32
    } -> tensor<64x128xf32>
    fuse.yield %y : tensor<64x128xf32>
  } -> tensor<64x128xf32>
  return %r : tensor<64x128xf32>
}

// -----

#one = affine_map<(i) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @all_axes(%a: tensor<64x128xf32>, %g: tensor<64xf32>, %o: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{schedule cannot be lowered: operator 1 cannot have warp composition because it saves no evaluation: a thread needs 32 elements, and would evaluate 32}}
  %r = fuse.stitch ins(%x = %a : tensor<64x128xf32>, %h = %g : tensor<64xf32>) outs(%p = %o : tensor<64x128xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <compositions = [<operator = 1, scheme = warp>], {i = #fuse.thread_mapping<tile = 8>, j = #fuse.thread_mapping<tile = 128, vector = 4, lanes = 32>}>>} {
    %e = tensor.empty() : tensor<64xf32>
    %t = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%h : tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%v: f32, %q: f32):
      %0 = math.tan %v : f32
      linalg.yield %0 : f32
    } -> tensor<64xf32>
    %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %t : tensor<64x128xf32>, tensor<64xf32>) outs(%p : tensor<64x128xf32>) {
    ^bb0(%v: f32, %u: f32, %q: f32):
      %0 = arith.mulf %v, %u : f32
      linalg.yield %0 : f32
    } -> tensor<64x128xf32>
    fuse.yield %y : tensor<64x128xf32>
  } -> tensor<64x128xf32>
  return %r : tensor<64x128xf32>
}

// -----

#one = affine_map<(i) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @one_row(%a: tensor<64x128xf32>, %g: tensor<64xf32>, %o: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{schedule cannot be lowered: operator 0 cannot have block composition because it saves no evaluation: a thread needs 1 element, and would evaluate 1}}
  %r = fuse.stitch ins(%x = %a : tensor<64x128xf32>, %h = %g : tensor<64xf32>) outs(%p = %o : tensor<64x128xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <compositions = [<operator = 0, scheme = block>], {i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 128, vector = 4, lanes = 32>}>>} {
    %e = tensor.empty() : tensor<64xf32>
    %t = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%h : tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%v: f32, %q: f32):
      %0 = math.tan %v : f32
      linalg.yield %0 : f32
    } -> tensor<64xf32>
    %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %t : tensor<64x128xf32>, tensor<64xf32>) outs(%p : tensor<64x128xf32>) {
    ^bb0(%v: f32, %u: f32, %q: f32):
      %0 = arith.mulf %v, %u : f32
      linalg.yield %0 : f32
    } -> tensor<64x128xf32>
    fuse.yield %y : tensor<64x128xf32>
  } -> tensor<64x128xf32>
  return %r : tensor<64x128xf32>
}

// -----

#one = affine_map<(i) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @three_rows(%a: tensor<64x128xf32>, %g: tensor<64xf32>, %o: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{schedule cannot be lowered: operator 0 cannot have warp composition because it has a number of elements in a thread along axis 'i' that is no power of two}}
  %r = fuse.stitch ins(%x = %a : tensor<64x128xf32>, %h = %g : tensor<64xf32>) outs(%p = %o : tensor<64x128xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <compositions = [<operator = 0, scheme = warp>], {i = #fuse.thread_mapping<tile = 6>, j = #fuse.thread_mapping<tile = 128, vector = 4, lanes = 32>}>>} {
    %e = tensor.empty() : tensor<64xf32>
    %t = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%h : tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%v: f32, %q: f32):
      %0 = math.tan %v : f32
      linalg.yield %0 : f32
    } -> tensor<64xf32>
    %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %t : tensor<64x128xf32>, tensor<64xf32>) outs(%p : tensor<64x128xf32>) {
    ^bb0(%v: f32, %u: f32, %q: f32):
      %0 = arith.mulf %v, %u : f32
      linalg.yield %0 : f32
    } -> tensor<64x128xf32>
    fuse.yield %y : tensor<64x128xf32>
  } -> tensor<64x128xf32>
  return %r : tensor<64x128xf32>
}

// -----

func.func @reduction(%a: tensor<64x128xf32>, %o: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @below {{schedule cannot be lowered: operator 0 cannot have warp composition because it is a reduction, whose composition follows from the thread mapping}}
  %r = fuse.stitch ins(%x = %a : tensor<64x128xf32>) outs(%p = %o : tensor<64xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <compositions = [<operator = 0, scheme = warp>], {i = #fuse.thread_mapping<tile = 8>, j = #fuse.thread_mapping<tile = 128, vector = 4, lanes = 32>}>>} {
    %zero = arith.constant 0.0 : f32
    %s = linalg.fill ins(%zero : f32) outs(%p : tensor<64xf32>) -> tensor<64xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<64x128xf32>) outs(%s : tensor<64xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<64xf32>
    fuse.yield %t : tensor<64xf32>
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}
