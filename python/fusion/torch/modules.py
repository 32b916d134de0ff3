# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of MLIR of the parts of graphs."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Sequence

import numpy as np
import torch

from .emit import Function, Requirement, Tensor, Unsupported
from .lowering import check_tensor, lower_graph, shape_of, type_of


@dataclasses.dataclass
class Module:
    """A graph as MLIR.

    Attributes:
        text: the module.
        results: per result of the graph, which result of the function it is, or None.
        inputs: the inputs that results without a function's result are.
        repeated: per input, its dimensions of stride 0, along which it is repeated: the
            function takes it without them.
        required: what inputs have to be like, by their number.
        flags: how many further results the function has: booleans, one of which is
            true where an operator does not take what it is given.
    """

    text: str
    results: list[int | None]
    inputs: list[int | None]
    repeated: list[list[int]]
    required: list[tuple[int, Requirement]]
    flags: int

    def takes(self, array: Callable[[int], np.ndarray]) -> bool:
        """Whether the inputs are as operators require; `array` gives one of them."""
        for i, requirement in self.required:
            given = array(i)
            if given.size and not requirement.holds(given.min(), given.max()) and (
                    requirement.low is not None or not given.all()):
                return False
        return True


def to_module(graph: torch.fx.Graph, is_checked: bool = True) -> Module:
    """The module of a graph; where `is_checked`, PyTorch's errors of data (an index out
    of bounds, a division of integers by 0) are looked for.

    Raises:
        Unsupported: a node cannot be lowered.
    """
    function = Function(is_checked=is_checked)
    arguments, values, repeated = [], [], []
    for node in graph.nodes:
        if node.op == "placeholder":
            value = node.meta["val"]
            check_tensor(value)
            shape = shape_of(value)
            repeated.append(repeated_dims(value))
            kept = [d for d in range(len(shape)) if d not in repeated[-1]]
            arguments.append(function.argument([shape[d] for d in kept], type_of(value)))
            values.append(function.spread(arguments[-1], kept, shape))
    outputs = lower_graph(function, graph, values)
    outputs = list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]
    names = [value.name for value in values]
    made: list[Tensor] = []
    results: list[int | None] = []
    inputs: list[int | None] = []
    for output, look in zip(outputs, looks_of_results(graph)):
        if not isinstance(output, Tensor):
            raise Unsupported("a result that is no tensor")
        rows = repeated_dims(look)
        if rows:  # once: `to_tensor` repeats it
            output = function.slice(output, [0] * len(output.shape),
                                    [1 if d in rows else size for d, size in enumerate(output.shape)],
                                    [1] * len(output.shape))
        elif output.name in names:
            results.append(None)
            inputs.append(names.index(output.name))
            continue
        if output not in made:
            made.append(output)
        results.append(made.index(output))
        inputs.append(None)
    text = function.print([*made, *function.flags]) if made or function.flags else ""
    return Module(text, results, inputs, repeated, function.required, len(function.flags))


def looks_of_results(graph: torch.fx.Graph) -> list[Any]:
    """What PyTorch says that the results of a graph look like."""
    output = next(node for node in graph.nodes if node.op == "output").args[0]
    return [node.meta["val"] if isinstance(node, torch.fx.Node) else node
            for node in (output if isinstance(output, (tuple, list)) else [output])]


def repeated_dims(look: torch.Tensor) -> list[int]:
    """Dimensions of stride 0: all that is along them is one element."""
    if not isinstance(look, torch.Tensor) or look.layout != torch.strided:
        return []
    return [d for d, (size, stride) in enumerate(zip(look.shape, look.stride())) if stride == 0 and size != 1]


def once(tensor: torch.Tensor, dims: Sequence[int]) -> torch.Tensor:
    """The tensor without dimensions that it is repeated along."""
    for d in reversed(dims):
        tensor = tensor.select(d, 0)
    return tensor
