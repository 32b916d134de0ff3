# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of native code on arrays in the host's memory."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np

from . import arrays, gpu

_ALIGNMENT = 16  # bytes, of what kernels read and write


def run(program: Any, name: str, inputs: Sequence[Any], out: Sequence[Any] | None, threads: int,
        progress: Callable[[str], Any] | None) -> tuple[tuple, int]:
    """`Program.run` of code for a CPU: results as NumPy's arrays, or in `out`, and the bytes of
    temporaries between the launches."""
    infos = program._functions[name]["inputs"]
    shapes, values, data = [], [], []
    for i, (value, info) in enumerate(zip(inputs, infos)):
        what = f"input {i} of '{name}'"
        if "shape" not in info:
            values.append(gpu.numbers(value, info, what))
            shapes.append(())
            data.append(None)
            continue
        sizes = [size if isinstance(size, int) else None for size in info["shape"]]
        array = arrays.to_input(value, info["type"], sizes, what)
        data.append(aligned(array))
        shapes.append(array.shape)
        values.append(None)
    call = program._cpu_call(name, tuple(shapes), tuple(values), threads)
    with gpu.run_errors():
        if out is None:
            made = call(tuple(data), progress)
            return (made if isinstance(made, tuple) else (made,)), call.workspace_bytes
        written = _written(call, name, out)
        # What cannot be written in place is copied there.
        places = [array if array.flags.c_contiguous and _is_aligned(array)
                  and not any(np.may_share_memory(array, other) for other in data if other is not None)
                  else _empty(array.shape, array.dtype) for array in written]
        call.write(tuple(data), places, progress)
    for array, place in zip(written, places):
        if place is not array:
            np.copyto(array, place)
    return tuple(out), call.workspace_bytes


def _shares(one: np.ndarray, other: np.ndarray) -> bool:
    try:
        return np.shares_memory(one, other, max_work=10000)
    except np.exceptions.TooHardError:
        return True


def _is_aligned(array: np.ndarray) -> bool:
    return array.size == 0 or array.__array_interface__["data"][0] % _ALIGNMENT == 0


def _empty(shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
    memory = np.empty(int(np.prod(shape, dtype=np.int64)) * dtype.itemsize + _ALIGNMENT, np.uint8)
    offset = -memory.__array_interface__["data"][0] % _ALIGNMENT
    return np.ndarray(shape, dtype, memory, offset)


def aligned(array: np.ndarray) -> np.ndarray:
    """A dense array as kernels take it: itself, or a copy that is aligned to 16 bytes."""
    if _is_aligned(array):
        return array
    copy = _empty(array.shape, array.dtype)
    np.copyto(copy, array)
    return copy


def _written(call: Any, name: str, out: Sequence[Any]) -> list[np.ndarray]:
    """The arrays that the caller has for the results."""
    looks = call.results
    if len(out) != len(looks):
        raise TypeError(f"'{name}' has {len(looks)} results, not {len(out)}")
    written: list[np.ndarray] = []
    for i, (value, (type_, shape, is_number)) in enumerate(zip(out, looks)):
        what = f"result {i} of '{name}'"
        if is_number:
            raise TypeError(f"{what} is a number; it cannot be written to an array")
        array = arrays.to_output(value, type_, shape, what)
        for other in written:
            if _shares(array, other):
                raise ValueError(f"{what} shares memory with another result")
        written.append(array)
    return written
