// RUN: fusion-opt %s --tile-unroll-arrays --split-input-file --verify-diagnostics

!tiles = !tile.array<2 x tensor<32x32xf16>>
!buffer = !tile.buffer<1, 32, 32, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[1,8] x[2,16] 8*[4,0] -> [32, 32]">>

tile.kernel @dynamic_bounds(%n: index) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf16>
  %zeros = tile.make_array %zero : !tiles
  // expected-error @below {{'scf.for' op indexes an array of tiles in registers, but its bounds are no constants}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%given = %zeros) -> (!tiles) {
    %set = tile.array_set %zero, %given[%i] : !tiles
    scf.yield %set : !tiles
  }
  tile.return
}

// -----

!tiles = !tile.array<2 x tensor<32x32xf16>>
!buffer = !tile.buffer<1, 32, 32, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[1,8] x[2,16] 8*[4,0] -> [32, 32]">>

tile.kernel @dynamic_index(%n: index) attributes {warps = 2 : i64} {
  %zero = arith.constant dense<0.0> : tensor<32x32xf16>
  %zeros = tile.make_array %zero : !tiles
  // expected-error @below {{'tile.array_get' op has an index that unrolling makes no constant}}
  %r = tile.array_get %zeros[%n] : !tiles
  %b = tile.alloc : !buffer
  %c0 = arith.constant 0 : index
  tile.local_store %r, %b[%c0] : tensor<32x32xf16>, !buffer
  tile.return
}

// -----

!tiles = !tile.array<2 x tensor<32x32xf16>>
!buffer = !tile.buffer<1, 32, 32, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[1,8] x[2,16] 8*[4,0] -> [32, 32]">>

tile.kernel @outside() attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf16>
  %zeros = tile.make_array %zero : !tiles
  %b = tile.alloc : !buffer
  scf.for %i = %c0 to %c3 step %c1 {
    // expected-error @below {{'tile.array_get' op is of tile 2 of an array of 2}}
    %r = tile.array_get %zeros[%i] : !tiles
    tile.local_store %r, %b[%c0] : tensor<32x32xf16>, !buffer
  }
  tile.return
}

// -----

!tiles = !tile.array<2 x tensor<32x32xf16>>
!buffer = !tile.buffer<1, 32, 32, f16, <"offset: 8*[0,1] x[0,8] x[0,16] x[1,8] x[2,16] 8*[4,0] -> [32, 32]">>

tile.kernel @branches(%p: i1) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %b = tile.alloc : !buffer
  %zero = arith.constant dense<0.0> : tensor<32x32xf16>
  %zeros = tile.make_array %zero : !tiles
  %one = arith.constant dense<1.0> : tensor<32x32xf16>
  %others = tile.make_array %one : !tiles
  // expected-error @below {{'arith.select' op cannot take an array of tiles}}
  %r = arith.select %p, %zeros, %others : !tiles
  %t = tile.array_get %r[%c0] : !tiles
  tile.local_store %t, %b[%c0] : tensor<32x32xf16>, !buffer
  tile.return
}
