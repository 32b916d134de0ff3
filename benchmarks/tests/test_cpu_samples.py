# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which samples of a measurement on a CPU count, and in which order they are taken."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cpu"))

from measuring import samples  # noqa: E402


def taken(us, canary=None, waited=None, slow=False):
    canary, waited = canary or [100.0] * len(us), waited or [0.0] * len(us)
    return {"us": us, "canary": canary, "waited": waited, "slow": slow}


def test_a_slow_canary_discards():
    assert samples.undisturbed(taken([1, 2, 3], [100.0, 89.9, 90.0]), 100.0) == [1, 3]


def test_waiting_threads_discard():
    assert samples.undisturbed(taken([1, 2, 3], waited=[0.0, 0.05, 0.06]), 100.0) == [1, 2]
    # Threads of an implementation may wait for each other in every call, but not for long.
    assert samples.undisturbed(taken([1, 2, 3], waited=[0.1, 0.15, 0.16]), 100.0) == [1, 2]
    assert samples.undisturbed(taken([1, 2, 3], waited=[0.3, 0.4, 0.25]), 100.0) == [3]


def test_median_and_spread():
    found = samples.median(taken([float(us) for us in range(1, 22)]), 100.0)
    assert found == {"us": 11.0, "low": 3.0, "high": 19.0, "count": 21, "few": False}


def test_median_of_what_counts():
    found = samples.median(taken([1.0, 100.0, 3.0], [95.0, 40.0, 100.0]), 100.0)
    assert (found["us"], found["count"]) == (2.0, 2)


def test_too_few_samples_are_marked():
    assert samples.median(taken([1.0] * 14), 100.0)["few"]
    assert not samples.median(taken([1.0] * 15), 100.0)["few"]
    assert samples.median(taken([1.0, 2.0, 9.0], [10.0, 10.0, 10.0]), 100.0) is None
    assert samples.median(taken([]), 100.0) is None


def test_few_samples_of_a_slow_implementation_are_enough():
    assert not samples.median(taken([1.0, 2.0, 3.0], slow=True), 100.0)["few"]


def test_rounds_alternate():
    order = []

    def ask(name):
        order.append(name)
        return 1.0, 50.0, 0.0

    found = samples.take(ask, ["a", "b", "c"], {"a": 2, "b": 3, "c": 3}, [0.0])
    assert order == ["a", "b", "c", "b", "c", "a", "b", "c"]
    assert [len(found[name]["us"]) for name in "abc"] == [2, 3, 3]


def test_discarded_samples_are_repeated():
    canaries = iter([100.0, 50.0, 95.0])
    best = [0.0]
    found = samples.take(lambda name: (1.0, next(canaries), 0.0), ["a"], {"a": 2}, best)
    assert found["a"]["canary"] == [100.0, 50.0, 95.0]
    assert best == [100.0]


def test_a_better_canary_discards_earlier_samples():
    canaries = iter([50.0, 100.0, 100.0])
    found = samples.take(lambda name: (1.0, next(canaries), 0.0), ["a"], {"a": 2}, [0.0])
    assert len(found["a"]["us"]) == 3


def test_attempts_are_limited():
    found = samples.take(lambda name: (1.0, 10.0, 0.0), ["a"], {"a": 5}, [100.0], most=3)
    assert len(found["a"]["us"]) == 15


def test_a_failed_implementation_is_left_out():
    calls = {"a": 0, "b": 0}

    def ask(name):
        calls[name] += 1
        return None if name == "a" else (1.0, 10.0, 0.0)

    found = samples.take(ask, ["a", "b"], {"a": 3, "b": 3}, [10.0])
    assert calls == {"a": 1, "b": 3}
    assert found["a"]["failed"] and "failed" not in found["b"]


def test_the_end_of_time():
    left = iter([True, True, False])
    found = samples.take(lambda name: (1.0, 10.0, 0.0), ["a"], {"a": 9}, [10.0], alive=lambda: next(left))
    assert len(found["a"]["us"]) == 2


def test_geometric_mean():
    assert samples.geometric_mean([2.0, 8.0]) == pytest.approx(4.0)
    assert samples.geometric_mean([]) is None
