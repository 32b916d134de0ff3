# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Published measurements: published.json."""

import dataclasses
import json
import math
import pathlib

FILE = pathlib.Path(__file__).with_name("published.json")

_RATES = {"GFLOP/s": 1e9, "TFLOP/s": 1e12}
_TIMES = {"ms": 1e-3, "us": 1e-6}


@dataclasses.dataclass(frozen=True)
class Entry:
    id: str
    family: str
    kernel: str  # builder:name, see published_kernels.py
    chip: str  # of the chip table
    shape: dict
    dtype: str
    value: float
    unit: str
    warm: bool  # whether L2 has what the launch before has left there
    source: str  # a key of the file's "sources"
    held_out: bool

    @property
    def flops(self):
        """Of contractions, as the sources count them."""
        shape = self.shape
        if "k" in shape:
            return 2 * shape["m"] * shape["n"] * shape["k"]
        if "length" in shape:
            return 4 * shape["batch"] * shape["heads"] * shape["length"] ** 2 * shape["width"]
        raise ValueError(f"{self.id}: no contraction")

    @property
    def seconds(self):
        return self.value * _TIMES[self.unit] if self.unit in _TIMES else self.flops / (self.value * _RATES[self.unit])


@dataclasses.dataclass(frozen=True)
class Ratio:
    """The rate of one kernel over that of another one."""

    id: str
    source: str
    first: float
    second: float
    of: tuple  # of two keys of results

    @property
    def value(self):
        return self.first / self.second


def load(file=FILE):
    """(entries, ratios, sources)"""
    found = json.loads(pathlib.Path(file).read_text())
    entries = [Entry(**one) for one in found["entries"]]
    ratios = [Ratio(**{**one, "of": tuple(one["of"])}) for one in found["ratios"]]
    return entries, ratios, found["sources"]


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))
