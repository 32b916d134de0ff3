# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of NumPy in memory that is aligned as kernels want it. bf16, which NumPy lacks, is held as uint16."""

import numpy as np

TYPES = {
    "f32": np.float32,
    "f16": np.float16,
    "bf16": np.uint16,
    "f64": np.float64,
    "i64": np.int64,
    "i32": np.int32,
    "i8": np.int8,
    "i1": np.bool_,
}
ALIGNMENT = 256


def aligned_bytes(size):
    """`size` zero bytes, every page of them touched."""
    raw = np.zeros(size + ALIGNMENT, np.uint8)
    raw[:] = 0
    start = -raw.ctypes.data % ALIGNMENT
    return raw[start : start + size]


def aligned(shape, element):
    kind = np.dtype(TYPES[element])
    count = int(np.prod(shape, dtype=np.int64))
    return aligned_bytes(count * kind.itemsize).view(kind).reshape(shape)


def aligned_copy(array):
    copy = aligned_bytes(array.nbytes).view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy
