# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs of stride 0 are read in place: those here have 2^36 elements, which nothing could hold."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

ROWS = 2**32


def rows(dtype=torch.float32):
    return torch.linspace(-2, 2, 16).to(dtype).expand(ROWS, 16)


@pytest.mark.parametrize("model, small", [
    (lambda x: x[-5:] + 1, lambda x: x[-5:] + 1),
    (lambda x: x[3] * 2, lambda x: x[3] * 2),
    (lambda x: x.view(2**16, 2**16, 16)[3, 5:9].exp(), lambda x: x[5:9].exp()),
    (lambda x: x.t()[1:3, ::2**30] * 2, lambda x: x.t()[1:3, :4] * 2),
    (lambda x: x.unflatten(1, (4, 4))[:3].transpose(1, 2).sigmoid(), lambda x: x.unflatten(1, (4, 4))[:3].mT.sigmoid()),
    (lambda x: x.index_select(0, torch.tensor([7, 2**31])) - 1, lambda x: x[:2] - 1),
    (lambda x: x[torch.tensor([7, -1]), torch.tensor([3, 5])] - 1, lambda x: x[[0, 0], [3, 5]] - 1),
    (lambda x: x[None, :, None].squeeze().narrow(0, 9, 3).softmax(-1), lambda x: x[:3].softmax(-1)),
    (lambda x: x.split(2**31)[1][-2:].cumsum(-1), lambda x: x[:2].cumsum(-1)),
    (lambda x: x[:4] @ x[:16], lambda x: x[:4] @ x[:16]),
    (lambda x: torch.cat([x[:2], x[-1:]]) * 3, lambda x: x[:3] * 3),
    (lambda x: x.diagonal() + 1, lambda x: x[0] + 1),
])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_in_place(run_compiled, model, small, dtype):
    result, report = run_compiled(model, rows(dtype))
    torch.testing.assert_close(result, small(rows(dtype)[:32].contiguous()))
    assert not report.declined


def test_several_dimensions(run_compiled):
    """As masks and tables are repeated along the batch and the heads, and both of two strides."""
    mask = (torch.arange(5) > 2)[None, None, :].expand(3, 4, 5)
    column = torch.randn(4, 1).expand(4, 5)
    scalar = torch.tensor(0.5).expand(3, 1, 5)
    transposed = torch.randn(5, 4)[:, None].expand(5, 3, 4).permute(1, 2, 0)
    def model(*inputs):
        mask, column, scalar, transposed = inputs
        return torch.where(mask, column * scalar, transposed).softmax(-1), mask.sum(0), (column + scalar).sum((0, 2))

    inputs = mask, column, scalar, transposed
    result, report = run_compiled(model, *inputs)
    torch.testing.assert_close(result, model(*inputs))
    (region,) = report.regions
    assert not report.declined and sorted(region.module.repeated) == [[0], [0, 1], [0, 2], [1]] or \
        region.module.repeated == [[0, 1], [1], [0, 2], [0]]


def test_sums_over_what_is_repeated(run_compiled):
    x = torch.randn(6)[None].expand(1000, 6)
    result, _ = run_compiled(lambda x: (x.sum(0), x.mean(), x.amax(0), x.var(0), x.reshape(-1)[::7], x.clone()), x)
    expected = x.sum(0), x.mean(), x.amax(0), x.var(0), x.reshape(-1)[::7], x.clone()
    torch.testing.assert_close(result, expected, rtol=1e-4, atol=1e-4)
    assert result[-1].stride() == expected[-1].stride()


def test_results_of_parts_are_repeated(run_compiled):
    """What PyTorch computes between parts gets a view of stride 0, and so does the part after it."""
    def model(x, y):
        wide = (y * 2).expand(ROWS, 16)
        return torch.sort(wide[:3] + x[:3], -1).values + wide[-3:]

    y = torch.randn(16)
    result, report = run_compiled(model, rows(), y)
    torch.testing.assert_close(result, torch.sort((y * 2 + rows()[:3]), -1).values + y * 2)
    assert len(report.regions) == 2


def test_gradients(front):
    torch.manual_seed(0)
    torch._dynamo.reset()
    base, weight = torch.randn(16, requires_grad=True), torch.randn(16, requires_grad=True)
    compiled = torch.compile(lambda x, w: (x[-5:] * w).exp().sum() + (x[:3] * x[7:10]).sum(), backend=front.backend,
                             options={"strict": True, "cache_dir": ""})
    made = torch.autograd.grad(compiled(base.expand(32, 16), weight), (base, weight))
    x = base.expand(32, 16)
    expected = torch.autograd.grad((x[-5:] * weight).exp().sum() + (x[:3] * x[7:10]).sum(), (base, weight))
    torch.testing.assert_close(made, expected)
    torch._dynamo.reset()
    # The input itself has no gradient: it is kept for the backward, and read there, in place.
    compiled = torch.compile(lambda x, w: (x[-5:] * w).tanh().sum(), backend=front.backend,
                             options={"strict": True, "cache_dir": ""})
    made, = torch.autograd.grad(compiled(rows(), weight), weight)
    expected, = torch.autograd.grad((rows()[-5:] * weight).tanh().sum(), weight)
    torch.testing.assert_close(made, expected)
    torch._dynamo.reset()


def test_strides_that_were_not_foretold(front):
    """A part whose input is not repeated where PyTorch said it would be is PyTorch's."""
    from fusion.torch.regions import compile_graph
    from torch.fx.experimental.proxy_tensor import make_fx

    graph = make_fx(lambda x: x * 2 + x, tracing_mode="fake")(torch.randn(4)[:, None].expand(4, 3))
    compiled = compile_graph(graph, front.Options(cache_dir="", strict=True))
    for x in (torch.randn(4, 3), torch.randn(3).expand(4, 3), torch.randn(4, 1).expand(4, 3)):
        torch.testing.assert_close(compiled(x), x * 3)
