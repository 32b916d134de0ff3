// Rows that a block has no room for: online reductions, or the reason why a reduction cannot run online.
// RUN: fusion-opt %s --fuse-to-groups="chip=sm_80 force-fusion=true" --remarks-filter=stitch -o %t 2> %t.remarks
// RUN: FileCheck %s --input-file=%t.remarks
// RUN: FileCheck %s --input-file=%t --check-prefix=SCHEDULE

// CHECK: traffic {{.*}} online along {{.}}: 1 reduction is corrected as others go on, so that 2 passes do for 3, which would load {{[0-9]+}} bytes; 2 passes over
// SCHEDULE-LABEL: @softmax
// SCHEDULE: serial_loop = <axis = "{{.}}", step = {{[0-9]+}}, {{.*}}online = true
func.func @softmax(%x: tensor<512x262144xf32>) -> tensor<512x262144xf32> {
  %e = tensor.empty() : tensor<512x262144xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<512x262144xf32>) outs(%e : tensor<512x262144xf32>) -> tensor<512x262144xf32>
  return %r : tensor<512x262144xf32>
}

// Rows that are retained whole are not read again.
// CHECK: traffic
// CHECK-NOT: online along
// SCHEDULE-LABEL: @short
// SCHEDULE-NOT: online
func.func @short(%x: tensor<64x1024xf32>) -> tensor<64x1024xf32> {
  %e = tensor.empty() : tensor<64x1024xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<64x1024xf32>) outs(%e : tensor<64x1024xf32>) -> tensor<64x1024xf32>
  return %r : tensor<64x1024xf32>
}

// CHECK: traffic {{.*}} 2 passes over {{.*}} are read again: a block has no room for the whole row; not in fewer passes: linalg.generic combines what depends on a result of its own loop in a way that cannot be corrected
// SCHEDULE-LABEL: @squares_about_a_sum
// SCHEDULE-NOT: online
func.func @squares_about_a_sum(%x: tensor<512x262144xf32>) -> tensor<512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<512xf32>) -> tensor<512xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<512x262144xf32>) outs(%start : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<512xf32>
  %squares = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %sum : tensor<512x262144xf32>, tensor<512xf32>) outs(%start : tensor<512xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %d = arith.subf %a, %m : f32
    %s = arith.mulf %d, %d : f32
    %r = arith.addf %s, %o : f32
    linalg.yield %r : f32
  } -> tensor<512xf32>
  return %squares : tensor<512xf32>
}

// Squares about the mean of what they are squares of: every element moves the mean.
// CHECK: traffic {{.*}} online along {{.}}: 1 reduction is corrected as others go on, so that 1 pass does for 2
// SCHEDULE-LABEL: @variance
// SCHEDULE: online = true
func.func @variance(%x: tensor<512x262144xf32>, %y: tensor<512x262144xf32>) -> tensor<512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<512xf32>) -> tensor<512xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<512x262144xf32>) outs(%start : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<512xf32>
  %squares = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %sum : tensor<512x262144xf32>, tensor<512xf32>) outs(%start : tensor<512xf32>) {
  ^bb0(%a: f32, %t: f32, %o: f32):
    %n = arith.constant 262144.0 : f32
    %m = arith.divf %t, %n : f32
    %d = arith.subf %a, %m : f32
    %s = arith.mulf %d, %d : f32
    %r = arith.addf %s, %o : f32
    linalg.yield %r : f32
  } -> tensor<512xf32>
  return %squares : tensor<512xf32>
}

// CHECK: traffic {{.*}} online along {{.}}: 1 reduction is corrected as others go on, so that 1 pass does for 2
// SCHEDULE-LABEL: @by_reciprocal
// SCHEDULE: online = true
func.func @by_reciprocal(%x: tensor<512x262144xf32>, %y: tensor<512x262144xf32>) -> tensor<512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<512xf32>) -> tensor<512xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<512x262144xf32>) outs(%start : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<512xf32>
  %squares = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %sum : tensor<512x262144xf32>, tensor<512xf32>) outs(%start : tensor<512xf32>) {
  ^bb0(%a: f32, %t: f32, %o: f32):
    %n = arith.constant 3.8146973e-06 : f32
    %m = arith.mulf %n, %t : f32
    %d = arith.subf %a, %m : f32
    %s = arith.mulf %d, %d : f32
    %r = arith.addf %s, %o : f32
    linalg.yield %r : f32
  } -> tensor<512xf32>
  return %squares : tensor<512xf32>
}

// Differences from anything else than that mean do not add up to nothing.
// CHECK: traffic {{.*}} not in fewer passes: linalg.generic combines
// SCHEDULE-LABEL: @another_count
// SCHEDULE-NOT: online
func.func @another_count(%x: tensor<512x262144xf32>, %y: tensor<512x262144xf32>) -> tensor<512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<512xf32>) -> tensor<512xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<512x262144xf32>) outs(%start : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<512xf32>
  %squares = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %sum : tensor<512x262144xf32>, tensor<512xf32>) outs(%start : tensor<512xf32>) {
  ^bb0(%a: f32, %t: f32, %o: f32):
    %n = arith.constant 262143.0 : f32
    %m = arith.divf %t, %n : f32
    %d = arith.subf %a, %m : f32
    %s = arith.mulf %d, %d : f32
    %r = arith.addf %s, %o : f32
    linalg.yield %r : f32
  } -> tensor<512xf32>
  return %squares : tensor<512xf32>
}

// CHECK: traffic {{.*}} not in fewer passes: linalg.generic combines
// SCHEDULE-LABEL: @another_tensor
// SCHEDULE-NOT: online
func.func @another_tensor(%x: tensor<512x262144xf32>, %y: tensor<512x262144xf32>) -> tensor<512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<512xf32>) -> tensor<512xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<512x262144xf32>) outs(%start : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<512xf32>
  %squares = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %y, %sum : tensor<512x262144xf32>, tensor<512x262144xf32>, tensor<512xf32>) outs(%start : tensor<512xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32, %o: f32):
    %n = arith.constant 262144.0 : f32
    %m = arith.divf %t, %n : f32
    %w = arith.addf %a, %b : f32
    %d = arith.subf %w, %m : f32
    %s = arith.mulf %d, %d : f32
    %r = arith.addf %s, %o : f32
    linalg.yield %r : f32
  } -> tensor<512xf32>
  return %squares : tensor<512xf32>
}
