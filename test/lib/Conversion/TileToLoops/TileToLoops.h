//===- TileToLoops.h - test-tile-to-loops -----------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TEST_LIB_CONVERSION_TILETOLOOPS_TILETOLOOPS_H
#define FUSION_TEST_LIB_CONVERSION_TILETOLOOPS_TILETOLOOPS_H

namespace fusion::test {

/// Registers test-tile-to-loops, which makes a function @<kernel>_loops of each
/// tile.kernel of a module: a loop over the blocks of a grid with a loop over
/// the threads of a block. Its arguments are the kernel's, pointers as memrefs
/// without dimensions, and the number of blocks. A declaration of that name is
/// replaced.
void registerTileToLoopsPass();

} // namespace fusion::test

#endif // FUSION_TEST_LIB_CONVERSION_TILETOLOOPS_TILETOLOOPS_H
