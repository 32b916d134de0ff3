# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The backend of torch.compile."""

from __future__ import annotations

import warnings
from typing import Any, Callable, Sequence

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._dynamo.convert_frame import compile_lock
from torch._functorch.aot_autograd import make_boxed_func

from .decompositions import OWN
from .emit import Unsupported
from .lowering import RULES
from .regions import Options, callable_of, compile_graph, log
from .tracing import Unknown, with_sizes


def decompositions() -> dict:
    """PyTorch's, to core ATen, and our own, but for operators that have a rule of ours and for operators that
    draw random numbers, which PyTorch draws in its own way."""
    known = {**torch._decomp.core_aten_decompositions(), **OWN}
    return {operator: how for operator, how in known.items()
            if str(operator) not in RULES
            and torch.Tag.nondeterministic_seeded not in getattr(operator, "tags", ())}


def _has_open_sizes(graph: torch.fx.GraphModule) -> bool:
    for node in graph.graph.nodes:
        if node.op == "placeholder":
            value = node.meta.get("val")
            if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
                return True
            if isinstance(value, torch.Tensor) and any(
                    not isinstance(size, int) for size in (*value.shape, *value.stride())):
                return True
    return False


class _PerShape:
    """A graph of sizes that are not known: compiled for each set of them that comes, by one
    thread at a time, under TorchDynamo's lock as every other graph is."""

    def __init__(self, graph: torch.fx.GraphModule, options: Options):
        self.graph, self.options = graph, options
        self.compiled: dict[tuple, Callable] = {}

    def __call__(self, *inputs: Any) -> Any:
        key = tuple((tuple(x.shape), tuple(x.stride()), x.dtype, x.device)
                    if isinstance(x, torch.Tensor) else (type(x), x) for x in inputs)
        if key not in self.compiled:
            with compile_lock:
                if key not in self.compiled:
                    self.compiled[key] = self._compile(inputs)
        return self.compiled[key](*inputs)

    def _compile(self, inputs: Sequence[Any]) -> Callable:
        try:
            graph = with_sizes(self.graph, inputs)
        except Unknown as reason:
            text = f"PyTorch computes a graph whose sizes depend on data ({reason})"
            if self.options.strict:
                raise Unsupported(text) from None
            log.warning("%s", text)
            return self.graph
        compiled = callable_of(compile_graph(graph, self.options))
        return lambda *inputs: compiled(*[x for x in inputs if isinstance(x, torch.Tensor)])


def backend(graph: torch.fx.GraphModule, inputs: Sequence[Any], *,
            options: dict[str, Any] | None = None, mode: Any = None) -> Callable:
    """What ``torch.compile(model, backend="fusion")`` calls with each graph.

    Args:
        graph, inputs: from TorchDynamo.
        options: as `Options`.
        mode: of torch.compile; it has none here, and is warned of.

    Raises:
        TypeError, ValueError: an option is not one, or not as it has to be.
    """
    chosen = Options.of(options)
    if mode not in (None, "default"):
        warnings.warn(f"mode={mode!r} of torch.compile has no effect on the backend 'fusion'; "
                      "its options are given as options={…}", stacklevel=2)
    return compile_as(graph, inputs, chosen, chosen)


def compile_as(graph: torch.fx.GraphModule, inputs: Sequence[Any], forward: Options, backward: Options) -> Callable:
    """A graph of TorchDynamo's, compiled with options for it and others for its backward."""
    def compiler(options: Options) -> Callable:
        def compile(graph: torch.fx.GraphModule, inputs: Sequence[Any]) -> Callable:
            if _has_open_sizes(graph):
                return make_boxed_func(_PerShape(graph, options))
            return make_boxed_func(callable_of(compile_graph(graph, options)))

        return compile

    return aot_autograd(fw_compiler=compiler(forward), bw_compiler=compiler(backward),
                        inference_compiler=compiler(forward),
                        decompositions=decompositions())(graph, inputs)
