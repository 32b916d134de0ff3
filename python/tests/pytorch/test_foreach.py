# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators on lists of tensors, as optimizers call them that update all parameters at once, and clip_grad_norm_."""

import copy

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

OPTIMIZERS = {
    "SGD": (torch.optim.SGD, {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.1, "nesterov": True}),
    "Adam": (torch.optim.Adam, {"lr": 0.1, "amsgrad": True, "weight_decay": 0.1}),
    "AdamW": (torch.optim.AdamW, {"lr": 0.1}),
    "AdamW maximizing": (torch.optim.AdamW, {"lr": 0.1, "maximize": True}),
    "RMSprop": (torch.optim.RMSprop, {"lr": 0.1, "momentum": 0.5, "centered": True}),
    "Adagrad": (torch.optim.Adagrad, {"lr": 0.1, "lr_decay": 0.1}),
    "Adadelta": (torch.optim.Adadelta, {"lr": 0.5}),
    "NAdam": (torch.optim.NAdam, {"lr": 0.1, "decoupled_weight_decay": True, "weight_decay": 0.1}),
    "RAdam": (torch.optim.RAdam, {"lr": 0.1}),
    "Adamax": (torch.optim.Adamax, {"lr": 0.1}),
    "ASGD": (torch.optim.ASGD, {"lr": 0.1}),
    "Rprop": (torch.optim.Rprop, {"lr": 0.1}),
}


def steps(front, name, foreach):
    """Parameters after some steps of ours and of PyTorch's, and a report of ours."""
    kind, options = OPTIMIZERS[name]
    torch.manual_seed(0)
    ours = torch.nn.ParameterList([torch.randn(4, 3), torch.randn(5)])
    theirs, report = copy.deepcopy(ours), front.Report()
    torch._dynamo.reset()
    results = []
    for parameters, compiled in ((ours, True), (theirs, False)):
        optimizer = kind(parameters, foreach=foreach, **options)
        step = optimizer.step
        if compiled:
            step = torch.compile(step, backend=front.backend,
                                 options={"strict": True, "cache_dir": "", "report": report})
        for i in range(3):
            for j, parameter in enumerate(parameters):
                parameter.grad = (parameter.detach() * 0.1 + torch.linspace(-1, 1, parameter.numel()).view_as(parameter)
                                  + i - j)
            step()
        results.append([parameter.detach() for parameter in parameters])
    torch._dynamo.reset()
    return *results, report


def covered(report):
    """Operators that are compiled, and operators that are not."""
    return sum(len(region.names) for region in report.regions if not region.failure), set(report.declined)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers(front, name):
    left = {}
    for foreach in (True, False):
        made, expected, report = steps(front, name, foreach)
        torch.testing.assert_close(made, expected, rtol=1e-4, atol=1e-5)
        count, left[foreach] = covered(report)
        assert count > 0
    assert left[True] <= left[False], left


@pytest.mark.parametrize("ord", [2.0, 1.0, float("inf")])
def test_clipping(run_compiled, ord):
    def clip(*gradients):
        parameters = [torch.nn.Parameter(torch.zeros_like(gradient)) for gradient in gradients]
        norm = torch.nn.utils.get_total_norm(gradients, ord, foreach=True)
        gradients = [gradient.clone() for gradient in gradients]
        torch._foreach_mul_(gradients, torch.clamp(0.5 / (norm + 1e-6), max=1.0))
        return norm, gradients, len(parameters)

    inputs = torch.randn(4, 3), torch.randn(5)
    result, report = run_compiled(clip, *inputs)
    torch.testing.assert_close(result, clip(*inputs))
    assert not report.declined and report.graphs == 1


def test_clip_grad_norm(front):
    report = front.Report()
    torch._dynamo.reset()
    compiled = torch.compile(torch.nn.utils.clip_grad_norm_, backend=front.backend,
                             options={"strict": True, "cache_dir": "", "report": report})
    torch.manual_seed(0)
    lists = []
    for clip in (compiled, torch.nn.utils.clip_grad_norm_):
        parameters = [torch.nn.Parameter(torch.zeros(3, 2)), torch.nn.Parameter(torch.zeros(4))]
        for parameter in parameters:
            parameter.grad = torch.linspace(-2, 3, parameter.numel()).view_as(parameter)
        norm = clip(parameters, 0.7, foreach=True)
        lists.append([norm, *[parameter.grad for parameter in parameters]])
    torch.testing.assert_close(*lists)
    assert report.regions and not report.declined
    torch._dynamo.reset()


def arguments(operator, dtype):
    """Arguments by a schema: lists of two tensors, numbers between 1.5 and 3."""
    generator = torch.Generator().manual_seed(0)
    given = []
    for argument in operator._schema.arguments:
        kind = str(argument.type)
        if kind == "List[Tensor]":
            shapes = ((2, 2), (3, 3)) if "_mm" in str(operator) else ((3, 2), (4,))
            given.append([(torch.rand(shape, generator=generator) * 0.9 + 0.05).to(dtype) for shape in shapes])
        elif kind.startswith("List["):
            given.append([2.0, 3.0])
        elif kind == "Tensor":
            given.append(torch.tensor([2.0, 3.0]) if argument.name == "scalars" else torch.tensor(1.5, dtype=dtype))
        elif not argument.has_default_value():
            given.append(2.5)
    return given


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_each_is_what_it_is_taken_apart_to(front, dtype):
    """All operators on lists, also the ones that write to their first argument."""
    from fusion.torch import foreach

    table = foreach.decompositions()
    assert len(table) > 140
    for operator, decomposition in table.items():
        theirs = arguments(operator, dtype)
        ours = copy.deepcopy(theirs)
        expected, result = operator(*theirs), decomposition(*ours)
        assert (result is None) == (expected is None), operator
        if result is not None:
            torch.testing.assert_close(list(result), list(expected), msg=lambda text: f"{operator}: {text}")
        torch.testing.assert_close(ours, theirs, msg=lambda text: f"{operator}: {text}")


def test_taken_apart_by_one_with_the_operators_around(run_compiled):
    """All forms of a scalar that TorchDynamo takes: one, a list, a tensor; and alpha."""
    def model(a, b, factor):
        lists = [[a, b], [a + 1, b + 2]]
        sums = torch._foreach_add(*lists, alpha=3)
        torch._foreach_mul_(sums, factor)
        torch._foreach_add_(sums, [0.5, 1.5])
        torch._foreach_lerp_(sums, lists[0], 0.25)
        torch._foreach_maximum_(sums, 0.1)
        return torch._foreach_pow(2.0, sums), torch._foreach_norm(sums)

    inputs = torch.rand(3, 2) + 0.5, torch.rand(4) + 0.5, torch.tensor(0.5)
    result, report = run_compiled(model, *inputs)
    torch.testing.assert_close(result, model(*inputs))
    assert not report.declined and len(report.regions) == 1
