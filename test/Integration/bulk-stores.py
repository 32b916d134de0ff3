# Results that are stored in bulk: right numbers under eight orders of the warps, no finding, the bytes and the shared memory that
# were predicted, and the bits of stores by threads. One fence more shows the asynchronous proxy what threads have staged, fragments
# of 16 bits are staged as matrices, and ptxas neither spills nor runs wgmma one by one. With another swizzle than the tensor
# map's the numbers are wrong.
# RUN: %python %s %t %S/Inputs

import hashlib
import json
import os
import re
import subprocess
import sys

folder, inputs = sys.argv[1], sys.argv[2]
sys.path.insert(0, inputs)
from bulk_store_cases import CASES  # noqa: E402
from hand_schedule import assemble, emulate, generate, lower, run, schedule  # noqa: E402

STORE = re.compile(r"cp\.async\.bulk\.tensor\.\dd\.global\.shared::cta\.tile\.bulk_group")


def read(path):
    with open(path) as file:
        return file.read()


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
    for name, (chip, chain, description, matrices) in CASES.items():
        path = os.path.join(folder, name)
        if isinstance(chain, str):
            with open(path + ".mlir", "w") as file:
                file.write(chain)
            groups = run("fusion-opt", path + ".mlir", f"--fuse-to-groups=chip={chip} force-fusion=true")
        else:
            groups = generate(path, *chain, chip=chip)
        (result,) = [each for each, place in description["places"].items() if place == "shared, bulk" and each in "CE"]
        threads = description | dict(places=description["places"] | {result: "shared"})
        lower(path, groups, schedule(**threads))
        before = read(path + ".ptx")
        assert not STORE.search(before), name
        digests = {hashlib.sha256(emulate(path, f"{name}, by threads")[1]).hexdigest()}
        lower(path, groups, schedule(**description))
        ptx = read(path + ".ptx")
        assert STORE.search(ptx) and ptx.count("wait_group.read") == 1, name
        assert ("stmatrix" in ptx) == matrices, name
        fences = [text.count("fence.proxy.async") for text in (before, ptx)]
        assert fences[1] == fences[0] + 1, f"{name}: {fences} fences"
        digests.add(hashlib.sha256(emulate(path, name, "--schedules=8")[1]).hexdigest())
        assert len(digests) == 1, f"{name}: results differ"
        assemble(path, chip, name)
        if name == "plain":
            assert swap_swizzle(path), name


main()
