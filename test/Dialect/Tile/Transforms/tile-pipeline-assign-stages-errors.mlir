// RUN: fusion-opt %s --tile-pipeline-assign-stages -split-input-file -verify-diagnostics

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
tile.kernel @no_wish() attributes {warps = 1 : i64} {
  // expected-error @+1 {{is marked as pipelined but asks for no stages}}
  %x = tile.alloc {pipelined} : !buffer
  tile.return
}

// -----

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<3, 16, 16, f16, #shared>
tile.kernel @expanded_already() attributes {warps = 1 : i64} {
  // expected-error @+1 {{has 3 stages already}}
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  tile.return
}

// -----

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @stale(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %a = tile.view %p[%c0] sizes[%c16, %c16] strides[%c16, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc : !buffer
  // expected-error @+1 {{already belongs to a pipeline}}
  tile.copy_async %a[%c0, %c0], %x[%c0] by async16 {stages = 2 : i64} : !view, !buffer
  tile.return
}

// -----

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @stale_store(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc : !buffer
  %v = tile.load %a[%c0, %c0] : !view -> tensor<16x16xf16>
  // expected-error @+1 {{already belongs to a pipeline}}
  tile.local_store %v, %x[%c0] {slot = 1 : i64} : tensor<16x16xf16>, !buffer
  tile.return
}

// -----

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @not_one_fill(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  // expected-error @+1 {{is marked as pipelined but not filled by one copy; run tile-pipeline-identify}}
  %x = tile.alloc {pipeline_stages = 2 : i64, pipelined} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 : !view, !buffer
    tile.commit
    tile.wait 0
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 : !view, !buffer
    tile.commit
    tile.wait 0
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}

// -----

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @deep_store(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  // expected-error @+1 {{is filled through registers, which hold one tile ahead, but asks for 4 stages}}
  %x = tile.alloc {pipeline_stages = 4 : i64, pipelined} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    %v = tile.load %a[%c0, %k] : !view -> tensor<16x16xf16>
    tile.local_store %v, %x[%c0] : tensor<16x16xf16>, !buffer
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}
