# Graphs of memory-intensive operators drawn at random (Inputs/random_graphs.py), through the whole pipeline and the emulator with its
# sanitizers: right by the reference and by NumPy, the bytes that were predicted, a reason at every boundary between kernels.
# RUN: %python %s %t 0 100
#
#   random-graphs.py FOLDER FIRST COUNT [--most=SIZE] [--limit=ELEMENTS] [--raw]
#
# One seed is one case: `random-graphs.py FOLDER 1234 1` runs it again. What fails is made as small as it still fails in the same way
# and written to FOLDER/seed1234.mlir, beside the command that shows it.

import argparse
import collections
import importlib.util
import os
import shlex
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "Inputs"))
from random_graphs import draw
from reduce_program import reduce_program

spec = importlib.util.spec_from_file_location("random_chains_test", os.path.join(here, "random-chains.py"))
chains = importlib.util.module_from_spec(spec)
spec.loader.exec_module(chains)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--most", type=int, default=300)
    parser.add_argument("--limit", type=float, default=4000)
    parser.add_argument("--force", action="store_true", help="what is legal is fused, whatever it costs")
    parser.add_argument("--raw", action="store_true", help="do not make failing programs smaller")
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    print(f"seeds {arguments.first} to {arguments.first + arguments.count - 1}")
    # Two of three as the costs say.
    broken, facts = 0, collections.Counter()
    for seed in range(arguments.first, arguments.first + arguments.count):
        program = draw(seed, arguments.most, arguments.limit)
        if not program.results:
            continue
        program.isForced = arguments.force or seed % 3 == 0
        path = os.path.join(arguments.folder, f"seed{seed}")
        problem = chains.run(program, path, facts)
        if problem is None:
            for name in (path + ".mlir", path + ".json", path + ".groups.mlir"):
                if os.path.exists(name):
                    os.remove(name)
            continue
        broken += 1
        kind, said = problem
        print(f"seed {seed}: {kind}\n{said}", flush=True)
        if not arguments.raw:
            attempt = path + ".smaller"
            program = reduce_program(program, lambda smaller: (chains.run(smaller, attempt) or ("",))[0] == kind)
            chains.run(program, path)
        print(f"  {shlex.join(chains.command(program, path))}", flush=True)
    for name in sorted(facts):
        print(f"{facts[name]:5} {name}")
    print(f"{arguments.count} graphs, {broken} broken")
    sys.exit(broken != 0)


if __name__ == "__main__":
    main()
