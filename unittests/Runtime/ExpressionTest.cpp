//===- ExpressionTest.cpp - Expressions over sizes ------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Runtime/Expression.h"
#include "gtest/gtest.h"

using namespace fusion;

namespace {

/// Sizes: arg I has dimension D of size 10 I + D + 2; result I of 100; value
/// of arg I is -I.
std::optional<int64_t> environment(const SizeName &name) {
  switch (name.kind) {
  case SizeName::Kind::ArgumentSize:
    return 10 * name.index + name.dimension + 2;
  case SizeName::Kind::ResultSize:
    return 100;
  case SizeName::Kind::ArgumentValue:
    return -int64_t(name.index);
  case SizeName::Kind::ActiveClusters:
    return 33;
  }
  return std::nullopt;
}

std::string evaluate(const char *text) {
  llvm::Expected<Expression> expression = Expression::parse(text);
  if (!expression)
    return llvm::toString(expression.takeError());
  llvm::Expected<int64_t> value = expression->evaluate(environment);
  if (!value)
    return llvm::toString(value.takeError());
  return std::to_string(*value);
}

TEST(Expression, Values) {
  EXPECT_EQ(evaluate("42"), "42");
  EXPECT_EQ(evaluate("size:arg3.1"), "33");
  EXPECT_EQ(evaluate("size:result0.7"), "100");
  EXPECT_EQ(evaluate("value:arg5"), "-5");
  EXPECT_EQ(evaluate("min(64, device:active_clusters) * 4"), "132");
  EXPECT_EQ(evaluate(" 2 + 3 * 4 - 5 "), "9");
  EXPECT_EQ(evaluate("10 - 4 - 3"), "3");
  EXPECT_EQ(evaluate("(2 + 3) * -(4 - 6)"), "10");
  EXPECT_EQ(evaluate("ceildiv(size:arg0.1, 2) * size:arg0.0"), "4");
  EXPECT_EQ(evaluate("min(7, 3, 5)"), "3");
  EXPECT_EQ(evaluate("max(min(1, 2), -3)"), "1");
  EXPECT_EQ(evaluate("9223372036854775807"), "9223372036854775807");
}

TEST(Expression, Division) {
  // All signs of the dividend around the divisor.
  for (int a = -9; a <= 9; ++a) {
    std::string n = a < 0 ? "-" + std::to_string(-a) : std::to_string(a);
    int floor = a >= 0 ? a / 4 : -((-a + 3) / 4);
    EXPECT_EQ(evaluate(("floordiv(" + n + ", 4)").c_str()),
              std::to_string(floor));
    EXPECT_EQ(evaluate(("mod(" + n + ", 4)").c_str()),
              std::to_string(a - 4 * floor));
    EXPECT_EQ(evaluate(("ceildiv(" + n + ", 4)").c_str()),
              std::to_string(a % 4 == 0 ? floor : floor + 1));
  }
}

TEST(Expression, EvaluationErrors) {
  EXPECT_EQ(evaluate("9223372036854775807 + 1"),
            "expression '9223372036854775807 + 1': overflow");
  EXPECT_EQ(evaluate("9223372036854775807 * 2"),
            "expression '9223372036854775807 * 2': overflow");
  EXPECT_EQ(evaluate("-(0 - 9223372036854775807 - 1)"),
            "expression '-(0 - 9223372036854775807 - 1)': overflow");
  EXPECT_EQ(evaluate("mod(1, 0)"), "expression 'mod(1, 0)': division by 0");
  EXPECT_EQ(evaluate("ceildiv(1, value:arg2)"),
            "expression 'ceildiv(1, value:arg2)': division by -2");
  llvm::Expected<Expression> open = Expression::parse("size:arg0.0 + 1");
  ASSERT_TRUE(bool(open));
  auto value = open->evaluate([](const SizeName &) { return std::nullopt; });
  ASSERT_FALSE(bool(value));
  EXPECT_EQ(llvm::toString(value.takeError()),
            "expression 'size:arg0.0 + 1': size:arg0.0 is not known");
}

TEST(Expression, SyntaxErrors) {
  auto column = [](const char *text) {
    std::string message = evaluate(text);
    size_t at = message.find("column ");
    return at == std::string::npos ? message : message.substr(at);
  };
  EXPECT_EQ(column(""),
            "column 1: expected an integer, a name, a function or '('");
  EXPECT_EQ(column("1 +"),
            "column 4: expected an integer, a name, a function or '('");
  EXPECT_EQ(column("1 2"), "column 3: expected an operator");
  EXPECT_EQ(column("(1"), "column 3: expected ')'");
  EXPECT_EQ(column("min(1)"), "column 6: expected two or more operands");
  EXPECT_EQ(column("mod(1, 2, 3)"), "column 12: expected two operands");
  EXPECT_EQ(column("mod 1"), "column 5: expected '('");
  EXPECT_EQ(column("size:arg0"), "column 10: expected '.' and a dimension");
  EXPECT_EQ(column("size:argx.0"), "column 9: expected a number in the name");
  EXPECT_EQ(column("99999999999999999999"),
            "column 1: integer does not fit 64 bits");
  EXPECT_EQ(column(std::string(1000, '(').c_str()),
            "column 201: nested too deeply");
}

TEST(Expression, Constants) {
  EXPECT_EQ(Expression::parse("2 * 3")->constant(), 6);
  EXPECT_EQ(Expression::parse("mod(2, 0)")->constant(), std::nullopt);
  EXPECT_EQ(Expression::parse("size:arg0.0 * 0")->constant(), std::nullopt);
  EXPECT_EQ(Expression(7).constant(), 7);
  EXPECT_EQ(Expression(7).text(), "7");
}

} // namespace
