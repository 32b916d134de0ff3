//===- Expression.cpp - Expressions over sizes ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Runtime/Expression.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace fusion;
using llvm::StringRef;

std::string SizeName::text() const {
  std::string number = std::to_string(index);
  if (kind == Kind::ActiveClusters)
    return "device:active_clusters";
  if (kind == Kind::ArgumentValue)
    return "value:arg" + number;
  return (kind == Kind::ArgumentSize ? "size:arg" : "size:result") + number +
         "." + std::to_string(dimension);
}

Expression::Expression(int64_t constant)
    : steps{{Step::Op::Constant, constant}}, source(std::to_string(constant)) {}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace fusion {

/// Recursive descent; the first error stops everything.
class ExpressionParser {
public:
  explicit ExpressionParser(StringRef text) : text(text) {
    result.steps.clear();
    result.source = text.str();
  }

  llvm::Expected<Expression> run() {
    parseSum();
    if (message.empty() && peek() != '\0')
      fail("expected an operator");
    if (!message.empty())
      return llvm::createStringError("expression '%s', column %zu: %s",
                                     result.source.c_str(), column + 1,
                                     message.c_str());
    return std::move(result);
  }

private:
  using Op = Expression::Step::Op;
  // Deeper nesting than any compiler writes; bounds the parser's own stack.
  static constexpr unsigned maxDepth = 200;

  void fail(const char *text) {
    if (message.empty()) {
      message = text;
      column = position;
    }
  }
  bool failed() const { return !message.empty(); }

  char peek() {
    while (position < text.size() && llvm::isSpace(text[position]))
      ++position;
    return position < text.size() ? text[position] : '\0';
  }
  bool consume(char c) {
    if (peek() != c)
      return false;
    ++position;
    return true;
  }
  bool consumeWord(StringRef word) {
    peek();
    if (!text.substr(position).starts_with(word))
      return false;
    position += word.size();
    return true;
  }
  void emit(Op op, int64_t value = 0) { result.steps.push_back({op, value}); }

  void parseSum() {
    parseTerm();
    while (!failed()) {
      if (consume('+')) {
        parseTerm();
        emit(Op::Add);
      } else if (consume('-')) {
        parseTerm();
        emit(Op::Subtract);
      } else {
        return;
      }
    }
  }

  void parseTerm() {
    parseFactor();
    while (!failed() && consume('*')) {
      parseFactor();
      emit(Op::Multiply);
    }
  }

  void parseFactor() {
    if (++depth > maxDepth)
      return fail("nested too deeply");
    parseFactorBody();
    --depth;
  }

  void parseFactorBody() {
    if (consume('-')) {
      parseFactor();
      return emit(Op::Negate);
    }
    if (consume('(')) {
      parseSum();
      if (!failed() && !consume(')'))
        fail("expected ')'");
      return;
    }
    if (llvm::isDigit(peek()))
      return parseInteger();
    if (consumeWord("ceildiv"))
      return parseCall(Op::CeilDiv, /*variadic=*/false);
    if (consumeWord("floordiv"))
      return parseCall(Op::FloorDiv, /*variadic=*/false);
    if (consumeWord("mod"))
      return parseCall(Op::Mod, /*variadic=*/false);
    if (consumeWord("min"))
      return parseCall(Op::Min, /*variadic=*/true);
    if (consumeWord("max"))
      return parseCall(Op::Max, /*variadic=*/true);
    if (consumeWord("size:arg"))
      return parseName(SizeName::Kind::ArgumentSize);
    if (consumeWord("size:result"))
      return parseName(SizeName::Kind::ResultSize);
    if (consumeWord("value:arg"))
      return parseName(SizeName::Kind::ArgumentValue);
    if (consumeWord("device:active_clusters")) {
      emit(Op::Name, result.nameList.size());
      result.nameList.push_back({SizeName::Kind::ActiveClusters});
      return;
    }
    fail("expected an integer, a name, a function or '('");
  }

  void parseInteger() {
    StringRef digits = text.substr(position).take_while(llvm::isDigit);
    int64_t value;
    if (digits.getAsInteger(10, value))
      return fail("integer does not fit 64 bits");
    position += digits.size();
    emit(Op::Constant, value);
  }

  void parseCall(Op op, bool variadic) {
    if (!consume('('))
      return fail("expected '('");
    parseSum();
    unsigned operands = 1;
    while (!failed() && consume(',')) {
      parseSum();
      emit(op);
      ++operands;
    }
    if (failed())
      return;
    if (operands < 2 || (!variadic && operands != 2))
      return fail(variadic ? "expected two or more operands"
                           : "expected two operands");
    if (!consume(')'))
      fail("expected ')'");
  }

  std::optional<unsigned> parseIndex() {
    StringRef digits = text.substr(position).take_while(llvm::isDigit);
    unsigned value;
    if (digits.empty() || digits.getAsInteger(10, value)) {
      fail("expected a number in the name");
      return std::nullopt;
    }
    position += digits.size();
    return value;
  }

  void parseName(SizeName::Kind kind) {
    SizeName name{kind};
    std::optional<unsigned> index = parseIndex();
    if (!index)
      return;
    name.index = *index;
    if (kind != SizeName::Kind::ArgumentValue) {
      if (position >= text.size() || text[position] != '.')
        return fail("expected '.' and a dimension");
      ++position;
      std::optional<unsigned> dimension = parseIndex();
      if (!dimension)
        return;
      name.dimension = *dimension;
    }
    emit(Op::Name, result.nameList.size());
    result.nameList.push_back(name);
  }

  StringRef text;
  size_t position = 0;
  size_t column = 0;
  unsigned depth = 0;
  std::string message;
  Expression result;
};

} // namespace fusion

llvm::Expected<Expression> Expression::parse(StringRef text) {
  return ExpressionParser(text).run();
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

static int64_t floorDiv(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

llvm::Expected<int64_t> Expression::evaluate(Environment environment) const {
  using Op = Step::Op;
  auto fail = [&](const std::string &why) {
    return llvm::createStringError("expression '%s': %s", source.c_str(),
                                   why.c_str());
  };
  llvm::SmallVector<int64_t, 8> stack;
  for (const Step &step : steps) {
    if (step.op == Op::Constant) {
      stack.push_back(step.value);
      continue;
    }
    if (step.op == Op::Name) {
      std::optional<int64_t> value = environment(nameList[step.value]);
      if (!value)
        return fail(nameList[step.value].text() + " is not known");
      stack.push_back(*value);
      continue;
    }
    int64_t right = stack.pop_back_val();
    if (step.op == Op::Negate) {
      if (right == INT64_MIN)
        return fail("overflow");
      stack.push_back(-right);
      continue;
    }
    int64_t &left = stack.back();
    bool overflow = false;
    switch (step.op) {
    case Op::Add:
      overflow = llvm::AddOverflow(left, right, left);
      break;
    case Op::Subtract:
      overflow = llvm::SubOverflow(left, right, left);
      break;
    case Op::Multiply:
      overflow = llvm::MulOverflow(left, right, left);
      break;
    case Op::CeilDiv:
    case Op::FloorDiv:
    case Op::Mod:
      if (right <= 0)
        return fail("division by " + std::to_string(right));
      if (step.op == Op::FloorDiv)
        left = floorDiv(left, right);
      else if (step.op == Op::Mod)
        left -= floorDiv(left, right) * right;
      else
        left = floorDiv(left, right) + (left % right != 0 ? 1 : 0);
      break;
    case Op::Min:
      left = std::min(left, right);
      break;
    case Op::Max:
      left = std::max(left, right);
      break;
    default:
      llvm_unreachable("handled above");
    }
    if (overflow)
      return fail("overflow");
  }
  return stack.back();
}

std::optional<int64_t> Expression::constant() const {
  if (!nameList.empty())
    return std::nullopt;
  llvm::Expected<int64_t> value =
      evaluate([](const SizeName &) { return std::nullopt; });
  if (value)
    return *value;
  llvm::consumeError(value.takeError());
  return std::nullopt;
}
