// Which iterations lie inside of all masks, and that the others go on as they were.
// RUN: fusion-opt %s --allow-unregistered-dialect --pass-pipeline='builtin.module(tile.kernel(tile-split-masked-loops))' | FileCheck %s

// Columns up to the row: in a tile of 32 columns the last one is 31 behind the first.
// CHECK-LABEL: tile.kernel @causal
// CHECK: %[[UPPER:.*]]:3 = "test.range"
// CHECK: %[[LAST:.*]] = arith.constant -30 : index
// CHECK-NEXT: %[[OF_ROW:.*]] = arith.addi %[[LAST]], %[[UPPER]]#1
// CHECK-NEXT: %[[END:.*]] = arith.minsi %[[UPPER]]#0, %[[OF_ROW]]
// CHECK-NEXT: %[[BEFORE:.*]] = scf.for %[[I:.*]] = %[[C0:.*]] to %[[END]] step %[[STEP:.*]] iter_args(%[[SUM:.*]] = %
// CHECK-NEXT: %[[X:.*]] = "test.scores"(%[[I]])
// CHECK-NEXT: %[[NEXT:.*]] = arith.addf %[[SUM]], %[[X]]
// CHECK-NEXT: scf.yield %[[NEXT]]
// The first iteration behind them.
// CHECK: %[[DISTANCE:.*]] = arith.subi %[[END]], %[[C0]]
// CHECK: %[[STEPS:.*]] = arith.divui
// CHECK: %[[WAY:.*]] = arith.muli %[[STEPS]], %[[STEP]]
// CHECK: %[[FIRST:.*]] = arith.addi %[[C0]], %[[WAY]]
// CHECK: %[[ALL:.*]] = scf.for %{{.*}} = %[[FIRST]] to %[[UPPER]]#0 step %[[STEP]] iter_args(%{{.*}} = %[[BEFORE]])
// CHECK: arith.cmpi sle
// CHECK: arith.select
// CHECK: "test.use"(%[[ALL]])
tile.kernel @causal() attributes {warps = 1 : i64} {
  %upper, %row, %more = "test.range"() : () -> (index, index, index)
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %low = arith.constant dense<0xFF800000> : tensor<16x32xf32>
  %sum = scf.for %n = %c0 to %upper step %c32 iter_args(%before = %zero) -> tensor<16x32xf32> {
    %x = "test.scores"(%n) : (index) -> tensor<16x32xf32>
    %column = tile.iota %n along 1 : tensor<16x32xindex>
    %rows = tile.iota %row along 0 : tensor<16x32xindex>
    %inside = arith.cmpi sle, %column, %rows : tensor<16x32xindex>
    %seen = arith.select %inside, %x, %low : tensor<16x32xi1>, tensor<16x32xf32>
    %next = arith.addf %before, %seen : tensor<16x32xf32>
    scf.yield %next : tensor<16x32xf32>
  }
  "test.use"(%sum) : (tensor<16x32xf32>) -> ()
  tile.return
}

// A window of 64 columns up to the row, said by what lies outside, and an end of the columns: three loops, of which the middle has
// no mask. What else is selected stays.
// CHECK-LABEL: tile.kernel @window
// CHECK: %[[RANGE:.*]]:3 = "test.range"
// CHECK: %[[IN_WINDOW:.*]] = arith.constant -48 : index
// CHECK: arith.addi %[[IN_WINDOW]], %[[RANGE]]#2
// CHECK: %[[FIRST:.*]] = scf.for
// CHECK: arith.ori
// CHECK: tile.mask
// CHECK: scf.yield
// CHECK: %[[ROW:.*]] = arith.minsi %[[RANGE]]#1
// CHECK: %[[IN_COLUMNS:.*]] = arith.constant 969 : index
// CHECK: %[[END:.*]] = arith.minsi %[[ROW]], %[[IN_COLUMNS]]
// CHECK: %[[SECOND:.*]] = scf.for %{{.*}} = %{{.*}} to %[[END]] step %{{.*}} iter_args(%{{.*}} = %[[FIRST]])
// CHECK-NEXT: %[[XS:.*]]:2 = "test.scores"
// CHECK-NEXT: %[[CHOSEN:.*]] = arith.select %[[XS]]#1, %[[XS]]#0, %
// CHECK-NEXT: arith.addf %{{.*}}, %[[CHOSEN]]
// CHECK-NEXT: scf.yield
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %[[SECOND]])
// CHECK: arith.ori
// CHECK: tile.mask
// CHECK: tile.return
tile.kernel @window() attributes {warps = 1 : i64} {
  %lower, %upper, %row = "test.range"() : () -> (index, index, index)
  %c32 = arith.constant 32 : index
  %c1000 = arith.constant 1000 : index
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %zeroF = arith.constant 0.0 : f32
  %c64 = arith.constant dense<64> : tensor<16x32xindex>
  %sum = scf.for %n = %lower to %upper step %c32 iter_args(%before = %zero) -> tensor<16x32xf32> {
    %x, %which = "test.scores"(%n) : (index) -> (tensor<16x32xf32>, tensor<16x32xi1>)
    %column = tile.iota %n along 1 : tensor<16x32xindex>
    %rows = tile.iota %row along 0 : tensor<16x32xindex>
    %start = arith.subi %rows, %c64 : tensor<16x32xindex>
    %behind = arith.cmpi sgt, %column, %rows : tensor<16x32xindex>
    %ahead = arith.cmpi sle, %column, %start : tensor<16x32xindex>
    %outside = arith.ori %behind, %ahead : tensor<16x32xi1>
    %seen = arith.select %outside, %zero, %x : tensor<16x32xi1>, tensor<16x32xf32>
    %left = arith.subi %c1000, %n : index
    %inside = tile.mask %seen below %left along 1 else %zeroF : tensor<16x32xf32>, f32 -> tensor<16x32xf32>
    %chosen = arith.select %which, %inside, %zero : tensor<16x32xi1>, tensor<16x32xf32>
    %next = arith.addf %before, %chosen : tensor<16x32xf32>
    scf.yield %next : tensor<16x32xf32>
  }
  "test.use"(%sum) : (tensor<16x32xf32>) -> ()
  tile.return
}

// Masks of rows, the same in all iterations; comparisons that decide between two values, or of every second column; one iteration.
// CHECK-LABEL: tile.kernel @whole
// CHECK: scf.for
// CHECK: tile.mask
// CHECK: scf.for
// CHECK: arith.cmpi slt
// CHECK: scf.for
// CHECK: arith.cmpi sle
// CHECK: scf.for
// CHECK: tile.mask
// CHECK-NOT: scf.for
// CHECK: tile.return
tile.kernel @whole() attributes {warps = 1 : i64} {
  %upper, %row = "test.range"() : () -> (index, index)
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %zeroF = arith.constant 0.0 : f32
  %c2 = arith.constant dense<2> : tensor<16x32xindex>
  scf.for %n = %c0 to %upper step %c32 {
    %x = "test.scores"(%n) : (index) -> tensor<16x32xf32>
    %left = arith.subi %upper, %row : index
    %inside = tile.mask %x below %left along 0 else %zeroF : tensor<16x32xf32>, f32 -> tensor<16x32xf32>
    "test.use"(%inside) : (tensor<16x32xf32>) -> ()
  }
  scf.for %n = %c0 to %upper step %c32 {
    %x, %y = "test.scores"(%n) : (index) -> (tensor<16x32xf32>, tensor<16x32xf32>)
    %column = tile.iota %n along 1 : tensor<16x32xindex>
    %rows = tile.iota %row along 0 : tensor<16x32xindex>
    %before = arith.cmpi slt, %column, %rows : tensor<16x32xindex>
    %seen = arith.select %before, %x, %y : tensor<16x32xi1>, tensor<16x32xf32>
    "test.use"(%seen) : (tensor<16x32xf32>) -> ()
  }
  scf.for %n = %c0 to %upper step %c32 {
    %x = "test.scores"(%n) : (index) -> tensor<16x32xf32>
    %column = tile.iota %n along 1 : tensor<16x32xindex>
    %twice = arith.muli %column, %c2 : tensor<16x32xindex>
    %rows = tile.iota %row along 0 : tensor<16x32xindex>
    %inside = arith.cmpi sle, %twice, %rows : tensor<16x32xindex>
    %seen = arith.select %inside, %x, %zero : tensor<16x32xi1>, tensor<16x32xf32>
    "test.use"(%seen) : (tensor<16x32xf32>) -> ()
  }
  scf.for %n = %c0 to %c32 step %c32 {
    %x = "test.scores"(%n) : (index) -> tensor<16x32xf32>
    %left = arith.subi %upper, %n : index
    %inside = tile.mask %x below %left along 1 else %zeroF : tensor<16x32xf32>, f32 -> tensor<16x32xf32>
    "test.use"(%inside) : (tensor<16x32xf32>) -> ()
  }
  tile.return
}
