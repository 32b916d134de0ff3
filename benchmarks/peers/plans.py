# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fusion's plans as sequences of launches: compiles a linalg module and reads its manifest (docs/manifest.md)."""

import json
import re
import subprocess

from sequences import Launch, Sequence

_BITS = {"i1": 8, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64, "f16": 16, "bf16": 16, "f32": 32, "f64": 64}


def compile_module(text, chip, binaries, folder):
    """The manifest of a module."""
    folder.mkdir(parents=True, exist_ok=True)
    source, lowered = folder / "module.mlir", folder / "lowered.mlir"
    source.write_text(text)
    manifest = folder / "manifest.json"
    for command in ([binaries / "fusion-opt", source, f"--fuse-to-nvvm=chip={chip}", "-o", lowered],
                    [binaries / "fusion-translate", "--fuse-to-manifest", lowered, "-o", manifest]):  # fmt: skip
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{command[0].name}: {done.stderr.strip()[-2000:]}")
    return json.loads(manifest.read_text())


def sequence(manifest, inputs, device):
    """The Sequence of the only function of a manifest. inputs: the bytes of argument 0, 1, …; buffers are named as in
    the manifest."""
    (function,) = manifest["functions"]
    kernels = {kernel["name"]: kernel for kernel in manifest["kernels"]}
    places = aliases(function, inputs)
    buffers = {f"arg{i}": contents for i, contents in enumerate(inputs)}
    for i, result in enumerate(function["results"]):
        buffers[f"result{i}"] = _bytes(result)
    for i, temporary in enumerate(function["temporaries"]):
        buffers[f"temp{i}"] = int(_evaluated(temporary["bytes"], inputs))
    for i, constant in enumerate(manifest.get("constants", [])):
        buffers[f"const{i}"] = _constant(constant)
    for name in places:
        buffers.pop(name)
    steps = []
    for launch in function["launches"]:
        kernel = kernels[launch["kernel"]]
        grid = tuple(_evaluated(size, inputs, _active(kernel, manifest["ptx"], device)) for size in launch["grid"])
        if 0 in grid:
            continue
        arguments, written = [], set()
        for formal, actual in zip(kernel["arguments"], launch["arguments"], strict=True):
            one, name = _argument(formal, actual, places, inputs)
            arguments.append(one)
            # What a tensor map writes is not in the manifest.
            if name and not name.startswith(("arg", "const")) and formal.get("access", "read_write") != "read":
                written.add(name)
        steps.append(Launch(manifest["ptx"], kernel["name"], grid, tuple(kernel["block"]), arguments,
                            frozenset(written), tuple(kernel.get("cluster", (1, 1, 1))),
                            kernel.get("dynamic_shared_memory", 0)))  # fmt: skip
    return Sequence(steps, buffers)


def aliases(function, inputs=()):
    """{name: (buffer that it is a place of, offset in bytes)}."""
    found = {}
    for kind, entries in (("result", function["results"]), ("temp", function["temporaries"])):
        for i, entry in enumerate(entries):
            if alias := entry.get("alias"):
                found[f"{kind}{i}"] = alias["of"], _evaluated(alias.get("offset", 0), inputs)
    return found


def resolved(name, places):
    """(buffer, offset in bytes) of a name."""
    offset = 0
    while name in places:
        name, more = places[name]
        offset += more
    return name, offset


def _bytes(tensor):
    count = 1
    for size in tensor["shape"]:
        count *= size
    return count * _BITS.get(tensor["type"], 8) // 8


def _constant(constant):
    import base64

    import numpy as np

    if "data" in constant:
        return np.frombuffer(base64.b64decode(constant["data"]), np.uint8)
    pattern = np.frombuffer(bytes.fromhex(constant["splat"]), np.uint8)
    return np.resize(pattern, constant["bytes"])


def _argument(formal, actual, places, inputs):
    """(argument of the launch file, name of its buffer or None)."""
    kind = formal["kind"]
    if kind not in ("buffer", "tensor_map"):
        value = actual["of"]
        if kind.startswith("f"):
            return {kind: value}, None
        return {"i64" if kind == "index" else kind: _evaluated(value, inputs)}, None
    name, offset = resolved(actual["of"], places)
    offset += _evaluated(actual.get("offset", 0), inputs)
    place = {"buffer": name, "offset": offset} if offset else {"buffer": name}
    if kind == "buffer":
        return place, name
    fields = {key: actual[key] for key in ("type", "box", "element_strides", "swizzle", "interleave", "fill")
              if key in actual}  # fmt: skip
    for key in ("dims", "strides_bytes"):
        fields[key] = [_evaluated(size, inputs) for size in actual[key]]
    return {"tensor_map": {**place, **fields}}, name


def _active(kernel, ptx, device):
    """A function that returns the clusters of a kernel that are resident on the device."""

    def count():
        head = re.search(rf"\.entry {re.escape(kernel['name'])}\s*\(.*?\{{", ptx, re.DOTALL).group(0)
        registers = int(found.group(1)) if (found := re.search(r"\.maxnreg (\d+)", head)) else 0
        x, y, z = kernel["block"]
        least = re.search(r"\.minnctapersm (\d+)", head)
        warps = -(-x * y * z // 32)
        if least and not registers:
            registers = min(255, max(1, 65536 // (int(least.group(1)) * warps * 32) // 8 * 8))
        a, b, c = kernel.get("cluster", (1, 1, 1))
        return device.active_clusters(a * b * c, warps, kernel.get("dynamic_shared_memory", 0), registers)

    return count


def _evaluated(expression, inputs, active=None):
    """An expression of the manifest (docs/manifest.md). Sizes are static here, so names of sizes do not occur."""
    if isinstance(expression, int):
        return expression
    text = expression.replace("device:active_clusters", "active()")
    if not re.fullmatch(r"(?:[\d\s()+*,-]|ceildiv|floordiv|mod|min|max|active)*", text):
        raise NotImplementedError(f"the expression '{expression}'")
    names = {"ceildiv": lambda a, b: -(-a // b), "floordiv": lambda a, b: a // b, "mod": lambda a, b: a % b,
             "min": min, "max": max, "active": active, "__builtins__": {}}  # fmt: skip
    return eval(text, names)
