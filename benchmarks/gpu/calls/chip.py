# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The last phase of the second call: the numbers of the chip table that have no source."""

import json

import chip_table

from . import children
from .phases import Phase, Unit


def measure(context, path, limit):
    ended = children.run([path], limit)
    numbers = {}
    for line in ended.out.splitlines():
        if line.startswith("{"):
            number = json.loads(line)
            numbers[number["name"]] = {"value": number["value"], "unit": number["unit"]}
    outcome, message = children.outcome(ended)
    return {
        "outcome": outcome,
        "message": message,
        "numbers": numbers,
        "line": f"{len(numbers)} numbers",
        "seconds": ended.seconds,
    }


def phase(context):
    folders = (
        context.units / "fusion-portable" / "benchmarks" / "gpu" / "microbenchmarks" / "bin",
        chip_table.BINARIES,
    )
    folder = next((folder for folder in folders if folder.is_dir()), None)
    if context.is_rehearsal:
        return Phase("chip", [])
    if folder is None:
        context.log("chip: left out, the microbenchmarks are not built")
        return Phase("chip", [])
    # What belongs to Hopper alone has no source elsewhere.
    order = sorted(chip_table.PROGRAMS, key=lambda program: program not in chip_table.HOPPER_ALONE)
    return Phase(
        "chip",
        [
            Unit(
                program, lambda limit, program=program: measure(context, folder / program, limit), estimate=4, limit=30
            )
            for program in order
            if (folder / program).exists()
        ],
    )
