# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TVM on the model that the reference exports, with schedules tuned for a number of trials or as they come."""

import numpy as np
import onnx
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

from implementations.base import Unavailable


class Tvm:
    """An implementation (base.py). Its results have PyTorch's layout, which the check knows."""

    versions = ("apache-tvm",)

    def __init__(self, settings):
        self.cores, self.trials = settings["cores"], settings["tvm_trials"]

    def prepare(self, job, folder):
        if job["dtype"] == "bf16":
            raise Unavailable("no bf16")
        if job["onnx_error"]:
            raise Unavailable(f"no ONNX model: {job['onnx_error']}")
        library = folder / f"tvm-{self.trials}.so"
        if library.exists():
            return {}
        module = from_onnx(onnx.load(folder / "model.onnx"))
        cpu = tvm.target.codegen.llvm_get_system_cpu()
        target = tvm.target.Target({"kind": "llvm", "mcpu": cpu, "num-cores": self.cores})
        if self.trials:
            tuning = {"total_trials": self.trials, "work_dir": str(folder / "tvm-tuning")}
            module = relax.get_pipeline("static_shape_tuning", target=target, **tuning)(module)
        executable = relax.build(module, target)
        partial = folder / "tvm-partial.so"
        executable.export_library(str(partial))
        partial.rename(library)
        return {}

    def load(self, job, folder, inputs):
        library = folder / f"tvm-{self.trials}.so"
        machine = relax.VirtualMachine(tvm.runtime.load_module(str(library)), tvm.cpu())
        values = [tvm.runtime.tensor(np.load(file)) for file in job["onnx_inputs"]]
        function = machine["main"]
        self.kept = machine, values
        return lambda: function(*values)

    def results(self, result):
        results = result if isinstance(result, (tuple, list)) or hasattr(result, "__len__") else (result,)
        return [one.numpy() for one in results] if not hasattr(result, "numpy") else [result.numpy()]

    def close(self):
        self.kept = None
