# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of the microbenchmarks for Hopper do what they say: ptxas has nothing to complain of, and on the emulator
every byte that is timed arrives, under several orders of warps and without a finding."""

import json
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

MICROBENCHMARKS = pathlib.Path(__file__).parents[1] / "gpu" / "microbenchmarks"


@pytest.fixture(scope="module")
def ptx(tmp_path_factory):
    if not shutil.which("nvcc"):
        pytest.skip("no nvcc on PATH")
    folder, done = tmp_path_factory.mktemp("ptx"), {}

    def compile_program(program):
        if program not in done:
            source = MICROBENCHMARKS / f"{program}.cu"
            if program == "Wgmma":
                source = folder / "Wgmma.cu"
                with open(source, "w") as out:
                    subprocess.run([sys.executable, MICROBENCHMARKS / "generate_wgmma.py"], check=True, stdout=out)
            done[program] = folder / f"{program}.ptx"
            command = ["nvcc", "-ptx", "-std=c++17", "-O3", "-arch=sm_90a", f"-I{MICROBENCHMARKS}"]
            subprocess.run([*command, "-o", done[program], source], check=True)
        return done[program]

    return compile_program


@pytest.fixture
def emulate(ptx, build_folder, tmp_path):
    """Runs a kernel; the buffers that are written, as arrays."""
    binary = build_folder / "bin" / "fusion-emulate"
    if not binary.exists():
        pytest.skip("fusion-emulate is not built")

    def run(program, kernel, arguments, grid=1, block=32, cluster=1, shared=0):
        """arguments: ints, arrays (written back) or dicts of the launch file."""
        listed, arrays = [], []
        for i, argument in enumerate(arguments):
            if isinstance(argument, np.ndarray):
                argument.tofile(tmp_path / f"{i}.bin")
                listed.append({"buffer": f"{i}.bin", "write_back": f"{i}.out"})
                arrays.append((tmp_path / f"{i}.out", argument))
            elif isinstance(argument, dict):
                argument["data"].tofile(tmp_path / f"{i}.bin")
                listed.append({"tensor_map": {"buffer": f"{i}.bin", **argument["map"]}})
            else:
                listed.append({"i32": argument})
        launch = {"kernel": kernel, "grid": [grid, 1, 1], "block": [block, 1, 1], "cluster": [cluster, 1, 1]}
        launch |= {"dynamic_shared_memory": shared, "arguments": listed}
        (tmp_path / "launch.json").write_text(json.dumps(launch))
        command = [binary, ptx(program), f"--launch={tmp_path / 'launch.json'}", "--sanitize"]
        answer = subprocess.run([*command, "--threads=1"], capture_output=True, text=True)
        assert answer.returncode == 0, answer.stdout + answer.stderr
        results = [np.fromfile(path, array.dtype).reshape(array.shape) for path, array in arrays]
        # The clock differs from order to order, so the sums are compared here and not by --schedules.
        for seed in (1, 2, 3):
            answer = subprocess.run([*command, "--threads=1", f"--seed={seed}"], capture_output=True, text=True)
            assert answer.returncode == 0, answer.stdout + answer.stderr
            again = [np.fromfile(path, array.dtype).reshape(array.shape) for path, array in arrays]
            assert all(np.array_equal(a, b) for a, b in zip(results, again) if a.dtype != np.int64)
        return results

    return run


@pytest.mark.parametrize("program", ["Bulk", "Clusters", pytest.param("Wgmma", marks=pytest.mark.nightly)])
def test_ptxas(ptx, program, tmp_path):
    if not shutil.which("ptxas"):
        pytest.skip("no ptxas on PATH")
    command = ["ptxas", "-arch=sm_90a", "-v", ptx(program), "-o", tmp_path / "cubin"]
    answer = subprocess.run(command, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    assert "warning" not in answer.stderr.lower() and "C75" not in answer.stderr
    lines = [line for line in answer.stderr.splitlines() if "spill" in line]
    assert lines and all("0 bytes spill stores, 0 bytes spill loads" in line for line in lines)


def cycles(blocks):
    return np.zeros(blocks, np.int64)


def sums(blocks):
    return np.zeros(blocks, np.uint32)


def words(count):
    return np.random.default_rng(1).integers(0, 1 << 20, count, np.uint32)


def tiles_at_last(first, step, count, stages, rounds):
    """The tiles that the stages hold when all rounds are over."""
    return [(first + r * step) % count for r in range(rounds)][-stages:]


@pytest.mark.parametrize("stages, rounds", [(1, 5), (3, 8), (4, 2)])
def test_bulk_read(emulate, stages, rounds):
    tile, count, grid = 512, 7, 2
    data = words(count * tile // 4).reshape(count, -1)
    arguments = [data, count, tile, stages, rounds, cycles(grid), sums(grid)]
    _, _, found = emulate("Bulk", "bulkRead", arguments, grid=grid, shared=stages * tile)
    for block in range(grid):
        assert found[block] == data[tiles_at_last(block, grid, count, stages, rounds)].sum(dtype=np.uint32)


def test_tensor_read(emulate):
    # 4 boxes of 64 f16 by 4 rows across, 2 down.
    tile, across, stages, rounds, grid = 512, 2, 2, 5, 2
    data = words(8 * 128).reshape(8, 128)
    description = {"type": "f16", "dims": [256, 8], "strides_bytes": [512], "box": [64, 4], "swizzle": "128B"}
    arguments = [{"data": data, "map": description}, 8, across, tile, stages, rounds, cycles(grid), sums(grid)]
    _, found = emulate("Bulk", "tensorRead", arguments, grid=grid, shared=2048)
    for block in range(grid):
        boxes = tiles_at_last(block, grid, 8, stages, rounds)
        parts = [data[box // 4 * 4 :][:4, box % 4 * 32 :][:, :32] for box in boxes]
        assert found[block] == sum(int(part.sum(dtype=np.uint64)) for part in parts)


@pytest.mark.parametrize("cluster", [1, 2, 4])
def test_multicast_read(emulate, cluster):
    tile, count, stages, rounds, grid = 512, 5, 2, 7, 2 * cluster
    data = words(count * tile // 4).reshape(count, -1)
    arguments = [data, count, tile, stages, rounds, cycles(grid), sums(grid)]
    _, _, found = emulate("Bulk", "multicastRead", arguments, grid=grid, cluster=cluster, shared=stages * tile)
    for block in range(grid):
        assert found[block] == data[tiles_at_last(block // cluster, 2, count, stages, rounds)].sum(dtype=np.uint32)


def test_bulk_write(emulate):
    tile, count, stages, grid = 512, 8, 2, 2
    arguments = [np.zeros((count, tile // 4), np.uint32), count, tile, stages, 4, cycles(grid)]
    data, _ = emulate("Bulk", "bulkWrite", arguments, grid=grid, shared=stages * tile)
    for number in range(count):
        assert np.array_equal(data[number], np.arange(tile // 4) + number // grid % stages * tile // 4)


@pytest.mark.parametrize(
    "kernel, block, cluster",
    [("mbarrierAlone", 32, 1), ("mbarrierTurns", 64, 1), ("mbarrierTurnsOfBlocks", 32, 2), ("mbarrierTurnsOfBlocks", 32, 4),
     ("clusterBarrier", 64, 4), ("blockBarrier", 64, 1)],
)  # fmt: skip
def test_barriers(emulate, kernel, block, cluster):
    (taken,) = emulate("Clusters", kernel, [9, cycles(1)], grid=cluster, block=block, cluster=cluster)
    assert taken[0] > 0


@pytest.mark.parametrize("away", [0, 1, 2])
def test_remote_memory(emulate, away):
    arguments = [away, 5, cycles(4), sums(4)]
    taken, found = emulate("Clusters", "remoteLatency", arguments, grid=4, cluster=4)
    assert (found == 5 * 33 * 4 % 1024).all() and (taken > 0).all()
    arguments = [away, 2, cycles(4), sums(4)]
    taken, found = emulate("Clusters", "remoteRead", arguments, grid=4, block=64, cluster=4, shared=32768)
    i = np.arange(64)[:, None] + 224 * np.arange(8)
    assert (found == 2 * (i ^ 2 * i ^ 3 * i ^ 4 * i).sum()).all() and (taken > 0).all()
    taken, found = emulate("Clusters", "remoteWrite", arguments, grid=4, block=64, cluster=4, shared=32768)
    assert (found == np.arange(64).sum() + 64).all() and (taken > 0).all()


@pytest.mark.parametrize("shape", ["n8k16_f16_ss", "n64k16_bf16_rs", "n64k8_tf32_ss", "n128k32_e4m3_rs", "n64k32_s8_ss"])
def test_wgmma(emulate, shape):
    for suffix in ("", "_latency"):
        arguments = [3, cycles(1), np.full(1, 7, np.float32)]
        taken, sink = emulate("Wgmma", f"wgmma_m64{shape}{suffix}", arguments, block=256)
        assert taken[0] > 0 and sink[0] == 7
