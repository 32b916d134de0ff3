# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many SASS instructions each warp executes: its issue slots.

Definition. ptxas says which line of the PTX a SASS instruction comes from, and the emulator how often each warp
executes each basic block of the PTX (ptx_counts.py). Executions of the basic blocks of SASS are a flow through their
graph: one unit per warp enters, and what enters a block leaves it. Of all flows the one is taken that disagrees least
with the counts, as a sum of absolute differences. The equation of a line of the PTX says that the executions of its
SASS copies add up to the executions of the line. Lines of memory accesses, barriers, shuffles and MMAs, of which SASS
has one instruction each, count 20 times as much as others: ptxas moves others between blocks. A line gets no equation
where SASS predicates it and the PTX does not, since ptxas has replaced a branch there. Loops that ptxas unrolled, and
waits of which it made two copies, have their counts from these equations.

A block of SASS is executed by the warps in proportion to their executions of one basic block of the PTX: of those that
its lines are in, the one that is executed about as often. An instruction with a false predicate takes an issue slot, as
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
_RIGID = 1e5  # of conservation, in units of a line's weight
_STEPS = 40


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
    rows, wanted, weights = [], [], []

    def require(row, number, weight):
        rows.append(row), wanted.append(number), weights.append(weight)

    for number, block in enumerate(code.blocks):
        if block.successors and not _may_leave(block):
            require(entering[number] - leaving[number], 0.0, _RIGID)
    require(np.eye(len(edges))[edges.index((None, 0))], 1.0, _RIGID)
    for number, (a, b) in enumerate(edges):
        if a == b and _only_waits(code.blocks[a], a):
            require(np.eye(len(edges))[number], 0.0, _RIGID)
    for (copies, executed), weight in _line_equations(code, kernel, totals).items():
        row = sum(n * entering[block] for block, n in copies)
        require(row, executed / warps, weight)
    lengths = np.array([len(block.instructions) for block in code.blocks]) @ entering
    flow = _least_absolute(np.array(rows), np.array(wanted), np.array(weights), 1e-3 * lengths)
    return np.round(np.maximum(entering @ flow, 0) * warps)


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
            # Of a line that became several instructions the first kind is counted.
            if one.opcode == opcodes.setdefault(one.line, one.opcode) and is_anchor == (one.line in anchors):
                places[one.line][number] += 1
    equations = collections.Counter()
    for line, copies in places.items():
        if line not in dropped:
            executed = float(totals[kernel.block_of_line[line]])
            weight = _ANCHOR_WEIGHT if line in anchors else _OTHER_WEIGHT
            equations[tuple(sorted(copies.items())), executed] += weight
    return equations


def _least_absolute(rows, wanted, weights, slope):
    """x >= 0 that minimises weights · |rows x - wanted| + slope · x, by reweighted least squares."""
    scale = weights / np.maximum(np.abs(wanted), 1.0)
    count = rows.shape[1]
    held = np.zeros(count)
    factor = np.ones(len(wanted))
    x = np.zeros(count)
    for _ in range(_STEPS):
        weighted = rows * (scale * factor)[:, None]
        normal = rows.T @ weighted + np.diag(held + 1e-9)
        x = np.linalg.solve(normal, weighted.T @ wanted - 0.5 * slope * 1e-3)
        distance = np.abs(rows @ x - wanted) / np.maximum(np.abs(wanted), 1.0)
        rigid = weights >= _RIGID
        factor = np.where(rigid, 1e4, 1.0 / np.maximum(distance, 1e-6))
        held = np.where(x < -1e-6, np.maximum(held * 10, 1e6), held)
    return np.maximum(x, 0)
