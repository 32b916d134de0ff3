# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows of the table: computations of one data type and shape, small enough for the emulator."""

import dataclasses

CHIPS = ("sm_80", "sm_90a")


@dataclasses.dataclass(frozen=True)
class Row:
    family: str
    dtype: str  # f16, bf16 or f32, of inputs and results
    sizes: tuple  # of (name, number), named as in FAMILIES
    held_out: bool = False  # nobody tuned anything with it

    def __getattr__(self, name):
        for key, number in object.__getattribute__(self, "sizes"):
            if key == name:
                return number
        raise AttributeError(name)

    @property
    def name(self):
        return "x".join(str(number) for _, number in self.sizes)

    @property
    def label(self):
        return f"{self.family} {self.name} {self.dtype}"


# The names of the sizes.
FAMILIES = {
    "softmax": ("rows", "columns"),
    "layer_norm": ("rows", "columns"),
    "layer_norm_backward": ("rows", "columns"),
    "rms_norm": ("rows", "columns"),
    "rms_norm_backward": ("rows", "columns"),
    "bias_residual_norm": ("rows", "columns"),
    "matmul": ("m", "n", "k"),
    "chain": ("m", "n", "k", "h"),  # (m x k x n) x h, as in MCFuser's table II
    "attention": ("heads", "rows", "width"),
    "attention_causal": ("heads", "rows", "width"),
    "decode": ("heads", "group", "keys", "width"),
    "gated_mlp": ("m", "k", "n", "h"),
}

# family: (dtype, sizes, whether it is held out).
_TABLE = {
    "softmax": [("f16", (256, 4096), 0), ("f32", (1024, 1000), 0), ("f16", (777, 3001), 1)],
    "layer_norm": [("f32", (512, 1024), 0), ("bf16", (256, 4096), 0), ("f16", (300, 768), 1)],
    "layer_norm_backward": [("f16", (512, 1024), 0), ("f32", (384, 768), 1)],
    "rms_norm": [("f16", (256, 4096), 0), ("f32", (320, 2048), 1)],
    "rms_norm_backward": [("f16", (512, 1024), 0), ("bf16", (256, 2048), 1)],
    "bias_residual_norm": [("f16", (512, 1024), 0), ("bf16", (1024, 768), 1)],
    "matmul": [("f16", (1024, 1024, 1024), 0), ("bf16", (128, 4096, 1024), 0), ("f32", (512, 512, 512), 0),
               ("f16", (768, 1536, 512), 1)],
    "chain": [("f16", (512, 256, 64, 64), 0), ("f16", (512, 512, 256, 256), 0), ("bf16", (1024, 512, 128, 128), 1)],
    "attention": [("f16", (4, 512, 64), 0), ("f16", (32, 512, 64), 0), ("f16", (4, 512, 128), 0),
                  ("bf16", (6, 768, 128), 1)],
    "attention_causal": [("f16", (4, 512, 64), 0), ("f16", (32, 512, 64), 0), ("f16", (4, 1024, 128), 0),
                         ("bf16", (12, 768, 64), 1)],
    "decode": [("f16", (8, 4, 4096, 128), 0), ("f16", (32, 1, 2048, 64), 0), ("bf16", (4, 8, 2048, 64), 1)],
    "gated_mlp": [("f16", (256, 512, 1024, 512), 0), ("bf16", (128, 768, 2048, 768), 1)],
}  # fmt: skip


def rows(families=None):
    return [
        Row(family, dtype, tuple(zip(FAMILIES[family], sizes, strict=True)), bool(held_out))
        for family in (FAMILIES if families is None else families)
        for dtype, sizes, held_out in _TABLE[family]
    ]
