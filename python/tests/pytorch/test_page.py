# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The blocks of docs/python.md and docs/pytorch.md that need PyTorch, or a GPU; lit runs the others."""

import pathlib
import re

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
DOCS = pathlib.Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "python.md").read_text() + (DOCS / "pytorch.md").read_text()


def blocks(mark):
    found = re.findall(rf"^```python \{{{mark}\}}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"no block {mark}"
    return found


def test_all_blocks_are_run():
    for mark in re.findall(r"^```python *(.*)$", PAGE, re.MULTILINE):
        assert re.fullmatch(r"\{(file=\w+\.py|needs=torch|needs=gpu)\}", mark), mark


def test_blocks_of_pytorch(front, capsys, monkeypatch, tmp_path):
    from fusion.torch.lowering import RULES

    monkeypatch.setenv("FUSION_CACHE_DIR", str(tmp_path))
    first, emulated, rule = blocks("needs=torch")
    known = {}
    exec(first, known)
    for line in capsys.readouterr().out.splitlines()[:2]:
        assert line in PAGE, line
    exec(emulated, known)
    assert "aten.silu.default" not in RULES
    exec(rule, {})
    x = torch.randn(5)
    monkeypatch.setitem(RULES, "aten.silu.default", RULES.pop("aten.silu.default"))
    torch._dynamo.reset()
    compiled = torch.compile(torch.nn.functional.silu, backend="fusion", options={"strict": True, "cache_dir": ""})
    torch.testing.assert_close(compiled(x), torch.nn.functional.silu(x))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_blocks_of_gpus(front, capsys):
    known = {"torch": torch}
    exec(blocks("file=product.py")[0], known)
    for block in blocks("needs=gpu"):
        exec(block, known)
    torch.cuda.synchronize()
    assert (known["t"] == 16).all()
