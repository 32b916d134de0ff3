# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Blocks of clusters that copy for one another: right numbers under eight orders of the warps, no finding and no deadlock, the
# bytes and the shared memory that were predicted, fewer bytes than by blocks alone, and the same bits. ptxas neither spills nor
# runs wgmma one by one.
# RUN: %python %s %t %S/Inputs %sample

import hashlib
import os
import sys

folder, inputs = sys.argv[1], sys.argv[2]
sys.path.insert(0, inputs)
from cluster_cases import CASES  # noqa: E402
from hand_schedule import assemble, emulate, generate, lower, run, schedule  # noqa: E402
from sample import ORDERS, some  # noqa: E402


def main():
    os.makedirs(folder, exist_ok=True)
    for name, (chip, chain, description, pipelined, count, producers, clusters) in some(CASES.items(), 6):
        path = os.path.join(folder, name)
        if isinstance(chain, str):
            with open(path + ".mlir", "w") as file:
                file.write(chain)
            groups = run("fusion-opt", path + ".mlir", f"--fuse-to-groups=chip={chip} force-fusion=true")
        else:
            groups = generate(path, *chain, chip=chip)
        description = description | dict(stages={each: count for each in pipelined if count > 1})
        digests, loaded = set(), {}
        for roles, cluster in [(producers[0], 1)] + some([(each, size) for size in clusters for each in producers], 1):
            where = f"{name}, {roles} producers, clusters of {cluster}"
            lower(path, groups, schedule(**description, producers=roles, cluster=cluster))
            with open(path + ".ptx") as file:
                ptx = file.read()
            assert ("multicast::cluster" in ptx) == ("barrier.cluster.arrive" in ptx) == (cluster > 1), where
            report, bits = emulate(path, where, *([ORDERS] if cluster > 1 else []))
            kernel = report["kernels"][0]
            assert kernel["cluster"] == [cluster, 1, 1], where
            digests.add(hashlib.sha256(bits).hexdigest())
            loaded.setdefault(cluster, kernel["counters"]["global_load_bytes"])
            if cluster > 1:
                assemble(path, chip, where)
        assert len(digests) == 1, f"{name}: results differ"
        assert sorted(loaded.values(), reverse=True) == [loaded[size] for size in sorted(loaded)], f"{name}: {loaded}"
        assert len(set(loaded.values())) == len(loaded), f"{name}: {loaded}"


main()
