# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows of the table: workloads of benchmarks/workloads in one data type each, in named sets."""

import dataclasses
import functools
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "workloads"))

import families as tables  # noqa: E402
import generate  # noqa: E402

DTYPES = ("f32", "bf16", "f16")
# The sets, as the page shows them.
SETS = {
    "chains": "Chains of contractions",
    "attention": "Attention",
    "attention-long": "Attention of long sequences",
    "decode": "Decode attention",
    "convolution-chains": "Chains of convolutions",
    "stitched": "Stitched operators",
    "stitched-large": "Stitched operators, 64 MB a tensor",
    "products": "Single contractions",
    "convolutions": "Single convolutions",
    "blocks": "Blocks of models",
}
# Rows and columns of stitched operators: all tensors in L2 or L3, and one of 64 MB in f32.
SMALL, LARGE = (256, 1024), (16384, 1024)
# The case of the table whose sizes are changed to these.
_STITCH_SIZES = "_1000x1000"


@dataclasses.dataclass(frozen=True)
class Row:
    set: str
    family: str  # of benchmarks/workloads; "block" for a model
    case: str
    dtype: str
    overrides: tuple = ()  # of (size, number)
    sizes: tuple = ()  # of a chain that is in no table

    @property
    def name(self):
        """A name that is unique among the rows and can be a file's."""
        if self.family == "stitch_patterns":
            sizes = dict(self.overrides)
            return f"{self.case.removesuffix(_STITCH_SIZES)}_{sizes['rows']}x{sizes['cols']}-{self.dtype}"
        changed = "".join(f"_{size}{number}" for size, number in self.overrides)
        family = {"gemm_chains_mcfuser": "mcfuser-", "gemm_chains_chimera": "chimera-"}.get(self.family, "")
        return f"{family}{self.case}{changed}-{self.dtype}"

    @property
    def label(self):
        """What --rows searches: 'set name'."""
        return f"{self.set} {self.name}"

    @functools.cache  # noqa: B019
    def workload(self):
        """The linalg module with its inputs and outputs; not of blocks."""
        family = tables.free_chain(self.sizes, None) if self.sizes else self.family
        return generate.workload(family, self.case, self.dtype, overrides=dict(self.overrides))

    def exponentials(self):
        """How many exponentials attention, softmax and SwiGLU evaluate at least; 0 of other rows."""
        if self.family == "stitch_patterns":
            has_one = self.case.removesuffix(_STITCH_SIZES) in ("softmax", "log_softmax", "cross_entropy", "swiglu")
            return math.prod(number for _, number in self.overrides) if has_one else 0
        if self.set not in ("attention", "attention-long", "decode"):
            return 0
        case = tables.families()[self.family].case(self.case) | dict(self.overrides)
        if self.set == "decode":
            return math.prod(case[key] for key in ("batch", "heads", "group", "rows", "keys"))
        if self.set == "attention-long":
            return case["batch"] * case["heads"] * case["seq"] ** 2 // (2 if case["causal"] else 1)
        return case["heads"] * case["M"] * case["N"]


def _every(set_name, family, cases, dtypes=DTYPES, overrides=()):
    return [Row(set_name, family, case, dtype, overrides) for dtype in dtypes for case in cases]


def _chains():
    for dtype in DTYPES:
        for family in ("gemm_chains_mcfuser", "gemm_chains_chimera"):
            yield from _every("chains", family, [f"G{i}" for i in range(1, 13)], (dtype,))


def _long():
    few = (("batch", 1), ("heads", 4))
    for case in ("FA_d64_s2048", "FA_d64_s2048_causal", "FA_d128_s4096", "FA_d128_s4096_causal"):
        yield from _every("attention-long", "attention_long", [case], ("f32", "bf16"), few)


def _decode():
    cases = [f"D_{heads}_d128_r1_n4096" for heads in ("mha", "gqa4", "gqa8")]
    return _every("decode", "decode", [*cases, "D_gqa4_d128_r4_n4096"], ("f32", "bf16"))


def _stitched(set_name, shape, dtypes):
    patterns = [case["pattern"] for case in tables.families()["stitch_patterns"].cases]
    rows = (("rows", shape[0]), ("cols", shape[1]))
    for dtype in dtypes:
        for pattern in dict.fromkeys(patterns):
            yield Row(set_name, "stitch_patterns", pattern + _STITCH_SIZES, dtype, rows)


def _products():
    for dtype in DTYPES:
        for size in (256, 512, 1024, 2048):
            yield Row("products", "chain", f"chain_{size}x{size}x{size}", dtype, (), (size,) * 3)
        for case in ("gemm_512x768x3072", "gemm_512x3072x768", "gemm_128x4096x1024", "bmm_12x512x512x64",
                     "gemm_16x1024x1024"):  # fmt: skip
            yield Row("products", "operators_gta", case, dtype)
        yield Row("products", "operators_gta", "gemv_4096x4096", dtype)
        yield Row("products", "chain", "chain_4096x4096x4096", dtype, (), (4096,) * 3)


def _convolutions():
    cases = [f"ResNet18_C{i}_b1" for i in (1, 3, 5, 8, 11)] + ["conv2d_dilated_b1_28x28_c128_f128_k3"]
    return _every("convolutions", "operators_gta", cases, ("f32", "bf16"))


def _blocks():
    for name in ("bert", "llama", "llama_decode", "vit", "mixer", "dien", "resnet"):
        for dtype in ("f32", "bf16"):
            yield Row("blocks", "block", name, dtype)


@functools.cache
def all_rows():
    """Every row, by set."""
    found = [
        *_chains(),
        *_every("attention", "attention_mcfuser", [f"S{i}" for i in range(1, 10)]),
        *_long(),
        *_decode(),
        *_every("convolution-chains", "conv_chains_chimera", [f"C{i}" for i in range(1, 9)]),
        *_stitched("stitched", SMALL, ("f32", "bf16")),
        *_stitched("stitched-large", LARGE, ("f32",)),
        *_products(),
        *_convolutions(),
        *_blocks(),
    ]
    assert len({row.name for row in found}) == len(found), "names of rows are not unique"
    return tuple(found)


def chosen(pattern=None, sets=None):
    """The rows whose label has a match of a compiled pattern."""
    return [
        row
        for row in all_rows()
        if (pattern is None or pattern.search(row.label)) and (sets is None or row.set in sets)
    ]


def in_order_of_budget(rows):
    """One row of each set and type after the other, so that a budget which ends early has some of each."""
    queues = {}
    for row in rows:
        queues.setdefault((DTYPES.index(row.dtype), row.set), []).append(row)
    ordered, turn = [], 0
    while len(ordered) < len(rows):
        for key in sorted(queues, key=lambda key: key[0]):
            if turn < len(queues[key]):
                ordered.append(queues[key][turn])
        turn += 1
    return ordered
