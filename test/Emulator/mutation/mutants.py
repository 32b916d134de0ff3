# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The mutants of a kernel: one synchronising instruction taken out, moved, or made to do less.

    remove               taken out (the predicate of a test_wait or try_wait is true then)
    up, down             moved past all memory instructions before, after it, up to the next synchronising
                         instruction or the end of the basic block
    up-N, down-N         moved past the N nearest of them only
    up-sync, down-sync   moved past the next synchronising instruction of its basic block too
    hoist, sink          moved into the basic block before, after it: out of a loop or into one, else past the
                         nearest memory or synchronising instruction there
    not-first            left out the first time a loop comes by
    only-first           left out every time but the first
    more                 allowing one more group (wait_group N) to be pending
    no-expect            arrive.expect_tx arrives, but expects no bytes
    half                 expect_tx, complete_tx with half the bytes
    relaxed              an arrival or a wait at an mbarrier that orders no accesses
    other-phase          a wait of a parity, for the other one
    keep                 arrive_drop arrives, but stays for the phases to come
    twice                setmaxnreg, once more
    noinc                cp.async.mbarrier.arrive with .noinc where it has none, and the other way round

What moves takes along the arithmetic that its operands come from; it stops where a register would have
another value than at its place. The loop around a test_wait or try_wait moves as a whole.
"""

import re

from statements import Statement

# The longest slice of arithmetic that moves along, and the longest loop that is one wait.
MOST_ALONG = 48
LONGEST_WAIT = 16


class Unit:
    """What moves: statements, in order, with what they read and write together. `stays` is left where it was."""

    def __init__(self, body, indices, rewrite=None, stays=()):
        self.body = body
        self.indices = list(indices)
        self.rewrite, self.stays = rewrite or {}, set(stays)
        moving = [body.statements[i] for i in self.indices]
        # What its own braces declare is nobody else's.
        own = set().union(*(s.declared for s in moving))
        self.reads = set().union(*(s.reads for s in moving)) - own
        self.writes = set().union(*(s.writes for s in moving)) - own

    def names(self):
        return self.reads | self.writes

    def conflicts(self, statement):
        """Whether the unit may not pass the statement."""
        return bool(statement.writes & self.names() or statement.reads & self.writes)

    def take_along(self, index):
        """Lets arithmetic move with the unit; False where that cannot be."""
        statement = self.body.statements[index]
        if not statement.is_pure or len(self.indices) >= MOST_ALONG:
            return False
        self.indices = sorted([*self.indices, index])
        self.reads |= statement.reads
        self.writes |= statement.writes
        return True

    def placed(self, at):
        """The body with the unit before the statement `at`."""
        made, gone = [], set(self.indices)
        moving = [self.rewrite.get(i, self.body.statements[i]) for i in self.indices]
        for i, statement in enumerate([*self.body.statements, None]):
            if i == at:
                made.extend(moving)
            if statement is not None and (i not in gone or i in self.stays):
                made.append(statement)
        return self.body.text(made)


def unit_of(body, at):
    """What moves with the site: it alone, or the loop in which it waits."""
    if not body.statements[at].is_wait:
        return Unit(body, [at])
    s, first = body.statements, at
    while first > 0 and not (s[first].label or s[first].is_jump):
        if first != at and (s[first].is_memory or s[first].is_sync) or at - first > LONGEST_WAIT:
            return Unit(body, [at])
        first -= 1
    label, last = s[first].label, at + 1
    if not label:
        return Unit(body, [at])
    while s[last].target != label:
        # `@p bra DONE; bra WAIT; DONE:` is the other way to write it.
        leaves = s[last].target and body.labels.get(s[last].target, 0) > last
        if s[last].is_memory or s[last].is_sync or s[last].is_jump and not leaves or last - at > LONGEST_WAIT:
            return Unit(body, [at])
        last += 1
    if not s[last].guard:
        last += 1
        if not s[last].label:
            return Unit(body, [at])
    opened = sum((s[i].text == "{") - (s[i].text == "}") for i in range(first + 1, last + 1))
    if opened:
        # The label is inside the braces of inline assembly, which move as a whole.
        begin = body.opening_of(next(i for i in range(last + 1, len(s)) if s[i].text == "}"))
        end = next(i for i in range(last + 1, len(s)) if s[i].text == "}")
        return Unit(body, range(begin, end + 1))
    # Others may jump to the label, which stays.
    new = "$mutation_wait"
    rewrite = {first: Statement(f"{new}:")}
    for i in range(first + 1, last + 1):
        if s[i].target == label:
            rewrite[i] = Statement(s[i].text.replace(label, new))
    return Unit(body, range(first, last + 1), rewrite, [first])


class Walk:
    """A unit on its way up (-1) or down (1), past one statement after the other."""

    def __init__(self, body, at, step):
        self.body, self.step, self.unit = body, step, unit_of(body, at)
        self.next = self.unit.indices[0] - 1 if step < 0 else self.unit.indices[-1] + 1
        self.passed = []  # kinds of statements
        self.home = body.loops_at(at)

    def place(self):
        """Before which statement the unit stands now."""
        return self.next + 1 if self.step < 0 else self.next

    def is_defined(self):
        """Whether the registers that the unit reads have values here as well."""
        s = [self.body.statements[i] for i in self.unit.indices]
        needed = {name for name in self.unit.reads if name.startswith("%") and any(name in t.writes for t in self.body.statements)}
        for i, one in enumerate(s):
            needed -= {name for name in one.writes if not any(name in t.reads for t in s[: i + 1])}
        return all(self.body.is_defined(name, self.place()) for name in needed)

    def peek(self):
        return self.body.statements[self.next] if 0 <= self.next < len(self.body.statements) else None

    def at_boundary(self):
        statement = self.peek()
        return statement is not None and bool(statement.label or statement.is_jump)

    def pass_one(self):
        """Past one statement that does not end a basic block; False where the statement ends one."""
        s = self.peek()
        if s is None or self.at_boundary():
            return False
        if s.text in ("{", "}"):
            inner = self.next if s.text == "{" else self.body.opening_of(self.next)
            if self.body.declared_in(inner) & self.unit.names():
                return False
        elif s.is_directive:
            if s.declared & self.unit.names():
                return False
        elif self.unit.conflicts(s):
            if not self.unit.take_along(self.next):
                return False
        elif s.is_memory or s.is_sync:
            self.passed.append("memory" if s.is_memory else "sync")
        self.next += self.step
        return True

    def cross(self):
        """Over the end of the basic block; False where control does not go on in one place, or ends."""
        s = self.peek()
        if s is None or s.opcode.startswith(("brx", "ret", "exit", "call", "trap")) or self.unit.conflicts(s):
            return False
        if self.step > 0 and s.always_jumps:
            self.next = self.body.labels.get(s.target, len(self.body.statements))
            return self.next < len(self.body.statements)
        if self.step < 0 and s.label:
            before = self.body.statements[self.next - 1] if self.next else None
            if before is not None and before.always_jumps:
                comes = [i for i, t in enumerate(self.body.statements) if t.target == s.label]
                if len(comes) != 1:
                    return False
                self.next = comes[0]
        self.next += self.step
        return True


def moves(body, at):
    """{operation: text} of all that move the site."""
    made = {}
    for step, name in ((-1, "up"), (1, "down")):
        walk, places = Walk(body, at, step), []
        while walk.pass_one():
            if walk.passed and walk.passed[-1] == "sync":
                made[f"{name}-sync"] = walk.unit.placed(walk.place())
                break
            if len(walk.passed) > len(places):
                places.append(walk.unit.placed(walk.place()))
        for n, text in enumerate(places[:-1], 1):
            made[f"{name}-{n}"] = text
        if places:
            made[name] = places[-1]

        walk, crossed = Walk(body, at, step), False
        while not crossed or not walk.passed and body.loops_at(walk.place()) == walk.home:
            if walk.at_boundary():
                if not walk.cross():
                    break
                # Only what is passed beyond the boundary counts.
                crossed, walk.passed = True, []
            elif not walk.pass_one():
                break
        if crossed and (walk.passed or body.loops_at(walk.place()) != walk.home) and walk.is_defined():
            made["hoist" if step < 0 else "sink"] = walk.unit.placed(walk.place())
    return made


DECLARED = [
    ".reg .pred %mutation_p, %mutation_q;",
    ".reg .b32 %mutation_n, %mutation_half;",
    "mov.u32 %mutation_n, 0;",
]


def replaced(body, at, *texts, counts=False):
    """The module with other statements in the place of one."""
    made = [*body.statements[:at], *texts, *body.statements[at + 1 :]]
    return body.text([*DECLARED, *made] if counts else made)


def always(site):
    """What makes a wait's predicate true."""
    if not site.is_wait:
        return []
    predicate = site.operands[0]
    return [f"{'@' + site.guard + ' ' if site.guard else ''}setp.eq.u32 {predicate}, 0, 0;"]


def in_some_rounds(body, at, compare):
    """The site, executed where its number of the round compares like that with 0."""
    site = body.statements[at]
    plain = re.sub(r"^@\S+\s+", "", site.text)
    made = [*always(site), f"setp.{compare}.u32 %mutation_p, %mutation_n, 0;", "add.u32 %mutation_n, %mutation_n, 1;"]
    if site.guard.startswith("!"):
        made += [f"not.pred %mutation_q, {site.guard[1:]};", "and.pred %mutation_p, %mutation_p, %mutation_q;"]
    elif site.guard:
        made += [f"and.pred %mutation_p, %mutation_p, {site.guard};"]
    return replaced(body, at, *made, f"@%mutation_p {plain}", counts=True)


def changes(body, at):
    """{operation: text} of all that leave the site where it is."""
    site = body.statements[at]
    made = {"remove": replaced(body, at, *always(site))}
    if body.comes_back(at):
        made["not-first"] = in_some_rounds(body, at, "ne")
        made["only-first"] = in_some_rounds(body, at, "eq")
    if "wait_group" in site.opcode:
        more = re.sub(r"(\d+)(\s*;)$", lambda m: f"{int(m.group(1)) + 1}{m.group(2)}", site.text)
        made["more"] = replaced(body, at, more)
    if re.match(r"mbarrier\.arrive(_drop)?\.expect_tx", site.opcode):
        less = site.text.replace(".expect_tx", "").replace(", " + site.operands[-1] + ";", ";")
        made["no-expect"] = replaced(body, at, less)
    if re.search(r"\.(expect_tx|complete_tx)(\.|$)", site.opcode):
        count = site.operands[-1]
        body_of = site.text[: site.text.rindex(count)]
        if count.isdigit():
            made["half"] = replaced(body, at, f"{body_of}{int(count) // 2};")
        else:
            made["half"] = replaced(
                body, at, f"shr.u32 %mutation_half, {count}, 1;", f"{body_of}%mutation_half;", counts=True
            )
    if site.is_wait and ".parity" in site.opcode:
        parity = site.operands[2]
        made["other-phase"] = replaced(
            body,
            at,
            f"xor.b32 %mutation_half, {parity}, 1;",
            re.sub(rf"(\],\s*){re.escape(parity)}\b", r"\1%mutation_half", site.text, count=1),
            counts=True,
        )
    # What expects bytes tells of nothing that was done before.
    weaker = re.match(
        r"(mbarrier\.(?:arrive|arrive_drop|(?:test|try)_wait(?:\.parity)?))(?:\.(?:release|acquire)\.(cta|cluster))?"
        r"(?=\.shared|\.b64)", site.opcode)  # fmt: skip
    target = re.search(r"\.target\s+sm_(\d+)", body.before)
    if weaker and target and int(target.group(1)) >= 90:
        opcode = f"{weaker.group(1)}.relaxed.{weaker.group(2) or 'cta'}{site.opcode[weaker.end():]}"
        made["relaxed"] = replaced(body, at, site.text.replace(site.opcode, opcode, 1))
    if site.opcode.startswith("setmaxnreg"):
        made["twice"] = replaced(body, at, site.text, site.text)
    if "arrive_drop" in site.opcode:
        made["keep"] = replaced(body, at, site.text.replace("arrive_drop", "arrive"))
    if site.opcode.startswith("cp.async.mbarrier.arrive"):
        opcode = site.opcode.replace(".noinc", "") if ".noinc" in site.opcode else site.opcode.replace(".arrive", ".arrive.noinc")
        made["noinc"] = replaced(body, at, site.text.replace(site.opcode, opcode))
    return made


def mutants(body, at):
    """{operation: text} of the site `at`, a statement's index."""
    return {**changes(body, at), **moves(body, at)}
