# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes the Python module that TorchInductor writes for a GPU (inductor.py), on the CPU.

Its Triton kernels run on the emulator, in each configuration that Inductor would try. What it calls libraries for,
PyTorch computes on the CPU, and the bytes and flops that such a call needs at least are counted.
"""

import contextlib
import dataclasses
import itertools
import linecache
import re
from unittest import mock

import torch
from inductor import pretended
from sequences import Sequence
from triton_compile import Pointer, TritonLaunch, from_bytes, from_compiled, to_bytes

# Where the module calls PyTorch's operators; on the CPU others have to stand for some of them.
_OPERATORS = re.compile(r"\b(?:torch\.ops\.)?aten\.(\w+)\.(\w+)\(")


@dataclasses.dataclass
class LibraryCall:
    name: str
    bytes: int  # of the operands and results, each element once
    flops: int


@dataclasses.dataclass
class Executed:
    """What one call of the module did."""

    results: tuple
    measurements: list  # of each Triton launch its best Measurement
    configurations: list
    library_calls: list


class Libraries:
    """Stands for `extern_kernels` and for PyTorch's operators in the module."""

    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        from torch._inductor.select_algorithm import extern_kernels

        return lambda *args, **kwargs: self._called(name, getattr(extern_kernels, name), args, kwargs)

    def operator(self, name, overload):
        stand_in = {"_scaled_dot_product_flash_attention": _flash_attention,
                    "_scaled_dot_product_efficient_attention": _efficient_attention}.get(name)  # fmt: skip
        function = stand_in or getattr(getattr(torch.ops.aten, name), overload)
        return lambda *args, **kwargs: self._called(name, function, args, kwargs)

    def _called(self, name, function, args, kwargs):
        result = function(*args, **kwargs)
        made = result if isinstance(result, (tuple, list)) else [result]
        tensors = [one for one in (*args, *kwargs.values(), *made) if isinstance(one, torch.Tensor)]
        unique = {id(one): one for one in tensors}.values()
        self.calls.append(LibraryCall(name, sum(map(_needed_bytes, unique)), _flops(name, args)))
        return result


def _needed_bytes(tensor):
    count = 1
    for size, stride in zip(tensor.shape, tensor.stride()):
        count *= size if stride else 1
    return count * tensor.dtype.itemsize


def _flops(name, args):
    if name in ("mm", "bmm", "addmm", "baddbmm", "_addmm_activation"):
        a, b = args[-2:] if name in ("mm", "bmm") else args[1:3]
        return 2 * a.numel() * b.shape[-1]
    if "attention" in name:
        q, k, v = args[:3]
        return 2 * q.numel() * k.shape[-2] + 2 * q.numel() // q.shape[-1] * k.shape[-2] * v.shape[-1]
    return 0


def _flash_attention(q, k, v, dropout=0.0, is_causal=False, *_, scale=None, **__):
    return _efficient_attention(q, k, v, None, False, dropout, is_causal, scale=scale)


def _efficient_attention(q, k, v, mask, _, dropout=0.0, is_causal=False, *, scale=None):
    """In f32, laid out as the kernels for GPUs lay it out: [batch, row, head, d]."""
    wide = [tensor.float() for tensor in (q, k, v)]
    mask = mask.float() if mask is not None else None
    result = torch.nn.functional.scaled_dot_product_attention(*wide, mask, is_causal=is_causal, scale=scale)
    return (result.to(q.dtype).transpose(1, 2).contiguous().transpose(1, 2),)


class _Kernel:
    """A Triton kernel of the module; `run` is called as Inductor's launcher is."""

    def __init__(self, name, source, execution):
        self.name, self.source, self.execution = name, source, execution
        self.tuner = None

    def run(self, *arguments, stream=None):
        if self.tuner is None:
            self.tuner = _tuner(self.name, self.source)
        self.execution.launch(self.tuner, self.name, arguments)


_NUMBERS = itertools.count()


def _tuner(name, source):
    """Inductor's object for a kernel, with its configurations."""
    # Triton reads the source of a function from its file.
    file = f"<inductor {next(_NUMBERS)}>"
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    namespace = {"__name__": name, "__file__": file}
    exec(compile(source, file, "exec"), namespace)
    return namespace[name]


class Execution:
    """meter: measures launches; folder: where their files go. with_slots: configurations are compared by issue slots;
    otherwise the first one runs."""

    def __init__(self, meter, folder, with_slots=True):
        self.meter, self.folder, self.with_slots = meter, folder, with_slots
        self.measurements, self.configurations = [], []

    def launch(self, tuner, name, arguments):
        tensors = [one for one in arguments if isinstance(one, torch.Tensor)]
        storages = {one.untyped_storage().data_ptr(): one.untyped_storage() for one in tensors}
        regions = {f"buffer{number}": _contents(storage) for number, storage in enumerate(storages.values())}
        numbers = {address: number for number, address in enumerate(storages)}
        pointers = {id(one): Pointer(f"buffer{numbers[one.untyped_storage().data_ptr()]}",
                                     one.storage_offset() * one.itemsize) for one in tensors}  # fmt: skip
        buffers = {region: to_bytes(contents) for region, contents in regions.items()}
        configurations = tuner.configs if self.with_slots else tuner.configs[:1]
        best = None
        for number, configuration in enumerate(configurations):
            launch, more = _compiled(tuner, configuration, arguments, pointers)
            sequence = Sequence([launch], {**buffers, **more})
            folder = self.folder / f"{len(self.measurements)}-{number}"
            measurement = self.meter.measure(sequence, folder, self.with_slots)
            if best is None or measurement.busiest < best[0].busiest:
                best = measurement, configuration, sequence, folder
        measurement, configuration, sequence, folder = best
        self.meter.add_counters(measurement, sequence, folder)
        for region, contents in regions.items():
            found = bytearray((folder / "plain" / f"{region}.bin").read_bytes())
            contents.copy_(from_bytes(found, torch.uint8, contents.shape))
        self.measurements.append(measurement)
        self.configurations.append(f"{name}: {configuration}")


def _contents(storage):
    """The bytes of a storage as a tensor over it."""
    return torch.empty(0, dtype=torch.uint8).set_(storage, 0, (storage.nbytes(),), (1,))


def _compiled(tuner, configuration, arguments, pointers):
    import triton
    from torch._inductor.runtime.triton_heuristics import GridExpr
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    meta = tuner._create_compile_meta(configuration)
    source = ASTSource(tuner.fn, meta["signature"], meta["constants"], meta["configs"][0])
    options = tuner._create_compile_options(configuration, meta)
    kernel = triton.compile(source, target=GPUTarget("cuda", meta["cc"], 32), options=options)
    parameters = [name for name in tuner.fn.arg_names if name not in meta["constants"]]
    scope = dict(zip(parameters, arguments, strict=True)) | dict(configuration.kwargs)
    grid = GridExpr.from_meta(tuner.inductor_meta, configuration).eval_slow(scope)
    given = [pointers.get(id(one), one) for one in arguments]
    call = TritonLaunch(tuner.fn, grid, given, meta["constants"], tuple({one.name for one in pointers.values()}))
    signature = {name: kind for name, kind in meta["signature"].items() if name in parameters}
    return from_compiled(kernel, signature, call, {})


def execute(code, inputs, device, execution):
    """Executed of one call of the module's `call`. inputs: its tensors, on the CPU; `call` may write to them."""
    libraries = Libraries()

    class Compiler:
        def triton(self, name, source, device_str="cuda"):
            return _Kernel(name, source, execution)

        def wait(self, scope):
            pass

    code = _OPERATORS.sub(r'libraries.operator("\1", "\2")(', code)
    with contextlib.ExitStack() as stack:
        stack.enter_context(pretended(device))
        stack.enter_context(mock.patch("torch._inductor.async_compile.AsyncCompile", Compiler))
        stack.enter_context(mock.patch("torch._inductor.runtime.triton_helpers.set_driver_to_gpu", lambda: None))
        stack.enter_context(mock.patch.object(torch.cuda, "_DeviceGuard", lambda _: contextlib.nullcontext()))
        stack.enter_context(mock.patch.object(torch.cuda, "set_device", lambda _: None))
        stack.enter_context(mock.patch.object(torch._C, "_cuda_getCurrentRawStream", lambda _: 0, create=True))
        namespace = {"__name__": "generated", "libraries": libraries}
        exec(compile(code, "<generated>", "exec"), namespace)
        namespace["extern_kernels"] = libraries
        namespace["empty_strided_cuda"] = _empty
        results = namespace["call"](list(inputs))
    return Executed(tuple(results), execution.measurements, execution.configurations, libraries.calls)


def _empty(shape, strides, dtype):
    """Memory that was never written is full of 0xff, as on the emulator."""
    tensor = torch.empty_strided(shape, strides, dtype=dtype)
    _contents(tensor.untyped_storage()).fill_(0xFF)
    return tensor
