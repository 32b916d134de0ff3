# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Machine code of a PTX kernel: ptxas makes it, nvdisasm prints it, and this module reads what they print."""

import dataclasses
import importlib.util
import pathlib
import re
import shutil
import subprocess

NEWEST_PTX = (9, 0)  # of ptxas 13.0; Triton writes newer versions without needing them

_INSTRUCTION = re.compile(r"/\*([0-9a-f]{4,})\*/\s+(?:(@!?U?P\w+)\s+)?([A-Z][\w.]*)\s*(.*?)\s*;")
_LINE = re.compile(r'//## File "\.nv_debug_ptx_txt", line (\d+)')
_LABEL = re.compile(r"^(\.L_x_\d+):")
_TARGET = re.compile(r"`\((\.L_x_\d+)\)")


@dataclasses.dataclass(frozen=True)
class Instruction:
    address: int
    predicate: str  # "@P0", "@!UP1", or empty
    opcode: str  # with its modifiers: "LDG.E.128"
    operands: str
    line: int  # of the PTX

    @property
    def root(self):
        return self.opcode.split(".")[0]

    @property
    def target(self):
        found = _TARGET.search(self.operands)
        return found.group(1) if found else None


@dataclasses.dataclass
class Block:
    """Instructions that only the first of can be jumped to, and only the last of jumps."""

    instructions: list
    successors: list  # numbers of blocks
    called: int | None = None  # the block that a call at the end goes to


@dataclasses.dataclass
class MachineCode:
    blocks: list
    registers: int
    spill_bytes: int  # stored
    shared_bytes: int  # static

    @property
    def instructions(self):
        return [one for block in self.blocks for one in block.instructions]


@dataclasses.dataclass(frozen=True)
class Tools:
    ptxas: str
    nvdisasm: str

    def assemble(self, ptx, kernel, chip, folder):
        """MachineCode of a kernel. Files in `folder` are ptxas's input and output."""
        source, cubin = folder / "assembled.ptx", folder / "assembled.cubin"
        source.write_text(with_known_version(ptx))
        said = _run([self.ptxas, "-v", "-lineinfo", f"-arch={chip}", source, "-o", cubin])
        # -gp: the line of the PTX before instructions; machine code does not depend on -lineinfo.
        listing = _run([self.nvdisasm, "-gp", "-c", cubin])
        registers, spills, shared = parse_resources(said, kernel)
        return MachineCode(parse_listing(listing, kernel), registers, spills, shared)


def _run(command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{command[0]}: {(done.stdout + done.stderr).strip()[-2000:]}")
    return done.stdout + done.stderr


def with_known_version(ptx):
    def known(match):
        return ".version {}.{}".format(*min(NEWEST_PTX, (int(match.group(1)), int(match.group(2)))))

    return re.sub(r"\.version\s+(\d+)\.(\d+)", known, ptx, count=1)


def find_tools(ptxas=None, nvdisasm=None):
    """ptxas of the PATH or of a CUDA toolkit; nvdisasm also from the package nvidia-cuda-nvdisasm, or Triton's."""
    return Tools(_found("ptxas", ptxas), _found("nvdisasm", nvdisasm))


def _found(name, given):
    if given:
        return given
    for package, folder in (("nvidia", "cu13/bin"), ("triton", "backends/nvidia/bin")):
        spec = importlib.util.find_spec(package)
        for root in (spec.submodule_search_locations or []) if spec else []:
            path = pathlib.Path(root) / folder / name
            # Triton's own ptxas is not the one of this project's kernels.
            if path.exists() and not (name == "ptxas" and package == "triton"):
                return str(path)
    if path := shutil.which(name) or shutil.which(f"/usr/local/cuda/bin/{name}"):
        return path
    package = {"ptxas": "nvidia-cuda-nvcc"}.get(name, f"nvidia-cuda-{name}")
    raise FileNotFoundError(f"there is no {name} (--{name}=FILE; pip install {package})")


def parse_resources(text, kernel):
    """(registers of a thread, bytes of spill stores, bytes of static shared memory) from `ptxas -v`."""
    part = text[text.index(f"Compiling entry function '{kernel}'") :]
    part = part.split("Compile time", 1)[0]
    number = lambda pattern: int(found.group(1)) if (found := re.search(pattern, part)) else 0
    return number(r"Used (\d+) registers"), number(r"(\d+) bytes spill stores"), number(r"(\d+) bytes smem")


def parse_listing(text, kernel):
    """The basic blocks of a kernel in nvdisasm's listing."""
    instructions, labels, line = [], {}, 0
    inside = False
    for text_line in text.splitlines():
        if re.match(r"\s*\.section\s", text_line):
            inside = re.search(rf"\.text\.{re.escape(kernel)}\b", text_line) is not None
        if not inside:
            continue
        if found := _LINE.search(text_line):
            line = int(found.group(1))
        elif found := _LABEL.match(text_line):
            labels[found.group(1)] = len(instructions)
        elif found := _INSTRUCTION.search(text_line):
            address, predicate, opcode, operands = found.groups()
            instructions.append(Instruction(int(address, 16), predicate or "", opcode, operands, line))
    if not instructions:
        raise ValueError(f"there is no code of '{kernel}' in the listing")
    return _blocks(instructions, labels)


def _ends_block(one):
    return one.root in ("BRA", "BRX", "JMP", "EXIT", "RET", "BREAK", "BPT", "CALL")


def _blocks(instructions, labels):
    # Many labels are targets of nothing.
    leaders = {0} | {labels[one.target] for one in instructions if one.target in labels}
    leaders |= {i + 1 for i, one in enumerate(instructions) if _ends_block(one)}
    leaders = sorted(i for i in leaders if i < len(instructions))
    number = {first: n for n, first in enumerate(leaders)}
    blocks = []
    for n, first in enumerate(leaders):
        end = leaders[n + 1] if n + 1 < len(leaders) else len(instructions)
        last = instructions[end - 1]
        successors, called = [], None
        if _ends_block(last) and last.target in labels:
            target = number[labels[last.target]]
            if last.root == "CALL":
                called = target
            else:
                successors.append(target)
        is_conditional = last.predicate or re.match(r"!?U?P\d", last.operands)
        falls_through = not _ends_block(last) or is_conditional or last.root == "CALL"
        if falls_through and n + 1 < len(leaders) and n + 1 not in successors:
            successors.append(n + 1)
        blocks.append(Block(instructions[first:end], successors, called))
    return blocks
