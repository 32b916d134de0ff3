# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results in a JSON file. A later run adds the missing ones."""

import concurrent.futures
import json


def complete(file, tasks, jobs, every=20):
    """The results of `file` and of the tasks {key: (function, arguments)} whose keys it lacks, run `jobs` at a time. The
    file is written again after `every` of them and at the end."""
    known = json.loads(file.read_text()) if file.exists() else {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(run, *given): key for key, (run, given) in tasks.items() if key not in known}
        for count, done in enumerate(concurrent.futures.as_completed(running), 1):
            known[running[done]] = done.result()
            if count % every == 0 or count == len(running):
                file.write_text(json.dumps(known))
                print(f"{count} of {len(running)}", flush=True)
    return known
