// The option leaves its value on the module; anything but f32 and tf32 is refused, there and as an attribute.
// RUN: fusion-opt %s --fuse-explicit-numerics=f32-products=tf32 | FileCheck %s
// RUN: not fusion-opt %s --fuse-explicit-numerics=f32-products=bf16 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not fusion-opt %s --pass-pipeline='builtin.module(func.func(fuse-explicit-numerics{f32-products=tf32}))' 2>&1 | FileCheck %s --check-prefix=NESTED
// RUN: sed 's/^module/module attributes {fuse.f32_products = "f16"}/' %s | not fusion-opt 2>&1 | FileCheck %s --check-prefix=ATTRIBUTE
// CHECK: module attributes {fuse.f32_products = "tf32"}
// OPTION: error: option f32-products is f32 or tf32, not 'bf16'
// NESTED: error: option f32-products is for whole modules
// ATTRIBUTE: error: 'fuse.f32_products' is "f32" or "tf32", not "f16"
module {
  func.func @nothing() {
    return
  }
}
