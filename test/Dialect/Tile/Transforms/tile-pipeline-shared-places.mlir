// Places that the iterations of a loop take in turns are not filled ahead: a copy would overwrite what is still to be read.
// RUN: fusion-opt %s --tile-pipeline-identify --remarks-filter=pipeline 2>&1 | FileCheck %s
// CHECK: remark: {{.*}}not-pipelined{{.*}}iterations of its loop share places, of which a copy ahead would overwrite one that is still to be read
// CHECK-NOT: pipelined
#own = #tile.layout<"register: 4*[0,1]; lane: 32*[0,4] -> [1, 128]">
!aside = !tile.buffer<2, 32, 4, f32, <"offset: 4*[0,1] 32*[1,0] -> [32, 4]">>
!view = !tile.view<2 x f32, unit = 1, alignment = 16>
tile.kernel @turns(%p: !tile.ptr<f32> {tile.access = #tile.access<read>}, %q: !tile.ptr<f32> {tile.access = #tile.access<write>}) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %v = tile.view %p[%c0] sizes[%c8, %c128] strides[%c128, %c1] : <f32> -> !view
  %w = tile.view %q[%c0] sizes[%c8, %c128] strides[%c128, %c1] : <f32> -> !view
  %b = tile.alloc {pipeline_stages = 3 : i64} : !aside
  scf.for %k = %c0 to %c8 step %c1 {
    %s = arith.remui %k, %c2 : index
    tile.copy_async %v[%k, %c0], %b[%s] by async16 {thread_private = tensor<1x128xf32, #own>, in_bounds = array<i1: true, true>} : !view, !aside
    tile.commit
    tile.wait 0
    %x = tile.private_load %b[%s] : !aside -> tensor<1x128xf32, #own>
    tile.store %x, %w[%k, %c0] {in_bounds = array<i1: true, true>} : tensor<1x128xf32, #own>, !view
  }
  tile.return
}
