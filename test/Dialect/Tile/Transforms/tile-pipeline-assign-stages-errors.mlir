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
