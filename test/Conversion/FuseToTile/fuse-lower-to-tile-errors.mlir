// RUN: fusion-opt %s --fuse-lower-to-tile -split-input-file -verify-diagnostics

func.func @unscheduled(%a: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{has no schedule; run fuse-search-schedules}}
  %r = fuse.stitch ins(%x = %a : tensor<8xf32>) outs(%p = %o : tensor<8xf32>) {
    %e = linalg.exp ins(%x : tensor<8xf32>) outs(%p : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %e : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @tiled_stitch(%a: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{schedule does not fit the group: 'stitching' has nothing beside it but the warps and the cluster of the mapping, and producers}}
  %r = fuse.stitch ins(%x = %a : tensor<8xf32>) outs(%p = %o : tensor<8xf32>)
      attributes {schedule = #fuse.schedule<version = 2, tiling = <"x(LA)", {x = 4}>, mapping = <warps = 8>>} {
    %e = linalg.exp ins(%x : tensor<8xf32>) outs(%p : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %e : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @sum_of_the_destination(%a: tensor<8x8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<8x8xf32>) outs(%p = %o : tensor<8xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 8>>} {
    // expected-error @below {{'linalg.reduce' op reads what the group writes, which other threads may have done already}}
    %e = linalg.reduce { arith.addf } ins(%x : tensor<8x8xf32>) outs(%p : tensor<8xf32>) dimensions = [1]
    %f = linalg.exp ins(%e : tensor<8xf32>) outs(%p : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %f : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @computed_index_of_a_computed_tensor(%a: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<8xf32>) outs(%p = %o : tensor<8xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 8>>} {
    %e = linalg.exp ins(%x : tensor<8xf32>) outs(%p : tensor<8xf32>) -> tensor<8xf32>
    %f = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%p : tensor<8xf32>) {
    ^bb0(%v: f32):
      %i = linalg.index 0 : index
      // expected-error @below {{'tensor.extract' op reads a tensor that its group computes at a computed index}}
      %s = tensor.extract %e[%i] : tensor<8xf32>
      linalg.yield %s : f32
    } -> tensor<8xf32>
    fuse.yield %f : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @yields_its_input(%a: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{the generic form yields what its last operator computes}}
  %r = fuse.stitch ins(%x = %a : tensor<8xf32>) outs(%p = %o : tensor<8xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 8>>} {
    %e = linalg.exp ins(%x : tensor<8xf32>) outs(%p : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %x : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @view_inside(%a: tensor<2x4xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<2x4xf32>) outs(%p = %o : tensor<8xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 8>>} {
    // expected-error @below {{'tensor.collapse_shape' op cannot be lowered inside of a group}}
    %y = tensor.collapse_shape %x [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    %e = linalg.exp ins(%y : tensor<8xf32>) outs(%p : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %e : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @computed_scalar(%s: f32, %o: tensor<8xf32>) -> tensor<8xf32> {
  %r = fuse.stitch ins(%x = %s : f32) outs(%p = %o : tensor<8xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 8>>} {
    // expected-error @below {{'arith.addf' op cannot be lowered inside of a group}}
    %y = arith.addf %x, %x : f32
    %e = linalg.fill ins(%y : f32) outs(%p : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %e : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @constant_tensor(%o: tensor<2xf32>) -> tensor<2xf32> {
  %r = fuse.stitch outs(%p = %o : tensor<2xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 8>>} {
    // expected-error @below {{'arith.constant' op cannot be lowered inside of a group}}
    %y = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %e = linalg.exp ins(%y : tensor<2xf32>) outs(%p : tensor<2xf32>) -> tensor<2xf32>
    fuse.yield %e : tensor<2xf32>
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

func.func @computed_index(%a: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %r = fuse.stitch ins(%x = %a : tensor<8xf32>) outs(%p = %o : tensor<8xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 8>>} {
    // expected-error @below {{'linalg.generic' op writes its result at a computed index, which no kernel can do in parallel}}
    %e = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (7 - i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<8xf32>) outs(%p : tensor<8xf32>) {
    ^bb0(%u: f32, %v: f32):
      linalg.yield %u : f32
    } -> tensor<8xf32>
    fuse.yield %e : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @results_of_different_loops(%a: tensor<8x4xf32>, %o: tensor<8xf32>, %q: tensor<8x4xf32>) -> (tensor<8xf32>, tensor<8x4xf32>) {
  %r:2 = fuse.stitch ins(%x = %a : tensor<8x4xf32>) outs(%p = %o : tensor<8xf32>, %s = %q : tensor<8x4xf32>)
      attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 8>>} {
    // expected-error @below {{'linalg.generic' op has results that are indexed by different loops}}
    %e:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x4xf32>) outs(%p, %s : tensor<8xf32>, tensor<8x4xf32>) {
    ^bb0(%u: f32, %v: f32, %w: f32):
      linalg.yield %u, %u : f32, f32
    } -> (tensor<8xf32>, tensor<8x4xf32>)
    fuse.yield %e#0, %e#1 : tensor<8xf32>, tensor<8x4xf32>
  } -> (tensor<8xf32>, tensor<8x4xf32>)
  return %r#0, %r#1 : tensor<8xf32>, tensor<8x4xf32>
}

// -----

// The schedule is checked again, and the chip must be known.
func.func @no_chip(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %o: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // expected-error @below {{the module does not say for which chip; run fuse-search-schedules}}
  %r = fuse.chain ins(%x = %a : tensor<16x16xf16>, %y = %b : tensor<16x16xf16>) outs(%p = %o : tensor<16x16xf32>)
      attributes {schedule = #fuse.schedule<version = 2, tiling = <"LA,LB,CC,SC", {k = 16, m = 16, n = 16}>,
        mapping = <warps = 1, operators = {C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [1, 1]>}>,
        memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>}>>} {
    %z = arith.constant 0.0 : f32
    %f = linalg.fill ins(%z : f32) outs(%p : tensor<16x16xf32>) -> tensor<16x16xf32>
    %c = linalg.matmul ins(%x, %y : tensor<16x16xf16>, tensor<16x16xf16>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
    fuse.yield %c : tensor<16x16xf32>
  } -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// -----

module attributes {fuse.chip = #fuse.chip<"sm_80">} {
func.func @illegal(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %o: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // expected-error @below {{schedule cannot be lowered: 'C' arranges 1 warps but the block has 2}}
  %r = fuse.chain ins(%x = %a : tensor<16x16xf16>, %y = %b : tensor<16x16xf16>) outs(%p = %o : tensor<16x16xf32>)
      attributes {schedule = #fuse.schedule<version = 2, tiling = <"LA,LB,CC,SC", {k = 16, m = 16, n = 16}>,
        mapping = <warps = 2, operators = {C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [1, 1]>}>,
        memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>}>>} {
    %z = arith.constant 0.0 : f32
    %f = linalg.fill ins(%z : f32) outs(%p : tensor<16x16xf32>) -> tensor<16x16xf32>
    %c = linalg.matmul ins(%x, %y : tensor<16x16xf16>, tensor<16x16xf16>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
    fuse.yield %c : tensor<16x16xf32>
  } -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}
}

// -----

module attributes {fuse.chip = #fuse.chip<"sm_80">} {
func.func @unfitting(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %o: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // expected-error @below {{schedule does not fit the group: tiling expression 'LQ', column 1: the group has no tensor 'Q'}}
  %r = fuse.chain ins(%x = %a : tensor<16x16xf16>, %y = %b : tensor<16x16xf16>) outs(%p = %o : tensor<16x16xf32>)
      attributes {schedule = #fuse.schedule<version = 2, tiling = <"LQ", {k = 16, m = 16, n = 16}>, mapping = <warps = 1, operators = {}>>} {
    %z = arith.constant 0.0 : f32
    %f = linalg.fill ins(%z : f32) outs(%p : tensor<16x16xf32>) -> tensor<16x16xf32>
    %c = linalg.matmul ins(%x, %y : tensor<16x16xf16>, tensor<16x16xf16>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
    fuse.yield %c : tensor<16x16xf32>
  } -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}
}

// -----

func.func @no_chain(%a: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{cannot be lowered as a chain: there is no contraction}}
  %r = fuse.chain ins(%x = %a : tensor<8xf32>) outs(%p = %o : tensor<8xf32>)
      attributes {schedule = #fuse.schedule<version = 2, tiling = <"LA", {m = 16}>, mapping = <warps = 1>>} {
    %e = linalg.exp ins(%x : tensor<8xf32>) outs(%p : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %e : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
