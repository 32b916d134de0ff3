// Exponentials are folded by default where the factors that this brings into rows cancel in all that the kernel stores.
// RUN: fusion-opt %s --allow-unregistered-dialect --pass-pipeline='builtin.module(tile.kernel(tile-fold-exponentials))' | FileCheck %s
// RUN: sed -e 's|^module {|module attributes {fuse.exponentials = "guarded"} {|' %s \
// RUN:   | fusion-opt --allow-unregistered-dialect --pass-pipeline='builtin.module(tile.kernel(tile-fold-exponentials))' | FileCheck %s

module {

// An online softmax: its sums and its accumulator are rescaled alike, and the quotient is stored. Each step is computed once, and
// the factor from a guarded maximum to the true one is as it was.
// CHECK-LABEL: tile.kernel @online
// CHECK: scf.for
// CHECK: %[[X:[0-9]+]]:2 = "test.scores"
// CHECK: %[[MOST:.*]] = tile.reduce maxnumf %[[X]]#0 along 1
// CHECK: arith.mulf %[[MOST]]
// CHECK: %[[TOPS:.*]] = tile.broadcast
// CHECK: %[[Y:.*]] = tile.exponent %[[X]]#0 less %[[TOPS]] {scale = 1.250000e-01 : f32} : tensor<32x64xf32>
// CHECK: math.exp2 %[[Y]] {fuse.flush}
// CHECK: %[[STEP:.*]] = tile.exponent_step %{{.*}} to %{{.*}} {scale = 1.250000e-01 : f32} : tensor<32xf32>
// CHECK: math.exp2 %[[STEP]]
// CHECK: math.exp2 %[[STEP]]
// CHECK-NOT: tile.exponent_step
// CHECK: }
// CHECK: arith.subf
// CHECK: math.exp %
tile.kernel @online() attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zeros = arith.constant dense<0.0> : tensor<32x16xf32>
  %none = arith.constant dense<0.0> : tensor<32xf32>
  %low = arith.constant dense<0xFF800000> : tensor<32xf32>
  %scale = arith.constant dense<1.250000e-01> : tensor<32x64xf32>
  %largest = arith.constant dense<3.40282347E+38> : tensor<32xf32>
  %out:3 = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %zeros, %before = %low, %sum = %none)
      -> (tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>) {
    %x, %v = "test.scores"() : () -> (tensor<32x64xf32>, tensor<64x16xf16>)
    %y = arith.mulf %x, %scale : tensor<32x64xf32>
    %most = tile.reduce maxnumf %y along 1 : tensor<32x64xf32> -> tensor<32xf32>
    %is_low = arith.cmpf oeq, %before, %low : tensor<32xf32>
    %from = arith.select %is_low, %none, %before : tensor<32xi1>, tensor<32xf32>
    %top = arith.maxnumf %before, %most : tensor<32xf32>
    %is_top_low = arith.cmpf oeq, %top, %low : tensor<32xf32>
    %to = arith.select %is_top_low, %none, %top : tensor<32xi1>, tensor<32xf32>
    %tops = tile.broadcast %to along [1] : tensor<32xf32> -> tensor<32x64xf32>
    %d = arith.subf %y, %tops : tensor<32x64xf32>
    %e = math.exp %d {fuse.flush} : tensor<32x64xf32>
    %part = tile.reduce addf %e along 1 : tensor<32x64xf32> -> tensor<32xf32>
    %offset = arith.subf %from, %to : tensor<32xf32>
    %factor = math.exp %offset : tensor<32xf32>
    %clamped = arith.minimumf %factor, %largest : tensor<32xf32>
    %scaled = arith.mulf %sum, %clamped : tensor<32xf32>
    %next = arith.addf %scaled, %part : tensor<32xf32>
    %p = arith.truncf %e : tensor<32x64xf32> to tensor<32x64xf16>
    %again = arith.subf %from, %to : tensor<32xf32>
    %factor2 = math.exp %again : tensor<32xf32>
    %factors = tile.broadcast %factor2 along [1] : tensor<32xf32> -> tensor<32x16xf32>
    %rescaled = arith.mulf %acc, %factors : tensor<32x16xf32>
    %o = tile.dot %p, %v, %rescaled "mma.m16n8k16" warps [1, 1] : tensor<32x64xf16>, tensor<64x16xf16> -> tensor<32x16xf32>
    scf.yield %o, %top, %next : tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>
  }
  %is_low = arith.cmpf oeq, %out#1, %low : tensor<32xf32>
  %guarded = arith.select %is_low, %none, %out#1 : tensor<32xi1>, tensor<32xf32>
  %rest = arith.subf %guarded, %out#1 : tensor<32xf32>
  %last = math.exp %rest : tensor<32xf32>
  %sum = arith.mulf %out#2, %last : tensor<32xf32>
  %sums = tile.broadcast %sum along [1] : tensor<32xf32> -> tensor<32x16xf32>
  %result = arith.divf %out#0, %sums : tensor<32x16xf32>
  "test.use"(%result) : (tensor<32x16xf32>) -> ()
  tile.return
}

// Two tiles whose sums are added have exponentials of one group. Their scales differ: both stay in front.
// CHECK-LABEL: tile.kernel @rows
// CHECK: %[[X:[0-9]+]]:2 = "test.scores"
// CHECK: %[[Y:.*]] = arith.mulf %[[X]]#0
// CHECK: %[[Z:.*]] = arith.mulf %[[X]]#1
// CHECK: tile.exponent %[[Y]] less %{{.*}} {scale = 1.000000e+00 : f32}
// CHECK: tile.exponent %[[Z]] less %{{.*}} {scale = 1.000000e+00 : f32}
// CHECK: tile.exponent_step %{{.*}} to %{{.*}} {scale = 1.000000e+00 : f32}
tile.kernel @rows() attributes {warps = 1 : i64} {
  %x, %w = "test.scores"() : () -> (tensor<32x64xf32>, tensor<32x64xf32>)
  %eighth = arith.constant dense<1.250000e-01> : tensor<32x64xf32>
  %half = arith.constant dense<5.000000e-01> : tensor<32x64xf32>
  %y = arith.mulf %x, %eighth : tensor<32x64xf32>
  %z = arith.mulf %w, %half : tensor<32x64xf32>
  %a = tile.reduce maximumf %y along 1 : tensor<32x64xf32> -> tensor<32xf32>
  %b = tile.reduce maximumf %z along 1 : tensor<32x64xf32> -> tensor<32xf32>
  %as = tile.broadcast %a along [1] : tensor<32xf32> -> tensor<32x64xf32>
  %bs = tile.broadcast %b along [1] : tensor<32xf32> -> tensor<32x64xf32>
  %d = arith.subf %y, %as : tensor<32x64xf32>
  %e = math.exp %d : tensor<32x64xf32>
  %g = arith.subf %z, %bs : tensor<32x64xf32>
  %h = math.exp %g : tensor<32x64xf32>
  %first = tile.reduce addf %e along 1 : tensor<32x64xf32> -> tensor<32xf32>
  %second = tile.reduce addf %h along 1 : tensor<32x64xf32> -> tensor<32xf32>
  %offset = arith.subf %a, %b : tensor<32xf32>
  %factor = math.exp %offset : tensor<32xf32>
  %scaled = arith.mulf %first, %factor : tensor<32xf32>
  %sum = arith.addf %scaled, %second : tensor<32xf32>
  %share = arith.divf %second, %sum : tensor<32xf32>
  "test.use"(%share) : (tensor<32xf32>) -> ()
  tile.return
}

// Two exponentials with one subtrahend, each of which would be behind a branch.
// CHECK-LABEL: tile.kernel @several
// CHECK-NOT: tile.exponent
tile.kernel @several() attributes {warps = 1 : i64} {
  %x, %w = "test.scores"() : () -> (tensor<32x64xf32>, tensor<32x64xf32>)
  %both = arith.maximumf %x, %w : tensor<32x64xf32>
  %top = tile.reduce maximumf %both along 1 : tensor<32x64xf32> -> tensor<32xf32>
  %tops = tile.broadcast %top along [1] : tensor<32xf32> -> tensor<32x64xf32>
  %d = arith.subf %x, %tops : tensor<32x64xf32>
  %e = math.exp %d : tensor<32x64xf32>
  %g = arith.subf %w, %tops : tensor<32x64xf32>
  %h = math.exp %g : tensor<32x64xf32>
  %all = arith.addf %e, %h : tensor<32x64xf32>
  %sum = tile.reduce addf %all along 1 : tensor<32x64xf32> -> tensor<32xf32>
  %sums = tile.broadcast %sum along [1] : tensor<32xf32> -> tensor<32x64xf32>
  %weights = arith.divf %e, %sums : tensor<32x64xf32>
  "test.use"(%weights) : (tensor<32x64xf32>) -> ()
  tile.return
}

// The sum leaves, or its logarithm, or it is compared: nothing changes. Nor does it for a sum over rows of different maxima.
// CHECK-LABEL: tile.kernel @leaves
// CHECK-NOT: tile.exponent
// CHECK-LABEL: tile.kernel @logarithm
// CHECK-NOT: tile.exponent
// CHECK-LABEL: tile.kernel @compared
// CHECK-NOT: tile.exponent
// CHECK-LABEL: tile.kernel @across
// CHECK-NOT: tile.exponent
// CHECK-LABEL: tile.kernel @unscaled
tile.kernel @leaves() attributes {warps = 1 : i64} {
  %x = "test.scores"() : () -> tensor<32x64xf32>
  %top = tile.reduce maximumf %x along 1 : tensor<32x64xf32> -> tensor<32xf32>
  %tops = tile.broadcast %top along [1] : tensor<32xf32> -> tensor<32x64xf32>
  %d = arith.subf %x, %tops : tensor<32x64xf32>
  %e = math.exp %d : tensor<32x64xf32>
  %sum = tile.reduce addf %e along 1 : tensor<32x64xf32> -> tensor<32xf32>
  %sums = tile.broadcast %sum along [1] : tensor<32xf32> -> tensor<32x64xf32>
  %weights = arith.divf %e, %sums : tensor<32x64xf32>
  "test.use"(%weights, %sum) : (tensor<32x64xf32>, tensor<32xf32>) -> ()
  tile.return
}
tile.kernel @logarithm() attributes {warps = 1 : i64} {
  %x = "test.scores"() : () -> tensor<32x64xf32>
  %top = tile.reduce maximumf %x along 1 : tensor<32x64xf32> -> tensor<32xf32>
  %tops = tile.broadcast %top along [1] : tensor<32xf32> -> tensor<32x64xf32>
  %d = arith.subf %x, %tops : tensor<32x64xf32>
  %e = math.exp %d : tensor<32x64xf32>
  %sum = tile.reduce addf %e along 1 : tensor<32x64xf32> -> tensor<32xf32>
  %log = math.log %sum : tensor<32xf32>
  %result = arith.addf %log, %top : tensor<32xf32>
  "test.use"(%result) : (tensor<32xf32>) -> ()
  tile.return
}
tile.kernel @compared() attributes {warps = 1 : i64} {
  %x = "test.scores"() : () -> tensor<32x64xf32>
  %half = arith.constant dense<5.000000e-01> : tensor<32x64xf32>
  %zeros = arith.constant dense<0.0> : tensor<32x64xf32>
  %top = tile.reduce maximumf %x along 1 : tensor<32x64xf32> -> tensor<32xf32>
  %tops = tile.broadcast %top along [1] : tensor<32xf32> -> tensor<32x64xf32>
  %d = arith.subf %x, %tops : tensor<32x64xf32>
  %e = math.exp %d : tensor<32x64xf32>
  %is_large = arith.cmpf ogt, %e, %half : tensor<32x64xf32>
  %kept = arith.select %is_large, %e, %zeros : tensor<32x64xi1>, tensor<32x64xf32>
  %sum = tile.reduce addf %e along 1 : tensor<32x64xf32> -> tensor<32xf32>
  %sums = tile.broadcast %sum along [1] : tensor<32xf32> -> tensor<32x64xf32>
  %weights = arith.divf %kept, %sums : tensor<32x64xf32>
  "test.use"(%weights) : (tensor<32x64xf32>) -> ()
  tile.return
}
tile.kernel @across() attributes {warps = 1 : i64} {
  %x = "test.scores"() : () -> tensor<32x64xf32>
  %top = tile.reduce maximumf %x along 1 : tensor<32x64xf32> -> tensor<32xf32>
  %tops = tile.broadcast %top along [1] : tensor<32xf32> -> tensor<32x64xf32>
  %d = arith.subf %x, %tops : tensor<32x64xf32>
  %e = math.exp %d : tensor<32x64xf32>
  %sum = tile.reduce addf %e along 0 : tensor<32x64xf32> -> tensor<64xf32>
  %sums = tile.broadcast %sum along [0] : tensor<64xf32> -> tensor<32x64xf32>
  %weights = arith.divf %e, %sums : tensor<32x64xf32>
  "test.use"(%weights) : (tensor<32x64xf32>) -> ()
  tile.return
}

// Sums of a loop that are not rescaled when the subtrahend changes.
// CHECK-NOT: tile.exponent
// CHECK-LABEL: tile.kernel @references
tile.kernel @unscaled() attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %none = arith.constant dense<0.0> : tensor<32xf32>
  %low = arith.constant dense<0xFF800000> : tensor<32xf32>
  %out:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%before = %low, %sum = %none) -> (tensor<32xf32>, tensor<32xf32>) {
    %x = "test.scores"() : () -> tensor<32x64xf32>
    %most = tile.reduce maxnumf %x along 1 : tensor<32x64xf32> -> tensor<32xf32>
    %top = arith.maxnumf %before, %most : tensor<32xf32>
    %tops = tile.broadcast %top along [1] : tensor<32xf32> -> tensor<32x64xf32>
    %d = arith.subf %x, %tops : tensor<32x64xf32>
    %e = math.exp %d : tensor<32x64xf32>
    %part = tile.reduce addf %e along 1 : tensor<32x64xf32> -> tensor<32xf32>
    %next = arith.addf %sum, %part : tensor<32xf32>
    scf.yield %top, %next : tensor<32xf32>, tensor<32xf32>
  }
  %ratio = arith.divf %out#1, %out#1 : tensor<32xf32>
  "test.use"(%ratio) : (tensor<32xf32>) -> ()
  tile.return
}

// Conditional rescaling: a row's reference and its factor are selected by the same condition.
// CHECK: tile.exponent_step
// CHECK: tile.exponent %
tile.kernel @references() attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %none = arith.constant dense<0.0> : tensor<32xf32>
  %one = arith.constant dense<1.0> : tensor<32xf32>
  %near = arith.constant dense<3.906250e-03> : tensor<32xf32>
  %low = arith.constant dense<0xFF800000> : tensor<32xf32>
  %out:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%before = %none, %sum = %none) -> (tensor<32xf32>, tensor<32xf32>) {
    %x = "test.scores"() : () -> tensor<32x64xf32>
    %most = tile.reduce maxnumf %x along 1 : tensor<32x64xf32> -> tensor<32xf32>
    %top = arith.maxnumf %before, %most : tensor<32xf32>
    %offset = arith.subf %before, %top : tensor<32xf32>
    %factor = math.exp %offset : tensor<32xf32>
    %stays = arith.cmpf oge, %factor, %near : tensor<32xf32>
    %by = arith.select %stays, %one, %factor : tensor<32xi1>, tensor<32xf32>
    %after = arith.select %stays, %before, %top : tensor<32xi1>, tensor<32xf32>
    %tops = tile.broadcast %after along [1] : tensor<32xf32> -> tensor<32x64xf32>
    %d = arith.subf %x, %tops : tensor<32x64xf32>
    %e = math.exp %d : tensor<32x64xf32>
    %part = tile.reduce addf %e along 1 : tensor<32x64xf32> -> tensor<32xf32>
    %scaled = arith.mulf %sum, %by : tensor<32xf32>
    %next = arith.addf %scaled, %part : tensor<32xf32>
    scf.yield %after, %next : tensor<32xf32>, tensor<32xf32>
  }
  %ratio = arith.divf %out#1, %out#1 : tensor<32xf32>
  "test.use"(%ratio) : (tensor<32xf32>) -> ()
  tile.return
}

}
