# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains whose result has a TMA store: name → (chip, arguments of the workload generator or the
module itself, schedule with the TMA store, whether the result's fragments are stored as matrices).

Results of warpgroups and of single warps, of 16 and of 32 bits, as the accumulator lies and across it; at the
end of the
kernel, where the operands were, and in a loop; parts of tiles along both axes, batches, several boxes; operands
that are copied by TMA, in groups of copies, by producers.
"""

from tma_copy_cases import CASES as BULK
from hand_schedule import PRODUCT as HAND
from producer_cases import CASES as ROLES
from warpgroup_cases import product


def stored(description, result, **changes):
    """The schedule with a TMA store of its result, and stages for the operands that have none said."""
    places = description["places"] | {result: "shared, tma"}
    return description | dict(places=places) | changes


def case(name, result="C", count=2, matrices=True, **changes):
    chip, chain, description, operands, *_ = (ROLES | BULK)[name]
    stages = {each: count for each in operands}
    return chip, chain, stored(description, result, **(dict(stages=stages) | changes)), matrices


BY_THREADS = stored(product(64, 64, 64, (4, 1)), "C", stages={})
CASES = {
    "plain": case("plain", count=3),
    "no-tile-is-full": case("no-tile-is-full"),
    # A box along every axis begins outside of the tensor for some tile.
    "one-stage": case("no-tile-is-full", count=1),
    "batches": case("batches"),
    "boxes-below-one-another": case("boxes-below-one-another"),
    "several-panels": case("side-by-side"),
    "narrow-panels": case("odd-columns"),
    "words": case("bytes", matrices=False),
    "computed-first": case("computed-first"),
    "handed-over": case("handed-over", "E"),
    "through-shared-memory": case("through-shared-memory", "E", 1),
    "nest": case("nest", "E"),
    "bf16": case("bf16"),
    "mixed": case("mixed"),
    "by-threads": ("sm_90a", ["--chain=72,104,88", "--2d"], BY_THREADS, True),
    "by-threads-in-a-loop": (
        "sm_90a",
        ["--chain=72,64,152", "--2d"],
        BY_THREADS | dict(tiling="m(LA,n(LB,CC,SC))", blocks=["m"], tiles=dict(m=64, n=64, k=64)),
        True,
    ),
    # In every iteration of a loop; what was stored before has been read by then.
    "in-a-loop": case("no-tile-is-full", tiling="m(n(k(LA,LB,CC),SC))", blocks=["m"]),
    "in-a-loop-of-producers": case("no-tile-is-full", tiling="m(n(k(LA,LB,CC),SC))", blocks=["m"], producers=4),
    "producers": case("no-tile-is-full", count=3, producers=4),
    "dealt-registers": case("wide", "E", producers=4),
    "fragments": case("sm_90a-loop-over-n", "E", registers=2),
    # The accumulator's rows are columns of the result.
    "across": (
        "sm_90a",
        ["--chain=72,104,88", "--2d"],
        stored(
            HAND | dict(tiles=dict(m=64, n=32, k=32), maps=dict(C=("n", "m", "k", "[2, 2]"))),
            "C",
            stages=dict(A=2, B=2),
        ),
        True,
    ),
    "another-chip": case("sm_120-loop-over-n", "E"),
    "one-warp": case("sm_90a-one-warp"),
}  # fmt: skip
