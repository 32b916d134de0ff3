# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is measured, in which order, and how it is cut into pieces."""

import dataclasses
import fnmatch
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "workloads"))

import families as tables  # noqa: E402
import generate  # noqa: E402

# What each family is measured in unless --dtype says otherwise.
DTYPES = {
    "gemm_chains_mcfuser": ("f16", "bf16"),
    "gemm_chains_chimera": ("f16", "bf16"),
    "attention_mcfuser": ("f16", "bf16"),
    "attention_long": ("f16", "bf16"),
    "decode": ("f16", "bf16"),
    "conv_chains_chimera": ("f16",),
    "operators_alcop": ("f16",),
    "operators_gta": ("f16",),
    "products_large": ("f16",),
    "stitch_patterns": ("f16", "f32"),
}
SDPA_BACKENDS = ("flash", "efficient", "cudnn", "math")
# Bytes that a device copy reads and writes, from what is in the L2 to what is not.
COPY_SIZES = tuple(1 << power for power in range(20, 33))
COPY_SIZES_CPU = COPY_SIZES[:4]
# Seconds a unit may take before it is given up; autotuning compiles dozens of kernels.
LIMITS = {"main": 120, "autotune": 240}
# Rough seconds of a unit, to recommend a number of pieces.
ESTIMATES = {"main": 6.0, "autotune": 45.0}
# The part of the 450 s that a piece measures for by default; the rest is slack for slow units.
PIECE_SECONDS = 400


@dataclasses.dataclass(frozen=True)
class Unit:
    """One workload in one phase: "main" (ours, its check, quick peers) or "autotune"."""

    phase: str
    family: str
    case: str
    dtype: str

    @property
    def key(self):
        return f"{self.case}/{self.dtype}"

    def build(self):
        return generate.workload(self.family, self.case, self.dtype)


def peers_of(unit):
    """The peers that a unit times, by name."""
    if unit.phase == "autotune":
        return ["autotune"]
    names = ["eager", "compile"]
    if unit.family.startswith("attention"):
        names += [f"sdpa:{backend}" for backend in SDPA_BACKENDS]
    return names


def variants_of(unit):
    """Options with which ours is timed once more, by the key of the result: exponentials as PyTorch's attention has them, one
    multiply-add before each (docs/numerics.md)."""
    has_softmax = unit.family.startswith("attention") or unit.family == "decode"
    return {"ours_fma": ["--exponentials=fma"]} if has_softmax and unit.phase == "main" else {}


def units(phase, family="*", case="*", dtypes=None):
    """All units of a phase in a fixed order."""
    return [
        Unit(phase, one.name, entry["name"], dtype)
        for one in tables.families().values()
        if fnmatch.fnmatchcase(one.name, family)
        for dtype in (dtypes or DTYPES[one.name])
        for entry in one.cases
        if fnmatch.fnmatchcase(entry["name"], case)
    ]


def parse_piece(text):
    """ "2/5" or "autotune:2/5" -> (phase, 2, 5)."""
    phase, colon, fraction = text.rpartition(":")
    phase = phase if colon else "main"
    number, slash, count = fraction.partition("/")
    if phase not in ESTIMATES or not slash or not number.isdecimal() or not count.isdecimal():
        raise ValueError(f"--piece={text}: want i/n or autotune:i/n")
    if not 1 <= int(number) <= int(count):
        raise ValueError(f"--piece={text}: i is from 1 to n")
    return phase, int(number), int(count)


def piece(all_units, number, count):
    """Piece `number` (from 1) of `count`: every count-th unit, so that pieces take alike."""
    return all_units[number - 1 :: count]


def recommended_pieces(phase, count):
    return max(1, -(-int(count * ESTIMATES[phase]) // PIECE_SECONDS))
