//===- TilingTree.h - Tiling expressions with placed statements -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tiling expression says in what order the loops of a group's axes are nested
// and where its tiles are loaded, computed and stored (MCFuser section III-A):
//
//   expression := item*            item := loop | statement
//   loop       := axis ( "(" items ")" | item* up to the end of the list )
//   items      := item ("," item)*
//   statement  := ("L" | "C" | "S") tensor
//
// `mh(n(k(LA,LB,CC),LD,CE),SE)`: an axis followed by an axis without a comma
// encloses it, so m encloses h, which encloses n and SE. Axes are a lower-case
// letter and digits, tensors an upper-case letter and digits.
//
// Statements are placed by MCFuser section III-B: a computation stands in the
// loops of its operator, a load just inside the innermost loop that indexes its
// tensor, a store just inside the innermost loop that indexes its tensor but
// after the reductions that complete it. Loops of one iteration (the tile
// covers the axis) are dead: they are no part of the tree, and statements are
// hoisted out of them.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_TILINGTREE_H
#define FUSION_ANALYSIS_TILINGTREE_H

#include "fusion/Analysis/GroupModel.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"
#include <optional>
#include <vector>

namespace fusion {

/// A loop or a statement of a tiling tree.
struct TilingNode {
  enum class Kind : uint8_t { Loop, Load, Compute, Store };
  Kind kind;
  unsigned index;                   ///< of the axis, or of the tensor
  std::vector<TilingNode> children; ///< of a loop

  bool isLoop() const { return kind == Kind::Loop; }
};

/// The items at the top of an expression, in order.
using TilingTree = std::vector<TilingNode>;

/// Parses an expression whose names are those of `group`. Returns nullopt and
/// calls `explain` where it is malformed.
std::optional<TilingTree>
parseTiling(llvm::StringRef text, const GroupModel &group,
            llvm::function_ref<void(const llvm::Twine &)> explain);

/// Prints the tree; the text parses back to an equal tree.
std::string printTiling(const TilingTree &tree, const GroupModel &group);

/// Parses an expression without statements: `mn(k,h)`; empty where all loops
/// are bound to the grid. Returns nullopt and calls `explain` where it is
/// malformed. `printTiling` prints it.
std::optional<TilingTree>
parseLoops(llvm::StringRef text, const GroupModel &group,
           llvm::function_ref<void(const llvm::Twine &)> explain);

/// The loops nested in each other, outermost first, without statements.
TilingTree makeNest(llvm::ArrayRef<unsigned> loops);

/// How a pass over rows stands to the product that needs them.
enum class StatisticsPlacement : uint8_t {
  Together, ///< in the loop that the product sums over, as its running form
  Ahead,    ///< in loops before it, of tiles that the pass reads by itself
  Resident, ///< in loops before it, of tiles that stay for the product
};

/// Where a pass stands unless told otherwise: with its product, where it can
/// run there.
StatisticsPlacement defaultPlacement(const GroupModel &group,
                                     const RowStatistics &pass);

/// Whether a pass is computed in the loop over its axis in which its product
/// sums up.
bool runsWithContraction(const GroupModel &group, const TilingTree &tree,
                         const RowStatistics &pass);

/// Whether a tree loads a tensor.
bool isLoaded(const TilingTree &tree, unsigned tensor);

/// Places all statements of the group in `loops`, a deep or flat expression in
/// which the loops of one product are nested in each other. Loops that are dead
/// with these tiles are left out unless `removeDeadLoops` is off.
///
/// Loops that neither a product nor its consumers' nest needs are no part of
/// its path. Where a value is complete only after a loop that its consumer or
/// its store needs too, that loop is opened again: `kn` gives
/// `k(LA,n(LB,CC)),n(LD,CE),SE`, which keeps all of C's tiles in between.
///
/// `passes` says by pass where it stands, `defaultPlacement` if empty. Where
/// the axis of one is dead it stands in front of its product in any case, and
/// so it does where the loop over its axis is outside of a loop over its rows.
TilingTree placeStatements(const GroupModel &group, const TilingTree &loops,
                           llvm::ArrayRef<int64_t> tiles,
                           llvm::ArrayRef<unsigned> blocks = {},
                           bool removeDeadLoops = true,
                           llvm::ArrayRef<StatisticsPlacement> passes = {});

/// A statement with the loops around it, outermost first.
struct TilingStatement {
  TilingNode::Kind kind;
  unsigned tensor;
  llvm::SmallVector<unsigned, 8> loops; ///< axes
};

/// The statements of a tree in order.
llvm::SmallVector<TilingStatement> listStatements(const TilingTree &tree);

/// The deep expression with the given loops, outermost first, and all
/// statements of the group placed in it. Loops that are dead with these tiles
/// are left out. `blocks` are the outermost of the loops that are bound to the
/// grid: nothing stands outside of them, even where no axis of it is among
/// them.
TilingTree makeDeepTiling(const GroupModel &group,
                          llvm::ArrayRef<unsigned> loops,
                          llvm::ArrayRef<int64_t> tiles,
                          llvm::ArrayRef<unsigned> blocks = {});

/// Makes tiles of an operand resident: moves its load out of the innermost
/// `levels` loops around it, into loops of its own in front of the outermost of
/// them, those of the loops that index the operand. Out of the two loops of
/// `n(k(LA,LB,CC),LD,CE)` LA goes to `k(LA),n(k(LB,CC),LD,CE)`. Returns nullopt
/// where there are not so many loops, not counting those bound to the grid.
std::optional<TilingTree> hoistLoad(const GroupModel &group,
                                    const TilingTree &tree, unsigned tensor,
                                    unsigned levels,
                                    llvm::ArrayRef<unsigned> blocks = {});

/// Keeps an intermediate instead of computing it again: moves the computation
/// of product `number`, with that of its producers and all that they load, out
/// of the innermost `levels` loops in which each iteration completes it, into
/// loops of its own in front of the outermost of them, those of the loops that
/// belong to one of the moved operators. `h(n(k(LA,LB,CC),LD,CE),SE)` gives
/// `nk(LA,LB,CC),h(n(LD,CE),SE)`. Returns nullopt where there are not so many
/// loops, not counting those bound to the grid, and where one of them carries a
/// sum of the moved operators.
std::optional<TilingTree>
retainIntermediate(const GroupModel &group, const TilingTree &tree,
                   unsigned number, unsigned levels,
                   llvm::ArrayRef<unsigned> blocks = {});

/// Iterations of the loop of an axis: ⌈extent / tile⌉.
int64_t tripCount(const Axis &axis, int64_t tile);

} // namespace fusion

#endif // FUSION_ANALYSIS_TILINGTREE_H
