# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The configurations in which Triton computes a row: tiles, warps, stages, and the launches that they lead to."""

import dataclasses
import math

import kernels_attention as attention
import kernels_contractions as contractions
import kernels_rows as along_rows
from computations import EPSILON
from devices import DEVICES
from triton_compile import Descriptor, TritonLaunch


@dataclasses.dataclass(frozen=True)
class Configuration:
    name: str
    launches: tuple
    temporaries: tuple = ()  # of (name, dtype, number of elements)


def configurations(row, chip):
    found = _MAKERS[row.family](row, chip)
    assert len({one.name for one in found}) == len(found)
    return found


def _power_of_two(number):
    return 1 << (number - 1).bit_length()


# Along rows.


def _warps_and_rows(row):
    """(warps, rows of a program) for rows that fit: 8 to 64 elements of a lane."""
    block = _power_of_two(row.columns)
    found = [(warps, count) for warps in (1, 2, 4, 8) for count in (1, 2)
             if 8 <= block * count // (32 * warps) <= 64 and row.rows % count == 0]  # fmt: skip
    return [(warps, count) for warps, count in found if count == 1 or block * count <= 2048]


def _of_rows(row, function, arguments, written="y"):
    block = _power_of_two(row.columns)
    return [
        Configuration(f"{count} rows, {warps} warps", (
            TritonLaunch(function, (row.rows // count,), arguments, {"ROWS": count, "BLOCK": block}, (written,), warps),
        ))
        for warps, count in _warps_and_rows(row)
    ]  # fmt: skip


def _softmax(row, chip):
    block = _power_of_two(row.columns)
    found = _of_rows(row, along_rows.softmax, ["x", "y", row.columns])
    for warps in (4, 8):
        programs = min(row.rows, 2 * DEVICES[chip].multi_processor_count)
        found.append(Configuration(f"persistent, {warps} warps", (
            TritonLaunch(along_rows.softmax_persistent, (programs,), ["x", "y", row.rows, row.columns],
                         {"BLOCK": block, "STAGES": 2}, ("y",), warps),
        )))  # fmt: skip
    return found


def _layer_norm(row, chip):
    return _of_rows(row, along_rows.layer_norm, ["x", "gamma", "beta", "y", row.columns, EPSILON])


def _rms_norm(row, chip):
    return _of_rows(row, along_rows.rms_norm, ["x", "gamma", "y", row.columns, EPSILON])


def _bias_residual_norm(row, chip):
    arguments = ["x", "bias", "residual", "gamma", "beta", "y", row.columns, EPSILON]
    return _of_rows(row, along_rows.bias_residual_norm, arguments)


def _norm_backward(row, chip):
    is_rms = row.family == "rms_norm_backward"
    block, found = _power_of_two(row.columns), []
    processors = DEVICES[chip].multi_processor_count
    for warps in (4, 8):
        for programs in sorted({min(processors, row.rows), min(2 * processors, row.rows)}):
            # A buffer that the kernel does not touch stands for what RMS norm does not have.
            mean, dbeta = ("deviation", "dgamma") if is_rms else ("mean", "dbeta")
            beta_parts = "gamma_parts" if is_rms else "beta_parts"
            parts = TritonLaunch(
                along_rows.norm_backward, (programs,),
                ["dy", "x", mean, "deviation", "gamma", "dx", "gamma_parts", beta_parts, row.rows, row.columns],
                {"IS_RMS": is_rms, "BLOCK": block}, ("dx", "gamma_parts", beta_parts), warps,
            )  # fmt: skip
            sums = TritonLaunch(
                along_rows.column_sums, (math.ceil(row.columns / 32),),
                ["gamma_parts", beta_parts, "dgamma", dbeta, programs, row.columns],
                {"HAS_B": not is_rms, "ROWS": 32, "BLOCK": 32}, ("dgamma", dbeta), 4,
            )  # fmt: skip
            names = ("gamma_parts",) if is_rms else ("gamma_parts", "beta_parts")
            temporaries = tuple((name, "f32", programs * row.columns) for name in names)
            found.append(Configuration(f"{programs} programs, {warps} warps", (parts, sums), temporaries))
    return found


# Contractions. (tile of M, of N, of K, warps, stages).

_TILES = [(128, 256, 64, 8, 3), (128, 128, 64, 4, 3), (64, 128, 64, 4, 4), (128, 64, 64, 4, 4), (64, 64, 64, 4, 4),
          (32, 64, 64, 2, 4), (32, 32, 64, 2, 4)]  # fmt: skip
_F32_TILES = [(128, 64, 16, 8, 3), (64, 64, 16, 4, 3), (64, 64, 32, 8, 3), (32, 64, 32, 4, 3), (32, 32, 32, 2, 3)]


def _matmul_call(row, tile, names=("a", "b", "c"), sizes=None):
    m, n, k = sizes or (row.m, row.n, row.k)
    block_m, block_n, block_k, warps, stages = tile
    constants = {"M": m, "N": n, "BLOCK_M": block_m, "BLOCK_N": block_n, "BLOCK_K": block_k, "GROUP": 4,
                 "PRECISION": "ieee"}  # fmt: skip
    return TritonLaunch(contractions.matmul_pointers, ((m // block_m) * (n // block_n),), [*names, k], constants,
                        names[2:], warps, stages)  # fmt: skip


def _tile_name(tile):
    *sizes, warps, stages = tile
    return f"{'x'.join(map(str, sizes))}, {warps} warps, {stages} stages"


def _dividing(tiles, m, n, k):
    return [tile for tile in tiles if m % tile[0] == 0 and n % tile[1] == 0 and k % tile[2] == 0]


def _matmul(row, chip):
    tiles = _dividing(_F32_TILES if row.dtype == "f32" else _TILES, row.m, row.n, row.k)
    found = [Configuration(f"pointers, {_tile_name(tile)}", (_matmul_call(row, tile),)) for tile in tiles]
    if chip == "sm_80" or row.dtype == "f32":
        return found
    processors = DEVICES[chip].multi_processor_count
    for tile in tiles:
        block_m, block_n, block_k, warps, stages = tile
        if block_m < 64 or warps < 4:
            continue
        arguments = [Descriptor("a", (row.m, row.k), (block_m, block_k)),
                     Descriptor("b", (row.k, row.n), (block_k, block_n)),
                     Descriptor("c", (row.m, row.n), (block_m, block_n)), row.k]  # fmt: skip
        constants = {"M": row.m, "N": row.n, "BLOCK_M": block_m, "BLOCK_N": block_n, "BLOCK_K": block_k}
        count = (row.m // block_m) * (row.n // block_n)
        for kind, function, grid, more in (
            ("descriptors", contractions.matmul_descriptors, count, {"GROUP": 4, "SPECIALIZED": False}),
            ("descriptors, specialized warps", contractions.matmul_descriptors, count,
             {"GROUP": 4, "SPECIALIZED": True}),
            ("persistent", contractions.matmul_persistent, min(count, processors), {"FLAT": True}),
        ):  # fmt: skip
            # Specialized warps are worth their while with few tiles; a persistent kernel with several per program.
            if more.get("SPECIALIZED") and (block_m, warps) != (64, 4) or "FLAT" in more and count <= processors:
                continue
            call = TritonLaunch(function, (grid,), arguments, constants | more, ("c",), warps, stages)
            found.append(Configuration(f"{kind}, {_tile_name(tile)}", (call,)))
    return found


def _chain(row, chip):
    found = []
    for block_m, block_n, block_h, block_k, warps, stages in (
        (64, 64, 64, 64, 4, 3), (32, 64, 64, 64, 4, 3), (16, 64, 64, 64, 2, 3), (64, 128, 64, 64, 4, 2),
        (64, 64, 32, 64, 4, 3), (64, 128, 128, 64, 4, 3), (64, 64, 128, 128, 4, 2), (128, 128, 128, 64, 8, 3),
        (64, 64, 128, 256, 4, 2), (64, 128, 256, 64, 8, 3), (32, 128, 64, 64, 4, 3),
    ):  # fmt: skip
        if row.m % block_m or row.n % block_n or row.h % block_h or row.k % block_k:
            continue
        constants = {"M": row.m, "N": row.n, "K": row.k, "H": row.h, "BLOCK_M": block_m, "BLOCK_N": block_n,
                     "BLOCK_H": block_h, "BLOCK_K": block_k}  # fmt: skip
        call = TritonLaunch(contractions.chain, (row.m // block_m, row.h // block_h), ["a", "b", "d", "e"], constants,
                            ("e",), warps, stages)  # fmt: skip
        found.append(Configuration(
            f"fused, {block_m}x{block_n}x{block_h}x{block_k}, {warps} warps, {stages} stages", (call,)))  # fmt: skip
    tiles = [(64, 64, 64, 4, 4), (64, 32, 64, 4, 4), (32, 64, 64, 2, 4)]
    for tile in _dividing(tiles, row.m, min(row.n, row.h), row.k):
        calls = (_matmul_call(row, tile, ("a", "b", "middle"), (row.m, row.n, row.k)),
                 _matmul_call(row, tile, ("middle", "d", "e"), (row.m, row.h, row.n)))  # fmt: skip
        found.append(Configuration(f"two kernels, {_tile_name(tile)}", calls, (("middle", row.dtype, row.m * row.n),)))
    return found


def _gated_mlp(row, chip):
    found = []
    for tile in _dividing([(64, 128, 64, 8, 3), (64, 64, 64, 4, 3), (128, 64, 64, 8, 3), (64, 32, 64, 4, 4),
                           (32, 64, 64, 4, 4)], row.m, row.n, row.k):  # fmt: skip
        block_m, block_n, block_k, warps, stages = tile
        constants = {"M": row.m, "N": row.n, "BLOCK_M": block_m, "BLOCK_N": block_n, "BLOCK_K": block_k, "GROUP": 4}
        first = TritonLaunch(contractions.gated, ((row.m // block_m) * (row.n // block_n),),
                             ["x", "gate", "up", "middle", row.k], constants, ("middle",), warps, stages)  # fmt: skip
        for second in ((64, 64, 64, 4, 4), (32, 32, 64, 2, 4)):
            call = _matmul_call(row, second, ("middle", "down", "y"), (row.m, row.h, row.n))
            found.append(Configuration(f"{_tile_name(tile)}; {_tile_name(second)}", (first, call),
                                       (("middle", row.dtype, row.m * row.n),)))  # fmt: skip
    return found


# Attention.

_LOG2_E = math.log2(math.e)


def _attention(row, chip):
    is_causal = row.family == "attention_causal"
    arguments = [row.rows, row.rows, row.width**-0.5 * _LOG2_E]
    found = []
    for block_m, block_n, warps, stages in (
        (128, 128, 8, 3), (128, 64, 8, 3), (128, 64, 4, 3), (64, 64, 4, 3), (64, 32, 4, 3),
    ):  # fmt: skip
        # Shared memory of an A100 holds two stages of the largest tiles.
        stages = 2 if chip == "sm_80" and row.width * block_n > 8192 else stages
        constants = {"WIDTH": row.width, "BLOCK_M": block_m, "BLOCK_N": block_n, "CAUSAL": is_causal}
        grid, name = (row.rows // block_m, row.heads), f"{block_m}x{block_n}, {warps} warps, {stages} stages"
        call = TritonLaunch(attention.attention_pointers, grid, ["q", "k", "v", "out", *arguments], constants, ("out",),
                            warps, stages)  # fmt: skip
        found.append(Configuration(f"pointers, {name}", (call,)))
        if chip == "sm_80":
            continue
        whole = (row.heads * row.rows, row.width)
        tensors = [Descriptor(tensor, whole, (block, row.width))
                   for tensor, block in (("q", block_m), ("k", block_n), ("v", block_n), ("out", block_m))]  # fmt: skip
        for is_specialized in (False, True):
            if is_specialized and (block_m > 64 or is_causal or block_n < 64):
                continue
            call = TritonLaunch(attention.attention_descriptors, grid, tensors + arguments,
                                constants | {"SPECIALIZED": is_specialized}, ("out",), warps, stages)  # fmt: skip
            kind = "descriptors, specialized warps" if is_specialized else "descriptors"
            found.append(Configuration(f"{kind}, {name}", (call,)))
    return found


def _decode(row, chip):
    found = []
    scale = row.width**-0.5 * _LOG2_E
    for splits in (4, 8, 16):
        for block_n, warps in ((64, 4), (64, 2)):
            if row.keys // splits < block_n:
                continue
            part = TritonLaunch(
                attention.decode_part, (row.heads, splits), ["q", "k", "v", "totals", "tops", "sums", row.keys, scale],
                {"GROUP": row.group, "BLOCK_M": 16, "WIDTH": row.width, "BLOCK_N": block_n,
                 "KEYS": row.keys // splits}, ("totals", "tops", "sums"), warps,
            )  # fmt: skip
            combine = TritonLaunch(
                attention.decode_combine, (row.heads, row.group), ["totals", "tops", "sums", "out"],
                {"GROUP": row.group, "SPLITS": splits, "WIDTH": row.width}, ("out",), 2,
            )  # fmt: skip
            count = row.heads * splits * row.group
            temporaries = (("totals", "f32", count * row.width), ("tops", "f32", count), ("sums", "f32", count))
            name = f"{splits} splits, {block_n} keys, {warps} warps"
            found.append(Configuration(name, (part, combine), temporaries))
    return found


_MAKERS = {
    "softmax": _softmax,
    "layer_norm": _layer_norm,
    "layer_norm_backward": _norm_backward,
    "rms_norm": _rms_norm,
    "rms_norm_backward": _norm_backward,
    "bias_residual_norm": _bias_residual_norm,
    "matmul": _matmul,
    "chain": _chain,
    "attention": _attention,
    "attention_causal": _attention,
    "decode": _decode,
    "gated_mlp": _gated_mlp,
}
