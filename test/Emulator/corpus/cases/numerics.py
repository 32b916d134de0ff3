# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np

from . import Case, InOut, Out, kernel

F32 = np.float32


@kernel
def stencil_1d(rng):
    for n, block, radius in ((50, 32, 3), (1000, 128, 7), (3, 64, 5)):
        x = rng.integers(-50, 50, n).astype(F32)
        padded = np.pad(x, radius, mode="edge")
        windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * radius + 1)
        mean = windows.sum(1, dtype=F32) / F32(2 * radius + 1)
        yield Case(-(-n // block), block, [x, Out(mean), n, radius], shared=4 * (block + 2 * radius))


@kernel
def stencil_3d(rng):
    for nx, ny, nz in ((17, 5, 3), (16, 4, 1), (33, 9, 6)):
        x = rng.integers(-50, 50, (nz, ny, nx)).astype(F32)
        p = np.pad(x, 1)
        c = slice(1, -1)
        y = p[c, c, :-2] + p[c, c, 2:] + p[c, :-2, c] + p[c, 2:, c] + p[:-2, c, c] + p[2:, c, c] - 6 * x
        yield Case((-(-nx // 16), -(-ny // 4)), (16, 4), [x, Out(y), nx, ny, nz])


@kernel
def stencil_time_tiled(rng):
    for n, steps in ((100, 3), (1000, 11), (5, 0)):
        x = y = rng.integers(-50, 50, n, np.int32)
        for _ in range(steps):
            p = np.pad(y, 1)
            y = p[:-2] + 2 * y + p[2:]
        yield Case(-(-n // (96 - 2 * steps)), 96, [x, Out(y), n, steps])


@kernel
def convolution_2d(rng):
    taps = np.outer([1, 4, 6, 4, 1], [1, 4, 6, 4, 1])
    for width, height in ((33, 9), (100, 20), (1, 1)):
        x = rng.integers(0, 256, (height, width), np.uint8)
        windows = np.lib.stride_tricks.sliding_window_view(np.pad(x, 2, mode="edge"), (5, 5))
        y = ((windows * taps).sum((2, 3)) + 128) // 256
        yield Case((-(-width // 32), -(-height // 8)), (32, 8), [x, Out(y.astype(np.uint8)), width, height])


@kernel
def convolution_strided(rng):
    for c, k, h in ((2, 3, 7), (5, 4, 12)):
        x = rng.integers(-9, 9, (c, h, h)).astype(F32)
        w = rng.integers(-9, 9, (k, c, 3, 3)).astype(F32)
        windows = np.lib.stride_tricks.sliding_window_view(np.pad(x, ((0, 0), (1, 1), (1, 1))), (3, 3), (1, 2))
        y = np.einsum("cyxij,kcij->kyx", windows[:, ::2, ::2], w)
        oh = y.shape[1]
        yield Case((-(-oh * oh // 32), k), 32, [x, w, Out(y.astype(F32)), c, k, h, oh])


def sparse(rng, n, m, dtype):
    lengths = rng.integers(0, 70, n) * (rng.random(n) < 0.7)
    rows = np.append(0, lengths.cumsum()).astype(np.int32)
    columns = rng.integers(0, m, rows[-1], np.int32)
    values, x = (rng.integers(-20, 20, s).astype(dtype) for s in (rows[-1], m))
    products = np.append(0, (values * x[columns]).cumsum())
    return rows, columns, values, x, Out(np.diff(products[rows]).astype(dtype)), n


@kernel
def spmv_scalar(rng):
    for n, m in ((40, 50), (200, 7)):
        yield Case(-(-n // 32), 32, list(sparse(rng, n, m, np.float64)))


@kernel
def spmv_vector(rng):
    for n, m in ((5, 50), (100, 300)):
        yield Case(-(-n // 4), 128, list(sparse(rng, n, m, F32)))


@kernel
def n_body(rng):
    for n in (65, 150):
        bodies = rng.random((n, 4)).astype(F32)
        d = bodies[None, :, :3].astype(np.float64) - bodies[:, None, :3]
        r2 = (d * d).sum(2) + 0.01
        f = (d * (bodies[None, :, 3] / r2**1.5)[..., None]).sum(1)
        expected = np.concatenate([f, np.linalg.norm(f, axis=1, keepdims=True)], 1).astype(F32)
        args = [bodies, Out(expected, same=1e-4), n]
        yield Case(-(-n // 64), 64, args, inexact="approximate functions")


@kernel
def mandelbrot(rng):
    for width, height, limit in ((20, 9, 30), (60, 31, 200)):
        scale = F32(3.0 / width)
        x, y = np.arange(width, dtype=F32), np.arange(height, dtype=F32)
        cr = np.broadcast_to((x - F32(width) * F32(0.7)) * scale, (height, width))
        ci = np.broadcast_to(((y - F32(height) * F32(0.5)) * scale)[:, None], (height, width))
        r, i = np.zeros((2, height, width), F32)
        steps = np.zeros((height, width), np.uint16)
        active = np.ones((height, width), bool)
        for _ in range(limit):
            rr, ii = r * r, i * i
            active &= rr + ii <= 4
            i = np.where(active, F32(2) * (r * i) + ci, i)
            r = np.where(active, rr - ii + cr, r)
            steps += active
        yield Case((-(-width // 16), -(-height // 8)), (16, 8), [Out(steps), width, height, float(scale), limit])


@kernel
def lu_batched(rng):
    for batch, n in ((2, 5), (3, 20), (1, 1)):
        a = rng.standard_normal((batch, n, n)).astype(F32)
        lu, pivots = a.astype(np.float64), np.zeros((batch, n), np.int32)
        for m, pivot in zip(lu, pivots):
            for k in range(n):
                p = pivot[k] = k + np.abs(m[k:, k]).argmax()
                m[[k, p]] = m[[p, k]]
                m[k + 1 :, k] /= m[k, k]
                m[k + 1 :, k + 1 :] -= np.outer(m[k + 1 :, k], m[k, k + 1 :])
        args = [InOut(a, lu.astype(F32), same=1e-4), Out(pivots), n]
        yield Case(batch, 64, args, shared=4 * n * n)


@kernel
def fft(rng):
    x = rng.standard_normal((3, 128, 2)).astype(F32)
    y = np.fft.fft(x[..., 0] + 1j * x[..., 1].astype(np.float64))
    expected = np.stack([y.real, y.imag], 2).astype(F32)
    yield Case(3, 64, [x, Out(expected, same=1e-5)])
