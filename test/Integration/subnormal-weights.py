# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# A row of 65,536 keys has weights of 2^-16, which f16 holds with eight bits. What their rounding may add to the result is part of
# fusion-run's tolerance, and no more: the kernel is right, and one that leaves out a tile of keys, or takes the values of a
# neighbouring key, is not.
# RUN: %python %s %t %source_root

import os
import subprocess
import sys

folder, root = sys.argv[1:]
sys.path.insert(0, os.path.join(root, "benchmarks", "workloads"))
from linalg_builder import Function  # noqa: E402

KEYS, HEAD, ROWS = 65536, 64, 4


def chain(last=KEYS, shift=0):
    """softmax(q kᵀ / 8) v over the keys below `last`, values of those `shift` further."""
    f = Function("decode")
    q, k, v = f.argument((ROWS, HEAD), "f16"), f.argument((KEYS, HEAD), "f16"), f.argument((KEYS, HEAD), "f16")
    s = f.contract(q, k, ("m k", "n k", "m n"), "generic")
    s = f.map(s, lambda x: x * HEAD**-0.5)
    if last < KEYS:
        s = f.map(s, lambda x: f.index(1).compare("slt", last).select(x, -float("inf")))
    if shift:
        v = f.concat([f.slice(v, (shift, 0), (KEYS - shift, HEAD)), f.slice(v, (0, 0), (shift, HEAD))], 0)
    w = f.cast(f.softmax(s, 1), "f16")
    f.result(f.cast(f.contract(w, v, ("m n", "n h", "m h"), "generic"), "f16"))
    return f.text()


def path(name):
    return os.path.join(folder, name)


def run(*words, expected=0):
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == expected, (words, done.returncode, done.stdout[-1500:], done.stderr[-1500:])
    return done.stdout


def plan(name):
    run("fusion-opt", path(name + ".mlir"), "--fuse-to-nvvm=chip=sm_80 force-fusion=true", "-o", path("lowered.mlir"))
    run("fusion-translate", "--fuse-to-manifest", path("lowered.mlir"), "-o", path("plan.json"))
    run("fusion-translate", "--fuse-to-ptx", path("lowered.mlir"), "-o", path("plan.ptx"))
    return [f"--manifest={path('plan.json')}", f"--ptx={path('plan.ptx')}"]


os.makedirs(folder, exist_ok=True)
programs = {"right": chain(), "without a tile": chain(last=KEYS - 64), "the next value": chain(shift=1)}
for name, text in programs.items():
    with open(path(name + ".mlir"), "w") as file:
        file.write(text)
for name in programs:
    said = run("fusion-run", path("right.mlir"), "--device=emulator", *plan(name), expected=0 if name == "right" else 2)
    assert ("elements differ" in said) == (name != "right"), said
    print(name, [line for line in said.splitlines() if "result 0" in line])
