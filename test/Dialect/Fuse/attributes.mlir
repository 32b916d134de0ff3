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
// CHECK-SAME: d = #fuse.mapping<warps = 4, raster = 8>
// CHECK-SAME: e = #fuse.mapping<warps = 4, persistent = true>
// CHECK-SAME: f = #fuse.mapping<warps = 4, cluster = 2>
// CHECK-SAME: g = #fuse.mapping<warps = 4, blocks = ["m"], operators = {}, raster = 2, persistent = true, cluster = 4>
// CHECK-SAME: h = #fuse.mapping<warps = 4>
// CHECK-SAME: i = #fuse.mapping<warps = 4>
func.func private @mapping() attributes {
  a = #fuse.mapping<warps = 4>,
  b = #fuse.mapping<warps = 1, blocks = ["m", "h"]>,
  c = #fuse.mapping<warps = 32, operators = {C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [4, 8]>}>,
  d = #fuse.mapping<warps = 4, raster = 8>,
  e = #fuse.mapping<warps = 4, persistent = true>,
  f = #fuse.mapping<warps = 4, cluster = 2>,
  g = #fuse.mapping<warps = 4, cluster = 4, persistent = true, raster = 2, operators = {}, blocks = ["m"]>,
  h = #fuse.mapping<warps = 4, raster = 1, persistent = false, cluster = 1>,
  i = #fuse.mapping<warps = 4, blocks = []>}

// CHECK: @place
// CHECK-SAME: a = #fuse.place<shared>
// CHECK-SAME: b = #fuse.place<shared, async4>
// CHECK-SAME: c = #fuse.place<shared, async8>
// CHECK-SAME: d = #fuse.place<shared, async16>
// CHECK-SAME: e = #fuse.place<registers>
// CHECK-SAME: f = #fuse.place<shared>
// CHECK-SAME: g = #fuse.place<shared, bulk>
// CHECK-SAME: h = #fuse.place<shared, bulk, evict_first>
// CHECK-SAME: i = #fuse.place<shared, bulk, evict_last>
func.func private @place() attributes {
  a = #fuse.place<shared>, b = #fuse.place<shared, async4>, c = #fuse.place<shared, async8>,
  d = #fuse.place<shared, async16>, e = #fuse.place<registers>, f = #fuse.place<shared, sync>,
  g = #fuse.place<shared, bulk, evict_normal>, h = #fuse.place<shared, bulk, evict_first>, i = #fuse.place<shared, bulk, evict_last>}

// CHECK: @memory() attributes {a = #fuse.memory<{A = #fuse.place<shared, async16>, C = #fuse.place<registers>}>}
func.func private @memory() attributes {
  a = #fuse.memory<{A = #fuse.place<shared, async16>, C = #fuse.place<registers>}>}

// CHECK: @pipeline() attributes {a = #fuse.pipeline<{A = 3 : i64, B = 4 : i64}>, b = #fuse.pipeline<{}, registers = 2>,
// CHECK-SAME: c = #fuse.pipeline<{}, fragments = {A = 2 : i64}>, d = #fuse.pipeline<{A = 3 : i64}, registers = 2, fragments = {B = 1 : i64}>, e = #fuse.pipeline<{D = 2 : i64}, products = {E = 2 : i64}>}
func.func private @pipeline() attributes {
  a = #fuse.pipeline<{A = 3, B = 4}>, b = #fuse.pipeline<{}, registers = 2>,
  c = #fuse.pipeline<{}, fragments = {A = 2}>, d = #fuse.pipeline<{A = 3}, registers = 2, fragments = {B = 1}>, e = #fuse.pipeline<{D = 2}, products = {E = 2}>}

// CHECK: @parallel() attributes {a = #fuse.parallel<{k = 4 : i64}>}
func.func private @parallel() attributes {a = #fuse.parallel<{k = 4}>}

// CHECK: @partial() attributes {a = #fuse.partial<axis = "k", parts = 3, length = 128>}
func.func private @partial() attributes {a = #fuse.partial<axis = "k", parts = 3, length = 128>}

// CHECK: @producers() attributes {a = #fuse.parallel<{}, producers = 2>}
func.func private @producers() attributes {a = #fuse.parallel<{}, producers = 2>}

// CHECK: @turns() attributes {a = #fuse.parallel<{}, producers = 4, turns = true>}
func.func private @turns() attributes {a = #fuse.parallel<{}, turns = true, producers = 4>}

// CHECK: @reduction() attributes {a = #fuse.reduction<one_tile>, b = #fuse.reduction<online>}
func.func private @reduction() attributes {a = #fuse.reduction<one_tile>, b = #fuse.reduction<online>}

// CHECK: @rescale() attributes {a = #fuse.reduction<online, rescale = 8>, b = #fuse.reduction<online>}
func.func private @rescale() attributes {a = #fuse.reduction<online, rescale = 8>, b = #fuse.reduction<online, rescale = 0>}

// CHECK: @schedule
// CHECK-SAME: a = #fuse.schedule<version = 1, mapping = <warps = 8>>
// CHECK-SAME: b = #fuse.schedule<version = 1, tiling = <"LA", {m = 16 : i64}>, mapping = <warps = 4, blocks = ["m"]>,
// CHECK-SAME: memory = <{A = #fuse.place<shared>}>, pipeline = <{A = 2 : i64}, registers = 2>, parallel = <{k = 2 : i64}>, reduction = <online>>
func.func private @schedule() attributes {
  a = #fuse.schedule<version = 1, mapping = <warps = 8>>,
  b = #fuse.schedule<version = 1, tiling = <"LA", {m = 16}>, mapping = <warps = 4, blocks = ["m"]>,
        memory = <{A = #fuse.place<shared>}>, pipeline = <{A = 2}, registers = 2>,
        parallel = <{k = 2}>, reduction = <online>>}

// CHECK: @stitching
// CHECK-SAME: a = #fuse.spread<tile = 8>
// CHECK-SAME: b = #fuse.spread<tile = 1024, vector = 8, lanes = 32, warps = 4>
// CHECK-SAME: c = #fuse.walk<axis = "j", step = 4096>
// CHECK-SAME: d = #fuse.walk<axis = "j", step = 4096, registers = 2, shared = 14>
// CHECK-SAME: e = #fuse.stitching<{i = #fuse.spread<tile = 1>}>
// CHECK-SAME: f = #fuse.stitching<{i = #fuse.spread<tile = 1>, j = #fuse.spread<tile = 64, lanes = 32>}, walk = <axis = "j", step = 32, registers = 1>>
// CHECK-SAME: g = #fuse.schedule<version = 1, mapping = <warps = 1>, stitching = <{i = #fuse.spread<tile = 1>}>>
// CHECK-SAME: h = #fuse.walk<axis = "j", step = 4096, shared = 3, online = true>
// CHECK-SAME: h1 = #fuse.walk<axis = "j", step = 4096, registers = 2, costly = true>
// CHECK-SAME: h2 = #fuse.walk<axis = "i", step = 4, stages = 3>
// CHECK-SAME: h3 = #fuse.walk<axis = "i", step = 4, stages = 3, bulk = true>
// CHECK-SAME: i = #fuse.spread<tile = 3072, vector = 8, lanes = 32, warps = 4, align = 16>
// CHECK-SAME: j = #fuse.stitching<streams = true, {i = #fuse.spread<tile = 1>}>
// CHECK-SAME: k = #fuse.stitching<combine = 12, rows = 2, {i = #fuse.spread<tile = 8>, j = #fuse.spread<tile = 64>}, walk = <axis = "j", step = 64, registers = 1>>
func.func private @stitching() attributes {
  a = #fuse.spread<tile = 8, vector = 1, lanes = 1, warps = 1>,
  b = #fuse.spread<tile = 1024, vector = 8, lanes = 32, warps = 4>,
  c = #fuse.walk<axis = "j", step = 4096, registers = 0, shared = 0>,
  d = #fuse.walk<axis = "j", step = 4096, registers = 2, shared = 14>,
  e = #fuse.stitching<{i = #fuse.spread<tile = 1>}>,
  f = #fuse.stitching<{i = #fuse.spread<tile = 1>, j = #fuse.spread<tile = 64, lanes = 32>}, walk = <axis = "j", step = 32, registers = 1>>,
  g = #fuse.schedule<version = 1, mapping = <warps = 1>, stitching = <{i = #fuse.spread<tile = 1>}>>,
  h = #fuse.walk<axis = "j", step = 4096, shared = 3, online = true>,
  h1 = #fuse.walk<axis = "j", step = 4096, registers = 2, costly = true>,
  h2 = #fuse.walk<axis = "i", step = 4, online = false, stages = 3>,
  h3 = #fuse.walk<axis = "i", step = 4, stages = 3, bulk = true>,
  i = #fuse.spread<tile = 3072, vector = 8, lanes = 32, warps = 4, align = 16>,
  j = #fuse.stitching<streams = true, {i = #fuse.spread<tile = 1>}>,
  k = #fuse.stitching<combine = 12, rows = 2, {i = #fuse.spread<tile = 8>, j = #fuse.spread<tile = 64>}, walk = <axis = "j", step = 64, registers = 1>>}
}

// Only what differs from its default is printed, but for the resident blocks. A schedule without codegen stays without.
// CHECK: @codegen
// CHECK-SAME: a = #fuse.codegen<resident_blocks = 1>
// CHECK-SAME: b = #fuse.codegen<resident_blocks = 2, role_registers = [24, 240], masked = ["C", "E"], unmasked_iterations = 3>
// CHECK-SAME: c = #fuse.schedule<version = 1, mapping = <warps = 1>, stitching = <{i = #fuse.spread<tile = 1>}>, codegen = <resident_blocks = 4>>
// CHECK-SAME: d = #fuse.schedule<version = 1, mapping = <warps = 1>, stitching = <{i = #fuse.spread<tile = 1>}>>
func.func private @codegen() attributes {
  a = #fuse.codegen<resident_blocks = 1, role_registers = [], masked = [], unmasked_iterations = 1>,
  b = #fuse.codegen<resident_blocks = 2, unmasked_iterations = 3, masked = ["C", "E"], role_registers = [24, 240]>,
  c = #fuse.schedule<version = 1, mapping = <warps = 1>, stitching = <{i = #fuse.spread<tile = 1>}>, codegen = <resident_blocks = 4>>,
  d = #fuse.schedule<version = 1, mapping = <warps = 1>, stitching = <{i = #fuse.spread<tile = 1>}>>}
