#!/usr/bin/env python3
# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds up what the test runners wrote and prints one summary.

    summarize_tests.py RESULTS-FOLDER lit|unit|python ...

Reads lit.json (lit --output), ctest.xml with unit/*.xml (ctest's JUnit file, GoogleTest's own files) and
python*.xml (pytest's JUnit files), SUITE.status (the runner's exit code) and SUITE.seconds. A runner
that left no readable file, or failed without naming a failed test, counts as one failure: what did
not run is never a success. Writes durations.json: by suite, the seconds of the whole suite and of
each test. The last line is "N passed, N failed, N skipped"; the exit code is 0 only if nothing failed.
"""

import collections
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

SLOWEST = 15
# What lit says of the tests of a folder whose lit.local.cfg sets config.unsupported.
NO_REASON = "Test is unsupported"


class Outcome:
    """The tests of one suite: passed, names of the failed, reasons of the skipped, seconds by name and of the whole suite."""

    def __init__(self):
        self.passed = 0
        self.failed = []
        self.skipped = collections.Counter()
        self.seconds = {}
        self.total = None


def read_lit(folder):
    outcome = Outcome()
    for test in json.loads((folder / "lit.json").read_text())["tests"]:
        name, code = test["name"], test["code"]
        outcome.seconds[name] = test.get("elapsed") or 0.0
        if code in ("PASS", "XFAIL", "FLAKYPASS"):
            outcome.passed += 1
        elif code in ("UNSUPPORTED", "SKIPPED", "EXCLUDED"):
            reason = ((test.get("output") or "").strip().splitlines() or [NO_REASON])[-1]
            outcome.skipped["the folder is of a later tier" if reason == NO_REASON else reason] += 1
        else:
            outcome.failed.append(f"{name} ({code})")
    return outcome


def read_gtest(path, outcome):
    """Adds the cases of one GoogleTest executable; returns whether it reported any failure."""
    failed = False
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        outcome.seconds[name] = float(case.get("time", 0))
        if case.find("failure") is not None:
            failed = True
            outcome.failed.append(name)
        elif case.get("result") == "skipped" or case.get("status") == "notrun":
            outcome.skipped[f"{name} skips itself"] += 1
        else:
            outcome.passed += 1
    return failed


def read_unit(folder):
    outcome, cases = Outcome(), collections.Counter()
    for case in ElementTree.parse(folder / "ctest.xml").getroot().iter("testcase"):
        name, status = case.get("name"), case.get("status")
        details = folder / "unit" / f"{name}.xml"
        before = len(outcome.seconds)
        # A crash leaves no file, or a stale half of one.
        try:
            failed = read_gtest(details, outcome)
            if status == "fail" and not failed:
                outcome.failed.append(f"{name} (failed outside its cases)")
        except (FileNotFoundError, ElementTree.ParseError):
            outcome.seconds[name] = float(case.get("time", 0))
            if status == "run":
                outcome.passed += 1
            elif status in ("disabled", "notrun"):
                outcome.failed.append(f"{name} (did not run)")
            else:
                outcome.failed.append(f"{name} (crashed or timed out)")
        # A part of the cases (NAME-3) may be empty, all of them may not.
        cases[re.sub(r"-\d+$", "", name)] += len(outcome.seconds) - before
    outcome.failed += [f"{name} (its filter selects no case)" for name, count in cases.items() if not count]
    return outcome


def skip_reason(skipped):
    """For a whole file that skips itself, pytest writes the reason into the text only."""
    inside = re.search(r"Skipped: (.*?)['\"]?\)?$", skipped.text or "", re.MULTILINE)
    message = skipped.get("message") or "no reason given"
    return inside.group(1) if inside and message == "collection skipped" else message


def read_python(folder):
    outcome = Outcome()
    files = sorted(folder.glob("python*.xml"))
    if not files:
        raise FileNotFoundError("python*.xml")
    for case in (case for file in files for case in ElementTree.parse(file).getroot().iter("testcase")):
        name = f"{case.get('classname')}.{case.get('name')}"
        outcome.seconds[name] = float(case.get("time", 0))
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            outcome.failed.append(name)
        elif skipped is not None and "xfail" not in (skipped.get("type") or ""):
            outcome.skipped[skip_reason(skipped)] += 1
        else:
            outcome.passed += 1
    return outcome


READERS = {"lit": read_lit, "unit": read_unit, "python": read_python}
# pytest's 5 is "no tests were collected", which only a selection by the user brings about.
HARMLESS_STATUS = {"python": ("0", "5")}


def read_suite(folder, suite):
    try:
        outcome = READERS[suite](folder)
    except (FileNotFoundError, ElementTree.ParseError, json.JSONDecodeError, KeyError) as error:
        outcome = Outcome()
        outcome.failed.append(f"the suite itself: no readable results ({error})")
        return outcome
    status = (folder / f"{suite}.status").read_text().strip()
    if (folder / f"{suite}.seconds").exists():
        outcome.total = int((folder / f"{suite}.seconds").read_text())
    if status not in HARMLESS_STATUS.get(suite, ("0",)) and not outcome.failed:
        outcome.failed.append(f"the suite itself: its runner ended with exit code {status}")
    return outcome


def print_suite(suite, outcome):
    skipped = sum(outcome.skipped.values())
    took = f" in {outcome.total} s" if outcome.total else ""
    print(f"{suite + ':':8}{outcome.passed} passed, {len(outcome.failed)} failed, {skipped} skipped{took}")
    for reason, count in sorted(outcome.skipped.items()):
        reason = re.sub(r"^Test requires.*?features: ", "needs ", reason)
        print(f"          skipped {count}: {reason}")
    for name in sorted(outcome.failed):
        print(f"          FAILED: {name}")


def print_slowest(outcomes):
    seconds = [(seconds, suite, name) for suite, outcome in outcomes.items() for name, seconds in outcome.seconds.items()]
    slowest = [each for each in sorted(seconds, key=lambda each: -each[0])[:SLOWEST] if each[0] > 0]
    if slowest:
        print("slowest:")
    for seconds, suite, name in slowest:
        print(f"          {seconds:5.1f} s: {suite}: {name}")


def main(arguments):
    folder, suites = pathlib.Path(arguments[0]), arguments[1:]
    print("\n== summary")
    outcomes = {suite: read_suite(folder, suite) for suite in suites}
    for suite, outcome in outcomes.items():
        print_suite(suite, outcome)
    print_slowest(outcomes)
    durations = {suite: {"seconds": outcome.total, "tests": outcome.seconds} for suite, outcome in outcomes.items()}
    (folder / "durations.json").write_text(json.dumps(durations, indent=1) + "\n")
    passed = sum(outcome.passed for outcome in outcomes.values())
    failed = sum(len(outcome.failed) for outcome in outcomes.values())
    skipped = sum(sum(outcome.skipped.values()) for outcome in outcomes.values())
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or passed + skipped == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
