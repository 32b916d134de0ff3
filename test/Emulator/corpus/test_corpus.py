# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every kernel of the corpus on the emulator: right results whatever the order of its warps and the
number of host threads, the same counters every time, line by line too, no findings."""

import json
import math
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import cases  # noqa: E402
import compile_corpus  # noqa: E402

SCHEDULES = 4


@pytest.fixture(scope="session")
def emulate(build_folder):
    binary = build_folder / "bin" / "fusion-emulate"

    def run(case, folder, *options):
        """Runs a launch that was written to `folder`: its report with what is printed for --annotate, and the
        buffers afterwards."""
        report = folder / "report.json"
        command = [binary, case.ptx, f"--launch={folder / 'launch.json'}", f"--json={report}"]
        answer = subprocess.run(
            [*command, "--instruction-limit=20000000", *options],
            capture_output=True, text=True, timeout=300,
        )
        assert answer.returncode == 0, f"exit code {answer.returncode}\n{answer.stderr}"
        answers = json.loads(report.read_text())
        if "--annotate" in options:
            answers["listing"] = answer.stdout
        return answers, case.results(folder)

    return run


def test_launches_of_the_page():
    """docs/measurements/emulator.md has the number of launches of each source."""
    page = (HERE.parents[2] / "docs" / "measurements" / "emulator.md").read_text()
    given = dict(re.findall(r"^\| (\w+) \| (\d+) \| [\d.]+ \| [\d.]+ \| [\d.]+ \|$", page, re.MULTILINE))
    counts = dict.fromkeys(cases.sources(), 0)
    for name, source in cases.kernels().items():
        counts[source] += len(cases.cases_of(name))
    assert given == {name: str(count) for name, count in {**counts, "all": sum(counts.values())}.items()}


@pytest.mark.parametrize("name", cases.kernels())
def test_kernel(name, emulate, tmp_path):
    for i, case in enumerate(cases.cases_of(name)):
        where = f"case {i} {case.label}"
        folder = tmp_path / str(i)
        case.write(folder)
        report, results = emulate(case, folder, "--threads=1", "--l2=1048576")
        assert not case.problems(results), where
        for threads in (1, 2, 3):
            again = emulate(case, folder, f"--threads={threads}", "--l2=1048576")
            assert again == (report, results), f"{where}: not the same again, with {threads} host threads"
        drawn = emulate(case, folder, "--threads=1", "--seed=5", "--sanitize")
        assert emulate(case, folder, "--threads=3", "--seed=5", "--sanitize") == drawn, f"{where}: another schedule"
        lines, results = emulate(case, folder, "--threads=1", "--l2=1048576", "--annotate")
        again = emulate(case, folder, "--threads=2", "--l2=1048576", "--annotate")
        assert again == (lines, results), f"{where}: not the same line by line"
        assert lines.pop("listing"), where
        assert lines == report, f"{where}: not the same with --annotate"
        if case.varies:
            for seed in range(1, SCHEDULES + 1):
                options = ["--sanitize", f"--seed={seed}"]
                _, results = emulate(case, folder, *options)
                assert not case.problems(results), f"{where} {options}"
        else:
            _, results = emulate(case, folder, "--sanitize", "--seed=1", f"--schedules={SCHEDULES}")
            assert not case.problems(results), f"{where}, sanitized"


def test_every_kernel_has_cases():
    """A kernel without a launch would be no test."""
    entries = set()
    for path in HERE.glob("*.ptx"):
        entries |= set(re.findall(r"^\s*\.visible \.entry (\w+)\(", path.read_text(), re.MULTILINE))
    assert entries - compile_corpus.TESTED_ELSEWHERE == set(cases.kernels())
    assert len(entries) >= 40


@pytest.mark.parametrize("name", cases.kernels())
def test_blocks_meet_others(name):
    """What one block alone does would not show that it leaves others' work alone."""
    assert any(math.prod(cases.triple(case.grid)) >= 2 for case in cases.cases_of(name))


@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
@pytest.mark.parametrize("source", compile_corpus.sources())
def test_ptx_is_current(source):
    kept = (HERE / f"{source}.ptx").read_text()
    problem = compile_corpus.difference(kept, compile_corpus.compile_source(source))
    assert not problem, f"{source}.ptx is not what nvcc makes of {source}.cu: {problem}"


# What an H200 gave: KERNEL_CASE_BUFFER.
MEASURED = HERE.parents[2] / "benchmarks" / "results" / "h200" / "2026-11-27" / "fp8_wgmma.npz"


@pytest.mark.parametrize("name", ("wgmma_e4m3", "wgmma_e5m2"))
def test_fp8_sums_of_hopper(name):
    """The rule of docs/numerics.md, which is what the kernels must compute, gives the GPU's bits."""
    cases.kernels()
    measured = np.load(MEASURED)
    for i, case in enumerate(cases.cases_of(name)):
        *factors, result = case.buffers()
        for j, factor in enumerate(factors):
            assert factor.tobytes() == measured[f"{name}_{i}_{j}"].tobytes(), "the inputs of the GPU"
        assert result.expected.tobytes() == measured[f"{name}_{i}_2"].tobytes()


@pytest.mark.parametrize("terms, error, shift", [(512, 2.9e-4, -0.005), (4096, 1.2e-3, -0.066), (16384, 3.0e-3, -0.25)])
def test_errors_of_long_fp8_sums(terms, error, shift):
    """The table of docs/numerics.md."""
    from cases import formats, hopper_wgmma

    rng = np.random.default_rng(3)

    def errors(least):
        codes = (formats.to_fp8(rng.uniform(least, 1, (32, terms)), formats.E4M3) for _ in range(2))
        a, b = (formats.from_fp8(code, formats.E4M3).astype(np.float64) for code in codes)
        exact = a @ b.T
        return (hopper_wgmma.hopper_sums(a, b, np.zeros((32, 32))) - exact) / np.sqrt((exact**2).mean())

    assert np.sqrt((errors(-1) ** 2).mean()) == pytest.approx(error, rel=0.1)
    assert errors(0).mean() == pytest.approx(shift, rel=0.1)


def test_what_counts_as_wrong():
    values = np.array([1, np.nan, -0.0], np.float32)
    exact, close = cases.Out(values), cases.Out(values, same=1e-3)
    other_nan = values.copy()
    other_nan[1:2].view(np.uint32)[0] ^= 1
    for result in (exact, close):
        assert result.problem(values.tobytes()) is None
        assert result.problem(other_nan.tobytes()) is None
        assert "1 of 3 wrong, first at (1,)" in result.problem(np.nan_to_num(values).tobytes())
        assert result.problem(result.before()) is not None, "results that were never written"
    near = (values * np.float32(1.0005)).tobytes()
    assert exact.problem(near) is not None and close.problem(near) is None
    assert exact.problem(np.abs(values).tobytes()) is not None, "-0 is not 0"
    case = cases.Case(1, 1, [values, exact])
    assert case.problems([values.tobytes()] * 2) == []
    assert case.problems([near, values.tobytes()]) == ["buffer 0: an input was written"]
