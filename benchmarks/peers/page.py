# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page docs/measurements/peers.md from the numbers of `run`."""

import fnmatch
import importlib.metadata
import pathlib
import re
import subprocess

import tables
from rows import CHIPS

HERE = pathlib.Path(__file__).resolve().parent
WORDS = {
    "launches": "launches", "time": "predicted time", "slots": "issue slots", "busiest": "issue slots of the busiest scheduler",
    "bytes": "bytes of global memory", "sectors": "sectors", "wavefronts": "wavefronts", "conflicts": "bank conflicts",
    "barriers": "barriers", "flops": "MMA flops", "spills": "spilled bytes", "hot_loop": "instructions of the hot loop",
}  # fmt: skip

# What is known of findings.
EXPLAINED = {
    ("triton", "missing-proxy-fence"): "Triton puts no fence between the initialization of an mbarrier and the copies "
    "that complete there, which the PTX ISA asks for",
    ("triton", "redundant-write"): "threads that hold the same value of a reduction store it side by side",
    ("triton", "shared-race"): "threads that hold the same sum store it side by side, and its last bits differ: one "
    "thread's addition is fused with its own multiplication",
    ("triton", "bad-setmaxnreg"): "specialized warps execute it twice without a barrier between",
    ("triton", "async-overwrite"): "two partitions of specialized warps compute and store the same tile",
}


def versions(binaries, ptxas, nvdisasm):
    """{program: version} of what a run uses."""
    import assembly

    tools = assembly.find_tools(ptxas, nvdisasm)
    found = {"Fusion": _said([str(binaries / "fusion-emulate"), "--version"], r"(\d+\.\d+\.\d+)")}
    found["ptxas"] = _said([tools.ptxas, "--version"], r"V([\d.]+)")
    found["nvdisasm"] = _said([tools.nvdisasm, "--version"], r"V([\d.]+)")
    for package in ("torch", "triton"):
        found[package] = importlib.metadata.version(package)
    return found


def _said(command, pattern):
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.search(pattern, text)
    return found.group(found.re.groups) if found else "unknown"


def text(found):
    runs = found["runs"]
    chosen = tables.pairs(runs)
    template = (HERE / "page.md").read_text()
    parts = {
        "versions": ", ".join(f"{name} {version}" for name, version in found["versions"].items()),
        "agreement": _agreement(runs),
        "summary": "\n".join(_summary(chosen)),
        "tables": "\n".join(_tables(chosen)),
        "higher": "\n".join(_higher(chosen)),
        "findings": "\n".join(_findings(runs, found["blocks"])),
        "failures": "\n".join(_failures(runs, found["blocks"])),
        "blocks": "\n".join(tables.blocks_table(found["blocks"])),
    }
    for name, value in parts.items():
        template = template.replace(f"{{{{{name}}}}}", value)
    return template


def _of_chip(chosen, chip):
    return [pair for pair in chosen if pair.ours["chip"] == chip]


def _summary(chosen):
    yield "| chip | ratio of | computations | losses | geometric mean | held out: computations, losses, mean |"
    yield "|---|---|---:|---:|---:|---|"
    for chip in CHIPS:
        of_chip = _of_chip(chosen, chip)
        for name, read in (("slots", lambda pair: pair.ratio), ("times", lambda pair: pair.time_ratio)):
            if of_chip:
                tuned = tables.summary([read(pair) for pair in of_chip if not pair.ours["held_out"]])
                held = tables.summary([read(pair) for pair in of_chip if pair.ours["held_out"]])
                yield "| " + " | ".join([chip, name, *map(_number, tuned), ", ".join(map(_number, held))]) + " |"


def _agreement(runs):
    """How far MMA flops by executed SASS instructions are at most from the emulator's."""
    most = 0.0
    for run in runs:
        m = run["measurement"]
        if m and m["counters"] and m["counters"]["mma_flops"] and "sass_flops" in m:
            most = max(most, abs(m["sass_flops"] / m["counters"]["mma_flops"] - 1))
    return "exactly" if most == 0 else f"within {100 * most:.1g} %"


def _number(value):
    return "" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)


def _tables(chosen):
    for chip in CHIPS:
        of_chip = _of_chip(chosen, chip)
        if of_chip:
            yield from ["", f"### {chip}", "", *tables.comparison_table(of_chip)]


def _higher(chosen):
    """What is above Triton's, with the first explanation of explanations.md that matches."""
    notes = _notes()
    yield "| computation | chip | above Triton's | why |"
    yield "|---|---|---|---|"
    for pair in chosen:
        if higher := pair.higher():
            run = pair.ours
            words = ", ".join(WORDS[key] for key in higher)
            why = next((text for pattern, chip, text in notes if chip in (run["chip"], "both")
                        and fnmatch.fnmatch(f"{run['family']} {run['name']}", pattern)), "")  # fmt: skip
            title = f"{run['family'].replace('_', ' ')} {run['name']} {run['dtype']}"
            yield f"| {title} | {run['chip']} | {words} | {why} |"


def _notes():
    """[(pattern of a family and a name, chip or "both", text)] of explanations.md."""
    lines = (HERE / "explanations.md").read_text().splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return cells[1:]


def _findings(runs, blocks):
    """A line per kind of finding."""
    seen = {}
    for run in (*runs, *blocks):
        name = f"{run.get('family', 'block')} {run['name']} {run['dtype']} on {run['chip']}"
        for finding in run["findings"] or []:
            seen.setdefault((run["side"], finding["kind"]), []).append((name, finding["message"]))
    if not seen:
        yield "There are none."
        return
    yield "| by | kind | where | why | for example |"
    yield "|---|---|---|---|---|"
    for (side, kind), where in seen.items():
        names = "; ".join(sorted({name for name, _ in where}))
        yield f"| {side.capitalize()} | `{kind}` | {names} | {EXPLAINED.get((side, kind), '')} | {where[0][1]} |"


def _failures(runs, blocks):
    """A line per reason."""
    groups = {}
    for run in (*runs, *blocks):
        if run["status"] != "right":
            reason = re.sub(r"\d{3,}", "…", (run["message"].splitlines() or [""])[0][:160])
            name = f"{run.get('family', 'block')} {run['name']} on {run['chip']}"
            groups.setdefault((run["side"], run["status"], reason), []).append(name)
    if not groups:
        yield "All ran, and all results are right."
        return
    yield "| by | result | runs | where | message |"
    yield "|---|---|---:|---|---|"
    for (side, status, reason), names in groups.items():
        yield f"| {side.capitalize()} | {status} | {len(names)} | {'; '.join(sorted(set(names)))} | `{reason}` |"
