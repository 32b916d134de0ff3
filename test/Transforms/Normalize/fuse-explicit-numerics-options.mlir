// The option leaves its value on the module; values other than f32 and tf32 are rejected, there and as an attribute.
// RUN: fusion-opt %s --fuse-explicit-numerics=f32-products=tf32 | FileCheck %s
// RUN: not fusion-opt %s --fuse-explicit-numerics=f32-products=bf16 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not fusion-opt %s --pass-pipeline='builtin.module(func.func(fuse-explicit-numerics{f32-products=tf32}))' 2>&1 | FileCheck %s --check-prefix=NESTED
// RUN: sed 's/^module/module attributes {fuse.f32_products = "f16"}/' %s | not fusion-opt 2>&1 | FileCheck %s --check-prefix=ATTRIBUTE
// RUN: fusion-opt %s --fuse-explicit-numerics="exponentials=fma f32-products=tf32" | FileCheck %s --check-prefix=BOTH
// RUN: not fusion-opt %s --fuse-explicit-numerics=exponentials=exp2 2>&1 | FileCheck %s --check-prefix=EXPONENTIALS
// RUN: sed 's/^module/module attributes {fuse.exponentials = "exp2"}/' %s | not fusion-opt 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: sed 's/func.func @nothing() {/func.func @nothing() attributes {fuse.exponentials = "fma"} {/' %s | not fusion-opt 2>&1 | FileCheck %s --check-prefix=PLACE
// BOTH: module attributes {fuse.exponentials = "fma", fuse.f32_products = "tf32"}
// EXPONENTIALS: error: option exponentials is guarded, difference or fma, not 'exp2'
// NAME: error: 'fuse.exponentials' is "guarded", "difference" or "fma", not "exp2"
// PLACE: error: 'fuse.exponentials' is an attribute of modules
// CHECK: module attributes {fuse.f32_products = "tf32"}
// OPTION: error: option f32-products is f32, tf32 or tf32-cut, not 'bf16'
// NESTED: error: option f32-products is for whole modules
// ATTRIBUTE: error: 'fuse.f32_products' is "f32", "tf32" or "tf32-cut", not "f16"
module {
  func.func @nothing() {
    return
  }
}
