//===- main.cpp - Entry point of fusion-emulate ---------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionEmulate.h"

int main(int argc, char **argv) { return fusionEmulateMain(argc, argv); }
