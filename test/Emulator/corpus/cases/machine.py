# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import itertools
import zlib

import numpy as np

from . import Case, InOut, Out, kernel
from .formats import E4M3, E5M2, from_bf16, from_fp8, round_bf16, to_bf16, to_fp8

F16, F32 = np.float16, np.float32


def text(rng, n):
    return rng.choice(np.frombuffer(b"abAB z{`@Z[", np.uint8), n)


@kernel
def find_bytes(rng):
    for n, pattern in ((50, b"a"), (1001, b"ab"), (203, b"")):
        x = text(rng, n)
        pattern = pattern or x[-8:].tobytes()
        found = [x[i : i + len(pattern)].tobytes() == pattern for i in range(n)]
        padded = np.pad(x, (0, -n % 4))
        number = np.uint64(int.from_bytes(pattern, "little"))
        yield Case(-(-n // 64), 64, [padded, n, number, len(pattern), Out(np.array(found, np.uint8))])


@kernel
def upper_case(rng):
    for n in (5, 70):
        x = text(rng, 16 * n)
        expected = np.frombuffer(x.tobytes().upper(), np.uint8)
        yield Case(-(-n // 32), 32, [InOut(x, expected), n])


@kernel
def crc32(rng):
    for n, length in ((33, 10), (100, 37)):
        x = rng.integers(0, 256, (n, length), np.uint8)
        expected = np.array([zlib.crc32(line.tobytes()) for line in x], np.uint32)
        yield Case(-(-n // 32), 32, [x, length, Out(expected), n])


def levenshtein(a, b):
    row = list(range(len(b) + 1))
    for y, c in enumerate(a):
        last, row[0] = row[0], y + 1
        for x, d in enumerate(b):
            last, row[x + 1] = row[x + 1], min(row[x + 1] + 1, row[x] + 1, last + int(c != d))
    return row[-1]


@kernel
def edit_distance(rng):
    for n, length in ((3, 5), (7, 16)):
        words = rng.choice(np.frombuffer(b"abc", np.uint8), (n, length))
        expected = [levenshtein(a, b) for a in words for b in words]
        yield Case(-(-n * n // 32), 32, [words, length, Out(np.array(expected, np.int32)), n])


def signed64(value):
    return (value + 2**63) % 2**64 - 2**63


@kernel
def integers_64(rng):
    special = [0, 1, -1, 2**63 - 1, -(2**63), 2**32, -(2**32), 3]
    pairs = list(itertools.product(special, special))
    pairs.remove((-(2**63), -1))  # the quotient overflows
    random = rng.integers(-(2**63), 2**63 - 1, (100, 2), np.int64) >> rng.integers(0, 60, (100, 2))
    pairs += [(int(a), int(b)) for a, b in random]
    rows = []
    for x, y in pairs:
        ux, uy, d = x % 2**64, y % 2**64, y | 1
        quotient = abs(x) // abs(d) * (1 if (x < 0) == (d < 0) else -1)
        bits = f"{ux:064b}"
        counts = bits.count("1") | (64 - ux.bit_length()) << 8 | ((ux & -ux).bit_length() << 16)
        rows.append([x * y, x * y >> 64, ux * uy >> 64, quotient, x - quotient * d, ux // (uy | 1),
                     ux % (uy | 1), x >> (y & 63) ^ signed64(ux << (y & 63)), counts,
                     int(bits[::-1], 2), min(x, y), x if ux > uy else y])
    a, b = np.array(pairs, np.int64).T.copy()
    expected = np.array([[signed64(v) for v in row] for row in rows], np.int64)
    yield Case(-(-len(pairs) // 64), 64, [a, b, Out(expected), len(pairs)])


@kernel
def modular_power(rng):
    for n, modulus, exponent in ((10, 2**61 - 1, 13), (40, 2**64 - 59, 65537)):
        x = rng.integers(0, 2**64, n, np.uint64)
        expected = np.array([pow(int(v), exponent, modulus) for v in x], np.uint64)
        yield Case(-(-n // 32), 32, [x, Out(expected), np.uint64(modulus), exponent, n])


@kernel
def wide_add(rng):
    n = 24
    a, b = (rng.integers(0, 2**32, (n, 8), np.uint32) for _ in range(2))
    b[::2, 2:6] = ~a[::2, 2:6]  # carries run through
    sums = []
    for x, y in zip(a, b):
        total = int.from_bytes(x.tobytes(), "little") + int.from_bytes(y.tobytes(), "little")
        sums.append((total % 2**256).to_bytes(32, "little"))
    yield Case(2, 4 * n, [a, b, Out(np.frombuffer(b"".join(sums), np.uint32))])


def fma16(a, b, c):
    """Rounded once: products of f16 are exact in f64, and sums of these sizes too."""
    return (a.astype(np.float64) * b + c).astype(F16)


@kernel
def half2_polynomial(rng):
    n = 100
    x = rng.standard_normal((n, 2)).astype(F16) * F16(3)
    one, h = F16(1), F16
    y = fma16(x, h(0.25), h(-0.5))
    y = y * x + one
    y = np.maximum(np.minimum(y, h(2)), -one)
    q = y - np.stack([x[:, 0], y[:, 0]], 1)
    first = np.maximum(fma16(y, q, x), h(0))
    low = np.where(x[:, 0] < x[:, 1], y[:, 0], q[:, 1])
    high = np.trunc(x[:, 0] * h(8)).astype(np.int32).astype(F16)
    expected = np.stack([first, np.stack([low, high], 1)], 1)
    yield Case(2, 64, [x, Out(expected), n])


@kernel
def bfloat2_polynomial(rng):
    n = 100
    bits = to_bf16(rng.standard_normal((n, 2)))
    x = from_bf16(bits)
    # Squares of 8-bit significands and a sum of nearby sizes: exact in f64.
    y = round_bf16((x.astype(np.float64) * x - 1.5).astype(F32))
    y = round_bf16(round_bf16(y * x) + np.abs(x))
    y = np.maximum(np.minimum(y, F32(3)), -x)
    yield Case(4, 32, [bits, Out(to_bf16(y)), n])


@kernel
def fp8_round_trip(rng):
    exact = np.concatenate([E4M3[:127], E5M2[:124]])
    between = (exact[1:] + exact[:-1]) / 2
    x = np.concatenate([exact, between, between * 1.001, rng.standard_normal(60) * 100, [1e9, 500.0]])
    x = np.concatenate([x, -x]).astype(F32)
    a, b = to_fp8(x, E4M3), to_fp8(x, E5M2)
    back = np.stack([from_fp8(a, E4M3), from_fp8(b, E5M2)], 1).astype(F16)
    yield Case(-(-len(x) // 128), 128, [x, Out(a), Out(b), Out(back), len(x)])


@kernel
def quantize_rows(rng):
    for rows, cols in ((2, 40), (5, 133)):
        x = rng.standard_normal((rows, cols)).astype(F16)
        x[-1] = 0
        v = x.astype(F32)
        most = np.abs(v).max(1)
        scales = np.where(most > 0, most / F32(127), F32(1)).astype(F32)
        q = np.rint(v / scales[:, None]).astype(np.int8)
        yield Case(rows, 32, [x, Out(q), Out(scales), cols])


@kernel
def conversions(rng):
    x = np.concatenate([[0.0, -0.0, 0.5, 1.5, -2.5, 1e-40, 65519.0], rng.standard_normal(100) * 100])
    f = x.astype(F32)
    toward = np.where(np.abs(f.astype(np.float64)) > np.abs(x), np.nextafter(f, F32(0)), f)
    upward = np.where(f < x, np.nextafter(f, F32(np.inf)), f)

    def low(values):
        return values.astype(F32).view(np.uint32).astype(np.uint64)

    micro = np.trunc(x * 1e6) + 0.0  # integers have no -0
    columns = [
        np.rint(x), np.floor(x), np.ceil(f), np.maximum(np.trunc(f), 0), low(toward), low(upward),
        f.astype(np.float64).view(np.int64), low(micro.astype(F32)),
        np.abs(micro).view(np.int64), x.astype(F16).view(np.uint16),
        low(np.rint(f)) | low(np.floor(f)) << np.uint64(32), np.trunc(f).astype(np.int64).astype(np.int8),
    ]
    expected = np.stack([c.view(np.int64) if c.dtype == np.uint64 else c.astype(np.int64) for c in columns], 1)
    yield Case(4, 32, [x, Out(expected), len(x)])


@kernel
def deep_recursion(rng):
    def ackermann(m, n):
        return n + 1 if m == 0 else n + 2 if m == 1 else 2 * n + 3

    expected = [ackermann(t % 3, t % 7) for t in range(128)]
    yield Case(2, 64, [Out(np.array(expected, np.uint32))])


@kernel
def virtual_calls(rng):
    n = 45
    x = rng.standard_normal(n).astype(F32)
    expected = np.where(np.arange(n) % 3, x * x, x * F32(3))
    yield Case(2, 32, [x, Out(expected.astype(F32)), n])


def quicksort(index):
    a, swaps, stack = list(range(9)), 0, [(0, 8)]
    for k in range(8, 0, -1):
        index, j = divmod(index, k + 1)
        a[k], a[j] = a[j], a[k]
    while stack:
        low, high = stack.pop()
        if low >= high:
            continue
        m = low
        for k in range(low, high):
            if a[k] < a[high]:
                a[k], a[m] = a[m], a[k]
                m, swaps = m + 1, swaps + 1
        a[m], a[high] = a[high], a[m]
        stack += [(low, m - 1), (m + 1, high)]
    return 12345678, swaps


@kernel
def stack_quicksort(rng):
    x = rng.integers(0, 362880, 50, np.int32)
    expected = np.array([quicksort(int(i)) for i in x], np.int32)
    yield Case(2, 32, [x, Out(expected), len(x)])


@kernel
def warp_exchange(rng):
    for n in (40, 100, 1):
        x = rng.integers(0, 150, n, np.int32)
        expected = np.zeros((n, 8), np.int32)
        for start in range(0, n, 32):
            v = x[start : start + 32]
            lane = np.arange(len(v))
            e = expected[start : start + 32]
            e[:, 0] = v[lane // 2]
            e[:, 1] = np.where(lane % 8 >= 1, v[lane - 1], v)
            e[:, 2] = np.where((lane ^ 1) < len(v), v[np.minimum(lane ^ 1, len(v) - 1)], 0)
            e[:, 3] = (v > 8).any() + 2
            e[:, 4] = (v // 100 == v[0] // 100).all()
            e[:, 5] = (v[:, None] % 4 == v % 4).sum(1)
            e[:, 6], e[:, 7] = v.sum(), v.min()
        yield Case(-(-n // 64), 64, [x, Out(expected), n])
