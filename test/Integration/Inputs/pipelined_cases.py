# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains whose loops can be pipelined: name → (arguments of the workload generator, schedule without stages,
operands that can have stages).

A loop over n with two buffers of its own, a nest with the pipelined loop inside, a plain contraction with masks and
trip counts below the stages, and operands that pass through registers: one beside a copied one, both of a
contraction, and one around the pipelined loop of another. Those have at most two stages. In one kernel a warp
is alone.
"""

CASES = {
    "loop-over-n": (
        ["--chain=64,32,160,48", "--2d"],
        dict(
            tiling="m(LA,n(LB,CC,LD,CE),SE)",
            tiles=dict(m=32, n=32, k=32, h=48),
            blocks=["m"],
            maps=dict(C=("m", "n", "k", "[2, 2]"), E=("m", "h", "n", "[2, 2]")),
            places=dict(A="shared, async16", B="shared, async16", C="shared", D="shared, async16", E="shared"),
        ),
        "BD",
    ),
    "nest": (
        ["--chain=128,144,96,48", "--2d"],
        dict(
            tiling="m(n(k(LA,LB,CC),LD,CE),SE)",
            tiles=dict(m=64, n=48, k=48, h=48),
            blocks=["m"],
            maps=dict(C=("m", "n", "k", "[4, 1]"), E=("m", "h", "n", "[4, 1]")),
            places=dict(A="shared, async16", B="shared, async16", C="registers", D="shared, async16", E="shared"),
        ),
        "AB",
    ),
    "masked-product": (
        ["--chain=72,100,52", "--2d"],
        dict(
            tiling="mn(k(LA,LB,CC),SC)",
            tiles=dict(m=64, n=32, k=32),
            blocks=["m", "n"],
            maps=dict(C=("m", "n", "k", "[2, 2]")),
            places=dict(A="shared, async8", B="shared, async8", C="shared"),
        ),
        "AB",
    ),
    "one-through-registers": (
        ["--chain=70,161,48", "--2d"],
        dict(
            tiling="mn(k(LA,LB,CC),SC)",
            tiles=dict(m=32, n=16, k=32),
            blocks=["m", "n"],
            maps=dict(C=("m", "n", "k", "[2, 2]")),
            places=dict(A="shared, sync", B="shared, async16", C="shared"),
        ),
        "AB",
    ),
    "both-through-registers": (
        ["--chain=33,75,49", "--2d"],
        dict(
            tiling="mn(k(LA,LB,CC),SC)",
            tiles=dict(m=32, n=32, k=16),
            blocks=["m", "n"],
            maps=dict(C=("m", "n", "k", "[2, 2]")),
            places=dict(A="shared, sync", B="shared, sync", C="shared"),
        ),
        "AB",
    ),
    "registers-around-copies": (
        ["--chain=128,80,96,51", "--2d"],
        dict(
            tiling="m(n(k(LA,LB,CC),LD,CE),SE)",
            tiles=dict(m=64, n=48, k=16, h=64),
            blocks=["m"],
            maps=dict(C=("m", "n", "k", "[4, 1]"), E=("m", "h", "n", "[4, 1]")),
            places=dict(A="shared, async16", B="shared, async16", C="registers", D="shared, sync", E="shared"),
        ),
        "ABD",
    ),
    "one-warp": (
        ["--chain=32,80,32", "--2d"],
        dict(
            tiling="mn(k(LA,LB,CC),SC)",
            tiles=dict(m=16, n=16, k=16),
            blocks=["m", "n"],
            maps=dict(C=("m", "n", "k", "[1, 1]")),
            places=dict(A="shared, async16", B="shared, async16", C="shared"),
            warps=1,
        ),
        "AB",
    ),
}


def most_stages(name):
    """Stages that each of a case's operands can have: registers hold one tile ahead."""
    _, description, pipelined = CASES[name]
    return [2 if description["places"][operand].endswith("sync") and "async" not in description["places"][operand] else 8
            for operand in pipelined]  # fmt: skip


def stage_counts(name, wanted):
    """The combinations of `wanted` (tuples, one number for each operand, the last one repeated) that are possible."""
    most = most_stages(name)
    combinations = {
        tuple(min(counts[min(i, len(counts) - 1)], limit) for i, limit in enumerate(most)) for counts in wanted
    }
    return sorted(combinations)
