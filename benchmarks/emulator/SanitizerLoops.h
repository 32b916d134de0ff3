//===- SanitizerLoops.h - Loops that sanitizers find dear -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that do nothing but synchronise, or access memory in a way that
// leaves little to batch: what --sanitize costs shows here first. `%p`: a
// buffer of 2^20 words; `%w` and `%g`: the thread's word of it, and its number
// in the grid; `%s`: shared memory, `%sw`: the thread's word of it; `%t`, `%l`,
// `%c`, `%n`: thread, lane, block, and rounds that are left; `%r<16>`, `%d<8>`,
// `%q<8>`: free.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_BENCHMARKS_EMULATOR_SANITIZERLOOPS_H
#define FUSION_BENCHMARKS_EMULATOR_SANITIZERLOOPS_H

#include <cstdint>
#include <string>

struct SanitizerLoop {
  const char *name;
  uint32_t blocks, threads, rounds;
  const char *before, *body;
  uint32_t cluster = 1;
  uint32_t shared = 4096; ///< bytes
};

inline std::string textOf(const SanitizerLoop &loop) {
  return std::string(R"(.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 buffer, .param .u32 rounds)
{
  .reg .b64 %p, %w, %d<8>;
  .reg .b32 %g, %t, %l, %c, %n, %s, %sw, %r<16>;
  .reg .pred %q<8>;
)") + "  .shared .align 128 .b8 shared[" +
         std::to_string(loop.shared) + R"(];
  ld.param.u64 %p, [buffer];
  ld.param.u32 %n, [rounds];
  mov.u32 %t, %tid.x;
  mov.u32 %l, %laneid;
  mov.u32 %c, %ctaid.x;
  mov.u32 %r0, %ntid.x;
  mad.lo.u32 %g, %c, %r0, %t;
  mul.wide.u32 %d0, %g, 4;
  add.s64 %w, %p, %d0;
  mov.u32 %s, shared;
  shl.b32 %sw, %t, 2;
  add.u32 %sw, %sw, %s;
)" + loop.before +
         "\nNEXT:\n" + loop.body + R"(
  sub.u32 %n, %n, 1;
  setp.ne.u32 %q7, %n, 0;
  @%q7 bra NEXT;
  ret;
}
)";
}

constexpr SanitizerLoop kSanitizerLoops[] = {
    {"fence_one_word", 8, 256, 512, "",
     "fence.acq_rel.gpu;\nst.relaxed.gpu.global.u32 [%p], %g;\n"
     "ld.relaxed.gpu.global.u32 %r1, [%p];\n"},
    {"fence_own_word", 8, 256, 512, "",
     "fence.acq_rel.gpu;\nst.relaxed.gpu.global.u32 [%w], %g;\n"
     "ld.relaxed.gpu.global.u32 %r1, [%w];\n"},
    {"fence_word_of_warp", 8, 256, 512,
     "shr.u32 %r2, %g, 5;\nmul.wide.u32 %d1, %r2, 4;\nadd.s64 %d1, %d1, %p;\n",
     "fence.acq_rel.gpu;\nst.relaxed.gpu.global.u32 [%d1], %g;\n"
     "ld.relaxed.gpu.global.u32 %r1, [%d1];\n"},
    {"release_acquire", 8, 256, 512, "",
     "st.release.gpu.global.u32 [%p], %g;\n"
     "ld.acquire.gpu.global.u32 %r1, [%p];\n"},
    {"release_acquire_own_word", 8, 256, 512, "",
     "st.release.gpu.global.u32 [%w], %g;\n"
     "ld.acquire.gpu.global.u32 %r1, [%w];\n"},
    {"atomic_acq_rel", 8, 256, 512, "",
     "atom.acq_rel.gpu.global.add.u32 %r1, [%p], 1;\n"},
    {"membar_atomic", 8, 256, 512, "",
     "membar.gl;\natom.global.add.u32 %r1, [%p], 1;\n"},
    {"membar_atomic_elected", 8, 256, 512, "setp.eq.u32 %q0, %l, 0;\n",
     "membar.gl;\n@%q0 atom.global.add.u32 %r1, [%p], 1;\nbar.sync 0;\n"},
    {"membar_atomic_own_word", 8, 256, 512, "",
     "membar.gl;\natom.global.add.u32 %r1, [%w], 1;\n"},
    {"membar_shared_atomic", 8, 256, 512,
     "st.shared.u32 [%sw], 0;\nbar.sync 0;\n",
     "membar.cta;\natom.shared.add.u32 %r1, [%s], 1;\n"},
    {"red_one_word", 8, 256, 512, "", "red.global.add.u32 [%p], 1;\n"},
    {"spin_lock_lanes", 8, 32, 2, "",
     "LOCK:\natom.global.cas.b32 %r1, [%p], 0, 1;\nsetp.ne.u32 %q0, %r1, 0;\n"
     "@%q0 bra LOCK;\nmembar.gl;\nld.global.u32 %r2, [%p+128];\n"
     "add.u32 %r2, %r2, 1;\nst.global.u32 [%p+128], %r2;\nmembar.gl;\n"
     "atom.global.exch.b32 %r3, [%p], 0;\n"},
    {"spin_lock_2048", 8, 256, 1, "",
     "LOCK:\natom.global.cas.b32 %r1, [%p], 0, 1;\nsetp.ne.u32 %q0, %r1, 0;\n"
     "@%q0 bra LOCK;\nmembar.gl;\nld.global.u32 %r2, [%p+128];\n"
     "add.u32 %r2, %r2, 1;\nst.global.u32 [%p+128], %r2;\nmembar.gl;\n"
     "atom.global.exch.b32 %r3, [%p], 0;\n"},
    {"spin_lock_8192", 32, 256, 1, "",
     "LOCK:\natom.global.cas.b32 %r1, [%p], 0, 1;\nsetp.ne.u32 %q0, %r1, 0;\n"
     "@%q0 bra LOCK;\nmembar.gl;\nld.global.u32 %r2, [%p+128];\n"
     "add.u32 %r2, %r2, 1;\nst.global.u32 [%p+128], %r2;\nmembar.gl;\n"
     "atom.global.exch.b32 %r3, [%p], 0;\n"},
    {"spin_lock_of_blocks", 64, 256, 4, "setp.ne.u32 %q1, %t, 0;\n",
     "@%q1 bra WAIT;\n"
     "LOCK:\natom.acquire.gpu.global.cas.b32 %r1, [%p], 0, 1;\n"
     "setp.ne.u32 %q0, %r1, 0;\n@%q0 bra LOCK;\nWAIT:\nbar.sync 0;\n"
     "mul.wide.u32 %d1, %t, 4;\nadd.s64 %d1, %d1, %p;\n"
     "ld.global.u32 %r2, [%d1+128];\nadd.u32 %r2, %r2, 1;\n"
     "st.global.u32 [%d1+128], %r2;\nbar.sync 0;\n@%q1 bra DONE;\n"
     "st.release.gpu.global.u32 [%p], 0;\nDONE:\n"},
    {"grid_barrier", 16, 256, 16, "setp.ne.u32 %q1, %t, 0;\nmov.u32 %r9, 0;\n",
     "st.global.u32 [%w+8192], %g;\nbar.sync 0;\n@%q1 bra WAIT;\n"
     "add.u32 %r9, %r9, 16;\nred.release.gpu.global.add.u32 [%p], 1;\n"
     "POLL:\nld.acquire.gpu.global.u32 %r1, [%p];\nsetp.lt.u32 %q0, %r1, %r9;\n"
     "@%q0 bra POLL;\nWAIT:\nbar.sync 0;\nld.global.u32 %r2, [%w+8192];\n"},
    {"flag_chain", 32, 64, 4,
     "sub.u32 %r2, %c, 1;\nmul.wide.s32 %d1, %r2, 4;\nadd.s64 %d1, %d1, %p;\n"
     "add.s64 %d1, %d1, 512;\nsetp.eq.u32 %q0, %c, 0;\nmov.u32 %r9, 0;\n",
     "add.u32 %r9, %r9, 1;\n@%q0 bra FREE;\n"
     "POLL:\nld.acquire.gpu.global.u32 %r1, [%d1];\nsetp.lt.u32 %q1, %r1, "
     "%r9;\n"
     "@%q1 bra POLL;\nFREE:\nst.global.u32 [%w+65536], %g;\nbar.sync 0;\n"
     "st.release.gpu.global.u32 [%d1+4], %r9;\n"},
    {"barrier", 8, 256, 256, "", "bar.sync 0;\n"},
    {"barrier_store_load", 8, 256, 256, "",
     "st.shared.u32 [%sw], %t;\nbar.sync 0;\nld.shared.u32 %r1, [%sw];\n"
     "bar.sync 0;\n"},
    {"barrier_named", 8, 256, 256,
     "shr.u32 %r2, %t, 6;\nadd.u32 %r2, %r2, 1;\n",
     "st.shared.u32 [%sw], %t;\nbar.sync %r2, 64;\nld.shared.u32 %r1, "
     "[%sw];\n"},
    {"warp_barrier", 8, 256, 256, "",
     "st.shared.u32 [%sw], %t;\nbar.warp.sync -1;\nld.shared.u32 %r1, "
     "[%sw];\n"},
    {"warp_barrier_halves", 8, 256, 256,
     "mov.u32 %r2, 0xffff;\nsetp.lt.u32 %q0, %l, 16;\n"
     "@!%q0 mov.u32 %r2, 0xffff0000;\n",
     "st.shared.u32 [%sw], %t;\nbar.warp.sync %r2;\nld.shared.u32 %r1, "
     "[%sw];\n"},
    {"halves_then_barrier", 8, 256, 128,
     "mov.u32 %r2, 0xffff;\nsetp.lt.u32 %q0, %l, 16;\n"
     "@!%q0 mov.u32 %r2, 0xffff0000;\n",
     "st.shared.u32 [%sw], %t;\nbar.warp.sync %r2;\nld.shared.u32 %r1, [%sw];\n"
     "bar.sync 0;\n"},
    {"load_scattered", 8, 256, 512, "mov.u32 %r1, %g;\n",
     "mad.lo.u32 %r1, %r1, 1664525, 1013904223;\nshr.u32 %r2, %r1, 14;\n"
     "mul.wide.u32 %d1, %r2, 4;\nadd.s64 %d1, %d1, %p;\n"
     "ld.global.u32 %r3, [%d1];\n"},
    {"load_scattered_16", 8, 256, 512, "mov.u32 %r1, %g;\n",
     "mad.lo.u32 %r1, %r1, 1664525, 1013904223;\nshr.u32 %r2, %r1, 16;\n"
     "mul.wide.u32 %d1, %r2, 16;\nadd.s64 %d1, %d1, %p;\n"
     "ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%d1];\n"},
    {"load_strided", 8, 256, 512, "shl.b32 %r1, %g, 3;\n",
     "add.u32 %r1, %r1, 16384;\nand.b32 %r1, %r1, 0xfffff;\n"
     "mul.wide.u32 %d1, %r1, 4;\nadd.s64 %d1, %d1, %p;\n"
     "ld.global.u32 %r3, [%d1];\n"},
    {"store_strided", 8, 256, 512, "shl.b32 %r1, %g, 3;\n",
     "add.u32 %r1, %r1, 16384;\nand.b32 %r1, %r1, 0xfffff;\n"
     "mul.wide.u32 %d1, %r1, 4;\nadd.s64 %d1, %d1, %p;\n"
     "st.global.u32 [%d1], %r3;\n"},
    {"load_bytes_scattered", 8, 256, 512, "mov.u32 %r1, %g;\n",
     "mad.lo.u32 %r1, %r1, 1664525, 1013904223;\nshr.u32 %r2, %r1, 12;\n"
     "cvt.u64.u32 %d1, %r2;\nadd.s64 %d1, %d1, %p;\n"
     "ld.global.u8 %r3, [%d1];\n"},
    {"atomic_scattered", 8, 256, 512, "mov.u32 %r1, %g;\n",
     "mad.lo.u32 %r1, %r1, 1664525, 1013904223;\nshr.u32 %r2, %r1, 14;\n"
     "mul.wide.u32 %d1, %r2, 4;\nadd.s64 %d1, %d1, %p;\n"
     "atom.global.add.u32 %r3, [%d1], 1;\n"},
    {"shared_scattered", 8, 256, 512,
     "mov.u32 %r1, %g;\nmov.u32 %r3, 0;\nmov.u32 %r4, %sw;\n"
     "FILL:\nst.shared.u32 [%r4], %r3;\nadd.u32 %r4, %r4, 1024;\n"
     "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %q0, %r3, 32;\n@%q0 bra FILL;\n"
     "bar.sync 0;\n",
     "mad.lo.u32 %r1, %r1, 1664525, 1013904223;\nshr.u32 %r2, %r1, 19;\n"
     "shl.b32 %r2, %r2, 2;\nadd.u32 %r2, %r2, %s;\nld.shared.u32 %r3, [%r2];\n",
     1, 32768},
    {"shared_atomic_scattered", 8, 256, 512,
     "mov.u32 %r1, %g;\nmov.u32 %r3, 0;\nmov.u32 %r4, %sw;\n"
     "FILL:\nst.shared.u32 [%r4], %r3;\nadd.u32 %r4, %r4, 1024;\n"
     "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %q0, %r3, 32;\n@%q0 bra FILL;\n"
     "bar.sync 0;\n",
     "mad.lo.u32 %r1, %r1, 1664525, 1013904223;\nshr.u32 %r2, %r1, 19;\n"
     "shl.b32 %r2, %r2, 2;\nadd.u32 %r2, %r2, %s;\n"
     "atom.shared.add.u32 %r3, [%r2], 1;\n",
     1, 32768},
    {"copy_async_16", 8, 256, 512,
     "shl.b32 %r2, %t, 4;\nadd.u32 %r2, %r2, %s;\nmul.wide.u32 %d1, %g, 16;\n"
     "add.s64 %d1, %d1, %p;\n",
     "cp.async.cg.shared.global [%r2], [%d1], 16;\ncp.async.commit_group;\n"
     "cp.async.wait_group 0;\nbar.sync 0;\n",
     1, 32768},
    {"copy_async_16_ring", 8, 256, 512,
     "mov.u32 %r3, 0;\nshl.b32 %r2, %t, 4;\nadd.u32 %r2, %r2, %s;\n"
     "mul.wide.u32 %d1, %g, 16;\nadd.s64 %d1, %d1, %p;\n",
     "add.u32 %r3, %r3, 4096;\nand.b32 %r3, %r3, 0x7fff;\nadd.u32 %r4, %r2, "
     "%r3;\n"
     "cp.async.cg.shared.global [%r4], [%d1], 16;\ncp.async.commit_group;\n"
     "cp.async.wait_group 3;\n",
     1, 32768},
    {"copy_async_4", 8, 256, 512, "",
     "cp.async.ca.shared.global [%sw], [%w], 4;\ncp.async.commit_group;\n"
     "cp.async.wait_group 0;\n"},
    {"copy_async_uncommitted", 8, 256, 512, "",
     "cp.async.ca.shared.global [%sw], [%w], 4;\ncp.async.wait_all;\n"},
    {"mbarrier_phases", 8, 256, 512,
     "setp.eq.u32 %q0, %t, 0;\n@%q0 mbarrier.init.shared.b64 [%s], 256;\n"
     "bar.sync 0;\nmov.u32 %r9, 0;\n",
     "mbarrier.arrive.shared.b64 %d1, [%s];\n"
     "WAIT:\nmbarrier.try_wait.parity.shared.b64 %q1, [%s], %r9;\n"
     "@!%q1 bra WAIT;\nxor.b32 %r9, %r9, 1;\n"},
    {"mbarrier_elected", 8, 256, 512,
     "setp.eq.u32 %q0, %t, 0;\nsetp.eq.u32 %q2, %l, 0;\n"
     "@%q0 mbarrier.init.shared.b64 [%s], 8;\nbar.sync 0;\nmov.u32 %r9, 0;\n",
     "bar.warp.sync -1;\n@%q2 mbarrier.arrive.shared.b64 %d1, [%s];\n"
     "WAIT:\nmbarrier.try_wait.parity.shared.b64 %q1, [%s], %r9;\n"
     "@!%q1 bra WAIT;\nxor.b32 %r9, %r9, 1;\n"},
    {"mbarrier_copies", 8, 256, 64,
     "setp.eq.u32 %q0, %t, 0;\n@%q0 mbarrier.init.shared.b64 [%s+16384], 256;\n"
     "bar.sync 0;\nmov.u32 %r9, 0;\n",
     "cp.async.ca.shared.global [%sw], [%w], 4;\n"
     "cp.async.mbarrier.arrive.noinc.shared.b64 [%s+16384];\n"
     "WAIT:\nmbarrier.try_wait.parity.shared.b64 %q1, [%s+16384], %r9;\n"
     "@!%q1 bra WAIT;\nxor.b32 %r9, %r9, 1;\n",
     1, 32768},
    {"bulk_copies", 8, 128, 512,
     "setp.eq.u32 %q0, %t, 0;\n@%q0 mbarrier.init.shared.b64 [%s+16384], 1;\n"
     "@%q0 fence.mbarrier_init.release.cluster;\nbar.sync 0;\nmov.u32 %r9, "
     "0;\n",
     "@%q0 mbarrier.arrive.expect_tx.shared.b64 %d1, [%s+16384], 512;\n"
     "@%q0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
     "[%s], [%p], 512, [%s+16384];\n"
     "WAIT:\nmbarrier.try_wait.parity.shared.b64 %q1, [%s+16384], %r9;\n"
     "@!%q1 bra WAIT;\nxor.b32 %r9, %r9, 1;\nld.shared.u32 %r1, [%sw];\n"
     "bar.sync 0;\n",
     1, 32768},
    {"cluster_barrier", 8, 256, 512, "",
     "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n", 4},
    {"divergent", 8, 256, 512,
     "and.b32 %r2, %l, 3;\nsetp.eq.u32 %q0, %r2, 0;\n",
     "@%q0 bra OTHER;\nst.shared.u32 [%sw], %t;\nbra JOIN;\n"
     "OTHER:\nst.shared.u32 [%sw], %g;\nJOIN:\nld.shared.u32 %r1, [%sw];\n"},
};

#endif // FUSION_BENCHMARKS_EMULATOR_SANITIZERLOOPS_H
