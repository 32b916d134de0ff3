# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""benchmarks/gpu/run without a GPU: plans, resuming, and what it does when something is missing."""

import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
GPU = HERE.parent / "gpu"
sys.path.insert(0, str(GPU))

import plan  # noqa: E402
import processes  # noqa: E402
import record  # noqa: E402
import script_modules  # noqa: E402
import targets  # noqa: E402

HAS_TORCH = importlib.util.find_spec("torch") is not None


class Host:
    """A rehearsal of a GPU host: a fake fusion-run, results and scratch in a temporary folder."""

    def __init__(self, folder):
        self.folder, self.results = folder, folder / "results"
        self.binary = folder / "bin" / "fusion-run"
        self.binary.parent.mkdir()
        shutil.copy(HERE / "fake_fusion_run.py", self.binary)
        lines = self.binary.read_text().splitlines()
        self.binary.write_text("\n".join([f"#!{sys.executable}", *lines[1:]]) + "\n")
        self.binary.chmod(0o755)
        self.behave("right")
        # Hides an installed PyTorch.
        (folder / "no-torch").mkdir()
        (folder / "no-torch" / "torch.py").write_text("raise ImportError('torch is hidden')\n")

    def behave(self, how):
        (self.binary.parent / "behaviour").write_text(how)

    def calls(self):
        path = self.binary.parent / "calls"
        return path.read_text().splitlines() if path.exists() else []

    def run(self, *arguments, torch=False):
        environment = dict(os.environ, PYTHONPATH=str(GPU if torch else self.folder / "no-torch"))
        run = subprocess.run(
            [
                sys.executable,
                GPU / "run",
                "--device=cpu",
                f"--fusion-run={self.binary}",
                f"--results={self.results}",
                f"--scratch={self.folder / 'scratch'}",
                *arguments,
            ],
            capture_output=True,
            text=True,
            env=environment,
        )
        assert "Traceback" not in run.stderr, run.stderr
        assert not any((self.folder / "scratch").glob("*"))
        return run.returncode, run.stdout + run.stderr

    def entries(self, family="gemm_chains_mcfuser"):
        return json.loads((self.results / f"{family}.json").read_text())["entries"]


@pytest.fixture
def host(tmp_path):
    return Host(tmp_path)


ONE = ("--family=gemm_chains_mcfuser", "--case=G1", "--dtype=f16")


@pytest.mark.parametrize("phase, count", [("main", 7), ("autotune", 60), ("main", 1)])
def test_pieces_partition_the_work(phase, count):
    every = plan.units(phase)
    pieces = [plan.piece(every, number, count) for number in range(1, count + 1)]
    assert sorted(sum(pieces, []), key=str) == sorted(every, key=str)
    assert max(map(len, pieces)) - min(map(len, pieces)) <= 1
    assert {unit.family for unit in every} == set(plan.tables.families())


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "a/b", "other:1/2", "1/0", "-1/2"])
def test_bad_pieces(text):
    with pytest.raises(ValueError, match="--piece"):
        plan.parse_piece(text)


def test_autotune_is_a_piece_of_its_own():
    assert plan.parse_piece("autotune:2/5") == ("autotune", 2, 5)
    assert plan.parse_piece("2/5") == ("main", 2, 5)
    unit = plan.units("autotune", "attention_long")[0]
    assert plan.peers_of(unit) == ["autotune"]
    main = plan.units("main", "attention_long")[0]
    assert "autotune" not in plan.peers_of(main) and "sdpa:flash" in plan.peers_of(main)


def test_dry_run(host):
    status, text = host.run("--dry-run", *ONE)
    assert status == 0 and host.calls() == [] and not host.results.exists()
    assert "--device=cuda --seed=1" in text and "--piece=1/1" in text and "--piece=autotune:1/1" in text
    assert "torch: eager, compile" in text


def test_without_torch_small_workloads_use_the_reference_on_the_cpu(host):
    host.behave("zeros")
    status, text = host.run(*ONE, "--chip=sm_90a")
    assert status == 0 and "no PyTorch to compare with" in text
    assert "--reference=cpu" in host.calls()[0] and "--chip=sm_90a" in host.calls()[0]
    ours = host.entries()["G1/f16"]["ours"]
    assert ours["us"] == 12.5 and ours["pass"] is True and len(ours["kernels"]) == 2


def test_exponentials_of_attention_are_measured_in_both_ways(host):
    host.behave("zeros")
    status, text = host.run("--family=attention_mcfuser", "--case=S1", "--dtype=f16")
    assert status == 0 and "ours 12.50 us" in text and "ours_fma 12.50 us" in text
    assert ["--exponentials=fma" in call for call in host.calls()] == [False, True]
    entry = host.entries("attention_mcfuser")["S1/f16"]
    assert entry["ours_fma"]["options"] == ["--exponentials=fma"] and entry["ours"]["us"] == entry["ours_fma"]["us"] == 12.5
    assert plan.variants_of(plan.units("autotune", "attention_mcfuser")[0]) == {}
    assert plan.variants_of(plan.units("main", "gemm_chains_mcfuser")[0]) == {}


def test_without_torch_large_workloads_are_unchecked(host):
    host.behave("zeros")
    arguments = ("--family=gemm_chains_mcfuser", "--case=G12", "--dtype=f16")
    host.run(*arguments)
    assert "--reference=cpu" in host.calls()[0]
    status, text = host.run("--family=operators_gta", "--case=gemv_32000x4096", "--dtype=f16")
    assert status == 0 and "--reference=none" in host.calls()[1] and "unchecked" in text


def test_resume(host):
    host.behave("zeros")
    arguments = ("--family=gemm_chains_mcfuser", "--dtype=f16")
    assert host.run(*arguments, "--piece=1/3")[0] == 0
    assert len(host.calls()) == 4
    status, text = host.run(*arguments, "--piece=1/3")
    assert status == 0 and "4 of them measured before" in text and len(host.calls()) == 4
    assert host.run(*arguments)[0] == 0
    assert len(host.calls()) == 12 and len(host.entries()) == 12
    host.run(*ONE, "--again")
    assert len(host.calls()) == 13


def test_a_new_commit_is_measured_again(host):
    host.behave("zeros")
    host.run(*ONE)
    path = host.results / "gemm_chains_mcfuser.json"
    path.write_text(path.read_text().replace(record.commit(), "0" * 40))
    host.run(*ONE)
    assert len(host.calls()) == 2


def test_out_of_time(host):
    status, text = host.run(*ONE, "--limit=0")
    assert "1 units are left" in text and host.calls() == [] and not host.results.exists()


def test_wrong_result(host):
    host.behave("cpu-wrong")
    status, text = host.run(*ONE)
    assert status == 2 and "WRONG" in text
    assert host.entries()["G1/f16"]["ratios"] == {}


def test_a_failure_is_recorded_and_the_rest_goes_on(host):
    host.behave("crash")
    status, text = host.run("--family=gemm_chains_mcfuser", "--case=G[12]", "--dtype=f16")
    assert status == 1 and len(host.calls()) == 2
    error = host.entries()["G2/f16"]["ours"]["error"]
    assert "ended with 1" in error and "this is broken" in error


def test_nothing_to_measure_with(host):
    host.binary.chmod(0o644)
    status, text = host.run(*ONE)
    assert status == 1 and "nothing can be measured" in text and "no fusion-run" in text


def test_nothing_selected(host):
    status, text = host.run("--case=nothing")
    assert status == 1 and "no workload is selected" in text


def test_names():
    assert record.chip_of("9.0") == "sm_90a" and record.chip_of("8.0") == "sm_80"
    assert record.chip_of("9.0", "NVIDIA H200") == "h200" and record.chip_of("9.0", "NVIDIA H100 PCIe") == "sm_90a"
    assert record.chip_of("12.0") == "sm_120" and record.chip_of("10.0") == "sm_100a"
    assert record.folder_name("NVIDIA H100 80GB HBM3") == "nvidia-h100-80gb-hbm3"


def test_ratios():
    here, there = {"run": "1", "device": "a GPU"}, {"run": "2", "device": "a GPU"}
    peers = {"eager": {"us": 30.0} | here, "compile": {"us": 15.0} | here, "sdpa:flash": {"error": "no"} | here}
    entry = {"ours": {"us": 10.0, "pass": True} | here, "peers": peers}
    assert record.ratios(entry) == {"eager": 3.0, "compile": 1.5, "best_peer": 1.5}
    # max-autotune is a run of its own, with its own figure of ours; other runs and devices are not compared.
    entry["peers"] = peers | {"autotune": {"us": 20.0} | there, "eager": {"us": 30.0} | here | {"device": "another"}}
    assert record.ratios(entry) == {"compile": 1.5, "best_peer": 1.5}
    entry["ours_beside_autotune"] = {"us": 20.0, "pass": True} | there
    assert record.ratios(entry) == {"compile": 1.5, "autotune": 1.0, "best_peer": 1.0}
    entry["ours"]["pass"] = entry["ours_beside_autotune"]["pass"] = False
    assert record.ratios(entry) == {}


@pytest.mark.skipif(not HAS_TORCH, reason="PyTorch is not installed")
def test_with_torch(host):
    status, text = host.run(*ONE, torch=True)
    entry = host.entries()["G1/f16"]
    assert status == 0, text
    assert "--reference=none" in host.calls()[0] and entry["ours"]["pass"] is True
    assert set(entry["ratios"]) == {"eager", "compile", "best_peer"}
    copies = json.loads((host.results / "copy.json").read_text())["runs"]
    (copy,) = copies[entry["ours"]["run"]]["copies"][:1]
    assert copy["bytes"] == max(plan.COPY_SIZES_CPU) and copy["us"] > 0
    # A new commit: ours again, and the peers beside it.
    path = host.results / "gemm_chains_mcfuser.json"
    path.write_text(path.read_text().replace(record.commit(), "0" * 40))
    assert host.run(*ONE, torch=True)[0] == 0
    assert len(host.calls()) == 2
    again = host.entries()["G1/f16"]
    assert again["ours"]["run"] == again["peers"]["eager"]["run"] != entry["ours"]["run"]


@pytest.mark.skipif(not HAS_TORCH, reason="PyTorch is not installed")
def test_with_torch_zeros_are_wrong(host):
    host.behave("wrong")
    status, text = host.run(*ONE, "--no-peers", torch=True)
    assert status == 2 and host.entries()["G1/f16"]["ours"]["pass"] is False
    assert host.entries()["G1/f16"]["ours"]["max_rel_error"] >= 1.0


@pytest.mark.skipif(not HAS_TORCH, reason="PyTorch is not installed")
def test_worker_survives_errors_and_is_restarted(tmp_path):
    with open(tmp_path / "log", "w") as log:
        peers = processes.PeerProcess("cpu", log)
        request = {"do": "time", "family": "gemm_chains_mcfuser", "case": {}, "dtype": "f16"}
        request |= {"seed": 1, "inputs": [((4, 4), "f16", 4), ((4, 4), "f16", 4)], "peer": "none"}
        assert "unknown peer" in peers.ask(request, 60)["error"]
        request["peer"] = "eager"
        assert peers.ask(request, 60)["ok"]
        peers.process.kill()
        assert not peers.ask(request, 60)["ok"]
        assert peers.ask(request, 60)["ok"]
        assert "no answer" in peers.ask(request, 0)["error"]
        assert peers.ask(request, 60)["ok"]
        peers.close()


# What follows runs in this process, with a worker that answers without PyTorch.


@pytest.fixture
def gpu_host(host, monkeypatch):
    """As on a GPU: a worker and an nvidia-smi that name one."""
    gpu = {"name": "NVIDIA H100 80GB HBM3", "compute_cap": "9.0", "driver_version": "580.1"}
    monkeypatch.setattr(record, "gpu", lambda: gpu)
    monkeypatch.setattr(processes, "WORKER", HERE / "fake_peer_worker.py")
    host.behave("zeros")

    def run(*arguments):
        scratch = host.folder / "scratch"
        return script_modules.load_anew("run").main(
            [f"--fusion-run={host.binary}", f"--results={host.results}", f"--scratch={scratch}", *arguments]
        )

    host.main = run
    return host


def test_figures_of_a_run(gpu_host):
    assert gpu_host.main(*ONE) == 0
    entry = gpu_host.entries()["G1/f16"]
    figures = [entry["ours"], *entry["peers"].values()]
    assert {figure["device"] for figure in figures} == {"NVIDIA H100 80GB HBM3"}
    (run,) = {figure["run"] for figure in figures}
    assert set(entry["ratios"]) == {"eager", "compile", "best_peer"} and "--chip=sm_90a" in gpu_host.calls()[0]
    copies = json.loads((gpu_host.results / "copy.json").read_text())["runs"]
    assert set(copies) == {run} and copies[run]["device"] == "NVIDIA H100 80GB HBM3"
    assert {copy["bytes"] for copy in copies[run]["copies"]} == set(plan.COPY_SIZES)
    machine = json.loads((gpu_host.results / "gemm_chains_mcfuser.json").read_text())["machine"]
    assert machine["gpu"]["driver_version"] == "580.1"
    # Nothing left to do: no copy.
    assert gpu_host.main(*ONE) == 0 and len(gpu_host.calls()) == 1
    assert len(json.loads((gpu_host.results / "copy.json").read_text())["runs"]) == 1


def test_peers_that_are_missing_are_measured_with_ours(gpu_host):
    assert gpu_host.main(*ONE, "--no-peers") == 0
    assert gpu_host.main(*ONE, "--peers-only") == 0 and len(gpu_host.calls()) == 1
    entry = gpu_host.entries()["G1/f16"]
    assert entry["ratios"] == {} and entry["peers"]["eager"]["run"] != entry["ours"]["run"]
    assert gpu_host.main(*ONE) == 0 and len(gpu_host.calls()) == 2
    assert set(gpu_host.entries()["G1/f16"]["ratios"]) == {"eager", "compile", "best_peer"}
    assert gpu_host.main(*ONE) == 0 and len(gpu_host.calls()) == 2


def test_autotune_has_ours_beside_it(gpu_host):
    assert gpu_host.main(*ONE) == 0
    assert gpu_host.main(*ONE, "--piece=autotune:1/1") == 0
    entry = gpu_host.entries()["G1/f16"]
    assert entry["ours_beside_autotune"]["run"] == entry["peers"]["autotune"]["run"] != entry["ours"]["run"]
    assert set(entry["ratios"]) == {"eager", "compile", "autotune", "best_peer"}
    assert gpu_host.main(*ONE, "--piece=autotune:1/1") == 0 and len(gpu_host.calls()) == 2


def test_summary_of_a_run(gpu_host, capsys):
    """What `run` writes is what `summary` reads."""
    for piece in ("1/1", "autotune:1/1"):
        assert gpu_host.main("--targets", "--family=*mcfuser", "--case=[GS]1", "--dtype=f16", f"--piece={piece}") == 0
    capsys.readouterr()
    summary = subprocess.run([sys.executable, GPU / "summary", gpu_host.results], capture_output=True, text=True)
    assert summary.returncode == 3 and summary.stderr == ""
    counts = [line.split("|")[2:6] for line in summary.stdout.splitlines() if line.startswith("| short workloads")]
    # 12.5 us beside 20 of compile and 15 of max-autotune.
    assert counts == [[" missing ", " 2 of 66 ", " 0 ", " 64 "]] * 2
    assert "| gemm_chains_mcfuser G1/f16 | met | 12.50 | 30.00 | 20.00 | compile 20.00 | 1.60 |" in summary.stdout


def test_targets_select(host):
    status, text = host.run("--targets", "--family=products_large", "--dry-run")
    assert status == 0 and "gemm_4096x4096x4096/f16" in text and "gemm_8192x8192x8192" not in text
    assert "torch: eager, compile" in text
    main, autotune = targets.units("main"), targets.units("autotune")
    assert len(set(main)) == len(main) and {unit.family for unit in autotune} == set(targets.SHORT)
    # Nine of attention and twelve chains of each table, in two types.
    assert len(autotune) == 2 * (9 + 12 + 12)
