# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many kernels blocks become at the sizes of published models, as docs/pytorch-blocks.md has it."""

import re

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
TARGETS = [(torch.float16, "sm_80"), (torch.float16, "sm_90a"), (torch.float32, "sm_80")]


def compiled(front, name, dtype, chip):
    """The report of a block at its real size."""
    import models
    from fusion.torch.backend import decompositions
    from fusion.torch.regions import compile_graph

    model, inputs = models.real_block(name)
    model = model.eval().to(dtype)
    inputs = [x.to(dtype) if x.is_floating_point() else x for x in inputs]
    report = front.Report()
    compile_graph(models.graph_of(model, inputs, decompositions()),
                  front.Options(report=report, cache_dir="", strict=True, chip=chip))
    return report


def test_the_readme_says_the_same(front):
    import documented

    text = " ".join((documented.ROOT / "README.md").read_text().split())
    (real, (triton, libraries)), (operators, small, theirs) = documented.real()["bert"][0], documented.small()["bert"]
    assert f"becomes {real} kernels for sm_80. TorchInductor's code for it launches {triton + libraries}: " \
           f"{triton} Triton kernels and {libraries} calls of libraries." in text
    assert f"{operators} operators become {small} kernels, and {sum(theirs)} launches of TorchInductor's" in text
    assert f"in PyTorch {documented.version()} " in text


@pytest.mark.parametrize("name", [
    "bert", pytest.param("llama", marks=pytest.mark.nightly), "vit", "mixer", "dien"])
def test_kernels(front, name):
    import documented

    counts = []
    for dtype, chip in TARGETS:
        report = compiled(front, name, dtype, chip)
        assert len(report.regions) == 1 and not report.declined
        assert report.kernels < report.operators / 2
        counts.append(report.kernels)
    if reason := documented.other_version():
        pytest.skip(reason)
    assert counts == [ours for ours, _ in documented.real()[name]]


def test_why_bert_has_so_many(fusion, front):
    """The predicted times that the page gives are in the remarks."""
    import documented

    if reason := documented.other_version():
        pytest.skip(reason)
    report = compiled(front, "bert", torch.float16, "sm_80")
    (region,) = report.regions
    program = fusion.compile(region.module.text, chip="sm_80", remarks=True)
    remarks = "\n".join(remark.message for remark in program.diagnostics)
    for together, apart in re.findall(r"\((\d+\.\d+) us together, (\d+\.\d+) us apart\)", documented.PAGE):
        assert f"predicted {together} us for the chain and the groups around with them in the chain, " \
               f"{apart} us with them in the groups" in remarks
    for fused, apart in re.findall(r"\((\d+\.\d+) us fused, (\d+\.\d+) us separately\)", documented.PAGE):
        assert f"predicted {fused} us fused against {apart} us separately" in remarks
    text = (documented.ROOT / "README.md").read_text()
    assert f"{report.operators} operators of core ATen" in text
