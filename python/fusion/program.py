# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling a module, and running what came out."""

from __future__ import annotations

import base64
import dataclasses
import functools
import json
import pathlib
import threading
from typing import Any, Callable, Sequence

import numpy as np

from . import _native, arrays, checks, cpu, gpu
from .diagnostics import CompileError, Diagnostic, RunError, from_native

Progress = Callable[[str], Any]

#: What the options of numbers may be; as of `fuse::listNumericChoices`.
NUMERIC_CHOICES = {"f32_products": ("f32", "tf32", "tf32-cut"), "f8_products": ("f32", "coarse"),
                   "exponentials": ("guarded", "difference", "fma")}


_KEPT_CALLS = 256  # of a program for a CPU, at different shapes and numbers


@dataclasses.dataclass(frozen=True)
class Run:
    """One execution of a function.

    Attributes:
        results: the function's results in order: NumPy's arrays, of inputs on a GPU
            `DeviceArray`s, or the arrays given as ``out``.
        launches: per launch ``name``, ``grid``, ``block``, ``cluster``,
            ``dynamic_shared_memory``, ``counters`` (docs/emulator-reference.md; None but on the
            emulator) and ``sanitizer``, a list of findings.
        temporary_bytes: memory for the intermediate results between the launches, at
            its peak.
    """

    results: tuple[Any, ...]
    launches: list[dict]
    temporary_bytes: int = 0


class Program:
    """A compiled module.

    Attributes:
        ptx: the PTX text of all kernels; empty for a CPU.
        manifest: the plan (docs/manifest.md), without the code.
        object: the kernels of a CPU as an ELF object; empty for a GPU.
        groups: the module of groups with their schedules, as MLIR text.
        diagnostics: warnings and remarks of the compiler.
    """

    def __init__(self, manifest: str, groups: str = "",
                 diagnostics: Sequence[Diagnostic] = ()):
        self._json = manifest
        self.manifest: dict = json.loads(manifest)
        self.ptx: str = self.manifest.pop("ptx", None) or ""
        self.object: bytes = base64.b64decode(self.manifest.pop("object", None) or "")
        self.groups = groups
        self.diagnostics = list(diagnostics)
        self._functions: dict[str, dict] = {f["name"]: f for f in self.manifest["functions"]}
        self._plans: dict[tuple, Any] = {}
        self._calls: dict[tuple, Any] = {}
        # By number of threads, the last call of the only function of a program for a CPU.
        self._quick: dict[int, Any] = {}
        self._workspaces: dict[tuple[int, int], list[gpu.Memory]] = {}
        self._lock = threading.Lock()

    # What was compiled.

    @property
    def chip(self) -> str:
        """The chip the kernels were compiled for."""
        return self.manifest["chip"]

    @property
    def functions(self) -> tuple[str, ...]:
        """The names of the functions that can be called."""
        return tuple(self._functions)

    @property
    def kernels(self) -> tuple[str, ...]:
        """The names of the kernels."""
        return tuple(kernel["name"] for kernel in self.manifest["kernels"])

    @property
    def schedules(self) -> dict[str, str]:
        """The schedule of each kernel that has one, as ``#fuse.schedule<…>``."""
        return {kernel["name"]: kernel["schedule"]
                for kernel in self.manifest["kernels"] if kernel.get("schedule")}

    @property
    def predicted_us(self) -> dict[str, float]:
        """What the cost model expects of each function, in microseconds. A function
        with a launch that the model knows nothing about is left out."""
        kernels = {kernel["name"]: kernel for kernel in self.manifest["kernels"]}
        result = {}
        for name, function in self._functions.items():
            times = [(launch.get("predicted") or kernels[launch["kernel"]].get("predicted") or {})
                     .get("us") for launch in function["launches"]]
            if all(time is not None for time in times):
                result[name] = sum(times)
        return result

    @property
    def temporary_bytes(self) -> dict[str, int]:
        """Memory that each function needs for the intermediate results between its
        launches, at its peak. A function whose sizes are known when it is called only
        is left out: `Run` has its number."""
        result = {}
        for name, function in self._functions.items():
            own = [temporary for temporary in function.get("temporaries", ())
                   if "alias" not in temporary]
            if all(isinstance(value, int) for temporary in own
                   for value in (temporary["bytes"], temporary.get("offset", 0))):
                shared = max((t["offset"] + t["bytes"] for t in own if "offset" in t), default=0)
                result[name] = shared + sum(t["bytes"] for t in own if "offset" not in t)
        return result

    def report(self) -> str:
        """What was made of the module, as text: functions, their launches with the
        schedules and predictions, memory, and what the compiler remarked."""
        kernels = {kernel["name"]: kernel for kernel in self.manifest["kernels"]}
        count = f"{len(kernels)} kernel" + "s" * (len(kernels) != 1)
        lines = [f"compiled for {self.chip}: {count}"]
        predicted, temporaries = self.predicted_us, self.temporary_bytes
        for name, function in self._functions.items():
            time = f", {predicted[name]:.2f} us predicted" if name in predicted else ""
            count = len(function["launches"])
            memory = (f", {temporaries[name]} B of temporaries" if temporaries.get(name) else "")
            lines.append(f"{name}: {count} launch{'es' if count != 1 else ''}{time}{memory}")
            for launch in function["launches"]:
                kernel = kernels[launch["kernel"]]
                grid = " x ".join(str(size) for size in launch["grid"])
                needs = (f"{kernel.get('scratch', 0)} B of scratch memory" if self.object else
                         f"{kernel['block'][0]} threads, "
                         f"{kernel.get('dynamic_shared_memory', 0)} B of shared memory")
                lines.append(f"  {kernel['name']}: grid {grid}, {needs}")
                if kernel.get("schedule"):
                    lines.append(f"    {kernel['schedule']}")
        lines += [str(diagnostic) for diagnostic in self.diagnostics]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<fusion.Program for {self.chip}: {', '.join(self.functions)}>"

    # Files.

    def save(self, path: str | pathlib.Path) -> None:
        """Writes the manifest with the PTX or the object, which `load` and ``fusion-run
        --manifest`` read."""
        pathlib.Path(path).write_text(self._json)

    @classmethod
    def load(cls, path: str | pathlib.Path) -> "Program":
        """Reads what `save` wrote.

        Raises:
            OSError: the file cannot be read.
            ValueError: it is no manifest.
        """
        try:
            text = pathlib.Path(path).read_text()
        except UnicodeDecodeError as error:
            raise ValueError(f"{path} is no manifest: {error}") from None
        wrong = _native.check_manifest(text)
        if wrong is not None:
            raise ValueError(f"{path} is no manifest: {wrong.removeprefix('manifest: ')}")
        return cls(text)

    # Running.

    def run(self, *inputs: Any, function: str | None = None, device: str | None = None,
            sanitize: bool = False, seed: int = 0, progress: Progress | None = None,
            stream: Any = None, out: Sequence[Any] | None = None,
            workspace: Any = None, threads: int = 0) -> Run:
        """Executes a function.

        A program for a CPU is executed by the CPU. It reads arrays where they are, if they are
        dense, row-major and aligned to 16 bytes, and copies of others.

        A program for a GPU is executed by the emulator where the arrays are in the host's memory,
        unless `device` says otherwise. Arrays in a GPU's memory (anything with DLPack or
        ``__cuda_array_interface__``, dense and row-major) are executed there: nothing is
        copied, and nothing is waited for.

        Args:
            inputs: one array for each input, of its element type and shape; numbers
                for scalars. bf16 is taken as uint16, 8-bit floats as uint8 (the bits),
                or as types of their own (ml_dtypes, DLPack). Arrays in the host's
                memory need not be contiguous.
            function: its name; may be left out where the module has one only.
            device: ``"emulator"``, ``"cpu"``, or ``"cuda"``: with arrays of the host, the
                first GPU (they are copied there and back). Default: where the arrays are.
            sanitize: look for races and bad accesses (emulator).
            seed: draws the order in which warps run (emulator).
            progress: called with the name of each kernel before its launch. What it
                raises ends the execution there; Ctrl-C does also in the midst of a launch. Not
                with arrays on a GPU.
            stream: of the GPU that the arrays are on: a handle or a stream of PyTorch,
                CuPy, Numba; default: the default stream.
            out: arrays, one for each result, to be written in place of new ones; none may share
                memory with another one. They are where the inputs are: of a program for a CPU in the
                host's memory, else on the GPU, where they may share no memory with an input either.
            workspace: an array on the GPU, of `workspace_bytes` at least, for
                intermediate results; default: one that the program keeps for each
                stream. With `out` and `workspace`, a call allocates nothing, so that a
                CUDA graph can capture it.
            threads: that a program for a CPU runs on, the calling one among them. Default: as many
                as the process's OpenMP runtime says (that of PyTorch: `torch.set_num_threads`),
                without one as there are cores.

        Raises:
            TypeError, ValueError: the inputs do not fit the function.
            RunError: the plan could not be executed.
        """
        if any(gpu.is_on_gpu(value) for value in inputs):
            if device not in (None, "cuda"):
                raise TypeError(f"the inputs are on a GPU; the device is '{device}'")
            if sanitize:
                raise ValueError("only the emulator sanitizes; the inputs are on a GPU")
            name = self._name(function)
            self._check_count(name, inputs)
            results, temporaries = gpu.run(self, name, inputs, stream, out, workspace)
            return Run(results, gpu.describe_launches(self.manifest, name), temporaries)
        device = device or ("cpu" if self.object else "emulator")
        sanitize, seed = checks.truth(sanitize, "sanitize"), checks.seed(seed, "seed")
        if device == "cpu":
            return self._run_on_cpu(inputs, function, sanitize, progress, stream, out, workspace, threads)
        if stream is not None or out is not None or workspace is not None or threads:
            raise TypeError("stream, out and workspace go with inputs on a GPU, out and threads with a "
                            "program for a CPU")
        plan = self._plan(device, sanitize, seed)
        name = self._name(function)
        infos = self._functions[name]["inputs"]
        self._check_count(name, inputs)
        types = [info["type"] for info in infos]
        data = [
            arrays.to_input(value, info["type"],
                            [size if isinstance(size, int) else None
                             for size in info.get("shape") or []],
                            f"input {i} of '{name}'")
            for i, (value, info) in enumerate(zip(inputs, infos))
        ]
        shapes = [list(array.shape) for array in data]
        views = [array.reshape(-1).view(np.uint8) for array in data]
        results, launches, temporaries, said = plan.run(name, types, shapes, views, progress)
        if results is None:
            raise RunError(from_native(said))
        # Each result in memory of its own, where reshapes of another one have the same.
        taken: set[int] = set()
        made = []
        for type_, shape, bytes_ in results:
            place = bytes_.ctypes.data
            made.append(arrays.from_result(bytes_.copy() if place in taken else bytes_,
                                           type_, shape))
            taken.add(place)
        return Run(tuple(made), json.loads(launches), temporaries)

    def _run_on_cpu(self, inputs: Sequence[Any], function: str | None, sanitize: bool,
                    progress: Progress | None, stream: Any, out: Sequence[Any] | None, workspace: Any,
                    threads: int) -> Run:
        if sanitize:
            raise ValueError("only the emulator sanitizes, which executes programs for GPUs")
        if stream is not None or workspace is not None:
            raise TypeError("stream and workspace go with inputs on a GPU")
        name = self._name(function)
        self._check_count(name, inputs)
        results, temporaries = cpu.run(self, name, inputs, out, checks.threads(threads, "threads"), progress)
        return Run(results, gpu.describe_launches(self.manifest, name), temporaries)

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """As `run`; gives the result itself, or a tuple where there are several."""
        if self._quick and options.keys() <= {"out", "threads"}:
            made = self._call_quickly(inputs, **options)
            if made is not None:
                return made
        results = self.run(*inputs, **options).results
        return results[0] if len(results) == 1 else results

    def _call_quickly(self, inputs: tuple, out: Sequence[Any] | None = None, threads: int = 0) -> Any:
        """The results, or None where an array is of another shape than in the last call or cannot be
        used in place: then nothing was done."""
        call = self._quick.get(threads) if isinstance(threads, int) else None
        if call is None:
            return None
        try:
            if out is None:
                return call(inputs)
            if call.write(inputs, list(out)):
                return out[0] if len(out) == 1 else tuple(out)
        except RuntimeError as error:
            raise RunError([Diagnostic("error", str(error))]) from None
        return None

    def _name(self, function: str | None) -> str:
        if function is None:
            if len(self._functions) != 1:
                raise ValueError("the module has several functions: name one of "
                                 + ", ".join(self._functions))
            return next(iter(self._functions))
        if function not in self._functions:
            raise ValueError(f"there is no function '{function}'; there are "
                             + ", ".join(self._functions))
        return function

    def workspace_bytes(self, *inputs: Any, function: str | None = None) -> int:
        """Bytes that a call with arrays of these shapes on a GPU needs for intermediate
        results.

        Args:
            inputs: arrays or shapes, numbers for scalars.
            function: as in `run`.
        """
        name = self._name(function)
        self._check_count(name, inputs)
        shapes, values = [], []
        for i, (value, info) in enumerate(zip(inputs, self._functions[name]["inputs"])):
            if "shape" in info:
                shapes.append(tuple(getattr(value, "shape", value)))
                values.append(None)
            else:
                shapes.append(())
                values.append(gpu.numbers(value, info, f"input {i} of '{name}'"))
        return self._call(0, name, tuple(shapes), tuple(values)).workspace_bytes

    def _check_count(self, name: str, inputs: Sequence[Any]) -> None:
        expected = len(self._functions[name]["inputs"])
        if len(inputs) != expected:
            raise TypeError(f"'{name}' takes {expected} inputs, not {len(inputs)}")

    def _plan(self, device: str, sanitize: bool, seed: int, ordinal: int = 0, threads: int = 0) -> Any:
        if device not in ("emulator", "cuda", "cpu"):
            raise ValueError(f"no device '{device}'; there are 'emulator', 'cuda' and 'cpu'")
        key = (device, sanitize, seed, ordinal, threads)
        with self._lock:
            if key not in self._plans:
                with gpu.run_errors():
                    self._plans[key] = _native.Plan(
                        self._json, device, ordinal, sanitize, seed, threads)
            return self._plans[key]

    def _call(self, ordinal: int, name: str, shapes: tuple, values: tuple) -> Any:
        """The function at these shapes and numbers, on a GPU."""
        plan = self._plan("cuda", False, 0, ordinal)
        key = (ordinal, name, shapes, values)
        with self._lock:
            if key not in self._calls:
                types = [info["type"] for info in self._functions[name]["inputs"]]
                with gpu.run_errors():
                    self._calls[key] = _native.Call(plan, name, types,
                                                    [list(shape) for shape in shapes],
                                                    list(values))
            return self._calls[key]

    def _cpu_call(self, name: str, shapes: tuple, values: tuple, threads: int = 0, own: bool = False) -> Any:
        """The function at these shapes and numbers, on the CPU; `own`: one that nobody else gets."""
        plan = self._plan("cpu", False, 0, threads=threads)
        types = [info["type"] for info in self._functions[name]["inputs"]]

        def make() -> Any:
            with gpu.run_errors():
                return _native.CpuCall(plan, name, types, [list(shape) for shape in shapes], list(values),
                                       arrays.DTYPES)

        if own:
            return make()
        key = ("cpu", name, shapes, values, threads)
        with self._lock:
            call = self._calls.pop(key, None)
            call = call or make()
            self._calls[key] = call
            while len(self._calls) > _KEPT_CALLS:  # the one that was used longest ago
                del self._calls[next(iter(self._calls))]
            if len(self._functions) == 1 and all(value is None for value in values):
                self._quick[threads] = call
            return call

    def _workspace(self, plan: Any, ordinal: int, stream: int, needed: int) -> int:
        """Memory that calls on a stream use one after the other. It is kept as long as
        the program is: a graph may have captured it."""
        if not needed:
            return 0
        with self._lock:
            blocks = self._workspaces.setdefault((ordinal, stream), [])
            if not blocks or blocks[-1].bytes < needed:
                blocks.append(gpu.Memory(plan, needed))
            return blocks[-1].address


def compile(source: str | bytes, *, chip: str = "", force_fusion: bool = False,
            f32_products: str = "", f8_products: str = "", exponentials: str = "", pass_pipeline: str = "",
            remarks: bool = False, file_name: str = "<string>", progress: Progress | None = None) -> Program:
    """Compiles a module of functions over tensors.

    Args:
        source: MLIR text or bytecode: linalg, tensor, arith, math on tensors in
            `func.func`s.
        chip: one of `chips()`; default sm_80. ``"host"`` is the CPU of this machine.
        force_fusion: fuse what is legal, whatever the cost model says.
        f32_products: ``"f32"``, ``"tf32"`` to multiply factors rounded to tf32, or
            ``"tf32-cut"``, where factors may also be truncated to tf32 (docs/numerics.md);
            default: what the module says, else f32.
        f8_products: ``"f32"``, or ``"coarse"`` to add up products of 8-bit floats in
            fewer bits than f32 has; default: what the module says, else f32.
        exponentials: ``"fma"`` to compute exponentials of differences in one
            multiply-add (docs/numerics.md), ``"guarded"`` to do so where that is as
            exact, or ``"difference"``; default: what the module says, else guarded.
        pass_pipeline: ``builtin.module(…)`` in place of the default pipeline; it
            ends where `fuse-to-nvvm` ends. Its own options name the chip and force
            fusion, so `chip` and `force_fusion` beside it are an error.
        remarks: keep the compiler's remarks (what was fused, what not, why) in
            `Program.diagnostics`.
        file_name: the module's name in diagnostics.
        progress: called with the name of each pass before it runs. What it raises
            ends the compilation there; Ctrl-C does in the midst of a pass.

    Raises:
        CompileError: with the compiler's diagnostics.
        TypeError: an argument is of another type.
        ValueError: arguments contradict each other.
    """
    if isinstance(source, (bytes, bytearray)):
        text = bytes(source)
    elif isinstance(source, str):
        text = source.encode()
    else:
        raise TypeError(f"a module is MLIR's text or bytecode, not a {type(source).__name__}")
    for name, value in (("chip", chip), ("f32_products", f32_products), ("f8_products", f8_products),
                        ("exponentials", exponentials), ("pass_pipeline", pass_pipeline), ("file_name", file_name)):
        checks.text(value, name)
    force_fusion = checks.truth(force_fusion, "force_fusion")
    remarks = checks.truth(remarks, "remarks")
    if pass_pipeline and (chip or force_fusion):
        raise ValueError(f"'{'chip' if chip else 'force_fusion'}' has no effect beside 'pass_pipeline', whose "
                         "options name it: builtin.module(fuse-to-nvvm{chip=sm_80 force-fusion=true})")
    texts, said = _native.compile(text, chip, file_name, f32_products, f8_products, exponentials,
                                  pass_pipeline, force_fusion, remarks, progress)
    diagnostics = from_native(said)
    if texts is None:
        raise CompileError(diagnostics)
    _, manifest, groups = texts
    return Program(manifest, groups, diagnostics)


def chips() -> tuple[str, ...]:
    """The chips that can be compiled for."""
    return tuple(_native.chips())


def is_cpu(chip: str) -> bool:
    """Whether a chip is a CPU: programs for it run on the machine's own."""
    return _native.is_cpu(chip)


@functools.lru_cache(maxsize=None)
def version() -> str:
    """The versions of Fusion and of LLVM."""
    return _native.version()
