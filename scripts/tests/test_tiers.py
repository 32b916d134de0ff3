# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Test tiers: every test has one, a name that does not exist is an error, and parts and samples lose nothing."""

import dataclasses
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import types

import pytest

ROOT = pathlib.Path(__file__).parents[2]
TIERS = ("smoke", "presubmit", "full", "nightly")


@dataclasses.dataclass(frozen=True)
class Item:
    """A test as pytest collects it."""

    name: str
    marks: tuple

    def iter_markers(self):
        return iter([types.SimpleNamespace(name=mark) for mark in self.marks])


def load(path, *arguments, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["test", *arguments])
    spec = importlib.util.spec_from_file_location(path.stem + "_under_test", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("option", ["--tier=smole", "--tier=", "--nightlies"])
def test_unknown_tier(option):
    run = subprocess.run([ROOT / "scripts" / "test", option, "--no-build"], capture_output=True, text=True)
    assert run.returncode == 1 and "error: " in run.stderr and not run.stdout


def test_unknown_tier_of_lit(build_folder, llvm_tools):
    command = [sys.executable, llvm_tools / "lit", "--param", "tier=smole", build_folder / "test" / "Dialect" / "Tile" / "ops.mlir"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode and "no tier 'smole'" in run.stderr + run.stdout


def test_features_that_tests_require_exist():
    """What is required and never there would leave a test out for good."""
    text = (ROOT / "test" / "lit.cfg.py").read_text()
    features = set(re.findall(r"^#   ([\w, -]+?)(?:  .*)?$", text[: text.index("# Substitutions")], re.MULTILINE))
    features = {name.strip() for names in features for name in names.split(",")}
    assert {"full", "nightly", "ptxas"} <= features
    for path in (ROOT / "test").rglob("*"):
        if path.suffix in (".mlir", ".test", ".py", ".ptx") and "Inputs" not in path.parts:
            for words in re.findall(r"^\W*REQUIRES: (.*)$", path.read_text(errors="ignore"), re.MULTILINE):
                assert set(re.split(r"[,&|!() ]+", words)) - {""} <= features, path


def test_unit_tests_are_of_one_tier_each(build_folder):
    if not (build_folder / "CTestTestfile.cmake").exists():
        pytest.skip("the unit tests are not configured")
    listed = subprocess.run(["ctest", "--test-dir", build_folder, "--show-only=json-v1"], capture_output=True, text=True, check=True)
    tests = json.loads(listed.stdout)["tests"]
    assert tests
    for test in tests:
        (labels,) = [each["value"] for each in test["properties"] if each["name"] == "LABELS"]
        assert len(labels) == 1 and labels[0] in TIERS, test["name"]


def test_marks_of_python_tests(monkeypatch):
    conftest = load(ROOT / "conftest.py", monkeypatch=monkeypatch)

    def item(*marks):
        return Item("test", marks)

    assert conftest.tier_of(item("parametrize")) == "presubmit"
    assert conftest.tier_of(item("nightly", "parametrize")) == "nightly"
    # The parameters' mark is closer than the function's.
    assert conftest.tier_of(item("nightly", "full")) == "nightly"


def test_parts_of_python_tests_have_all(monkeypatch):
    conftest = load(ROOT / "conftest.py", monkeypatch=monkeypatch)
    tests = [Item(f"test {number}", ("nightly",) if number == 3 else ()) for number in range(8)]
    seen = []
    for part in ("1/3", "2/3", "3/3"):
        left, items = [], list(tests)
        hook = types.SimpleNamespace(pytest_deselected=lambda items, left=left: left.extend(items))
        options = {"--tier": "full", "--part": part}
        conftest.pytest_collection_modifyitems(types.SimpleNamespace(getoption=options.get, hook=hook), items)
        assert len(left) + len(items) == 8 and set(left) | set(items) == set(tests)
        seen += items
    assert sorted(seen, key=tests.index) == [test for test in tests if not test.marks]


def test_samples(monkeypatch):
    path = ROOT / "test" / "Integration" / "Inputs" / "sample.py"
    whole = load(path, "folder", monkeypatch=monkeypatch)
    assert whole.ORDERS == "--schedules=8" and whole.some(range(5), 2) == [0, 1, 2, 3, 4]
    assert not any(whole.is_left_out(4) for _ in range(8))
    sample = load(path, "folder", "--sample", "7", monkeypatch=monkeypatch)
    assert sys.argv == ["test", "folder", "7"] and sample.ORDERS == "--schedules=2"
    drawn = [sample.some(range(6), 2) for _ in range(3)]
    assert drawn == [[0, 3], [1, 4], [2, 5]]
    assert sample.some(iter("abc"), 3) == ["a", "b", "c"]
    assert sum(not sample.is_left_out(4) for _ in range(12)) == 3
