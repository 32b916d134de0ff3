//===- TileExponentOps.td - Exponents of folded exponentials ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_DIALECT_TILE_IR_TILEEXPONENTOPS_TD
#define FUSION_DIALECT_TILE_IR_TILEEXPONENTOPS_TD

include "fusion/Dialect/Tile/IR/TileOpBase.td"

class Tile_ExponentBase<string mnemonic, list<string> tiles>
    : Tile_Op<mnemonic, !listconcat([Pure, AllTypesMatch<tiles>],
                                    ElementwiseMappable.traits)> {
  let hasVerifier = 1;
}

def Tile_ExponentOp : Tile_ExponentBase<"exponent",
    ["value", "subtrahend", "result"]> {
  let summary = "The binary exponent of e^(scale · x - t)";
  let description = [{
    The result is to be raised by `math.exp2`. `subtrahend` has one value t for each
    row, in all elements of the row. With L = log2(e), each element is

        fma(x, scale * L, -(t * L))       where |t| <= 2^16
        (scale * x - t) * L               elsewhere, also where t is NaN

    with the roundings that are written. The two differ by the factor of a row: the
    rounding of t * L (docs/numerics.md). Sums of such exponentials are consistent if
    they are rescaled by `tile.exponent_step`.

    A warp whose rows all have a small t executes the multiply-adds alone: it branches
    by a vote of its lanes.

    ```mlir
    %y = tile.exponent %x less %tops {scale = 1.250000e-01 : f32} : tensor<32x64xf32>
    %e = math.exp2 %y : tensor<32x64xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value, AnyRankedTensor:$subtrahend,
                       F32Attr:$scale);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value `less` $subtrahend attr-dict `:` type($value)";
}

def Tile_ExponentStepOp : Tile_ExponentBase<"exponent_step",
    ["from", "to", "result"]> {
  let summary = "The binary exponent that rescales sums from one subtrahend to another";
  let description = [{
    Sums of exponentials of `tile.exponent` with the subtrahend `from` and the given
    `scale` become sums with the subtrahend `to` by multiplication with 2^result. The
    result is

        from * L - to * L                               where |from|, |to| <= 2^16
        (from - to) * L + rest(to) - rest(from)         elsewhere

    with L = log2(e) and t * L rounded in the first line. rest(t) is what
    `tile.exponent` adds to the exponents of a row. It is t * L, for the rounded
    scale * L, less its rounded value where |t| <= 2^16, and zero elsewhere.

    ```mlir
    %y = tile.exponent_step %before to %after {scale = 1.250000e-01 : f32} : tensor<32xf32>
    %factor = math.exp2 %y : tensor<32xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$from, AnyRankedTensor:$to, F32Attr:$scale);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$from `to` $to attr-dict `:` type($from)";
}

#endif // FUSION_DIALECT_TILE_IR_TILEEXPONENTOPS_TD
