# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The example of MCFuser's figure 7 (M = N = 1024, K = H = 512) through the pass: how many candidates each rule leaves, and that every
# space and model ends in a schedule that the pass accepts when it reads it again.
# REQUIRES: presubmit
# RUN: %python %source_root/benchmarks/workloads/generate.py --chain=1024,512,1024,512 -o %t.mlir
# RUN: %python %s %t.mlir %t %source_root/benchmarks/workloads/generate.py

import itertools
import json
import re
import resource
import subprocess
import sys

source, scratch, generator = sys.argv[1:]
GROUPS = "fuse-to-unscheduled-groups{chip=sm_80 force-fusion=true}"


def search(**options):
    """The group's entry of the report and the tiling that was written."""
    text = " ".join(f"{key.replace('_', '-')}={value}" for key, value in options.items())
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(
        ["fusion-opt", source, f"--pass-pipeline=builtin.module({GROUPS},fuse-search-schedules{{chip=sm_80 {text} "
         f"report={scratch}.json}})"], capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    # The processor's time, whatever else runs on it.
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    # What was chosen is accepted as given.
    again = subprocess.run(["fusion-opt", "--fuse-search-schedules"], input=done.stdout, capture_output=True, text=True)
    assert again.returncode == 0, again.stderr
    with open(scratch + ".json") as file:
        (group,) = json.load(file)["groups"]
    assert group["seconds"] > 0
    # A candidate takes some microseconds on a slow machine.
    assert seconds < 10 or seconds < 1e-5 * group["candidates"], (options, seconds)
    assert group["candidates"] < 2e6 or group["search"] != "descents", options
    (tiling,) = re.findall(r'tiling = <"([^"]*)"', done.stdout)
    assert tiling == group["ranking"][0]["tiling"]
    return group


def counts(group):
    return [group[key] for key in ("raw", "after_rule1", "after_rule2", "after_rule3", "after_rule4")]


paper = search(space="paper", model="mcfuser")
assert counts(paper) == [109051904, 20971520, 12582912, 5292, 2253], counts(paper)
assert paper["expressions_raw"] == 26
assert (paper["expressions_after_rule1"], paper["expressions_after_rule2"]) == (5, 3)
assert paper["after_rule4_in_elements"] == 3195
assert paper["search"] == "exhaustive" and paper["proven"] and paper["measured_by"] == "model"
chimera = search(space="chimera", model="chimera-obs2")
assert counts(chimera)[0] == 24 * 4194304 and chimera["expressions_raw"] == 24
# Rules off, one by one and all.
assert counts(search(space="paper", model="mcfuser", rules=234))[1] == 109051904
assert counts(search(space="paper", model="mcfuser", rules=134))[2] == 20971520
assert counts(search(space="paper", model="mcfuser", rules=124))[3] == 12582912
assert counts(search(space="paper", model="mcfuser", rules=123))[4] == 5292
assert counts(search(space="paper", rules="none")) == 5 * [109051904]
# What rule 3 as printed loses is in the report, and a remark where it is much: 208 is 13 times 16.
assert paper["padding"] == "printed" and 0 <= paper["rule3_loss"] < 0.02, paper["rule3_loss"]
assert "rule3_loss" not in search(space="paper", model="mcfuser", padding="least-of-trips")
odd = subprocess.run([sys.executable, generator, "--family=gemm_chains_chimera", "--case=G9"], capture_output=True, text=True, check=True)
for padding, says in (("printed", "padding=auto keeps them"), ("auto", "the least tile of each trip count is kept"), ("least-of-trips", None)):
    done = subprocess.run(
        ["fusion-opt", "-", f"--pass-pipeline=builtin.module({GROUPS},fuse-search-schedules{{chip=sm_80 space=paper model=mcfuser "
         f"padding={padding} report={scratch}.json}})", "--remarks-filter=fuse", "--remark-policy=all", "-o", scratch + ".out"],
        input=odd.stdout, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    remarked = re.findall(r"rule 3 as printed leaves out the best tiles: [^;]*; ([^\"\n]*)", done.stderr)
    assert remarked == ([says] if says else []), done.stderr
    with open(scratch + ".json") as file:
        (group,) = json.load(file)["groups"]
    assert group["padding"] == ("printed" if padding == "printed" else "least-of-trips"), group["padding"]
# MCFuser's model takes the least tile of n; ours does not, and rates that choice worse.
ours = search(space="paper")
assert paper["ranking"][0]["tiles"]["n"] == 16 < ours["ranking"][0]["tiles"]["n"]
assert ours["ranking"][0]["cost"]["total_us"] < paper["ranking"][0]["cost"]["total_us"]
# Every space under every model; ours is the best by our model.
best = search()
assert "raw" not in best and best["space"] == "default"
for space, model in itertools.product(
    ("default", "paper", "chimera"), ("default", "mcfuser", "chimera-printed", "chimera-obs2", "alcop")
):
    group = search(space=space, model=model)
    (first, *rest) = group["ranking"]
    assert (group["space"], group["model"]) == (space, model)
    assert best["ranking"][0]["cost"]["total_us"] <= first["cost"]["total_us"], (space, model)
    # What is ranked besides is looked for later, and says so where it is better than what was not proven to be the best.
    for entry in rest:
        says_so = "faster by the model" in entry["why_not"] and not group["proven"] and model != "default"
        assert first["model_us"] <= entry["model_us"] or says_so, (space, model, entry)
# The evolutionary search finds the same with any number of threads, and another with another seed at most.
for convergence in ("printed", "best-of-all"):
    one, four = (
        search(space="paper", model="mcfuser", search="evolutionary", convergence=convergence, seed=3, threads=threads)
        for threads in (1, 4)
    )
    assert one["ranking"] == four["ranking"] and one["search"] == "evolutionary"
print("as documented")
