//===- ScheduleTest.cpp - Schedules as structs and as attributes ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduledGroup.h"
#include "mlir/Parser/Parser.h"

using namespace fusion;
using namespace fusion::test;

namespace {

const std::string ir = chainIR({64, 64, 64, 64});

TEST(Schedule, ImportReadsEveryPart) {
  ScheduledGroup group(ir);
  ASSERT_TRUE(group.schedule) << group.reason;
  const Schedule &schedule = *group.schedule;
  EXPECT_EQ(printTiling(schedule.tree, group.model()),
            "mh(n(k(LA,LB,CC),LD,CE),SE)");
  for (int64_t tile : schedule.tiles)
    EXPECT_EQ(tile, 32);
  EXPECT_EQ(schedule.warps, 2u);
  ASSERT_EQ(schedule.blocks.size(), 2u);
  EXPECT_EQ(schedule.blocks[0], group.axis("m"));
  EXPECT_EQ(schedule.blocks[1], group.axis("h"));
  EXPECT_TRUE(schedule.isBlockAxis(group.axis("h")));
  EXPECT_FALSE(schedule.isBlockAxis(group.axis("n")));
  ASSERT_EQ(schedule.contractions.size(), 2u);
  EXPECT_EQ(schedule.contractions[1].i1, group.axis("m"));
  EXPECT_EQ(schedule.contractions[1].i2, group.axis("h"));
  EXPECT_EQ(schedule.contractions[1].r1, group.axis("n"));
  EXPECT_EQ(schedule.contractions[1].warps[0], 2u);
  EXPECT_FALSE(schedule.contractions[1].swapped);
  EXPECT_EQ(group.place("A").space, fuse::Space::Shared);
  EXPECT_EQ(group.place("A").transport, fuse::Transport::Async16);
  EXPECT_EQ(group.place("C").space, fuse::Space::Registers);
  EXPECT_EQ(group.place("D").stages, 1u);
}

TEST(Schedule, RowsOfTheSecondOperandSwapTheProduct) {
  ScheduledGroup group(ir,
                       replaced(kSchedule, R"(i1 = "m", i2 = "h", r1 = "n")",
                                R"(i1 = "h", i2 = "m", r1 = "n")"));
  ASSERT_TRUE(group.schedule) << group.reason;
  EXPECT_FALSE(group.schedule->contractions[0].swapped);
  EXPECT_TRUE(group.schedule->contractions[1].swapped);
}

TEST(Schedule, AbsentPartsHaveTheirDefaults) {
  std::string text = kSchedule;
  text = text.substr(0, text.find(",\n  memory")) + ">";
  ScheduledGroup group(ir, text);
  ASSERT_TRUE(group.schedule) << group.reason;
  EXPECT_EQ(group.place("A").space, fuse::Space::Registers);
  EXPECT_EQ(group.place("A").transport, fuse::Transport::Sync);
  EXPECT_EQ(group.place("A").stages, 1u);
}

TEST(Schedule, ExportAndImportAreInverse) {
  ScheduledGroup group(ir);
  ASSERT_TRUE(group.schedule) << group.reason;
  group.place("A").stages = 3;
  group.place("B").transport = fuse::Transport::Async4;
  group.schedule->splits.assign(4, 1);
  group.schedule->splits[group.axis("n")] = 3;
  group.schedule->blockSwizzle = 5;
  group.schedule->persistent = true;
  group.schedule->cluster = 2;
  group.schedule->producerWarps = 1;
  fuse::ScheduleAttr attr =
      exportSchedule(*group.schedule, group.model(), &group.context);
  std::optional<Schedule> again =
      importSchedule(attr, group.model(), [](const llvm::Twine &why) {
        ADD_FAILURE() << why.str();
      });
  ASSERT_TRUE(again);
  EXPECT_EQ(exportSchedule(*again, group.model(), &group.context), attr);
  EXPECT_EQ(again->places[group.tensor("A")].stages, 3u);
  EXPECT_EQ(again->places[group.tensor("B")].transport,
            fuse::Transport::Async4);
  EXPECT_EQ(again->splitAxis(), group.axis("n"));
  EXPECT_EQ(again->splitOf(group.axis("n")), 3);
  EXPECT_EQ(again->splitOf(group.axis("k")), 1);
  EXPECT_EQ(again->blockSwizzle, 5);
  EXPECT_TRUE(again->persistent);
  EXPECT_EQ(again->cluster, 2);
  EXPECT_EQ(again->producerWarps, 1u);
  std::string text;
  llvm::raw_string_ostream(text) << attr;
  EXPECT_EQ(mlir::parseAttribute(text, &group.context), attr) << text;
}

TEST(Schedule, ExportPrintsWhatParses) {
  ScheduledGroup group(ir);
  ASSERT_TRUE(group.schedule) << group.reason;
  // Neither a grid nor a pipeline.
  for (llvm::StringRef name : {"m", "n", "k", "h"})
    group.setTile(name, 64);
  group.setTiling("LA,LB,CC,LD,CE,SE");
  group.setBlocks({});
  fuse::ScheduleAttr attr =
      exportSchedule(*group.schedule, group.model(), &group.context);
  std::string text;
  llvm::raw_string_ostream(text) << attr;
  EXPECT_EQ(mlir::parseAttribute(text, &group.context), attr) << text;
}

TEST(Schedule, ImportSaysWhatDoesNotFit) {
  std::tuple<const char *, const char *, const char *> cases[] = {
      {"k = 32, h = 32", "k = 32", "no tile size for axis 'h'"},
      {"h = 32", "h = 32, q = 1", "no axis 'q'"},
      {"\"m\", \"h\"]", "\"m\", \"q\"]", "no axis 'q'"},
      {"E = #fuse.op", "X = #fuse.op", "says nothing of the contraction 'E'"},
      {"A = #fuse.place", "X = #fuse.place", "no tensor 'X'"},
      {"mma.m16n8k16", "wmma", "unknown intrinsic 'wmma'"},
      {R"(r1 = "k")", R"(r1 = "q")", "no axis 'q'"},
      {"<shared>}>>", "<shared>}>, pipeline = <{X = 1}>>", "no tensor 'X'"}};
  for (auto [from, to, why] : cases) {
    ScheduledGroup group(ir, replaced(kSchedule, from, to));
    EXPECT_FALSE(group.schedule) << from;
    EXPECT_NE(group.reason.find(why), std::string::npos) << group.reason;
  }
}

TEST(Schedule, GenericForm) {
  ScheduledGroup chain(ir);
  mlir::MLIRContext &context = chain.context;
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    func.func @f(%a: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
      %r = fuse.stitch ins(%x = %a : tensor<8xf32>) outs(%p = %o : tensor<8xf32>) {
        %e = linalg.exp ins(%x : tensor<8xf32>) outs(%p : tensor<8xf32>) -> tensor<8xf32>
        fuse.yield %e : tensor<8xf32>
      } -> tensor<8xf32>
      return %r : tensor<8xf32>
    })",
                                                        &context);
  ASSERT_TRUE(module);
  fuse::FusedGroupOpInterface group;
  module->walk([&](fuse::FusedGroupOpInterface op) { group = op; });
  fuse::ScheduleAttr generic = makeGenericSchedule(&context, {});
  EXPECT_TRUE(isGenericSchedule(generic));
  EXPECT_EQ(checkGenericSchedule(group, generic), std::nullopt);
  EXPECT_FALSE(isGenericSchedule(chain.attr));
  // As many elements in flight as there are stages, of all operands together.
  EXPECT_EQ(genericStages(3, 1), 3);
  EXPECT_EQ(genericStages(100, 1), 16);
  EXPECT_EQ(genericStages(100, 3), 5);
  EXPECT_EQ(genericStages(100, 17), 1);
  EXPECT_EQ(genericStages(mlir::ShapedType::kDynamic, 2), 8);
  auto staged = llvm::cast<fuse::ScheduleAttr>(mlir::parseAttribute(
      R"(#fuse.schedule<version = 2, mapping = <warps = 8>,
                        pipeline = <{}, register_stages = 4>>)",
      &context));
  EXPECT_TRUE(isGenericSchedule(staged));
  EXPECT_EQ(checkGenericSchedule(group, staged), std::nullopt);
  auto buffered = llvm::cast<fuse::ScheduleAttr>(mlir::parseAttribute(
      R"(#fuse.schedule<version = 2, mapping = <warps = 8>,
                        pipeline = <{A = 2}>>)",
      &context));
  EXPECT_NE(checkGenericSchedule(group, buffered), std::nullopt);
  auto given = llvm::cast<fuse::ScheduleAttr>(mlir::parseAttribute(
      R"(#fuse.schedule<version = 2, mapping = <warps = 4, blocks = ["m"]>>)",
      &context));
  EXPECT_TRUE(isGenericSchedule(given));
  EXPECT_NE(checkGenericSchedule(group, given), std::nullopt);
}

} // namespace
