# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The format that runs the examples in Markdown pages."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
LLVM = subprocess.run(["llvm-config-22", "--prefix"], capture_output=True, text=True).stdout.strip()
sys.path[:0] = [str(ROOT / "test"), f"{LLVM}/utils/lit"]

import markdown_format  # noqa: E402


def page(*lines):
    return "\n".join(lines) + "\n"


def run(tmp_path, *lines):
    return markdown_format.run_page(page(*lines), tmp_path, dict(os.environ))


@pytest.mark.parametrize(
    "expected, actual, agree",
    [
        (["a", "b"], ["a", "b"], True),
        (["a", "b"], ["a", "c"], False),
        (["a"], ["a", "b"], False),
        (["a   b"], ["  a b"], True),
        (["a", "...", "d"], ["a", "b", "c", "d"], True),
        (["a", "...", "d"], ["a", "d"], True),
        (["a", "...", "d"], ["a", "b", "c"], False),
        (["x = ... us"], ["x = 12.5 us"], True),
        (["x = ... us"], ["x = 12.5 ms"], False),
        (["a.c"], ["abc"], False),
        ([], [], True),
        ([], ["a"], False),
    ],
)
def test_matches(expected, actual, agree):
    assert markdown_format.matches(expected, actual) == agree


def test_files_and_commands(tmp_path):
    lines = ("```mlir {file=sub/x.mlir}", "hello", "```", "text", "```console {test}")
    assert run(tmp_path, *lines, "$ cat sub/x.mlir", "hello", "$ echo one \\", "    two", "one two", "```") is None
    assert (tmp_path / "sub" / "x.mlir").read_text() == "hello\n"


def test_unmarked_blocks_do_not_run(tmp_path):
    assert run(tmp_path, "```console", "$ false", "```") is None
    assert markdown_format.blocks(page("```sh", "false", "```")) == []


@pytest.mark.parametrize(
    "lines, problem",
    [
        (["$ echo a", "b"], "--- expected\nb\n--- actual\na"),
        (["$ false"], "exit code 1, not 0"),
        (["$ true", "[exit code 1]"], "exit code 0, not 1"),
        (["$ false | true"], "exit code 1, not 0"),
        (["$ echo a"], "--- actual\na"),
    ],
)
def test_problems_are_found(tmp_path, lines, problem):
    found = run(tmp_path, "", "```console {test}", *lines, "```")
    assert found.startswith("block at line 2") and problem in found


def test_expected_failure(tmp_path):
    assert run(tmp_path, "```console {test}", "$ echo no; exit 3", "no", "[exit code 3]", "```") is None


def test_unknown_mark(tmp_path):
    assert "unknown mark 'tset'" in run(tmp_path, "```console {tset}", "$ true", "```")
