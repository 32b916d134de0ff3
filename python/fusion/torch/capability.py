# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which nodes of a graph can be compiled."""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch.fx.passes.operator_support import OperatorSupportBase
from torch.utils._pytree import tree_leaves

from .emit import Function, Unsupported
from .lowering import RuleError, check_tensor, lower_node, shape_of, type_of


def device_of(graph: torch.fx.Graph) -> torch.device:
    """Where a graph computes: the first GPU among its tensors', else the CPU."""
    for node in graph.nodes:
        for value in tree_leaves(node.meta.get("val")):
            if isinstance(value, torch.Tensor) and value.device.type == "cuda":
                return value.device
    return torch.device("cpu")


# What costs nothing by itself: a part made of these alone stays with PyTorch.
_FREE = ("view", "reshape", "_unsafe_view", "squeeze", "unsqueeze", "permute", "transpose", "t",
         "expand", "slice", "select", "alias", "detach", "split", "split_with_sizes", "unbind",
         "getitem", "full", "zeros", "ones", "empty", "empty_like", "empty_permuted", "scalar_tensor", "lift_fresh_copy", "diagonal")


def is_free(node: torch.fx.Node) -> bool:
    """Whether it costs nothing by itself."""
    name = str(node.target)
    return name.startswith("aten.") and name.split(".")[1] in _FREE or "getitem" in name


def _written_in_place(graph: torch.fx.Graph) -> set[torch.fx.Node]:
    """Nodes that make, or read, a tensor whose memory is written in place: when they are
    computed matters, which the edges of the graph do not say. torch.compile passes no such nodes to backends
    but copies into inputs at the end, after which no operator reads these."""
    base: dict[torch.fx.Node, torch.fx.Node] = {}
    written: set[torch.fx.Node] = set()
    read_later: set[torch.fx.Node] = set()
    for node in graph.nodes:
        sources = [base.get(source, source) for source in node.all_input_nodes]
        if node.op != "output":
            read_later |= written.intersection(sources)
        base[node] = node
        if "getitem" in str(node.target) and sources:
            base[node] = sources[0]
        schema = getattr(node.target, "_schema", None)
        if node.op != "call_function" or schema is None:
            continue
        given = dict(zip((a.name for a in schema.arguments), node.args)) | dict(node.kwargs)
        for argument in schema.arguments:
            if argument.alias_info is None:
                continue
            for value in tree_leaves(given.get(argument.name)):
                if not isinstance(value, torch.fx.Node):
                    continue
                base[node] = base[value]
                if argument.alias_info.is_write:
                    written.add(base[value])
    changed = {n for n in written if n.op != "placeholder" or n in read_later}
    return {node for node in graph.nodes
            if changed.intersection({base[node], *(base[s] for s in node.all_input_nodes)})}


def _is_view(node: torch.fx.Node) -> bool:
    """Whether it shares the memory of its first argument, or is taken out of such."""
    if node.op != "call_function" or not node.args or not isinstance(node.args[0], torch.fx.Node):
        return False
    if "getitem" in str(node.target):
        return _is_view(node.args[0])
    schema = getattr(node.target, "_schema", None)
    return schema is not None and bool(schema.arguments) and (
        schema.arguments[0].alias_info is not None
        and not any(a.alias_info is not None and a.alias_info.is_write for a in schema.arguments))


# Read the memory of their first argument, whatever of it the argument shows.
_READS_MEMORY = ("aten.as_strided.default", "aten.as_strided_copy.default", "aten.as_strided_scatter.default")


def return_views(graph: torch.fx.Graph) -> set[torch.fx.Node]:
    """Gives views of what is computed nodes of their own, which PyTorch makes, where they are
    results, so that results share memory with each other where they do without us; and where
    an operator reads the memory that they show a part of."""
    made: set[torch.fx.Node] = set()

    def root(node: torch.fx.Node) -> torch.fx.Node:
        return root(node.args[0]) if _is_view(node) else node

    def for_user(user: torch.fx.Node) -> Callable[[torch.fx.Node], torch.fx.Node]:
        copies: dict[torch.fx.Node, torch.fx.Node] = {}

        def copy(node: torch.fx.Node) -> torch.fx.Node:
            if not _is_view(node):
                return node
            if node not in copies:
                source = copy(node.args[0])
                with graph.inserting_before(user):
                    copies[node] = graph.node_copy(node, lambda n: source if n is node.args[0] else n)
                made.add(copies[node])
            return copies[node]

        return lambda node: copy(node) if root(node).op == "call_function" else node

    for node in list(graph.nodes):
        if node.op == "output":
            node.args = torch.fx.map_arg(node.args, for_user(node))
        elif str(node.target) in _READS_MEMORY:
            node.args = torch.fx.map_arg(node.args, for_user(node))
    graph.eliminate_dead_code()
    return made.intersection(graph.nodes)


class Capability(OperatorSupportBase):
    """A node is taken where its rule succeeds on tensors of its looks, which are all on
    the graph's device and not written in place.

    Args:
        decline: told of operators that are not taken, and why.
        graph: whole.
        returned: views that stay with PyTorch, as of `return_views`.
    """

    def __init__(self, decline: Callable[[str, str], None], graph: torch.fx.Graph,
                 returned: set[torch.fx.Node]):
        self.decline, self.device = decline, device_of(graph)
        self.written, self.returned = _written_in_place(graph), returned
        self.known: dict[torch.fx.Node, bool] = {}

    def is_node_supported(self, submodules: Any, node: torch.fx.Node) -> bool:
        if node not in self.known:
            self.known[node] = self._check(node)
        return self.known[node]

    def _check(self, node: torch.fx.Node) -> bool:
        if node.op != "call_function":
            return False
        if "getitem" in str(node.target):
            return self.is_node_supported({}, node.args[0])
        if node in self.returned:
            return False
        try:
            if node in self.written:
                raise Unsupported("a tensor that is written in place")
            for value in (*node.all_input_nodes, node):
                for leaf in tree_leaves(value.meta.get("val")):
                    if isinstance(leaf, torch.Tensor) and leaf.device != self.device:
                        raise Unsupported(f"a tensor on {leaf.device} in a graph on {self.device}")
            check_node(node)
            return True
        except Unsupported as reason:
            self.decline(str(node.target), str(reason))
            return False


def draws(node: torch.fx.Node) -> bool:
    """Whether it takes numbers of a random generator."""
    return torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())


_AFTER = "after"  # no operator's argument


def keep_order(graph: torch.fx.Graph, capability: Capability) -> None:
    """Lets each node that draws read the one before, so that no part of the graph is put
    together of what the one reads and what the other makes, and none comes first that came
    later: generators give the numbers that they give to PyTorch. Until `forget_order`."""
    nodes = [node for node in graph.nodes
             if draws(node) and not capability.is_node_supported({}, node)]
    for before, node in zip(nodes, nodes[1:]):
        node.kwargs = {**node.kwargs, _AFTER: before}


def forget_order(graph: torch.fx.Graph) -> None:
    """Undoes `keep_order`: nodes that draw have their own arguments alone again."""
    for node in graph.nodes:
        if draws(node):
            node.kwargs = {name: value for name, value in node.kwargs.items() if name != _AFTER}


def check_node(node: torch.fx.Node) -> None:
    """Raises `Unsupported` where the node cannot be lowered."""
    function = Function()
    values: dict[torch.fx.Node, Any] = {}
    for source in node.all_input_nodes:
        value = source.meta.get("val")
        check_tensor(value)
        values[source] = function.argument(shape_of(value), type_of(value))
    try:
        lower_node(function, node, values)
    except RuleError as error:
        raise RuleError(f"{error} (at the node {node.format_node()})") from error
