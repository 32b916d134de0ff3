# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch: eager, torch.compile in three modes, fused attention, oneDNN's linear layer; and the reference."""

import pathlib
import sys

import numpy as np
import torch
import torch.nn.functional as F

from implementations.base import Unavailable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "gpu"))

import comparison  # noqa: E402
import inputs as generated  # noqa: E402
import peers  # noqa: E402

SEED = 1
# Peers compute some intermediates in the narrow type that the canonical form has in f32.
PEERS_TOLERANCE = 4.0


def peer_of(job):
    """What a job computes, as a Peer of benchmarks/gpu/peers.py."""
    if job["family"] == "block":
        from implementations.blocks import Block

        return Block(job["row"].split("-")[0], job["dtype"])
    return peers.peer("products_large" if job["family"] == "chain" else job["family"], {"op": "gemm", **job["case"]})


def tensor(array, element):
    return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16) if element == "bf16" else torch.from_numpy(array)


def array(tensor):
    tensor = tensor.detach().contiguous()
    return tensor.view(torch.int16).numpy().view(np.uint16) if tensor.dtype == torch.bfloat16 else tensor.numpy()


class _Torch:
    """An implementation (base.py). Subclasses say how the function becomes a callable."""

    versions = ("torch",)

    def __init__(self, settings):
        torch.set_num_threads(settings["threads"])

    def prepare(self, job, folder):
        return {}

    def load(self, job, folder, inputs):
        self.peer = peer_of(job)
        tensors = [tensor(one, element) for one, (_, element) in zip(inputs, job["inputs"], strict=True)]
        self.tensors = self.peer.prepare(*tensors)
        function = self.function(job)

        def call():
            with torch.inference_mode():
                return function()

        return call

    def function(self, job):
        """A callable without arguments."""
        timed, tensors = self.peer.timed(), self.tensors
        return lambda: timed(*tensors)

    def results(self, result):
        results = result if isinstance(result, tuple) else (result,)
        return [array(self.peer.finish(one)) for one in results]

    def close(self):
        self.tensors = self.peer = None
        torch._dynamo.reset()


class Eager(_Torch):
    pass


class Compile(_Torch):
    options = {}

    def function(self, job):
        compiled = torch.compile(self.peer.timed(), dynamic=False, **self.options)
        tensors = self.tensors
        return lambda: compiled(*tensors)


class Autotune(Compile):
    options = {"mode": "max-autotune-no-cudagraphs"}


class Frozen(_Torch):
    """max-autotune with all but the first argument as constants, which it packs when it compiles."""

    def function(self, job):
        import torch._inductor.config as config

        config.freezing = True
        timed = self.peer.timed()

        class Model(torch.nn.Module):
            def __init__(self, weights):
                super().__init__()
                self.weights = torch.nn.ParameterList(torch.nn.Parameter(w, requires_grad=False) for w in weights)

            def forward(self, x):
                return timed(x, *self.weights)

        first, *weights = self.tensors
        compiled = torch.compile(Model(weights).eval(), dynamic=False, mode="max-autotune-no-cudagraphs")
        return lambda: compiled(first)


class Sdpa(_Torch):
    """scaled_dot_product_attention."""

    def function(self, job):
        case = job["case"]
        q, k, v = self.tensors
        grouped = False
        if job["set"] == "decode":
            if case["causal"] or q.dim() > k.dim() + 1:
                raise Unavailable("its mask is aligned to the first key, ours to the last")
            causal, scale = False, case["head_dim"] ** -0.5
            # (heads, group, rows, width): heads that share keys follow each other.
            q = q.reshape(1, -1, *q.shape[-2:])
            k, v = (t.reshape(1, -1, *t.shape[-2:]) for t in (k, v))
            grouped = q.shape[1] != k.shape[1]
        elif self.peer.sdpa is None:
            raise Unavailable("no attention of heads with one width")
        else:
            causal, scale = self.peer.sdpa["causal"], self.peer.sdpa["scale"]
            q, k, v = (t.unsqueeze(0) for t in (q, k, v))
        shape = self.tensors[0].shape[:-1] + v.shape[-1:]
        return lambda: F.scaled_dot_product_attention(
            q, k, v, is_causal=causal, scale=scale, enable_gqa=grouped
        ).reshape(shape)


class Mkldnn(_Torch):
    """oneDNN's linear layer on tensors in oneDNN's own layout, which are made before."""

    def function(self, job):
        two = [t[0] if t.dim() == 3 and t.shape[0] == 1 else t for t in self.tensors]
        if any(t.dim() != 2 for t in two):
            raise Unavailable("it has no batches")
        first, *weights = two
        if first.dtype == torch.float16:
            raise Unavailable("no f16")
        x = first.to_mkldnn()
        packed = [w.t().contiguous().to_mkldnn() for w in weights]
        shape = self.tensors[0].shape[:-1] + weights[-1].shape[-1:]

        def function():
            y = x
            for weight in packed:
                y = torch._C._nn.mkldnn_linear(y, weight, None)
            return y

        self.finish = lambda y: y.to_dense().reshape(shape)
        return function

    def results(self, result):
        return [array(self.finish(result).to(self.tensors[0].dtype))]


class Reference:
    """Inputs, right results and ONNX models, in a process of its own."""

    versions = ()

    def __init__(self, settings):
        torch.set_num_threads(settings["cores"])
        self.package = settings["package"]

    def describe(self, name, dtype):
        """A block of a model."""
        from implementations.blocks import Block

        return Block(name, dtype).describe(self.package)

    def write_inputs(self, job, folder):
        self.job, self.peer = job, peer_of(job)
        if job["family"] == "block":
            self.arguments = self.peer.arguments
        else:
            bound = min(job["inputs"][0][0])
            self.arguments = [
                generated.make_input(shape, element, SEED, number, "cpu", bound)
                for number, (shape, element) in enumerate(job["inputs"])
            ]
        files = [str(folder / f"input{number}.npy") for number in range(len(self.arguments))]
        for file, value in zip(files, self.arguments, strict=True):
            np.save(file, array(value))
        peer = self.peer
        with torch.no_grad():
            self.references = [peer.reference(self.arguments, generated.TYPES[job["dtype"]])]
            if job["dtype"] != "f32" and job["family"] != "block":
                # Without roundings of intermediates: a fused kernel may have fewer of them.
                self.references.append(peer.reference(self.arguments, torch.float32))
        return files

    def check(self, files, ours, finish):
        """Compares results with both references; either may be the nearer one. finish: they have PyTorch's layout."""
        element = [element for _, element in self.job["outputs"]]
        best = None
        for references in self.references:
            if len(references) != len(files):
                raise RuntimeError(f"{len(files)} results, {len(references)} expected")
            values = [tensor(np.load(f), e).float() for f, e in zip(files, element, strict=True)]
            values = [self.peer.finish(value) for value in values] if finish else values
            for value, reference in zip(values, references, strict=True):
                if value.shape != reference.shape:
                    raise RuntimeError(f"a result has shape {tuple(value.shape)}, not {tuple(reference.shape)}")
            found = self._compare(values, references, ours)
            if best is None or found["pass"]:
                best = found
            if found["pass"]:
                break
        return best

    def _compare(self, values, references, ours):
        found = comparison.compare_all(values, references, self.job["dtype"])
        if not found["pass"] and not ours:
            found["pass"] = all(
                bool(((v - r).abs() <= PEERS_TOLERANCE * comparison.allowed_error(r, self.job["dtype"])).all())
                for v, r in zip(values, references, strict=True)
            )
            found["relaxed"] = found["pass"]
        return found

    def export(self, job, folder):
        """Writes model.onnx, a model of what PyTorch computes on prepared arguments, and these arguments."""
        peer = self.peer
        prepared = [one.contiguous() for one in peer.prepare(*self.arguments)]
        files = [str(folder / f"prepared{number}.npy") for number in range(len(prepared))]
        for file, one in zip(files, prepared, strict=True):
            np.save(file, array(one))
        timed, target = peer.timed(), folder / "model.onnx"

        class Model(torch.nn.Module):
            def forward(self, *arguments):
                return timed(*arguments)

        if not target.exists():
            partial = folder / "partial.onnx"
            with torch.no_grad():
                torch.onnx.export(
                    Model().eval(), tuple(prepared), str(partial), dynamo=True, external_data=False, verbose=False
                )
            partial.rename(target)
        return files
