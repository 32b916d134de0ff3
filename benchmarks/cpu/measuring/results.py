# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The file of a measurement: what ran where, the limits, and a record of each row with all samples."""

import json
import os


class Results:
    """results.json in a folder: {"machine", "limits": {threads: rates}, "best_canary": {threads: GFLOP/s}, "rows"}.

    A record replaces an earlier one of the row and the number of threads."""

    def __init__(self, file, machine=None):
        self.file = file
        self.content = {"machine": machine, "limits": {}, "best_canary": {}, "rows": []}
        if file.exists():
            self.content = json.loads(file.read_text())
            if machine:
                self.content["machine"] = machine

    def done(self, row, threads):
        return any(self._key(one) == (row.name, threads) for one in self.content["rows"])

    @staticmethod
    def _key(record):
        return record["row"], record["threads"]

    def add(self, record, best_canary):
        rows = [one for one in self.content["rows"] if self._key(one) != self._key(record)]
        self.content["rows"] = [*rows, record]
        number = str(record["threads"])
        self.content["best_canary"][number] = max(best_canary, self.content["best_canary"].get(number, 0))
        self.write()

    def add_limits(self, threads, rates):
        """Keeps the best of each rate, and returns them all."""
        kept = self.content["limits"].setdefault(str(threads), {})
        for name, rate in rates.items():
            if isinstance(rate, dict):
                kept[name] = {level: max(one, kept.get(name, {}).get(level, 0)) for level, one in rate.items()}
            else:
                kept[name] = max(rate, kept.get(name, 0))
        return kept

    def write(self):
        """As a whole or not at all, a line for each row."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        head = {key: value for key, value in self.content.items() if key != "rows"}
        lines = ",\n".join("  " + json.dumps(row, separators=(",", ":")) for row in self.content["rows"])
        text = json.dumps(head, indent=1)[:-2] + ',\n "rows": [\n' + lines + "\n ]\n}\n"
        partial = self.file.with_suffix(".partial")
        partial.write_text(text)
        os.replace(partial, self.file)
