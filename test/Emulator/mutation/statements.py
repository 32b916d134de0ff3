# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The body of a PTX kernel as a list of statements: what each reads and writes, where control goes."""

import functools
import re

NAME = re.compile(r"[%$A-Za-z_][\w$]*")
LABEL = re.compile(r"([$\w]+):(?!:)")
SYNC = re.compile(
    r"(bar|barrier|membar|fence|cp\.async\.(commit_group|wait_group|wait_all|mbarrier)|"
    r"cp\.async\.bulk\.(commit_group|wait_group)|wgmma\.(fence|commit_group|wait_group)|"
    r"mbarrier\.(arrive|arrive_drop|expect_tx|complete_tx|test_wait|try_wait)|"
    r"tensormap\.cp_fenceproxy|setmaxnreg|griddepcontrol)(\.|$)"
)
MEMORY = re.compile(
    r"(ld|ldu|st|atom|red|ldmatrix|stmatrix|multimem|wgmma\.mma_async|wmma\.(load|store)|mbarrier\.(init|inval)|"
    r"tensormap\.replace|cp\.(reduce\.)?async\.(ca|cg|bulk))(\.|$)"
    r"(?!([\w:]+\.)*(param|local|const|prefetch)(\.|$))"
)
# Instructions without a result; others have it as operand 0.
NO_RESULT = re.compile(
    r"(st|red|membar|fence|bra|brx|ret|exit|trap|brkpt|cp|prefetch|prefetchu|setmaxnreg|griddepcontrol|nanosleep|discard|"
    r"applypriority|stmatrix|tensormap|pmevent|(bar|barrier)(?!.*\.red\.)|wmma\.store|mbarrier\.(init|inval|expect_tx|complete_tx)|"
    r"wgmma\.(fence|commit_group|wait_group))(\.|$)"
)


class Statement:
    """A label, a brace, a directive or an instruction."""

    def __init__(self, text):
        self.text = text
        match = LABEL.match(text)
        self.label = match.group(1) if match and "." not in text[match.end() :] else None
        self.is_directive = text.startswith(".") or bool(match and not self.label)
        self.opcode, self.guard, self.operands = "", "", []
        if not (self.label or self.is_directive or text in "{}"):
            match = re.match(r"(?:@(!?[%\w$]+)\s+)?([\w.:]+)\s*(.*?)\s*;$", text, re.DOTALL)
            if not match:
                raise SystemExit(f"error: '{text}' is no statement")
            self.guard, self.opcode = match.group(1) or "", match.group(2)
            self.operands = split(match.group(3))

    @functools.cached_property
    def declared(self):
        """Names that a directive declares, but for ranges (%r<9>), which only the body itself has."""
        if not self.is_directive or not self.text.startswith((".reg", ".param", ".shared", ".local")):
            return set()
        return set(NAME.findall(re.sub(r"\.\w+|%?\w+<\d+>", " ", self.text)))

    @functools.cached_property
    def writes(self):
        if not self.opcode or NO_RESULT.match(self.opcode):
            return set()
        if self.opcode.startswith("call"):
            return set(NAME.findall(self.operands[0])) if self.operands[0].startswith("(") else set()
        if not self.operands or self.operands[0].startswith("["):
            return set()
        return set(NAME.findall(self.operands[0])) - {"_"}

    @functools.cached_property
    def reads(self):
        first = 1 if self.writes and not self.opcode.startswith("wgmma.mma_async") else 0
        return set(NAME.findall(" ".join([self.guard, *self.operands[first:]])))

    @property
    def is_sync(self):
        return bool(SYNC.match(self.opcode))

    @property
    def is_memory(self):
        return bool(MEMORY.match(self.opcode))

    @property
    def is_wait(self):
        return bool(re.match(r"mbarrier\.(test|try)_wait", self.opcode))

    @property
    def is_jump(self):
        return bool(re.match(r"(bra|brx|ret|exit|call|trap)(\.|$)", self.opcode))

    @property
    def always_jumps(self):
        return self.is_jump and not self.guard and not self.opcode.startswith("call")

    @property
    def target(self):
        return self.operands[0] if self.opcode.startswith("bra") and self.operands else None

    @property
    def is_pure(self):
        """Whether it may be executed at another place with the same operands."""
        return bool(self.opcode) and not (
            self.is_sync or self.is_memory or self.is_jump
            or re.match(r"(shfl|vote|match|activemask|redux|elect|mma|wmma|movmatrix|ld|nanosleep|alloca|stack)", self.opcode)
        )


def split(operands):
    """At the commas outside of brackets."""
    parts, depth, begin = [], 0, 0
    for i, c in enumerate(operands):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append(operands[begin:i].strip())
            begin = i + 1
    return [*parts, operands[begin:].strip()] if operands.strip() else []


def statements(text):
    """The statements of a body, without comments."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    found, i = [], 0
    while True:
        while i < len(text) and text[i].isspace():
            i += 1
        if i == len(text):
            return found
        if text[i] in "{}":
            end = i + 1
        elif text.startswith((".loc", ".file"), i):
            end = (text + "\n").index("\n", i)
        elif (match := LABEL.match(text, i)) and not re.match(r"\s*\.(branchtargets|calltargets|callprototype)", text[match.end() :]):
            end = match.end()
        else:
            end = text.index(";", i) + 1
        found.append(Statement(" ".join(text[i:end].split())))
        i = end


class Body:
    """The statements of a kernel, between the lines of the module before and after."""

    def __init__(self, text, name):
        match = re.search(rf"\.entry\s+{re.escape(name)}\b", text)
        if not match:
            raise SystemExit(f"error: no kernel '{name}'")
        # Comments may hold braces, but keep their places.
        plain = re.sub(r"//[^\n]*", lambda m: " " * len(m.group()), text)
        first = plain.index("{", match.end())
        depth, last = 0, first
        while True:
            depth += (plain[last] == "{") - (plain[last] == "}")
            if depth == 0:
                break
            last += 1
        self.before, self.after = text[: first + 1], text[last:]
        self.statements = statements(text[first + 1 : last])
        self.labels = {s.label: i for i, s in enumerate(self.statements) if s.label}
        self.sites = [i for i, s in enumerate(self.statements) if s.is_sync]
        # Textual loops: from a label to a jump back to it.
        self.loops = []
        for i, s in enumerate(self.statements):
            if s.target in self.labels and self.labels[s.target] <= i:
                self.loops.append((self.labels[s.target], i))

    def text(self, statements):
        """The module with this body."""
        return "\n".join([self.before, *(s if isinstance(s, str) else s.text for s in statements), self.after])

    def loops_at(self, place):
        """The loops that have the place between the statements `place - 1` and `place` inside."""
        return {loop for loop in self.loops if loop[0] < place <= loop[1]}

    def comes_back(self, at):
        """Whether control that passes the statement may come to it again."""
        seen, left = set(), [at + 1]
        while left:
            i = left.pop()
            if i == at:
                return True
            if i in seen or i >= len(self.statements):
                continue
            seen.add(i)
            s = self.statements[i]
            if s.target in self.labels:
                left.append(self.labels[s.target])
            if s.opcode.startswith("brx"):
                left.extend(self.labels.values())
            if not s.always_jumps:
                left.append(i + 1)
        return False

    @functools.cached_property
    def before_each(self):
        """The statements from which control comes to each; -1 is the entry."""
        came = [set() for _ in range(len(self.statements) + 1)]
        came[0].add(-1)
        for i, s in enumerate(self.statements):
            if s.target in self.labels:
                came[self.labels[s.target]].add(i)
            if s.opcode.startswith("brx"):
                for at in self.labels.values():
                    came[at].add(i)
            if not s.always_jumps:
                came[i + 1].add(i)
        return came

    def is_defined(self, name, place):
        """Whether every way to the place before the statement `place` gives the register a value."""
        seen, left = set(), list(self.before_each[place])
        while left:
            i = left.pop()
            if i < 0:
                return False
            if i in seen or name in self.statements[i].writes:
                continue
            seen.add(i)
            left.extend(self.before_each[i])
        return True

    def declared_in(self, opening):
        """Names declared by the braces that begin there."""
        names, depth, i = set(), 1, opening + 1
        while depth:
            s = self.statements[i]
            depth += (s.text == "{") - (s.text == "}")
            if depth == 1:
                names |= s.declared
            i += 1
        return names

    def opening_of(self, closing):
        """Where the braces begin that end there."""
        depth, i = 1, closing
        while depth:
            i -= 1
            depth += (self.statements[i].text == "}") - (self.statements[i].text == "{")
        return i
