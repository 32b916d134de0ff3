# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing program smaller while it fails: what is computed becomes an argument, results go, sizes shrink, bodies lose operators."""

import copy

from random_chains import needed


def _cleaned(program):
    used = needed(program)
    program.statements = [s for s in program.statements if s.out in used]
    axes = {entry.partition("/")[0] for s in program.statements for entry in s.axes + (s.loops or [])}
    axes |= {entry.partition("/")[0] for s in program.statements for _, access in s.inputs for entry in access}
    program.sizes = {axis: size for axis, size in program.sizes.items() if axis in axes}
    return program


def _bodies(body):
    """Smaller expressions of the same type: an operand in the place of an operation."""
    operation, *operands = body
    if operation in ("x", "c", "i", "n"):
        return
    first = 1 if operation == "select" else 0
    for operand in operands[first:]:
        if operation not in ("positive", "float", "le", "lt", "ge", "eq", "and", "or", "iadd", "isub", "idiv"):
            yield operand
    for i, operand in enumerate(operands):
        if isinstance(operand, list):
            for smaller in _bodies(operand):
                yield [operation, *operands[:i], smaller, *operands[i + 1:]]  # fmt: skip


def _attempts(program):
    """Programs that are smaller by one thing, the smallest first."""
    if program.random_seed is not None:
        smaller = copy.deepcopy(program)
        smaller.random_seed = None
        yield smaller
    for i in range(len(program.results)):
        if len(program.results) > 1:
            smaller = copy.deepcopy(program)
            del smaller.results[i]
            yield _cleaned(smaller)
    # An earlier value in the place of the result.
    for s in program.statements:
        if s.kind != "argument" and s.out not in program.results:
            smaller = copy.deepcopy(program)
            smaller.results = [s.out]
            yield _cleaned(smaller)
    for i, s in enumerate(program.statements):
        if s.kind == "argument":
            continue
        if s.out not in program.results:
            smaller = copy.deepcopy(program)
            new = smaller.statements[i]
            new.kind, new.inputs, new.body, new.form, new.loops, new.tables = "argument", [], None, "generic", None, []
            yield _cleaned(smaller)
        # The value's input where it has the same form.
        for name, access in s.inputs:
            if list(access) == list(s.axes) and program.value(name).element == s.element:
                smaller = copy.deepcopy(program)
                for other in smaller.statements:
                    other.inputs = [[name if n == s.out else n, a] for n, a in other.inputs]
                    other.tables = [name if n == s.out else n for n in other.tables]
                smaller.results = [name if n == s.out else n for n in smaller.results]
                if len(set(smaller.results)) == len(smaller.results):
                    yield _cleaned(smaller)
    for axis, size in program.sizes.items():
        for new in (1, 16, 8 * (size // 16), size // 2, size - 1):
            if 1 <= new < size:
                smaller = copy.deepcopy(program)
                for other, same in program.sizes.items():
                    if same == size and (other == axis or new == 1 or size > 4):
                        smaller.sizes[other] = new
                yield smaller
                smaller = copy.deepcopy(program)
                smaller.sizes[axis] = new
                yield smaller
    for i, s in enumerate(program.statements):
        for body in _bodies(s.body) if s.body else ():
            smaller = copy.deepcopy(program)
            smaller.statements[i].body = body
            yield smaller


def reduce_program(program, fails, attempts=400):
    """The smallest program found by single steps, each of which keeps failing; after `attempts` programs it is enough."""
    isSmaller = True
    while isSmaller and attempts > 0:
        isSmaller = False
        for smaller in _attempts(program):
            attempts -= 1
            if attempts < 0:
                break
            try:
                stillFails = fails(smaller)
            except Exception:  # no legal program
                stillFails = False
            if stillFails:
                program, isSmaller = smaller, True
                break
    return program
