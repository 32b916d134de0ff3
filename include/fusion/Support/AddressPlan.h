//===- AddressPlan.h - From a layout to address arithmetic ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layout (register, lane, warp, block) -> offset, decomposed for code
// generation. The part that depends on the thread is computed once; every
// register adds constants to it:
//
//   offset(r) = (dynamicXor ^ xorPart[r]) + dynamicAdd + addPart[r]
//
// where dynamicXor and dynamicAdd are sums (XORs) of terms ((index / weight) %
// radix) * step of the thread's indices. If dynamicXor can have no bit of
// xorPart[r] set, the XOR is an addition and both constants fold into the
// immediate offset of the access.
//
// Example: a lane-wise row of a 128-byte-swizzled buffer of f16, with registers
// along the eight 16-byte units of a row,
//
//   register: x[8] x[16] x[32]; lane: x[72] x[144] x[288] -> [offset: 512]
//
// has dynamicXor = (lane % 8) * 8, dynamicAdd = (lane % 8) * 64 and
// xorPart[r] = 8 * r.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SUPPORT_ADDRESSPLAN_H
#define FUSION_SUPPORT_ADDRESSPLAN_H

#include "fusion/Support/LinearLayout.h"

namespace fusion {

struct AddressPlan {
  /// ((index / weight) % radix) * step. `last` says that the digit is the
  /// input's most significant one, so that no remainder is needed if the index
  /// is known to be in range.
  struct Term {
    LayoutDim input; ///< Lane, Warp or Block
    int64_t weight;
    int64_t radix;
    int64_t step;
    bool isXor; ///< part of dynamicXor, else of dynamicAdd
    bool last;
  };
  struct Constant {
    int64_t xorPart = 0;
    int64_t addPart = 0;
    /// Whether the XOR with xorPart may be replaced by its addition, for every
    /// thread.
    bool foldable = true;

    int64_t immediate() const { return xorPart + addPart; }
    /// Return what the thread's part is XORed with, and what is added to that.
    int64_t ofThread() const { return foldable ? 0 : xorPart; }
    int64_t added() const { return foldable ? immediate() : addPart; }
  };

  std::vector<Term> terms;
  /// One per register; a single one if the layout has no registers.
  std::vector<Constant> registers;
  /// Bits that dynamicXor can have set.
  int64_t dynamicXorMask = 0;

  /// Evaluates the formula above, for tests and constant folding.
  int64_t evaluate(int64_t reg, int64_t lane, int64_t warp,
                   int64_t block = 0) const;
};

/// Returns the plan for the sum over the layout's outputs of output * stride.
/// Without `strides`, every output has stride 1 (usual: the one output Offset).
/// A layout with another output "panel" beside Offset thus serves buffers whose
/// panels do not follow each other at the layout's distance. Returns nullopt if
/// an output that is XORed has place values that are no powers of two, or if an
/// input is not one of a thread's.
std::optional<AddressPlan>
planAddresses(const LinearLayout &layout,
              llvm::ArrayRef<std::pair<LayoutDim, int64_t>> strides = {});

} // namespace fusion

#endif // FUSION_SUPPORT_ADDRESSPLAN_H
