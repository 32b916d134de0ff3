# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The table "What fits on a chip" of docs/cluster-measurements.md: what the search chooses, predicts and ptxas makes of it today.
# REQUIRES: nightly, ptxas, nvdisasm
# RUN: %python %s %t %S/Inputs %ptxas %nvdisasm

import json
import os
import re
import sys

folder, inputs, ptxas, nvdisasm = sys.argv[1:]
sys.path.insert(0, inputs)
from hand_schedule import ROOT, run  # noqa: E402
from sass import assemble, loops, opcodes  # noqa: E402

FAMILIES = {"gemm_2048": "operators_alcop", "gemm_": "products_large", "FA_": "attention_long", "D_": "decode"}
CLUSTERS = {"alone": 1, "in pairs": 2, "clusters of 4": 4, "clusters of 8": 8}

os.makedirs(folder, exist_ok=True)
with open(os.path.join(ROOT, "docs", "cluster-measurements.md"), encoding="utf-8") as page:
    section = page.read().split("## What fits on a chip")[1].split("\n#")[0]
rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if re.match(r"\| (gemm|FA|D)_", line)]
assert len(rows) == 9, rows
for name, before, since, _, us, _, hot, _, kernel in rows:
    path = os.path.join(folder, name)
    family = next(family for start, family in FAMILIES.items() if name.startswith(start))
    generator = os.path.join(ROOT, "benchmarks", "workloads", "generate.py")
    run(sys.executable, generator, f"--family={family}", f"--case={name}", "-o", path + ".mlir")
    run("fusion-opt", path + ".mlir", "--fuse-to-nvvm=chip=sm_90a", "-o", path + ".nvvm.mlir")
    plan = json.loads(run("fusion-translate", "--fuse-to-manifest", path + ".nvvm.mlir"))
    with open(path + ".ptx", "w", encoding="utf-8") as file:
        file.write(plan["ptx"])
    (info,) = plan["kernels"]
    chosen = before if since == "the same" else since
    cluster = next(size for words, size in CLUSTERS.items() if words in chosen)
    assert info["cluster"][0] == cluster, f"{name}: {info['cluster']}"
    assert f"{info['predicted']['us']:.2f}" == us, f"{name}: {info['predicted']['us']}"
    listing = assemble(ptxas, nvdisasm, "sm_90a", path)
    count = len(re.findall(r"^\s*/\*[0-9a-f]{4,}\*/", listing, re.MULTILINE))
    assert str(count) == kernel, f"{name}: {count} instructions"
    own = [len(names) for names in map(opcodes, loops(listing)) if "HGMMA" in names]
    assert (str(own[0]) if own else "") == hot, f"{name}: {own} in loops"
    assert listing.count("ELECT") <= 1, f"{name}: loops over the lanes of a copy"
