// RUN: fusion-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-use-shared-operands))' -split-input-file -verify-diagnostics

!across = !tile.buffer<1, 32, 64, f16, <"offset: 64*[0,1] 32*[1,0] -> [32, 64]">>
tile.kernel @second_computed(%stage: index) attributes {warps = 4 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = arith.constant dense<1.0> : tensor<64x32xf16>
  %b = tile.alloc : !across
  %y = tile.local_load %b[%stage] at [0, 0] : !across -> tensor<32x64xf16>
  %less = arith.negf %y : tensor<32x64xf16>
  // expected-error @below {{'tile.dot' op 'wgmma.m64k16' reads its RHS in place from shared memory, which must be a whole stage of a buffer}}
  %d = tile.dot %x, %less, %zero "wgmma.m64k16" warps [4, 1] : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  tile.return
}

// -----

// The product would read what is stored after the load.
!across = !tile.buffer<1, 32, 64, f16, <"offset: 64*[0,1] 32*[1,0] -> [32, 64]">>
tile.kernel @written_in_between(%stage: index) attributes {warps = 4 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = arith.constant dense<1.0> : tensor<64x32xf16>
  %z = arith.constant dense<1.0> : tensor<32x64xf16>
  %b = tile.alloc : !across
  %y = tile.local_load %b[%stage] at [0, 0] : !across -> tensor<32x64xf16>
  tile.local_store %z, %b[%stage] : tensor<32x64xf16>, !across
  // expected-error @below {{reads its RHS in place from shared memory}}
  %d = tile.dot %x, %y, %zero "wgmma.m64k16" warps [4, 1] : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  tile.return
}

// -----

!wide = !tile.buffer<1, 64, 64, f16, <"offset: 64*[0,1] 64*[1,0] -> [64, 64]">>
tile.kernel @part_of_a_stage(%stage: index) attributes {warps = 4 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = arith.constant dense<1.0> : tensor<64x32xf16>
  %b = tile.alloc : !wide
  %y = tile.local_load %b[%stage] at [32, 0] : !wide -> tensor<32x64xf16>
  // expected-error @below {{reads its RHS in place from shared memory}}
  %d = tile.dot %x, %y, %zero "wgmma.m64k16" warps [4, 1] : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  tile.return
}

// -----

// Two iterations further on, a buffer of two stages has the same one.
!across = !tile.buffer<2, 32, 64, f16, <"offset: 64*[0,1] 32*[1,0] -> [32, 64]">>
tile.kernel @the_same_stage(%stage: index, %next: index) attributes {warps = 4 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = arith.constant dense<1.0> : tensor<64x32xf16>
  %z = arith.constant dense<1.0> : tensor<32x64xf16>
  %b = tile.alloc : !across
  %y = tile.local_load %b[%stage] at [0, 0] {slot = 0 : i64} : !across -> tensor<32x64xf16>
  tile.local_store %z, %b[%next] {slot = 2 : i64} : tensor<32x64xf16>, !across
  // expected-error @below {{reads its RHS in place from shared memory}}
  %d = tile.dot %x, %y, %zero "wgmma.m64k16" warps [4, 1] : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  tile.return
}
