# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The results of a call, unit by unit: on disk before and after each unit, so that a call that is cut off loses nothing
and knows what it was doing."""

import json
import pathlib

import record

from . import archive, children

ARCHIVE = "results.tar"
CALLS = ("call1.json", "call2.json")
STARTED, LEFT = "started", "left"
RAN = (children.PASS, children.WRONG)


def failures(data):
    """{kind: (unit, outcome)} of the units that trapped or hung."""
    found = {}
    for units in data["phases"].values():
        for name, unit in units.items():
            if unit["outcome"] in children.NEVER_AGAIN:
                found.setdefault(unit["kind"], (name, unit["outcome"]))
    return found


class Journal:
    """callN.json and artifacts of one call, and the archive of all calls in the same folder.

    {"call", "package", "machine", "runs": [{"date", "seconds"}], "phases": {phase: {unit: {"outcome", "kind", …}}}}

    The package's fingerprint tells whether earlier results are of the same plans; results of other plans go on living
    in the archive as earlier/FINGERPRINT/…, and decide nothing.
    """

    def __init__(self, folder, call, fingerprint):
        self.folder, self.call = pathlib.Path(folder), call
        self.folder.mkdir(parents=True, exist_ok=True)
        self.members = archive.read(self.folder / ARCHIVE)
        self.path = self.folder / f"call{call}.json"
        for name in CALLS:
            if (self.folder / name).exists():
                self.members[name] = (self.folder / name).read_bytes()
        self.data = self._take_over(fingerprint)
        self._save()

    def _take_over(self, fingerprint):
        for name in [name for name in self.members if name in CALLS]:
            try:
                known = json.loads(self.members[name])["package"]
            except (ValueError, KeyError):
                known = "unreadable"
            if known != fingerprint:
                self._set_aside(name, known)
        if self.path.name not in self.members:
            return {"call": self.call, "package": fingerprint, "machine": {}, "runs": [], "phases": {}}
        data = json.loads(self.members[self.path.name])
        for units in data["phases"].values():
            for unit in units.values():
                if unit["outcome"] == STARTED:
                    unit.update(outcome=children.HUNG, message="the call ended while this ran")
        return data

    def _set_aside(self, name, fingerprint):
        stem = name.partition(".")[0]
        for member in [m for m in self.members if m == name or m.startswith(f"{stem}/")]:
            self.members[f"earlier/{fingerprint[:12]}/{member}"] = self.members.pop(member)
        (self.folder / name).unlink(missing_ok=True)

    def _save(self):
        record.write_json(self.path, self.data)
        self.members[self.path.name] = self.path.read_bytes()

    def units(self, phase):
        return self.data["phases"].setdefault(phase, {})

    def result(self, phase, unit):
        """None where the unit has not run."""
        found = self.units(phase).get(unit)
        return None if found and found["outcome"] == LEFT else found

    def begin(self, phase, unit, kind):
        self.units(phase)[unit] = {"outcome": STARTED, "kind": kind}
        self._save()

    def finish(self, phase, unit, result):
        self.units(phase)[unit] = result
        self._save()

    def leave(self, phase, units):
        """Names what had no time, beside what had."""
        known = self.units(phase)
        for name, kind in units:
            known.setdefault(name, {"outcome": LEFT, "kind": kind})
        self._save()

    def note(self, **facts):
        """Facts of the machine, or of this run."""
        self.data["machine"].update(facts)
        self._save()

    def other_call(self):
        """What the other call has found with the same plans, or None."""
        name = f"call{3 - self.call}.json"
        return json.loads(self.members[name]) if name in self.members else None

    def failed_kinds(self):
        """{kind: (unit, outcome)} of those of this call that trapped or hung."""
        return failures(self.data)

    def lost_kinds(self):
        """The units of the other call that trapped or hung, except kinds of which some case ran to its end."""
        data = self.other_call()
        if not data:
            return {}
        ran = {unit["kind"] for units in data["phases"].values() for unit in units.values() if unit["outcome"] in RAN}
        return {kind: why for kind, why in failures(data).items() if kind not in ran}

    def attach(self, name, data):
        """A file for the archive beside the JSON."""
        self.members[f"call{self.call}/{name}"] = data

    def pack(self, extra):
        """Writes the archive; extra: {name: bytes} such as the summary. JSON goes first, what is large last."""
        self.members.update(extra)
        order = sorted(
            self.members, key=lambda name: ("/" in name, name.startswith("earlier/"), len(self.members[name]), name)
        )
        return archive.write(self.folder / ARCHIVE, {name: self.members[name] for name in order})
