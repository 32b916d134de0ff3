//===- FusionEmulate.h - The tool fusion-emulate ----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TOOLS_FUSIONEMULATE_FUSIONEMULATE_H
#define FUSION_TOOLS_FUSIONEMULATE_FUSIONEMULATE_H

/// The whole tool, so that a multi-call binary can contain it. Returns the exit
/// code: 0 ran, 3 findings, 1 anything else.
int fusionEmulateMain(int argc, char **argv);

#endif // FUSION_TOOLS_FUSIONEMULATE_FUSIONEMULATE_H
