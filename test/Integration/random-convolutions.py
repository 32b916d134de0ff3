# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Chains of convolutions drawn at random (Inputs/convolution_programs.py): any layout, kernel, stride, padding, dilation and type,
# with schedules that are chosen and drawn, against the reference and what was predicted.
# RUN: %python %S/convolutions.py %t 1 --random=0,30 %sample
