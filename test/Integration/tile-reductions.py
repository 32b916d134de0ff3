# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Reductions in block programs written by hand: every kind and type, along rows and columns, of tiles that are loaded and
# of products, on one to eight warps arranged along either side; row values used on another arrangement. Against NumPy,
# silent under four orders of the warps.
# RUN: %python %s %t %S/Inputs %sample

import itertools
import json
import os
import sys

import numpy

folder, inputs = sys.argv[1], sys.argv[2]
sys.path.insert(0, inputs)
from hand_schedule import run  # noqa: E402
from sample import some  # noqa: E402

os.makedirs(folder, exist_ok=True)
TYPES = {"f32": numpy.float32, "f16": numpy.float16, "f64": numpy.float64, "i32": numpy.int32, "i16": numpy.int16,
         "i64": numpy.int64}  # fmt: skip
KINDS = {
    "addf": numpy.add, "mulf": numpy.multiply, "maximumf": numpy.maximum, "minimumf": numpy.minimum, "maxnumf": numpy.fmax,
    "minnumf": numpy.fmin, "addi": numpy.add, "muli": numpy.multiply, "maxs": numpy.maximum, "mins": numpy.minimum,
    "andi": numpy.bitwise_and, "ori": numpy.bitwise_or, "xori": numpy.bitwise_xor,
}  # fmt: skip
FLOATS, INTEGERS = [k for k in KINDS if k[-1] == "f"], [k for k in KINDS if k[-1] != "f"]


def kernel(name, warps, pointers, body):
    """A kernel with the given (name, type, access) pointers; its body may use the constants 0 and 1."""
    arguments = ", ".join(f"%{n}: !tile.ptr<{t}> {{tile.access = #tile.access<{a}>}}" for n, t, a in pointers)
    return f"""tile.kernel @{name}({arguments}) attributes {{warps = {warps} : i64}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  {body}
  tile.return
}}
"""


def view(name, pointer, shape, type):
    """The whole of a dense row-major tensor."""
    alignment = min(16, (shape[-1] * numpy.dtype(TYPES[type]).itemsize) & -(shape[-1] * numpy.dtype(TYPES[type]).itemsize))
    strides = [int(numpy.prod(shape[i + 1 :])) for i in range(len(shape))]
    text = "".join(f"  %{name}_{what}{i} = arith.constant {v} : index\n"
                   for what, values in (("n", shape), ("s", strides)) for i, v in enumerate(values))  # fmt: skip
    sizes, steps = (", ".join(f"%{name}_{what}{i}" for i in range(len(shape))) for what in "ns")
    full = f"!tile.view<{len(shape)} x {type}, unit = {len(shape) - 1}, alignment = {alignment}>"
    return text + f"  %{name} = tile.view %{pointer}[%c0] sizes[{sizes}] strides[{steps}] : !tile.ptr<{type}> -> {full}\n", full


def tensor(shape, type):
    return f"tensor<{''.join(f'{s}x' for s in shape)}{type}>"


def compile(text, path):
    with open(path + ".mlir", "w") as file:
        file.write('module attributes {fuse.chip = #fuse.chip<"sm_80">} {\n' + text + "}\n")
    run("fusion-opt", path + ".mlir", "--pass-pipeline=builtin.module(tile.kernel(tile-assign-layouts,tile-allocate-shared,"
        "tile-insert-barriers),tile-to-nvvm)", "-o", path + ".nvvm.mlir")  # fmt: skip
    run("fusion-translate", "--fuse-to-ptx", path + ".nvvm.mlir", "-o", path + ".ptx")
    with open(path + ".nvvm.mlir") as file:
        lines = [line for line in file if "llvm.func @" in line and "fuse.block" in line]
    shared = {}
    for line in lines:
        name = line.split("@")[1].split("(")[0]
        part = line.split("fuse.shared_memory = ")
        shared[name] = int(part[1].split(" ")[0]) if len(part) > 1 else 0
    return shared


def launch(path, name, warps, shared, inputs, outputs):
    arguments = []
    for i, array in enumerate(inputs):
        array.tofile(f"{path}.{name}.in{i}")
        arguments.append({"buffer": f"{path}.{name}.in{i}"})
    for i, array in enumerate(outputs):
        array.tofile(f"{path}.{name}.init{i}")
        arguments.append({"buffer": f"{path}.{name}.init{i}", "write_back": f"{path}.{name}.out{i}"})
    with open(f"{path}.{name}.json", "w") as file:
        json.dump({"kernel": name, "grid": [1, 1, 1], "block": [32 * warps, 1, 1], "dynamic_shared_memory": shared,
                   "arguments": arguments}, file)  # fmt: skip
    run("fusion-emulate", path + ".ptx", f"--launch={path}.{name}.json", "--sanitize", "--schedules=4")
    return [numpy.fromfile(f"{path}.{name}.out{i}", array.dtype).reshape(array.shape) for i, array in enumerate(outputs)]


random = numpy.random.default_rng(11)


def draw(shape, type):
    # Small integers, exact in any order; of products only powers of two.
    if TYPES[type](0).dtype.kind == "f":
        return random.integers(-8, 9, shape).astype(TYPES[type])
    return random.integers(-100, 100, shape).astype(TYPES[type])


# Loaded tiles. All cases of one count of warps are kernels of one module.
SHAPES = [(16, 64), (64, 16), (3, 40), (1, 128), (48, 1), (80, 24)]
for warps in some((1, 2, 4, 8), 2):
    cases, text = [], ""
    for shape, d in itertools.product(SHAPES, (0, 1)):
        types = list(TYPES)[:: 1 if shape == SHAPES[0] else 3]
        for type in types:
            kinds = FLOATS if type[0] == "f" else INTEGERS
            for kind in kinds if shape == SHAPES[0] else kinds[:1]:
                rest = shape[1 - d]
                name = f"k{len(cases)}"
                read, read_type = view("v", "x", shape, type)
                write, write_type = view("w", "y", (rest,), type)
                body = read + write + f"""
  %t = tile.load %v[%c0, %c0] : {read_type} -> {tensor(shape, type)}
  %r = tile.reduce {kind} %t along {d} : {tensor(shape, type)} -> {tensor((rest,), type)}
  tile.store %r, %w[%c0] : {tensor((rest,), type)}, {write_type}"""
                text += kernel(name, warps, [("x", type, "read"), ("y", type, "write")], body)
                cases.append((name, shape, d, type, kind))
    path = os.path.join(folder, f"loaded_{warps}")
    shared = compile(text, path)
    for name, shape, d, type, kind in cases:
        x = draw(shape, type)
        if kind == "mulf":
            x = (2.0 ** random.integers(-1, 2, shape) * random.choice([-1, 1], shape)).astype(TYPES[type])
        if kind in ("maximumf", "maxnumf", "minimumf", "minnumf"):
            x[0, 0] = numpy.nan
        (y,) = launch(path, name, warps, shared[name], [x], [numpy.zeros(shape[1 - d], x.dtype)])
        with numpy.errstate(over="ignore"):
            expected = KINDS[kind].reduce(x, axis=d, dtype=x.dtype)
        assert numpy.array_equal(y, expected, equal_nan=type[0] == "f"), (warps, shape, d, type, kind, y, expected)

# Contractions: a softmax of the rows of A·B, kept in registers, then another contraction in another arrangement of the
# warps whose rows are scaled by the rows' sums; the sums leave too.
ARRANGEMENTS = [1, 1], [2, 1], [4, 1], [1, 4], [2, 2], [4, 2], [1, 8]
pairs = [pair for pair in itertools.product(ARRANGEMENTS, repeat=2) if len({x * y for x, y in pair}) == 1]
for first, second in some(pairs, 5):
    warps = first[0] * first[1]
    M, N, K, H = 64, 64, 16, 64
    A, B = draw((M, K), "f16") / 4, draw((K, N), "f16") / 4
    D = draw((N, H), "f16")
    texts, types = zip(*(view(n, p, s, t) for n, p, s, t in
                         (("va", "a", (M, K), "f16"), ("vb", "b", (K, N), "f16"), ("vd", "d", (N, H), "f16"),
                          ("ve", "e", (M, H), "f32"), ("vl", "l", (M,), "f32"))))  # fmt: skip
    body = "".join(texts) + f"""
  %ta = tile.load %va[%c0, %c0] : {types[0]} -> tensor<64x16xf16>
  %tb = tile.load %vb[%c0, %c0] : {types[1]} -> tensor<16x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = tile.dot %ta, %tb, %zero "mma.m16n8k16" warps {first} : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
  %top = tile.reduce maximumf %s along 1 : tensor<64x64xf32> -> tensor<64xf32>
  %maxes = tile.broadcast %top along [1] : tensor<64xf32> -> tensor<64x64xf32>
  %less = arith.subf %s, %maxes : tensor<64x64xf32>
  %p = math.exp %less : tensor<64x64xf32>
  %sum = tile.reduce addf %p along 1 : tensor<64x64xf32> -> tensor<64xf32>
  %half = arith.truncf %p : tensor<64x64xf32> to tensor<64x64xf16>
  %td = tile.load %vd[%c0, %c0] : {types[2]} -> tensor<64x64xf16>
  %o = tile.dot %half, %td, %zero "mma.m16n8k16" warps {second} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %sums = tile.broadcast %sum along [1] : tensor<64xf32> -> tensor<64x64xf32>
  %scaled = arith.divf %o, %sums : tensor<64x64xf32>
  tile.store %scaled, %ve[%c0, %c0] : tensor<64x64xf32>, {types[3]}
  tile.store %sum, %vl[%c0] : tensor<64xf32>, {types[4]}"""
    pointers = [("a", "f16", "read"), ("b", "f16", "read"), ("d", "f16", "read"), ("e", "f32", "write"), ("l", "f32", "write")]
    path = os.path.join(folder, "product_" + "_".join(map(str, first + second)))
    shared = compile(kernel("k", warps, pointers, body), path)
    e, l = launch(path, "k", warps, shared["k"], [A, B, D],
                  [numpy.zeros((M, H), numpy.float32), numpy.zeros(M, numpy.float32)])  # fmt: skip
    S = A.astype(numpy.float64) @ B.astype(numpy.float64)
    P = numpy.exp(S - S.max(axis=1, keepdims=True))
    sums = P.sum(axis=1)
    E = P.astype(numpy.float16).astype(numpy.float64) @ D.astype(numpy.float64) / sums[:, None]
    assert numpy.allclose(l, sums, rtol=1e-5), (first, second)
    assert numpy.allclose(e, E, rtol=2e-3, atol=2e-3), (first, second, abs(e - E).max())
