# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Whole graphs of memory-intensive operators (Inputs/graphs, which Inputs/graph_programs.py has written): how many kernels they are apart, by XLA's rules, by
# FusionStitching's explorer as printed and by ours, and that small ones compute what the reference and NumPy do.
# RUN: %python %s %t --check --page=%S/../../docs/whole-graphs.md %sample
# RUN: diff %t/table.md %S/../../docs/stitching-graphs-table.md
#
#   stitch-graphs.py FOLDER [--only=NAME] [--chip=NAME] [--check] [--page=FILE] [--plan-only]

import argparse
import json
import os
import subprocess
import sys

INPUTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs")
sys.path.insert(0, INPUTS)
from chain_programs import text
from graph_programs import GRAPHS, program
from random_programs import check_numbers
from sample import some

PIPELINE = "builtin.module(fuse-to-unscheduled-groups{chip=%s stitch=%s plan-report=%s plan-html=%s})"
# The share of the kernels of greedy fusion (FusionStitching, table 2: 38 % on average, 27.8 to 48.4 %). The plan of
# dien_backward has half of them, one more than with the fewest, and moves 12 % fewer bytes for it.
ON_AVERAGE, AT_MOST = 0.40, 0.50


def graph_file(name):
    """The graph at its full sizes."""
    return os.path.join(INPUTS, "graphs", name + ".mlir")


def explore(name, folder, chip, stitch="explorer"):
    """The plans of a graph at its full sizes."""
    path = os.path.join(folder, name if stitch == "explorer" else f"{name}.{stitch}")
    pipeline = PIPELINE % (chip, stitch, path + ".json", path + ".html")
    subprocess.run(["fusion-opt", graph_file(name), f"--pass-pipeline={pipeline}", "-o", path + ".groups.mlir"], check=True)
    with open(path + ".json") as file:
        (function,) = json.load(file)["functions"]
    return function


def execute(name, folder, chip):
    """Runs a graph at its small sizes; what is wrong with it, or None."""
    path = os.path.join(folder, name + ".small")
    small = program(name, is_small=True)
    with open(path + ".mlir", "w") as file:
        file.write(text(small))
    done = subprocess.run(
        ["fusion-run", path + ".mlir", "--chip=" + chip, "--device=emulator", "--sanitize", f"--json={path}.json", "--output-dir=" + path],
        capture_output=True, text=True)  # fmt: skip
    if done.returncode:
        return f"exit code {done.returncode}\n{done.stdout[-1500:]}{done.stderr[-1500:]}"
    return check_numbers(small, path)


def table(found):
    """Of memory-intensive kernels, and the bytes that all kernels move at least."""
    rows = ["| graph | operators | apart | XLA's rules | printed | ours | ours of XLA's | MB apart | MB by XLA's rules | MB ours |",
            "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"]  # fmt: skip
    ratios = []
    for name, function in found.items():
        plans = function["plans"]
        plans["ours"] = function["chosen"]
        kernels = {key: plan["kernels"] for key, plan in plans.items()}
        ratio = kernels["ours"] / kernels["greedy"]
        ratios.append(ratio)
        mb = [f"{plans[key]['all_bytes'] / 1e6:.1f}" for key in ("apart", "greedy", "ours")]
        rows.append(f"| {name} | {len(function['vertices'])} | {kernels['apart']} | {kernels['greedy']} | {kernels['printed']} | "
                    f"{kernels['ours']} | {100 * ratio:.0f} % | {' | '.join(mb)} |")  # fmt: skip
    average = sum(ratios) / len(ratios)
    rows.append(f"| average | | | | | | {100 * average:.0f} % | | | |")
    return rows, ratios, average


# Who scores patterns, and what the explorer's vertices are.
WAYS = [("", "delta"), ("_full", "full"), ("_prefused", "delta, pre-fused"), ("_prefused_full", "full, pre-fused")]


def comparison(found):
    """Kernels and predicted time by the explorer as printed and by ours, by each way of making a plan."""
    columns = [(form, suffix, f"{name}: {way}") for form, name in (("printed", "printed"), ("explorer", "ours")) for suffix, way in WAYS]
    rows = ["| graph | " + " | ".join(name for _, _, name in columns) + " |", "|---|" + "--:|" * len(columns)]
    for name, function in found.items():
        plans = [function["plans"][form + suffix] for form, suffix, _ in columns]
        cells = [f"{plan['kernels']}, {plan['predicted_us']:.0f} us" for plan in plans]
        rows.append(f"| {name} | " + " | ".join(cells) + " |")
    return rows


def by_evaluator(found):
    """For each way to make a plan: (predicted time, kernels), each as how many graphs have less, as much and
    more with the full
    evaluator than with the delta evaluator. Times are those of `comparison`, in whole microseconds."""
    counts = {}
    for form, name in (("printed", "printed"), ("explorer", "ours")):
        for suffix, full, way in (("", "_full", name), ("_prefused", "_prefused_full", name + ", pre-fused")):
            pairs = [(function["plans"][form + full], function["plans"][form + suffix]) for function in found.values()]
            counts[way] = [[sum(sign(x, y) == wanted for x, y in values) for wanted in (-1, 0, 1)]
                           for values in ([(round(a["predicted_us"]), round(b["predicted_us"])) for a, b in pairs],
                                          [(a["kernels"], b["kernels"]) for a, b in pairs])]  # fmt: skip
    return counts


def sign(x, y):
    return (x > y) - (x < y)


def evaluators(counts):
    rows = ["| full against delta | faster | as fast | slower | fewer kernels | as many | more |", "|---|" + "--:|" * 6]
    for way, (times, kernels) in counts.items():
        rows.append(f"| {way} | " + " | ".join(map(str, times + kernels)) + " |")
    return rows


FORWARD = ["dien_forward", "bert_forward", "decoder_pre_norm_forward", "lstm_forward"]


def claims(found, folder, chip):
    """What the page says of the tables, word for word."""
    counts = by_evaluator(found)
    for way, name in (("ours", "single operators"), ("ours, pre-fused", "what XLA's rules fuse first")):
        faster, equal, slower = counts[way][0]
        yield f"on {name} in {faster} of the {len(found)} graphs faster, in {equal} as fast and in {slower} slower"
    for name in FORWARD:
        greedy = explore(name, folder, chip, "greedy")["chosen"]["kernels"]
        ours = found[name]["chosen"]["kernels"]
        yield f"{name}: {ours} {'kernel' if ours == 1 else 'kernels'} against {greedy}"


def missing(page, phrases):
    with open(page) as file:
        words = " ".join(file.read().split())
    return [f"{page} does not say: {phrase}" for phrase in phrases if phrase not in words]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--only")
    parser.add_argument("--chip", default="sm_80")
    parser.add_argument("--check", action="store_true", help="the numbers of kernels, and execution at small sizes")
    parser.add_argument("--page", help="the page that has to say what `claims` does; all graphs only")
    parser.add_argument("--plan-only", action="store_true", help="execute nothing")
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    names = [name for name in GRAPHS if arguments.only in (None, name)]
    found = {name: explore(name, arguments.folder, arguments.chip) for name in names}
    rows, ratios, average = table(found)
    rows += ["", *comparison(found), "", *evaluators(by_evaluator(found))]
    with open(os.path.join(arguments.folder, "table.md"), "w") as file:
        file.write("\n".join(rows) + "\n")
    print("\n".join(rows))
    broken = missing(arguments.page, claims(found, arguments.folder, arguments.chip)) if arguments.page else []
    for name in names:
        with open(graph_file(name)) as file:
            if file.read() != text(program(name)):
                broken.append(f"{graph_file(name)} is not what graph_programs.py writes: run it with {os.path.dirname(graph_file(name))}")
    written = {entry.removesuffix(".mlir") for entry in os.listdir(os.path.join(INPUTS, "graphs"))}
    if written != set(GRAPHS):
        broken.append(f"files of graphs {sorted(written)}, graphs {sorted(GRAPHS)}")
    if arguments.check:
        broken += [f"{name}: {100 * ratio:.0f} % of greedy fusion's kernels" for name, ratio in zip(names, ratios) if ratio > AT_MOST]
        if average > ON_AVERAGE:
            broken.append(f"on average {100 * average:.1f} % of greedy fusion's kernels")
    for name in [] if arguments.plan_only else some(names, 4):
        wrong = execute(name, arguments.folder, arguments.chip)
        if wrong:
            broken.append(f"{name} at small sizes: {wrong}")
    for line in broken:
        print(line)
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()
