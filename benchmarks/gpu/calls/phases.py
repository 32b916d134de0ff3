# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the units of a call in their order, as far as the time goes."""

import dataclasses
import typing

from . import children


@dataclasses.dataclass
class Unit:
    """run(limit) returns {"outcome", "message", …}. Units of a kind that trapped or hung are not tried again; a unit
    without a kind is its own. needs: kinds of the other call, of which at least one case must have run to its end.
    estimate: seconds without which the unit is not begun; limit: seconds after which it hangs."""

    name: str
    run: typing.Callable
    kind: str = ""
    needs: tuple = ()
    estimate: float = 2.0
    limit: float = 12.0

    def __post_init__(self):
        self.kind = self.kind or self.name


@dataclasses.dataclass
class Phase:
    """`spare` seconds are left to the phases behind."""

    name: str
    units: list
    spare: float = 0.0


class Runner:
    def __init__(self, journal, deadline, log, after=lambda: None):
        """after: called once a unit's result is on disk."""
        self.journal, self.deadline, self.log, self.after = journal, deadline, log, after

    def run(self, phase):
        """Returns whether all units of the phase have a result."""
        journal, failed, lost = self.journal, self.journal.failed_kinds(), self.journal.lost_kinds()
        todo = [unit for unit in phase.units if journal.result(phase.name, unit.name) is None]
        known = len(phase.units) - len(todo)
        self.log(f"{phase.name}: {len(phase.units)} units" + (f", {known} of them known" if known else ""))
        left = []
        for unit in todo:
            why = failed.get(unit.kind) or next((lost[kind] for kind in unit.needs if kind in lost), None)
            if why:
                name, outcome = why
                self.finish(phase, unit, {"outcome": children.SKIPPED, "message": f"'{name}' of this kind {outcome}"})
                continue
            time = self.deadline.left() - phase.spare
            if time < unit.estimate:
                left.append((unit.name, unit.kind))
                continue
            journal.begin(phase.name, unit.name, unit.kind)
            limit = min(unit.limit, time)
            try:
                result = unit.run(limit)
            except (OSError, RuntimeError, ValueError, KeyError) as error:
                result = {"outcome": children.CRASHED, "message": f"{type(error).__name__}: {error}"[:500]}
            if result["outcome"] == children.HUNG and limit < unit.limit:
                # It may only have lacked time. It counts as hung all the same: another try would cost more.
                result["message"] = f"{result.get('message', '')} (of {unit.limit:.0f} s that it may take)"
            if result["outcome"] in children.NEVER_AGAIN:
                failed.setdefault(unit.kind, (unit.name, result["outcome"]))
            self.finish(phase, unit, result)
        if left:
            journal.leave(phase.name, left)
            self.log(f"{phase.name}: no time for {len(left)} units: {shortened([name for name, _ in left])}")
            self.after()
        return not left

    def finish(self, phase, unit, result):
        result = {"kind": unit.kind, **result}
        self.journal.finish(phase.name, unit.name, result)
        text = result.get("line") or result.get("message", "")
        self.log(f"  {unit.name:<56} {result['outcome']:<8} {text}".rstrip())
        self.after()


def shortened(names, most=6):
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
