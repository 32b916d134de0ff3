# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a function that applies an operation to each element of a vector, and to the result again.

    functions.py OPERATION COUNT
"""

import sys

operation, count = sys.argv[1], int(sys.argv[2])
print("#id = affine_map<(i) -> (i)>")
print("func.func @repeated(%x: tensor<256xf32>) -> tensor<256xf32> {")
print("  %empty = tensor.empty() : tensor<256xf32>")
print('  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}')
print("      ins(%x : tensor<256xf32>) outs(%empty : tensor<256xf32>) {")
print("  ^bb0(%v0: f32, %out: f32):")
for number in range(count):
    print(f"    %v{number + 1} = {operation} %v{number} : f32")
print(f"    linalg.yield %v{count} : f32")
print("  } -> tensor<256xf32>")
print("  return %y : tensor<256xf32>")
print("}")
