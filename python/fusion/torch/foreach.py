# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators on lists of tensors (`_foreach_*`), decomposed into an operator for each tensor.

Optimizers of `torch.optim` and `clip_grad_norm_` call them where they update all
parameters at once. Schemas say which arguments are lists, with an element for each tensor;
all others are the same for every tensor.
"""

from __future__ import annotations

from typing import Any, Callable

import torch

aten = torch.ops.aten
_PREFIX = "aten::_foreach_"


def _addcmul(x: torch.Tensor, a: torch.Tensor, b: torch.Tensor, value: Any = 1) -> torch.Tensor:
    if not isinstance(value, torch.Tensor):
        return aten.addcmul(x, a, b, value=value)
    return _rounded_once(lambda x, a, b, value: x + value * a * b, x, a, b, value)


def _addcdiv(x: torch.Tensor, a: torch.Tensor, b: torch.Tensor, value: Any = 1) -> torch.Tensor:
    if not isinstance(value, torch.Tensor):
        return aten.addcdiv(x, a, b, value=value)
    return _rounded_once(lambda x, a, b, value: x + value * a / b, x, a, b, value)


def _rounded_once(compute: Callable, *operands: torch.Tensor) -> torch.Tensor:
    """Half types are computed in f32, as PyTorch's kernels do."""
    dtype = operands[0].dtype
    if dtype in (torch.float16, torch.bfloat16):
        operands = tuple(operand.float() for operand in operands)
    return compute(*operands).to(dtype)


def _powsum(x: torch.Tensor, ord: Any = 2, dtype: Any = None) -> torch.Tensor:
    # Half types are summed in f32.
    wide = torch.float32 if x.dtype in (torch.float16, torch.bfloat16) else x.dtype
    powers = x.to(dtype or wide).abs().pow(ord).sum()
    return powers.to(dtype or x.dtype)


# The operator on one tensor, where it is not the one without `_foreach_` in its name.
_OF_ONE: dict[str, Callable] = {
    "addcmul": _addcmul,
    "addcdiv": _addcdiv,
    "norm": lambda x, ord=2, dtype=None: aten.linalg_vector_norm(x, ord, dtype=dtype),
    "powsum": _powsum,
    "maximum": lambda x, y: aten.maximum(x, y) if isinstance(y, torch.Tensor) else aten.clamp_min(x, y),
    "minimum": lambda x, y: aten.minimum(x, y) if isinstance(y, torch.Tensor) else aten.clamp_max(x, y),
    "zero": torch.zeros_like,
}


def _arguments(operator: Any, args: tuple, kwargs: dict) -> list[tuple[tuple, dict]]:
    """Positional and keyword arguments for each tensor."""
    listed: dict[str, list] = {}
    shared: dict[str, Any] = {}
    given = dict(zip((argument.name for argument in operator._schema.arguments), args)) | kwargs
    for argument in operator._schema.arguments:
        if argument.name not in given:
            continue
        value = given[argument.name]
        if isinstance(argument.type, torch.ListType):
            listed[argument.name] = list(value)
        elif argument.name == "scalars":  # a tensor of numbers, one for each
            listed[argument.name] = list(value.unbind(0))
        else:
            shared[argument.name] = value
    count = max(map(len, listed.values()))
    by_keyword = {argument.name for argument in operator._schema.arguments if argument.kwarg_only}
    calls = []
    for i in range(count):
        one = {name: listed[name][i] if name in listed else shared[name] for name in given}
        calls.append((tuple(value for name, value in one.items() if name not in by_keyword),
                      {name: value for name, value in one.items() if name in by_keyword}))
    return calls


def _decomposition(operator: Any, name: str) -> Callable:
    in_place = operator._schema.is_mutable
    name = name.removesuffix("_")
    of_one = _OF_ONE.get(name) or getattr(aten, name)

    def each(*args: Any, **kwargs: Any) -> list[torch.Tensor] | None:
        results = [of_one(*a, **k) for a, k in _arguments(operator, args, kwargs)]
        if not in_place:
            return results
        for tensor, result in zip(args[0], results):
            tensor.copy_(result)
        return None

    return each


def decompositions() -> dict[Any, Callable]:
    """All operators on lists, except operators that write to arguments `out`."""
    made = {}
    for full in torch._C._dispatch_get_all_op_names():
        name, _, overload = full.removeprefix(_PREFIX).partition(".")
        if not full.startswith(_PREFIX) or overload.endswith("out"):
            continue
        operator = getattr(getattr(aten, f"_foreach_{name}"), overload or "default")
        if name.removesuffix("_") in _OF_ONE or hasattr(aten, name.removesuffix("_")):
            made[operator] = _decomposition(operator, name)
    return made
