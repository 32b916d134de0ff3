# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The axis along which reductions run is split over blocks: each part stores its running values, and a launch for each
# result merges them, or the blocks of a cluster give them to one another in one launch. Parts of several tiles and of one, the last ones shorter, without a tile, or beyond the axis; rows that
# are -inf in some parts or in all, finite masks, NaN and large scores; results beside the product. The numbers are those of
# the reference, the bytes of all kernels those predicted, and two runs agree to the bit, those of clusters under eight
# orders of the warps.
# RUN: %python %s %t %S/Inputs %sample

import json
import os
import subprocess
import sys

import numpy

folder, inputs = sys.argv[1], sys.argv[2]
sys.path.insert(0, inputs)
from hand_schedule import ROOT, assemble, lower, run, schedule  # noqa: E402
from sample import ORDERS, some  # noqa: E402

from set_schedule import replace_schedule  # noqa: E402

sys.path.insert(0, os.path.join(ROOT, "benchmarks", "workloads"))
from linalg_builder import Function  # noqa: E402

M, N, K, H = 40, 150, 32, 64


def rows(f, value, body, initial=0.0):
    return f.generic("m | n", [(value, "m n")], ("m", "f32", initial), body)


def apply(f, value, row, body):
    return f.generic("m n", [(value, "m n"), (row, "m")], ("m n", "f32"), body)


def chain(name, between, results=(), epilogue=False):
    """Q·Kᵀ plus a bias, `between`, the product with V; `between` gives the factors and what else may leave."""
    f = Function(name)
    # Weights whose size is not bounded while their divisor is not known leave the range of f16.
    narrow = "bf16" if between in (softmax2, rms, ratio) else "f16"
    q, k, v = f.argument((M, K), "f16"), f.argument((N, K), "f16"), f.argument((N, H), narrow)
    bias = f.argument((M, N), "f32")
    s = f.contract(q, k, ("m k", "n k", "m n"), "generic")
    s = f.generic("m n", [(s, "m n"), (bias, "m n")], ("m n", "f32"), lambda x, b: x * K**-0.5 + b)
    weights, others = between(f, s)
    out = f.contract(f.cast(weights, narrow), v, ("m n", "n h", "m h"), "generic")
    if between is late:
        out = f.generic("m h", [(out, "m h"), (others["sum"], "m")], ("m h", "f32"), lambda x, z: x / z)
    if epilogue:
        residual = f.argument((M, H), "f16")
        out = f.generic("m h", [(out, "m h"), (residual, "m h")], ("m h", "f32"), lambda x, r: x + r.to("f32"))
    f.result(f.cast(out, "f16"), *(others[name] for name in results))
    return f


def softmax(f, s):
    top = rows(f, s, lambda x, a: a.maximum(x), -numpy.inf)
    e = apply(f, s, top, lambda x, t: (x - t).math("exp"))
    total = rows(f, e, lambda x, a: a + x)
    logs = f.generic("m", [(top, "m"), (total, "m")], ("m", "f32"), lambda t, z: t + z.math("log"))
    return apply(f, e, total, lambda x, z: x / z), {"lse": logs, "top": top, "sum": total}


def softmax2(f, s):
    """To the base 2, the maximum not below zero, with a factor of either sign for each row."""
    scale = f.argument((M,), "f32")
    top = rows(f, s, lambda x, a: a.maximum(x), 0.0)
    e = f.generic("m n", [(s, "m n"), (top, "m"), (scale, "m")], ("m n", "f32"), lambda x, t, c: ((x - t) * c).math("exp2"))
    total = rows(f, e, lambda x, a: a + x)
    return apply(f, e, total, lambda x, z: x / z), {}


def late(f, s):
    """The sum divides the product."""
    top = rows(f, s, lambda x, a: a.maximum(x), -numpy.inf)
    e = apply(f, s, top, lambda x, t: (x - t).math("exp"))
    return e, {"sum": rows(f, e, lambda x, a: a + x)}


def rms(f, s):
    squares = rows(f, s, lambda x, a: a + x * x)
    scale = f.generic("m", [(squares, "m")], ("m", "f32"), lambda x: (x * (1 / N) + 1e-5).math("rsqrt"))
    return apply(f, s, scale, lambda x, r: x * r), {"scale": scale}


def ratio(f, s):
    """The sum of the squares, which begins with a number above zero, divides the product's operand."""
    squares = rows(f, s, lambda x, a: a + x * x, 3.0)
    scale = f.generic("m", [(squares, "m")], ("m", "f32"), lambda x: x.math("rsqrt"))
    return apply(f, s, scale, lambda x, r: x * r), {}


CASES = {
    "softmax": chain("softmax", softmax),
    "results": chain("results", softmax, ("lse", "top", "sum"), epilogue=True),
    "residual": chain("residual", softmax, epilogue=True),
    "softmax2": chain("softmax2", softmax2),
    "late": chain("late", late),
    "rms": chain("rms", rms, ("scale",)),
    "ratio": chain("ratio", ratio),
}


# The inputs of the chains between the contractions, in the loop or before it, and after them. Further results go on
# behind these.
EXTRAS = {"softmax": ("F", "", ""), "residual": ("F", "", "G"), "results": ("F", "", "G"), "softmax2": ("F", "G", ""), "late": ("F", "", ""), "rms": ("F", "", ""), "ratio": ("F", "", "")}


# Why blocks of a cluster do not reduce the running values: no block has all values of its share of the accumulators'
# rows.
REFUSED = {
    "results": "in clusters: the rows of '",
    "late": "in clusters: operators behind the sum read values of rows",
    "rms": "in clusters: the rows of '",
}


def place(f, parts, tile, grid, warps, rescale=0, in_cluster=False):
    """A schedule with these parts; the columns of a grid "m|h" are walked by the block, which stores each tile in that loop."""
    trips = -(-(-(-N // tile)) // parts)
    inside, before, after = EXTRAS[f.name]
    names = inside + before + after
    statistics = [chr(ord(max(names)) + i) for i in range(1, len(f.results))]
    loads = [["L" + x for x in group] for group in (inside, before, after)]
    grid, *walked = grid.split("|")
    if walked:
        assert trips == 1
        loop = ",".join(["LB", "CC", *loads[0], "h(" + ",".join(["LD", "CE", *loads[2], "SE"]) + ")"])
        last = []
    else:
        body = ",".join(["LB", "CC", *loads[0], "LD", "CE"])
        loop = f"n({body})" if trips > 1 else body
        last = [*loads[2], "SE"]
    items = ",".join([*loads[1], "LA", loop, *last, *("S" + x for x in statistics)])
    blocks = list(grid)
    places = dict(A="shared, async16", B="shared, async16", C="registers", D="shared, async16",
                  E="registers" if in_cluster else "shared")  # fmt: skip
    places |= {x: "registers" for x in [*names, *statistics]}
    text = schedule(f"{grid}({items})", dict(m=16 * warps, n=tile, k=K, h=32 if grid == "mh" or walked else H), blocks,
                    dict(C=("m", "n", "k", f"[{warps}, 1]"), E=("m", "h", "n", f"[{warps}, 1]")), places, {}, warps=warps,
                    split={"n": parts}, in_cluster=in_cluster)  # fmt: skip
    late = f", rescale_threshold = {rescale}" if rescale else ""
    return text[:-1] + f", reduction = <{'online' if trips > 1 else 'one_tile'}{late}>>"


def special_bias(parts, tile):
    random = numpy.random.default_rng(5)
    bias = random.uniform(-1, 1, (M, N)).astype(numpy.float32)
    length = -(-(-(-N // tile)) // parts) * tile
    bias[0] = -numpy.inf
    bias[1, :length] = -numpy.inf
    bias[2, : (-(-N // length) - 1) * length] = -numpy.inf
    bias[3, length:] = -numpy.inf
    bias[4] = -1e9
    bias[5, 7] = numpy.nan
    bias[6] *= 1e4
    bias[7] -= 1e4
    bias[8, ::2] = -numpy.inf
    bias[9, 3] = numpy.inf
    return bias


def execute(path, f, groups, text, bias, where, in_cluster=False):
    lower(path, groups, text)
    numpy.save(path + ".bias.npy", bias)
    chip = ["--chip=sm_90a", ORDERS] if in_cluster else ["--chip=sm_80"]
    run("fusion-run", path + ".mlir", "--manifest=" + path + ".json", "--device=emulator", "--sanitize", *chip,
        f"--input=3:{path}.bias.npy", "--output-dir=" + path, "--json=" + path + ".report.json")  # fmt: skip
    with open(path + ".report.json") as file:
        (report,) = json.load(file)
    assert report["pass"] and not report["sanitizer"], where
    assert len(report["kernels"]) == (1 if in_cluster else 1 + len(f.results)), where
    (fused, *_) = report["kernels"]
    assert fused["dynamic_shared_memory"] == fused["predicted"]["shared_memory"], (where, fused)
    for kernel in report["kernels"]:
        # What a thread loads in a loop that does not index it may be loaded before the loop.
        assert kernel["predicted"] is not None or f.name == "softmax2", where
        for key in ("global_load_bytes", "global_store_bytes"):
            if kernel["predicted"] and kernel["predicted"][key] is not None:
                assert kernel["counters"][key] == kernel["predicted"][key], (where, kernel["name"], key,
                    kernel["counters"][key], kernel["predicted"][key])
    values = [numpy.load(os.path.join(path, file)) for file in sorted(os.listdir(path)) if ".result" in file]
    return values


def main():
    os.makedirs(folder, exist_ok=True)
    for name, f in CASES.items():
        path = os.path.join(folder, name)
        with open(path + ".mlir", "w") as file:
            file.write(f.text())
        groups = run("fusion-opt", path + ".mlir", "--fuse-to-groups=chip=sm_80 force-fusion=true")
        # 10 tiles of 16: parts of five, of three and one, of two, of one, and more parts than tiles.
        for parts, tile, grid, warps in some(((2, 16, "m", 1), (4, 16, "mh", 1), (6, 16, "m", 2), (10, 16, "mh", 1),
                                              (13, 16, "m", 1), (3, 48, "mh", 2), (10, 16, "m|h", 1), (3, 64, "m|h", 2)), 2):  # fmt: skip
            where = f"{name}: {parts} parts of tiles of {tile}, grid over {grid}, {warps} warps"
            text = place(f, parts, tile, grid, warps)
            bias = special_bias(parts, tile)
            if name in ("rms", "ratio"):
                bias = numpy.random.default_rng(6).uniform(-1, 1, (M, N)).astype(numpy.float32)
            first = execute(path, f, groups, text, bias, where)
            if name in ("softmax", "results", "late"):
                assert numpy.isnan(first[0][0]).all(), where
                assert not numpy.isnan(first[0][1:5]).any(), where
            if parts == 4:
                for a, b in zip(first, execute(path, f, groups, text, bias, where)):
                    assert a.tobytes() == b.tobytes(), where
        groups = run("fusion-opt", path + ".mlir", "--fuse-to-groups=chip=sm_90a force-fusion=true")
        if name in REFUSED:
            with open(path + ".scheduled.mlir", "w") as file:
                file.write(replace_schedule(groups, place(f, 4, 16, "mh", 1, in_cluster=True)))
            refused = subprocess.run(["fusion-opt", path + ".scheduled.mlir", "--fuse-search-schedules"], capture_output=True, text=True)
            assert refused.returncode and REFUSED[name] in refused.stderr, refused.stderr
            continue
        for parts, tile, grid, warps, rescale in some(((2, 16, "m", 1, 0), (4, 16, "mh", 1, 8), (8, 16, "mh", 2, 0), (8, 16, "m", 1, 8)), 1):
            if name in ("softmax2", "ratio"):
                rescale_threshold = 0  # the row's factor may be large, or there is none
            where = f"{name}: {parts} parts of tiles of {tile} in clusters, grid over {grid}, {warps} warps, rescale {rescale}"
            text = place(f, parts, tile, grid, warps, rescale, in_cluster=True)
            bias = special_bias(parts, tile)
            if name == "ratio":
                bias = numpy.random.default_rng(6).uniform(-1, 1, (M, N)).astype(numpy.float32)
            values = execute(path, f, groups, text, bias, where, in_cluster=True)
            assemble(path, "sm_90a", where)
            if name in ("softmax", "residual"):
                assert numpy.isnan(values[0][0]).all() and not numpy.isnan(values[0][1:5]).any(), where


main()
