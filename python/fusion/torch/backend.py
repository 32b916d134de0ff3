"""The backend of torch.compile, and `explain`."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_func
from torch.fx.experimental.proxy_tensor import make_fx

from .lowering import RULES
from .regions import Options, Region, Report, compile_graph


def decompositions() -> dict:
    """PyTorch's, to core ATen, but for operators that have a rule of ours and for those
    that draw random numbers, which PyTorch draws in its own way."""
    return {operator: how for operator, how in torch._decomp.core_aten_decompositions().items()
            if str(operator) not in RULES
            and torch.Tag.nondeterministic_seeded not in getattr(operator, "tags", ())}


def _has_open_sizes(graph: torch.fx.GraphModule) -> bool:
    for node in graph.graph.nodes:
        if node.op == "placeholder":
            value = node.meta.get("val")
            if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
                return True
            if isinstance(value, torch.Tensor) and any(
                    not isinstance(size, int) for size in (*value.shape, *value.stride())):
                return True
    return False


class _PerShape:
    """A graph of sizes that are not known: compiled for each set of them that comes."""

    def __init__(self, graph: torch.fx.GraphModule, options: Options):
        self.graph, self.options = graph, options
        self.compiled: dict[tuple, Callable] = {}

    def __call__(self, *inputs: Any) -> Any:
        key = tuple((tuple(x.shape), tuple(x.stride()), x.dtype, x.device)
                    if isinstance(x, torch.Tensor) else x for x in inputs)
        if key not in self.compiled:
            tensors = [x for x in inputs if isinstance(x, torch.Tensor)]

            def fixed(*tensors: torch.Tensor) -> Any:
                rest = iter(tensors)
                return self.graph(*[next(rest) if isinstance(x, torch.Tensor) else x
                                    for x in inputs])

            traced = make_fx(fixed, tracing_mode="fake", _allow_non_fake_inputs=True)(*tensors)
            self.compiled[key] = compile_graph(traced, self.options)
        return self.compiled[key](*[x for x in inputs if isinstance(x, torch.Tensor)])


def backend(graph: torch.fx.GraphModule, inputs: Sequence[Any], *,
            options: dict[str, Any] | None = None, mode: Any = None) -> Callable:
    """What ``torch.compile(model, backend="fusion")`` calls with each graph.

    Args:
        graph, inputs: from TorchDynamo.
        options: as `Options`.
    """
    chosen = Options(**(options or {}))

    def compiler(graph: torch.fx.GraphModule, inputs: Sequence[Any]) -> Callable:
        if _has_open_sizes(graph):
            return make_boxed_func(_PerShape(graph, chosen))
        return make_boxed_func(compile_graph(graph, chosen).forward)

    return aot_autograd(fw_compiler=compiler, bw_compiler=compiler, inference_compiler=compiler,
                        decompositions=decompositions())(graph, inputs)


class Explanation:
    """What was made of a model.

    Attributes:
        report: graphs, operators, compiled parts, declined operators.
        graph_breaks: how often PyTorch had to leave a graph.
        temporary_bytes: memory for what is between the kernels of a part, of the part that
            needs most.
        predicted_us, separate_us: what the cost model expects of the compiled parts
            as they are, and with a kernel for each operator; None where it does not
            know.
    """

    def __init__(self, report: Report, predicted_us: float | None, separate_us: float | None):
        self.report = report
        self.graph_breaks = max(0, report.graphs - 1)
        self.predicted_us, self.separate_us = predicted_us, separate_us
        self.temporary_bytes = max((r.temporary_bytes for r in report.regions), default=0)

    def __str__(self) -> str:
        report = self.report
        covered = sum(len(r.names) for r in report.regions if r.failure is None)
        lines = [f"{report.graphs} graphs, {self.graph_breaks} graph breaks",
                 f"{report.operators} operators, {covered} of them in "
                 f"{sum(r.failure is None for r in report.regions)} compiled parts with "
                 f"{report.kernels} kernels"]
        if self.temporary_bytes:
            lines.append(f"{self.temporary_bytes} B of temporaries at the peak")
        if self.predicted_us is not None and self.separate_us is not None:
            lines.append(f"predicted {self.predicted_us:.2f} us, with a kernel for each operator "
                         f"{self.separate_us:.2f} us")
        for i, region in enumerate(report.regions):
            if region.failure is not None:
                continue
            memory = region.temporary_bytes
            memory = f", {memory} B of temporaries" if memory else ""
            lines.append(f"part {i}: {len(region.names)} operators, {region.launches} kernels{memory}")
            if region.program is not None:
                names = {kernel["name"]: kernel for kernel in region.program.manifest["kernels"]}
                for launch in region.program.manifest["functions"][0]["launches"]:
                    predicted = (launch.get("predicted") or names[launch["kernel"]].get("predicted")
                                 or {}).get("us")
                    time = f": {predicted:.2f} us predicted" if predicted is not None else ""
                    lines.append(f"  {launch['kernel']}{time}")
        if report.declined:
            lines.append("computed by PyTorch:")
            for (operator, reason), count in sorted(report.declined.items()):
                lines.append(f"  {count} x {operator}: {reason}")
        return "\n".join(lines)


def _sum(times: list[float | None]) -> float | None:
    return None if any(time is None for time in times) else sum(times)


def explain(model: Callable, *args: Any, options: dict[str, Any] | None = None,
            **kwargs: Any) -> Explanation:
    """Compiles and runs a model once, and says what was fused, what was not, and why.

    Args:
        model: a module or function.
        args, kwargs: what it is called with.
        options: as `Options`.
    """
    report = Report()
    chosen = {**(options or {}), "report": report}
    torch._dynamo.reset()
    with torch.no_grad():
        torch.compile(model, backend=lambda graph, inputs: backend(graph, inputs, options=chosen))(
            *args, **kwargs)
    torch._dynamo.reset()
    predicted, separate = [], []
    for region in report.regions:
        if region.program is None:
            continue
        predicted.append(region.program.predicted_us.get("main"))
        separate.append(_separate_us(region, Options(**chosen)))
    return Explanation(report, _sum(predicted), _sum(separate))


def _separate_us(region: Region, options: Options) -> float | None:
    """The predicted time of a part with each operator compiled by itself."""
    times: list[float | None] = []
    for node in region._graph[0].graph.nodes:
        if node.op != "call_function" or "getitem" in str(node.target):
            continue
        alone = _alone(node)
        single = Region(alone, Options(chip=region._options.chip, cache_dir=options.cache_dir))
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
