# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""IREE on our own linalg module. Its runtime allocates results."""

import iree.compiler
import iree.runtime as runtime
import ml_dtypes
import numpy as np

_FLAGS = ["--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3"]


class Iree:
    """An implementation (base.py)."""

    versions = ("iree-base-compiler", "iree-base-runtime")

    def __init__(self, settings):
        runtime.flags.parse_flags(f"--task_topology_group_count={settings['threads']}")
        self.config = None

    def prepare(self, job, folder):
        target, partial = folder / "module.vmfb", folder / "partial.vmfb"
        if not target.exists():
            partial.write_bytes(
                iree.compiler.compile_file(
                    str(folder / "module.mlir"), target_backends=["llvm-cpu"], extra_args=_FLAGS
                )
            )
            partial.rename(target)
        return {}

    def load(self, job, folder, inputs):
        self.config = self.config or runtime.Config("local-task")
        self.context = runtime.SystemContext(config=self.config)
        module = runtime.VmModule.copy_buffer(self.context.instance, (folder / "module.vmfb").read_bytes())
        self.context.add_vm_module(module)
        function = self.context.modules[module.name][job["entry"]]
        self.types = [element for _, element in job["outputs"]]
        values = []
        for array, (_, element) in zip(inputs, job["inputs"], strict=True):
            array = array.view(ml_dtypes.bfloat16) if element == "bf16" else array
            values.append(runtime.asdevicearray(self.config.device, array))
        self.values = values
        return lambda: function(*values)

    def results(self, result):
        results = result if isinstance(result, (tuple, list)) else (result,)
        found = [np.ascontiguousarray(one.to_host()) for one in results]
        return [one.view(np.uint16) if kind == "bf16" else one for one, kind in zip(found, self.types, strict=True)]

    def close(self):
        self.context = self.values = None
