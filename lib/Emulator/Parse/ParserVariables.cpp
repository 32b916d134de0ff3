//===- ParserVariables.cpp - Parser of PTX: variables and initial values --===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Parse/Parser.h"

#include <cstring>

using namespace fusion::emulator;

// The largest variable. No variable of real code is nearly as large; the limit
// keeps hostile text from exhausting memory.
static constexpr uint64_t kMaxVariableBytes = kModuleVariableBytes;

/// Parses `[.align n] .type [.ptr [.space] [.align n]] name {[n]}`.
bool Parser::declarator(Variable &variable, bool isParameter) {
  unsigned vector = 1;
  while (token.kind == Token::Kind::Directive) {
    std::string_view text = token.text;
    if (text == ".align") {
      if (!advance())
        return false;
      if (token.kind != Token::Kind::Integer || token.value == 0 ||
          (token.value & (token.value - 1)) || token.value > 65536)
        return fail("malformed .align");
      // The alignment after .ptr is that of the memory pointed to.
      if (!variable.isPointer)
        variable.alignment = token.value;
      if (!advance())
        return false;
    } else if (text == ".ptr") {
      variable.isPointer = true;
      if (!advance())
        return false;
    } else if (text == ".attribute") {
      if (!advance() || !skipBalanced('(', ')'))
        return false;
    } else if (text == ".v2" || text == ".v4") {
      vector = unsigned(text[2] - '0');
      if (!advance())
        return false;
    } else if (isParameter && variable.isPointer &&
               (text == ".global" || text == ".const" || text == ".local" ||
                text == ".shared")) {
      if (!advance())
        return false;
    } else {
      Type type = parseType(text.substr(1));
      if (!bytesOf(type) || type == Type::Pred)
        return fail("unknown type " + describe(token));
      variable.element = type;
      if (!advance())
        return false;
    }
  }
  if (token.kind != Token::Kind::Identifier)
    return fail("expected a name instead of " + describe(token));
  if (variable.element == Type::None)
    return fail("'" + std::string(token.text) + "' has no type");
  variable.name = token.text;
  variable.line = token.line;
  if (!advance())
    return false;
  uint64_t elementBytes = uint64_t(bytesOf(variable.element)) * vector;
  variable.bytes = elementBytes;
  bool unsized = false, first = true;
  while (token.is('[')) {
    if (!advance())
      return false;
    if (token.is(']') && first) {
      unsized = true;
    } else {
      if (token.kind != Token::Kind::Integer)
        return fail("expected an array size instead of " + describe(token));
      if (token.value > kMaxVariableBytes ||
          variable.bytes * token.value > kMaxVariableBytes)
        return fail("'" + std::string(variable.name) + "' is too large");
      variable.bytes *= token.value;
      if (!advance())
        return false;
    }
    first = false;
    if (!expect(']'))
      return false;
  }
  // PTX ISA, "Kernel function parameters": at most 32764 bytes.
  if (isParameter && variable.bytes > 32764)
    return fail("'" + std::string(variable.name) + "' is too large");
  if (unsized)
    variable.bytes = 0;
  if (variable.alignment < elementBytes)
    variable.alignment = elementBytes;
  return true;
}

bool Parser::addVariable(Variable variable, bool inFunction, uint32_t &index) {
  Scope &scope = inFunction ? scopes.back() : globals;
  index = uint32_t(module.variables.size());
  auto [it, isNew] = scope.emplace(
      variable.name, Symbol{Symbol::Kind::Variable, Type::None, index, 0});
  if (!isNew) {
    // An extern declaration and its definition are one variable.
    if (inFunction || it->second.kind != Symbol::Kind::Variable)
      return fail("redefinition of '" + std::string(variable.name) + "'",
                  variable.line);
    Variable &old = module.variables[it->second.index];
    if (old.space != variable.space || !old.isExtern)
      return fail("redefinition of '" + std::string(variable.name) + "'",
                  variable.line);
    index = it->second.index;
    old = std::move(variable);
    return true;
  }
  if (inFunction && current)
    current->variables.push_back(index);
  module.variables.push_back(std::move(variable));
  return true;
}

bool Parser::variables(Space space, bool isExtern, bool inFunction) {
  Variable base;
  base.space = space;
  base.isExtern = isExtern;
  bool more = true;
  while (more) {
    Variable variable = base;
    if (!declarator(variable, /*isParameter=*/false))
      return false;
    base.element = variable.element; // `.reg`-like lists share the type
    base.alignment = variable.alignment;
    pendingNames.clear();
    if (token.is('=')) {
      if (space != Space::Global && space != Space::Const)
        return fail("only .global and .const variables have initializers");
      if (!advance() || !initializer(variable))
        return false;
    }
    uint32_t index;
    if (!addVariable(std::move(variable), inFunction, index))
      return false;
    for (InitializerName &name : pendingNames) {
      name.variable = index;
      initializerNames.push_back(name);
    }
    more = token.is(',');
    if (more && !advance())
      return false;
  }
  return expect(';');
}

bool Parser::initializer(Variable &variable) {
  uint64_t position = 0;
  if (!initializerValue(variable, position, 0))
    return false;
  if (variable.bytes == 0)
    variable.bytes = position; // `name[] = {…}`
  return true;
}

/// Returns the bits of a number as f32 if an element has 4 bytes, else as f64.
static uint64_t bitsOfFloat(double value, unsigned bytes) {
  uint64_t result = 0;
  if (bytes == 4) {
    float narrow = float(value);
    uint32_t bits;
    std::memcpy(&bits, &narrow, 4);
    result = bits;
  } else {
    std::memcpy(&result, &value, 8);
  }
  return result;
}

bool Parser::initializerNumber(const Variable &variable, bool minus,
                               uint64_t &value) {
  unsigned bytes = bytesOf(variable.element);
  if (token.kind == Token::Kind::Integer) {
    value = minus ? 0 - token.value : token.value;
    if (isFloat(variable.element))
      value = bitsOfFloat(double(int64_t(value)), bytes);
    return advance();
  }
  if (!isFloat(variable.element) || bytes < 4)
    return fail("a floating-point value initializes an integer");
  value = token.value;
  if (token.bytes == 8 && bytes == 4) {
    double d;
    std::memcpy(&d, &token.value, 8);
    value = bitsOfFloat(d, bytes);
  } else if (token.bytes == 4 && bytes == 8) {
    uint32_t bits = uint32_t(token.value);
    float f;
    std::memcpy(&f, &bits, 4);
    value = bitsOfFloat(f, bytes);
  }
  if (minus)
    value ^= uint64_t(1) << (bytes * 8 - 1);
  return advance();
}

bool Parser::initializerAddress(Variable &variable, uint64_t position) {
  bool generic = token.text == "generic";
  std::string_view name = token.text;
  unsigned line = token.line;
  if (!advance())
    return false;
  if (generic && token.is('(')) {
    if (!advance())
      return false;
    if (token.kind != Token::Kind::Identifier)
      return fail("expected a variable instead of " + describe(token));
    name = token.text;
    if (!advance() || !expect(')'))
      return false;
  }
  int64_t addend = 0;
  if (token.is('+') || token.is('-')) {
    bool negative = token.is('-');
    if (!advance())
      return false;
    if (token.kind != Token::Kind::Integer)
      return fail("expected an integer instead of " + describe(token));
    addend = int64_t(negative ? 0 - token.value : token.value);
    if (!advance())
      return false;
  }
  pendingNames.push_back(
      {kNone, uint32_t(variable.relocations.size()), name, line});
  variable.relocations.push_back(
      {position, kNone, addend, bytesOf(variable.element), generic});
  return true;
}

bool Parser::initializerValue(Variable &variable, uint64_t &position,
                              unsigned depth) {
  if (token.is('{')) {
    if (depth > 8)
      return fail("initializer nested too deeply");
    if (!advance())
      return false;
    while (!token.is('}')) {
      if (!initializerValue(variable, position, depth + 1))
        return false;
      if (!token.is('}') && !expect(','))
        return false;
    }
    return advance();
  }
  unsigned bytes = bytesOf(variable.element);
  uint64_t limit = variable.bytes ? variable.bytes : kMaxVariableBytes;
  if (position + bytes > limit)
    return fail("too many initial values for '" + std::string(variable.name) +
                "'");
  bool minus = false;
  while (token.is('-') || token.is('+')) {
    minus ^= token.is('-');
    if (!advance())
      return false;
  }
  uint64_t value = 0;
  bool isNumber =
      token.kind == Token::Kind::Integer || token.kind == Token::Kind::Float;
  if (!isNumber && token.kind != Token::Kind::Identifier)
    return fail("expected an initial value instead of " + describe(token));
  if (isNumber ? !initializerNumber(variable, minus, value)
               : !initializerAddress(variable, position))
    return false;
  variable.initializer.resize(position + bytes);
  std::memcpy(variable.initializer.data() + position, &value,
              bytes < 8 ? bytes : 8);
  position += bytes;
  return true;
}

/// Gives module-scope variables their addresses and initializers theirs.
bool Parser::resolveInitializers() {
  for (Variable &variable : module.variables) {
    if (variable.space != Space::Global && variable.space != Space::Const)
      continue;
    uint64_t alignment = variable.alignment < 256 ? 256 : variable.alignment;
    module.variableBytes =
        (module.variableBytes + alignment - 1) & ~(alignment - 1);
    variable.address = kModuleVariables +
                       module.id % kModuleRegions * kModuleVariableBytes +
                       module.variableBytes;
    // The gap makes running over the end of a variable an error.
    module.variableBytes += variable.bytes + 256;
    if (module.variableBytes > kMaxVariableBytes)
      return fail("the module's variables are too large", variable.line);
  }
  for (const InitializerName &name : initializerNames) {
    auto it = globals.find(name.name);
    Variable::Relocation &relocation =
        module.variables[name.variable].relocations[name.relocation];
    if (it != globals.end() && it->second.kind == Symbol::Kind::Variable)
      relocation.variable = it->second.index;
    else if (it != globals.end() && it->second.kind == Symbol::Kind::Function)
      relocation.function = it->second.index;
    else
      return fail("'" + std::string(name.name) +
                      "' is not a variable or function",
                  name.line);
  }
  for (Variable &variable : module.variables)
    for (const Variable::Relocation &relocation : variable.relocations) {
      uint64_t value = relocation.function != kNone
                           ? functionAddress(relocation.function)
                           : module.variables[relocation.variable].address;
      value += uint64_t(relocation.addend);
      std::memcpy(variable.initializer.data() + relocation.offset, &value,
                  relocation.bytes < 8 ? relocation.bytes : 8);
    }
  return true;
}
