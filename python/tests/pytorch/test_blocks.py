# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks of models through torch.compile, equal to PyTorch's own results."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


NAMES = ["bert", "llama", "vit", "mixer", "dien"]


def close(result, expected, dtype):
    error = {torch.float32: 1e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}[dtype]
    assert result.dtype == expected.dtype
    torch.testing.assert_close(result.float(), expected.float(), rtol=error,
                               atol=error * max(1.0, expected.float().square().mean().sqrt()))


@pytest.mark.parametrize("name, chip", [
    *((name, "host") for name in NAMES),
    # The page counts the kernels of sm_80.
    ("llama", "sm_80"), ("dien", "sm_80"),
    *(pytest.param(name, "sm_80", marks=pytest.mark.full) for name in ("bert", "vit", "mixer")),
])
def test_block(run_compiled, name, chip, capsys):
    import documented
    import models

    model, inputs = models.blocks()[name]
    model.eval()
    result, report = run_compiled(model, *inputs)
    with torch.no_grad():
        close(result, model(*inputs), torch.float32)
    # One graph, all of it ours, in one part.
    assert report.graphs == 1 and not report.declined and len(report.regions) == 1
    assert report.regions[0].program.chip == chip
    with capsys.disabled():
        print(f"\n{name}: {report.operators} operators, {report.kernels} kernels for {chip}")
    assert 2 * report.kernels <= report.operators
    if chip == "sm_80" and not documented.other_version():
        assert (report.operators, report.kernels) == documented.small()[name][:2]


@pytest.mark.parametrize("name", ["residual", "mobile", "unet"])
def test_convolutional_network(run_compiled, name):
    import models

    model, inputs = models.networks()[name]
    result, report = run_compiled(model, *inputs)
    with torch.no_grad():
        close(result, model(*inputs), torch.float32)
    assert report.graphs == 1 and not report.declined


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", ["bert", "vit"])
def test_half_types(run_compiled, name, dtype):
    import models

    model, inputs = models.blocks()[name]
    model = model.eval().to(dtype)
    inputs = [x.to(dtype) if x.is_floating_point() else x for x in inputs]
    result, _ = run_compiled(model, *inputs)
    with torch.no_grad():
        # PyTorch rounds more often than we do: both are off the exact result.
        close(result, model.float()(*[x.float() if x.is_floating_point() else x
                                      for x in inputs]).to(dtype), dtype)


@pytest.mark.parametrize("chip", ["host", "sm_80"])
def test_attention_is_one_kernel(run_compiled, chip):
    def attention(q, k, v):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)

    q, k, v = (torch.randn(1, 2, 64, 32).half() for _ in range(3))
    result, report = run_compiled(attention, q, k, v, force_fusion=True)
    close(result, attention(q.float(), k.float(), v.float()).half(), torch.float16)
    assert report.kernels == 1


@pytest.mark.nightly
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("chip", ["sm_80"])
def test_block_under_the_sanitizers(run_compiled, name, chip):
    import models

    model, inputs = models.blocks()[name]
    result, _ = run_compiled(model.eval(), *inputs, sanitize=True)
    with torch.no_grad():
        close(result, model(*inputs), torch.float32)
