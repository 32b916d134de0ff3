# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers as PyTorch has them on the CPU: quotients, remainders, shifts, and errors of data."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
TYPES = [torch.int8, torch.int16, torch.int32, torch.int64]


def extremes(dtype):
    """Pairs of all signs, with the least and the greatest numbers."""
    limits = torch.iinfo(dtype)
    some = torch.tensor([limits.min, limits.min + 1, -7, -2, -1, 0, 1, 3, 6, limits.max], dtype=dtype)
    return torch.meshgrid(some, some, indexing="ij")


@pytest.mark.parametrize("dtype", TYPES)
def test_quotients(run_compiled, dtype):
    def model(x, y):
        return (x // y, x % y, torch.fmod(x, y), torch.div(x, y, rounding_mode="trunc"), 5 // y, -5 % y, x // 3,
                x % -3, x // -1, x % -1, torch.fmod(x, -1), (x + y) // y + y % 5)

    x, y = extremes(dtype)
    # PyTorch traps at the quotient of the least number and -1.
    keeps = (x != torch.iinfo(dtype).min) & (y != 0)
    x, y = x[keeps], y[keeps]
    results, report = run_compiled(model, x, y)
    for result, expected in zip(results, model(x, y), strict=True):
        torch.testing.assert_close(result, expected)
    assert not report.declined


@pytest.mark.parametrize("dtype", TYPES)
def test_shifts(run_compiled, dtype):
    """By any number of bits, also by less than none and by more than there are."""
    def model(x, y):
        return x << y, x >> y, x << 3, x >> 2, 5 << y, -5 >> y

    x, y = torch.meshgrid(extremes(dtype)[0].unique(), torch.tensor([-3, 0, 1, 6, 7, 8, 31, 32, 63, 64, 100]).to(dtype),
                          indexing="ij")
    results, report = run_compiled(model, x, y)
    for result, expected in zip(results, model(x, y), strict=True):
        torch.testing.assert_close(result, expected)
    assert not report.declined


@pytest.mark.parametrize("model, inputs", [
    (lambda x, y: x // y, (torch.arange(4), torch.tensor([1, 0, 2, 3]))),
    (lambda x, y: x % (y - 1) + 1, (torch.arange(4), torch.tensor([3, 0, 2, 1]))),
    (lambda w, i: torch.nn.functional.embedding(i, w), (torch.ones(3, 4), torch.tensor([0, 3]))),
    (lambda w, i: torch.nn.functional.embedding(i * 2, w), (torch.ones(3, 4), torch.tensor([0, -1]))),
    (lambda w, i: w[i] + 1, (torch.ones(3, 4), torch.tensor([0, -4]))),
    (lambda w, i: w[i + 1] + 1, (torch.ones(3, 4), torch.tensor([0, 2]))),
    (lambda w, i: w.gather(0, i) + 1, (torch.ones(3), torch.tensor([0, -1]))),
    (lambda w, i: w.index_select(0, i) + 1, (torch.ones(3), torch.tensor([3, 0]))),
])
def test_errors_of_data(run_compiled, model, inputs):
    """What raises an error in PyTorch does so here, the same one; the program still works after."""
    with pytest.raises((RuntimeError, IndexError)) as wanted:
        model(*inputs)
    with pytest.raises(type(wanted.value)) as caught:
        run_compiled(model, *inputs)
    assert str(caught.value) == str(wanted.value)
    good = inputs[0], torch.ones_like(inputs[1]) + (model.__code__.co_varnames[0] == "x")
    result, report = run_compiled(model, *good)
    torch.testing.assert_close(result, model(*good))
    assert report.regions and not report.declined


def test_indices_that_are_known_need_no_look(run_compiled):
    result, report = run_compiled(lambda w: w[torch.arange(3)] * 2, torch.ones(5, 2))
    assert torch.equal(result, torch.full((3, 2), 2.0))
    (region,) = report.regions
    assert not region.module.flags and not region.module.required and report.kernels == 1


def test_hypot(run_compiled):
    inf, nan = float("inf"), float("nan")
    x = torch.tensor([0.0, 3, 1e30, inf, nan, -5, 1e-40, nan, -inf])
    y = torch.tensor([0.0, 4, 1e30, nan, -inf, 12, 1e-40, 0, inf])
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        result, report = run_compiled(torch.hypot, x.to(dtype), y.to(dtype))
        torch.testing.assert_close(result, torch.hypot(x.to(dtype), y.to(dtype)), equal_nan=True)
        assert not report.declined


def test_multiply_add(run_compiled):
    """Rounded once, as its name says."""
    operation = torch.ops.prims.fma.default
    x = torch.randn(100)
    result, report = run_compiled(lambda x: operation(x, x, x.exp()), x)
    expected = (x.double() * x.double() + x.exp().double()).float()
    torch.testing.assert_close(result, expected, rtol=2e-7, atol=0)
    assert not report.declined
