// RUN: fusion-opt %s --convert-tile-to-gpu -split-input-file -verify-diagnostics

tile.kernel @no_layout(%e: f32) attributes {warps = 1 : i64} {
  // expected-error @below {{'tile.splat' op has no layout; run tile-assign-layouts}}
  %x = tile.splat %e : f32 -> tensor<16x16xf32>
  tile.return
}

// -----

tile.kernel @constant_without_layout() attributes {warps = 1 : i64} {
  // expected-error @below {{'arith.constant' op has no layout; run tile-assign-layouts}}
  %x = arith.constant dense<0.0> : tensor<16x16xf32>
  tile.return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
tile.kernel @no_offset() attributes {warps = 1 : i64, shared_memory = 128 : i64} {
  // expected-error @below {{'tile.alloc' op has no place in shared memory; run tile-allocate-shared}}
  %a = tile.alloc : !buffer
  tile.return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
tile.kernel @no_shared_memory() attributes {warps = 1 : i64} {
  // expected-error @below {{'tile.alloc' op has no place in shared memory; run tile-allocate-shared}}
  %a = tile.alloc {offset = 0 : i64} : !buffer
  tile.return
}

// -----

#acc = #tile.layout<"register: 2*[0,1] 2*[8,0] 2*[0,8]; lane: 4*[0,2] 8*[1,0] -> [16, 16]">
#rows = #tile.layout<"register: 8*[0,1]; lane: 2*[0,8] 16*[1,0] -> [16, 16]">
tile.kernel @no_scratch(%e: f16) attributes {warps = 1 : i64} {
  %x = tile.splat %e : f16 -> tensor<16x16xf16, #acc>
  // expected-error @below {{'tile.convert_layout' op has no scratch; run tile-allocate-shared}}
  %y = tile.convert_layout %x : tensor<16x16xf16, #acc> -> tensor<16x16xf16, #rows>
  tile.return
}

// -----

#acc = #tile.layout<"register: 2*[0,1] 2*[8,0] 2*[0,8]; lane: 4*[0,2] 8*[1,0] -> [16, 16]">
#rows = #tile.layout<"register: 8*[0,1]; lane: 2*[0,8] 16*[1,0] -> [16, 16]">
tile.kernel @scratch_without_shared_memory(%e: f16) attributes {warps = 1 : i64} {
  %x = tile.splat %e : f16 -> tensor<16x16xf16, #acc>
  // expected-error @below {{'tile.convert_layout' op has no place in shared memory; run tile-allocate-shared}}
  %y = tile.convert_layout %x {offset = 0 : i64} : tensor<16x16xf16, #acc> -> tensor<16x16xf16, #rows>
  tile.return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
#rows = #tile.layout<"register: 2*[0,1]; lane: 4*[0,2] 8*[1,0] -> [8, 8]">
tile.kernel @selected(%n: index, %c: i1) attributes {warps = 1 : i64, shared_memory = 256 : i64} {
  %a = tile.alloc {offset = 0 : i64} : !buffer
  %b = tile.alloc {offset = 128 : i64} : !buffer
  %x = arith.select %c, %a, %b : !buffer
  // expected-error @below {{'arith.select' op has a buffer that is not made by a tile.alloc}}
  %y = arith.select %c, %x, %b : !buffer
  tile.return
}

// -----

#acc = #tile.layout<"register: 2*[0,1] 2*[8,0]; lane: 4*[0,2] 8*[1,0] -> [16, 8]">
#a = #tile.layout<"register: 2*[0,1] 2*[8,0] 2*[0,8]; lane: 4*[0,2] 8*[1,0] -> [16, 16]">
#b = #tile.layout<"register: 2*[1,0] 2*[8,0]; lane: 4*[2,0] 8*[0,1] -> [16, 8]">
tile.kernel @dot_of_i16(%h: i16, %f: f32) attributes {warps = 1 : i64} {
  %a = tile.splat %h : i16 -> tensor<16x16xi16, #a>
  %b = tile.splat %h : i16 -> tensor<16x8xi16, #b>
  %c = tile.splat %f : f32 -> tensor<16x8xf32, #acc>
  // expected-error @below {{'tile.dot' op no instruction multiplies 'i16' by 'i16' to 'f32'}}
  %d = tile.dot %a, %b, %c "mma.m16n8k16" warps [1, 1] : tensor<16x16xi16, #a>, tensor<16x8xi16, #b> -> tensor<16x8xf32, #acc>
  tile.return
}

// -----

#acc = #tile.layout<"register: 2*[0,1] 2*[8,0]; lane: 4*[0,2] 8*[1,0] -> [16, 8]">
#rows = #tile.layout<"register: 8*[0,1]; lane: 2*[0,8] 16*[1,0] -> [16, 16]">
#b = #tile.layout<"register: 4*[4,0]; lane: 8*[0,1] 4*[1,0] -> [16, 8]">
#other = #tile.layout<"register: 4*[1,0]; lane: 4*[4,0] 8*[0,1] -> [16, 8]">
tile.kernel @dot_of_other_layouts(%h: f16, %f: f32) attributes {warps = 1 : i64} {
  %a = tile.splat %h : f16 -> tensor<16x16xf16, #rows>
  %b = tile.splat %h : f16 -> tensor<16x8xf16, #other>
  %c = tile.splat %f : f32 -> tensor<16x8xf32, #tile.layout<"register: 4*[4,0]; lane: 4*[1,0] 8*[0,1] -> [16, 8]">>
  // expected-error @below {{'tile.dot' op operands are not laid out as its fragments}}
  %d = tile.dot %a, %b, %c "mma.m16n8k16" warps [1, 1] : tensor<16x16xf16, #rows>, tensor<16x8xf16, #other> -> tensor<16x8xf32, #tile.layout<"register: 4*[4,0]; lane: 4*[1,0] 8*[0,1] -> [16, 8]">>
  tile.return
}

// -----

#acc = #tile.layout<"register: 2*[0,1] 2*[8,0]; lane: 4*[0,2] 8*[1,0] -> [16, 8]">
#row = #tile.layout<"register: 8*[1]; lane: 4*[0] 8*[0] -> [8]">
tile.kernel @broadcast_of_another_layout(%e: f32) attributes {warps = 1 : i64} {
  %x = tile.splat %e : f32 -> tensor<8xf32, #row>
  // expected-error @below {{'tile.broadcast' op has an operand that is not laid out as its result without the repeated dimensions}}
  %y = tile.broadcast %x along [0] : tensor<8xf32, #row> -> tensor<16x8xf32, #acc>
  tile.return
}

// -----

#whole = #tile.layout<"register: 2*[0,1] 2*[8,0]; lane: 4*[0,2] 8*[1,0] -> [16, 8]">
#part = #tile.layout<"register: 2*[0,1] 2*[8,0]; lane: 2*[0,2] 8*[1,0] 2*[0,0] -> [16, 4]">
tile.kernel @slice_over_lanes(%e: f32) attributes {warps = 1 : i64} {
  %x = tile.splat %e : f32 -> tensor<16x8xf32, #whole>
  // expected-error @below {{'tile.slice' op takes a part that is spread over threads}}
  %y = tile.slice %x at [0, 4] : tensor<16x8xf32, #whole> -> tensor<16x4xf32, #part>
  tile.return
}

// -----

#whole = #tile.layout<"register: 2*[0,1] 2*[8,0]; lane: 4*[0,2] 8*[1,0] -> [16, 8]">
tile.kernel @transpose_of_another_layout(%e: f32) attributes {warps = 1 : i64} {
  %x = tile.splat %e : f32 -> tensor<16x8xf32, #whole>
  // expected-error @below {{'tile.transpose' op has a result that is not laid out as its operand}}
  %y = tile.transpose %x : tensor<16x8xf32, #whole> -> tensor<8x16xf32, #tile.layout<"register: 4*[0,1]; lane: 4*[0,4] 8*[1,0] -> [8, 16]">>
  tile.return
}

// -----

#whole = #tile.layout<"register: 2*[0,1] 2*[8,0]; lane: 4*[0,2] 8*[1,0] -> [16, 8]">
tile.kernel @foreign(%e: f32) attributes {warps = 1 : i64} {
  // expected-error @below {{'tensor.empty' op cannot be distributed to threads}}
  %x = tensor.empty() : tensor<16x8xf32, #whole>
  tile.return
}

// -----

tile.kernel @foreign_loop(%c: i1) attributes {warps = 1 : i64} {
  // expected-error @below {{'scf.while' op cannot be distributed to threads}}
  scf.while : () -> () {
    scf.condition(%c)
  } do {
    scf.yield
  }
  tile.return
}

// -----

// A tile whose rows are no multiple of 16 bytes.
!buffer = !tile.buffer<1, 8, 4, f16, <"offset: 4*[0,1] 8*[1,0] -> [8, 4]">>
tile.kernel @narrow_rows(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 1 : i64, shared_memory = 128 : i64} {
  %b = tile.alloc {offset = 0 : i64} : !buffer
  %v = tile.view %p[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  // expected-error @below {{'tile.copy_async' op has a tile that cannot be cut into 16-byte units}}
  tile.copy_async %v[%n, %n], %b[%n] by async16 : !tile.view<2 x f16, unit = 1, alignment = 16>, !buffer
  tile.return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @without_mbarriers(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 1 : i64, shared_memory = 1024 : i64} {
  %w = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 8, 8>, map = affine_map<(d0, d1) -> (d0, d1)>} : !tile.ptr<f16> -> !view
  %x = tile.alloc {offset = 0 : i64} : !buffer
  // expected-error @below {{'tile.copy_async' op has no mbarriers; run tile-allocate-shared}}
  tile.copy_async %w[%n, %n], %x[%n] by tma : !view, !buffer
  tile.return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
tile.kernel @nothing_to_await(%n: index) attributes {warps = 1 : i64, shared_memory = 1024 : i64} {
  %x = tile.alloc {offset = 0 : i64} : !buffer
  // expected-error @below {{'tile.await' op waits for a buffer that no TMA copy fills}}
  tile.await %x[%n] : !buffer
  tile.return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
tile.kernel @awaited_in_a_branch(%n: index, %c: i1) attributes {warps = 1 : i64, shared_memory = 1032 : i64} {
  %x = tile.alloc {offset = 0 : i64, barriers = 1024 : i64} : !buffer
  scf.if %c {
    // expected-error @below {{'tile.await' op cannot stand in a branch}}
    tile.await %x[%n] : !buffer
  }
  tile.return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
tile.kernel @acquired_in_a_branch(%n: index, %c: i1) attributes {warps = 1 : i64, shared_memory = 1040 : i64} {
  %x = tile.alloc {offset = 0 : i64, barriers = 1024 : i64, released = 1032 : i64} : !buffer
  scf.if %c {
    // expected-error @below {{'tile.acquire' op cannot stand in a branch}}
    tile.acquire %x[%n] : !buffer
  }
  tile.return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
tile.kernel @nobody_releases(%n: index) attributes {warps = 1 : i64, shared_memory = 1040 : i64} {
  %x = tile.alloc {offset = 0 : i64, barriers = 1024 : i64} : !buffer
  // expected-error @below {{'tile.acquire' op waits for a buffer that nobody releases}}
  tile.acquire %x[%n] : !buffer
  tile.return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
tile.kernel @nobody_copies(%n: index) attributes {warps = 1 : i64, shared_memory = 1040 : i64} {
  %x = tile.alloc {offset = 0 : i64, barriers = 1024 : i64} : !buffer
  // expected-error @below {{'tile.release' op has no mbarriers; run tile-allocate-shared}}
  tile.release %x[%n] : !buffer
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' op has producers with nothing to do; run tile-specialize-warps}}
tile.kernel @unspecialized() attributes {warps = 4 : i64, producers = 4 : i64} {
  tile.return
}

// -----

tile.kernel @without_turns() attributes {warps = 8 : i64} {
  // expected-error @below {{'tile.ping_pong_wait' op stands in a kernel without ping_pong or producers}}
  tile.ping_pong_wait
  tile.return
}

// -----

tile.kernel @passes_nothing() attributes {warps = 8 : i64} {
  // expected-error @below {{'tile.ping_pong_arrive' op stands in a kernel without ping_pong or producers}}
  tile.ping_pong_arrive
  tile.return
}

// -----

tile.kernel @without_producers() attributes {warps = 4 : i64} {
  // expected-error @below {{'tile.warp_specialize' op stands in a kernel without producers}}
  tile.warp_specialize producer {
  } consumer {
  }
  tile.return
}

// -----

func.func @plan(%x: tensor<4xf32>, %c: index) -> tensor<4xf32> {
  %a = tile.launch @k grid(%c) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{'tile.launch' op is programmatic, and its kernel does not wait; run tile-overlap-launches}}
  %b = tile.launch @k grid(%c) outs(%x : tensor<4xf32>) {programmatic} -> tensor<4xf32>
  return %b : tensor<4xf32>
}
tile.kernel @k(%y: !tile.ptr<f32> {tile.access = #tile.access<write>}) attributes {warps = 1 : i64} {
  tile.return
}

// -----

module attributes {fuse.chip = #fuse.chip<"x86-64-v3">} {
  // expected-error @below {{cannot become a kernel of a GPU because 'x86-64-v3' is a CPU}}
  tile.kernel @cpu() attributes {warps = 1 : i64} {
    tile.return
  }
}
