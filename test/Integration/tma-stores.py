# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Results with TMA stores: right numbers under eight orders of the warps, no finding, the bytes and the shared memory
# that were predicted, and the bits of stores by threads. One fence more shows the asynchronous proxy what threads have
# staged, fragments of 16 bits are staged as matrices, and ptxas neither spills nor runs wgmma one by one. With another
# swizzle than the tensor map's the numbers are wrong.
# RUN: %python %s %t %S/Inputs %sample

import json
import os
import re
import subprocess
import sys

folder, inputs = sys.argv[1], sys.argv[2]
sys.path.insert(0, inputs)
from tma_store_cases import CASES  # noqa: E402
from hand_schedule import assemble, compute, form, read, schedule  # noqa: E402
from sample import ORDERS, some  # noqa: E402

STORE = re.compile(r"cp\.async\.bulk\.tensor\.\dd\.global\.shared::cta\.tile\.bulk_group")


def swap_swizzle(path):
    """Whether the numbers are wrong where the map of the result says another swizzle than the kernel's."""
    manifest = json.loads(read(path + ".json"))
    ((launch,),) = [function["launches"] for function in manifest["functions"]]
    (map,) = [a for a in launch["arguments"] if a["kind"] == "tensor_map" and a["of"].startswith("result")]
    assert map["swizzle"] == "128B"
    map["swizzle"] = "none"
    with open(path + ".swapped.json", "w") as file:
        json.dump(manifest, file)
    done = subprocess.run(
        ["fusion-run", path + ".mlir", f"--manifest={path}.swapped.json", "--device=emulator"], capture_output=True, text=True
    )
    return done.returncode == 2


def main():
    os.makedirs(folder, exist_ok=True)
    for name, (chip, chain, description, matrices) in some(CASES.items(), 5):
        path = os.path.join(folder, name)
        groups = form(path, chain, chip)
        (result,) = [each for each, place in description["places"].items() if place == "shared, tma" and each in "CE"]
        threads = description | dict(places=description["places"] | {result: "shared"})
        before, _, by_threads = compute(path, groups, schedule(**threads), f"{name}, by threads")
        assert not STORE.search(before), name
        ptx, _, in_bulk = compute(path, groups, schedule(**description), name, ORDERS)
        assert in_bulk == by_threads, f"{name}: results differ"
        assert STORE.search(ptx) and ptx.count("wait_group.read") == 1, name
        assert ("stmatrix" in ptx) == matrices, name
        fences = [text.count("fence.proxy.async") for text in (before, ptx)]
        assert fences[1] == fences[0] + 1, f"{name}: {fences} fences"
        assemble(path, chip, name)
        if name == "plain":
            assert swap_swizzle(path), name


main()
