# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the machine can do, by the functions of implementations/limits.c, and what a row could take at least."""

import ctypes
import pathlib
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parents[1] / "implementations" / "limits.c"
COMPILERS = ("clang-22", "clang", "clang-21", "clang-20", "clang-19")
CANARY_SECONDS = 300e-6
# A rate is measured so often, for so many seconds each time. The best counts.
REPEATS, SECONDS = 5, 0.03
# (name, share of bytes that are read) of the streams, whose better variant counts.
MIXES = (("write", 0.0), ("copy", 0.5), ("add", 2 / 3), ("read", 1.0))


def build(folder):
    """Compiles the functions for this machine. Raises RuntimeError without clang."""
    library = folder / "limits.so"
    for compiler in COMPILERS:
        command = [compiler, "-O3", "-march=native", "-ffp-contract=fast", "-shared", "-fPIC", SOURCE, "-o", library]
        try:
            subprocess.run([*command, "-lpthread"], check=True, capture_output=True)
            return library
        except FileNotFoundError:
            continue
        except subprocess.CalledProcessError as error:
            raise RuntimeError(f"{compiler}: {error.stderr.decode()[:500]}") from error
    raise RuntimeError(f"the limits need a compiler: {', '.join(COMPILERS)}")


class Limits:
    """The library that build() made."""

    def __init__(self, library):
        self.library = ctypes.CDLL(str(library))
        self.library.limit_name.restype = ctypes.c_char_p
        self.library.limit_rate.restype = ctypes.c_double
        self.library.limit_rate.argtypes = [ctypes.c_int64] * 3 + [ctypes.c_double]
        self.names = []
        while name := self.library.limit_name(len(self.names)):
            self.names.append(name.decode())
        self.fma = self.names.index("f32")

    def canary(self, threads):
        """The rate of f32 multiply-adds just now, in operations per second."""
        return self.library.limit_rate(self.fma, threads, 0, CANARY_SECONDS)

    def measure(self, threads, levels):
        """{name: rate}, of streams {name: {level: rate}}. levels: {name: bytes of all arrays together}."""
        found = {}
        for index, name in enumerate(self.names):
            if self.library.limit_has_arrays(index):
                found[name] = {level: self._best(index, threads, size // threads) for level, size in levels.items()}
            else:
                found[name] = self._best(index, threads, 0)
        return found

    def _best(self, index, threads, size):
        return max(self.library.limit_rate(index, threads, size, SECONDS) for _ in range(REPEATS))


def stream_rate(rates, level, read_share):
    """Bytes per second of a mix of reads and writes: between the two nearest streams, by time per byte."""
    points = []
    for name, share in MIXES:
        best = max(rates[variant][level] for variant in (name, f"{name}, non-temporal") if variant in rates)
        points.append((share, 1.0 / best))
    for (left, slow), (right, fast) in zip(points, points[1:]):
        if read_share <= right:
            part = (read_share - left) / (right - left)
            return 1.0 / (slow + part * (fast - slow))
    return 1.0 / points[-1][1]


def level_of(size, caches, threads):
    """The level that holds `size` bytes. caches: bytes of L2 of a core and of L3."""
    if size <= caches["L2"] * threads:
        return "L2"
    return "L3" if size <= caches["L3"] else "DRAM"


def fma_rate(rates, dtype):
    """Of narrow types that the machine only converts: that of f32."""
    return rates.get(dtype, rates["f32"])


def least_seconds(work, rates, caches, threads):
    """{"compute", "memory"}: seconds that a row takes at least.

    work: `flops`, `exponentials`, bytes `read` and `written`, `dtype`.
    """
    compute = (work["flops"] or 0) / fma_rate(rates, work["dtype"]) + work["exponentials"] / rates["exp"]
    size = work["read"] + work["written"]
    rate = stream_rate(rates, level_of(size, caches, threads), work["read"] / size)
    return {"compute": compute, "memory": size / rate}
