//===- Handlers.h - Tables of instruction handlers --------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handlers are compiled several times, for vector extensions of growing width
// (folder Isa), and chosen once when the program starts. Every function below
// returns null if there is no such instruction.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_HANDLERS_H
#define FUSION_LIB_EMULATOR_HANDLERS_H

#include "Code.h"

#include <string>

namespace fusion::emulator {

struct WgmmaOp;
struct Group;
struct ShadowWords;

/// Operands in op[]: destination first, then sources, unless said otherwise.
enum class IntOp : uint8_t {
  Add,
  Sub,
  Mul,
  MulHi,
  MulWide,
  Mad,
  MadHi,
  MadWide,
  Mul24,
  Mul24Hi,
  Mad24,
  Mad24Hi,
  Mad24HiSat,
  Sad,
  Div,
  Rem,
  Abs,
  Neg,
  Min,
  Max,
  Min3,
  Max3,
  And,
  Or,
  Xor,
  Not,
  Cnot,
  Shl,
  Shr,
  Popc,
  Clz,
  Bfind,
  BfindShift,
  Brev,
  Bfe,
  Bfi,
  AddSat,
  SubSat,
  MadHiSat,
  AddCC,
  AddC,
  AddCCC,
  SubCC,
  SubC,
  SubCCC,
  MadCC,
  MadC,
  MadCCC,
  MadHiCC,
  MadHiC,
  MadHiCCC,
  ShfL,
  ShfR, // a: clamp
  Prmt, // a: mode
  Lop3, // op[4]: table constant
  Dp4a,
  Dp2a, // a: first signed, b: second signed, c: .hi
  Bmsk,
  Szext,
  Fns, // a: clamp / wrap
  ReluMin,
  ReluMax,
  Mov,
  Select,
  Slct,  // op[3]: predicate or s32
  SlctF, // op[3]: f32
};

enum class FloatOp : uint8_t {
  Add,
  Sub,
  Mul,
  Fma,
  Div,
  Sqrt,
  Rcp,
  Rsqrt,
  Sin,
  Cos,
  Lg2,
  Ex2,
  Tanh,
  Neg,
  Abs,
  Min,
  Max,
  Min3,
  Max3,
  Copysign,
  Testp,
  Ex2Fast,
};

enum class Rounding : uint8_t { None, Nearest, Zero, Down, Up, Away, Integer };

/// Bits of Inst::a for floating-point handlers.
enum FloatFlags : uint8_t {
  FlagFtz = 1,     ///< subnormal inputs and results become zero
  FlagSat = 2,     ///< clamp to [0, 1], NaN to 0
  FlagNaN = 4,     ///< min and max propagate NaN
  FlagXorSign = 8, ///< min.xorsign.abs
  FlagRelu = 16,   ///< negative to 0, NaN stays
  FlagAbs = 32,
  FlagSatFinite = 64,
  FlagOob = 128, ///< fma.oob: 0 where an operand is kOutOfBoundsNan
};

enum class Compare : uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan,
};
enum class Combine : uint8_t { None, And, Or, Xor };

/// Everything of setp, set and their packed forms:
/// op: [p, q, a, b, c] for setp, [d, a, b, c] for set.
struct CompareSpec {
  Type type;
  Compare compare;
  bool isSet = false; ///< set: op[0] is a register of `destination`
  Type destination = Type::None;
};

enum class ShuffleMode : uint8_t { Up, Down, Bfly, Idx };
enum class AtomicOp : uint8_t {
  Add,
  Min,
  Max,
  Inc,
  Dec,
  And,
  Or,
  Xor,
  Exch,
  Cas,
};
enum class VoteMode : uint8_t { All, Any, Uni, Ballot };

/// The shapes of mma by element types (PTX ISA, "Matrix multiply-accumulate").
struct MmaSpec {
  unsigned m = 0, n = 0, k = 0;
  Type a = Type::None, b = Type::None, accumulator = Type::None,
       result = Type::None;
  bool satfinite = false;
  bool isSparse = false; ///< mma.sp
  /// A is column-major, B row-major: mma.m8n8k4 of f16 alone has a choice.
  bool columnA = false, rowB = false;
  /// The operation on single bits before they are counted.
  enum class BitOp : uint8_t { None, And, Xor } bitOp = BitOp::None;
};

struct HandlerTable {
  const char *name;
  Handler (*integer)(IntOp op, Type type);
  Handler (*floating)(FloatOp op, Type type, uint8_t flags);
  Handler (*compare)(const CompareSpec &spec);
  /// Widths of the registers that hold source and destination may exceed the
  /// types'. Inst::a: flags, b: rounding, c and d: types, e: register widths.
  Handler (*convert)(Type destination, Type source, Rounding rounding,
                     uint8_t flags);
  /// op: [values…, address]; a: bytes of an element, b: elements, c: address
  /// width, d: bit 0 sign extension, e: bytes of the registers.
  Handler (*load)(Space space, unsigned bytes);
  Handler (*store)(Space space, unsigned bytes);
  Handler (*mma)(const MmaSpec &spec);
  Handler (*wmma)(const MmaSpec &spec);
  /// Carries out wgmmas of the warp that share accumulators, in order.
  void (*wgmma)(Warp &warp, const WgmmaOp *ops, size_t count);
  /// Reads the records of the words. Returns false if an address has none.
  bool (*shadowGather)(ShadowWords &words, const uint64_t *writes,
                       const uint64_t *reads);
  /// Writes one record per word. Returns false if two lanes share a word, which
  /// then has the record of either lane.
  bool (*shadowScatter)(const ShadowWords &words, const uint64_t *from,
                        uint64_t *to);
  void (*shadowFill)(const ShadowWords &words, uint64_t record, uint64_t *to);
  /// Replaces readers that come before by the lanes (all readers, if the last
  /// one is kept), as `asked` says (kAsked contexts, twice their number and the
  /// answer). Returns false, without an effect, if `asked` does not say.
  bool (*shadowReplace)(const ShadowWords &words, const uint32_t *asked,
                        bool keepsFirst, uint64_t *to);
};

/// Returns the widest table that this machine executes.
const HandlerTable &handlerTable();
/// Returns every table that this machine executes, for tests.
std::vector<const HandlerTable *> allHandlerTables();

// Handlers that exist once (their loops do not vectorise), by file.

// HandlersDirected.cpp: f32 and f64 under rz, rm, rp. a: flags, b: Rounding.
Handler directedHandler(FloatOp op, Type type);
/// Computes c += a b, row-major, m by k and k by n. Each multiply-add is one
/// fma in `rounding`.
void directedProduct(const double *a, const double *b, double *c, unsigned m,
                     unsigned n, unsigned k, Rounding rounding);

// HandlersWarp.cpp
Handler shuffleHandler(ShuffleMode mode);       ///< [d, p, a, b, c, membermask]
Handler voteHandler(VoteMode mode);             ///< [d, a, membermask]
Handler matchHandler(bool all, unsigned bytes); ///< [d, p, a, membermask]
Handler reduxHandler(AtomicOp op, Type type);   ///< [d, a, membermask]
/// redux.sync of .f32: [d, a, membermask]
Handler reduxFloatHandler(AtomicOp op, bool isAbsolute, bool propagatesNaN);
Handler activemaskHandler(); ///< [d]
Handler electHandler();      ///< [d, p, membermask]

// HandlersAtomic.cpp: [d, b, c, address]; a: AtomicOp, b: type, c: address
// width, d: space, e: bit 0 discards the result.
Handler atomicHandler();

// HandlersAsync.cpp
/// [destination, source, size or predicate]; imm and imm2 their offsets, a:
/// bytes, b: 1 source size, 2 ignore-source predicate, c and d: widths.
Handler asyncCopyHandler();
Handler asyncCommitHandler();
Handler asyncWaitHandler(); ///< imm: groups that may stay, -1: wait_all
/// [registers…, address]; b: matrices, c: address width, a: 1 if generic.
Handler matrixLoadHandler(bool transposed);
Handler matrixStoreHandler(bool transposed);
Handler matrixMoveHandler(); ///< [d, a]: transposed
/// Completes the copies in flight of lanes that end. A copy that an mbarrier
/// awaits is not among them: it completes with its phase, after the thread.
void finishCopies(Warp &warp, uint32_t mask);

/// Completes copies of these lanes that were issued before number `sequence`.
void finishCopiesBefore(Warp &warp, uint32_t mask, uint32_t sequence);

// HandlersMbarrier.cpp. Addresses are generic, 64 bits.
enum class MbarrierOp : uint8_t {
  Init,       ///< [count, address]
  Invalidate, ///< [-, address]
  ExpectTx,   ///< [count, address]
  CompleteTx,
  Arrive,      ///< [state, count, tx, address]; a: MbarrierFlags
  Wait,        ///< [p, state or parity, address]; a: MbarrierFlags
  AsyncArrive, ///< cp.async.mbarrier.arrive: [-, address]; a: 1 .noinc
};
enum MbarrierFlags : uint8_t {
  MbarrierDrop = 1,
  MbarrierNoComplete = 2,
  MbarrierHasTx = 4,
  MbarrierParity = 1,
};
Handler mbarrierHandler(MbarrierOp op);
Handler pendingCountHandler(); ///< [d, state]

// HandlersCluster.cpp
Handler widenAddressHandler(); ///< [d, a]: d = a + imm, 64 bits; c: width of a
Handler mapaHandler();         ///< [d, a, rank]; c: width, a: 1 if generic
Handler ctaRankHandler();      ///< [d, a]; c: width, a: 1 if generic
Handler clusterArriveHandler();
Handler clusterWaitHandler();
/// Removes lanes that end from barrier.cluster.
void leaveCluster(Warp &warp, uint32_t mask);

// HandlersRegisters.cpp
Handler setRegistersHandler(); ///< imm: per thread; a: 1 if it takes some
/// Returns the registers of a thread at the start: as many as the kernel's
/// directives let ptxas use (it uses all of them with setmaxnreg). 0 if no
/// directive says it; setmaxnreg may have no effect then.
uint32_t registersAtStart(const Function &kernel);
/// Returns " wait for registers, line n".
std::string describeRegisters(const Warp &warp, const Inst &inst);
/// Whether a wait for an event may return without success.
bool mayTimeOut(const Inst &inst);
/// Returns the offset of the mbarrier that a group waits for.
uint32_t mbarrierOf(const Warp &warp, const Inst &inst, const Group &group);
/// Returns " wait at …, line n", for the report of a deadlock.
std::string describeWait(const Warp &warp, const Inst &inst,
                         const Group &group);

// HandlersBulk.cpp: bulk copies; addresses are generic, 64 bits.
enum BulkFlags : uint8_t {
  BulkToGlobal = 1,
  BulkFromGlobal = 2,
  BulkReduces = 4,
  BulkMulticast = 8,
  BulkIm2col = 16,
  BulkMasked = 32,
  BulkPrefetch = 64,
};
/// [destination, source, size, mbarrier, mask of CTAs or bytes]; a: BulkFlags,
/// b: AtomicOp, c: type of a reduction.
Handler bulkCopyHandler();
/// [shared, tensor map, coordinates 0…4, im2col offsets 0…2, mbarrier, mask];
/// d: dimensions, the others as above.
Handler tensorCopyHandler();
Handler bulkCommitHandler();
Handler bulkWaitHandler(); ///< imm: groups that may stay; a: 1 .read
/// [address, mbarrier, values…]; a: bytes of a value, b: AtomicOp, c: type,
/// d: 1 red.async
Handler asyncStoreHandler();
/// Completes the bulk groups of these lanes.
void finishBulkStores(Warp &warp, uint32_t mask);

// HandlersTensorMap.cpp
/// [value, address]; a: field, b: ordinal
Handler tensorMapReplaceHandler();
Handler tensorMapCopyHandler(); ///< [destination, source]

// HandlersAtomic.cpp
uint64_t applyAtomic(AtomicOp op, Type type, bool flush, uint64_t old,
                     uint64_t b, uint64_t c);

// HandlersWgmma.cpp
/// [D…, A registers or descriptor, B descriptor, scale-d]; a: N / 8, b and c:
/// types of A and B, d: type of D, e: WgmmaFlags.
enum WgmmaFlags : uint8_t {
  WgmmaRegistersA = 1,
  WgmmaNegateA = 2,
  WgmmaNegateB = 4,
  WgmmaTransposeA = 8,
  WgmmaTransposeB = 16,
  WgmmaSatfinite = 32,
};
Handler wgmmaHandler();
Handler wgmmaFenceHandler();
Handler registerWatchHandler(); ///< imm: index into Code::watches
Handler wgmmaCommitHandler();
Handler wgmmaWaitHandler(); ///< imm: groups that may stay
/// Returns a warp of the warpgroup that has not ended and has not committed the
/// groups that `wait` waits for, or null.
const Warp *lateProducts(const Warp &warp, const Inst &wait);
/// Wakes warps that wait for wgmma after `warp` has committed a group or ended.
void wakeProductWaits(const Warp &warp);
/// Returns " wait for wgmma, line n (…)".
std::string describeProducts(const Warp &warp, const Inst &wait);
void finishProducts(Warp &warp);

// HandlersStack.cpp; addresses are offsets in local memory, a: their bytes
Handler allocaHandler();       ///< [d, size]; imm: alignment
Handler stackSaveHandler();    ///< [d]
Handler stackRestoreHandler(); ///< [a]

// HandlersMisc.cpp
/// [values…, base]: from the kernel's parameters; fields as of load.
Handler parameterLoadHandler();
Handler addressHandler(); ///< [d, a]: d = a + imm, 64 bits
/// [d]: imm + the frame's local memory, in a register of 4 or 8 bytes
Handler localAddressHandler(unsigned bytes);
/// [d]: imm in the CTA's shared memory, in a register of 4 or 8 bytes
Handler sharedAddressHandler(unsigned bytes);
Handler isSpaceHandler(); ///< [p, a]; a: Space
Handler packHandler();    ///< [d, e0, …]; a: elements, b: bytes of one
Handler unpackHandler();  ///< [e0, …, s]; a: elements, b: bytes of one
Handler clockHandler();   ///< [d]; a: bytes
Handler trapHandler();
Handler heapHandler();
Handler videoHandler();
Handler barrierResultHandler();     ///< [d]; a: 0 popc, 1 and, 2 or
Handler predicateHandler(IntOp op); ///< And, Or, Xor, Not, Mov of predicates
Handler testpHandler();             ///< [p, a]; a: test, b: bytes
/// Raises a fault: mma.sp must name two of four elements of a row.
void faultMetadata(Warp &warp, const Inst &inst, unsigned row, uint32_t bits);
Handler nothingHandler();
Handler gridWaitHandler();
Handler discardHandler();
Handler fenceHandler(); ///< between threads: does nothing but tell sanitizers
Handler mapAcquireHandler(); ///< [map]: fence.proxy.tensormap, .acquire
Handler proxyFenceHandler(); ///< between proxies; a: ProxyFence

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_HANDLERS_H
