# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks of models on the emulator: Fusion's plan, and the code that TorchInductor generates for a GPU.

Needs the Python package of Fusion (build/python).
"""

import dataclasses
import pathlib
import sys
import types

import computations
import numpy as np
import plans
import torch
from devices import DEVICES

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "python" / "tests" / "pytorch"))

# (block, size, dtype) of each row. LLaMA at its real size is too large for the emulator.
BLOCKS = [(name, "small", "f32") for name in ("bert", "llama", "vit", "mixer", "dien")]
BLOCKS += [(name, "real", "f16") for name in ("bert", "vit", "mixer", "dien")]
DTYPES = computations.DTYPES
_ARRAYS = {"f16": np.float16, "bf16": np.uint16, "f32": np.float32, "f64": np.float64, "i1": np.bool_, "i8": np.int8,
           "i32": np.int32, "i64": np.int64, "index": np.int64}  # fmt: skip


@dataclasses.dataclass
class BlockRun:
    """What one side launches for a block. Bytes are loaded and stored ones of global memory."""

    name: str
    size: str
    dtype: str
    chip: str
    side: str  # fusion or inductor
    status: str = "right"
    message: str = ""
    error: float | None = None  # root mean square of the difference over that of the result in f64
    launches: int = 0  # of kernels that the emulator runs
    bytes: int = 0
    sectors: int = 0
    slots: float = 0
    busiest: float = 0
    library_calls: int = 0
    library_bytes: int = 0  # operands and results, once
    library_flops: int = 0
    findings: list | None = None

    def to_json(self):
        return dataclasses.asdict(self)

    def add(self, measurement):
        counters = measurement.counters
        self.launches += measurement.launches
        self.bytes += counters["global_load_bytes"] + counters["global_store_bytes"]
        self.sectors += counters["global_sectors"]
        self.slots += measurement.slots
        self.busiest += measurement.busiest


# Largest allowed error, of either side: about as many roundings as a block has of results of this type.
BOUNDS = {"f32": 1e-5, "f16": 4e-3, "bf16": 3e-2}


class Blocks:
    def __init__(self, meter, chip, folder):
        self.meter, self.chip, self.folder = meter, chip, folder

    def runs(self, name, size, dtype):
        """The BlockRuns of both sides."""
        import models

        torch.manual_seed(0)
        model, inputs = models.blocks()[name] if size == "small" else models.real_block(name)
        model = model.eval().to(DTYPES[dtype])
        inputs = [x.to(DTYPES[dtype]) if x.is_floating_point() else x for x in inputs]
        wide = [x.double() if x.is_floating_point() else x for x in inputs]
        with torch.no_grad():
            expected = _in_f64(model)(*wide)
        for side, execute in (("fusion", self._fusion), ("inductor", self._inductor)):
            run = BlockRun(name, size, dtype, self.chip, side)
            try:
                result = execute(run, model, inputs, self.folder / f"{name}-{size}-{dtype}-{self.chip}-{side}")
                difference = (result.double() - expected).square().mean().sqrt()
                run.error = (difference / expected.square().mean().sqrt()).item()
                if not run.error <= BOUNDS[dtype]:
                    run.status, run.message = "wrong", f"relative error {run.error:.2g}"
            except (RuntimeError, NotImplementedError, ValueError) as error:
                run.status, run.message = "failed", f"{type(error).__name__}: {error}"
            yield run

    def _fusion(self, run, model, inputs, folder):
        import fusion.torch
        import models
        from fusion.torch.backend import decompositions
        from fusion.torch.regions import compile_graph

        report = fusion.torch.Report()
        options = fusion.torch.Options(report=report, cache_dir="", strict=True, chip=self.chip)
        graph = compile_graph(models.graph_of(model, inputs, decompositions()), options)
        run.findings = []
        for number, region in enumerate(report.regions):
            if region.program is not None:
                manifest = {**region.program.manifest, "ptx": region.program.ptx}
                region.program = _Measured(manifest, self.meter, run, folder / str(number))
        with torch.no_grad():
            return graph(*inputs)[0]

    def _inductor(self, run, model, inputs, folder):
        import generated_code
        import inductor

        device = DEVICES[self.chip]
        code = inductor.source(model, inputs, device)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "generated.py").write_text(code)
        given = [x.detach().clone() for x in (*model.parameters(), *model.buffers(), *inputs)]
        with torch.no_grad():
            done = generated_code.execute(code, given, device, generated_code.Execution(self.meter, folder))
        for measurement in done.measurements:
            run.add(measurement)
        run.library_calls = len(done.library_calls)
        run.library_bytes = sum(call.bytes for call in done.library_calls)
        run.library_flops = sum(call.flops for call in done.library_calls)
        return done.results[0]


def _in_f64(model):
    import copy

    return copy.deepcopy(model).double()


class _Measured:
    """Stands for a fusion.Program: its launches are measured."""

    def __init__(self, manifest, meter, run, folder):
        self.manifest, self.meter, self.measured, self.folder = manifest, meter, run, folder

    def run(self, *arrays, sanitize=False):
        given = [np.ascontiguousarray(array).reshape(-1).view(np.uint8) for array in arrays]
        sequence = plans.sequence(self.manifest, given, self.meter.device)
        measurement = self.meter.measure(sequence, self.folder)
        self.meter.add_counters(measurement, sequence, self.folder)
        self.measured.add(measurement)
        _, findings = self.meter.emulator.run(sequence, self.folder / "sanitized", sanitize=True)
        self.measured.findings += findings
        (function,) = self.manifest["functions"]
        places = plans.aliases(function, given)
        results = []
        for number, result in enumerate(function["results"]):
            name, offset = plans.resolved(f"result{number}", places)
            kind = np.dtype(_ARRAYS[result["type"]])
            count = int(np.prod(result["shape"], dtype=np.int64))
            contents = np.fromfile(self.folder / "plain" / f"{name}.bin", kind, count, offset=offset)
            results.append(contents.reshape(result["shape"]))
        return types.SimpleNamespace(results=tuple(results), launches=[])
