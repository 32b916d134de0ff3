# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Patterns of memory-intensive operators (benchmarks' stitch_patterns.json) are one kernel each: right, silent under the
# sanitizers, without bank conflicts, moving the bytes that were predicted, and no more than have to be moved.
# RUN: %python %s %t

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from check_stitch import check_all

CASES = [
    ("layer_norm", 5, 768, "f16", "sm_80"),
    ("layer_norm", 3, 4096, "bf16", "sm_90a"),
    ("rms_norm", 5, 1000, "f32", "sm_80"),
    ("softmax", 3, 3001, "f16", "sm_80"),
    ("softmax", 3, 16384, "bf16", "sm_80"),
    ("log_softmax", 4, 1024, "bf16", "sm_80"),
    ("cross_entropy", 4, 1024, "f16", "sm_80"),
    ("bias_gelu", 5, 768, "f16", "sm_80"),
    ("bias_dropout_residual_layer_norm", 4, 1024, "bf16", "sm_80"),
    ("swiglu", 5, 1000, "bf16", "sm_80"),
    ("l2_normalize", 5, 768, "f16", "sm_80"),
    ("mean_var_two_reductions", 5, 768, "f16", "sm_80"),
    ("packed_elementwise_of_8_tensors", 4, 768, "f16", "sm_80"),
    ("rope", 5, 768, "f16", "sm_80"),
    ("layer_norm_backward", 64, 768, "f16", "sm_80"),
    ("transpose_of_normalised", 48, 768, "f16", "sm_80"),
    ("transpose_of_normalised", 33, 1000, "f32", "sm_80"),
    ("reduce_exp_broadcast_reduce", 5, 1000, "f32", "sm_80"),
    ("expensive_op_on_small_tensor_in_the_middle", 5, 768, "f16", "sm_80"),
    ("gather_slice_concat_mix", 5, 768, "f16", "sm_80"),
    ("packed_elementwise_of_different_shapes", 6, 768, "f16", "sm_80"),
    ("lstm_cell_gates", 5, 768, "f16", "sm_80"),
    ("gru_cell_gates", 5, 768, "bf16", "sm_80"),
    ("din_attention_unit", 3, 1024, "f16", "sm_80"),
    # A single row: loops of one iteration beside what reads elements by their places.
    ("rope", 1, 20000, "f16", "sm_86"),
    ("gather_slice_concat_mix", 1, 3001, "bf16", "sm_80"),
    ("lstm_cell_gates", 1, 20000, "f32", "sm_90a"),
    ("gru_cell_gates", 1, 3001, "f16", "sm_80"),
]

check_all(sys.argv[1], CASES)
