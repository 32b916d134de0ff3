# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The mutants of a kernel that take one swizzle of shared memory for another. Sites have a letter:

    m0 …  the tensor maps of a launch       swizzle-none, swizzle-32B, swizzle-64B, swizzle-128B
    d0 …  matrix descriptors of wgmma       the same: their bits 62 and 63
    a0 …  an exclusive or in an address     first, second: one of its operands alone; added: to a constant, as without a swizzle
"""

import re

from mutants import replaced

# The layouts of a matrix descriptor (PTX ISA, "Matrix Descriptor Format").
LAYOUTS = ("none", "128B", "64B", "32B")
ADDRESSED = re.compile(r"(ld|st)\.(?!param|global|local|const)|ldmatrix|stmatrix|cp\.async\.(ca|cg)")
CONSTANT = re.compile(r"-?(0x[0-9a-fA-F]+|\d+)")


def of_maps(arguments):
    """[(site, operation, (argument, swizzle), what it was)]."""
    maps = [i for i, argument in enumerate(arguments) if "tensor_map" in argument]
    made = []
    for site, i in enumerate(maps):
        own = arguments[i]["tensor_map"].get("swizzle", "none")
        made += [(f"m{site}", f"swizzle-{other}", (i, other), f"swizzle {own}") for other in LAYOUTS if other != own]
    return made


def of_descriptors(body):
    """[(site, operation, text, instruction)]. What names a layout is a constant of 64 bits, with the fields of sizes beside it."""
    made, site = [], 0
    if not any(s.opcode.startswith("wgmma.mma_async") for s in body.statements):
        return made
    for at, s in enumerate(body.statements):
        if not re.match(r"(or|mov|add)\.[bsu]64$", s.opcode) or not CONSTANT.fullmatch(s.operands[-1]):
            continue
        value = int(s.operands[-1], 0) & (1 << 64) - 1
        if not value >> 62 or value >> 48 & 0x3FF:
            continue
        for layout, other in enumerate(LAYOUTS):
            if layout == value >> 62:
                continue
            changed = value & (1 << 62) - 1 | layout << 62
            changed -= (changed >> 63) << 64
            text = s.text[: s.text.rindex(s.operands[-1])] + f"{changed};"
            made.append((f"d{site}", f"swizzle-{other}", replaced(body, at, text), s.text))
        site += 1
    return made


def of_addresses(body):
    """[(site, operation, text, instruction)] of each `xor` from which an address of shared memory is computed."""
    addresses = set()
    for s in body.statements:
        if ADDRESSED.match(s.opcode):
            place = next((operand for operand in s.operands if operand.startswith("[")), "")
            addresses |= set(re.findall(r"%\w+", place))
    before = None
    while before != len(addresses):
        before = len(addresses)
        for s in body.statements:
            if s.is_pure and s.writes & addresses:
                addresses |= {name for name in s.reads if name.startswith("%")}
    made, site = [], 0
    for at, s in enumerate(body.statements):
        if not s.opcode.startswith("xor.b32") or not s.writes & addresses:
            continue
        result, *sources = s.operands
        guard = f"@{s.guard} " if s.guard else ""
        if CONSTANT.fullmatch(sources[1]):
            made.append((f"a{site}", "added", replaced(body, at, f"{guard}add.s32 {result}, {sources[0]}, {sources[1]};"), s.text))
        else:
            for name, source in zip(("first", "second"), sources):
                made.append((f"a{site}", name, replaced(body, at, f"{guard}mov.b32 {result}, {source};"), s.text))
        site += 1
    return made
