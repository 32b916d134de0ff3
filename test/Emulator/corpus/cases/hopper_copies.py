# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np

from . import Case, InOut, Out, TensorMap, kernel

F32 = np.float32


@kernel
def bulk_pipeline(rng):
    for blocks, tiles in ((2, 5), (1, 1), (2, 9), (1, 14)):
        x = rng.integers(-99, 99, (blocks, tiles, 256), np.int32)
        y = x + x[..., ::-1] * np.arange(1, tiles + 1, dtype=np.int32)[:, None]
        yield Case(blocks, 256, [x, Out(y), tiles])


@kernel
def bulk_reduce(rng):
    x = rng.integers(-99, 99, (5, 64), np.int32)
    yield Case(5, 64, [x, InOut(np.zeros(64, np.int32), (x + 1).sum(0, np.int32))])


def tile_load(rng, width, swizzle):
    for rows, height, pitch in ((8, 20, 2 * width + 32), (16, 5, width)):
        x = rng.integers(0, 256, (height, pitch), np.uint8)
        gx, gy = -(-(pitch + 16) // width), -(-(height + 1) // rows)
        padded = np.zeros((gy * rows, gx * width), np.uint8)
        padded[1 : 1 + height, 16 : 16 + pitch] = x
        tiles = padded.reshape(gy, rows, gx, width).transpose(0, 2, 1, 3)
        tensor_map = TensorMap(x, "u8", [pitch, height], [pitch], [width, rows], swizzle)
        yield Case((gx, gy), 64, [tensor_map, Out(tiles), rows], shared=rows * width)


@kernel
def tensor_load_plain(rng):
    yield from tile_load(rng, 48, "none")


@kernel
def tensor_load_swizzle_32(rng):
    yield from tile_load(rng, 32, "32B")


@kernel
def tensor_load_swizzle_64(rng):
    yield from tile_load(rng, 64, "64B")


@kernel
def tensor_load_swizzle_128(rng):
    yield from tile_load(rng, 128, "128B")


@kernel
def tensor_transpose(rng):
    for rows, cols in ((36, 64), (32, 32), (4, 100)):
        x = rng.standard_normal((rows, cols)).astype(F32)
        result = Out(x.T)
        source = TensorMap(x, "f32", [cols, rows], [4 * cols], [32, 32], "128B")
        target = TensorMap(result, "f32", [rows, cols], [4 * rows], [32, 32], "128B")
        yield Case((-(-cols // 32), -(-rows // 32)), 128, [source, target, result])


@kernel
def tensor_load_3d(rng):
    for nx, ny, nz in ((12, 5, 3), (8, 4, 2)):
        x = rng.integers(-9, 9, (nz, ny, nx)).astype(F32)
        windows = np.lib.stride_tricks.sliding_window_view(np.pad(x, 1), (3, 3, 3))
        tensor_map = TensorMap(x, "f32", [nx, ny, nz], [4 * nx, 4 * nx * ny], [16, 6, 4])
        grid = (-(-nx // 8), -(-ny // 4), -(-nz // 2))
        yield Case(grid, 64, [tensor_map, Out(windows.sum((3, 4, 5))), nx, ny, nz])


@kernel
def tensor_reduce(rng):
    for height, width, times in ((12, 40, 2), (8, 32, 3)):
        x = rng.integers(-99, 99, (times, 8, 32)).astype(F32)
        grid = (-(-width // 32), -(-height // 8), times)
        start = rng.integers(-99, 99, (height, width)).astype(F32)
        total = np.tile(x.sum(0), (grid[1], grid[0]))[:height, :width]
        result = InOut(start, start + total)
        tensor_map = TensorMap(result, "f32", [width, height], [4 * width], [32, 8])
        yield Case(grid, 64, [tensor_map, result, x])


@kernel
def elected_copy(rng):
    for blocks, rows in ((2, 3), (1, 1), (3, 10)):
        x = rng.integers(-99, 99, (blocks, rows, 16, 2, 4), np.int32)
        yield Case(blocks, 32, [x, Out(x[..., ::-1, :][..., [1, 0, 3, 2]]), rows])


@kernel
def leaving_warps(rng):
    x = rng.integers(-9, 9, (2, 6, 32), np.int32)
    values = x.copy()
    for r in range(5):
        now = values.copy()
        for other in range(r, 6):
            values[:, r + 1 :] = values[:, r + 1 :] * 3 + now[:, other : other + 1, np.arange(32) ^ 5]
    yield Case(2, 192, [x, Out(values)])
