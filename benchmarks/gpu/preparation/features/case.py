# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a case is, and how modules and schedules of the integration tests become one."""

import contextlib
import dataclasses
import io
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "test" / "Integration" / "Inputs"))
sys.path.insert(0, str(ROOT / "benchmarks" / "workloads"))

import generate  # noqa: E402
from hand_schedule import schedule  # noqa: E402


@dataclasses.dataclass(frozen=True)
class Case:
    """module: text. schedule: of its only group; None: what the search chooses. options: of the compiler's pipeline."""

    name: str
    kind: str
    feature: str
    module: str
    schedule: str | None = None
    uses: tuple = ()
    options: str = "force-fusion=true"
    run: tuple = ()
    kernels: int | None = 1


def module_of(chain):
    """The text of a chain: of arguments of the workload generator, or text already."""
    if isinstance(chain, str):
        return chain
    return generate_text(*chain)


def generate_text(*arguments):
    """What benchmarks/workloads/generate.py prints for these arguments."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        status = generate.main(list(arguments))
    if status:
        raise ValueError(f"generate.py {' '.join(arguments)} ended with {status}")
    return out.getvalue()


def hand(name, kind, feature, chain, description, uses=(), **more):
    """A case under a schedule by hand; more: fields of `schedule`, and `case` for those of Case."""
    others = more.pop("case", {})
    return Case(name, kind, feature, module_of(chain), schedule(**(description | more)), tuple(uses), **others)


def staged(operands, count):
    return dict.fromkeys(operands, count)
