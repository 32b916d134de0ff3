//===- GroupModel.h - Axes, tensors, contractions of a group --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What searches and cost models see of a group: plain data without IR. All
// operators of a group share one set of loops, its *axes*. A loop of a consumer
// and a loop of its producer are one axis if the indexing maps of the
// intermediate say so. The GEMM chain C[m,n] = A[m,k]·B[k,n], E[m,h] =
// C[m,n]·D[n,h] has the axes m, n, k, h (MCFuser section III-A).
//
// Names. The loops of the first contraction are m, n and k (b if it is
// batched). Each new axis of a later contraction is the next of h, p, q, r, s,
// t, u, v, w. More loops of one kind get a number: m, m1. Tensors are named A,
// B, C, D, E in program order: of each contraction the operands, then the
// result. The operands of element-wise operators follow. After Z come T26, T27.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_GROUPS_GROUPMODEL_H
#define FUSION_ANALYSIS_GROUPS_GROUPMODEL_H

#include "fusion/Target/Chips/ChipTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fusion {

/// A loop of the group.
struct Axis {
  std::string name;
  int64_t extent; ///< iterations; for a dynamic extent, what to plan for
  bool isDynamic; ///< the extent is known at run time only
};

/// Bytes of an element of a partial result. Partial results are accumulators
/// (DESIGN, "Numbers": they round once).
constexpr unsigned kPartialBytes = 4;

/// The role of a tensor in the group.
enum class TensorRole : uint8_t {
  Operand,      ///< input of a contraction, directly or through element-wise
                ///< operators
  Extra,        ///< input of the element-wise operators after a contraction
  Intermediate, ///< result of a contraction, read in the group only
  Result,       ///< result of the group
  Statistic,    ///< further result: values of rows, such as a log-sum-exp
  Rows,         ///< row statistics of an operand that its contraction needs
};

/// The map from axes to memory of an operand that a contraction reads through a
/// window, as a convolution reads its input. The index along each dimension of
/// the memory is a sum of digits of axes; elements outside of the memory are
/// zero. The axes of the tensor are still those of the operand. The rows of a
/// convolution are the positions in its result, the columns are the channels at
/// all positions of the filter. Elements that rows share are moved once for
/// each row.
struct TensorWindow {
  /// coefficient · (⌊axis / divisor⌋ mod period). Period 0: without the
  /// modulus.
  struct Digit {
    unsigned axis;
    int64_t divisor = 1, period = 0, coefficient = 1;
    int64_t count = 1; ///< values of the digit
    bool operator==(const Digit &other) const {
      return axis == other.axis && divisor == other.divisor &&
             period == other.period && coefficient == other.coefficient;
    }
  };
  struct Index {
    llvm::SmallVector<Digit, 2> digits;
    int64_t first = 0; ///< with all digits zero; negative with padding
    int64_t size = 1;  ///< of the memory
    /// Returns whether some of the indices lie outside of the memory.
    bool leaves() const { return first < 0 || last() >= size; }
    int64_t last() const;
  };
  llvm::SmallVector<Index, 4> indices; ///< by dimension of the memory
  int64_t moved =
      0; ///< elements, each once for every pair of row and column that reads it
  int64_t touched = 0; ///< elements of the memory that are read at least once
};

/// A tensor that is moved or retained. The result of a contraction also stands
/// for the element-wise operators after it: `elementBytes` is that of the value
/// that is stored or that the next contraction reads.
struct GroupTensor {
  std::string name;
  TensorRole role;
  llvm::SmallVector<unsigned, 4> axes; ///< by dimension, slowest first
  unsigned elementBytes;
  /// Bytes that divide the address of every row of the tensor, provably, at
  /// most 16. Copies along the last dimension rely on it. 0 if the last
  /// dimension is not dense.
  unsigned alignment;
  /// The contraction that reads it (Operand, Extra) or computes it; for a
  /// statistic, the contraction after which it is evaluated.
  unsigned contraction;
  /// For an operand: 0 if it is (part of) the contraction's LHS, else 1.
  unsigned operandNumber = 0;
  /// For an operand: later contractions that read the same tile.
  llvm::SmallVector<unsigned, 1> sharedBy = {};
  /// For an operand as a reduction prepass reads it, in a loop of its own: the
  /// row statistics. No statement loads the tensor if the prepass reads the
  /// tiles that the contraction multiplies.
  std::optional<unsigned> pass = std::nullopt;
  /// For a statistic: it has rows of the contraction's operands, not of its
  /// result.
  bool ofOperand = false;
  /// For an operand that is read through a window; null if every dimension is
  /// an axis.
  std::shared_ptr<const TensorWindow> window = nullptr;

  /// Returns whether it is, or is part of, operand 0 or 1 of contraction
  /// `number`, which reads a tile of its own or an earlier contraction's.
  bool isOperandOf(unsigned number, unsigned operand) const {
    return role == TensorRole::Operand && operandNumber == operand &&
           (contraction == number || llvm::is_contained(sharedBy, number));
  }
};

/// Instructions of scalar operators.
struct ScalarWork {
  int64_t plain = 0;   ///< at the rate of f32 additions
  int64_t special = 0; ///< of the special function units: ex2, rcp, …

  ScalarWork &operator+=(const ScalarWork &other) {
    plain += other.plain;
    special += other.special;
    return *this;
  }
  ScalarWork operator*(int64_t count) const {
    return {plain * count, special * count};
  }
};

/// A contraction of a group: its loops, and the tensors that it reads and
/// computes.
struct Contraction {
  unsigned result;                      ///< tensor
  llvm::SmallVector<unsigned, 6> axes;  ///< all loops
  llvm::SmallVector<unsigned, 2> batch; ///< in both operands and the result
  llvm::SmallVector<unsigned, 2>
      lhsAxes; ///< in the LHS and the result, not in the RHS
  llvm::SmallVector<unsigned, 2>
      rhsAxes; ///< in the RHS and the result, not in the LHS
  llvm::SmallVector<unsigned, 2> reduction; ///< in the operands only
  /// The contraction whose result is the LHS (0) or the RHS (1), directly or
  /// through element-wise operators.
  std::optional<unsigned> producer[2];
  /// Whether element-wise operators or row statistics before the contraction
  /// compute its LHS (0) or RHS (1) from the loaded tensors.
  bool computed[2] = {false, false};
  /// Other contractions whose results the epilogue reads: by tiles (a gate), or
  /// by rows (a sum that the epilogue finally divides by).
  llvm::SmallVector<unsigned, 1> joined, joinedStatistics;
  /// Type of the multiplied elements, where some intrinsic may know it.
  std::optional<MultiplicandType> type;
  /// Scalar work of the epilogue, its element-wise operators and reductions:
  /// for each point of the result, and for each row of the operators that lack
  /// an axis of the result.
  ScalarWork perPoint, perRow;
};

/// A reduction along some axes of a contraction's result, or of what its
/// element-wise operators compute: the maximum of a row.
struct Reduction {
  unsigned contraction;                ///< whose values are combined
  llvm::SmallVector<unsigned, 2> axes; ///< of the result, by dimension
  llvm::SmallVector<unsigned, 2> reduced;
  unsigned elementBytes; ///< of the result
  /// For a reduction of an operand, before the contraction: its row statistics.
  std::optional<unsigned> pass = std::nullopt;
};

/// Reductions of what a contraction multiplies, along the axis that it reduces,
/// and before it: the mean square of an RMS norm. One loop over the axis
/// computes all reductions of a RowStatistics; reductions that read the result
/// of another are in a later RowStatistics. The tiling expression places the
/// loop (docs/reductions.md). It is the contraction's loop, or a prepass, with
/// the tiles that the contraction multiplies or with its own tiles.
struct RowStatistics {
  unsigned contraction, operandNumber;
  unsigned rows; ///< tensor of role Rows: the statistics in expressions
  unsigned axis; ///< reduced, by the contraction too
  llvm::SmallVector<unsigned, 2> reductions;
  /// The operands that the reductions read, and at the same positions the
  /// tensors by which a prepass reads them.
  llvm::SmallVector<unsigned, 2> reads, prepassReads;
  ScalarWork perPoint, perRow;
};

/// Whether and how the reductions along an axis run online: in the loop over
/// the axis that also consumes their results
/// (fusion/Analysis/Online/OnlineReduction.h).
struct OnlineAxis {
  unsigned axis;
  std::string whyNot; ///< empty if they can run online
  /// Contractions whose accumulators every iteration rescales.
  llvm::SmallVector<unsigned, 2> corrected;
  /// Reductions whose running values the other values are computed with.
  llvm::SmallVector<unsigned, 1> references;
  /// Conditional rescaling: the power of two by which values in the loop may
  /// exceed the values for the latest running values, and what the limit comes
  /// from (`Schedule::rescaleThreshold`). 0 if nothing is rescaled, or if a
  /// factor depends on several of the references.
  unsigned room = 0;
  std::string roomLimit;
  /// The part of `Contraction::perPoint` that is done after the loop, by
  /// contraction: factors that are moved out of the sums.
  llvm::SmallVector<std::pair<unsigned, ScalarWork>, 2> deferred;
  /// The reason why the axis cannot be split over blocks with partial results
  /// (fusion/Analysis/Chains/SplitForm.h). Empty if it can, or if the
  /// reductions cannot run online.
  std::string whyNotSplit;
  /// Reductions whose values are part of each partial result.
  llvm::SmallVector<unsigned, 2> stored;
  /// Tensors: inputs that only the reducing launches read.
  llvm::SmallVector<unsigned, 2> later;
  /// A launch that reduces the partial results of one result of the group.
  struct Merge {
    unsigned tensor;
    unsigned partialBytes =
        0; ///< read from each partial result, per element of the result
    unsigned otherBytes = 0; ///< read otherwise, per element of the result
  };
  llvm::SmallVector<Merge, 1> merges;
};

struct MaskPredicate;
using MaskPredicateRef = std::shared_ptr<const MaskPredicate>;

/// An index, or a digit of an index. Where one axis stands for the rows of
/// several heads, the index of a row in its head is a digit: the index modulo
/// the rows of a head.
struct MaskIndex {
  unsigned axis;
  int64_t divisor = 1;
  int64_t period = 0; ///< of the quotient; 0 without one

  bool isPlain() const { return divisor == 1 && period == 0; }
  bool operator==(const MaskIndex &other) const {
    return axis == other.axis && divisor == other.divisor &&
           period == other.period;
  }
};

/// A condition on the indices of a point: linear inequalities and their
/// combinations.
struct MaskPredicate {
  enum class Kind : uint8_t {
    Linear, ///< Σ coefficient · index + constant < 0
    AnyOf,
    AllOf,
  };
  Kind kind = Kind::Linear;
  llvm::SmallVector<std::pair<MaskIndex, int64_t>, 2> terms;
  int64_t constant = 0;
  std::vector<MaskPredicateRef> operands; ///< of AnyOf and AllOf
};

/// An axis along which some points provably do not change what is combined
/// along it (fusion/Analysis/Schedules/MaskedTiles.h).
struct MaskedAxis {
  unsigned axis;
  MaskPredicateRef where; ///< points that add nothing
  /// The share of points that no tile size skips: for each row, the points
  /// between the first and the last that contribute, over all points.
  double minShare = 1;
};

/// A group as plain data.
struct GroupModel {
  llvm::SmallVector<Axis, 8> axes;
  llvm::SmallVector<GroupTensor, 8> tensors;
  llvm::SmallVector<Contraction, 4> contractions;
  llvm::SmallVector<Reduction, 2> reductions;
  llvm::SmallVector<RowStatistics, 1>
      rowStatistics;                       ///< of a contraction in order
  llvm::SmallVector<OnlineAxis, 1> online; ///< the axes that reductions reduce
  llvm::SmallVector<MaskedAxis, 1> masked;

  std::optional<unsigned> findAxis(llvm::StringRef name) const;
  std::optional<unsigned> findTensor(llvm::StringRef name) const;
  bool indexes(unsigned tensor, unsigned axis) const;
  /// Returns the elements of the whole tensor, without those of windows.
  int64_t wholeElements(unsigned tensor) const;
  /// Returns the bytes of all operands and results, each once.
  int64_t outsideBytes() const;
  /// Returns whether row statistics can be computed in the loop of the
  /// contraction that needs them.
  bool canRunWithContraction(const RowStatistics &pass) const;

  // Names, for messages.
  const std::string &axisName(unsigned axis) const { return axes[axis].name; }
  const std::string &tensorName(unsigned tensor) const {
    return tensors[tensor].name;
  }
  /// Returns the name of a contraction's result.
  const std::string &valueName(unsigned contraction) const {
    return tensorName(contractions[contraction].result);
  }
};

} // namespace fusion

#endif // FUSION_ANALYSIS_GROUPS_GROUPMODEL_H
