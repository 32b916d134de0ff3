# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX Runtime on the model that the reference exports. Results lie in memory that is bound before."""

import pathlib

import numpy as np
import onnxruntime as ort

from implementations import arrays
from implementations.base import Unavailable


class OnnxRuntime:
    """An implementation (base.py). Its results have PyTorch's layout, which the check knows."""

    versions = ("onnxruntime", "onnx")
    constants = False  # whether weights are constants of the model

    def __init__(self, settings):
        self.threads = settings["threads"]

    def prepare(self, job, folder):
        return {}

    def load(self, job, folder, inputs):
        if job["dtype"] == "bf16":
            raise Unavailable("no kernels of bf16 for CPUs")
        if job["onnx_error"]:
            raise Unavailable(f"no ONNX model: {job['onnx_error']}")
        options = ort.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        source, inputs = folder / "model.onnx", [np.load(file) for file in job["onnx_inputs"]]
        if self.constants:
            source = _with_constants(source, inputs)
            inputs = inputs[:1]
        session = ort.InferenceSession(
            source if isinstance(source, bytes) else str(source), options, providers=["CPUExecutionProvider"]
        )
        binding = session.io_binding()
        self.kept = [arrays.aligned_copy(one) for one in inputs]
        for described, value in zip(session.get_inputs(), self.kept, strict=True):
            binding.bind_input(described.name, "cpu", 0, value.dtype, value.shape, value.ctypes.data)
        self.outputs = []
        for described in session.get_outputs():
            self.outputs.append(arrays.aligned(described.shape, _TYPES[described.type]))
            value = self.outputs[-1]
            binding.bind_output(described.name, "cpu", 0, value.dtype, value.shape, value.ctypes.data)
        self.session = session
        run_options = ort.RunOptions()
        return lambda: session.run_with_iobinding(binding, run_options)

    def results(self, result):
        return self.outputs

    def close(self):
        self.session = self.kept = self.outputs = None


_TYPES = {"tensor(float)": "f32", "tensor(float16)": "f16", "tensor(int32)": "i32", "tensor(int64)": "i64"}


class OnnxRuntimeFrozen(OnnxRuntime):
    """All inputs but the first are constants, which it may pack when it loads the model."""

    constants = True


def _with_constants(file: pathlib.Path, inputs):
    """The model with all inputs but the first as initializers."""
    import onnx

    model = onnx.load(file)
    for described, value in list(zip(model.graph.input, inputs, strict=True))[1:]:
        model.graph.initializer.append(onnx.numpy_helper.from_array(value, described.name))
        model.graph.input.remove(described)
    return model.SerializeToString()
