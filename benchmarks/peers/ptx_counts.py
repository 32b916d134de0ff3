# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How often each warp executes each basic block of a PTX kernel, counted by the kernel itself.

The emulator prints counts of lines for all warps together. Counts of single warps come from a copy of the kernel that
adds 1 to a number in global memory at the beginning of every basic block. The numbers are one array
[block of the grid][warp][basic block], the address of which is one more parameter. Only this copy is changed: counters,
results and machine code are those of the original.
"""

import bisect
import dataclasses
import re

COUNTS = "fusion_counts"  # the added parameter

# One of the lanes that execute the basic block together adds 1.
_COUNT = (
    " activemask.b32 %fusion_m; and.b32 %fusion_m, %fusion_m, %fusion_lt; setp.eq.u32 %fusion_p, %fusion_m, 0;"
    " @%fusion_p red.global.add.u32 [%fusion_base+{offset}], 1; "
)
_BEGIN = (
    " .reg .pred %fusion_p; .reg .b32 %fusion_m, %fusion_lt, %fusion_a, %fusion_b; .reg .b64 %fusion_base, %fusion_o;"
    " mov.u32 %fusion_a, %ctaid.z; mov.u32 %fusion_b, %nctaid.y; mov.u32 %fusion_m, %ctaid.y;"
    " mad.lo.u32 %fusion_a, %fusion_a, %fusion_b, %fusion_m; mov.u32 %fusion_b, %nctaid.x; mov.u32 %fusion_m, %ctaid.x;"
    " mad.lo.u32 %fusion_a, %fusion_a, %fusion_b, %fusion_m; mul.lo.u32 %fusion_a, %fusion_a, {warps};"
    " mov.u32 %fusion_m, %tid.z; mov.u32 %fusion_b, %ntid.y; mov.u32 %fusion_lt, %tid.y;"
    " mad.lo.u32 %fusion_m, %fusion_m, %fusion_b, %fusion_lt; mov.u32 %fusion_b, %ntid.x; mov.u32 %fusion_lt, %tid.x;"
    " mad.lo.u32 %fusion_m, %fusion_m, %fusion_b, %fusion_lt; shr.u32 %fusion_m, %fusion_m, 5;"
    " add.u32 %fusion_a, %fusion_a, %fusion_m; mul.wide.u32 %fusion_o, %fusion_a, {stride};"
    " ld.param.u64 %fusion_base, [" + COUNTS + "]; add.u64 %fusion_base, %fusion_base, %fusion_o;"
    " mov.u32 %fusion_lt, %lanemask_lt;\n"
)
_LABEL = re.compile(r"[$%\w]+\s*$")
_JUMP = re.compile(r"(@!?[%\w]+\s+)?(bra|brx|ret|exit|trap)\b")


@dataclasses.dataclass
class Kernel:
    """An entry of a PTX text, cut into basic blocks at its labels and jumps."""

    text: str
    parameters_end: int  # offset of the bracket that closes the parameters
    body: int  # offset behind the brace that opens the body
    starts: list  # the offset of the first instruction of each basic block
    block_of_line: dict  # the basic block of a line of the text; of a line with several, the last
    predicated: set  # lines with a predicated instruction

    def counting(self, warps):
        """The text with counts, for blocks of `warps` warps."""
        pieces = [(self.parameters_end, f"{self._separator()} .param .u64 {COUNTS}\n"),
                  (self.body, _BEGIN.format(warps=warps, stride=4 * len(self.starts)))]  # fmt: skip
        pieces += [(start, _COUNT.format(offset=4 * number)) for number, start in enumerate(self.starts)]
        text, done = [], 0
        for offset, added in pieces:
            text += [self.text[done:offset], added]
            done = offset
        return "".join(text) + self.text[done:]

    def _separator(self):
        before = self.text[: self.parameters_end].rstrip()
        return "" if before.endswith("(") else ","


def _statements(text, begin):
    """(offset, label or statement) of a body, up to the brace that closes it. Braces that open a statement are those
    of scopes, others belong to operands."""
    depth, start, i = 1, None, begin
    while depth:
        c = text[i]
        if text.startswith("//", i) or (start is None and text.startswith(".loc", i)):
            i = text.find("\n", i)
            i = len(text) if i < 0 else i
            continue
        if text.startswith("/*", i):
            i = text.index("*/", i) + 2
            continue
        if start is None and c in "{}":
            depth += 1 if c == "{" else -1
        elif c == ":" and start is not None and _LABEL.match(text[start:i]):
            yield start, text[start : i + 1]
            start = None
        elif c == ";":
            if start is not None:
                yield start, text[start:i]
            start = None
        elif start is None and not c.isspace():
            start = i
        i += 1


def parse(text, name):
    """The Kernel `name` of a PTX text. Functions that it calls are not counted."""
    found = re.search(rf"\.entry\s+{re.escape(name)}\s*\(", text)
    if not found:
        raise ValueError(f"there is no kernel '{name}' in the PTX")
    parameters_end = text.index(")", found.end())
    body = text.index("{", parameters_end) + 1
    lines = [0, *(match.end() for match in re.finditer("\n", text))]
    starts, block_of_line, predicated, is_new = [], {}, set(), True
    for offset, statement in _statements(text, body):
        if statement.endswith(":"):
            is_new = True
            continue
        if statement.startswith("."):
            continue
        if is_new:
            starts.append(offset)
            is_new = False
        first = bisect.bisect_right(lines, offset)
        for line in range(first, first + statement.count("\n") + 1):
            block_of_line[line] = len(starts) - 1
            if statement.startswith("@"):
                predicated.add(line)
        if _JUMP.match(statement):
            is_new = True
    return Kernel(text, parameters_end, body, starts, block_of_line, predicated)
