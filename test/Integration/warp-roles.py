# Bulk copies by warps of their own: right numbers under eight orders of the warps, no finding and no deadlock, the bytes and the
# shared memory that were predicted, and the same bits as without them. ptxas neither spills nor runs wgmma one by one, and has
# registers dealt out where equal shares are too few.
# RUN: %python %s %t %S/Inputs

import hashlib
import os
import sys

folder, inputs = sys.argv[1], sys.argv[2]
sys.path.insert(0, inputs)
from hand_schedule import assemble, emulate, generate, lower, run, schedule  # noqa: E402
from role_cases import CASES  # noqa: E402


def main():
    os.makedirs(folder, exist_ok=True)
    for name, (chip, chain, description, pipelined, counts, producers) in CASES.items():
        path = os.path.join(folder, name)
        if isinstance(chain, str):
            with open(path + ".mlir", "w") as file:
                file.write(chain)
            groups = run("fusion-opt", path + ".mlir", f"--fuse-to-groups=chip={chip} force-fusion=true")
        else:
            groups = generate(path, *chain, chip=chip)
        digests = set()
        for count in counts:
            description = description | dict(stages={each: count for each in pipelined})
            for roles in (0, *producers):
                where = f"{name}, {count} stages, {roles} producers"
                lower(path, groups, schedule(**description, producers=roles))
                with open(path + ".tile.mlir") as file:
                    tiles = file.read()
                assert ("tile.specialize" in tiles) == (roles > 0), where
                with open(path + ".ptx") as file:
                    ptx = file.read()
                dealt = bool(roles) and name.startswith("wide")
                assert ("setmaxnreg.dec" in ptx) == ("setmaxnreg.inc" in ptx) == dealt, where
                report, bits = emulate(path, where, *(["--schedules=8"] if roles else []))
                digests.add(hashlib.sha256(bits).hexdigest())
                if roles:
                    assemble(path, chip, where)
        assert len(digests) == 1, f"{name}: results differ"


main()
