# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What force-fusion decides against the cost is said to be forced, in remarks and in the plan, with what the cost says; what the cost
# wants is not. A plan of chains alone counts them.
# RUN: %python %s %t %source_root

import json
import os
import re
import subprocess
import sys

folder, root = sys.argv[1], sys.argv[2]
os.makedirs(folder, exist_ok=True)
GENERATOR = os.path.join(root, "benchmarks", "workloads", "generate.py")


def form(name, *arguments, options=""):
    """The remarks of forming groups, the plan's function, its page and the module."""
    path = os.path.join(folder, name)
    subprocess.run([sys.executable, GENERATOR, *arguments, "-o", path + ".mlir"], check=True)
    pipeline = f"builtin.module(fuse-to-groups{{chip=sm_80 plan-report={path}.json plan-html={path}.html{options}}})"
    done = subprocess.run(["fusion-opt", path + ".mlir", f"--pass-pipeline={pipeline}", "--remarks-filter=.*"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with open(path + ".json") as file:
        (function,) = json.load(file)["functions"]
    with open(path + ".html") as file:
        return done.stderr, function, file.read(), done.stdout


def microseconds(pattern, remarks):
    (found,) = re.findall(pattern, remarks)
    return [float(number) for number in ([found] if isinstance(found, str) else found)]


def schedules(remarks):
    """What the searches behind the partition predict, by kernel."""
    return [float(us) for us in re.findall(r"\[Analysis\] schedule .*?predicted ([\d.]+) us", remarks)]


def close(a, b):
    return abs(a - b) < 0.02


# Two kernels would take less than one, and less than three: the first contraction has much to compute.
CHAIN = ["--chain=1024,1024,512,32,32", "--2d"]
remarks, function, page, module = form("forced", *CHAIN, options=" force-fusion=true")
together, separate, cut = microseconds(
    r'fused 3 contractions into one kernel: predicted ([\d.]+) us against ([\d.]+) us separately \(forced: divided into 2 kernels they are '
    r'predicted ([\d.]+) us\)"', remarks)  # fmt: skip
assert cut < min(together, separate), (together, separate, cut)
(chain,) = function["chains"]
assert chain["forced"] and chain["products"] == 3 and close(chain["predicted_us"], together) and close(chain["apart_us"], separate), chain
(kernel,) = (kernel for kernel in function["kernels"] if kernel["predicted_us"])
assert kernel["forced"] and kernel["predicted_us"] == chain["predicted_us"], function["kernels"]
# The module consists of that chain.
assert module.count("fuse.chain") == 1 and "fuse.stitch" not in module
assert function["chosen"]["kernels"] == 0 and function["total"]["kernels"] == 1 and function["total"]["without_prediction"] == 0, function["total"]
assert function["total"]["predicted_us"] == chain["predicted_us"] and [together] == schedules(remarks), (function["total"], remarks)
assert "f.total.kernels" in page and "f.chains.map" in page and "if (f.chosen.kernels)" in page

remarks, function, _, module = form("free", *CHAIN)
assert "(forced" not in remarks, remarks
assert module.count("fuse.chain") == 2 and function["total"]["kernels"] == 2, function["total"]
assert close(function["total"]["predicted_us"], cut) and close(sum(schedules(remarks)), cut), (function["total"], remarks)
assert not any(chain["forced"] for chain in function["chains"]) and not any(kernel["forced"] for kernel in function["kernels"])

# One kernel is forced on two contractions that are faster as two, and is the cheaper one of others.
remarks, function, _, _ = form("large", "--chain=2048,2048,2048,2048", options=" force-fusion=true")
together, separate = microseconds(r'predicted ([\d.]+) us against ([\d.]+) us separately \(forced\)"', remarks)
assert together > separate and function["chains"][0]["forced"]
remarks, function, _, _ = form("small", "--chain=64,48,80,32", options=" force-fusion=true")
assert re.search(r'predicted [\d.]+ us against [\d.]+ us separately"', remarks) and not function["chains"][0]["forced"]
