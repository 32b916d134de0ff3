# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`explain`: what becomes of a model, and why."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import inspect
import re
from typing import Any, Callable

import torch
from torch._dynamo.utils import counters

from .backend import compile_as
from .preserving import Preserved, requires_gradient
from .regions import Options, Region, Report


@dataclasses.dataclass(frozen=True)
class Break:
    """Where PyTorch left a graph, so that what follows is another one or none.

    Attributes:
        reason: PyTorch's words.
        place: file, line and function; empty where PyTorch does not say.
    """

    reason: str
    place: str = ""

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}" if self.place else self.reason


class Explanation:
    """What was made of a model.

    Attributes:
        report: graphs, operators, compiled parts, declined operators.
        training, backward: these numbers for the forward that keeps what the backward needs, and for the
        backward; None where nothing requires a gradient, or gradients are off.
        training_fails: what PyTorch says where there is no such forward.
        breaks: where PyTorch left a graph, and why.
        skipped: functions that PyTorch did not make graphs of, and why.
        temporary_bytes: memory for the intermediates between the kernels of a part, of the part that
            needs most.
        predicted_us, separate_us: what the cost model expects of the compiled parts unchanged, and with a
        kernel for each operator; None where it does not
            know, or where nothing was compiled.
    """

    def __init__(self, report: Report, breaks: list[Break], skipped: list[str],
                 predicted_us: float | None, separate_us: float | None, training: Report | None = None,
                 backward: Report | None = None, training_fails: str = ""):
        self.report, self.breaks, self.skipped = report, breaks, skipped
        self.training, self.backward, self.training_fails = training, backward, training_fails
        self.predicted_us, self.separate_us = predicted_us, separate_us
        self.temporary_bytes = max((r.temporary_bytes for r in report.regions), default=0)

    @property
    def graph_breaks(self) -> int:
        """How often PyTorch had to leave a graph."""
        return len(self.breaks)

    def __str__(self) -> str:
        report = self.report
        lines = [f"{_count(report.graphs, 'graph')}, {_count(self.graph_breaks, 'graph break')}"]
        if report.graphs:
            lines.append(_covered(report))
        if not report.covered:
            lines.append("nothing was compiled: PyTorch computes all of it")
        if self.temporary_bytes:
            lines.append(f"{self.temporary_bytes} B of temporaries at the peak")
        if self.predicted_us is not None and self.separate_us is not None:
            only = ("" if self.report.graphs and not report.declined and not self.breaks and not self.skipped
                    else " (the compiled parts alone, without what PyTorch computes)")
            lines.append(f"predicted {self.predicted_us:.2f} us, with a kernel for each operator "
                         f"{self.separate_us:.2f} us{only}")
        for i, region in enumerate(report.regions):
            if region.failure is None:
                lines += _lines_of(i, region)
        lines += _declined(report, "computed by PyTorch:")
        for one, name in ((self.training, "forward"), (self.backward, "backward")):
            if one is not None and one.graphs:
                lines.append(f"in training, {name}: {_covered(one)}")
                lines += _declined(one, f"computed by PyTorch in training, {name}:")
        if self.training_fails:
            lines.append(f"in training: {self.training_fails}")
        if self.breaks:
            lines.append("graph breaks:")
            lines += [f"  {one}" for one in self.breaks]
        if self.skipped:
            lines.append("functions that PyTorch made no graph of:")
            lines += [f"  {one}" for one in self.skipped]
        return "\n".join(lines)


def _covered(report: Report) -> str:
    parts = sum(region.failure is None for region in report.regions)
    views = f"; {_count(report.views, 'view')} of no cost, which PyTorch makes" if report.views else ""
    return (f"{_count(report.operators, 'operator')}, {report.covered} of them in "
            f"{_count(parts, 'compiled part')} with {_count(report.kernels, 'kernel')}{views}")


def _declined(report: Report, title: str) -> list[str]:
    lines = [f"  {count} x {operator}: {reason}" for (operator, reason), count in sorted(report.declined.items())]
    return [title, *lines] if lines else []


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _lines_of(index: int, region: Region) -> list[str]:
    memory = region.temporary_bytes
    memory = f", {memory} B of temporaries" if memory else ""
    lines = [f"part {index}: {_count(len(region.names), 'operator')}, "
             f"{_count(region.launches, 'kernel')}{memory}"]
    if region.program is not None:
        kernels = {kernel["name"]: kernel for kernel in region.program.manifest["kernels"]}
        for launch in region.program.manifest["functions"][0]["launches"]:
            predicted = (launch.get("predicted") or kernels[launch["kernel"]].get("predicted")
                         or {}).get("us")
            time = f": {predicted:.2f} us predicted" if predicted is not None else ""
            lines.append(f"  {launch['kernel']}{time}")
    return lines


def explain(model: Callable, *args: Any, options: dict[str, Any] | None = None,
            **kwargs: Any) -> Explanation:
    """Compiles and runs a model once, and says what was fused, what not, and why; where
    gradients are on and something requires one, a second time, for training. What that
    changes is put back: random numbers, buffers, arguments, attributes of modules, and what
    TorchDynamo remembers. Functions that PyTorch has compiled before stay compiled.

    Args:
        model: a module or function.
        args, kwargs: what it is called with.
        options: as `Options`; compilation is waited for, also where it is asynchronous
            else.
    """
    Options.of(options)  # also what is replaced here has to be right
    report, training, backward = Report(), Report(), Report()
    chosen = {name: Options.of({**(options or {}), "report": one, "async_compile": False})
              for name, one in (("report", report), ("training", training), ("backward", backward))}
    left: list[Any] = []
    trains = torch.is_grad_enabled() and requires_gradient(model, args, kwargs)
    fails = ""
    with Preserved(model, args, kwargs) as preserved, _SkippedFrames() as skipped:
        before = collections.Counter(counters["graph_break"])
        with torch.no_grad():
            _call_once(model, args, kwargs, preserved, chosen["report"], chosen["report"], left)
        said = list((collections.Counter(counters["graph_break"]) - before).elements())
    if not report.graphs and not said and not skipped.found:
        skipped.found.append("TorchDynamo has given up on it before: torch._dynamo.reset() lets it say why")
    if trains and report.graphs:
        with Preserved(model, args, kwargs) as preserved:
            try:
                with torch.enable_grad():
                    _call_once(model, args, kwargs, preserved, chosen["training"], chosen["backward"], [])
            except Exception as error:  # a model that no gradient goes through
                fails = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
    compiled_parts = [region for region in report.regions if region.program is not None]
    predicted = [region.program.predicted_us.get("main") for region in compiled_parts]
    separate = [_separate_us(region, chosen["report"]) for region in compiled_parts]
    return Explanation(report, _breaks(left, said), skipped.found, _sum(predicted), _sum(separate),
                       training if trains else None, backward if trains else None, fails)


def _call_once(model: Callable, args: tuple, kwargs: dict, preserved: Preserved, forward: Options,
               backward: Options, left: list[Any]) -> None:
    """Compiles a model into reports of its own, beside what is compiled of it already.

    Args:
        preserved: told of tensors that graphs write to.
        forward, backward: with the reports.
        left: gets the reason of each graph's end.
    """
    def compiled(graph: torch.fx.GraphModule, inputs: Any) -> Callable:
        left.append(getattr(graph, "compile_subgraph_reason", None))
        run = compile_as(graph, inputs, forward, backward)
        context = torch._guards.TracingContext.try_get()
        metadata = context.fw_metadata if context is not None else None
        if metadata is None:
            changed = [True] * len(inputs)
        else:
            changed = [info.mutates_data for info in metadata.input_info][-len(inputs):] if inputs else []
        own = [*graph.parameters(), *graph.buffers()]

        def call(*given: Any) -> Any:
            preserved.keep([*own, *(one for one, is_changed in zip(given, changed) if is_changed)])
            return run(*given)

        return call

    alone = {"isolate_recompiles": True} if "isolate_recompiles" in inspect.signature(torch.compile).parameters else {}
    # The backward is compiled with the forward, not when it is called: it is not.
    at_once = (torch._functorch.config.patch(force_non_lazy_backward_lowering=True)
               if hasattr(torch._functorch.config, "force_non_lazy_backward_lowering") else contextlib.nullcontext())
    with at_once:
        torch.compile(model, backend=compiled, **alone)(*args, **kwargs)


# What PyTorch says of graphs that end.


def _breaks(left: list[Any], said: list[str]) -> list[Break]:
    """The reasons of the graphs, and the reasons that PyTorch counted where there is no graph."""
    found: list[Break] = []
    for reason in left:
        if reason is None or not reason.graph_break:
            continue
        text = str(reason.reason)
        if text in said:
            said.remove(text)
        place = ""
        if reason.user_stack:
            frame = reason.user_stack[-1]
            # The code after a break is a function that PyTorch makes.
            name = re.sub(r"^torch_dynamo_resume_in_(.*)_at_\d+$", r"\1", frame.name)
            place = f"{frame.filename}:{frame.lineno} in {name}"
        one = Break(_brief(text), place)
        if one not in found:
            found.append(one)
    known = {one.reason for one in found}
    return found + [one for one in dict.fromkeys(Break(_brief(text)) for text in said)
                    if one.reason not in known]


def _brief(reason: str) -> str:
    """What PyTorch says first, and what it explains; without hints for PyTorch's developers."""
    if reason.startswith("generic_jump"):
        return "Data-dependent branching"
    title, _, rest = reason.partition("\n")
    explained = re.search(r"^\s*Explanation: (.*?)\s*(?=^\s*(?:Hint|Developer debug context):|\Z)", rest,
                          re.MULTILINE | re.DOTALL)
    if explained and explained[1]:
        title += f" ({' '.join(explained[1].split())})"
    return title


class _SkippedFrames:
    """Gathers what PyTorch says of functions that it gives up on; where this PyTorch does
    not say it, nothing."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def __enter__(self) -> "_SkippedFrames":
        frames = torch._dynamo.eval_frame
        if hasattr(frames, "reset_skip_reasons"):
            frames.reset_skip_reasons()
        return self

    def __exit__(self, *raised: Any) -> None:
        for text in getattr(torch._dynamo.eval_frame, "get_skip_reasons", list)():
            # Functions without tensors, and PyTorch's own, are no loss.
            if ("no tensor-related objects" not in text and "skipfiles" not in text
                    and torch.__path__[0] not in text and text not in self.found):
                self.found.append(text)


# What the cost model says.


def _sum(times: list[float | None]) -> float | None:
    return None if not times or any(time is None for time in times) else sum(times)


def _separate_us(region: Region, options: Options) -> float | None:
    """The predicted time of a part with each operator compiled by itself."""
    options = dataclasses.replace(options, chip=region._options.chip, strict=False, report=None)
    times: list[float | None] = []
    for node in region._graph[0].graph.nodes:
        if node.op != "call_function" or "getitem" in str(node.target):
            continue
        single = Region(_alone(node), options)
        if single.program is not None:
            times.append(single.program.predicted_us.get("main"))
        elif single.failure:
            return None
    return _sum(times)


def _alone(node: torch.fx.Node) -> torch.fx.GraphModule:
    """A graph of one node and what is taken out of its results."""
    graph = torch.fx.Graph()
    values = {}
    for source in node.all_input_nodes:
        values[source] = graph.placeholder(source.name)
        values[source].meta = dict(source.meta)
    copied = graph.node_copy(node, lambda n: values[n])
    copied.meta = dict(node.meta)
    values[node] = copied
    results = [copied]
    if isinstance(node.meta["val"], (tuple, list)):
        results = []
        for user in node.users:
            taken = graph.node_copy(user, lambda n: values[n])
            taken.meta = dict(user.meta)
            results.append(taken)
    graph.output(tuple(results))
    return torch.fx.GraphModule(torch.nn.Module(), graph)
