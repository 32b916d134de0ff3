# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""summary.md: what is wrong first, then the figures, for people."""

import math

import script_modules

from . import children
from .drawn import MOST_DIFFERENCE
from .journal import LEFT
from .timings import PHASES

BAD = (children.WRONG, children.TRAPPED, children.HUNG, children.CRASHED)
ORDER = (*BAD, children.SKIPPED, LEFT, "started", children.PASS)
# GB/s that a copy reads and writes on the chips that are told apart by it.
EXPECTED_COPY_GBS = {"sm_90a": 3000, "h200": 4300}
TIMINGS = [name for name in PHASES if name != "drawn"]


def correlation(xs, ys):
    """Spearman's (benchmarks/gpu/pipelining)."""
    return script_modules.load("pipelining").correlation(xs, ys)


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def table(head, rows, right=()):
    """Lines of a table; right: columns that are numbers."""
    lines = [
        "| " + " | ".join(head) + " |",
        "|" + "|".join("---:" if i in right else "---" for i in range(len(head))) + "|",
    ]
    return lines + ["| " + " | ".join(cell(one) for one in row) + " |" for row in rows]


def machine(calls):
    lines = []
    for data in calls:
        known = data["machine"]
        gpu = known.get("gpu") or {}
        name = gpu.get("name") or known.get("name") or known.get("device") or "no GPU"
        parts = [name]
        if known.get("chip"):
            parts.append(f"compiled for {known['chip']}")
        if gpu.get("driver_version"):
            parts.append(f"driver {gpu['driver_version']}")
        if known.get("multiprocessors"):
            parts.append(f"{known['multiprocessors']} SMs")
        if known.get("active_clusters"):
            parts.append(
                "active clusters "
                + ", ".join(f"of {size}: {count}" for size, count in known["active_clusters"].items())
            )
        if known.get("copy_gbs"):
            expected = EXPECTED_COPY_GBS.get(known.get("chip"))
            parts.append(f"copies {known['copy_gbs']:.0f} GB/s" + (f" (about {expected} expected)" if expected else ""))
        if known.get("torch"):
            parts.append(f"PyTorch {known['torch']}, Triton {known.get('triton')}")
        seconds = ", ".join(f"{run['seconds']:.0f}" for run in data["runs"])
        lines.append(f"* Call {data['call']}: {'; '.join(parts)}; seconds {seconds}.")
    return lines


def counts(calls):
    rows = []
    for data in calls:
        for phase, units in data["phases"].items():
            outcomes = [unit["outcome"] for unit in units.values()]
            rows.append([data["call"], phase, *(outcomes.count(outcome) or "" for outcome in ORDER)])
    return table(["call", "phase", *ORDER], rows, right=range(2, 2 + len(ORDER))) if rows else []


def bad(calls):
    rows = [
        (ORDER.index(unit["outcome"]), data["call"], phase, name, unit)
        for data in calls
        for phase, units in data["phases"].items()
        for name, unit in units.items()
        if unit["outcome"] in BAD or unit["outcome"] == "started"
    ]
    rows.sort(key=lambda row: row[:4])
    lines = [
        [unit["outcome"], f"{call} {phase}", name, unit["kind"], unit.get("message", "")]
        for _, call, phase, name, unit in rows
    ]
    return table(["outcome", "call, phase", "unit", "kind", "message"], lines) if lines else ["Nothing that was tried."]


def remaining(calls):
    """What was skipped for others of its kind, and what had no time."""
    lines = []
    for data in calls:
        for phase, units in data["phases"].items():
            left = [name for name, unit in units.items() if unit["outcome"] == LEFT]
            if left:
                lines.append(f"* Call {data['call']}, {phase}, no time for {len(left)}: {', '.join(left)}.")
            for name, unit in units.items():
                if unit["outcome"] == children.SKIPPED and unit.get("verdict") != "left out":
                    lines.append(f"* Call {data['call']}, {phase}, skipped: {name}, since {unit.get('message')}.")
    return lines or ["Nothing."]


def features(data):
    """A line for each feature; bits: whether GPU and emulator agree."""
    rows = []
    for name, unit in data["phases"].get("features", {}).items():
        error = unit.get("max_abs_error")
        rows.append(
            [
                unit["kind"],
                name,
                unit["outcome"],
                "" if error is None else f"{error:.2g}",
                unit.get("bits", ""),
                unit.get("feature", ""),
            ]
        )
    return (
        table(["kind", "case", "outcome", "error", "bits", "what it is"], rows, right=(3,)) if rows else ["Not tried."]
    )


def corpus(data):
    rows = [
        [
            name,
            unit["outcome"],
            unit.get("verdict", ""),
            f"{unit['differ']} of {unit['total']}" if "total" in unit else "",
            unit.get("message", ""),
        ]
        for name, unit in data["phases"].get("corpus", {}).items()
        if unit.get("verdict") not in ("equal", "left out")
    ]
    equal = sum(unit.get("verdict") == "equal" for unit in data["phases"].get("corpus", {}).values())
    lines = [f"{equal} kernels give the emulator's bits."]
    return lines + (["", *table(["kernel", "outcome", "verdict", "bytes that differ", "remark"], rows)] if rows else [])


def workloads(data):
    """{workload: {"ours": {variant: unit}, "peers": {name: answer}}}."""
    found = {}
    for phase in TIMINGS:
        for name, unit in data["phases"].get(phase, {}).items():
            key, _, variant = name.rpartition(" ")
            one = found.setdefault(key, {"ours": {}, "peers": {}})
            if variant == "peers":
                one["peers"] = unit.get("peers", {})
            else:
                one["ours"][variant] = unit
    return found


def us_of(unit):
    """Microseconds of a unit whose results are right or at least not known to be wrong."""
    return unit.get("us") if unit["outcome"] == children.PASS else None


def rate_of(unit):
    """Operations or bytes in the measured time: of a stitched group, which has no count of operations, its bytes."""
    us = us_of(unit)
    if us and unit.get("flops"):
        return f"{unit['flops'] / us * 1e-6:.0f} TFLOP/s"
    return f"{unit['bytes'] / us * 1e-3:.0f} GB/s" if us and unit.get("bytes") else ""


def launches_of(unit):
    """Blocks of each launch, and blocks of a cluster where there are several."""
    parts = []
    for kernel in unit.get("kernels") or ():
        if kernel.get("grid"):
            blocks, cluster = math.prod(kernel["grid"]), math.prod(kernel.get("cluster") or [1])
            parts.append(f"{blocks}" + (f" by {cluster}" if cluster > 1 else ""))
    return ", ".join(parts)


def row_of(key, variant, unit, peers):
    us, predicted = us_of(unit), unit.get("predicted_us")
    ours = f"{us:.2f}" if us else "-" if unit["outcome"] == children.PASS else unit["outcome"]
    order = sorted(peers, key=peers.get)
    return [
        key,
        variant,
        ours,
        ", ".join(f"{name} {peers[name]:.2f}" for name in order) if variant == "chosen" else "",
        f"{peers[order[0]] / us:.2f}" if us and order else "",
        f"{predicted:.2f}" if predicted else "",
        f"{us / predicted:.2f}" if us and predicted else "",
        rate_of(unit),
        launches_of(unit),
        "unchecked" if unit["outcome"] == children.PASS and not unit.get("checked") else "",
    ]


TIMING_COLUMNS = (
    "workload",
    "variant",
    "ours, us",
    "peers, us",
    "best peer / ours",
    "predicted, us",
    "measured / predicted",
    "rate",
    "blocks, by clusters",
    "check",
)


def timings(data):
    rows = []
    for key, one in workloads(data).items():
        peers = {name: answer["us"] for name, answer in one["peers"].items() if answer.get("us")}
        rows += [row_of(key, variant, unit, peers) for variant, unit in one["ours"].items()]
    return table(TIMING_COLUMNS, rows, right=(2, 4, 5, 6, 7)) if rows else ["Nothing was timed."]


def rank_correlation(pairs):
    """Of (predicted, measured), as a cell."""
    found = correlation(*zip(*pairs)) if len(pairs) > 1 else None
    return "-" if found is None else f"{found:.2f}"


def prediction_of(unit):
    """(predicted, measured) microseconds of a unit that has both, else None."""
    us = us_of(unit)
    return (unit["predicted_us"], us) if us and unit.get("predicted_us") else None


def ranks(data):
    """How the prediction ranks what was measured: schedules of one workload, workloads of a family, and all."""
    lines, of_family = [], {}
    for key, one in workloads(data).items():
        chosen = prediction_of(one["ours"].get("chosen", {"outcome": LEFT}))
        ranked = [unit for variant, unit in one["ours"].items() if variant.startswith("rank")]
        of_schedules = [pair for pair in map(prediction_of, ranked) if pair]
        if chosen:
            of_family.setdefault(key.partition(":")[0], []).append(chosen)
            of_schedules.insert(0, chosen)
        if chosen and len(of_schedules) > 1:
            best = min(us for _, us in of_schedules)
            lines.append([key, len(of_schedules), rank_correlation(of_schedules), f"{best / chosen[1]:.2f}"])
    pairs = [pair for found in of_family.values() for pair in found]
    for name, found in [*of_family.items(), ("all workloads", pairs)]:
        if len(found) > 1:
            lines.append([f"{name}, chosen", len(found), rank_correlation(found), ""])
    head = ["of", "measured", "rank correlation of prediction and time", "fastest / chosen"]
    return table(head, lines, right=(1, 2, 3)) if lines else ["Too little was timed."]


def drawn_rows(name, functions):
    """A row for each model that predicts the schedules of one workload. Wrong results have no rank."""
    timed = {
        key: one for key, one in functions.items() if one["us"] and (one["difference"] or 0.0) <= MOST_DIFFERENCE
    }
    if not timed:
        return
    best, chosen = min(timed, key=lambda key: timed[key]["us"]), timed.get("chosen")
    fastest = [f"{timed[best]['us']:.2f} ({best})"]
    fastest += [f"{chosen['us']:.2f}", f"{timed[best]['us'] / chosen['us']:.2f}"] if chosen else ["", ""]
    for model in sorted({model for one in timed.values() for model in one["predicted"]}):
        pairs = [(one["predicted"][model], one["us"]) for one in timed.values() if model in one["predicted"]]
        errors = sorted(abs(predicted / us - 1) for predicted, us in pairs)
        yield [name, model, len(pairs), rank_correlation(pairs), f"{errors[len(errors) // 2]:.0%}", *fastest]


def drawn(data):
    """How each model ranks many schedules of one workload, by the clock."""
    units = data["phases"].get("drawn", {})
    rows = [row for name, unit in units.items() for row in drawn_rows(name, unit.get("functions", {}))]
    head = ["of", "model", "measured", "rank correlation", "median error"]
    head += ["fastest, us", "chosen, us", "fastest / chosen"]
    return table(head, rows, right=range(2, 8)) if rows else ["Nothing was timed."]


def summary(calls):
    """The text for calls in their order, each as its journal has it."""
    by_call = {data["call"]: data for data in calls}
    packages = {data["package"][:12] for data in calls}
    parts = [
        "# Two calls on a GPU",
        "",
        f"Package {', '.join(sorted(packages))}.",
        "",
        *machine(calls),
        "",
        *counts(calls),
    ]
    parts += ["", "## What is wrong", "", *bad(calls), "", "## What was not tried", "", *remaining(calls)]
    if 2 in by_call:
        parts += ["", "## Timings", "", *timings(by_call[2]), "", "### Prediction", "", *ranks(by_call[2])]
        parts += ["", "### Many schedules", "", *drawn(by_call[2])]
        numbers = {
            name: number
            for unit in by_call[2]["phases"].get("chip", {}).values()
            for name, number in unit.get("numbers", {}).items()
        }
        if numbers:
            rows = [[name, f"{one['value']:.6g}", one["unit"]] for name, one in numbers.items()]
            parts += ["", "## Numbers of the chip", "", *table(["what", "value", "unit"], rows, right=(1,))]
    if 1 in by_call:
        parts += ["", "## Features", "", *features(by_call[1]), "", "## The emulator's corpus", "", *corpus(by_call[1])]
    return "\n".join([*parts, ""])
