// What has nothing to give to other warps keeps none, with a remark.
// RUN: fusion-opt %s --tile-specialize-warps --remarks-filter=specialize -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t
// REMARK: remark: [Missed] not-specialized {{.*}}no producer warps: no loop has TMA copies

#shared = #tile.layout<"offset: 8*[0,1] x[0,8] 4*[1,0] x[4,8] 2*[8,0] -> [16, 16]">
!one = !tile.buffer<1, 16, 16, f16, #shared>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>

// CHECK-LABEL: tile.kernel @once
// CHECK-NOT: producers
// CHECK-NOT: register_budgets
// CHECK-NOT: tile.warp_specialize
tile.kernel @once(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 4 : i64, producers = 4 : i64, register_budgets = array<i64: 24, 240>} {
  %a = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 16, 64>, map = affine_map<(d0, d1) -> (d0, d1)>} : !tile.ptr<f16> -> !view
  %x = tile.alloc : !one
  tile.copy_async %a[%n, %n], %x[%n] by tma : !view, !one
  tile.await %x[%n] : !one
  tile.return
}
