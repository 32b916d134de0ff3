// Every attribute of the dialect, with and without its optional parts, printed and read again.
// RUN: fusion-opt %s | FileCheck %s
// RUN: fusion-opt %s | fusion-opt | FileCheck %s

// CHECK: module attributes {fuse.chip = #fuse.chip<"sm_90a">}
module attributes {fuse.chip = #fuse.chip<"sm_90a">} {

// CHECK: @tiling() attributes {a = #fuse.tiling<"mh(n(k(LA,LB,CC),LD,CE),SE)", {h = 64 : i64, k = 32 : i64, m = 1 : i64, n = 65536 : i64}>}
func.func private @tiling() attributes {
  a = #fuse.tiling<"mh(n(k(LA,LB,CC),LD,CE),SE)", {m = 1, n = 65536, k = 32, h = 64}>}

// CHECK: @operator_map() attributes {a = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [4, 1]>}
func.func private @operator_map() attributes {
  a = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [4, 1]>}

// Entries of a mapping may be left out, each by itself; defaults are not printed.
// CHECK: @mapping
// CHECK-SAME: a = #fuse.mapping<warps = 4>
// CHECK-SAME: b = #fuse.mapping<warps = 1, blocks = ["m", "h"]>
// CHECK-SAME: c = #fuse.mapping<warps = 32, operators = {C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [4, 8]>}>
// CHECK-SAME: d = #fuse.mapping<warps = 4, block_swizzle = 8>
// CHECK-SAME: e = #fuse.mapping<warps = 4, persistent = true>
// CHECK-SAME: f = #fuse.mapping<warps = 4, cluster = 2>
// CHECK-SAME: g = #fuse.mapping<warps = 4, blocks = ["m"], operators = {}, block_swizzle = 2, persistent = true, cluster = 4>
// CHECK-SAME: h = #fuse.mapping<warps = 4>
// CHECK-SAME: i = #fuse.mapping<warps = 4>
func.func private @mapping() attributes {
  a = #fuse.mapping<warps = 4>,
  b = #fuse.mapping<warps = 1, blocks = ["m", "h"]>,
  c = #fuse.mapping<warps = 32, operators = {C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [4, 8]>}>,
  d = #fuse.mapping<warps = 4, block_swizzle = 8>,
  e = #fuse.mapping<warps = 4, persistent = true>,
  f = #fuse.mapping<warps = 4, cluster = 2>,
  g = #fuse.mapping<warps = 4, cluster = 4, persistent = true, block_swizzle = 2, operators = {}, blocks = ["m"]>,
  h = #fuse.mapping<warps = 4, block_swizzle = 1, persistent = false, cluster = 1>,
  i = #fuse.mapping<warps = 4, blocks = []>}

// CHECK: @place
// CHECK-SAME: a = #fuse.place<shared>
// CHECK-SAME: b = #fuse.place<shared, async4>
// CHECK-SAME: c = #fuse.place<shared, async8>
// CHECK-SAME: d = #fuse.place<shared, async16>
// CHECK-SAME: e = #fuse.place<registers>
// CHECK-SAME: f = #fuse.place<shared>
// CHECK-SAME: g = #fuse.place<shared, tma>
// CHECK-SAME: h = #fuse.place<shared, tma, evict_first>
// CHECK-SAME: i = #fuse.place<shared, tma, evict_last>
func.func private @place() attributes {
  a = #fuse.place<shared>, b = #fuse.place<shared, async4>, c = #fuse.place<shared, async8>,
  d = #fuse.place<shared, async16>, e = #fuse.place<registers>, f = #fuse.place<shared, sync>,
  g = #fuse.place<shared, tma, evict_normal>, h = #fuse.place<shared, tma, evict_first>, i = #fuse.place<shared, tma, evict_last>}

// CHECK: @memory() attributes {a = #fuse.memory<{A = #fuse.place<shared, async16>, C = #fuse.place<registers>}>}
func.func private @memory() attributes {
  a = #fuse.memory<{A = #fuse.place<shared, async16>, C = #fuse.place<registers>}>}

// CHECK: @pipeline() attributes {a = #fuse.pipeline<{A = 3 : i64, B = 4 : i64}>, b = #fuse.pipeline<{}, register_stages = 2>,
// CHECK-SAME: c = #fuse.pipeline<{}, fragments = {A = 2 : i64}>, d = #fuse.pipeline<{A = 3 : i64}, register_stages = 2, fragments = {B = 1 : i64}>, e = #fuse.pipeline<{D = 2 : i64}, overlap = {E = 2 : i64}>}
func.func private @pipeline() attributes {
  a = #fuse.pipeline<{A = 3, B = 4}>, b = #fuse.pipeline<{}, register_stages = 2>,
  c = #fuse.pipeline<{}, fragments = {A = 2}>, d = #fuse.pipeline<{A = 3}, register_stages = 2, fragments = {B = 1}>, e = #fuse.pipeline<{D = 2}, overlap = {E = 2}>}

// CHECK: @parallel() attributes {a = #fuse.parallel<{k = 4 : i64}>}
func.func private @parallel() attributes {a = #fuse.parallel<{k = 4}>}

// CHECK: @partial() attributes {a = #fuse.partial<axis = "k", splits = 3, length = 128>}
func.func private @partial() attributes {a = #fuse.partial<axis = "k", splits = 3, length = 128>}

// CHECK: @producers() attributes {a = #fuse.parallel<{}, producers = 2>}
func.func private @producers() attributes {a = #fuse.parallel<{}, producers = 2>}

// CHECK: @turns() attributes {a = #fuse.parallel<{}, producers = 4, ping_pong = true>}
func.func private @turns() attributes {a = #fuse.parallel<{}, ping_pong = true, producers = 4>}

// CHECK: @reduction() attributes {a = #fuse.reduction<one_tile>, b = #fuse.reduction<online>}
func.func private @reduction() attributes {a = #fuse.reduction<one_tile>, b = #fuse.reduction<online>}

// CHECK: @rescale() attributes {a = #fuse.reduction<online, rescale_threshold = 8>, b = #fuse.reduction<online>}
func.func private @rescale() attributes {a = #fuse.reduction<online, rescale_threshold = 8>, b = #fuse.reduction<online, rescale_threshold = 0>}

// CHECK: @schedule
// CHECK-SAME: a = #fuse.schedule<version = 2, mapping = <warps = 8>>
// CHECK-SAME: b = #fuse.schedule<version = 2, tiling = <"LA", {m = 16 : i64}>, mapping = <warps = 4, blocks = ["m"]>,
// CHECK-SAME: memory = <{A = #fuse.place<shared>}>, pipeline = <{A = 2 : i64}, register_stages = 2>, parallel = <{k = 2 : i64}>, reduction = <online>>
func.func private @schedule() attributes {
  a = #fuse.schedule<version = 2, mapping = <warps = 8>>,
  b = #fuse.schedule<version = 2, tiling = <"LA", {m = 16}>, mapping = <warps = 4, blocks = ["m"]>,
        memory = <{A = #fuse.place<shared>}>, pipeline = <{A = 2}, register_stages = 2>,
        parallel = <{k = 2}>, reduction = <online>>}

// CHECK: @stitching
// CHECK-SAME: a = #fuse.thread_mapping<tile = 8>
// CHECK-SAME: b = #fuse.thread_mapping<tile = 1024, vector = 8, lanes = 32, warps = 4>
// CHECK-SAME: c = #fuse.serial_loop<axis = "j", step = 4096>
// CHECK-SAME: d = #fuse.serial_loop<axis = "j", step = 4096, register_steps = 2, shared_steps = 14>
// CHECK-SAME: e = #fuse.stitching<{i = #fuse.thread_mapping<tile = 1>}>
// CHECK-SAME: f = #fuse.stitching<{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 64, lanes = 32>}, serial_loop = <axis = "j", step = 32, register_steps = 1>>
// CHECK-SAME: g = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 1>}>>
// CHECK-SAME: h = #fuse.serial_loop<axis = "j", step = 4096, shared_steps = 3, online = true>
// CHECK-SAME: h1 = #fuse.serial_loop<axis = "j", step = 4096, register_steps = 2, retain_expensive = true>
// CHECK-SAME: h2 = #fuse.serial_loop<axis = "i", step = 4, stages = 3>
// CHECK-SAME: h3 = #fuse.serial_loop<axis = "i", step = 4, stages = 3, tma = true>
// CHECK-SAME: i = #fuse.thread_mapping<tile = 3072, vector = 8, lanes = 32, warps = 4, align = 16>
// CHECK-SAME: j = #fuse.stitching<evict_first = true, {i = #fuse.thread_mapping<tile = 1>}>
// CHECK-SAME: jj = #fuse.stitching<compositions = [<operator = 0, scheme = warp>, <operator = 2, scheme = block>], {i = #fuse.thread_mapping<tile = 1>}>
// CHECK-SAME: k = #fuse.stitching<fan_in = 12, split_step = 2, {i = #fuse.thread_mapping<tile = 8>, j = #fuse.thread_mapping<tile = 64>}, serial_loop = <axis = "j", step = 64, register_steps = 1>>
func.func private @stitching() attributes {
  a = #fuse.thread_mapping<tile = 8, vector = 1, lanes = 1, warps = 1>,
  b = #fuse.thread_mapping<tile = 1024, vector = 8, lanes = 32, warps = 4>,
  c = #fuse.serial_loop<axis = "j", step = 4096, register_steps = 0, shared_steps = 0>,
  d = #fuse.serial_loop<axis = "j", step = 4096, register_steps = 2, shared_steps = 14>,
  e = #fuse.stitching<{i = #fuse.thread_mapping<tile = 1>}>,
  f = #fuse.stitching<{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = 64, lanes = 32>}, serial_loop = <axis = "j", step = 32, register_steps = 1>>,
  g = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 1>}>>,
  h = #fuse.serial_loop<axis = "j", step = 4096, shared_steps = 3, online = true>,
  h1 = #fuse.serial_loop<axis = "j", step = 4096, register_steps = 2, retain_expensive = true>,
  h2 = #fuse.serial_loop<axis = "i", step = 4, online = false, stages = 3>,
  h3 = #fuse.serial_loop<axis = "i", step = 4, stages = 3, tma = true>,
  i = #fuse.thread_mapping<tile = 3072, vector = 8, lanes = 32, warps = 4, align = 16>,
  j = #fuse.stitching<evict_first = true, {i = #fuse.thread_mapping<tile = 1>}>,
  jj = #fuse.stitching<compositions = [<operator = 0, scheme = warp>, <operator = 2, scheme = block>], {i = #fuse.thread_mapping<tile = 1>}>,
  k = #fuse.stitching<fan_in = 12, split_step = 2, {i = #fuse.thread_mapping<tile = 8>, j = #fuse.thread_mapping<tile = 64>}, serial_loop = <axis = "j", step = 64, register_steps = 1>>}
}

// Only what differs from its default is printed, but for the resident blocks. A schedule without codegen stays without.
// CHECK: @codegen
// CHECK-SAME: a = #fuse.codegen<resident_blocks = 1>
// CHECK-SAME: b = #fuse.codegen<resident_blocks = 2, register_budgets = [24, 240], masked = ["C", "E"], unmasked_iterations = 3>
// CHECK-SAME: c = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 1>}>, codegen = <resident_blocks = 4>>
// CHECK-SAME: d = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 1>}>>
func.func private @codegen() attributes {
  a = #fuse.codegen<resident_blocks = 1, register_budgets = [], masked = [], unmasked_iterations = 1>,
  b = #fuse.codegen<resident_blocks = 2, unmasked_iterations = 3, masked = ["C", "E"], register_budgets = [24, 240]>,
  c = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 1>}>, codegen = <resident_blocks = 4>>,
  d = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 1>}>>}
