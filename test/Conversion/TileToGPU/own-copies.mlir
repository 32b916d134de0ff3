// What each thread copies to a place of its own in shared memory, and takes back.
// RUN: fusion-opt %s --convert-tile-to-gpu | FileCheck %s

#own = #tile.layout<"register: 4*[0,1] 2*[1,0]; lane: 32*[0,4] -> [2, 128]">
!aside = !tile.buffer<3, 32, 8, f32, <"offset: 8*[0,1] 32*[1,0] -> [32, 8]">>
!view = !tile.view<2 x f32, unit = 1, alignment = 16>
// Zeros arrive where rows end, and words are as wide as the copies.
// CHECK-LABEL: gpu.func @own
// CHECK: scf.if
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %{{.*}}, %c7
// CHECK: %[[COUNT:.*]] = arith.select %[[INSIDE]], %c4{{.*}}, %c0{{.*}} : index
// CHECK: nvgpu.device_async_copy %{{.*}}, %[[ASIDE:.*]][%{{.*}}], 4, %[[COUNT]] {bypassL1}
// CHECK: nvgpu.device_async_copy %{{.*}}, %[[ASIDE]][%{{.*}}], 4, %{{.*}} {bypassL1}
// CHECK: nvgpu.device_async_create_group
// CHECK: nvvm.cp.async.wait.group 0
// CHECK-NOT: gpu.barrier
// CHECK: %[[WORD:.*]] = vector.load %[[ASIDE]][%{{.*}}] {alignment = 16 : i64} : {{.*}}, vector<4xf32>
// CHECK: llvm.freeze %[[WORD]]
// CHECK: vector.load %[[ASIDE]][%{{.*}}] {alignment = 16 : i64} : {{.*}}, vector<4xf32>
// CHECK-NOT: vector.load
// CHECK: gpu.return
tile.kernel @own(%p: !tile.ptr<f32> {tile.access = #tile.access<read>}, %q: !tile.ptr<f32> {tile.access = #tile.access<write>}) attributes {shared_memory = 3072 : i64, warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %c128 = arith.constant 128 : index
  %first = tile.program_id
  %holds = arith.cmpi slt, %first, %c7 : index
  %v = tile.view %p[%c0] sizes[%c7, %c128] strides[%c128, %c1] : <f32> -> !view
  %w = tile.view %q[%c0] sizes[%c7, %c128] strides[%c128, %c1] : <f32> -> !view
  %b = tile.alloc {offset = 0 : i64} : !aside
  tile.copy_async %v[%first, %c0], %b[%c2] by async16 if %holds {thread_private = tensor<2x128xf32, #own>, in_bounds = array<i1: false, true>} : !view, !aside
  tile.commit
  tile.wait 0
  %x = tile.private_load %b[%c2] : !aside -> tensor<2x128xf32, #own>
  tile.store %x, %w[%first, %c0] {in_bounds = array<i1: false, true>} : tensor<2x128xf32, #own>, !view
  tile.return
}
