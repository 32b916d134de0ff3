// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-allocate-shared))' -split-input-file -verify-diagnostics

!small = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
tile.kernel @freed_in_a_loop(%n: index) attributes {warps = 1 : i64} {
  %a = tile.alloc : !small
  scf.for %i = %n to %n step %n {
    // expected-error @below {{'tile.free' op must stand in the block of its tile.alloc}}
    tile.free %a : !small
  }
  tile.return
}

// -----

!small = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
tile.kernel @selected(%c: i1) attributes {warps = 1 : i64} {
  %a = tile.alloc : !small
  %b = tile.alloc : !small
  %x = arith.select %c, %a, %b : !small
  // expected-error @below {{'tile.free' op frees what no tile.alloc of this kernel made}}
  tile.free %x : !small
  tile.return
}

// -----

tile.kernel @without_layouts(%e: f16) attributes {warps = 1 : i64} {
  %x = tile.splat %e : f16 -> tensor<16x16xf16>
  // expected-error @below {{'tile.convert_layout' op has no layouts; run tile-assign-layouts}}
  %y = tile.convert_layout %x : tensor<16x16xf16> -> tensor<16x16xf16>
  tile.return
}

// -----

#rows = #tile.layout<"register: 6*[0,1] 3*[2,0]; lane: 2*[1,0] -> [6, 6]">
#columns = #tile.layout<"register: 6*[1,0] 3*[0,2]; lane: 2*[0,1] -> [6, 6]">
tile.kernel @rows_of_twelve_bytes(%e: f16) attributes {warps = 1 : i64} {
  %x = tile.splat %e : f16 -> tensor<6x6xf16, #rows>
  // expected-error @below {{'tile.convert_layout' op cannot go through shared memory}}
  %y = tile.convert_layout %x : tensor<6x6xf16, #rows> -> tensor<6x6xf16, #columns>
  tile.return
}

// -----

!stages = !tile.buffer<33, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @too_many_stages(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 1 : i64} {
  %w = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 8, 8>, map = affine_map<(d0, d1) -> (d0, d1)>} : !tile.ptr<f16> -> !view
  // expected-error @below {{'tile.alloc' op needs an mbarrier for each stage, which makes more than 32 of the kernel}}
  %x = tile.alloc : !stages
  tile.copy_async %w[%n, %n], %x[%n] by tma : !view, !stages
  tile.return
}
