//===- TileLayouts.h - The layouts GPUs are programmed with -----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fragments of the tensor core instructions and their repetition over a tile,
// layouts for element-wise access, shared-memory buffers without bank conflicts
// and the assignment of threads to their copies. "Figure" and section names are
// those of the PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions".
//
// Sizes of tiles and counts of warps may be any multiples, not only powers of
// two. Functions assert what they document as precondition. Functions that
// return an optional reject requests that the caller cannot easily know to be
// impossible.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SUPPORT_TILELAYOUTS_H
#define FUSION_SUPPORT_TILELAYOUTS_H

#include "fusion/Support/AddressPlan.h"
#include "fusion/Support/LinearLayout.h"
#include "fusion/Target/Chips/Hardware.h"

namespace fusion {

//===----------------------------------------------------------------------===//
// Fragments of mma.sync
//===----------------------------------------------------------------------===//

/// Accumulator (C and D) of mma.m16n8k*, 32-bit elements: (Register, Lane) ->
/// (Dim0 = row m, Dim1 = column n), four registers per thread.
///
///   row = lane / 4 + 8 * (i / 2),  column = lane % 4 * 2 + i % 2
///
/// "Matrix Fragments for mma.m16n8k16 with floating point type", fragment C;
/// the integer and tf32 shapes have the same fragment.
LinearLayout mmaAccumulator16x8();

/// Operand A of mma.sync, row-major: (Register, Lane) -> (Dim0 = m, Dim1 = k).
/// Registers count elements. With e = 32 / bitwidth elements per 32-bit
/// register the shape is m16n8k(8e): m16n8k16 for 16 bits, m16n8k8 for 32
/// (tf32), m16n8k32 for 8 (and fp8), and
///
///   row = lane / 4 + 8 * (i / e % 2)
///   column = lane % 4 * e + i % e + 4e * (i / 2e)
LinearLayout mmaOperandA(unsigned bitwidth);

/// Operand B, column-major: (Register, Lane) -> (Dim0 = k, Dim1 = n).
///
///   row = lane % 4 * e + i % e + 4e * (i / e),  column = lane / 4
LinearLayout mmaOperandB(unsigned bitwidth);

/// Returns operand A of the shape of half the depth: m16n8k(4e), its first
/// half.
LinearLayout mmaOperandAHalf(unsigned bitwidth);

/// The order of a thread's elements of B in its registers: first along one
/// column, or first along one row. Loads need the order of the elements in
/// memory.
enum class OperandOrder : uint8_t { AlongReduced, AlongColumns };

/// Returns the accumulator of mma.sync with its columns permuted so that a
/// thread holds the columns of an operand A: (Register, Lane) -> (Dim0 = m,
/// Dim1 = n). The columns of an accumulator are those of B, in any order. The
/// result of one contraction is thus A of the next without any exchange. For
/// 16-bit operands it is mmaAccumulator16x8; for 32-bit operands column = lane
/// % 4 + 4 * (i / 2). For 8-bit operands it is the accumulators of two
/// instructions side by side, where a thread holds four consecutive columns:
/// column = lane % 4 * 4 + i % 4.
LinearLayout mmaArrangedAccumulator(unsigned bitwidth);

/// Returns operand B with its columns in that permutation: 8 columns, or for
/// 8-bit operands the 16 columns of two instructions. A thread of the first
/// holds, in the orders
///
///   AlongReduced    column lane / 8 * 4 + lane / 4 % 2, of the second + 2
///   AlongColumns    column lane / 4 * 2, of the second + 1
///
/// `halves`: 2 for the shape of full depth, 1 for half of it.
LinearLayout mmaArrangedOperandB(unsigned bitwidth, unsigned halves,
                                 OperandOrder order);

//===----------------------------------------------------------------------===//
// Fragments of scalar multiply-adds
//===----------------------------------------------------------------------===//

/// Return the fragments of one step of a warp that multiplies 32-bit elements
/// in registers: D[8 x 16] += A[8 x 4] · B[4 x 16], with four elements of D per
/// thread, arranged as for mma.sync. Operands are replicated over the lanes
/// that need them.
///
///   D row = lane / 4,  column = lane % 4 * 4 + i
///   A row = lane / 4,  column = i
///   B row, column = i % 4 and lane % 4 * 4 + i / 4 AlongReduced, i / 4 and
///   lane % 4 * 4 + i % 4 AlongColumns
LinearLayout fmaAccumulator();
LinearLayout fmaOperandA();
LinearLayout fmaOperandB(OperandOrder order);

/// Returns the 8x8 matrix of 16-bit elements that ldmatrix and stmatrix move
/// per 8 lanes: row = lane / 4, column = lane % 4 * 2 + i. Transposed (.trans):
/// row and column exchanged.
LinearLayout matrixFragment8x8(bool transposed);

//===----------------------------------------------------------------------===//
// Tiles of fragments
//===----------------------------------------------------------------------===//

/// One factor of the warp index: `count` warps along coordinate `dim` of the
/// tile, or `count` replicas without `dim`.
struct WarpAxis {
  int64_t count;
  std::optional<unsigned> dim;
};

/// Repeats `base`, which covers (Dim0, Dim1, ...) once with registers and
/// lanes, over a tile of `shape`, by registers and then warps. `warps` lists
/// the factors of the warp index, fastest first. Along a coordinate with n
/// repetitions as many warps share them as divide both (the greatest common
/// divisor); the others hold replicas.
///
/// Every warp owns a contiguous block, except where an even number of warps
/// shares blocks of an odd number of repetitions (not a power of two). There
/// the even part of the warps alternates inside. Binary digits thus stay inside
/// of the odd ones. Otherwise the tile would divide the panels of a swizzled
/// buffer (48 columns on two warps: 3 + 3 units of 8 columns against panels of
/// 2).
///
/// The registers count base's first, then repetitions along the coordinates in
/// `registerOrder`, fastest first (default: the last coordinate fastest, so
/// that an accumulator's registers have the order of a row of A fragments).
/// Every extent must be a multiple of base's.
LinearLayout tileFragment(const LinearLayout &base,
                          llvm::ArrayRef<int64_t> shape,
                          llvm::ArrayRef<WarpAxis> warps,
                          llvm::ArrayRef<unsigned> registerOrder = {});

/// Repeats `base` as tileFragment does, with warpsPerDim[i] warps along
/// coordinate i, coordinate 0 fastest.
LinearLayout tileMma(const LinearLayout &base, llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<int64_t> warpsPerDim,
                     llvm::ArrayRef<unsigned> registerOrder = {});

/// Return the three tiles of one contraction on warpsM x warpsN warps (warp = m
/// index + warpsM * n index). They are the accumulator [m, n], A [m, k]
/// (replicated over the warps along n) and B [k, n] (replicated over the warps
/// along m).
LinearLayout mmaAccumulatorTile(int64_t m, int64_t n, int64_t warpsM,
                                int64_t warpsN);
LinearLayout mmaOperandATile(unsigned bitwidth, int64_t m, int64_t k,
                             int64_t warpsM, int64_t warpsN);
LinearLayout mmaOperandBTile(unsigned bitwidth, int64_t k, int64_t n,
                             int64_t warpsM, int64_t warpsN);

/// Returns the elements that a thread accesses together, of a tile of
/// `elements` of `elementBytes` each: at most `vectorWidth`, and fewer where
/// that leaves threads without any, down to a word of 4 bytes.
int64_t widthForThreads(int64_t vectorWidth, int64_t elements,
                        int64_t elementBytes, int64_t warps);

/// Returns a layout for element-wise loads and stores of any shape. A thread
/// holds gcd(vectorWidth, extent) consecutive elements along the fastest
/// coordinate order[0]. Lanes go along it, then along the next coordinate and
/// so on, then warps, then registers repeat; odd parts are outside of binary
/// ones as in tileFragment. Each coordinate gets as many lanes (warps) as
/// divide its remaining extent; the remaining lanes and warps hold replicas.
LinearLayout blocked(llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<unsigned> order, int64_t vectorWidth,
                     int64_t warps, int64_t lanes = kWarpSize);

//===----------------------------------------------------------------------===//
// ldmatrix and stmatrix
//===----------------------------------------------------------------------===//

/// How ldmatrix fills (stmatrix empties) a register layout of elements of 8, 16
/// or 32 bits. Instruction i fills the 32-bit registers from matrices * i on,
/// one per matrix.
struct MatrixAccess {
  /// With .trans. For 8-bit elements it moves pairs: from two 32-bit registers
  /// as loaded, bytes 0 and 2 of both make the first, bytes 1 and 3 the second.
  bool transposed;
  /// Matrices per instruction: 1, 2 or 4 (.x1, .x2, .x4).
  unsigned matrices;
  /// (Register = number of the instruction, Lane, Warp, Block) -> (Dim0, Dim1):
  /// the first of the 16 bytes along Dim1 that the lane's address points to.
  /// Lane = row of the matrix + 8 * matrix; addresses of lanes from
  /// 8 * matrices on are not used.
  LinearLayout rows;
};

/// Returns the access for `layout`, a layout of a two-dimensional tile of
/// elements of `bitwidth` bits whose rows, along Dim1, are contiguous in
/// memory. It is transposed if a thread's 32-bit registers lie along Dim0
/// (operand B from a [k x n] buffer). The number of matrices is the largest
/// that the order of the registers allows. Returns nullopt if the layout is not
/// made of matrices; with 32 bits no matrix is transposed.
std::optional<MatrixAccess> matrixAccess(const LinearLayout &layout,
                                         unsigned bitwidth = 16);

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Geometry of a buffer of [rows x cols] elements divided into panels (below).
struct PanelShape {
  int64_t units;      ///< 16-byte units in a row of the tile
  int64_t panelUnits; ///< p: units in a row of a panel: 1, 2, 4 or 8
  int64_t panels;     ///< units / panelUnits
  /// Bytes of a row of a panel: the swizzle's span for TMA.
  int64_t panelBytes() const { return 16 * panelUnits; }
};

/// Bytes after which all swizzles repeat: the alignment of what hardware reads
/// by them.
constexpr int64_t kSwizzlePeriod = 1024;

/// Returns nullopt if a row is not a multiple of 16 bytes, or an element is not
/// 1, 2, 4, 8 or 16 bytes.
std::optional<PanelShape> panelShape(int64_t cols, int64_t elementBytes);

/// Offset (in elements) -> (Dim0 = row, Dim1 = column) for a row-major tile in
/// shared memory, bijective. A row has u = cols * elementBytes / 16 units of 16
/// bytes; p is the largest power of two that divides u, at most 8. The tile is
/// stored as u / p panels, one after the other, each p units wide with its rows
/// one after the other; inside a panel unit j of row i is stored at unit
///
///   j ^ ((i >> (3 - log2 p)) & (p - 1))
///
/// of the row: the 128-, 64- and 32-byte swizzles of the TMA (PTX ISA, "Tensor
/// swizzling modes"), none for p = 1. Eight rows of a panel from a multiple of
/// 8 on, at one unit, are in eight different groups of four banks: ldmatrix
/// reads without conflicts, with and without .trans; so do 16-byte accesses of
/// eight consecutive units. The buffer's start must be aligned to 128 bytes
/// (1024 for TMA). `sharedPanels` returns nullopt if panelShape does, or if the
/// rows are no whole periods of the swizzle: for p > 1 they must be 1, 2, 4 or
/// a multiple of 8.
///
/// The orders are for other accesses:
///
///  - Pairs: two neighbouring units of each of four rows are accessed at a time
///    (f32 accumulators, 32-bit operands across their rows). The bits of
///    i >> (3 - log2 p) are rotated by one, the first moves j by 2, so that the
///    four rows are in eight different units. Every second panel has units j
///    and j ^ 1 exchanged: lanes that read two neighbouring units each, in both
///    panels, read eight different ones at a time;
///  - Quads: four neighbouring units of each of two rows; rotated by two;
///  - Alternating: rows i, i + 1, i + 4, i + 5, i + 8, … i + 13, for i = 0 and
///    2, are accessed at a time (8-bit operands, whose columns are permuted).
///    These rows are stored side by side in every sixteen rows, and i above is
///    the place of a row.
enum class PanelOrder : uint8_t { Plain, Pairs, Quads, Alternating };

/// Returns the layout above, or nullopt; with Alternating, also if rows are no
/// multiple of 16.
std::optional<LinearLayout> sharedPanels(int64_t rows, int64_t cols,
                                         int64_t elementBytes,
                                         PanelOrder order = PanelOrder::Plain);

/// Returns the order in which a buffer of sharedPanels is laid out, or nullopt
/// if it is no such buffer.
std::optional<PanelOrder> panelOrder(const LinearLayout &layout, int64_t rows,
                                     int64_t cols, int64_t elementBytes);

/// The boxes of the TMA copies that fill a buffer of sharedPanels in the order
/// Plain (PTX ISA, "Tensor maps"). A box has at most 256 elements along a
/// dimension (CUDA Driver API, cuTensorMapEncodeTiled).
struct BoxShape {
  int64_t rows, columns;    ///< of a box: columns are those of a panel
  int64_t rowBoxes, panels; ///< boxes of a tile below and beside one another
  int64_t swizzleBytes;     ///< 0 where panels are one unit wide
  int64_t boxBytes;         ///< of a whole box
};

/// Dimensions of a tensor map, elements of a box along one of them, and the
/// bytes that divide strides and the width of a box (CUDA Driver API,
/// cuTensorMapEncodeTiled).
constexpr unsigned kMaxMapDimensions = 5;
constexpr int64_t kMaxOfBox = 256, kMapUnit = 16;
/// Bytes that divide the address of a box in shared memory (PTX ISA,
/// "cp.async.bulk.tensor").
constexpr int64_t kBoxAlignment = 128;
/// Bytes of an mbarrier.
constexpr int64_t kBarrierBytes = 8;
/// Most mbarriers of a kernel: the phases of all are bits of one 32-bit
/// register.
constexpr int64_t kMaxBarriers = 32;

/// Returns nullopt if panelShape does, or if the rows are no multiple of 8:
/// panels would not begin where a swizzle does.
std::optional<BoxShape> boxShape(int64_t rows, int64_t cols,
                                 int64_t elementBytes);

/// How threads fill a buffer of sharedPanels by 16-byte copies.
struct CopyAssignment {
  /// (Register = iteration, Lane, Warp) -> (Dim0 = row, Dim1 = unit). Eight
  /// lanes copy one 128-byte line of a panel (8 / p rows of p units), so that a
  /// warp's writes are free of bank conflicts. Consecutive lines go along the
  /// panels first, unless this costs iterations. The extents may exceed the
  /// tile: threads whose row or unit is outside copy nothing.
  LinearLayout chunks;
  int64_t rows;  ///< of the tile
  int64_t units; ///< of a row
  PanelShape panel;
  PanelOrder order;
  int64_t iterations;
  /// full[i]: every thread has a chunk in iteration i, no test needed.
  llvm::SmallVector<bool> full;

  int64_t fullIterations() const { return llvm::count(full, true); }
  bool active(int64_t iteration, int64_t lane, int64_t warp) const;
  /// Returns the destination of the chunks: the element offset in a buffer of
  /// sharedPanels, right for active threads.
  AddressPlan destination(int64_t elementBytes) const;
};

/// Returns nullopt if sharedPanels does, or if `threads` is no positive
/// multiple of 32.
std::optional<CopyAssignment>
copyAssignment(int64_t rows, int64_t cols, int64_t elementBytes,
               int64_t threads, PanelOrder order = PanelOrder::Plain);

} // namespace fusion

#endif // FUSION_SUPPORT_TILELAYOUTS_H
