# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""benchmarks/peers/run and its modules: what needs no Triton."""

import json
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEERS = ROOT / "benchmarks" / "peers"
sys.path.insert(0, str(PEERS))

np = pytest.importorskip("numpy")

import assembly  # noqa: E402
import hot_loops  # noqa: E402
import placement  # noqa: E402
import plans  # noqa: E402
import ptx_counts  # noqa: E402
import sass_counts  # noqa: E402
import tables  # noqa: E402
from devices import DEVICES  # noqa: E402
from emulation import Emulator, EmulatorError  # noqa: E402
from rows import FAMILIES, rows  # noqa: E402
from sequences import HostCall, Launch, Sequence  # noqa: E402

# A warp w executes the loop w + 1 times; the wait is a scope of inline assembly with labels of its own.
PTX = """.version 9.4
.target sm_90a
.address_size 64
.visible .entry count(.param .u64 out)
.reqntid 64
{
  .reg .pred %p;
  .reg .b32 %w, %i;
  .loc 1 6 0
  mov.u32 %w, %tid.x; // a comment; with a { brace
  shr.u32 %w, %w, 5;
  mov.u32 %i, 0;
$L_loop:
  setp.lt.u32 %p, %i, %w;
  add.u32 %i, %i, 1;
  @%p bra $L_loop;
  { .reg .pred over; WAIT: setp.eq.u32 over, %i, %i;
    @over bra DONE; bra WAIT; DONE: }
  ret;
}
"""

# What nvdisasm prints of a loop that ptxas has unrolled twice, with the odd iteration behind it.
LISTING = """
\t.section\t.text.other,"ax",@progbits
        /*0000*/                   NOP ;
\t.section\t.text.f,"ax",@progbits
\t.sectioninfo\t@"SHI_REGISTERS=48"
.text.f:
\t//## File ".nv_debug_ptx_txt", line 8
        /*0000*/                   MOV R1, c[0x0][0x28] ;
.L_x_9:
\t//## File ".nv_debug_ptx_txt", line 9
        /*0010*/              @!P0 BRA `(.L_x_1) ;
.L_x_0:
\t//## File ".nv_debug_ptx_txt", line 11
        /*0020*/                   HMMA.16816.F32 R4, R8, R10, R4 ;
        /*0030*/                   HMMA.16816.F32 R4, R8, R12, R4 ;
\t//## File ".nv_debug_ptx_txt", line 12
        /*0040*/               @P1 BRA `(.L_x_0) ;
.L_x_1:
        /*0050*/              @!P2 BRA `(.L_x_2) ;
\t//## File ".nv_debug_ptx_txt", line 11
        /*0060*/                   HMMA.16816.F32 R4, R8, R10, R4 ;
.L_x_2:
\t//## File ".nv_debug_ptx_txt", line 14
        /*0070*/                   STG.E desc[UR4][R2.64], R4 ;
        /*0080*/                   EXIT ;
.L_x_3:
        /*0090*/                   BRA `(.L_x_3);
        /*00a0*/                   NOP;
"""


@pytest.fixture
def emulator(build_folder):
    program = build_folder / "bin" / "fusion-emulate"
    if not program.exists():
        pytest.skip("fusion-emulate is not built")
    return Emulator(str(program), threads=1, seconds=60)


# Basic blocks and counts.


def test_basic_blocks_of_ptx():
    kernel = ptx_counts.parse(PTX, "count")
    first = [PTX[start:].split()[0] for start in kernel.starts]
    assert first == ["mov.u32", "setp.lt.u32", "setp.eq.u32", "bra", "ret;"]
    line = {text.strip(): number for number, text in enumerate(PTX.splitlines(), 1)}
    assert kernel.block_of_line[line["mov.u32 %i, 0;"]] == 0
    assert kernel.block_of_line[line["@%p bra $L_loop;"]] == 1
    assert kernel.block_of_line[line["ret;"]] == 4
    assert line["@%p bra $L_loop;"] in kernel.predicated and line["ret;"] not in kernel.predicated
    with pytest.raises(ValueError, match="no kernel 'other'"):
        ptx_counts.parse(PTX, "other")


def test_counts_of_single_warps(emulator, tmp_path):
    launch = Launch(PTX, "count", (3, 1, 1), (64, 1, 1), [{"buffer": "out"}], frozenset())
    ((kernel, counts),) = emulator.warp_counts(Sequence([launch], {"out": 4}), tmp_path / "counts")
    assert counts.shape == (3, 2, 5)
    assert counts[:, 0].tolist() == [[1, 1, 1, 0, 1]] * 3 and counts[:, 1].tolist() == [[1, 2, 1, 0, 1]] * 3


def test_sequences_carry_buffers_on(emulator, tmp_path):
    ptx = (".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry one(.param .u64 p)\n{ .reg .b64 %p;"
           " .reg .b32 %v; ld.param.u64 %p, [p]; ld.global.u32 %v, [%p]; add.u32 %v, %v, 1; st.global.u32 [%p], %v;"
           " ret; }")  # fmt: skip
    add = Launch(ptx, "one", (1, 1, 1), (1, 1, 1), [{"buffer": "x"}], frozenset({"x"}))

    def double(buffers):
        buffers["x"] = (buffers["x"].view(np.uint32) * 2).view(np.uint8)

    sequence = Sequence([add, HostCall("double", double, 8), add], {"x": np.array([5], np.uint32).view(np.uint8)})
    counters, findings = emulator.run(sequence, tmp_path / "run", sanitize=True)
    assert (tmp_path / "run" / "x.bin").read_bytes() == bytes([13, 0, 0, 0])
    assert [one["global_load_bytes"] for one in counters] == [4, 4] and not findings
    bad = Launch(ptx, "two", (1, 1, 1), (1, 1, 1), [{"buffer": "x"}], frozenset())
    with pytest.raises(EmulatorError, match="two"):
        emulator.run(Sequence([bad], {"x": 4}), tmp_path / "bad")


def test_launch_file():
    launch = Launch("", "k", (2, 1, 1), (96, 1, 1), [
        {"buffer": "a"}, {"tensor_map": {"buffer": "b", "type": "f16"}}, {"buffer": "b"}, {"i32": 3},
    ], frozenset({"b"}), (2, 1, 1), 64)  # fmt: skip
    assert launch.file() == {
        "kernel": "k", "grid": [2, 1, 1], "block": [96, 1, 1], "cluster": [2, 1, 1], "dynamic_shared_memory": 64,
        "arguments": [{"buffer": "a.bin"},
                      {"tensor_map": {"buffer": "b.bin", "type": "f16", "write_back": "b.bin"}},
                      {"buffer": "b.bin"}, {"i32": 3}],
    }  # fmt: skip
    assert launch.warps == 3 and launch.blocks == 2


# Machine code.


def test_listing():
    blocks = assembly.parse_listing(LISTING, "f")
    assert [len(block.instructions) for block in blocks] == [2, 3, 1, 1, 2, 1, 1]
    assert [block.successors for block in blocks] == [[2, 1], [1, 2], [4, 3], [4], [], [5], []]
    first = blocks[1].instructions[0]
    assert (first.root, first.line, first.predicate, first.address) == ("HMMA", 11, "", 0x20)
    assert blocks[1].instructions[2].predicate == "@P1"
    with pytest.raises(ValueError, match="no code of 'g'"):
        assembly.parse_listing(LISTING, "g")


def test_resources():
    text = ("ptxas info    : Compiling entry function 'g' for 'sm_80'\nptxas info    : Used 9 registers\n"
            "ptxas info    : Compiling entry function 'f' for 'sm_80'\nptxas info    : Function properties for f\n"
            "    16 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads\n"
            "ptxas info    : Used 48 registers, used 1 barriers, 1040 bytes smem\n"
            "ptxas info    : Compile time = 4 ms\n")  # fmt: skip
    assert assembly.parse_resources(text, "f") == (48, 12, 1040)
    assert assembly.parse_resources(text.replace(", 1040 bytes smem", ""), "f") == (48, 12, 0)


@pytest.mark.parametrize("written, known", [("9.4", "9.0"), ("8.7", "8.7"), ("10.0", "9.0")])
def test_versions_that_ptxas_does_not_know(written, known):
    assert assembly.with_known_version(f"//\n.version {written}\n.target") == f"//\n.version {known}\n.target"


def unrolled(iterations):
    """Executions of the blocks of LISTING by two warps whose loop in the PTX has `iterations`."""
    code = assembly.MachineCode(assembly.parse_listing(LISTING, "f"), 48, 0, 0)
    blocks = {8: 0, 9: 0, 11: 1, 12: 1, 14: 2}
    kernel = ptx_counts.Kernel("", 0, 0, [0, 0, 0], blocks, {12})
    return code, sass_counts.executions(code, kernel, np.array([[[1, iterations, 1], [1, iterations, 1]]]))


def test_executions_of_an_unrolled_loop():
    code, found = unrolled(8)
    assert found.of_blocks.tolist() == [2, 8, 2, 0, 2, 0, 0]
    assert found.slots.sum() == 2 * 2 + 8 * 3 + 2 + 2 * 2
    assert found.slots[0, 0] == found.slots[0, 1]
    # Three instructions for two MMAs.
    assert hot_loops.instructions_per_kiloflop(code, found.of_blocks) == pytest.approx(1000 * 3 / (2 * 4096))


@pytest.mark.parametrize("opcode, flops", [
    ("HMMA.16816.F32", 4096), ("HMMA.1688.F32.TF32", 2048), ("HMMA.16816.F32.BF16", 4096), ("IMMA.16832.S8.S8", 8192),
    ("HGMMA.64x128x16.F32", 65536), ("DMMA.884", 512), ("HFMA2.MMA", 0), ("LDG.E", 0)])  # fmt: skip
def test_flops_of_an_instruction(opcode, flops):
    assert hot_loops.flops(assembly.Instruction(0, "", opcode, "", 1)) == flops


# Placement.


def test_busiest_scheduler():
    # One warp of a block of five shares its scheduler with the first.
    assert placement.busiest(np.array([[10, 1, 1, 1, 5.0]]), 108) == 15
    # Blocks go round the SMs; the fourth is on the SM of the first.
    assert placement.busiest(np.array([[4.0] * 4] * 4), 3, resident=2) == 8
    # Small blocks of one SM share its schedulers.
    assert placement.busiest(np.array([[4.0]] * 4), 1, resident=4) == 4
    assert placement.busiest(np.array([[4.0]] * 4), 1, resident=1) == 16
    # What does not fit at first goes where there is least.
    assert placement.busiest(np.array([[9.0] * 4, [1.0] * 4, [3.0] * 4, [3.0] * 4]), 2, resident=1) == 9
    # Blocks of a cluster are on neighbouring SMs.
    assert placement.busiest(np.array([[2.0] * 4] * 4), 4, cluster=2) == 2


def test_devices_are_those_of_the_chip_table():
    table = (ROOT / "lib" / "Target" / "Chips" / "ChipTable.cpp").read_text()
    for name, device in DEVICES.items():
        chip = re.search(rf'chip\.name = "{name}";.*?return chip;', table, re.DOTALL).group(0)
        assert f"chip.numSMs = {device.multi_processor_count};" in chip
        assert f"chip.sharedMemoryPerSM = {device.shared_memory_per_multiprocessor >> 10} * KiB;" in chip
        groups = re.findall(r"chip\.gpcs\[\d\] = \{(\d+), (\d+)\};", chip)
        assert tuple(tuple(map(int, group)) for group in groups) == device.gpcs
        assert f"chip.maxBlocksPerSM = {device.max_blocks_per_multi_processor};" in chip


def test_resident_blocks():
    device = DEVICES["sm_90a"]
    assert device.blocks_per_processor(4, 0) == 16
    assert device.blocks_per_processor(4, 0, registers=128) == 4
    assert device.blocks_per_processor(1, 100 << 10) == 2
    assert device.active_clusters(1, 4, 200 << 10) == 132 and device.active_clusters(8, 4, 200 << 10) == 16


# Plans.


def test_sequence_of_a_plan():
    buffer = {"kind": "buffer"}
    manifest = {
        "ptx": ".visible .entry k(\n.param .u64 a)\n.maxntid 128\n{ }",
        "kernels": [{"name": "k", "block": [128, 1, 1], "dynamic_shared_memory": 200 << 10,
                     "arguments": [buffer | {"access": "read"}, buffer | {"access": "write"}, {"kind": "i32"},
                                   {"kind": "tensor_map"}]}],
        "constants": [{"bytes": 4, "data": "AACAPw=="}],
        "functions": [{
            "inputs": [{"type": "f16", "shape": [4, 2]}], "results": [{"type": "f32", "shape": [4]}],
            "temporaries": [{"bytes": "16 * 4"}, {"bytes": 8, "alias": {"of": "temp0", "offset": 8}}],
            "launches": [
                {"kernel": "k", "grid": ["ceildiv(1024, 64)", 1, "min(2, device:active_clusters)"], "arguments": [
                    buffer | {"of": "arg0"}, buffer | {"of": "temp1", "offset": 4}, {"kind": "i32", "of": 7},
                    {"kind": "tensor_map", "of": "result0", "type": "f32", "dims": ["2 * 2"], "strides_bytes": [],
                     "box": [4]}]},
                {"kernel": "k", "grid": [0, 1, 1], "arguments": []}],
        }],
    }  # fmt: skip
    sequence = plans.sequence(manifest, [np.zeros(16, np.uint8)], DEVICES["sm_90a"])
    (launch,) = sequence.steps
    assert launch.grid == (16, 1, 2) and launch.written == {"temp0", "result0"}
    assert launch.arguments == [
        {"buffer": "arg0"}, {"buffer": "temp0", "offset": 12}, {"i32": 7},
        {"tensor_map": {"buffer": "result0", "type": "f32", "box": [4], "dims": [4], "strides_bytes": []}},
    ]  # fmt: skip
    assert sequence.buffers["temp0"] == 64 and sequence.buffers["result0"] == 16 and "temp1" not in sequence.buffers
    assert bytes(sequence.buffers["const0"]) == b"\x00\x00\x80\x3f"


def test_every_row_is_a_module():
    import modules

    labels = [row.label for row in rows()]
    assert len(set(labels)) == len(labels)
    for family in FAMILIES:
        assert {row.held_out for row in rows([family])} == {False, True}, family
    for row in rows():
        assert modules.module(row).startswith("func.func @")


# Tables.


def run(side, busiest, family="softmax", status="right", held_out=False, findings=None, **changed):
    counters = dict.fromkeys(("instructions", "global_load_bytes", "global_store_bytes", "global_sectors",
                              "shared_wavefronts", "shared_bank_conflicts", "mma_flops", "barriers"), 100)  # fmt: skip
    measurement = {"launches": 1, "counters": counters, "registers": 32, "spill_bytes": 0, "shared_bytes": 1024,
                   "slots": 10 * busiest, "busiest": busiest, "hot_loop": None, "sass_flops": 100, "seconds": 1e-6,
                   "kernels": [{"grid": [3, 2, 1], "block": [64, 1, 1]}]}  # fmt: skip
    measurement |= changed
    return {"family": family, "name": "4x8", "dtype": "f16", "held_out": held_out, "chip": "sm_80", "side": side,
            "configuration": f"{busiest} slots", "status": status, "message": "" if status == "right" else "because",
            "error": 0.5, "measurement": measurement if status == "right" else None, "findings": findings}  # fmt: skip


def example():
    return [
        run("fusion", 100, seconds=3e-6), run("triton", 300), run("triton", 200, seconds=2e-6),
        run("triton", 1, status="wrong"),
        run("fusion", 300, "matmul", held_out=True, launches=2), run("triton", 200, "matmul"),
        run("fusion", 1, "decode", status="failed"), run("triton", 7, "decode"),
        run("fusion", 1, "chain"),
    ]  # fmt: skip


def test_losses_come_first():
    pairs = tables.pairs(example())
    assert [pair.ours["family"] for pair in pairs] == ["decode", "matmul", "softmax", "chain"]
    assert [pair.ratio for pair in pairs] == [float("inf"), 1.5, 0.5, None]
    assert pairs[2].theirs["configuration"] == "200 slots" and pairs[2].fastest["configuration"] == "300 slots"
    assert [pair.time_ratio for pair in pairs[1:]] == [1.0, pytest.approx(3.0), None]
    assert pairs[1].higher() == ["launches", "busiest", "slots"] and pairs[2].higher() == ["time"]
    number, losses, mean = tables.summary([pair.ratio for pair in pairs])
    assert (number, losses) == (3, 2) and mean == pytest.approx(0.75**0.5)


def test_comparison_table():
    lines = list(tables.comparison_table(tables.pairs(example())))
    assert len({line.count("|") for line in lines}) == 1
    assert lines[2].startswith("| decode 4×8 f16 | ∞ | ∞ | Fusion: failed |")
    assert lines[4].startswith("| matmul 4×8 f16 (held out) | 1.50 | 1.00 | Fusion | 2 | 6 × 64 | 1 | 300 | 3000 |")
    assert lines[5].startswith("| | | | Triton: 200 slots | 1 | 6 × 64 | 1 | 200 | 2000 |")
    sides = [line.split("|")[4].strip() for line in lines[6:9]]
    assert sides == ["Fusion", "Triton: 200 slots", "Triton: 300 slots"]


@pytest.mark.parametrize("number, text", [
    (None, ""), (0, "0"), (7.0, "7"), (0.6237, "0.624"), (99.5, "99.5"), (2048, "2048"), (12345, "12.3k"),
    (1048576, "1.0M"), (262144000, "262M"), (2147483648, "2.1G")])  # fmt: skip
def test_short_numbers(number, text):
    assert tables.short(number) == text


def test_page():
    import page

    block = {"name": "bert", "size": "small", "dtype": "f32", "chip": "sm_80", "side": "fusion", "status": "right",
             "error": 1e-7, "launches": 7, "bytes": 5000, "sectors": 10, "library_calls": 0, "library_bytes": 0,
             "findings": [], "message": ""}  # fmt: skip
    finding = {"kind": "global-race", "message": "two threads"}
    runs = [*example(), run("triton", 5, "rms_norm", findings=[finding]), run("fusion", 9, "rms_norm", findings=[])]
    text = page.text({"versions": {"triton": "3.9.0"}, "runs": runs, "blocks": [block]})
    assert "{{" not in text and "Versions: triton 3.9.0." in text and "exactly, in all runs" in text
    assert "| sm_80 | slots | 3 | 2 | 0.95 | 1, 1, 1.50 |" in text
    assert "| sm_80 | times | 3 | 2 | 1.73 | 1, 0, 1.00 |" in text
    assert "| Triton | `global-race` | rms_norm 4x8 f16 on sm_80 |  | two threads |" in text
    assert "| Fusion | failed | 1 | decode 4x8 on sm_80 | `because` |" in text
    assert "| bert, small, f32 | sm_80 | Fusion | 7 | 0 | 5000 | 0 | 10 | 1.0e-07 |" in text


def test_the_page_in_docs_has_no_gaps():
    text = (ROOT / "docs" / "measurements" / "peers.md").read_text()
    assert "{{" not in text and "### sm_80" in text and "### sm_90a" in text


def test_help():
    done = subprocess.run([sys.executable, PEERS / "run", "--help"], capture_output=True, text=True, check=True)
    assert "--families" in done.stdout
    wrong = subprocess.run([sys.executable, PEERS / "run", "--chips=sm_1"], capture_output=True, text=True)
    assert wrong.returncode == 2 and "'sm_1' is none of sm_80, sm_90a" in wrong.stderr


def test_numbers_are_read_again(tmp_path):
    found = {"versions": {"triton": "3.9.0"}, "runs": example(), "blocks": []}
    (tmp_path / "numbers.json").write_text(json.dumps(found))
    command = [sys.executable, PEERS / "run", f"--read={tmp_path}/numbers.json", f"--markdown={tmp_path}/page.md"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "| matmul 4×8 f16 (held out) | 1.50 |" in done.stdout
    assert "| matmul 4×8 f16 (held out) | 1.50 |" in (tmp_path / "page.md").read_text()
