# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules that several tests compile."""

PRODUCT = """
func.func @product(%a: tensor<32x16xf16>, %b: tensor<16x24xf16>) -> tensor<32x24xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<32x24xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<32x24xf32>) -> tensor<32x24xf32>
  %c = linalg.matmul ins(%a, %b : tensor<32x16xf16>, tensor<16x24xf16>)
                     outs(%init : tensor<32x24xf32>) -> tensor<32x24xf32>
  return %c : tensor<32x24xf32>
}
"""


def elementwise(element_type, body, inputs=1, shape="6x5", dynamic=False):
    """A function that applies `body` to %x0, %x1, … element by element."""
    size = "?x?" if dynamic else shape
    tensor = f"tensor<{size}x{element_type}>"
    names = [f"%a{i}" for i in range(inputs)]
    ident = "affine_map<(i, j) -> (i, j)>"
    sizes = "%m, %n" if dynamic else ""
    return f"""
func.func @apply({", ".join(f"{n}: {tensor}" for n in names)}) -> {tensor} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a0, %c0 : {tensor}
  %n = tensor.dim %a0, %c1 : {tensor}
  %empty = tensor.empty({sizes}) : {tensor}
  %r = linalg.generic {{indexing_maps = [{", ".join([ident] * (inputs + 1))}],
                       iterator_types = ["parallel", "parallel"]}}
      ins({", ".join(names)} : {", ".join([tensor] * inputs)}) outs(%empty : {tensor}) {{
  ^bb0({", ".join(f"%x{i}: {element_type}" for i in range(inputs))}, %o: {element_type}):
    {body}
    linalg.yield %y : {element_type}
  }} -> {tensor}
  return %r : {tensor}
}}
"""
