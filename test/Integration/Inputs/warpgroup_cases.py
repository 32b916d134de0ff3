# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains whose contractions are multiplied from shared memory by warpgroups (sm_90a): name → (arguments of the workload
generator or the module itself, schedule without stages, operands that can have stages).

Both orders of either operand, panels of 32, 64 and 128 bytes, sizes that leave parts of tiles empty, several instructions
side by side and below one another, warpgroups along both axes, values that pass to the next contraction in
registers and
through shared memory, and an LHS that is computed.
"""

from typed_chains import chain as typed



def allowing(text, attribute, how):
    """The module with what it allows of products."""
    return f'module attributes {{{attribute} = "{how}"}} {{\n{text}}}\n'


ASYNC = "shared, async16"
PRODUCT = dict(tiling="mn(k(LA,LB,CC),SC)", blocks=["m", "n"], intrinsic="wgmma.m64k16")


def product(m, n, k, warps, transport="async16", result="shared"):
    return dict(
        PRODUCT,
        tiles=dict(m=m, n=n, k=k),
        maps=dict(C=("m", "n", "k", str(list(warps)))),
        places=dict(A=f"shared, {transport}", B=f"shared, {transport}", C=result),
        warps=warps[0] * warps[1],
    )


def chain(m, n, k, h, warps, value="registers", tiling="m(n(k(LA,LB,CC),LD,CE),SE)"):
    return dict(
        tiling=tiling,
        intrinsic="wgmma.m64k16",
        tiles=dict(m=m, n=n, k=k, h=h),
        blocks=["m"],
        maps=dict(C=("m", "n", "k", str(list(warps))), E=("m", "h", "n", str(list(warps)))),
        places=dict(A=ASYNC, B=ASYNC, C=value, D=ASYNC, E="shared"),
        warps=warps[0] * warps[1],
    )


CASES = {
    "plain": (["--chain=128,128,128", "--2d"], product(64, 64, 64, (4, 1)), "AB"),
    "first-transposed": (["--chain=128,96,128", "--2d", "--transpose=0"], product(64, 64, 32, (4, 1)), "AB"),
    "second-transposed": (["--chain=128,96,192", "--2d", "--transpose=1"], product(64, 96, 48, (4, 1)), "AB"),
    "both-transposed": (["--chain=256,64,64", "--2d", "--transpose=0,1"], product(128, 32, 16, (4, 1)), "AB"),
    "one-wide-instruction": (["--chain=128,128,512", "--2d"], product(64, 256, 64, (4, 1), result="registers"), "AB"),
    "below-one-another": (["--chain=512,96,96", "--2d"], product(256, 48, 48, (8, 1)), "AB"),
    "side-by-side": (["--chain=128,64,512", "--2d"], product(64, 256, 32, (4, 2)), "AB"),
    "alternating": (["--chain=128,64,192", "--2d", "--transpose=1"], product(64, 96, 32, (4, 2)), "AB"),
    "alternating-by-four": (["--chain=64,64,320", "--2d", "--transpose=1"], product(64, 160, 32, (4, 4)) | dict(tiling="n(k(LA,LB,CC),SC)", blocks=["n"]), "AB"),
    "odd-columns": (["--chain=128,128,160", "--2d"], product(64, 80, 64, (4, 1)), "AB"),
    "parts-of-tiles": (["--chain=72,104,72", "--2d"], product(64, 64, 64, (4, 1)), "AB"),
    "small-copies": (["--chain=132,100,68", "--2d"], product(128, 64, 32, (8, 1), transport="async8"), "B"),
    "through-registers": (["--chain=65,75,67", "--2d"], product(64, 64, 32, (4, 1), transport="sync"), "AB"),
    "handed-over": (["--chain=128,64,128,64", "--2d"], chain(64, 64, 64, 64, (4, 1), tiling="m(LA,n(LB,CC,LD,CE),SE)"), "BD"),
    "handed-over-by-two": (
        ["--chain=256,64,128,128", "--2d", "--transpose=1"],
        chain(128, 64, 64, 128, (8, 1), tiling="m(LA,n(LB,CC,LD,CE),SE)"),
        "BD",
    ),
    "nest": (["--chain=128,144,96,48", "--2d"], chain(64, 48, 48, 48, (4, 1)), "AB"),
    "through-shared-memory": (
        ["--chain=128,64,256,128", "--2d"],
        chain(64, 128, 64, 128, (4, 2), value="shared", tiling="m(LA,n(LB,CC,LD,CE),SE)"),
        "BD",
    ),
    "bf16": (["--chain=128,96,128", "--2d", "--dtype=bf16"], product(64, 64, 32, (4, 1)), "AB"),
    "bytes": (
        typed("s8", (256, 128, 192), transposed=(1,)),
        product(128, 96, 64, (8, 1)) | dict(intrinsic="wgmma.m64k32"),
        "AB",
    ),
    # 19 bits of each factor, of which panels of 128 bytes have 32 columns.
    "cut": (
        allowing(typed("f32", (136, 104, 72), transposed=(1,)), "fuse.f32_products", "tf32-cut"),
        product(64, 64, 32, (4, 1)) | dict(intrinsic="wgmma.m64k8"),
        "AB",
    ),
    "cut-and-computed": (
        allowing(typed("f32", (128, 64, 96, 64), transposed=(1, 2), between=("relu",)), "fuse.f32_products", "tf32-cut"),
        chain(64, 32, 32, 64, (4, 1), value="shared", tiling="m(LA,n(LB,CC,LD,CE),SE)")
        | dict(intrinsic="wgmma.m64k8", tiles=dict(m=64, n=32, k=64, h=64)),
        "BD",
    ),
    "coarse": (
        allowing(typed("e4m3", (128, 208, 96), transposed=(1,)), "fuse.f8_products", "coarse"),
        product(64, 48, 64, (4, 1), result="registers") | dict(intrinsic="wgmma.f8.m64k32"),
        "AB",
    ),
    "coarse-by-two": (
        allowing(typed("e5m2", (256, 64, 128, 64), transposed=(1, 2), between=("relu",)), "fuse.f8_products", "coarse"),
        chain(128, 64, 64, 64, (8, 1), value="shared", tiling="m(LA,n(LB,CC,LD,CE),SE)")
        | dict(intrinsic="wgmma.f8.m64k32"),
        "BD",
    ),
    "computed-first": (["--chain=128,64,128", "--2d", "--before=relu"], product(64, 64, 32, (4, 1)), "AB"),
}  # fmt: skip
