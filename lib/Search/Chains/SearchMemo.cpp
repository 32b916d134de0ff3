//===- SearchMemo.cpp - Searches of a pipeline, each once -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Chains/SearchMemo.h"
#include "fusion/Search/Chains/ScheduleSearch.h"
#include "fusion/Support/StepAction.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace fusion;

bool SearchMemo::isRemembered(const SearchOptions &options) {
  const SearchOptions usual;
  return options.maxStages == usual.maxStages &&
         options.maxRegisterStages == usual.maxRegisterStages &&
         options.ranked == usual.ranked && !options.randomSeed &&
         options.space == usual.space && options.model == usual.model &&
         options.method == usual.method &&
         options.convergence == usual.convergence &&
         options.seed == usual.seed && options.effort == usual.effort &&
         !options.measurement;
}

const SearchMemo::Entry &SearchMemo::search(Operation *group,
                                            const GroupModel &model,
                                            const ChipInfo &chip,
                                            const SearchOptions &options) {
  std::string key;
  llvm::raw_string_ostream stream(key);
  stream << chip.name << (options.skipMasked ? " masked" : "")
         << (options.isRough ? " rough " : " ");
  group->print(stream, OpPrintingFlags().useLocalScope());
  // The text does not tell which operands are one value, which have one axis
  // where they have the same.
  for (Value operand : group->getOperands())
    stream << ' ' << llvm::find(group->getOperands(), operand).getIndex();
  auto [place, isNew] = entries.try_emplace(key);
  Entry &entry = place->second;
  if (isNew) {
    SearchOptions stoppable = options;
    stoppable.proceed = [context = group->getContext()] {
      return goesOn(context);
    };
    entry.found = searchSchedule(model, chip, entry.reason, stoppable);
  }
  return entry;
}
