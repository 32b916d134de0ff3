# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Misaligned rows of 3001 elements. A row segment is what is moved of a row side by side: it touches its sectors and two
# more at most. Where all rows begin alike, tiles begin at a sector, and a segment is a row. Elsewhere lanes exchange
# elements of aligned pieces, and a segment is the part of a row that a warp accesses at once; for a transposed result,
# the part of a row in a tile.
# RUN: %python %s %t f16,f32 sm_80 %sample
#
#   stitch-aligned.py FOLDER TYPES CHIPS [PATTERN...]

import itertools
import json
import math
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from check_stitch import check
from sample import some
from stitch_programs import PATTERNS, program

ROWS, COLS = 777, 3001
SECTOR, WARP = 32, 32
BYTES = {"f32": 4, "f16": 2, "bf16": 2, "i32": 4, "i1": 1}
HALF, GATE = COLS // 2, COLS // 4
# The largest error of the evaluator's figure: it assumes rows to begin at all places in a sector equally often.
MARGIN = 0.05


def whole(bytes, unit=SECTOR):
    return -(-bytes // unit)


class Segments:
    """Sectors of rows by the thread mapping of a kernel's schedule."""

    def __init__(self, type, kernel):
        self.type, self.warps = type, kernel["grid"][0] * kernel["block"][0] // WARP
        self.numbers = {key: int(value) for key, value in re.findall(r"(fan_in|split_step) = (\d+)", kernel["schedule"])}
        walk = re.search(r'serial_loop = <axis = "(\w+)", step = (\d+)', kernel["schedule"])
        self.walk = {walk.group(1): int(walk.group(2))} if walk else {}
        self.spreads = {}
        for axis, fields in re.findall(r"(\w+) = #fuse.thread_mapping<([^>]*)>", kernel["schedule"]):
            self.spreads[axis] = {"vector": 1, "lanes": 1} | {key: int(value) for key, value in re.findall(r"(\w+) = (\d+)", fields)}

    def tile(self, axis):
        return self.spreads[axis]["tile"]

    def steps(self, axis):
        """The order in which a block processes its tile."""
        return self.tile(axis) // self.walk.get(axis, self.tile(axis))

    def access(self, axis):
        """Elements along an axis that lanes hold side by side."""
        return self.spreads[axis]["vector"] * self.spreads[axis]["lanes"]

    def rows(self, count, length, segment=None, type=None):
        """A number of rows with their elements, in segments of a length, or each row."""
        bytes, segment = BYTES[type or self.type], segment or length
        rest = length % segment
        return count * (length // segment * (whole(segment * bytes) + 2) + (whole(rest * bytes) + 2 if rest else 0))


def rope(s):
    # Accesses to the row, in and out, two halves and the rest; half a row of cosines and of sines.
    return s.rows(6 * ROWS, HALF, s.access("j")) + s.rows(2 * ROWS, 1)


def gates(count):
    # The gates' parts of the contractions of inputs and of states, and of the bias; rows of a gate's length.
    return lambda s: s.rows((3 * count[0] + count[1]) * ROWS, GATE, s.access("j"))


def gather_slice_concat_mix(s):
    # Elements of the table's rows are loaded one by one, lane by lane. A warp reads a row's number.
    sides = [(HALF, s.access("j")), (COLS - HALF, s.access("l"))]
    return s.rows(ROWS, HALF, s.spreads["j"]["lanes"]) + sum(s.rows(2 * ROWS, *side) for side in sides) + s.warps


def layer_norm_backward(s):
    # Blocks share columns: each stores its partial results of two sums, and the last block reads them. Gains, and
    # numbers of rows.
    blocks, access = whole(ROWS, s.tile("i")), s.access("j")
    parts, left = blocks, blocks
    while "fan_in" in s.numbers and left > s.numbers["fan_in"]:
        left = whole(left, s.numbers["fan_in"])
        parts += left
    walks = s.tile("i") // s.numbers.get("split_step", s.tile("i"))
    columns = s.rows(2 * 2 * parts, COLS, access, "f32") + s.rows(2, COLS, access, "f32") + s.rows(blocks * walks, COLS, access)
    return s.rows(3 * ROWS, COLS, access) + columns + 3 * s.warps * s.tile("i")


def transpose_of_normalised(s):
    return s.rows(ROWS, COLS, s.access("j")) + s.rows(COLS, ROWS, min(ROWS, s.tile("i")))


def packed_elementwise_of_different_shapes(s):
    return sum(s.rows(2 * rows, cols, segment) for rows, cols, segment in
               ((ROWS, COLS, None), (ROWS, COLS // 3, s.access("l")), (ROWS // 2, COLS, None), (ROWS, 7, None)))  # fmt: skip


BOUNDS = {"rope": rope, "lstm_cell_gates": gates((4, 3)), "gru_cell_gates": gates((3, 2)),
          "gather_slice_concat_mix": gather_slice_concat_mix, "layer_norm_backward": layer_norm_backward,
          "transpose_of_normalised": transpose_of_normalised,
          "packed_elementwise_of_different_shapes": packed_elementwise_of_different_shapes}  # fmt: skip


def bound(pattern, type, text, kernel):
    """Sectors of all row segments, at most."""
    segments = Segments(type, kernel)
    if pattern in BOUNDS:
        return BOUNDS[pattern](segments)
    (signature,) = re.findall(r"func\.func @\w+\((.*)\) -> (.*) \{\n", text)
    vector = max(spread["vector"] for spread in segments.spreads.values())
    segment = None if "align" in kernel["schedule"] else segments.access("j")
    sectors = 0
    for shape, type in re.findall(r"tensor<((?:\d+x)+)(\w+)>", " ".join(signature)):
        sizes = [int(size) for size in shape.split("x")[:-1]]
        if len(sizes) > 1:
            sectors += segments.rows(math.prod(sizes[:-1]), sizes[-1], segment, type)
        elif sizes == [COLS]:  # the same for all rows
            sectors += segments.rows(ROWS, COLS, WARP * vector, type)
        else:  # numbers of rows, by each warp and step
            sectors += segments.warps * segments.steps("i")
    return sectors


def run(folder, pattern, type, chip):
    """All rows. Returns complaints."""
    path = os.path.join(folder, f"{pattern}-{type}-{chip}")
    text = program(pattern, ROWS, COLS, type)
    with open(path + ".mlir", "w") as file:
        file.write(text)
    done = subprocess.run(["fusion-run", path + ".mlir", f"--chip={chip}", "--device=emulator", "--force-fusion", f"--json={path}.json"],
                          capture_output=True, text=True)  # fmt: skip
    if done.returncode:
        return [f"fusion-run ends with {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}"]
    with open(path + ".json") as file:
        (report,) = json.load(file)
    if len(report["kernels"]) != 1:
        return [f"{len(report['kernels'])} kernels"]
    (kernel,) = report["kernels"]
    counters, most = kernel["counters"], bound(pattern, type, text, kernel)
    print(f"{pattern} {type} {chip}: {counters['global_sectors']} sectors, at most {most}", flush=True)
    remarks = subprocess.run(["fusion-opt", path + ".mlir", f"--fuse-to-groups=chip={chip} force-fusion=true",
                              "--remarks-filter=stitch", "-o", os.devnull], capture_output=True, text=True).stderr  # fmt: skip
    (about,) = re.findall(r"about (\d+) sectors", remarks)
    ratio = int(about) / counters["global_sectors"]
    print(f"  predicted: {ratio:.3f} of them", flush=True)
    complaints = [f"{key}: predicted {kernel['predicted'][key]}, {counters[key]}"
                  for key in ("global_load_bytes", "global_store_bytes") if kernel["predicted"][key] != counters[key]]  # fmt: skip
    if counters["shared_bank_conflicts"]:
        complaints.append(f"{counters['shared_bank_conflicts']} bank conflicts")
    if abs(ratio - 1) > MARGIN:
        complaints.append(f"{about} sectors predicted, {counters['global_sectors']} counted")
    if counters["global_sectors"] > most:
        complaints.append(f"{counters['global_sectors']} sectors, at most {most} expected")
    return complaints


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    wrong = []
    for case in some(itertools.product(sys.argv[4:] or PATTERNS, sys.argv[2].split(","), sys.argv[3].split(",")), 10):
        complaints = run(sys.argv[1], *case)
        # Few rows under the sanitizers.
        pattern, *others = case
        complaints += check(sys.argv[1], pattern, 5, COLS, *others)["complaints"]
        wrong += [f"{' '.join(case)}: {complaint}" for complaint in complaints]
    if wrong:
        sys.exit("\n".join(wrong))
