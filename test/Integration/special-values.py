# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Rows of scores that are special: nothing but -inf, -inf in some places, finite masks, large magnitudes, NaN,
# infinities, in queries and values too. Softmax as an operator and decomposed, with and without masks by indices, in
# one tile, online, split over blocks and with the masked tiles skipped, sums corrected always or late: what the
# operators say, NaN where they say so, whatever the schedule. Exponentials of a multiply-add agree for rows within
# their range.
# RUN: %python %s %t %S/Inputs %sample

import json
import os
import sys

import numpy

folder, inputs = sys.argv[1], sys.argv[2]
sys.path.insert(0, inputs)
from hand_schedule import ROOT, lower, run, schedule  # noqa: E402
from sample import some  # noqa: E402

sys.path.insert(0, os.path.join(ROOT, "benchmarks", "workloads"))
from linalg_builder import Function  # noqa: E402

M, N, K, H = 40, 150, 32, 32
NAN, INF = numpy.nan, numpy.inf
# Row i sees keys up to i + shift: all rows some, or the first ones none.
SHIFTS = {"causal": N - M, "late": -20}


def chain(name, form, mask=None):
    """softmax(q kᵀ / √k + bias) v, with what rows see by `mask`."""
    f = Function(name)
    q, k, v = f.argument((M, K), "f16"), f.argument((N, K), "f16"), f.argument((N, H), "f16")
    bias = f.argument((M, N), "f32")
    s = f.contract(q, k, ("m k", "n k", "m n"), "generic")
    s = f.generic("m n", [(s, "m n"), (bias, "m n")], ("m n", "f32"), lambda x, b: x * K**-0.5 + b)
    if mask:
        s = f.map(s, lambda x: f.index(1).compare("sle", f.index(0) + SHIFTS[mask]).select(x, -INF))
    if form == "operator":
        w = f.softmax(s, 1)
    else:
        apply = lambda a, row, body: f.generic("m n", [(a, "m n"), (row, "m")], ("m n", "f32"), body)
        top = f.generic("m | n", [(s, "m n")], ("m", "f32", -INF), lambda x, a: a.maximum(x))
        e = apply(s, top, lambda x, t: (x - t).math("exp"))
        total = f.generic("m | n", [(e, "m n")], ("m", "f32", 0.0), lambda x, a: a + x)
        w = apply(e, total, lambda x, z: x / z)
    f.result(f.contract(f.cast(w, "f16"), v, ("m n", "n h", "m h"), "generic"))
    return f


def special():
    """Queries, keys, values and the bias: each row of the bias another case."""
    random = numpy.random.default_rng(7)
    q, k, v = (random.uniform(-1, 1, shape).astype(numpy.float16) for shape in ((M, K), (N, K), (N, H)))
    bias = random.uniform(-1, 1, (M, N)).astype(numpy.float32)
    bias[0] = -INF
    bias[1] = -1e9
    bias[2, :100] = -INF
    bias[3, 20:] = -INF
    bias[4, 1:] = -INF
    bias[5, ::2] = -INF
    bias[6] *= 1e4
    bias[7] -= 1e4
    bias[8] += 1e4
    bias[9, 7] = NAN
    bias[10, 3] = INF
    bias[11] = INF
    bias[12, :] = numpy.where(random.uniform(size=N) < 0.5, -1e9, bias[12])
    bias[13, 140:] = NAN
    bias[14] = numpy.finfo(numpy.float32).min
    bias[15, :16] = -INF
    bias[16, 16:32] = 1e4
    q[17, 5] = NAN
    q[18, 2] = INF
    v[149, 3] = INF
    v[0, 9] = NAN
    return q, k, v, bias


def expected(q, k, v, bias, mask):
    """In f64, from the operators' definition."""
    with numpy.errstate(all="ignore"):
        s = (q.astype(numpy.float32) @ k.astype(numpy.float32).T) * numpy.float32(K**-0.5) + bias
        if mask:
            s = numpy.where(numpy.arange(N)[None, :] <= numpy.arange(M)[:, None] + SHIFTS[mask], s, numpy.float32(-INF))
        s = s.astype(numpy.float64)
        e = numpy.exp(s - s.max(1, keepdims=True))
        w = (e / e.sum(1, keepdims=True)).astype(numpy.float16).astype(numpy.float64)
        return (w[:, :, None] * v.astype(numpy.float64)[None]).sum(1)


def place(tile, parts, skips, stages, warps=1, rescale=0):
    """A schedule: tiles of n, its parts, whether masked tiles are skipped, the threshold of corrections."""
    trips = -(-(-(-N // tile)) // parts)
    body = "LB,CC,LF,LD,CE"
    inside = f"n({body})" if trips > 1 else body
    places = dict(A="shared, async16", B="shared, async16", C="registers", D="shared, async16", E="shared", F="registers")
    counts = {"B": stages, "D": stages} if trips > 1 and stages > 1 else {}
    return schedule(f"m(LA,{inside},SE)", dict(m=16 * warps, n=tile, k=K, h=H), ["m"],
                    dict(C=("m", "n", "k", f"[{warps}, 1]"), E=("m", "h", "n", f"[{warps}, 1]")), places, counts, warps=warps,
                    split={"n": parts} if parts > 1 else None, skip="n" if skips else None,
                    reduction=f"online, rescale_threshold = {rescale}" if trips > 1 else "one_tile")  # fmt: skip


# name: tile, parts, whether masked tiles are skipped, stages, warps, threshold
SCHEDULES = {
    "one tile": (160, 1, False, 1, 1),
    "one tile, two warps": (160, 1, False, 1, 2),
    "online": (16, 1, False, 1, 1),
    "online, stages": (48, 1, False, 3, 2),
    "parts": (16, 3, False, 1, 1),
    "parts of one tile": (32, 5, False, 1, 2),
    "more parts than tiles": (80, 4, False, 1, 1),
    "skipped": (16, 1, True, 1, 1),
    "skipped, stages": (32, 1, True, 3, 2),
    "late": (16, 1, False, 1, 1, 8),
    "late, stages": (48, 1, False, 3, 2, 15),
    "late parts": (16, 3, False, 1, 1, 4),
    "late, skipped": (16, 1, True, 1, 2, 1),
}


def check(name, mask, values, path, is_uniform=True):
    """What the operators mean; fusion-run has compared with the reference, element by element."""
    result = numpy.load(os.path.join(path, name + ".result0.npy"))
    q, k, v, bias = values
    r = expected(q, k, v, bias, mask)
    if not mask:
        assert numpy.isnan(result[[0, 9, 10, 11, 13, 17, 18]]).all(), path
        # Uniform weights, whatever the mask's number; columns 3 and 9 of the values are not finite.
        mean = v.astype(numpy.float64).mean(0)[10:]
        assert not is_uniform or numpy.abs(result[[1, 14], 10:] - mean).max() < 2e-3, path
    assert (numpy.isnan(result) == numpy.isnan(r)).all(), (path, numpy.argwhere(numpy.isnan(result) != numpy.isnan(r))[:5])
    same = numpy.isfinite(r)
    assert (result[~same & ~numpy.isnan(r)] == r[~same & ~numpy.isnan(r)]).all(), path
    assert numpy.abs(numpy.where(same, result, 0) - numpy.where(same, r, 0)).max() < 4e-3, path


def main():
    os.makedirs(folder, exist_ok=True)
    runs = 0
    for name, form, mask in (("named", "operator", None), ("decomposed", "decomposed", None), ("seen", "decomposed", "causal"),
                             ("seen_late", "operator", "late")):  # fmt: skip
        path = os.path.join(folder, name)
        with open(path + ".mlir", "w") as file:
            file.write(chain(name, form, mask).text())
        groups = run("fusion-opt", path + ".mlir", "--fuse-to-groups=chip=sm_80 force-fusion=true")
        legal = {kind: place for kind, place in SCHEDULES.items() if mask or not place[2]}
        for kind, (tile, parts, skips, *others) in some(legal.items(), 3):
            values = special()
            # What a mask by indices excludes is taken to be finite (docs/reductions.md).
            if skips:
                values[2][:] = numpy.where(numpy.isfinite(values[2]), values[2], 0)
            for number, value in enumerate(values):
                numpy.save(f"{path}.input{number}.npy", value)
            where = f"{name}, {kind}"
            lower(path, groups, place(tile, parts, skips, *others))
            given = [f"--input={number}:{path}.input{number}.npy" for number in range(4)]
            run("fusion-run", path + ".mlir", "--manifest=" + path + ".json", "--device=emulator", "--sanitize", "--chip=sm_80",
                "--output-dir=" + path, "--json=" + path + ".report.json", *given)  # fmt: skip
            with open(path + ".report.json") as file:
                (report,) = json.load(file)
            assert report["pass"] and not report["sanitizer"], where
            assert len(report["kernels"]) == (2 if parts > 1 else 1), where
            check(name, mask, values, path)
            runs += 1
        # As the search chooses, too, which may skip what is masked.
        if mask:
            values[2][:] = numpy.where(numpy.isfinite(values[2]), values[2], 0)
            numpy.save(f"{path}.input2.npy", values[2])
        run("fusion-run", path + ".mlir", "--device=emulator", "--sanitize", "--chip=sm_90a", "--force-fusion", "--output-dir=" + path,
            *given)  # fmt: skip
        check(name, mask, values, path)
        # With exponentials of a multiply-add, where no row is further from zero than docs/numerics.md says.
        values[3][[1, 14]] = -6e4
        numpy.save(f"{path}.input3.npy", values[3])
        for chip in ("sm_80", "sm_90a"):
            run("fusion-run", path + ".mlir", "--device=emulator", f"--chip={chip}", "--force-fusion", "--exponentials=fma",
                "--output-dir=" + path, *given)  # fmt: skip
            check(name, mask, values, path, is_uniform=False)
            runs += 1
        runs += 1
    print(f"{runs} kernels")


main()
