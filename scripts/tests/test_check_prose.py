# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The check of language, and the language of everything that is clean already."""

import pathlib
import re
import sys
import tomllib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import check_prose  # noqa: E402

TEXT = (ROOT / check_prose.PHRASES).read_text()
RULES = check_prose.Rules(TEXT)
PHRASES = tomllib.loads(TEXT)


def test_tree():
    """Clean files stay clean, and what has become clean leaves the list."""
    problems = check_prose.check_tree()
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("rule", PHRASES["avoid"], ids=lambda rule: rule["say"])
def test_phrases(rule):
    compiled = next(other for other in RULES.avoid if other["phrase"] == rule["phrase"])
    assert list(RULES.phrases(compiled, rule["bad"]))
    assert not list(RULES.phrases(compiled, rule["good"]))


@pytest.mark.parametrize("rule", PHRASES["opening"], ids=lambda rule: rule["say"])
def test_openings(rule):
    assert list(RULES.openings(check_prose.Prose(1, "opening", rule["bad"])))
    assert not list(RULES.openings(check_prose.Prose(1, "opening", rule["good"])))


def test_no_phrase_is_a_bare_word():
    for rule in PHRASES["avoid"]:
        for part in re.sub(r"\(\?[:=!<-][^()]*\)", "(…)", rule["phrase"]).split("|"):
            words = re.sub(r"\\b|[()?]", "", part)
            assert words not in ("row", "rows", "part", "parts", "product", "products", "walk", "turn", "spread"), rule


def found(name, text):
    return [note for _, note in RULES.check(pathlib.PurePath(name), text)]


def kinds(name, text):
    return [(prose.line, prose.kind, prose.text) for prose in check_prose.extract(name, text)]


def test_markdown():
    page = "# Title\n\nOne. Two\nlines.\n\n```sh\nin bulk\n```\n* item\n  goes on\n* other\n\n| a | in `b` |\n|---|---|\n"
    assert kinds("docs/x.md", page) == [
        (1, "cell", "Title"),
        (3, "page", "One. Two lines."),
        (9, "page", "item goes on"),
        (11, "page", "other"),
        (13, "cell", "a"),
        (13, "cell", "in `code`"),
    ]


def test_sentences():
    text = check_prose.plain("See e.g. [this](a.md) of 3.5 us. `x.y` is one. Is it? (Yes.) φ is. it is")
    assert check_prose.sentences(text) == [
        "See e.g this of 3.5 us.", "`code` is one.", "Is it?", "(Yes.)", "φ is. it is"]  # fmt: skip


def test_lengths():
    thirty = " ".join(["word"] * 30) + "."
    assert found("docs/x.md", thirty) == []
    assert len(found("docs/x.md", "one " + thirty)) == 1
    four = " ".join(["Word " + " ".join(["word"] * 29) + "."] * 4)
    assert found("docs/x.md", four) == []
    assert len(found("docs/x.md", four + " More.")) == 1
    assert found("docs/x.md", "| " + "word " * 40 + "|\n") == []
    assert found("lib/x.cpp", "// " + "word " * 40 + "\n") == []
    assert len(found("docs/x.md", "* " + "word " * 40 + "\n* " + "word " * 40 + "\n")) == 2


def test_code():
    text = """//===- X.h ----===//
//
// Part of the Fusion project
//===----===//

// A file comment
// on two lines.

/// The same of a function.
int f(int x);

int y = 0; ///< of all
auto z = "// no comment, but a long message"; // a comment
#include "some long name of file.h"
// A comment with
//   if (code) { }
"""
    prose = kinds("include/x.h", text)
    assert (6, "comment", "A file comment on two lines.") in prose
    assert (9, "opening", "The same of a function.") in prose
    assert (12, "comment", "of all") in prose
    assert (13, "message", "// no comment, but a long message") in prose
    assert (13, "comment", "a comment") in prose
    assert not any("file.h" in text for _, _, text in prose)
    assert len(found("include/x.h", text)) == 2  # an opening that is a phrase, too
    assert len(found("lib/x.cpp", text)) == 1


def messages(text):
    return [prose.text for prose in check_prose.extract("lib/x.cpp", text) if prose.kind == "message"]


def test_literals_of_one_message_are_joined():
    assert messages('f("one message that "\n  "is in two literals");') == ["one message that is in two literals"]
    assert messages('return name + " is executed by groups of " + std::to_string(n) +\n  " warps";') == [
        "is executed by groups of N warps"
    ]
    assert messages('emitError("has ") << n << " parts of type " << type;') == ["has N parts of type"]
    assert messages('std::string("the operand of ") + name + " is not here";') == ["the operand of N is not here"]
    assert messages('f(x ? "the first of these messages" : "the second of these messages");') == [
        "the first of these messages", "the second of these messages"]  # fmt: skip
    assert messages('formatv("fused {0} of them into {1:F1} kernels", n, m);') == ["fused N of them into N kernels"]
    assert messages("""char c = '"'; f("a message after a quote");""") == ["a message after a quote"]
    assert len(found("lib/x.cpp", 'return " is executed by groups of " + n + " warps";')) == 1


def test_raw_strings():
    page = 'auto page = R"html(<p>\n`Of ${n} candidates those ` +\n   \'that fit\'</p>)html";\nf("a message of four words");\n'
    assert messages(page) == ["`Of N candidates those that fit'", "a message of four words"]
    assert [line for line, _ in RULES.check("lib/x.cpp", page)] == [2]


def test_python():
    text = '''"""A module."""

# A comment
# on two lines.


def f(x):
    """Returns a value.

    It is large.
    """
    raise ValueError(f"the value {x} is in bulk, " "and wrong") from 1 + "no"  # and a comment


PROGRAM = """
// copied in bulk
"""
'''
    prose = kinds("python/x.py", text)
    assert (3, "comment", "A comment on two lines.") in prose
    assert (8, "comment", "Returns a value.") in prose
    assert (12, "message", "the value N is in bulk, and wrong") in prose
    assert (12, "comment", "and a comment") in prose
    assert not any("copied" in text for _, _, text in prose)
    assert len(found("python/x.py", text)) == 1


def test_lines_for_lit_are_no_prose():
    text = """// RUN: fusion-opt %s | FileCheck %s --check-prefix=A
// Copied in bulk
// CHECK-LABEL: copied in bulk
// CHECK-COUNT-2: copied in bulk
// A{LITERAL}: copied in bulk
// expected-error @below {{copied in bulk}}
func.func @f() // in bulk
"""
    assert kinds("test/x.mlir", text) == [(2, "comment", "Copied in bulk"), (7, "comment", "in bulk")]
    assert kinds("test/x.test", text.replace("//", "#"))[0] == (2, "comment", "Copied in bulk")


def test_scripts():
    text = '#!/usr/bin/env bash\n# A comment.\nsay "the folder $folder is not here" # why\n'
    assert kinds("scripts/x", text) == [
        (2, "comment", "A comment."),
        (3, "comment", "why"),
        (3, "message", "the folder $folder is not here"),
    ]


def test_tablegen():
    text = """def X {
  let summary = "A row of products";
  let description = [{
    First. Copied in bulk.

    ```mlir
    in bulk
    ```
  }];
}
"""
    assert kinds("include/x.td", text)[0] == (4, "description", "First. Copied in bulk.")
    assert len(found("include/x.td", text)) == 2


def test_exempt_files_have_lengths():
    assert found("docs/glossary.md", "in bulk") == []
    assert len(found("docs/glossary.md", "word " * 40)) == 1


def test_files_of_a_phrase():
    assert found("lib/Emulator/Async.cpp", "// Copied in bulk.\n") == []
    assert len(found("lib/Conversion/X.cpp", "// Copied in bulk.\n")) == 1


def make_tree(folder, pages, unclean):
    (folder / "docs" / "style").mkdir(parents=True)
    (folder / check_prose.PHRASES).write_text(TEXT)
    (folder / check_prose.UNCLEAN).write_text("# comment\n" + "".join(name + "\n" for name in unclean))
    for name, text in pages.items():
        (folder / name).write_text(text)


def test_list_of_unclean_files_only_shrinks(tmp_path):
    pages = {"docs/a.md": "Copied in bulk.\n", "docs/b.md": "Clean.\n", "docs/c.md": "Copied in bulk.\n"}
    make_tree(tmp_path, pages, ["docs/b.md", "docs/c.md", "docs/gone.md"])
    problems = check_prose.check_tree(tmp_path)
    assert len(problems) == 3
    assert problems[0].startswith("docs/a.md:1: 'in bulk'")
    assert "docs/b.md is clean" in problems[1] and "docs/gone.md is no file" in problems[2]
    check_prose.shrink(tmp_path)
    assert check_prose.unclean(tmp_path) == ["docs/c.md"]
    assert len(check_prose.check_tree(tmp_path)) == 1


def test_generated_pages_are_not_checked():
    names = {str(name) for name in check_prose.files()}
    assert not any(name.startswith(("docs/reference/", "benchmarks/results/")) for name in names)
    assert {"CMakeLists.txt", "scripts/test", "python/fusion/program.py", "test/Transforms/remarks.mlir"} <= names
