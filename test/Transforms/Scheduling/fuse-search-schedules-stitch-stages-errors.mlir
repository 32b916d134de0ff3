// Persistent blocks, and copies that prefetch their steps, in ways that lowering could not obey.
// RUN: fusion-opt %s --fuse-search-schedules=chip=sm_80 -split-input-file -verify-diagnostics

#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

func.func @kept_in_one_pass(%a: tensor<64x128xf32>, %g: tensor<128xf32>, %o: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{schedule cannot be lowered: axis 'i' is not reduced: there is one pass, and nothing to retain}}
  %r = fuse.stitch ins(%x = %a : tensor<64x128xf32>, %y = %g : tensor<128xf32>) outs(%p = %o : tensor<64x128xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 8>, j = #fuse.thread_mapping<tile = 128, vector = 4, lanes = 32>}, serial_loop = <axis = "i", step = 2, register_steps = 1>>>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64xf32>
    %s = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    %t = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<64x128xf32>) outs(%s : tensor<64xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<64xf32>
    %u = linalg.generic {indexing_maps = [#full, #row, #column, #full], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t, %y : tensor<64x128xf32>, tensor<64xf32>, tensor<128xf32>) outs(%p : tensor<64x128xf32>) {
    ^bb0(%v: f32, %m: f32, %n: f32, %old: f32):
      %0 = arith.subf %v, %m : f32
      %1 = arith.mulf %0, %n : f32
      linalg.yield %1 : f32
    } -> tensor<64x128xf32>
    fuse.yield %u : tensor<64x128xf32>
  } -> tensor<64x128xf32>
  return %r : tensor<64x128xf32>
}

// -----

#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

func.func @more_stages_than_steps(%a: tensor<64x128xf32>, %g: tensor<128xf32>, %o: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{schedule cannot be lowered: axis 'i' has 4 steps in a loop, and 5 stages}}
  %r = fuse.stitch ins(%x = %a : tensor<64x128xf32>, %y = %g : tensor<128xf32>) outs(%p = %o : tensor<64x128xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 8>, j = #fuse.thread_mapping<tile = 128, vector = 4, lanes = 32>}, serial_loop = <axis = "i", step = 2, stages = 5>>>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64xf32>
    %s = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    %t = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<64x128xf32>) outs(%s : tensor<64xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<64xf32>
    %u = linalg.generic {indexing_maps = [#full, #row, #column, #full], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t, %y : tensor<64x128xf32>, tensor<64xf32>, tensor<128xf32>) outs(%p : tensor<64x128xf32>) {
    ^bb0(%v: f32, %m: f32, %n: f32, %old: f32):
      %0 = arith.subf %v, %m : f32
      %1 = arith.mulf %0, %n : f32
      linalg.yield %1 : f32
    } -> tensor<64x128xf32>
    fuse.yield %u : tensor<64x128xf32>
  } -> tensor<64x128xf32>
  return %r : tensor<64x128xf32>
}

// -----

#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

func.func @stages_of_registers(%a: tensor<62x512xf32>, %g: tensor<512xf32>, %o: tensor<62x512xf32>) -> tensor<62x512xf32> {
  // expected-error @below {{schedule cannot be lowered: axis 'j' has 0 whole steps that are retained in shared memory, and 3 stages}}
  %r = fuse.stitch ins(%x = %a : tensor<62x512xf32>, %y = %g : tensor<512xf32>) outs(%p = %o : tensor<62x512xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 512, vector = 4, lanes = 32>}, serial_loop = <axis = "j", step = 128, register_steps = 4, stages = 3>>>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<62xf32>
    %s = linalg.fill ins(%zero : f32) outs(%e : tensor<62xf32>) -> tensor<62xf32>
    %t = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<62x512xf32>) outs(%s : tensor<62xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<62xf32>
    %u = linalg.generic {indexing_maps = [#full, #row, #column, #full], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t, %y : tensor<62x512xf32>, tensor<62xf32>, tensor<512xf32>) outs(%p : tensor<62x512xf32>) {
    ^bb0(%v: f32, %m: f32, %n: f32, %old: f32):
      %0 = arith.subf %v, %m : f32
      %1 = arith.mulf %0, %n : f32
      linalg.yield %1 : f32
    } -> tensor<62x512xf32>
    fuse.yield %u : tensor<62x512xf32>
  } -> tensor<62x512xf32>
  return %r : tensor<62x512xf32>
}

// -----

#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

func.func @stages_of_what_is_read_again(%a: tensor<62x512xf32>, %g: tensor<512xf32>, %o: tensor<62x512xf32>) -> tensor<62x512xf32> {
  // expected-error @below {{schedule cannot be lowered: axis 'j' has 2 whole steps that are retained in shared memory, and 3 stages}}
  %r = fuse.stitch ins(%x = %a : tensor<62x512xf32>, %y = %g : tensor<512xf32>) outs(%p = %o : tensor<62x512xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 512, vector = 4, lanes = 32>}, serial_loop = <axis = "j", step = 128, shared_steps = 2, stages = 3>>>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<62xf32>
    %s = linalg.fill ins(%zero : f32) outs(%e : tensor<62xf32>) -> tensor<62xf32>
    %t = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<62x512xf32>) outs(%s : tensor<62xf32>) {
    ^bb0(%v: f32, %m: f32):
      %0 = arith.addf %v, %m : f32
      linalg.yield %0 : f32
    } -> tensor<62xf32>
    %u = linalg.generic {indexing_maps = [#full, #row, #column, #full], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t, %y : tensor<62x512xf32>, tensor<62xf32>, tensor<512xf32>) outs(%p : tensor<62x512xf32>) {
    ^bb0(%v: f32, %m: f32, %n: f32, %old: f32):
      %0 = arith.subf %v, %m : f32
      %1 = arith.mulf %0, %n : f32
      linalg.yield %1 : f32
    } -> tensor<62x512xf32>
    fuse.yield %u : tensor<62x512xf32>
  } -> tensor<62x512xf32>
  return %r : tensor<62x512xf32>
}

// -----

#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

func.func @nothing_wide(%a: tensor<64x128xf16>, %g: tensor<128xf16>, %o: tensor<64x128xf16>) -> tensor<64x128xf16> {
  // expected-error @below {{schedule cannot be lowered: axis 'i' has no input that copies of threads could prefetch: each is gathered or padded, moved by wide accesses that cross the ends of rows, or in pieces of fewer than 4 bytes}}
  %r = fuse.stitch ins(%x = %a : tensor<64x128xf16>, %y = %g : tensor<128xf16>) outs(%p = %o : tensor<64x128xf16>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 8>, j = #fuse.thread_mapping<tile = 128, lanes = 32>}, serial_loop = <axis = "i", step = 2, stages = 3>>>} {
    %zero = arith.constant 0.0 : f16
    %e = tensor.empty() : tensor<64xf16>
    %s = linalg.fill ins(%zero : f16) outs(%e : tensor<64xf16>) -> tensor<64xf16>
    %t = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<64x128xf16>) outs(%s : tensor<64xf16>) {
    ^bb0(%v: f16, %m: f16):
      %0 = arith.addf %v, %m : f16
      linalg.yield %0 : f16
    } -> tensor<64xf16>
    %u = linalg.generic {indexing_maps = [#full, #row, #column, #full], iterator_types = ["parallel", "parallel"]}
        ins(%x, %t, %y : tensor<64x128xf16>, tensor<64xf16>, tensor<128xf16>) outs(%p : tensor<64x128xf16>) {
    ^bb0(%v: f16, %m: f16, %n: f16, %old: f16):
      %0 = arith.subf %v, %m : f16
      %1 = arith.mulf %0, %n : f16
      linalg.yield %1 : f16
    } -> tensor<64x128xf16>
    fuse.yield %u : tensor<64x128xf16>
  } -> tensor<64x128xf16>
  return %r : tensor<64x128xf16>
}
