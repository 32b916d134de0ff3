# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The plan that fuse-form-groups writes: JSON with the graph, the kernels and what other strategies do, and a page of the same data.
# RUN: %python %s %t

import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Integration", "Inputs"))
from chain_programs import text
from graph_programs import Graph

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
path = os.path.join(folder, "plan")

g = Graph(m=512, n=768)
y, _, _ = g.layer_norm(g.argument("mn"), "m", g.argument("n"), g.argument("n"))
with open(path + ".mlir", "w") as file:
    file.write(text(g.results(y)))


def plan(options, *words):
    pipeline = f"builtin.module(fuse-to-unscheduled-groups{{{options}}})"
    return subprocess.run(["fusion-opt", path + ".mlir", f"--pass-pipeline={pipeline}", *words, "-o", path + ".groups.mlir"],
                          capture_output=True, text=True)  # fmt: skip


def read(name):
    with open(path + name) as file:
        return file.read()


assert plan(f"plan-report={path}.json plan-html={path}.html").returncode == 0
report = json.loads(read(".json"))
(function,) = report["functions"]
assert report["chip"] == "sm_80" and function["name"] == "chain"
assert len(function["vertices"]) == 11, function["vertices"]
assert [kernel["vertices"] for kernel in function["kernels"]] == [list(range(11))]
plans = {name: plan["kernels"] for name, plan in function["plans"].items()}
# FusionStitching's figure 1, where XLA made four: it takes a root for cheap now.
assert plans["apart"] == 11 and plans["greedy"] == 3 and plans["printed"] == 1 and plans["explorer"] == 1, plans
assert function["chosen"]["kernels"] == 1
# The matrix is read and written once, the two rows are read.
assert function["chosen"]["bytes"] == 4 * (2 * 512 * 768 + 2 * 768), function["chosen"]
assert sorted({vertex["kind"] for vertex in function["vertices"]}) == ["light", "reduction"]

page = read(".html")
data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S).group(1)
assert json.loads(data) == report
assert not re.search(r'src=|href=|https?://(?!www\.w3\.org)', page), "the page needs nothing else"

# A command-line option says the same, before or behind the pipeline; it needs a pass to draw the plan.
assert plan(f"plan-report={path}.json", f"--fuse-plan-html={path}.option.html").returncode == 0
assert read(".option.html") == page
os.remove(path + ".option.html")
assert subprocess.run(["fusion-opt", f"--fuse-plan-html={path}.option.html", path + ".mlir", "--fuse-to-groups=chip=sm_80", "-o", os.devnull]).returncode == 0

wrong = subprocess.run(["fusion-opt", path + ".mlir", "--cse", f"--fuse-plan-html={path}.option.html"], capture_output=True, text=True)
assert wrong.returncode == 1 and wrong.stderr == "error: --fuse-plan-html: no pass of the pipeline is fuse-form-groups\n", wrong
for given, said in (("--fuse-plan-html=", "no file is named"), (f"--fuse-plan-html={path}.option.html", "an input that is split has several plans")):
    wrong = subprocess.run(["fusion-opt", path + ".mlir", "--fuse-to-groups", "--split-input-file", given], capture_output=True, text=True)
    assert wrong.returncode == 1 and wrong.stderr == f"error: --fuse-plan-html: {said}\n", wrong
wrong = subprocess.run(["fusion-opt", path + ".mlir", "--fuse-to-groups", f"--fuse-plan-html={path}/none.html"], capture_output=True, text=True)
assert wrong.returncode == 1 and "none.html" in wrong.stderr, wrong
