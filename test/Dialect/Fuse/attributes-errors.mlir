// RUN: fusion-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{unknown chip 'sm_42'; known chips are sm_80, sm_86, a6000, sm_89, sm_90a, h200, sm_100a, sm_120, x86-64-v3, x86-64-v4, znver5, sapphirerapids, host}}
func.func private @f() attributes {a = #fuse.chip<"sm_42">}

// -----

// expected-error @below {{tiling expression must not be empty}}
func.func private @f() attributes {a = #fuse.tiling<"", {m = 16}>}

// -----

// expected-error @below {{tile size of 'm' must be an integer from 1 to 65536, got 0 : i64}}
func.func private @f() attributes {a = #fuse.tiling<"LA", {m = 0}>}

// -----

// expected-error @below {{tile size of 'm' must be an integer from 1 to 65536, got "wide"}}
func.func private @f() attributes {a = #fuse.tiling<"LA", {m = "wide"}>}

// -----

// expected-error @below {{tile size of 'm' must be an integer from 1 to 65536, got 4611686018427387904 : i64}}
func.func private @f() attributes {a = #fuse.tiling<"LA", {m = 4611686018427387904}>}

// -----

// expected-error @below {{tile size of 'm' must be an integer from 1 to 65536, got}}
func.func private @f() attributes {a = #fuse.tiling<"LA", {m = 340282366920938463463374607431768211455 : i128}>}

// -----

// expected-error @below {{'warps' must be two numbers from 1 to 32, the warps along i1 and i2}}
func.func private @f() attributes {a = #fuse.operator_map<"x", i1 = "m", i2 = "n", r1 = "k", warps = [4]>}

// -----

// expected-error @below {{'warps' must be two numbers from 1 to 32, the warps along i1 and i2}}
func.func private @f() attributes {a = #fuse.operator_map<"x", i1 = "m", i2 = "n", r1 = "k", warps = [0, 4]>}

// -----

// expected-error @below {{'warps' must be two numbers from 1 to 32, the warps along i1 and i2}}
func.func private @f() attributes {a = #fuse.operator_map<"x", i1 = "m", i2 = "n", r1 = "k", warps = [4294967297, 4]>}

// -----

// expected-error @below {{'warps' must be two numbers from 1 to 32, the warps along i1 and i2}}
func.func private @f() attributes {a = #fuse.operator_map<"x", i1 = "m", i2 = "n", r1 = "k", warps = [1, 33]>}

// -----

// expected-error @below {{i1, i2 and r1 must be different axes}}
func.func private @f() attributes {a = #fuse.operator_map<"x", i1 = "m", i2 = "n", r1 = "m", warps = [4, 1]>}

// -----

// expected-error @below {{a block has 1 to 32 warps, got 33}}
func.func private @f() attributes {a = #fuse.mapping<warps = 33>}

// -----

// expected-error @below {{'block_swizzle' and 'cluster' must be at least 1}}
func.func private @f() attributes {a = #fuse.mapping<warps = 4, block_swizzle = 0>}

// -----

// expected-error @below {{'block_swizzle' and 'cluster' must be at least 1}}
func.func private @f() attributes {a = #fuse.mapping<warps = 4, cluster = -1>}

// -----

// expected-error @below {{axis 'm' is bound to the grid twice}}
func.func private @f() attributes {a = #fuse.mapping<warps = 4, blocks = ["m", "h", "m"]>}

// -----

// expected-error @below {{operator 'C' must have an #fuse.operator_map, got 4 : i64}}
func.func private @f() attributes {a = #fuse.mapping<warps = 4, operators = {C = 4}>}

// -----

// expected-error @below {{'block_swizzle' is given twice}}
func.func private @f() attributes {a = #fuse.mapping<warps = 4, block_swizzle = 2, block_swizzle = 2>}

// -----

// expected-error @below {{expected blocks, operators, block_swizzle, persistent or cluster}}
func.func private @f() attributes {a = #fuse.mapping<warps = 4, threads = 2>}

// -----

// expected-error @below {{'persistent' is true or false}}
func.func private @f() attributes {a = #fuse.mapping<warps = 4, persistent = maybe>}

// -----

// expected-error @below {{tensor 'A' must have an #fuse.place, got "shared"}}
func.func private @f() attributes {a = #fuse.memory<{A = "shared"}>}

// -----

// expected-error @below {{the register level has 1 to 16 stages, got 17}}
func.func private @f() attributes {a = #fuse.pipeline<{}, register_stages = 17>}

// -----

// expected-error @+1 {{the register level has 1 or 2 stages, got 3}}
func.func private @f() attributes {a = #fuse.pipeline<{}, fragments = {A = 3}>}

// -----

// expected-error @+1 {{a contraction has 1 or 2 stages, got 3}}
func.func private @f() attributes {a = #fuse.pipeline<{}, overlap = {E = 3}>}

// -----

// expected-error @+1 {{'register_stages' is given twice}}
func.func private @f() attributes {a = #fuse.pipeline<{}, register_stages = 1, register_stages = 2>}

// -----

// expected-error @+1 {{expected register_stages, fragments or overlap}}
func.func private @f() attributes {a = #fuse.pipeline<{}, warps = 2>}

// -----

// expected-error @+1 {{stages of fragments of 'A' must be an integer from 1 to 65536, got "two"}}
func.func private @f() attributes {a = #fuse.pipeline<{}, fragments = {A = "two"}>}

// -----

// expected-error @below {{stages of 'A' must be an integer from 1 to 65536, got 0 : i64}}
func.func private @f() attributes {a = #fuse.pipeline<{A = 0}>}

// -----

// expected-error @below {{split factor of 'k' must be an integer from 1 to 65536, got -2 : i64}}
func.func private @f() attributes {a = #fuse.parallel<{k = -2}>}

// -----

// expected-error @below {{a split has at least one element, got 0}}
func.func private @f() attributes {a = #fuse.partial<axis = "k", splits = 3, length = 0>}

// -----

// expected-error @below {{'axis' must name an axis}}
func.func private @f() attributes {a = #fuse.partial<axis = "", splits = 3, length = 1>}

// -----

// expected-error @below {{a block has 0 to 31 producer warps, got 32}}
func.func private @f() attributes {a = #fuse.parallel<{}, producers = 32>}

// -----

// expected-error @below {{'ping_pong' is of kernels with 'producers'}}
func.func private @f() attributes {a = #fuse.parallel<{}, ping_pong = true>}

// -----

// expected-error @below {{version 1 of #fuse.schedule is not read: its fields have other names in version 2 (docs/glossary.md)}}
func.func private @f() attributes {a = #fuse.schedule<version = 1, mapping = <warps = 4>>}

// -----

// expected-error @below {{unknown schedule version 3; this compiler reads version 2}}
func.func private @f() attributes {a = #fuse.schedule<version = 3, mapping = <warps = 4>>}

// -----

// expected-error @+2 {{expected ::fusion::fuse::Space to be one of: registers, shared}}
// expected-error @+1 {{failed to parse Fuse_PlaceAttr parameter 'space'}}
func.func private @f() attributes {a = #fuse.place<tensor_memory>}

// -----

// expected-error @below {{struct is missing required parameter: mapping}}
func.func private @f() attributes {a = #fuse.schedule<version = 2>}

// -----

// expected-error @below {{a tile of 48 is no multiple of 1 elements of 32 lanes of 1 warps}}
func.func private @spread_tile() attributes {a = #fuse.thread_mapping<tile = 48, lanes = 32>}

// -----

// expected-error @below {{lanes are a power of two up to 32, got 3}}
func.func private @spread_lanes() attributes {a = #fuse.thread_mapping<tile = 48, lanes = 3>}

// -----

// expected-error @below {{'align' is a power of two, got 12}}
func.func private @spread_align() attributes {a = #fuse.thread_mapping<tile = 64, lanes = 32, align = 12>}

// -----

// expected-error @below {{'align' is a multiple of 'vector', got 4 and 8}}
func.func private @spread_align_vector() attributes {a = #fuse.thread_mapping<tile = 256, vector = 8, lanes = 32, align = 4>}

// -----

// expected-error @below {{'step' is at least 1, 'register_steps' and 'shared_steps' at least 0}}
func.func private @walk_step() attributes {a = #fuse.serial_loop<axis = "j", step = 0>}

// -----

// expected-error @below {{axis 'i' must have an #fuse.thread_mapping, got 1 : i64}}
func.func private @spread_of_axis() attributes {a = #fuse.stitching<{i = 1}>}

// -----

// expected-error @below {{'fan_in' is at least 2 blocks, got 1}}
func.func private @combine_one() attributes {a = #fuse.stitching<fan_in = 1, {i = #fuse.thread_mapping<tile = 1>}>}

// -----

// expected-error @below {{'retain_expensive' is for passes of their own, 'online' saves them}}
func.func private @costly_online() attributes {a = #fuse.serial_loop<axis = "j", step = 32, register_steps = 1, online = true, retain_expensive = true>}

// -----

// expected-error @below {{'retain_expensive' says what is retained, and no step is}}
func.func private @costly_of_nothing() attributes {a = #fuse.serial_loop<axis = "j", step = 32, retain_expensive = true>}

// -----

// expected-error @below {{there are 1 to 8 stages, not 9}}
func.func private @many_stages() attributes {a = #fuse.serial_loop<axis = "j", step = 32, stages = 9>}

// -----

// expected-error @below {{there are 1 to 8 stages, not 0}}
func.func private @no_stage() attributes {a = #fuse.serial_loop<axis = "j", step = 32, stages = 0>}

// -----

// expected-error @below {{'tma' is of copies in 2 stages or more}}
func.func private @bulk_of_nothing() attributes {a = #fuse.serial_loop<axis = "i", step = 4, tma = true>}

// -----

// expected-error @below {{'split_step' is positive and needs 'serial_loop', got 2}}
func.func private @rows_without_walk() attributes {a = #fuse.stitching<split_step = 2, {i = #fuse.thread_mapping<tile = 4>}>}

// -----

// expected-error @below {{the serial loop runs over axis "j", which has no thread mapping}}
func.func private @walk_axis() attributes {a = #fuse.stitching<{i = #fuse.thread_mapping<tile = 1>}, serial_loop = <axis = "j", step = 1>>}

// -----

// expected-error @below {{'rescale_threshold' is from 0 to 126, got 127}}
func.func private @rescale_beyond_f32() attributes {a = #fuse.reduction<online, rescale_threshold = 127>}

// -----

// expected-error @below {{'rescale_threshold' is for reductions that run online}}
func.func private @rescale_of_one_tile() attributes {a = #fuse.reduction<one_tile, rescale_threshold = 8>}

// -----

// expected-error @below {{'evict_last' is said of TMA copies to shared memory only}}
func.func private @f() attributes {a = #fuse.place<shared, async16, evict_last>}

// -----

// expected-error @below {{an SM holds 1 block or more, got 'resident_blocks' 0}}
func.func private @no_resident_block() attributes {a = #fuse.codegen<resident_blocks = 0>}

// -----

// expected-error @below {{'register_budgets' are two positive multiples of 8, of producers and of consumers}}
func.func private @registers_of_one_role() attributes {a = #fuse.codegen<resident_blocks = 1, register_budgets = [24]>}

// -----

// expected-error @below {{'register_budgets' are two positive multiples of 8, of producers and of consumers}}
func.func private @odd_registers() attributes {a = #fuse.codegen<resident_blocks = 1, register_budgets = [24, 250]>}

// -----

// expected-error @below {{'masked' names "C" twice}}
func.func private @masked_twice() attributes {a = #fuse.codegen<resident_blocks = 1, masked = ["C", "C"]>}

// -----

// expected-error @below {{a loop has 1 iteration or more, got 'unmasked_iterations' 0}}
func.func private @no_iteration() attributes {a = #fuse.codegen<resident_blocks = 1, unmasked_iterations = 0>}

// -----

// expected-error @below {{expected register_budgets, masked or unmasked_iterations}}
func.func private @unknown_codegen() attributes {a = #fuse.codegen<resident_blocks = 1, registers = 2>}

// -----

// expected-error @below {{'codegen' needs 'tiling' or 'stitching': the generic form has no 'codegen'}}
func.func private @generic_codegen() attributes {a = #fuse.schedule<version = 2, mapping = <warps = 8>, codegen = <resident_blocks = 1>>}

// -----

// expected-error @below {{operators count from 0, got -1}}
func.func private @negative_operator() attributes {a = #fuse.composition<operator = -1, scheme = warp>}

// -----

// expected-error @below {{'compositions' must name operators in ascending order, got 1 after 1}}
func.func private @operator_twice() attributes {a = #fuse.stitching<compositions = [<operator = 1, scheme = warp>, <operator = 1, scheme = block>], {i = #fuse.thread_mapping<tile = 1>}>}
