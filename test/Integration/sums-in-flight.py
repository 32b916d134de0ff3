# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Contractions of loaded operands on sm_90a whose MMAs are in flight while the next iteration's begin (#fuse.pipeline,
# `overlap`): one contraction with and without producers, persistent blocks and clusters, in three to seven iterations, of
# extents that tiles do not divide, and two contractions that share a loop. Right under eight orders of the warps, without
# a finding, with the bits of the schedule without. ptxas neither spills nor runs the instructions one by one.
# RUN: %python %s %t %S/Inputs %sample

import os
import re
import sys

folder, inputs = sys.argv[1:3]
sys.path.insert(0, inputs)
from hand_schedule import assemble, compute, form, schedule  # noqa: E402
from sample import ORDERS, some  # noqa: E402

os.makedirs(folder, exist_ok=True)
CONTRACTION = """
  %{name}_filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  %{name} = linalg.matmul ins(%a, %{name}_w : tensor<{m}x{k}xf16>, tensor<{k}x{n}xf16>)
                          outs(%{name}_filled : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>"""
MODULE = """
func.func @sums(%a: tensor<{m}x{k}xf16>, {weights}) -> tensor<{m}x{n}xf16> {{
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<{m}x{n}xf32>{contractions}
  %half = tensor.empty() : tensor<{m}x{n}xf16>
  %result = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}}
      ins({names} : {types}) outs(%half : tensor<{m}x{n}xf16>) {{
  ^bb0({arguments}, %out: f16):{combine}
    linalg.yield %rounded : f16
  }} -> tensor<{m}x{n}xf16>
  return %result : tensor<{m}x{n}xf16>
}}
"""


def module(m, n, k, contractions):
    """One contraction of `a`, at least 0, or the product of two, rounded to f16."""
    names = ["x", "y"][:contractions]
    identity = "affine_map<(i, j) -> (i, j)>"
    # ptxas would move the maximum in front of the wait behind the loop.
    combine = "\n    %narrow = arith.truncf %first : f32 to f16\n    %least = arith.constant 0.0 : f16"
    combine += "\n    %rounded = arith.maximumf %narrow, %least : f16"
    if contractions == 2:
        combine = "\n    %both = arith.mulf %first, %second : f32\n    %rounded = arith.truncf %both : f32 to f16"
    shape = dict(m=m, n=n, k=k)
    return MODULE.format(
        **shape,
        weights=", ".join(f"%{name}_w: tensor<{k}x{n}xf16>" for name in names),
        contractions="".join(CONTRACTION.format(name=name, **shape) for name in names),
        maps=", ".join([identity] * (contractions + 1)),
        names=", ".join(f"%{name}" for name in names),
        types=", ".join([f"tensor<{m}x{n}xf32>"] * contractions),
        arguments=", ".join(f"%{each}: f32" for each in ("first", "second")[:contractions]),
        combine=combine,
    )


def is_in_flight(ptx):
    return "wgmma.wait_group.sync.aligned 1;" in ptx or "wgmma.wait_group.sync.aligned 2;" in ptx


# Shape of one contraction; then rows, columns and depth of a tile, warps, stages, producers, blocks of a cluster, persistence.
ONE = {
    (256, 256, 256): [
        (64, 64, 32, (4, 1), 3, 0, 1, False),
        (64, 128, 64, (4, 1), 4, 1, 1, False),
        (128, 64, 64, (8, 1), 3, 4, 2, False),
        (128, 64, 64, (4, 1), 2, 1, 4, False),
        (64, 64, 64, (4, 1), 3, 4, 1, True),
    ],
    (200, 136, 200): [
        (64, 64, 32, (4, 1), 4, 0, 1, False),
        (64, 64, 64, (4, 1), 3, 1, 1, False),
        (128, 128, 32, (4, 2), 3, 4, 1, False),
        (64, 32, 48, (4, 1), 3, 4, 1, True),
    ],
}  # fmt: skip
for (m, n, k), forms in ONE.items():
    path = os.path.join(folder, f"one-{k}")
    groups = form(path, module(m, n, k, 1), "sm_90a")
    for number, (rows, columns, depth, warps, stages, producers, cluster, persistent) in some(list(enumerate(forms)), 2):
        digests = set()
        for overlapped in ((), "C"):
            text = schedule(
                "mn(k(LA,LB,CC),SC)", dict(m=rows, n=columns, k=depth), ["m", "n"], dict(C=("m", "n", "k", list(warps))),
                {each: "shared, tma" for each in "ABC"}, dict(A=stages, B=stages), warps=warps[0] * warps[1],
                intrinsic="wgmma.m64k16", producers=producers, cluster=cluster, persistent=persistent, overlapped=overlapped,
            )  # fmt: skip
            where = f"{path}-{number}, {overlapped or 'alone'}"
            ptx, _, digest = compute(path, groups, text, where, ORDERS)
            assemble(path, "sm_90a", where)
            assert is_in_flight(ptx) == bool(overlapped), where
            # The first contraction starts from zero, and no register is set to zero for it.
            assert not overlapped or not re.search(r"mov\.b32 \t%f\d+, 0f00000000", ptx), where
            digests.add(digest)
        assert len(digests) == 1, where

# Two contractions of one operand, in one loop.
path = os.path.join(folder, "two")
groups = form(path, module(128, 128, 192, 2), "sm_90a")
for producers in some((0, 4), 1):
    digests = set()
    for overlapped in ((), "CE"):
        text = schedule(
            "mn(k(LA,LB,CC,LD,CE),SE)", dict(m=64, n=64, k=32), ["m", "n"],
            dict(C=("m", "n", "k", [4, 1]), E=("m", "n", "k", [4, 1])),
            {each: "shared, tma" for each in "ABDE"} | dict(C="registers"), dict(A=3, B=3, D=3),
            intrinsic="wgmma.m64k16", producers=producers, overlapped=overlapped,
        )  # fmt: skip
        where = f"{path}, {producers} producers, {overlapped or 'alone'}"
        ptx, _, digest = compute(path, groups, text, where, ORDERS)
        assemble(path, "sm_90a", where)
        assert is_in_flight(ptx) == bool(overlapped), where
        digests.add(digest)
    assert len(digests) == 1, where
