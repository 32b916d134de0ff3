# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Sums that are corrected late: where a row's maximum grows by little, the loop goes on with an earlier one and multiplies nothing.
# Rows whose maximum stays, grows slowly, or jumps in each tile, at magnitudes up to 1e4; weights of each type that has room; one
# warp, several along the rows and along the columns; accumulators that are kept. The result is that of always correcting, and
# the instructions of a warp are fewer where there is little to correct.
# RUN: %python %s %t %S/Inputs %sample

import json
import os
import sys

import numpy

folder, inputs = sys.argv[1], sys.argv[2]
sys.path.insert(0, inputs)
from hand_schedule import ROOT, lower, run, schedule  # noqa: E402
from sample import IS_SAMPLE, some  # noqa: E402

sys.path.insert(0, os.path.join(ROOT, "benchmarks", "workloads"))
from linalg_builder import Function  # noqa: E402

M, N, K, H = 64, 256, 16, 64
TILE = 32


def chain(name, form, narrow):
    """weights(q kᵀ + bias) v, and what the running values are besides."""
    f = Function(name)
    q, k, v = f.argument((M, K), "f16"), f.argument((N, K), "f16"), f.argument((N, H), narrow)
    bias = f.argument((M, N), "f32")
    s = f.contract(q, k, ("m k", "n k", "m n"), "generic")
    s = f.generic("m n", [(s, "m n"), (bias, "m n")], ("m n", "f32"), lambda x, b: x * K**-0.5 + b)
    apply = lambda a, row, body: f.generic("m n", [(a, "m n"), (row, "m")], ("m n", "f32"), body)
    least = form == "least"
    # A minimum that starts from a number takes it for a value.
    top = f.generic("m | n", [(s, "m n")], ("m", "f32", 1e30 if least else -numpy.inf),
                    lambda x, a: a._binary("arith.minimumf", x) if least else a.maximum(x))  # fmt: skip
    power = "exp2" if form == "base 2" else "exp"
    e = apply(s, top, lambda x, t: (t - x if least else x - t).math(power))
    total = f.generic("m | n", [(e, "m n")], ("m", "f32", 0.0), lambda x, a: a + x)
    w = apply(e, total, lambda x, z: x / z)
    logs = f.generic("m", [(top, "m"), (total, "m")], ("m", "f32"), lambda t, z: t + z.math("log"))
    f.result(f.contract(f.cast(w, narrow), v, ("m n", "n h", "m h"), "generic"), logs, top)
    return f


def biases():
    """By name: what is added to scores between -1 and 1, and the iterations of 8 in which a warp multiplies."""
    random = numpy.random.default_rng(3)
    tiles = numpy.arange(N)[None, :] // TILE
    small = random.uniform(-1, 1, (M, N))
    mixed = small.copy()
    mixed[5] *= 1e4
    mixed[40, 128:] += 30
    return {
        "flat": small,
        "slow": small + tiles * 0.5,
        "jumps": small + tiles * 40.0,
        "falls": small - tiles * 1000.0,
        "mixed": mixed,
        "large": small * 1e4,
        "low": small - 1e4,
    }


def place(rescale, warps, stages=1, kept=False):
    count = warps[0] * warps[1]
    places = dict(A="shared, async16", B="shared, async16", C="shared" if warps[1] > 1 else "registers", D="shared, async16",
                  E="shared", F="registers", G="registers", H="registers")  # fmt: skip
    inner = "h(LD,CE)" if kept else "LD,CE"
    tail = "h(SE)" if kept else "SE"
    late = f", rescale_threshold = {rescale}" if rescale else ""
    return schedule(f"m(LA,n(LB,CC,LF,{inner}),{tail},SG,SH)", dict(m=16 * warps[0], n=TILE, k=K, h=H // 2 if kept else H), ["m"],
                    dict(C=("m", "n", "k", list(warps)), E=("m", "h", "n", list(warps))), places,
                    {"B": stages} if stages > 1 else {}, warps=count, reduction=f"online{late}")  # fmt: skip


def execute(path, groups, bias, rescale, *options):
    """The instructions of all warps, and the results."""
    where = f"{path}, threshold {rescale}, {options}"
    lower(path, groups, place(rescale, *options))
    numpy.save(path + ".bias.npy", bias.astype(numpy.float32))
    run("fusion-run", path + ".mlir", "--manifest=" + path + ".json", "--device=emulator", "--sanitize", "--chip=sm_80",
        f"--input=3:{path}.bias.npy", "--output-dir=" + path, "--json=" + path + ".report.json")  # fmt: skip
    with open(path + ".report.json") as file:
        (report,) = json.load(file)
    assert report["pass"] and not report["sanitizer"], where
    (kernel,) = report["kernels"]
    for key in ("global_load_bytes", "global_store_bytes"):
        assert kernel["counters"][key] == kernel["predicted"][key], where
    results = [numpy.load(os.path.join(path, f"{report['entry']}.result{i}.npy")).astype(numpy.float64) for i in range(3)]
    return kernel["counters"]["instructions"], results


def compare(name, path, groups, kind, bias, rescale, *options):
    always, expected = execute(path, groups, bias, 0, *options)
    late, results = execute(path, groups, bias, rescale, *options)
    where = f"{name}, {kind}, threshold {rescale}, {options}"
    for result, reference in zip(results, expected):
        error = numpy.abs(result - reference).max() / numpy.abs(reference).max()
        assert error < (1e-2 if name == "bf16" else 1e-3), (where, error)
    # The running maximum itself is no matter of references.
    assert (results[2] == expected[2]).all(), where
    return late, always


def main():
    os.makedirs(folder, exist_ok=True)
    for name, form, narrow, thresholds in (("f16", "base e", "f16", (1, 8, 15)), ("bf16", "base 2", "bf16", (40,)),
                                           ("least", "least", "f16", (8,))):  # fmt: skip
        path = os.path.join(folder, name)
        with open(path + ".mlir", "w") as file:
            file.write(chain(name, form, narrow).text())
        groups = run("fusion-opt", path + ".mlir", "--fuse-to-groups=chip=sm_80 force-fusion=true")
        counted = {}
        for kind, bias in some(biases().items(), 2):
            for threshold in thresholds if kind == "mixed" else thresholds[-1:]:
                counted[kind], always = compare(name, path, groups, kind, bias, threshold, (2, 1))
                print(f"{name}, {kind}, threshold {threshold}: {counted[kind]} instructions, {always} where always corrected")
                # (Minima that start from a number move in the first tile.)
                if kind in ("flat", "slow") and form != "least":
                    assert counted[kind] < always, (name, kind)
        if IS_SAMPLE:
            continue
        # One program: what it executes more of are multiplications of accumulators. Rows that jump do so in each tile but the
        # first, whose values are as near to zero as the others'; minima jump where scores fall.
        jumps = counted["falls" if form == "least" else "jumps"]
        warps, accumulators = M // 16, H // 8 * 4
        assert jumps - counted["flat"] >= (N // TILE - 1) * warps * accumulators, (jumps, counted["flat"])
        for options in (((1, 1), 3), ((2, 2),), ((2, 1), 2, True)):
            compare(name, path, groups, "mixed", biases()["mixed"], thresholds[-1], *options)


main()
