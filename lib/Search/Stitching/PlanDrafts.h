//===- PlanDrafts.h - Plans while they are made -----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_STITCHING_PLANDRAFTS_H
#define FUSION_LIB_SEARCH_STITCHING_PLANDRAFTS_H

#include "fusion/Search/Stitching/StitchExplorer.h"
#include <memory>

namespace fusion {

/// A pattern that may become a kernel, and what it saves.
struct Candidate {
  StitchPattern vertices;
  double score = 0;
  /// The score is what it saves at most, and whether it can be a kernel has not
  /// been asked.
  bool isBound = false;
};

/// The beam of FusionStitching's section 5.3: plans of patterns that neither
/// overlap nor wait for one another in a circle.
class DraftBeam {
public:
  DraftBeam(const DeltaEvaluator &evaluator, unsigned vertices, unsigned width);

  /// Tries every candidate with every plan. They must outlive the beam.
  void extend(llvm::ArrayRef<Candidate> candidates);
  /// The plans, best first; vertices of no pattern are patterns of their own.
  std::vector<StitchPlan> plans() const;

private:
  /// The pattern of each vertex, null: none yet. Copies share the parts that
  /// neither has changed, so that a plan is extended without copying it whole.
  class Assignment {
  public:
    explicit Assignment(unsigned size)
        : parts((size + kPart - 1) / kPart,
                std::make_shared<Part>(kPart, nullptr)) {}
    const Candidate *operator[](unsigned vertex) const {
      return (*parts[vertex / kPart])[vertex % kPart];
    }
    void set(unsigned vertex, const Candidate *candidate);

  private:
    static constexpr unsigned kPart = 128;
    using Part = std::vector<const Candidate *>;
    std::vector<std::shared_ptr<Part>> parts;
  };
  struct Draft {
    Assignment patternOf;
    double score = 0;
    unsigned last = 0; ///< vertex of all patterns
  };
  bool closesCycle(const Draft &draft, llvm::ArrayRef<unsigned> pattern) const;

  const DeltaEvaluator &evaluator;
  unsigned size, width;
  std::vector<Draft> drafts;
};

} // namespace fusion

#endif // FUSION_LIB_SEARCH_STITCHING_PLANDRAFTS_H
