#!/usr/bin/env python3
# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the language of pages, comments, descriptions and messages (docs/style/README.md has the rules).

Phrases to avoid are in docs/style/phrases.toml. In pages and TableGen descriptions a sentence has at most 30 words
and a paragraph at most 120. Comments on functions of public headers do not begin with a word that refers to another
comment. Files in docs/style/unclean.txt are not clean yet: they are skipped, and the list may only shrink.

    check_prose.py                 checks every file but the unclean ones, and that these have findings
    check_prose.py FILE...         checks these files, unclean or not, and prints what to mend
    check_prose.py --shrink        takes files without findings, and files that are gone, off the list
    check_prose.py --all           counts the findings of all files
"""

import argparse
import ast
import fnmatch
import io
import pathlib
import re
import sys
import tokenize
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
PHRASES = pathlib.Path("docs/style/phrases.toml")
UNCLEAN = pathlib.Path("docs/style/unclean.txt")
MOST_SENTENCE_WORDS, MOST_PARAGRAPH_WORDS = 30, 120

FOLDERS = [".ci", "benchmarks", "cmake", "docs", "examples", "fuzz", "include", "lib", "python", "scripts", "test"]
FOLDERS += ["tools", "unittests"]
PATTERNS = ["*"] + [f"{folder}/**/*" for folder in FOLDERS]
# Pages from TableGen descriptions, which are checked where they are written, recorded results, and what tests leave.
GENERATED = ["docs/reference/*", "benchmarks/results/*", "*/__pycache__/*"]


class Prose:
    """Some text with the line that it begins at. `kind` is page, comment, opening, description or message."""

    def __init__(self, line, kind, text):
        self.line, self.kind, self.text = line, kind, plain(text)

    @property
    def has_lengths(self):
        return self.kind in ("page", "description")


def plain(text):
    """One line of text: inline code is the word `code`, links are their texts, abbreviations have no full stop."""
    text = re.sub(r"(`+).+?\1", "`code`", text, flags=re.DOTALL)
    text = re.sub(r"!?\[([^\]]*)\]\([^)\s]*\)", r"\1", text)
    text = re.sub(r"<!--.*?-->|<[a-z/][^>]*>", " ", text, flags=re.DOTALL)
    text = re.sub(r"\b(e\.g|i\.e|cf|etc|vs|Fig|Sec|No)\.", r"\1", text)
    return re.sub(r"\s+", " ", text.replace("**", "").replace("__", "")).strip()


def sentences(text):
    """The sentences of a paragraph. A full stop inside of a word or number ends none."""
    return re.sub(r"([.!?][\"')\]]*) +(?=[A-Z`\"'(\[0-9φ*])", r"\1\n", text).splitlines()


def count_words(text):
    return len(re.findall(r"[^\s]*\w[^\s]*", text))


def markdown(text, first_line=1, kind="page"):
    """The paragraphs, list items, headings and table cells of a page."""
    found, lines, start, fence, block = [], [], 0, None, kind

    def flush():
        nonlocal lines
        if lines:
            found.append(Prose(first_line + start, block, "\n".join(lines)))
        lines = []

    in_comment = False
    for number, line in enumerate(text.splitlines()):
        stripped = line.strip()
        if fence:
            fence = None if stripped.startswith(fence) else fence
            continue
        if match := re.match(r"(```+|~~~+)", stripped):
            flush()
            fence = match.group(1)
        elif in_comment or stripped.startswith("<!--"):
            flush()
            in_comment = "-->" not in stripped
        elif stripped.startswith("|"):
            flush()
            for cell in re.split(r"(?<!\\)\|", stripped.strip("|")):
                if re.search(r"\w", cell):
                    found.append(Prose(first_line + number, "cell", cell))
        elif stripped.startswith("#"):
            flush()
            found.append(Prose(first_line + number, "cell", stripped.lstrip("# ")))
        elif not stripped or (not lines and re.match(r"(?:    |\t)", line) and kind == "page"):
            flush()
        else:
            if match := re.match(r"(?:[*+-]|\d+[.)])\s+", stripped):
                flush()
                stripped = stripped[match.end() :]
            if not lines:
                start = number
            lines.append(stripped)
    flush()
    return found


def comments(text, markers, is_header=False):
    """Comments of source text: they are joined while they stand on lines of their own. `markers` begin a comment.

    Returns the comments and the text without them, with as many lines.
    """
    own_line = re.compile(rf"\s*({markers})(?!/|=|-|!)<? ?(.*)$")
    found, lines, start, rest = [], [], 0, []

    def flush(next_code=""):
        nonlocal lines
        if lines:
            body = "\n".join(line for _, line in lines)
            documents = lines[0][0] == "///" and is_header
            kind = "opening" if documents and "(" in next_code else "comment"
            paragraphs = markdown(body, start, "comment")
            if paragraphs and kind == "opening":
                paragraphs[0].kind = kind
            found.extend(paragraphs)
        lines = []

    for number, line in enumerate(text.splitlines(), 1):
        if number <= 8 and ("//===" in line or "License" in line or "SPDX" in line or "Part of the Fusion" in line):
            rest.append("")
            continue
        match = own_line.match(line)
        if match and not match.group(2).startswith(("===", "---", "NOLINT", "clang-format")):
            rest.append("")
            if re.match(DIRECTIVE, match.group(2)):
                flush()
                continue
            if not lines:
                start = number
            lines.append((match.group(1), match.group(2)))
            continue
        flush(line)
        without, comment = split_comment(line, markers)
        rest.append(without)
        if comment and not re.match(DIRECTIVE, comment):
            found.append(Prose(number, "comment", comment))
    flush()
    return found, "\n".join(rest)


def split_comment(line, markers="///|//"):
    """A line's code and the comment behind it."""
    before = "" if markers.startswith("/") else r"(?<!\S)"
    for match in re.finditer(rf'"(?:[^"\\]|\\.)*"|{before}(?:{markers})/*<? ?(.*)$', line):
        if match.group(1) is not None:
            return line[: match.start()], match.group(1)
    return line, ""


def messages(text):
    """Messages in C++ without comments: adjacent literals are one, and values that are joined with them are `N`."""
    found, message, start, end = [], None, 0, 0
    for match in re.finditer(r'R"(\w*)\((.*?)\)\1"', text, re.DOTALL):
        found += raw(match.group(2), text.count("\n", 0, match.start(2)) + 1)
    text = re.sub(r'R"(\w*)\(.*?\)\1"', lambda match: "\n" * match.group(0).count("\n"), text, flags=re.DOTALL)
    text = re.sub(r"(?m)^[ \t]*#[ \t]*include.*$", "", text)

    def flush():
        if message and " " in message and len(re.findall(r"[a-z]+", message)) > 3:
            found.append(Prose(start, "message", placeholders(message)))

    line, counted = 1, 0
    for match in re.finditer(r"'(?:[^'\\\n]|\\.)'|\"((?:[^\"\\\n]|\\.)*)\"", text):
        if match.group(1) is None:
            continue
        line, counted = line + text.count("\n", counted, match.start()), match.start()
        between = None if message is None else joint(text[end : match.start()])
        if between is None:
            flush()
            message, start = match.group(1), line
        else:
            message += between + match.group(1)
        end = match.end()
    flush()
    return found


def raw(text, first_line):
    """The lines of a raw string: a help text, or a page with a script, whose adjacent literals are joined."""
    text = re.sub(r"[\"'`]\s*\+\s*[\"'`]", lambda match: "\v" * match.group(0).count("\n"), text)
    text = re.sub(r"\$\{[^}]*\}", "N", text)
    found = []
    for line in text.split("\n"):
        if " " in line:
            found.append(Prose(first_line, "message", line.replace("\v", "")))
        first_line += 1 + line.count("\v")
    return found


def joint(glue):
    """What the text between two literals puts between their contents, or None where they are no one message."""
    if not glue.strip():
        return ""
    match = re.fullmatch(r"\s*\)*\s*(?:\+|<<)\s*(.*?)\s*(?:\+|<<)\s*(?:[\w:]+\()?\s*", glue, re.DOTALL)
    if not match:
        return "" if re.fullmatch(r"\s*\)*\s*(?:\+|<<)\s*(?:[\w:]+\()?\s*", glue) else None
    depth = 0
    for letter in match.group(1):
        depth += (letter in "([{") - (letter in ")]}")
        if depth < 0 or letter == ";" or (depth == 0 and letter in ",?:=" and "::" not in match.group(1)):
            return None
    return "N" if depth == 0 else None


def placeholders(message):
    """A message with `N` for each value that is formatted into it."""
    return re.sub(r"\{\d+(?:[,:][^{}]*)?\}|%(?:\d+\$)?[-+0#]*\d*(?:\.\d+)?(?:ll|l|z)?[dusxfgp]\b", "N", message)


# Lines of tests that are for lit, FileCheck and the verifier of diagnostics.
DIRECTIVE = r"!|[A-Z][A-Z0-9_-]*(?:\{[A-Z]+(?::\d+)?\})?:|expected-|COM:|-+$|noqa|type:|pragma|fmt:|shellcheck|mypy|pylint"


def code(text, is_header):
    """Comments and messages of C++."""
    found, rest = comments(text, "///|//", is_header)
    return found + messages(rest)


def scripts(text):
    """Comments of CMake, shell and tests in which a `#` begins one, and their messages."""
    found, rest = comments(text, "##?")
    for number, line in enumerate(rest.splitlines(), 1):
        for literal in re.findall(r'"((?:[^"\\]|\\.)*)"', line):
            if len(re.findall(r"\b[a-z]+\b", re.sub(r"\$\{?\w+\}?", "N", literal))) > 3 and " " in literal:
                found.append(Prose(number, "message", literal))
    return found


def python(text):
    """Comments, docstrings and messages of Python. A string of several lines is text for a program, and no message."""
    found, block, last = [], [], 0

    def flush():
        nonlocal block
        if block:
            found.extend(markdown("\n".join(block), last - len(block) + 1, "comment"))
        block = []

    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT:
            continue
        comment, line = re.sub(r"^#+ ?", "", token.string), token.start[0]
        alone = not token.line[: token.start[1]].strip()
        if not alone or line != last + 1 or re.match(DIRECTIVE, comment):
            flush()
        if re.match(DIRECTIVE, comment) or (line <= 8 and re.search("License|SPDX|Part of the Fusion", comment)):
            continue
        if alone:
            block.append(comment)
            last = line
        else:
            found.append(Prose(line, "comment", comment))
    flush()
    tree = ast.parse(text)
    documented = (ast.Module, ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)
    seen = set()
    for node in ast.walk(tree):
        if isinstance(node, documented) and (documentation := ast.get_docstring(node, clean=True)):
            seen.add(id(node.body[0].value))
            found += markdown(documentation, node.body[0].lineno, "comment")
    visit = [tree]
    while visit:
        node = visit.pop()
        if (message := string(node)) is not None and id(node) not in seen:
            message = message.strip("\n")
            if "\n" not in message and " " in message and len(re.findall(r"[a-z]+", message)) > 3:
                found.append(Prose(node.lineno, "message", placeholders(message)))
        else:
            visit += ast.iter_child_nodes(node)
    return found


def string(node):
    """The string that an expression builds, with `N` for values that are formatted into it, or None."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(string(value) or "N" for value in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = string(node.left), string(node.right)
        return None if left is None and right is None else (left or "N") + (right or "N")
    return None


def tablegen(text):
    """Summaries, descriptions and comments of a TableGen file."""
    found = []
    for match in re.finditer(r"let description = \[\{\n?(.*?)\}\];", text, re.DOTALL):
        found += markdown(dedent(match.group(1)), text[: match.start(1)].count("\n") + 1, "description")
    for match in re.finditer(r'let summary =\s*"((?:[^"\\]|\\.)*)"', text):
        found.append(Prose(text[: match.start(1)].count("\n") + 1, "comment", match.group(1)))
    outside = re.sub(r"\[\{.*?\}\]", lambda match: "\n" * match.group(0).count("\n"), text, flags=re.DOTALL)
    return found + [prose for prose in code(outside, False) if prose.kind != "message" or " " in prose.text]


def dedent(text):
    return re.sub(r"^ {4}", "", text, flags=re.MULTILINE)


def extract(path, text):
    """The prose of a file, by its name."""
    name, suffix = pathlib.PurePath(path).name, pathlib.PurePath(path).suffix
    if suffix == ".md":
        return markdown(text)
    if suffix == ".td":
        return tablegen(text)
    if suffix in (".py", ".cfg"):
        return python(text)
    if suffix == ".mlir":
        return comments(text, "//")[0]
    if suffix in (".cmake", ".sh", ".test") or name == "CMakeLists.txt":
        return scripts(text)
    if not suffix:
        return python(text) if "python" in text.partition("\n")[0] else scripts(text)
    return code(text, str(path).startswith("include/"))


class Rules:
    def __init__(self, text):
        data = tomllib.loads(text)
        self.avoid, self.opening, self.exempt = data["avoid"], data["opening"], data["exempt"]
        for rule in self.avoid + self.opening:
            rule["pattern"] = re.compile(rule["phrase"], re.IGNORECASE)
            rule["where"] = [re.compile(context, re.IGNORECASE) for context in rule.get("right", [])]

    def check(self, path, text):
        """(line, what to mend) of a file's prose."""
        found = []
        exempt = str(path) in self.exempt
        for prose in extract(path, text):
            if prose.has_lengths:
                found += self.lengths(prose)
            if exempt:
                continue
            if prose.kind == "opening":
                found += self.openings(prose)
            for sentence in sentences(prose.text):
                for rule in self.avoid:
                    if not any(fnmatch.fnmatch(str(path), glob) for glob in rule.get("files", [])):
                        found += [(prose.line, note) for note in self.phrases(rule, sentence)]
        return found

    @staticmethod
    def lengths(prose):
        words = count_words(prose.text)
        if words > MOST_PARAGRAPH_WORDS:
            yield prose.line, f"paragraph of {words} words: {prose.text[:60]} …"
        for sentence in sentences(prose.text):
            if (words := count_words(sentence)) > MOST_SENTENCE_WORDS:
                yield prose.line, f"sentence of {words} words: {sentence[:60]} …"

    @staticmethod
    def phrases(rule, sentence):
        if any(context.search(sentence) for context in rule["where"]):
            return
        for match in rule["pattern"].finditer(sentence):
            around = sentence[max(0, match.start() - 30) : match.end() + 30]
            yield f"'{match.group(0).strip()}' in '{around}': say {rule['say']}"

    def openings(self, prose):
        for rule in self.opening:
            match = rule["pattern"].match(prose.text)
            if match and not any(context.match(prose.text) for context in rule["where"]):
                yield prose.line, f"a comment begins '{prose.text[:40]}': {rule['say']}"


SUFFIXES = {".md", ".td", ".h", ".cpp", ".c", ".cu", ".cuh", ".py", ".cfg", ".mlir", ".cmake", ".sh", ".test"}


def is_prose(path):
    """Whether a file has prose that is checked. Scripts have no suffix, but name their interpreter."""
    if not path.is_file():
        return False
    if path.suffix:
        return path.suffix in SUFFIXES or path.name == "CMakeLists.txt"
    with path.open("rb") as file:
        return file.read(2) == b"#!"


def files(root=ROOT):
    """The files with prose, relative to the root."""
    found = set()
    for pattern in PATTERNS:
        for path in root.glob(pattern):
            name = path.relative_to(root)
            if is_prose(path) and not any(fnmatch.fnmatch(str(name), glob) for glob in GENERATED):
                found.add(name)
    return sorted(found)


def unclean(root=ROOT):
    lines = (root / UNCLEAN).read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def check_tree(root=ROOT):
    """What is wrong with the tree: findings in clean files, and names on the list that are clean or gone."""
    rules = Rules((root / PHRASES).read_text())
    listed, problems = unclean(root), []
    names = {str(name) for name in files(root)}
    for name in sorted(names):
        found = rules.check(name, (root / name).read_text())
        if name not in listed:
            problems += [f"{name}:{line}: {note}" for line, note in found]
        elif not found:
            problems.append(f"{name} is clean: take it off {UNCLEAN} (check_prose.py --shrink)")
    problems += [f"{name} is no file with prose: take it off {UNCLEAN}" for name in listed if name not in names]
    return problems


def shrink(root=ROOT):
    rules = Rules((root / PHRASES).read_text())
    names = {str(name) for name in files(root)}
    kept = []
    for line in (root / UNCLEAN).read_text().splitlines():
        if line.startswith("#") or not line:
            kept.append(line)
        elif line in names and rules.check(line, (root / line).read_text()):
            kept.append(line)
    (root / UNCLEAN).write_text("\n".join(kept) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--shrink", action="store_true")
    parser.add_argument("--all", action="store_true")
    arguments = parser.parse_args()
    rules = Rules((ROOT / PHRASES).read_text())
    if arguments.shrink:
        return shrink()
    if arguments.all:
        counts = {str(name): len(rules.check(name, (ROOT / name).read_text())) for name in files()}
        for name, count in sorted(counts.items(), key=lambda item: -item[1]):
            if count:
                print(f"{count:5} {name}")
        dirty = sum(1 for count in counts.values() if count)
        print(f"{sum(counts.values())} findings in {dirty} of {len(counts)} files")
        return None
    if arguments.files:
        problems = []
        for file in arguments.files:
            path = pathlib.Path(file).resolve()
            name = path.relative_to(ROOT)
            problems += [f"{name}:{line}: {note}" for line, note in rules.check(name, path.read_text())]
    else:
        problems = check_tree()
    print("\n".join(problems))
    if not arguments.files:
        print(f"{len(problems)} problems; {len(unclean())} of {len(files())} files are not clean yet ({UNCLEAN})")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
