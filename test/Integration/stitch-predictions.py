# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Stitched groups whose loads are of few or of narrowed elements: bytes and shared memory are as predicted.
# RUN: %python %s %t

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from stitch_programs import program

# Element-wise: `lines` make %r of %a, and of %b where there are two inputs.
ELEMENTWISE = """#all = affine_map<({loops}) -> ({loops})>
func.func @main({arguments}) -> {result} {{
  %e = tensor.empty() : {result}
  %0 = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}
      ins({names} : {types}) outs(%e : {result}) {{
  ^bb0({scalars}, %o: {to}):
    {lines}
    linalg.yield %r : {to}
  }} -> {result}
  return %0 : {result}
}}
"""

# Elements at places that other elements say.
GATHER = """#all = affine_map<(i) -> (i)>
func.func @main(%table: tensor<1x{elements}xi32>, %places: tensor<{elements}xi64>) -> tensor<{elements}xi8> {{
  %zero = arith.constant 0 : index
  %e = tensor.empty() : tensor<{elements}xi8>
  %0 = linalg.generic {{indexing_maps = [#all, #all], iterator_types = ["parallel"]}}
      ins(%places : tensor<{elements}xi64>) outs(%e : tensor<{elements}xi8>) {{
  ^bb0(%p: i64, %o: i8):
    %one = arith.constant 1 : i64
    %low = arith.andi %p, %one : i64
    %at = arith.index_cast %low : i64 to index
    %x = tensor.extract %table[%zero, %at] : tensor<1x{elements}xi32>
    %r = arith.trunci %x : i32 to i8
    linalg.yield %r : i8
  }} -> tensor<{elements}xi8>
  return %0 : tensor<{elements}xi8>
}}
"""


def elementwise(shape, inputs, to, *lines):
    tensor = lambda type: f"tensor<{'x'.join(map(str, shape))}x{type}>"
    names = [f"%{'ab'[n]}" for n in range(len(inputs))]
    return ELEMENTWISE.format(
        loops=", ".join(f"d{n}" for n in range(len(shape))), arguments=", ".join(f"{n}t: {tensor(t)}" for n, t in zip(names, inputs)),
        result=tensor(to), maps=", ".join(["#all"] * (len(inputs) + 1)), kinds=", ".join(['"parallel"'] * len(shape)),
        names=", ".join(f"{n}t" for n in names), types=", ".join(map(tensor, inputs)),
        scalars=", ".join(f"{n}: {t}" for n, t in zip(names, inputs)), to=to, lines="\n    ".join(lines))  # fmt: skip


PROGRAMS = {
    # Lanes beyond a tensor's few elements.
    "tiny": elementwise((4,), ("f32", "f32"), "f32", "%r = arith.addf %a, %b : f32"),
    "tiny-odd": elementwise((3,), ("f16", "f16"), "f16", "%r = arith.addf %a, %b : f16"),
    "tiny-rows": elementwise((3, 5), ("f32", "f32"), "f32", "%r = arith.addf %a, %b : f32"),
    "one": elementwise((1,), ("f32",), "f32", "%r = arith.negf %a : f32"),
    # Low bytes are all that is used, of vectors and of single elements.
    "narrowed": elementwise((6, 64), ("i32",), "i8", "%r = arith.trunci %a : i32 to i8"),
    "narrowed-odd": elementwise((6, 33), ("i32",), "i8", "%r = arith.trunci %a : i32 to i8"),
    "narrowed-wide": elementwise((6, 33), ("i64",), "i32", "%r = arith.trunci %a : i64 to i32"),
    "masked": elementwise((6, 33), ("i32",), "i32", "%c = arith.constant 255 : i32", "%r = arith.andi %a, %c : i32"),
    "high": elementwise((6, 33), ("i32",), "i16", "%c = arith.constant 16 : i32", "%s = arith.shrui %a, %c : i32",
                        "%r = arith.trunci %s : i32 to i16"),  # fmt: skip
    "narrowed-gather": GATHER.format(elements=33),
    # Staged steps, exchanges after them; transposed rows; several shapes in one kernel.
    "aside": program("layer_norm", 3, 65536, "f32"),
    # Steps that are read again.
    "again": program("l2_normalize", 3, 65536, "f32"),
    "turned": program("transpose_of_normalised", 33, 100, "f16"),
    "packed": program("packed_elementwise_of_different_shapes", 6, 100, "f32"),
    "columns": program("layer_norm_backward", 40, 100, "f16"),
}


def check(folder, name):
    path = os.path.join(folder, name)
    with open(path + ".mlir", "w") as file:
        file.write(PROGRAMS[name])
    done = subprocess.run(["fusion-run", path + ".mlir", "--chip=sm_80", "--device=emulator", "--sanitize", "--force-fusion",
                           f"--json={path}.json"], capture_output=True, text=True)  # fmt: skip
    if done.returncode:
        return [f"{name}: fusion-run ends with {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}"]
    with open(path + ".json") as file:
        (report,) = json.load(file)
    complaints = []
    for kernel in report["kernels"]:
        predicted, counters = kernel["predicted"], kernel["counters"]
        pairs = {key: (predicted[key], counters[key]) for key in ("global_load_bytes", "global_store_bytes")}
        pairs["shared_memory"] = (predicted["shared_memory"], kernel["dynamic_shared_memory"])
        complaints += [f"{name}: {kernel['name']}: {key}: predicted {a}, {b}" for key, (a, b) in pairs.items() if a != b]
        if "stitching" not in kernel["schedule"]:
            complaints.append(f"{name}: {kernel['name']} is of the generic form")
    return complaints


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    wrong = [line for name in PROGRAMS for line in check(sys.argv[1], name)]
    if wrong:
        sys.exit("\n".join(wrong))
