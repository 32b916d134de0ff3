# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Patterns that compilers of fusions were reported to get wrong: right results and gradients here."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
F = torch.nn.functional


@pytest.fixture
def agree(front, chip):
    """Runs a model of ours and PyTorch's; results, what is written to inputs, and gradients of
    floating-point inputs are PyTorch's. Gives our results."""
    def run(model, *inputs, gradient=True, rtol=None, atol=None, **options):
        torch._dynamo.reset()
        compiled = torch.compile(model, backend=front.backend, options={
            "strict": True, "cache_dir": "", "chip": chip, **options})
        results, gradients, written = [], [], []
        for call in (compiled, model):
            given = [x.detach().clone() if x.is_contiguous() else x for x in inputs]
            if gradient:
                given = [x.requires_grad_() if x.is_floating_point() else x for x in given]
            torch.manual_seed(3)
            result = call(*given)
            listed = list(result) if isinstance(result, (tuple, list)) else [result]
            results.append([x.detach().clone() for x in listed])
            if any(x.requires_grad for x in listed):
                loss = sum((x * torch.linspace(0.5, 1.5, x.numel()).view(x.shape).to(x.dtype)).sum()
                           for x in listed if x.requires_grad)
                gradients.append(torch.autograd.grad(loss, [x for x in given if x.requires_grad], allow_unused=True))
            written.append([x.detach() for x in given])
        for made, expected in ((results, None), (gradients or [[], []], None), (written, None)):
            torch.testing.assert_close(made[0], made[1], rtol=rtol, atol=atol, equal_nan=True)
        torch._dynamo.reset()
        return results[0]

    return run


def test_rounding_on_both_sides(agree):
    def model(x):
        s = x / 3
        return (s == s.amax(-1, keepdim=True)).sum(-1)

    found, = agree(model, torch.randn(4, 33, generator=torch.Generator().manual_seed(0)).bfloat16(), gradient=False)
    assert (found >= 1).all()


def test_overflow_of_half_types(agree):
    def model(x):
        y = x * x
        return y, y.isinf(), torch.where(y.isinf(), torch.zeros_like(y), y)

    y, _, kept = agree(model, torch.full((5,), 300.0).half(), gradient=False)
    assert y.isinf().all() and (kept == 0).all()


def test_integers_of_64_bits(agree):
    agree(lambda factor: torch.arange(9) * factor, torch.tensor([1500000000]))
    agree(lambda x: (torch.arange(9) * x).sum() + x.cumsum(0), torch.tensor([2**40]))


@pytest.mark.parametrize("values, scale", [(1e14, 1.0), (1e14, 0.3), (1e14, 1 / 3), (3e9, 0.7), (7e11, 1e-3)])
def test_softmax_of_large_numbers(agree, values, scale):
    x = torch.linspace(-1, 1, 25) * values
    made, _ = agree(lambda x: ((x * scale).softmax(-1), (x / (1 / scale)).log_softmax(-1)), x[None])
    assert not made.isnan().any() and made.argmax() == 24 and abs(made.sum() - 1) < 1e-6


@pytest.mark.parametrize("value, count", [
    (12345.678, 768), (1000.1, 768), (0.1, 768), (100.1, 4096), (3.3, 100), (1e6 + 0.3, 768),
    (-1e8, 300), (65504.0, 96),
])
@pytest.mark.parametrize("chip", ["sm_80", "sm_90a"])
def test_rows_of_one_value(run_compiled, value, count, chip):
    """A norm of them is 0, and so is their variance, up to roundings of what they are."""
    x = torch.full((2, count), value)
    inputs = x, x.half() if abs(value) <= 65504 else x, x.view(1, 2, count)

    def model(x, half, grouped):
        return (F.layer_norm(x, (count,)), F.layer_norm(half, (count,)).float(), F.group_norm(grouped, 2),
                x.var(-1), x.std(-1), x.var())

    result, report = run_compiled(model, *inputs, chip=chip)
    for one in result[:3]:
        assert one.abs().max() < 1e-3
    for one in result[3:]:
        assert one.abs().max() <= 1e-12 * value * value
    assert not report.declined


def test_batch_norm_of_one_value(front):
    torch._dynamo.reset()
    norm = torch.nn.BatchNorm1d(3)
    x = torch.full((700, 3), 12345.678)
    compiled = torch.compile(norm, backend=front.backend, options={"cache_dir": "", "strict": True})
    assert compiled(x).abs().max() < 1e-3
    torch._dynamo.reset()


SPREADS = {"far from 0": lambda x: x + 1e5, "small": lambda x: x * 1e-22, "smaller": lambda x: x * 1e-30,
           "large": lambda x: x * 1e30, "as they come": lambda x: x}


@pytest.mark.parametrize("name", SPREADS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_deviations(run_compiled, name, dtype):
    """Values of all magnitudes, as PyTorch has them; infinities and zeros are at the same places."""
    torch.manual_seed(0)
    x = SPREADS[name](torch.randn(3, 257, dtype=torch.float64)).to(dtype)

    def model(x):
        return x.var(-1), x.std(-1), x.std(), *torch.std_mean(x, 0), *torch.var_mean(x, -1, correction=0)

    result, report = run_compiled(model, x)
    rtol = {torch.float32: 1e-4, torch.float64: 1e-6, torch.bfloat16: 1e-2}[dtype]
    wide = [one.to(dtype) for one in model(x.double())]
    for i, (made, eager, exact) in enumerate(zip(result, model(x), wide, strict=True)):
        # Means of what is around 0 have few digits; variances below f32's normal numbers, too.
        atol = 1e-6 * x.double().abs().max().item() if i in (4, 6) else 1e-44
        near = torch.isclose(made.double(), exact.double(), rtol=rtol, atol=atol)
        near |= torch.isclose(made.double(), eager.double(), rtol=rtol, atol=atol)
        assert near.all(), (i, made, eager)
    assert not report.declined


@pytest.mark.parametrize("scale", [1e-22, 1.0, 1e30])
def test_gradients_of_deviations(agree, scale):
    torch.manual_seed(0)
    agree(lambda x: x.std(-1) / scale, torch.randn(3, 40) * scale, rtol=1e-4, atol=1e-5 / scale)


def test_deviations_of_odd_rows(run_compiled):
    x = torch.tensor([[1.0, torch.inf, 2], [torch.nan, 1, 2], [0, 0, 0], [3e38, -3e38, 3e38], [5, 5, 5]])
    result, _ = run_compiled(lambda x: (x.std(-1), x.std(-1, correction=3), x[:, :1].std(-1), x[:, :1].var(-1)), x)
    expected = x.std(-1), x.std(-1, correction=3), x[:, :1].std(-1), x[:, :1].var(-1)
    torch.testing.assert_close(result, expected, equal_nan=True)


@pytest.mark.parametrize("spread", [1.0, 1e-3])
def test_norms_of_all_magnitudes(agree, spread):
    torch.manual_seed(0)
    agree(lambda x: F.layer_norm(x, (64,)), (torch.rand(2, 64) * 2 - 1) * spread, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("spread", [1e18, 1e30, 3.4e38])
def test_norms_whose_squares_overflow(run_compiled, spread):
    """Two passes in f32; PyTorch's one gives NaN."""
    torch.manual_seed(0)
    x = (torch.rand(2, 64) * 2 - 1) * spread
    lowered = x - x.mean(-1, keepdim=True)
    expected = lowered * lowered.square().mean(-1, keepdim=True).add(1e-5).rsqrt()
    result, _ = run_compiled(lambda x: F.layer_norm(x, (64,)), x)
    torch.testing.assert_close(result, expected, rtol=1e-4, atol=1e-4, equal_nan=True)


def test_norm_far_from_zero(run_compiled):
    torch.manual_seed(0)
    x = torch.randn(2, 512) + 1e5
    result, _ = run_compiled(lambda x: F.layer_norm(x, (512,)), x)
    torch.testing.assert_close(result, F.layer_norm(x.double(), (512,)).float(), rtol=1e-4, atol=1e-4)


def test_average_of_a_short_window(agree):
    x = torch.arange(1.0, 9).view(1, 1, 8)
    made, = agree(lambda x: F.avg_pool1d(x, 3, 3, ceil_mode=True), x)
    assert made[0, 0, 2] == 7.5
    agree(lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False), torch.randn(1, 2, 6, 7))


def add_where(y, i):
    y = y * 1
    y[i] += y[i]
    return y


def test_writing_at_equal_places(agree):
    y = torch.randn(5, 3)
    agree(add_where, y, torch.tensor([1, 1, 3]))
    agree(add_where, y, torch.tensor([2]).expand(4))
    agree(lambda y, i: (y * 2).index_put((i,), y[i] * 3), y, torch.tensor([4]).expand(3), gradient=False)
    agree(lambda y, i: (y * 2).index_put((i,), y[i], accumulate=True), y, torch.tensor([0]).expand(3))


def test_gradient_through_diagonal_scatter(agree):
    agree(lambda x, d: torch.diagonal_scatter(x * 2, d * 3, 1), torch.randn(4, 4), torch.randn(3))


def test_strides_of_a_view_that_is_written(agree):
    def model(x):
        x = torch.arange(10) + x
        y = x[::2]
        y.add_(100)
        return y.as_strided((2, 2), (4, 2)), y.as_strided((5,), (1,)) * 2, x

    agree(model, torch.tensor(3))
    # Also for computed tensors: the memory between the elements of a view is not the view's.
    agree(lambda x: (x * 2)[::2].as_strided((5,), (1,)) + 1, torch.arange(10.0))
    agree(lambda x: (x * 2).t()[1:].as_strided((2, 3), (1, 4), 1) + 1, torch.randn(3, 4))


@pytest.mark.parametrize("model, shape", [
    (lambda x: (x > 0).cumsum(0), (9, 5)), (lambda x: (x > 0).cumsum(-1) * x, (9, 5)),
    (lambda x: x.cumsum(0).cumsum(1), (12, 7)), (lambda x: (x * 2).cumsum(0)[-3:], (100, 400)),
])
def test_running_sums(agree, model, shape):
    torch.manual_seed(0)
    agree(model, torch.randn(shape), rtol=1e-4, atol=1e-3)


def test_running_sums_in_a_loop(agree):
    def model(x):
        for _ in range(3):
            x = (x > 0.1).cumsum(-1) * 0.1 + x * 0.5
        return x

    agree(model, torch.linspace(-1, 1, 30).view(3, 10))


def test_transposed_between_products(agree):
    torch.manual_seed(0)
    agree(lambda a, b, c: (a @ b).half().T @ c, torch.randn(12, 20), torch.randn(20, 8), torch.randn(12, 5).half(),
          rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("keys", [1, 129, 133, 140])
def test_one_query(agree, keys):
    torch.manual_seed(0)
    query, key, value = torch.randn(1, 2, 1, 16), torch.randn(1, 2, keys, 16), torch.randn(1, 2, keys, 16)
    agree(lambda q, k, v: (q @ k.mT * 0.25).softmax(-1) @ v, query, key, value, rtol=1e-4, atol=1e-5)


def test_masks_of_blocks_beyond_the_sequence(agree):
    torch.manual_seed(0)
    place = torch.arange(24) // 32  # of a block
    query, key, value = torch.randn(3, 2, 24, 8)

    def model(q, k, v):
        mask = place[:, None] >= place[None]
        weights = (q @ k.mT).masked_fill(~mask, -torch.inf).softmax(-1)
        return weights @ v

    agree(model, query, key, value, rtol=1e-4, atol=1e-5)


def test_rows_that_are_masked_whole(agree):
    def model(x):
        mask = torch.arange(8) < torch.arange(4)[:, None]
        return x.masked_fill(~mask, -torch.inf).softmax(-1)

    agree(model, torch.randn(4, 8), gradient=False)


def test_dropout_of_a_transposed_copy(agree):
    x = torch.ones(8, 8)
    a, b = agree(lambda x: (F.dropout(x.t().contiguous() * 2, 0.5), F.dropout(x * 2, 0.5)), x)
    assert not torch.equal(a, b) and not torch.equal(a, b.t())


def test_dropout_under_checkpointing(agree):
    from torch.utils.checkpoint import checkpoint

    def block(x):
        return F.dropout(x.sin() * 2, 0.5)

    agree(lambda x: checkpoint(block, x, use_reentrant=False).cos(), torch.randn(6, 7))


def test_first_of_the_extremes(agree):
    x = torch.tensor([[1.0, torch.nan, 3, torch.nan], [2, 5, 5, 1], [-0.0, 0.0, -1, 0.0], [torch.inf, torch.inf, 1, 2]])
    agree(lambda x: (x.argmax(-1), x.argmin(-1), x.argmax(), *x.max(-1), *x.min(0)), x, gradient=False)
