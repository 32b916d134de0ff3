"""Test tiers: every test has one, a name that does not exist is an error, and parts and samples lose nothing."""

import collections
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
        return types.SimpleNamespace(iter_markers=lambda: [types.SimpleNamespace(name=mark) for mark in marks])

    assert conftest.tier_of(item("parametrize")) == "presubmit"
    assert conftest.tier_of(item("nightly", "parametrize")) == "nightly"
    # The parameters' mark is closer than the function's.
    assert conftest.tier_of(item("nightly", "full")) == "nightly"


def test_parts_of_python_tests_have_all(monkeypatch):
    parts_of = load(ROOT / "conftest.py", monkeypatch=monkeypatch).parts_of
    items = [types.SimpleNamespace(path=f"module {module}") for module, size in enumerate((30, 4, 9, 1, 7)) for _ in range(size)]
    for count in (1, 2, 3, 60):
        parts = parts_of(items, count)
        assert len(parts) == len(items) and set(parts) <= set(range(count))
        sizes = collections.Counter(parts)
        assert max(sizes.values()) <= len(items) / count + 9
    # Modules of more tests than a part are cut, others are not.
    whole = collections.defaultdict(set)
    for item, part in zip(items, parts_of(items, 2), strict=True):
        whole[item.path].add(part)
    assert [len(parts) for parts in whole.values()] == [2, 1, 1, 1, 1]


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
