# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Patterns of stitch_patterns.json for sm_90a on few of their rows: under the schedule that is chosen for all of them,
# and with one to three stages, copied by threads, by TMA and by a producer warp, in clusters of one to four blocks, in
# blocks with a serial loop over rows. Right under eight orders of the warps, silent under the sanitizers, without bank
# conflicts, the bytes and the shared memory that were predicted, the same bits whatever the stages. What is illegal has
# one of the expected reasons, and each kind is legal somewhere.
# RUN: %python %s %t --few %sample
#
#   hopper-stitching.py FOLDER [--few] [--types=f16,...] [--patterns=NAME,...] [--shapes=ROWSxCOLS,...] [--verbose]

import argparse
import copy
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from hand_schedule import ROOT, emulate, lower_scheduled, run
from sample import IS_SAMPLE, ORDERS, some
from schedule_text import Schedule, fields, find, written
from set_schedule import replace_schedule
from stitch_programs import PATTERNS, program
from tally import Tally

CHIP = "sm_90a"
FEW = (
    ("layer_norm", 4096, 768, "f16"), ("softmax", 4096, 65536, "bf16"), ("rms_norm", 777, 3001, "f32"), ("bias_gelu", 4096, 768, "f16"),
    ("cross_entropy", 8192, 4096, "f16"), ("layer_norm_backward", 4096, 768, "f16"), ("transpose_of_normalised", 4096, 768, "f16"),
    ("swiglu", 1000, 1000, "bf16"), ("lstm_cell_gates", 8192, 4096, "f16"), ("din_attention_unit", 777, 3001, "f16"),
)  # fmt: skip
# The most steps of rows that a block has, and the most elements.
STEPS, ELEMENTS = 4, 1 << 17
KINDS = ("1 stage", "2 stages", "3 stages", "bulk in 2 stages", "bulk in 3 stages", "producer in 2 stages", "cluster of 1", "cluster of 2",
         "cluster of 4", "rows", "rows in 2 stages", "rows, bulk in 2 stages", "rows, producer in 2 stages")  # fmt: skip
# Why an input may have no TMA copies.
NOT_IN_BULK = (
    "it is not copied ahead", "its rows do not begin at multiples of 16 bytes", "its strides are no multiples of 16 bytes",
    "its elements are in several threads, or theirs are no plain digits of its axes",
    "its elements that follow one another in memory are no neighbours in its threads",
    "it ends along an axis within what its warps or lanes have side by side",
    "its rows are no multiple of what a box has side by side", "it takes more than the five dimensions of a tensor map",
    "a box of it is no multiple of 16 bytes wide", "the rows of a box are parts of sectors of 32 bytes",
    "its tile is no multiple of 128 bytes", "it is a part of a tensor that does not begin with it",
)  # fmt: skip
# Why a variant may be illegal.
REFUSALS = (
    r"axis '\w' has \d+ whole steps that are retained in shared memory, and \d stages",
    r"axis '\w' has \d+ steps in a loop, and \d stages",
    r"axis '\w' has retained steps, and only the steps of a loop have stages",
    r"axis '\w' has no input that copies of threads could prefetch: ",
    r"axis '\w' has a cluster of \d blocks, and \d tiles of \d+ elements",
    r"a cluster of \d blocks shares no reduced axis: blocks have all of each",
    r"axis '\w' is aligned for each element of axis '\w', of which a block has one",
    r"a block would need \d+ bytes of shared memory, it has at most \d+",
    r"no input is copied by TMA: (.*)",
    r"all blocks wait for TMA copies, and the blocks of this group are of several kinds",
    r"TMA copies have \d+ stages in shared memory, and a block has at most 32 mbarriers",
    r"blocks of a cluster meet with all of their warps, and producers are ahead of the others",
)  # fmt: skip


def reason_of(said):
    """The expected reason that a diagnostic gives, none where it gives another one."""
    for pattern in REFUSALS:
        if found := re.search(pattern, said):
            inputs = found.group(1).split("; ") if found.groups() else []
            return pattern if all(re.sub(r"input \d+: ", "", why) in NOT_IN_BULK for why in inputs) else None
    return None


class Stitching:
    """A schedule: the thread mappings of the axes and the serial loop over one of them."""

    def __init__(self, text):
        self.schedule = Schedule(text)
        self.fields = self.schedule.sections["stitching"]
        self.place = next(key for key, value in self.fields.items() if value.startswith("{"))
        self.spreads = {axis: self.numbers(value) for axis, value in fields(self.fields[self.place][1:-1]).items()}
        self.walk = self.numbers(self.fields["serial_loop"]) if "serial_loop" in self.fields else None
        self.cluster = int(self.schedule.sections["mapping"].get("cluster", "1"))

    @staticmethod
    def numbers(text):
        return {key: int(value) if value.isdigit() else value for key, value in fields(text[text.index("<") + 1 : -1]).items()}

    def __str__(self):
        def text(numbers):
            return f"<{written({key: str(value) for key, value in numbers.items()})}>"

        spreads = {axis: "#fuse.thread_mapping" + text(numbers) for axis, numbers in self.spreads.items()}
        self.fields[self.place] = f"{{{written(spreads)}}}"
        self.fields.pop("serial_loop", None)
        if self.walk:
            self.fields["serial_loop"] = text(self.walk)
        self.schedule.set("mapping", "cluster", self.cluster)
        return str(self.schedule)


def shorten(chosen):
    """A few steps of the rows that a block has a serial loop over."""
    if chosen.walk and chosen.walk["axis"] == '"i"':
        spread = chosen.spreads["i"]
        spread["tile"] = min(spread["tile"], STEPS * chosen.walk["step"])
    elif chosen.walk and "split_step" in chosen.fields:
        spread = chosen.spreads["i"]
        spread["tile"] = min(spread["tile"], STEPS * int(chosen.fields["split_step"]))
    return chosen


def variant(kind, chosen, cols):
    """The schedule of a kind, none where it is the same as another one."""
    made = copy.deepcopy(chosen)
    number = int(re.sub(r"\D", "", kind) or 1)
    ahead = {"stages": number} | ({"tma": "true"} if "bulk" in kind or "producer" in kind else {}) if number > 1 else {}
    if "producer" in kind:
        made.schedule.set("parallel", "producers", 1)
    else:
        made.schedule.sections.pop("parallel", None)
    if "rows" in kind:
        if made.cluster > 1 or (made.walk and made.walk["axis"] == '"i"') or "i" not in made.spreads:
            return None
        made.fields.pop("fan_in", None)
        made.fields.pop("split_step", None)
        step = made.spreads["i"]["tile"]
        made.spreads["i"]["tile"] = 2 * step
        made.walk = {"axis": '"i"', "step": step} | ahead
        return made
    if not made.walk:
        return None
    if "stage" in kind:
        made.walk.pop("stages", None)
        made.walk.pop("tma", None)
        made.walk |= ahead
        return made
    if made.walk["axis"] != '"j"' or "k" in made.spreads:
        return None
    step = made.walk["step"]
    steps = -(-cols // (number * step))
    every = made.spreads["j"]["tile"] // step
    isWhole = made.walk.get("register_steps", 0) + made.walk.get("shared_steps", 0) >= every
    kept = made.walk.get("register_steps", 0)
    made.walk["register_steps"] = min(kept, steps)
    if isWhole and number < made.cluster:
        made.walk["shared_steps"] = steps - made.walk["register_steps"]
    made.walk["shared_steps"] = min(made.walk.get("shared_steps", 0), steps - made.walk["register_steps"])
    if "stages" in made.walk:
        made.walk["stages"] = max(1, min(made.walk["stages"], made.walk["shared_steps"] or 8))
        if made.walk["stages"] == 1:
            made.walk.pop("tma", None)
    made.spreads["j"]["tile"] = steps * step
    made.cluster = number
    return made


def rows_of(chosen, rows, cols):
    """Two tiles and a part of one, as far as there is time for; more than one where blocks add up their parts
    of rows. Boxes are of
    whole rows of lanes and warps."""
    spread = chosen.spreads.get("i", {"tile": 1})
    tile, part = spread["tile"], spread.get("lanes", 1) * spread.get("warps", 1) if chosen.walk and "tma" in chosen.walk else 1
    # As many as a small tile at least: results that are turned have wide accesses by them.
    least = max(3, min(tile, 8))
    few = max(least, min(rows, 2 * tile + part, ELEMENTS // cols), tile + part if "fan_in" in chosen.fields else 0)
    return few // part * part


def check(test, pattern, rows, cols, type):
    path = os.path.join(test.arguments.folder, f"{pattern}-{rows}x{cols}-{type}")
    where = f"{pattern} {rows}x{cols} {type}"

    def form(rows):
        with open(path + ".mlir", "w") as file:
            file.write(program(pattern, rows, cols, type))
        return run("fusion-opt", path + ".mlir", f"--fuse-to-groups=chip={CHIP} force-fusion=true")

    whole = form(rows)
    ((begin, end),) = find(whole)
    chosen = shorten(Stitching(whole[begin:end]))
    few = rows_of(chosen, rows, cols)
    groups = form(few)
    ((begin, end),) = find(groups)
    own = Stitching(groups[begin:end])
    if set(own.spreads) != set(chosen.spreads):
        chosen = own  # of shapes that differ by the rows there are other axes
    # Probabilities of so long a row are subnormal numbers of f16: half their distance, which no relative error covers.
    tolerance = ["--tolerance=f16:1.2e-7,0.002"] if type == "f16" and cols >= 16384 and pattern == "softmax" else []
    done, bits = {}, {}
    for kind in ("chosen", *some(KINDS, 3)):
        made = variant(kind, chosen, cols) if kind != "chosen" else chosen
        if made is None:
            continue
        text = str(made)
        try:
            if text not in done:
                lower_scheduled(path, replace_schedule(groups, text))
        except SystemExit as error:
            said = str(error)
            reason = reason_of(said)
            test.reasons[reason] += 1
            if kind == "chosen" or reason is None:
                test.complain(f"{where}, {few} rows, {kind}", f"refused: {text}\n{said[-1500:]}")
            continue
        try:
            if text not in done:
                report, done[text] = emulate(path, where, ORDERS, *tolerance)
                assert len(report["kernels"]) == 1, f"{len(report['kernels'])} kernels"
                conflicts = report["kernels"][0]["counters"]["shared_bank_conflicts"]
                assert not conflicts, f"{conflicts} bank conflicts"
                test.runs += 1
        except (SystemExit, AssertionError) as error:
            test.complain(f"{where}, {few} rows, {kind}", f"{text}\n{str(error)[-3000:]}")
            continue
        test.kinds[kind] += 1
        test.kinds["copies ahead"] += "stages" in text
        test.kinds["copies in bulk"] += "tma = true" in text
        if test.arguments.verbose:
            print(f"{where}, {few} rows, {kind}: {text}", flush=True)
        if "stage" in kind and "rows" not in kind or kind == "chosen":
            bits[text] = done[text]
    if len(set(bits.values())) > 1:
        test.complain(where, "results differ:\n" + "\n".join(bits))


def cases(arguments):
    with open(os.path.join(ROOT, "benchmarks", "workloads", "stitch_patterns.json")) as file:
        workloads = json.load(file)
    assert set(workloads["patterns"]) == set(PATTERNS)
    if arguments.few:
        yield from FEW
        return
    for pattern in workloads["patterns"]:
        for shape in workloads["shapes"]:
            for type in arguments.types.split(","):
                size = f"{shape['rows']}x{shape['cols']}"
                if pattern in (arguments.patterns or pattern).split(",") and size in (arguments.shapes or size).split(","):
                    yield pattern, shape["rows"], shape["cols"], type


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--types", default="f16,bf16,f32")
    parser.add_argument("--patterns")
    parser.add_argument("--shapes")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    test = Tally(arguments)
    count = 0
    for case in cases(arguments):
        count += 1
        check(test, *case)
    test.report()
    print(f"{count} patterns, {test.runs} kernels, {test.broken} broken")
    lacking = [name for name in ("chosen", "copies ahead", "copies in bulk", *KINDS) if not test.kinds[name]]
    if not (arguments.patterns or arguments.shapes or IS_SAMPLE):
        assert not lacking, lacking
    sys.exit(test.broken != 0 or not count)


if __name__ == "__main__":
    main()
