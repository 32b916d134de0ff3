//===- LinearLayoutForm.h - Numeral systems and where digits go -*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The representation behind LinearLayout: the radices of every index and, per
// input digit, the output digits ("places") it goes to. Private to the library.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SUPPORT_LINEARLAYOUTFORM_H
#define FUSION_LIB_SUPPORT_LINEARLAYOUTFORM_H

#include "fusion/Support/LinearLayout.h"

#include <array>
#include <tuple>

namespace fusion::detail {

/// Larger sizes are rejected: the limit keeps products far from overflow and
/// factorisation cheap.
constexpr int64_t kMaxIndexSize = int64_t(1) << 40;

/// An output digit.
struct Place {
  unsigned out;
  unsigned pos;
  bool operator==(const Place &o) const { return out == o.out && pos == o.pos; }
  bool operator<(const Place &o) const {
    return std::tie(out, pos) < std::tie(o.out, o.pos);
  }
};

/// An input digit. Invariant: with a radix other than 2 it goes to at most one
/// place, which has the same radix and receives nothing else; with radix 2 it
/// goes to any number of places of radix 2. Places are sorted.
struct FormDigit {
  int64_t radix;
  llvm::SmallVector<Place, 2> to;
  bool operator==(const FormDigit &o) const {
    return radix == o.radix && to == o.to;
  }
};

struct FormIn {
  LayoutDim dim;
  llvm::SmallVector<FormDigit, 8> digits;
  int64_t size() const;
  bool operator==(const FormIn &o) const {
    return dim == o.dim && digits == o.digits;
  }
};

struct FormOut {
  LayoutDim dim;
  llvm::SmallVector<int64_t, 8> radices;
  int64_t size() const;
  /// Returns the place value of digit `pos`.
  int64_t weight(unsigned pos) const;
  bool operator==(const FormOut &o) const {
    return dim == o.dim && radices == o.radices;
  }
};

struct LayoutForm {
  llvm::SmallVector<FormIn, 4> ins;
  llvm::SmallVector<FormOut, 4> outs;

  bool operator==(const LayoutForm &o) const {
    return ins == o.ins && outs == o.outs;
  }

  int findIn(LayoutDim dim) const;
  int findOut(LayoutDim dim) const;

  /// Returns how many digits go to every place: uses()[out][pos].
  llvm::SmallVector<llvm::SmallVector<unsigned, 8>, 4> uses() const;

  /// Splits a digit whose radix is not prime into `low` and, above it, the
  /// rest; its partner on the other side is split with it. The radix must be a
  /// multiple of `low`.
  void splitDigit(unsigned in, unsigned digit, int64_t low);
  void splitPlace(unsigned out, unsigned pos, int64_t low);

  /// Refines an index so that the product of its lowest digits is `size`.
  /// Returns their number, or nullopt if a digit crosses that boundary.
  std::optional<unsigned> splitInAt(unsigned in, int64_t size);
  std::optional<unsigned> splitOutAt(unsigned out, int64_t size);

  /// Brings the form into its canonical shape (LinearLayoutCanonical.cpp).
  void canonicalize();

private:
  void sortAndDropUnits();
  void mergeNeighbours();
  void mergePlaces(unsigned out, unsigned pos);
  bool hasDuplicates(unsigned out) const;
  void resolveDuplicates(unsigned out);
};

/// The data of a LinearLayout: the form and tables for evaluation.
struct LayoutStorage {
  explicit LayoutStorage(LayoutForm canonical);

  LayoutForm form;

  struct Entry {
    int64_t weight; ///< place value in the input
    int64_t radix;
    unsigned out;
    int64_t add;   ///< step on places that receive nothing else
    uint64_t mask; ///< places that are XORed, as a mask over positions
  };
  /// Entries of every input, one per digit and output it moves.
  llvm::SmallVector<llvm::SmallVector<Entry, 12>, 4> entries;
  /// Place values of the digits of every output.
  llvm::SmallVector<llvm::SmallVector<int64_t, 8>, 4> weights;
  std::array<int8_t, kNumLayoutDims> inIndex;

  using Values = std::array<int64_t, kNumLayoutDims>;
  /// Returns the values of all outputs for inputs given by LayoutDim.
  Values evaluate(const Values &inputs) const;
};

} // namespace fusion::detail

#endif // FUSION_LIB_SUPPORT_LINEARLAYOUTFORM_H
