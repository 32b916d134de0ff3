// Schedules of contractions with reductions in their prologues that cannot be lowered.
// RUN: fusion-opt %s --fuse-search-schedules -split-input-file -verify-diagnostics

#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#vector = affine_map<(i) -> (i)>

module attributes {fuse.chip = #fuse.chip<"sm_80">} {
func.func @runs_online(%x: tensor<64x128xf16>, %w: tensor<128x64xf16>, %dest: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{schedule cannot be lowered: an axis of a reduction is cut into tiles, so the reductions run online}}
  %0 = fuse.chain ins(%xs = %x : tensor<64x128xf16>, %xy = %x : tensor<64x128xf16>, %ww = %w : tensor<128x64xf16>)
      outs(%p0 = %dest : tensor<64x64xf32>) attributes {schedule = #fuse.schedule<version = 2,
    tiling = <"mn(k(LA,LB,CD,CC),SC)", {m = 32, n = 32, k = 32}>, mapping = <warps = 2, blocks = ["m", "n"], operators = {
      C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [2, 1]>}>,
    memory = <{A = #fuse.place<shared, async16>, A1 = #fuse.place<registers>, B = #fuse.place<shared, async16>, C = #fuse.place<shared>, D = #fuse.place<registers>}>,
    reduction = <prepass>>} {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 128.0 : f32
  %s0 = tensor.empty() : tensor<64xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%xs : tensor<64x128xf16>) outs(%s1 : tensor<64xf32>) {
  ^bb0(%a: f16, %o: f32):
    %e = arith.extf %a : f16 to f32
    %q = arith.mulf %e, %e : f32
    %r = arith.addf %o, %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %m0 = tensor.empty() : tensor<64xf32>
  %m = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%s : tensor<64xf32>) outs(%m0 : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.divf %a, %n : f32
    %r = math.rsqrt %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %y0 = tensor.empty() : tensor<64x128xf16>
  %y = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%xy, %m : tensor<64x128xf16>, tensor<64xf32>) outs(%y0 : tensor<64x128xf16>) {
  ^bb0(%a: f16, %b: f32, %o: f16):
    %e = arith.extf %a : f16 to f32
    %q = arith.mulf %e, %b : f32
    %r = arith.truncf %q : f32 to f16
    linalg.yield %r : f16
  } -> tensor<64x128xf16>
  
  %p1 = linalg.fill ins(%zero : f32) outs(%p0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%y, %ww : tensor<64x128xf16>, tensor<128x64xf16>) outs(%p1 : tensor<64x64xf32>) -> tensor<64x64xf32>
    fuse.yield %p : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
}

// -----

#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#vector = affine_map<(i) -> (i)>

module attributes {fuse.chip = #fuse.chip<"sm_80">} {
func.func @is_ahead(%x: tensor<64x128xf16>, %w: tensor<128x64xf16>, %dest: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{schedule cannot be lowered: the reductions whose axes are cut into tiles are complete before the contraction that reads them, so they are 'prepass'}}
  %0 = fuse.chain ins(%xs = %x : tensor<64x128xf16>, %xy = %x : tensor<64x128xf16>, %ww = %w : tensor<128x64xf16>)
      outs(%p0 = %dest : tensor<64x64xf32>) attributes {schedule = #fuse.schedule<version = 2,
    tiling = <"mn(k(LA1,CD),k(LA,LB,CC),SC)", {m = 32, n = 32, k = 32}>, mapping = <warps = 2, blocks = ["m", "n"], operators = {
      C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [2, 1]>}>,
    memory = <{A = #fuse.place<shared, async16>, A1 = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<shared>, D = #fuse.place<registers>}>,
    reduction = <online>>} {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 128.0 : f32
  %s0 = tensor.empty() : tensor<64xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%xs : tensor<64x128xf16>) outs(%s1 : tensor<64xf32>) {
  ^bb0(%a: f16, %o: f32):
    %e = arith.extf %a : f16 to f32
    %q = arith.mulf %e, %e : f32
    %r = arith.addf %o, %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %m0 = tensor.empty() : tensor<64xf32>
  %m = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%s : tensor<64xf32>) outs(%m0 : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.divf %a, %n : f32
    %r = math.rsqrt %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %y0 = tensor.empty() : tensor<64x128xf16>
  %y = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%xy, %m : tensor<64x128xf16>, tensor<64xf32>) outs(%y0 : tensor<64x128xf16>) {
  ^bb0(%a: f16, %b: f32, %o: f16):
    %e = arith.extf %a : f16 to f32
    %q = arith.mulf %e, %b : f32
    %r = arith.truncf %q : f32 to f16
    linalg.yield %r : f16
  } -> tensor<64x128xf16>
  
  %p1 = linalg.fill ins(%zero : f32) outs(%p0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%y, %ww : tensor<64x128xf16>, tensor<128x64xf16>) outs(%p1 : tensor<64x64xf32>) -> tensor<64x64xf32>
    fuse.yield %p : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
}

// -----

#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#vector = affine_map<(i) -> (i)>

module attributes {fuse.chip = #fuse.chip<"sm_80">} {
func.func @after_the_product(%x: tensor<64x128xf16>, %w: tensor<128x64xf16>, %dest: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{schedule cannot be lowered: CD does not precede CC}}
  %0 = fuse.chain ins(%xs = %x : tensor<64x128xf16>, %xy = %x : tensor<64x128xf16>, %ww = %w : tensor<128x64xf16>)
      outs(%p0 = %dest : tensor<64x64xf32>) attributes {schedule = #fuse.schedule<version = 2,
    tiling = <"mn(k(LA,LB,CC,CD),SC)", {m = 32, n = 32, k = 32}>, mapping = <warps = 2, blocks = ["m", "n"], operators = {
      C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [2, 1]>}>,
    memory = <{A = #fuse.place<shared, async16>, A1 = #fuse.place<registers>, B = #fuse.place<shared, async16>, C = #fuse.place<shared>, D = #fuse.place<registers>}>,
    reduction = <online>>} {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 128.0 : f32
  %s0 = tensor.empty() : tensor<64xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%xs : tensor<64x128xf16>) outs(%s1 : tensor<64xf32>) {
  ^bb0(%a: f16, %o: f32):
    %e = arith.extf %a : f16 to f32
    %q = arith.mulf %e, %e : f32
    %r = arith.addf %o, %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %m0 = tensor.empty() : tensor<64xf32>
  %m = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%s : tensor<64xf32>) outs(%m0 : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.divf %a, %n : f32
    %r = math.rsqrt %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %y0 = tensor.empty() : tensor<64x128xf16>
  %y = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%xy, %m : tensor<64x128xf16>, tensor<64xf32>) outs(%y0 : tensor<64x128xf16>) {
  ^bb0(%a: f16, %b: f32, %o: f16):
    %e = arith.extf %a : f16 to f32
    %q = arith.mulf %e, %b : f32
    %r = arith.truncf %q : f32 to f16
    linalg.yield %r : f16
  } -> tensor<64x128xf16>
  
  %p1 = linalg.fill ins(%zero : f32) outs(%p0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%y, %ww : tensor<64x128xf16>, tensor<128x64xf16>) outs(%p1 : tensor<64x64xf32>) -> tensor<64x64xf32>
    fuse.yield %p : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
}

// -----

#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#vector = affine_map<(i) -> (i)>

module attributes {fuse.chip = #fuse.chip<"sm_80">} {
func.func @without_rows(%x: tensor<64x128xf16>, %w: tensor<128x64xf16>, %dest: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{schedule cannot be lowered: the rows 'D' are computed once and not moved}}
  %0 = fuse.chain ins(%xs = %x : tensor<64x128xf16>, %xy = %x : tensor<64x128xf16>, %ww = %w : tensor<128x64xf16>)
      outs(%p0 = %dest : tensor<64x64xf32>) attributes {schedule = #fuse.schedule<version = 2,
    tiling = <"mn(k(LA,LB,CC),SC)", {m = 32, n = 32, k = 32}>, mapping = <warps = 2, blocks = ["m", "n"], operators = {
      C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [2, 1]>}>,
    memory = <{A = #fuse.place<shared, async16>, A1 = #fuse.place<registers>, B = #fuse.place<shared, async16>, C = #fuse.place<shared>, D = #fuse.place<registers>}>,
    reduction = <online>>} {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 128.0 : f32
  %s0 = tensor.empty() : tensor<64xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%xs : tensor<64x128xf16>) outs(%s1 : tensor<64xf32>) {
  ^bb0(%a: f16, %o: f32):
    %e = arith.extf %a : f16 to f32
    %q = arith.mulf %e, %e : f32
    %r = arith.addf %o, %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %m0 = tensor.empty() : tensor<64xf32>
  %m = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%s : tensor<64xf32>) outs(%m0 : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.divf %a, %n : f32
    %r = math.rsqrt %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %y0 = tensor.empty() : tensor<64x128xf16>
  %y = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%xy, %m : tensor<64x128xf16>, tensor<64xf32>) outs(%y0 : tensor<64x128xf16>) {
  ^bb0(%a: f16, %b: f32, %o: f16):
    %e = arith.extf %a : f16 to f32
    %q = arith.mulf %e, %b : f32
    %r = arith.truncf %q : f32 to f16
    linalg.yield %r : f16
  } -> tensor<64x128xf16>
  
  %p1 = linalg.fill ins(%zero : f32) outs(%p0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%y, %ww : tensor<64x128xf16>, tensor<128x64xf16>) outs(%p1 : tensor<64x64xf32>) -> tensor<64x64xf32>
    fuse.yield %p : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
}

// -----

#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#vector = affine_map<(i) -> (i)>

module attributes {fuse.chip = #fuse.chip<"sm_80">} {
func.func @outside_of_its_loop(%x: tensor<64x128xf16>, %w: tensor<128x64xf16>, %dest: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{schedule cannot be lowered: CD stands outside of loop 'k'}}
  %0 = fuse.chain ins(%xs = %x : tensor<64x128xf16>, %xy = %x : tensor<64x128xf16>, %ww = %w : tensor<128x64xf16>)
      outs(%p0 = %dest : tensor<64x64xf32>) attributes {schedule = #fuse.schedule<version = 2,
    tiling = <"mn(CD,k(LA,LB,CC),SC)", {m = 32, n = 32, k = 32}>, mapping = <warps = 2, blocks = ["m", "n"], operators = {
      C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [2, 1]>}>,
    memory = <{A = #fuse.place<shared, async16>, A1 = #fuse.place<registers>, B = #fuse.place<shared, async16>, C = #fuse.place<shared>, D = #fuse.place<registers>}>,
    reduction = <online>>} {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 128.0 : f32
  %s0 = tensor.empty() : tensor<64xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%xs : tensor<64x128xf16>) outs(%s1 : tensor<64xf32>) {
  ^bb0(%a: f16, %o: f32):
    %e = arith.extf %a : f16 to f32
    %q = arith.mulf %e, %e : f32
    %r = arith.addf %o, %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %m0 = tensor.empty() : tensor<64xf32>
  %m = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%s : tensor<64xf32>) outs(%m0 : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.divf %a, %n : f32
    %r = math.rsqrt %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %y0 = tensor.empty() : tensor<64x128xf16>
  %y = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%xy, %m : tensor<64x128xf16>, tensor<64xf32>) outs(%y0 : tensor<64x128xf16>) {
  ^bb0(%a: f16, %b: f32, %o: f16):
    %e = arith.extf %a : f16 to f32
    %q = arith.mulf %e, %b : f32
    %r = arith.truncf %q : f32 to f16
    linalg.yield %r : f16
  } -> tensor<64x128xf16>
  
  %p1 = linalg.fill ins(%zero : f32) outs(%p0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%y, %ww : tensor<64x128xf16>, tensor<128x64xf16>) outs(%p1 : tensor<64x64xf32>) -> tensor<64x64xf32>
    fuse.yield %p : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
}

// -----

#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#vector = affine_map<(i) -> (i)>

module attributes {fuse.chip = #fuse.chip<"sm_80">} {
func.func @loaded_too_late(%x: tensor<64x128xf16>, %w: tensor<128x64xf16>, %dest: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{schedule cannot be lowered: LA does not precede CD}}
  %0 = fuse.chain ins(%xs = %x : tensor<64x128xf16>, %xy = %x : tensor<64x128xf16>, %ww = %w : tensor<128x64xf16>)
      outs(%p0 = %dest : tensor<64x64xf32>) attributes {schedule = #fuse.schedule<version = 2,
    tiling = <"mn(k(CD),k(LA,LB,CC),SC)", {m = 32, n = 32, k = 32}>, mapping = <warps = 2, blocks = ["m", "n"], operators = {
      C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [2, 1]>}>,
    memory = <{A = #fuse.place<shared, async16>, A1 = #fuse.place<registers>, B = #fuse.place<shared, async16>, C = #fuse.place<shared>, D = #fuse.place<registers>}>,
    reduction = <prepass>>} {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 128.0 : f32
  %s0 = tensor.empty() : tensor<64xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%xs : tensor<64x128xf16>) outs(%s1 : tensor<64xf32>) {
  ^bb0(%a: f16, %o: f32):
    %e = arith.extf %a : f16 to f32
    %q = arith.mulf %e, %e : f32
    %r = arith.addf %o, %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %m0 = tensor.empty() : tensor<64xf32>
  %m = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%s : tensor<64xf32>) outs(%m0 : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.divf %a, %n : f32
    %r = math.rsqrt %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %y0 = tensor.empty() : tensor<64x128xf16>
  %y = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%xy, %m : tensor<64x128xf16>, tensor<64xf32>) outs(%y0 : tensor<64x128xf16>) {
  ^bb0(%a: f16, %b: f32, %o: f16):
    %e = arith.extf %a : f16 to f32
    %q = arith.mulf %e, %b : f32
    %r = arith.truncf %q : f32 to f16
    linalg.yield %r : f16
  } -> tensor<64x128xf16>
  
  %p1 = linalg.fill ins(%zero : f32) outs(%p0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%y, %ww : tensor<64x128xf16>, tensor<128x64xf16>) outs(%p1 : tensor<64x64xf32>) -> tensor<64x64xf32>
    fuse.yield %p : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
}

// -----

#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#vector = affine_map<(i) -> (i)>

module attributes {fuse.chip = #fuse.chip<"sm_80">} {
func.func @own_load_too_late(%x: tensor<64x128xf16>, %w: tensor<128x64xf16>, %dest: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{schedule cannot be lowered: LA1 does not precede CD}}
  %0 = fuse.chain ins(%xs = %x : tensor<64x128xf16>, %xy = %x : tensor<64x128xf16>, %ww = %w : tensor<128x64xf16>)
      outs(%p0 = %dest : tensor<64x64xf32>) attributes {schedule = #fuse.schedule<version = 2,
    tiling = <"mn(k(CD,LA1),k(LA,LB,CC),SC)", {m = 32, n = 32, k = 32}>, mapping = <warps = 2, blocks = ["m", "n"], operators = {
      C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [2, 1]>}>,
    memory = <{A = #fuse.place<shared, async16>, A1 = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<shared>, D = #fuse.place<registers>}>,
    reduction = <prepass>>} {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 128.0 : f32
  %s0 = tensor.empty() : tensor<64xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%xs : tensor<64x128xf16>) outs(%s1 : tensor<64xf32>) {
  ^bb0(%a: f16, %o: f32):
    %e = arith.extf %a : f16 to f32
    %q = arith.mulf %e, %e : f32
    %r = arith.addf %o, %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %m0 = tensor.empty() : tensor<64xf32>
  %m = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%s : tensor<64xf32>) outs(%m0 : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.divf %a, %n : f32
    %r = math.rsqrt %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %y0 = tensor.empty() : tensor<64x128xf16>
  %y = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%xy, %m : tensor<64x128xf16>, tensor<64xf32>) outs(%y0 : tensor<64x128xf16>) {
  ^bb0(%a: f16, %b: f32, %o: f16):
    %e = arith.extf %a : f16 to f32
    %q = arith.mulf %e, %b : f32
    %r = arith.truncf %q : f32 to f16
    linalg.yield %r : f16
  } -> tensor<64x128xf16>
  
  %p1 = linalg.fill ins(%zero : f32) outs(%p0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%y, %ww : tensor<64x128xf16>, tensor<128x64xf16>) outs(%p1 : tensor<64x64xf32>) -> tensor<64x64xf32>
    fuse.yield %p : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
}

// -----

#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#vector = affine_map<(i) -> (i)>

module attributes {fuse.chip = #fuse.chip<"sm_80">} {
func.func @not_loaded_but_placed(%x: tensor<64x128xf16>, %w: tensor<128x64xf16>, %dest: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{schedule cannot be lowered: 'A1' is not loaded and needs no shared memory}}
  %0 = fuse.chain ins(%xs = %x : tensor<64x128xf16>, %xy = %x : tensor<64x128xf16>, %ww = %w : tensor<128x64xf16>)
      outs(%p0 = %dest : tensor<64x64xf32>) attributes {schedule = #fuse.schedule<version = 2,
    tiling = <"mn(k(LA,LB,CD,CC),SC)", {m = 32, n = 32, k = 32}>, mapping = <warps = 2, blocks = ["m", "n"], operators = {
      C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [2, 1]>}>,
    memory = <{A = #fuse.place<shared, async16>, A1 = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<shared>, D = #fuse.place<registers>}>,
    reduction = <online>>} {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 128.0 : f32
  %s0 = tensor.empty() : tensor<64xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%xs : tensor<64x128xf16>) outs(%s1 : tensor<64xf32>) {
  ^bb0(%a: f16, %o: f32):
    %e = arith.extf %a : f16 to f32
    %q = arith.mulf %e, %e : f32
    %r = arith.addf %o, %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %m0 = tensor.empty() : tensor<64xf32>
  %m = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%s : tensor<64xf32>) outs(%m0 : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.divf %a, %n : f32
    %r = math.rsqrt %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %y0 = tensor.empty() : tensor<64x128xf16>
  %y = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%xy, %m : tensor<64x128xf16>, tensor<64xf32>) outs(%y0 : tensor<64x128xf16>) {
  ^bb0(%a: f16, %b: f32, %o: f16):
    %e = arith.extf %a : f16 to f32
    %q = arith.mulf %e, %b : f32
    %r = arith.truncf %q : f32 to f16
    linalg.yield %r : f16
  } -> tensor<64x128xf16>
  
  %p1 = linalg.fill ins(%zero : f32) outs(%p0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%y, %ww : tensor<64x128xf16>, tensor<128x64xf16>) outs(%p1 : tensor<64x64xf32>) -> tensor<64x64xf32>
    fuse.yield %p : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
}

// -----

#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#vector = affine_map<(i) -> (i)>

module attributes {fuse.chip = #fuse.chip<"sm_80">} {
func.func @mean_does_not_run(%x: tensor<64x128xf16>, %w: tensor<128x64xf16>, %dest: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{schedule cannot be lowered: the reductions along 'k' cannot run online: linalg.matmul multiplies what depends on a result of its own loop in a way that cannot be corrected}}
  %0 = fuse.chain ins(%xs = %x : tensor<64x128xf16>, %xy = %x : tensor<64x128xf16>, %ww = %w : tensor<128x64xf16>)
      outs(%p0 = %dest : tensor<64x64xf32>) attributes {schedule = #fuse.schedule<version = 2,
    tiling = <"mn(k(LA,LB,CD,CC),SC)", {m = 32, n = 32, k = 32}>, mapping = <warps = 2, blocks = ["m", "n"], operators = {
      C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [2, 1]>}>,
    memory = <{A = #fuse.place<shared, async16>, A1 = #fuse.place<registers>, B = #fuse.place<shared, async16>, C = #fuse.place<shared>, D = #fuse.place<registers>}>,
    reduction = <online>>} {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 128.0 : f32
  %s0 = tensor.empty() : tensor<64xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%xs : tensor<64x128xf16>) outs(%s1 : tensor<64xf32>) {
  ^bb0(%a: f16, %o: f32):
    %e = arith.extf %a : f16 to f32
    %q = arith.mulf %e, %e : f32
    %r = arith.addf %o, %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %m0 = tensor.empty() : tensor<64xf32>
  %m = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%s : tensor<64xf32>) outs(%m0 : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.divf %a, %n : f32
    %r = math.rsqrt %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %y0 = tensor.empty() : tensor<64x128xf16>
  %y = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%xy, %m : tensor<64x128xf16>, tensor<64xf32>) outs(%y0 : tensor<64x128xf16>) {
  ^bb0(%a: f16, %b: f32, %o: f16):
    %e = arith.extf %a : f16 to f32
    %q = arith.subf %e, %b : f32
    %r = arith.truncf %q : f32 to f16
    linalg.yield %r : f16
  } -> tensor<64x128xf16>
  
  %p1 = linalg.fill ins(%zero : f32) outs(%p0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%y, %ww : tensor<64x128xf16>, tensor<128x64xf16>) outs(%p1 : tensor<64x64xf32>) -> tensor<64x64xf32>
    fuse.yield %p : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
}
