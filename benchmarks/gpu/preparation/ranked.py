# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Schedules as text: those behind the first one of the search's ranking, and the chosen one with a change."""

import copy
import json
import re

from schedule_text import Schedule, find

# What a schedule has that an entry of the report's ranking says, too.
FIELDS = (
    "tiling",
    "tiles",
    "warps",
    "arrangement",
    "intrinsics",
    "stages",
    "transports",
    "stores",
    "register_stages",
    "intermediates",
    "splits",
    "split_in_cluster",
    "raster",
    "cluster",
    "producers",
    "persistent",
    "overlapped",
    "turns",
)


def schedules(groups):
    """The schedules of a module with groups."""
    return [Schedule(groups[begin:end]) for begin, end in find(groups)]


def replace(groups, texts):
    """The module with other schedules for its groups."""
    for (begin, end), text in reversed(list(zip(find(groups), texts, strict=True))):
        groups = groups[:begin] + str(text) + groups[end:]
    return groups


def place_of(schedule, name, space=None, transport=None):
    """The place of a tensor with another space or transport; cache hints stay."""
    words = [word.strip() for word in schedule.inner("memory")[name][len("#fuse.place<") : -1].split(",")]
    hints = [word for word in words if word.startswith("evict")]
    space = space or words[0]
    if transport is None:
        known = [word for word in words[1:] if word not in hints]
        transport = known[0] if known and space == words[0] else None
    # What the L2 does with what was read is said of TMA copies alone.
    parts = [
        space,
        *([transport] if transport and transport != "sync" else []),
        *(hints if transport == "tma" else []),
    ]
    return f"#fuse.place<{', '.join(parts)}>"


def set_place(schedule, name, **changes):
    places = schedule.inner("memory")
    if name in places:
        places[name] = place_of(schedule, name, **changes)
        schedule.set("memory", 0, places)


def blocks_of(tiling, known):
    """The axes of the grid: what stands in front of the first bracket, in the order of the chosen schedule where that
    has them."""
    axes = re.findall(r"[a-z]\d*", tiling.partition("(")[0])
    return [axis for axis in known if axis in axes] + [axis for axis in axes if axis not in known]


def runner_up(chosen, first, other):
    """The schedule of the ranking's entry `other`: the chosen one, whose entry is `first`, with what differs."""
    made = copy.deepcopy(chosen)
    changed = {name: other[name] for name in FIELDS if other.get(name) != first.get(name)}
    if "tiling" in changed:
        made.set("tiling", 0, f'"{other["tiling"]}"')
        known = json.loads(made.section("mapping").get("blocks", "[]"))
        made.set("mapping", "blocks", json.dumps(blocks_of(other["tiling"], known)))
    if "tiles" in changed:
        tiles = {axis: f"{size} : i64" for axis, size in other["tiles"].items()}
        made.set("tiling", 1, tiles)
    operators = made.inner("mapping", "operators")
    for name in operators:
        text = operators[name]
        text = re.sub(r'operator_map<"[^"]*"', f'operator_map<"{other["intrinsics"][name]}"', text)
        operators[name] = re.sub(r"warps = \[[^\]]*\]", f"warps = {other['arrangement'][name]}", text)
    made.set("mapping", "operators", operators)
    for name, space in other["intermediates"].items():
        if space != first["intermediates"].get(name):
            set_place(made, name, space=space)
    for field in ("transports", "stores"):
        for name, transport in other[field].items():
            if transport != first[field].get(name):
                set_place(made, name, transport=transport)
    if "stages" in changed:
        made.set("pipeline", 0, {name: f"{count} : i64" for name, count in other["stages"].items() if count > 1})
    if "register_stages" in changed:
        counts = set(other["register_stages"].values())
        made.set("pipeline", "fragments", None)
        made.set("pipeline", "register_stages", None)
        if len(counts) == 1:
            made.set("pipeline", "register_stages", counts.pop())
        elif counts:
            made.set(
                "pipeline", "fragments", {name: f"{count} : i64" for name, count in other["register_stages"].items()}
            )
    if "overlapped" in changed:
        overlapped = dict.fromkeys(other["overlapped"], "2 : i64")
        made.set("pipeline", "overlap", overlapped or None)
    for field, name in (("warps", "warps"), ("raster", "block_swizzle"), ("cluster", "cluster")):
        if field in changed:
            made.set("mapping", name, other[field])
    if "persistent" in changed:
        made.set("mapping", "persistent", "true" if other["persistent"] else None)
    if "splits" in changed:
        made.set("parallel", 0, {axis: f"{parts} : i64" for axis, parts in other["splits"].items()})
    for field, name in (("split_in_cluster", "in_cluster"), ("turns", "ping_pong")):
        if field in changed:
            made.set("parallel", name, "true" if other[field] else None)
    if "producers" in changed:
        made.set("parallel", "producers", other["producers"] or None)
    return made


def with_other_reduction(schedule):
    """Reductions online where they are of one tile, and the other way round: which of them fits follows from the tiles."""
    made = copy.deepcopy(schedule)
    form = made.sections.get("reduction", {}).get(0)
    if form in ("online", "one_tile"):
        made.set("reduction", 0, "one_tile" if form == "online" else "online")
        made.set("reduction", "rescale_threshold", None)
    return made


def with_cluster(chosen, blocks):
    """With clusters of `blocks` blocks."""
    made = copy.deepcopy(chosen)
    made.set("mapping", "cluster", blocks if blocks > 1 else None)
    return made


def with_warps(chosen, warps, space):
    """Every contraction by `warps` warps, along the columns of its tile, intermediates in `space`."""
    made = copy.deepcopy(chosen)
    operators = made.inner("mapping", "operators")
    for name in operators:
        operators[name] = re.sub(r"warps = \[[^\]]*\]", f"warps = [1, {warps}]", operators[name])
    made.set("mapping", "operators", operators)
    made.set("mapping", "warps", warps)
    for name in list(operators)[:-1]:
        set_place(made, name, space=space)
    return made
