# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the units of a call in their order, as far as the time goes."""

import concurrent.futures
import dataclasses
import typing

from . import children


@dataclasses.dataclass
class Unit:
    """run(limit) returns {"outcome", "message", …}, and as "attached" files for the archive. Units of a kind that trapped or hung are not tried again; a unit
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
    """`spare` seconds are left to the phases behind. So many units run at a time as there are `workers`, no two of a
    kind: the outcome of one decides whether the next one is tried."""

    name: str
    units: list
    spare: float = 0.0
    workers: int = 1


class Runner:
    def __init__(self, journal, deadline, log, after=lambda: None):
        """after: called once a unit's result is on disk."""
        self.journal, self.deadline, self.log, self.after = journal, deadline, log, after

    def run(self, phase):
        """Returns whether all units of the phase have a result."""
        journal = self.journal
        self.failed, self.lost = journal.failed_kinds(), journal.lost_kinds()
        todo = [unit for unit in phase.units if journal.result(phase.name, unit.name) is None]
        known = len(phase.units) - len(todo)
        self.log(f"{phase.name}: {len(phase.units)} units" + (f", {known} of them known" if known else ""))
        left, running = [], {}
        with concurrent.futures.ThreadPoolExecutor(phase.workers) as pool:
            while todo or running:
                kinds = {unit.kind for unit in running.values()}
                unit = next((unit for unit in todo if unit.kind not in kinds), None)
                if unit and len(running) < phase.workers:
                    todo.remove(unit)
                    limit = self.begin(phase, unit, left)
                    if limit is not None:
                        running[pool.submit(attempt, unit, limit)] = unit
                    continue
                done, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
                for future in done:
                    unit, result = running.pop(future), future.result()
                    if result["outcome"] in children.NEVER_AGAIN:
                        self.failed.setdefault(unit.kind, (unit.name, result["outcome"]))
                    self.finish(phase, unit, result)
        if left:
            journal.leave(phase.name, left)
            self.log(f"{phase.name}: no time for {len(left)} units: {shortened([name for name, _ in left])}")
            self.after()
        return not left

    def begin(self, phase, unit, left):
        """The seconds that a unit may take; None where it is not tried, which is then said."""
        why = self.failed.get(unit.kind) or next((self.lost[kind] for kind in unit.needs if kind in self.lost), None)
        if why:
            name, outcome = why
            self.finish(phase, unit, {"outcome": children.SKIPPED, "message": f"'{name}' of this kind {outcome}"})
            return None
        time = self.deadline.left() - phase.spare
        if time < unit.estimate:
            left.append((unit.name, unit.kind))
            return None
        self.journal.begin(phase.name, unit.name, unit.kind)
        return min(unit.limit, time)

    def finish(self, phase, unit, result):
        for name, data in result.pop("attached", {}).items():
            self.journal.attach(name, data)
        result = {"kind": unit.kind, **result}
        self.journal.finish(phase.name, unit.name, result)
        text = result.get("line") or result.get("message", "")
        self.log(f"  {unit.name:<56} {result['outcome']:<8} {text}".rstrip())
        self.after()


def attempt(unit, limit):
    """A unit's result within `limit` seconds."""
    try:
        result = unit.run(limit)
    except (OSError, RuntimeError, ValueError, KeyError) as error:
        return {"outcome": children.CRASHED, "message": f"{type(error).__name__}: {error}"[:500]}
    if result["outcome"] == children.HUNG and limit < unit.limit:
        # It may only have lacked time. It counts as hung all the same: another try would cost more.
        result["message"] = f"{result.get('message', '')} (of {unit.limit:.0f} s that it may take)"
    return result


def shortened(names, most=6):
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
