# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Between NumPy's arrays and the element types of MLIR."""

from __future__ import annotations

import sys
from typing import Any, Sequence

import numpy as np

# NumPy has no bf16 and no 8-bit floats: their arrays hold the bits.
_BITS_8 = ("f8E4M3FN", "f8E5M2", "f8E4M3", "f8E3M4", "f8E4M3FNUZ", "f8E5M2FNUZ",
           "f8E4M3B11FNUZ", "f8E8M0FNU")
DTYPES: dict[str, np.dtype] = {
    "i1": np.dtype(np.bool_),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "index": np.dtype(np.int64),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(np.uint16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    **{name: np.dtype(np.uint8) for name in _BITS_8},
}
# How ml_dtypes names what is none of NumPy's.
_ML_DTYPES = {"bfloat16": "bf16", "float8_e4m3fn": "f8E4M3FN", "float8_e5m2": "f8E5M2",
              "float8_e4m3": "f8E4M3", "float8_e3m4": "f8E3M4",
              "float8_e4m3fnuz": "f8E4M3FNUZ", "float8_e5m2fnuz": "f8E5M2FNUZ",
              "float8_e4m3b11fnuz": "f8E4M3B11FNUZ", "float8_e8m0fnu": "f8E8M0FNU"}


def to_input(value: Any, element_type: str, shape: Sequence[int | None], what: str) -> np.ndarray:
    """A dense row-major array of the bytes that an input is made of.

    Args:
        value: an array, anything NumPy or DLPack makes an array of on the CPU, or a
            number for an input without dimensions.
        element_type: as MLIR spells it.
        shape: the sizes; None where any size is taken.
        what: names the input in errors.

    Raises:
        TypeError: the elements have another type, or the array is not on the CPU.
        ValueError: the shape is another one.
    """
    array = _checked(_as_array(value, element_type, not shape, what), element_type, shape, what)
    return np.ascontiguousarray(array).reshape(array.shape)


def to_output(value: Any, element_type: str, shape: Sequence[int], what: str) -> np.ndarray:
    """The memory of an array that a result is written to; it need not be contiguous.

    Args:
        value: an array of NumPy's or ml_dtypes', or what exports DLPack, on the CPU.
        element_type, shape, what: as of `to_input`.

    Raises:
        TypeError: the elements have another type, or the array is not on the CPU.
        ValueError: the shape is another one, or the array is read-only.
    """
    if _is_tensor(value):
        _check_tensor(value, what)
        if value.is_neg():
            raise ValueError(f"{what} is a view that negates, which cannot be written to")
        array = _view_tensor(value)
    elif isinstance(value, np.ndarray) and not isinstance(value, np.ma.MaskedArray):
        array = value
    elif hasattr(value, "__dlpack__") and not hasattr(value, "__cuda_array_interface__"):
        array = np.from_dlpack(value)
    else:
        raise TypeError(f"{what} of type {type(value).__name__} is no array in the host's memory")
    array = _checked(array, element_type, shape, what)
    if not array.flags.writeable:
        raise ValueError(f"{what} is read-only")
    return array


def _checked(array: np.ndarray, element_type: str, shape: Sequence[int | None], what: str) -> np.ndarray:
    dtype = DTYPES[element_type]
    if _ML_DTYPES.get(array.dtype.name) == element_type:
        array = array.view(dtype)
    if array.dtype != dtype:
        raise TypeError(f"{what} has elements of type {array.dtype}; "
                        f"{element_type} takes {dtype}")
    check_shape(array.shape, shape, what)
    return array


def check_shape(has: Sequence[int], shape: Sequence[int | None], what: str) -> None:
    """Raises ValueError where an array of the shape `has` is not of the shape `shape`."""
    if len(has) != len(shape) or any(known is not None and size != known
                                     for size, known in zip(has, shape)):
        wanted = "x".join("?" if size is None else str(size) for size in shape) or "scalar"
        given = "x".join(map(str, has)) or "scalar"
        raise ValueError(f"{what} has the shape {given}; the function takes {wanted}")


def _as_array(value: Any, element_type: str, scalar: bool, what: str) -> np.ndarray:
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{what} is a masked array, and masks are not taken: give its data, or fill it")
    if isinstance(value, (np.ndarray, np.generic)):
        return np.asarray(value)
    if _is_tensor(value) and value.device.type == "cpu":
        _check_tensor(value, what)
        return from_tensor(value)
    if isinstance(value, (bool, int, float)):
        if not scalar:
            raise TypeError(f"{what} is a number; the function takes a tensor")
        return _number(value, element_type, what)
    if hasattr(value, "__cuda_array_interface__"):
        raise TypeError(f"{what} is on a GPU; arrays are taken from the CPU's memory")
    if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
        return np.from_dlpack(value)
    array = np.asarray(value)
    if array.dtype == object:
        raise TypeError(f"{what} of type {type(value).__name__} is no array")
    return array


def _is_tensor(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def _check_tensor(tensor: Any, what: str) -> None:
    """Raises TypeError for a tensor of PyTorch's that no array can be of."""
    if tensor.device.type != "cpu":
        raise TypeError(f"{what} is on {tensor.device}; arrays are taken from the CPU's memory")
    if tensor.requires_grad:
        raise TypeError(f"{what} requires gradients, which are not computed: give it detached")
    if str(tensor.layout) != "torch.strided":
        raise TypeError(f"{what} has the layout {tensor.layout}; it has to be dense")


def from_tensor(tensor: Any) -> np.ndarray:
    """The array of PyTorch's dense tensor on the CPU, row-major, as `DTYPES` says."""
    if tensor.is_conj() or tensor.is_neg():
        tensor = tensor.resolve_conj().resolve_neg()
    return _view_tensor(tensor.contiguous())


def _view_tensor(tensor: Any) -> np.ndarray:
    """The memory of PyTorch's tensor as an array."""
    import torch

    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(np.uint16)
    if tensor.dtype.is_floating_point and tensor.dtype.itemsize == 1:
        return tensor.view(torch.uint8).numpy()
    return tensor.numpy()


def _number(value: bool | int | float, element_type: str, what: str) -> np.ndarray:
    """A number as an array of its own: rounded where the type is one of fractions, else
    as it is.

    Raises:
        TypeError: numbers of the type are known by their bits alone.
        ValueError: the type has no such number.
    """
    if element_type in _BITS_8:
        raise TypeError(f"{what} is a number; {element_type} is taken as its bits, np.uint8")
    dtype = np.dtype(np.float32) if element_type == "bf16" else DTYPES[element_type]
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            array = np.asarray(value, dtype)
        except (OverflowError, ValueError):
            array = None
    if array is not None and element_type == "bf16" and np.isfinite(array):
        bits = int(array.view(np.uint32))
        bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000  # to the nearest, ties to even
        array = np.asarray(bits, np.uint32).view(np.float32)
    fits = array is not None and (array.item() == value if dtype.kind != "f"
                                  else np.isfinite(array) == np.isfinite(value))
    if not fits:
        raise ValueError(f"{what} is {value!r}, which no number of type {element_type} is")
    if element_type == "bf16":
        return (array.view(np.uint32) >> 16).astype(np.uint16)
    return array


def from_result(data: np.ndarray, element_type: str, shape: tuple[int, ...]) -> np.ndarray:
    """The array of a result's bytes."""
    return data.view(DTYPES[element_type]).reshape(shape)
