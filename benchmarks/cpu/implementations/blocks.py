# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks of models as rows: a function of parameters and inputs, and its linalg module.

Needs the Python package of Fusion in build/python, whose path settings["package"] says.
"""

import pathlib
import sys

import torch
from torch.utils.flop_counter import FlopCounterMode

TESTS = pathlib.Path(__file__).resolve().parents[3] / "python" / "tests" / "pytorch"
_TYPES = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.int64: "i64", torch.bool: "i1"}
DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


class BasicBlock(torch.nn.Module):
    """A block of ResNet-18 (He et al., 2016), with its input's number of channels."""

    def __init__(self, channels):
        super().__init__()
        layers = []
        for _ in range(2):
            layers += [torch.nn.Conv2d(channels, channels, 3, padding=1, bias=False), torch.nn.BatchNorm2d(channels)]
        self.first, self.second = torch.nn.Sequential(*layers[:2], torch.nn.ReLU()), torch.nn.Sequential(*layers[2:])

    def forward(self, x):
        return torch.relu(self.second(self.first(x)) + x)


def model_of(name):
    """(model, inputs): of python/tests/pytorch/models.py at its real size, or one of this file."""
    sys.path.insert(0, str(TESTS))
    import models

    torch.manual_seed(0)
    if name == "resnet":
        return BasicBlock(64), (torch.randn(1, 64, 56, 56),)
    if name == "llama_decode":
        return models.real_block("llama")[0], (torch.randn(1, 1, 4096),)
    return models.real_block(name)


class Block:
    """A block of a model, like a Peer of benchmarks/gpu/peers.py."""

    sdpa = None

    def __init__(self, name, dtype):
        model, inputs = model_of(name)
        dtype = DTYPES[dtype]
        self.model = model.eval().to(dtype).requires_grad_(False)
        values = dict(self.model.named_parameters()) | dict(self.model.named_buffers())
        # Counters of batches are no part of inference.
        values = {key: value for key, value in values.items() if value.dim()}
        self.names = list(values)
        inputs = [one.to(dtype) if one.is_floating_point() else one for one in inputs]
        self.arguments = [*(one.detach() for one in values.values()), *inputs]

    def prepare(self, *arguments):
        return arguments

    def finish(self, result):
        return result

    def call(self, *arguments):
        count = len(self.names)
        state = dict(zip(self.names, arguments[:count], strict=True))
        return torch.func.functional_call(self.model, state, arguments[count:])

    def timed(self):
        return self.call

    def reference(self, arguments, dtype):
        """In f64 of the same arguments; of a narrow dtype, the reference is the same."""
        wide = [one.double() if one.is_floating_point() else one for one in arguments]
        self.model.double()
        result = self.call(*wide)
        results = result if isinstance(result, tuple) else (result,)
        return [one.float() for one in results]

    def describe(self, package):
        """What a job needs to know, with the linalg module."""
        sys.path.append(package)
        from fusion.torch.backend import decompositions
        from fusion.torch.empties import without_empties
        from fusion.torch.regions import to_module
        from torch.fx.experimental.proxy_tensor import make_fx

        whole = torch.func.functionalize(lambda *x: [self.call(*x)], remove="mutations")
        with torch.no_grad():
            graph = make_fx(whole, decomposition_table=decompositions(), tracing_mode="fake",
                            _allow_non_fake_inputs=True)(*self.arguments)  # fmt: skip
            graph.graph.eliminate_dead_code()
            without_empties(graph.graph)
            with FlopCounterMode(display=False) as counter:
                result = self.call(*self.arguments)
        outputs = [(tuple(result.shape), _TYPES[result.dtype])]
        size = sum(one.nbytes for one in (*self.arguments, result))
        return {
            "text": to_module(graph.graph, is_checked=False).text,
            "entry": "main",
            "inputs": [(tuple(one.shape), _TYPES[one.dtype]) for one in self.arguments],
            "outputs": outputs,
            "flops": counter.get_total_flops(),
            "bytes": size,
            "case": {"name": "block"},
        }
