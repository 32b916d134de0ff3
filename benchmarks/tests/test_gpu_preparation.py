# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What benchmarks/gpu/prepare compiles: cases of all features, schedules by text, and a whole rehearsal with the tools
of the build."""

import ctypes
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

GPU = pathlib.Path(__file__).parents[1] / "gpu"
sys.path.insert(0, str(GPU))

pytest.importorskip("numpy")

import cuda_driver  # noqa: E402
import peer_worker  # noqa: E402
from calls import archive, drawn, journal, runs, timings  # noqa: E402
from preparation import compiler, drawn_schedules, feature_cases, kinds, portable, ranked, timing_units  # noqa: E402


def test_every_feature_has_a_case():
    cases = feature_cases.cases()
    used = set().union(*(case.uses for case in cases))
    types = ("f16", "bf16", "tf32", "s8", "e4m3", "e5m2")
    wanted = {
        "cp.async",
        "TMA load",
        "TMA store",
        "producers",
        "register reallocation",
        "ping-pong",
        "persistent",
        "programmatic launch",
        "distributed shared memory",
        "split sums in clusters",
        "cross-iteration overlap",
        "warp shuffles",
        "block barriers",
        *(f"wgmma {type}" for type in types),
        *(f"mma.sync {type}" for type in types),
        *(f"swizzle {width}B" for width in (32, 64, 128)),
        *(f"multicast in clusters of {blocks}" for blocks in (2, 4, 8)),
        *(f"cluster of {blocks}" for blocks in (2, 4, 8)),
    }
    assert wanted <= used, sorted(wanted - used)
    of_kind = {case.kind for case in cases}
    assert {
        "thread composition",
        "warp composition",
        "block composition",
        "packing",
        "gather",
        "transposes",
        "convolution",
        "decoding",
        "cluster composition, 8 blocks",
        "running values in clusters of 8",
        "attention in clusters of 4",
    } <= of_kind
    # The first of each kind come first: as far as a call comes, it has seen most features.
    count = len(of_kind)
    assert {case.kind for case in cases[:count]} == of_kind


SCHEDULE = (
    '#fuse.schedule<version = 2, tiling = <"mn(k(LA,LB,CC),SC)", {k = 64 : i64, m = 128 : i64, n = 256 : i64}>, '
    'mapping = <warps = 8, blocks = ["n", "m"], operators = {C = #fuse.operator_map<"wgmma.m64k16", i1 = "m", i2 = "n", '
    'r1 = "k", warps = [8, 1]>}, block_swizzle = 1, persistent = true, cluster = 2>, '
    "memory = <{A = #fuse.place<shared, tma, evict_first>, B = #fuse.place<shared, tma>, C = #fuse.place<shared, tma>}>, pipeline = <{A = 4 : i64, B = 4 : i64}>, parallel = <{}, producers = 4>>"
)
ENTRY = {
    "tiling": "mn(k(LA,LB,CC),SC)",
    "tiles": {"k": 64, "m": 128, "n": 256},
    "warps": 8,
    "arrangement": {"C": [8, 1]},
    "intrinsics": {"C": "wgmma.m64k16"},
    "stages": {"A": 4, "B": 4, "C": 1},
    "transports": {"A": "tma", "B": "tma"},
    "stores": {"C": "tma"},
    "register_stages": {},
    "intermediates": {},
    "splits": {},
    "split_in_cluster": False,
    "raster": 1,
    "cluster": 2,
    "producers": 4,
    "persistent": True,
    "overlapped": [],
    "turns": False,
}


def test_runners_up_as_text():
    chosen = ranked.Schedule(SCHEDULE)
    assert str(ranked.runner_up(chosen, ENTRY, ENTRY)) == SCHEDULE
    other = ENTRY | {
        "tiles": {"k": 32, "m": 64, "n": 128},
        "warps": 4,
        "arrangement": {"C": [4, 1]},
        "stages": {"A": 6, "B": 1, "C": 1},
        "producers": 0,
        "transports": {"A": "async16", "B": "tma"},
        "persistent": False,
        "cluster": 1,
        "splits": {"k": 3},
        "turns": True,
        "tiling": "nm(LA,k(LB,CC),SC)",
    }
    text = str(ranked.runner_up(chosen, ENTRY, other))
    for part in (
        '"nm(LA,k(LB,CC),SC)", {k = 32 : i64, m = 64 : i64, n = 128 : i64}',
        "warps = 4, blocks",
        '"n", "m"',
        "warps = [4, 1]>",
        "cluster = 1>",
        "A = #fuse.place<shared, async16>, B = #fuse.place<shared, tma>",
        "pipeline = <{A = 6 : i64}>",
        "parallel = <{k = 3 : i64}, ping_pong = true>",
    ):
        assert part in text, (part, text)
    assert "persistent" not in text and "producers" not in text
    assert "cluster = 4>" in str(ranked.with_cluster(chosen, 4)) and "cluster" not in str(
        ranked.with_cluster(chosen, 1)
    )
    by_columns = str(ranked.with_warps(chosen, 4, "registers"))
    assert "warps = 4, blocks" in by_columns and "warps = [1, 4]>" in by_columns
    online = ranked.Schedule(SCHEDULE[:-1] + ", reduction = <online, rescale_threshold = 8>>")
    assert "reduction = <one_tile>" in str(ranked.with_other_reduction(online))
    assert str(ranked.with_other_reduction(chosen)) == SCHEDULE
    assert ranked.blocks_of("bmn(k(LA,CC))", ["n", "m"]) == ["n", "m", "b"]


def test_kinds_of_a_plan():
    ptx = """
.visible .entry one(.param .u64 a) {
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%rd1], all;
  wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {%f1}, %rd1, %rd2, 1, 1, 1, 0, 0;
}
.visible .entry two() {
  mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1}, {%r1}, {%r2}, {%f2};
}
"""
    manifest = {
        "ptx": ptx,
        "kernels": [
            {"name": "one", "cluster": [4, 1, 1], "schedule": "ping_pong = true"},
            {"name": "two", "cluster": [2, 1, 1], "schedule": None},
        ],
        "functions": [
            {
                "launches": [
                    {"kernel": "one", "arguments": [{"of": "arg0", "box": [64, 64], "swizzle": "128B"}]},
                    {"kernel": "two", "programmatic": True, "arguments": []},
                ]
            }
        ],
    }
    assert kinds.of(manifest) == {
        "TMA load",
        "wgmma bf16",
        "mma.sync tf32",
        "ping-pong",
        "programmatic launch",
        "cluster of 4",
        "multicast in clusters of 4",
        "cluster of 2",
        "swizzle 128B",
    }
    assert compiler.predicted_us(manifest) is None and compiler.launches(manifest) == 2


def test_waits_are_bounded_by_an_attribute(tmp_path):
    tools = compiler.Compiler(tmp_path, tmp_path / "scratch", wait_limit=7)
    attribute = "tile.wait_limit = 7 : i64"
    assert tools.bounded("module {\n}") == f"module attributes {{{attribute}}} {{\n}}"
    assert (
        tools.bounded("#map\nmodule attributes {fuse.chip = 1} {\n}")
        == f"#map\nmodule attributes {{{attribute}, fuse.chip = 1}} {{\n}}"
    )
    with pytest.raises(compiler.CompileError, match="no module"):
        tools.bounded("func.func @f()")
    assert compiler.Compiler(tmp_path, tmp_path / "scratch").bounded("x") == "x"
    assert (
        compiler.TRAP.search("  @%p1 trap;")
        and compiler.TRAP.search("@late trap;")
        and not compiler.TRAP.search("bra trap_1;")
    )


def test_headlines_come_first():
    wanted = timing_units.wanted()
    families = [one.family for one in wanted]
    first = [families.index(family) for family in dict.fromkeys(families)]
    assert first == list(range(len(first))), "one of each family before the second of any"
    keys = {(one.family, one.case) for one in wanted}
    assert len(keys) == len(wanted)
    assert {("gemm_chains_mcfuser", f"G{n}") for n in range(1, 13)} | {
        ("attention_mcfuser", f"S{n}") for n in range(1, 10)
    } <= keys
    stitched = [one for one in wanted if one.family == "stitch_patterns" and one.phase != "patterns"]
    for one in stitched:
        workload = timings.workload_of({"family": one.family, "case": one.case, "dtype": "f16", "overrides": {}})
        assert workload.bytes >= 64e6
    assert len(stitched) == 4 and sum(one.family == "decode" for one in wanted) == 2
    phases = [one.phase for one in wanted]
    assert list(dict.fromkeys(phases)) == ["headlines", "families", "patterns"], "one after the other"
    assert [timing_units.phase_of(variant, "families") for variant in ("chosen", "rank-2", "cluster-4")] == [
        "families",
        "ranks",
        "variants",
    ]


def test_patterns_of_some_sizes():
    """All patterns of a size, size by size. Headlines are left out."""
    patterns = timing_units.patterns()
    count = len(patterns) // len(timing_units.PATTERN_SIZES)
    assert count >= 20 and all(case.endswith("_4096x768") for _, case in patterns[:count])
    assert all(case.endswith("_2048x16384") for _, case in patterns[-count:])
    wanted = [(one.family, one.case) for one in timing_units.wanted() if one.phase == "patterns"]
    assert set(patterns) - set(wanted) == set(patterns) & {*timing_units.HEADLINES, *timing_units.FAMILIES}


def test_families_are_interleaved():
    items = ["a1", "a2", "a3", "b1", "c1", "c2"]
    assert timing_units.interleaved(items, lambda item: item[0]) == ["a1", "b1", "c1", "a2", "c2", "a3"]
    found = timing_units.interleaved(drawn_schedules.SEARCHED, lambda one: one[0])
    families = {one[0] for one in found}
    assert {one[0] for one in found[: len(families)]} == families
    assert len(set(found)) == len(found) == len(drawn_schedules.SEARCHED)


def test_large_workloads_have_fewer_schedules():
    assert drawn_schedules.draws_of(1 << 20) == drawn_schedules.DRAWS
    assert 0 < drawn_schedules.draws_of(67 << 20) < drawn_schedules.DRAWS
    assert drawn_schedules.draws_of(1 << 30) == 0


class Library:
    """Stands for the driver: says what it was asked."""

    def __init__(self):
        self.said = {}

    def cuDeviceGetAttribute(self, value, attribute, device):
        value._obj.value = 132
        return 0

    def cuFuncSetAttribute(self, function, attribute, value):
        self.said[attribute] = value
        return 0

    def cuOccupancyMaxActiveClusters(self, count, function, config):
        config = config._obj
        attribute = config.attributes[0]
        self.said["config"] = (
            list(config.grid),
            list(config.block),
            config.shared,
            config.count,
            attribute.id,
            list(attribute.value[0:3]),
        )
        count._obj.value = 15
        return 0


def test_active_clusters_of_the_driver():
    device = cuda_driver.Device.__new__(cuda_driver.Device)
    device.library, device.device = Library(), ctypes.c_int(0)
    assert device.active_clusters(ctypes.c_void_p(1), 8, 384, 200 * 1024) == 15
    assert device.library.said == {8: 200 * 1024, "config": ([8 * 132, 1, 1], [384, 1, 1], 200 * 1024, 1, 4, [8, 1, 1])}
    device.active_clusters(ctypes.c_void_p(1), 16, 128, 0)
    assert device.library.said[14] == 1, "clusters above 8 blocks need leave"
    # CUlaunchConfig of a 64-bit host.
    assert (
        cuda_driver.Config.stream.offset,
        cuda_driver.Config.attributes.offset,
        cuda_driver.Config.count.offset,
    ) == (32, 40, 48)


class FakeTorch:
    """Counts the calls that a graph captures; a call takes `us`."""

    def __init__(self, us, fails=False):
        self.us, self.fails, self.now, self.capturing, self.graphs = us, fails, 0.0, None, []
        self.cuda = self

    def call(self):
        if self.capturing is None:
            self.now += self.us
        else:
            self.capturing.calls += 1

    class Stream:
        def wait_stream(self, other):
            pass

    def current_stream(self):
        return None

    def stream(self, stream):
        import contextlib

        return contextlib.nullcontext()

    def synchronize(self):
        pass

    def CUDAGraph(self):
        torch = self

        class Graph:
            calls = 0

            def replay(self):
                torch.now += torch.us * self.calls

        return Graph()

    def graph(self, graph, stream):
        import contextlib

        @contextlib.contextmanager
        def capture():
            if self.fails:
                raise RuntimeError("operation not permitted when stream is capturing")
            self.capturing = graph
            self.graphs.append(graph)
            yield
            self.capturing = None

        return capture()

    def Event(self, enable_timing):
        torch = self

        class Event:
            def record(self):
                self.at = torch.now

            def synchronize(self):
                pass

            def elapsed_time(self, other):
                return (other.at - self.at) * 1e-3

        return Event()


@pytest.mark.parametrize("us, calls", [(100.0, 5), (1.0, 200), (800.0, 1), (60.0, 9)])
def test_peers_are_captured_as_ours(us, calls):
    worker = peer_worker.Worker()
    worker.torch, worker.device = FakeTorch(us), "cuda"
    answer = worker.measure(worker.torch.call)
    assert answer["us"] == pytest.approx(us) and answer["graph"] and answer["calls_per_sample"] == calls
    assert [graph.calls for graph in worker.torch.graphs] == [10, calls]
    worker.torch = FakeTorch(us, fails=True)
    answer = worker.measure(worker.torch.call)
    assert (
        answer["us"] == pytest.approx(us)
        and not answer["graph"]
        and "capturing" in answer["graph_error"]
        and answer["calls_per_sample"] == calls
    )


def test_batches_are_those_of_the_runtime():
    """The same numbers as the runtime measures launches with."""
    runtime = GPU.parents[1] / "lib" / "Runtime"
    text = (runtime / "Measure.h").read_text()
    numbers = dict(re.findall(r"(warmUpBatches|batches|batchMicroseconds) = (\d+)", text))
    most = re.search(r"std::max\(samples\.back\(\), 0\.1\)\), 1, (\d+)\)", text).group(1)
    call = re.search(r"/\*warmUpRepetitions=\*/(\d+)\)", (runtime / "CudaDevice.cpp").read_text())
    numbers["warmUpRepetitions"] = call.group(1)
    ours = (
        peer_worker.WARM_UP_CALLS,
        peer_worker.WARM_UP_BATCHES,
        peer_worker.BATCHES,
        peer_worker.BATCH_MICROSECONDS,
        peer_worker.MOST_CALLS,
    )
    assert ours == (
        int(numbers["warmUpRepetitions"]),
        int(numbers["warmUpBatches"]),
        int(numbers["batches"]),
        int(numbers["batchMicroseconds"]),
        int(most),
    )


@pytest.fixture
def tools(build_folder):
    if not all(
        (build_folder / "bin" / name).exists()
        for name in ("fusion-opt", "fusion-translate", "fusion-run", "fusion-emulate")
    ):
        pytest.skip("the tools are not built")
    return build_folder / "bin"


def test_rehearsal(tools, tmp_path):
    """Both calls on the emulator with cases of a few features, as they will run on a GPU."""
    (tmp_path / "no-torch").mkdir()
    (tmp_path / "no-torch" / "torch.py").write_text("raise ImportError('torch is hidden')\n")
    environment = dict(os.environ, PYTHONPATH=str(tmp_path / "no-torch"))

    def run(program, *arguments):
        done = subprocess.run(
            [sys.executable, GPU / program, *arguments], capture_output=True, text=True, env=environment, timeout=300
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    prepared, results = tmp_path / "prepared", tmp_path / "results"
    run(
        "prepare",
        f"--bin={tools}",
        f"--output={prepared}",
        "--stand-in",
        "--small",
        "--features=multicast-2-first-operand-4",
        "--timings=gemm*",
        "--corpus=vector_add",
    )
    where = (
        f"--prepared={prepared}",
        f"--results={results}",
        f"--scratch={tmp_path / 'scratch'}",
        f"--fusion-run={tools / 'fusion-run'}",
        "--device=cpu",
    )
    run("run", "--call=1", *where)
    run("run", "--call=2", *where)
    members = archive.read(results / journal.ARCHIVE)
    first, second = (json.loads(members[f"call{call}.json"])["phases"] for call in (1, 2))
    (feature,) = first["features"].values()
    assert (feature["outcome"], feature["bits"]) == ("pass", "equal")
    assert first["corpus"]["vector_add"]["verdict"] == "equal"
    assert second["headlines"]["gemm_chains_mcfuser:G4/f16 chosen"]["outcome"] == "pass"
    assert second["headlines"]["gemm_chains_mcfuser:G4/f16 chosen"]["predicted_us"] > 0


def test_many_schedules_of_a_chain(tools, tmp_path):
    """Chosen, ranked and drawn schedules become functions of one plan, which the emulator finds equal."""
    one = compiler.Compiler(tools, tmp_path / "scratch")
    sizes = dict(batch=1, M=64, N=64, K=32, H=32)
    workload = timings.workload_of(
        {"family": "gemm_chains_mcfuser", "case": "G4", "dtype": "f16", "overrides": sizes}
    )
    groups, found = drawn_schedules.schedules(one, workload.text, "sm_90a", draws=3, ranks=4)
    names = [schedule.name for schedule in found]
    assert names[0] == "chosen" and any(name.startswith("rank_") for name in names) and "draw_0" in names
    assert len({schedule.schedule for schedule in found}) == len(found) == len(set(names))
    assert all(set(schedule.predicted) >= {"default", "mcfuser"} for schedule in found)
    # An illegal one among them: it alone is left out.
    illegal = drawn_schedules.TimedSchedule("illegal", found[0].schedule.replace("k = ", "j = ", 1), {})
    manifest, kept = drawn_schedules.plan(one, groups, [*found[:2], illegal, *found[2:]])
    assert [schedule.name for schedule in kept] == names
    assert [function["name"] for function in manifest["functions"]] == names
    assert drawn_schedules.plan(one, groups, [illegal]) == (None, [])
    folder = tmp_path / "plan"
    folder.mkdir()
    (folder / "module.mlir").write_text(drawn_schedules.copies(workload.text, names))
    (folder / "plan.json").write_text(json.dumps(manifest))
    run = [tools / "fusion-run", folder / "module.mlir", f"--manifest={folder / 'plan.json'}", "--device=emulator"]
    done = subprocess.run([*run, f"--output-dir={folder}", f"--json={folder / 'run.json'}"], capture_output=True)
    assert done.returncode == 0, done.stderr
    assert [report["entry"] for report in runs.reports_of(folder / "run.json")] == names
    far = drawn.differences(folder, names)
    assert list(far) == names[1:] and max(far.values()) < drawn.MOST_DIFFERENCE / 5


def test_workloads_that_are_no_chain(tools, tmp_path):
    one = compiler.Compiler(tools, tmp_path / "scratch")
    entry = {"family": "stitch_patterns", "case": "softmax_4096x768", "dtype": "f16", "overrides": {}}
    with pytest.raises(compiler.CompileError, match="0 chains"):
        drawn_schedules.schedules(one, timings.workload_of(entry).text, "sm_90a", draws=1)


def test_waits_trap_in_prepared_plans(tools, tmp_path):
    (case,) = [case for case in feature_cases.cases() if case.name == "tma-no-tile-is-full"]
    made = {}
    for limit in (0, 1 << 16):
        one = compiler.Compiler(tools, tmp_path / str(limit), wait_limit=limit)
        made[limit] = one.lower(compiler.with_schedule(one.groups(case.module, "sm_90a"), case.schedule))["ptx"]
    assert compiler.WAIT.search(made[0]) and not compiler.TRAP.search(made[0])
    assert compiler.TRAP.search(made[1 << 16])


def test_chroot_has_the_c_library_alone(tmp_path):
    """A binary that needs another library does not start there; one that needs none more does."""
    if os.geteuid():
        pytest.skip("a chroot needs root")
    import tarfile

    source, binary = tmp_path / "main.c", tmp_path / "fusion"
    source.write_text('#include <stdio.h>\nint main(void) { printf("hello\\n"); return 0; }\n')
    if subprocess.run(["cc", source, "-o", binary], capture_output=True).returncode:
        pytest.skip("no C compiler")
    packed = tmp_path / "fusion-portable.tar.xz"
    with tarfile.open(packed, "w:xz") as tar:
        tar.add(binary, arcname="fusion-portable/bin/fusion")
    root = tmp_path / "root"
    portable.make_root(root, packed)
    assert portable.run(root, "/fusion-portable/bin/fusion") == "hello\n"
    (root / "lib" / "x86_64-linux-gnu" / "libc.so.6").unlink()
    with pytest.raises(portable.CheckError, match="libc.so.6"):
        portable.run(root, "/fusion-portable/bin/fusion")
