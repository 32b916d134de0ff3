# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Reductions split over the blocks of a cluster, which reduce their partial results in distributed shared memory: one
# launch, right numbers under eight orders of the warps, no finding, the bytes and the shared memory that were
# predicted, and the bits of partial results that a second launch adds. Splits that divide the tiles and splits that do
# not, some without a tile; sizes that fill no tile; epilogues by rows, by columns, by both. ptxas neither spills nor
# runs wgmma one by one.
# RUN: %python %s %t %S/Inputs %sample

import hashlib
import os
import sys

folder, inputs = sys.argv[1:3]
sys.path.insert(0, inputs)
from hand_schedule import PRODUCT, assemble, emulate, form, lower, schedule  # noqa: E402
from tma_copy_cases import PLAIN, in_bulk  # noqa: E402
from sample import ORDERS, some  # noqa: E402

PRODUCT = dict(PRODUCT, places=dict(A="shared, async16", B="shared, async16", C="registers"))
CHAIN = dict(
    tiling="mh(n(k(LA,LB,CC),LD,CE),SE)",
    tiles=dict(m=32, n=32, k=32, h=32),
    blocks=["m", "h"],
    maps=dict(C=("m", "n", "k", "[2, 1]"), E=("m", "h", "n", "[2, 1]")),
    places=dict(A="shared, async16", B="shared, async16", C="registers", D="shared, async16", E="registers"),
    warps=2,
)


def variant(base, **changes):
    return base | {key: base[key] | value if isinstance(base.get(key), dict) else value for key, value in changes.items()}


RESIDUAL = """
#map = affine_map<(i, j) -> (i, j)>
func.func @residual(%a: tensor<40x224xf16>, %b: tensor<224x72xf16>, %r: tensor<40x72xf16>) -> tensor<40x72xf16> {
  %zero = arith.constant 0.0 : f32
  %sums = tensor.empty() : tensor<40x72xf32>
  %start = linalg.fill ins(%zero : f32) outs(%sums : tensor<40x72xf32>) -> tensor<40x72xf32>
  %c = linalg.matmul ins(%a, %b : tensor<40x224xf16>, tensor<224x72xf16>) outs(%start : tensor<40x72xf32>) -> tensor<40x72xf32>
  %e = tensor.empty() : tensor<40x72xf16>
  %o = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%c, %r : tensor<40x72xf32>, tensor<40x72xf16>) outs(%e : tensor<40x72xf16>) {
  ^bb0(%x: f32, %y: f16, %z: f16):
    %w = arith.extf %y : f16 to f32
    %s = arith.addf %x, %w : f32
    %t = arith.truncf %s : f32 to f16
    linalg.yield %t : f16
  } -> tensor<40x72xf16>
  return %o : tensor<40x72xf16>
}
"""
FOLLOWED = variant(PRODUCT, tiling="mn(k(LA,LB,CC),LD,SC)", places=dict(D="registers"))
# name → (arguments of the generator, chip, schedule, the split axis, its numbers of parts, stages of operands)
CASES = {
    "product": (["--chain=64,520,96", "--2d"], "sm_90a", PRODUCT, "k", (2, 4, 8), "AB"),
    "one-tile-each": (["--chain=64,224,96", "--2d"], "sm_90a", variant(PRODUCT, tiling="mn(LA,LB,CC,SC)"), "k", (8,), ""),
    "odd-sizes": (
        ["--chain=50,199,77", "--2d", "--dtype=bf16"], "sm_90a",
        variant(PRODUCT, places=dict(A="shared, sync", B="shared, sync")), "k", (2, 4), ""),
    "rows-of-two": (
        ["--chain=16,264,40", "--2d"], "sm_90a",
        variant(PRODUCT, tiling="n(k(LA,LB,CC),SC)", blocks=["n"], tiles=dict(m=16, n=32), maps=dict(C=("m", "n", "k", "[1, 4]"))), "k", (8,), "AB"),
    "columns-in-order": (["--chain=72,328,96", "--2d", "--transpose=0"], "sm_120", PRODUCT, "k", (2, 4), "AB"),
    "bias-and-gelu": (["--chain=40,224,72", "--2d", "--epilogue=bias,gelu"], "sm_90a", FOLLOWED, "k", (2, 4), "AB"),
    "residual": (RESIDUAL, "sm_90a", FOLLOWED, "k", (4,), "AB"),
    "batched": (
        ["--chain=40,100,56", "--batch=2", "--dtype=bf16"], "sm_90a",
        variant(PRODUCT, tiling="bmn(k(LA,LB,CC),SC)", tiles=dict(b=1), blocks=["b", "m", "n"],
                places=dict(A="shared, async8")), "k", (2,), "AB"),
    "chain": (["--chain=64,64,160,64", "--2d"], "sm_90a", CHAIN, "n", (2, 4), "AB"),
    "chain-with-epilogues": (
        ["--chain=40,40,149,56", "--2d", "--between=bias,relu", "--epilogue=bias,silu"], "sm_90a",
        variant(CHAIN, tiling="mh(n(k(LA,LB,CC),LF,LD,CE),LG,SE)",
                places=dict(B="shared, sync", F="registers", G="registers")), "n", (2, 4), ""),
    "groups-of-warps": (
        ["--chain=72,328,104", "--2d"], "sm_90a", variant(in_bulk(PLAIN), places=dict(C="registers")), "k", (2, 4), "AB"),
}  # fmt: skip


os.makedirs(folder, exist_ok=True)
for name, (arguments, chip, description, axis, counts, staged) in CASES.items():
    path = os.path.join(folder, name)
    groups = form(path, arguments, chip)
    description = description | dict(stages={operand: 2 for operand in staged})
    for parts in some(counts, 1):
        digests = set()
        for in_cluster in (False, True):
            where = f"{name}, {parts} parts, {'in clusters' if in_cluster else 'for another launch'}"
            lower(path, groups, schedule(**(description | dict(split={axis: parts})), in_cluster=in_cluster))
            report, bits = emulate(path, where, *([ORDERS] if in_cluster else []))
            assert len(report["kernels"]) == (1 if in_cluster else 2), where
            assert report["kernels"][0]["cluster"] == [parts if in_cluster else 1, 1, 1], where
            digests.add(hashlib.sha256(bits).hexdigest())
            if in_cluster:
                assemble(path, chip, where)
        assert len(digests) == 1, f"{name}, {parts} parts: results differ"
