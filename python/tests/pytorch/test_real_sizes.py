"""How many kernels blocks become at the sizes of published models, as docs/python.md has it."""

import pathlib
import re

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
ROOT = pathlib.Path(__file__).parents[3]
TARGETS = [(torch.float16, "sm_80"), (torch.float16, "sm_90a"), (torch.float32, "sm_80")]


def documented():
    """Name of a block → its kernels for each of `TARGETS`."""
    page = (ROOT / "docs" / "python.md").read_text()
    rows = re.findall(r"^\| (\w+): [^|]* \| (\d+) \| (\d+) \| (\d+) \|$", page, re.MULTILINE)
    return {name: [int(count) for count in counts] for name, *counts in rows}


def test_the_readme_says_the_same():
    text = (ROOT / "README.md").read_text()
    assert f"becomes\n{documented()['bert'][0]} kernels for sm_80" in text


@pytest.mark.parametrize("name", [
    "bert", pytest.param("llama", marks=pytest.mark.nightly), "vit", "mixer", "dien"])
def test_kernels(front, name):
    import models
    from fusion.torch.backend import decompositions
    from fusion.torch.regions import compile_graph

    model, inputs = models.real_block(name)
    counts = []
    for dtype, chip in TARGETS:
        model = model.eval().to(dtype)
        inputs = [x.to(dtype) if x.is_floating_point() else x for x in inputs]
        report = front.Report()
        compile_graph(models.graph_of(model, inputs, decompositions()),
                      front.Options(report=report, cache_dir="", strict=True, chip=chip))
        assert len(report.regions) == 1 and not report.declined
        assert report.kernels < report.operators / 2
        counts.append(report.kernels)
    assert counts == documented()[name]
