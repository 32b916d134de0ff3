//===- MaskPredicates.h - Inequalities of indices, joined -*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_MASKPREDICATES_H
#define FUSION_LIB_ANALYSIS_MASKPREDICATES_H

#include "fusion/Analysis/GroupModel.h"

namespace fusion {

/// A predicate that holds everywhere; null stands for one that nowhere does.
MaskPredicateRef always();
bool isAlways(const MaskPredicateRef &predicate);

/// Both as one predicate of the kind.
MaskPredicateRef join(MaskPredicate::Kind kind, MaskPredicateRef a,
                      MaskPredicateRef b);
MaskPredicateRef anyOf(MaskPredicateRef a, MaskPredicateRef b);
MaskPredicateRef allOf(MaskPredicateRef a, MaskPredicateRef b);

/// A predicate that implies the given one, with inequalities for the index of
/// `axis` alone, as ranges of the axis follow from these: quotients of the
/// index are solved for it. Null where nothing is left.
MaskPredicateRef solve(const MaskPredicateRef &predicate, unsigned axis);

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_MASKPREDICATES_H
