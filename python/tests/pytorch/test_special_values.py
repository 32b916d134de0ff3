# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions at zeros, infinities, NaN, tiny and huge numbers, where formulas lose all digits or overflow."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
F = torch.nn.functional
INF, NAN = float("inf"), float("nan")
VALUES = torch.tensor([0.0, -0.0, INF, -INF, NAN, 1, -1, 0.5, -0.5, 1e-30, -1e-30, 1e30, -1e30, 1e-8, -1e-8, 1e-3, -1e-3,
                       88.8, -88.8, 104, -104, 2, -2, 3, 0.25, 1.5, 2.5, -2.5, 1.0000001, 0.9999999, 20, -20, 1e7])
ONE = ("exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf "
       "erfc sigmoid reciprocal abs neg ceil floor trunc round sign signbit isnan isinf isfinite square").split()
LAYERS = (F.relu, F.silu, F.softplus, F.elu, F.selu, F.mish, F.hardswish, F.logsigmoid, F.softsign, torch.nan_to_num)
TWO = ("add sub mul div atan2 pow fmod remainder maximum minimum fmax fmin hypot copysign floor_divide logaddexp xlogy "
       "eq ne lt le").split()


def check(functions, results, inputs):
    """Zeros may have either sign, as they have in PyTorch's own kernels."""
    wrong = []
    for function, result in zip(functions, results, strict=True):
        expected = function(*inputs)
        near = torch.isclose(result.double(), expected.double(), rtol=2e-5, atol=0, equal_nan=True)
        if function in (torch.sinh, torch.cosh):
            # Some releases' vectors overflow at half of what these functions reach.
            near |= torch.isclose(result.double(), function(inputs[0].double()), rtol=2e-5, atol=0)
        # What is subnormal may count as 0.
        near |= (result.double().abs() < 1e-37) & (expected.double().abs() < 1e-37)
        if function in (torch.fmod, torch.remainder):
            # PyTorch's vectors have no remainder of a quotient that overflows; there is one.
            near |= expected.isnan() & (inputs[0] / inputs[1]).isinf() & inputs[0].isfinite() & (inputs[1] != 0)
        wrong += [f"{function.__name__}({', '.join(str(x[i].item()) for x in inputs)}) is {result[i].item()}, "
                  f"not {expected[i].item()}" for i in (~near).nonzero().flatten().tolist()]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("chip", ["host", "sm_80"])
def test_of_one_number(run_compiled, chip):
    functions = [getattr(torch, name) for name in ONE] + list(LAYERS)
    results, report = run_compiled(lambda x: [function(x) for function in functions], VALUES)
    check(functions, results, [VALUES])
    assert not report.declined


# Functions of which a zero has the sign of their argument.
ODD = [getattr(torch, name) for name in "sin tan asin atan sinh tanh asinh atanh erf expm1 log1p sqrt neg".split()]


def of_zero(x):
    return [f(x) for f in ODD] + [F.relu(x), F.relu6(x), x.clamp(min=0), x.clamp(-2, 0), x.clamp(max=-0.0), 1 / x]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_signs_of_zeros(run_compiled, dtype):
    x = torch.tensor([0.0, -0.0, -1.5, 1.5, NAN, INF, -INF], dtype=dtype)
    results, report = run_compiled(of_zero, x)
    for i, (result, expected) in enumerate(zip(results, of_zero(x), strict=True)):
        known = ~expected.isnan()
        assert torch.equal(result.isnan(), expected.isnan()), i
        assert torch.equal(torch.signbit(result)[known], torch.signbit(expected)[known]), (i, result, expected)
    assert not report.declined


def test_of_two_numbers(run_compiled):
    functions = [getattr(torch, name) for name in TWO]
    inputs = [x.flatten() for x in torch.meshgrid(VALUES, VALUES, indexing="ij")]
    results, report = run_compiled(lambda x, y: [function(x, y) for function in functions], *inputs)
    check(functions, results, inputs)
    assert not report.declined


EXPONENTS = (0, 0.5, -0.5, 1, -1, 2, -2, 3, -3, 4, 1.5, -1.5, 0.25, 1 / 3, 2.5, INF, -INF, NAN)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_powers_of_numbers(run_compiled, dtype):
    """Exponents that PyTorch treats on their own, and others: values, signs of zeros and infinities, and NaN."""
    x = torch.tensor([0.0, -0.0, INF, -INF, NAN, 1, -1, 4, -4, 0.5, 3], dtype=dtype)
    results, report = run_compiled(lambda x: [x ** exponent for exponent in EXPONENTS], x)
    for exponent, result in zip(EXPONENTS, results, strict=True):
        expected = x ** exponent
        torch.testing.assert_close(result, expected, equal_nan=True, msg=lambda text: f"{exponent}: {text}")
        known = ~expected.isnan()
        assert torch.equal(result.signbit()[known], expected.signbit()[known]), (exponent, result, expected)
    assert not report.declined


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_gradients_of_powers(front, dtype):
    torch._dynamo.reset()
    ours = torch.tensor([0.0, INF, 1, 4, 0.5, 3], dtype=dtype, requires_grad=True)
    theirs = ours.detach().clone().requires_grad_()

    def model(x):
        return sum((x ** exponent).sum() for exponent in (0.5, -0.5, 2, -1, 1.5))

    torch.compile(model, backend=front.backend, options={"strict": True, "cache_dir": ""})(ours).backward()
    model(theirs).backward()
    torch.testing.assert_close(ours.grad, theirs.grad, equal_nan=True)
    torch._dynamo.reset()
