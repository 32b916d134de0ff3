# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The schedule of a chain for sm_90a in other forms of the same tiles: copies by threads or by TMA, producers,
clusters, cross-iteration overlap, persistent blocks, ping-pong scheduling of warpgroups."""

import copy
import re

from schedule_text import loads_in_loops, split

# What a variant has besides two stages of TMA copies; "plain" has neither.
KINDS = (
    "plain", "pipelined", "producers", "one producer", "cluster", "cluster of 4", "cluster producers", "beside", "beside producers",
    "beside cluster producers", "persistent producers", "persistent cluster producers", "persistent beside cluster producers",
    "turns producers", "turns beside cluster producers", "turns persistent producers",
)  # fmt: skip
# Fields that may be rejected, and are changed then: an operand's stages, TMA copies of a tensor, a contraction's
# overlap, the order of the grid.
NO_STAGES = (
    r"'(\w+)' is no operand that is loaded in a loop and has one stage",
    r"'(\w+)' is not loaded in a sequential loop and has one stage",
    r"'(\w+)' is retained in \d+ tiles, which loops of its own load before they are used, and has one stage",
    r"loop '\w+' of '(\w+)' holds the pipelined loop of '\w+'; groups of copies are waited for in order, so only the inner one can have stages",
)  # fmt: skip
NOT_IN_BULK = (
    r"'(\w+)' is aligned to \d bytes but copied 16 at a time",
    r"'(\w+)' has rows that do not begin at multiples of 16 bytes, and no tensor map describes it",
    r"'(\w+)' is read through a window, and TMA copies move boxes",
    r"'(\w+)' lies in shared memory in an order of .*, which is no swizzle of TMA copies",
    r"the tile of '(\w+)' is not made of boxes of whole swizzles",
)  # fmt: skip
NOT_BESIDE = r"'(\w+)' cannot overlap with the next iteration's contractions: .*"
NOT_IN_CLUSTERS = (
    r"clusters of \d blocks do not divide the blocks along '\w+'",
    r"the blocks of a cluster share no copies: .*",
)
# Why a variant may be illegal.
REFUSALS = (
    NOT_BESIDE,
    r"warpgroups cannot alternate on the tensor cores: .*",
    *NOT_IN_CLUSTERS,
    r"no operand has TMA copies in several stages, which producers would prefetch",
    r"the tiles need \d+ bytes of shared memory; a block of sm_90a has at most \d+",
    r"the tiles need about \d+ registers per thread; \d+ are available",
    r"an instruction of a contraction needs a launch with \d+ registers per thread; of \d+ warps each has \d+",
    r"a block has at most 32 warps, not \d+ and \d producers",
)  # fmt: skip
# Why the schedule of a whole workload may be illegal of a part of it.
REFUSALS_OF_PARTS = (
    r"clusters of \d blocks do not divide the blocks along '\w+'",
    r"loop '\w+' has one iteration and must not be in the expression",
    r"a block_swizzle of \d+ blocks is row by row: axis '\w+' has \d+",
    r"the partial results along axis '\w+' cannot be reduced in clusters: a block reduces a single tile, in which nothing runs",
)  # fmt: skip


def put(schedule, name, place):
    schedule.set("memory", 0, schedule.inner("memory") | {name: f"#fuse.place<{place}>"})


def of_threads(chosen, name):
    """Where a tensor lies that threads copy."""
    place = chosen.inner("memory")[name][len("#fuse.place<") : -1]
    return place if "tma" not in place else "shared, async16" if "L" + name in chosen.sections["tiling"][0] else "shared"


def plain(chosen):
    """One stage, copies by threads, blocks alone."""
    schedule = copy.deepcopy(chosen)
    schedule.set("pipeline", 0, {})
    for section, keys in (("pipeline", ("register_stages", "fragments", "overlap")), ("parallel", ("producers", "in_cluster", "ping_pong")),
                          ("mapping", ("persistent", "cluster"))):  # fmt: skip
        for key in keys:
            schedule.set(section, key, None)
    for name, place in schedule.inner("memory").items():
        if "tma" in place:
            put(schedule, name, of_threads(chosen, name))
    return schedule


def variant(kind, chosen):
    """The schedule of a kind; none where it is for several contractions and there is one."""
    schedule = plain(chosen)
    if kind == "plain":
        return schedule
    places = chosen.inner("memory")
    for name, place in schedule.inner("memory").items():
        if "async" in place or "tma" in places[name]:
            put(schedule, name, "shared, tma")
    schedule.set("pipeline", 0, dict.fromkeys(loads_in_loops(schedule), "2"))
    if "producer" in kind:
        schedule.set("parallel", "producers", 1 if "one" in kind else 4)
    if "cluster" in kind:
        schedule.set("mapping", "cluster", 4 if "of 4" in kind else 2)
    if "persistent" in kind:
        schedule.set("mapping", "persistent", "true")
    if "turns" in kind:
        schedule.set("parallel", "ping_pong", "true")
    if "beside" in kind:
        later = list(chosen.inner("mapping", "operators"))[1:]
        if not later:
            return None
        schedule.set("pipeline", "overlap", dict.fromkeys(later, "2"))
    return schedule


def repair(schedule, chosen, said):
    """Leaves out a rejected field, if it is one among several; returns whether it could."""

    def named(patterns):
        return [name for pattern in patterns for name in re.findall(pattern, said)]

    stages, places = schedule.inner("pipeline"), schedule.inner("memory")
    for name in named(NO_STAGES):
        if stages.pop(name, None):
            schedule.set("pipeline", 0, stages)
            return True
    for name in named(NOT_IN_BULK):
        if "tma" in places[name]:
            put(schedule, name, of_threads(chosen, name))
            return True
    beside = schedule.inner("pipeline", "overlap")
    for name in named([NOT_BESIDE]):
        if beside.pop(name, None) and beside:
            schedule.set("pipeline", "overlap", beside)
            return True
    if any(re.search(pattern, said) for pattern in NOT_IN_CLUSTERS):
        # Another axis first, as long as there is one that was not.
        blocks = split(schedule.sections["mapping"]["blocks"][1:-1])
        blocks = blocks[-1:] + blocks[:-1]
        schedule.set("mapping", "block_swizzle", None)
        schedule.set("mapping", "blocks", "[" + ", ".join(blocks) + "]")
        return schedule.sections["mapping"]["blocks"] != chosen.sections["mapping"]["blocks"]
    return False
