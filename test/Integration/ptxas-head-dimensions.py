# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Attention at full size with heads of many dimensions, 256 among them, and of a few rows against many keys. What the search
# chooses is assembled without spilling a register.
# REQUIRES: ptxas
# RUN: %python %s %t %S/Inputs %ptxas %sample

import os
import pathlib
import sys
import types

folder, inputs, ptxas = sys.argv[1:4]
sys.path.insert(0, inputs)
from check_ptxas import check  # noqa: E402
from hand_schedule import ROOT, run  # noqa: E402
from sample import some  # noqa: E402

HEADS = [(40, 40), (72, 72), (112, 112), (192, 192), (256, 256), (64, 256), (256, 72)]
DECODE = ["D_mha_d128_r16_n65536", "D_gqa4_d128_r4_n65536", "D_gqa8_d128_r16_n65536"]


def main():
    os.makedirs(folder, exist_ok=True)
    tools = types.SimpleNamespace(opt="fusion-opt", translate="fusion-translate", ptxas=ptxas, search="", options="", dtype="f16")
    generator = os.path.join(ROOT, "benchmarks", "workloads", "generate.py")
    cases = {
        f"k{k}_h{h}": ["--family=attention_mcfuser", "--case=S1", "--heads=32", "--M=2048", "--N=2048", f"--K={k}", f"--H={h}"]
        for k, h in HEADS
    }
    cases |= {name: ["--family=decode", "--case=" + name] for name in DECODE}
    broken = []
    for name, arguments in some(cases.items(), 4):
        path = pathlib.Path(folder, name + ".mlir")
        run(sys.executable, generator, *arguments, "-o", str(path))
        for chip in ("sm_80", "sm_90a"):
            broken += [(name, chip, problem) for problem in check(tools, path, chip)]
    assert not broken, broken


main()
