# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`run --call=N`: the phases of a call on this machine, its log, archive and summary."""

import os
import pathlib
import shutil
import sys
import tempfile
import threading
import time

import processes
import record

from . import chip, corpus, device, drawn, features, package, profiles, report, timings
from .deadline import DEFAULT_SECONDS, Deadline
from .input_files import InputFiles
from .journal import ARCHIVE, Journal
from .phases import Runner

PREPARED = pathlib.Path(__file__).parents[1] / "prepared"
SUMMARY, LOG = "summary.md", "log.txt"
# Seconds after which a case hangs, or a timing.
CASE_LIMIT, TIMING_LIMIT = 12.0, 19.0
# Seconds for PyTorch to be loaded.
PATIENCE = 60.0
# What inputs and results of the largest workload need of the scratch folder.
SCRATCH_BYTES = 4 << 30
# An archive is written at most so often while a phase runs.
PACK_SECONDS = 2.0


def scratch_folder(shared):
    """Memory where there is enough, as containers often have little of it."""
    enough = shared.is_dir() and shutil.disk_usage(shared).free >= SCRATCH_BYTES
    return shared if enough else pathlib.Path(tempfile.gettempdir())


class Log:
    """On the terminal and in a file that grows from call to call."""

    def __init__(self, path, deadline):
        path.parent.mkdir(parents=True, exist_ok=True)
        self.file, self.deadline = open(path, "a"), deadline

    def __call__(self, text):
        line = f"{self.deadline.elapsed():6.1f} s  {text}"
        print(line, flush=True)
        print(line, file=self.file, flush=True)


class Context:
    """What the phases of a call share."""

    def __init__(self, options, deadline):
        self.options, self.deadline = options, deadline
        self.is_rehearsal = options.device == "cpu"
        self.results = options.results or record.ROOT / "benchmarks" / "results" / "calls"
        self.results.mkdir(parents=True, exist_ok=True)
        self.log = Log(self.results / LOG, deadline)
        self.log(f"call {options.call}, {options.seconds:.0f} s, {record.now()}")
        self.package = package.Package(options.prepared or PREPARED)
        self.journal = Journal(self.results, options.call, self.package.fingerprint)
        self.journal.note(commit=self.package.index["commit"])
        self.driver = [options.driver] if options.driver else []
        self.case_limit, self.timing_limit = options.case_limit or CASE_LIMIT, options.case_limit or TIMING_LIMIT
        self.at_end, self._peers, self._peer_log = [], None, None
        parent = options.scratch or scratch_folder(pathlib.Path("/dev/shm"))
        parent.mkdir(parents=True, exist_ok=True)
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="fusion-call-", dir=parent))
        self.at_end.append(lambda: shutil.rmtree(self.scratch, ignore_errors=True))
        self.input_files = InputFiles(self)

    def start_peers(self):
        """Loads PyTorch beside what comes first."""
        self._peer_log = open(self.scratch / "peers.log", "w")

        def start():
            patience = min(PATIENCE, max(1.0, 0.5 * self.deadline.left()))
            self._peers = processes.PeerProcess(self.options.device, self._peer_log, patience)

        self._starting = threading.Thread(target=start, daemon=True)
        self._starting.start()

    @property
    def peers(self):
        """The PyTorch worker, once it has answered or failed."""
        self._starting.join()
        return self._peers

    def open(self):
        """Unpacks the tools and plans. Returns a reason where nothing can run."""
        self.units = self.scratch / "package"
        binary = self.package.unpack(self.units)
        gpu = {} if self.is_rehearsal else record.gpu()
        self.chip = self.options.chip or (
            record.chip_of(gpu["compute_cap"], gpu["name"]) if gpu else self.package.index["chips"][0]
        )
        self.journal.note(chip=self.chip, gpu=gpu, device=record.NO_GPU if self.is_rehearsal else gpu.get("name"))
        if self.chip not in self.package.index["chips"]:
            chips = ", ".join(self.package.index["chips"])
            return f"prepared for {chips}, not for {self.chip} ({gpu.get('name', '--chip')})"
        binary = processes.find_fusion_run(self.options.fusion_run or binary)
        self.fusion = processes.FusionRun(binary, self.chip, "emulator" if self.is_rehearsal else "cuda")
        if self.fusion.missing:
            return self.fusion.missing
        # The multi-call binary is fusion-emulate under that name.
        self.fusion_emulate = binary.with_name("fusion-emulate")
        tools = self.scratch / "tools"
        real = shutil.which("ptxas", path=package.environment()["PATH"])
        package.write_ptxas(tools, self.units / "cubins", real)
        self.environment = package.environment(tools)
        return None

    def close(self):
        if self._peer_log:
            # Its patience ends.
            self.peers.close()
            self._peer_log.close()
        for action in reversed(self.at_end):
            action()


class Packer:
    """The archive and the summary, as results come in."""

    def __init__(self, context):
        self.context, self.last = context, 0.0

    def __call__(self, at_once=False):
        if not at_once and time.monotonic() - self.last < PACK_SECONDS:
            return
        journal, folder = self.context.journal, self.context.results
        journal.data["runs"][-1]["seconds"] = round(self.context.deadline.elapsed(), 1)
        calls = sorted(filter(None, (journal.other_call(), journal.data)), key=lambda data: data["call"])
        text = report.summary(calls)
        partial = folder / f"{SUMMARY}.partial"
        partial.write_text(text)
        os.replace(partial, folder / SUMMARY)
        left_out = journal.pack({SUMMARY: text.encode(), LOG: (folder / LOG).read_bytes()})
        if left_out and at_once:
            self.context.log(f"{ARCHIVE} is full without {', '.join(left_out)}")
        self.last = time.monotonic()


def phases_of(context):
    """Functions that make the phases one after the other: each sees what the ones before it found."""
    if context.options.call == 1:
        return [lambda: [device.phase(context)], lambda: [features.phase(context)], lambda: [corpus.phase(context)]]
    return [
        lambda: [device.phase(context)],
        lambda: timings.phases(context, ("headlines", "families", "variants", "patterns")),
        lambda: [drawn.phase(context)],
        lambda: timings.phases(context, ("ranks",)),
        lambda: [profiles.phase(context)],
        lambda: [chip.phase(context)],
    ]


def exit_code(data):
    """0: all that was tried is right; 2: something is wrong; 1: anything else."""
    outcomes = {unit["outcome"] for units in data["phases"].values() for unit in units.values()}
    return 2 if "wrong" in outcomes else 1 if outcomes & set(report.BAD) else 0


def main(options):
    options.seconds = options.seconds or DEFAULT_SECONDS[options.call]
    deadline = Deadline(options.seconds)
    try:
        context = Context(options, deadline)
    except RuntimeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    pack = Packer(context)
    context.journal.data["runs"].append({"date": record.now(), "seconds": 0.0})
    try:
        if options.call == 2:
            context.start_peers()
        reason = context.open()
        if reason:
            context.log(f"error: {reason}")
            pack(at_once=True)
            return 1
        runner, complete = Runner(context.journal, deadline, context.log, pack), True
        for make in phases_of(context):
            for phase in make():
                complete &= runner.run(phase)
                pack(at_once=True)
        if options.call == 2:
            context.journal.note(**{key: context.peers.info.get(key) for key in ("torch", "triton", "cuda", "cudnn")})
        context.log("everything has been tried" if complete else "time is up: call again to go on")
        pack(at_once=True)
        return exit_code(context.journal.data)
    finally:
        context.close()
