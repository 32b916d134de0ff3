# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small programs as people write them, with features that models rarely show together: what PyTorch computes,
to the strides of results and what becomes of inputs."""

import copy

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
F = torch.nn.functional


def views_in_place(x):
    y = x.t()
    y.mul_(2)
    x[0].zero_()
    x.view(-1)[::2] += 1
    return y, x.view(-1).sum()


def promotion(a, b):
    return (a + b, a * 2.5, a // 2, (a > 0) + b, a.to(torch.bool) & (b > 0), torch.where(a > 1, a, b), a / b, a**2,
            -a, a + 1.0, b + 2**20, torch.tensor(3, dtype=torch.int8) * b)


def without_dimensions(x):
    s = x.sum()
    return s, s * x, s.expand(3), torch.stack([s, s + 1]), s.reshape(1, 1), x.max() - x.min(), s @ s if s.dim() else -s


def without_elements(x):
    empty = x[:0]
    return torch.cat([empty, x]) * 2, empty.sum(), empty.sum(0), x @ x.new_zeros(4, 0), F.relu(empty), x.sum(0) + 1


def loops(x, count):
    for i in range(count):
        x = x * i if i % 2 else x + torch.sin(x)
    while x.shape[0] > 1:
        half = x.shape[0] // 2
        x = x[:half] + x[half:]
    return x


def branch_on_data(x):
    if x.sum() > 0:
        return x * 2
    return x.exp() - 1


class Average(torch.nn.Module):
    """Changes a buffer and a number of its own."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(4))
        self.calls = 0

    def forward(self, x):
        self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        self.calls += 1
        return x - self.mean, self.calls


def written_parts(x, i):
    y = x.clone()
    y[i] = 0
    y[:, 1] = y[:, 0]
    y[x > 0] = 5
    return y * 2


def sums_of_products(x):
    return (torch.einsum("bij,bjk->bki", x, x), torch.einsum("bii->b", x), torch.einsum("bij->j", x),
            torch.outer(x[0, 0], x[0, 1]), torch.kron(x[0], x[1]))


def movements(x):
    return (x.unfold(1, 3, 2), torch.tril(x), x.diagonal(1), x.roll(2, 1), x.flip(0, 1), torch.rot90(x),
            x.unflatten(1, (2, -1)), x.movedim(0, 1), x.unfold(0, 2, 1).unfold(1, 4, 1) + 1, x[..., None, ::2])


def types(x):
    return (x.to(torch.float16) + x, x.bfloat16() @ x.bfloat16().t(), x.double().sum(), x.long() + x, x.int() // 2,
            x.to(torch.int8), x.bool().sum(), x.half().exp().float())


def nested(x):
    return {"a": x + 1, "b": [x * 2, (x - 1, None, 3)], "c": x}


def copies(x, y):
    x.copy_(y)
    y.fill_(3)
    return x + y


def of_functions(x):
    return (torch.vmap(lambda v: v.dot(v))(x), torch.func.jvp(torch.sin, (x,), (x,))[1],
            torch.func.grad(lambda v: v.square().sum())(x))


def autocast(x):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return x @ x.t() + x.sum()


def numbers(x, k):
    return x * k, x + k, torch.full((3,), k) * x[:3], x[:k], x.shape[0] * k


def randn(*shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(len(shape)))


PROGRAMS = {
    views_in_place: [randn(4, 6)], promotion: [torch.arange(-3, 3).view(2, 3), torch.rand(2, 3) + 0.5],
    without_dimensions: [randn(3)], without_elements: [randn(3, 4)], loops: [randn(8, 3), 5],
    branch_on_data: [randn(4).abs()], Average(): [randn(3, 4)], written_parts: [randn(4, 3), torch.tensor([0, 2])],
    sums_of_products: [randn(2, 3, 3)], movements: [randn(4, 6)], types: [randn(2, 6) * 3], nested: [randn(2, 2)],
    copies: [randn(3), randn(3) + 1], of_functions: [randn(2, 6)], autocast: [randn(2, 6)], numbers: [randn(5), 3],
}


def compare(result, expected):
    """Values, types, sizes and strides, in whatever they are packed."""
    results, spec = torch.utils._pytree.tree_flatten(result)
    wanted, other = torch.utils._pytree.tree_flatten(expected)
    assert spec == other
    for one, two in zip(results, wanted):
        if not isinstance(two, torch.Tensor):
            assert one == two
            continue
        torch.testing.assert_close(one, two, rtol=1e-2 if two.dtype == torch.bfloat16 else 1e-4, atol=1e-5)
        assert one.stride() == two.stride() or not two.numel()


@pytest.mark.parametrize("program", [promotion, sums_of_products, movements, types])
@pytest.mark.parametrize("chip", ["sm_80"])
def test_program_on_the_emulator(run_compiled, program, chip):
    check(run_compiled, program)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: getattr(program, "__name__", "average"))
def test_program(run_compiled, program):
    check(run_compiled, program)


def check(run_compiled, program):
    inputs, eager_inputs = copy.deepcopy(PROGRAMS[program]), copy.deepcopy(PROGRAMS[program])
    eager = copy.deepcopy(program)
    result, _ = run_compiled(program, *inputs)
    with torch.no_grad():
        compare(result, eager(*eager_inputs))
    compare(inputs, eager_inputs)  # and what was written to them


def test_promotion_of_narrow_integers(run_compiled):
    a, b = torch.arange(-3, 3, dtype=torch.int8).view(2, 3), torch.tensor([1, 2, 3], dtype=torch.int32)
    compare(run_compiled(promotion, a, b)[0], promotion(a, b))


def test_one_tensor_given_twice(run_compiled):
    x, y = torch.arange(3.0), torch.arange(3.0)
    compare(run_compiled(lambda a, b: (a.add_(1), b * 2), x, x)[0], (lambda a, b: (a.add_(1), b * 2))(y, y))
    compare(x, y)


def test_channels_last(run_compiled):
    x = randn(1, 3, 4, 4).to(memory_format=torch.channels_last)
    model = torch.nn.Conv2d(3, 5, 3)
    with torch.no_grad():
        compare(run_compiled(model, x)[0], model(x))
