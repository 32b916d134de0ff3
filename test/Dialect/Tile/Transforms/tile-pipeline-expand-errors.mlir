// RUN: fusion-opt %s --tile-pipeline-expand -split-input-file -verify-diagnostics

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @not_placed(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    // expected-error @+1 {{has stages but its loop has no primitives; run tile-pipeline-place}}
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 3 : i64} : !view, !buffer
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}

// -----

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @not_identified(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 2 : i64} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    tile.producer_acquire
    // expected-error @+1 {{has stages but its buffer is not pipelined; run tile-pipeline-identify}}
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 3 : i64} : !view, !buffer
    tile.producer_commit
    tile.consumer_wait 0
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    tile.consumer_release
  }
  tile.return
}

// -----

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @one_stage(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    tile.producer_acquire
    // expected-error @+1 {{needs at least two stages to be pipelined}}
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 1 : i64} : !view, !buffer
    tile.producer_commit
    tile.consumer_wait 0
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    tile.consumer_release
  }
  tile.return
}

// -----

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @outside_of_the_load_region(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    tile.producer_acquire
    tile.producer_commit
    // expected-error @+1 {{stands outside of the load region, between acquire and commit}}
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 3 : i64} : !view, !buffer
    tile.consumer_wait 0
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    tile.consumer_release
  }
  tile.return
}

// -----

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @outside_of_the_use_region(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    tile.producer_acquire
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 3 : i64} : !view, !buffer
    tile.producer_commit
    tile.consumer_wait 0
    tile.consumer_release
    // expected-error @+1 {{stands outside of the use region, between wait and release}}
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}

// -----

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @incomplete(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    // expected-error @+1 {{is not followed by commit, wait and release in this order; run tile-pipeline-place}}
    tile.producer_acquire
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 3 : i64} : !view, !buffer
    tile.producer_commit
    tile.consumer_wait 0
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}

// -----

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @out_of_order(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    // expected-error @+1 {{stands before the loop's tile.producer_acquire}}
    tile.consumer_wait 0
    tile.producer_acquire
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 3 : i64} : !view, !buffer
    tile.producer_commit
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    tile.consumer_release
  }
  tile.return
}

// -----

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @two_waits(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    tile.producer_acquire
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 3 : i64} : !view, !buffer
    tile.producer_commit
    tile.consumer_wait 0
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    // expected-error @+1 {{is the second one of its loop}}
    tile.consumer_wait 0
    tile.consumer_release
  }
  tile.return
}

// -----

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @pending(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    tile.producer_acquire
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 3 : i64} : !view, !buffer
    tile.producer_commit
    // expected-error @+1 {{of a loop that is not expanded yet must leave nothing in flight}}
    tile.consumer_wait 1
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    tile.consumer_release
  }
  tile.return
}

// -----

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @deep_registers(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    tile.producer_acquire
    %v = tile.load %a[%c0, %k] : !view -> tensor<16x16xf16>
    // expected-error @+1 {{goes through registers, which makes two stages, but has 3}}
    tile.local_store %v, %x[%c0] {stages = 3 : i64} : tensor<16x16xf16>, !buffer
    tile.producer_commit
    tile.consumer_wait 0
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    tile.consumer_release
  }
  tile.return
}

// -----

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @carried(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  %last = scf.for %k = %c0 to %c64 step %c16 iter_args(%at = %c0) -> index {
    tile.producer_acquire
    // expected-error @+1 {{depends on a value that the loop carries}}
    tile.copy_async %a[%c0, %at], %x[%c0] by async16 {stages = 3 : i64} : !view, !buffer
    tile.producer_commit
    tile.consumer_wait 0
    tile.consumer_release
    %next = arith.addi %at, %c1 : index
    scf.yield %next : index
  }
  tile.return
}

// -----

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @other_stages(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 4 : i64, pipelined} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    tile.producer_acquire
    // expected-error @+1 {{has 3 stages but its buffer asks for 4}}
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 3 : i64} : !view, !buffer
    tile.producer_commit
    tile.consumer_wait 0
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    tile.consumer_release
  }
  tile.return
}

// -----

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @two_fills(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    tile.producer_acquire
    // expected-error @+1 {{is not the only one that fills its buffer}}
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 3 : i64} : !view, !buffer
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 3 : i64} : !view, !buffer
    tile.producer_commit
    tile.consumer_wait 0
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    tile.consumer_release
  }
  tile.return
}
