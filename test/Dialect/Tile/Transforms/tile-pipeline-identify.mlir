// RUN: fusion-opt %s --tile-pipeline-identify | FileCheck %s
// RUN: fusion-opt %s --tile-pipeline-identify --remarks-filter=pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

// Every refusal says why.
// WHY: another copy in the buffer's loop has one stage: waiting for it waits for what was issued before
// WHY: buffer is filled synchronously (rule 1): the next iteration's tile is loaded into registers under this one's work
// WHY: buffer is not pipelined: it is not filled in a sequential loop (rule 2)
// WHY: buffer is not pipelined: it is also read outside of the loop that fills it (rule 2)
// WHY: buffer is not pipelined: its loop holds another pipelined loop, and groups of copies are waited for in order
// WHY: buffer is not pipelined: its tile is computed, not copied (rule 1)
// WHY: buffer is not pipelined: it is filled more than once
// WHY: buffer is not pipelined: nothing fills it (rule 1)
// WHY: buffer is not pipelined: it is filled synchronously (rule 1), and registers hold one tile ahead, which makes two stages
// WHY: buffer is not pipelined: it is read before it is filled, so the data is of the iteration before (rule 2)
// WHY: buffer is not pipelined: it lives in one iteration only (rule 2)
// WHY: buffer is not pipelined: what fills it depends on a value that the loop carries
// WHY: buffer is filled synchronously (rule 1)
// WHY-NOT: buffer is not pipelined

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!buffer = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
#plain = affine_map<(d0, d1) -> (d0, d1)>

// Filled by one copy in the loop that reads it: all rules hold. The one beside it asks for nothing.
// CHECK-LABEL: tile.kernel @load_use_loop
// CHECK: tile.alloc {pipeline_stages = 3 : i64, pipelined}
// CHECK: tile.alloc :
tile.kernel @load_use_loop(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64} : !buffer
  %y = tile.alloc : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 : !view, !buffer
    tile.copy_async %a[%c0, %k], %y[%c0] by async16 : !view, !buffer
    tile.commit
    tile.wait 0
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    %u = tile.local_load %y[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}

// Rule 1: a store fills it, with what a load has loaded, which can be loaded ahead.
// CHECK-LABEL: tile.kernel @synchronous
// CHECK: tile.alloc {pipeline_stages = 2 : i64, pipelined} :
tile.kernel @synchronous(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 2 : i64} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    %v = tile.load %a[%c0, %k] : !view -> tensor<16x16xf16>
    tile.local_store %v, %x[%c0] : tensor<16x16xf16>, !buffer
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}

// Rule 2: filled once, before the loop that reads it.
// CHECK-LABEL: tile.kernel @outside
// CHECK: tile.alloc {pipeline_stages = 2 : i64} :
tile.kernel @outside(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 2 : i64} : !buffer
  tile.copy_async %a[%c0, %c0], %x[%c0] by async16 : !view, !buffer
  tile.commit
  tile.wait 0
  scf.for %k = %c0 to %c64 step %c16 {
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}

// Rule 2 again: read after the loop, too.
// CHECK-LABEL: tile.kernel @read_after
// CHECK: tile.alloc {pipeline_stages = 2 : i64} :
tile.kernel @read_after(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 2 : i64} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 : !view, !buffer
    tile.commit
    tile.wait 0
  }
  %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  tile.return
}

// Rule 3: of two nested loops only the inner one.
// CHECK-LABEL: tile.kernel @nested
// CHECK: tile.alloc {pipeline_stages = 2 : i64} :
// CHECK: tile.alloc {pipeline_stages = 2 : i64, pipelined}
tile.kernel @nested(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 2 : i64} : !buffer
  %y = tile.alloc {pipeline_stages = 2 : i64} : !buffer
  scf.for %n = %c0 to %c64 step %c16 {
    tile.copy_async %a[%c0, %n], %x[%c0] by async16 : !view, !buffer
    scf.for %k = %c0 to %c64 step %c16 {
      tile.copy_async %a[%c0, %k], %y[%c0] by async16 : !view, !buffer
      tile.commit
      tile.wait 0
      %t = tile.local_load %y[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    }
    %u = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}

// Each stage of a TMA copy has an mbarrier: both loops have stages where one of them has TMA copies.
// CHECK-LABEL: tile.kernel @nested_in_bulk
// CHECK: tile.alloc {pipeline_stages = 2 : i64, pipelined}
// CHECK: tile.alloc {pipeline_stages = 3 : i64, pipelined}
// CHECK: tile.alloc {pipeline_stages = 2 : i64, pipelined}
tile.kernel @nested_in_bulk(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.window %p[] sizes [%c16, %c64] {bounded = array<i64>, shape = array<i64: 16, 64>, map = #plain} : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 2 : i64} : !buffer
  %y = tile.alloc {pipeline_stages = 3 : i64} : !buffer
  %z = tile.alloc {pipeline_stages = 2 : i64} : !buffer
  scf.for %n = %c0 to %c64 step %c16 {
    tile.copy_async %a[%c0, %n], %x[%c0] by tma : !view, !buffer
    scf.for %k = %c0 to %c64 step %c16 {
      tile.copy_async %a[%c0, %k], %y[%c0] by tma : !view, !buffer
      tile.copy_async %a[%c0, %k], %z[%c0] by async16 : !view, !buffer
      tile.commit
      tile.wait 0
      tile.await %y[%c0] : !buffer
      %t = tile.local_load %y[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
      %u = tile.local_load %z[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    }
    tile.await %x[%c0] : !buffer
    %v = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}

// Rule 1: what fills it is computed.
// CHECK-LABEL: tile.kernel @computed
// CHECK: tile.alloc {pipeline_stages = 2 : i64} :
tile.kernel @computed(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 2 : i64} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    %v = tile.load %a[%c0, %k] : !view -> tensor<16x16xf16>
    %w = arith.addf %v, %v : tensor<16x16xf16>
    tile.local_store %w, %x[%c0] : tensor<16x16xf16>, !buffer
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}

// Two copies, one after the other.
// CHECK-LABEL: tile.kernel @twice
// CHECK: tile.alloc {pipeline_stages = 2 : i64} :
tile.kernel @twice(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 2 : i64} : !buffer
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

// Nothing is known of what it holds.
// CHECK-LABEL: tile.kernel @never
// CHECK: tile.alloc {pipeline_stages = 2 : i64} :
tile.kernel @never(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 2 : i64} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}

// Registers hold one tile.
// CHECK-LABEL: tile.kernel @synchronous_and_deep
// CHECK: tile.alloc {pipeline_stages = 3 : i64} :
tile.kernel @synchronous_and_deep(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 3 : i64} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    %v = tile.load %a[%c0, %k] : !view -> tensor<16x16xf16>
    tile.local_store %v, %x[%c0] : tensor<16x16xf16>, !buffer
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}

// Rule 2: an iteration reads what the one before has loaded.
// CHECK-LABEL: tile.kernel @read_first
// CHECK: tile.alloc {pipeline_stages = 2 : i64} :
tile.kernel @read_first(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 2 : i64} : !buffer
  scf.for %k = %c0 to %c64 step %c16 {
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 : !view, !buffer
    tile.commit
    tile.wait 0
  }
  tile.return
}

// Rule 2: every iteration has a buffer of its own.
// CHECK-LABEL: tile.kernel @one_iteration
// CHECK: tile.alloc {pipeline_stages = 2 : i64} :
tile.kernel @one_iteration(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  scf.for %k = %c0 to %c64 step %c16 {
    %x = tile.alloc {pipeline_stages = 2 : i64} : !buffer
    tile.copy_async %a[%c0, %k], %x[%c0] by async16 : !view, !buffer
    tile.commit
    tile.wait 0
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    tile.free %x : !buffer
  }
  tile.return
}

// The next address is not known an iteration ahead.
// CHECK-LABEL: tile.kernel @carried
// CHECK: tile.alloc {pipeline_stages = 2 : i64} :
tile.kernel @carried(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 2 : i64} : !buffer
  %last = scf.for %k = %c0 to %c64 step %c16 iter_args(%at = %c0) -> index {
    tile.copy_async %a[%c0, %at], %x[%c0] by async16 : !view, !buffer
    tile.commit
    tile.wait 0
    %t = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    %next = arith.addi %at, %c1 : index
    scf.yield %next : index
  }
  tile.return
}

// Rule 3 is about groups: what passes through registers is not waited for.
// CHECK-LABEL: tile.kernel @registers_around_copies
// CHECK: tile.alloc {pipeline_stages = 2 : i64, pipelined} :
// CHECK: tile.alloc {pipeline_stages = 3 : i64, pipelined} :
tile.kernel @registers_around_copies(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = tile.view %p[%c0] sizes[%c16, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %x = tile.alloc {pipeline_stages = 2 : i64} : !buffer
  %y = tile.alloc {pipeline_stages = 3 : i64} : !buffer
  scf.for %n = %c0 to %c64 step %c16 {
    %v = tile.load %a[%c0, %n] : !view -> tensor<16x16xf16>
    tile.local_store %v, %x[%c0] : tensor<16x16xf16>, !buffer
    scf.for %k = %c0 to %c64 step %c16 {
      tile.copy_async %a[%c0, %k], %y[%c0] by async16 : !view, !buffer
      tile.commit
      tile.wait 0
      %t = tile.local_load %y[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
    }
    %u = tile.local_load %x[%c0] at [0, 0] : !buffer -> tensor<16x16xf16>
  }
  tile.return
}
