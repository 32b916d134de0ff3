// Running forms that schedules of stitched groups ask for and the algebra does not give.
// RUN: fusion-opt %s --fuse-search-schedules=chip=sm_80 -split-input-file -verify-diagnostics

func.func @of_a_sum(%a: tensor<8x100xf32>, %o: tensor<8x100xf32>) -> tensor<8x100xf32> {
  // expected-error @below {{schedule does not fit the group: the reductions along axis 'j' have no online form: linalg.generic combines what depends on a result of its own loop in a way that cannot be corrected}}
  %r = fuse.stitch ins(%x = %a : tensor<8x100xf32>) outs(%p = %o : tensor<8x100xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 128, lanes = 32>}, serial_loop = <axis = "j", step = 32, online = true>>>} {
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8xf32>
    %f = tensor.empty() : tensor<8x100xf32>
    %s0 = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %s1 = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %top = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x100xf32>) outs(%s0 : tensor<8xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    %exp = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %top : tensor<8x100xf32>, tensor<8xf32>) outs(%f : tensor<8x100xf32>) {
    ^bb0(%v: f32, %m: f32, %q: f32):
      %0 = arith.subf %v, %m : f32
      %1 = math.exp %0 : f32
      linalg.yield %1 : f32
    } -> tensor<8x100xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%exp : tensor<8x100xf32>) outs(%s1 : tensor<8xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%exp, %sum : tensor<8x100xf32>, tensor<8xf32>) outs(%p : tensor<8x100xf32>) {
    ^bb0(%v: f32, %m: f32, %q: f32):
      %0 = arith.divf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8x100xf32>
    fuse.yield %y : tensor<8x100xf32>
  } -> tensor<8x100xf32>
  return %r : tensor<8x100xf32>
}

// -----

func.func @one_reduction(%a: tensor<8x100xf32>, %o: tensor<8x100xf32>) -> tensor<8x100xf32> {
  // expected-error @below {{schedule does not fit the group: no reduction along axis 'j' waits for another one}}
  %r = fuse.stitch ins(%x = %a : tensor<8x100xf32>) outs(%p = %o : tensor<8x100xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 128, lanes = 32>}, serial_loop = <axis = "j", step = 32, online = true>>>} {
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<8xf32>
    %s0 = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %top = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x100xf32>) outs(%s0 : tensor<8xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.maximumf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %top : tensor<8x100xf32>, tensor<8xf32>) outs(%p : tensor<8x100xf32>) {
    ^bb0(%v: f32, %m: f32, %q: f32):
      %0 = arith.subf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<8x100xf32>
    fuse.yield %y : tensor<8x100xf32>
  } -> tensor<8x100xf32>
  return %r : tensor<8x100xf32>
}
