//===- Between.h - Operators between two products, for tests ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_UNITTESTS_ANALYSIS_BETWEEN_H
#define FUSION_UNITTESTS_ANALYSIS_BETWEEN_H

#include "ParsedGroup.h"
#include <set>

namespace fusion::test {

/// Two contractions with operators between them, written in a small language:
/// the scores are %s, `full` and `row` make element-wise operators on [m, n]
/// and [m], `reduce` a reduction along n; the second contraction multiplies %p.
class Between {
public:
  Between &full(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> inputs,
                llvm::StringRef body) {
    return add(name, inputs, body, "64x32xf32", /*rank=*/2, false, "");
  }
  Between &row(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> inputs,
               llvm::StringRef body) {
    return add(name, inputs, body, "64xf32", /*rank=*/1, false, "");
  }
  Between &reduce(llvm::StringRef name, llvm::StringRef input,
                  llvm::StringRef combiner, llvm::StringRef start) {
    std::string body = ("%r = arith." + combiner + " %a0, %out : f32").str();
    return add(name, {input}, body, "64xf32", 1, true, start);
  }
  /// The whole function; `p` is rounded to `narrow` and multiplied, `results`
  /// leave besides the product.
  std::string text(llvm::StringRef p,
                   llvm::ArrayRef<llvm::StringRef> results = {},
                   const std::string &narrow = "f16") {
    std::string types = "tensor<64x48xf32>", values = "%e";
    for (llvm::StringRef result : results) {
      types +=
          rows.count(result.str()) ? ", tensor<64xf32>" : ", tensor<64x32xf32>";
      values += (", %" + result).str();
    }
    return "func.func @f(%q: tensor<64x16xf16>, %k: tensor<16x32xf16>, "
           "%v: tensor<32x48x" +
           narrow +
           ">, %bias: tensor<64x32xf32>, %scale: "
           "tensor<64xf32>) -> (" +
           types + ") {\n%zero = arith.constant 0.0 : f32\n" +
           "%s0 = tensor.empty() : tensor<64x32xf32>\n"
           "%s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<64x32xf32>) "
           "-> tensor<64x32xf32>\n"
           "%s = linalg.matmul ins(%q, %k : tensor<64x16xf16>, "
           "tensor<16x32xf16>) "
           "outs(%s1 : tensor<64x32xf32>) -> tensor<64x32xf32>\n" +
           code + "%h0 = tensor.empty() : tensor<64x32x" + narrow +
           ">\n"
           "%h = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, "
           "j)>, "
           "affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", "
           "\"parallel\"]} "
           "ins(%" +
           p.str() + " : tensor<64x32xf32>) outs(%h0 : tensor<64x32x" + narrow +
           ">) {\n"
           "^bb0(%x: f32, %y: " +
           narrow + "):\n%t = arith.truncf %x : f32 to " + narrow +
           "\n"
           "linalg.yield %t : " +
           narrow + "\n} -> tensor<64x32x" + narrow +
           ">\n"
           "%e0 = tensor.empty() : tensor<64x48xf32>\n"
           "%e1 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<64x48xf32>) "
           "-> tensor<64x48xf32>\n"
           "%e = linalg.matmul ins(%h, %v : tensor<64x32x" +
           narrow +
           ">, "
           "tensor<32x48x" +
           narrow +
           ">) "
           "outs(%e1 : tensor<64x48xf32>) -> tensor<64x48xf32>\n"
           "return " +
           values + " : " + types + "\n}\n";
  }

private:
  Between &add(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> inputs,
               llvm::StringRef body, llvm::StringRef type, unsigned rank,
               bool reduces, llvm::StringRef start) {
    bool loops2 = rank == 2 || reduces;
    std::string maps, values, types, arguments;
    for (auto [i, input] : llvm::enumerate(inputs)) {
      bool inputIsRow = rows.count(input.str()) || input == "scale";
      maps += std::string(i ? ", " : "") + "affine_map<(" +
              (loops2 ? "i, j" : "i") + ") -> (" + (inputIsRow ? "i" : "i, j") +
              ")>";
      values += (i ? ", %" : "%") + input.str();
      types += std::string(i ? ", " : "") +
               (inputIsRow ? "tensor<64xf32>" : "tensor<64x32xf32>");
      arguments += "%a" + std::to_string(i) + ": f32, ";
    }
    std::string n = name.str(), out = ("tensor<" + type + ">").str();
    std::string init = "%" + n + "_0";
    code += init + " = tensor.empty() : " + out + "\n";
    if (reduces) {
      code += "%" + n + "_c = arith.constant " + start.str() + " : f32\n%" + n +
              "_1 = linalg.fill ins(%" + n + "_c : f32) outs(" + init + " : " +
              out + ") -> " + out + "\n";
      init = "%" + n + "_1";
    }
    code += "%" + n + " = linalg.generic {indexing_maps = [" + maps +
            ", affine_map<(" + (loops2 ? "i, j" : "i") + ") -> (" +
            (rank == 2 ? "i, j" : "i") + ")>], iterator_types = [\"parallel\"" +
            (loops2 ? (reduces ? ", \"reduction\"" : ", \"parallel\"") : "") +
            "]} ins(" + values + " : " + types + ") outs(" + init + " : " +
            out + ") {\n^bb0(" + arguments + "%out: f32):\n" + body.str() +
            "\nlinalg.yield %r : f32\n} -> " + out + "\n";
    if (rank == 1)
      rows.insert(name.str());
    return *this;
  }

  std::string code;
  std::set<std::string> rows;
};

inline constexpr const char *kNegInf = "0xFF800000";

/// Up to the exponentials and their sum.
inline Between softmaxHead(llvm::StringRef scores = "s") {
  Between b;
  b.reduce("max", scores, "maximumf", kNegInf)
      .full("exp", {scores, "max"},
            "%d = arith.subf %a0, %a1 : f32\n%r = math.exp %d : f32")
      .reduce("sum", "exp", "addf", "0.0");
  return b;
}

} // namespace fusion::test

#endif // FUSION_UNITTESTS_ANALYSIS_BETWEEN_H
