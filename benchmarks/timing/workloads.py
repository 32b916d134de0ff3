# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The workloads whose drawn schedules are timed: (family, case, data type, {size: number}). Sizes are such that one
schedule takes the emulator a second or two."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "workloads"))

import generate  # noqa: E402

CHAINS = (
    ("gemm_chains_mcfuser", "G1", "f16", {}),
    ("gemm_chains_mcfuser", "G3", "f16", {}),
    ("gemm_chains_mcfuser", "G4", "f16", {}),
    ("gemm_chains_mcfuser", "G7", "bf16", {}),
    ("gemm_chains_mcfuser", "G10", "f16", {}),
    ("attention_mcfuser", "S1", "f16", {}),
    ("attention_mcfuser", "S6", "f16", {}),
    ("attention_mcfuser", "S10", "bf16", {"heads": 4}),
    ("attention_long", "FA_d64_s2048_causal", "f16", {"batch": 1, "heads": 8, "seq": 512}),
    ("attention_long", "FA_d128_s2048", "f16", {"batch": 1, "heads": 8, "seq": 512}),
    ("decode", "D_mha_d64_r1_n4096", "f16", {"heads": 16, "keys": 1024}),
    ("operators_gta", "gemm_1024x1024x1024", "f16", {"M": 512, "N": 512, "K": 512}),
)
PATTERNS = tuple(
    ("stitch_patterns", f"{pattern}_4096x768", dtype, {"rows": rows, "cols": columns})
    for pattern, dtype, rows, columns in (
        ("layer_norm", "f16", 512, 768),
        ("rms_norm", "f16", 256, 4096),
        ("softmax", "f16", 256, 4096),
        ("log_softmax", "f32", 1024, 1000),
        ("cross_entropy", "bf16", 512, 2048),
        ("bias_gelu", "f16", 512, 1024),
        ("bias_dropout_residual_layer_norm", "f16", 512, 768),
        ("swiglu", "bf16", 512, 1024),
        ("l2_normalize", "f32", 512, 512),
        ("mean_var_two_reductions", "f32", 300, 1024),
        ("layer_norm_backward", "f16", 512, 768),
        ("reduce_exp_broadcast_reduce", "f32", 512, 1024),
    )
)


def label(workload):
    family, case, dtype, sizes = workload
    changed = " ".join(f"{name}={number}" for name, number in sizes.items())
    return f"{family}:{case}/{dtype} {changed}".rstrip()


def text(workload):
    """The linalg module."""
    family, case, dtype, sizes = workload
    return generate.workload(family, case, dtype, overrides=sizes).text
