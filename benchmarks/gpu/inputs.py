# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The inputs that fusion-run generates, made again with PyTorch on any device.

Counter-based SplitMix64 as documented in fusion/Runtime/HostTensor.h: no files travel, and an input of
gigabytes is there in milliseconds.
"""

import torch

TYPES = {
    "f32": torch.float32,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "i32": torch.int32,
    "i8": torch.int8,
}

_GOLDEN = 0x9E3779B97F4A7C15
_MULTIPLIERS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
_MASK = (1 << 64) - 1
# Elements at a time; each takes 8 bytes in a few temporaries.
_CHUNK = 1 << 26


def _signed(number):
    number &= _MASK
    return number - (1 << 64) if number >> 63 else number


def _mix_number(z):
    z ^= z >> 30
    z = z * _MULTIPLIERS[0] & _MASK
    z ^= z >> 27
    z = z * _MULTIPLIERS[1] & _MASK
    return z ^ (z >> 31)


def _shift(z, bits):
    """Logical, on int64."""
    return (z >> bits) & ((1 << (64 - bits)) - 1)


def _mix(z):
    z = (z ^ _shift(z, 30)) * _signed(_MULTIPLIERS[0])
    z = (z ^ _shift(z, 27)) * _signed(_MULTIPLIERS[1])
    return z ^ _shift(z, 31)


def random_bits(seed, number, first, count, device):
    """64 bits for `count` elements from `first` on of input `number`, as int64."""
    key = _mix_number(_mix_number(seed + _GOLDEN & _MASK) + (number + 1) * _GOLDEN & _MASK)
    elements = torch.arange(first + 1, first + 1 + count, dtype=torch.int64, device=device)
    return _mix(elements * _signed(_GOLDEN) + _signed(key))


def make_input(shape, element, seed, number, device, bound=1):
    """Input `number` of a function. Floats are uniform in [-1, 1), i8 in [-128, 128), i32 in
    [0, bound)."""
    result = torch.empty(shape, dtype=TYPES[element], device=device)
    flat = result.view(-1)
    for first in range(0, flat.numel(), _CHUNK):
        part = flat[first : first + _CHUNK]
        bits = random_bits(seed, number, first, part.numel(), device)
        if element == "i8":
            part.copy_(_shift(bits, 56) - 128)
        elif element == "i32":
            part.copy_(_shift(bits, 1) % bound)
        else:
            # 24 bits: exact in f32, then rounded once to the type.
            part.copy_(_shift(bits, 40).float() * 2.0**-23 - 1.0)
    return result
