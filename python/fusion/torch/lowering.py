# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From nodes of an FX graph to operations on tensors.

The table `RULES` has one small function for each ATen or prims operator, filed by the
modules of `operators`. An operator without a rule is decomposed by PyTorch's own decompositions, down to
operators that have one.
"""

from __future__ import annotations

import collections
import functools
import inspect
import numbers
import threading
from typing import Any, Callable

import torch

from . import decompositions
from .emit import Function, Tensor, Unsupported
from .tracing import record

TYPES = {
    torch.float64: "f64", torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16",
    torch.int64: "i64", torch.int32: "i32", torch.int16: "i16", torch.int8: "i8",
    torch.bool: "i1",
}
DTYPES = {name: dtype for dtype, name in TYPES.items()}

Rule = Callable[..., Any]
RULES: dict[str, Rule] = {}


def lowers(*names: str) -> Callable[[Rule], Rule]:
    """Files a rule for operators named like ``aten.mm.default``. It is called with a
    `Call` and the node's arguments, tensors being `Tensor`s, and gives a `Tensor`, or
    a tuple of them where the operator has several results."""

    def file(rule: Rule) -> Rule:
        for name in names:
            assert name not in RULES, name
            RULES[name] = rule
        return rule

    return file


class RuleError(RuntimeError):
    """A mistake of ours: a rule failed at something else than what it declines."""


@functools.lru_cache(maxsize=None)
def _signature(rule: Rule) -> inspect.Signature:
    return inspect.signature(rule)


def _check_arguments(rule: Rule, args: tuple, kwargs: dict) -> None:
    """Raises `Unsupported` where the rule does not take the arguments:
    what it calls `Tensor` or `int` has to be one."""
    signature = _signature(rule)
    try:
        bound = signature.bind(None, *args, **kwargs)
    except TypeError as error:
        raise Unsupported(f"arguments that its rule does not take ({error})") from None
    for name, value in bound.arguments.items():
        wanted = signature.parameters[name].annotation
        if (wanted == "Tensor" and not isinstance(value, Tensor)
                or wanted == "Tensor | None" and not isinstance(value, (Tensor, type(None)))):
            raise Unsupported(f"a {type(value).__name__} in place of the tensor '{name}'")
        if wanted == "int" and not isinstance(value, numbers.Integral):
            raise Unsupported(f"a {type(value).__name__} in place of the number '{name}'")


def type_of(value: torch.Tensor) -> str:
    if value.dtype not in TYPES:
        raise Unsupported(f"elements of type {value.dtype}")
    return TYPES[value.dtype]


def shape_of(value: torch.Tensor) -> tuple[int, ...]:
    if any(not isinstance(size, int) for size in value.shape):
        raise Unsupported("sizes that are not known")
    if any(size == 0 for size in value.shape):
        raise Unsupported("a tensor without elements")
    return tuple(value.shape)


class Call:
    """One node while its rule runs.

    Attributes:
        f: the function under construction.
        target: the operator's name.
        args, kwargs: the node's arguments with PyTorch's (fake) tensors.
        value: what PyTorch says the results look like.
        used: which results are used.
    """

    def __init__(self, function: Function, target: str, args: tuple, kwargs: dict, value: Any,
                 used: Callable[[int], bool] = lambda index: True):
        self.f = function
        self.target = target
        self.args, self.kwargs = args, kwargs
        self.value = value
        self.used = used

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the only result."""
        return shape_of(self.value)

    @property
    def type(self) -> str:
        """Element type of the only result."""
        return type_of(self.value)

    def tensors(self) -> list[torch.Tensor]:
        return [a for a in torch.utils._pytree.tree_leaves((self.args, self.kwargs))
                if isinstance(a, torch.Tensor)]


def check_tensor(value: Any) -> None:
    """Raises `Unsupported` unless tensors like `value` can be inputs and results."""
    if not isinstance(value, torch.Tensor):
        raise Unsupported(f"a value of type {type(value).__name__}")
    if value.layout != torch.strided:
        raise Unsupported(f"tensors of layout {value.layout}")
    if value.device.type not in ("cpu", "cuda"):
        raise Unsupported(f"tensors on {value.device.type}")
    if value.is_quantized or value.is_complex():
        raise Unsupported(f"elements of type {value.dtype}")
    type_of(value)
    shape_of(value)


def lower(call: Call, args: tuple, kwargs: dict) -> Any:
    """Emits the operations of one node; `args` and `kwargs` hold `Tensor`s."""
    for value in torch.utils._pytree.tree_leaves((call.args, call.kwargs)):
        if isinstance(value, torch.Tensor):
            check_tensor(value)
        elif isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
            raise Unsupported("sizes that are not known")
        elif isinstance(value, complex):
            raise Unsupported("complex numbers")
    results = call.value if isinstance(call.value, (tuple, list)) else [call.value]
    for i, value in enumerate(results):
        if call.used(i):
            check_tensor(value)
    rule = RULES.get(call.target)
    if rule is None:
        return _take_apart(call, args, kwargs)
    _check_arguments(rule, args, kwargs)
    try:
        result = rule(call, *args, **kwargs)
        for made, wanted in zip(result if isinstance(result, tuple) else [result], results):
            if made is not None and (made.shape, made.type) != (shape_of(wanted), type_of(wanted)):
                raise AssertionError(f"it made {made.mlir} of what is {tuple(wanted.shape)} "
                                     f"{wanted.dtype}")
    except Unsupported:
        raise
    except Exception as error:
        raise RuleError(f"internal error: the rule for {call.target} on {_looks(args, kwargs)} "
                        f"fails: {type(error).__name__}: {error}") from error
    return result


def _looks(args: tuple, kwargs: dict) -> str:
    shown = [*map(_look, args), *(f"{name}={_look(value)}" for name, value in kwargs.items())]
    return f"({', '.join(shown)})"


def _look(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_look, value))}]"
    return value.mlir if isinstance(value, Tensor) else repr(value)


def _operator(name: str) -> Any:
    parts = name.split(".")
    if len(parts) != 3:  # one of PyTorch's operators on functions
        raise Unsupported("no rule and no decomposition")
    namespace, packet, overload = parts
    return getattr(getattr(getattr(torch.ops, namespace), packet), overload)


def _take_apart(call: Call, args: tuple, kwargs: dict) -> Any:
    """Lowers what PyTorch's decomposition makes of the node."""
    operator = _operator(call.target)
    known = decompositions.table()
    if operator not in known:
        raise Unsupported("no rule and no decomposition")
    if any(tag in operator.tags for tag in (torch.Tag.nondeterministic_seeded,)):
        raise Unsupported("random numbers")
    graph, constants = _decomposed(operator, call.args, call.kwargs)
    values = [leaf for leaf in torch.utils._pytree.tree_leaves((args, kwargs))
              if isinstance(leaf, Tensor)]
    return lower_graph(call.f, graph, values, taken_apart=True, constants=constants.get)


_decomposed_graphs: "collections.OrderedDict[tuple, tuple]" = collections.OrderedDict()
_MOST_GRAPHS = 512
_graphs_lock = threading.Lock()


def _decomposed(operator: Any, args: tuple, kwargs: dict) -> tuple[torch.fx.Graph, dict]:
    """The graph of an operator's decomposition on tensors of the looks of those in `args`,
    down to operators that have a rule, and its constants. Most are asked for several times:
    when a node is checked, when it is lowered, and for each layer of a model."""
    leaves, spec = torch.utils._pytree.tree_flatten((args, kwargs))
    looks = [(tuple(leaf.shape), tuple(leaf.stride()), leaf.dtype)
             if isinstance(leaf, torch.Tensor) else None for leaf in leaves]
    key: tuple = (operator, str(spec), *(look or (type(leaf), repr(leaf)) for look, leaf in zip(looks, leaves)))
    with _graphs_lock:
        if key in _decomposed_graphs:
            _decomposed_graphs.move_to_end(key)
            return _decomposed_graphs[key]
    known = decompositions.table()

    def flat(*tensors: torch.Tensor) -> Any:
        rest = iter(tensors)
        filled = [next(rest) if look else leaf for look, leaf in zip(looks, leaves)]
        a, k = torch.utils._pytree.tree_unflatten(filled, spec)
        return known[operator](*a, **k)

    # What has a rule stays; the rest is decomposed in turn.
    table = {op: how for op, how in known.items() if str(op) not in RULES}
    try:
        made = record(flat, [look for look in looks if look], table)
    except Exception as error:  # decompositions decline what they do not handle
        raise Unsupported(f"PyTorch's decomposition fails: {type(error).__name__}") from error
    with _graphs_lock:
        _decomposed_graphs[key] = made
        while len(_decomposed_graphs) > _MOST_GRAPHS:
            _decomposed_graphs.popitem(last=False)
    return made


def lower_graph(function: Function, graph: torch.fx.Graph, inputs: list[Any],
                taken_apart: bool = False,
                constants: Callable[[str], Any] | None = None) -> Any:
    """Emits a graph; gives what its output gives, with `Tensor`s."""
    values: dict[torch.fx.Node, Any] = {}
    rest = iter(inputs)
    for node in graph.nodes:
        if node.op == "placeholder":
            values[node] = next(rest)
        elif node.op == "output":
            return torch.fx.map_arg(node.args[0], lambda n: values[n])
        elif node.op == "get_attr":
            values[node] = _constant(function, constants(node.target) if constants else None)
        elif node.op != "call_function":
            raise Unsupported(f"nodes of kind {node.op}")
        elif getattr(node.target, "__name__", "") == "getitem":
            values[node] = values[node.args[0]][node.args[1]]
        else:
            values[node] = lower_node(function, node, values, taken_apart)
    raise AssertionError("a graph without an output")


def lower_node(function: Function, node: torch.fx.Node, values: dict[torch.fx.Node, Any],
               taken_apart: bool = False) -> Any:
    """Emits a node whose arguments are in `values`."""
    args, kwargs = torch.fx.map_arg((node.args, node.kwargs), lambda n: values[n])
    looks = torch.fx.map_arg((node.args, node.kwargs), lambda n: n.meta["val"])
    picked = {user.args[1] for user in node.users
              if getattr(user.target, "__name__", "") == "getitem"}
    several = isinstance(node.meta.get("val"), (tuple, list))
    call = Call(function, str(node.target), looks[0], looks[1], node.meta.get("val"),
                (lambda index: index in picked) if several else (lambda index: True))
    try:
        return lower(call, args, kwargs)
    except Unsupported as reason:
        # For a decomposed operator, the part that cannot be compiled is named.
        if taken_apart and not getattr(reason, "named", False):
            named = Unsupported(f"{call.target}: {reason}")
            named.named = True
            raise named from None
        raise


def _constant(function: Function, value: Any) -> Tensor:
    if not isinstance(value, torch.Tensor) or value.numel() != 1:
        raise Unsupported("a constant tensor")
    return function.fill(value.item(), tuple(value.shape), type_of(value))
