# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""benchmarks/peers with Triton: one kernel for each way in which arguments are passed and kernels are written, on the
emulator, against PyTorch."""

import dataclasses
import importlib.util
import pathlib
import sys
from types import SimpleNamespace

import pytest

PEERS = pathlib.Path(__file__).resolve().parents[1] / "peers"
sys.path.insert(0, str(PEERS))

if any(importlib.util.find_spec(name) is None for name in ("torch", "triton")):
    pytest.skip("needs PyTorch and Triton", allow_module_level=True)

import assembly  # noqa: E402
import comparison  # noqa: E402
import computations  # noqa: E402
import configurations  # noqa: E402
import torch  # noqa: E402
import triton_compile  # noqa: E402
from devices import DEVICES  # noqa: E402
from emulation import Emulator  # noqa: E402
from measurements import Meter  # noqa: E402
from rows import CHIPS, FAMILIES, Row, rows  # noqa: E402
from triton_compile import Descriptor, Pointer, TritonLaunch  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Compiled kernels of one test serve the others."""
    with pytest.MonkeyPatch.context() as patch:
        made = tmp_path_factory.mktemp("peers")
        patch.setenv("TRITON_CACHE_DIR", str(made / "cache"))
        yield made


@pytest.fixture(scope="module")
def compare(build_folder, folder):
    """A function: the Comparison of a row."""
    if not (build_folder / "bin" / "fusion-emulate").exists():
        pytest.skip("fusion-emulate is not built")
    try:
        tools = assembly.find_tools()
    except FileNotFoundError as error:
        pytest.skip(str(error))
    emulator = Emulator(str(build_folder / "bin" / "fusion-emulate"), threads=1, seconds=60)

    def made(family, sizes, chip, dtype="f16"):
        row = Row(family, dtype, tuple(zip(FAMILIES[family], sizes, strict=True)))
        meter = Meter(emulator, tools, DEVICES[chip], chip)
        return comparison.Comparison(row, chip, meter, build_folder / "bin", folder)

    return made


# Triton 3.9 lets threads that hold the same value store it side by side. It puts no fence between the initialization of
# an mbarrier and the copies that complete there. Specialized warps execute setmaxnreg twice without a barrier between,
# and two partitions of them store the same tile.
OF_REDUCTIONS = {"redundant-write"}
OF_DESCRIPTORS = {"missing-proxy-fence", "redundant-write", "bad-setmaxnreg", "async-overwrite"}


def kinds(run):
    return {finding["kind"] for finding in run.findings}


def triton_run(compared, *names):
    """The complete Run of the configuration whose name has all these words."""
    chosen = [one for one in configurations.configurations(compared.row, compared.chip)
              if all(name in one.name for name in names)]  # fmt: skip
    folder = compared.folder / "-".join(names).replace(" ", "")
    prepared = lambda: compared._triton(chosen[0])
    return compared._run("triton", chosen[0].name, prepared, folder, is_whole=True)


def test_rows_by_pointers(compare):
    run = triton_run(compare("softmax", (4, 500), "sm_80"), "1 rows, 1 warps")
    assert (run.status, run.findings) == ("right", []), run.message
    assert run.measurement.counters["global_load_bytes"] == 2 * 4 * 500
    assert run.measurement.slots >= 4 * run.measurement.busiest > 0 and run.measurement.hot_loop is None


def test_two_launches_with_a_temporary(compare):
    run = triton_run(compare("rms_norm_backward", (6, 512), "sm_80"), "6 programs, 4 warps")
    assert run.status == "right" and kinds(run) <= OF_REDUCTIONS, run.message
    assert run.measurement.launches == 2 and [one["grid"][0] for one in run.measurement.kernels] == [6, 16]


@pytest.mark.parametrize("chip", CHIPS)
def test_matmul_by_pointers(compare, chip):
    run = triton_run(compare("matmul", (64, 64, 128), chip), "pointers, 64x64x64")
    assert (run.status, run.findings) == ("right", []), run.message
    assert run.measurement.counters["mma_flops"] == 2 * 64 * 64 * 128


@pytest.mark.parametrize("kind", ["descriptors, 64x128", "descriptors, specialized warps"])
def test_matmul_by_descriptors(compare, kind):
    run = triton_run(compare("matmul", (64, 128, 128), "sm_90a"), kind)
    assert run.status == "right" and kinds(run) <= OF_DESCRIPTORS, run.message
    (kernel,) = run.measurement.kernels
    assert (kernel["block"][0] > 128) == ("specialized" in kind)
    assert 0 < run.measurement.hot_loop


def test_both_sides(compare):
    """Triton's configurations with the fewest slots and the least time have counters and findings, others have not."""
    ours, *theirs = compare("layer_norm", (8, 256), "sm_90a", "f32").runs()
    assert (ours.side, ours.status, ours.findings) == ("fusion", "right", []), ours.message
    best = [min(theirs, key=lambda run: getattr(run.measurement, key)) for key in ("busiest", "seconds")]
    assert all(run.findings == [] and run.measurement.counters for run in best)
    assert all(run.measurement.counters is None for run in theirs if run not in best)


def test_wrong_results_are_seen(compare):
    compared = compare("softmax", (4, 500), "sm_80")
    compared.expected["y"][2, 3] += 0.1
    run = triton_run(compared, "1 rows, 1 warps")
    assert run.status == "wrong" and run.error > 10


def test_references_are_those_of_the_families():
    for family in FAMILIES:
        row = next(row for row in rows([family]))
        small = dataclasses.replace(row, sizes=tuple((name, min(size, 64)) for name, size in row.sizes))
        results = computations.results(small, computations.inputs(small))
        assert all(tensor.isfinite().all() for tensor in results.values()), family


def test_arguments_as_triton_passes_them():
    metadata = SimpleNamespace(
        name="k", num_ctas=1, num_warps=4, shared=16, global_scratch_size=8,
        tensordesc_meta=[{"block_size": [16, 64], "swizzle": 3}],
    )  # fmt: skip
    kernel = SimpleNamespace(metadata=metadata, asm={"ptx": ".reqntid 256\n"})
    signature = {"a": "*fp16", "b": "tensordesc<fp16[16,64]>", "one": "constexpr", "scale": "fp32",
                 "BLOCK": "constexpr"}  # fmt: skip
    arguments = [Pointer("a", 4), Descriptor("b", (32, 128), (16, 64)), 1, 0.5]
    call = TritonLaunch(None, (2, 3), arguments, {"BLOCK": 8}, ("a",))
    launch, buffers = triton_compile.from_compiled(kernel, signature, call, {"b": torch.float16})
    assert buffers == {"scratch": 48} and launch.block == (256, 1, 1) and launch.grid == (2, 3, 1)
    assert launch.written == {"a", "scratch"} and launch.shared_bytes == 16
    assert launch.arguments == [
        {"buffer": "a", "offset": 4},
        {"tensor_map": {"buffer": "b", "type": "f16", "dims": [128, 32], "strides_bytes": [256], "box": [64, 16],
                        "swizzle": "128B"}},
        {"i32": 32}, {"i32": 128}, {"i64": 128}, {"i64": 1}, {"f32": 0.5}, {"buffer": "scratch"}, {"i64": 0},
    ]  # fmt: skip


def test_signature():
    from kernels_rows import layer_norm

    call = TritonLaunch(layer_norm, (1,), ["x", "gamma", "beta", "y", 48, 1e-5], {"ROWS": 1, "BLOCK": 64}, ("y",))
    types = dict.fromkeys(("x", "gamma", "beta", "y"), torch.float16)
    signature, constants, attributes = triton_compile._signature(call, types)
    assert list(signature.values()) == ["*fp16"] * 4 + ["i32", "fp32"] + ["constexpr"] * 2
    assert constants == {(6,): 1, (7,): 64} and attributes == [0, 1, 2, 3, 4]


@pytest.mark.full
def test_inductor_code_on_the_emulator(compare, folder):
    import generated_code
    import inductor

    compared = compare("softmax", (4, 500), "sm_80")
    model = torch.nn.Sequential(torch.nn.LayerNorm(32), torch.nn.Linear(32, 16), torch.nn.GELU()).eval()
    x = torch.randn(8, 32, generator=torch.Generator().manual_seed(1))
    device = DEVICES["sm_80"]
    code = inductor.source(model, [x], device)
    given = [one.detach().clone() for one in (*model.parameters(), x)]
    with torch.no_grad():
        execution = generated_code.Execution(compared.meter, folder / "inductor")
        done = generated_code.execute(code, given, device, execution)
        assert torch.allclose(done.results[0], model(x), atol=1e-5)
    assert len(done.measurements) == inductor.launches(code).triton > 0
    assert [call.flops for call in done.library_calls] == [2 * 8 * 32 * 16]
