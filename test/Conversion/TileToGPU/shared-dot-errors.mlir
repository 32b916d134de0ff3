// RUN: fusion-opt %s --convert-tile-to-gpu -split-input-file -verify-diagnostics

#sums = #tile.layout<"register: 2*[0,1] 2*[8,0] 8*[0,8]; lane: 4*[0,2] 8*[1,0]; warp: 4*[16,0] -> [64, 64]">
!plain = !tile.buffer<1, 64, 64, f16, <"offset: 64*[0,1] 64*[1,0] -> [64, 64]">>
tile.kernel @without_swizzle(%x: f32) attributes {warps = 4 : i64, shared_memory = 16384 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.alloc {offset = 0 : i64} : !plain
  %b = tile.alloc {offset = 8192 : i64} : !plain
  %s = tile.splat %x : f32 -> tensor<64x64xf32, #sums>
  // expected-error @below {{'tile.shared_dot' op operands do not lie in shared memory as its descriptors can say}}
  %d = tile.shared_dot of %a[%c0], %b[%c0], %s "wgmma.m64k16" warps [4, 1] : (!plain) !plain -> tensor<64x64xf32, #sums>
  tile.return
}

// -----

#panels = #tile.layout<"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] -> [64, 64]">
#other = #tile.layout<"register: 4*[0,1] 8*[0,8]; lane: 2*[0,4] 16*[1,0]; warp: 4*[16,0] -> [64, 64]">
!rows = !tile.buffer<1, 64, 64, f16, #panels>
tile.kernel @other_sums(%x: f32) attributes {warps = 4 : i64, shared_memory = 16384 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.alloc {offset = 0 : i64} : !rows
  %b = tile.alloc {offset = 8192 : i64} : !rows
  %s = tile.splat %x : f32 -> tensor<64x64xf32, #other>
  // expected-error @below {{'tile.shared_dot' op operands are not laid out as its fragments}}
  %d = tile.shared_dot of %a[%c0], %b[%c0], %s "wgmma.m64k16" warps [4, 1] : (!rows) !rows -> tensor<64x64xf32, #other>
  tile.return
}

// -----

#panels = #tile.layout<"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] -> [64, 64]">
#sums = #tile.layout<"register: 2*[0,1] 2*[8,0] 8*[0,8]; lane: 4*[0,2] 8*[1,0]; warp: 4*[16,0] -> [64, 64]">
!rows = !tile.buffer<1, 64, 64, i16, #panels>
tile.kernel @types_of_no_instruction(%x: i32) attributes {warps = 4 : i64, shared_memory = 16384 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.alloc {offset = 0 : i64} : !rows
  %b = tile.alloc {offset = 8192 : i64} : !rows
  %s = tile.splat %x : i32 -> tensor<64x64xi32, #sums>
  // expected-error @below {{'tile.shared_dot' op no instruction multiplies 'i16' by 'i16' to 'i32'}}
  %d = tile.shared_dot of %a[%c0], %b[%c0], %s "wgmma.m64k16" warps [4, 1] : (!rows) !rows -> tensor<64x64xi32, #sums>
  tile.return
}
