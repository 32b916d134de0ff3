//===- Expression.h - Expressions over sizes --------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The integer expressions of the manifest (grammar in docs/manifest.md), e.g.
// `ceildiv(size:arg0.1, 64) * size:arg0.0`.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_RUNTIME_EXPRESSION_H
#define FUSION_RUNTIME_EXPRESSION_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>

namespace fusion {

/// A name in an expression.
struct SizeName {
  enum class Kind { ArgumentSize, ResultSize, ArgumentValue, ActiveClusters };
  Kind kind;
  unsigned index = 0;     ///< of the input or result
  unsigned dimension = 0; ///< of an ArgumentSize or ResultSize

  std::string text() const;
};

class Expression {
public:
  /// Value of a name; nullopt where it is not known (yet).
  using Environment =
      llvm::function_ref<std::optional<int64_t>(const SizeName &)>;

  /// The constant 0.
  Expression() : Expression(0) {}
  Expression(int64_t constant);

  /// Parses the text of an expression; the error names the column.
  static llvm::Expected<Expression> parse(llvm::StringRef text);

  /// The value; fails on overflow, division by a number that is not positive,
  /// and unknown names.
  llvm::Expected<int64_t> evaluate(Environment environment) const;

  /// The value where the expression uses no names and evaluates.
  std::optional<int64_t> constant() const;

  llvm::ArrayRef<SizeName> names() const { return nameList; }
  llvm::StringRef text() const { return source; }

private:
  friend class ExpressionParser;
  /// Postfix code.
  struct Step {
    enum class Op {
      Constant, ///< push `value`
      Name,     ///< push the value of nameList[value]
      Add,
      Subtract,
      Multiply,
      Negate,
      CeilDiv,
      FloorDiv,
      Mod,
      Min,
      Max,
    } op;
    int64_t value = 0;
  };
  llvm::SmallVector<Step, 4> steps;
  llvm::SmallVector<SizeName, 2> nameList;
  std::string source;
};

} // namespace fusion

#endif // FUSION_RUNTIME_EXPRESSION_H
