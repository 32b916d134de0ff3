# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What several operators of a kernel read is computed once, whatever they make of it: exponentials that rows, columns and the result need;
# places in two tables, and what is loaded there for a reduction and for the result. Counted in the PTX, for each element of a thread.
# RUN: %python %s %t

import json
import os
import re
import subprocess
import sys

ROWS, COLUMNS = 32, 64
VALUES = """
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @exponentials(%x: tensor<32x64xf32>) -> (tensor<32x64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %all = tensor.empty() : tensor<32x64xf32>
  %rows = tensor.empty() : tensor<32xf32>
  %columns = tensor.empty() : tensor<64xf32>
  %s = linalg.fill ins(%zero : f32) outs(%rows : tensor<32xf32>) -> tensor<32xf32>
  %t = linalg.fill ins(%zero : f32) outs(%columns : tensor<64xf32>) -> tensor<64xf32>
  %e = linalg.exp ins(%x : tensor<32x64xf32>) outs(%all : tensor<32x64xf32>) -> tensor<32x64xf32>
  %sum = linalg.reduce { arith.addf } ins(%e : tensor<32x64xf32>) outs(%s : tensor<32xf32>) dimensions = [1]
  %down = linalg.reduce { arith.addf } ins(%e : tensor<32x64xf32>) outs(%t : tensor<64xf32>) dimensions = [0]
  %y = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%e, %sum : tensor<32x64xf32>, tensor<32xf32>) outs(%all : tensor<32x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<32x64xf32>
  return %y, %down : tensor<32x64xf32>, tensor<64xf32>
}
"""
READ = """
  %NAME = linalg.generic {indexing_maps = [#row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<32xi32>) outs(%all : tensor<32x64xf32>) {
  ^bb0(%id: i32, %o: f32):
    %c = arith.index_cast %id : i32 to index
    %j = linalg.index 1 : index
    %r = tensor.extract %TABLE[%c, %j] : tensor<50x64xf32>
    linalg.yield %r : f32
  } -> tensor<32x64xf32>"""
PLACES = f"""
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @places(%ids: tensor<32xi32>, %u: tensor<50x64xf32>, %v: tensor<50x64xf32>) -> (tensor<32x64xf32>, tensor<32xf32>) {{
  %zero = arith.constant 0.0 : f32
  %all = tensor.empty() : tensor<32x64xf32>
  %rows = tensor.empty() : tensor<32xf32>
  %s = linalg.fill ins(%zero : f32) outs(%rows : tensor<32xf32>) -> tensor<32xf32>
{READ.replace("NAME", "a").replace("TABLE", "u")}
{READ.replace("NAME", "b").replace("TABLE", "v")}
  %sum = linalg.reduce {{ arith.addf }} ins(%a : tensor<32x64xf32>) outs(%s : tensor<32xf32>) dimensions = [1]
  %y = linalg.generic {{indexing_maps = [#full, #full, #row, #full], iterator_types = ["parallel", "parallel"]}}
      ins(%a, %b, %sum : tensor<32x64xf32>, tensor<32x64xf32>, tensor<32xf32>) outs(%all : tensor<32x64xf32>) {{
  ^bb0(%p: f32, %q: f32, %t: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %r = arith.addf %m, %t : f32
    linalg.yield %r : f32
  }} -> tensor<32x64xf32>
  return %y, %sum : tensor<32x64xf32>, tensor<32xf32>
}}
"""


def compiled(name, module):
    """The kernel's PTX, its report and how many elements a thread has."""
    path = os.path.join(sys.argv[1], name)
    with open(path + ".mlir", "w") as file:
        file.write(module)
    subprocess.run(["fusion-run", path + ".mlir", "--chip=sm_80", "--device=emulator", "--sanitize", "--force-fusion",
                    f"--json={path}.json"], check=True)  # fmt: skip
    with open(path + ".json") as file:
        (report,) = json.load(file)
    (kernel,) = report["kernels"]
    lowered = subprocess.run(["fusion-opt", path + ".mlir", "--fuse-to-nvvm=chip=sm_80 force-fusion=true"], check=True, capture_output=True)
    ptx = subprocess.run(["fusion-translate", "--fuse-to-ptx"], input=lowered.stdout, check=True, capture_output=True).stdout.decode()
    elements = -(-ROWS * COLUMNS // (kernel["grid"][0] * kernel["block"][0]))
    return ptx, kernel, elements


os.makedirs(sys.argv[1], exist_ok=True)
ptx, kernel, elements = compiled("exponentials", VALUES)
assert 0 < ptx.count("ex2.approx") <= elements, (ptx.count("ex2.approx"), elements)
assert kernel["counters"]["global_load_bytes"] == 4 * ROWS * COLUMNS, kernel["counters"]

ptx, kernel, elements = compiled("places", PLACES)
loads = re.findall(r"ld\.global\S*", ptx)
assert all(re.search(r"\.b32$", load) for load in loads), loads  # none of several elements
# Two tables' elements; a place is the same for all elements of a row, of which a thread has at most as many as elements.
places = len(loads) - 2 * elements
assert 0 < places <= max(1, elements // 2), (loads, elements)
