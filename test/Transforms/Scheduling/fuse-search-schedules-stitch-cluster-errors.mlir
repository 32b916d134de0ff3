// Clusters that lowering could not obey.
// RUN: fusion-opt %s --fuse-search-schedules=chip=sm_90a -split-input-file -verify-diagnostics

func.func @too_large(%a: tensor<8x1000xf32>, %o: tensor<8x1000xf32>) -> tensor<8x1000xf32> {
  // expected-error @below {{axis 'j' has a cluster of 16 blocks, of which sm_90a has no more than 8}}
  %r = fuse.stitch ins(%x = %a : tensor<8x1000xf32>) outs(%p = %o : tensor<8x1000xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2, cluster = 16>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 256, vector = 4, lanes = 32, warps = 2>}>>} {
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

func.func @too_few_tiles(%a: tensor<8x1000xf32>, %o: tensor<8x1000xf32>) -> tensor<8x1000xf32> {
  // expected-error @below {{axis 'j' has a cluster of 4 blocks, and 2 tiles of 512 elements}}
  %r = fuse.stitch ins(%x = %a : tensor<8x1000xf32>) outs(%p = %o : tensor<8x1000xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2, cluster = 4>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 512, vector = 4, lanes = 32, warps = 2>}>>} {
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

func.func @nothing_shared(%a: tensor<8x1000xf32>, %o: tensor<8x1000xf32>) -> tensor<8x1000xf32> {
  // expected-error @below {{schedule does not fit the group: a cluster of 2 blocks shares no reduced axis: blocks have all of each}}
  %r = fuse.stitch ins(%x = %a : tensor<8x1000xf32>) outs(%p = %o : tensor<8x1000xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2, cluster = 2>, stitching = <{i = #fuse.thread_mapping<tile = 4>, j = #fuse.thread_mapping<tile = 1024, vector = 4, lanes = 32, warps = 2>}>>} {
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

func.func @aligned_and_read_again(%a: tensor<8x1001xf32>, %o: tensor<8x1001xf32>) -> tensor<8x1001xf32> {
  // expected-error @below {{axis 'j' is aligned and has a cluster of blocks that do not retain their tile of it}}
  %r = fuse.stitch ins(%x = %a : tensor<8x1001xf32>) outs(%p = %o : tensor<8x1001xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2, cluster = 4>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 256, vector = 2, lanes = 32, warps = 2, align = 8>}, serial_loop = <axis = "j", step = 128, register_steps = 1>>>} {
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x1001xf32>) outs(%s : tensor<8xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.maximumf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t : tensor<8x1001xf32>, tensor<8xf32>) outs(%p : tensor<8x1001xf32>) {
    ^bb0(%v: f32, %m: f32, %q: f32):
      %0 = arith.subf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8x1001xf32>
    fuse.yield %y : tensor<8x1001xf32>
  } -> tensor<8x1001xf32>
  return %r : tensor<8x1001xf32>
}

// -----

func.func @two_shared_axes(%a: tensor<8x1000xf32>, %o: tensor<8xf32>, %q: tensor<1000xf32>) -> (tensor<8xf32>, tensor<1000xf32>) {
  // expected-error @below {{axis 'i' has a cluster of blocks without a serial loop over it, and the reductions along 'j' are split over blocks}}
  %r:2 = fuse.stitch ins(%x = %a : tensor<8x1000xf32>) outs(%p = %o : tensor<8xf32>, %p1 = %q : tensor<1000xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2, cluster = 2>, stitching = <{i = #fuse.thread_mapping<tile = 4>, j = #fuse.thread_mapping<tile = 256, vector = 4, lanes = 32, warps = 2>}>>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x1000xf32>) outs(%s : tensor<8xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    %e1 = tensor.empty() : tensor<1000xf32>
    %s1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1000xf32>) -> tensor<1000xf32>
    %u = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
        ins(%x : tensor<8x1000xf32>) outs(%s1 : tensor<1000xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<1000xf32>
    fuse.yield %t, %u : tensor<8xf32>, tensor<1000xf32>
  } -> (tensor<8xf32>, tensor<1000xf32>)
  return %r#0, %r#1 : tensor<8xf32>, tensor<1000xf32>
}
