# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler's kernels that are no chains of f16 products: what compiler_cases.py compiles besides those.

A case has the module's text, the chip, options of --fuse-to-groups, and the schedule of its one group, so that the kernels
stay of their kinds whatever the search prefers. Shapes are such that there are several blocks, the last of them perhaps
not full, and each loop with stages has as many rounds as stages and two.
"""

import dataclasses
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "test" / "Integration" / "Inputs"))
import joined_chains  # noqa: E402
import normalised_chains  # noqa: E402
import score_chains  # noqa: E402
import stitch_programs  # noqa: E402
import typed_chains  # noqa: E402
from convolution_programs import Program, layer  # noqa: E402
from hand_schedule import PRODUCT, run, schedule  # noqa: E402


@dataclasses.dataclass
class Case:
    text: str
    schedule: str
    chip: str = "sm_80"
    options: str = ""


def stitched(pattern, rows, columns, spread, walk="", warps=4, type="f16"):
    """A pattern of memory-bound operators; `spread`: axis → its part of the block."""
    axes = ", ".join(f"{axis} = #fuse.thread_mapping<{part}>" for axis, part in spread.items())
    walk = f", serial_loop = <{walk}>" if walk else ""
    text = f"#fuse.schedule<version = 2, mapping = <warps = {warps}>, stitching = <{{{axes}}}{walk}>>"
    return Case(stitch_programs.program(pattern, rows, columns, type), text)


# A block keeps rows of A and walks n in five rounds, three stages of B and D.
def typed(kind, operator, chip="sm_80", options="", k=32):
    text = schedule(
        tiling="m(LA,n(LB,CC,LD,CE),SE)",
        tiles=dict(m=32, n=32, k=k, h=32),
        blocks=["m"],
        maps=dict(C=("m", "n", "k", "[2, 2]"), E=("m", "h", "n", "[2, 2]")),
        places=dict(A="shared, async16", B="shared, async16", C="shared", D="shared, async16", E="shared"),
        stages=dict(B=3, D=3),
        registers=2,
    )
    return Case(typed_chains.chain(kind, (64, k, 160, 32), (), ("relu",)), text.replace("mma.m16n8k16", operator), chip, options)


PRODUCT = dict(PRODUCT, stages=dict(A=3, B=3), registers=2)
BOTH = dict(
    tiling="m(k(LA,LB,CC),LD,CE,SE)",
    tiles=dict(m=32, n=32, k=32, h=32),
    blocks=["m"],
    maps=dict(C=("m", "n", "k", "[2, 2]"), E=("m", "h", "n", "[2, 2]")),
    places=dict(A="shared, async16", B="shared, async16", C="shared", D="shared, async16", E="shared"),
    stages=dict(A=3, B=3),
    registers=2,
)
SPLIT_CHAIN = dict(
    tiling="mh(LA,n(LB,CC,LD,CE),SE)",
    tiles=dict(m=32, n=32, k=32, h=32),
    blocks=["m", "h"],
    maps=dict(C=("m", "n", "k", "[2, 1]"), E=("m", "h", "n", "[2, 1]")),
    places=dict(A="shared, async16", B="shared, async16", C="registers", D="shared, async16", E="shared"),
    stages=dict(B=2, D=2),
    warps=2,
    registers=2,
    split={"n": 2},
)
# Few rows of queries; two blocks share their keys.
DECODE = dict(
    tiling="b(LA,n(LB,CC,LD,CE),SE)",
    tiles=dict(b=1, m=16, n=16, k=32, h=32),
    blocks=["b"],
    maps=dict(C=("m", "n", "k", "[1, 1]"), E=("m", "h", "n", "[1, 1]")),
    places=dict(A="shared, async16", B="shared, async16", C="registers", D="shared, async16", E="shared"),
    stages=dict(B=2, D=2),
    warps=1,
    registers=2,
    split={"n": 2},
    reduction="online",
)
GATED = dict(
    tiling="mh(k(LA,LB,CC,LD,CE),LF,CG,SG)",
    tiles=dict(b=1, m=32, n=32, k=32, h=32),
    blocks=["m", "h"],
    maps=dict(C=("m", "n", "k", "[2, 2]"), E=("m", "n", "k", "[2, 2]"), G=("m", "h", "n", "[2, 2]")),
    places={x: "shared, async16" for x in "ABDF"} | dict(C="registers", E="shared", G="shared"),
    stages=dict(A=3, B=3, D=3),
    registers=2,
)

# Scores that are a sum of two products.
SCORES = dict(
    tiling="m(LA,LD,n(LB,CC,LE,CF,LG,CH),SH)",
    tiles=dict(b=1, m=32, n=32, k=32, h=32, p=32),
    blocks=["m"],
    maps=dict(C=("m", "n", "k", "[2, 1]"), F=("m", "n", "h", "[2, 1]"), H=("m", "p", "n", "[2, 1]")),
    places={x: "shared, async16" for x in "ABDEG"} | dict(C="registers", F="registers", H="shared"),
    stages=dict(B=2, E=2, G=2),
    warps=2,
    registers=2,
    reduction="online",
)
# A correction of low rank beside the product.
ADAPTED = dict(
    tiling="mh(k(LA,LB,CC,LD,CE),LF,CG,SG)",
    tiles=dict(b=1, m=32, n=16, k=32, h=32),
    blocks=["m", "h"],
    maps=dict(C=("m", "n", "k", "[2, 1]"), E=("m", "h", "k", "[2, 1]"), G=("m", "h", "n", "[2, 1]")),
    places={x: "shared, async16" for x in "ABDF"} | dict(C="registers", E="registers", G="shared"),
    stages=dict(A=2, B=2, D=2),
    warps=2,
    registers=2,
)
# Accumulators of the last contraction, for all of p, while h goes round.
THREE = dict(
    tiling="m(h(n(k(LA,LB,CC),LD,CE),p(LF,CG)),p(SG))",
    tiles=dict(m=32, n=32, k=32, h=32, p=32),
    blocks=["m"],
    maps=dict(C=("m", "n", "k", "[2, 2]"), E=("m", "h", "n", "[2, 2]"), G=("m", "p", "h", "[2, 2]")),
    places={x: "shared, async16" for x in "ABDF"} | dict(C="shared", E="shared", G="shared"),
    stages=dict(A=2, B=2),
    registers=2,
)
# All of C is computed before the second contraction begins, and kept; the loop over it that the second one has is
# unrolled.
KEPT = dict(
    tiling="m(n(k(LA,LB,CC)),h(n(LD,CE),SE))",
    tiles=dict(m=32, n=32, k=32, h=32),
    blocks=["m"],
    maps=dict(C=("m", "n", "k", "[2, 1]"), E=("m", "h", "n", "[2, 1]")),
    places=dict(A="shared, async16", B="shared, async16", C="registers", D="shared, async16", E="shared"),
    stages=dict(A=3, B=3, D=2),
    warps=2,
    registers=2,
)
# A's rows are divided by their root mean square (D), which is summed beside the product.
NORMALISED = PRODUCT | dict(
    tiling="mn(k(LA,LB,CD,CC),SC)",
    tiles=dict(b=1, m=32, n=32, k=32),
    places=dict(A="shared, async16", A1="registers", B="shared, async16", C="shared", D="registers"),
    reduction="online",
)


def products(sizes):
    return run(sys.executable, str(ROOT / "benchmarks" / "workloads" / "generate.py"), f"--chain={sizes}", "--2d")


def case(text, description, **rest):
    return Case(text, schedule(**description), **rest)


def image(channels, *layers):
    return Program(1, (5, 7), channels, "last", "f16", list(layers)).text()


CASES = {
    # Rows that a block sums: mean and variance.
    "layer-norm": stitched("layer_norm", 2, 768, {"i": "tile = 1", "j": "tile = 1024, vector = 8, lanes = 32, warps = 4"},
                           'axis = "j", step = 1024, register_steps = 1'),
    # Long rows, which stay in shared memory.
    "softmax-walk": stitched("softmax", 2, 2048, {"i": "tile = 1", "j": "tile = 2048, vector = 8, lanes = 32, warps = 2"},
                             'axis = "j", step = 512, shared = 4', warps=2),
    # Sums over columns, which blocks share.
    "tiles-ahead": stitched("layer_norm", 20, 256, {"i": "tile = 10, warps = 1", "j": "tile = 256, vector = 8, lanes = 32"},
                            'axis = "i", step = 2, stages = 3', warps=1),
    "kept-ahead": stitched("softmax", 2, 2560, {"i": "tile = 1", "j": "tile = 2560, vector = 8, lanes = 32, warps = 2"},
                           'axis = "j", step = 512, shared = 5, stages = 3', warps=2),
    "columns": stitched("layer_norm_backward", 128, 64,
                        {"i": "tile = 64, lanes = 2, warps = 2", "j": "tile = 64, vector = 2, lanes = 16, warps = 2"},
                        'axis = "i", step = 16, register_steps = 1'),
    # Another layout for the stores of a transpose.
    "turned": stitched("transpose_of_normalised", 48, 64, {"i": "tile = 16, warps = 2", "j": "tile = 64, lanes = 32"}, warps=2),
    "convolution": case(image(24, layer(64, 3, 1, 1, relu=True)), PRODUCT),
    "two-convolutions": case(image(16, layer(32, 3, 1, 1, relu=True), layer(32)), BOTH),
    "f32": typed("f32", "fma.m8n16k4"),
    "tf32": typed("tf32", "mma.m16n8k8", options=" f32-products=tf32"),
    "s8": typed("s8", "mma.m16n16k32"),
    # For sm_90a only the name of the chip differs.
    "e4m3": typed("e4m3", "mma.f8.m16n16k32", "sm_89"),
    # Partial results are added up by kernels without barriers, which have no mutants.
    "split-product": case(products("64,320,64"), PRODUCT | dict(split={"k": 2})),
    "split-chain": case(products("64,32,256,64"), SPLIT_CHAIN),
    "decode": case(score_chains.chain(2, 4, 160, 32, 32), DECODE),
    "two-scores": case(joined_chains.two_scores(1, 64, 160, 32, 32), SCORES),
    "adapted": case(joined_chains.adapted(1, 64, 160, 16, 64), ADAPTED),
    "three": case(products("64,128,64,64,128"), THREE),
    "kept": case(products("64,160,128,64"), KEPT),
    "normalised": case(normalised_chains.chain(64, 160, 64, gain=False), NORMALISED),
    "gated": case(joined_chains.gated(1, 64, 160, 32, 64), GATED),
}  # fmt: skip
