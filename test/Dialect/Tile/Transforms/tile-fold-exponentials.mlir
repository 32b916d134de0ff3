// The scale and the difference of an exponential in one multiply-add; what else computes with them counts from the same numbers.
// RUN: fusion-opt %s --allow-unregistered-dialect --pass-pipeline='builtin.module(tile.kernel(tile-fold-exponentials))' | FileCheck %s
// By default nothing changes.
// RUN: sed -e 's|"fma"|"difference"|' %s > %t.mlir
// RUN: fusion-opt %t.mlir --allow-unregistered-dialect --pass-pipeline='builtin.module(tile.kernel(tile-fold-exponentials))' -o %t.after.mlir
// RUN: fusion-opt %t.mlir --allow-unregistered-dialect | diff - %t.after.mlir

module attributes {fuse.exponentials = "fma"} {

// log2(e) is 1.44269502, an eighth of it 0.180336878. The scale passes the mask and the maximum.
// CHECK-LABEL: tile.kernel @scaled
// CHECK: %[[X:[0-9]+]]:3 = "test.scores"
// CHECK: %[[LOW:.*]] = arith.constant dense<0xFF800000> : tensor<32x64xf32>
// CHECK: %[[SEEN:.*]] = arith.select %[[X]]#1, %[[X]]#0, %[[LOW]]
// CHECK: %[[MOST:.*]] = tile.reduce maximumf %[[SEEN]] along 1
// CHECK: %[[EIGHTH:.*]] = arith.constant dense<1.250000e-01> : tensor<32xf32>
// CHECK: %[[TOP:.*]] = arith.mulf %[[MOST]], %[[EIGHTH]]
// CHECK: %[[NEGATIVE:.*]] = arith.constant dense<-1.44269502> : tensor<32xf32>
// CHECK: %[[MINUS:.*]] = arith.mulf %[[TOP]], %[[NEGATIVE]]
// CHECK: %[[MINUSES:.*]] = tile.broadcast %[[MINUS]] along [1]
// CHECK: %[[FOLDED:.*]] = arith.constant dense<0.180336878> : tensor<32x64xf32>
// CHECK: %[[ARGUMENT:.*]] = math.fma %[[SEEN]], %[[FOLDED]], %[[MINUSES]]
// CHECK: %[[E:.*]] = math.exp2 %[[ARGUMENT]]
// CHECK: "test.use"(%[[E]], %[[TOP]])
// The factor of the sums.
// CHECK: %[[BEFORE:.*]] = arith.mulf %[[X]]#2, %{{.*}}
// CHECK: %[[AFTER:.*]] = arith.mulf %[[TOP]], %{{.*}}
// CHECK: %[[OFFSET:.*]] = arith.subf %[[BEFORE]], %[[AFTER]]
// CHECK: math.exp2 %[[OFFSET]]
// CHECK-NOT: math.exp %
tile.kernel @scaled() attributes {warps = 1 : i64} {
  %x, %seen, %before = "test.scores"() : () -> (tensor<32x64xf32>, tensor<32x64xi1>, tensor<32xf32>)
  %scale = arith.constant dense<1.250000e-01> : tensor<32x64xf32>
  %low = arith.constant dense<0xFF800000> : tensor<32x64xf32>
  %y = arith.mulf %x, %scale : tensor<32x64xf32>
  %s = arith.select %seen, %y, %low : tensor<32x64xi1>, tensor<32x64xf32>
  %top = tile.reduce maximumf %s along 1 : tensor<32x64xf32> -> tensor<32xf32>
  %tops = tile.broadcast %top along [1] : tensor<32xf32> -> tensor<32x64xf32>
  %d = arith.subf %s, %tops : tensor<32x64xf32>
  %e = math.exp %d : tensor<32x64xf32>
  "test.use"(%e, %top) : (tensor<32x64xf32>, tensor<32xf32>) -> ()
  %offset = arith.subf %before, %top : tensor<32xf32>
  %factor = math.exp %offset : tensor<32xf32>
  "test.use"(%factor) : (tensor<32xf32>) -> ()
  tile.return
}

// Somebody else reads the scaled scores, which are there then; the difference and log2(e) are one multiply-add.
// CHECK-LABEL: tile.kernel @read
// CHECK: %[[Y:.*]] = arith.mulf
// CHECK: "test.use"(%[[Y]])
// CHECK: tile.reduce maximumf %[[Y]]
// CHECK: math.fma %[[Y]]
tile.kernel @read() attributes {warps = 1 : i64} {
  %x = "test.scores"() : () -> tensor<32x64xf32>
  %scale = arith.constant dense<1.250000e-01> : tensor<32x64xf32>
  %y = arith.mulf %x, %scale : tensor<32x64xf32>
  "test.use"(%y) : (tensor<32x64xf32>) -> ()
  %top = tile.reduce maximumf %y along 1 : tensor<32x64xf32> -> tensor<32xf32>
  %tops = tile.broadcast %top along [1] : tensor<32xf32> -> tensor<32x64xf32>
  %d = arith.subf %y, %tops : tensor<32x64xf32>
  %e = math.exp %d : tensor<32x64xf32>
  "test.use"(%e) : (tensor<32x64xf32>) -> ()
  tile.return
}

// A negative scale makes the largest the smallest: it stays in front. So does one whose product is added to.
// CHECK-LABEL: tile.kernel @negative
// CHECK: %[[Y:.*]] = arith.mulf
// CHECK: tile.reduce maximumf %[[Y]]
// CHECK: math.fma %[[Y]]
// CHECK: %[[BIASED:.*]] = arith.addf
// CHECK: tile.reduce maximumf %[[BIASED]]
// CHECK: math.fma %[[BIASED]]
tile.kernel @negative() attributes {warps = 1 : i64} {
  %x, %bias = "test.scores"() : () -> (tensor<32x64xf32>, tensor<32x64xf32>)
  %scale = arith.constant dense<-1.250000e-01> : tensor<32x64xf32>
  %y = arith.mulf %x, %scale : tensor<32x64xf32>
  %top = tile.reduce maximumf %y along 1 : tensor<32x64xf32> -> tensor<32xf32>
  %tops = tile.broadcast %top along [1] : tensor<32xf32> -> tensor<32x64xf32>
  %d = arith.subf %y, %tops : tensor<32x64xf32>
  %e = math.exp %d : tensor<32x64xf32>
  "test.use"(%e) : (tensor<32x64xf32>) -> ()
  %half = arith.constant dense<5.000000e-01> : tensor<32x64xf32>
  %z = arith.mulf %x, %half : tensor<32x64xf32>
  %biased = arith.addf %z, %bias : tensor<32x64xf32>
  %most = tile.reduce maximumf %biased along 1 : tensor<32x64xf32> -> tensor<32xf32>
  %mosts = tile.broadcast %most along [1] : tensor<32xf32> -> tensor<32x64xf32>
  %w = arith.subf %biased, %mosts : tensor<32x64xf32>
  %f = math.exp %w : tensor<32x64xf32>
  "test.use"(%f) : (tensor<32x64xf32>) -> ()
  tile.return
}

// To the base 2 the scale is all there is to fold; without one nothing changes. Differences from below are folded as well.
// CHECK-LABEL: tile.kernel @others
// CHECK: %[[X:[0-9]+]]:2 = "test.scores"
// CHECK: %[[LEAST:.*]] = tile.reduce minimumf %[[X]]#0
// CHECK: arith.mulf %[[LEAST]]
// CHECK: math.fma %[[X]]#0
// CHECK: %[[PLAIN:.*]] = arith.subf
// CHECK: math.exp2 %[[PLAIN]]
// CHECK: math.fma %[[X]]#0
// Neither side is a value of the row.
// CHECK: %[[TILES:.*]] = arith.subf
// CHECK: math.exp %[[TILES]]
tile.kernel @others() attributes {warps = 1 : i64} {
  %x, %row = "test.scores"() : () -> (tensor<32x64xf32>, tensor<32xf32>)
  %scale = arith.constant dense<3.000000e+00> : tensor<32x64xf32>
  %y = arith.mulf %x, %scale : tensor<32x64xf32>
  %least = tile.reduce minimumf %y along 1 : tensor<32x64xf32> -> tensor<32xf32>
  %leasts = tile.broadcast %least along [1] : tensor<32xf32> -> tensor<32x64xf32>
  %d = arith.subf %y, %leasts : tensor<32x64xf32>
  %e = math.exp2 %d : tensor<32x64xf32>
  %rows = tile.broadcast %row along [1] : tensor<32xf32> -> tensor<32x64xf32>
  %p = arith.subf %x, %rows : tensor<32x64xf32>
  %f = math.exp2 %p : tensor<32x64xf32>
  %q = arith.subf %rows, %x : tensor<32x64xf32>
  %g = math.exp %q : tensor<32x64xf32>
  %r = arith.subf %x, %e : tensor<32x64xf32>
  %h = math.exp %r : tensor<32x64xf32>
  "test.use"(%e, %f, %g, %h) : (tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>) -> ()
  tile.return
}

}
