#!/usr/bin/env python3
# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A process that answers for PyTorch: checks results and times peers.

Reads one JSON request per line and answers each with one line. It is a process of its own, so that a
compilation that does not end or a driver error costs one request and not the run.

    {"do": "hello", "device": "cuda"}
    {"do": "check", "family", "case", "dtype", "seed", "outputs": [files]}
    {"do": "time", "family", "case", "dtype", "seed", "peer": "eager" | "compile" | "autotune" | "sdpa:NAME" | "triton"}
    {"do": "copy", "sizes": [bytes read and written]}

An answer is {"ok": true, ...} or {"ok": false, "error": reason}.
"""

import json
import math
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

SDPA = {
    "flash": "FLASH_ATTENTION",
    "efficient": "EFFICIENT_ATTENTION",
    "cudnn": "CUDNN_ATTENTION",
    "math": "MATH",
}

# As fusion-run measures (lib/Runtime/CudaDevice.cpp): the time that a CUDA graph of several calls takes at least, and
# how often it is replayed.
WARM_UP_CALLS, WARM_UP_BATCHES, BATCHES = 10, 3, 31
BATCH_MICROSECONDS, MOST_CALLS = 500, 200


def calls_of_batch(once):
    """The calls that make a batch long against the resolution of events, one call taking `once` microseconds."""
    return int(min(max(math.ceil(BATCH_MICROSECONDS / max(once, 0.1)), 1), MOST_CALLS))


class Worker:
    def __init__(self):
        self.torch = self.device = None
        self.cache_key = self.cache = None

    def hello(self, request):
        import torch

        self.torch, self.device = torch, request["device"]
        if self.device == "cuda" and not torch.cuda.is_available():
            raise RuntimeError("PyTorch sees no CUDA device")
        # The reference is f32, not tf32.
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        answer = {"torch": torch.__version__, "cuda": torch.version.cuda}
        if self.device == "cuda":
            answer["device_name"] = torch.cuda.get_device_name()
            answer["cudnn"] = torch.backends.cudnn.version()
        try:
            import triton

            answer["triton"] = triton.__version__
        except ImportError:
            answer["triton"] = None
        return answer

    def workload(self, request):
        """(peer, arguments, prepared arguments) of a request; the last one is kept."""
        import inputs
        import peers

        key = json.dumps([request[k] for k in ("family", "case", "dtype", "seed", "inputs")])
        if key != self.cache_key:
            # Freed before the next is made: both may not fit.
            self.cache_key = self.cache = None
            if self.device == "cuda":
                self.torch.cuda.empty_cache()
            peer = peers.peer(request["family"], request["case"])
            arguments = [
                inputs.make_input(shape, element, request["seed"], i, self.device, bound)
                for i, (shape, element, bound) in enumerate(request["inputs"])
            ]
            self.cache = (peer, arguments, peer.prepare(*arguments))
            self.cache_key = key
        return self.cache

    def write_inputs(self, request):
        """Writes inputs for fusion-run: integers, whose range is ours to choose, and large ones, which it would take
        longer to draw."""
        import numpy

        _, arguments, _ = self.workload(request)
        for number, path in request["files"].items():
            values = arguments[int(number)]
            # NumPy has no bf16: its files hold the bits.
            if values.dtype == self.torch.bfloat16:
                numpy.save(path, values.view(self.torch.int16).cpu().numpy().view(numpy.uint16))
            else:
                numpy.save(path, values.cpu().numpy())
        return {}

    def read(self, path, dtype, shape):
        import numpy

        raw = numpy.load(path, mmap_mode="c")
        if dtype == "bf16":
            tensor = self.torch.from_numpy(raw.view(numpy.int16)).view(self.torch.bfloat16)
        else:
            tensor = self.torch.from_numpy(raw)
        if tuple(tensor.shape) != tuple(shape):
            raise RuntimeError(f"{path} has shape {tuple(tensor.shape)}, not {tuple(shape)}")
        return tensor.to(self.device)

    def check(self, request):
        """Compares with the reference that rounds where the IR materialises, then with one that rounds nothing.

        Weights of a row of 65536 keys are subnormal numbers of f16, whose rounding is the larger error of the two: an
        online softmax rounds weights before they are divided by their sum, and is then nearer to the second reference.
        """
        import comparison
        import inputs

        torch, dtype = self.torch, request["dtype"]
        peer, arguments, _ = self.workload(request)
        outputs, answer = request["outputs"], None
        for rounded_to in dict.fromkeys((inputs.TYPES[dtype], torch.float32)):
            with torch.no_grad():
                references = peer.reference(arguments, rounded_to)
            if len(references) != len(outputs):
                raise RuntimeError(f"{len(outputs)} results, {len(references)} expected")
            results = (
                self.read(path, dtype, reference.shape).float()
                for path, reference in zip(outputs, references, strict=True)
            )
            found = comparison.compare_all(results, references, dtype)
            if answer is None or found["pass"]:
                answer = found | {"rounded_to": str(rounded_to).removeprefix("torch.")}
            if found["pass"]:
                break
            # Freed before the next is made: both may not fit.
            del references, results
        return answer

    def time(self, request):
        peer, arguments, prepared = self.workload(request)
        torch, kind = self.torch, request["peer"]
        function = peer.timed()
        if kind == "compile":
            torch._dynamo.reset()
            function = torch.compile(function, dynamic=False)
        elif kind == "autotune":
            torch._dynamo.reset()
            function = torch.compile(
                function, dynamic=False, mode="max-autotune-no-cudagraphs"
            )
        elif kind.startswith("sdpa:"):
            function, prepared = self.sdpa(peer, kind.removeprefix("sdpa:"), prepared, request)
        elif kind == "triton":
            import triton_peers

            function = triton_peers.function(request["family"], request["case"])
        elif kind != "eager":
            raise RuntimeError(f"unknown peer '{kind}'")
        with torch.no_grad():
            return self.measure(lambda: function(*prepared))

    def sdpa(self, peer, backend, prepared, request):
        from torch.nn.attention import SDPBackend, sdpa_kernel

        if peer.sdpa is None:
            raise RuntimeError("the heads of K and V differ in width")
        # batch * heads as heads of one batch entry, or as the table says.
        batch = request["case"]["batch"] if "seq" in request["case"] else 1
        q, k, v = (t.view(batch, t.shape[0] // batch, *t.shape[1:]) for t in prepared)
        causal = peer.sdpa["causal"]
        if causal and q.shape[2] != k.shape[2]:
            raise RuntimeError("is_causal aligns the mask to the first key, ours to the last")
        which = getattr(SDPBackend, SDPA[backend])

        def function(q, k, v):
            with sdpa_kernel(which):
                return self.torch.nn.functional.scaled_dot_product_attention(
                    q, k, v, is_causal=causal, scale=peer.sdpa["scale"]
                )

        return function, (q, k, v)

    def copy(self, request):
        """Copies within the device's memory, by the driver and by an element-wise kernel: either may be faster."""
        torch, copies = self.torch, []
        self.cache_key = self.cache = None
        # From the largest: the clocks rise, and memory is taken once.
        for size in sorted(request["sizes"], reverse=True):
            count = size // 8
            # Not zeros, which can be faster.
            source = torch.empty(count, dtype=torch.int32, device=self.device).random_()
            target = torch.empty_like(source)
            ways = {
                "memcpy": lambda: target.copy_(source),
                "kernel": lambda: torch.bitwise_not(source, out=target),
            }
            copies += [{"bytes": 8 * count, "way": way, **self.measure(ways[way])} for way in ways]
            del source, target
        return {"copies": copies}

    def capture(self, function, calls, stream):
        """A CUDA graph of `calls` calls."""
        graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.graph(graph, stream=stream):
            for _ in range(calls):
                function()
        return graph

    def measure(self, function):
        """The median time of one call among several in a CUDA graph, or one after the other where they cannot be
        captured."""
        if self.device != "cuda":
            return self.measure_on_host(function)
        torch = self.torch
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        # Warm-up off the capture: compilation, library handles, allocations.
        with torch.cuda.stream(stream):
            for _ in range(3):
                function()
        torch.cuda.synchronize()
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

        def time_batches(batch, calls, count):
            samples = []
            for _ in range(count):
                start.record()
                batch()
                end.record()
                end.synchronize()
                samples.append(start.elapsed_time(end) * 1e3 / calls)
            return samples

        def loop(calls):
            return lambda: [function() for _ in range(calls)]

        graph_error = None
        try:
            graph = self.capture(function, WARM_UP_CALLS, stream)
            once = time_batches(graph.replay, WARM_UP_CALLS, WARM_UP_BATCHES)[-1]
            calls = calls_of_batch(once)
            batch = self.capture(function, calls, stream).replay
        except RuntimeError as error:
            graph_error = str(error).splitlines()[0]
            calls = calls_of_batch(time_batches(loop(WARM_UP_CALLS), WARM_UP_CALLS, WARM_UP_BATCHES)[-1])
            batch = loop(calls)
        answer = self.statistics(time_batches(batch, calls, BATCHES), calls)
        answer["graph"] = graph_error is None
        if graph_error:
            answer["graph_error"] = graph_error
        return answer

    def measure_on_host(self, function):
        samples = []
        for _ in range(5):
            begin = time.perf_counter()
            function()
            samples.append((time.perf_counter() - begin) * 1e6)
        return self.statistics(samples, 1) | {"graph": False}

    @staticmethod
    def statistics(samples, calls):
        ordered = sorted(samples)
        return {
            "us": statistics.median(ordered),
            "us_low": ordered[len(ordered) // 10],
            "us_high": ordered[-1 - len(ordered) // 10],
            "samples": len(ordered),
            "calls_per_sample": calls,
        }

    def answer(self, request):
        handlers = {
            "hello": self.hello,
            "inputs": self.write_inputs,
            "check": self.check,
            "time": self.time,
            "copy": self.copy,
        }
        try:
            answer = {"ok": True, **handlers[request["do"]](request)}
            # What PyTorch keeps for itself fusion-run would lack.
            if self.device == "cuda":
                self.torch.cuda.empty_cache()
            return answer
        # Whatever PyTorch raises is an answer: the next request may well succeed.
        except Exception as error:  # noqa: BLE001
            self.cache_key = self.cache = None
            lines = str(error).strip().splitlines()
            reason = lines[0] if lines else ""
            return {"ok": False, "error": f"{type(error).__name__}: {reason}"[:500]}


def main():
    # Libraries print what they like; only answers go to the pipe.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker = Worker()
    for line in sys.stdin:
        print(json.dumps(worker.answer(json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
