// RUN: fusion-opt %s --tile-pipeline-registers -split-input-file -verify-diagnostics

// expected-error @+1 {{asks for 3 register stages; there are one or two}}
tile.kernel @three() attributes {warps = 1 : i64, register_stages = 3 : i64} {
  tile.return
}

// -----

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @not_expanded(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64, register_stages = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    tile.producer_acquire
    // expected-error @+1 {{has stages that are not expanded; run tile-pipeline-expand}}
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 3 : i64} : !view, !buffer
    tile.producer_commit
    tile.consumer_wait 0
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    tile.consumer_release
  }
  tile.return
}
