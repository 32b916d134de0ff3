# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The launches of published measurements. `candidates` gives several where the source has tuned over several."""

import dataclasses
import functools
import math
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "peers"))

from sequences import Launch  # noqa: E402

_BYTES = {"f32": 4, "f16": 2, "bf16": 2}


@dataclasses.dataclass(frozen=True)
class Candidate:
    name: str
    launch: Launch
    buffers: dict  # bytes, by name


class Unbuildable(RuntimeError):
    """A tool or a package is missing."""


def candidates(entry, nvcc="nvcc"):
    builder, name = entry.kernel.split(":")
    return _BUILDERS[builder](entry, name, nvcc)


# CUDA C++.


@functools.cache
def _ptx(source, chip, nvcc):
    """What nvcc makes of a file of kernels/."""
    arch = {"a6000": "sm_86"}.get(chip, chip)
    command = [nvcc, f"-arch={arch}", "-ptx", "-O3", "-std=c++17", str(HERE / "kernels" / source), "-o", "-"]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        raise Unbuildable(f"there is no '{nvcc}' (--nvcc=FILE)") from None
    if done.returncode:
        raise RuntimeError(f"{nvcc}: {done.stderr.strip()[:1000]}")
    return done.stdout


# name: (rows and columns of C that a block has, threads)
_SGEMM = {"naive": (32, (32, 32, 1)), "coalesced": (32, (1024, 1, 1)), "shared": (32, (1024, 1, 1)),
          "tiles_1d": (64, (512, 1, 1)), "tiles_2d": (128, (256, 1, 1)), "vectorized": (128, (256, 1, 1)),
          "autotuned": (128, (256, 1, 1)), "warp_tiles": (128, (128, 1, 1))}  # fmt: skip


def _sgemm(entry, name, nvcc):
    m, n, k = (entry.shape[size] for size in "mnk")
    tile, threads = _SGEMM[name]
    # The first three have rows along x.
    grid = (m // tile, n // tile, 1) if tile == 32 else (n // tile, m // tile, 1)
    arguments = [{"i32": m}, {"i32": n}, {"i32": k}, {"f32": 0.5}, {"buffer": "a"}, {"buffer": "b"}, {"f32": 3.0},
                 {"buffer": "c"}]  # fmt: skip
    launch = Launch(_ptx("sgemm.cu", entry.chip, nvcc), name, grid, threads, arguments, frozenset({"c"}))
    return [Candidate(name, launch, {"a": 4 * m * k, "b": 4 * k * n, "c": 4 * m * n})]


# name: (rows and columns of a tile, stages, warpgroups, persistent, blocks of a cluster)
_WGMMA = {"tile_64x64": (64, 64, 1, 1, False, 1), "tile_128x128": (128, 128, 1, 1, False, 1),
          "tile_192x192": (192, 192, 1, 3, False, 1), "specialized": (128, 128, 5, 2, False, 1),
          "tile_128x256": (128, 256, 3, 3, False, 1), "mbarriers": (128, 256, 3, 3, True, 1),
          "cluster": (128, 256, 3, 3, True, 2)}  # fmt: skip
_PERSISTENT_BLOCKS = 128


def _wgmma(entry, name, nvcc):
    m, n, k = (entry.shape[size] for size in "mnk")
    rows, columns, stages, groups, is_persistent, cluster = _WGMMA[name]
    depth, size = 64, 2

    def tensor_map(buffer, extent, box):
        return {"tensor_map": {"buffer": buffer, "type": "bf16", "dims": [k, extent], "strides_bytes": [k * size],
                               "box": [depth, box], "swizzle": "128B"}}  # fmt: skip

    blocks = _PERSISTENT_BLOCKS if is_persistent else -(-m // rows) * -(-n // columns)
    launch = Launch(
        _ptx("gemm_sm90.cu", entry.chip, nvcc), name, (blocks, 1, 1), (128 * groups, 1, 1),
        [tensor_map("a", m, rows), tensor_map("b", n, columns // cluster), {"buffer": "c"}, {"i32": m}, {"i32": n},
         {"i32": k}],
        frozenset({"c"}), (cluster, 1, 1), stages * (rows + columns) * depth * size,
    )  # fmt: skip
    return [Candidate(name, launch, {"a": size * m * k, "b": size * k * n, "c": size * m * n})]


# Triton.


def _triton(entry, name, nvcc):
    try:
        import torch
        import triton  # noqa: F401
    except ImportError as missing:
        raise Unbuildable(f"{missing.name} is not installed") from None
    import triton_compile

    dtype = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}[entry.dtype]
    sizes, calls = _CALLS[name](entry)
    kinds = {tensor: (torch.float32 if tensor in ("means", "deviations") else dtype) for tensor in sizes}
    found = []
    for label, call in calls:
        launch, scratch = triton_compile.launch(call, kinds, entry.chip)
        buffers = {tensor: number * kinds[tensor].itemsize for tensor, number in sizes.items()} | scratch
        found.append(Candidate(label, launch, buffers))
    return found


def _warps(block):
    """How many Liger-Kernel takes for a row."""
    return 32 if block >= 32768 else 16 if block >= 8192 else 8 if block >= 2048 else 4


def _along_rows(function, tensors, numbers):
    def make(entry):
        import triton_rows
        from triton_compile import TritonLaunch

        rows, columns = entry.shape["rows"], entry.shape["columns"]
        lengths = {"x": rows * columns, "y": rows * columns, "means": rows, "deviations": rows}
        block = 1 << (columns - 1).bit_length()
        written = tuple(tensor for tensor in tensors if tensor in ("y", "means", "deviations"))
        call = TritonLaunch(getattr(triton_rows, function), (rows,), [*tensors, columns, *numbers], {"BLOCK": block},
                            written, _warps(block))  # fmt: skip
        return {tensor: lengths.get(tensor, columns) for tensor in tensors}, [(f"{_warps(block)} warps", call)]

    return make


def _matmul_sizes(entry):
    m, n, k = (entry.shape[size] for size in "mnk")
    return m, n, k, {"a": m * k, "b": k * n, "c": m * n}


# Those of tutorial 03 for f16: rows, columns, depth, warps, stages.
_TUTORIAL_03 = [(128, 256, 64, 8, 3), (64, 256, 32, 4, 4), (128, 128, 32, 4, 4), (128, 64, 32, 4, 4),
                (64, 128, 32, 4, 4), (128, 32, 32, 4, 4), (64, 32, 32, 2, 5), (32, 64, 32, 2, 5)]  # fmt: skip
_TUTORIAL_09 = [(128, 256, 64, 8, 3)]


def _matmul(tiles):
    def make(entry):
        import kernels_contractions as contractions
        from triton_compile import TritonLaunch

        m, n, k, sizes = _matmul_sizes(entry)
        calls = []
        for rows, columns, depth, warps, stages in tiles:
            if m % rows or n % columns or k % depth:
                continue
            constants = {"M": m, "N": n, "BLOCK_M": rows, "BLOCK_N": columns, "BLOCK_K": depth, "GROUP": 8,
                         "PRECISION": "ieee"}  # fmt: skip
            grid = ((m // rows) * (n // columns),)
            call = TritonLaunch(contractions.matmul_pointers, grid, ["a", "b", "c", k], constants, ("c",), warps, stages)
            calls.append((f"{rows}x{columns}x{depth}, {warps} warps, {stages} stages", call))
        return sizes, calls

    return make


def _matmul_persistent(entry):
    import kernels_contractions as contractions
    from triton_compile import Descriptor, TritonLaunch

    m, n, k, sizes = _matmul_sizes(entry)
    ((rows, columns, depth, warps, stages),) = _TUTORIAL_09
    arguments = [Descriptor("a", (m, k), (rows, depth)), Descriptor("b", (k, n), (depth, columns)),
                 Descriptor("c", (m, n), (rows, columns)), k]  # fmt: skip
    constants = {"M": m, "N": n, "BLOCK_M": rows, "BLOCK_N": columns, "BLOCK_K": depth, "FLAT": True}
    call = TritonLaunch(contractions.matmul_persistent, (132,), arguments, constants, ("c",), warps, stages)
    return sizes, [(f"{rows}x{columns}x{depth}, {warps} warps, {stages} stages", call)]


# Some of tutorial 06: rows, keys, warps, stages.
_TUTORIAL_06 = [(128, 128, 8, 3), (128, 64, 4, 3)]


def _attention(entry):
    import kernels_attention as attention
    from triton_compile import Descriptor, TritonLaunch

    heads, length, width = entry.shape["batch"] * entry.shape["heads"], entry.shape["length"], entry.shape["width"]
    scale = width**-0.5 * math.log2(math.e)
    sizes = dict.fromkeys(("q", "k", "v", "out"), heads * length * width)
    whole, calls = (heads * length, width), []
    for rows, keys, warps, stages in _TUTORIAL_06:
        constants = {"WIDTH": width, "BLOCK_M": rows, "BLOCK_N": keys, "CAUSAL": False}
        grid, label = (length // rows, heads), f"{rows}x{keys}, {warps} warps, {stages} stages"
        # Later versions of the tutorial have descriptors.
        if entry.source == "tritonbench":
            calls.append((f"pointers, {label}", TritonLaunch(
                attention.attention_pointers, grid, ["q", "k", "v", "out", length, length, scale], constants, ("out",),
                warps, stages)))  # fmt: skip
            continue
        tensors = [Descriptor(tensor, whole, (block, width))
                   for tensor, block in (("q", rows), ("k", keys), ("v", keys), ("out", rows))]  # fmt: skip
        calls.append((f"descriptors, {label}", TritonLaunch(
            attention.attention_descriptors, grid, [*tensors, length, length, scale],
            constants | {"SPECIALIZED": False}, ("out",), warps, stages)))  # fmt: skip
    return sizes, calls


_CALLS = {
    "layer_norm": _along_rows("layer_norm", ("x", "gamma", "beta", "y", "means", "deviations"), (1e-6,)),
    "rms_norm": _along_rows("rms_norm", ("x", "gamma", "y", "deviations"), (1e-6,)),
    "relu_squared": _along_rows("relu_squared", ("x", "y"), ()),
    "matmul_pointers": _matmul(_TUTORIAL_09),
    "matmul_autotuned": _matmul(_TUTORIAL_03),
    "matmul_persistent": _matmul_persistent,
    "attention": _attention,
}

_BUILDERS = {"sgemm": _sgemm, "gemm_sm90": _wgmma, "triton": _triton}
