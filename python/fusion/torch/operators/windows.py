# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and pooling: sums and maxima over windows."""

from __future__ import annotations

import math
from typing import Any, Callable, Sequence

from ..emit import FLOATS, Body, Scalar, Tensor, Unsupported
from ..lowering import Call, lowers, shape_of
from .pointwise import maximum, minimum
from .reductions import accumulator, add


def _each(value: Any, count: int) -> list[int]:
    values = [value] if isinstance(value, int) else list(value)
    return values * count if len(values) == 1 else values


@lowers("aten.convolution.default")
def convolution(call: Call, x: Tensor, weight: Tensor, bias: Tensor | None, stride: Any,
                padding: Any, dilation: Any, transposed: bool, output_padding: Any,
                groups: int) -> Tensor:
    f = call.f
    if x.type not in FLOATS:
        raise Unsupported(f"convolutions of {x.type}")
    spatial = len(weight.shape) - 2
    stride, padding, dilation = (_each(v, spatial) for v in (stride, padding, dilation))
    batched = len(x.shape) == spatial + 2
    x = x if batched else f.reshape(x, [1, *x.shape])
    n, channels = x.shape[:2]
    if transposed:
        # A convolution of the dilated input, by the mirrored weights.
        x, weight = _spread(call, x, weight, stride, padding, dilation,
                            _each(output_padding, spatial), groups)
        stride = [1] * spatial
    else:
        x = f.pad(x, [0, 0, *padding], [0, 0, *padding], 0)
    out_channels = weight.shape[0]
    kernel = weight.shape[2:]
    out = [(size - step * (k - 1) - 1) // by + 1
           for size, step, k, by in zip(x.shape[2:], dilation, kernel, stride)]
    type = accumulator(x.type)

    # Loops: n, g where there are groups, f, the places of the result; then c and the window.
    group = [groups] if groups > 1 else []
    split_x = f.reshape(x, [n, *group, channels // groups, *x.shape[2:]])
    split_w = f.reshape(weight, [*group, out_channels // groups, channels // groups, *kernel])
    g = ["d1"] if group else []
    first = 2 + len(group)
    c = first + spatial
    places = [f"d{first + i} * {stride[i]} + d{c + 1 + i} * {dilation[i]}" for i in range(spatial)]

    def multiply_add(b: Body, x: Scalar, w: Scalar, sum: Scalar) -> Scalar:
        product = b.binary("arith.mulf", b.convert(x, type), b.convert(w, type))
        return b.binary("arith.addf", sum, product)

    result = f.generic(
        [split_x, split_w],
        [["d0", *g, f"d{c}", *places],
         [*g, f"d{first - 1}", f"d{c}", *[f"d{c + 1 + i}" for i in range(spatial)]]],
        [f"d{i}" for i in range(c)], ["parallel"] * c + ["reduction"] * (1 + spatial),
        f.fill(0, [n, *group, out_channels // groups, *out], type), multiply_add)
    result = f.reshape(result, [n, out_channels, *out])

    def finish(b: Body, sum: Scalar, *bias: Scalar) -> Scalar:
        for one in bias:
            sum = b.binary("arith.addf", sum, b.convert(one, type))
        return b.convert(sum, call.type)

    operands = [result]
    if bias is not None:
        operands.append(f.reshape(bias, [1, out_channels, *[1] * spatial]))
    return f.reshape(f.elementwise(operands, result.shape, call.type, finish), call.shape)


def _spread(call: Call, x: Tensor, weight: Tensor, stride: list[int], padding: list[int],
            dilation: list[int], output_padding: list[int],
            groups: int) -> tuple[Tensor, Tensor]:
    """Input and weights (out first) of the convolution that a transposed one is."""
    f = call.f
    spatial = len(stride)
    apart = [(size - 1) * by + 1 for size, by in zip(x.shape[2:], stride)]
    if any(by != 1 for by in stride):
        zeros = f.fill(0, [*x.shape[:2], *apart], x.type)
        x = f.insert(x, zeros, [0] * len(x.shape), [1, 1, *stride])
    low = [step * (k - 1) - p for step, k, p in zip(dilation, weight.shape[2:], padding)]
    high = [side + more for side, more in zip(low, output_padding)]
    for d in range(spatial):
        start, stop = max(0, -low[d]), x.shape[2 + d] - max(0, -high[d])
        if stop <= start:
            raise Unsupported("a padding that leaves nothing")
        offsets, sizes = [0] * len(x.shape), list(x.shape)
        offsets[2 + d], sizes[2 + d] = start, stop - start
        x = f.slice(x, offsets, sizes, [1] * len(x.shape))
    x = f.pad(x, [0, 0, *[max(v, 0) for v in low]], [0, 0, *[max(v, 0) for v in high]], 0)

    channels, out, *kernel = weight.shape
    split = f.reshape(weight, [groups, channels // groups, out, *kernel])
    swapped = f.transpose(split, [0, 2, 1, *range(3, 3 + spatial)])
    flat = f.reshape(swapped, [groups * out, channels // groups, *kernel])

    def mirror(b: Body, indices: list[Scalar]) -> Scalar:
        return b.read(flat, [*indices[:2], *[
            b.binary("arith.subi", b.index_constant(size - 1), index)
            for size, index in zip(kernel, indices[2:])]])

    return x, f.indexed(flat.shape, flat.type, mirror)


# Pooling.


def _windows(call: Call, x: Tensor, kernel: Sequence[int], stride: Sequence[int],
             dilation: Sequence[int], out: Sequence[int], initial: float, combine: Any) -> Tensor:
    """Reduces windows of the last dimensions of a padded tensor."""
    f = call.f
    spatial, lead = len(kernel), len(x.shape) - len(kernel)
    rank = len(x.shape)
    window = f.empty(kernel, x.type)  # gives the loops over the window their lengths
    places = [f"d{lead + i} * {stride[i]} + d{rank + i} * {dilation[i]}" for i in range(spatial)]
    return f.generic(
        [x, window],
        [[*[f"d{i}" for i in range(lead)], *places], [f"d{rank + i}" for i in range(spatial)]],
        [f"d{i}" for i in range(rank)], ["parallel"] * rank + ["reduction"] * spatial,
        f.fill(initial, [*x.shape[:lead], *out], x.type),
        lambda b, value, _, accumulated: combine(b, value, accumulated))


def _fit(call: Call, x: Tensor, kernel: Sequence[int], stride: Sequence[int],
         padding: Sequence[int], dilation: Sequence[int], out: Sequence[int],
         value: float) -> Tensor:
    """Pads so that every window is inside."""
    lead = len(x.shape) - len(kernel)
    high = []
    for size, k, by, p, step, count in zip(x.shape[lead:], kernel, stride, padding, dilation, out):
        needed = (count - 1) * by + step * (k - 1) + 1
        high.append(max(0, needed - size - p))
    return call.f.pad(x, [*[0] * lead, *padding], [*[0] * lead, *high], value)


def _window(kernel: Any, stride: Any, padding: Any, dilation: Any,
            spatial: int) -> tuple[list[int], list[int], list[int], list[int]]:
    kernel = _each(kernel, spatial)
    return (kernel, _each(stride, spatial) if stride else kernel, _each(padding, spatial),
            _each(dilation, spatial))


def _max_pool(call: Call, x: Tensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any,
              shape: Sequence[int], spatial: int) -> Tensor:
    if x.type not in FLOATS:
        raise Unsupported(f"pooling of {x.type}")
    kernel, stride, padding, dilation = _window(kernel_size, stride, padding, dilation, spatial)
    out = shape[len(shape) - spatial:]
    padded = _fit(call, x, kernel, stride, padding, dilation, out, -math.inf)
    return _windows(call, padded, kernel, stride, dilation, out, -math.inf, maximum)


def _register_max_pool(spatial: int) -> None:
    @lowers(f"aten.max_pool{spatial}d_with_indices.default")
    def rule(call: Call, x: Tensor, kernel_size: Any, stride: Any = (), padding: Any = 0,
             dilation: Any = 1, ceil_mode: bool = False) -> tuple:
        shape = shape_of(call.value[0])
        best = _max_pool(call, x, kernel_size, stride, padding, dilation, shape, spatial)
        if not call.used(1):
            return best, None
        kernel, stride, padding, dilation = _window(kernel_size, stride, padding, dilation, spatial)

        def place(b: Body, d: int, out: Scalar, offset: Scalar) -> Scalar:
            return _place(b, out, offset, stride[d], padding[d], dilation[d])

        return best, _first_places(call, x, best, kernel, place)


def _place(b: Body, out: Scalar, offset: Scalar, stride: int, padding: int,
           dilation: int) -> Scalar:
    """Where in the input a window's element is, as i64; in the padding it is outside."""
    start = b.binary("arith.muli", b.convert(out, "i64"), b.constant(stride, "i64"))
    start = b.binary("arith.subi", start, b.constant(padding, "i64"))
    step = b.binary("arith.muli", b.convert(offset, "i64"), b.constant(dilation, "i64"))
    return b.binary("arith.addi", start, step)


def _inside(b: Body, place: Scalar, size: int) -> tuple[Scalar, Scalar]:
    """Whether a place is in a dimension, and the nearest index that is."""
    zero, last = b.constant(0, "i64"), b.constant(size - 1, "i64")
    inside = b.binary("arith.andi", b.compare("ge", place, zero), b.compare("le", place, last))
    near = b.binary("arith.minsi", b.binary("arith.maxsi", place, zero), last)
    return inside, near


def _first_places(call: Call, x: Tensor, best: Tensor, kernel: Sequence[int],
                  place: Callable[[Body, int, Scalar, Scalar], Scalar]) -> Tensor:
    """For each window the place of its maximum in the plane that the window is of: of equal
    ones the first, of NaNs the last.

    Args:
        best: the maxima.
        kernel: elements of a window; some may be outside, or be the same one twice.
        place: of an element of a window, in the window's dimension d.
    """
    f, spatial = call.f, len(kernel)
    lead, rank = len(x.shape) - spatial, len(x.shape)
    plane = x.shape[lead:]
    total = math.prod(plane)

    def key(b: Body, indices: list[Scalar], best: Scalar) -> Scalar:
        found, flat, at = b.constant(True, "i1"), b.constant(0, "i64"), list(indices[:lead])
        for d in range(spatial):
            inside, near = _inside(b, place(b, d, indices[lead + d], indices[rank + d]), plane[d])
            found = b.binary("arith.andi", found, inside)
            flat = b.binary("arith.addi", b.binary("arith.muli", flat, b.constant(plane[d], "i64")),
                            near)
            at.append(b.convert(near, "index"))
        value = b.read(x, at)
        is_nan = b.compare("ne", value, value)
        from_end = b.binary("arith.subi", b.constant(total - 1, "i64"), flat)
        found = b.binary("arith.andi", found,
                         b.binary("arith.ori", is_nan, b.compare("eq", value, best)))
        return b.select(found, b.select(is_nan, from_end, flat), b.constant(total - 1, "i64"))

    spread = f.reshape(best, [*best.shape, *[1] * spatial])
    keys = f.indexed([*best.shape, *kernel], "i64", key, [spread])
    first = f.reduce(keys, range(rank, rank + spatial), total - 1, minimum)

    def decode(b: Body, key: Scalar, best: Scalar) -> Scalar:
        from_end = b.binary("arith.subi", b.constant(total - 1, "i64"), key)
        return b.select(b.compare("ne", best, best), from_end, key)

    return f.elementwise([first, best], best.shape, "i64", decode)


def _register_max_pool_backward(spatial: int) -> None:
    @lowers(f"aten.max_pool{spatial}d_with_indices_backward.default")
    def rule(call: Call, gradient: Tensor, x: Tensor, kernel_size: Any, stride: Any, padding: Any,
             dilation: Any, ceil_mode: bool, places: Tensor) -> Tensor:
        # Each element of the input asks the windows that it is in whether it is their maximum.
        f = call.f
        kernel, stride, padding, dilation = _window(kernel_size, stride, padding, dilation, spatial)
        lead, rank = len(x.shape) - spatial, len(x.shape)
        out = gradient.shape[lead:]
        type = accumulator(x.type)

        def share(b: Body, indices: list[Scalar]) -> Scalar:
            asked, flat, at = b.constant(True, "i1"), b.constant(0, "i64"), list(indices[:lead])
            for d in range(spatial):
                here = b.convert(indices[lead + d], "i64")
                flat = b.binary("arith.addi",
                                b.binary("arith.muli", flat, b.constant(x.shape[lead + d], "i64")), here)
                step = b.binary("arith.muli", b.convert(indices[rank + d], "i64"),
                                b.constant(dilation[d], "i64"))
                start = b.binary("arith.subi", b.binary("arith.addi", here, b.constant(padding[d], "i64")),
                                 step)
                window = b.binary("arith.divsi", start, b.constant(stride[d], "i64"))
                exact = b.compare("eq", b.binary("arith.muli", window, b.constant(stride[d], "i64")), start)
                inside, near = _inside(b, window, out[d])
                asked = b.binary("arith.andi", asked, b.binary("arith.andi", exact, inside))
                at.append(b.convert(near, "index"))
            asked = b.binary("arith.andi", asked, b.compare("eq", b.read(places, at), flat))
            return b.select(asked, b.convert(b.read(gradient, at), type), b.constant(0, type))

        shares = f.indexed([*x.shape, *kernel], type, share)
        return f.convert(f.reduce(shares, range(rank, rank + spatial), 0, add), call.type)


def _register_adaptive_max_pool(spatial: int) -> None:
    @lowers(f"aten.adaptive_max_pool{spatial}d.default")
    def rule(call: Call, x: Tensor, output_size: Any) -> tuple:
        f = call.f
        if x.type not in FLOATS:
            raise Unsupported(f"pooling of {x.type}")
        shape = shape_of(call.value[0])
        lead, rank = len(shape) - spatial, len(shape)
        sizes = list(zip(x.shape[lead:], shape[lead:]))
        # The windows are of different lengths: what is beyond one is its last element again.
        kernel = [max(-(-(i + 1) * size // count) - i * size // count for i in range(count))
                  for size, count in sizes]

        def place(b: Body, d: int, out: Scalar, offset: Scalar) -> Scalar:
            size, count = sizes[d]
            out = b.convert(out, "i64")
            start = b.binary("arith.divsi", b.binary("arith.muli", out, b.constant(size, "i64")),
                             b.constant(count, "i64"))
            end = b.binary("arith.muli", b.binary("arith.addi", out, b.constant(1, "i64")),
                           b.constant(size, "i64"))
            end = b.binary("arith.addi", end, b.constant(count - 1, "i64"))
            last = b.binary("arith.subi", b.binary("arith.divsi", end, b.constant(count, "i64")),
                            b.constant(1, "i64"))
            return b.binary("arith.minsi", b.binary("arith.addi", start, b.convert(offset, "i64")), last)

        def element(b: Body, indices: list[Scalar]) -> Scalar:
            places = [b.convert(place(b, d, indices[lead + d], indices[rank + d]), "index")
                      for d in range(spatial)]
            return b.read(x, [*indices[:lead], *places])

        windows = f.indexed([*shape, *kernel], x.type, element)
        best = f.reduce(windows, range(rank, rank + spatial), -math.inf, maximum)
        return best, _first_places(call, x, best, kernel, place) if call.used(1) else None


def _register_avg_pool(spatial: int) -> None:
    @lowers(f"aten.avg_pool{spatial}d.default")
    def rule(call: Call, x: Tensor, kernel_size: Any, stride: Any = (), padding: Any = 0,
             ceil_mode: bool = False, count_include_pad: bool = True,
             divisor_override: int | None = None) -> Tensor:
        f = call.f
        if x.type not in FLOATS:
            raise Unsupported(f"pooling of {x.type}")
        kernel = _each(kernel_size, spatial)
        stride = _each(stride, spatial) if stride else kernel
        padding, ones = _each(padding, spatial), [1] * spatial
        out = call.shape[len(call.shape) - spatial:]
        wide = f.convert(x, accumulator(x.type))
        padded = _fit(call, wide, kernel, stride, padding, ones, out, 0)
        sums = _windows(call, padded, kernel, stride, ones, out, 0, add)
        lead = len(x.shape) - spatial

        def average(b: Body, indices: list[Scalar], sum: Scalar) -> Scalar:
            count = b.constant(divisor_override or 1, "i64")
            if not divisor_override:
                for d in range(spatial):
                    count = b.binary("arith.muli", count, extent(b, indices[lead + d], d))
            return b.convert(b.binary("arith.divf", sum, b.convert(count, sum.type)), call.type)

        def extent(b: Body, index: Scalar, d: int) -> Scalar:
            """How many elements of the window count."""
            size, p = x.shape[lead + d], padding[d]
            start = b.binary("arith.subi",
                             b.binary("arith.muli", b.convert(index, "i64"),
                                      b.constant(stride[d], "i64")), b.constant(p, "i64"))
            end = b.binary("arith.minsi",
                           b.binary("arith.addi", start, b.constant(kernel[d], "i64")),
                           b.constant(size + p, "i64"))
            if not count_include_pad:
                start = b.binary("arith.maxsi", start, b.constant(0, "i64"))
                end = b.binary("arith.minsi", end, b.constant(size, "i64"))
            return b.binary("arith.subi", end, start)

        return f.indexed(call.shape, call.type, average, [sums])


for _spatial in (1, 2, 3):
    if _spatial > 1:
        _register_max_pool(_spatial)
        _register_max_pool_backward(_spatial)
        _register_adaptive_max_pool(_spatial)
    _register_avg_pool(_spatial)
