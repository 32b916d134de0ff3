# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The first phase of both calls: which device this is, what it holds at once, how fast it copies."""

import json
import pathlib
import sys

import record

from . import children
from .phases import Phase, Unit

FACTS = pathlib.Path(__file__).with_name("device_facts.py")


def facts(context, limit):
    """The driver's facts, as far as the child came."""
    ended = children.run([sys.executable, FACTS, *context.driver], limit)
    found = {}
    for line in ended.out.splitlines():
        if line.startswith("{"):
            found.update(json.loads(line))
    outcome, message = children.outcome(ended)
    if outcome == children.WRONG:
        outcome = children.CRASHED
    context.journal.note(**found)
    return {
        "outcome": outcome,
        "message": message,
        "facts": found,
        "line": line_of(found) or message,
        "seconds": ended.seconds,
    }


def line_of(found):
    parts = []
    if "name" in found:
        parts.append(f"{found['name']}, {found['multiprocessors']} SMs")
    if "active_clusters" in found:
        parts.append(
            "active clusters " + ", ".join(f"{size}: {count}" for size, count in found["active_clusters"].items())
        )
    if "copy_gbs" in found:
        parts.append(f"copies {found['copy_gbs']:.0f} GB/s")
    return "; ".join(parts)


def smi(context, limit):
    """What nvidia-smi says; the whole text goes into the archive."""
    gpu = record.gpu()
    try:
        ended = children.run(["nvidia-smi", "-q", "-i", "0"], limit)
        context.journal.attach("nvidia-smi.txt", ended.out.encode())
    except OSError:
        pass
    chip = record.chip_of(gpu["compute_cap"], gpu["name"]) if gpu else None
    context.journal.note(gpu=gpu, chip=chip)
    if not gpu:
        return {"outcome": children.CRASHED, "message": "no nvidia-smi, or no GPU"}
    text = f"{gpu['name']} ({chip}), driver {gpu['driver_version']}, {gpu['memory.total']}, {gpu['power.limit']}"
    return {"outcome": children.PASS, "message": "", "line": text}


def phase(context):
    if context.is_rehearsal:
        return Phase("device", [])
    # A new call may be on another machine: facts are read again and cost little, unless reading them hung.
    for name, unit in list(context.journal.units("device").items()):
        if unit["outcome"] not in children.NEVER_AGAIN:
            context.journal.units("device").pop(name)
    return Phase(
        "device",
        [
            Unit("nvidia-smi", lambda limit: smi(context, limit), estimate=1, limit=15),
            Unit("driver", lambda limit: facts(context, limit), needs=("driver",), estimate=2, limit=19),
        ],
    )
