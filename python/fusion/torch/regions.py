# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which parts of a graph are compiled, and how a compiled part is called."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import difflib
import logging
import operator
import os
import pathlib
import threading
import warnings
from typing import Any, Callable, Mapping, Sequence

import torch
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner

from .. import cache, checks
from ..diagnostics import FusionError
from ..program import NUMERIC_CHOICES, Program, chips, is_cpu
from . import operators  # noqa: F401  (the rules file themselves)
from .calling import Caller, OnCpu, OnEmulator, OnGpu
from .capability import Capability, device_of, forget_order, is_free, keep_order, return_views
from .emit import Unsupported
from .empties import without_empties
from .modules import Module, looks_of_results, to_module

log = logging.getLogger("fusion.torch")


@dataclasses.dataclass
class Options:
    """What ``torch.compile(…, backend="fusion", options={…})`` takes.

    Attributes:
        chip: as of `fusion.compile`; default: that of the GPU that the tensors are on, or the host.
            With tensors of the CPU, code for a GPU is executed by the emulator.
        force_fusion, f32_products, f8_products, exponentials: as of `fusion.compile`.
        cache_dir: folder of the cache; None: `cache.default_folder()`; "": no files.
        async_compile: PyTorch's kernels serve the calls until ours are compiled.
        strict: a part that should compile and does not is an error; otherwise PyTorch
            computes it, and `explain` and the log of ``fusion.torch`` say why.
        views: parts of nothing but views are compiled, too; otherwise PyTorch keeps them.
        sanitize: the emulator looks for races and bad accesses; findings are errors.
        threads: that code for the CPU runs on, the calling one among them; 0: as many as PyTorch has
            (`torch.set_num_threads`).
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
    threads: int = 0
    report: "Report | None" = None

    def __post_init__(self) -> None:
        checks.choice(self.chip, "chip", chips())
        for name, choices in NUMERIC_CHOICES.items():
            checks.choice(getattr(self, name), name, choices)
        for name in ("force_fusion", "async_compile", "strict", "views", "sanitize"):
            checks.truth(getattr(self, name), name)
        self.threads = checks.threads(self.threads, "threads")
        if self.sanitize and (not self.chip or is_cpu(self.chip)):
            raise ValueError("'sanitize' is for the emulator, which executes code for a GPU: 'chip' has to name one")
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
        self._caller: Caller | None = None
        self._quick: Callable[[tuple], Any] | None = None  # `OnCpu.quick`
        try:
            if not options.chip:
                chip = chip_for(capability_of(self.device)) if self.device.type == "cuda" else "host"
                self._options = options = dataclasses.replace(options, chip=chip)
            elif self.device.type == "cuda" and is_cpu(options.chip):
                raise Unsupported(f"the chip '{options.chip}' is a CPU, the tensors are on {self.device}")
            # On a GPU PyTorch's own kernels raise no errors of data either.
            self.module: Module | None = to_module(graph.graph, self.device.type == "cpu")
        except Unsupported as reason:
            self.module = self._pending = None
            self._fail(str(reason))
            return
        self._pending: concurrent.futures.Future | None = None
        if not self.module.text:
            self._caller = self._make_caller(None)
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
            caller = self._make_caller(program)
            self.program = program
            self._caller = caller
            self._quick = getattr(caller, "quick", None)
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

    def _make_caller(self, program: Program | None) -> Caller:
        part = program, self.module, self._takes, self._looks
        if self.device.type == "cuda":
            return OnGpu(*part, device=self.device)
        if is_cpu(self._options.chip):
            return OnCpu(*part, threads=self._options.threads)
        return OnEmulator(*part, sanitize=self._options.sanitize)

    def compute(self, *inputs: torch.Tensor) -> Sequence[Any]:
        """A sequence of the results, also of a single one."""
        if self._quick is not None:
            made = self._quick(inputs)
            if made is not None:
                return made
        caller = self._caller
        if caller is None:
            if self._pending is not None and self._pending.done():
                self._pending.result()  # raises what went wrong
            results = None
        else:
            results = caller(inputs)
        if results is None:
            results = self._graph[0](*inputs)  # where data is wrong, raises PyTorch's error
            return [results] if self._single else results
        return results

    def forward(self, *inputs: torch.Tensor) -> Any:
        results = self.compute(*inputs)
        return results[0] if self._single else tuple(results)

    def __call__(self, *inputs: torch.Tensor) -> Any:
        return self.forward(*inputs)  # without what modules do for hooks, of which there are none


def callable_of(graph: torch.fx.GraphModule) -> Callable[..., Sequence[Any]]:
    """What computes the results of a graph: its part, where it has nothing else."""
    nodes = list(graph.graph.nodes)
    parts = [node for node in nodes if node.op == "call_module"]
    inputs = [node for node in nodes if node.op == "placeholder"]
    region = getattr(graph, parts[0].target) if len(parts) == 1 else None
    if not isinstance(region, Region) or list(parts[0].args) != inputs:
        return graph.forward
    outputs = nodes[-1].args[0]
    if not isinstance(outputs, (tuple, list)):
        return graph.forward
    if region._single:
        return region.compute if list(outputs) == parts else graph.forward
    taken = [(node.args if isinstance(node, torch.fx.Node) and node.target is operator.getitem else None)
             for node in outputs]
    wanted = [(parts[0], i) for i in range(len(region._looks))]
    return region.compute if taken == wanted else graph.forward


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
