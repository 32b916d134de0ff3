# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which samples count, and what they say.

Samples are {"us": [...], "canary": [...], "waited": [...]} in the order of measurement: microseconds of a call, GFLOP/s
of the slower canary beside the sample, and the time for which threads waited for a core as a part of the sample's.
"""

import math
import statistics

# A sample counts where the canaries beside it reach this part of the run's best canary.
LEAST_CANARY = 0.9
# And where its threads waited for a core during at most this part of its time, beyond the least of the implementation's
# samples: its own threads may wait for each other. That allowance has a limit, too.
MOST_WAITING, MOST_OWN_WAITING = 0.05, 0.2
LEAST_SAMPLES = 15
# Enough of one that takes ten times as long as the fastest; `slow` says so.
SLOW_SAMPLES = 3


def undisturbed(samples, best):
    """The times of samples that count."""
    columns = (samples[key] for key in ("us", "canary", "waited"))
    found = [(us, waited) for us, canary, waited in zip(*columns, strict=True) if canary >= LEAST_CANARY * best]
    most = MOST_WAITING + min([MOST_OWN_WAITING, *(waited for _, waited in found)])
    return [us for us, waited in found if waited <= most]


def median(samples, best):
    """{"us", "low", "high", "count", "few"}: the median, the 10th and 90th percentile, how many samples count, and
    whether these are fewer than a median needs. None where no sample counts."""
    times = sorted(undisturbed(samples, best))
    if not times:
        return None
    return {
        "us": statistics.median(times),
        "low": times[len(times) // 10],
        "high": times[-1 - len(times) // 10],
        "count": len(times),
        "few": len(times) < (SLOW_SAMPLES if samples.get("slow") else LEAST_SAMPLES),
    }


def geometric_mean(numbers):
    numbers = list(numbers)
    return math.exp(sum(map(math.log, numbers)) / len(numbers)) if numbers else None


def take(ask, names, wanted, best, most=3, alive=lambda: True):
    """Samples of several implementations in turn, each round beginning with another one.

    ask(name): (microseconds, canary, waited), or None where the implementation failed. wanted: {name: undisturbed
    samples}. best: the run's best canary so far, in a list, which is kept current. Ends when all have what is wanted,
    `most` times that many were taken, or alive() is false. Returns {name: samples}; those of failed ones have "failed".
    """
    found = {name: {"us": [], "canary": [], "waited": []} for name in names}
    turn, names = 0, list(names)
    while names and alive():
        waiting = [
            name
            for name in names
            if len(undisturbed(found[name], best[0])) < wanted[name] and len(found[name]["us"]) < most * wanted[name]
        ]
        if not waiting:
            break
        first = turn % len(waiting)
        for name in waiting[first:] + waiting[:first]:
            sample = ask(name)
            if sample is None:
                found[name]["failed"] = True
                names.remove(name)
                continue
            for key, value in zip(("us", "canary", "waited"), sample, strict=True):
                found[name][key].append(value)
            best[0] = max(best[0], sample[1])
        turn += 1
    return found
