#!/usr/bin/env python3
# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes workloads as linalg modules in the canonical form.

    generate.py --list [--family=NAME]
    generate.py --family=gemm_chains_mcfuser --case=G1 --dtype=f16 -o G1.mlir
    generate.py --family=stitch_patterns --case=layer_norm_4096x768 --rows=64
    generate.py --chain=M,K,N,H,P --epilogue=bias,relu --transpose=1 --form=contract
    generate.py --all --dtype=f16 --output-dir=DIR

Sizes of a case can be changed by their names in its table (--batch=2, --rows=64, --seq=256); --list
shows them. As a module: workload(family, case, dtype, options, overrides).
"""

import argparse
import dataclasses
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import families as tables  # noqa: E402
import products  # noqa: E402
from families import DTYPES, Options  # noqa: E402


@dataclasses.dataclass(frozen=True)
class Workload:
    """One function: its IR, and what a host must know to run it and check its results."""

    family: str
    case: dict
    dtype: str
    entry: str
    text: str
    inputs: tuple  # (shape, element) of each
    outputs: tuple
    flops: int | None  # of the contractions; None without contractions
    bytes: int  # what is read of the inputs, once, and outputs written once


def workload(family, case, dtype, options=Options(), overrides=None):
    """Builds a case. family: a name or a Family; case: a name; overrides: {size: number}."""
    if isinstance(family, str):
        if family not in tables.families():
            raise ValueError(f"no family '{family}' ({', '.join(tables.families())})")
        family = tables.families()[family]
    if dtype not in DTYPES:
        raise ValueError(f"no data type '{dtype}' ({', '.join(DTYPES)})")
    sizes = family.case(case)
    for key, number in (overrides or {}).items():
        if not isinstance(sizes.get(key), int) or isinstance(sizes.get(key), bool):
            raise ValueError(f"case '{case}' of '{family.name}' has no size '{key}'")
        if number < 1:
            raise ValueError(f"--{key}={number}: sizes are at least 1")
        sizes[key] = number
    function = family.build(sizes, dtype, options)
    return Workload(
        family=family.name,
        case=sizes,
        dtype=dtype,
        entry=function.name,
        text=function.text(),
        inputs=tuple((value.shape, value.element) for value in function.arguments),
        outputs=tuple((value.shape, value.element) for value in function.results),
        flops=family.flops(sizes) if family.flops else None,
        bytes=sum(value.bytes for value in (*function.arguments, *function.results)) - function.unread_bytes,
    )


def _numbers(text):
    numbers = [int(part) for part in text.split(",")]
    if any(number < 0 for number in numbers):
        raise ValueError
    return numbers


def _words(text):
    return tuple(word for word in text.split(",") if word)


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", action="store_true", help="families, cases and their sizes")
    parser.add_argument("--all", action="store_true", help="every case, into --output-dir")
    parser.add_argument("--family", help="a table, see --list")
    parser.add_argument("--case", help="a case of the family")
    parser.add_argument("--chain", type=_numbers, metavar="M,K,N,H,...", help="a chain of any sizes")
    parser.add_argument("--dtype", default="f16", choices=DTYPES)
    parser.add_argument("-o", "--output", type=pathlib.Path, help="default: standard output")
    parser.add_argument("--output-dir", type=pathlib.Path)
    chain = parser.add_argument_group("chains", f"element-wise: {', '.join(products.ELEMENTWISE)}")
    chain.add_argument("--before", type=_words, default=(), help="on the first LHS")
    chain.add_argument("--between", type=_words, default=(), help="after every contraction but the last")
    chain.add_argument("--epilogue", type=_words, default=(), help="after the last contraction")
    chain.add_argument(
        "--transpose", type=_numbers, default=(), help="operands stored transposed; 0 is the first"
    )
    chain.add_argument("--form", choices=("named", "contract", "generic"), default="named")
    chain.add_argument("--2d", dest="two_dimensional", action="store_true", help="no batch dimension")
    parser.add_argument("--layout", choices=("nhwc", "nchw"), help="of 2-D convolutions")
    parsed, rest = parser.parse_known_args(arguments)
    overrides = {}
    for argument in rest:
        name, equals, number = argument.removeprefix("--").partition("=")
        if not argument.startswith("--") or not equals or not number.isdecimal():
            parser.error(f"unrecognized argument: {argument}")
        overrides[name] = int(number)
    return parser, parsed, overrides


def _list(family):
    for one in tables.families().values():
        if family in (None, one.name):
            print(one.name)
            for case in one.cases:
                sizes = (f"{k}={v}" for k, v in case.items() if k not in ("name", "network", "note"))
                print(f"  {case['name']:<24} {' '.join(sizes)}")


def main(arguments):
    parser, parsed, overrides = parse_arguments(arguments)
    options = Options(
        before=parsed.before,
        between=parsed.between,
        after=parsed.epilogue,
        transposed=tuple(parsed.transpose),
        form=parsed.form,
        two_dimensional=parsed.two_dimensional,
        channels_first=None if parsed.layout is None else parsed.layout == "nchw",
    )
    try:
        if parsed.list:
            _list(parsed.family)
        elif parsed.all:
            if not parsed.output_dir:
                parser.error("--all needs --output-dir")
            parsed.output_dir.mkdir(parents=True, exist_ok=True)
            for family in tables.families().values():
                if parsed.family in (None, family.name):
                    for case in family.cases:
                        built = workload(family, case["name"], parsed.dtype, options, overrides)
                        name = f"{family.name}-{case['name']}-{parsed.dtype}.mlir"
                        (parsed.output_dir / name).write_text(built.text)
        else:
            if parsed.chain:
                if len(parsed.chain) < 3 or min(parsed.chain) < 1:
                    parser.error("--chain takes at least three sizes, each at least 1")
                batch = overrides.pop("batch", None)
                family = tables.free_chain(parsed.chain, batch)
                case = family.cases[0]["name"]
            elif parsed.family and parsed.case:
                family, case = parsed.family, parsed.case
            else:
                parser.error("name a --family and a --case, a --chain, --all or --list")
            built = workload(family, case, parsed.dtype, options, overrides)
            if parsed.output:
                parsed.output.write_text(built.text)
            else:
                sys.stdout.write(built.text)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
