# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of operators, recorded without changing what other threads see.

PyTorch's `make_fx` replaces methods of `torch.nn.Module` and sets a flag of the whole
process while it traces. Outside of TorchDynamo's lock, calls of compiled models in other
threads fail meanwhile. What is here has its state in the thread that traces.
"""

from __future__ import annotations

import operator
from typing import Any, Callable, Sequence

import torch
from torch._subclasses.fake_tensor import FakeTensorMode, unset_fake_temporarily
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map


class _Recorder(TorchDispatchMode):
    """Writes operators into a graph as they are called, operators of `table` as what their
    decompositions call."""

    def __init__(self, graph: torch.fx.Graph, table: dict[Any, Callable]):
        super().__init__()
        self.graph, self.table = graph, table
        self.nodes: dict[int, torch.fx.Node] = {}
        self.kept: list[torch.Tensor] = []  # an id names a tensor as long as there is one
        self.constants: dict[str, torch.Tensor] = {}

    def name(self, tensor: torch.Tensor, node: torch.fx.Node) -> None:
        """From now on, `tensor` is what `node` makes."""
        self.nodes[id(tensor)] = node
        self.kept.append(tensor)

    def node_of(self, value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        if id(value) not in self.nodes:
            name = f"_constant{len(self.constants)}"
            self.constants[name] = getattr(value, "constant", None) if _is_fake(value) else value
            node = self.graph.create_node("get_attr", name)
            node.meta["val"] = value
            self.name(value, node)
        return self.nodes[id(value)]

    def __torch_dispatch__(self, target: Any, types: Any, args: tuple = (),
                           kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        if target.namespace == "prim":  # asks for the device, which is no operator
            return target(*args, **kwargs)
        decomposition = self.table.get(target)
        if decomposition is not None:
            with self:
                result = decomposition(*args, **kwargs)
            if result is not NotImplemented:
                return result
        if target._can_decompose():
            with self:
                result = target.decompose(*args, **kwargs)
            if result is not NotImplemented:
                return result
        result = target(*args, **kwargs)
        if not any(isinstance(leaf, torch.Tensor) for leaf in tree_leaves(result)) \
                and not target._schema.is_mutable:
            return result
        node = self.graph.call_function(target, *tree_map(self.node_of, (args, kwargs)))
        node.meta["val"] = result
        if isinstance(result, torch.Tensor):
            self.name(result, node)
            return result
        for i, leaf in enumerate(result or ()):
            if isinstance(leaf, torch.Tensor):
                part = self.graph.call_function(operator.getitem, (node, i))
                part.meta["val"] = leaf
                self.name(leaf, part)
        return result


def _is_fake(tensor: torch.Tensor) -> bool:
    return isinstance(tensor, torch._subclasses.FakeTensor)


def record(call: Callable, looks: Sequence[tuple], table: dict[Any, Callable]) -> tuple[
        torch.fx.Graph, dict[str, torch.Tensor]]:
    """The graph of a call on tensors, and the constants that it reads.

    Args:
        call: called once.
        looks: of its tensors: sizes, strides and element type of each.
        table: decompositions of operators without a rule.
    """
    graph = torch.fx.Graph()
    recorder = _Recorder(graph, table)
    with unset_fake_temporarily(), torch._guards.tracing(None), torch.no_grad(), \
            FakeTensorMode(allow_non_fake_inputs=True):
        tensors = []
        for i, (sizes, strides, dtype) in enumerate(looks):
            tensors.append(torch.empty_strided(sizes, strides, dtype=dtype))
            node = graph.placeholder(f"arg{i}")
            node.meta["val"] = tensors[-1]
            recorder.name(tensors[-1], node)
        with recorder:
            result = call(*tensors)
        graph.output(tree_map(recorder.node_of, result))
    return graph, recorder.constants


class Unknown(Exception):
    """A value depends on data: the graph has no fixed sizes."""


def with_sizes(graph: torch.fx.GraphModule, inputs: Sequence[Any]) -> torch.fx.GraphModule:
    """A graph of open sizes at the sizes of `inputs`. It takes the tensors among them; the
    numbers are constants of the graph, and so is what is computed of numbers alone.

    Raises:
        Unknown: sizes or numbers depend on the elements of tensors.
    """
    made = torch.fx.Graph()
    nodes: dict[torch.fx.Node, torch.fx.Node] = {}  # of the graph's nodes that are not numbers
    values: dict[torch.fx.Node, Any] = {}
    rest = iter(inputs)
    with unset_fake_temporarily(), torch._guards.tracing(None), torch.no_grad(), \
            FakeTensorMode(allow_non_fake_inputs=True) as mode:

        def look(value: Any) -> Any:
            return mode.from_tensor(value, static_shapes=True) if isinstance(value, torch.Tensor) else value

        def node_of(node: torch.fx.Node) -> Any:
            return nodes.get(node, values[node])

        for node in graph.graph.nodes:
            if node.op == "placeholder":
                given = next(rest)
                values[node] = look(given)
                if isinstance(given, torch.Tensor):
                    nodes[node] = made.node_copy(node)
            elif node.op == "get_attr":
                values[node] = look(_attribute(graph, node.target))
                nodes[node] = made.node_copy(node)
            elif node.op == "call_function":
                args, kwargs = torch.fx.map_arg((node.args, node.kwargs), lambda n: values[n])
                try:
                    values[node] = node.target(*args, **kwargs)
                except _UNKNOWN as error:
                    raise Unknown(f"{node.target}: {type(error).__name__}") from error
                reads = any(source in nodes for source in node.all_input_nodes)
                leaves = tree_leaves(values[node])
                if any(isinstance(leaf, torch.Tensor) for leaf in leaves) or reads and not leaves:
                    nodes[node] = made.node_copy(node, node_of)
            elif node.op == "output":
                made.output(torch.fx.map_arg(node.args[0], node_of))
            else:
                raise AssertionError(f"a node of kind {node.op}")
            if node in nodes:
                nodes[node].meta = {**node.meta, "val": values[node]}
    return torch.fx.GraphModule(graph, made)


_UNKNOWN = (torch._subclasses.fake_tensor.DataDependentOutputException,
            torch._subclasses.fake_tensor.DynamicOutputShapeException)


def _attribute(root: torch.nn.Module, name: str) -> Any:
    value: Any = root
    for part in name.split("."):
        value = getattr(value, part)
    return value
