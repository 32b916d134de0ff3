// RUN: fusion-opt %s -split-input-file -verify-diagnostics

func.func @no_result() {
  // expected-error @below {{'fuse.stitch' op needs at least one result}}
  fuse.stitch {
    fuse.yield
  }
  return
}

// -----

func.func @empty_body() {
  // expected-error @below {{a group needs a body}}
  fuse.stitch {
  }
  return
}

// -----

func.func @result_without_outs(%O: tensor<8xf32>) {
  // expected-error @below {{'fuse.stitch' op has 2 results but 1 outs}}
  %r:2 = fuse.stitch outs(%o = %O : tensor<8xf32>) {
    %one = arith.constant 1.0 : f32
    %f = linalg.fill ins(%one : f32) outs(%o : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %f, %f : tensor<8xf32>, tensor<8xf32>
  } -> (tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @result_of_another_type(%O: tensor<8xf32>) {
  // expected-error @below {{'fuse.stitch' op result #0 has type 'tensor<9xf32>' but its outs has type 'tensor<8xf32>'}}
  %r = fuse.stitch outs(%o = %O : tensor<8xf32>) {
    %one = arith.constant 1.0 : f32
    %f = linalg.fill ins(%one : f32) outs(%o : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %f : tensor<8xf32>
  } -> tensor<9xf32>
  return
}

// -----

func.func @memref_operand(%A: memref<8xf32>, %O: tensor<8xf32>) {
  // expected-error @below {{'fuse.stitch' op operand #0 must be a ranked tensor or a scalar, got 'memref<8xf32>'}}
  %r = fuse.stitch ins(%a = %A : memref<8xf32>) outs(%o = %O : tensor<8xf32>) {
    %one = arith.constant 1.0 : f32
    %f = linalg.fill ins(%one : f32) outs(%o : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %f : tensor<8xf32>
  } -> tensor<8xf32>
  return
}

// -----

func.func @unranked_operand(%A: tensor<*xf32>, %O: tensor<8xf32>) {
  // expected-error @below {{operand #0 must be a ranked tensor or a scalar, got 'tensor<*xf32>'}}
  %r = fuse.stitch ins(%a = %A : tensor<*xf32>) outs(%o = %O : tensor<8xf32>) {
    %one = arith.constant 1.0 : f32
    %f = linalg.fill ins(%one : f32) outs(%o : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %f : tensor<8xf32>
  } -> tensor<8xf32>
  return
}

// -----

func.func @scalar_outs(%O: f32) {
  // expected-error @below {{operand #0 must be variadic of ranked tensor of any type values, but got 'f32'}}
  %r = fuse.stitch outs(%o = %O : f32) {
  } -> f32
  return
}

// -----

// The custom form binds each argument; the generic one can leave some out.
func.func @argument_missing(%A: tensor<8xf32>, %O: tensor<8xf32>) {
  // expected-error @below {{'fuse.stitch' op body has 1 arguments for 2 operands}}
  %r = "fuse.stitch"(%A, %O) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%o: tensor<8xf32>):
    %one = arith.constant 1.0 : f32
    %f = linalg.fill ins(%one : f32) outs(%o : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %f : tensor<8xf32>
  }) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @argument_of_another_type(%A: tensor<8xf32>, %O: tensor<8xf32>) {
  // expected-error @below {{'fuse.stitch' op body argument of type 'tensor<4xf32>' stands for an operand of type 'tensor<8xf32>'}}
  %r = "fuse.stitch"(%A, %O) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<4xf32>, %o: tensor<8xf32>):
    %one = arith.constant 1.0 : f32
    %f = linalg.fill ins(%one : f32) outs(%o : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %f : tensor<8xf32>
  }) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @yields_too_little(%O: tensor<8xf32>) {
  %r = fuse.stitch outs(%o = %O : tensor<8xf32>) {
    %one = arith.constant 1.0 : f32
    %f = linalg.fill ins(%one : f32) outs(%o : tensor<8xf32>) -> tensor<8xf32>
    // expected-error @below {{'fuse.yield' op names 0 values for 1 results of the group}}
    fuse.yield
  } -> tensor<8xf32>
  return
}

// -----

func.func @yields_another_type(%O: tensor<8xf32>, %P: tensor<4xf32>) {
  %r = fuse.stitch ins(%p = %P : tensor<4xf32>) outs(%o = %O : tensor<8xf32>) {
    %one = arith.constant 1.0 : f32
    %f = linalg.fill ins(%one : f32) outs(%p : tensor<4xf32>) -> tensor<4xf32>
    // expected-error @below {{'fuse.yield' op value #0 has type 'tensor<4xf32>' but the group's result has type 'tensor<8xf32>'}}
    fuse.yield %f : tensor<4xf32>
  } -> tensor<8xf32>
  return
}

// -----

func.func @foreign_operation(%O: tensor<8xf32>) {
  %r = fuse.stitch outs(%o = %O : tensor<8xf32>) {
    %one = arith.constant 1.0 : f32
    // expected-error @below {{'memref.alloc' op may not stand in a fuse.stitch}}
    %m = memref.alloc() : memref<8xf32>
    %f = linalg.fill ins(%one : f32) outs(%o : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %f : tensor<8xf32>
  } -> tensor<8xf32>
  return
}

// -----

func.func @group_in_a_group(%O: tensor<8xf32>) {
  %r = fuse.stitch outs(%o = %O : tensor<8xf32>) {
    %one = arith.constant 1.0 : f32
    // expected-error @below {{'fuse.stitch' op may not stand in a fuse.stitch}}
    %s = fuse.stitch outs(%p = %o : tensor<8xf32>) {
      %two = arith.constant 2.0 : f32
      %f = linalg.fill ins(%two : f32) outs(%p : tensor<8xf32>) -> tensor<8xf32>
      fuse.yield %f : tensor<8xf32>
    } -> tensor<8xf32>
    %f = linalg.fill ins(%one : f32) outs(%s : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %f : tensor<8xf32>
  } -> tensor<8xf32>
  return
}

// -----

func.func @no_operator(%O: tensor<8xf32>) {
  // expected-error @below {{'fuse.chain' op holds no linalg operator}}
  %r = fuse.chain outs(%o = %O : tensor<8xf32>) {
    fuse.yield %o : tensor<8xf32>
  } -> tensor<8xf32>
  return
}

// -----

func.func @isolated(%A: tensor<8xf32>, %O: tensor<8xf32>) {
  // expected-note @below {{required by region isolation constraints}}
  %r = fuse.stitch outs(%o = %O : tensor<8xf32>) {
    // expected-error @below {{'linalg.exp' op using value defined outside the region}}
    %f = linalg.exp ins(%A : tensor<8xf32>) outs(%o : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %f : tensor<8xf32>
  } -> tensor<8xf32>
  return
}

// -----

func.func @yield_outside_of_a_group(%A: tensor<8xf32>) {
  // expected-error @below {{'fuse.yield' op expects parent op to be one of 'fuse.chain, fuse.stitch'}}
  fuse.yield %A : tensor<8xf32>
}

// -----

func.func @body_missing(%O: tensor<8xf32>) {
  // expected-error @below {{expected '{' to begin a region}}
  %r = fuse.stitch outs(%o = %O : tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @binding_without_operand(%O: tensor<8xf32>) {
  // expected-error @below {{expected '='}}
  %r = fuse.stitch outs(%o : tensor<8xf32>) {
  } -> tensor<8xf32>
  return
}

// -----

func.func @schedule_of_another_kind(%O: tensor<8xf32>) {
  // expected-error @below {{'schedule' must be a #fuse.schedule, got 3 : i32}}
  %r = fuse.stitch outs(%o = %O : tensor<8xf32>) attributes {schedule = 3 : i32} {
    %one = arith.constant 1.0 : f32
    %f = linalg.fill ins(%one : f32) outs(%o : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %f : tensor<8xf32>
  } -> tensor<8xf32>
  return
}

// -----

func.func @partial_of_one_part(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %o: tensor<1x16x8xf32>) {
  // expected-error @below {{a reduction has 2 splits or more, got 1}}
  %r = fuse.chain outs(%p = %o : tensor<1x16x8xf32>) attributes {partial = #fuse.partial<axis = "k", splits = 1, length = 32>} {
  }
  return
}

// -----

func.func @partial_is_no_number(%o: tensor<16x8xf32>) {
  // expected-error @below {{'partial' must be a #fuse.partial, got 2 : i64}}
  %r = fuse.chain outs(%p = %o : tensor<16x8xf32>) attributes {partial = 2} {
    %z = arith.constant 0.0 : f32
    %e = linalg.fill ins(%z : f32) outs(%p : tensor<16x8xf32>) -> tensor<16x8xf32>
    fuse.yield %e : tensor<16x8xf32>
  } -> tensor<16x8xf32>
  return
}

// -----

func.func @partial_result_without_parts(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %o: tensor<16x8xf32>) {
  // expected-error @below {{'fuse.chain' op has 2 splits of type 'tensor<16x8xf32>', so its result must have type 'tensor<2x16x8xf32>', got 'tensor<16x8xf32>'}}
  %r = fuse.chain ins(%x = %a : tensor<16x32xf16>, %y = %b : tensor<32x8xf16>) outs(%p = %o : tensor<16x8xf32>)
      attributes {partial = #fuse.partial<axis = "k", splits = 2, length = 16>} {
    %c = linalg.matmul ins(%x, %y : tensor<16x32xf16>, tensor<32x8xf16>) outs(%p : tensor<16x8xf32>) -> tensor<16x8xf32>
    fuse.yield %c : tensor<16x8xf32>
  } -> tensor<16x8xf32>
  return
}

// -----

func.func @partial_without_a_sum(%a: tensor<16x8xf32>, %o: tensor<2x16x8xf32>) {
  // expected-error @below {{'fuse.chain' op is partial but yields no sum}}
  %r = fuse.chain ins(%x = %a : tensor<16x8xf32>) outs(%p = %o : tensor<2x16x8xf32>)
      attributes {partial = #fuse.partial<axis = "k", splits = 2, length = 16>} {
    %e = tensor.empty() : tensor<16x8xf32>
    %c = linalg.exp ins(%x : tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
    fuse.yield %c : tensor<16x8xf32>
  } -> tensor<2x16x8xf32>
  return
}

// -----

func.func @partial_stitch(%a: tensor<16x8xf32>, %o: tensor<2x16xf32>, %i: tensor<16xf32>) {
  // expected-error @below {{'fuse.stitch' op cannot be partial; only a chain can}}
  %r = fuse.stitch ins(%x = %a : tensor<16x8xf32>, %y = %i : tensor<16xf32>) outs(%p = %o : tensor<2x16xf32>)
      attributes {partial = #fuse.partial<axis = "k", splits = 2, length = 4>} {
    %c = linalg.reduce { arith.addf } ins(%x : tensor<16x8xf32>) outs(%y : tensor<16xf32>) dimensions = [1]
    fuse.yield %c : tensor<16xf32>
  } -> tensor<2x16xf32>
  return
}
