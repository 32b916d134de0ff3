// What a schedule leaves open about machine code is decided, and what it says stays.
// RUN: fusion-opt %s --fuse-complete-schedules --split-input-file | FileCheck %s
// Lowering takes it from the schedule, and without it has the defaults.
// RUN: fusion-opt %s --fuse-complete-schedules --fuse-lower-to-tile --split-input-file | FileCheck %s --check-prefix=TILE
// RUN: fusion-opt %s --fuse-lower-to-tile --split-input-file | FileCheck %s --check-prefix=OPEN
// Nothing is left to decide the second time.
// RUN: fusion-opt %s --fuse-complete-schedules --split-input-file -o %t.once
// RUN: fusion-opt %s --fuse-complete-schedules --fuse-complete-schedules --split-input-file -o %t.twice
// RUN: diff %t.once %t.twice

// 128 x 256 sums of 8 warps take more registers than equal shares of 12 warps.
// CHECK-LABEL: func.func @roles
// CHECK: fuse.chain
// CHECK-SAME: predicted = {global_load_bytes = 12582912 : i64, global_store_bytes = 2097152 : i64, shared_memory = 147552 : i64, us = {{[0-9.e-]+}} : f64}
// CHECK-SAME: parallel = <{}, producers = 4>, codegen = <resident_blocks = 1, register_budgets = [24, 240]>>
// CHECK-LABEL: func.func @given
// CHECK: predicted = {global_load_bytes = 12582912 : i64
// CHECK-SAME: codegen = <resident_blocks = 1, register_budgets = [40, 232], masked = ["C"], unmasked_iterations = 2>>

// TILE-LABEL: func.func @roles
// TILE: tile.launch @roles_chain_0 {{.*}} {predicted = {global_load_bytes = 12582912 : i64
// TILE-LABEL: tile.kernel @roles_chain_0
// TILE-SAME: attributes {producers = 4 : i64, register_budgets = array<i64: 24, 240>, resident_blocks = 1 : i64, warps = 8 : i64}
// TILE: tile.dot {{.*}} warps [8, 1] :
// TILE-LABEL: tile.kernel @given_chain_0
// TILE-SAME: register_budgets = array<i64: 40, 232>, resident_blocks = 1 : i64, unmasked_iterations = 2 : i64, warps = 8 : i64}
// TILE: tile.dot {{.*}} warps [8, 1] {masked} :

// OPEN: tile.launch @roles_chain_0
// OPEN-NOT: predicted
// OPEN-LABEL: tile.kernel @roles_chain_0
// OPEN-SAME: attributes {producers = 4 : i64, warps = 8 : i64}
// OPEN-LABEL: tile.kernel @given_chain_0
// OPEN-SAME: register_budgets = array<i64: 40, 232>
#map = affine_map<(i, j) -> (i, j)>
#roles = #fuse.schedule<version = 2, tiling = <"mn(k(LA,LB,CC),SC)", {k = 64, m = 128, n = 256}>, mapping = <warps = 8, blocks = ["m", "n"], operators = {C = #fuse.operator_map<"wgmma.m64k16", i1 = "m", i2 = "n", r1 = "k", warps = [8, 1]>}>, memory = <{A = #fuse.place<shared, tma>, B = #fuse.place<shared, tma>, C = #fuse.place<shared>}>, pipeline = <{A = 3, B = 3}>, parallel = <{}, producers = 4>>
#given = #fuse.schedule<version = 2, tiling = <"mn(k(LA,LB,CC),SC)", {k = 64, m = 128, n = 256}>, mapping = <warps = 8, blocks = ["m", "n"], operators = {C = #fuse.operator_map<"wgmma.m64k16", i1 = "m", i2 = "n", r1 = "k", warps = [8, 1]>}>, memory = <{A = #fuse.place<shared, tma>, B = #fuse.place<shared, tma>, C = #fuse.place<shared>}>, pipeline = <{A = 3, B = 3}>, parallel = <{}, producers = 4>, codegen = <resident_blocks = 1, register_budgets = [40, 232], masked = ["C"], unmasked_iterations = 2>>
module attributes {fuse.chip = #fuse.chip<"sm_90a">} {
  func.func @roles(%a: tensor<1024x512xf16>, %b: tensor<512x1024xf16>) -> tensor<1024x1024xf16> {
    %empty = tensor.empty() : tensor<1024x1024xf16>
    %r = fuse.chain ins(%x = %a : tensor<1024x512xf16>, %y = %b : tensor<512x1024xf16>) outs(%o = %empty : tensor<1024x1024xf16>) attributes {schedule = #roles} {
      %zero = arith.constant 0.0 : f32
      %sums = tensor.empty() : tensor<1024x1024xf32>
      %start = linalg.fill ins(%zero : f32) outs(%sums : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
      %c = linalg.matmul ins(%x, %y : tensor<1024x512xf16>, tensor<512x1024xf16>) outs(%start : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
      %t = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<1024x1024xf32>) outs(%o : tensor<1024x1024xf16>) {
      ^bb0(%e: f32, %d: f16):
        %s = arith.truncf %e : f32 to f16
        linalg.yield %s : f16
      } -> tensor<1024x1024xf16>
      fuse.yield %t : tensor<1024x1024xf16>
    } -> tensor<1024x1024xf16>
    return %r : tensor<1024x1024xf16>
  }
  func.func @given(%a: tensor<1024x512xf16>, %b: tensor<512x1024xf16>) -> tensor<1024x1024xf16> {
    %empty = tensor.empty() : tensor<1024x1024xf16>
    %r = fuse.chain ins(%x = %a : tensor<1024x512xf16>, %y = %b : tensor<512x1024xf16>) outs(%o = %empty : tensor<1024x1024xf16>) attributes {schedule = #given} {
      %zero = arith.constant 0.0 : f32
      %sums = tensor.empty() : tensor<1024x1024xf32>
      %start = linalg.fill ins(%zero : f32) outs(%sums : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
      %c = linalg.matmul ins(%x, %y : tensor<1024x512xf16>, tensor<512x1024xf16>) outs(%start : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
      %t = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<1024x1024xf32>) outs(%o : tensor<1024x1024xf16>) {
      ^bb0(%e: f32, %d: f16):
        %s = arith.truncf %e : f32 to f16
        linalg.yield %s : f16
      } -> tensor<1024x1024xf16>
      fuse.yield %t : tensor<1024x1024xf16>
    } -> tensor<1024x1024xf16>
    return %r : tensor<1024x1024xf16>
  }
}

// -----

// Multiply-adds of each thread; rows, of which an SM holds more blocks than the grid has for it; the generic form, of which only the
// traffic is to be said; a sum whose number of loads is not known.
// CHECK-LABEL: func.func @multiply_adds
// CHECK: codegen = <resident_blocks = {{[0-9]+}}, masked = ["C"]>>
// CHECK-LABEL: func.func @rows
// CHECK: predicted = {global_load_bytes = 16777216 : i64, global_store_bytes = 16384 : i64, shared_memory = 0 : i64
// CHECK-SAME: codegen = <resident_blocks = 19>>
// CHECK-LABEL: func.func @few_rows
// CHECK: codegen = <resident_blocks = 1>>
// CHECK-LABEL: func.func @generic
// CHECK: predicted = {global_load_bytes = 8192 : i64, global_store_bytes = 512 : i64, shared_memory = 0 : i64
// CHECK-SAME: schedule = #fuse.schedule<version = 2, mapping = <warps = 8>>
// CHECK-LABEL: func.func @sums
// CHECK-NOT: predicted
// CHECK: return

// TILE-LABEL: tile.kernel @multiply_adds_chain_0
// TILE: tile.dot {{.*}} warps [2, 1] {masked} :
// TILE-LABEL: tile.kernel @rows_stitch_0
// TILE-SAME: resident_blocks = 19 : i64
// TILE-LABEL: tile.kernel @generic_stitch_0
// TILE-NOT: resident_blocks
// TILE: tile.return

// OPEN-LABEL: tile.kernel @rows_stitch_0
// OPEN-SAME: attributes {warps = 1 : i64}
#rows = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 2, lanes = 2>, j = #fuse.thread_mapping<tile = 1024, vector = 4, lanes = 16>}, serial_loop = <axis = "j", step = 64, register_steps = 16>>>
#generic = #fuse.schedule<version = 2, mapping = <warps = 8>>
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  func.func @multiply_adds(%a: tensor<64x96xf32>, %b: tensor<96x64xf32>) -> tensor<64x64xf32> {
    %empty = tensor.empty() : tensor<64x64xf32>
    %r = fuse.chain ins(%x = %a : tensor<64x96xf32>, %y = %b : tensor<96x64xf32>) outs(%o = %empty : tensor<64x64xf32>)
        attributes {schedule = #fuse.schedule<version = 2, tiling = <"mn(k(LA,LB,CC),SC)", {k = 32, m = 16, n = 16}>, mapping = <warps = 2, blocks = ["m", "n"], operators = {C = #fuse.operator_map<"fma.m8n16k4", i1 = "m", i2 = "n", r1 = "k", warps = [2, 1]>}>, memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<registers>}>, pipeline = <{A = 2, B = 2}, register_stages = 2>>} {
      %zero = arith.constant 0.0 : f32
      %start = linalg.fill ins(%zero : f32) outs(%o : tensor<64x64xf32>) -> tensor<64x64xf32>
      %c = linalg.matmul ins(%x, %y : tensor<64x96xf32>, tensor<96x64xf32>) outs(%start : tensor<64x64xf32>) -> tensor<64x64xf32>
      fuse.yield %c : tensor<64x64xf32>
    } -> tensor<64x64xf32>
    return %r : tensor<64x64xf32>
  }
  func.func @rows(%a: tensor<4096x1024xf32>) -> tensor<4096xf32> {
    %empty = tensor.empty() : tensor<4096xf32>
    %r = fuse.stitch ins(%x = %a : tensor<4096x1024xf32>) outs(%o = %empty : tensor<4096xf32>) attributes {schedule = #rows} {
      %zero = arith.constant 0.0 : f32
      %start = linalg.fill ins(%zero : f32) outs(%o : tensor<4096xf32>) -> tensor<4096xf32>
      %s = linalg.reduce { arith.addf } ins(%x : tensor<4096x1024xf32>) outs(%start : tensor<4096xf32>) dimensions = [1]
      fuse.yield %s : tensor<4096xf32>
    } -> tensor<4096xf32>
    return %r : tensor<4096xf32>
  }
  func.func @few_rows(%a: tensor<64x1024xf32>) -> tensor<64xf32> {
    %empty = tensor.empty() : tensor<64xf32>
    %r = fuse.stitch ins(%x = %a : tensor<64x1024xf32>) outs(%o = %empty : tensor<64xf32>) attributes {schedule = #rows} {
      %zero = arith.constant 0.0 : f32
      %start = linalg.fill ins(%zero : f32) outs(%o : tensor<64xf32>) -> tensor<64xf32>
      %s = linalg.reduce { arith.addf } ins(%x : tensor<64x1024xf32>) outs(%start : tensor<64xf32>) dimensions = [1]
      fuse.yield %s : tensor<64xf32>
    } -> tensor<64xf32>
    return %r : tensor<64xf32>
  }
  func.func @generic(%a: tensor<128x16xf32>) -> tensor<128xf32> {
    %empty = tensor.empty() : tensor<128xf32>
    %r = fuse.stitch ins(%x = %a : tensor<128x16xf32>) outs(%o = %empty : tensor<128xf32>) attributes {schedule = #generic} {
      %zero = arith.constant 0.0 : f32
      %start = linalg.fill ins(%zero : f32) outs(%o : tensor<128xf32>) -> tensor<128xf32>
      %s = linalg.reduce { arith.addf } ins(%x : tensor<128x16xf32>) outs(%start : tensor<128xf32>) dimensions = [1]
      fuse.yield %s : tensor<128xf32>
    } -> tensor<128xf32>
    return %r : tensor<128xf32>
  }
  func.func @sums(%a: tensor<128x16xf32>) -> tensor<128xf32> {
    %empty = tensor.empty() : tensor<128xf32>
    %r = fuse.stitch ins(%x = %a : tensor<128x16xf32>) outs(%o = %empty : tensor<128xf32>) attributes {schedule = #generic} {
      %zero = arith.constant 0.0 : f32
      %start = linalg.fill ins(%zero : f32) outs(%o : tensor<128xf32>) -> tensor<128xf32>
      %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i)>],
                           iterator_types = ["parallel", "reduction"]}
             ins(%x, %x : tensor<128x16xf32>, tensor<128x16xf32>) outs(%start : tensor<128xf32>) {
      ^bb0(%e: f32, %first: f32, %sum: f32):
        %d = arith.subf %e, %first : f32
        %next = arith.addf %sum, %d : f32
        linalg.yield %next : f32
      } -> tensor<128xf32>
      fuse.yield %s : tensor<128xf32>
    } -> tensor<128xf32>
    return %r : tensor<128xf32>
  }
}

// -----

// Of no chip nothing is known.
// CHECK-LABEL: func.func @no_chip
// CHECK: fuse.stitch {{.*}} attributes {schedule = #fuse.schedule<{{[^{]*}}stitching = <{i = #fuse.thread_mapping<tile = 2, lanes = 2>, j = #fuse.thread_mapping<tile = 1024, vector = 4, lanes = 16>}, serial_loop = <axis = "j", step = 64, register_steps = 16>>>} {
#rows = #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 2, lanes = 2>, j = #fuse.thread_mapping<tile = 1024, vector = 4, lanes = 16>}, serial_loop = <axis = "j", step = 64, register_steps = 16>>>
func.func @no_chip(%a: tensor<64x1024xf32>) -> tensor<64xf32> {
  %empty = tensor.empty() : tensor<64xf32>
  %r = fuse.stitch ins(%x = %a : tensor<64x1024xf32>) outs(%o = %empty : tensor<64xf32>) attributes {schedule = #rows} {
    %zero = arith.constant 0.0 : f32
    %start = linalg.fill ins(%zero : f32) outs(%o : tensor<64xf32>) -> tensor<64xf32>
    %s = linalg.reduce { arith.addf } ins(%x : tensor<64x1024xf32>) outs(%start : tensor<64xf32>) dimensions = [1]
    fuse.yield %s : tensor<64xf32>
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}
