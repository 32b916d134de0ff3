# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Attention of sm_90a with heads of 64 and 128: the search maps both contractions to warpgroups, the second one takes A
# from registers and nothing between the two passes through shared memory; ptxas neither spills nor runs the
# instructions one by one. Cut down for the emulator it is right under eight orders of the warps, without a finding.
# RUN: %python %s %t %S/Inputs %sample

import json
import os
import re
import sys

folder, inputs = sys.argv[1:3]
sys.path.insert(0, inputs)
from hand_schedule import ROOT, assemble, run  # noqa: E402
from sample import ORDERS, some  # noqa: E402

CASES = ["FA_d64_s1024", "FA_d64_s16384_causal", "FA_d128_s1024", "FA_d128_s16384", "FA_d128_s16384_causal"]


def generate(path, case, *sizes):
    generator = os.path.join(ROOT, "benchmarks", "workloads", "generate.py")
    run(sys.executable, generator, "--family=attention_long", "--case=" + case, *sizes, "-o", path + ".mlir")


os.makedirs(folder, exist_ok=True)
for case in some(CASES, 2):
    path = os.path.join(folder, case)
    generate(path, case)
    run("fusion-opt", path + ".mlir", "--fuse-to-nvvm=chip=sm_90a", "-o", path + ".nvvm.mlir")
    run("fusion-translate", "--fuse-to-ptx", path + ".nvvm.mlir", "-o", path + ".ptx")
    with open(path + ".ptx") as file:
        ptx = file.read()
    assert "mma.sync" not in ptx, case
    products = re.findall(r"wgmma\.mma_async\S+ \{[^}]*\}, (\{?)", ptx)
    assert "" in products and "{" in products, f"{case}: {products}"
    between = re.search(r"wgmma\.mma_async\S+ \{[^}]*\}, %.*?wgmma\.mma_async\S+ \{[^}]*\}, \{", ptx, re.DOTALL)
    assert between and "st.shared" not in between.group(), case
    assemble(path, "sm_90a", case)

for case in some(("FA_d64_s1024", "FA_d128_s1024", "FA_d128_s1024_causal"), 1):
    path = os.path.join(folder, case + "_small")
    generate(path, case, "--batch=1", "--heads=2", "--seq=256")
    run("fusion-run", path + ".mlir", "--chip=sm_90a", "--device=emulator", "--sanitize", ORDERS,
        "--json=" + path + ".json")  # fmt: skip
    with open(path + ".json") as file:
        (report,) = json.load(file)
    assert report["pass"] and not report["sanitizer"], case
