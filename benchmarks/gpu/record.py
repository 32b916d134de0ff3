# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine a measurement is made on, and the files the results go to."""

import datetime
import json
import os
import pathlib
import re
import secrets
import subprocess

GPU_FIELDS = ("name", "driver_version", "compute_cap", "memory.total", "clocks.max.sm", "power.limit")
# The device of a rehearsal.
NO_GPU = "no GPU"
ROOT = pathlib.Path(__file__).parents[2]


def gpu():
    """What nvidia-smi says of the first GPU; empty without a GPU."""
    try:
        run = subprocess.run(
            ["nvidia-smi", f"--query-gpu={','.join(GPU_FIELDS)}", "--format=csv,noheader", "--id=0"],
            capture_output=True,
            text=True,
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    values = [value.strip() for value in run.stdout.strip().split(",")]
    if run.returncode != 0 or len(values) != len(GPU_FIELDS):
        return {}
    return dict(zip(GPU_FIELDS, values, strict=True))


def chip_of(compute_capability, name=""):
    """9.0 -> sm_90a: the architecture-specific variants of the chips that have one we use. The H200 differs from the
    H100 in its memory, which its name alone tells."""
    if "H200" in name:
        return "h200"
    number = compute_capability.replace(".", "")
    return f"sm_{number}" + ("a" if number in ("90", "100") else "")


def folder_name(name):
    """NVIDIA H100 80GB HBM3 -> nvidia-h100-80gb-hbm3."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def commit():
    """The commit of the portable package, or of the checkout."""
    packaged = ROOT / "COMMIT"
    if packaged.exists():
        return packaged.read_text().strip()
    try:
        run = subprocess.run(
            ["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True
        )
    except OSError:
        return "unknown"
    return run.stdout.strip() if run.returncode == 0 else "unknown"


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")


def run_id():
    """Of one call of a program on one machine. Only figures of one run are compared."""
    started = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%S")
    return f"{started}-{secrets.token_hex(3)}"


def write_json(path, content):
    """As a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n")
    os.replace(partial, path)


class Results:
    """benchmarks/results/<chip>/<family>.json: one entry per case and type.

    Each file is {"machine": {...}, "entries": {"G1/f16": {...}}} and is replaced as a whole after every
    unit, so that an interrupted run loses nothing and leaves no half file. copy.json has the bandwidth of a
    device copy in each run. Every measurement names its run and its device.
    """

    def __init__(self, folder, machine):
        self.folder, self.machine = pathlib.Path(folder), machine
        self.files = {}

    def _load(self, family):
        if family not in self.files:
            path = self.folder / f"{family}.json"
            content = {"machine": {}, "entries": {}}
            if path.exists():
                content = json.loads(path.read_text())
            self.files[family] = content
        return self.files[family]

    def entry(self, unit):
        return self._load(unit.family)["entries"].get(unit.key, {})

    def done(self, unit, want_ours, peers=()):
        """Whether a unit was measured for this commit, and the peers that are named beside it."""
        entry = self.entry(unit)
        if unit.phase not in entry.get("phases", {}):
            return False
        known, ours = entry.get("peers", {}), ours_beside(entry, unit.phase)
        if not all(name in known and (not want_ours or same_run(known[name], ours)) for name in peers):
            return False
        return not want_ours or ours.get("commit") == self.machine["commit"]

    def update(self, unit, changes):
        content = self._load(unit.family)
        content["machine"] = {**content["machine"], **self.machine}
        entry = content["entries"].setdefault(unit.key, {})
        for key, value in changes.items():
            if key == "peers" and isinstance(entry.get(key), dict):
                entry[key] = {**entry[key], **value}
            else:
                entry[key] = value
        entry.setdefault("phases", {})[unit.phase] = now()
        entry["ratios"] = ratios(entry)
        write_json(self.folder / f"{unit.family}.json", content)

    def add_copies(self, run, copies):
        """The bandwidth of a device copy, next to the ones of earlier runs."""
        path = self.folder / "copy.json"
        content = json.loads(path.read_text()) if path.exists() else {"runs": {}}
        content["runs"][run] = copies
        write_json(path, content)


def ours_beside(entry, peer):
    """Our figures of the run that has the peer's: max-autotune is a run of its own."""
    return entry.get("ours_beside_autotune" if peer == "autotune" else "ours", {})


def same_run(one, other):
    return one.get("run") == other.get("run") and one.get("device") == other.get("device")


def ratios(entry):
    """Time of each peer over ours of the same run: above 1 we are faster. Empty while ours is missing or wrong."""
    result = {}
    for name, peer in entry.get("peers", {}).items():
        ours = ours_beside(entry, name)
        if peer.get("us") and ours.get("us") and ours.get("pass") and same_run(ours, peer):
            result[name] = round(peer["us"] / ours["us"], 4)
    if result:
        result["best_peer"] = min(result.values())
    return result
