# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a call of a model changes, put back as it was.

`explain` calls models in order to see their graphs. The state that is restored: random generators,
tensors that are written in place (buffers, as the statistics of a batch norm, arguments,
whatever a graph writes to), attributes and containers of modules and of objects that a
model is called with, as caches of keys and values, and what TorchDynamo remembers of sizes.
Files, global variables and what else a model's own Python code does is not.
"""

from __future__ import annotations

import collections
import functools
import random
import sys
import types
from typing import Any, Iterable, Sequence

import numpy as np
import torch
from torch._dynamo.utils import counters


class Preserved:
    """While it is entered, what changes is remembered; on leaving, it is put back.

    Args:
        values: a model, and what it is called with: modules, functions, methods, tensors.
    """

    def __init__(self, *values: Any):
        self.values = values
        self.tensors: dict[int, tuple[torch.Tensor, torch.Tensor, int | None]] = {}
        self.containers: list[tuple[Any, Any]] = []
        self.seen: set[int] = set()

    def keep(self, tensors: Sequence[Any]) -> None:
        """Tensors that will be written to, before they are."""
        for tensor in tensors:
            if (not isinstance(tensor, torch.Tensor) or id(tensor) in self.tensors or tensor.layout != torch.strided
                    or tensor.device.type == "meta"):
                continue
            if any(stride == 0 and size > 1 for size, stride in zip(tensor.shape, tensor.stride())):
                continue  # PyTorch writes to none of these in place, and copies would be large
            version = None if tensor.is_inference() else tensor._version
            self.tensors[id(tensor)] = tensor, tensor.detach().clone(), version

    def __enter__(self) -> "Preserved":
        self.python, self.numpy = random.getstate(), np.random.get_state()
        self.generators = torch.random.fork_rng(
            range(torch.cuda.device_count()) if torch.cuda.is_initialized() else [])
        self.generators.__enter__()
        self.counters = {name: collections.Counter(counts) for name, counts in counters.items()}
        # With what was seen of sizes before, TorchDynamo leaves sizes open.
        self.sizes = getattr(_sizes, "_CODE_STATE", None)
        if hasattr(_sizes, "_CODE_STATE"):
            _sizes._CODE_STATE = collections.defaultdict(_sizes.CodeState)
        for value in self.values:
            self._look(value)
        return self

    def __exit__(self, *raised: Any) -> None:
        for container, contents in self.containers:
            _restore(container, contents)
        for tensor, contents, version in self.tensors.values():
            if version is None or tensor._version != version:
                with torch.no_grad(), torch.inference_mode(tensor.is_inference()):
                    tensor.detach().copy_(contents)
                if version is not None:
                    torch._C._autograd._unsafe_set_version_counter((tensor,), (version,))
        if hasattr(_sizes, "_CODE_STATE"):
            _sizes._CODE_STATE = self.sizes
        counters.clear()
        counters.update(self.counters)
        self.generators.__exit__(*raised)
        np.random.set_state(self.numpy)
        random.setstate(self.python)

    def _look(self, value: Any) -> None:
        """Into modules, containers and objects, what functions hold, and the objects of methods."""
        if id(value) in self.seen or isinstance(value, (type, types.ModuleType)):
            return
        self.seen.add(id(value))
        inside: Iterable[Any] = ()
        if isinstance(value, torch.Tensor):
            if not isinstance(value, torch.nn.Parameter):  # kept where a graph writes to it
                self.keep([value])
        elif isinstance(value, types.FunctionType):
            inside = _held(value)
        elif isinstance(value, types.MethodType):
            inside = value.__func__, value.__self__
        elif isinstance(value, functools.partial):
            inside = value.func, value.args, value.keywords
        elif isinstance(value, (list, tuple, set, dict)):
            self._keep_contents(value)
            inside = value.values() if isinstance(value, dict) else value
        elif isinstance(value, torch.nn.Module) or _is_plain(value):
            self._keep_contents(value.__dict__)
            inside = value.__dict__.values()
        for one in list(inside):
            self._look(one)

    def _keep_contents(self, value: Any) -> None:
        if isinstance(value, list):
            self.containers.append((value, list(value)))
        elif isinstance(value, (dict, set)):
            self.containers.append((value, dict(value) if isinstance(value, dict) else set(value)))


def _restore(container: Any, contents: Any) -> None:
    """What changed alone: another thread may read the container meanwhile."""
    if isinstance(container, list):
        if len(container) != len(contents) or any(a is not b for a, b in zip(container, contents)):
            container[:] = contents
    elif isinstance(container, set):
        container.symmetric_difference_update(container ^ contents)
    else:
        for name in [name for name in container if name not in contents]:
            del container[name]
        for name, value in contents.items():
            if name not in container or container[name] is not value:
                container[name] = value


def _held(function: types.FunctionType) -> list[Any]:
    """What is in the cells of a function's closure."""
    held = []
    for cell in function.__closure__ or ():
        try:
            held.append(cell.cell_contents)
        except ValueError:  # not set yet
            pass
    return held


def _is_plain(value: Any) -> bool:
    """Whether it is an object of a model's own, or an optimizer."""
    if not hasattr(value, "__dict__"):
        return False
    package = type(value).__module__.partition(".")[0]
    return isinstance(value, torch.optim.Optimizer) or package not in ("torch", "numpy", *sys.stdlib_module_names)


try:
    import torch._dynamo.pgo as _sizes
except ImportError:  # releases of PyTorch that remember them elsewhere
    _sizes = types.ModuleType("sizes")


def requires_gradient(*values: Any) -> bool:
    """Whether a tensor does that a model and its arguments consist of."""
    for value in values:
        if isinstance(value, torch.nn.Module):
            found = any(parameter.requires_grad for parameter in value.parameters())
        elif isinstance(value, types.MethodType):
            found = requires_gradient(value.__self__)
        elif isinstance(value, types.FunctionType):
            found = requires_gradient(*(one for one in _held(value) if not isinstance(one, types.FunctionType)))
        elif isinstance(value, functools.partial):
            found = requires_gradient(value.func, value.args, value.keywords)
        elif isinstance(value, (list, tuple, dict)):
            found = requires_gradient(*(value.values() if isinstance(value, dict) else value))
        else:
            found = isinstance(value, torch.Tensor) and value.requires_grad
        if found:
            return True
    return False
