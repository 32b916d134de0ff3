# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that we decompose ourselves, of pooling, of writing at places that are data, and scans."""

import copy

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
nn, F = torch.nn, torch.nn.functional


def check(run_compiled, model, *inputs, **options):
    """Results, and what is written to inputs, are PyTorch's; nothing stays with PyTorch."""
    ours = copy.deepcopy(inputs)
    result, report = run_compiled(model, *ours, **options)
    with torch.no_grad():
        expected = model(*inputs)
    torch.testing.assert_close(result, expected, equal_nan=True)
    torch.testing.assert_close(ours, inputs, equal_nan=True)
    assert report.graphs == 1 and report.regions and not report.declined, report.declined


# The fast path of nn.TransformerEncoder in inference is one operator, as of PyTorch's own modules.


@pytest.fixture
def masks():
    padding = torch.zeros(2, 5, dtype=torch.bool)
    padding[1, 3:] = True
    causal = torch.ones(5, 5, dtype=torch.bool).triu(1)
    return {"none": {}, "padding": {"src_key_padding_mask": padding}, "causal": {"src_mask": causal},
            "numbers": {"src_mask": torch.zeros(5, 5).masked_fill(causal, -torch.inf)},
            "both": {"src_mask": causal, "src_key_padding_mask": padding}}


@pytest.mark.parametrize("mask, norm_first, activation", [
    ("none", False, "relu"), ("none", True, "gelu"), ("padding", False, "gelu"), ("causal", True, "relu"),
    ("numbers", False, "relu"), ("both", True, "gelu"),
])
def test_encoder_layer(run_compiled, masks, mask, norm_first, activation):
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, norm_first=norm_first,
                                       activation=activation).eval()
    for norm in (layer.norm1, layer.norm2):
        nn.init.normal_(norm.weight)
        nn.init.normal_(norm.bias)
    nn.init.normal_(layer.self_attn.in_proj_bias)
    check(run_compiled, lambda x: layer(x, **masks[mask]), torch.randn(2, 5, 16))


def test_encoder(run_compiled):
    torch.manual_seed(0)
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 2).eval()
    check(run_compiled, encoder, torch.randn(2, 5, 16))


@pytest.mark.parametrize("options", [{}, {"need_weights": False}, {"average_attn_weights": False}])
def test_multi_head_attention(run_compiled, options):
    torch.manual_seed(0)
    attention = nn.MultiheadAttention(16, 4, batch_first=True).eval()
    nn.init.normal_(attention.in_proj_bias)
    x = torch.randn(2, 5, 16)
    check(run_compiled, lambda x: attention(x, x, x, **options), x)


# Pooling.


def with_ties_and_nan():
    x = torch.randn(2, 3, 7, 6).round()
    x[0, 0, 2, 2:4] = torch.nan
    x[1, 2] = -torch.inf
    return x


@pytest.mark.parametrize("pool", [
    lambda x: F.max_pool2d(x, 3, 2, 1, return_indices=True),
    lambda x: F.max_pool2d(x, 2, 2, 1, dilation=2, ceil_mode=True, return_indices=True),
    lambda x: F.adaptive_max_pool2d(x, (3, 4), return_indices=True),
    lambda x: F.adaptive_max_pool2d(x, 2),
    lambda x: F.max_pool3d(x[None], (2, 3, 2), return_indices=True),
    lambda x: F.adaptive_max_pool3d(x, (2, 3, 5), return_indices=True),
    lambda x: F.adaptive_max_pool1d(x[0], 4),
])
def test_places_of_maxima(run_compiled, pool):
    torch.manual_seed(0)
    check(run_compiled, pool, with_ties_and_nan())


@pytest.mark.parametrize("pool", [
    lambda x: F.max_pool2d(x, 3, 2, 1), lambda x: F.max_pool2d(x, 2, 1, 1, dilation=2),
    lambda x: F.max_pool2d(x, 2, 3, ceil_mode=True), lambda x: F.max_pool3d(x, (1, 2, 2)),
])
def test_training_with_pooling(front, pool):
    torch.manual_seed(0)
    inputs, report = torch.randn(2, 3, 7, 6), front.Report()
    ours, theirs = inputs.clone().requires_grad_(), inputs.clone().requires_grad_()
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: pool(x.tanh()).exp().sum(), backend=front.backend,
                             options={"strict": True, "cache_dir": "", "report": report})
    compiled(ours).backward()
    pool(theirs.tanh()).exp().sum().backward()
    torch.testing.assert_close(ours.grad, theirs.grad)
    assert report.graphs == 2 and not report.declined
    torch._dynamo.reset()


# Writing.


def copy_rows(cache, rows, position):
    cache.index_copy_(1, position, rows)
    return cache * 2


def put_rows(cache, rows, position):
    cache[:, position] = rows
    return cache.sum(1)


def put_apart(x, values, i, j):
    x = x.clone()
    x[i, :, j] = values
    return x


def put_together(x, i, j):
    x = x.clone()
    x[i, j] = 7
    return x


def put_where(x):
    x = x.clone()
    x[x > 0] = -1
    return x


@pytest.mark.parametrize("model, inputs", [
    (copy_rows, (torch.zeros(2, 6, 4), torch.randn(2, 2, 4), torch.tensor([4, 1]))),
    (put_rows, (torch.zeros(2, 6, 4), torch.randn(2, 3, 4), torch.tensor([-1, 1, 0]))),
    (put_rows, (torch.zeros(2, 6, 4).half(), torch.randn(4).half(), torch.tensor([3]))),
    (put_apart, (torch.zeros(4, 3, 6), torch.randn(2, 3, 3), torch.tensor([0, 3, 2]), torch.tensor([[1], [2]]))),
    (put_together, (torch.zeros(4, 3, 6), torch.tensor([0, 3, 0]), torch.tensor([1, 2, 1]))),
    (put_where, (torch.randn(4, 3),)),
    (lambda x, i: x.index_fill(1, i, 2.5), (torch.randn(4, 3), torch.tensor([0, 2]))),
])
def test_writing_at_places_that_are_data(run_compiled, model, inputs):
    check(run_compiled, model, *inputs)


def test_places_out_of_bounds(front):
    torch._dynamo.reset()
    compiled = torch.compile(put_rows, backend=front.backend, options={"cache_dir": ""})
    with pytest.raises(IndexError, match="index 9 is out of bounds"):
        compiled(torch.zeros(2, 6, 4), torch.randn(2, 1, 4), torch.tensor([9]))
    torch._dynamo.reset()


def test_sums_at_places_stay(run_compiled):
    x, i, v = torch.zeros(4, 3), torch.tensor([1, 1]), torch.ones(2, 3)
    result, report = run_compiled(lambda x, i, v: (x + 1).index_put((i,), v, accumulate=True) * 2, x, i, v)
    torch.testing.assert_close(result, (x + 1).index_put((i,), v, accumulate=True) * 2)
    assert report.declined == {("aten.index_put.default", "sums at places that are data"): 1}


def test_empty_tensors_are_no_noise(run_compiled):
    def model(x):
        y = torch.empty_like(x)
        y.copy_(x)
        return y + 1, torch.empty(2, 3).zero_()

    check(run_compiled, model, torch.randn(4, 3))


# Scans.


@pytest.mark.parametrize("scan", [
    lambda x: x.cummax(1), lambda x: x.cummin(0), lambda x: x.logcumsumexp(1),
    lambda x: x[0].nan_to_num(7, -9).long().cummax(0), lambda x: (x * 30).logcumsumexp(-1).cumsum(0),
])
def test_scans(run_compiled, scan):
    torch.manual_seed(0)
    x = torch.randn(4, 9)
    x[0, :3] = x[1, 2] = -torch.inf
    x[2, 5] = torch.inf
    x[3, 3], x[3, 6] = torch.nan, torch.nan
    x[1, 4:7] = 2
    check(run_compiled, scan, x)
