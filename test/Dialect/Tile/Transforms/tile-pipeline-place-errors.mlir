// RUN: fusion-opt %s --tile-pipeline-place -split-input-file -verify-diagnostics

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
    // expected-error @+1 {{has stages but its buffer is not pipelined; run tile-pipeline-identify}}
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 3 : i64} : !view, !buffer
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
tile.kernel @one_stage(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    // expected-error @+1 {{needs at least two stages to be pipelined}}
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 1 : i64} : !view, !buffer
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
tile.kernel @other_stage(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    // expected-error @+1 {{fills another stage than the first}}
    tile.copy_async %a[%c0, %k], %x[%c1] by async16 {stages = 3 : i64} : !view, !buffer
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
tile.kernel @carried(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  %last = scf.for %k = %c0 to %c64 step %c16 iter_args(%at = %c0) -> index {
    // expected-error @+1 {{depends on a value that the loop carries}}
    tile.copy_async %a[%c0, %at], %x[%c0] by async16 {stages = 3 : i64} : !view, !buffer
    %next = arith.addi %at, %c1 : index
    scf.yield %next : index
  }
  tile.return
}

// -----

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @read_outside(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 3 : i64} : !view, !buffer
    tile.commit
    tile.wait 0
  }
  // expected-error @+1 {{does not read what the pipelined loop has filled in the same iteration}}
  %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
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
    // expected-error @+1 {{has 3 stages but its buffer asks for 4}}
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 3 : i64} : !view, !buffer
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}

// -----

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @has_a_slot(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    // expected-error @+1 {{already belongs to a pipeline}}
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {slot = 0 : i64, stages = 3 : i64} : !view, !buffer
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
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
    // expected-error @+1 {{is not the only one that fills its buffer}}
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 3 : i64} : !view, !buffer
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 3 : i64} : !view, !buffer
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}

// -----

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @copy_and_store(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    // expected-error @+1 {{is not the only one that fills its buffer}}
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 3 : i64} : !view, !buffer
    %v = tile.load %a[%c0, %k] : !view -> tensor<16x16xf16>
    tile.local_store %v, %x[%c0] : tensor<16x16xf16>, !buffer
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}

// -----

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @placed_already(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    // expected-error @+1 {{stands in the loop already}}
    tile.producer_acquire
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
tile.kernel @narrow_loop(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  %l = arith.constant 0 : i32
  %u = arith.constant 64 : i32
  %s = arith.constant 16 : i32
  scf.for %i = %l to %u step %s : i32 {
    %k = arith.index_cast %i : i32 to index
    // expected-error @+1 {{is in a loop that does not count in index}}
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 {stages = 3 : i64} : !view, !buffer
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}

// -----

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @address_from_a_region(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %c: i1) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    %at = scf.if %c -> index {
      scf.yield %k : index
    } else {
      scf.yield %c0 : index
    }
    // expected-error @+1 {{has an address that an operation with regions computes}}
    tile.copy_async %a[%c0, %at], %x[%c0] by async16 {stages = 3 : i64} : !view, !buffer
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}

// -----

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @not_in_a_loop(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  // expected-error @+1 {{is pipelined but nothing in a loop fills it; run tile-pipeline-assign-stages}}
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
    tile.copy_async %a[%c0, %c0], %x[%c0] by async16 {stages = 3 : i64} : !view, !buffer
  tile.return
}

// -----

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @without_stages(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  // expected-error @+1 {{is pipelined but nothing in a loop fills it; run tile-pipeline-assign-stages}}
  %x = tile.alloc {pipeline_stages = 3 : i64, pipelined} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 : !view, !buffer
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}
