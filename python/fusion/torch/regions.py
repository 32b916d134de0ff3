# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which parts of a graph are compiled, and how a compiled part is called."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import difflib
import logging
import os
import pathlib
import threading
import warnings
from typing import Any, Callable, Mapping, Sequence

import numpy as np
import torch
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner

from .. import cache, checks
from ..arrays import from_tensor
from ..diagnostics import FusionError
from ..gpu import run_errors
from ..program import NUMERIC_CHOICES, Program, chips
from . import operators  # noqa: F401  (the rules file themselves)
from .capability import Capability, device_of, forget_order, is_free, keep_order, return_views
from .emit import Function, Requirement, Tensor, Unsupported
from .empties import without_empties
from .lowering import check_tensor, lower_graph, shape_of, type_of

log = logging.getLogger("fusion.torch")


@dataclasses.dataclass
class Options:
    """What ``torch.compile(…, backend="fusion", options={…})`` takes.

    Attributes:
        chip: as of `fusion.compile`; default: that of the GPU that the tensors are on.
        force_fusion, f32_products, f8_products, exponentials: as of `fusion.compile`.
        cache_dir: folder of the cache; None: `cache.default_folder()`; "": no files.
        async_compile: PyTorch's kernels serve the calls until ours are compiled.
        strict: a part that should compile and does not is an error; otherwise PyTorch
            computes it, and `explain` and the log of ``fusion.torch`` say why.
        views: parts of nothing but views are compiled, too; otherwise PyTorch keeps them.
        sanitize: the emulator looks for races and bad accesses; findings are errors.
        report: gathers what was done.
    """

    chip: str = ""
    force_fusion: bool = False
    f32_products: str = ""
    f8_products: str = ""
    exponentials: str = ""
    cache_dir: str | None = None
    async_compile: bool = False
    strict: bool = False
    views: bool = False
    sanitize: bool = False
    report: "Report | None" = None

    def __post_init__(self) -> None:
        checks.choice(self.chip, "chip", chips())
        for name, choices in NUMERIC_CHOICES.items():
            checks.choice(getattr(self, name), name, choices)
        for name in ("force_fusion", "async_compile", "strict", "views", "sanitize"):
            checks.truth(getattr(self, name), name)
        if self.cache_dir is not None:
            try:
                self.cache_dir = os.fspath(self.cache_dir)
            except TypeError:
                raise TypeError(f"'cache_dir' is a path, not a {type(self.cache_dir).__name__}") from None
            if not isinstance(self.cache_dir, str):
                raise TypeError("'cache_dir' is a path of characters, not of bytes")
            if self.cache_dir:
                checks.usable_folder(checks.folder(self.cache_dir), "cache_dir")
        elif os.environ.get("FUSION_CACHE_DIR"):
            checks.usable_folder(cache.default_folder(), "FUSION_CACHE_DIR")
        if self.report is not None and not isinstance(self.report, Report):
            raise TypeError(f"'report' is a fusion.torch.Report, not a {type(self.report).__name__}")

    @classmethod
    def of(cls, options: "dict[str, Any] | None") -> "Options":
        """Options as a user gives them.

        Raises:
            TypeError: there is no such option, or its value is of another type.
            ValueError: the option takes other values.
        """
        if not isinstance(options, (Mapping, type(None))):
            raise TypeError(f"'options' are a dictionary, not a {type(options).__name__}")
        known = [field.name for field in dataclasses.fields(cls)]
        for name in options or {}:
            if name not in known:
                near = difflib.get_close_matches(str(name), known, 1)
                meant = f" (did you mean {near[0]!r}?)" if near else ""
                raise TypeError(f"there is no option {name!r}{meant}; there are {', '.join(known)}")
        return cls(**(options or {}))

    def compile_options(self) -> dict[str, Any]:
        return {"chip": self.chip, "force_fusion": self.force_fusion,
                "f32_products": self.f32_products, "f8_products": self.f8_products, "exponentials": self.exponentials}

    def folder(self) -> pathlib.Path | None:
        if self.cache_dir is None:
            return cache.default_folder()
        return checks.folder(self.cache_dir) if self.cache_dir else None


@dataclasses.dataclass
class Report:
    """What was made of a model's graphs.

    Attributes:
        graphs: how many graphs PyTorch passed to the backend.
        operators: how many operators they have.
        views: how many of these cost nothing and are in no compiled part: PyTorch makes them.
        regions: the compiled parts.
        declined: operators that PyTorch computes: (operator, reason) and how often.
    """

    graphs: int = 0
    operators: int = 0
    views: int = 0
    regions: list["Region"] = dataclasses.field(default_factory=list)
    declined: dict[tuple[str, str], int] = dataclasses.field(default_factory=dict)

    @property
    def covered(self) -> int:
        """How many operators the compiled parts have."""
        return sum(len(region.names) for region in self.regions if region.failure is None)

    @property
    def kernels(self) -> int:
        """Launches of all compiled parts."""
        return sum(region.launches for region in self.regions)

    def decline(self, operator: str, reason: str) -> None:
        key = (operator, reason)
        self.declined[key] = self.declined.get(key, 0) + 1


# Which chip.


def capability_of(device: torch.device) -> tuple[int, int]:
    return torch.cuda.get_device_capability(device)


def chip_for(capability: tuple[int, int]) -> str:
    """The chip to compile for on a GPU of a compute capability: itself, else the newest
    whose code it runs.

    Raises:
        Unsupported: there is none.
    """
    best = None
    for chip in chips():
        if not chip.startswith("sm_"):
            continue  # one product of its capability
        digits = chip.removeprefix("sm_")
        plain = digits.rstrip("abcdefgh")
        has = int(plain[:-1]), int(plain[-1])
        # What has a letter runs on its own chip only.
        if has == capability or plain == digits and has < capability:
            best = max(best or (has, chip), (has, chip))
    if best is None:
        raise Unsupported(f"GPUs of compute capability {capability[0]}.{capability[1]}")
    return best[1]


# From a graph to a module.


@dataclasses.dataclass
class Module:
    """A graph as MLIR.

    Attributes:
        text: the module.
        results: per result of the graph, which result of the function it is, or None.
        inputs: the inputs that results without a function's result are.
        repeated: per input, its dimensions of stride 0, along which it is repeated: the
            function takes it without them.
        required: what inputs have to be like, by their number.
        flags: how many further results the function has: booleans, one of which is
            true where an operator does not take what it is given.
    """

    text: str
    results: list[int | None]
    inputs: list[int | None]
    repeated: list[list[int]]
    required: list[tuple[int, Requirement]]
    flags: int

    def takes(self, inputs: Sequence[np.ndarray]) -> bool:
        """Whether the inputs are as operators require."""
        return all(inputs[i].size == 0 or requirement.holds(inputs[i].min(), inputs[i].max())
                   or requirement.low is None and inputs[i].all()
                   for i, requirement in self.required)


def to_module(graph: torch.fx.Graph, is_checked: bool = True) -> Module:
    """The module of a graph; where `is_checked`, PyTorch's errors of data (an index out
    of bounds, a division of integers by 0) are looked for.

    Raises:
        Unsupported: a node cannot be lowered.
    """
    function = Function(is_checked=is_checked)
    arguments, values, repeated = [], [], []
    for node in graph.nodes:
        if node.op == "placeholder":
            value = node.meta["val"]
            check_tensor(value)
            shape = shape_of(value)
            repeated.append(repeated_dims(value))
            kept = [d for d in range(len(shape)) if d not in repeated[-1]]
            arguments.append(function.argument([shape[d] for d in kept], type_of(value)))
            values.append(function.spread(arguments[-1], kept, shape))
    outputs = lower_graph(function, graph, values)
    outputs = list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]
    names = [value.name for value in values]
    made: list[Tensor] = []
    results: list[int | None] = []
    inputs: list[int | None] = []
    for output, look in zip(outputs, looks_of_results(graph)):
        if not isinstance(output, Tensor):
            raise Unsupported("a result that is no tensor")
        rows = repeated_dims(look)
        if rows:  # once: `to_tensor` repeats it
            output = function.slice(output, [0] * len(output.shape),
                                    [1 if d in rows else size for d, size in enumerate(output.shape)],
                                    [1] * len(output.shape))
        elif output.name in names:
            results.append(None)
            inputs.append(names.index(output.name))
            continue
        if output not in made:
            made.append(output)
        results.append(made.index(output))
        inputs.append(None)
    text = function.print([*made, *function.flags]) if made or function.flags else ""
    return Module(text, results, inputs, repeated, function.required, len(function.flags))


def looks_of_results(graph: torch.fx.Graph) -> list[Any]:
    """What PyTorch says that the results of a graph look like."""
    output = next(node for node in graph.nodes if node.op == "output").args[0]
    return [node.meta["val"] if isinstance(node, torch.fx.Node) else node
            for node in (output if isinstance(output, (tuple, list)) else [output])]


def repeated_dims(look: torch.Tensor) -> list[int]:
    """Dimensions of stride 0: all that is along them is one element."""
    if not isinstance(look, torch.Tensor) or look.layout != torch.strided:
        return []
    return [d for d, (size, stride) in enumerate(zip(look.shape, look.stride())) if stride == 0 and size != 1]


def once(tensor: torch.Tensor, dims: Sequence[int]) -> torch.Tensor:
    """The tensor without dimensions that it is repeated along."""
    for d in reversed(dims):
        tensor = tensor.select(d, 0)
    return tensor


# From tensors to arrays and back.


def to_tensor(array: np.ndarray, like: torch.Tensor) -> torch.Tensor:
    """A tensor with the element type and strides of `like`."""
    if like.dtype == torch.bfloat16:
        tensor = torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    else:
        tensor = torch.from_numpy(array)
    tensor = repeat_like(tensor, like)
    if tensor.dtype != like.dtype or tensor.shape != like.shape:
        raise AssertionError(f"the plan gives {tuple(tensor.shape)} {tensor.dtype}, the graph "
                             f"{tuple(like.shape)} {like.dtype}")
    return with_strides(tensor, like)


def repeat_like(tensor: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """A result that was computed once along the dimensions that `like` is repeated along."""
    rows = repeated_dims(like)
    if rows and all(tensor.shape[d] == 1 for d in rows):
        return tensor.expand(like.shape)
    return tensor


def with_strides(tensor: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """The tensor laid out as `like` is."""
    strides = tuple(like.stride())
    if tensor.stride() != strides and all(isinstance(stride, int) for stride in strides):
        if all(s != 0 or n == 1 for s, n in zip(strides, tensor.shape)):
            return torch.empty_strided(tensor.shape, strides, dtype=tensor.dtype,
                                       device=tensor.device).copy_(tensor)
    return tensor


def on_gpu(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor as kernels take it: dense, row-major, aligned to 16 bytes."""
    tensor = tensor.detach()
    if tensor.is_conj() or tensor.is_neg():
        tensor = tensor.resolve_conj().resolve_neg()
    tensor = tensor.contiguous()
    return tensor if tensor.data_ptr() % 16 == 0 else tensor.clone()


def call_on_gpu(call: Any, inputs: Sequence[Any], empty: Callable[[tuple, str], Any],
                stream: int) -> list[Any]:
    """Starts a prepared call on tensors of a GPU.

    Args:
        call: of the native module.
        inputs: tensors as of `on_gpu`.
        empty: makes a tensor of a shape and an element type of MLIR's.
        stream: the driver's handle.
    """
    results = [empty(tuple(shape), type_) for type_, shape, _, _ in call.results()]
    needed = call.workspace_bytes
    # PyTorch's allocator gives freed memory only to what comes later on the stream.
    workspace = empty((needed,), "i8") if needed else None
    with run_errors():
        call.start([x.data_ptr() for x in inputs], [x.data_ptr() for x in results],
                   workspace.data_ptr() if needed else 0, stream)
    return results


def _apart(module: Module, made: Sequence[Any], input: Callable[[int], Any],
           copy: Callable[[Any], Any]) -> list[Any]:
    """The results of a part, each in memory of its own: callers write to them."""
    taken: set[int] = set()
    results = []
    for result, source in zip(module.results, module.inputs):
        if result is None:
            results.append(copy(input(source)))
        else:
            results.append(copy(made[result]) if result in taken else made[result])
            taken.add(result)
    return results


class Region(torch.nn.Module):
    """A part of a graph, compiled.

    Attributes:
        names: its operators.
        module: its MLIR text.
        program: what it was compiled to; None while it is not, or where that failed.
        failure: why it was not compiled.
    """

    _pool: concurrent.futures.ThreadPoolExecutor | None = None
    _pool_lock = threading.Lock()

    def __init__(self, graph: torch.fx.GraphModule, options: Options):
        super().__init__()
        self.names = [str(node.target) for node in graph.graph.nodes if _is_operator(node)]
        self._graph = [graph]  # not a child: its parameters are nobody's
        self._options = options
        self.program: Program | None = None
        self.failure: str | None = None
        output = next(node for node in graph.graph.nodes if node.op == "output").args[0]
        self._single = not isinstance(output, (tuple, list))
        self._looks = looks_of_results(graph.graph)
        self._takes = [node.meta.get("val") for node in graph.graph.nodes
                       if node.op == "placeholder"]
        self.device = device_of(graph.graph)
        self._call: Any = None  # on a GPU
        try:
            if not options.chip and self.device.type == "cuda":
                self._options = options = dataclasses.replace(
                    options, chip=chip_for(capability_of(self.device)))
            # On a GPU PyTorch's own kernels raise no errors of data either.
            self.module: Module | None = to_module(graph.graph, self.device.type == "cpu")
        except Unsupported as reason:
            self.module = None
            self._fail(str(reason))
            return
        self._pending: concurrent.futures.Future | None = None
        if not self.module.text:
            return
        if options.async_compile:
            with Region._pool_lock:
                if Region._pool is None:
                    Region._pool = concurrent.futures.ThreadPoolExecutor(
                        1, thread_name_prefix="fusion-compile")
            self._pending = Region._pool.submit(self._compile)
        else:
            self._compile()

    @property
    def launches(self) -> int:
        if self.program is None:
            return 0
        return len(self.program.manifest["functions"][0]["launches"])

    @property
    def temporary_bytes(self) -> int:
        """Memory for the intermediates between the kernels, at its peak."""
        return self.program.temporary_bytes["main"] if self.program is not None else 0

    def wait(self) -> None:
        """Until it is compiled."""
        if self._pending is not None:
            self._pending.result()

    def _compile(self) -> None:
        try:
            program = cache.compile(self.module.text, self._options.compile_options(),
                                    self._options.folder())
            if self.device.type == "cuda":
                # Kernels are loaded here, not in a call that a graph may capture.
                shapes = tuple(tuple(size for d, size in enumerate(look.shape) if d not in dims)
                               for look, dims in zip(self._takes, self.module.repeated))
                self._call = program._call(self.device.index or 0, "main", shapes, (None,) * len(shapes))
            self.program = program
        except FusionError as error:
            if self._options.strict:
                raise
            self._fail(str(error))

    def _fail(self, reason: str) -> None:
        if self._options.strict:
            raise Unsupported(reason)
        self.failure = reason
        names = ", ".join(self.names[:2]) + (", …" if len(self.names) > 2 else "")
        text = f"PyTorch computes {names}: {reason}"
        log.warning("%s", text)
        warnings.warn(text, RuntimeWarning, stacklevel=2)

    def forward(self, *inputs: torch.Tensor) -> Any:
        if self.module is None or self.module.text and self.program is None:
            if self._pending is not None and self._pending.done():
                self._pending.result()  # raises what went wrong
            return self._graph[0](*inputs)
        if any(given.dtype != look.dtype or given.shape != look.shape
               or given.layout != torch.strided or any(given.stride(d) for d in dims)
               for given, look, dims in zip(inputs, self._takes, self.module.repeated)):
            # What PyTorch computes is not always what it foretold.
            return self._graph[0](*inputs)
        if self.device.type == "cuda":
            results = self._forward_on_gpu(inputs)
            return results[0] if self._single else tuple(results)
        made: tuple[np.ndarray, ...] = ()
        arrays = [from_tensor(once(x.detach(), dims)) for x, dims in zip(inputs, self.module.repeated)]
        if not self.module.takes(arrays):
            return self._graph[0](*inputs)  # raises PyTorch's error
        if self.program is not None:
            run = self.program.run(*arrays, sanitize=self._options.sanitize)
            made = run.results
            if any(made[len(made) - self.module.flags:]):
                return self._graph[0](*inputs)
            findings = [f for launch in run.launches for f in launch["sanitizer"]]
            if findings:
                raise AssertionError(f"the sanitizer found {findings}")
        results = []
        for look, array in zip(self._looks, _apart(
                self.module, made, lambda i: from_tensor(inputs[i].detach()), lambda array: array.copy())):
            results.append(to_tensor(array, look))
        return results[0] if self._single else tuple(results)


    def _forward_on_gpu(self, inputs: tuple[torch.Tensor, ...]) -> list[torch.Tensor]:
        made: list[torch.Tensor] = []
        if self._call is not None:
            types = {type_of(look): look.dtype for look in self._looks} | {"i8": torch.int8}
            with torch.cuda.device(self.device):
                made = call_on_gpu(
                    self._call, [on_gpu(once(x, dims)) for x, dims in zip(inputs, self.module.repeated)],
                    lambda shape, type_: torch.empty(shape, dtype=types[type_],
                                                     device=self.device),
                    torch.cuda.current_stream(self.device).cuda_stream)
        return [with_strides(repeat_like(tensor, look), look) for look, tensor in zip(self._looks, _apart(
            self.module, made, lambda i: inputs[i].detach(), torch.Tensor.clone))]


def compile_graph(graph: torch.fx.GraphModule, options: Options) -> torch.fx.GraphModule:
    """The graph with its parts that we can compute in place of their operators."""
    graph.graph.eliminate_dead_code()  # results without readers are not computed
    without_empties(graph.graph)
    report = options.report
    returned = return_views(graph.graph)
    if report is not None:
        report.graphs += 1
        report.operators += sum(map(_is_operator, graph.graph.nodes))
    decline = report.decline if report is not None else lambda operator, reason: None
    capability = Capability(decline, graph.graph, returned)
    keep_order(graph.graph, capability)
    partitioner = CapabilityBasedPartitioner(graph, capability, allows_single_node_partition=True)
    partitions = [part for part in partitioner.propose_partitions()
                  if options.views or not all(is_free(node) for node in part.nodes)]
    if report is not None:
        parts = {node for part in partitions for node in part.nodes}
        report.views += sum(_is_operator(node) and node not in parts
                            and (node in returned or capability.is_node_supported({}, node))
                            for node in graph.graph.nodes)
    fused = partitioner.fuse_partitions(partitions) if partitions else graph
    forget_order(fused.graph)
    if not partitions:
        return graph
    for node in fused.graph.nodes:
        if node.op == "call_module" and str(node.target).startswith("fused_"):
            part = getattr(fused, node.target)
            region = Region(part, options)
            if report is not None:
                report.regions.append(region)
                if region.failure:
                    for name in region.names:
                        report.decline(name, region.failure)
            setattr(fused, node.target, region)
    fused.recompile()
    return fused


def _is_operator(node: torch.fx.Node) -> bool:
    return node.op == "call_function" and "getitem" not in str(node.target)
