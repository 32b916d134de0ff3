# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's kernels, interpreted on the CPU, against PyTorch."""

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

GPU = pathlib.Path(__file__).parents[1] / "gpu"

pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("torch", "triton")), reason="needs PyTorch and Triton"
)

PROGRAM = """
import sys
import torch
import triton_peers as peers

torch.manual_seed(1)
f16 = dict(dtype=torch.float16)


def compare(name, ours, reference):
    error = (ours.float() - reference).abs().max().item()
    allowed = 4e-3 * (1 + reference.abs().max().item())
    print(name, error, allowed)
    assert ours.shape == reference.shape and error <= allowed, name


a, b = torch.rand(200, 136, **f16) - 0.5, torch.rand(136, 300, **f16) - 0.5
compare("product", peers.function("products_large", {})(a, b), a.float() @ b.float())
for heads, rows, keys, width, causal in ((2, 200, 136, 64, False), (1, 264, 264, 32, True), (1, 256, 256, 128, True)):
    q, k, v = (torch.rand(heads, n, width, **f16) * 2 - 1 for n in (rows, keys, keys))
    scores = q.float() @ k.float().transpose(1, 2) * width**-0.5
    if causal:
        scores = scores.masked_fill(~torch.ones(rows, keys, dtype=torch.bool).tril(), float("-inf"))
    case = {"seq": rows, "head_dim": width, "causal": causal}
    compare(f"attention {case}", peers.function("attention_long", case)(q, k, v), scores.softmax(-1) @ v.float())
x, gamma, beta = torch.rand(5, 700, **f16), torch.rand(700, **f16), torch.rand(700, **f16)
wide = x.float()
pattern = lambda name: peers.function("stitch_patterns", {"pattern": name})
compare("softmax", pattern("softmax")(x), wide.softmax(1))
compare("layer_norm", pattern("layer_norm")(x, gamma, beta),
        torch.nn.functional.layer_norm(wide, (700,), gamma.float(), beta.float(), 1e-5))
compare("rms_norm", pattern("rms_norm")(x, gamma), torch.nn.functional.rms_norm(wide, (700,), gamma.float(), 1e-5))
for family, case in (("decode", {}), ("stitch_patterns", {"pattern": "rope"})):
    try:
        peers.function(family, case)
    except RuntimeError as error:
        assert "no Triton kernel" in str(error)
    else:
        raise AssertionError(family)
"""


def test_against_pytorch():
    environment = dict(os.environ, TRITON_INTERPRET="1", PYTHONPATH=str(GPU), CUDA_VISIBLE_DEVICES="")
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=environment, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr[-3000:]
