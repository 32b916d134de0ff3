# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases of the first call: for each kernel feature the smallest shapes that have it, under a schedule that forces
it.

A case has a `kind`: cases of one kind are alike, so that where one traps or hangs the others are not tried. The most
important features come first. `uses` names what the plan must have (kinds.py).
"""

from .features import attention, contractions, copies, stitching

CHIP = "sm_90a"

# The features that most of the others build on come first.
GROUPS = (
    contractions.asynchronous_copies,
    contractions.tensor_cores,
    contractions.warpgroup_products,
    copies.tensor_copies,
    copies.tensor_stores,
    copies.warp_roles,
    attention.attentions,
    copies.multicast,
    copies.persistent,
    stitching.compositions,
    attention.splits,
    attention.decoding,
    attention.launches,
    stitching.convolutions,
    attention.turns_of_chains,
    stitching.searched,
)


def cases():
    """All of them, the first one of each kind before cases that repeat a kind."""
    found = [case for group in GROUPS for case in group()]
    names = [case.name for case in found]
    assert len(set(names)) == len(names), sorted(name for name in names if names.count(name) > 1)
    seen, first, rest = set(), [], []
    for case in found:
        (rest if case.kind in seen else first).append(case)
        seen.add(case.kind)
    return first + rest
