# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np

from . import Case, InOut, Out, kernel


def zeros(n, dtype=np.int32):
    return np.zeros(n, dtype)


@kernel
def ping_pong(rng):
    for rounds in (5, 1, 2, 22, 23):
        x = rng.integers(-9, 9, (2, 2, 64), np.int32)  # of both blocks
        y = x.copy()
        other = np.arange(64) ^ 33
        for r in range(rounds):
            side = r & 1
            y[:, 1 - side] = y[:, 1 - side] * 3 + (y[:, side] + r)[:, other]
        yield Case(2, 128, [InOut(x, y), rounds])


@kernel
def three_roles(rng):
    for rounds in (4, 1, 9, 22, 23):
        x = rng.integers(-99, 99, (2, rounds, 64), np.int32)
        v = x[..., ::-1] + 2 * x
        a, b = v[..., :32], v[..., 32:]
        yield Case(2, 128, [x, Out(np.concatenate([a - b, a + b], 2)), rounds])


@kernel
def barrier_votes(rng):
    x = rng.integers(-99, 102, (3, 96), np.int32)
    x[1] = np.minimum(x[1], 76)
    x[2, 50] = 77
    x[0, 7] = 100
    each = (x > 0).sum(1) * 4 + (x < 100).all(1) * 2 + (x == 77).any(1)
    yield Case(3, 96, [x, Out(np.repeat(each, 96).astype(np.int32))])


@kernel
def flag_chain(rng):
    for blocks in (2, 12):
        x = rng.integers(-99, 99, (blocks, 32), np.int32)
        flags = InOut(zeros(blocks, np.uint32), np.ones(blocks, np.uint32))
        yield Case(blocks, 32, [x, Out(x.sum(1).cumsum().astype(np.int32)), flags])


@kernel
def ticket_lock(rng):
    for blocks in (2, 20):
        b = 0
        for i in range(blocks):
            b = b * 3 + i
        count = np.full(1, blocks, np.uint32)
        args = [InOut(zeros(1, np.uint32), count), InOut(zeros(1, np.uint32), count)]
        args.append(InOut(zeros(1), np.full(1, blocks * (blocks - 1) // 2, np.int32)))
        yield Case(blocks, 32, [*args, InOut(zeros(1, np.int64), np.full(1, b, np.int64))])


@kernel
def block_ring(rng):
    for pairs, rounds in ((1, 4), (3, 5)):
        x = rng.integers(-99, 99, (pairs, rounds, 32), np.int32)
        y = 2 * x[..., np.arange(32) ^ 5]
        ring = np.zeros((pairs, 2, 32), np.int32)
        for r in range(rounds):
            ring[:, r % 2] = 2 * x[:, r]
        flags = [InOut(zeros(pairs, np.uint32), np.full(pairs, rounds, np.uint32)) for _ in range(2)]
        yield Case(2 * pairs, 32, [x, Out(y), Out(ring), *flags, rounds])


@kernel
def persistent_queue(rng):
    for blocks, pieces in ((2, 5), (3, 40)):
        lengths = rng.integers(0, 300, pieces, np.uint32)
        sums = np.array([(np.arange(n, dtype=np.uint64) ** 2).sum() for n in lengths]).astype(np.uint32)
        taken = InOut(zeros(1), np.full(1, pieces + blocks, np.int32))
        yield Case(blocks, 64, [lengths, InOut(zeros(pieces, np.uint32), sums), taken, pieces])


@kernel
def grid_rounds(rng):
    for n, blocks, rounds in ((50, 2, 3), (300, 10, 4)):
        x = rng.integers(-99, 99, n, np.int32)
        states = [x]
        for _ in range(rounds):
            y = states[-1]
            states.append(np.roll(y, 1) + 2 * y + np.roll(y, -1))
        last, other = states[-1], states[-2]
        if rounds % 2:
            last, other = other, last
        barrier = np.array([(rounds * 0x80000000) % 2**32], np.uint32)
        args = [InOut(x, last), Out(other), InOut(zeros(1, np.uint32), barrier), n, rounds]
        yield Case(blocks, 32, args)


@kernel
def breadth_first(rng):
    for n, edges in ((40, 60), (200, 300)):
        graph = [sorted(set(rng.integers(0, n, rng.integers(0, 2 * edges // n + 1)))) for _ in range(n)]
        graph[0] = list(range(1, min(n, 12)))
        rows = np.append(0, np.cumsum([len(g) for g in graph])).astype(np.int32)
        columns = np.array([v for g in graph for v in g], np.int32)
        level = np.full((2, n), -1, np.int32)
        for start in range(2):
            frontier, depth = {start}, 0
            level[start, start] = 0
            while frontier:
                depth += 1
                frontier = {int(w) for v in frontier for w in graph[v] if level[start, w] < 0}
                level[start, list(frontier)] = depth
        yield Case(2, 64, [rows, columns, InOut(np.full((2, n), -1, np.int32), level), n, 0])


@kernel
def hash_count(rng):
    for n, slots in ((50, 32), (800, 256)):
        keys = rng.integers(1, slots // 2, n, np.uint32) * np.uint32(7919)

        def pairs(values):
            return sorted(values[values > 0].tolist())

        used, counts = np.unique(keys, return_counts=True)

        def padded(values):
            return np.pad(values.astype(np.uint32), (0, slots - len(values)))

        args = [InOut(zeros(slots, np.uint32), padded(v), lambda a, b: pairs(a) == pairs(b)) for v in (used, counts)]
        yield Case(2, 64, [keys, *args, n, slots - 1], varies=True, inexact="order of insertions")


@kernel
def atomic_max_float(rng):
    for n in (70, 1000):
        x = rng.standard_normal(n).astype(np.float32)
        yield Case(-(-n // 128), 128, [x, InOut(np.full(1, -np.inf, np.float32), x.max(keepdims=True)), n])
