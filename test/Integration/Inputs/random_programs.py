# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs drawn at random, through the whole pipeline and a device."""

import argparse
import collections
import json
import os
import re
import shlex
import subprocess
import sys

import numpy

import devices
from chain_programs import evaluate, text
from element_types import INTEGERS, from_bits, rounded
from reduce_program import reduce_program
from typed_bodies import makes_exact

# What a result may differ from NumPy's by, relative to the root mean square of its row: as docs/fusion-run.md.
ERRORS = {"f32": 1e-4, "f16": 2**-9, "bf16": 2**-6, "f8E4M3FN": 2**-2, "f8E5M2": 2**-1}


def numerics(program):
    """How products are computed, as options of a pipeline."""
    return "".join(" " + option.removeprefix("--") for option in program.options if "-products=" in option)


def command(program, path):
    words = ["fusion-run", path + ".mlir", *devices.words(program.device, program.chip), *program.options]
    if program.random_seed is None:
        return [*words, *(["--force-fusion"] if program.isForced else [])]
    seed, threshold = program.random_seed, (0, 1, 8, 15)[program.random_seed % 4]
    return [*words, devices.drawn(program.device, program.chip, seed, threshold, numerics(program))]


def run(program, path, facts=None):
    """What is wrong with a program, as a pair of a kind and a text; None where all is well."""
    with open(path + ".mlir", "w") as file:
        file.write(text(program))
    for name in (path + ".json", path + ".groups.mlir"):
        if os.path.exists(name):
            os.remove(name)
    words = command(program, path)
    try:
        done = subprocess.run([*words, f"--json={path}.json", "--output-dir=" + path], capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return "timeout", "ran longer than 300 s"
    said = done.stdout[-2000:] + done.stderr[-2000:]
    if " candidates is legal" in done.stderr:
        return None  # drawn too large, again and again
    if done.returncode == 2 and not has_products(program) and not check_numbers(program, path):
        done.returncode = 0  # digits that differences have left of values that are almost the same
    if done.returncode:
        found = re.search(r"(?:error|finding|LLVM ERROR|Assertion)[^\n]*", done.stderr)
        first = re.sub(r"[0-9]+", "#", found.group(0)) if found and done.returncode not in (2, 3) else ""
        return f"exit code {done.returncode} {first[:80]}", said
    with open(path + ".json") as file:
        (report,) = json.load(file)
    wrong = check_numbers(program, path)
    if wrong:
        return "numpy", wrong
    wrong = check_bytes(report)
    if wrong:
        return "bytes", wrong
    return check_remarks(program, path, report, facts)


def load(path, number, what, element):
    array = numpy.load(os.path.join(path, f"chain.{what}{number}.npy"))
    return array.astype(bool) if element == "i1" else from_bits(array, element)


def has_products(program):
    return any(s.kind == "product" for s in program.statements)


def sensitivity(program, arguments, exact, expected):
    """What the results are moved by where every operator that may round otherwise is off by that: differences of almost the same values
    have no digits left."""
    dice = numpy.random.default_rng(0)

    def disturbed(s, value):
        if s.out in exact or s.element in INTEGERS or s.kind not in ("map", "reduce", "product", "softmax"):
            return value
        return rounded(value * (1 + 2.0**-20 * dice.uniform(-1, 1, value.shape)), s.element)

    moved = [0.0] * len(expected)
    for _ in range(3):
        for i, (value, r) in enumerate(zip(evaluate(program, arguments, disturbed), expected)):
            difference = numpy.abs(value.astype(numpy.float64) - r)
            moved[i] = numpy.maximum(moved[i], numpy.where(numpy.isfinite(difference), difference, 0).max(initial=0))
    return moved


def check_numbers(program, path):
    given = [s for s in program.statements if s.kind == "argument"]
    arguments = [load(path, i, "input", s.element) for i, s in enumerate(given)]
    expected = evaluate(program, arguments)
    narrowest = max((ERRORS.get(s.element, 0) for s in program.statements), default=0)
    # Rounded more than twice in a row, errors add up as independent ones do.
    roundings = {}
    for s in program.statements:
        rounds = s.kind in ("product", "map", "reduce", "softmax") and ERRORS.get(s.element) == narrowest
        roundings[s.out] = max((roundings[name] for name, _ in s.inputs), default=0) + rounds
    narrowest *= max(1, max(roundings.values()) / 2) ** 0.5
    if "--f32-products=tf32" in program.options or "--f32-products=tf32-cut" in program.options:
        narrowest = max(narrowest, 2**-8)
    # What is cut off does not cancel.
    ofElement = 2**-9 if "--f32-products=tf32-cut" in program.options else 0
    exact = set()
    for s in program.statements:
        if makes_exact(s, exact):
            exact.add(s.out)
    for number, (name, r) in enumerate(zip(program.results, expected)):
        element = program.value(name).element
        a = load(path, number, "result", element)
        if element in INTEGERS or name in exact:
            differ = (a != r) & ~((a != a) & (r != r))
            if differ.any():
                at = tuple(int(i) for i in numpy.argwhere(differ)[0])
                return f"result {number}, exact: {differ.sum()} of {differ.size} differ from NumPy, at {at} {a[at]} instead of {r[at]}"
            continue
        a, r = a.astype(numpy.float64), numpy.asarray(r, numpy.float64)
        if a.shape != r.shape:
            return f"result {number}: shape {a.shape} instead of {r.shape}"
        finite = numpy.isfinite(r)
        squares = numpy.where(finite, r, 0) ** 2
        rms = numpy.sqrt(squares.sum() / max(finite.sum(), 1))
        if r.ndim:
            rms = numpy.maximum(rms, numpy.sqrt(squares.sum(-1, keepdims=True) / numpy.maximum(finite.sum(-1, keepdims=True), 1)))
        bound = max(narrowest, ERRORS[element]) * rms + max(ofElement, ERRORS[element]) * numpy.abs(r)

        def agreeing(bound):
            with numpy.errstate(all="ignore"):
                return numpy.where(finite, numpy.abs(a - r) <= bound, (a == r) | (numpy.isnan(a) & numpy.isnan(r)))

        agrees = agreeing(bound)
        if not agrees.all() and not has_products(program):
            agrees = agreeing(bound + 4 * sensitivity(program, arguments, exact, expected)[number])
        if not agrees.all():
            at = tuple(int(i) for i in numpy.argwhere(~agrees)[0])
            return f"result {number}: {(~agrees).sum()} of {r.size} differ from NumPy, at {at} {a[at]} instead of {r[at]}"
    return None


def check_bytes(report):
    for kernel in report["kernels"]:
        counted, predicted = kernel["counters"], kernel["predicted"]
        if not counted or not predicted or predicted["global_load_bytes"] is None:
            continue
        # Of synchronous loads LLVM leaves out what it has in registers already.
        if counted["global_load_bytes"] > predicted["global_load_bytes"]:
            return f"{kernel['name']} loads {counted['global_load_bytes']} of {predicted['global_load_bytes']}: {kernel['schedule']}"
        if counted["global_store_bytes"] != predicted["global_store_bytes"]:
            return f"{kernel['name']} stores {counted['global_store_bytes']} of {predicted['global_store_bytes']}: {kernel['schedule']}"
        if predicted["shared_memory"] is not None and kernel["dynamic_shared_memory"] != predicted["shared_memory"]:
            return f"{kernel['name']} has {kernel['dynamic_shared_memory']} bytes of shared memory: {kernel['schedule']}"
    return None


def count_groups(module):
    """The groups of a module, those whose values another one reads, and the pairs of a maker and a reader one of which is stitched."""
    origin, handed, pairs, stitched = {}, set(), set(), []
    for line in module.splitlines():
        found = re.match(r"\s*(%\w+)(?::\d+)? = (fuse\.chain|fuse\.stitch|tensor\.\w+_shape)\b(.*)", line)
        if not found:
            continue
        name, operation, rest = found.groups()
        read = {origin[operand] for operand in re.findall(r"%\w+", rest) if operand in origin}
        if operation.startswith("tensor."):
            origin.update({name: group for group in read})
            continue
        handed |= read
        origin[name] = len(stitched)
        stitched.append(operation == "fuse.stitch")
        pairs |= {(maker, origin[name]) for maker in read if stitched[maker] or stitched[-1]}
    return len(stitched), len(handed), len(pairs)


# What one kernel would save, and why there are two all the same.
REASON = re.compile(r"not stitched with [^,]+, (whose values it reads|which reads the same values): "
                    r"one kernel would save (\d+ bytes and )?a launch of \d+\.\d+ us, but .{10,}")  # fmt: skip


def check_remarks(program, path, report, facts):
    """Every kernel that another one reads from has a reason, and every pair of a stitched one and another has its own, with numbers;
    counts kernels and reasons into `facts`."""
    if facts is None and len(report["kernels"]) == 1:
        return None
    products = numerics(program)
    done = subprocess.run(
        ["fusion-opt", path + ".mlir", f"--fuse-to-groups=chip={devices.chip_of(program.device, program.chip)} force-fusion={str(program.isForced).lower()}{products}", "--remarks-filter=fuse",
         "--mlir-print-debuginfo=false", "-o", path + ".groups.mlir"], capture_output=True, text=True)  # fmt: skip
    if done.returncode:
        return f"groups, exit code {done.returncode}", done.stderr[-2000:]
    with open(path + ".groups.mlir") as file:
        groups, handed, pairs = count_groups(file.read())
    missed = re.findall(r"\[Missed\] (\S+) \| Category:fuse \| Function=\S+ \| Remark=\"([^\"]*)\"", done.stderr)
    reasons = [(name, said) for name, said in missed if name != "loops-not-split"]
    if facts is not None:
        facts["one kernel" if groups == 1 else "several kernels"] += 1
        for name, said in reasons:
            facts[f"  {name}: " + re.sub(r"'\w+'|[0-9.]+", "*", said)[:110]] += 1
    if handed > len(reasons):
        return "no reason", f"{groups} groups, {handed} of which others read, and {len(reasons)} reasons\n" + "\n".join(
            said for _, said in reasons)  # fmt: skip
    apart = [said for name, said in reasons if name == "not-stitched"]
    for said in apart:
        if not REASON.fullmatch(said):
            return "no numbers", said
    explained = sum("whose values it reads" in said for said in apart)
    if pairs != explained:
        return "no reason of a pair", f"{pairs} pairs of groups, {explained} reasons\n" + "\n".join(apart)
    alone = [said for name, said in reasons if name == "alone" and "no contraction next to it" in said]
    if alone and not has_products(program):
        return "no product", alone[0]
    return None


def main(noun, draw, limit):
    """The command line of a test: seeds from FIRST on, each a program by draw(seed, most, limit, force). One without results is
    passed over."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--most", type=int, default=300)
    parser.add_argument("--limit", type=float, default=limit)
    parser.add_argument("--device", default="emulator", choices=devices.DEVICES)
    parser.add_argument("--force", action="store_true", help="what is legal is fused, whatever it costs")
    parser.add_argument("--raw", action="store_true", help="do not make failing programs smaller")
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    print(f"seeds {arguments.first} to {arguments.first + arguments.count - 1}")
    broken, facts = 0, collections.Counter()
    for seed in range(arguments.first, arguments.first + arguments.count):
        program = draw(seed, arguments.most, arguments.limit, arguments.force)
        if not program.results:
            continue
        program.device = arguments.device
        path = os.path.join(arguments.folder, f"seed{seed}")
        products = sum(s.kind == "product" for s in program.statements)
        if products:
            facts[f"{products} products"] += 1
        problem = run(program, path, facts)
        if problem is None:
            for name in (path + ".mlir", path + ".json", path + ".groups.mlir"):
                if os.path.exists(name):
                    os.remove(name)
            continue
        broken += 1
        kind, said = problem
        print(f"seed {seed}: {kind}\n{said}", flush=True)
        if not arguments.raw:
            attempt = path + ".smaller"
            # Crashes keep their message, wrong numbers stay wrong.
            program = reduce_program(program, lambda smaller: (run(smaller, attempt) or ("",))[0] == kind)
            run(program, path)
        print(f"  {shlex.join(command(program, path))}", flush=True)
    for name in sorted(facts):
        print(f"{facts[name]:5} {name}")
    print(f"{arguments.count} {noun}, {broken} broken")
    sys.exit(broken != 0)
