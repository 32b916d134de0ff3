// Schedules by hand in which threads share expensive values out: beside loops and borders, from reductions and gathers, over one
// axis and two. Predicted bytes are the counted ones, and the sanitizers find nothing.
// RUN: split-file %s %t
// RUN: fusion-run %t/warp.mlir --chip=sm_80 --device=emulator --sanitize --schedules=2 | FileCheck %s
// RUN: fusion-run %t/mixed.mlir --chip=sm_80 --device=emulator --sanitize --schedules=2 | FileCheck %s
// RUN: fusion-run %t/steps.mlir --chip=sm_80 --device=emulator --sanitize --schedules=2 | FileCheck %s
// RUN: fusion-run %t/loop.mlir --chip=sm_80 --device=emulator --sanitize --schedules=2 | FileCheck %s
// RUN: fusion-run %t/persistent.mlir --chip=sm_80 --device=emulator --sanitize --schedules=2 | FileCheck %s
// RUN: fusion-run %t/few-lanes.mlir --chip=sm_80 --device=emulator --sanitize --schedules=2 | FileCheck %s
// RUN: fusion-run %t/g-block.mlir --chip=sm_80 --device=emulator --sanitize --schedules=2 | FileCheck %s
// RUN: fusion-run %t/h-warp.mlir --chip=sm_80 --device=emulator --sanitize --schedules=2 | FileCheck %s
// CHECK: predicted: global load [[LOADED:[0-9]+]] B, store [[STORED:[0-9]+]] B, shared memory [[SHARED:[0-9]+]] B
// CHECK-NEXT: counted: global load [[LOADED]] B, store [[STORED]] B
// CHECK: PASS

//--- warp.mlir
#one = affine_map<(i) -> (i)>
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @main(%x: tensor<50x300xf32>, %g: tensor<50xf32>, %h: tensor<300xf16>) -> (tensor<50x300xf32>, tensor<50xf32>) {
    %o = tensor.empty() : tensor<50x300xf32>
    %p = tensor.empty() : tensor<50xf32>
    %r:2 = fuse.stitch ins(%a = %x : tensor<50x300xf32>, %b = %g : tensor<50xf32>, %c = %h : tensor<300xf16>) outs(%d = %o : tensor<50x300xf32>, %q = %p : tensor<50xf32>)
        attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <compositions = [<operator = 0, scheme = warp>, <operator = 2, scheme = warp>], {i = #fuse.thread_mapping<tile = 16, warps = 2>, j = #fuse.thread_mapping<tile = 512, vector = 4, lanes = 32>}>>} {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<50xf32>
      %w = tensor.empty() : tensor<300xf16>
      %gate = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%b : tensor<50xf32>) outs(%q : tensor<50xf32>) {
      ^bb0(%v: f32, %old: f32):
        %0 = math.tanh %v : f32
        linalg.yield %0 : f32
      } -> tensor<50xf32>
      %start = linalg.fill ins(%zero : f32) outs(%e : tensor<50xf32>) -> tensor<50xf32>
      %sum = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<50x300xf32>) outs(%start : tensor<50xf32>) {
      ^bb0(%v: f32, %old: f32):
        %0 = arith.addf %v, %old : f32
        linalg.yield %0 : f32
      } -> tensor<50xf32>
      %scale = linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = ["parallel"]} ins(%sum, %gate : tensor<50xf32>, tensor<50xf32>) outs(%e : tensor<50xf32>) {
      ^bb0(%v: f32, %u: f32, %old: f32):
        %0 = math.tanh %v : f32
        %1 = arith.addf %0, %u : f32
        linalg.yield %1 : f32
      } -> tensor<50xf32>
      %gain = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%c : tensor<300xf16>) outs(%w : tensor<300xf16>) {
      ^bb0(%v: f16, %old: f16):
        %0 = math.exp %v : f16
        linalg.yield %0 : f16
      } -> tensor<300xf16>
      %y = linalg.generic {indexing_maps = [#full, #row, #column, #full], iterator_types = ["parallel", "parallel"]} ins(%a, %scale, %gain : tensor<50x300xf32>, tensor<50xf32>, tensor<300xf16>) outs(%d : tensor<50x300xf32>) {
      ^bb0(%v: f32, %u: f32, %k: f16, %old: f32):
        %0 = arith.mulf %v, %u : f32
        %1 = arith.extf %k : f16 to f32
        %2 = arith.mulf %0, %1 : f32
        linalg.yield %2 : f32
      } -> tensor<50x300xf32>
      fuse.yield %y, %gate : tensor<50x300xf32>, tensor<50xf32>
    } -> (tensor<50x300xf32>, tensor<50xf32>)
    return %r#0, %r#1 : tensor<50x300xf32>, tensor<50xf32>
  }
}

//--- mixed.mlir
#one = affine_map<(i) -> (i)>
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @main(%x: tensor<50x300xf32>, %g: tensor<50xf32>, %h: tensor<300xf64>) -> (tensor<50x300xf32>, tensor<50xf32>) {
    %o = tensor.empty() : tensor<50x300xf32>
    %p = tensor.empty() : tensor<50xf32>
    %r:2 = fuse.stitch ins(%a = %x : tensor<50x300xf32>, %b = %g : tensor<50xf32>, %c = %h : tensor<300xf64>) outs(%d = %o : tensor<50x300xf32>, %q = %p : tensor<50xf32>)
        attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <compositions = [<operator = 0, scheme = block>, <operator = 2, scheme = warp>, <operator = 3, scheme = block>], {i = #fuse.thread_mapping<tile = 16, warps = 2>, j = #fuse.thread_mapping<tile = 512, vector = 4, lanes = 32>}>>} {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<50xf32>
      %w = tensor.empty() : tensor<300xf64>
      %gate = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%b : tensor<50xf32>) outs(%q : tensor<50xf32>) {
      ^bb0(%v: f32, %old: f32):
        %0 = math.tanh %v : f32
        linalg.yield %0 : f32
      } -> tensor<50xf32>
      %start = linalg.fill ins(%zero : f32) outs(%e : tensor<50xf32>) -> tensor<50xf32>
      %sum = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<50x300xf32>) outs(%start : tensor<50xf32>) {
      ^bb0(%v: f32, %old: f32):
        %0 = arith.addf %v, %old : f32
        linalg.yield %0 : f32
      } -> tensor<50xf32>
      %scale = linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = ["parallel"]} ins(%sum, %gate : tensor<50xf32>, tensor<50xf32>) outs(%e : tensor<50xf32>) {
      ^bb0(%v: f32, %u: f32, %old: f32):
        %0 = math.tanh %v : f32
        %1 = arith.addf %0, %u : f32
        linalg.yield %1 : f32
      } -> tensor<50xf32>
      %gain = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%c : tensor<300xf64>) outs(%w : tensor<300xf64>) {
      ^bb0(%v: f64, %old: f64):
        %0 = math.exp %v : f64
        linalg.yield %0 : f64
      } -> tensor<300xf64>
      %y = linalg.generic {indexing_maps = [#full, #row, #column, #full], iterator_types = ["parallel", "parallel"]} ins(%a, %scale, %gain : tensor<50x300xf32>, tensor<50xf32>, tensor<300xf64>) outs(%d : tensor<50x300xf32>) {
      ^bb0(%v: f32, %u: f32, %k: f64, %old: f32):
        %0 = arith.mulf %v, %u : f32
        %1 = arith.truncf %k : f64 to f32
        %2 = arith.mulf %0, %1 : f32
        linalg.yield %2 : f32
      } -> tensor<50x300xf32>
      fuse.yield %y, %gate : tensor<50x300xf32>, tensor<50xf32>
    } -> (tensor<50x300xf32>, tensor<50xf32>)
    return %r#0, %r#1 : tensor<50x300xf32>, tensor<50xf32>
  }
}

//--- steps.mlir
#one = affine_map<(i) -> (i)>
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @main(%x: tensor<50x300xf32>, %g: tensor<50xf32>, %h: tensor<300xf16>) -> (tensor<50x300xf32>, tensor<50xf32>) {
    %o = tensor.empty() : tensor<50x300xf32>
    %p = tensor.empty() : tensor<50xf32>
    %r:2 = fuse.stitch ins(%a = %x : tensor<50x300xf32>, %b = %g : tensor<50xf32>, %c = %h : tensor<300xf16>) outs(%d = %o : tensor<50x300xf32>, %q = %p : tensor<50xf32>)
        attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <compositions = [<operator = 0, scheme = warp>, <operator = 2, scheme = block>, <operator = 3, scheme = block>], {i = #fuse.thread_mapping<tile = 16, warps = 2>, j = #fuse.thread_mapping<tile = 512, vector = 4, lanes = 32>}, serial_loop = <axis = "j", step = 128, register_steps = 2, shared_steps = 2>>>} {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<50xf32>
      %w = tensor.empty() : tensor<300xf16>
      %gate = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%b : tensor<50xf32>) outs(%q : tensor<50xf32>) {
      ^bb0(%v: f32, %old: f32):
        %0 = math.tanh %v : f32
        linalg.yield %0 : f32
      } -> tensor<50xf32>
      %start = linalg.fill ins(%zero : f32) outs(%e : tensor<50xf32>) -> tensor<50xf32>
      %sum = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<50x300xf32>) outs(%start : tensor<50xf32>) {
      ^bb0(%v: f32, %old: f32):
        %0 = arith.addf %v, %old : f32
        linalg.yield %0 : f32
      } -> tensor<50xf32>
      %scale = linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = ["parallel"]} ins(%sum, %gate : tensor<50xf32>, tensor<50xf32>) outs(%e : tensor<50xf32>) {
      ^bb0(%v: f32, %u: f32, %old: f32):
        %0 = math.tanh %v : f32
        %1 = arith.addf %0, %u : f32
        linalg.yield %1 : f32
      } -> tensor<50xf32>
      %gain = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%c : tensor<300xf16>) outs(%w : tensor<300xf16>) {
      ^bb0(%v: f16, %old: f16):
        %0 = math.exp %v : f16
        linalg.yield %0 : f16
      } -> tensor<300xf16>
      %y = linalg.generic {indexing_maps = [#full, #row, #column, #full], iterator_types = ["parallel", "parallel"]} ins(%a, %scale, %gain : tensor<50x300xf32>, tensor<50xf32>, tensor<300xf16>) outs(%d : tensor<50x300xf32>) {
      ^bb0(%v: f32, %u: f32, %k: f16, %old: f32):
        %0 = arith.mulf %v, %u : f32
        %1 = arith.extf %k : f16 to f32
        %2 = arith.mulf %0, %1 : f32
        linalg.yield %2 : f32
      } -> tensor<50x300xf32>
      fuse.yield %y, %gate : tensor<50x300xf32>, tensor<50xf32>
    } -> (tensor<50x300xf32>, tensor<50xf32>)
    return %r#0, %r#1 : tensor<50x300xf32>, tensor<50xf32>
  }
}

//--- loop.mlir
#one = affine_map<(i) -> (i)>
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @main(%x: tensor<50x300xf32>, %g: tensor<50xf32>, %h: tensor<300xf16>) -> (tensor<50x300xf32>, tensor<50xf32>) {
    %o = tensor.empty() : tensor<50x300xf32>
    %p = tensor.empty() : tensor<50xf32>
    %r:2 = fuse.stitch ins(%a = %x : tensor<50x300xf32>, %b = %g : tensor<50xf32>, %c = %h : tensor<300xf16>) outs(%d = %o : tensor<50x300xf32>, %q = %p : tensor<50xf32>)
        attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 4>, stitching = <compositions = [<operator = 0, scheme = block>, <operator = 2, scheme = warp>], {i = #fuse.thread_mapping<tile = 8>, j = #fuse.thread_mapping<tile = 512, vector = 4, lanes = 32, warps = 4>}, serial_loop = <axis = "j", step = 512>>>} {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<50xf32>
      %w = tensor.empty() : tensor<300xf16>
      %gate = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%b : tensor<50xf32>) outs(%q : tensor<50xf32>) {
      ^bb0(%v: f32, %old: f32):
        %0 = math.tanh %v : f32
        linalg.yield %0 : f32
      } -> tensor<50xf32>
      %start = linalg.fill ins(%zero : f32) outs(%e : tensor<50xf32>) -> tensor<50xf32>
      %sum = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<50x300xf32>) outs(%start : tensor<50xf32>) {
      ^bb0(%v: f32, %old: f32):
        %0 = arith.addf %v, %old : f32
        linalg.yield %0 : f32
      } -> tensor<50xf32>
      %scale = linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = ["parallel"]} ins(%sum, %gate : tensor<50xf32>, tensor<50xf32>) outs(%e : tensor<50xf32>) {
      ^bb0(%v: f32, %u: f32, %old: f32):
        %0 = math.tanh %v : f32
        %1 = arith.addf %0, %u : f32
        linalg.yield %1 : f32
      } -> tensor<50xf32>
      %gain = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%c : tensor<300xf16>) outs(%w : tensor<300xf16>) {
      ^bb0(%v: f16, %old: f16):
        %0 = math.exp %v : f16
        linalg.yield %0 : f16
      } -> tensor<300xf16>
      %y = linalg.generic {indexing_maps = [#full, #row, #column, #full], iterator_types = ["parallel", "parallel"]} ins(%a, %scale, %gain : tensor<50x300xf32>, tensor<50xf32>, tensor<300xf16>) outs(%d : tensor<50x300xf32>) {
      ^bb0(%v: f32, %u: f32, %k: f16, %old: f32):
        %0 = arith.mulf %v, %u : f32
        %1 = arith.extf %k : f16 to f32
        %2 = arith.mulf %0, %1 : f32
        linalg.yield %2 : f32
      } -> tensor<50x300xf32>
      fuse.yield %y, %gate : tensor<50x300xf32>, tensor<50xf32>
    } -> (tensor<50x300xf32>, tensor<50xf32>)
    return %r#0, %r#1 : tensor<50x300xf32>, tensor<50xf32>
  }
}

//--- persistent.mlir
#one = affine_map<(i) -> (i)>
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @main(%x: tensor<50x300xf32>, %g: tensor<50xf32>, %h: tensor<300xf16>) -> (tensor<50x300xf32>, tensor<50xf32>) {
    %o = tensor.empty() : tensor<50x300xf32>
    %p = tensor.empty() : tensor<50xf32>
    %r:2 = fuse.stitch ins(%a = %x : tensor<50x300xf32>, %b = %g : tensor<50xf32>, %c = %h : tensor<300xf16>) outs(%d = %o : tensor<50x300xf32>, %q = %p : tensor<50xf32>)
        attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <compositions = [<operator = 0, scheme = warp>, <operator = 2, scheme = warp>, <operator = 3, scheme = block>], {i = #fuse.thread_mapping<tile = 16, warps = 2>, j = #fuse.thread_mapping<tile = 512, vector = 4, lanes = 32>}, serial_loop = <axis = "i", step = 4, stages = 2>>>} {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<50xf32>
      %w = tensor.empty() : tensor<300xf16>
      %gate = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%b : tensor<50xf32>) outs(%q : tensor<50xf32>) {
      ^bb0(%v: f32, %old: f32):
        %0 = math.tanh %v : f32
        linalg.yield %0 : f32
      } -> tensor<50xf32>
      %start = linalg.fill ins(%zero : f32) outs(%e : tensor<50xf32>) -> tensor<50xf32>
      %sum = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<50x300xf32>) outs(%start : tensor<50xf32>) {
      ^bb0(%v: f32, %old: f32):
        %0 = arith.addf %v, %old : f32
        linalg.yield %0 : f32
      } -> tensor<50xf32>
      %scale = linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = ["parallel"]} ins(%sum, %gate : tensor<50xf32>, tensor<50xf32>) outs(%e : tensor<50xf32>) {
      ^bb0(%v: f32, %u: f32, %old: f32):
        %0 = math.tanh %v : f32
        %1 = arith.addf %0, %u : f32
        linalg.yield %1 : f32
      } -> tensor<50xf32>
      %gain = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%c : tensor<300xf16>) outs(%w : tensor<300xf16>) {
      ^bb0(%v: f16, %old: f16):
        %0 = math.exp %v : f16
        linalg.yield %0 : f16
      } -> tensor<300xf16>
      %y = linalg.generic {indexing_maps = [#full, #row, #column, #full], iterator_types = ["parallel", "parallel"]} ins(%a, %scale, %gain : tensor<50x300xf32>, tensor<50xf32>, tensor<300xf16>) outs(%d : tensor<50x300xf32>) {
      ^bb0(%v: f32, %u: f32, %k: f16, %old: f32):
        %0 = arith.mulf %v, %u : f32
        %1 = arith.extf %k : f16 to f32
        %2 = arith.mulf %0, %1 : f32
        linalg.yield %2 : f32
      } -> tensor<50x300xf32>
      fuse.yield %y, %gate : tensor<50x300xf32>, tensor<50xf32>
    } -> (tensor<50x300xf32>, tensor<50xf32>)
    return %r#0, %r#1 : tensor<50x300xf32>, tensor<50xf32>
  }
}

//--- few-lanes.mlir
#one = affine_map<(i) -> (i)>
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @main(%x: tensor<50x300xf32>, %g: tensor<50xf32>, %h: tensor<300xf64>) -> (tensor<50x300xf32>, tensor<50xf32>) {
    %o = tensor.empty() : tensor<50x300xf32>
    %p = tensor.empty() : tensor<50xf32>
    %r:2 = fuse.stitch ins(%a = %x : tensor<50x300xf32>, %b = %g : tensor<50xf32>, %c = %h : tensor<300xf64>) outs(%d = %o : tensor<50x300xf32>, %q = %p : tensor<50xf32>)
        attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <compositions = [<operator = 0, scheme = warp>, <operator = 2, scheme = block>, <operator = 3, scheme = block>], {i = #fuse.thread_mapping<tile = 32, lanes = 4, warps = 2>, j = #fuse.thread_mapping<tile = 304, lanes = 4>}>>} {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<50xf32>
      %w = tensor.empty() : tensor<300xf64>
      %gate = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%b : tensor<50xf32>) outs(%q : tensor<50xf32>) {
      ^bb0(%v: f32, %old: f32):
        %0 = math.tanh %v : f32
        linalg.yield %0 : f32
      } -> tensor<50xf32>
      %start = linalg.fill ins(%zero : f32) outs(%e : tensor<50xf32>) -> tensor<50xf32>
      %sum = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<50x300xf32>) outs(%start : tensor<50xf32>) {
      ^bb0(%v: f32, %old: f32):
        %0 = arith.addf %v, %old : f32
        linalg.yield %0 : f32
      } -> tensor<50xf32>
      %scale = linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = ["parallel"]} ins(%sum, %gate : tensor<50xf32>, tensor<50xf32>) outs(%e : tensor<50xf32>) {
      ^bb0(%v: f32, %u: f32, %old: f32):
        %0 = math.tanh %v : f32
        %1 = arith.addf %0, %u : f32
        linalg.yield %1 : f32
      } -> tensor<50xf32>
      %gain = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%c : tensor<300xf64>) outs(%w : tensor<300xf64>) {
      ^bb0(%v: f64, %old: f64):
        %0 = math.exp %v : f64
        linalg.yield %0 : f64
      } -> tensor<300xf64>
      %y = linalg.generic {indexing_maps = [#full, #row, #column, #full], iterator_types = ["parallel", "parallel"]} ins(%a, %scale, %gain : tensor<50x300xf32>, tensor<50xf32>, tensor<300xf64>) outs(%d : tensor<50x300xf32>) {
      ^bb0(%v: f32, %u: f32, %k: f64, %old: f32):
        %0 = arith.mulf %v, %u : f32
        %1 = arith.truncf %k : f64 to f32
        %2 = arith.mulf %0, %1 : f32
        linalg.yield %2 : f32
      } -> tensor<50x300xf32>
      fuse.yield %y, %gate : tensor<50x300xf32>, tensor<50xf32>
    } -> (tensor<50x300xf32>, tensor<50xf32>)
    return %r#0, %r#1 : tensor<50x300xf32>, tensor<50xf32>
  }
}

//--- g-block.mlir
#two = affine_map<(i, j) -> (i, j)>
#at = affine_map<(i, j, k) -> (i, j)>
#all = affine_map<(i, j, k) -> (i, j, k)>
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @main(%x: tensor<5x12x70xf16>, %g: tensor<5x12xi32>, %table: tensor<40xf16>) -> tensor<5x12x70xf16> {
    %o = tensor.empty() : tensor<5x12x70xf16>
    %r = fuse.stitch ins(%a = %x : tensor<5x12x70xf16>, %b = %g : tensor<5x12xi32>, %t = %table : tensor<40xf16>) outs(%d = %o : tensor<5x12x70xf16>)
        attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <compositions = [<operator = 0, scheme = block>], {i = #fuse.thread_mapping<tile = 4, warps = 2>, j = #fuse.thread_mapping<tile = 8>, k = #fuse.thread_mapping<tile = 128, vector = 2, lanes = 32>}>>} {
      %e = tensor.empty() : tensor<5x12xf16>
      %gate = linalg.generic {indexing_maps = [#two, #two], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<5x12xi32>) outs(%e : tensor<5x12xf16>) {
      ^bb0(%v: i32, %old: f16):
        %c40 = arith.constant 40 : i32
        %m = arith.remui %v, %c40 : i32
        %at = arith.index_castui %m : i32 to index
        %0 = tensor.extract %t[%at] : tensor<40xf16>
        %1 = math.tanh %0 : f16
        linalg.yield %1 : f16
      } -> tensor<5x12xf16>
      %y = linalg.generic {indexing_maps = [#all, #at, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a, %gate : tensor<5x12x70xf16>, tensor<5x12xf16>) outs(%d : tensor<5x12x70xf16>) {
      ^bb0(%v: f16, %u: f16, %old: f16):
        %0 = arith.mulf %v, %u : f16
        linalg.yield %0 : f16
      } -> tensor<5x12x70xf16>
      fuse.yield %y : tensor<5x12x70xf16>
    } -> tensor<5x12x70xf16>
    return %r : tensor<5x12x70xf16>
  }
}

//--- h-warp.mlir
#two = affine_map<(i, j) -> (i, j)>
#at = affine_map<(i, j, k) -> (i, j)>
#all = affine_map<(i, j, k) -> (i, j, k)>
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @main(%x: tensor<5x12x70xf16>, %g: tensor<5x12xi32>, %table: tensor<40xf16>) -> tensor<5x12x70xf16> {
    %o = tensor.empty() : tensor<5x12x70xf16>
    %r = fuse.stitch ins(%a = %x : tensor<5x12x70xf16>, %b = %g : tensor<5x12xi32>, %t = %table : tensor<40xf16>) outs(%d = %o : tensor<5x12x70xf16>)
        attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 4>, stitching = <compositions = [<operator = 0, scheme = warp>], {i = #fuse.thread_mapping<tile = 2>, j = #fuse.thread_mapping<tile = 16, lanes = 2>, k = #fuse.thread_mapping<tile = 128, vector = 2, lanes = 16, warps = 4>}>>} {
      %e = tensor.empty() : tensor<5x12xf16>
      %gate = linalg.generic {indexing_maps = [#two, #two], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<5x12xi32>) outs(%e : tensor<5x12xf16>) {
      ^bb0(%v: i32, %old: f16):
        %c40 = arith.constant 40 : i32
        %m = arith.remui %v, %c40 : i32
        %at = arith.index_castui %m : i32 to index
        %0 = tensor.extract %t[%at] : tensor<40xf16>
        %1 = math.tanh %0 : f16
        linalg.yield %1 : f16
      } -> tensor<5x12xf16>
      %y = linalg.generic {indexing_maps = [#all, #at, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a, %gate : tensor<5x12x70xf16>, tensor<5x12xf16>) outs(%d : tensor<5x12x70xf16>) {
      ^bb0(%v: f16, %u: f16, %old: f16):
        %0 = arith.mulf %v, %u : f16
        linalg.yield %0 : f16
      } -> tensor<5x12x70xf16>
      fuse.yield %y : tensor<5x12x70xf16>
    } -> tensor<5x12x70xf16>
    return %r : tensor<5x12x70xf16>
  }
}
