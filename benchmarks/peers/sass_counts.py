# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many SASS instructions each warp executes: its issue slots.

Definition. ptxas says which line of the PTX a SASS instruction comes from, and the emulator how often each warp
executes each basic block of the PTX (ptx_counts.py). Executions of the basic blocks of SASS are a flow through their
graph: one unit per warp enters, and what enters a block leaves it. The flow is taken that disagrees least
with the counts, as a sum of absolute differences. The equation of a line of the PTX says that the executions of its
SASS copies add up to the executions of the line. Lines of memory accesses, barriers, shuffles and MMAs, of which SASS
has one instruction each, count 20 times as much as others: ptxas moves others between blocks. A line gets no equation
where SASS predicates it and the PTX does not, since ptxas has replaced a branch there. Loops that ptxas unrolled, and
waits of which it made two copies, have their counts from these equations.

A block of SASS is executed by the warps in proportion to their executions of one basic block of the PTX: the
block that has one of its lines and is executed about as often. An instruction with a false predicate takes an
issue slot, as
on the chip. Retries of waits are those of the emulator, in which a wait gives up only when nothing else can run.

A timing model that executes SASS is to replace `executions`.
"""

import collections
import dataclasses

import numpy as np

# Each of these is one SASS instruction for one of PTX, and stays in its place.
_ANCHORS = {
    "LDG", "STG", "LDS", "STS", "LDSM", "STSM", "LDGSTS", "LDGDEPBAR", "DEPBAR", "BAR", "SHFL", "HMMA", "IMMA", "DMMA",
    "BMMA", "HGMMA", "IGMMA", "QGMMA", "WARPGROUP", "SYNCS", "UTMALDG", "UTMASTG", "UBLKCP", "ATOM", "ATOMG", "ATOMS",
    "RED", "REDG", "REDUX", "VOTE", "ELECT", "FENCE", "MEMBAR", "UCGABAR_ARV", "UCGABAR_WAIT", "ACQBULK", "USETMAXREG",
}  # fmt: skip
_ANCHOR_WEIGHT, _OTHER_WEIGHT = 20.0, 1.0
_STEPS = 60


@dataclasses.dataclass
class Executions:
    """What a launch executes."""

    slots: np.ndarray  # [block of the grid, warp] SASS instructions
    of_blocks: np.ndarray  # how often the warps together execute each block of SASS


def executions(code, kernel, counts):
    """code: the MachineCode; kernel: the ptx_counts.Kernel; counts: [block, warp, basic block of the PTX]."""
    totals = counts.sum((0, 1), dtype=np.float64)
    of_blocks = block_executions(code, kernel, totals, counts.shape[0] * counts.shape[1])
    price = np.zeros(counts.shape[2])  # slots for an execution of a basic block of the PTX
    for block, executed in zip(code.blocks, of_blocks):
        if executed > 0:
            source = _source(block, kernel, totals, executed)
            price[source] += len(block.instructions) * executed / totals[source]
    return Executions(counts @ price, of_blocks)


def _source(block, kernel, totals, executed):
    """The basic block of the PTX that stands for a block of SASS that is executed so often."""
    votes = collections.Counter(
        kernel.block_of_line[one.line] for one in block.instructions if one.line in kernel.block_of_line
    )
    found = [(abs(np.log(totals[one] / executed)), -votes[one], one) for one in votes if totals[one] > 0]
    return min(found)[2] if found else 0


def block_executions(code, kernel, totals, warps):
    """How often the warps together execute each block of SASS."""
    edges = [(a, b) for a, block in enumerate(code.blocks) for b in block.successors]
    # Calls enter and leave their callee.
    called = sorted({block.called for block in code.blocks if block.called is not None})
    edges += [(None, 0)] + [(None, block) for block in called]
    entering = np.zeros((len(code.blocks), len(edges)))
    leaving = np.zeros_like(entering)
    for number, (a, b) in enumerate(edges):
        entering[b, number] = 1
        if a is not None:
            leaving[a, number] = 1
    flow = _least_absolute(*_conservation(code, edges, entering, leaving),
                           *_equations(code, kernel, totals, warps, entering),
                           1e-3 * np.array([len(block.instructions) for block in code.blocks]) @ entering)  # fmt: skip
    return np.round(np.maximum(entering @ flow, 0) * warps)


def _conservation(code, edges, entering, leaving):
    """(rows, right sides) of what holds exactly: what enters a block leaves it, one unit enters the kernel, and waits
    are not retried."""
    rows = [entering[number] - leaving[number] for number, block in enumerate(code.blocks)
            if block.successors and not _may_leave(block)]  # fmt: skip
    sides = [0.0] * len(rows)
    one = np.eye(len(edges))
    for number, (a, b) in enumerate(edges):
        if a == b and _only_waits(code.blocks[a], a):
            rows.append(one[number])
            sides.append(0.0)
    rows.append(one[edges.index((None, 0))])
    return np.array(rows), np.array([*sides, 1.0])


def _equations(code, kernel, totals, warps, entering):
    """(rows, right sides, weights) of the lines of the PTX, for one warp on average."""
    rows, sides, weights = [], [], []
    for (copies, executed), weight in _line_equations(code, kernel, totals).items():
        rows.append(sum(n * entering[block] for block, n in copies))
        sides.append(executed / warps)
        weights.append(weight)
    return np.array(rows), np.array(sides), np.array(weights)


def _may_leave(block):
    return block.instructions[-1].root in ("EXIT", "RET")


def _only_waits(block, number):
    return number in block.successors and any("TRYWAIT" in one.opcode for one in block.instructions)


def _line_equations(code, kernel, totals):
    """{(((block of SASS, copies), ...), executions): weight}."""
    places = collections.defaultdict(collections.Counter)
    opcodes, anchors, dropped = {}, set(), set()
    for number, block in enumerate(code.blocks):
        if _only_waits(block, number):
            dropped.update(one.line for one in block.instructions)
        for one in block.instructions:
            if one.line not in kernel.block_of_line or one.root == "NOP":
                continue
            is_anchor = one.root in _ANCHORS
            if is_anchor and one.line not in anchors:
                anchors.add(one.line)
                places[one.line].clear()
                opcodes[one.line] = one.opcode
            if one.predicate and one.line not in kernel.predicated:
                dropped.add(one.line)
            # For a line that became several instructions, the first kind is counted.
            if one.opcode == opcodes.setdefault(one.line, one.opcode) and is_anchor == (one.line in anchors):
                places[one.line][number] += 1
    equations = collections.Counter()
    for line, copies in places.items():
        if line not in dropped:
            executed = float(totals[kernel.block_of_line[line]])
            weight = _ANCHOR_WEIGHT if line in anchors else _OTHER_WEIGHT
            equations[tuple(sorted(copies.items())), executed] += weight
    return equations


def _least_absolute(exact, exact_sides, rows, sides, weights, slope):
    """The x >= 0 with exact x = exact_sides that minimises weights · |rows x - sides| + slope · x, relative to the
    sides where these are above 1: by reweighted least squares among the solutions of the exact equations."""
    start = np.linalg.lstsq(exact, exact_sides, rcond=None)[0]
    _, values, directions = np.linalg.svd(exact)
    free = directions[np.sum(values > 1e-9 * values[0]) :].T
    if not free.size:
        return start
    size = np.maximum(np.abs(sides), 1.0)
    along, left = rows @ free / size[:, None], (sides - rows @ start) / size
    held, factor = np.zeros(len(start)), np.ones(len(sides))
    for _ in range(_STEPS):
        weighted = along * (weights * factor)[:, None]
        normal = along.T @ weighted + free.T @ (held[:, None] * free) + 1e-9 * np.eye(free.shape[1])
        right = weighted.T @ left - free.T @ (held * start + 1e-3 * slope)
        z = np.linalg.lstsq(normal, right, rcond=1e-14)[0]
        x = start + free @ z
        factor = 1.0 / np.maximum(np.abs(along @ z - left), 1e-6)
        # Weights that hold edges at 0 grow while these are below it, and shrink when others pull them up.
        held = np.where(x < -1e-6, np.clip(held * 10, 1.0, 1e8), held * 0.3)
    return np.maximum(x, 0)
