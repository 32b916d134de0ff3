# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one row of the table on one chip: Fusion, and Triton in each of its configurations."""

import dataclasses
import functools

import computations
import modules
import plans
import triton_compile
from computations import DTYPES
from configurations import configurations
from emulation import EmulatorError
from sequences import Sequence


@dataclasses.dataclass
class Run:
    """One side of a row."""

    family: str
    name: str
    dtype: str
    held_out: bool
    chip: str
    side: str  # fusion or triton
    configuration: str
    status: str = "right"  # or wrong, or failed
    message: str = ""
    error: float | None = None  # the largest, in units of the tolerance
    measurement: object = None
    findings: list | None = None  # None: not run with sanitizers

    def to_json(self):
        return dataclasses.asdict(self)


class Comparison:
    def __init__(self, row, chip, meter, binaries, folder):
        self.row, self.chip, self.meter, self.binaries = row, chip, meter, binaries
        self.folder = folder / f"{row.family}-{row.name}-{row.dtype}-{chip}"
        self.inputs = computations.inputs(row)
        self.expected = computations.results(row, self.inputs)

    def runs(self):
        """The Run of Fusion, then those of Triton. Fusion's, Triton's with the fewest issue slots and Triton's with the
        least predicted time also have counters and findings."""
        yield self._run("fusion", "", self._fusion, self.folder / "fusion", is_whole=True)
        found = []
        for number, configuration in enumerate(configurations(self.row, self.chip)):
            prepared = functools.partial(self._triton, configuration)
            run = self._run("triton", configuration.name, prepared, self.folder / f"triton{number}")
            found.append((run, prepared))
            yield run
        right = [one for one in found if one[0].status == "right"]
        for key in ("busiest", "seconds"):
            known = [one for one in right if getattr(one[0].measurement, key)]
            run, prepared = min(known, key=lambda one: getattr(one[0].measurement, key), default=(None, None))
            if run and run.findings is None:
                self._complete(run, *prepared(), self.folder / "triton")

    def _run(self, side, name, prepared, folder, is_whole=False):
        run = Run(self.row.family, self.row.name, self.row.dtype, self.row.held_out, self.chip, side, name)
        folder.mkdir(parents=True, exist_ok=True)
        try:
            sequence, places = prepared()
            run.measurement = self.meter.measure(sequence, folder)
            self._compare(run, folder / "counted", places)
            if is_whole:
                self._complete(run, sequence, places, folder)
        except (EmulatorError, RuntimeError, NotImplementedError, ValueError) as error:
            run.status, run.message = "failed", f"{type(error).__name__}: {error}"
        except Exception as error:  # of Triton's compiler: whatever it raises is what it says of a configuration
            if side == "fusion" or not type(error).__module__.startswith("triton"):
                raise
            run.status, run.message = "failed", f"{type(error).__name__}: {error}"
        return run

    def _complete(self, run, sequence, places, folder):
        """Runs the kernels themselves, not their copies that count, then with sanitizers."""
        self.meter.add_counters(run.measurement, sequence, folder)
        self._compare(run, folder / "plain", places)
        try:
            _, run.findings = self.meter.emulator.run(sequence, folder / "sanitized", sanitize=True)
            self._compare(run, folder / "sanitized", places)
        except EmulatorError as error:
            run.findings = [{"kind": "error", "message": str(error)}]

    def _fusion(self):
        """(Sequence, places of the results: (buffer, offset in bytes))."""
        manifest = plans.compile_module(modules.module(self.row), self.chip, self.binaries, self.folder / "fusion")
        given = [triton_compile.to_bytes(tensor) for tensor in self.inputs.values()]
        sequence = plans.sequence(manifest, given, self.meter.device)
        places = plans.aliases(manifest["functions"][0])
        return sequence, [plans.resolved(f"result{i}", places) for i in range(len(self.expected))]

    def _triton(self, configuration):
        types = {name: tensor.dtype for name, tensor in self.inputs.items()}
        types |= dict.fromkeys(self.expected, DTYPES[self.row.dtype])
        buffers = {name: triton_compile.to_bytes(tensor) for name, tensor in self.inputs.items()}
        for name, tensor in self.expected.items():
            buffers[name] = tensor.numel() * types[name].itemsize
        for name, dtype, count in configuration.temporaries:
            types[name] = DTYPES[dtype]
            buffers[name] = count * types[name].itemsize
        steps = []
        for call in configuration.launches:
            launch, more = triton_compile.launch(call, types, self.chip)
            steps.append(launch)
            for name, size in more.items():
                buffers[name] = max(size, buffers.get(name, 0))
        return Sequence(steps, buffers), [(name, 0) for name in self.expected]

    def _compare(self, run, folder, places):
        bad, most = 0, 0.0
        dtype = DTYPES[self.row.dtype]
        for (name, offset), expected in zip(places, self.expected.values(), strict=True):
            contents = bytearray((folder / f"{name}.bin").read_bytes()[offset:][: expected.numel() * dtype.itemsize])
            found = triton_compile.from_bytes(contents, dtype, expected.shape)
            count, error = computations.mismatches(found, expected)
            bad, most = bad + count, max(most, error)
        run.error = max(most, run.error or 0.0)
        if bad:
            run.status, run.message = "wrong", f"{bad} elements in {folder.name}"
