# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors without elements are taken out of graphs.

Programs have no such tensors. In models they are remainders: the rest of a head that
is rotated whole, or a cache that nothing was put into yet. What is made of them does not
depend on data.
"""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.utils._pytree import tree_leaves, tree_map

aten = torch.ops.aten

# Write some elements of their first argument anew: none, where other arguments have none.
_WRITES = ("slice_scatter", "select_scatter", "index_put", "_unsafe_index_put", "index_copy", "index_add",
           "scatter", "scatter_add", "scatter_reduce", "masked_scatter")
_MOST_EVALUATED = 1 << 20  # elements of a result that is evaluated to see what it is made of


def _tensors(node: torch.fx.Node) -> list[torch.Tensor]:
    return [leaf for leaf in tree_leaves(node.meta.get("val")) if isinstance(leaf, torch.Tensor)]


def _is_empty(value: Any) -> bool:
    return (isinstance(value, torch.Tensor) and all(isinstance(size, int) for size in value.shape)
            and 0 in value.shape)


def _is_ours(node: torch.fx.Node) -> bool:
    """Whether it is an operator of PyTorch's that only computes."""
    if node.target is operator.getitem:
        return True
    schema = getattr(node.target, "_schema", None)
    return (isinstance(node.target, torch._ops.OpOverload) and node.target.namespace in ("aten", "prims")
            and not schema.is_mutable and torch.Tag.nondeterministic_seeded not in node.target.tags)


def without_empties(graph: torch.fx.Graph) -> None:
    """Lets no operator read a tensor without elements, where that is possible:

    * `cat` has the other operands alone;
    * what writes none of its elements anew is a copy;
    * what reads such tensors alone, as a sum over no elements, is a constant;
    * a result without elements is made of nothing.
    """
    if not any(_is_empty(value) for node in graph.nodes for value in _tensors(node)):
        return
    for node in list(graph.nodes):
        if node.op != "call_function" or not _is_ours(node):
            continue
        made, read = _tensors(node), [value for source in node.all_input_nodes for value in _tensors(source)]
        if isinstance(node.meta.get("val"), torch.Tensor) and _is_empty(made[0]):
            if node.all_input_nodes:
                _replace(graph, node, aten.empty_strided.default, tuple(made[0].shape), tuple(made[0].stride()),
                         dtype=made[0].dtype, device=made[0].device)
        elif not any(map(_is_empty, read)) or node.target is operator.getitem:
            continue
        elif node.target in (aten.cat.default, torch.ops.prims.cat.default):
            _drop(graph, node)
        elif node.target in (aten.addmm.default, aten.baddbmm.default) and _is_empty(node.args[1].meta["val"]):
            _leave_summand(graph, node)
        elif all(map(_is_empty, read)):
            _evaluate(graph, node)
        elif _writes_nothing(node):
            _replace(graph, node, aten.clone.default, node.args[0])
    graph.eliminate_dead_code()


def _replace(graph: torch.fx.Graph, node: torch.fx.Node, target: Any, *args: Any, **kwargs: Any) -> None:
    with graph.inserting_before(node):
        other = graph.call_function(target, args, kwargs)
    other.meta = dict(node.meta)
    node.replace_all_uses_with(other)


def _drop(graph: torch.fx.Graph, node: torch.fx.Node) -> None:
    """Operands of `cat`; their element types may be what the result's comes from."""
    kept = []
    for operand in node.args[0]:
        value = operand.meta["val"]
        if _is_empty(value):
            continue
        dtype = node.meta["val"].dtype
        if value.dtype != dtype:
            with graph.inserting_before(node):
                converted = graph.call_function(torch.ops.prims.convert_element_type.default, (operand, dtype))
            converted.meta = {**operand.meta, "val": value.to(dtype)}
            operand = converted
        kept.append(operand)
    node.args = (kept, *node.args[1:])


def _leave_summand(graph: torch.fx.Graph, node: torch.fx.Node) -> None:
    """Replaces `beta * summand + a @ b`, whose contraction sums over nothing, by `beta * summand`.

    The summand is not read where `beta` is 0: what is not a number in it does not reach the result.
    """
    value = node.meta["val"]
    with graph.inserting_before(node):
        zeros = graph.call_function(aten.full.default, (tuple(value.shape), 0), {
            "dtype": value.dtype, "device": value.device, "pin_memory": False})
    zeros.meta = dict(node.meta)
    beta = node.kwargs.get("beta", 1)
    if beta == 0:
        node.replace_all_uses_with(zeros)
    else:
        _replace(graph, node, aten.add.Tensor, zeros, node.args[0], alpha=beta)


def _writes_nothing(node: torch.fx.Node) -> bool:
    if node.target is aten.copy.default:
        return False  # broadcasts what it reads
    return (str(node.target).split(".")[1] in _WRITES and isinstance(node.args[0], torch.fx.Node)
            and not any(map(_is_empty, _tensors(node.args[0]))))


def _evaluate(graph: torch.fx.Graph, node: torch.fx.Node) -> None:
    """Puts a constant in place of each result, if all its elements are the same."""
    def real(value: Any) -> Any:
        value = value.meta["val"] if isinstance(value, torch.fx.Node) else value
        return torch.empty(value.shape, dtype=value.dtype) if isinstance(value, torch.Tensor) else value

    if sum(value.numel() for value in _tensors(node)) > _MOST_EVALUATED:
        return
    with unset_fake_temporarily(), torch._guards.tracing(None), torch.no_grad():
        args, kwargs = tree_map(real, (node.args, dict(node.kwargs)))
        try:
            results = node.target(*args, **kwargs)
        except Exception:
            return  # an error of PyTorch's when it is called
        if isinstance(results, torch.Tensor):
            uses = [(node, results)]
        else:
            uses = [(user, results[user.args[1]]) for user in node.users
                    if user.target is operator.getitem]
        constants = [(user, value.flatten()[0].item()) for user, value in uses
                     if value.numel() and value.isclose(value.flatten()[0], rtol=0, atol=0, equal_nan=True).all()]
    for user, constant in constants:
        value = user.meta["val"]
        if value.is_contiguous() and not isinstance(constant, complex):
            _replace(graph, user, aten.full.default, tuple(value.shape), constant, dtype=value.dtype,
                     device=value.device, pin_memory=False)
