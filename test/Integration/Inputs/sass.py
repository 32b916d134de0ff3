# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ptxas makes of PTX, as nvdisasm lists it."""

import re
import sys

from hand_schedule import run


def assemble(ptxas, nvdisasm, chip, path):
    """The listing of PATH.ptx, which spills nothing."""
    report = run(sys.executable, "-c", "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:], stderr=1))",
                 ptxas, "-v", "-arch=" + chip, path + ".ptx", "-o", path + ".cubin")  # fmt: skip
    assert "0 bytes spill stores, 0 bytes spill loads" in report and "C75" not in report, report
    return run(nvdisasm, "-c", path + ".cubin")


def loops(listing):
    """The instructions of every loop of a disassembly, innermost ones before those around them."""
    labels, instructions = {}, []
    for line in listing.splitlines():
        if label := re.match(r"^(\.L_x_\d+):", line):
            labels[label.group(1)] = len(instructions)
        elif text := re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;", line):
            instructions.append(text.group(1))
    for end, text in enumerate(instructions):
        branch = re.search(r"BRA.*`\((\.L_x_\d+)\)", text)
        if branch and labels[branch.group(1)] <= end:
            yield instructions[labels[branch.group(1)] : end + 1]


def opcodes(instructions):
    """Their names, without predicates and suffixes."""
    return [re.sub(r"^@!?U?PT?\d*\s+", "", text).split()[0].split(".")[0] for text in instructions]
