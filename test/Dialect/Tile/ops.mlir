// Every op and type of the dialect, printed and read again.
// RUN: fusion-opt %s | FileCheck %s
// RUN: fusion-opt %s | fusion-opt | FileCheck %s
// RUN: fusion-opt %s --mlir-print-op-generic | fusion-opt | FileCheck %s

// CHECK-DAG: #[[SWIZZLED:.*]] = #tile.layout<"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] -> [64, 64]">
// CHECK-DAG: #[[ROWS:.*]] = #tile.layout<"register: 4*[0,1]; lane: 4*[0,4] 8*[1,0]; warp: 4*[8,0] -> [32, 16]">
// CHECK-DAG: #[[COLUMNS:.*]] = #tile.layout<"register: 4*[1,0]; lane: 8*[4,0] 4*[0,1]; warp: 4*[0,4] -> [32, 16]">
#rows = #tile.layout<"register: 4*[0,1]; lane: 4*[0,4] 8*[1,0]; warp: 4*[8,0] -> [32, 16]">
#columns = #tile.layout<"register: 4*[1,0]; lane: 8*[4,0] 4*[0,1]; warp: 4*[0,4] -> [32, 16]">
!buffer = !tile.buffer<2, 64, 64, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] -> [64, 64]">>

// CHECK-LABEL: func.func @host
// CHECK-SAME: (%[[A:.*]]: tensor<?xf32>, %[[S:.*]]: f32, %[[N:.*]]: index)
func.func @host(%a: tensor<?xf32>, %s: f32, %n: index) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  // CHECK: tile.launch @scale grid(%[[N]]) ins(%[[A]], %[[S]] : tensor<?xf32>, f32) outs(%{{.*}} : tensor<?xf32>) sizes(%[[N]], %[[N]])
  // CHECK-SAME: {predicted = {us = 1.500000e+00 : f64}, schedule = "by hand"} -> tensor<?xf32>
  %r = tile.launch @scale grid(%n) ins(%a, %s : tensor<?xf32>, f32) outs(%e : tensor<?xf32>) sizes(%n, %n)
      {schedule = "by hand", predicted = {us = 1.5}} -> tensor<?xf32>
  // A launch that only writes.
  // CHECK: tile.launch @write grid(%{{.*}}) outs(%{{.*}} : tensor<?xf32>) -> tensor<?xf32>
  %w = tile.launch @write grid(%n) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  // CHECK: tile.launch @again grid(%{{.*}}) ins(%{{.*}} : tensor<?xf32>) outs(%{{.*}} : tensor<?xf32>) {programmatic} -> tensor<?xf32>
  %t = tile.launch @again grid(%n) ins(%w : tensor<?xf32>) outs(%r : tensor<?xf32>) {programmatic} -> tensor<?xf32>
  return %t : tensor<?xf32>
}

// CHECK: tile.kernel @again(%{{.*}}: !tile.ptr<f32> {tile.access = #tile.access<read>, tile.pending}, %{{.*}}: !tile.ptr<f32> {tile.access = #tile.access<write>, tile.pending})
tile.kernel @again(%w: !tile.ptr<f32> {tile.access = #tile.access<read>, tile.pending},
                   %t: !tile.ptr<f32> {tile.access = #tile.access<write>, tile.pending}) attributes {warps = 4 : i64} {
  // CHECK-NEXT: tile.launch_dependents
  tile.launch_dependents
  // CHECK-NEXT: tile.await_launches
  tile.await_launches
  tile.return
}

// CHECK: tile.kernel @scale(%{{.*}}: !tile.ptr<f32> {tile.access = #tile.access<read>}, %{{.*}}: f32, %{{.*}}: !tile.ptr<f32> {tile.access = #tile.access<write>}, %{{.*}}: index, %{{.*}}: index) attributes {warps = 4 : i64} {
tile.kernel @scale(%a: !tile.ptr<f32> {tile.access = #tile.access<read>}, %s: f32,
                   %o: !tile.ptr<f32> {tile.access = #tile.access<write>}, %m: index, %n: index)
    attributes {warps = 4 : i64} {
  // CHECK: %[[BLOCK:.*]] = tile.program_id
  %block = tile.program_id
  // CHECK: tile.program_count
  %blocks = tile.program_count
  // CHECK: %[[THREAD:.*]] = tile.thread_id
  %thread = tile.thread_id
  // CHECK: %[[X:.*]] = tile.element_load %{{.*}}[%[[THREAD]]] : <f32> -> f32
  %x = tile.element_load %a[%thread] : !tile.ptr<f32> -> f32
  // CHECK: tile.element_store %[[X]], %{{.*}}[%[[THREAD]]] : f32, <f32>
  tile.element_store %x, %o[%thread] : f32, !tile.ptr<f32>
  // CHECK: tile.return
  tile.return
}

// CHECK: tile.kernel private @write
// CHECK-SAME: attributes {shared_memory = 1024 : i64, warps = 1 : i64}
tile.kernel private @write(%o: !tile.ptr<f32> {tile.access = #tile.access<write>})
    attributes {warps = 1 : i64, shared_memory = 1024 : i64} {
  tile.return
}

// CHECK-LABEL: tile.kernel @global
tile.kernel @global(%a: !tile.ptr<f16> {tile.access = #tile.access<read>},
                    %o: !tile.ptr<f16> {tile.access = #tile.access<write>}, %n: index)
    attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[V:.*]] = tile.view %{{.*}}[%{{.*}}] sizes[%{{.*}}, %{{.*}}] strides[%{{.*}}, %{{.*}}] : <f16> -> <2 x f16, unit = 1, alignment = 16>
  %v = tile.view %a[%c0] sizes [%n, %n] strides [%n, %c1] : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  // CHECK: tile.window %{{.*}}[%{{.*}}] sizes[%{{.*}}, %{{.*}}] {bounded = array<i64: 1>, map = {{.*}}, shape = array<i64: 4, 56, 64>} : <f16> -> <2 x f16, unit = 1, alignment = 16>
  %window = tile.window %a[%n] sizes [%n, %n] {bounded = array<i64: 1>, map = affine_map<(d0, d1)[s0] -> (s0, d0 + d1 floordiv 64 - 1, d1 mod 64)>, shape = array<i64: 4, 56, 64>}
      : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  // CHECK: tile.view {{.*}} -> <1 x f16, unit = -1, alignment = 2>
  %row = tile.view %a[%c0] sizes [%n] strides [%n] : !tile.ptr<f16> -> !tile.view<1 x f16, unit = -1, alignment = 2>
  // CHECK: tile.view %{{.*}}[%{{.*}}] sizes[] strides[] : <f16> -> <0 x f16, unit = -1, alignment = 2>
  %scalar = tile.view %a[%c0] sizes [] strides [] : !tile.ptr<f16> -> !tile.view<0 x f16, unit = -1, alignment = 2>
  // CHECK: tile.load %[[V]][%{{.*}}, %{{.*}}] {in_bounds = array<i1: true, false>} : <2 x f16, unit = 1, alignment = 16> -> tensor<32x16xf16>
  %x = tile.load %v[%c0, %c0] {in_bounds = array<i1: true, false>} : !tile.view<2 x f16, unit = 1, alignment = 16> -> tensor<32x16xf16>
  // CHECK: tile.load %{{.*}}[] : <0 x f16, unit = -1, alignment = 2> -> tensor<f16>
  %s = tile.load %scalar[] : !tile.view<0 x f16, unit = -1, alignment = 2> -> tensor<f16>
  // CHECK: tile.load {{.*}} -> tensor<32x16xf16, #[[ROWS]]>
  %y = tile.load %v[%c0, %c0] : !tile.view<2 x f16, unit = 1, alignment = 16> -> tensor<32x16xf16, #rows>
  // CHECK: %[[Z:.*]] = tile.convert_layout %{{.*}} {offset = 128 : i64} : tensor<32x16xf16, #[[ROWS]]> -> tensor<32x16xf16, #[[COLUMNS]]>
  %z = tile.convert_layout %y {offset = 128 : i64} : tensor<32x16xf16, #rows> -> tensor<32x16xf16, #columns>
  %w = tile.view %o[%c0] sizes [%n, %n] strides [%n, %c1] : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  // CHECK: tile.store %[[Z]], %{{.*}}[%{{.*}}, %{{.*}}] {in_bounds = array<i1: true, true>, vectorize} : tensor<32x16xf16, #[[COLUMNS]]>, <2 x f16, unit = 1, alignment = 16>
  tile.store %z, %w[%c0, %c0] {vectorize, in_bounds = array<i1: true, true>} : tensor<32x16xf16, #columns>, !tile.view<2 x f16, unit = 1, alignment = 16>
  tile.return
}

// CHECK-LABEL: tile.kernel @shared
tile.kernel @shared(%a: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index)
    attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[B:.*]] = tile.alloc : <2, 64, 64, f16, #[[SWIZZLED]]>
  %b = tile.alloc : !buffer
  // CHECK: tile.alloc {offset = 16384 : i64} : <2, 64, 64, f16, #[[SWIZZLED]]>
  %placed = tile.alloc {offset = 16384 : i64} : !buffer
  %v = tile.view %a[%c0] sizes [%n, %n] strides [%n, %c1] : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  // CHECK-COUNT-3: tile.copy_async %{{.*}}[%{{.*}}, %{{.*}}], %[[B]][%{{.*}}] by async{{4|8|16}}
  tile.copy_async %v[%c0, %c0], %b[%c0] by async16 {in_bounds = array<i1: true, false>} : !tile.view<2 x f16, unit = 1, alignment = 16>, !buffer
  tile.copy_async %v[%c0, %c0], %b[%c1] by async8 : !tile.view<2 x f16, unit = 1, alignment = 16>, !buffer
  tile.copy_async %v[%c0, %c0], %b[%c1] by async4 : !tile.view<2 x f16, unit = 1, alignment = 16>, !buffer
  // CHECK: %[[WINDOW:.*]] = tile.window
  %w = tile.window %a[] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 128, 128>, map = affine_map<(d0, d1) -> (d0, d1)>} : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  // CHECK: tile.copy_async %[[WINDOW]][%{{.*}}, %{{.*}}], %[[B]][%{{.*}}] by tma
  tile.copy_async %w[%c0, %c0], %b[%c1] by tma : !tile.view<2 x f16, unit = 1, alignment = 16>, !buffer
  // CHECK: tile.await %[[B]][%{{.*}}] {slot = 0 : i64} : <2
  tile.await %b[%c1] {slot = 0 : i64} : !buffer
  %more = arith.cmpi slt, %c0, %n : index
  // CHECK: tile.acquire %[[B]][%{{.*}}] if %{{.*}} : <2
  tile.acquire %b[%c1] if %more : !buffer
  // CHECK: tile.release %[[B]][%{{.*}}] : <2
  tile.release %b[%c1] : !buffer
  // CHECK: tile.store_async %[[B]][%{{.*}}], %[[WINDOW]][%{{.*}}, %{{.*}}] : <2, {{.*}}, <2 x f16
  tile.store_async %b[%c1], %w[%c0, %c0] : !buffer, !tile.view<2 x f16, unit = 1, alignment = 16>
  // CHECK: tile.store_wait
  tile.store_wait
  // CHECK: tile.commit
  tile.commit
  // CHECK: tile.wait 1
  tile.wait 1
  // CHECK: tile.barrier
  tile.barrier
  // CHECK: tile.barrier with_producers
  tile.barrier with_producers
  // CHECK: tile.local_load %[[B]][%{{.*}}] at [0, 16] : <2, 64, 64, f16, #[[SWIZZLED]]> -> tensor<64x16xf16>
  %x = tile.local_load %b[%c0] at [0, 16] : !buffer -> tensor<64x16xf16>
  // CHECK: tile.local_load %[[B]][%{{.*}}] at [32, 0] transposed : {{.*}} -> tensor<64x32xf16>
  %y = tile.local_load %b[%c0] at [32, 0] transposed : !buffer -> tensor<64x32xf16>
  %s = arith.constant dense<0.0> : tensor<64x64xf16>
  // CHECK: tile.local_store %{{.*}}, %[[B]][%{{.*}}] : tensor<64x64xf16>
  tile.local_store %s, %b[%c0] : tensor<64x64xf16>, !buffer
  // CHECK: tile.local_store %{{.*}}, %[[B]][%{{.*}}] transposed : tensor<64x64xf16>
  tile.local_store %s, %b[%c1] transposed : tensor<64x64xf16>, !buffer
  // CHECK: tile.free %[[B]] : <2, 64, 64, f16, #[[SWIZZLED]]>
  tile.free %b : !buffer
  tile.return
}

// CHECK-LABEL: tile.kernel @roles
// CHECK-SAME: producers = 4 : i64, register_budgets = array<i64: 24, 240>
tile.kernel @roles() attributes {warps = 8 : i64, producers = 4 : i64, register_budgets = array<i64: 24, 240>, unmasked_iterations = 2 : i64} {
  // CHECK: tile.warp_specialize producer {
  // CHECK-NEXT: } consumer {
  // CHECK-NEXT: tile.barrier
  tile.warp_specialize producer {
  } consumer {
    tile.barrier
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @turns
// CHECK-SAME: ping_pong, producers = 4 : i64
tile.kernel @turns() attributes {warps = 8 : i64, producers = 4 : i64, ping_pong} {
  // CHECK: tile.ping_pong_arrive first
  // CHECK-NEXT: tile.ping_pong_wait
  // CHECK-NEXT: tile.ping_pong_arrive
  // CHECK-NEXT: tile.ping_pong_wait last
  tile.ping_pong_arrive first
  tile.ping_pong_wait
  tile.ping_pong_arrive
  tile.ping_pong_wait last
  tile.return
}

// CHECK-LABEL: tile.kernel @values
tile.kernel @values(%s: f32, %h: f16, %n: index) attributes {warps = 4 : i64} {
  // CHECK: %[[ACC:.*]] = tile.splat %{{.*}} : f32 -> tensor<64x32xf32>
  %acc = tile.splat %s : f32 -> tensor<64x32xf32>
  %a = tile.splat %h : f16 -> tensor<64x16xf16>
  %b = tile.splat %h : f16 -> tensor<16x32xf16>
  // CHECK: %[[DOT:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[ACC]] "mma.m16n8k16" warps [4, 1] : tensor<64x16xf16>, tensor<16x32xf16> -> tensor<64x32xf32>
  %d = tile.dot %a, %b, %acc "mma.m16n8k16" warps [4, 1] : tensor<64x16xf16>, tensor<16x32xf16> -> tensor<64x32xf32>
  %row = tile.splat %s : f32 -> tensor<32xf32>
  // CHECK: tile.broadcast %{{.*}} along [0] : tensor<32xf32> -> tensor<64x32xf32>
  %r = tile.broadcast %row along [0] : tensor<32xf32> -> tensor<64x32xf32>
  %scalar = tile.splat %s : f32 -> tensor<f32>
  // CHECK: tile.broadcast %{{.*}} along [0, 1] : tensor<f32> -> tensor<64x32xf32>
  %q = tile.broadcast %scalar along [0, 1] : tensor<f32> -> tensor<64x32xf32>
  // CHECK: tile.reduce maximumf %[[DOT]] along 1 : tensor<64x32xf32> -> tensor<64xf32>
  %rows = tile.reduce maximumf %d along 1 : tensor<64x32xf32> -> tensor<64xf32>
  // CHECK: tile.reduce addf %{{.*}} along 0 {offset = 128 : i64} : tensor<64xf32> -> tensor<f32>
  %all = tile.reduce addf %rows along 0 {offset = 128 : i64} : tensor<64xf32> -> tensor<f32>
  // CHECK: tile.iota %{{.*}} along 1 : tensor<64x32xindex>
  %i = tile.iota %n along 1 : tensor<64x32xindex>
  // CHECK: tile.slice %[[DOT]] at [0, 16] : tensor<64x32xf32> -> tensor<64x16xf32>
  %p = tile.slice %d at [0, 16] : tensor<64x32xf32> -> tensor<64x16xf32>
  // CHECK: tile.transpose %[[DOT]] : tensor<64x32xf32> -> tensor<32x64xf32>
  %t = tile.transpose %d : tensor<64x32xf32> -> tensor<32x64xf32>
  // CHECK: tile.mask %[[DOT]] below %{{.*}} along 0 else %{{.*}} : tensor<64x32xf32>, f32 -> tensor<64x32xf32>
  %m = tile.mask %d below %n along 0 else %s : tensor<64x32xf32>, f32 -> tensor<64x32xf32>
  // CHECK: %[[HELD:.*]] = tile.optimization_barrier %[[DOT]] : tensor<64x32xf32>
  %held = tile.optimization_barrier %d : tensor<64x32xf32>
  // CHECK: tile.scale %[[DOT]] by %{{.*}} : tensor<64x32xf32>
  %scaled = tile.scale %d by %r : tensor<64x32xf32>
  // CHECK: tile.exponent %[[DOT]] less %{{.*}} {scale = 1.250000e-01 : f32} : tensor<64x32xf32>
  %exponent = tile.exponent %d less %r {scale = 1.250000e-01 : f32} : tensor<64x32xf32>
  // CHECK: tile.exponent_step %{{.*}} to %{{.*}} {scale = 1.000000e+00 : f32} : tensor<64xf32>
  %step = tile.exponent_step %rows to %rows {scale = 1.0 : f32} : tensor<64xf32>
  // CHECK: %[[ARRAY:.*]] = tile.make_array %[[HELD]] : <4 x tensor<64x32xf32>>
  %array = tile.make_array %held : !tile.array<4 x tensor<64x32xf32>>
  // CHECK: %[[ELEMENT:.*]] = tile.array_get %[[ARRAY]][%{{.*}}] : <4 x tensor<64x32xf32>>
  %element = tile.array_get %array[%n] : !tile.array<4 x tensor<64x32xf32>>
  // CHECK: tile.array_set %[[ELEMENT]], %[[ARRAY]][%{{.*}}] : <4 x tensor<64x32xf32>>
  %changed = tile.array_set %element, %array[%n] : !tile.array<4 x tensor<64x32xf32>>
  tile.return
}

// Places that are computed, borders that accesses cross, and private accesses of threads.
!aside = !tile.buffer<3, 128, 4, f32, <"offset: 4*[0,1] 128*[1,0] -> [128, 4]">>
// CHECK: tile.kernel @places
tile.kernel @places(%p: !tile.ptr<f32> {tile.access = #tile.access<read>}, %q: !tile.ptr<f32> {tile.access = #tile.access<write>},
                    %n: index) attributes {warps = 4 : i64} {
  %view = tile.view %p[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f32> -> !tile.view<2 x f32, unit = 1, alignment = 16>
  // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}] {misaligned = 4 : i64, ragged, within = 1000 : i64} :
  %across = tile.load %view[%n, %n] {ragged, misaligned = 4, within = 1000} : !tile.view<2 x f32, unit = 1, alignment = 16> -> tensor<32x16xf32, #rows>
  // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}] {evict_first} :
  %past = tile.load %view[%n, %n] {evict_first} : !tile.view<2 x f32, unit = 1, alignment = 16> -> tensor<32x16xf32, #rows>
  // CHECK: tile.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] {misaligned = 4 : i64, ragged} :
  tile.store %past, %view[%n, %n] {ragged, misaligned = 4} : tensor<32x16xf32, #rows>, !tile.view<2 x f32, unit = 1, alignment = 16>
  // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}] {ragged} :
  %x = tile.load %view[%n, %n] {ragged} : !tile.view<2 x f32, unit = 1, alignment = 16> -> tensor<32x16xf32, #rows>
  %i = tile.iota %n along 0 : tensor<32x16xindex, #rows>
  // CHECK: tile.gather %{{.*}}[%{{.*}}] : <f32>, tensor<32x16xindex, #[[ROWS]]> -> tensor<32x16xf32, #[[ROWS]]>
  %y = tile.gather %p[%i] : !tile.ptr<f32>, tensor<32x16xindex, #rows> -> tensor<32x16xf32, #rows>
  %aside = tile.alloc : !aside
  // CHECK: tile.private_store %{{.*}}, %{{.*}}[%{{.*}}] : tensor<32x16xf32, #[[ROWS]]>, <3, 128, 4, f32,
  tile.private_store %x, %aside[%n] : tensor<32x16xf32, #rows>, !aside
  // CHECK: tile.private_load %{{.*}}[%{{.*}}] : <3, 128, 4, f32, {{.*}} -> tensor<32x16xf32, #[[ROWS]]>
  %z = tile.private_load %aside[%n] : !aside -> tensor<32x16xf32, #rows>
  // CHECK: tile.copy_async %{{.*}}, %{{.*}}[%{{.*}}] by{{ +}}async16 {thread_private = tensor<32x16xf32, #[[ROWS]]>} :
  tile.copy_async %view[%n, %n], %aside[%n] by async16 {thread_private = tensor<32x16xf32, #rows>} : !tile.view<2 x f32, unit = 1, alignment = 16>, !aside
  %out = tile.view %q[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f32> -> !tile.view<2 x f32, unit = 1, alignment = 16>
  // CHECK: tile.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] {ragged} :
  tile.store %z, %out[%n, %n] {ragged} : tensor<32x16xf32, #rows>, !tile.view<2 x f32, unit = 1, alignment = 16>
  tile.return
}

// CHECK: tile.kernel @blocks
tile.kernel @blocks(%n: index) attributes {warps = 4 : i64} {
  // CHECK: tile.last_block %{{.*}} of %{{.*}} {counters = 6 : i64}
  %last = tile.last_block %n of %n {counters = 6 : i64}
  tile.return
}

// CHECK: tile.kernel @discards
tile.kernel @discards(%p: !tile.ptr<f32> {tile.access = #tile.access<read_write>}, %n: index) attributes {warps = 4 : i64} {
  %one = arith.constant 1 : index
  %v = tile.view %p[%n] sizes [%n, %n] strides [%n, %one] : !tile.ptr<f32> -> !tile.view<2 x f32, unit = 1, alignment = 16>
  // CHECK: tile.discard %{{.*}}[%{{.*}}, %{{.*}}] {shape = array<i64: 8, 64>} : <2 x f32, unit = 1, alignment = 16>
  tile.discard %v[%n, %n] {shape = array<i64: 8, 64>} : !tile.view<2 x f32, unit = 1, alignment = 16>
  tile.return
}

#parts = #tile.layout<"offset: 2*[0, 1] 8*[1, 0] -> [8, 2]">
// CHECK: tile.kernel @clusters(%{{.*}}: f32) attributes {cluster = 8 : i64, warps = 1 : i64}
tile.kernel @clusters(%x: f32) attributes {cluster = 8 : i64, warps = 1 : i64} {
  %mine = tile.splat %x : f32 -> tensor<2xf32>
  %given = tile.alloc : !tile.buffer<1, 8, 2, f32, #parts, cluster>
  // A space that is not said is `shared`.
  // CHECK: tile.alloc : <1, 8, 2, f32, {{[^,]*}}>
  %own = tile.alloc : !tile.buffer<1, 8, 2, f32, #parts, shared>
  // CHECK: tile.barrier cluster
  tile.barrier cluster
  // CHECK: tile.cluster_reduce addf %{{.*}} in %{{.*}} : tensor<2xf32>, <1, 8, 2, f32, {{.*}}, cluster>
  %all = tile.cluster_reduce addf %mine in %given : tensor<2xf32>, !tile.buffer<1, 8, 2, f32, #parts, cluster>
  %turns = tile.alloc : !tile.buffer<2, 8, 2, f32, #parts, cluster>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %c1 {
    %stage = arith.remui %i, %c2 : index
    // CHECK: tile.cluster_reduce addf %{{.*}} in %{{.*}}[%{{.*}}] : tensor<2xf32>, <2, 8, 2, f32, {{.*}}, cluster>
    %each = tile.cluster_reduce addf %mine in %turns[%stage] : tensor<2xf32>, !tile.buffer<2, 8, 2, f32, #parts, cluster>
  }
  tile.return
}

// CHECK-LABEL: func.func @in_shared_memory
!rows = !tile.buffer<1, 64, 32, f16, <"offset: 32*[0,1] 64*[1,0] -> [64, 32]">>
!across = !tile.buffer<2, 32, 64, f16, <"offset: 64*[0,1] 32*[1,0] -> [32, 64]">>
func.func @in_shared_memory(%x: tensor<64x32xf16>, %a: !rows, %b: !across, %i: index, %s: tensor<64x64xf32>) {
  // CHECK: tile.proxy_fence
  tile.proxy_fence
  // CHECK: %[[D:.*]] = tile.shared_dot %{{.*}}, %{{.*}}[%{{.*}}], %{{.*}} "wgmma.m64k16" warps [4, 1] {rhs_slot = 1 : i64} : [tensor<64x32xf16>] <2, 32, 64, f16, {{.*}}> -> tensor<64x64xf32>
  %d = tile.shared_dot %x, %b[%i], %s "wgmma.m64k16" warps [4, 1] {rhs_slot = 1 : i64} : [tensor<64x32xf16>] !across -> tensor<64x64xf32>
  // CHECK: tile.shared_dot of %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}], %[[D]] "wgmma.m64k16" warps [4, 1] : (!tile.buffer<1, 64, 32, f16, {{.*}}>) <2, 32, 64, f16, {{.*}}> -> tensor<64x64xf32>
  %e = tile.shared_dot of %a[%i], %b[%i], %d "wgmma.m64k16" warps [4, 1] : (!rows) !across -> tensor<64x64xf32>
  return
}
