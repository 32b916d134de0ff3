# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of the corpus's kernels with what they must give.

`cases/NAME.py` holds the launches of the kernels in `NAME.cu`, one generator per kernel, the smallest
launch first:

    @kernel
    def vector_add(rng):
        for n in (1, 1000):
            a, b = rng.random(n, np.float32), rng.random(n, np.float32)
            yield Case(grid=4, block=256, args=[a, b, Out(a + b), n])

Arguments are arrays (read by the kernel and not changed), `Out` (its result), `InOut`, a
`TensorMap` over one of these, and scalars: int is i32, float f32, np.int64 and np.float64 the longer
ones, bytes a structure. The same object twice is the same buffer.

    python3 -m cases OUTPUT [PATTERN]      writes every launch for other tools: OUTPUT/KERNEL/I/launch.json
                                           with its buffers, expected/ beside them, and OUTPUT/index.json
"""

import dataclasses
import fnmatch
import importlib
import json
import math
import pathlib
import zlib

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent.parent
# What a result holds before the launch: a store that is missing shows.
UNTOUCHED = 0xCD


class Out:
    """A buffer that the kernel fills. `initial` replaces the untouched bytes; `same` says when a result
    is right where it is not equal to `expected` bit for bit: a tolerance, absolute and relative alike,
    or a function of result and expectation. `decode` gives the values of formats that are kept as bits."""

    def __init__(self, expected, same=0, initial=None, decode=None):
        self.expected = np.ascontiguousarray(expected)
        self.decode = decode or (lambda values: values)
        self.same = same
        self.initial = initial

    def before(self):
        if self.initial is not None:
            return np.ascontiguousarray(self.initial).tobytes()
        return bytes([UNTOUCHED]) * self.expected.nbytes

    def problem(self, data):
        """None where `data`, the bytes afterwards, are right; else where they are not."""
        got = np.frombuffer(data, self.expected.dtype).reshape(self.expected.shape)
        if callable(self.same):
            return None if self.same(got, self.expected) else "wrong"
        if self.same:
            result = np.asarray(self.decode(got), np.float64)
            wanted = np.asarray(self.decode(self.expected), np.float64)
            with np.errstate(invalid="ignore"):
                bad = ~(np.abs(result - wanted) <= self.same * (1 + np.abs(wanted)))
            bad &= ~((result == wanted) | (np.isnan(result) & np.isnan(wanted)))
        else:
            size = self.expected.dtype.itemsize
            bits = f"u{size}" if size in (1, 2, 4, 8) else "u1"
            bad = got.view(bits) != self.expected.view(bits)
            if got.dtype.kind == "f":
                bad &= ~(np.isnan(got) & np.isnan(self.expected))
        if not bad.any():
            return None
        at = tuple(int(i) for i in np.argwhere(bad)[0])
        return f"{int(bad.sum())} of {bad.size} wrong, first at {at}: {got[at]}, not {self.expected[at]}"


class InOut(Out):
    def __init__(self, initial, expected, same=0, decode=None):
        super().__init__(expected, same, initial, decode)


@dataclasses.dataclass
class TensorMap:
    """A tensor map over the buffer of `of`; members as in a launch file."""

    of: object
    type: str
    dims: list
    strides_bytes: list
    box: list
    swizzle: str = "none"
    element_strides: list = None
    interleave: str = "none"
    fill: str = "zero"


@dataclasses.dataclass
class Case:
    grid: object
    block: object
    args: list
    shared: int = 0  # dynamic, bytes
    cluster: object = 1
    label: str = ""
    # Why a GPU's results may differ in bits from the emulator's (the results' tolerances hold).
    inexact: str = ""
    # Results differ between schedules, as the algorithm lets them.
    varies: bool = False
    kernel: str = ""
    ptx: str = ""

    def buffers(self):
        """Each buffer once, in the order of the arguments."""
        found = []
        for argument in self.args:
            argument = argument.of if isinstance(argument, TensorMap) else argument
            if isinstance(argument, (np.ndarray, Out)) and not any(argument is b for b in found):
                found.append(argument)
        return found

    def launch(self):
        """The launch file's contents. Buffer i is i.in; its contents afterwards go to i.out."""
        buffers = self.buffers()

        def name(buffer):
            return next(i for i, b in enumerate(buffers) if b is buffer)

        def one(argument):
            if isinstance(argument, TensorMap):
                members = dataclasses.asdict(dataclasses.replace(argument, of=None))
                del members["of"]
                if members["element_strides"] is None:
                    members["element_strides"] = [1] * len(argument.dims)
                return {"tensor_map": {"buffer": f"{name(argument.of)}.in", **members}}
            if isinstance(argument, (np.ndarray, Out)):
                i = name(argument)
                return {"buffer": f"{i}.in", "write_back": f"{i}.out"}
            if isinstance(argument, bytes):
                return {"bytes": argument.hex()}
            if isinstance(argument, (np.int64, np.uint64)):
                return {"i64": int(argument)}
            if isinstance(argument, (int, np.integer)):
                return {"i32": int(argument)}
            kind = "f64" if isinstance(argument, np.float64) else "f32"
            value = float(argument)
            return {kind: value if math.isfinite(value) else str(value)}

        return {
            "kernel": self.kernel,
            "grid": triple(self.grid),
            "block": triple(self.block),
            "cluster": triple(self.cluster),
            "dynamic_shared_memory": self.shared,
            "arguments": [one(argument) for argument in self.args],
        }

    def write(self, folder):
        """Writes launch.json and the buffers."""
        folder.mkdir(parents=True, exist_ok=True)
        for i, buffer in enumerate(self.buffers()):
            data = buffer.before() if isinstance(buffer, Out) else np.ascontiguousarray(buffer).tobytes()
            (folder / f"{i}.in").write_bytes(data)
        path = folder / "launch.json"
        path.write_text(json.dumps(self.launch(), indent=1) + "\n")
        return path

    def results(self, folder):
        """What the kernel left, by buffer."""
        found = []
        for i in range(len(self.buffers())):
            # What only a tensor map names is not written back.
            path = folder / f"{i}.out"
            found.append((path if path.exists() else folder / f"{i}.in").read_bytes())
        return found

    def problems(self, results):
        """What is wrong with the buffers afterwards."""
        found = []
        for i, (buffer, data) in enumerate(zip(self.buffers(), results)):
            if isinstance(buffer, Out):
                problem = buffer.problem(data)
            else:
                problem = None if data == buffer.tobytes() else "an input was written"
            if problem:
                found.append(f"buffer {i}: {problem}")
        return found


def triple(size):
    size = (size,) if isinstance(size, (int, np.integer)) else tuple(size)
    return [int(n) for n in size] + [1] * (3 - len(size))


_kernels = {}


def kernel(generator):
    """Registers a generator of cases under the kernel's name, which is its own."""
    source = generator.__module__.rpartition(".")[2]
    _kernels[generator.__name__] = (source, generator)
    return generator


def sources():
    return sorted(path.stem for path in pathlib.Path(__file__).parent.glob("[a-z]*.py") if path.stem != "formats")


def kernels():
    """{kernel: name of its source}, in the order of the sources."""
    for source in sources():
        importlib.import_module(f"{__name__}.{source}")
    return {name: source for name, (source, _) in _kernels.items()}


def cases_of(name):
    """The cases of a kernel, the smallest first; every call gives the same numbers."""
    source, generator = _kernels[name]
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    found = list(generator(rng))
    for case in found:
        case.kernel, case.ptx = case.kernel or name, str(FOLDER / f"{source}.ptx")
    return found


def write_all(output, pattern):
    index = []
    for name in kernels():
        if not fnmatch.fnmatch(name, pattern):
            continue
        for i, case in enumerate(cases_of(name)):
            folder = output / name / str(i)
            case.write(folder)
            (folder / "expected").mkdir(exist_ok=True)
            entry = {"kernel": name, "case": i, "label": case.label, "ptx": case.ptx,
                     "launch": str(folder / "launch.json"), "varies": case.varies, "expected": []}
            for j, buffer in enumerate(case.buffers()):
                expected = buffer.expected if isinstance(buffer, Out) else buffer
                (folder / "expected" / str(j)).write_bytes(np.ascontiguousarray(expected).tobytes())
                exact = not isinstance(buffer, Out) or not buffer.same
                entry["expected"].append({"file": f"expected/{j}", "exact": exact})
            index.append(entry)
    (output / "index.json").write_text(json.dumps(index, indent=1) + "\n")
