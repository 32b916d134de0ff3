# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions: cp.async, mma.sync and wgmma of every type, swizzle and order of operands."""

from .case import hand, staged

from hand_schedule import PRODUCT  # noqa: E402
from pipelined_cases import CASES as PIPELINED  # noqa: E402
from typed_chains import chain as typed  # noqa: E402
from warpgroup_cases import CASES as WARPGROUPS  # noqa: E402


def asynchronous_copies():
    product = ["--chain=72,104,88", "--2d"]
    for count in (2, 4):
        yield hand(
            f"cp.async-{count}-stages",
            "cp.async",
            f"cp.async in {count} stages",
            product,
            PRODUCT,
            ("cp.async", "mma.sync f16"),
            stages=staged("AB", count),
        )
    chain, description, operands = PIPELINED["masked-product"]
    yield hand(
        "cp.async-8-bytes",
        "cp.async",
        "cp.async of 8 bytes, tiles that sizes cut",
        chain,
        description,
        ("cp.async",),
        stages=staged(operands, 3),
    )
    chain, description, operands = PIPELINED["loop-over-n"]
    yield hand(
        "cp.async-fragments",
        "cp.async",
        "stages in shared memory and of fragments, two contractions",
        chain,
        description,
        ("cp.async", "ldmatrix"),
        stages=staged(operands, 3),
        registers=2,
    )
    chain, description, _ = PIPELINED["one-through-registers"]
    yield hand(
        "copies-through-registers",
        "copies through registers",
        "loads ahead in registers beside cp.async",
        chain,
        description,
        ("cp.async",),
        stages=dict(A=2, B=3),
    )


def tensor_cores():
    """mma.sync of every type."""
    small = dict(PRODUCT, places={each: "shared, sync" for each in "AB"} | dict(C="shared"), stages={})
    shapes = {
        "bf16": ("mma.m16n8k16", ""),
        "tf32": ("mma.m16n8k8", "f32-products=tf32"),
        "s8": ("mma.m16n16k32", ""),
        "e4m3": ("mma.f8.m16n16k32", ""),
        "e5m2": ("mma.f8.m16n16k32", ""),
    }
    for kind, (intrinsic, option) in shapes.items():
        text = typed("f32" if kind == "tf32" else kind, (64, 96, 64), transposed=(1,))
        yield hand(
            f"mma-{kind}",
            f"mma.sync {kind}",
            f"mma.sync of {kind}",
            text,
            small,
            (f"mma.sync {kind}",),
            intrinsic=intrinsic,
            case=dict(options=f"force-fusion=true {option}".rstrip(), run=tolerance_of(kind, option)),
        )
    yield hand(
        "fma-f32",
        "multiply-adds",
        "products of f32 by multiply-adds",
        typed("f32", (40, 64, 48)),
        small | dict(maps=dict(C=("m", "n", "k", "[2, 2]"))),
        intrinsic="fma.m8n16k4",
    )


def tolerance_of(kind, option):
    """What fusion-run must know of products that are allowed to be less exact."""
    return tuple(f"--{word}" for word in option.split() if "products" in word)


def warpgroup_products():
    """wgmma of every type, swizzle and order of operands."""
    names = {
        "plain": ("wgmma f16", "128-byte swizzle, rows"),
        "first-transposed": ("wgmma f16", "LHS by columns"),
        "second-transposed": ("wgmma f16", "RHS by rows of k, 96-byte rows"),
        "both-transposed": ("wgmma f16", "both operands, 32-byte swizzle"),
        "one-wide-instruction": ("wgmma f16", "256 columns"),
        "side-by-side": ("wgmma f16", "two warpgroups side by side"),
        "below-one-another": ("wgmma f16", "two warpgroups below one another"),
        "odd-columns": ("wgmma f16", "80 columns, narrow panels"),
        "parts-of-tiles": ("wgmma f16", "tiles that sizes cut"),
        "handed-over": ("wgmma f16", "an accumulator as the next LHS"),
        "handed-over-by-two": ("wgmma f16", "an accumulator as the next LHS, two warpgroups"),
        "through-shared-memory": ("wgmma f16", "an intermediate in shared memory"),
        "bf16": ("wgmma bf16", "bf16, 64-byte swizzle"),
        "bytes": ("wgmma s8", "s8"),
        "cut": ("wgmma tf32", "f32 truncated to tf32"),
        "cut-and-computed": ("wgmma tf32", "truncated, two contractions"),
        "coarse": ("wgmma e4m3", "e4m3"),
        "coarse-by-two": ("wgmma e5m2", "e5m2, two contractions"),
        "computed-first": ("wgmma f16", "a computed LHS"),
    }
    for name, (kind, feature) in names.items():
        chain, description, operands = WARPGROUPS[name]
        run = (
            ("--f32-products=tf32-cut",)
            if name.startswith("cut")
            else ("--f8-products=coarse",)
            if name.startswith("coarse")
            else ()
        )
        yield hand(
            f"wgmma-{name}",
            kind,
            f"wgmma: {feature}, cp.async",
            chain,
            description,
            (kind,),
            stages=staged(operands, 2),
            case=dict(run=run),
        )
