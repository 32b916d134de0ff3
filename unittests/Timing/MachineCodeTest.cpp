//===- MachineCodeTest.cpp - Listings of nvdisasm -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Timing/MachineCode.h"
#include "fusion/Timing/Anchor.h"
#include "fusion/Timing/FlowGraph.h"
#include "gtest/gtest.h"

using namespace fusion::timing;

namespace {

// Lines of a listing of nvdisasm 13.5 (-c -hex -gp), of a loop that loads, and
// of a division's slow path.
constexpr const char *kListing = R"(
	.target	sm_80
//--------------------- .text.k                   --------------------------
	.section	.text.k,"ax",@progbits
        .size           k,(.L_x_18 - k)
k:
.text.k:
	//## File ".nv_debug_ptx_txt", line 5
        /*0000*/                   IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28] ;   /* 0x00000a00ff017624 */
                                                                             /* 0x000fe400078e00ff */
.L_x_1:
	//## File ".nv_debug_ptx_txt", line 10
        /*0010*/                   LDG.E.128 R4, [R2.64+0x4] ;               /* 0x0000040402057981 */
                                                                             /* 0x000ea2000c1e1900 */
        /*0020*/              @!P0 BRA `(.L_x_1) ;                           /* 0x0000004000008947 */
                                                                             /* 0x004fea0003800000 */
        /*0030*/              @UP1 UMOV UR4, 0x100 ;                         /* 0x0000010000007802 */
                                                                             /* 0x000fe40000000f00 */
        /*0040*/                   CALL.REL.NOINC `($__internal_0_$div) ;    /* 0x0000029000007944 */
                                                                             /* 0x020fea0003c00000 */
        /*0050*/               @PT EXIT ;                                    /* 0x000000000000794d */
                                                                             /* 0x000fea0003800000 */
        .weak           $__internal_0_$div
$__internal_0_$div:
        /*0060*/                   RET.REL.NODEC R2 `(k) ;                   /* 0x0000000002007950 */
                                                                             /* 0x000fea0003c3ffff */
)";

std::optional<MachineCode> parse(std::string text, std::string &reason) {
  return MachineCode::parse(std::move(text), reason);
}

TEST(MachineCode, Instructions) {
  std::string reason;
  std::optional<MachineCode> code = parse(kListing, reason);
  ASSERT_TRUE(code) << reason;
  ASSERT_EQ(code->kernels().size(), 1u);
  const MachineKernel *kernel = code->find("k");
  ASSERT_TRUE(kernel);
  EXPECT_FALSE(code->find("j"));
  ASSERT_EQ(kernel->insts.size(), 7u);

  const MachineInst &load = kernel->insts[1];
  EXPECT_EQ(load.address, 0x10u);
  EXPECT_EQ(load.opcode, "LDG.E.128");
  EXPECT_EQ(load.mnemonic(), "LDG");
  EXPECT_TRUE(load.hasModifier("128"));
  EXPECT_FALSE(load.hasModifier("12"));
  EXPECT_EQ(load.operands, "R4, [R2.64+0x4]");
  EXPECT_EQ(load.line, 10u);
  EXPECT_FALSE(load.guard);
  EXPECT_EQ(anchorKind(load), StepKind::GlobalLoad);

  const MachineInst &branch = kernel->insts[2];
  ASSERT_TRUE(branch.guard);
  EXPECT_EQ(branch.guard->predicate, 0u);
  EXPECT_TRUE(branch.guard->isNegated);
  EXPECT_FALSE(branch.guard->isUniform);
  EXPECT_EQ(branch.target, 1u);
  EXPECT_EQ(branch.line, 10u);
  EXPECT_EQ(anchorKind(branch), StepKind::None);

  ASSERT_TRUE(kernel->insts[3].guard);
  EXPECT_TRUE(kernel->insts[3].guard->isUniform);
  EXPECT_EQ(kernel->insts[4].target, 6u);
  EXPECT_FALSE(kernel->insts[5].guard) << "PT is always true";
  EXPECT_EQ(kernel->insts[6].line, 0u) << "ptxas added it";
}

TEST(MachineCode, Registers) {
  // Listings of some chips have the number in this section.
  std::string reason;
  std::string text = R"(
	//----- nvinfo : EIATTR_REGCOUNT
	.align		4
        /*0000*/ 	.byte	0x04, 0x2f
        /*0002*/ 	.short	(.L_1 - .L_0)
	.align		4
.L_0:
        /*0004*/ 	.word	index@(k)
        /*0008*/ 	.word	0x0000006c

	//----- nvinfo : EIATTR_FRAME_SIZE
        /*0010*/ 	.word	index@(k)
        /*0014*/ 	.word	0x00000000
)";
  std::optional<MachineCode> code = parse((text + kListing).c_str(), reason);
  ASSERT_TRUE(code) << reason;
  EXPECT_EQ(code->kernels()[0].registers, 108u);
  code = parse(kListing, reason);
  ASSERT_TRUE(code) << reason;
  EXPECT_EQ(code->kernels()[0].registers, 0u);
}

TEST(MachineCode, IssueControl) {
  std::string reason;
  std::optional<MachineCode> code = parse(kListing, reason);
  ASSERT_TRUE(code) << reason;
  const std::vector<MachineInst> &insts = code->kernels()[0].insts;
  EXPECT_EQ(insts[0].control.stall, 2u);
  EXPECT_FALSE(insts[0].control.writeScoreboard);
  EXPECT_FALSE(insts[0].control.readScoreboard);
  EXPECT_EQ(insts[0].control.waits, 0u);
  // The load sets scoreboard 2; the branch waits for it.
  EXPECT_EQ(insts[1].control.writeScoreboard, 2u);
  EXPECT_EQ(insts[1].control.stall, 1u);
  EXPECT_EQ(insts[2].control.waits, 1u << 2);
  EXPECT_EQ(insts[2].control.stall, 5u);
}

TEST(MachineCode, FlowGraph) {
  std::string reason;
  std::optional<MachineCode> code = parse(kListing, reason);
  ASSERT_TRUE(code) << reason;
  std::optional<FlowGraph> graph = FlowGraph::build(code->kernels()[0], reason);
  ASSERT_TRUE(graph) << reason;
  using Next = llvm::SmallVector<unsigned, 2>;
  auto next = [&](unsigned index) {
    return Next(graph->next(index).begin(), graph->next(index).end());
  };
  EXPECT_EQ(next(0), Next({1}));
  EXPECT_EQ(next(2), Next({3, 1})) << "a loop";
  EXPECT_EQ(next(4), Next({5})) << "a call goes on after itself";
  EXPECT_EQ(next(5), Next({}));
  EXPECT_TRUE(graph->mayEnd(5));
  EXPECT_FALSE(graph->mayEnd(2));
}

TEST(MachineCode, WhatIsNoListing) {
  std::string reason;
  EXPECT_FALSE(parse("", reason));
  EXPECT_EQ(reason, "the listing has no kernel");
  EXPECT_FALSE(parse("        /*0000*/ NOP ; /* 0x1 */\n", reason));
  EXPECT_EQ(reason, "line 1 of the listing: an instruction before the name of "
                    "its kernel");
  EXPECT_FALSE(parse(".text.k:\n /*0000*/ NOP ;\n", reason));
  EXPECT_EQ(reason, "line 2 of the listing: no encoding, as nvdisasm prints it "
                    "with -hex");
  EXPECT_FALSE(parse(".text.k:\n /*0000*/ NOP ; /* 0x1 */\n", reason));
  EXPECT_EQ(reason, "line 2 of the listing: the last instruction has half an "
                    "encoding");
  EXPECT_FALSE(parse(".text.k:\n /*xyz*/ NOP ; /* 0x1 */\n", reason));
  EXPECT_EQ(reason, "line 2 of the listing: no address");
  EXPECT_FALSE(parse(".text.k:\n /*0000*/ @Q0 NOP ; /* 0x1 */\n", reason));
  EXPECT_EQ(reason, "line 2 of the listing: no predicate 'Q0'");
}

TEST(MachineCode, CallsThatAreJumps) {
  std::string reason;
  std::optional<MachineCode> code = parse(R"(
.text.k:
        /*0000*/          @P2 CALL.REL.NOINC `(.L_x_1) ;  /* 0x1 */
                                                          /* 0x0 */
        /*0010*/              EXIT ;                      /* 0x1 */
                                                          /* 0x0 */
.L_x_1:
        /*0020*/              EXIT ;                      /* 0x1 */
                                                          /* 0x0 */
)",
                                          reason);
  ASSERT_TRUE(code) << reason;
  std::optional<FlowGraph> graph = FlowGraph::build(code->kernels()[0], reason);
  ASSERT_TRUE(graph) << reason;
  EXPECT_EQ(graph->next(0).size(), 2u);
  EXPECT_EQ(graph->next(0)[1], 2u);
}

TEST(MachineCode, ComputedJumps) {
  std::string reason;
  std::optional<MachineCode> code = parse(
      ".text.k:\n /*0000*/ BRX R2 -0x10 ; /* 0x1 */\n /* 0x0 */\n", reason);
  ASSERT_TRUE(code) << reason;
  EXPECT_FALSE(FlowGraph::build(code->kernels()[0], reason));
  EXPECT_EQ(reason, "'k' jumps to a computed address");
}

} // namespace
