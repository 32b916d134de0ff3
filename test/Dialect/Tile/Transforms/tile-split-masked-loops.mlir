// Which iterations lie inside of all masks, and that the others go on as they were.
// RUN: fusion-opt %s --allow-unregistered-dialect --pass-pipeline='builtin.module(tile.kernel(tile-split-masked-loops))' | FileCheck %s

// Columns up to the row: in a tile of 32 columns the last one is 31 behind the first.
// CHECK-LABEL: tile.kernel @causal
// CHECK: %[[UPPER:.*]]:3 = "test.range"
// CHECK: %[[LAST:.*]] = arith.constant -30 : index
// CHECK: %[[OF_ROW:.*]] = arith.addi %[[UPPER]]#1, %[[LAST]]
// CHECK-NEXT: %[[END:.*]] = arith.minsi %[[UPPER]]#0, %[[OF_ROW]]
// CHECK-NEXT: %[[BEFORE:.*]] = scf.for %[[I:.*]] = %[[C0:.*]] to %[[END]] step %[[STEP:.*]] iter_args(%[[SUM:.*]] = %
// CHECK-NEXT: %[[X:.*]] = "test.scores"(%[[I]])
// CHECK-NEXT: %[[NEXT:.*]] = arith.addf %[[SUM]], %[[X]]
// CHECK-NEXT: scf.yield %[[NEXT]]
// The first iteration behind them.
// CHECK: %[[DISTANCE:.*]] = arith.maxsi %[[END]], %
// CHECK: %[[ROUNDED:.*]] = arith.addi %[[DISTANCE]], %c31
// CHECK: %[[STEPS:.*]] = arith.divui %[[ROUNDED]], %[[STEP]]
// CHECK: %[[FIRST:.*]] = arith.muli %[[STEPS]], %[[STEP]]
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

// A window of 128 columns up to the row, said by what lies outside, and an end of the columns: three loops, of which the middle has
// no mask. What else is selected stays.
// CHECK-LABEL: tile.kernel @window
// CHECK: %[[RANGE:.*]]:3 = "test.range"
// CHECK: %[[IN_WINDOW:.*]] = arith.constant -112 : index
// CHECK: arith.addi %[[RANGE]]#2, %[[IN_WINDOW]]
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
  %c128 = arith.constant dense<128> : tensor<16x32xindex>
  %sum = scf.for %n = %lower to %upper step %c32 iter_args(%before = %zero) -> tensor<16x32xf32> {
    %x, %which = "test.scores"(%n) : (index) -> (tensor<16x32xf32>, tensor<16x32xi1>)
    %column = tile.iota %n along 1 : tensor<16x32xindex>
    %rows = tile.iota %row along 0 : tensor<16x32xindex>
    %start = arith.subi %rows, %c128 : tensor<16x32xindex>
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

// Inside of a window of 64 columns are 18 places for a tile's begin, perhaps none of which is a step's; 48 of 94 columns are enough
// for a step.
// CHECK-LABEL: tile.kernel @narrow
// CHECK: scf.for
// CHECK: arith.cmpi ult
// CHECK: scf.for
// CHECK: arith.cmpi ult
// CHECK: scf.for
// CHECK-NOT: arith.cmpi
// CHECK: scf.for
// CHECK: arith.cmpi ult
// CHECK-NOT: scf.for
// CHECK: tile.return
tile.kernel @narrow() attributes {warps = 1 : i64} {
  %lower, %upper, %row = "test.range"() : () -> (index, index, index)
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %c64 = arith.constant dense<64> : tensor<16x32xi64>
  %c94 = arith.constant dense<94> : tensor<16x32xi64>
  scf.for %n = %lower to %upper step %c32 {
    %x = "test.scores"(%n) : (index) -> tensor<16x32xf32>
    %column = tile.iota %n along 1 : tensor<16x32xindex>
    %rows = tile.iota %row along 0 : tensor<16x32xindex>
    %before = arith.subi %rows, %column : tensor<16x32xindex>
    %wide = arith.index_cast %before : tensor<16x32xindex> to tensor<16x32xi64>
    %inside = arith.cmpi ult, %wide, %c64 : tensor<16x32xi64>
    %seen = arith.select %inside, %x, %zero : tensor<16x32xi1>, tensor<16x32xf32>
    "test.use"(%seen) : (tensor<16x32xf32>) -> ()
  }
  scf.for %n = %lower to %upper step %c32 {
    %x = "test.scores"(%n) : (index) -> tensor<16x32xf32>
    %column = tile.iota %n along 1 : tensor<16x32xindex>
    %rows = tile.iota %row along 0 : tensor<16x32xindex>
    %before = arith.subi %rows, %column : tensor<16x32xindex>
    %wide = arith.index_cast %before : tensor<16x32xindex> to tensor<16x32xi64>
    %inside = arith.cmpi ult, %wide, %c94 : tensor<16x32xi64>
    %seen = arith.select %inside, %x, %zero : tensor<16x32xi1>, tensor<16x32xf32>
    "test.use"(%seen) : (tensor<16x32xf32>) -> ()
  }
  tile.return
}

// Rows of heads side by side, columns counted from the end, what is not inside and what somebody else masks, as a number that is
// added: the first columns lie inside, where only the other mask is left. The loop around them is split by itself.
// CHECK-LABEL: tile.kernel @nested
// CHECK: %[[RANGE:.*]]:3 = "test.range"
// CHECK: scf.for %[[M:.*]] = %{{.*}} to %[[END_OF_M:.*]] step
// 100 - n >= 31 + 7.
// CHECK: %[[END:.*]] = arith.constant 63 : index
// CHECK: %[[INSIDE:.*]] = arith.minsi %[[RANGE]]#0, %[[END]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[INSIDE]]
// CHECK-NEXT: %[[XS:.*]]:2 = "test.scores"
// CHECK-NEXT: %[[ADDED:.*]] = arith.select %[[XS]]#1, %[[ZERO:.*]], %[[LOW:.*]] :
// CHECK-NEXT: arith.addf %[[XS]]#0, %[[ADDED]]
// CHECK-NEXT: "test.use"
// CHECK: scf.for
// CHECK: arith.xori
// CHECK: arith.addf
// CHECK: "test.rows"(%[[M]],
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK: tile.mask
// CHECK-NOT: scf.for
// CHECK: tile.return
tile.kernel @nested() attributes {warps = 1 : i64} {
  %upper, %rowsEnd, %row = "test.range"() : () -> (index, index, index)
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %zeroF = arith.constant 0.0 : f32
  %low = arith.constant dense<0xFF800000> : tensor<16x32xf32>
  %c8 = arith.constant dense<8> : tensor<16x32xindex>
  %c100 = arith.constant dense<100> : tensor<16x32xindex>
  %minus = arith.constant dense<-1> : tensor<16x32xindex>
  %true = arith.constant dense<true> : tensor<16x32xi1>
  scf.for %m = %c0 to %rowsEnd step %c16 {
    scf.for %n = %c0 to %upper step %c32 {
      %x, %which = "test.scores"(%n) : (index) -> (tensor<16x32xf32>, tensor<16x32xi1>)
      %column = tile.iota %n along 1 : tensor<16x32xindex>
      %negative = arith.muli %column, %minus : tensor<16x32xindex>
      %left = arith.addi %c100, %negative : tensor<16x32xindex>
      %rows = tile.iota %row along 0 : tensor<16x32xindex>
      %ofHead = arith.remui %rows, %c8 : tensor<16x32xindex>
      %outside = arith.cmpi slt, %left, %ofHead : tensor<16x32xindex>
      %inside = arith.xori %outside, %true : tensor<16x32xi1>
      %both = arith.andi %inside, %which : tensor<16x32xi1>
      %added = arith.select %both, %zero, %low : tensor<16x32xi1>, tensor<16x32xf32>
      %seen = arith.addf %x, %added : tensor<16x32xf32>
      "test.use"(%seen) : (tensor<16x32xf32>) -> ()
    }
    %y = "test.rows"(%m, %c0) : (index, index) -> tensor<16x32xf32>
    %bound = arith.subi %rowsEnd, %m : index
    %whole = tile.mask %y below %bound along 0 else %zeroF : tensor<16x32xf32>, f32 -> tensor<16x32xf32>
    "test.use"(%whole) : (tensor<16x32xf32>) -> ()
  }
  tile.return
}

// The bounds of a loop of constants are constants: iterations 0 to 960 of 1024, of which the last one is cut at 1000.
// CHECK-LABEL: tile.kernel @constants
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c969
// CHECK-NOT: tile.mask
// CHECK: scf.for %{{.*}} = %c992{{.*}} to %c1000
// CHECK: tile.mask
// CHECK-NOT: scf.for
// CHECK: tile.return
tile.kernel @constants() attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c1000 = arith.constant 1000 : index
  %zeroF = arith.constant 0.0 : f32
  scf.for %n = %c0 to %c1000 step %c32 {
    %x = "test.scores"(%n) : (index) -> tensor<16x32xf32>
    %left = arith.subi %c1000, %n : index
    %inside = tile.mask %x below %left along 1 else %zeroF : tensor<16x32xf32>, f32 -> tensor<16x32xf32>
    %again = tile.mask %inside below %left along 1 else %zeroF : tensor<16x32xf32>, f32 -> tensor<16x32xf32>
    "test.use"(%again) : (tensor<16x32xf32>) -> ()
  }
  tile.return
}

// Blocks of a cluster, each of which has its own rows, meet as often as one another.
// CHECK-LABEL: tile.kernel @meeting
// CHECK: scf.for
// CHECK: tile.mask
// CHECK: tile.barrier cluster
// CHECK-NOT: scf.for
// CHECK: tile.return
tile.kernel @meeting() attributes {warps = 1 : i64, cluster = 2 : i64} {
  %rows = "test.range"() : () -> index
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zeroF = arith.constant 0.0 : f32
  scf.for %m = %c0 to %c64 step %c16 {
    %x = "test.scores"(%m) : (index) -> tensor<16x32xf32>
    %left = arith.subi %rows, %m : index
    %inside = tile.mask %x below %left along 0 else %zeroF : tensor<16x32xf32>, f32 -> tensor<16x32xf32>
    tile.barrier cluster
    "test.use"(%inside) : (tensor<16x32xf32>) -> ()
  }
  tile.return
}

// One iteration inside and one that is cut would be no loops.
// CHECK-LABEL: tile.kernel @two
// CHECK: scf.for
// CHECK: tile.mask
// CHECK-NOT: scf.for
// CHECK: tile.return
tile.kernel @two() attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c60 = arith.constant 60 : index
  %zeroF = arith.constant 0.0 : f32
  scf.for %n = %c0 to %c60 step %c32 {
    %x = "test.scores"(%n) : (index) -> tensor<16x32xf32>
    %left = arith.subi %c60, %n : index
    %inside = tile.mask %x below %left along 1 else %zeroF : tensor<16x32xf32>, f32 -> tensor<16x32xf32>
    "test.use"(%inside) : (tensor<16x32xf32>) -> ()
  }
  tile.return
}

// A kernel may ask for more iterations than one besides the first: of the two whole ones of 92 columns one is left, of the three of
// 124 columns there are two.
// CHECK-LABEL: tile.kernel @more
// CHECK: scf.for
// CHECK: tile.mask
// CHECK: scf.for
// CHECK-NOT: tile.mask
// CHECK: scf.for
// CHECK: tile.mask
// CHECK-NOT: scf.for
// CHECK: tile.return
tile.kernel @more() attributes {warps = 1 : i64, unmasked_iterations = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c92 = arith.constant 92 : index
  %c124 = arith.constant 124 : index
  %zeroF = arith.constant 0.0 : f32
  scf.for %n = %c0 to %c92 step %c32 {
    %x = "test.scores"(%n) : (index) -> tensor<16x32xf32>
    %left = arith.subi %c92, %n : index
    %inside = tile.mask %x below %left along 1 else %zeroF : tensor<16x32xf32>, f32 -> tensor<16x32xf32>
    "test.use"(%inside) : (tensor<16x32xf32>) -> ()
  }
  scf.for %n = %c0 to %c124 step %c32 {
    %x = "test.scores"(%n) : (index) -> tensor<16x32xf32>
    %left = arith.subi %c124, %n : index
    %inside = tile.mask %x below %left along 1 else %zeroF : tensor<16x32xf32>, f32 -> tensor<16x32xf32>
    "test.use"(%inside) : (tensor<16x32xf32>) -> ()
  }
  tile.return
}

// The schedule says whether the iterations of a contraction keep their masks, whatever the intrinsic is.
// CHECK-LABEL: tile.kernel @masked
// CHECK: scf.for
// CHECK: tile.dot {{.*}} {masked}
// CHECK: tile.mask
// CHECK: scf.for
// CHECK: tile.dot
// CHECK-NOT: tile.mask
// CHECK: scf.for
// CHECK: tile.mask
// CHECK-NOT: scf.for
// CHECK: tile.return
tile.kernel @masked() attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c1000 = arith.constant 1000 : index
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %zeroF = arith.constant 0.0 : f32
  scf.for %n = %c0 to %c1000 step %c32 {
    %a, %b = "test.operands"(%n) : (index) -> (tensor<16x16xf32>, tensor<16x32xf32>)
    %x = tile.dot %a, %b, %zero "fma.m8n16k4" warps [1, 1] {masked} : tensor<16x16xf32>, tensor<16x32xf32> -> tensor<16x32xf32>
    %left = arith.subi %c1000, %n : index
    %inside = tile.mask %x below %left along 1 else %zeroF : tensor<16x32xf32>, f32 -> tensor<16x32xf32>
    "test.use"(%inside) : (tensor<16x32xf32>) -> ()
  }
  scf.for %n = %c0 to %c1000 step %c32 {
    %a, %b = "test.operands"(%n) : (index) -> (tensor<16x16xf32>, tensor<16x32xf32>)
    %x = tile.dot %a, %b, %zero "fma.m8n16k4" warps [1, 1] : tensor<16x16xf32>, tensor<16x32xf32> -> tensor<16x32xf32>
    %left = arith.subi %c1000, %n : index
    %inside = tile.mask %x below %left along 1 else %zeroF : tensor<16x32xf32>, f32 -> tensor<16x32xf32>
    "test.use"(%inside) : (tensor<16x32xf32>) -> ()
  }
  tile.return
}
