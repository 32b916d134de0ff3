// Threads of a block program whose schedule is written by hand: warps along the rows hand the
// intermediate over in registers, warps along the columns do so through shared memory.
// RUN: fusion-opt %s --fuse-search-schedules --tile-pipeline --convert-tile-to-gpu | FileCheck %s
// RUN: sed 's/warps = .2, 1./warps = [1, 2]/;s/C = #fuse.place<registers>/C = #fuse.place<shared>/' %s \
// RUN:   | fusion-opt --fuse-search-schedules --tile-pipeline --convert-tile-to-gpu | FileCheck %s --check-prefix=COLUMNS

// The host names the kernel in its module.
// CHECK: module attributes {fuse.chip = #fuse.chip<"sm_80">, gpu.container_module}
// CHECK: tile.launch @kernels::@chain_chain_0
// CHECK-NOT: tile.kernel
// CHECK: gpu.module @kernels {
// Pointers are aligned, do not alias, and inputs are only read; threads and shared memory are noted.
// CHECK: gpu.func @chain_chain_0(
// CHECK-COUNT-3: memref<f16> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}
// CHECK-SAME: memref<f16> {llvm.align = 16 : i64, llvm.noalias}
// CHECK-SAME: kernel attributes {fuse.block = array<i32: 64, 1, 1>, fuse.shared_memory = 4096 : i64, known_block_size = array<i32: 64, 1, 1>
// CHECK: gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
// CHECK: scf.for
// CHECK: scf.for
// The tiles of the iteration before are read by all before they are overwritten.
// CHECK: gpu.barrier
// Each thread copies 16 bytes of A (32 x 16) and of B (16 x 32).
// CHECK-COUNT-2: nvgpu.device_async_copy %{{.*}}, 8 {bypassL1} : memref<?xf16> to memref<512xf16, #gpu.address_space<workgroup>>
// CHECK: %[[GROUP:.*]] = nvgpu.device_async_create_group
// CHECK-NEXT: nvvm.cp.async.wait.group 0
// CHECK: gpu.barrier
// A as it lies, B transposed on the way.
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = false}
// CHECK-COUNT-2: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = true}
// 16 x 32 per warp: four m16n8.
// CHECK-COUNT-4: nvvm.mma.sync {{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 16>
// CHECK: scf.yield
// CHECK: arith.truncf %{{.*}} : f32 to f16
// The second contraction loads only D from shared memory.
// CHECK-NOT: vector.store
// CHECK: nvgpu.device_async_copy
// CHECK-NOT: vector.store
// CHECK-COUNT-2: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = true}
// CHECK-COUNT-4: nvvm.mma.sync
// CHECK-COUNT-2: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = true}
// CHECK-COUNT-4: nvvm.mma.sync
// CHECK: scf.yield
// The result: pairs go to shared memory, 16 bytes come back and leave. The staging lies where A and B
// were, whose last readers passed the barrier before D was read: no other is needed.
// CHECK-NOT: gpu.barrier
// CHECK-COUNT-8: vector.store {{.*}} {alignment = 4 : i64} : memref<1024xf16, #gpu.address_space<workgroup>>, vector<2xf16>
// CHECK-NEXT: gpu.barrier
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : memref<1024xf16, #gpu.address_space<workgroup>>, vector<8xf16>
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : memref<?xf16>, vector<8xf16>
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : memref<?xf16>, vector<8xf16>
// CHECK-NOT: vector.store
// CHECK: gpu.return

// COLUMNS: gpu.func
// COLUMNS-SAME: fuse.shared_memory = 6144 : i64
// COLUMNS: scf.for
// COLUMNS: scf.for
// COLUMNS: scf.yield
// COLUMNS: arith.truncf
// The intermediate's pairs are stored, and after a barrier every warp reads all columns: 32 x 32.
// COLUMNS-COUNT-8: vector.store {{.*}} : memref<1024xf16, #gpu.address_space<workgroup>>, vector<2xf16>
// COLUMNS-NEXT: gpu.barrier
// COLUMNS: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = false} : memref<1024xf16, #gpu.address_space<workgroup>>
// COLUMNS: nvvm.mma.sync

func.func @chain(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %d: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %e = tensor.empty() : tensor<64x64xf16>
  %r = fuse.chain ins(%x = %a : tensor<64x64xf16>, %y = %b : tensor<64x64xf16>, %w = %d : tensor<64x64xf16>)
                  outs(%o = %e : tensor<64x64xf16>)
      attributes {schedule = #fuse.schedule<version = 2,
        tiling = <"mh(n(k(LA,LB,CC),LD,CE),SE)", {m = 32, n = 32, k = 16, h = 32}>,
        mapping = <warps = 2, blocks = ["m", "h"], operators = {
          C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [2, 1]>,
          E = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "h", r1 = "n", warps = [2, 1]>}>,
        memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<registers>,
                   D = #fuse.place<shared, async16>, E = #fuse.place<shared>}>>} {
    %z = arith.constant 0.0 : f32
    %e0 = tensor.empty() : tensor<64x64xf32>
    %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %c = linalg.matmul ins(%x, %y : tensor<64x64xf16>, tensor<64x64xf16>) outs(%f0 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %e1 = tensor.empty() : tensor<64x64xf16>
    %h = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%c : tensor<64x64xf32>) outs(%e1 : tensor<64x64xf16>) {
    ^bb0(%u: f32, %v: f16):
      %t = arith.truncf %u : f32 to f16
      linalg.yield %t : f16
    } -> tensor<64x64xf16>
    %f1 = linalg.fill ins(%z : f32) outs(%e0 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %p = linalg.matmul ins(%h, %w : tensor<64x64xf16>, tensor<64x64xf16>) outs(%f1 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%p : tensor<64x64xf32>) outs(%o : tensor<64x64xf16>) {
    ^bb0(%u: f32, %v: f16):
      %t = arith.truncf %u : f32 to f16
      linalg.yield %t : f16
    } -> tensor<64x64xf16>
    fuse.yield %q : tensor<64x64xf16>
  } -> tensor<64x64xf16>
  return %r : tensor<64x64xf16>
}
