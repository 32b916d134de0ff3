// Fields about machine code are rejected where the chip or the group cannot obey them, by searching and by lowering alike.
// RUN: fusion-opt %s --fuse-search-schedules --split-input-file --verify-diagnostics
// RUN: fusion-opt %s --fuse-complete-schedules --fuse-lower-to-tile --split-input-file --verify-diagnostics

module attributes {fuse.chip = #fuse.chip<"sm_90a">} {
  func.func @too_many_warps(%a: tensor<1024x512xf16>, %b: tensor<512x1024xf16>) -> tensor<1024x1024xf32> {
    %empty = tensor.empty() : tensor<1024x1024xf32>
    // expected-error @below {{schedule cannot be lowered: an SM of sm_90a has room for 64 warps and 32 blocks, which 'resident_blocks' = 8 of 12 warps exceed}}
    %r = fuse.chain ins(%x = %a : tensor<1024x512xf16>, %y = %b : tensor<512x1024xf16>) outs(%o = %empty : tensor<1024x1024xf32>)
        attributes {schedule = #fuse.schedule<version = 2, tiling = <"mn(k(LA,LB,CC),SC)", {k = 64, m = 128, n = 128}>, mapping = <warps = 8, blocks = ["m", "n"], operators = {C = #fuse.operator_map<"wgmma.m64k16", i1 = "m", i2 = "n", r1 = "k", warps = [8, 1]>}>, memory = <{A = #fuse.place<shared, tma>, B = #fuse.place<shared, tma>, C = #fuse.place<registers>}>, pipeline = <{A = 3, B = 3}>, parallel = <{}, producers = 4>, codegen = <resident_blocks = 8>>} {
      %zero = arith.constant 0.0 : f32
      %start = linalg.fill ins(%zero : f32) outs(%o : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
      %c = linalg.matmul ins(%x, %y : tensor<1024x512xf16>, tensor<512x1024xf16>) outs(%start : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
      fuse.yield %c : tensor<1024x1024xf32>
    } -> tensor<1024x1024xf32>
    return %r : tensor<1024x1024xf32>
  }
}

// -----

module attributes {fuse.chip = #fuse.chip<"sm_90a">} {
  func.func @more_than_there_are(%a: tensor<1024x512xf16>, %b: tensor<512x1024xf16>) -> tensor<1024x1024xf32> {
    %empty = tensor.empty() : tensor<1024x1024xf32>
    // expected-error @below {{schedule cannot be lowered: 'register_budgets' add up to 2080 of a thread in each warp; the block is launched with 2016}}
    %r = fuse.chain ins(%x = %a : tensor<1024x512xf16>, %y = %b : tensor<512x1024xf16>) outs(%o = %empty : tensor<1024x1024xf32>)
        attributes {schedule = #fuse.schedule<version = 2, tiling = <"mn(k(LA,LB,CC),SC)", {k = 64, m = 128, n = 128}>, mapping = <warps = 8, blocks = ["m", "n"], operators = {C = #fuse.operator_map<"wgmma.m64k16", i1 = "m", i2 = "n", r1 = "k", warps = [8, 1]>}>, memory = <{A = #fuse.place<shared, tma>, B = #fuse.place<shared, tma>, C = #fuse.place<registers>}>, pipeline = <{A = 3, B = 3}>, parallel = <{}, producers = 4>, codegen = <resident_blocks = 1, register_budgets = [24, 248]>>} {
      %zero = arith.constant 0.0 : f32
      %start = linalg.fill ins(%zero : f32) outs(%o : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
      %c = linalg.matmul ins(%x, %y : tensor<1024x512xf16>, tensor<512x1024xf16>) outs(%start : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
      fuse.yield %c : tensor<1024x1024xf32>
    } -> tensor<1024x1024xf32>
    return %r : tensor<1024x1024xf32>
  }
}

// -----

module attributes {fuse.chip = #fuse.chip<"sm_90a">} {
  func.func @fewer_than_the_chip_leaves(%a: tensor<1024x512xf16>, %b: tensor<512x1024xf16>) -> tensor<1024x1024xf32> {
    %empty = tensor.empty() : tensor<1024x1024xf32>
    // expected-error @below {{schedule cannot be lowered: 'register_budgets' are from 24 to 168 of producers and from 168 to 256 of the other warps, which are launched with 168}}
    %r = fuse.chain ins(%x = %a : tensor<1024x512xf16>, %y = %b : tensor<512x1024xf16>) outs(%o = %empty : tensor<1024x1024xf32>)
        attributes {schedule = #fuse.schedule<version = 2, tiling = <"mn(k(LA,LB,CC),SC)", {k = 64, m = 128, n = 128}>, mapping = <warps = 8, blocks = ["m", "n"], operators = {C = #fuse.operator_map<"wgmma.m64k16", i1 = "m", i2 = "n", r1 = "k", warps = [8, 1]>}>, memory = <{A = #fuse.place<shared, tma>, B = #fuse.place<shared, tma>, C = #fuse.place<registers>}>, pipeline = <{A = 3, B = 3}>, parallel = <{}, producers = 4>, codegen = <resident_blocks = 1, register_budgets = [16, 240]>>} {
      %zero = arith.constant 0.0 : f32
      %start = linalg.fill ins(%zero : f32) outs(%o : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
      %c = linalg.matmul ins(%x, %y : tensor<1024x512xf16>, tensor<512x1024xf16>) outs(%start : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
      fuse.yield %c : tensor<1024x1024xf32>
    } -> tensor<1024x1024xf32>
    return %r : tensor<1024x1024xf32>
  }
}

// -----

module attributes {fuse.chip = #fuse.chip<"sm_90a">} {
  func.func @more_for_producers(%a: tensor<1024x512xf16>, %b: tensor<512x1024xf16>) -> tensor<1024x1024xf32> {
    %empty = tensor.empty() : tensor<1024x1024xf32>
    // expected-error @below {{schedule cannot be lowered: 'register_budgets' are from 24 to 168 of producers and from 168 to 256 of the other warps, which are launched with 168}}
    %r = fuse.chain ins(%x = %a : tensor<1024x512xf16>, %y = %b : tensor<512x1024xf16>) outs(%o = %empty : tensor<1024x1024xf32>)
        attributes {schedule = #fuse.schedule<version = 2, tiling = <"mn(k(LA,LB,CC),SC)", {k = 64, m = 128, n = 128}>, mapping = <warps = 8, blocks = ["m", "n"], operators = {C = #fuse.operator_map<"wgmma.m64k16", i1 = "m", i2 = "n", r1 = "k", warps = [8, 1]>}>, memory = <{A = #fuse.place<shared, tma>, B = #fuse.place<shared, tma>, C = #fuse.place<registers>}>, pipeline = <{A = 3, B = 3}>, parallel = <{}, producers = 4>, codegen = <resident_blocks = 1, register_budgets = [176, 168]>>} {
      %zero = arith.constant 0.0 : f32
      %start = linalg.fill ins(%zero : f32) outs(%o : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
      %c = linalg.matmul ins(%x, %y : tensor<1024x512xf16>, tensor<512x1024xf16>) outs(%start : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
      fuse.yield %c : tensor<1024x1024xf32>
    } -> tensor<1024x1024xf32>
    return %r : tensor<1024x1024xf32>
  }
}

// -----

module attributes {fuse.chip = #fuse.chip<"sm_90a">} {
  func.func @no_producers(%a: tensor<1024x512xf16>, %b: tensor<512x1024xf16>) -> tensor<1024x1024xf32> {
    %empty = tensor.empty() : tensor<1024x1024xf32>
    // expected-error @below {{schedule cannot be lowered: 'register_budgets' need 'producers': without, all warps do the same}}
    %r = fuse.chain ins(%x = %a : tensor<1024x512xf16>, %y = %b : tensor<512x1024xf16>) outs(%o = %empty : tensor<1024x1024xf32>)
        attributes {schedule = #fuse.schedule<version = 2, tiling = <"mn(k(LA,LB,CC),SC)", {k = 64, m = 128, n = 128}>, mapping = <warps = 8, blocks = ["m", "n"], operators = {C = #fuse.operator_map<"wgmma.m64k16", i1 = "m", i2 = "n", r1 = "k", warps = [8, 1]>}>, memory = <{A = #fuse.place<shared, tma>, B = #fuse.place<shared, tma>, C = #fuse.place<registers>}>, pipeline = <{A = 3, B = 3}>, codegen = <resident_blocks = 1, register_budgets = [24, 240]>>} {
      %zero = arith.constant 0.0 : f32
      %start = linalg.fill ins(%zero : f32) outs(%o : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
      %c = linalg.matmul ins(%x, %y : tensor<1024x512xf16>, tensor<512x1024xf16>) outs(%start : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
      fuse.yield %c : tensor<1024x1024xf32>
    } -> tensor<1024x1024xf32>
    return %r : tensor<1024x1024xf32>
  }
}

// -----

module attributes {fuse.chip = #fuse.chip<"sm_90a">} {
  func.func @one_producer(%a: tensor<1024x512xf16>, %b: tensor<512x1024xf16>) -> tensor<1024x1024xf32> {
    %empty = tensor.empty() : tensor<1024x1024xf32>
    // expected-error @below {{schedule cannot be lowered: 'register_budgets' of 1 producer and 8 warps cannot be set: setmaxnreg is for whole warpgroups of 4 warps}}
    %r = fuse.chain ins(%x = %a : tensor<1024x512xf16>, %y = %b : tensor<512x1024xf16>) outs(%o = %empty : tensor<1024x1024xf32>)
        attributes {schedule = #fuse.schedule<version = 2, tiling = <"mn(k(LA,LB,CC),SC)", {k = 64, m = 128, n = 128}>, mapping = <warps = 8, blocks = ["m", "n"], operators = {C = #fuse.operator_map<"wgmma.m64k16", i1 = "m", i2 = "n", r1 = "k", warps = [8, 1]>}>, memory = <{A = #fuse.place<shared, tma>, B = #fuse.place<shared, tma>, C = #fuse.place<registers>}>, pipeline = <{A = 3, B = 3}>, parallel = <{}, producers = 1>, codegen = <resident_blocks = 1, register_budgets = [24, 240]>>} {
      %zero = arith.constant 0.0 : f32
      %start = linalg.fill ins(%zero : f32) outs(%o : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
      %c = linalg.matmul ins(%x, %y : tensor<1024x512xf16>, tensor<512x1024xf16>) outs(%start : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
      fuse.yield %c : tensor<1024x1024xf32>
    } -> tensor<1024x1024xf32>
    return %r : tensor<1024x1024xf32>
  }
}

// -----

module attributes {fuse.chip = #fuse.chip<"sm_90a">} {
  func.func @no_such_product(%a: tensor<1024x512xf16>, %b: tensor<512x1024xf16>) -> tensor<1024x1024xf32> {
    %empty = tensor.empty() : tensor<1024x1024xf32>
    // expected-error @below {{schedule does not fit the group: the group has no contraction 'D'}}
    %r = fuse.chain ins(%x = %a : tensor<1024x512xf16>, %y = %b : tensor<512x1024xf16>) outs(%o = %empty : tensor<1024x1024xf32>)
        attributes {schedule = #fuse.schedule<version = 2, tiling = <"mn(k(LA,LB,CC),SC)", {k = 64, m = 128, n = 128}>, mapping = <warps = 8, blocks = ["m", "n"], operators = {C = #fuse.operator_map<"wgmma.m64k16", i1 = "m", i2 = "n", r1 = "k", warps = [8, 1]>}>, memory = <{A = #fuse.place<shared, tma>, B = #fuse.place<shared, tma>, C = #fuse.place<registers>}>, pipeline = <{A = 3, B = 3}>, parallel = <{}, producers = 4>, codegen = <resident_blocks = 1, masked = ["D"]>>} {
      %zero = arith.constant 0.0 : f32
      %start = linalg.fill ins(%zero : f32) outs(%o : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
      %c = linalg.matmul ins(%x, %y : tensor<1024x512xf16>, tensor<512x1024xf16>) outs(%start : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
      fuse.yield %c : tensor<1024x1024xf32>
    } -> tensor<1024x1024xf32>
    return %r : tensor<1024x1024xf32>
  }
}

// -----

module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @too_many_blocks(%a: tensor<64x1024xf32>) -> tensor<64xf32> {
    %empty = tensor.empty() : tensor<64xf32>
    // expected-error @below {{schedule cannot be lowered: an SM of sm_80 has room for 64 warps and 32 blocks, which 'resident_blocks' = 33 of 1 warp exceed}}
    %r = fuse.stitch ins(%x = %a : tensor<64x1024xf32>) outs(%o = %empty : tensor<64xf32>)
        attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 2, lanes = 2>, j = #fuse.thread_mapping<tile = 1024, vector = 4, lanes = 16>}, serial_loop = <axis = "j", step = 64, register_steps = 16>>, codegen = <resident_blocks = 33>>} {
      %zero = arith.constant 0.0 : f32
      %start = linalg.fill ins(%zero : f32) outs(%o : tensor<64xf32>) -> tensor<64xf32>
      %s = linalg.reduce { arith.addf } ins(%x : tensor<64x1024xf32>) outs(%start : tensor<64xf32>) dimensions = [1]
      fuse.yield %s : tensor<64xf32>
    } -> tensor<64xf32>
    return %r : tensor<64xf32>
  }
}

// -----

module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @roles_of_none(%a: tensor<64x1024xf32>) -> tensor<64xf32> {
    %empty = tensor.empty() : tensor<64xf32>
    // expected-error @below {{schedule cannot be lowered: 'register_budgets' need 'producers': without, all warps do the same}}
    %r = fuse.stitch ins(%x = %a : tensor<64x1024xf32>) outs(%o = %empty : tensor<64xf32>)
        attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 2, lanes = 2>, j = #fuse.thread_mapping<tile = 1024, vector = 4, lanes = 16>}, serial_loop = <axis = "j", step = 64, register_steps = 16>>, codegen = <resident_blocks = 1, register_budgets = [24, 240]>>} {
      %zero = arith.constant 0.0 : f32
      %start = linalg.fill ins(%zero : f32) outs(%o : tensor<64xf32>) -> tensor<64xf32>
      %s = linalg.reduce { arith.addf } ins(%x : tensor<64x1024xf32>) outs(%start : tensor<64xf32>) dimensions = [1]
      fuse.yield %s : tensor<64xf32>
    } -> tensor<64xf32>
    return %r : tensor<64xf32>
  }
}

// -----

module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @no_products(%a: tensor<64x1024xf32>) -> tensor<64xf32> {
    %empty = tensor.empty() : tensor<64xf32>
    // expected-error @below {{schedule does not fit the group: 'masked' names contractions, and a stitched group has none}}
    %r = fuse.stitch ins(%x = %a : tensor<64x1024xf32>) outs(%o = %empty : tensor<64xf32>)
        attributes {schedule = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 2, lanes = 2>, j = #fuse.thread_mapping<tile = 1024, vector = 4, lanes = 16>}, serial_loop = <axis = "j", step = 64, register_steps = 16>>, codegen = <resident_blocks = 1, masked = ["C"]>>} {
      %zero = arith.constant 0.0 : f32
      %start = linalg.fill ins(%zero : f32) outs(%o : tensor<64xf32>) -> tensor<64xf32>
      %s = linalg.reduce { arith.addf } ins(%x : tensor<64x1024xf32>) outs(%start : tensor<64xf32>) dimensions = [1]
      fuse.yield %s : tensor<64xf32>
    } -> tensor<64xf32>
    return %r : tensor<64xf32>
  }
}
