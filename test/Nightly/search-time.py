# Choosing the schedules of any workload, of rows of three, four and six products and of 4096 x 4096 products takes less than
# a second of one core.
# REQUIRES: benchmarks
# RUN: schedule-search-benchmark --benchmark_filter=search/ --benchmark_format=json > %t.json
# RUN: %python %s %t.json

import json
import sys

with open(sys.argv[1]) as file:
    runs = json.load(file)["benchmarks"]
families = {}
for run in runs:
    assert not run.get("error_occurred"), run
    name = run["name"].split("/")[1]
    families.setdefault(name.partition("-")[0], []).append((run["cpu_time"], name, run["groups"]))
    assert run["time_unit"] == "ms"
for family, times in families.items():
    print(f"{family}: {len(times)} modules, {sum(groups for _, _, groups in times):.0f} chains, at most {max(times)[0]:.0f} ms ({max(times)[1]})")
for family in ("gemm_chains_mcfuser", "gemm_chains_chimera", "attention_mcfuser", "attention_long", "decode", "operators_gta", "6 layers"):
    assert any(groups for _, _, groups in families[family]), family
slow = [name for times in families.values() for time, name, _ in times if time >= 1000]
assert not slow, slow
