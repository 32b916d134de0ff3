# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Number formats that NumPy lacks, as bits in unsigned integers."""

import numpy as np


def to_bf16(values):
    """Rounds f32 to nearest, ties to even."""
    bits = np.asarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (np.asarray(bits, np.uint16).astype(np.uint32) << 16).view(np.float32)


def round_bf16(values):
    return from_bf16(to_bf16(values))


def round_tf32(values):
    """To nearest, ties away from zero, as cvt.rna.tf32 does."""
    bits = np.asarray(values, np.float32).view(np.uint32)
    return ((bits + 0x1000) & np.uint32(0xFFFFE000)).view(np.float32)


def _table(exponent_bits, mantissa_bits, bias, finite):
    """The values of the codes 0..127. `finite`: the largest code that is a number."""
    code = np.arange(128)
    exponent, mantissa = code >> mantissa_bits, code & ((1 << mantissa_bits) - 1)
    normal = np.ldexp(1 + mantissa / 2.0**mantissa_bits, exponent - bias)
    subnormal = np.ldexp(mantissa / 2.0**mantissa_bits, 1 - bias)
    values = np.where(exponent > 0, normal, subnormal)
    values[finite + 1 :] = np.nan
    return values


E4M3 = _table(4, 3, 7, 0x7E)
E5M2 = _table(5, 2, 15, 0x7B)


def from_fp8(bits, table):
    bits = np.asarray(bits, np.uint8)
    values = table[bits & 0x7F]
    return np.where(bits & 0x80, -values, values).astype(np.float32)


def to_fp8(values, table):
    """Rounds to nearest even, saturating, as cvt.rn.satfinite does. No NaN among the values."""
    values = np.asarray(values, np.float64)
    finite = table[~np.isnan(table)]
    size = np.minimum(np.abs(values), finite[-1])
    above = np.clip(np.searchsorted(finite, size), 1, len(finite) - 1)
    below = above - 1
    down, up = size - finite[below], finite[above] - size
    code = np.where((up < down) | ((up == down) & (above % 2 == 0)), above, below)
    return (code | np.where(np.signbit(values), 0x80, 0)).astype(np.uint8)
