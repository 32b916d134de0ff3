# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The implementations that ours is compared with, by the name that --peers takes."""

BYTES = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2, "i8": 1, "i1": 1}
PEERS = {
    "eager": "PyTorch eager",
    "compile": "torch.compile",
    "autotune": "torch.compile, max-autotune",
    "sdpa": "scaled_dot_product_attention",
    "mkldnn": "mkldnn_linear",
    "onnxruntime": "ONNX Runtime",
    "iree": "IREE",
    "tvm": "TVM",
    # Weights are constants, which they pack before.
    "frozen": "torch.compile, max-autotune, freezing",
    "onnxruntime-frozen": "ONNX Runtime, constants",
}
# Weights are constants there: compared with ours only where ours packs them before, too.
CONSTANTS = ("frozen", "onnxruntime-frozen")
# They take the model that the reference exports. Their results have PyTorch's layout.
FROM_ONNX = ("onnxruntime", "tvm", "onnxruntime-frozen")
# Sets in which a peer has something to compute; others compute every row.
_WEIGHTS = ("chains", "products", "convolution-chains", "convolutions")
SETS_OF = {
    "sdpa": ("attention", "attention-long", "decode"),
    "mkldnn": ("chains", "products"),
    "frozen": _WEIGHTS,
    "onnxruntime-frozen": _WEIGHTS,
}


def of_set(peers, set_name):
    return [name for name in peers if set_name in SETS_OF.get(name, (set_name,))]
