# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sum over the test runners: a failure is never lost, whatever the runner left behind."""

import json
import pathlib
import subprocess
import sys

import pytest

SCRIPT = pathlib.Path(__file__).parents[1] / "summarize_tests.py"

GTEST = """<testsuites><testsuite name="A">
<testcase name="one" classname="A" status="run" result="completed" time="0.1"/>
<testcase name="two" classname="A" status="run" result="completed" time="0.1">{two}</testcase>
<testcase name="three" classname="A" status="run" result="skipped" time="0"><skipped/></testcase>
</testsuite></testsuites>"""
PYTHON = """<testsuites><testsuite>
<testcase classname="t" name="a" time="0.1"/>
<testcase classname="t" name="b" time="0.1"><skipped type="pytest.skip" message="no torch"/></testcase>
<testcase classname="t" name="c" time="0.1">{c}</testcase>
</testsuite></testsuites>"""


@pytest.fixture
def results(tmp_path):
    """A folder in which all three suites pass: 1 + 2 + 2 passed, 1 + 1 + 1 skipped."""
    (tmp_path / "unit").mkdir()
    lit = [
        {"name": "a", "code": "PASS", "output": "", "elapsed": 0.5},
        {"name": "b", "code": "UNSUPPORTED", "output": "Missing required feature(s): ptxas"},
    ]
    write_lit(tmp_path, lit)
    (tmp_path / "ctest.xml").write_text(
        '<testsuite><testcase name="ATests" status="run" time="1"/></testsuite>'
    )
    (tmp_path / "unit" / "ATests.xml").write_text(GTEST.format(two=""))
    (tmp_path / "python.xml").write_text(PYTHON.format(c=""))
    for suite in ("lit", "unit", "python"):
        (tmp_path / f"{suite}.status").write_text("0\n")
        (tmp_path / f"{suite}.seconds").write_text("7\n")
    return tmp_path


def write_lit(folder, tests):
    (folder / "lit.json").write_text(json.dumps({"tests": tests}))


def summarize(folder, *suites):
    run = subprocess.run(
        [sys.executable, SCRIPT, folder, *(suites or ("lit", "unit", "python"))],
        capture_output=True,
        text=True,
    )
    return run.returncode, run.stdout.splitlines()


def test_all_pass(results):
    status, lines = summarize(results)
    assert (status, lines[-1]) == (0, "5 passed, 0 failed, 3 skipped")
    assert any("skipped 1: Missing required feature(s): ptxas" in line for line in lines)
    assert any("no torch" in line for line in lines)


def test_lit_failure(results):
    write_lit(results, [{"name": "a", "code": "FAIL"}, {"name": "b", "code": "UNRESOLVED"}])
    (results / "lit.status").write_text("1\n")
    status, lines = summarize(results, "lit")
    assert (status, lines[-1]) == (1, "0 passed, 2 failed, 0 skipped")
    assert any("FAILED: b (UNRESOLVED)" in line for line in lines)


def test_gtest_failure_is_named(results):
    (results / "unit" / "ATests.xml").write_text(GTEST.format(two='<failure message="no"/>'))
    status, lines = summarize(results, "unit")
    assert (status, lines[-1]) == (1, "1 passed, 1 failed, 1 skipped")
    assert any("FAILED: A.two" in line for line in lines)


def test_crash_of_an_executable(results):
    (results / "ctest.xml").write_text(
        '<testsuite><testcase name="ATests" status="fail" time="1"/></testsuite>'
    )
    (results / "unit" / "ATests.xml").unlink()
    status, lines = summarize(results, "unit")
    assert (status, lines[-1]) == (1, "0 passed, 1 failed, 0 skipped")


def test_crash_after_the_cases(results):
    (results / "ctest.xml").write_text(
        '<testsuite><testcase name="ATests" status="fail" time="1"/></testsuite>'
    )
    status, lines = summarize(results, "unit")
    assert (status, lines[-1]) == (1, "2 passed, 1 failed, 1 skipped")


def test_reason_of_a_skipped_file(results):
    text = "('/x/test_a.py', 9, \"Skipped: could not import 'torch': No module named 'torch'\")"
    skipped = f'<skipped type="pytest.skip" message="collection skipped">{text}</skipped>'
    (results / "python.xml").write_text(PYTHON.format(c=skipped))
    _, lines = summarize(results, "python")
    assert any(line.endswith("could not import 'torch': No module named 'torch'") for line in lines)


def test_a_filter_that_selects_nothing(results):
    (results / "unit" / "ATests.xml").write_text("<testsuites/>")
    status, lines = summarize(results, "unit")
    assert (status, lines[-1]) == (1, "0 passed, 1 failed, 0 skipped")
    assert any("FAILED: ATests (its filter selects no case)" in line for line in lines)
    # One part of several may have none.
    names = ("ATests-0", "ATests-1")
    tests = "".join(f'<testcase name="{name}" status="run" time="1"/>' for name in names)
    (results / "ctest.xml").write_text(f"<testsuite>{tests}</testsuite>")
    (results / "unit" / "ATests-0.xml").write_text(GTEST.format(two=""))
    (results / "unit" / "ATests-1.xml").write_text("<testsuites/>")
    assert summarize(results, "unit")[1][-1] == "2 passed, 0 failed, 1 skipped"


def test_parts_of_the_python_tests(results):
    (results / "python.xml").rename(results / "python-1.xml")
    (results / "python-2.xml").write_text(PYTHON.format(c='<failure message="no"/>').replace('classname="t"', 'classname="u"'))
    status, lines = summarize(results, "python")
    assert (status, lines[-1]) == (1, "3 passed, 1 failed, 2 skipped")
    assert any("FAILED: u.c" in line for line in lines)


def test_durations(results):
    write_lit(results, [{"name": "a", "code": "PASS", "elapsed": 0.5}, {"name": "b", "code": "PASS", "elapsed": 9.25}])
    _, lines = summarize(results)
    slowest = lines.index("slowest:")
    assert lines[slowest + 1].split() == ["9.2", "s:", "lit:", "b"]
    assert lines[slowest + 2].split() == ["0.5", "s:", "lit:", "a"]
    durations = json.loads((results / "durations.json").read_text())
    assert durations["lit"] == {"seconds": 7, "tests": {"a": 0.5, "b": 9.25}}
    assert durations["unit"]["tests"]["A.two"] == durations["python"]["tests"]["t.a"] == 0.1
    assert any(line.startswith("lit:") and line.endswith("in 7 s") for line in lines)


def test_folders_of_later_tiers(results):
    write_lit(results, [{"name": "a", "code": "PASS"}, {"name": "b", "code": "UNSUPPORTED", "output": "Test is unsupported"}])
    _, lines = summarize(results, "lit")
    assert any("skipped 1: the folder is of a later tier" in line for line in lines)


def test_python_error(results):
    (results / "python.xml").write_text(PYTHON.format(c='<error message="import"/>'))
    status, lines = summarize(results, "python")
    assert (status, lines[-1]) == (1, "1 passed, 1 failed, 1 skipped")


@pytest.mark.parametrize("suite", ["lit", "unit", "python"])
def test_missing_results_are_a_failure(results, suite):
    for name in ("lit.json", "ctest.xml", "python.xml"):
        (results / name).unlink()
    status, lines = summarize(results, suite)
    assert (status, lines[-1]) == (1, "0 passed, 1 failed, 0 skipped")


def test_runner_failure_without_failed_test(results):
    (results / "lit.status").write_text("2\n")
    status, lines = summarize(results)
    assert (status, lines[-1]) == (1, "5 passed, 1 failed, 3 skipped")


def test_nothing_ran_is_no_success(results):
    write_lit(results, [])
    status, lines = summarize(results, "lit")
    assert (status, lines[-1]) == (1, "0 passed, 0 failed, 0 skipped")
