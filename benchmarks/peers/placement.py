# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Issue slots of the busiest scheduler of a launch.

The clusters of a grid (blocks where they have none) are placed on SMs in the order of their indices. As many as are
resident go round the SMs. Each further one goes to the SM with the fewest issue slots so far, which is the first that
has room.

An SM with room for R blocks of W warps has R·W places for warps. Its n-th block takes those from (n mod R)·W on, and
the warp of place p issues from scheduler p modulo 4 (as in Accel-Sim). Warp w of a block is therefore one of scheduler
w modulo 4 wherever blocks have a multiple of 4 warps, and small blocks share all four schedulers.
"""

import heapq

import numpy as np

SCHEDULERS = 4


def by_scheduler(slots, first):
    """[scheduler] of the [warp] of a block, the first of which issues from scheduler `first`."""
    padded = np.zeros(-(-(len(slots) + first) // SCHEDULERS) * SCHEDULERS)
    padded[first : first + len(slots)] = slots
    return padded.reshape(-1, SCHEDULERS).sum(0)


def busiest(slots, processors, resident=1, cluster=1):
    """The most issue slots of one scheduler.

    slots: [block, warp]; resident: blocks that an SM holds at a time; cluster: blocks of a cluster, each on an SM of
    its own where there are enough."""
    loads = np.zeros((processors, SCHEDULERS))
    placed = [0] * processors
    warps = slots.shape[1]

    def place(block, processor):
        first = placed[processor] % resident * warps % SCHEDULERS
        loads[processor] += by_scheduler(slots[block], first)
        placed[processor] += 1

    going_round = max(1, processors * resident // cluster) * cluster
    queue = None
    for start in range(0, len(slots), cluster):
        members = range(start, min(start + cluster, len(slots)))
        if start < going_round:
            for block in members:
                place(block, block % processors)
            continue
        if queue is None:
            queue = [(load.max(), number) for number, load in enumerate(loads)]
            heapq.heapify(queue)
        taken = [heapq.heappop(queue)[1] for _ in range(min(cluster, processors))]
        for block in members:
            place(block, taken[(block - start) % len(taken)])
        for number in taken:
            heapq.heappush(queue, (loads[number].max(), number))
    return float(loads.max())
