# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A lit test format: the examples in Markdown pages are tests.

In a page with at least one marked block, the blocks are taken in order, in a folder of the page's own
that looks like a checkout (benchmarks and scripts are links):

    ```mlir {file=chain.mlir}       is written to that file
    ```console {test}               runs each "$ command" and compares the output that follows it:
    $ fusion-opt chain.mlir         lines must be equal but for white space; a line "..." stands for
    module {                        any lines, "..." inside a line for any text
    ...
    ```
    ```python {needs=gpu}           needs what this machine or this interpreter may not have: other tests run it
    ```

A command that fails fails the test, unless its last output line is "[exit code N]". A comment
`<!-- requires: ptxas -->` anywhere in the page makes the page unsupported without that feature.
"""

import os
import pathlib
import re
import shutil
import subprocess

import lit.formats
import lit.Test

_FENCE = re.compile(r"^```(\w*)[ \t]*(?:\{(\w+)(?:=([^}\s]+))?\})?[ \t]*$")


def blocks(text):
    """(line number, kind, argument, content) of the marked blocks."""
    found, open_block = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if open_block is None:
            match = _FENCE.match(line)
            if match:
                open_block = (number, match.group(2), match.group(3), [])
        elif line.rstrip() == "```":
            number, kind, argument, lines = open_block
            if kind:
                found.append((number, kind, argument, "\n".join(lines) + "\n"))
            open_block = None
        else:
            open_block[3].append(line)
    return found


def commands(content):
    """(command, expected output lines) of a console block; a trailing \\ continues a command."""
    result, continued = [], False
    for line in content.splitlines():
        if continued:
            result[-1][0] += " " + line.strip()
        elif line.startswith("$ "):
            result.append([line[2:], []])
        elif result:
            result[-1][1].append(line)
        else:
            raise ValueError("a console block starts with '$ command'")
        continued = (line.startswith("$ ") or continued) and result[-1][0].endswith("\\")
        if continued:
            result[-1][0] = result[-1][0][:-1].rstrip()
    return [(command, expected) for command, expected in result]


def matches(expected, actual):
    """Whether the lines agree, "..." being any lines or any text."""

    def normal(lines):
        lines = [" ".join(line.split()) for line in lines]
        return [line for line in lines if line]

    expected, actual = normal(expected), normal(actual)
    pattern = ""
    for line in expected:
        if line == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*?".join(map(re.escape, line.split("..."))) + r"\n"
    return re.fullmatch(pattern, "".join(line + "\n" for line in actual)) is not None


def run_page(text, folder, environment):
    """None, or what went wrong. The page's files are written to `folder`."""
    for number, kind, argument, content in blocks(text):
        if kind == "file":
            path = pathlib.Path(folder) / argument
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        elif kind == "test":
            for command, expected in commands(content):
                problem = _run_command(command, expected, folder, environment)
                if problem:
                    return f"block at line {number}: $ {command}\n{problem}"
        elif kind == "needs" and argument in ("gpu", "torch"):
            continue
        else:
            return f"block at line {number}: unknown mark '{kind}'"
    return None


def _run_command(command, expected, folder, environment):
    wanted = 0
    if expected and (match := re.fullmatch(r"\[exit code (\d+)\]", expected[-1].strip())):
        wanted, expected = int(match.group(1)), expected[:-1]
    run = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if run.returncode != wanted:
        return f"exit code {run.returncode}, not {wanted}:\n{run.stdout}"
    if not matches(expected, run.stdout.splitlines()):
        wanted_text = "\n".join(expected)
        return f"--- expected\n{wanted_text}\n--- actual\n{run.stdout}"
    return None


class MarkdownFormat(lit.formats.TestFormat):
    """Every page in `pages` (paths relative to `root`) that has marked blocks is a test."""

    def __init__(self, root, patterns):
        self.root, self.patterns = pathlib.Path(root), patterns

    def getTestsInDirectory(self, suite, path_in_suite, lit_config, local_config):
        for pattern in self.patterns:
            for page in sorted(self.root.glob(pattern)):
                if blocks(page.read_text()):
                    # lit wants a path inside the suite; execute() turns it into the page again.
                    name = str(page.relative_to(self.root))
                    yield lit.Test.Test(suite, (*path_in_suite, name), local_config)

    def execute(self, test, lit_config):
        page = self.root / test.path_in_suite[-1]
        text = page.read_text()
        required = re.findall(r"<!-- requires: ([\w-]+) -->", text)
        missing = [name for name in required if name not in test.config.available_features]
        if missing:
            return lit.Test.Result(
                lit.Test.UNSUPPORTED, f"Missing required feature(s): {', '.join(missing)}"
            )
        folder = os.path.join(os.path.dirname(test.getExecPath()), page.stem + ".tmp")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        for name in ("benchmarks", "scripts"):
            os.symlink(self.root / name, os.path.join(folder, name))
        if lit_config.noExecute:
            return lit.Test.Result(lit.Test.PASS)
        try:
            problem = run_page(text, folder, dict(test.config.environment))
        except ValueError as error:
            problem = str(error)
        if problem:
            return lit.Test.Result(lit.Test.FAIL, f"{page}: {problem}")
        return lit.Test.Result(lit.Test.PASS)
