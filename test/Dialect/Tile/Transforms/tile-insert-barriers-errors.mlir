// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-insert-barriers))' -split-input-file -verify-diagnostics

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
tile.kernel @not_placed() attributes {warps = 1 : i64} {
  // expected-error @below {{'tile.alloc' op has no offset; run tile-allocate-shared}}
  %a = tile.alloc : !buffer
  tile.return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
tile.kernel @selected(%n: index, %c: i1) attributes {warps = 1 : i64} {
  %a = tile.alloc {offset = 0 : i64} : !buffer
  %b = tile.alloc {offset = 128 : i64} : !buffer
  %x = arith.select %c, %a, %b : !buffer
  // expected-error @below {{'tile.local_load' op has a buffer that is not made by a tile.alloc}}
  %y = tile.local_load %x[%n] at [0, 0] : !buffer -> tensor<8x8xf16>
  tile.return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
tile.kernel @carried(%n: index) attributes {warps = 1 : i64} {
  %a = tile.alloc {offset = 0 : i64} : !buffer
  %r = scf.for %i = %n to %n step %n iter_args(%b = %a) -> !buffer {
    // expected-error @below {{'tile.local_load' op has a buffer that is not made by a tile.alloc}}
    %y = tile.local_load %b[%n] at [0, 0] : !buffer -> tensor<8x8xf16>
    scf.yield %b : !buffer
  }
  tile.return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @overwritten(%p: !tile.ptr<f16> {tile.access = #tile.access<write>}, %n: index) attributes {warps = 2 : i64} {
  %x = arith.constant dense<1.0> : tensor<8x8xf16>
  %v = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 8, 8>, map = affine_map<(d0, d1) -> (d0, d1)>} : !tile.ptr<f16> -> !view
  %a = tile.alloc {offset = 0 : i64} : !buffer
  scf.for %i = %n to %n step %n {
    // expected-error @below {{'tile.local_store' op writes to what a tile.store_async may still be reading; it needs a tile.store_wait}}
    tile.local_store %x, %a[%n] : tensor<8x8xf16>, !buffer
    tile.store_async %a[%n], %v[%i, %n] : !buffer, !view
  }
  tile.store_wait
  tile.return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @not_waited_for(%p: !tile.ptr<f16> {tile.access = #tile.access<write>}, %n: index) attributes {warps = 2 : i64} {
  %x = arith.constant dense<1.0> : tensor<8x8xf16>
  %v = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 8, 8>, map = affine_map<(d0, d1) -> (d0, d1)>} : !tile.ptr<f16> -> !view
  %a = tile.alloc {offset = 0 : i64} : !buffer
  tile.local_store %x, %a[%n] : tensor<8x8xf16>, !buffer
  // expected-error @below {{'tile.store_async' op may still be reading when the block ends; it needs a tile.store_wait}}
  tile.store_async %a[%n], %v[%n, %n] : !buffer, !view
  tile.return
}
