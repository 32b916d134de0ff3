// What a target of threads does not have is said at the operation that needs it.
// RUN: fusion-test-opt %s --test-tile-to-loops -split-input-file -verify-diagnostics

tile.kernel @barrier() attributes {warps = 2 : i64} {
  // expected-error @below {{a loop over threads cannot synchronize the threads of a block}}
  tile.barrier
  tile.return
}

// -----

tile.kernel @barrier_of_warps() attributes {warps = 2 : i64} {
  // expected-error @below {{a loop over threads cannot synchronize the lanes of a warp}}
  tile.barrier {warp}
  tile.return
}

// -----

// A row is held by four lanes.
#rows = #tile.layout<"register: 2*[0,1]; lane: 4*[0,2] 8*[1,0] -> [8, 8]">
#sums = #tile.layout<"register: 1*[0]; lane: 4*[0] 8*[1] -> [8]">
tile.kernel @shuffles(%e: f32) attributes {warps = 1 : i64} {
  %x = tile.splat %e : f32 -> tensor<8x8xf32, #rows>
  // expected-error @below {{a loop over threads cannot exchange registers between the lanes of a warp}}
  %sums = tile.reduce addf %x along 1 : tensor<8x8xf32, #rows> -> tensor<8xf32, #sums>
  tile.return
}

// -----

#rows = #tile.layout<"register: 2*[0,1]; lane: 4*[0,2] 8*[1,0] -> [8, 8]">
tile.kernel @vote(%e: f32) attributes {warps = 1 : i64} {
  %x = tile.splat %e : f32 -> tensor<8x8xf32, #rows>
  // expected-error @below {{a loop over threads cannot take a vote of the lanes of a warp}}
  %y = tile.scale %x by %x : tensor<8x8xf32, #rows>
  tile.return
}

// -----

#rows = #tile.layout<"register: 2*[0,1]; lane: 4*[0,2] 8*[1,0] -> [8, 8]">
tile.kernel @exponent(%e: f32) attributes {warps = 1 : i64} {
  %x = tile.splat %e : f32 -> tensor<8x8xf32, #rows>
  // expected-error @below {{a loop over threads cannot take a vote of the lanes of a warp}}
  %y = tile.exponent %x less %x {scale = 1.0 : f32} : tensor<8x8xf32, #rows>
  tile.return
}

// -----

// expected-error @below {{a loop over threads cannot share memory between the threads of a block}}
tile.kernel @shared_memory() attributes {warps = 1 : i64, shared_memory = 128 : i64} {
  tile.return
}

// -----

tile.kernel @groups_of_copies() attributes {warps = 1 : i64} {
  // expected-error @below {{a loop over threads cannot copy to shared memory asynchronously}}
  tile.commit
  tile.return
}

// -----

#acc = #tile.layout<"register: 2*[0,1] 2*[8,0]; lane: 4*[0,2] 8*[1,0] -> [16, 8]">
#a = #tile.layout<"register: 2*[0,1] 2*[8,0] 2*[0,8]; lane: 4*[0,2] 8*[1,0] -> [16, 16]">
#b = #tile.layout<"register: 2*[1,0] 2*[8,0]; lane: 4*[2,0] 8*[0,1] -> [16, 8]">
tile.kernel @mma(%h: f16, %f: f32) attributes {warps = 1 : i64} {
  %a = tile.splat %h : f16 -> tensor<16x16xf16, #a>
  %b = tile.splat %h : f16 -> tensor<16x8xf16, #b>
  %c = tile.splat %f : f32 -> tensor<16x8xf32, #acc>
  // expected-error @below {{'tile.dot' op no instruction multiplies 'f16' by 'f16' to 'f32'}}
  %d = tile.dot %a, %b, %c "mma.m16n8k16" warps [1, 1] : tensor<16x16xf16, #a>, tensor<16x8xf16, #b> -> tensor<16x8xf32, #acc>
  tile.return
}

// -----

// Operations of one machine alone have emitters of that target alone.
tile.kernel @last_block(%n: index) attributes {warps = 1 : i64} {
  // expected-error @below {{a loop over threads cannot execute 'tile.last_block'}}
  %last = tile.last_block %n of %n {counters = 6 : i64}
  tile.return
}

// -----

tile.kernel @launches() attributes {warps = 1 : i64} {
  // expected-error @below {{a loop over threads cannot execute 'tile.await_launches'}}
  tile.await_launches
  tile.return
}

// -----

// What earlier passes have to add is missed by every target, before an emitter reads it.
tile.kernel @no_layout(%e: f32) attributes {warps = 1 : i64} {
  // expected-error @below {{'tile.splat' op has no layout; run tile-assign-layouts}}
  %x = tile.splat %e : f32 -> tensor<8x8xf32>
  tile.return
}

// -----

!view = !tile.view<2 x f32, unit = 1, alignment = 16>
tile.kernel @loaded_without_layout(%p: !tile.ptr<f32> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %p[%c0] sizes [%n, %n] strides [%n, %c1] : !tile.ptr<f32> -> !view
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'tile.load' op has no layout; run tile-assign-layouts}}
    %x = tile.load %v[%i, %c0] : !view -> tensor<16x32xf32>
  }
  tile.return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
tile.kernel @no_offset() attributes {warps = 1 : i64} {
  // expected-error @below {{'tile.alloc' op has no place in shared memory; run tile-allocate-shared}}
  %a = tile.alloc : !buffer
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' op has producers with nothing to do; run tile-specialize-warps}}
tile.kernel @unspecialized() attributes {warps = 4 : i64, producers = 4 : i64} {
  tile.return
}
