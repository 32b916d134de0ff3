# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains whose blocks come in clusters that copy for one another: name → (chip, arguments of the workload generator or the
module itself, schedule without stages, operands that have stages, number of stages, numbers of producers, blocks of a
cluster).

Operands that lack the fastest axis of the grid: the LHS or the RHS of a contraction, both operands that a chain
reads; tiles that
are kept, and filled again; memory that held something else before; loads by warps, copies of threads in the same loop, a value
that passes through shared memory, a sum that blocks share, TMA stores; sizes that fill no tile.
"""

from tma_copy_cases import CASES as BULK
from tma_copy_cases import HANDED, PLAIN, in_bulk
from producer_cases import CASES as ROLES
from warpgroup_cases import chain, product

NEST = BULK["nest"][2]
LOADED = BULK["sm_90a-loop-over-n"][2]


def case(description, shape, operands="AB", count=3, producers=(0, 4), clusters=(2,), chip="sm_90a"):
    return chip, shape, description, operands, count, producers, clusters


CASES = {
    "first-operand": case(in_bulk(PLAIN), ["--chain=72,104,248", "--2d"], clusters=(2, 4)),
    "second-operand": case(in_bulk(PLAIN | dict(blocks=["n", "m"])), ["--chain=200,104,72", "--2d"], clusters=(2, 4)),
    "columns": case(in_bulk(PLAIN), ["--chain=128,96,256", "--2d", "--transpose=0"]),
    "eight": case(in_bulk(PLAIN), ["--chain=128,128,512", "--2d"], clusters=(8,)),
    "several-panels": case(in_bulk(product(64, 128, 128, (4, 1))), ["--chain=128,232,256", "--2d"], count=2),
    "several-boxes": case(
        in_bulk(product(640, 32, 32, (4, 1)) | dict(warps=4, places=PLAIN["places"] | dict(C="registers"))),
        ["--chain=1280,96,64", "--2d"],
        count=1,
        producers=(0,),
    ),
    "three": case(in_bulk(product(64, 64, 48, (4, 1))), ["--chain=128,104,192", "--2d", "--transpose=0"], clusters=(3,)),
    "batches": case(BULK["batches"][2] | dict(blocks=["b", "n", "m"]), ["--chain=80,96,136", "--batch=3"]),
    "raster": case(in_bulk(PLAIN | dict(raster=2)), ["--chain=200,104,376", "--2d"]),
    "evicted": case(BULK["evicted"][2], ["--chain=72,104,88", "--2d"]),
    "in-bulk": case(in_bulk(PLAIN | dict(places=PLAIN["places"] | dict(C="shared, tma"))), ["--chain=72,104,88", "--2d"]),
    "bytes": case(*(BULK["bytes"][i] for i in (2, 1)), clusters=(2,)),
    "handed-over": case(in_bulk(HANDED), ["--chain=200,64,136,64", "--2d"], "BD", 2, clusters=(2, 4)),
    "by-two": case(BULK["handed-over-by-two"][2], ["--chain=512,64,192,128", "--2d", "--transpose=1"], "BD", 2),
    "through-shared-memory": case(BULK["through-shared-memory"][2], ["--chain=256,64,256,128", "--2d"], "BD", 2),
    "nest": case(NEST, ["--chain=232,144,96,48", "--2d"], clusters=(2,)),
    "kept": case(BULK["kept"][2], ["--chain=200,64,192,64", "--2d"], "", 1, producers=(0,)),
    # Stages of threads next to stages of the cluster.
    "mixed": case(BULK["mixed-chain"][2], ["--chain=256,64,192,64", "--2d"], "BD", 2, producers=(0, 1)),
    "one-behind-the-other": case(
        in_bulk(chain(64, 64, 32, 64, (4, 1), tiling="m(k(LA,LB,CC),h(LD,CE,SE))")), ["--chain=128,96,64,192", "--2d"], "AB", 2
    ),
    # One loop fills the tiles of D, another one reads them, and nobody releases them: barriers of the cluster.
    "filled-anew": case(
        in_bulk(NEST | dict(tiling="m(h(n(LD),n(k(LA,LB,CC),CE),SE))")), ["--chain=232,144,96,104", "--2d"], "AB", 2
    ),
    "outer-loop": case(ROLES["outer-loop"][2], ["--chain=232,72,104,88", "--2d"], "AB", 2),
    "loads-by-warps": case(LOADED | dict(registers=2), ["--chain=128,32,80,48", "--2d"], "BD", 3, producers=(0, 1, 4)),
    "one-warp": case(BULK["sm_90a-one-warp"][2], ["--chain=32,160,32", "--2d"], producers=(0, 1)),
    "shared-sum": case(ROLES["shared-sum"][2], ["--chain=128,512,128", "--2d"], "AB", 2, producers=(0, 4)),
}  # fmt: skip
