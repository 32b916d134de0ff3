# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors without elements: operands that are left out, and what is made of nothing."""

import warnings

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
F = torch.nn.functional


def rotary(q, cos):
    """Heads of which a part is rotated; here all of it (Phi-3)."""
    rotated, rest = q[..., :cos.shape[-1]], q[..., cos.shape[-1]:]
    return torch.cat([rotated * cos, rest], -1) @ q.mT


def split(q):
    a, b, c = q.split([8, 0, 0], -1)
    return torch.cat([b, a * 2, c.exp()], -1).softmax(-1)


def first_token(key, cache):
    """A cache of keys that nothing was put into, of no dimensions that count."""
    whole = torch.cat([cache, key], -2)
    return key @ whole.mT, whole


def wider(x):
    return torch.cat([x.exp(), x[:0].double()]) + 1, torch.stack([x, x])[:, :, :0].sum(-1), x[:0]


def written(x, e, i):
    y = x * 2
    y[:, 0:0] = 1
    y[i] = e
    return y.index_add(0, i, e).exp(), y.index_copy(0, i, e) * y.scatter(0, i[:, None], 1.0)


def reduced(x):
    return x.sum(2), x.prod(2) * 2, x.mean(2), x.any(2), x.all(2), x.exp().logsumexp(2), x.sum((0, 2)), x.norm(dim=2)


def contracted(a, b, c):
    return a @ b + c, torch.addmm(c, a, b), torch.addmm(c[0], a, b, beta=2), torch.baddbmm(c[None], a[None], b[None])


def summand_left_out(a, b, c):
    """With `beta` 0, what is not a number in the summand does not reach the result."""
    return torch.addmm(c, a, b, beta=0) - c[::2, :1].nan_to_num().sum(), torch.baddbmm(c[None], a[None], b[None], beta=0.0)


@pytest.mark.parametrize("model, inputs", [
    (rotary, (torch.randn(2, 4, 16, 8), torch.randn(16, 8))),
    (split, (torch.randn(2, 3, 8),)),
    (first_token, (torch.randn(2, 4, 1, 8), torch.randn(2, 4, 0, 8))),
    (first_token, (torch.randn(2, 4, 1, 8), torch.tensor([]))),
    (written, (torch.randn(3, 4), torch.randn(0, 4), torch.empty(0, dtype=torch.long))),
    (reduced, (torch.randn(3, 4, 0, 5),)),
    (contracted, (torch.randn(3, 0), torch.randn(0, 4), torch.randn(3, 4))),
    (summand_left_out, (torch.randn(3, 0), torch.randn(0, 4), torch.full((3, 4), torch.nan))),
    (lambda x: F.pad(x, (1, 2), value=2.5).exp(), (torch.randn(3, 0),)),
    (lambda x: x.view(2, 0, 6).transpose(0, 2).reshape(3, 0).sum(1) + 1, (torch.randn(0, 4),)),
])
def test_nothing_stays_with_pytorch(run_compiled, model, inputs):
    result, report = run_compiled(model, *inputs)
    torch.testing.assert_close(result, model(*inputs), equal_nan=True)
    assert not report.declined and len(report.regions) == 1
    assert report.operators == report.covered + report.views


def test_results_without_elements(run_compiled):
    x = torch.randn(3, 4)
    result, report = run_compiled(wider, x)
    torch.testing.assert_close(result, wider(x))
    assert {name for name, _ in report.declined} <= {"aten.empty_strided.default"}, report.declined
    assert len(report.regions) == 1


def test_errors_stay(front):
    """What has no extreme element raises PyTorch's error."""
    torch._dynamo.reset()
    with pytest.raises(Exception, match="amax"):
        torch.compile(lambda x: x.amax(1), backend=front.backend, options={"cache_dir": ""})(torch.randn(3, 0))
    torch._dynamo.reset()


@pytest.mark.parametrize("model, shapes", [
    (rotary, ((2, 4, 16, 8), (16, 8))), (split, ((2, 3, 8),)),
    (lambda key, cache: first_token(key, cache)[0], ((2, 4, 1, 8), (2, 4, 0, 8))),
    (lambda a, b: (a @ b).exp() + a.sum(1, keepdim=True), ((3, 0), (0, 4))),
])
def test_gradients(front, model, shapes):
    torch.manual_seed(0)
    torch._dynamo.reset()
    ours = [torch.randn(shape, requires_grad=True) for shape in shapes]
    theirs = [x.detach().clone().requires_grad_() for x in ours]
    report = front.Report()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = torch.compile(lambda *inputs: model(*inputs).tanh().sum(), backend=front.backend,
                                 options={"strict": True, "cache_dir": "", "report": report})
        compiled(*ours).backward()
    model(*theirs).tanh().sum().backward()
    for made, expected in zip(ours, theirs):
        torch.testing.assert_close(made.grad, expected.grad)
    assert report.graphs == 2
    assert {name for name, _ in report.declined} <= {"aten.empty_strided.default"}, report.declined
    torch._dynamo.reset()
