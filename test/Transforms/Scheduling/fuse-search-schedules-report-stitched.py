# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The report of a module without chains: what the search of stitched groups has found, JSON and page of the same data, and why other
# groups were not searched. Warnings and errors about a module are at its first operation, as a module has no line of its own.
# RUN: %python %s %t

import json
import os
import re
import subprocess
import sys

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
# A softmax of two operands that a name would end the page's script with, and rows that lie apart.
SOFTMAX = """func.func @"</script>softmax"(%x: tensor<96x1000xf32>) -> tensor<96x1000xf32> {
  %o = tensor.empty() : tensor<96x1000xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<96x1000xf32>) outs(%o : tensor<96x1000xf32>) -> tensor<96x1000xf32>
  return %y : tensor<96x1000xf32>
}
"""
# The generic form: an intermediate value of nine dimensions.
NINE = """func.func @nine(%x: tensor<2x2x2x2x2x2x2x2x2xf32>) -> tensor<2x2x2x2x2x2x2x2x2xf32> {
  %o = tensor.empty() : tensor<2x2x2x2x2x2x2x2x2xf32>
  %y = linalg.transpose ins(%x : tensor<2x2x2x2x2x2x2x2x2xf32>) outs(%o : tensor<2x2x2x2x2x2x2x2x2xf32>) permutation = [8, 7, 6, 5, 4, 3, 2, 1, 0]
  return %y : tensor<2x2x2x2x2x2x2x2x2xf32>
}
"""


def search(name, module, options="", groups="fuse-to-unscheduled-groups{chip=sm_80},"):
    path = os.path.join(folder, name)
    with open(path + ".mlir", "w") as file:
        file.write(module)
    pipeline = f"builtin.module({groups}fuse-search-schedules{{chip=sm_80 report={path}.json report-html={path}.html{options}}})"
    done = subprocess.run(["fusion-opt", path + ".mlir", f"--pass-pipeline={pipeline}", "--remarks-filter-analyse=stitch"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with open(path + ".json") as file:
        report = json.load(file)
    with open(path + ".html") as file:
        page = file.read()
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert json.loads(data) == report
    return report, done.stderr, done.stdout


report, said, module = search("softmax", SOFTMAX)
assert report["groups"] == [] and report["not_searched"] == [] and "warning" not in said, (report, said)
(group,) = report["stitched"]
assert group["name"] == "</script>softmax, line 3" and sorted(group["axes"].values()) == [96, 1000] and len(group["operators"]) > 3, group
ranking = group["ranking"]
assert 1 < len(ranking) <= 10 and group["candidates"] >= group["legal"] >= len(ranking), group
# The first is what the group got and what the remark says of it; the others say why not, and are no two of them the same.
chosen = ranking[0]
assert chosen["schedule"] in module and "why_not" not in chosen
(predicted, blocks) = re.search(r"predicted ([\d.]+) us: (\d+) blocks", said).groups()
assert abs(float(predicted) - chosen["cost"]["total_us"]) < 0.006 and int(blocks) == chosen["blocks"], (said, chosen)
assert f"{group['legal']} of {group['candidates']} candidates fit" in said
assert all(other["why_not"] for other in ranking[1:])
assert len({entry["schedule"] for entry in ranking}) == len(ranking)
best = chosen["cost"]["total_us"]
for entry in ranking[1:]:
    total, found = entry["cost"]["total_us"], re.fullmatch(r"([\d.]+) % slower: ([\d.]+) us instead of ([\d.]+) us", entry["why_not"])
    assert bool(found) == (total > best * (1 + 1e-6)), entry
    if found:
        share, theirs, ours = map(float, found.groups())
        assert abs(share - 100 * (total / best - 1)) < 0.06 and abs(theirs - total) < 0.006 and abs(ours - best) < 0.006, entry
assert any("slower" in entry["why_not"] for entry in ranking[1:])
# A schedule of the ranking is one: put in the place of the chosen one it is verified.
for other in ranking[1:]:
    _, said, _ = search("other", module.replace(chosen["schedule"], other["schedule"]), groups="")
# It is not searched then, which the report says.
report, said, _ = search("given", module, groups="")
(left,) = report["not_searched"]
assert report["stitched"] == [] and "softmax, line " in left["name"] and left["why"] == "it has a schedule already", report
assert re.search(r"given\.mlir:\d*[1-9]\d*:\d+: warning: nothing was searched: the report has no groups, and says why", said), said

report, said, _ = search("nine", NINE)
(left,) = report["not_searched"]
assert left["name"] == "nine, line 3" and left["why"].startswith("it runs in the generic form: "), report

# Missing groups, and unknown options, at the first operation.
report, said, _ = search("none", "\n\n" + SOFTMAX, groups="")
assert report["groups"] == report["stitched"] == report["not_searched"] == [], report
assert "none.mlir:3:1: warning: nothing was searched" in said, said
wrong = subprocess.run(["fusion-opt", os.path.join(folder, "none.mlir"), "--fuse-search-schedules=space=wide"], capture_output=True, text=True)
assert wrong.returncode and "none.mlir:3:1: error: no space 'wide'" in wrong.stderr, wrong.stderr
wrong = subprocess.run(["fusion-opt", os.path.join(folder, "none.mlir"), "--fuse-form-groups=stitch=all"], capture_output=True, text=True)
assert wrong.returncode and "none.mlir:3:1: error: no stitch 'all'" in wrong.stderr, wrong.stderr
