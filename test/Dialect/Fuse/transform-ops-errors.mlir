// RUN: fusion-opt %s --transform-interpreter --split-input-file --verify-diagnostics

#id = affine_map<(i) -> (i)>
module attributes {transform.with_named_sequence} {
func.func @detour(%a: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %x = linalg.exp {group} ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %v = tensor.extract %x[%n] : tensor<8xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  // expected-note@+1 {{this operator depends on the others by way of an operation that is not among them}}
  %y = linalg.add {group} ins(%x, %f : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
  %ops = transform.structured.match attributes {group} in %root : (!transform.any_op) -> !transform.any_op
  // expected-error@+1 {{the operators make no group}}
  transform.fuse.form_stitch %ops : (!transform.any_op) -> !transform.any_op
  transform.yield
}
}

// -----

module attributes {transform.with_named_sequence} {
func.func @other(%a: tensor<8xf32>) -> f32 {
  %c = arith.constant 0 : index
  // expected-note@+1 {{this operator is no linalg operator on tensors}}
  %v = tensor.extract %a[%c] : tensor<8xf32>
  return %v : f32
}
transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
  %ops = transform.structured.match ops{["tensor.extract"]} in %root : (!transform.any_op) -> !transform.any_op
  // expected-error@+1 {{the operators make no group}}
  transform.fuse.form_chain %ops : (!transform.any_op) -> !transform.any_op
  transform.yield
}
}

// -----

module attributes {transform.with_named_sequence} {
func.func @blocks(%a: tensor<8xf32>, %p: i1) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %x = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = scf.if %p -> tensor<8xf32> {
    // expected-note@+1 {{this operator is in another block than the first operator}}
    %y = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %y : tensor<8xf32>
  } else {
    scf.yield %x : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
  %ops = transform.structured.match ops{["linalg.exp"]} in %root : (!transform.any_op) -> !transform.any_op
  // expected-error@+1 {{the operators make no group}}
  transform.fuse.form_stitch %ops : (!transform.any_op) -> !transform.any_op
  transform.yield
}
}

// -----

module attributes {transform.with_named_sequence} {
func.func @twice(%a: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-note@+1 {{this operator is in a group already}}
  %x = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %x : tensor<8xf32>
}
transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
  %ops = transform.structured.match ops{["linalg.exp"]} in %root : (!transform.any_op) -> !transform.any_op
  %group = transform.fuse.form_stitch %ops : (!transform.any_op) -> !transform.any_op
  %again = transform.structured.match ops{["linalg.exp"]} in %root : (!transform.any_op) -> !transform.any_op
  // expected-error@+1 {{the operators make no group}}
  transform.fuse.form_stitch %again : (!transform.any_op) -> !transform.any_op
  transform.yield
}
}

// -----

module attributes {transform.with_named_sequence} {
func.func @none(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
  %ops = transform.structured.match ops{["linalg.exp"]} in %root : (!transform.any_op) -> !transform.any_op
  // expected-error@+1 {{there are no operators to group}}
  transform.fuse.form_stitch %ops : (!transform.any_op) -> !transform.any_op
  transform.yield
}
}

// -----

// A chain has a product; what was there stays as it was.
module attributes {transform.with_named_sequence} {
func.func @no_product(%a: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-note@+1 {{the last of them}}
  %x = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %x : tensor<8xf32>
}
transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
  %ops = transform.structured.match ops{["linalg.exp"]} in %root : (!transform.any_op) -> !transform.any_op
  // expected-error@+1 {{the operators are not one kernel: }}
  transform.fuse.form_chain %ops : (!transform.any_op) -> !transform.any_op
  transform.yield
}
}

// -----

module attributes {transform.with_named_sequence} {
func.func @schedules(%a: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-note@+1 {{the group}}
  %x = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %x : tensor<8xf32>
}
transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
  %ops = transform.structured.match ops{["linalg.exp"]} in %root : (!transform.any_op) -> !transform.any_op
  %group = transform.fuse.form_stitch %ops : (!transform.any_op) -> !transform.any_op
  // expected-error@+1 {{the schedule does not fit: }}
  transform.fuse.set_schedule %group : !transform.any_op
      to #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{q = #fuse.thread_mapping<tile = 8, lanes = 8>}>>
  transform.yield
}
}

// -----

module attributes {transform.with_named_sequence} {
func.func @no_group(%a: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-note@+1 {{the group}}
  %x = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %x : tensor<8xf32>
}
transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
  %ops = transform.structured.match ops{["linalg.exp"]} in %root : (!transform.any_op) -> !transform.any_op
  // expected-error@+1 {{the schedule does not fit: it is no group}}
  transform.fuse.set_schedule %ops : !transform.any_op
      to #fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 8, lanes = 8>}>>
  transform.yield
}
}
