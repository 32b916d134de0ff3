# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How compiled parts of graphs are called: on the CPU, on the emulator, on a GPU.

A caller gives the results of a part, or None where PyTorch has to compute it: inputs look
otherwise than PyTorch said, or an operator does not take what is in them.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Sequence

import numpy as np
import torch

from ..arrays import from_tensor
from ..cpu import aligned
from ..gpu import run_errors
from ..program import Program
from .lowering import type_of
from .modules import Module, once, repeated_dims


try:
    # PyTorch's own backend makes results with it, as it passes no dispatcher.
    _new = torch._C._dynamo.guards._empty_strided_cpu
except AttributeError:
    def _new(shape: tuple, strides: tuple, dtype: torch.dtype) -> torch.Tensor:
        return torch.empty_strided(shape, strides, dtype=dtype, device="cpu")


class Caller:
    """Calls a compiled part.

    Args:
        program: the part; None where its results are among its inputs.
        module: what it was compiled from.
        takes: what PyTorch says that the inputs look like.
        looks: what PyTorch says that the results look like.
    """

    def __init__(self, program: Program | None, module: Module, takes: Sequence[torch.Tensor],
                 looks: Sequence[torch.Tensor]):
        self.program, self.module, self.takes, self.looks = program, module, takes, looks
        #: Of the function's arguments and results, without the dimensions that they are repeated along.
        self.shapes = tuple(tuple(size for d, size in enumerate(look.shape) if d not in dims)
                            for look, dims in zip(takes, module.repeated))

    def is_foretold(self, inputs: Sequence[torch.Tensor]) -> bool:
        """Whether inputs look as PyTorch said: what it computes does not always."""
        return not any(given.dtype != look.dtype or given.shape != look.shape
                       or given.layout != torch.strided or any(given.stride(d) for d in dims)
                       for given, look, dims in zip(inputs, self.takes, self.module.repeated))

    def __call__(self, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor] | None:
        """The results, or None where PyTorch has to compute the part."""
        return self.compute(inputs) if self.is_foretold(inputs) else None

    def compute(self, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor] | None:
        """As `__call__`, of inputs that look as PyTorch said."""
        raise NotImplementedError


class OnEmulator(Caller):
    """Calls code for a GPU with tensors of the CPU."""

    def __init__(self, *part: Any, sanitize: bool):
        super().__init__(*part)
        self.sanitize = sanitize

    def compute(self, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor] | None:
        made: tuple[np.ndarray, ...] = ()
        arrays = [from_tensor(once(x.detach(), dims)) for x, dims in zip(inputs, self.module.repeated)]
        if not self.module.takes(arrays.__getitem__):
            return None  # PyTorch raises its error
        if self.program is not None:
            run = self.program.run(*arrays, sanitize=self.sanitize)
            made = run.results
            if any(made[len(made) - self.module.flags:]):
                return None
            findings = [f for launch in run.launches for f in launch["sanitizer"]]
            if findings:
                raise AssertionError(f"the sanitizer found {findings}")
        return [to_tensor(array, look) for look, array in zip(self.looks, _apart(
            self.module, made, lambda i: from_tensor(inputs[i].detach()), np.ndarray.copy))]


class OnCpu(Caller):
    """Calls code for the CPU with tensors of the CPU, in place.

    Args:
        threads: 0: as many as PyTorch has.

    Attributes:
        quick: gives the results of inputs that are as the function takes them, else None; itself
            None where inputs or results are more than the function's.
    """

    def __init__(self, *part: Any, threads: int):
        super().__init__(*part)
        module, self._call = self.module, None
        self.quick: Callable[[tuple], tuple | None] | None = None
        if self.program is None:
            return
        self._call = self.program._cpu_call("main", self.shapes, (None,) * len(self.shapes), threads, own=True)
        types = {type_of(look): look.dtype for look in self.looks} | {"i1": torch.bool}
        self._call.set_makers(torch.get_num_threads, [
            functools.partial(_new, shape, _dense_strides(shape), types[type_]) for type_, shape, _ in self._call.results])
        # Whether a call can take the inputs unchanged: it compares their types and shapes itself.
        self._is_plain = not (module.required or module.flags or any(module.repeated)
                              or any(look.is_neg() for look in self.takes))
        if (self._is_plain and module.results == list(range(len(self.looks)))
                and all(tuple(look.stride()) == _dense_strides(look.shape) for look in self.looks)):
            self.quick = self._call.call_on_new

    def __call__(self, inputs: Sequence[torch.Tensor]) -> Sequence[torch.Tensor] | None:
        made: Sequence[torch.Tensor] | None = ()
        if self._call is None or not self._is_plain or (made := self._start(inputs)) is None:
            if not self.is_foretold(inputs) or (made := self._compute(inputs)) is None:
                return None
        if self.quick is not None:
            return made
        return [with_strides(repeat_like(tensor, look), look) for look, tensor in zip(self.looks, _apart(
            self.module, made, lambda i: inputs[i].detach(), torch.Tensor.clone))]

    def _start(self, inputs: Sequence[Any]) -> tuple[torch.Tensor, ...] | None:
        with run_errors():
            return self._call.call_on_new(tuple(inputs))

    def _compute(self, inputs: Sequence[torch.Tensor]) -> Sequence[torch.Tensor] | None:
        """The function's results, where the inputs are as operators require."""
        inputs = [once(x.detach(), dims) for x, dims in zip(inputs, self.module.repeated)]
        if not self.module.takes(lambda i: from_tensor(inputs[i])):
            return None  # PyTorch raises its error
        if self._call is None:
            return ()
        made = None if any(x.is_neg() for x in inputs) else self._start(inputs)
        if made is None:
            made = self._start([aligned(from_tensor(x)) for x in inputs])
        if made is None:
            raise AssertionError("tensors are not as the function takes them")
        return None if any(made[len(made) - self.module.flags:]) else made


class OnGpu(Caller):
    """Calls code for a GPU with its tensors, on PyTorch's current stream."""

    def __init__(self, *part: Any, device: torch.device):
        super().__init__(*part)
        self.device = device
        # Kernels are loaded here, not in a call that a graph may capture.
        self._call = None if self.program is None else self.program._call(
            device.index or 0, "main", self.shapes, (None,) * len(self.shapes))

    def compute(self, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor] | None:
        made: list[torch.Tensor] = []
        if self._call is not None:
            types = {type_of(look): look.dtype for look in self.looks} | {"i8": torch.int8}
            with torch.cuda.device(self.device):
                made = call_on_gpu(
                    self._call, [on_gpu(once(x, dims)) for x, dims in zip(inputs, self.module.repeated)],
                    lambda shape, type_: torch.empty(shape, dtype=types[type_], device=self.device),
                    torch.cuda.current_stream(self.device).cuda_stream)
        return [with_strides(repeat_like(tensor, look), look) for look, tensor in zip(self.looks, _apart(
            self.module, made, lambda i: inputs[i].detach(), torch.Tensor.clone))]


# Inputs and results.


def to_tensor(array: np.ndarray, like: torch.Tensor) -> torch.Tensor:
    """A tensor with the element type and strides of `like`."""
    if like.dtype == torch.bfloat16:
        tensor = torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    else:
        tensor = torch.from_numpy(array)
    tensor = repeat_like(tensor, like)
    if tensor.dtype != like.dtype or tensor.shape != like.shape:
        raise AssertionError(f"the plan gives {tuple(tensor.shape)} {tensor.dtype}, the graph "
                             f"{tuple(like.shape)} {like.dtype}")
    return with_strides(tensor, like)


def repeat_like(tensor: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """A result that was computed once along the dimensions that `like` is repeated along."""
    rows = repeated_dims(like)
    if rows and all(tensor.shape[d] == 1 for d in rows):
        return tensor.expand(like.shape)
    return tensor


def with_strides(tensor: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """The tensor laid out as `like` is."""
    strides = tuple(like.stride())
    if tensor.stride() != strides and all(isinstance(stride, int) for stride in strides):
        if all(s != 0 or n == 1 for s, n in zip(strides, tensor.shape)):
            return torch.empty_strided(tensor.shape, strides, dtype=tensor.dtype,
                                       device=tensor.device).copy_(tensor)
    return tensor


def _dense_strides(shape: Sequence[int]) -> tuple[int, ...]:
    strides = [1]
    for size in reversed(shape[1:]):
        strides.insert(0, strides[0] * max(size, 1))
    return tuple(strides[:len(shape)])


def on_gpu(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor as kernels take it: dense, row-major, aligned to 16 bytes."""
    tensor = tensor.detach()
    if tensor.is_conj() or tensor.is_neg():
        tensor = tensor.resolve_conj().resolve_neg()
    tensor = tensor.contiguous()
    return tensor if tensor.data_ptr() % 16 == 0 else tensor.clone()


def call_on_gpu(call: Any, inputs: Sequence[Any], empty: Callable[[tuple, str], Any],
                stream: int) -> list[Any]:
    """Starts a prepared call on tensors of a GPU.

    Args:
        call: of the native module.
        inputs: tensors as of `on_gpu`.
        empty: makes a tensor of a shape and an element type of MLIR's.
        stream: the driver's handle.
    """
    results = [empty(tuple(shape), type_) for type_, shape, _, _ in call.results()]
    needed = call.workspace_bytes
    # PyTorch's allocator gives freed memory only to what comes later on the stream.
    workspace = empty((needed,), "i8") if needed else None
    with run_errors():
        call.start([x.data_ptr() for x in inputs], [x.data_ptr() for x in results],
                   workspace.data_ptr() if needed else 0, stream)
    return results


def _apart(module: Module, made: Sequence[Any], input: Callable[[int], Any],
           copy: Callable[[Any], Any]) -> list[Any]:
    """The results of a part, each in memory of its own: callers write to them."""
    taken: set[int] = set()
    results = []
    for result, source in zip(module.results, module.inputs):
        if result is None:
            results.append(copy(input(source)))
        else:
            results.append(copy(made[result]) if result in taken else made[result])
            taken.add(result)
    return results
