# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine a measurement is made on, and the files the results go to."""

import datetime
import json
import os
import pathlib
import re
import subprocess

GPU_FIELDS = ("name", "driver_version", "compute_cap", "memory.total", "clocks.max.sm", "power.limit")
ROOT = pathlib.Path(__file__).parents[2]


def gpu():
    """What nvidia-smi says of the first GPU; empty where there is none."""
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


def chip_of(compute_capability):
    """9.0 -> sm_90a: the architecture-specific variants of the chips that have one we use."""
    number = compute_capability.replace(".", "")
    return f"sm_{number}" + ("a" if number in ("90", "100") else "")


def folder_name(name):
    """NVIDIA H100 80GB HBM3 -> nvidia-h100-80gb-hbm3."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def commit():
    """Of the portable package, or of the checkout."""
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


class Results:
    """benchmarks/results/<chip>/<family>.json: one entry per case and type.

    Each file is {"machine": {...}, "entries": {"G1/f16": {...}}} and is replaced as a whole after every
    unit, so that an interrupted run loses nothing and leaves no half file.
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

    def done(self, unit, want_ours):
        """Whether a unit was measured for this commit (peers do not depend on the commit)."""
        entry = self.entry(unit)
        if unit.phase not in entry.get("phases", {}):
            return False
        if unit.phase == "autotune" or not want_ours:
            return True
        ours = entry.get("ours", {})
        return ours.get("commit") == self.machine["commit"]

    def update(self, unit, changes):
        content = self._load(unit.family)
        content["machine"] = {**content["machine"], **self.machine}
        entry = content["entries"].setdefault(unit.key, {})
        for key, value in changes.items():
            if isinstance(value, dict) and isinstance(entry.get(key), dict) and key != "ours":
                entry[key] = {**entry[key], **value}
            else:
                entry[key] = value
        entry.setdefault("phases", {})[unit.phase] = now()
        entry["ratios"] = ratios(entry)
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{unit.family}.json"
        partial = path.with_suffix(".partial")
        partial.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n")
        os.replace(partial, path)


def ratios(entry):
    """Time of each peer over ours: above 1 we are faster. Empty while ours is missing or wrong."""
    ours = entry.get("ours", {})
    if not ours.get("us") or not ours.get("pass"):
        return {}
    result = {
        name: round(peer["us"] / ours["us"], 4)
        for name, peer in entry.get("peers", {}).items()
        if peer.get("us")
    }
    if result:
        result["best_peer"] = min(result.values())
    return result
