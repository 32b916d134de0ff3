# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# exp(s x - t) with its scale and difference in one multiply-add (--exponentials=fma, and guarded, the default): right by the same
# tolerances, one instruction less for each score, two where there is a scale; the error of an exponential, against f64, within the
# bound of docs/numerics.md, and that of a softmax independent of the magnitude of its scores. Guarded, rows of any magnitude have
# the weights of differences, also where a running maximum passes the bound.
# RUN: %python %s %t %source_root %sample

import json
import os
import subprocess
import sys

import numpy

folder, root = sys.argv[1:3]
sys.path.insert(0, os.path.join(root, "test", "Integration", "Inputs"))
sys.path.insert(0, os.path.join(root, "benchmarks", "workloads"))
from hand_schedule import lower_scheduled  # noqa: E402
from linalg_builder import Function  # noqa: E402
from sample import some  # noqa: E402

GENERATOR = os.path.join(root, "benchmarks", "workloads", "generate.py")
os.makedirs(folder, exist_ok=True)


def run(path, how, *options):
    done = subprocess.run(
        ["fusion-run", path + ".mlir", "--device=emulator", "--force-fusion", f"--exponentials={how}", f"--json={path}.json", *options],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, (path, how, done.stdout[-1500:], done.stderr[-1500:])
    with open(path + ".json") as file:
        (report,) = json.load(file)
    return report, sum(kernel["counters"]["instructions"] for kernel in report["kernels"])


# name: generator's arguments, scores of all heads, operations that a score has less
WORKLOADS = {
    "S6": (["--family=attention_mcfuser", "--case=S6", "--heads=1"], 256 * 256, 2),
    "G8": (["--family=gemm_chains_chimera", "--case=G8", "--batch=1", "--between=softmax"], 208 * 208, 1),
    "FA": (["--family=attention_long", "--case=FA_d128_s512", "--batch=1", "--heads=1"], 512 * 512, 2),
    "FA_causal": (["--family=attention_long", "--case=FA_d64_s512_causal", "--batch=1", "--heads=1"], 512 * 256, 2),
}
for name, (arguments, scores, saved) in WORKLOADS.items():
    for kind in some(("f16", "bf16"), 1):
        path = os.path.join(folder, f"{name}_{kind}")
        subprocess.run([sys.executable, GENERATOR, *arguments, f"--dtype={kind}", "-o", path + ".mlir"], check=True)
        difference, before = run(path, "difference", "--sanitize", f"--groups={path}.groups.mlir")
        with open(path + ".groups.mlir") as file:
            groups = file.read()
        for how in ("fma", "guarded"):
            # The search may prefer another schedule for fewer instructions.
            lower_scheduled(f"{path}_{how}", groups.replace('"difference"', f'"{how}"'))
            folded, after = run(path, how, "--sanitize", f"--manifest={path}_{how}.json")
            print(f"{name} {kind}: {before} instructions, {after} {how}; errors {difference['max_abs_error']:.2e}, "
                  f"{folded['max_abs_error']:.2e}")  # fmt: skip
            # Rows have a few more: what they subtract is scaled once for each tile.
            assert before - after > 0.7 * saved * scores / 32, (name, kind, how, before, after)

# Exponentials of rows of all magnitudes, in f32, as they are and over their sum.
ROWS, COLUMNS, SCALE = 24, 256, 0.3
random = numpy.random.default_rng(11)
magnitudes = numpy.concatenate([2.0 ** numpy.arange(0, 16, 1), [0.0, 1e4, 3e4, 6e4, 1e5, 1e2, 10.0, 3.0]])
x = (random.uniform(-8, 8, (ROWS, COLUMNS)) + random.choice([-1, 1], (ROWS, 1)) * magnitudes[:, None]).astype(numpy.float32)
numpy.save(os.path.join(folder, "x.npy"), x)
for scale in (1.0, SCALE):
    f = Function("rows")
    a = f.argument((ROWS, COLUMNS), "f32")
    s = f.map(a, lambda v: v * scale) if scale != 1 else a
    top = f.generic("m | n", [(s, "m n")], ("m", "f32", -numpy.inf), lambda v, old: old.maximum(v))
    e = f.generic("m n", [(s, "m n"), (top, "m")], ("m n", "f32"), lambda v, t: (v - t).math("exp"))
    total = f.generic("m | n", [(e, "m n")], ("m", "f32", 0.0), lambda v, old: old + v)
    w = f.generic("m n", [(e, "m n"), (total, "m")], ("m n", "f32"), lambda v, t: v / t)
    f.result(e, w)
    path = os.path.join(folder, f"rows{scale}")
    with open(path + ".mlir", "w") as file:
        file.write(f.text())
    y = x.astype(numpy.float64) * float(numpy.float32(scale))
    t = y.max(1, keepdims=True)
    exact = numpy.exp(y - t)
    weights = exact / exact.sum(1, keepdims=True)
    for how in ("difference", "fma", "guarded"):
        # The reference rounds as the operators do: the bound is that against f64.
        run(path, how, "--reference=none", f"--input=0:{folder}/x.npy", f"--output-dir={path}")
        error = lambda number, of: numpy.abs(numpy.load(f"{path}/rows.result{number}.npy").astype(numpy.float64) / of - 1)
        ofExponentials, ofWeights = error(0, exact), error(1, weights)
        bound = 2.0**-22 * (1 + numpy.abs(t)) + 2.0**-23 * numpy.abs(y - t)
        print(f"scale {scale}, {how}: exponentials off by {ofExponentials.max():.2e}, {(ofExponentials / bound).max():.2f} of the bound; "
              f"weights by {ofWeights.max():.2e}")  # fmt: skip
        if how == "difference":
            before, exponentials = ofWeights.max(), ofExponentials
        elif how == "guarded":
            # The exponentials themselves are a result, so nothing is folded.
            assert (ofExponentials == exponentials).all() and ofWeights.max() == before
        else:
            assert (ofExponentials <= bound).all(), (ofExponentials / bound).max()
            # The row's part of the error is that of numerator and sum; the remaining part is that of rounding scaled
            # scores, if there are any.
            assert (ofWeights <= 2.0**-20 + 2.0**-22 * numpy.abs(y - t)).all() or scale != 1, ofWeights.max()
            assert ofWeights.max() <= 1.01 * before, (before, ofWeights.max())

# Attention whose scores rise along a row past 2^16 or -2^16, where guarded rows change their form: all terms count, before and
# behind. A score is scale * (q0 * near + q1 * (256 + 85) * extra + u) with q0 = ±1024 and u near zero, so products, scales and
# scores are exact. Other rows have scores up to 10^10, infinities and NaN.
M, N, K, H = 64, 512, 16, 32


def rounded(values, kind):
    """The numbers of a type, as f32 and as a file has them."""
    if kind != "bf16":
        stored = values.astype({"f16": numpy.float16, "f32": numpy.float32}[kind])
        return stored.astype(numpy.float32), stored
    stored = (values.astype(numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16)
    return (stored.astype(numpy.uint32) << 16).view(numpy.float32), stored


def attention(kind, scale, near, extra, spread):
    k = numpy.zeros((N, K))
    k[:, 0] = near
    k[:, 1] = numpy.round(numpy.linspace(-spread, spread, N) + random.uniform(-1, 1, N))
    k[:, 2:5] = 1, 85, 0
    k[:, 4] = random.integers(-3, 4, N)
    q = numpy.zeros((M, K))
    q[:, 4] = 1
    q[:16, :4] = 1024, 1, 256 * extra, extra
    q[16:32, :4] = -1024, 1, -256 * extra, -extra
    q[32:40, 0] = 2.0 ** numpy.arange(0, 8)
    q[40:44, 0] = [-6e4, 6e4, *([-6e4, 6e4] if kind == "f16" else [-1e8, 1e8])]
    q[44:48, 0] = [numpy.inf, -numpy.inf, numpy.nan, 0]
    q, k, v = (rounded(x, kind) for x in (q, k, random.uniform(-1, 1, (N, H))))
    path = os.path.join(folder, f"attention_{kind}_{scale}")
    given = []
    for number, (_, stored) in enumerate((q, k, v)):
        numpy.save(f"{path}.{number}.npy", stored)
        given.append(f"--input={number}:{path}.{number}.npy")
    f = Function("attention")
    arguments = [f.argument(shape, kind) for shape in ((M, K), (N, K), (N, H))]
    scores = f.map(f.contract(*arguments[:2], ("m k", "n k", "m n"), "generic"), lambda x: x * scale)
    f.result(f.contract(f.cast(f.softmax(scores, 1), kind), arguments[2], ("m n", "n h", "m h"), "generic"))
    with open(path + ".mlir", "w") as file:
        file.write(f.text())
    with numpy.errstate(all="ignore"):
        s = ((q[0] @ k[0].T) * numpy.float32(scale)).astype(numpy.float64)
        e = numpy.exp(s - s.max(1, keepdims=True))
        exact = (e / e.sum(1, keepdims=True)) @ v[0].astype(numpy.float64)
    assert all((s[:32].max(0) > 65536) == (s[:16].max(0) > 65536)) and (s[:16] < 65536).any() and (s[16:32] > -65536).any()
    errors = {}
    for chip in ("sm_80", "sm_90a"):
        for how in ("difference", "guarded"):
            run(path, how, f"--output-dir={path}", f"--chip={chip}", *given)
            result = numpy.load(f"{path}/attention.result0.npy")
            assert (numpy.isnan(result) == numpy.isnan(exact)).all(), (kind, scale, how, chip)
            errors[how] = numpy.nanmax(numpy.abs(result - exact))
        print(f"attention {kind}, scale {scale}, {chip}: errors {errors['difference']:.1e}, guarded {errors['guarded']:.1e}")
        # Weights are rounded to the type; a row whose parts do not fit is off by 10^-3 at least.
        assert errors["guarded"] <= {"f32": 2e-7, "f16": 2e-4, "bf16": 2e-3}[kind], (kind, scale, chip, errors)


for kind in ("f32", "f16", "bf16"):
    # 0.75 · log2(e) is not rounded as log2(e) is.
    attention(kind, 0.75, 85, 1, 9)
    attention(kind, 0.25, 256, 0, 20)
