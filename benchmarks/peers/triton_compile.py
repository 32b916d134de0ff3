# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles Triton functions for a chip on a machine without a GPU, and makes their launches as Triton's launcher does.

What the launcher passes, behind the arguments that are no constants, are two pointers to scratch memory, the second of
which is of the profiler. A tensor descriptor is a tensor map, then its sizes (i32) and strides (i64, in elements); on
chips without tensor maps it is a pointer, sizes, strides (i64), two flags (padding with NaN, rounding to tf32), and
sizes and strides once more.
"""

import dataclasses
import functools
import math
import re

import torch
from sequences import Launch

CAPABILITIES = {"sm_80": 80, "sm_90a": 90}
_TYPES = {torch.float16: "fp16", torch.bfloat16: "bf16", torch.float32: "fp32", torch.float64: "fp64",
          torch.int8: "i8", torch.uint8: "u8", torch.int32: "i32", torch.int64: "i64", torch.bool: "i1"}  # fmt: skip
_MAP_TYPES = {torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32", torch.int8: "u8"}
_SWIZZLES = ("none", "32B", "64B", "128B")
_SCALARS = {"fp32": "f32", "fp64": "f64", "i32": "i32", "i64": "i64"}


@dataclasses.dataclass(frozen=True)
class Descriptor:
    """A tensor descriptor of a row-major buffer."""

    name: str
    shape: tuple
    block: tuple


@dataclasses.dataclass(frozen=True)
class Pointer:
    """A place in a buffer."""

    name: str
    offset: int  # bytes

    def argument(self):
        return {"buffer": self.name, "offset": self.offset} if self.offset else {"buffer": self.name}


@dataclasses.dataclass
class TritonLaunch:
    """A call of a Triton function. arguments: in the order of its parameters that are no constants: the name of a
    buffer, a Pointer, a Descriptor or a number. written: the names of the buffers that it writes."""

    function: object
    grid: tuple
    arguments: list
    constants: dict
    written: tuple
    warps: int = 4
    stages: int = 3
    options: dict = dataclasses.field(default_factory=dict)


def launch(call, types, chip):
    """The Launch of a TritonLaunch, and its buffers that the case does not have. types: {name: dtype} of buffers."""
    signature, constants, attributes = _signature(call, types)
    kernel = _compiled(call.function, tuple(signature.items()), tuple(constants.items()), tuple(attributes),
                       CAPABILITIES[chip], call.warps, call.stages, tuple(call.options.items()))  # fmt: skip
    return from_compiled(kernel, signature, call, types)


def from_compiled(kernel, signature, call, types):
    metadata, ptx = kernel.metadata, kernel.asm["ptx"]
    arguments, maps = [], list(metadata.tensordesc_meta or [])
    values = iter(call.arguments)
    for name, kind in signature.items():
        if name in call.constants:
            continue
        value = next(values)
        if kind == "constexpr":
            continue
        if isinstance(value, str):
            arguments.append({"buffer": value})
        elif isinstance(value, Pointer):
            arguments.append(value.argument())
        elif isinstance(value, Descriptor):
            arguments += _descriptor(value, types[value.name], maps.pop(0) if maps else None)
        else:
            arguments.append({_SCALARS[kind]: value})
    grid = tuple(call.grid) + (1,) * (3 - len(call.grid))
    scratch = metadata.global_scratch_size * math.prod(grid) * metadata.num_ctas
    buffers = {}
    if scratch:
        buffers["scratch"] = scratch
        arguments.append({"buffer": "scratch"})
    else:
        arguments.append({"i64": 0})
    arguments.append({"i64": 0})
    # With specialized warps there are more threads than options say.
    threads = re.search(r"\.reqntid (\d+)", ptx)
    return Launch(
        ptx, metadata.name, (grid[0] * metadata.num_ctas, *grid[1:]),
        (int(threads.group(1)) if threads else 32 * metadata.num_warps, 1, 1), arguments,
        frozenset({*call.written, *buffers}), (metadata.num_ctas, 1, 1), metadata.shared,
    ), buffers  # fmt: skip


def _signature(call, types):
    """What Triton specializes a call for: constants, numbers that are 1, and what is divisible by 16."""
    signature, constants, attributes = {}, {}, []
    values = iter(call.arguments)
    for index, name in enumerate(call.function.arg_names):
        if name in call.constants:
            signature[name] = "constexpr"
            constants[(index,)] = call.constants[name]
            continue
        value = next(values)
        if isinstance(value, str):
            signature[name] = "*" + _TYPES[types[value]]
            attributes.append(index)
        elif isinstance(value, Descriptor):
            block = ",".join(map(str, value.block))
            signature[name] = f"tensordesc<{_TYPES[types[value.name]]}[{block}]>"
        elif isinstance(value, float):
            signature[name] = "fp32"
        elif value == 1:
            signature[name] = "constexpr"
            constants[(index,)] = 1
        else:
            signature[name] = "i32" if abs(value) < 2**31 else "i64"
            if value % 16 == 0:
                attributes.append(index)
    return signature, constants, attributes


@functools.cache
def _compiled(function, signature, constants, attributes, capability, warps, stages, options):
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    source = ASTSource(fn=function, signature=dict(signature), constexprs=dict(constants),
                       attrs={(index,): [["tt.divisibility", 16]] for index in attributes})  # fmt: skip
    # Multiplications and additions are fused, as Triton 3.9 does by default and later versions do not.
    options = {"enable_fp_fusion": True, "num_warps": warps, "num_stages": stages, **dict(options)}
    return triton.compile(source, target=GPUTarget("cuda", capability, 32), options=options)


def _descriptor(value, dtype, found):
    shape = list(value.shape)
    strides = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
    sizes = [{"i32": size} for size in shape] + [{"i64": stride} for stride in strides]
    if found is None:
        wide = [{"i64": number} for number in shape + strides]
        return [{"buffer": value.name}, *wide, {"bytes": "00"}, {"bytes": "00"}, *sizes]
    return [{"tensor_map": {
        "buffer": value.name, "type": _MAP_TYPES[dtype], "dims": shape[::-1],
        "strides_bytes": [stride * dtype.itemsize for stride in strides[:-1]][::-1],
        "box": list(found["block_size"])[::-1], "swizzle": _SWIZZLES[found["swizzle"]],
    }}, *sizes]  # fmt: skip


def to_bytes(tensor):
    """The contents of a tensor, in row-major order, as an array of bytes."""
    return tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy().copy()


def from_bytes(contents, dtype, shape):
    """A tensor over a bytearray."""
    return torch.frombuffer(contents, dtype=torch.uint8).view(dtype).reshape(shape)
