# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The graph of libraries: of the project, and of small trees with planted faults."""

import pathlib
import re
import subprocess
import sys
import tomllib

SCRIPT = pathlib.Path(__file__).parents[1] / "library_graph.py"
REASONS = SCRIPT.parents[1] / "docs/style/large.toml"


def run(root=None, *arguments):
    command = [sys.executable, SCRIPT, *([f"--root={root}"] if root else []), *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def plant(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_no_library_is_in_a_cycle():
    status, text = run()
    assert status == 0 and "cycle" not in text, text
    heights = {line.split()[1].rstrip(":"): int(line.split()[0]) for line in text.splitlines() if line[0].isdigit()}
    assert heights["FusionTarget"] == 0
    order = ["GroupModel", "Masks", "ChainAnalysis", "Resources", "Cost", "SearchSpace", "ChainSearch", "Scheduling", "Pipelines"]
    placed = [heights[f"Fusion{name}"] for name in order]
    assert placed == sorted(placed)  # those of one height do not include one another


def test_a_cycle_is_found(tmp_path):
    plant(
        tmp_path,
        {
            "lib/A/CMakeLists.txt": "fusion_add_library(A\n  One.cpp\n  LINK_LIBS B)\n",
            "lib/B/CMakeLists.txt": "fusion_add_library(B\n  Two.cpp)\nfusion_add_library(C\n  Three.cpp)\n",
            "include/fusion/A/One.h": "",
            "include/fusion/B/Two.h": '#include "fusion/A/One.h"\n',
            "include/fusion/B/Loose.h": "",
            "lib/A/One.cpp": '#include "fusion/A/One.h"\n#include "fusion/B/Two.h"\n',
            "lib/B/Two.cpp": '#include "fusion/B/Two.h"\n',
            "lib/B/Three.cpp": '#include "fusion/B/Two.h"\n',
        },
    )
    status, text = run(tmp_path, "--headers")
    assert status == 1
    assert "cycle: A includes B: lib/A/One.cpp has include/fusion/B/Two.h" in text
    assert "cycle: B includes A" in text and "cycle: C" not in text
    # Two libraries share the folder, and neither has a source of this name.
    assert "no library: include/fusion/B/Loose.h" in text


def test_sources_of_vector_extensions_are_of_their_library(tmp_path):
    plant(
        tmp_path,
        {
            "lib/A/CMakeLists.txt": "fusion_add_library(A\n  One.cpp\n  HEADERS\n    Isa/Lanes.h)\n"
            "fusion_add_isa_sources(A\n  Isa/Loops.cpp)\n",
            "lib/B/CMakeLists.txt": "fusion_add_library(B\n  Two.cpp)\n",
            "lib/A/One.cpp": "",
            "lib/A/Isa/Lanes.h": "",
            "lib/A/Isa/Loops.cpp": '#include "A/Isa/Lanes.h"\n#include "B/Two.h"\n',
            "lib/B/Two.h": "",
            "lib/B/Two.cpp": '#include "B/Two.h"\n',
        },
    )
    status, text = run(tmp_path, "--headers")
    assert status == 0 and "no library" not in text
    assert "1 A: B" in text


def test_large_functions_and_classes(tmp_path):
    body = "".join(f"  call({i});\n" for i in range(90))
    plant(
        tmp_path,
        {
            "lib/A/CMakeLists.txt": "fusion_add_library(A\n  One.cpp)\n",
            "lib/A/One.h": "class Wide {\npublic:\n  void f();\n};\n",
            "lib/A/One.cpp": f"static void large(int a,\n                  int b) {{\n{body}}}\n\nvoid small() {{\n}}\n",
            **{f"lib/A/Wide{i}.cpp": f"void Wide::f{i}() {{\n}}\n" for i in range(6)},
        },
    )
    status, text = run(tmp_path, "--functions", "--classes")
    assert status == 0
    assert "93 lines: lib/A/One.cpp:1" in text and "small" not in text
    assert "6 files: Wide" in text
    assert "lines" not in run(tmp_path, "--functions=100")[1]


def test_all_that_is_large_has_a_reason():
    _, text = run(None, "--functions", "--classes")
    listed = {
        "functions": re.findall(r"^\d+ lines: \S+ (.+?): (.*)$", text, re.MULTILINE),
        "classes": re.findall(r"^\d+ files: (.+?): (.*)$", text, re.MULTILINE),
    }
    reasons = tomllib.loads(REASONS.read_text())
    assert set(reasons) == set(listed)
    for kind, found in listed.items():
        without = [name for name, reason in found if not reason.endswith(".")]
        assert not without, f"split these {kind}, or say in {REASONS.name} why they are large: {without}"
        left = set(reasons[kind]) - {name for name, _ in found}
        assert not left, f"these {kind} are not large any more, take them out of {REASONS.name}: {left}"
