# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Patterns of memory-intensive operators that mix shapes: packing, slices, gathers, recurrent cells.

Every builder takes (function, rows, cols, dtype) and appends arguments, operations and results.
Arguments and results are of dtype; everything between is f32.
"""

from stitch_rows import by_column


def sigmoid(x):
    return 1.0 / ((0.0 - x).math("exp") + 1.0)


def packed_elementwise_of_8_tensors(f, rows, cols, dtype):
    """Eight independent operations of one shape: kernel packing and nothing else."""
    bodies = (
        lambda x: x * 2.0,
        lambda x: x + 1.0,
        lambda x: x.maximum(0.0),
        lambda x: x * x,
        lambda x: x.math("absf"),
        lambda x: 1.0 - x,
        lambda x: x.math("exp"),
        lambda x: x.math("tanh"),
    )
    arguments = [f.argument((rows, cols), dtype) for _ in bodies]
    for x, body in zip(arguments, bodies, strict=True):
        f.result(f.map(x, lambda v, body=body: body(v.to("f32")).to(dtype)))


def packed_elementwise_of_different_shapes(f, rows, cols, dtype):
    shapes = ((rows, cols), (rows,), (cols,), (rows, (cols + 1) // 2))
    bodies = (
        lambda x: x * 2.0,
        lambda x: x.math("exp"),
        lambda x: x + 1.0,
        lambda x: x.maximum(0.0),
    )
    arguments = [f.argument(shape, dtype) for shape in shapes]
    for x, body in zip(arguments, bodies, strict=True):
        f.result(f.map(x, lambda v, body=body: body(v.to("f32")).to(dtype)))


def rope(f, rows, cols, dtype):
    """Rotary embedding of the halves of each row, with tables; an odd last column passes through."""
    half = cols // 2
    x = f.argument((rows, cols), dtype)
    cosine, sine = f.argument((rows, half), dtype), f.argument((rows, half), dtype)
    first = f.slice(x, (0, 0), (rows, half))
    second = f.slice(x, (0, half), (rows, half))

    def rotated(sign):
        def body(a, b, c, s):
            a, b, c, s = (v.to("f32") for v in (a, b, c, s))
            return (a * c + b * s if sign > 0 else a * c - b * s).to(dtype)

        return body

    parts = [
        f.map([first, second, cosine, sine], rotated(-1)),
        f.map([second, first, cosine, sine], rotated(+1)),
    ]
    if cols % 2:
        parts.append(f.slice(x, (0, 2 * half), (rows, 1)))
    f.result(f.concat(parts, 1))


def gather_slice_concat_mix(f, rows, cols, dtype):
    """Rows of a table picked by index, half of them scaled, beside a biased slice of x."""
    half = cols // 2
    table, index = f.argument((rows, cols), dtype), f.argument((rows,), "i32")
    x, bias = f.argument((rows, cols), dtype), f.argument((cols - half,), dtype)

    # The right halves of the table and the left ones of x: one of them in all.
    f.unread_bytes += table.bytes

    def pick(i):
        return f.extract(table, [i.clamped_index(rows), f.index(1)])

    picked = f.generic("r c", [(index, "r")], ("r c", dtype), pick, sizes={"c": cols})
    left = f.slice(picked, (0, 0), (rows, half))
    left = f.map(left, lambda v: (v.to("f32") * 2.0).to(dtype))
    right = f.slice(x, (0, half), (rows, cols - half))
    f.result(f.concat([left, by_column(f, right, [bias], lambda v, b: v + b, dtype)], 1))


def lstm_cell_gates(f, rows, cols, dtype):
    """The element-wise part of an LSTM cell; gates in the order i, f, g, o. Results h and c."""
    from_x, from_h = f.argument((rows, 4 * cols), dtype), f.argument((rows, 4 * cols), dtype)
    bias, cell = f.argument((4 * cols,), dtype), f.argument((rows, cols), dtype)
    summed = f.map([from_x, from_h], lambda a, b: a.to("f32") + b.to("f32"), "f32")
    summed = by_column(f, summed, [bias], lambda v, b: v + b)
    gates = [f.slice(summed, (0, n * cols), (rows, cols)) for n in range(4)]
    new_cell = f.map(
        [*gates[:3], cell],
        lambda i, forget, g, c: sigmoid(forget) * c.to("f32") + sigmoid(i) * g.math("tanh"),
    )
    hidden = f.map([gates[3], new_cell], lambda o, c: (sigmoid(o) * c.math("tanh")).to(dtype), dtype)
    f.result(hidden, f.cast(new_cell, dtype))


def gru_cell_gates(f, rows, cols, dtype):
    """The element-wise part of a GRU cell; gates in the order r, z, n, biases already added."""
    from_x, from_h = f.argument((rows, 3 * cols), dtype), f.argument((rows, 3 * cols), dtype)
    hidden = f.argument((rows, cols), dtype)
    x = [f.cast(f.slice(from_x, (0, n * cols), (rows, cols)), "f32") for n in range(3)]
    h = [f.cast(f.slice(from_h, (0, n * cols), (rows, cols)), "f32") for n in range(3)]
    reset = f.map([x[0], h[0]], lambda a, b: sigmoid(a + b))
    update = f.map([x[1], h[1]], lambda a, b: sigmoid(a + b))
    new = f.map([x[2], h[2], reset], lambda a, b, r: (a + r * b).math("tanh"))
    f.result(
        f.map(
            [new, update, hidden],
            lambda n, z, p: ((1.0 - z) * n + z * p.to("f32")).to(dtype),
            dtype,
        )
    )


def history_length(rows):
    """The largest divisor of rows that is at most 100: rows = users x history."""
    return max(n for n in range(1, min(rows, 100) + 1) if rows % n == 0)


def din_attention_unit(f, rows, cols, dtype):
    """DIN's activation unit without its hidden layers (those are products).

    The candidate q meets every behaviour k of the user's history: a score from the concatenation
    of k, q, k - q and k * q by one linear unit, a masked softmax over the history, and the weighted
    sum of the behaviours. rows = users x history.
    """
    history = history_length(rows)
    users = rows // history
    query = f.argument((users, cols), dtype)
    keys = f.argument((users, history, cols), dtype)
    weight, mask = f.argument((4 * cols,), dtype), f.argument((users, history), "i8")
    repeated = f.generic(
        "u t d", [(query, "u d")], ("u t d", "f32"), lambda q: q.to("f32"), sizes={"t": history}
    )
    keys32 = f.cast(keys, "f32")
    difference = f.map([keys32, repeated], lambda k, q: k - q)
    product = f.map([keys32, repeated], lambda k, q: k * q)
    features = f.concat([keys32, repeated, difference, product], 2)
    score = f.generic(
        "u t | e",
        [(features, "u t e"), (weight, "e")],
        ("u t", "f32", 0.0),
        lambda v, w, s: s + v * w.to("f32"),
    )
    masked = f.map([score, mask], lambda s, m: m.compare("ne", 0).select(sigmoid(s), -1e9))
    share = f.softmax(masked, 1)
    pooled = f.generic(
        "u d | t",
        [(share, "u t"), (keys32, "u t d")],
        ("u d", "f32", 0.0),
        lambda p, k, s: s + p * k,
    )
    f.result(f.cast(pooled, dtype))
