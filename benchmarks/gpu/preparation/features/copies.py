# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TMA copies: loads, stores, producer warps, multicast in clusters, persistent kernels."""

from .case import hand, staged

from tma_copy_cases import CASES as BULK  # noqa: E402
from tma_copy_cases import PLAIN, in_bulk  # noqa: E402
from tma_store_cases import CASES as STORES  # noqa: E402
from cluster_cases import CASES as CLUSTERS  # noqa: E402
from persistent_cases import CASES as PERSISTENT  # noqa: E402
from producer_cases import CASES as ROLES  # noqa: E402


def tensor_copies():
    swizzles = {
        "no-tile-is-full": ("TMA load", "128-byte swizzle, boxes beyond the tensor", ("swizzle 128B",)),
        "first-transposed": ("TMA load", "LHS by columns", ()),
        "second-transposed": ("TMA load", "RHS by rows of k", ()),
        "both-transposed": ("TMA load", "32- and 64-byte rows", ()),
        "odd-columns": ("TMA load", "narrow panels", ()),
        "batches": ("TMA load", "boxes of three dimensions", ()),
        "batches-between": ("TMA load, many dimensions", "boxes of four dimensions", ()),
        "two-batches-between": ("TMA load, many dimensions", "boxes of five dimensions", ()),
        "boxes-below-one-another": ("TMA load", "several boxes a tile", ()),
        "kept": ("TMA load, retained", "retained tiles", ()),
        "evicted": ("TMA load, eviction", "cache hints", ()),
        "mixed": ("TMA load", "beside cp.async", ("cp.async",)),
        "bytes": ("TMA load", "s8", ("wgmma s8",)),
        "cut": ("TMA load", "tf32", ("wgmma tf32",)),
        "coarse": ("TMA load", "e4m3", ("wgmma e4m3",)),
        "coarse-by-two": ("TMA load", "e5m2", ("wgmma e5m2",)),
        "bf16": ("TMA load", "bf16", ("wgmma bf16",)),
        "handed-over": ("TMA load", "two contractions", ()),
        "sm_90a-loop-over-n": ("TMA load", "for mma.sync", ("mma.sync f16",)),
    }
    for name, (kind, feature, uses) in swizzles.items():
        chip, chain, description, operands = BULK[name]
        run = (
            ("--f32-products=tf32-cut",)
            if name.startswith("cut")
            else ("--f8-products=coarse",)
            if name.startswith("coarse")
            else ()
        )
        yield hand(
            f"tma-{name}",
            kind,
            f"TMA load: {feature}",
            chain,
            description,
            ("TMA load", *uses),
            stages=staged(operands, 2 if operands else 1) if operands else {},
            case=dict(run=run),
        )
    for width, size in ((64, 32), (32, 16)):
        yield hand(
            f"tma-swizzle-{width}B",
            "TMA load",
            f"TMA load: {width}-byte swizzle",
            ["--chain=72,104,88", "--2d"],
            in_bulk(PLAIN) | dict(tiles=PLAIN["tiles"] | dict(k=size)),
            ("TMA load", f"swizzle {width}B"),
            stages=staged("AB", 3),
        )


def tensor_stores():
    for name in (
        "plain",
        "no-tile-is-full",
        "batches",
        "words",
        "bf16",
        "several-panels",
        "narrow-panels",
        "across",
        "handed-over",
        "by-threads-in-a-loop",
        "in-a-loop-of-producers",
        "fragments",
        "one-warp",
    ):
        chip, chain, description, _ = STORES[name]
        yield hand(f"store-{name}", "TMA store", f"TMA store: {name}", chain, description, ("TMA store",))


def warp_roles():
    for name, kind in {
        "plain": "producers",
        "no-tile-is-full": "producers",
        "handed-over": "producers",
        "three-groups": "producers, three warpgroups",
        "wide": "register reallocation",
        "mixed-chain": "producers beside cp.async",
        "few-tiles": "producers of single warps",
        "one-warp": "producers of single warps",
        "kept-anew": "producers, retained",
        "outer-loop": "producers of nests",
        "through-shared-memory": "producers",
        "shared-sum": "producers and a split reduction",
    }.items():
        chip, chain, description, operands, counts, producers = ROLES[name]
        uses = ("producers", "register reallocation") if name == "wide" else ("producers",)
        yield hand(
            f"producers-{name}",
            kind,
            f"warp specialization: {name}, {producers[-1]} warps",
            chain,
            description,
            uses,
            stages=staged(operands, counts[-1]),
            producers=producers[-1],
            case=dict(kernels=None if name == "shared-sum" else 1),
        )


def multicast():
    wanted = [
        ("first-operand", 2),
        ("first-operand", 4),
        ("second-operand", 2),
        ("columns", 2),
        ("eight", 8),
        ("several-panels", 2),
        ("batches", 2),
        ("raster", 2),
        ("in-bulk", 2),
        ("handed-over", 2),
        ("handed-over", 4),
        ("by-two", 2),
        ("nest", 2),
        ("kept", 2),
        ("mixed", 2),
        ("one-warp", 2),
    ]
    for name, blocks in wanted:
        chip, chain, description, operands, count, producers, clusters = CLUSTERS[name]
        for roles in (
            sorted({producers[0], producers[-1]})
            if name in ("first-operand", "eight", "handed-over")
            else producers[-1:]
        ):
            feature = f"multicast in clusters of {blocks}: {name}" + (f", {roles} producers" if roles else "")
            yield hand(
                f"multicast-{blocks}-{name}-{roles}",
                f"multicast in clusters of {blocks}",
                feature,
                chain,
                description,
                (f"multicast in clusters of {blocks}",),
                stages=staged(operands, count) if count > 1 else {},
                producers=roles,
                cluster=blocks,
            )


def persistent():
    for name in (
        "product",
        "product-stored-in-bulk",
        "columns-of-blocks",
        "attention",
        "attention-causal",
        "product-in-clusters",
        "attention-in-clusters",
        "attention-causal-in-clusters",
    ):
        arguments, description, tiles = PERSISTENT[name]
        if name.startswith("attention"):
            case, *sizes = arguments
            arguments = ["--family=attention_long", f"--case={case}", "--batch=1", *sizes]
        kind = "persistent in clusters" if "cluster" in name else "persistent"
        yield hand(
            f"persistent-{name}",
            kind,
            f"persistent kernel: {name}, {tiles} tiles",
            arguments,
            description,
            ("persistent",),
            persistent=True,
        )
