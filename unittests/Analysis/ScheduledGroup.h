//===- ScheduledGroup.h - Groups with a schedule, for tests -----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_UNITTESTS_ANALYSIS_SCHEDULEDGROUP_H
#define FUSION_UNITTESTS_ANALYSIS_SCHEDULEDGROUP_H

#include "ParsedGroup.h"
#include "fusion/Analysis/Schedules/Schedule.h"
#include "mlir/AsmParser/AsmParser.h"

namespace fusion::test {

/// A chain of two contractions with a legal schedule: M = N = K = H = 64 in
/// tiles of 32, two warps along the rows, the intermediate in registers.
inline const char *const kSchedule = R"x(#fuse.schedule<version = 2,
  tiling = <"mh(n(k(LA,LB,CC),LD,CE),SE)", {m = 32, n = 32, k = 32, h = 32}>,
  mapping = <warps = 2, blocks = ["m", "h"], operators = {
    C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [2, 1]>,
    E = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "h", r1 = "n", warps = [2, 1]>}>,
  memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<registers>,
             D = #fuse.place<shared, async16>, E = #fuse.place<shared>}>>)x";

/// A product M x K x N in tiles of 64 x 32 x 64, four warps, one stage.
inline const char *const kProductSchedule = R"x(#fuse.schedule<version = 2,
  tiling = <"mn(k(LA,LB,CC),SC)", {m = 64, n = 64, k = 32}>,
  mapping = <warps = 4, blocks = ["m", "n"], operators = {
    C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [2, 2]>}>,
  memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<shared>}>>)x";

/// A chain of two contractions whose blocks have a loop over n, and one over k
/// inside of it; four warps along the rows, one stage.
inline const char *const kNestSchedule = R"x(#fuse.schedule<version = 2,
  tiling = <"mh(n(k(LA,LB,CC),LD,CE),SE)", {m = 64, n = 64, k = 32, h = 64}>,
  mapping = <warps = 4, blocks = ["m", "h"], operators = {
    C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [4, 1]>,
    E = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "h", r1 = "n", warps = [4, 1]>}>,
  memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<registers>,
             D = #fuse.place<shared, async16>, E = #fuse.place<shared>}>>)x";

class ScheduledGroup : public ParsedGroup {
public:
  explicit ScheduledGroup(llvm::StringRef ir, llvm::StringRef text = kSchedule)
      : ParsedGroup(ir) {
    attr = llvm::dyn_cast_or_null<fuse::ScheduleAttr>(
        mlir::parseAttribute(text, &context));
    if (!attr || !axes) {
      ADD_FAILURE() << "no group (" << reason
                    << ") or no schedule: " << text.str();
      return;
    }
    schedule = importSchedule(
        attr, model(), [&](const llvm::Twine &why) { reason = why.str(); });
  }

  void setTiling(llvm::StringRef text) {
    auto tree = parseTiling(text, model(), [](const llvm::Twine &why) {
      ADD_FAILURE() << why.str();
    });
    schedule->tree = std::move(*tree);
  }
  void setTile(llvm::StringRef axisName, int64_t size) {
    schedule->tiles[axis(axisName)] = size;
  }
  void setBlocks(llvm::ArrayRef<const char *> names) {
    schedule->blocks.clear();
    for (const char *name : names)
      schedule->blocks.push_back(axis(name));
  }
  Placement &place(llvm::StringRef name) {
    return schedule->places[tensor(name)];
  }

  fuse::ScheduleAttr attr;
  std::optional<Schedule> schedule;
};

/// `text` with the first `from` replaced.
inline std::string replaced(std::string text, llvm::StringRef from,
                            llvm::StringRef to) {
  size_t at = text.find(from.str());
  if (at == std::string::npos) {
    ADD_FAILURE() << "nothing to replace: " << from.str();
    return text;
  }
  return text.replace(at, from.size(), to.str());
}

} // namespace fusion::test

#endif // FUSION_UNITTESTS_ANALYSIS_SCHEDULEDGROUP_H
