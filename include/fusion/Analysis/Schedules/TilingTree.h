//===- TilingTree.h - Tiling expressions with placed statements -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tiling expression gives the order in which the loops of a group's axes are
// nested, and where its tiles are loaded, computed and stored (MCFuser section
// III-A):
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
// Statements are placed by MCFuser section III-B: a computation in the loops of
// its operator, a load just inside the innermost loop that indexes its tensor.
// A store is just inside the innermost loop that indexes its tensor but after
// the reductions that complete it. Loops of one iteration (the tile covers the
// axis) are dead: they are no part of the tree, and statements are hoisted out
// of them.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_SCHEDULES_TILINGTREE_H
#define FUSION_ANALYSIS_SCHEDULES_TILINGTREE_H

#include "fusion/Analysis/Groups/GroupModel.h"
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
/// calls `explain` if it is malformed.
std::optional<TilingTree>
parseTiling(llvm::StringRef text, const GroupModel &group,
            llvm::function_ref<void(const llvm::Twine &)> explain);

/// Prints the tree; the text parses back to an equal tree.
std::string printTiling(const TilingTree &tree, const GroupModel &group);

/// Parses an expression without statements: `mn(k,h)`; it is empty if all loops
/// are bound to the grid. Returns nullopt and calls `explain` if it is
/// malformed. `printTiling` prints it.
std::optional<TilingTree>
parseLoops(llvm::StringRef text, const GroupModel &group,
           llvm::function_ref<void(const llvm::Twine &)> explain);

/// Returns the loops nested in each other, outermost first, without statements.
TilingTree makeNest(llvm::ArrayRef<unsigned> loops);

/// Where row statistics are computed, relative to the contraction that needs
/// them.
enum class StatisticsPlacement : uint8_t {
  Together, ///< online, in the loop in which the contraction accumulates
  Ahead,    ///< in loops before it, from tiles that only the prepass reads
  Resident, ///< in loops before it, from tiles retained for the contraction
};

/// Returns the default placement of row statistics: with their contraction, if
/// they can be computed there.
StatisticsPlacement defaultPlacement(const GroupModel &group,
                                     const RowStatistics &pass);

/// Returns whether row statistics are computed in the loop over their axis in
/// which their contraction accumulates.
bool runsWithContraction(const GroupModel &group, const TilingTree &tree,
                         const RowStatistics &pass);

/// Returns whether a tree loads a tensor.
bool isLoaded(const TilingTree &tree, unsigned tensor);

/// Places all statements of the group in `loops`, a deep or flat expression in
/// which the loops of each contraction are nested in each other. Loops that are
/// dead with these tile sizes are left out unless `removeDeadLoops` is off.
///
/// Loops that neither a contraction nor its consumers' nest needs are no part
/// of its path. If a value is complete only after a loop that its consumer or
/// its store needs too, that loop is opened again. `kn` thus gives
/// `k(LA,n(LB,CC)),n(LD,CE),SE`, which retains all of C's tiles.
///
/// `passes` has the placement of each row statistics, or is empty for
/// `defaultPlacement`. Two kinds of row statistics are always before their
/// contraction: with a dead axis, or with the loop over their axis outside of a
/// loop over their rows.
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

/// Returns the statements of a tree in order.
llvm::SmallVector<TilingStatement> listStatements(const TilingTree &tree);

/// Returns the deep expression with the given loops, outermost first, and all
/// statements of the group placed in it. Loops that are dead with these tile
/// sizes are left out. `blocks` are the outermost loops, which are bound to the
/// grid: all statements are inside of them, even a statement that has none of
/// these axes.
TilingTree makeDeepTiling(const GroupModel &group,
                          llvm::ArrayRef<unsigned> loops,
                          llvm::ArrayRef<int64_t> tiles,
                          llvm::ArrayRef<unsigned> blocks = {});

/// Retains tiles of an operand: moves its load out of the innermost `levels`
/// loops around it. New loops for the load precede the outermost of these, one
/// for each that indexes the operand. Out of the two loops of
/// `n(k(LA,LB,CC),LD,CE)` LA goes to `k(LA),n(k(LB,CC),LD,CE)`. Returns nullopt
/// if there are fewer loops, not counting the loops bound to the grid.
std::optional<TilingTree> hoistLoad(const GroupModel &group,
                                    const TilingTree &tree, unsigned tensor,
                                    unsigned levels,
                                    llvm::ArrayRef<unsigned> blocks = {});

/// Retains an intermediate instead of recomputing it. Moves the computation of
/// contraction `number`, with that of its producers and all that they load, out
/// of the innermost `levels` loops in which each iteration completes it. New
/// loops for them precede the outermost of these, one for each that belongs to
/// a moved operator. `h(n(k(LA,LB,CC),LD,CE),SE)` gives
/// `nk(LA,LB,CC),h(n(LD,CE),SE)`. Returns nullopt if there are fewer loops, not
/// counting the loops bound to the grid, or if one of them carries an
/// accumulator of the moved operators.
std::optional<TilingTree>
retainIntermediate(const GroupModel &group, const TilingTree &tree,
                   unsigned number, unsigned levels,
                   llvm::ArrayRef<unsigned> blocks = {});

/// Returns the trip count of the loop of an axis: ⌈extent / tile⌉.
int64_t tripCount(const Axis &axis, int64_t tile);

} // namespace fusion

#endif // FUSION_ANALYSIS_SCHEDULES_TILINGTREE_H
