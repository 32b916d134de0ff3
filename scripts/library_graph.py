#!/usr/bin/env python3
# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints which library includes headers of which, from the bottom to the top, and what is unusually large.

    library_graph.py [--root=FOLDER] [--headers] [--functions[=LINES]] [--classes[=FILES]]

A library is a call of fusion_add_library in a CMakeLists.txt of lib/. The sources of fusion_add_isa_sources, which are
compiled once for each vector extension, belong to the library that the call names. A header belongs to the library that
compiles the source of its name in the mirrored folder; without one, to the library of the folder that lists it under
HEADERS.
--headers: headers that no library owns. --functions: functions of more lines than this (80). --classes: classes whose
members are defined in more files than this (5). Both with the reason that docs/style/large.toml gives.
Exit code 0; 1 where libraries include one another in a cycle.
"""

import argparse
import collections
import pathlib
import re
import sys
import tomllib

REASONS = pathlib.Path("docs/style/large.toml")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
LIBRARY = re.compile(r"^fusion_add_(library|isa_sources)\(\s*(\w+)(.*?)\)", re.DOTALL | re.MULTILINE)


def libraries(root):
    """{library: (folder, sources, headers)}; names of files are relative to lib/."""
    found = {}
    for listing in sorted((root / "lib").rglob("CMakeLists.txt")):
        folder = listing.parent.relative_to(root / "lib")
        text = re.sub(r"#[^\n]*", "", listing.read_text())
        for call, name, body in LIBRARY.findall(text):
            words, kind, lists = body.split(), "", collections.defaultdict(list)
            for word in words:
                if word in ("LINK_LIBS", "DEPENDS", "HEADERS", "LINK_COMPONENTS", "LIBS", "OBJECTS"):
                    kind = word
                elif word.endswith((".cpp", ".h")):
                    lists[kind].append(str(folder / word))
            if call == "library":
                found[name] = (str(folder), lists[""], lists["HEADERS"])
            else:
                found[name][1].extend(lists[""])
    return found


class Tree:
    def __init__(self, root):
        self.root = root
        self.libraries = libraries(root)
        self.owner = {}
        for name, (_, sources, headers) in self.libraries.items():
            for source in sources:
                self.owner[f"lib/{source}"] = name
                stem = source.rsplit(".", 1)[0]
                self.owner[f"lib/{stem}.h"] = self.owner[f"include/fusion/{stem}.h"] = name
            for header in headers:
                self.owner[f"lib/{header}"] = self.owner[f"include/fusion/{header}"] = name
        self.files = [
            path.relative_to(root).as_posix()
            for base in ("include/fusion", "lib")
            for path in sorted((root / base).rglob("*"))
            if path.suffix in (".h", ".cpp")
        ]

    def library_of(self, file):
        """A folder with one library owns all of its headers."""
        if file in self.owner:
            return self.owner[file]
        folder = re.sub(r"^(include/fusion|lib)/", "", file).rsplit("/", 1)[0]
        here = [name for name, (at, _, _) in self.libraries.items() if at == folder]
        return here[0] if len(here) == 1 else None

    def included(self, file):
        """The project's files that a file includes."""
        for name in INCLUDE.findall((self.root / file).read_text()):
            for path in (f"include/{name}", f"lib/{name}", f"{file.rsplit('/', 1)[0]}/{name}"):
                if (self.root / path).exists():
                    yield path
                    break

    def graph(self):
        """{library: {library: [(file, header)]}}."""
        edges = collections.defaultdict(lambda: collections.defaultdict(list))
        for file in self.files:
            mine = self.library_of(file)
            for header in self.included(file):
                theirs = self.library_of(header)
                if mine and theirs and mine != theirs:
                    edges[mine][theirs].append((file, header))
        return edges


def layers(names, edges):
    """Libraries by their height, and the libraries in or above a cycle."""
    placed, left, result = set(), set(names), []
    while left:
        now = sorted(name for name in left if set(edges.get(name, ())) <= placed)
        if not now:
            break
        result.append(now)
        placed |= set(now)
        left -= set(now)
    return result, left


def in_cycles(left, edges):
    """Those of `left` that reach themselves."""
    def reaches(start):
        seen, todo = set(), list(edges.get(start, ()))
        while todo:
            name = todo.pop()
            if name == start:
                return True
            if name not in seen:
                seen.add(name)
                todo += edges.get(name, ())
        return False

    return sorted(name for name in left if reaches(name))


def name_of(text):
    """The name of a function, with its class: the text before its parameters."""
    found = re.search(r"([\w:~]+(?: ?operator[^ (]+)?)\(", re.sub(r"^template\s*<[^{(]*?>\s", "", text))
    return re.sub(r"^(?:fusion|mlir)::", "", found.group(1)) if found else "?"


def long_functions(root, files, most):
    """(lines, file, line, name) of what begins and ends at the left margin."""
    found = []
    for file in files:
        begin, text = None, (root / file).read_text().splitlines()
        for number, line in enumerate(text, 1):
            if re.match(r"[A-Za-z_].*[^;:]$|template", line) and not re.match(r"(namespace|class|struct|enum|public|private)\b", line):
                begin = begin or number
            if line == "}" and begin:
                if number - begin + 1 > most:
                    found.append((number - begin + 1, file, begin, name_of(" ".join(text[begin - 1 : number]))))
                begin = None
            elif line.startswith(("};", "} //")) or line == "":
                begin = None if line.startswith("}") else begin
            if line.endswith(";") and not line.startswith((" ", "}")):
                begin = None
    return sorted(found, reverse=True)


def spread_classes(root, files, most):
    """(files, class) of classes whose members are defined in more source files than `most`."""
    where, declared = collections.defaultdict(set), set()
    for file in files:
        text = (root / file).read_text()
        declared |= set(re.findall(r"^(?:class|struct) (\w+)[^;]*$", text, re.MULTILINE))
        if file.endswith(".cpp"):
            for name in re.findall(r"^[^\s/].*?\b([A-Z]\w+)::~?\w+\(", text, re.MULTILINE):
                where[name].add(file)
    return sorted(
        ((len(found), name) for name, found in where.items() if len(found) > most and name in declared), reverse=True
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1])
    parser.add_argument("--headers", action="store_true")
    parser.add_argument("--functions", nargs="?", type=int, const=80)
    parser.add_argument("--classes", nargs="?", type=int, const=5)
    options = parser.parse_args()
    reasons = {"functions": {}, "classes": {}}
    if (options.root / REASONS).exists():
        reasons |= tomllib.loads((options.root / REASONS).read_text())
    tree = Tree(options.root)
    edges = tree.graph()
    order, left = layers(tree.libraries, edges)
    for height, names in enumerate(order):
        for name in names:
            print(f"{height} {name}: {', '.join(sorted(edges.get(name, ()))) or '-'}")
    cycles = in_cycles(left, edges)
    for name in sorted(left):
        print(f"? {name}: {', '.join(sorted(edges[name]))}")
    for name in cycles:
        for other in sorted(set(edges[name]) & set(cycles)):
            file, header = edges[name][other][0]
            print(f"cycle: {name} includes {other}: {file} has {header} ({len(edges[name][other])} such)")
    ownerless = [file for file in tree.files if tree.library_of(file) is None]
    if options.headers:
        print(*(f"no library: {file}" for file in ownerless), sep="\n")
    if options.functions:
        for lines, file, line, name in long_functions(options.root, tree.files, options.functions):
            print(f"{lines} lines: {file}:{line} {name}: {reasons['functions'].get(name, '?')}")
    if options.classes:
        for count, name in spread_classes(options.root, tree.files, options.classes):
            print(f"{count} files: {name}: {reasons['classes'].get(name, '?')}")
    return 1 if cycles else 0


if __name__ == "__main__":
    sys.exit(main())
