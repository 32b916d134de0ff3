//===- LinearLayout.h - Maps from hardware to tensor indices ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where does an element of a tile live? A layout answers: register r of lane l
// of warp w holds element (i, j). It is a function from a few named *input*
// indices (register, lane, warp, block) to a few named *output* indices (the
// tile's coordinates). The same kind of function says at which offset of a
// shared-memory buffer an element is stored, swizzled or not.
//
// Definition
// ----------
// Every index, input or output, is written in a mixed-radix numeral system of
// its own: digits with radices r0, r1, ... (least significant first), digit k
// having the place value r0 * ... * r(k-1). 80 = 2*2*2*2*5 rows have four
// binary digits and one of radix 5 above them. A layout then says where every
// *input digit* goes:
//
//  - a digit of any radix may be *copied* to one output digit of the same
//    radix that receives nothing else (a *repetition*), or go nowhere (a
//    *broadcast*: replicas of the same element);
//  - a digit of radix 2 may also go to any set of binary output digits, which
//    take the XOR of all they receive (a *bit*).
//
// Output digits that receive nothing are 0. So a layout is a linear map over
// GF(2) on the binary digits beside a partial matching on the others. Seen from
// outside, every input digit has a *step* per output, the value it contributes
// where it is 1, and an output's value is
//
//    (XOR of the steps of the bits that are set)
//      + sum over the repetitions of digit * step.
//
// (XOR means: digit by digit in the output's numeral system. Where all place
// values concerned are powers of two, as in every layout of practice, it is the
// XOR of integers. No carry can occur in the sum.)
//
// A worked example
// ----------------
// A 4x4 tile over 2 registers and 8 lanes. The lanes go along the columns
// first; a thread's two registers are adjacent in a row:
//
//    register: 2*[0,1]; lane: 2*[0,2] 4*[1,0] -> [4, 4]
//
//            col 0   col 1   col 2   col 3
//    row 0   l0 r0   l0 r1   l1 r0   l1 r1
//    row 1   l2 r0   l2 r1   l3 r0   l3 r1
//    row 2   l4 r0   l4 r1   l5 r0   l5 r1
//    row 3   l6 r0   l6 r1   l7 r0   l7 r1
//
// Lane 5 = digit 1 of radix 2 and digit 2 of radix 4: row 2*1, column 1*2.
// Swizzled storage of the same tile, the column XORed with the row:
//
//    offset: x[0,1] x[0,2] x[1,1] x[2,2] -> [4, 4]
//
//    offset   0     1     2     3     4     5     6     7     8    ...
//    element (0,0) (0,1) (0,2) (0,3) (1,1) (1,0) (1,3) (1,2) (2,2) ...
//
// Offset 7 = bits 0, 1 and 2: column 1 ^ 2 ^ 1 = 2, row 1. Composing the first
// layout with the inverse of the second gives the address each register is
// stored at: register: x[1]; lane: x[2] x[5] x[10] -> [offset: 16].
//
// What one can do with it
// -----------------------
//  - build it: products of small layouts (a tensor core fragment, times
//    repetitions in registers, times warps; TileLayouts.h);
//  - compose, invert, divide, transpose, restrict it;
//  - ask it: vector width of an access, which lanes hold replicas, whether a
//    conversion between two layouts is a renaming of registers or stays within
//    a warp (below), which address arithmetic it needs (AddressPlan.h);
//  - compare it: a layout is kept in a canonical form, the coarsest numeral
//    systems that express it, so that == decides equality of functions;
//  - print and parse it.
//
// Limits
// ------
//  - Digits whose radix is not 2 cannot be mixed: no (i + j) mod 3.
//  - A digit is moved whole: a layout of 6 = 2*3 rows cannot be read by one
//    that has 6 = 3*2, unless it moves both digits together. compose() then
//    says so.
//  - Sizes are at most 2^40.
//
// Compared with others: Triton's LinearLayout is the part of this with radix 2
// throughout; sizes must be powers of two. CuTe's layouts have any radix and
// any stride but no XOR, for which a swizzle functor is composed from outside
// and has no inverse within the algebra. Here both are one kind of object,
// closed under product, inverse and (where numeral systems agree) composition.
//
// Objects are immutable and shared: copying costs a reference count.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SUPPORT_LINEARLAYOUT_H
#define FUSION_SUPPORT_LINEARLAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace fusion {

/// Names of indices. The order is the order of inputs and outputs everywhere,
/// and the order of significance where "the smallest input" is asked for
/// (Register least significant).
enum class LayoutDim : uint8_t {
  Register, ///< register of a thread
  Lane,     ///< thread of a warp
  Warp,     ///< warp of the nearest enclosing warp scope
  Block,    ///< CTA of a cluster
  Offset,   ///< element offset in a shared-memory buffer
  Dim0,     ///< coordinates of a tile
  Dim1,
  Dim2,
  Dim3,
  Dim4,
};
constexpr unsigned kNumLayoutDims = 10;
constexpr unsigned kMaxTileRank = 5;

/// Returns coordinate `i` of a tile, i < kMaxTileRank.
inline LayoutDim tileDim(unsigned i) {
  return static_cast<LayoutDim>(static_cast<unsigned>(LayoutDim::Dim0) + i);
}
/// Return a name, "register", "lane", "warp", "block", "offset", "dim0" ...
/// "dim4", and the index of a name.
llvm::StringRef layoutDimName(LayoutDim dim);
std::optional<LayoutDim> parseLayoutDim(llvm::StringRef name);

namespace detail {
struct LayoutForm;
struct LayoutStorage;
} // namespace detail

class LinearLayout {
public:
  /// The value of an index, by name.
  using IndexValue = std::pair<LayoutDim, int64_t>;

  /// One digit of an input index. The digit's value is
  /// (index / weight) % radix.
  struct Digit {
    int64_t radix = 2;
    /// Place value in the input index. Derived; ignored by fromDigits.
    int64_t weight = 1;
    /// A bit, combined by XOR, against a repetition, which is added. Digits
    /// read from a layout are bits only where it makes a difference.
    bool isXor = false;
    /// Contribution of the digit to every output, in the order of outDims().
    llvm::SmallVector<int64_t, 4> steps;

    bool isBroadcast() const {
      return llvm::all_of(steps, [](int64_t step) { return step == 0; });
    }
  };
  /// An input index as a list of digits, least significant first.
  struct Input {
    LayoutDim dim;
    std::vector<Digit> digits;
  };
  /// An output index. `radices` is its numeral system; where it is empty, the
  /// bits' steps are combined by XOR of integers.
  struct Output {
    LayoutDim dim;
    int64_t size = 1;
    llvm::SmallVector<int64_t, 8> radices;
  };

  //===--------------------------------------------------------------------===//
  // Factories
  //===--------------------------------------------------------------------===//

  /// The layout without inputs and outputs: the unit of the product.
  LinearLayout();
  static LinearLayout empty() { return {}; }
  /// Returns out = in, for 0 <= in < size. Any size >= 1.
  static LinearLayout identity(LayoutDim in, LayoutDim out, int64_t size);
  /// Returns an input that changes nothing: replicas. It has no outputs.
  static LinearLayout broadcast(LayoutDim in, int64_t size);
  /// Returns the bit-linear layout with given basis vectors: out[k] is the XOR,
  /// over the bits b set in an input, of bases[b][k]. Sizes of outputs are
  /// powers of two; asserts that every basis vector lies inside them.
  using Bases = llvm::SmallVector<llvm::SmallVector<int64_t, 4>, 8>;
  static LinearLayout fromBits(llvm::ArrayRef<std::pair<LayoutDim, Bases>> ins,
                               llvm::ArrayRef<IndexValue> outs);
  /// Returns a layout from its digits, with steps in the order of `outs`. Fails
  /// with nullopt and a reason in `error` if steps carry into each other, a
  /// repetition is along two outputs, or a size is no multiple of what lies
  /// inside.
  static std::optional<LinearLayout> fromDigits(llvm::ArrayRef<Input> ins,
                                                llvm::ArrayRef<Output> outs,
                                                std::string *error = nullptr);

  //===--------------------------------------------------------------------===//
  // Shape and value
  //===--------------------------------------------------------------------===//

  /// Returns the number of values of an input; 1 for an input the layout does
  /// not have. (An input of size 1 is dropped. Outputs of size 1 are kept: they
  /// are coordinates of the tile.)
  int64_t inSize(LayoutDim in) const;
  /// Returns the extent of an output; 1 for an output the layout does not have.
  int64_t outSize(LayoutDim out) const;
  bool hasIn(LayoutDim in) const;
  bool hasOut(LayoutDim out) const;
  /// Return the indices in the order of LayoutDim.
  llvm::SmallVector<LayoutDim, 4> inDims() const;
  llvm::SmallVector<LayoutDim, 4> outDims() const;
  /// Return the product of the sizes of all inputs, of all outputs.
  int64_t totalInSize() const;
  int64_t totalOutSize() const;

  /// Evaluates the layout. Inputs not named are 0; an index counts modulo its
  /// input's size, so that a layout of two warps is replicated by further ones.
  llvm::SmallVector<IndexValue, 4>
  apply(llvm::ArrayRef<IndexValue> inputs) const;
  /// Returns the outputs, in order, for a layout over registers, lanes, warps,
  /// blocks.
  llvm::SmallVector<int64_t> coords(int64_t reg, int64_t lane, int64_t warp,
                                    int64_t block = 0) const;
  /// Returns the value of one output.
  int64_t applyTo(LayoutDim out, llvm::ArrayRef<IndexValue> inputs) const;

  /// Returns the digits of an input in canonical form: the longest digits that
  /// move together, and bits where outputs are XORed.
  std::vector<Digit> digits(LayoutDim in) const;

  //===--------------------------------------------------------------------===//
  // Algebra
  //===--------------------------------------------------------------------===//

  /// Direct product: `right` is put above the left factor. In an input that
  /// both have, the right factor's digits become the more significant ones. In
  /// an output that both have, its steps are multiplied by the left factor's
  /// size. So fragment * registers * warps repeats a fragment over a tile.
  LinearLayout operator*(const LinearLayout &right) const;
  LinearLayout &operator*=(const LinearLayout &right) {
    return *this = *this * right;
  }

  /// Equality of functions (and of names and sizes).
  bool operator==(const LinearLayout &other) const;
  bool operator!=(const LinearLayout &other) const { return !(*this == other); }
  friend llvm::hash_code hash_value(const LinearLayout &layout);

  /// Return whether no two inputs have the same outputs / every output is
  /// reached / both.
  bool isInjective() const;
  bool isSurjective() const;
  bool isBijective() const { return isInjective() && isSurjective(); }

  /// Returns the inverse of a bijective layout: outputs become inputs. Returns
  /// nullopt if the layout is not bijective.
  std::optional<LinearLayout> invert() const;
  /// Returns, for a surjective layout, the map from outputs to the smallest
  /// input that reaches them (smallest block, then warp, then lane, then
  /// register; digits that hold replicas are 0). Returns nullopt if the layout
  /// is not surjective.
  std::optional<LinearLayout> pseudoInvert() const;

  /// Returns the q with *this == tile * q, which then is unique and has all
  /// outputs of *this, or nullopt if there is no q. (It is always found if
  /// *this is surjective. If an output has unreached values there are numeral
  /// systems, such as that of one bit with step 3 in a size of 12, in which it
  /// is not found.)
  std::optional<LinearLayout> divideLeft(const LinearLayout &tile) const;
  /// Returns the q with *this == q * tile, or nullopt.
  std::optional<LinearLayout> divideRight(const LinearLayout &tile) const;

  //===--------------------------------------------------------------------===//
  // Reshaping
  //===--------------------------------------------------------------------===//

  /// Permutes the tile's coordinates: output i of the result is output
  /// permutation[i] of this layout (linalg.transpose's convention). The outputs
  /// must be Dim0 ... Dim(n-1).
  LinearLayout transposeOuts(llvm::ArrayRef<int64_t> permutation) const;
  /// Asserts that `to` is not yet an input (an output).
  LinearLayout renameIn(LayoutDim from, LayoutDim to) const;
  LinearLayout renameOut(LayoutDim from, LayoutDim to) const;
  /// Returns the restriction to some inputs (the others are 0) and some outputs
  /// (the others are dropped). Sizes of the remaining outputs are unchanged.
  LinearLayout sublayout(llvm::ArrayRef<LayoutDim> ins,
                         llvm::ArrayRef<LayoutDim> outs) const;
  /// Drops an output: the layout of a reduction's result along it. Digits that
  /// moved along it alone become broadcasts.
  LinearLayout removeOut(LayoutDim out) const;
  /// Drops an output like removeOut and closes the gap in the names: removing
  /// Dim0 of a rank-3 tile gives Dim0 and Dim1.
  LinearLayout reduceOut(unsigned tileDimension) const;
  /// Makes one index of two: result = low + inSize(low) * high, under the
  /// name `low`.
  LinearLayout concatIns(LayoutDim low, LayoutDim high) const;

  //===--------------------------------------------------------------------===//
  // Queries
  //===--------------------------------------------------------------------===//

  /// Returns the digits of an input that change no output: replicas.
  std::vector<Digit> freeDigits(LayoutDim in) const;
  /// Returns the replicas as a mask over the bits of the index: index and index
  /// ^ m, for m within the mask, hold the same element. Digits at places that
  /// are not powers of two are left out (freeDigits has them); for a free radix
  /// 2^k * odd, k bits are in.
  int64_t broadcastMask(LayoutDim in) const;

  /// Returns the vector width of accesses in elements, the largest power of two
  /// n with this property: registers n*q ... n*q + n-1 hold n consecutive
  /// values along `out`, in this order, starting at a multiple of n, with all
  /// other coordinates equal.
  int64_t contiguousRegisters(LayoutDim out) const;

  //===--------------------------------------------------------------------===//
  // Text
  //===--------------------------------------------------------------------===//

  /// Prints one line, from which parse() reads an equal layout:
  ///
  ///   register: 2*[0,1] 2*[8,0]; lane: 4*[0,2] 8*[1,0]; warp: 3*[16,0]
  ///     -> [48, 8]
  ///
  /// Each input has its digits, least significant first: `radix*[step, ...]`
  /// for a repetition, `x[step, ...]` for a bit, one step per output. After the
  /// arrow are the outputs' sizes, with their names if they are not dim0, dim1,
  /// ...: `[offset: 4096]`. A size may be written as a product, `3*2*2`, which
  /// is the numeral system in which bits are XORed (printed only if that is not
  /// XOR of integers). Equal layouts have equal texts.
  void print(llvm::raw_ostream &os) const;
  std::string str() const;
  /// Reads print()'s text, with blanks anywhere. On failure returns nullopt and
  /// the reason in `error`.
  static std::optional<LinearLayout> parse(llvm::StringRef text,
                                           std::string *error = nullptr);

  /// Returns the representation, for the library's own files.
  const detail::LayoutForm &form() const;
  explicit LinearLayout(detail::LayoutForm form);

private:
  std::shared_ptr<const detail::LayoutStorage> storage;
};

llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                              const LinearLayout &layout);

/// Returns outer after inner, the pointwise composition: inner's outputs are
/// outer's inputs, by name. An output of inner may be smaller than outer's
/// input of that name, if it divides it. Returns nullopt if names or sizes do
/// not match or if the numeral systems cannot be brought together.
std::optional<LinearLayout> compose(const LinearLayout &inner,
                                    const LinearLayout &outer);

/// Returns the conversion from `src` to `dst`, two layouts of one tile over
/// registers, lanes, warps and blocks, as a renaming of registers. It is the p
/// with dst(r, lane, warp, block) == src(p[r], lane, warp, block) everywhere,
/// the smallest such p[r]. Returns nullopt if there is no such p.
std::optional<llvm::SmallVector<int64_t>>
registerPermutation(const LinearLayout &src, const LinearLayout &dst);

/// Returns whether every thread finds every element it needs for `dst` within
/// its own warp's part of `src`: conversion by shuffles, without shared memory.
bool shuffleOnly(const LinearLayout &src, const LinearLayout &dst);

} // namespace fusion

#endif // FUSION_SUPPORT_LINEARLAYOUT_H
