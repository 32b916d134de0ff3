// Exponentials of differences from their row's maximum that are only added up, or rounded and multiplied, may be zero.
// RUN: fusion-opt %s --tile-flush-exponentials | FileCheck %s

// The running maximum, with zero in place of -inf, as an online softmax has it.
// CHECK-LABEL: tile.kernel @online
// CHECK: math.exp %{{.*}} {fuse.flush}
// CHECK: math.exp %{{[^ ]*}} : tensor<64xf32>
tile.kernel @online(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %s = arith.constant dense<3.0> : tensor<64x64xf32>
  %v = arith.constant dense<1.0> : tensor<64x16xf16>
  %acc = arith.constant dense<0.0> : tensor<64x16xf32>
  %before = arith.constant dense<1.0> : tensor<64xf32>
  %low = arith.constant dense<0xFF800000> : tensor<64xf32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %top = tile.reduce maxnumf %s along 1 : tensor<64x64xf32> -> tensor<64xf32>
  %most = arith.maxnumf %before, %top : tensor<64xf32>
  %none = arith.cmpf oeq, %most, %low : tensor<64xf32>
  %guarded = arith.select %none, %zero, %most : tensor<64xi1>, tensor<64xf32>
  %tops = tile.broadcast %guarded along [1] : tensor<64xf32> -> tensor<64x64xf32>
  %d = arith.subf %s, %tops : tensor<64x64xf32>
  %e = math.exp %d : tensor<64x64xf32>
  %sum = tile.reduce addf %e along 1 : tensor<64x64xf32> -> tensor<64xf32>
  %h = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
  %part = tile.slice %h at [0, 0] : tensor<64x64xf16> -> tensor<64x16xf16>
  %back = arith.subf %before, %guarded : tensor<64xf32>
  %factor = math.exp %back : tensor<64xf32>
  tile.return
}

// What somebody divides by, what is stored, and what another number than the row's maximum has been subtracted from.
// CHECK-LABEL: tile.kernel @seen
// CHECK-NOT: fuse.flush
tile.kernel @seen(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}) attributes {warps = 4 : i64} {
  %s = arith.constant dense<3.0> : tensor<64x64xf32>
  %other = arith.constant dense<4.0> : tensor<64x64xf32>
  %top = tile.reduce maximumf %s along 1 : tensor<64x64xf32> -> tensor<64xf32>
  %tops = tile.broadcast %top along [1] : tensor<64xf32> -> tensor<64x64xf32>
  %d = arith.subf %s, %tops : tensor<64x64xf32>
  %e = math.exp %d : tensor<64x64xf32>
  %sum = tile.reduce addf %e along 1 : tensor<64x64xf32> -> tensor<64xf32>
  %quotient = arith.divf %other, %e : tensor<64x64xf32>
  %d2 = arith.subf %other, %tops : tensor<64x64xf32>
  %e2 = math.exp %d2 : tensor<64x64xf32>
  %sum2 = tile.reduce addf %e2 along 1 : tensor<64x64xf32> -> tensor<64xf32>
  %least = tile.reduce minimumf %s along 1 : tensor<64x64xf32> -> tensor<64xf32>
  %leasts = tile.broadcast %least along [1] : tensor<64xf32> -> tensor<64x64xf32>
  %d3 = arith.subf %s, %leasts : tensor<64x64xf32>
  %e3 = math.exp %d3 : tensor<64x64xf32>
  %sum3 = tile.reduce addf %e3 along 1 : tensor<64x64xf32> -> tensor<64xf32>
  tile.return
}

// Keys beyond the last one: the maximum does not see them, and their exponentials are zero. A mask of the difference's operand or
// of the rounded exponentials is no reason either. One that puts in something else than -inf is, and so is one that the exponentials
// lack: what it leaves out may be above the maximum.
// CHECK-LABEL: tile.kernel @masked
// CHECK-COUNT-2: math.exp %{{.*}} {fuse.flush}
// CHECK: math.exp %{{[^ ]*}} : tensor<64x64xf32>
// CHECK: math.exp %{{[^ ]*}} : tensor<64x64xf32>
tile.kernel @masked(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 4 : i64} {
  %infinity = arith.constant 0xFF800000 : f32
  %none = arith.constant 0.0 : f32
  %nothing = arith.constant 0.0 : f16
  %s = arith.constant dense<3.0> : tensor<64x64xf32>
  %v = arith.constant dense<1.0> : tensor<64x16xf16>
  %acc = arith.constant dense<0.0> : tensor<64x16xf32>
  %inside = tile.mask %s below %n along 1 else %infinity : tensor<64x64xf32>, f32 -> tensor<64x64xf32>
  %top = tile.reduce maximumf %inside along 1 : tensor<64x64xf32> -> tensor<64xf32>
  %tops = tile.broadcast %top along [1] : tensor<64xf32> -> tensor<64x64xf32>
  %d = arith.subf %s, %tops : tensor<64x64xf32>
  %e = math.exp %d : tensor<64x64xf32>
  %kept = tile.mask %e below %n along 1 else %none : tensor<64x64xf32>, f32 -> tensor<64x64xf32>
  %sum = tile.reduce addf %kept along 1 : tensor<64x64xf32> -> tensor<64xf32>
  %d2 = arith.subf %inside, %tops : tensor<64x64xf32>
  %e2 = math.exp %d2 : tensor<64x64xf32>
  %h = arith.truncf %e2 : tensor<64x64xf32> to tensor<64x64xf16>
  %factor = tile.mask %h below %n along 1 else %nothing : tensor<64x64xf16>, f16 -> tensor<64x64xf16>
  %part = tile.slice %factor at [0, 0] : tensor<64x64xf16> -> tensor<64x16xf16>
  %zeroed = tile.mask %s below %n along 1 else %none : tensor<64x64xf32>, f32 -> tensor<64x64xf32>
  %top3 = tile.reduce maximumf %zeroed along 1 : tensor<64x64xf32> -> tensor<64xf32>
  %tops3 = tile.broadcast %top3 along [1] : tensor<64xf32> -> tensor<64x64xf32>
  %d3 = arith.subf %s, %tops3 : tensor<64x64xf32>
  %e3 = math.exp %d3 : tensor<64x64xf32>
  %sum3 = tile.reduce addf %e3 along 1 : tensor<64x64xf32> -> tensor<64xf32>
  %other = arith.constant 7 : index
  %d4 = arith.subf %s, %tops : tensor<64x64xf32>
  %e4 = math.exp %d4 : tensor<64x64xf32>
  %kept4 = tile.mask %e4 below %other along 1 else %none : tensor<64x64xf32>, f32 -> tensor<64x64xf32>
  %sum4 = tile.reduce addf %kept4 along 1 : tensor<64x64xf32> -> tensor<64xf32>
  tile.return
}
