# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and chains of two as linalg, in the canonical form of products.py.

Layouts: channels last (N spatial C, filter spatial C F) or, for 2-D, channels first (NCHW, FCHW).
"""

from linalg_builder import Function

CHANNELS_LAST = {1: "conv_1d_nwc_wcf", 2: "conv_2d_nhwc_hwcf", 3: "conv_3d_ndhwc_dhwcf"}


def output_size(size, kernel, stride, padding, dilation=1):
    return (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


def _convolve(f, x, kernel, stride, padding, dilation, channels_first):
    """x through the filter `kernel` with zero padding, as an f32 tensor."""
    rank = len(x.shape) - 2
    spatial = slice(2, None) if channels_first else slice(1, -1)
    kernel_spatial = slice(2, None) if channels_first else slice(0, rank)
    filters = kernel.shape[0] if channels_first else kernel.shape[-1]
    border = [0] * len(x.shape)
    border[spatial] = [padding] * rank
    padded = f.pad(x, border, border)
    out = [
        output_size(size, k, stride, padding, dilation)
        for size, k in zip(x.shape[spatial], kernel.shape[kernel_spatial], strict=True)
    ]
    shape = [x.shape[0], filters, *out] if channels_first else [x.shape[0], *out, filters]
    vector = f"vector<{rank}xi64>"
    attributes = f" {{dilations = dense<{dilation}> : {vector}, strides = dense<{stride}> : {vector}}}"
    operation = "conv_2d_nchw_fchw" if channels_first else CHANNELS_LAST[rank]
    return f.named(operation, [padded, kernel], shape, attributes)


def _arguments(f, batch, sizes, channels, filters, kernel, dtype, channels_first):
    rank = len(sizes)
    if channels_first:
        return (
            f.argument((batch, channels, *sizes), dtype),
            f.argument((filters, channels, *[kernel] * rank), dtype),
        )
    return (
        f.argument((batch, *sizes, channels), dtype),
        f.argument((*[kernel] * rank, channels, filters), dtype),
    )


def convolution(
    name, batch, sizes, channels, filters, kernel, stride, padding, dtype, dilation=1,
    channels_first=False,
):
    """One convolution over len(sizes) spatial dimensions."""
    f = Function(name)
    x, w = _arguments(f, batch, sizes, channels, filters, kernel, dtype, channels_first)
    f.result(f.cast(_convolve(f, x, w, stride, padding, dilation, channels_first), dtype))
    return f


def transposed_convolution(name, batch, sizes, channels, filters, kernel, stride, padding, dtype):
    """A transposed 2-D convolution, channels last: its input spread by the stride, then convolved.

    The filter is kernel x kernel x channels x filters and is applied as it is stored, i.e. it is the
    spatially flipped filter of the forward convolution's gradient.
    """
    f = Function(name)
    x, w = _arguments(f, batch, sizes, channels, filters, kernel, dtype, False)
    if stride > 1:
        spread = [(size - 1) * stride + 1 for size in sizes]
        zeros = f.filled((batch, *spread, channels), dtype)
        x = f.insert(x, zeros, [0, 0, 0, 0], [1, stride, stride, 1])
    f.result(f.cast(_convolve(f, x, w, 1, kernel - 1 - padding, 1, False), dtype))
    return f


def convolution_chain(
    name, batch, channels, height, width, filters1, filters2, kernel1, kernel2, stride1, stride2,
    dtype, channels_first=False,
):
    """Two 2-D convolutions with same padding, each followed by ReLU; the first is materialised."""
    f = Function(name)
    x, w1 = _arguments(
        f, batch, (height, width), channels, filters1, kernel1, dtype, channels_first
    )
    shape2 = (kernel2, kernel2, filters1, filters2)
    if channels_first:
        shape2 = (filters2, filters1, kernel2, kernel2)
    w2 = f.argument(shape2, dtype)
    for w, kernel, stride in ((w1, kernel1, stride1), (w2, kernel2, stride2)):
        x = _convolve(f, x, w, stride, kernel // 2, 1, channels_first)
        x = f.cast(f.map(x, lambda v: v.maximum(0.0)), dtype)
    f.result(x)
    return f
