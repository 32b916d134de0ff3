# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""benchmarks/peers: what TorchInductor launches on a GPU, generated without one, as docs/pytorch-blocks.md has it."""

import importlib.util
import json
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "benchmarks" / "peers" / "blocks.py"

pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("torch", "triton")), reason="needs PyTorch and Triton"
)


@pytest.fixture
def documented(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "python" / "tests" / "pytorch"))
    import documented

    if reason := documented.other_version():
        pytest.skip(reason)
    return documented


def count(folder, *arguments):
    command = [sys.executable, PROGRAM, "--inductor-only", f"--json={folder}/blocks.json", f"--code={folder}"]
    done = subprocess.run([*command, *arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads((folder / "blocks.json").read_text())


def launched(entry):
    return entry["triton"], entry["libraries"]


def test_small_blocks(documented, tmp_path):
    found = count(tmp_path, "--small")
    assert {name: launched(entry["f32 sm_80"]) for name, entry in found["small"].items()} == \
        {name: theirs for name, (_, _, theirs) in documented.small().items()}  # fmt: skip
    # It is code for the GPU: Triton kernels, on tensors there.
    code = (tmp_path / "bert-small-f32-sm_80.py").read_text()
    assert "DeviceProperties(type='cuda', index=0, multi_processor_count=108, cc=80" in code
    assert "empty_strided_cuda(" in code and "empty_strided_cpu(" not in code
    # Attention is a call of a library.
    assert "torch.ops.aten._scaled_dot_product_efficient_attention.default(" in code


@pytest.mark.parametrize("name", [
    "bert", pytest.param("llama", marks=pytest.mark.nightly), "vit", "mixer", "dien"])  # fmt: skip
def test_real_sizes(documented, tmp_path, name):
    found = count(tmp_path, f"--block={name}")["real"][name]
    assert [launched(found[key]) for key in ("f16 sm_80", "f16 sm_90a", "f32 sm_80")] == \
        [theirs for _, theirs in documented.real()[name]]  # fmt: skip
