# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SASS instructions of the hot loop per flop of its MMAs."""

import math
import re


def flops(instruction):
    """Floating-point (or integer) operations of one warp's instruction, 0 where it is no MMA."""
    if found := re.match(r"[HIQB]GMMA\.64x(\d+)x(\d+)", instruction.opcode):
        # Four warps execute it together.
        return 2 * 64 * int(found.group(1)) * int(found.group(2)) // 4
    if found := re.match(r"[HIDQB]MMA\.(?:SP\.)?(16|8)(8)(\d+)\b", instruction.opcode):
        return 2 * math.prod(map(int, found.groups()))
    return 0


def natural_loops(blocks):
    """The sets of blocks of the loops, one per back edge's target."""
    before = [[] for _ in blocks]
    for number, block in enumerate(blocks):
        for successor in block.successors:
            before[successor].append(number)
    loops = {}
    for end, block in enumerate(blocks):
        for head in block.successors:
            if head > end:
                continue
            body, open_ = {head}, [end]
            while open_:
                one = open_.pop()
                if one not in body:
                    body.add(one)
                    open_ += before[one]
            loops.setdefault(head, set()).update(body)
    return list(loops.values())


def instructions_per_kiloflop(code, of_blocks):
    """SASS instructions per 1000 flops of the innermost loop with MMAs that takes the most issue slots, or None."""
    found = []
    for body in natural_loops(code.blocks):
        slots = sum(len(code.blocks[n].instructions) * of_blocks[n] for n in body)
        work = sum(flops(one) * of_blocks[n] for n in body for one in code.blocks[n].instructions)
        if work:
            found.append((body, slots, work))
    inner = [one for one in found if not any(other[0] < one[0] for other in found)]
    if not inner:
        return None
    _, slots, work = max(inner, key=lambda one: one[1])
    return 1000 * slots / work
