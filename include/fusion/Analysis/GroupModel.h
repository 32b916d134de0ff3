//===- GroupModel.h - Axes, tensors and products of a group ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What searches and cost models see of a group: plain data without IR. All
// operators of a group share one set of loops, its *axes*: the loops of a
// consumer and of its producer are one axis where the indexing maps of the
// value between them say so. The GEMM chain C[m,n] = A[m,k]·B[k,n], E[m,h] =
// C[m,n]·D[n,h] has the axes m, n, k, h (MCFuser section III-A).
//
// Names. The first product's loops are m, n and k (b where they are batched);
// each new axis of a later product is the next of h, p, q, r, s, t, u, v, w.
// More loops of one kind get a number: m, m1. Products name their operands,
// then their result, in program order: A, B, C, D, E; the operands of
// element-wise operators follow. Beyond Z names go on with T26, T27.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_GROUPMODEL_H
#define FUSION_ANALYSIS_GROUPMODEL_H

#include "fusion/Target/ChipTable.h"
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

/// Bytes of a sum that blocks store in parts: sums are accumulators (DESIGN,
/// "Numbers": they round once).
constexpr unsigned kPartialBytes = 4;

/// What a tensor is to the group.
enum class TensorRole : uint8_t {
  Operand, ///< input of a product, directly or through element-wise operators
  Extra,   ///< input of the element-wise operators after a product
  Intermediate, ///< result of a product that stays inside
  Result,       ///< result of the group
  Statistic,    ///< further result: values of rows, such as a log-sum-exp
  Rows, ///< values of an operand's rows that its product needs (RowPass)
};

/// How an operand is read that its product reads through a window, as a
/// convolution reads its input: the index along each dimension of the memory is
/// a sum of digits of axes, and what lies outside of it is zero. By its axes
/// the tensor is the product's operand all the same (the rows of a convolution
/// are the places of its result, the columns the channels of all places of the
/// filter), of which elements that rows share are moved for each of them.
struct TensorWindow {
  /// coefficient · (⌊axis / divisor⌋ mod period); period 0: without the
  /// modulus.
  struct Digit {
    unsigned axis;
    int64_t divisor = 1, period = 0, coefficient = 1;
    int64_t count = 1; ///< values that it takes
    bool operator==(const Digit &other) const {
      return axis == other.axis && divisor == other.divisor &&
             period == other.period && coefficient == other.coefficient;
    }
  };
  struct Index {
    llvm::SmallVector<Digit, 2> digits;
    int64_t first = 0; ///< where all digits are zero; negative with padding
    int64_t size = 1;  ///< of the memory
    /// Whether some of the indices lie outside.
    bool leaves() const { return first < 0 || last() >= size; }
    int64_t last() const;
  };
  llvm::SmallVector<Index, 4> indices; ///< by dimension of the memory
  int64_t moved =
      0; ///< elements, each as often as a pair of row and column has it
  int64_t touched = 0; ///< elements of the memory that are read at all
};

/// A tensor that moves or is kept. A product's result stands for the
/// element-wise operators after it too: `elementBytes` is that of the value
/// that is handed on or stored.
struct GroupTensor {
  std::string name;
  TensorRole role;
  llvm::SmallVector<unsigned, 4> axes; ///< by dimension, slowest first
  unsigned elementBytes;
  /// Bytes that every row of the tensor is provably a multiple of, at most 16:
  /// what a copy along its last dimension may rely on. 0 where the last
  /// dimension is not dense.
  unsigned alignment;
  /// The product that reads it (Operand, Extra) or makes it; of a statistic the
  /// product after which it is evaluated.
  unsigned contraction;
  /// Of an operand: 0 where it is (part of) the product's first operand,
  /// else 1.
  unsigned operandNumber = 0;
  /// Of an operand: later products that read the same tile of it.
  llvm::SmallVector<unsigned, 1> sharedBy = {};
  /// An operand as a pass over its rows reads it where it does so by itself, in
  /// loops of its own: the pass. Loaded by no statement where the pass reads
  /// the tiles that the product multiplies.
  std::optional<unsigned> pass = std::nullopt;
  /// Of a statistic: of rows of the product's operands, not of its values.
  bool ofOperand = false;
  /// Of an operand that is read through a window; null where every dimension is
  /// an axis.
  std::shared_ptr<const TensorWindow> window = nullptr;
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

/// One product of a group: loops, and the tensors it reads and makes.
struct Contraction {
  unsigned result;                      ///< tensor
  llvm::SmallVector<unsigned, 6> axes;  ///< all loops
  llvm::SmallVector<unsigned, 2> batch; ///< in both operands and the result
  llvm::SmallVector<unsigned, 2>
      lhsAxes; ///< in the first operand and the result
  llvm::SmallVector<unsigned, 2>
      rhsAxes; ///< in the second operand and the result
  llvm::SmallVector<unsigned, 2> reduction; ///< in the operands only
  /// The product whose result is operand 0 or 1 (through element-wise
  /// operators).
  std::optional<unsigned> producer[2];
  /// Whether element-wise operators or passes over rows in front of it make
  /// operand 0 or 1 of what is loaded.
  bool computed[2] = {false, false};
  /// Products of which the element-wise operators after this one read tiles (a
  /// gate), or rows (a sum that is divided by at last).
  llvm::SmallVector<unsigned, 1> joined, joinedStatistics;
  /// Type of the multiplied elements, where some intrinsic may know it.
  std::optional<MultiplicandType> type;
  /// Of the element-wise operators and reductions after it: on every point of
  /// the result, and on every row of those that lack an axis of it.
  ScalarWork perPoint, perRow;
};

/// A combination of a product's values along some of its axes, or of what
/// element-wise operators make of them: the maximum of a row.
struct Reduction {
  unsigned contraction;                ///< whose values are combined
  llvm::SmallVector<unsigned, 2> axes; ///< of the result, by dimension
  llvm::SmallVector<unsigned, 2> reduced;
  unsigned elementBytes; ///< of the result
  /// Of operands of the product, before it: which pass over rows it is part of.
  std::optional<unsigned> pass = std::nullopt;
};

/// Reductions of what a product multiplies along the axis that it sums over, in
/// front of it: the mean square of an RMS norm. One loop over the axis computes
/// all of a pass; what reads the rows of one is in a later pass. A tree says
/// how the loop stands to the product's (docs/reductions.md): it is the same,
/// or before it, with the tiles that the product multiplies or with tiles of
/// its own.
struct RowStatistics {
  unsigned contraction, operandNumber;
  unsigned rows; ///< tensor of role Rows: stands for the pass in expressions
  unsigned axis; ///< reduced, by the product too
  llvm::SmallVector<unsigned, 2> reductions;
  /// Operands that it reads, and by the same place as it reads them by itself.
  llvm::SmallVector<unsigned, 2> reads, prepassReads;
  ScalarWork perPoint, perRow;
};

/// Whether and how the reductions along an axis can run while the axis's loop
/// also consumes them (fusion/Analysis/OnlineReduction.h).
struct OnlineAxis {
  unsigned axis;
  std::string whyNot; ///< empty where they can
  /// Products whose sums so far are corrected in every iteration.
  llvm::SmallVector<unsigned, 2> corrected;
  /// Reductions whose running values the others are computed with.
  llvm::SmallVector<unsigned, 1> references;
  /// Powers of two by which values in the loop may be larger than those
  /// computed with the latest running values, and what the limit comes from
  /// (`Schedule::rescale`); 0 where nothing is corrected, or by more than one
  /// of the references at once.
  unsigned room = 0;
  std::string roomLimit;
  /// Of `Product::perPoint`, what is done after the loop instead: factors that
  /// leave the sums.
  llvm::SmallVector<std::pair<unsigned, ScalarWork>, 2> deferred;
  /// Whether the axis can be split over blocks, whose parts are merged
  /// (fusion/Analysis/SplitForm.h); empty where it can, or where nothing can
  /// run.
  std::string whyNotSplit;
  /// Reductions whose values every part stores.
  llvm::SmallVector<unsigned, 2> stored;
  /// Inputs that only the merging launches read: tensors.
  llvm::SmallVector<unsigned, 2> later;
  /// A launch that merges parts: for one result of the group.
  struct Merge {
    unsigned tensor;
    unsigned partialBytes =
        0; ///< that an element of the result reads of each part
    unsigned otherBytes = 0; ///< and besides
  };
  llvm::SmallVector<Merge, 1> merges;
};

struct MaskPredicate;
using MaskPredicateRef = std::shared_ptr<const MaskPredicate>;

/// An index, or a digit of one that stands for several: a row of heads that are
/// one axis with their rows is the index modulo the rows of a head.
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

/// A condition on the indices of a point: linear inequalities, joined.
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

/// An axis along which some points provably add nothing to what is combined
/// along it (fusion/Analysis/MaskedTiles.h).
struct MaskedAxis {
  unsigned axis;
  MaskPredicateRef where; ///< points that add nothing
  /// Share of the points that lie, of all others of their row, between the
  /// first and the last that adds something: what no choice of tiles leaves
  /// out.
  double minShare = 1;
};

/// A group as plain data.
struct GroupModel {
  llvm::SmallVector<Axis, 8> axes;
  llvm::SmallVector<GroupTensor, 8> tensors;
  llvm::SmallVector<Contraction, 4> contractions;
  llvm::SmallVector<Reduction, 2> reductions;
  llvm::SmallVector<RowStatistics, 1>
      rowStatistics;                       ///< of one product in order
  llvm::SmallVector<OnlineAxis, 1> online; ///< the axes that reductions reduce
  llvm::SmallVector<MaskedAxis, 1> masked;

  std::optional<unsigned> findAxis(llvm::StringRef name) const;
  std::optional<unsigned> findTensor(llvm::StringRef name) const;
  bool indexes(unsigned tensor, unsigned axis) const;
  /// Whether a pass over rows can run in the loop of the product that needs
  /// them.
  bool canRunWithContraction(const RowStatistics &pass) const;

  // Names, for messages.
  const std::string &axisName(unsigned axis) const { return axes[axis].name; }
  const std::string &tensorName(unsigned tensor) const {
    return tensors[tensor].name;
  }
  /// Of a product's result.
  const std::string &valueName(unsigned contraction) const {
    return tensorName(contractions[contraction].result);
  }
};

} // namespace fusion

#endif // FUSION_ANALYSIS_GROUPMODEL_H
