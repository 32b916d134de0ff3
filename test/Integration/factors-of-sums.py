# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Factors that leave a sum (docs/reductions.md): where a divisor is zero or a scale infinite the fused kernel says what the operators
# say, because all it divides is zero as well or because it is declined. The two things that differ are held too: a sum without its
# divisor that overflows, and squares that vanish.
# RUN: %python %s %t %source_root

import json
import os
import subprocess
import sys

import numpy

folder, root = sys.argv[1:]
sys.path.insert(0, os.path.join(root, "benchmarks", "workloads"))
from linalg_builder import Function  # noqa: E402

M, N, K, H = 128, 1024, 32, 64
INF = numpy.inf


def chain(name, weights, kind="bf16"):
    """`weights` of scores, rounded to the type, times values."""
    f = Function(name)
    q, k, v = f.argument((M, K), kind), f.argument((N, K), kind), f.argument((N, H), kind)
    s = f.contract(q, k, ("m k", "n k", "m n"), "generic")
    p = weights(f, s)
    f.result(f.contract(f.cast(p, kind), v, ("m n", "n h", "m h"), "generic"))
    return f.text()


def rows(f, x, combine, start):
    return f.generic("m | n", [(x, "m n")], ("m", "f32", start), combine)


def apply(f, x, row, body):
    return f.generic("m n", [(x, "m n"), (row, "m")], ("m n", "f32"), body)


def sum_of_magnitudes(f, s):
    return apply(f, s, rows(f, s, lambda x, a: a + x.math("absf"), 0.0), lambda x, z: x / z)


def root_of_squares(f, s):
    return apply(f, s, rows(f, s, lambda x, a: a + x * x, 0.0), lambda x, z: x / z.math("sqrt"))


def largest(f, s):
    return apply(f, s, rows(f, s, lambda x, a: a.maximum(x), -INF), lambda x, z: x / z)


def total(f, s):
    return apply(f, s, rows(f, s, lambda x, a: a + x, 0.0), lambda x, z: x / z)


def scaled_by_total(f, s):
    return apply(f, s, rows(f, s, lambda x, a: a + x, 0.0), lambda x, z: x * z)


def rms(f, s):
    mean = f.generic("m", [(rows(f, s, lambda x, a: a + x * x, 0.0), "m")], ("m", "f32"), lambda z: (z * (1 / N) + 1e-5).math("rsqrt"))
    return apply(f, s, mean, lambda x, z: x * z)


def bare_rms(f, s):
    mean = f.generic("m", [(rows(f, s, lambda x, a: a + x * x, 0.0), "m")], ("m", "f32"), lambda z: z.math("rsqrt"))
    return apply(f, s, mean, lambda x, z: x * z)


def softmax(f, s):
    return f.softmax(s, 1)


def inputs():
    """Scores of rows 0: all zero; 1: none above zero, one zero; 2: very large; 3: one infinite; 4: NaN; the others ordinary."""
    random = numpy.random.default_rng(5)
    q, k, v = (random.uniform(-1, 1, shape).astype(numpy.float32) for shape in ((M, K), (N, K), (N, H)))
    k[:, 0] = numpy.abs(k[:, 0])
    k[7, 0] = 0
    q[:5] = 0
    q[1, 0] = -1
    q[2, 0] = 1e25
    q[3, 1] = INF
    q[4, 2] = numpy.nan
    return q, k, v


def bf16(x):
    """As .npy files hold it: the upper half of f32, rounded to even."""
    bits = x.astype(numpy.float32).view(numpy.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(numpy.uint16)
    return numpy.where(numpy.isnan(x), numpy.uint16(0x7FC0), rounded).view("V2")


def run(name, weights, values, expected=0):
    path = os.path.join(folder, name)
    os.makedirs(path, exist_ok=True)
    with open(path + ".mlir", "w") as file:
        file.write(chain(name, weights))
    files = []
    for number, value in enumerate(values):
        numpy.save(f"{path}/{number}.npy", bf16(value))
        files.append(f"--input={number}:{path}/{number}.npy")
    done = subprocess.run(
        ["fusion-run", path + ".mlir", "--device=emulator", "--force-fusion", "--output-dir=" + path, f"--json={path}.json", *files],
        capture_output=True, text=True,
    )  # fmt: skip
    assert expected is None or done.returncode == expected, (name, done.returncode, done.stdout[-1500:], done.stderr[-1500:])
    with open(path + ".json") as file:
        (report,) = json.load(file)
    # The running form is that of a loop over keys, and of blocks that split them.
    schedule = report["kernels"][0]["schedule"]
    form = "online" if "reduction = <online" in schedule or "parallel = <{n = " in schedule else "other"
    read = lambda kind: numpy.load(f"{path}/{name}.{kind}0.npy")
    return form, read("result"), read("reference")


os.makedirs(folder, exist_ok=True)
# Whether the loop over keys runs online, and for ordinary rows the result is what it was before.
for weights, form in ((sum_of_magnitudes, "online"), (root_of_squares, "online"), (rms, "online"), (softmax, "online"), (bare_rms, "online"),
                      (largest, "other"), (total, "other"), (scaled_by_total, "other")):  # fmt: skip
    values = inputs()
    found, result, reference = run(weights.__name__, weights, values)
    print(weights.__name__, found, numpy.isnan(reference).any(1).nonzero()[0])
    assert found == form, (weights.__name__, found)
    assert (numpy.isnan(result) == numpy.isnan(reference)).all(), weights.__name__

# A sum of weights of 1 with values of 2^118 is within f32, and right; 2^121 is beyond it, where the operators multiply by 1/512.
for power, expected in ((117, 0), (121, 2)):
    _, k, _ = inputs()
    found, result, reference = run(f"values{power}", softmax, (numpy.zeros((M, K), numpy.float32), k, numpy.full((N, H), -(2.0**power), numpy.float32)), expected)
    assert found == "online" and (reference == -(2.0**power)).all(), reference
    assert (result == (-INF if expected else -(2.0**power))).all(), result

# Squares of 2^-80 vanish: neither side has a number.
_, k, v = inputs()
found, result, reference = run("vanishing", bare_rms, (numpy.full((M, K), 2.0**-80, numpy.float32), numpy.abs(k) + 0.25, v), None)
assert not numpy.isfinite(result).any() and not numpy.isfinite(reference).any(), (result, reference)
