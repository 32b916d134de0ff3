// RUN: fusion-opt %s --split-input-file --convert-tile-to-cpu | FileCheck %s

// A kernel becomes a function over a range of its blocks. A load is read in place: a row in whole vectors, and the last one under a
// mask.
// CHECK-LABEL: module attributes
// CHECK: tile.launch @kernels::@relu
// CHECK: module @kernels attributes {fuse.native}
// CHECK: func.func @relu(%[[WORDS:.*]]: !llvm.ptr, %[[FIRST:.*]]: i64, %[[END:.*]]: i64, %{{.*}}: !llvm.ptr) attributes {fuse.scratch = 0 : i64}
// CHECK: %[[X:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK: scf.for %[[BLOCK:.*]] = %{{.*}} to %{{.*}} step
// CHECK:   scf.for
// CHECK:     scf.for
// CHECK:       llvm.load %{{.*}} : !llvm.ptr -> vector<16xf32>
// CHECK:       arith.maximumf
// CHECK:       llvm.store %{{.*}} : vector<16xf32>, !llvm.ptr
// CHECK:     %[[MASK:.*]] = vector.create_mask
// CHECK:     llvm.intr.masked.load %{{.*}}, %[[MASK]]
// CHECK:     llvm.intr.masked.store %{{.*}}, %{{.*}}, %[[MASK]]
module attributes {fuse.chip = #fuse.chip<"x86-64-v3">} {
  func.func @host(%x: tensor<8x40xf32>) -> tensor<8x40xf32> {
    %e = tensor.empty() : tensor<8x40xf32>
    %c2 = arith.constant 2 : index
    %r = tile.launch @relu grid(%c2) ins(%x : tensor<8x40xf32>) outs(%e : tensor<8x40xf32>) -> tensor<8x40xf32>
    return %r : tensor<8x40xf32>
  }
  tile.kernel @relu(%x: !tile.ptr<f32> {tile.access = #tile.access<read>}, %y: !tile.ptr<f32> {tile.access = #tile.access<write>})
      attributes {warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c40 = arith.constant 40 : index
    %zero = arith.constant dense<0.0> : tensor<4x40xf32>
    %id = tile.program_id
    %row = arith.muli %id, %c4 : index
    %from = tile.view %x[%c0] sizes[%c8, %c40] strides[%c40, %c1] : <f32> -> <2 x f32, unit = 1, alignment = 16>
    %to = tile.view %y[%c0] sizes[%c8, %c40] strides[%c40, %c1] : <f32> -> <2 x f32, unit = 1, alignment = 16>
    %a = tile.load %from[%row, %c0] {in_bounds = array<i1: true, true>} : <2 x f32, unit = 1, alignment = 16> -> tensor<4x40xf32>
    %b = arith.maximumf %a, %zero : tensor<4x40xf32>
    tile.store %b, %to[%row, %c0] {in_bounds = array<i1: true, true>} : tensor<4x40xf32>, <2 x f32, unit = 1, alignment = 16>
    tile.return
  }
}

// -----

// A softmax: a loop for the maximum, one that stores exponentials and adds them, and one that divides. The exponential is
// evaluated once.
// CHECK-LABEL: func.func @softmax
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK: llvm.store
// CHECK: arith.addf
// CHECK-NOT: math.exp
// CHECK: arith.divf
// CHECK: llvm.store
// CHECK: return
module attributes {fuse.chip = #fuse.chip<"x86-64-v3">} {
  tile.kernel @softmax(%x: !tile.ptr<f32> {tile.access = #tile.access<read>}, %y: !tile.ptr<f32> {tile.access = #tile.access<write>})
      attributes {warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %id = tile.program_id
    %from = tile.view %x[%c0] sizes[%c64, %c64] strides[%c64, %c1] : <f32> -> <2 x f32, unit = 1, alignment = 16>
    %to = tile.view %y[%c0] sizes[%c64, %c64] strides[%c64, %c1] : <f32> -> <2 x f32, unit = 1, alignment = 16>
    %a = tile.load %from[%id, %c0] {in_bounds = array<i1: true, true>} : <2 x f32, unit = 1, alignment = 16> -> tensor<1x64xf32>
    %max = tile.reduce maximumf %a along 1 : tensor<1x64xf32> -> tensor<1xf32>
    %tops = tile.broadcast %max along [1] : tensor<1xf32> -> tensor<1x64xf32>
    %less = arith.subf %a, %tops : tensor<1x64xf32>
    %e = math.exp %less : tensor<1x64xf32>
    %sum = tile.reduce addf %e along 1 : tensor<1x64xf32> -> tensor<1xf32>
    %sums = tile.broadcast %sum along [1] : tensor<1xf32> -> tensor<1x64xf32>
    %p = arith.divf %e, %sums : tensor<1x64xf32>
    tile.store %p, %to[%id, %c0] {in_bounds = array<i1: true, true>} : tensor<1x64xf32>, <2 x f32, unit = 1, alignment = 16>
    tile.return
  }
}

// -----

// A contraction of 8 x 20 by 16: six rows and two vectors of columns at a time, the rest in a micro-kernel of its own. Products
// start in registers.
// CHECK-LABEL: func.func @product
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-12: vector.fma
// CHECK: scf.yield
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
// CHECK-COUNT-4: vector.fma
// CHECK: scf.yield
module attributes {fuse.chip = #fuse.chip<"x86-64-v3">} {
  tile.kernel @product(%x: !tile.ptr<f32> {tile.access = #tile.access<read>}, %w: !tile.ptr<f32> {tile.access = #tile.access<read>},
                       %y: !tile.ptr<f32> {tile.access = #tile.access<write>}) attributes {warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c20 = arith.constant 20 : index
    %zero = arith.constant dense<0.0> : tensor<8x16xf32>
    %a = tile.view %x[%c0] sizes[%c8, %c20] strides[%c20, %c1] : <f32> -> <2 x f32, unit = 1, alignment = 16>
    %b = tile.view %w[%c0] sizes[%c20, %c16] strides[%c16, %c1] : <f32> -> <2 x f32, unit = 1, alignment = 16>
    %to = tile.view %y[%c0] sizes[%c8, %c16] strides[%c16, %c1] : <f32> -> <2 x f32, unit = 1, alignment = 16>
    %l = tile.load %a[%c0, %c0] {in_bounds = array<i1: true, true>} : <2 x f32, unit = 1, alignment = 16> -> tensor<8x20xf32>
    %r = tile.load %b[%c0, %c0] {in_bounds = array<i1: true, true>} : <2 x f32, unit = 1, alignment = 16> -> tensor<20x16xf32>
    %p = tile.dot %l, %r, %zero "avx2.m6n16" warps [1, 1] : tensor<8x20xf32>, tensor<20x16xf32> -> tensor<8x16xf32>
    tile.store %p, %to[%c0, %c0] {in_bounds = array<i1: true, true>} : tensor<8x16xf32>, <2 x f32, unit = 1, alignment = 16>
    tile.return
  }
}

// -----

// A matrix whose columns are dense is transposed in registers: blocks of eight rows by sixteen columns, 24 shuffles for each half.
// The last five rows are gathered.
// CHECK-LABEL: func.func @transposed
// CHECK-COUNT-16: llvm.load %{{.*}} -> vector<8xf32>
// CHECK-COUNT-48: vector.shuffle
// CHECK-COUNT-8: llvm.store %{{.*}} : vector<16xf32>, !llvm.ptr
// CHECK: llvm.intr.masked.gather
// CHECK: return
module attributes {fuse.chip = #fuse.chip<"x86-64-v3">} {
  tile.kernel @transposed(%x: !tile.ptr<f32> {tile.access = #tile.access<read>}, %y: !tile.ptr<f32> {tile.access = #tile.access<write>})
      attributes {warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c21 = arith.constant 21 : index
    %c32 = arith.constant 32 : index
    %from = tile.view %x[%c0] sizes[%c21, %c32] strides[%c1, %c21] : <f32> -> <2 x f32, unit = 0, alignment = 16>
    %to = tile.view %y[%c0] sizes[%c21, %c32] strides[%c32, %c1] : <f32> -> <2 x f32, unit = 1, alignment = 16>
    %a = tile.load %from[%c0, %c0] {in_bounds = array<i1: true, true>} : <2 x f32, unit = 0, alignment = 16> -> tensor<21x32xf32>
    tile.store %a, %to[%c0, %c0] {in_bounds = array<i1: true, true>} : tensor<21x32xf32>, <2 x f32, unit = 1, alignment = 16>
    tile.return
  }
}

// -----

// Vectors go along the columns of what is read. The result is transposed on its way to memory, also that of the last four columns.
// CHECK-LABEL: func.func @stored_across
// CHECK-COUNT-8: llvm.load %{{.*}} -> vector<16xf32>
// CHECK-COUNT-16: llvm.store %{{.*}} : vector<8xf32>, !llvm.ptr
// CHECK-NOT: scatter
// CHECK: return
module attributes {fuse.chip = #fuse.chip<"x86-64-v3">} {
  tile.kernel @stored_across(%x: !tile.ptr<f32> {tile.access = #tile.access<read>}, %y: !tile.ptr<f32> {tile.access = #tile.access<write>})
      attributes {warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c20 = arith.constant 20 : index
    %from = tile.view %x[%c0] sizes[%c16, %c20] strides[%c20, %c1] : <f32> -> <2 x f32, unit = 1, alignment = 16>
    %to = tile.view %y[%c0] sizes[%c16, %c20] strides[%c1, %c16] : <f32> -> <2 x f32, unit = 0, alignment = 16>
    %a = tile.load %from[%c0, %c0] {in_bounds = array<i1: true, true>} : <2 x f32, unit = 1, alignment = 16> -> tensor<16x20xf32>
    %b = arith.addf %a, %a : tensor<16x20xf32>
    tile.store %b, %to[%c0, %c0] {in_bounds = array<i1: true, true>} : tensor<16x20xf32>, <2 x f32, unit = 0, alignment = 16>
    tile.return
  }
}

// -----

// Accesses to 8-bit floats are those of bytes.
// CHECK-LABEL: func.func @bytes
// CHECK: %[[MASK:.*]] = vector.create_mask
// CHECK: %[[CODES:.*]] = llvm.intr.masked.load %{{.*}}, %[[MASK]], {{.*}} -> vector<16xi8>
// CHECK: arith.bitcast %[[CODES]] : vector<16xi8> to vector<16xf8E5M2>
// CHECK: llvm.intr.masked.store %{{.*}}, %{{.*}}, %[[MASK]] {{.*}} : vector<16xi8>, vector<16xi1> into !llvm.ptr
module attributes {fuse.chip = #fuse.chip<"x86-64-v3">} {
  tile.kernel @bytes(%x: !tile.ptr<f8E5M2> {tile.access = #tile.access<read>}, %y: !tile.ptr<f8E5M2> {tile.access = #tile.access<write>})
      attributes {warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c9 = arith.constant 9 : index
    %from = tile.view %x[%c0] sizes[%c4, %c9] strides[%c9, %c1] : <f8E5M2> -> <2 x f8E5M2, unit = 1, alignment = 1>
    %to = tile.view %y[%c0] sizes[%c4, %c9] strides[%c9, %c1] : <f8E5M2> -> <2 x f8E5M2, unit = 1, alignment = 1>
    %a = tile.load %from[%c0, %c0] {in_bounds = array<i1: true, true>} : <2 x f8E5M2, unit = 1, alignment = 1> -> tensor<4x9xf8E5M2>
    %b = arith.negf %a : tensor<4x9xf8E5M2>
    tile.store %b, %to[%c0, %c0] {in_bounds = array<i1: true, true>} : tensor<4x9xf8E5M2>, <2 x f8E5M2, unit = 1, alignment = 1>
    tile.return
  }
}

// -----

// A tile that is read twice at a point, as rows and as columns of the result, is read at two places.
// CHECK-LABEL: func.func @products_of_rows
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step
// CHECK: %[[ROW:.*]] = llvm.load %{{.*}} -> vector<16xf32>
// CHECK: %[[OTHER:.*]] = llvm.load %{{.*}} -> vector<16xf32>
// CHECK: arith.mulf %[[ROW]], %[[OTHER]]
module attributes {fuse.chip = #fuse.chip<"x86-64-v3">} {
  tile.kernel @products_of_rows(%x: !tile.ptr<f32> {tile.access = #tile.access<read>}, %y: !tile.ptr<f32> {tile.access = #tile.access<write>})
      attributes {warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %from = tile.view %x[%c0] sizes[%c4, %c16] strides[%c16, %c1] : <f32> -> <2 x f32, unit = 1, alignment = 16>
    %to = tile.view %y[%c0] sizes[%c4, %c4, %c16] strides[%c64, %c16, %c1] : <f32> -> <3 x f32, unit = 2, alignment = 16>
    %a = tile.load %from[%c0, %c0] {in_bounds = array<i1: true, true>} : <2 x f32, unit = 1, alignment = 16> -> tensor<4x16xf32>
    %b = tile.broadcast %a along [1] : tensor<4x16xf32> -> tensor<4x4x16xf32>
    %c = tile.broadcast %a along [0] : tensor<4x16xf32> -> tensor<4x4x16xf32>
    %d = arith.mulf %b, %c : tensor<4x4x16xf32>
    tile.store %d, %to[%c0, %c0, %c0] {in_bounds = array<i1: true, true, true>} : tensor<4x4x16xf32>, <3 x f32, unit = 2, alignment = 16>
    tile.return
  }
}

// -----

// Pairs of bf16 that are multiplied by one instruction: two rows of the RHS are packed side by side, the last of 19 beside zeros. A row
// of the LHS is read in words, its last element alone.
// CHECK-LABEL: func.func @pairs
// CHECK: vector.interleave %{{.*}}, %{{.*}} : vector<32xi16> -> vector<64xi16>
// CHECK: llvm.store %{{.*}} : vector<32xi32>, !llvm.ptr
// CHECK: %[[ZERO:.*]] = arith.constant dense<0> : vector<32xi16>
// CHECK: vector.interleave %{{.*}}, %[[ZERO]] : vector<32xi16> -> vector<64xi16>
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> i32
// CHECK: vector.broadcast %{{.*}} : i32 to vector<16xi32>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%{{.*}}) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
// CHECK: %[[LAST:.*]] = vector.create_mask %{{.*}} : vector<2xi1>
// CHECK: llvm.intr.masked.load %{{.*}}, %[[LAST]]
// CHECK: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
module attributes {fuse.chip = #fuse.chip<"znver5">} {
  tile.kernel @pairs(%x: !tile.ptr<bf16> {tile.access = #tile.access<read>}, %w: !tile.ptr<bf16> {tile.access = #tile.access<read>},
                     %y: !tile.ptr<f32> {tile.access = #tile.access<write>}) attributes {warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c19 = arith.constant 19 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant dense<0.0> : tensor<2x32xf32>
    %a = tile.view %x[%c0] sizes[%c2, %c19] strides[%c19, %c1] : <bf16> -> <2 x bf16, unit = 1, alignment = 2>
    %b = tile.view %w[%c0] sizes[%c19, %c32] strides[%c32, %c1] : <bf16> -> <2 x bf16, unit = 1, alignment = 16>
    %to = tile.view %y[%c0] sizes[%c2, %c32] strides[%c32, %c1] : <f32> -> <2 x f32, unit = 1, alignment = 16>
    %l = tile.load %a[%c0, %c0] {in_bounds = array<i1: true, true>} : <2 x bf16, unit = 1, alignment = 2> -> tensor<2x19xbf16>
    %r = tile.load %b[%c0, %c0] {in_bounds = array<i1: true, true>} : <2 x bf16, unit = 1, alignment = 16> -> tensor<19x32xbf16>
    %p = tile.dot %l, %r, %zero "avx512.bf16.m14n32k2" warps [1, 1] : tensor<2x19xbf16>, tensor<19x32xbf16> -> tensor<2x32xf32>
    tile.store %p, %to[%c0, %c0] {in_bounds = array<i1: true, true>} : tensor<2x32xf32>, <2 x f32, unit = 1, alignment = 16>
    tile.return
  }
}

// -----

// Quadruples of signed bytes. The instruction takes unsigned ones of the LHS, which are 128 more; the columns start from as much less.
// CHECK-LABEL: func.func @quadruples
// CHECK: %[[MANY:.*]] = arith.constant dense<-2139062144> : vector<16xi32>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK: %[[START:.*]] = arith.subi %{{.*}}, %{{.*}} : vector<16xi32>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[START]]
// CHECK: arith.xori
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
module attributes {fuse.chip = #fuse.chip<"znver5">} {
  tile.kernel @quadruples(%x: !tile.ptr<i8> {tile.access = #tile.access<read>}, %w: !tile.ptr<i8> {tile.access = #tile.access<read>},
                          %y: !tile.ptr<i32> {tile.access = #tile.access<write>}) attributes {warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant dense<0> : tensor<2x16xi32>
    %a = tile.view %x[%c0] sizes[%c2, %c16] strides[%c16, %c1] : <i8> -> <2 x i8, unit = 1, alignment = 16>
    %b = tile.view %w[%c0] sizes[%c16, %c16] strides[%c16, %c1] : <i8> -> <2 x i8, unit = 1, alignment = 16>
    %to = tile.view %y[%c0] sizes[%c2, %c16] strides[%c16, %c1] : <i32> -> <2 x i32, unit = 1, alignment = 16>
    %l = tile.load %a[%c0, %c0] {in_bounds = array<i1: true, true>} : <2 x i8, unit = 1, alignment = 16> -> tensor<2x16xi8>
    %r = tile.load %b[%c0, %c0] {in_bounds = array<i1: true, true>} : <2 x i8, unit = 1, alignment = 16> -> tensor<16x16xi8>
    %p = tile.dot %l, %r, %zero "avx512.vnni.m14n32k4" warps [1, 1] : tensor<2x16xi8>, tensor<16x16xi8> -> tensor<2x16xi32>
    tile.store %p, %to[%c0, %c0] {in_bounds = array<i1: true, true>} : tensor<2x16xi32>, <2 x i32, unit = 1, alignment = 16>
    tile.return
  }
}

// -----

// An array changes in place, so two loops that start from equal ones have one each.
// CHECK-LABEL: func.func @arrays
// CHECK-SAME: %[[SCRATCH:[a-z0-9]*]]: !llvm.ptr) attributes
// CHECK: %[[ONE:.*]] = llvm.getelementptr %[[SCRATCH]][0] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: %[[TWO:.*]] = llvm.getelementptr %[[SCRATCH]][768] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: llvm.getelementptr %[[ONE]]
// CHECK: llvm.getelementptr %[[TWO]]
module attributes {fuse.chip = #fuse.chip<"x86-64-v3">} {
  tile.kernel @arrays(%x: !tile.ptr<f32> {tile.access = #tile.access<read>}, %y: !tile.ptr<f32> {tile.access = #tile.access<write>})
      attributes {warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant dense<0.0> : tensor<4x16xf32>
    %from = tile.view %x[%c0] sizes[%c4, %c16] strides[%c16, %c1] : <f32> -> <2 x f32, unit = 1, alignment = 16>
    %to = tile.view %y[%c0] sizes[%c4, %c16] strides[%c16, %c1] : <f32> -> <2 x f32, unit = 1, alignment = 16>
    %start = tile.make_array %zero : <2 x tensor<4x16xf32>>
    %one = scf.for %i = %c0 to %c2 step %c1 iter_args(%array = %start) -> (!tile.array<2 x tensor<4x16xf32>>) {
      %a = tile.load %from[%i, %c0] {in_bounds = array<i1: false, true>} : <2 x f32, unit = 1, alignment = 16> -> tensor<4x16xf32>
      %next = tile.array_set %a, %array[%i] : <2 x tensor<4x16xf32>>
      scf.yield %next : !tile.array<2 x tensor<4x16xf32>>
    }
    %two = scf.for %i = %c0 to %c2 step %c1 iter_args(%array = %start) -> (!tile.array<2 x tensor<4x16xf32>>) {
      %a = tile.array_get %one[%i] : <2 x tensor<4x16xf32>>
      %b = tile.array_get %array[%i] : <2 x tensor<4x16xf32>>
      %c = arith.addf %a, %b : tensor<4x16xf32>
      %next = tile.array_set %c, %array[%i] : <2 x tensor<4x16xf32>>
      scf.yield %next : !tile.array<2 x tensor<4x16xf32>>
    }
    %sum = tile.array_get %two[%c1] : <2 x tensor<4x16xf32>>
    tile.store %sum, %to[%c0, %c0] {in_bounds = array<i1: true, true>} : tensor<4x16xf32>, <2 x f32, unit = 1, alignment = 16>
    tile.return
  }
}

// -----

// Both operands are dense along the reduced axis: rows are multiplied by rows where they are, one by the four columns. The lanes that the
// last vector lacks are zero in both.
// CHECK-LABEL: func.func @rows_by_rows
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-2: llvm.load %{{.*}} -> vector<8xf32>
// CHECK: vector.fma
// CHECK-COUNT-3: llvm.load %{{.*}} -> vector<8xf32>
// CHECK: vector.fma
// CHECK: scf.yield
// CHECK: %[[MASK:.*]] = vector.create_mask %{{.*}} : vector<8xi1>
// CHECK-COUNT-5: llvm.intr.masked.load %{{.*}}, %[[MASK]]
// CHECK-NOT: vector.shuffle
// CHECK: return
module attributes {fuse.chip = #fuse.chip<"x86-64-v3">} {
  tile.kernel @rows_by_rows(%x: !tile.ptr<f32> {tile.access = #tile.access<read>}, %w: !tile.ptr<f32> {tile.access = #tile.access<read>},
                            %y: !tile.ptr<f32> {tile.access = #tile.access<write>}) attributes {warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c21 = arith.constant 21 : index
    %zero = arith.constant dense<0.0> : tensor<1x4xf32>
    %a = tile.view %x[%c0] sizes[%c1, %c21] strides[%c21, %c1] : <f32> -> <2 x f32, unit = 1, alignment = 4>
    %b = tile.view %w[%c0] sizes[%c21, %c4] strides[%c1, %c21] : <f32> -> <2 x f32, unit = 0, alignment = 4>
    %to = tile.view %y[%c0] sizes[%c1, %c4] strides[%c4, %c1] : <f32> -> <2 x f32, unit = 1, alignment = 4>
    %l = tile.load %a[%c0, %c0] {in_bounds = array<i1: true, true>} : <2 x f32, unit = 1, alignment = 4> -> tensor<1x21xf32>
    %r = tile.load %b[%c0, %c0] {in_bounds = array<i1: true, true>} : <2 x f32, unit = 0, alignment = 4> -> tensor<21x4xf32>
    %p = tile.dot %l, %r, %zero "avx2.m6n16" warps [1, 1] : tensor<1x21xf32>, tensor<21x4xf32> -> tensor<1x4xf32>
    tile.store %p, %to[%c0, %c0] {in_bounds = array<i1: true, true>} : tensor<1x4xf32>, <2 x f32, unit = 1, alignment = 4>
    tile.return
  }
}

// -----

// Results of evict-first accesses are stored by non-temporal stores, but for the vector that a mask ends. A fence follows the last block.
// CHECK-LABEL: func.func @streamed
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64, nontemporal} : vector<16xf32>, !llvm.ptr
// CHECK: llvm.intr.masked.store %{{.*}} {alignment = 4 : i32}
// CHECK: llvm.call_intrinsic "llvm.x86.sse.sfence"()
// CHECK-NEXT: return
module attributes {fuse.chip = #fuse.chip<"x86-64-v3">} {
  tile.kernel @streamed(%x: !tile.ptr<f32> {tile.access = #tile.access<read>}, %y: !tile.ptr<f32> {tile.access = #tile.access<write>})
      attributes {warps = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c40 = arith.constant 40 : index
    %id = tile.program_id
    %from = tile.view %x[%c0] sizes[%c8, %c40] strides[%c40, %c1] : <f32> -> <2 x f32, unit = 1, alignment = 16>
    %to = tile.view %y[%c0] sizes[%c8, %c40] strides[%c40, %c1] : <f32> -> <2 x f32, unit = 1, alignment = 16>
    %a = tile.load %from[%id, %c0] {in_bounds = array<i1: true, true>} : <2 x f32, unit = 1, alignment = 16> -> tensor<1x40xf32>
    %b = arith.negf %a : tensor<1x40xf32>
    tile.store %b, %to[%id, %c0] {in_bounds = array<i1: true, true>, evict_first} : tensor<1x40xf32>, <2 x f32, unit = 1, alignment = 16>
    tile.return
  }
}

// -----

// A tile of which a view has a part, from its sixth element on: the others are not stored.
// CHECK-LABEL: func.func @part
// CHECK: %[[BELOW:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : vector<16xindex>
// CHECK: llvm.intr.masked.store %{{.*}}, %{{.*}}, %[[BELOW]]
module attributes {fuse.chip = #fuse.chip<"x86-64-v3">} {
  tile.kernel @part(%x: !tile.ptr<i8> {tile.access = #tile.access<read>}, %y: !tile.ptr<i8> {tile.access = #tile.access<write>})
      attributes {warps = 1 : i64} {
    %c-5 = arith.constant -5 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %from = tile.view %x[%c0] sizes[%c16] strides[%c1] : <i8> -> <1 x i8, unit = 0, alignment = 16>
    %to = tile.view %y[%c0] sizes[%c2] strides[%c1] : <i8> -> <1 x i8, unit = 0, alignment = 1>
    %a = tile.load %from[%c0] {in_bounds = array<i1: true>} : <1 x i8, unit = 0, alignment = 16> -> tensor<16xi8>
    tile.store %a, %to[%c-5] {in_bounds = array<i1: false>, ragged, tile.partial} : tensor<16xi8>, <1 x i8, unit = 0, alignment = 1>
    tile.return
  }
}
