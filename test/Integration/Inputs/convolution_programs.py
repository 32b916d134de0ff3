# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains of convolutions as linalg modules."""

import dataclasses
import random

# By layout and number of spatial dimensions; the filter's dimensions follow the name.
OPERATORS = {
    ("last", 1): "conv_1d_nwc_wcf",
    ("last", 2): "conv_2d_nhwc_hwcf",
    ("last", 3): "conv_3d_ndhwc_dhwcf",
    ("last_filters_first", 2): "conv_2d_nhwc_fhwc",
    ("first", 1): "conv_1d_ncw_fcw",
    ("first", 2): "conv_2d_nchw_fchw",
    ("first", 3): "conv_3d_ncdhw_fcdhw",
}


@dataclasses.dataclass
class Layer:
    filters: int
    kernel: tuple
    stride: tuple
    low: tuple  # zeros in front of each spatial dimension
    high: tuple
    dilation: tuple
    bias: bool = False
    relu: bool = False
    residual: bool = False  # what the layer is added to


@dataclasses.dataclass
class Program:
    batch: int
    sizes: tuple
    channels: int
    layout: str
    element: str
    layers: list

    def text(self):
        return _Writer(self).run()

    def describe(self):
        return f"{self.batch}x{'x'.join(map(str, self.sizes))}x{self.channels} {self.layout} {self.element} " + " ".join(
            f"{layer.filters}:{'x'.join(map(str, layer.kernel))}/{layer.stride}" for layer in self.layers
        )


def layer(filters, kernel=1, stride=1, padding=0, dilation=1, rank=2, high=None, **rest):
    each = lambda value: tuple(value) if isinstance(value, (tuple, list)) else (value,) * rank
    return Layer(filters, each(kernel), each(stride), each(padding), each(padding if high is None else high), each(dilation), **rest)


def output_sizes(sizes, layer):
    return tuple(
        (size + low + high - dilation * (kernel - 1) - 1) // stride + 1
        for size, low, high, dilation, kernel, stride in zip(sizes, layer.low, layer.high, layer.dilation, layer.kernel, layer.stride)
    )


def _type(shape, element):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


class _Writer:
    def __init__(self, program):
        self.p, self.lines, self.arguments, self.next = program, [], [], 0

    def value(self, text):
        name = f"%{self.next}"
        self.next += 1
        self.lines.append(f"    {name} = {text}")
        return name

    def argument(self, shape, element):
        name = f"%arg{len(self.arguments)}"
        self.arguments.append(f"{name}: {_type(shape, element)}")
        return name

    def shape(self, sizes, channels):
        return (self.p.batch, channels, *sizes) if self.p.layout == "first" else (self.p.batch, *sizes, channels)

    def run(self):
        p = self.p
        isInteger = p.element == "i8"
        sum_type = "i32" if isInteger else "f32"
        zero = "0" if isInteger else "0.0"
        self.lines.append(f"    %zero = arith.constant {zero} : {sum_type}")
        self.lines.append(f"    %pad = arith.constant {zero} : {p.element}")
        sizes, channels = p.sizes, p.channels
        x = self.argument(self.shape(sizes, channels), p.element)
        for number, l in enumerate(p.layers):
            rank = len(sizes)
            if any(l.low) or any(l.high):
                low, high = ([str(v) for v in self.around(side)] for side in (l.low, l.high))
                padded = tuple(size + a + b for size, a, b in zip(sizes, l.low, l.high))
                indices = ", ".join(f"%i{d}: index" for d in range(rank + 2))
                source = _type(self.shape(sizes, channels), p.element)
                sizes_in, target = padded, _type(self.shape(padded, channels), p.element)
                x = self.value(
                    f"tensor.pad {x} low[{', '.join(low)}] high[{', '.join(high)}] {{\n    ^bb0({indices}):\n"
                    f"      tensor.yield %pad : {p.element}\n    }} : {source} to {target}"
                )
            else:
                sizes_in = sizes
            filter_shape = {
                "last": (*l.kernel, channels, l.filters),
                "last_filters_first": (l.filters, *l.kernel, channels),
                "first": (l.filters, channels, *l.kernel),
            }[p.layout]
            w = self.argument(filter_shape, p.element)
            out = output_sizes(sizes, l)
            shape = self.shape(out, l.filters)
            result = _type(shape, sum_type)
            empty = self.value(f"tensor.empty() : {result}")
            filled = self.value(f"linalg.fill ins(%zero : {sum_type}) outs({empty} : {result}) -> {result}")
            attributes = ", ".join(
                f"{key} = dense<[{', '.join(map(str, values))}]> : tensor<{rank}xi64>"
                for key, values in (("dilations", l.dilation), ("strides", l.stride))
            )
            sum = self.value(
                f"linalg.{OPERATORS[p.layout, rank]} {{{attributes}}} ins({x}, {w} : {_type(self.shape(sizes_in, channels), p.element)}, "
                f"{_type(filter_shape, p.element)}) outs({filled} : {result}) -> {result}"
            )
            isLast = number + 1 == len(p.layers)
            x = self.finish(sum, shape, l, sum_type, sum_type if isInteger and isLast else p.element)
            sizes, channels = out, l.filters
        element = "i32" if isInteger else p.element
        type = _type(self.shape(sizes, channels), element)
        return "\n".join(
            [f"module {{\n  func.func @convolutions({', '.join(self.arguments)}) -> {type} {{", *self.lines, f"    return {x} : {type}\n  }}\n}}\n"]
        )

    def around(self, values):
        return (0, 0, *values) if self.p.layout == "first" else (0, *values, 0)

    def finish(self, sum, shape, l, sum_type, element):
        """Bias, residual and ReLU, rounded to the element type."""
        operands, types, maps = [sum], [_type(shape, sum_type)], []
        dims = ", ".join(f"d{d}" for d in range(len(shape)))
        maps.append(f"affine_map<({dims}) -> ({dims})>")
        isFloat = sum_type == "f32"
        if l.bias:
            operands.append(self.argument((l.filters,), sum_type))
            types.append(_type((l.filters,), sum_type))
            channel = 1 if self.p.layout == "first" else len(shape) - 1
            maps.append(f"affine_map<({dims}) -> (d{channel})>")
        if l.residual:
            operands.append(self.argument(shape, sum_type))
            types.append(_type(shape, sum_type))
            maps.append(maps[0])
        target = _type(shape, element)
        empty = self.value(f"tensor.empty() : {target}")
        names = [f"%e{i}" for i in range(len(operands))]
        body, value = [], names[0]
        for name in names[1:]:
            body.append(f"%s{len(body)} = arith.add{'f' if isFloat else 'i'} {value}, {name} : {sum_type}")
            value = f"%s{len(body) - 1}"
        if l.relu:
            body.append(f"%s{len(body)} = arith.max{'imumf' if isFloat else 'si'} {value}, %zero : {sum_type}")
            value = f"%s{len(body) - 1}"
        if element != sum_type:
            body.append(f"%s{len(body)} = arith.trunc{'f' if isFloat else 'i'} {value} : {sum_type} to {element}")
            value = f"%s{len(body) - 1}"
        if not body:
            self.lines.pop()
            return sum
        arguments = ", ".join([f"{n}: {sum_type}" for n in names] + [f"%out: {element}"])
        kinds = ", ".join(['"parallel"'] * len(shape))
        lines = "".join(f"      {line}\n" for line in body)
        return self.value(
            f"linalg.generic {{indexing_maps = [{', '.join([*maps, maps[0]])}], iterator_types = [{kinds}]}} "
            f"ins({', '.join(operands)} : {', '.join(types)}) outs({empty} : {target}) {{\n    ^bb0({arguments}):\n"
            f"{lines}      linalg.yield {value} : {element}\n    }} -> {target}"
        )


def chimera(case, shrink=4, channels=4, most=40):
    """A case of Chimera's table V with smaller images and fewer channels."""
    sizes = tuple(min(most, max(7, case[side] // shrink)) for side in ("H", "W"))
    less = lambda count: max(8, count // channels)
    return Program(
        case["batch"], sizes, less(case["IC"]), "last", "f16",
        [
            layer(less(case["OC1"]), case["k1"], case["stride1"], case["k1"] // 2, relu=True),
            layer(less(case["OC2"]), case["k2"], case["stride2"], case["k2"] // 2, relu=True),
        ],
    )  # fmt: skip


def draw(seed, work=1 << 24):
    """A random chain whose multiply-adds are at most about `work`."""
    r = random.Random(seed)
    while True:
        rank = r.choice((1, 2, 2, 2, 2, 3))
        layout = r.choice([name for name, n in OPERATORS if n == rank])
        element = r.choice(("f16", "f16", "f16", "bf16", "f32", "i8", "f8E4M3FN"))
        some = lambda: r.choice((r.randint(1, 40), 8 * r.randint(1, 8), 16 * r.randint(1, 4)))
        sizes = tuple(r.randint(1, {1: 90, 2: 20, 3: 7}[rank]) for _ in range(rank))
        program = Program(r.choice((1, 1, 2, 3)), sizes, some(), layout, element, [])
        channels, total, isOk = program.channels, 0, True
        for number in range(r.choice((1, 1, 2, 2, 3))):
            kernel = tuple(r.choice((1, 1, 2, 3, 3, 5)) if number == 0 else r.choice((1, 1, 1, 3)) for _ in range(rank))
            if r.random() < 0.4:
                kernel = (1,) * rank
            l = Layer(
                some(), kernel, tuple(r.choice((1, 1, 1, 2, 3)) for _ in range(rank)), tuple(r.choice((0, 0, 1, k // 2)) for k in kernel),
                tuple(r.choice((0, 0, 1, k // 2)) for k in kernel), tuple(r.choice((1, 1, 1, 2)) for _ in range(rank)),
                bias=r.random() < 0.4, relu=r.random() < 0.6, residual=r.random() < 0.2,
            )  # fmt: skip
            sizes = output_sizes(sizes, l)
            if min(sizes) < 1:
                isOk = False
                break
            points = program.batch
            for size in (*sizes, *l.kernel):
                points *= size
            total += points * channels * l.filters
            channels = l.filters
            program.layers.append(l)
        if isOk and 0 < total <= work:
            return program
