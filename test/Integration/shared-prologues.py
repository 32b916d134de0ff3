# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Contractions with a common prologue (the projections of one normalised input) recompute it each: one kernel
# for each, right, moving the bytes that were predicted, silent under the sanitizers. What somebody else reads, too, is made once by
# kernels of its own.
# RUN: %python %s %t %S/Inputs

import json
import os
import sys

folder, inputs = sys.argv[1], sys.argv[2]
sys.path.insert(0, inputs)
from hand_schedule import ROOT, run  # noqa: E402

sys.path.insert(0, os.path.join(ROOT, "benchmarks", "workloads"))
from linalg_builder import Function  # noqa: E402


def normalised(f, x, norm, type):
    """x scaled by its rows' mean square, or a layer norm of it, of `type`."""
    k = x.shape[1]
    total = lambda body, inputs: f.generic("m | k", inputs, ("m", "f32", 0.0), body)
    row = lambda value, body: f.generic("m", [(value, "m")], ("m", "f32"), body)
    gain = f.argument((k,), "f32")
    if norm == "rms":
        squares = total(lambda v, a: a + v.to("f32") * v.to("f32"), [(x, "m k")])
        scale = row(squares, lambda s: (s * (1 / k) + 1e-5).math("rsqrt"))
        return f.generic("m k", [(x, "m k"), (scale, "m"), (gain, "k")], ("m k", type),
                         lambda v, s, g: (v.to("f32") * s * g).to(type))  # fmt: skip
    mean = row(total(lambda v, a: a + v.to("f32"), [(x, "m k")]), lambda s: s * (1 / k))
    about = lambda v, c, a: a + (v.to("f32") - c) * (v.to("f32") - c)
    scale = row(total(about, [(x, "m k"), (mean, "m")]), lambda s: (s * (1 / k) + 1e-5).math("rsqrt"))
    return f.generic("m k", [(x, "m k"), (mean, "m"), (scale, "m"), (gain, "k")], ("m k", type),
                     lambda v, c, s, g: ((v.to("f32") - c) * s * g).to(type))  # fmt: skip


def projections(name, m, k, columns, norm="rms", type="f16", leaves=False):
    f = Function(name)
    x = f.argument((m, k), type)
    y = normalised(f, x, norm, type)
    sums = [f.contract(y, f.argument((k, n), type), ("m k", "k n", "m n"), "generic") for n in columns]
    f.result(*(f.cast(s, type) for s in sums), *([y] if leaves else []))
    return f


def main():
    os.makedirs(folder, exist_ok=True)
    for kernels, chip, f in ((3, "sm_80", projections("rms", 48, 96, (96, 32, 32))),
                             (3, "sm_90a", projections("rms_bf16", 50, 136, (64, 24, 24), type="bf16")),
                             (2, "sm_86", projections("layer", 40, 72, (48, 48), norm="layer")),
                             (None, "sm_80", projections("leaves", 32, 64, (48, 48), leaves=True))):  # fmt: skip
        path = os.path.join(folder, f.name)
        with open(path + ".mlir", "w") as file:
            file.write(f.text())
        run("fusion-run", path + ".mlir", f"--chip={chip}", "--device=emulator", "--sanitize", "--force-fusion", "--json=" + path + ".json")
        with open(path + ".json") as file:
            (report,) = json.load(file)
        assert report["pass"] and not report["sanitizer"], f.name
        if kernels is None:
            # The normalised rows are a result themselves: a kernel of their own makes them, once.
            names = [kernel["name"] for kernel in report["kernels"]]
            assert sum("_stitch_" in name for name in names) == 1 and sum("_chain_" in name for name in names) == 2, names
            continue
        assert len(report["kernels"]) == kernels, (f.name, len(report["kernels"]))
        for kernel in report["kernels"]:
            for key in ("global_load_bytes", "global_store_bytes"):
                assert kernel["counters"][key] == kernel["predicted"][key], (f.name, kernel["name"], key)


main()
