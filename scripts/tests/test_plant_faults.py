# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Planting faults: what is drawn is the same every time, and is taken back."""

import importlib.util
import pathlib
import sys

import pytest

SCRIPT = pathlib.Path(__file__).parents[1] / "plant_faults.py"
CODE = """\
// a < b in a comment
int f(int a, int b) {
  assert(a < b);
  if (a < b && a != 7)
    call(a, "x < y");
  return std::min(a, b);
}
"""


@pytest.fixture
def script(monkeypatch):
    spec = importlib.util.spec_from_file_location("plant_faults_under_test", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def root(tmp_path):
    for name in ("A", "B", "C"):
        (tmp_path / "lib").mkdir(exist_ok=True)
        (tmp_path / "lib" / f"{name}.cpp").write_text(CODE)
    return tmp_path


def test_faults_of_lines(script):
    made = [fault.after.strip() for number, line in enumerate(CODE.split("\n"), 1)
            for fault in script.faults_of_line("A.cpp", number, line, script.code_of(CODE)[number - 1])]  # fmt: skip
    assert sorted(made) == sorted([
        "if (a <= b && a != 7)", "if (a < b && a == 7)", "if (a < b || a != 7)", "if (a < b && a != 8)", ";", "return std::max(a, b);"
    ])  # fmt: skip


def test_draws_are_the_same_and_of_a_file_each(script, root):
    faults = script.draw(3, 3, root)
    assert faults == script.draw(3, 3, root) != script.draw(4, 3, root)
    assert {fault.path for fault in faults} == {"lib/A.cpp", "lib/B.cpp", "lib/C.cpp"}


def test_a_fault_is_planted_where_its_line_is_now_and_taken_back(script, root):
    path = root / "lib" / "A.cpp"
    fault = script.Fault("lib/A.cpp", 4, "comparison", "  if (a < b && a != 7)", "  if (a <= b && a != 7)")
    moved = "int g();\n" * 3 + CODE
    path.write_text(moved)
    undo = script.plant(fault, root)
    assert path.read_text() == moved.replace("if (a < b && ", "if (a <= b && ")
    undo()
    assert path.read_text() == moved
    path.write_text(CODE.replace("a != 7", "a != 9"))
    with pytest.raises(RuntimeError, match="has no line"):
        script.plant(fault, root)


def test_first_failure(script):
    assert script.first_failure("lit: 3 passed\n          FAILED: a.mlir (FAIL)\n          FAILED: b\n") == "a.mlir (FAIL)"
