# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The targets for Hopper (H100, H200) relative to PyTorch: `run --targets` measures it, `summary` checks it."""

import dataclasses
import fnmatch

import plan


@dataclasses.dataclass(frozen=True)
class Target:
    """Workloads and what is wanted of each.

    tflops: more than this. share_of_eager: at least this share of the rate of eager, i.e. of cuBLAS. peers: which
    ones it must be faster than, or as fast with `ties` ("best": all but max-autotune). share_of_copy: of the bandwidth
    of a device copy.
    """

    name: str
    families: tuple
    cases: tuple = ("*",)
    dtypes: tuple = ()  # none: as plan.DTYPES
    least_bytes: int = 0
    tflops: float | None = None
    share_of_eager: float | None = None
    share_of_copy: float | None = None
    peers: tuple = ()
    ties: bool = False

    def units(self, phase="main"):
        found = [
            unit
            for family in self.families
            for unit in plan.units(phase, family, dtypes=self.dtypes or None)
            if any(fnmatch.fnmatchcase(unit.case, case) for case in self.cases)
        ]
        return [unit for unit in found if not self.least_bytes or unit.build().bytes >= self.least_bytes]


SHORT = ("gemm_chains_mcfuser", "gemm_chains_chimera", "attention_mcfuser")
SHORT_CASES = ("S[1-9]", "G[1-9]", "G1[0-2]")
TARGETS = (
    Target(
        "attention, head 128, 16k tokens, full: above 600 TFLOP/s, not below PyTorch's best",
        ("attention_long",), ("FA_d128_s16384",), tflops=600, peers=("best",), ties=True,
    ),
    Target(
        "attention, head 64, 16k tokens, full: above 450 TFLOP/s",
        ("attention_long",), ("FA_d64_s16384",), tflops=450,
    ),
    Target(
        "product 4096 x 4096 x 4096, f16: 90 % of cuBLAS (eager)",
        ("products_large",), ("gemm_4096x4096x4096",), ("f16",), share_of_eager=0.9,
    ),
    Target(
        "short workloads (S1-S9, G1-G12 of both tables): faster than PyTorch's best but max-autotune",
        SHORT, SHORT_CASES, peers=("best",),
    ),
    Target(
        "short workloads: faster than torch.compile with max-autotune",
        SHORT, SHORT_CASES, peers=("autotune",),
    ),
    Target(
        "stitched kernels, 32 MB and more: 92 % of the bandwidth of a device copy",
        ("stitch_patterns",), least_bytes=32_000_000, share_of_copy=0.92,
    ),
    Target(
        "stitched kernels: not slower than eager and torch.compile",
        ("stitch_patterns",), peers=("best",), ties=True,
    ),
)  # fmt: skip


def units(phase):
    """Each unit of any target once, what the targets name first in front."""
    wanted = [target for target in TARGETS if phase == "main" or phase in target.peers]
    return list(dict.fromkeys(unit for target in wanted for unit in target.units(phase)))
