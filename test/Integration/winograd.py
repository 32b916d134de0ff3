# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The Winograd transforms, which are contractions here, against upstream's own lowering to loops: every variant, both
# dimensions and one, bit for bit; and the kernels against them.
# RUN: rm -rf %t && mkdir -p %t && %python %s generate %t
# RUN: %mlir-opt %t/upstream.mlir -transform-interpreter -test-transform-dialect-erase-schedule -o %t/loops.mlir
# RUN: FileCheck %s < %t/loops.mlir
# CHECK: scf.for
# CHECK-NOT: linalg.winograd
# RUN: fusion-run %t/loops.mlir --device=reference --output-dir=%t/loops
# RUN: fusion-run %t/transforms.mlir --device=emulator --output-dir=%t/contractions
# RUN: %python %s compare %t

import pathlib
import sys

VARIANTS = {"F_2_3": (2, 3), "F_4_3": (4, 3), "F_2_5": (2, 5)}
KINDS = {"both": (True, True), "rows": (True, False), "columns": (False, True)}
TYPES = ["f16", "f32", "f8E5M2"]

SCHEDULE = """module attributes {transform.with_named_sequence} {
transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
  %found = transform.structured.match ops{["linalg.winograd_filter_transform", "linalg.winograd_input_transform",
                                           "linalg.winograd_output_transform"]} in %root
      : (!transform.any_op) -> !transform.any_op
  %loops = transform.structured.decompose_winograd_op %found : (!transform.any_op) -> !transform.any_op
  transform.yield
}
"""


def function(transform, variant, kind, element, source, target):
    source, target = (f"tensor<{'x'.join(map(str, shape))}x{element}>" for shape in (source, target))
    return f"""func.func @{transform}_{variant}_{kind}_{element}(%a: {source}, %o: {target}) -> {target} {{
  %r = linalg.winograd_{transform}_transform fmr({variant}) ins(%a : {source}) outs(%o : {target}) -> {target}
  return %r : {target}
}}
"""


def functions():
    filters, channels, batch, rows, columns = 3, 5, 2, 2, 3
    for variant, (m, r) in VARIANTS.items():
        for kind, sides in KINDS.items():
            # The bases of a tile of the result, of the filter, and of a transformed tile.
            (mh, rh), (mw, rw) = ((m, r) if side else (1, 1) for side in sides)
            tile = [mh + rh - 1, mw + rw - 1]
            image = [batch, mh * rows + rh - 1, mw * columns + rw - 1, channels]
            for element in TYPES:
                name = (variant, kind, element)
                yield function("filter", *name, [filters, rh, rw, channels], [*tile, channels, filters])
                yield function("input", *name, image, [*tile, rows, columns, batch, channels])
                yield function(
                    "output",
                    *name,
                    [*tile, rows, columns, batch, filters],
                    [batch, mh * rows, mw * columns, filters],
                )


folder = pathlib.Path(sys.argv[2])
if sys.argv[1] == "generate":
    text = "".join(functions())
    (folder / "transforms.mlir").write_text(text)
    (folder / "upstream.mlir").write_text(SCHEDULE + text + "}\n")
else:
    names = sorted(path.name for path in (folder / "loops").glob("*.result0.npy"))
    assert len(names) == 3 * len(VARIANTS) * len(KINDS) * len(TYPES), len(names)
    for name in names:
        ours = folder / "contractions" / name.replace("result0", "reference0")
        assert (folder / "loops" / name).read_bytes() == ours.read_bytes(), name
