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
