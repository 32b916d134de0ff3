// RUN: fusion-opt %s --split-input-file --verify-diagnostics
// What other blocks write to lies in memory of the space `cluster`, and nothing else does.

!buffer = !tile.buffer<1, 16, 8, f16, <"offset: 8*[0,1] 16*[1,0] -> [16, 8]">>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @multicast(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {cluster = 2 : i64, warps = 1 : i64} {
  %v = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 64, 64>, map = affine_map<(d0, d1) -> (d0, d1)>} : !tile.ptr<f16> -> !view
  %b = tile.alloc : !buffer
  // expected-error @below {{'tile.copy_async' op needs a buffer of the space 'cluster', got 'shared'}}
  tile.copy_async %v[%n, %n], %b[%n] by tma {multicast} : !view, !buffer
  tile.return
}

// -----

!buffer = !tile.buffer<1, 16, 8, f16, <"offset: 8*[0,1] 16*[1,0] -> [16, 8]">, cluster>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @bulk(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {cluster = 2 : i64, warps = 1 : i64} {
  %v = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 64, 64>, map = affine_map<(d0, d1) -> (d0, d1)>} : !tile.ptr<f16> -> !view
  %b = tile.alloc : !buffer
  // expected-error @below {{'tile.copy_async' op needs a buffer of the space 'shared', got 'cluster'}}
  tile.copy_async %v[%n, %n], %b[%n] by tma : !view, !buffer
  tile.return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">, cluster>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @by_threads(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {cluster = 2 : i64, warps = 1 : i64} {
  %v = tile.view %p[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f16> -> !view
  %b = tile.alloc : !buffer
  // expected-error @below {{'tile.copy_async' op needs a buffer of the space 'shared', got 'cluster'}}
  tile.copy_async %v[%n, %n], %b[%n] by async16 : !view, !buffer
  tile.return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">, cluster>
tile.kernel @store(%a: f16, %n: index) attributes {cluster = 2 : i64, warps = 1 : i64} {
  %t = tile.splat %a : f16 -> tensor<8x8xf16>
  %b = tile.alloc : !buffer
  // expected-error @below {{'tile.local_store' op needs a buffer of the space 'shared', got 'cluster'}}
  tile.local_store %t, %b[%n] : tensor<8x8xf16>, !buffer
  tile.return
}

// -----

#threads = #tile.layout<"lane: 32*[1] -> [32]">
!buffer = !tile.buffer<1, 32, 1, f32, <"offset: 32*[1,0] -> [32, 1]">, cluster>
tile.kernel @stash(%a: f32, %n: index) attributes {cluster = 2 : i64, warps = 1 : i64} {
  %t = tile.splat %a : f32 -> tensor<32xf32, #threads>
  %b = tile.alloc : !buffer
  // expected-error @below {{'tile.private_store' op needs a buffer of the space 'shared', got 'cluster'}}
  tile.private_store %t, %b[%n] : tensor<32xf32, #threads>, !buffer
  tile.return
}

// -----

!buffer = !tile.buffer<2, 8, 8, f32, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
tile.kernel @scatter(%a: f32) attributes {cluster = 2 : i64, warps = 1 : i64} {
  %t = tile.splat %a : f32 -> tensor<16x8xf32>
  %b = tile.alloc : !buffer
  // expected-error @below {{'tile.cluster_scatter' op needs a buffer of the space 'cluster', got 'shared'}}
  tile.cluster_scatter %t, %b : tensor<16x8xf32>, !buffer
  tile.return
}

// -----

!buffer = !tile.buffer<1, 2, 4, f32, <"offset: 4*[0,1] 2*[1,0] -> [2, 4]">>
tile.kernel @reduce(%a: f32) attributes {cluster = 2 : i64, warps = 1 : i64} {
  %t = tile.splat %a : f32 -> tensor<4xf32>
  %b = tile.alloc : !buffer
  // expected-error @below {{'tile.cluster_reduce' op needs a buffer of the space 'cluster', got 'shared'}}
  %all = tile.cluster_reduce addf %t in %b : tensor<4xf32>, !buffer
  tile.return
}

// -----

tile.kernel @alone() attributes {warps = 1 : i64} {
  // expected-error @below {{'tile.alloc' op is of the space 'cluster' in a kernel without a cluster of blocks}}
  %b = tile.alloc : !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">, cluster>
  tile.return
}

// -----

// expected-error @below {{expected one of [shared, cluster] for memory space of a buffer, got: global}}
// expected-error @below {{failed to parse Tile_BufferType parameter 'space'}}
func.func private @no_space(!tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">, global>)
