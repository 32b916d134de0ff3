# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs patterns of memory-intensive operators, and checks what stitching promises of each."""

import json
import os
import re
import subprocess
import sys

from stitch_programs import PATTERNS, program

ELEMENT_BYTES = {"f32": 4, "f16": 2, "bf16": 2}
# What blocks have room for, in KiB: shared memory and three quarters of the registers, the others being the registers
# that threads work with. On sm_90a eight blocks are a cluster.
OF_REGISTERS = 192
ROOM = {"sm_80": 163 + OF_REGISTERS, "sm_86": 99 + OF_REGISTERS, "sm_90a": 8 * (227 + OF_REGISTERS)}
# Whose stores are of several rows' elements: of fewer than 8 bytes they keep the L2 longer than reading again does the memory.
TRANSPOSED, TURNED_BYTES = ("transpose_of_normalised",), 8
# Cases with more than one element in a column: numbers of tensors with rows, and of sums over rows, of f32.
IN_COLUMN = {"bias_dropout_residual_layer_norm": (2, 0), "layer_norm_backward": (2, 2)}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def cut_rows(rows, cols, most):
    """Rows that the emulator has time for: blocks are alike, so that a few show what all do."""
    return max(3, min(rows, most // cols))


def may_read_again(pattern, cols, type, chip):
    """Whether a block has no room for a row and what is added up beside it, or for the rows of a tile that is turned."""
    rows, sums = IN_COLUMN.get(pattern, (TURNED_BYTES // ELEMENT_BYTES[type] if pattern in TRANSPOSED else 1, 0))
    return cols * (rows * ELEMENT_BYTES[type] + sums * ELEMENT_BYTES["f32"]) > ROOM[chip] * 1024


def traffic(remarks):
    """Bytes by the `traffic` remark; None in the generic form."""
    numbers = re.search(r"(\d+) bytes are loaded, of them (\d+) of operands that are repeated, and (\d+) stored; (\d+) bytes are "
                        r"compulsory; memory moves (\d+), (.*)", remarks)  # fmt: skip
    if not numbers:
        return None
    # Parts of reductions that blocks share are no operands; their bytes grow with the blocks, not with the rows.
    parts = re.search(r"by way of (\d+) bytes", numbers.group(6))
    return dict(zip(("loaded", "repeated", "stored", "compulsory", "moved"), map(int, numbers.groups()[:5]))) | {
        "again": "read again" in numbers.group(6), "parts": int(parts.group(1)) if parts else 0}  # fmt: skip


def most_moved(bytes):
    """The ratio to the compulsory bytes; rows that no block has room for are read twice."""
    return 2 if bytes["again"] else 1.02


def judge_bytes(bytes, pattern, cols, type, chip):
    """Complaints about those of `traffic`."""
    if bytes["again"] and not may_read_again(pattern, cols, type, chip):
        return ["rows are read again that a block has room for"]
    # Bytes by the counters of operands, and by the evaluator's DRAM traffic of all tensors, with the partial results of
    # split reductions.
    moved = {"of operands": bytes["loaded"] - bytes["repeated"] + bytes["stored"] - bytes["parts"], "of DRAM": bytes["moved"]}
    return [f"{count} bytes {what} for {bytes['compulsory']} compulsory ones" for what, count in moved.items()
            if count > most_moved(bytes) * bytes["compulsory"]]  # fmt: skip


def check(folder, pattern, rows, cols, type, chip="sm_80", options=("--sanitize",), write=program):
    """Returns what was counted; a list of complaints is empty where all is as promised. `write` says how the pattern is written."""
    name = os.path.join(folder, f"{pattern}-{rows}x{cols}-{type}-{chip}")
    with open(name + ".mlir", "w") as file:
        file.write(write(pattern, rows, cols, type))
    if type == "f16" and cols >= 16384:
        # Probabilities of so long a row are subnormal numbers of f16: half their distance, which no relative error covers.
        options = [*options, "--tolerance=f16:1.2e-7,0.002"] if "softmax" == pattern else options
    status, output = run("fusion-run", name + ".mlir", f"--chip={chip}", "--device=emulator", "--force-fusion",
                         "--json=" + name + ".json", *options)  # fmt: skip
    complaints = []
    if status:
        complaints.append(f"fusion-run ends with {status}: {output.strip().splitlines()[-1] if output.strip() else ''}")
    if not os.path.exists(name + ".json"):
        return {"complaints": complaints}
    with open(name + ".json") as file:
        (report,) = json.load(file)
    kernels = report["kernels"]
    if len(kernels) != 1:
        complaints.append(f"{len(kernels)} kernels")
    facts = {"kernels": len(kernels), "error": report["max_abs_error"]}
    if len(kernels) == 1 and kernels[0]["counters"]:
        counters, predicted = kernels[0]["counters"], kernels[0]["predicted"]
        _, remarks = run("fusion-opt", name + ".mlir", f"--fuse-to-groups=chip={chip} force-fusion=true", "--remarks-filter=stitch",
                         "-o", os.devnull)  # fmt: skip
        bytes = traffic(remarks)
        if not bytes:
            complaints.append("generic form: " + "".join(re.findall(r"generic form: ([^\n\"]*)", remarks)))
        else:
            facts |= bytes
            complaints += judge_bytes(bytes, pattern, cols, type, chip)
            if counters.get("dram_bytes") and counters["dram_bytes"] > most_moved(bytes) * bytes["compulsory"]:
                complaints.append(f"{counters['dram_bytes']} bytes of DRAM for {bytes['compulsory']} compulsory ones")
            for key in ("global_load_bytes", "global_store_bytes"):
                if counters[key] != predicted[key]:
                    complaints.append(f"{key} are {counters[key]}, predicted {predicted[key]}")
        if kernels[0]["dynamic_shared_memory"] != predicted["shared_memory"]:
            complaints.append(f"shared memory: predicted {predicted['shared_memory']}, "
                              f"launched with {kernels[0]['dynamic_shared_memory']}")  # fmt: skip
        if counters["shared_bank_conflicts"]:
            complaints.append(f"{counters['shared_bank_conflicts']} bank conflicts")
        facts |= {key: counters.get(key) for key in ("global_sectors", "dram_bytes", "instructions")}
    return facts | {"complaints": complaints}


def plan(folder, pattern, rows, cols, type, chip):
    """The complaints about the plan at these very rows and columns; nothing is run."""
    name = os.path.join(folder, f"{pattern}-{rows}x{cols}-{type}-{chip}-plan.mlir")
    with open(name, "w") as file:
        file.write(program(pattern, rows, cols, type))
    status, output = run("fusion-opt", name, f"--fuse-to-groups=chip={chip} force-fusion=true", "--remarks-filter=stitch")
    if status:
        return [f"fusion-opt ends with {status}: {output.strip()}"]
    groups = re.findall(r"= fuse\.(\w+) ins\(", output)
    if groups != ["stitch"]:
        return [f"planned as {groups or 'no group'}"]
    bytes = traffic(output)
    return judge_bytes(bytes, pattern, cols, type, chip) if bytes else ["in the generic form"]


def plan_all(folder, cases):
    """`cases`: (pattern, rows, cols, type, chip). Ends the test with all complaints."""
    os.makedirs(folder, exist_ok=True)
    failures = [f"{' '.join(map(str, case))}: {complaint}" for case in cases for complaint in plan(folder, *case)]
    if failures:
        sys.exit("\n".join(failures))


def check_all(folder, cases, verbose=False, write=program, options=("--sanitize",)):
    """`cases`: (pattern, rows, cols, type, chip). Ends the test with all complaints."""
    os.makedirs(folder, exist_ok=True)
    failures = []
    for case in cases:
        facts = check(folder, *case, options=options, write=write)
        if verbose:
            print(*case, facts, flush=True)
        failures += [f"{' '.join(map(str, case))}: {complaint}" for complaint in facts["complaints"]]
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    names = sys.argv[3].split(",") if len(sys.argv) > 3 else PATTERNS
    rows, cols, type = sys.argv[2].split("x")
    os.makedirs(sys.argv[1], exist_ok=True)
    for each in names:
        result = check(sys.argv[1], each, int(rows), int(cols), type)
        print(each, "OK" if not result["complaints"] else result["complaints"], {k: v for k, v in result.items() if k != "complaints"}, flush=True)
