# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays in the memory of GPUs, and calls on them."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any, Iterator, Sequence

import numpy as np

from . import _native, arrays
from .diagnostics import Diagnostic, RunError

# DLPack: kinds of devices whose memory a kernel can read (kDLCUDA, kDLCUDAManaged).
_ON_GPU = (2, 13)
# DLPack: kinds of elements.
_INT, _UINT, _FLOAT, _BFLOAT, _BOOL = 0, 1, 2, 4, 6
# DLPack 1.1 has kinds for the 8-bit floats, from float8_e3m4 on.
_FLOAT8 = {7: "f8E3M4", 8: "f8E4M3", 9: "f8E4M3B11FNUZ", 10: "f8E4M3FN", 11: "f8E4M3FNUZ",
           12: "f8E5M2", 13: "f8E5M2FNUZ", 14: "f8E8M0FNU"}


@contextlib.contextmanager
def run_errors() -> Iterator[None]:
    """Errors of the native module become `RunError`s."""
    try:
        yield
    except RuntimeError as error:
        raise RunError([Diagnostic("error", str(error))]) from None


@dataclasses.dataclass(frozen=True)
class View:
    """A dense row-major array in a GPU's memory, which belongs to somebody else.

    Attributes:
        address: of the first element.
        shape: the sizes.
        dtype: NumPy's type of the elements; that of the bits where NumPy has none.
        element_type: as MLIR spells it, where the array says more than `dtype`.
        ordinal: the GPU's number; None for an array without elements.
        read_only: whether the owner forbids writing.
        owner: keeps the memory alive.
    """

    address: int
    shape: tuple[int, ...]
    dtype: np.dtype
    element_type: str | None
    ordinal: int | None
    read_only: bool
    owner: Any

    @property
    def end(self) -> int:
        """The address behind the last element."""
        return self.address + int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize


def is_on_gpu(value: Any) -> bool:
    """Whether an array is in the memory of a GPU."""
    if isinstance(value, (np.ndarray, np.generic, bool, int, float)):
        return False
    if hasattr(value, "__dlpack_device__"):
        return value.__dlpack_device__()[0] in _ON_GPU
    return hasattr(value, "__cuda_array_interface__")


def stream_handle(stream: Any) -> int:
    """The driver's handle of a stream.

    Args:
        stream: None for the default stream, a handle, or a stream of PyTorch, CuPy,
            Numba or anything with ``__cuda_stream__``.
    """
    if stream is None:
        return 0
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    for name in ("cuda_stream", "ptr", "handle"):
        if hasattr(stream, name):
            handle = getattr(stream, name)
            return int(getattr(handle, "value", handle) or 0)
    if isinstance(stream, int):
        return stream
    raise TypeError(f"{type(stream).__name__} is no stream")


def view(value: Any, plan: Any, stream: int, what: str) -> View:
    """What is known of an array on a GPU, whose contents are complete before the work that is enqueued on
    `stream` next.

    Args:
        value: exports DLPack or ``__cuda_array_interface__``.
        plan: of the GPU, to order streams.
        stream: the driver's handle.
        what: names the array in errors.

    Raises:
        TypeError: the elements are none that a tensor has.
        ValueError: it is not dense and row-major.
    """
    if hasattr(value, "__dlpack__"):
        return _from_dlpack(value, stream, what)
    return _from_interface(value, plan, stream, what)


def _from_dlpack(value: Any, stream: int, what: str) -> View:
    # 1 is how DLPack calls the default stream.
    capsule = value.__dlpack__(stream=stream or 1)
    address, shape, strides, code, bits, _, ordinal = _native.describe_array(capsule)
    name = None
    if code in _FLOAT8 and bits == 8:
        dtype, name = np.dtype(np.uint8), _FLOAT8[code]
    elif code == _BFLOAT and bits == 16:
        dtype, name = np.dtype(np.uint16), "bf16"
    else:
        letter = {_INT: "i", _UINT: "u", _FLOAT: "f", _BOOL: "b"}.get(code)
        if letter is None or bits not in (8, 16, 32, 64):
            raise TypeError(f"{what} has elements of a type that no tensor has")
        dtype = np.dtype(f"{letter}{bits // 8}")
    _check_dense(shape, strides, what)
    return View(address, shape, dtype, name, ordinal, False, capsule)


def _from_interface(value: Any, plan: Any, stream: int, what: str) -> View:
    interface = value.__cuda_array_interface__
    if interface.get("mask") is not None:
        raise TypeError(f"{what} has a mask")
    shape = tuple(interface["shape"])
    dtype = np.dtype(interface["typestr"])
    address, read_only = interface["data"]
    strides = interface.get("strides")
    if strides is not None:
        _check_dense(shape, tuple(stride // dtype.itemsize for stride in strides), what)
    ordinal = None
    if 0 not in shape:
        ordinal = _native.cuda_device_of(address)
        if ordinal < 0:
            raise TypeError(f"{what} is not in the memory of a GPU that CUDA knows")
    source = interface.get("stream")
    if source is not None and source != (stream or 1):
        with run_errors():
            plan.wait(stream, source)
    return View(address or 0, shape, dtype, None, ordinal, bool(read_only), value)


def _check_dense(shape: Sequence[int], strides: Sequence[int], what: str) -> None:
    expected = 1
    for size, stride in reversed(list(zip(shape, strides))):
        if 0 in shape:
            return
        if size != 1 and stride != expected:
            raise ValueError(f"{what} is not contiguous; on a GPU, arrays must "
                             "be dense and row-major")
        expected *= size


def check(array: View, info: dict, shape: Sequence[int | None], what: str) -> None:
    """Raises TypeError or ValueError where the array is not of the type and shape."""
    dtype = arrays.DTYPES[info["type"]]
    if array.dtype != dtype or array.element_type not in (None, info["type"]):
        raise TypeError(f"{what} has elements of type {array.element_type or array.dtype}; "
                        f"{info['type']} takes {dtype}")
    arrays.check_shape(array.shape, shape, what)


class Memory:
    """Memory of a plan's GPU, freed with the object.

    Attributes:
        address: a multiple of 256.
        bytes: how many.
    """

    def __init__(self, plan: Any, bytes_: int):
        self._plan = None
        with run_errors():
            self.address, self.bytes = plan.allocate(bytes_), bytes_
        self._plan = plan

    def __del__(self) -> None:
        if self._plan is not None:
            self._plan.free(self.address)


class DeviceArray:
    """A result in the memory of a GPU: dense, row-major, and complete when what was put
    into `stream` before has ended. It exports DLPack and ``__cuda_array_interface__``, so
    that ``torch.from_dlpack(x)`` or ``cupy.asarray(x)`` take it without a copy.

    Attributes:
        shape: the sizes.
        element_type: as MLIR spells it.
        ordinal: the number of the GPU.
        stream: the driver's handle of the stream that it is made on.
    """

    def __init__(self, plan: Any, element_type: str, shape: tuple[int, ...], bytes_: int,
                 ordinal: int, stream: int):
        self._plan, self._memory = plan, Memory(plan, bytes_)
        self.element_type, self.shape = element_type, shape
        self.ordinal, self.stream = ordinal, stream

    @property
    def address(self) -> int:
        """The address of the first element, in the GPU's memory."""
        return self._memory.address

    @property
    def dtype(self) -> np.dtype:
        """NumPy's type of the elements; that of the bits where NumPy has none."""
        return arrays.DTYPES[self.element_type]

    def numpy(self) -> np.ndarray:
        """A copy in the host's memory, when all that the GPU does has ended."""
        with run_errors():
            data = self._plan.read(self.address, self._memory.bytes)
        return arrays.from_result(data, self.element_type, self.shape)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        if copy is False:
            raise ValueError("an array on a GPU cannot be had without a copy")
        array = self.numpy()
        return array if dtype is None else array.astype(dtype)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, self.ordinal

    def __dlpack__(self, *, stream: int | None = None, **_: Any) -> Any:
        if stream is not None and stream != -1 and stream != (self.stream or 1):
            with run_errors():
                self._plan.wait(stream, self.stream)
        dtype = self.dtype
        code = {"i": _INT, "u": _UINT, "f": _FLOAT, "b": _BOOL}[dtype.kind]
        if self.element_type == "bf16":
            code = _BFLOAT
        return _native.export_array(self, self.address, self.shape, code, 8 * dtype.itemsize,
                                    self.ordinal)

    @property
    def __cuda_array_interface__(self) -> dict:
        return {"shape": self.shape, "typestr": self.dtype.str, "strides": None, "version": 3,
                "data": (self.address if 0 not in self.shape else 0, False),
                "stream": self.stream or 1}

    def __repr__(self) -> str:
        sizes = "x".join(map(str, self.shape))
        return f"<fusion.DeviceArray {sizes} {self.element_type} on GPU {self.ordinal}>"


def ordinal_of(views: Sequence[View]) -> int:
    """The GPU that all arrays are on.

    Raises:
        ValueError: they are on several.
    """
    ordinals = sorted({array.ordinal for array in views if array.ordinal is not None})
    if len(ordinals) > 1:
        raise ValueError("the arrays are on several GPUs: " + ", ".join(map(str, ordinals)))
    return ordinals[0] if ordinals else 0


def guess_ordinal(values: Sequence[Any]) -> int:
    """The GPU of the first array that says so."""
    for value in values:
        if hasattr(value, "__dlpack_device__"):
            return value.__dlpack_device__()[1]
        address = value.__cuda_array_interface__["data"][0]
        if address and (ordinal := _native.cuda_device_of(address)) >= 0:
            return ordinal
    return 0


def check_overlap(written: Sequence[tuple[str, View]], read: Sequence[tuple[str, View]]) -> None:
    """Raises ValueError where what is written is written twice or read, too. Arrays come
    with what names them in errors."""
    for i, (what, array) in enumerate(written):
        for other, second in (*read, *written[:i]):
            if array.address < second.end and second.address < array.end:
                raise ValueError(f"{what} shares memory with {other}")


def numbers(value: Any, info: dict, what: str) -> bytes:
    """The bytes of an input that is a number, in the host's memory."""
    if is_on_gpu(value):
        raise TypeError(f"{what} is a number; it is taken from the host's memory")
    return arrays.to_input(value, info["type"], [], what).tobytes()


def run(program: Any, name: str, inputs: Sequence[Any], stream: Any, out: Sequence[Any] | None,
        workspace: Any) -> tuple:
    """`Program.run` on arrays of a GPU: results as `DeviceArray`s, or in `out`, and the bytes of temporaries
    between the launches."""
    handle = stream_handle(stream)
    function = program._functions[name]
    infos = function["inputs"]
    given = [value for value in (*inputs, *(out or ())) if is_on_gpu(value)]
    ordinal = guess_ordinal(given)
    plan = program._plan("cuda", False, 0, ordinal)
    views, values = [], []
    for i, (value, info) in enumerate(zip(inputs, infos)):
        what = f"input {i} of '{name}'"
        if "shape" not in info:
            views.append(None)
            values.append(numbers(value, info, what))
            continue
        if not is_on_gpu(value):
            raise TypeError(f"{what} is in the host's memory, others are on a GPU")
        array = view(value, plan, handle, what)
        check(array, info, [size if isinstance(size, int) else None for size in info["shape"]],
              what)
        views.append(array)
        values.append(None)
    call = program._call(ordinal, name, tuple(() if v is None else v.shape for v in views),
                         tuple(values))
    read = [(f"input {i}", v) for i, v in enumerate(views) if v is not None]
    written: list[tuple[str, View]] = []
    results: list[Any] = []
    if out is not None:
        results = list(out)
        written = _written(call, name, results, plan, handle)
    else:
        for type_, shape, bytes_, number in call.results():
            if number is None:
                results.append(DeviceArray(plan, type_, shape, bytes_, ordinal, handle))
            else:
                results.append(arrays.from_result(np.frombuffer(number, np.uint8), type_, shape))
    addresses = ([array.address for _, array in written] if out is not None else
                 [r.address if isinstance(r, DeviceArray) else 0 for r in results])
    needed = call.workspace_bytes
    if workspace is None:
        scratch = program._workspace(plan, ordinal, handle, needed)
    else:
        array = view(workspace, plan, handle, "the workspace")
        if array.end - array.address < needed:
            raise ValueError(f"the workspace has {array.end - array.address} bytes; "
                             f"{needed} are needed")
        written.append(("the workspace", array))
        scratch = array.address
    check_overlap(written, read)
    ordinal_of([array for _, array in (*read, *written)])
    with run_errors():
        call.start([0 if v is None else v.address for v in views], addresses, scratch, handle)
    return tuple(results), needed


def _written(call: Any, name: str, out: Sequence[Any], plan: Any,
             stream: int) -> list[tuple[str, View]]:
    """The arrays that the caller has for the results."""
    looks = call.results()
    if len(out) != len(looks):
        raise TypeError(f"'{name}' has {len(looks)} results, not {len(out)}")
    written = []
    for i, (value, (type_, shape, _, number)) in enumerate(zip(out, looks)):
        what = f"result {i} of '{name}'"
        if number is not None:
            raise TypeError(f"{what} is a number; it cannot be written to an array")
        if not is_on_gpu(value):
            raise TypeError(f"{what} is in the host's memory, the inputs are on a GPU")
        array = view(value, plan, stream, what)
        check(array, {"type": type_}, shape, what)
        if array.read_only:
            raise ValueError(f"{what} is read-only")
        written.append((f"result {i}", array))
    return written


def describe_launches(manifest: dict, name: str) -> list[dict]:
    """The launches of a function, with sizes as the plan has them."""
    kernels = {kernel["name"]: kernel for kernel in manifest["kernels"]}
    function = next(f for f in manifest["functions"] if f["name"] == name)
    described = []
    for launch in function["launches"]:
        kernel = kernels[launch["kernel"]]
        described.append({"name": kernel["name"], "grid": list(launch["grid"]),
                          "block": list(kernel.get("block", (1, 1, 1))),
                          "cluster": list(kernel.get("cluster", (1, 1, 1))),
                          "dynamic_shared_memory": kernel.get("dynamic_shared_memory", 0),
                          "counters": None, "sanitizer": []})
    return described
