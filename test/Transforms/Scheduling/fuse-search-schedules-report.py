# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The report of a search: what it says fits together, and the page carries the same data.
# RUN: %python %source_root/benchmarks/workloads/generate.py --family=gemm_chains_chimera --case=G2 -o %t.mlir
# RUN: fusion-opt %t.mlir --fuse-to-groups=chip=sm_80 -o %t.groups.mlir
# RUN: sed 's/schedule = #fuse.schedule.*>} {/other = 0} {/' %t.groups.mlir > %t.open.mlir
# RUN: fusion-opt %t.open.mlir --fuse-search-schedules="report=%t.json report-html=%t.html" -o %t.scheduled.mlir
# RUN: sed 's/"sm_80"/"sm_90a"/' %t.open.mlir | fusion-opt --fuse-search-schedules="report=%t.hopper.json" -o /dev/null
# RUN: %python %source_root/benchmarks/workloads/generate.py --chain=64,4096,64 -o %t.deep.mlir
# RUN: fusion-opt %t.deep.mlir "--pass-pipeline=builtin.module(fuse-to-unscheduled-groups{chip=sm_80},fuse-search-schedules{chip=sm_80 report=%t.deep.json})" -o /dev/null
# RUN: sed 's/"sm_80"/"sm_90a"/' %t.open.mlir | fusion-opt --fuse-search-schedules="space=paper model=mcfuser rules=124 report=%t.paper.json report-html=%t.paper.html" -o /dev/null
# RUN: %python %s %t.json %t.html %t.scheduled.mlir %t.hopper.json %t.deep.json %t.paper.json %t.paper.html
# A schedule that is there is not searched for, and a file that cannot be written is an error.
# RUN: fusion-opt %t.scheduled.mlir --fuse-search-schedules="report=%t.none.json" -o /dev/null
# RUN: grep -q '"groups": \[\]' %t.none.json
# Who sets how to search hears of it, others do not.
# RUN: fusion-opt %t.scheduled.mlir --fuse-search-schedules=max-stages=3 -o /dev/null 2>&1 | FileCheck %s --check-prefix=KEPT
# RUN: fusion-opt %t.scheduled.mlir --fuse-search-schedules=threads=2 -o /dev/null 2>&1 | count 0
# KEPT: warning: nothing was searched: all groups have schedules, and options of searches change nothing
# RUN: not fusion-opt %t.open.mlir --fuse-search-schedules="report=%t/no/folder.json" -o /dev/null 2>&1 | FileCheck %s
# What is drawn is not searched for.
# RUN: fusion-opt %t.open.mlir --fuse-search-schedules="random-seed=3 report=%t.drawn.json" -o /dev/null
# RUN: grep -q '"search": "drawn"' %t.drawn.json
# RUN: grep -q '"random_seed": 3' %t.drawn.json
# CHECK: error: cannot write the report to '{{.*}}folder.json':

import json
import math
import re
import sys

with open(sys.argv[1]) as file:
    report = json.load(file)
assert report["version"] == 1 and report["chip"] == "sm_80"
(group,) = report["groups"]
assert group["name"].startswith("G2, line ") and group["axes"] == {"b": 12, "m": 512, "n": 512, "k": 64, "h": 64}
refused = sum(entry["candidates"] for entry in group["refused"])
assert group["legal"] > 0 and group["candidates"] == group["legal"] + refused + group["bounded"] and group["ranked_from"] > 0
ranking = group["ranking"]
assert len(ranking) == 10 and "why_not" not in ranking[0] and all("why_not" in entry for entry in ranking[1:])
times = [entry["cost"]["total_us"] for entry in ranking]
assert times == sorted(times)
for entry in ranking:
    cost = entry["cost"]
    slowest = max(cost[key] for key in ("dram_us", "l2_us", "shared_us", "compute_us", "issue_us", "pipeline_us"))
    added = cost["launch_us"] + cost["combine_us"] + cost["exposed_issue_us"]
    assert abs(cost["total_us"] - added - slowest) < 1e-9
    assert all(loop["axis"] in group["axes"] and loop["total_us"] > 0 for loop in entry["loops"])
assert group["in_words"].startswith("blocks over ") and "C by " in group["in_words"]
# How many of each choice there are, of intrinsics by product.
choices = group["choices"]
assert choices["intrinsics"] == {"C": 1, "E": 1} and set(choices["tiles"]) == set(group["axes"])
factors = [choices[key] for key in ("expressions", "arrangements", "stages", "register_stages", "parts", "rasters", "clusters",
                                      "transports", "store_transports", "producers", "persistences", "overlaps", "turns")]  # fmt: skip
assert choices["points"] == math.prod(factors + list(choices["tiles"].values())) > group["candidates"]
assert all(entry["intrinsics"] == {"C": "mma.m16n8k16", "E": "mma.m16n8k16"} for entry in ranking)
# What lowering does not do is costed all the same, and says so.
assert {entry["what"] for entry in group["would_give"]} == {"persistent blocks"}  # sm_80 could run no other
assert all("is not lowered" in entry["why_not"] and entry["total_us"] > 0 for entry in group["would_give"])
assert all(entry["candidates"] > 0 and entry["reason"] for entry in group["refused"])
assert group["search"] in ("exhaustive", "descents") and (group["space"], group["model"]) == ("default", "default")
for entry in ranking:
    for warps in entry["arrangement"].values():
        assert warps[0] * warps[1] == entry["warps"]
    assert set(entry["intermediates"]) == {"C"} and entry["raster"] >= 1
# Each differs in more than stages, transports and the order of blocks, and comes near the first.
choices = ("tiling", "tiles", "warps", "arrangement", "intrinsics", "splits")
assert len({str([entry[choice] for choice in choices]) for entry in ranking}) == len(ranking)
assert times[1] < 1.1 * times[0], times
assert all(1 <= entry["cost"]["resident_blocks_per_sm"] <= entry["cost"]["blocks_per_sm"] for entry in ranking)
roof = group["roofline"]
assert abs(roof["flop_per_second"] * times[0] * 1e-6 - 2 * 2 * 12 * 512 * 512 * 64) < 1
assert roof["flop_per_second"] <= roof["peak_flop_per_second"]
# What is written to the module is the first of the ranking.
with open(sys.argv[3]) as file:
    (tiling,) = set(re.findall(r'tiling = <"([^"]*)"', file.read()))
assert tiling == ranking[0]["tiling"]
with open(sys.argv[2]) as file:
    page = file.read()
(data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
assert json.loads(data) == report
# Its bars are all terms of a cost, and what follows one another adds up to the time, also where parts are combined.
(drawn,) = re.findall(r"const phases = (\[\[.*?\]\]);\n", page, re.S)
phases = [[key for key, _, _ in phase] for phase in json.loads(drawn.replace("'", '"'))]
assert {key for phase in phases for key in phase} == {key for key in ranking[0]["cost"] if key.endswith("_us")} - {"total_us"}
with open(sys.argv[5]) as file:
    (parted,) = json.load(file)["groups"]
assert parted["ranking"][0]["cost"]["combine_us"] > 0
# Partial results that are stored and read again are not among the compulsory bytes of the contraction.
assert parted["roofline"]["flop_per_byte"] == 2 * 64 * 4096 * 64 / (2 * (2 * 64 * 4096 + 64 * 64))
for entry in ranking + parted["ranking"]:
    cost = entry["cost"]
    assert abs(sum(max(cost[key] for key in phase) for phase in phases) - cost["total_us"]) < 1e-9, entry
assert "http:" not in page.replace("http://www.w3.org/2000/svg", "") and "https:" not in page
assert group["copied_by_threads"] == [] and set(ranking[0]["transports"].values()) == {"async16"}, ranking[0]
# Hopper has TMA copies, and candidates may use all of them.
with open(sys.argv[4]) as file:
    (hopper,) = json.load(file)["groups"]
chosen = hopper["ranking"][0]
assert (ranking[0]["cluster"], chosen["cluster"] > 1) == (1, True), chosen
assert hopper["choices"]["intrinsics"] == {"C": 2, "E": 2}
COUNTS = ("transports", "store_transports", "producers", "persistences", "overlaps", "turns")
assert [group["choices"][key] for key in COUNTS] == [1] * 6 and [hopper["choices"][key] for key in COUNTS] == [2, 2, 3, 2, 2, 2]
# What it does not take has its reason: it is not lowered, impossible, or no faster.
left_out = {
    "persistent blocks": not chosen["persistent"],
    "clusters of two": chosen["cluster"] == 1,
    "producer warps": chosen["producers"] == 0,
    "TMA stores of results": chosen["stores"] != {"E": "tma"},
    "cross-iteration overlap": not chosen["overlapped"],
    "ping-pong scheduling": not chosen["turns"],
}
assert {entry["what"] for entry in hopper["would_give"]} == {what for what, is_left in left_out.items() if is_left}, hopper["would_give"]
for entry in hopper["would_give"]:
    assert entry["why_not"] and (entry["why_not"] != "by the model it is no faster" or entry["gain_us"] <= 0), entry
transports = hopper["ranking"][0]["transports"]
by_threads = {entry["tensor"] for entry in hopper["copied_by_threads"]}
assert "tma" in transports.values() and by_threads == {name for name, how in transports.items() if how != "tma"}, transports
# What was asked for, beside the space, the model and the search: of spaces with rules those, too.
asked = {"seed": 0, "max_stages": 8, "max_register_stages": 2}
assert group["options"] == asked | {"effort": 1}, group["options"]
assert "`Options: ${list(group.options)}.`" in page
with open(sys.argv[6]) as file:
    (paper,) = json.load(file)["groups"]
rules = {"rules": "124", "remove_dead_loops": True, "convergence": "best-of-all"}
assert paper["options"] == asked | rules, paper["options"]
# The page has the times of the model that ranked next to the times of our model, which differ.
with open(sys.argv[7]) as file:
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', file.read(), re.S)
assert json.loads(data)["groups"] == [paper] and "`us by ${group.model}`" in page
by_model = [entry["model_us"] for entry in paper["ranking"]]
assert by_model == sorted(by_model) != [entry["cost"]["total_us"] for entry in paper["ranking"]], by_model
assert all(entry["by_model_us"]["mcfuser"] == entry["model_us"] for entry in paper["ranking"])
# A space without TMA copies has no other reason for those by threads.
(reason,) = {entry["reason"] for entry in paper["copied_by_threads"]}
assert reason == "space 'paper' has no other copies", reason
assert {entry["tensor"] for entry in paper["copied_by_threads"]} == set(paper["ranking"][0]["transports"])
