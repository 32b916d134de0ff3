//===- main.cpp - fusion-opt ----------------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

int fusionOptMain(int argc, char **argv);

int main(int argc, char **argv) { return fusionOptMain(argc, argv); }
