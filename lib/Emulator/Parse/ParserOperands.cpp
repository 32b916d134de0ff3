//===- ParserOperands.cpp - Parser of PTX: names and operands -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Parse/Parser.h"

using namespace fusion::emulator;

Parser::Symbol *Parser::lookup(std::string_view name, uint32_t &rangeElement) {
  // The number at the end of a name may select an element of a range.
  size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
    --digits;
  for (size_t i = scopes.size(); i-- > 0;) {
    auto it = scopes[i].find(name);
    if (it != scopes[i].end())
      return &it->second;
    // `%r01` is not an element; a prefix may itself end in digits.
    for (size_t cut = digits; cut < name.size(); ++cut) {
      std::string_view number = name.substr(cut);
      if (number.size() > 1 && number[0] == '0')
        continue;
      if (number.size() > 9)
        continue;
      it = ranges[i].find(name.substr(0, cut));
      if (it == ranges[i].end())
        continue;
      uint32_t value = 0;
      for (char c : number)
        value = value * 10 + uint32_t(c - '0');
      if (value >= it->second.count)
        continue;
      rangeElement = value;
      return &it->second;
    }
  }
  auto it = globals.find(name);
  return it == globals.end() ? nullptr : &it->second;
}

uint32_t Parser::internRegister(std::string_view name, Type type) {
  uint32_t index = uint32_t(current->registers.size());
  current->registers.push_back({name, type});
  return index;
}

bool Parser::name(Operand &operand) {
  std::string_view text = token.text;
  operand.name = text;
  if (!advance())
    return false;
  if (text == "_") {
    operand.kind = Operand::Kind::Sink;
    return true;
  }
  uint32_t element = 0;
  Symbol *symbol = lookup(text, element);
  if (size_t dot = text.rfind('.'); !symbol && dot != std::string_view::npos) {
    // A part of a register, `%r1.b0`.
    symbol = lookup(text.substr(0, dot), element);
    if (symbol && (symbol->kind == Symbol::Kind::Register ||
                   symbol->kind == Symbol::Kind::Range)) {
      operand.selector = text.substr(dot + 1);
      text = text.substr(0, dot);
    } else {
      symbol = nullptr;
    }
  }
  if (!symbol) {
    if (text == "WARP_SZ") {
      operand.kind = Operand::Kind::Integer;
      operand.value = 32;
      return true;
    }
    if (text.front() == '%') {
      operand.kind = Operand::Kind::Special;
      return true;
    }
    // A label further down, or nothing: known at the function's end.
    operand.kind = Operand::Kind::Label;
    return true;
  }
  switch (symbol->kind) {
  case Symbol::Kind::Register: {
    operand.kind = Operand::Kind::Register;
    if (symbol->index == kNone)
      symbol->index = internRegister(text, symbol->type);
    operand.index = symbol->index;
    return true;
  }
  case Symbol::Kind::Range: {
    operand.kind = Operand::Kind::Register;
    auto [it, isNew] = rangeRegisters[symbol->index].emplace(text, 0);
    if (isNew)
      it->second = internRegister(text, symbol->type);
    operand.index = it->second;
    return true;
  }
  case Symbol::Kind::Variable:
    operand.kind = Operand::Kind::Variable;
    break;
  case Symbol::Kind::Function:
    operand.kind = Operand::Kind::Function;
    break;
  case Symbol::Kind::Table:
    operand.kind = Operand::Kind::Table;
    break;
  case Symbol::Kind::Prototype:
    operand.kind = Operand::Kind::Prototype;
    break;
  case Symbol::Kind::Label:
    operand.kind = Operand::Kind::Label;
    break;
  }
  operand.index = symbol->index;
  return true;
}

bool Parser::number(Operand &operand) {
  bool minus = false, inverted = false;
  unsigned signs = 0;
  for (; token.is('-') || token.is('+') || token.is('~'); ++signs) {
    minus ^= token.is('-');
    inverted ^= token.is('~');
    if (!advance())
      return false;
  }
  if (minus && signs == 1 && token.kind == Token::Kind::Identifier) {
    operand.minus = true;
    return name(operand);
  }
  if (token.kind == Token::Kind::Integer) {
    operand.kind = Operand::Kind::Integer;
    operand.value = minus ? 0 - token.value : token.value;
    if (inverted)
      operand.value = ~operand.value;
  } else if (token.kind == Token::Kind::Float && !inverted) {
    operand.kind = Operand::Kind::Float;
    operand.bytes = token.bytes;
    operand.value = token.value;
    if (minus)
      operand.value ^= uint64_t(1) << (token.bytes * 8 - 1);
  } else {
    return fail("expected a number");
  }
  return advance();
}

/// `+4`, `-4`, `+-4`.
bool Parser::offset(Operand &operand) {
  bool negative = token.is('-');
  if (!advance())
    return false;
  if (token.is('-')) {
    negative = !negative;
    if (!advance())
      return false;
  }
  if (token.kind != Token::Kind::Integer)
    return fail("expected an offset");
  operand.offset = int64_t(uint64_t(operand.offset) +
                           (negative ? 0 - token.value : token.value));
  return advance();
}

/// `[base]`, `[base+offset]`, `[base, {coordinates}]` and so on.
bool Parser::address(Operand &operand) {
  operand.kind = Operand::Kind::Address;
  if (!advance())
    return false;
  Operand base;
  if (token.kind == Token::Kind::Identifier) {
    if (!name(base))
      return false;
  } else if (!number(base)) {
    return false;
  }
  operand.elements.push_back(std::move(base));
  while (token.is('+') || token.is('-'))
    if (!offset(operand))
      return false;
  while (token.is(',')) {
    if (!advance())
      return false;
    Operand part;
    if (!this->operand(part, 2))
      return false;
    operand.elements.push_back(std::move(part));
    if (operand.elements.size() > 8)
      return fail("too many parts in an address");
  }
  return expect(']');
}

bool Parser::list(Operand &operand, char close, unsigned depth) {
  operand.kind = Operand::Kind::Vector;
  if (!advance())
    return false;
  while (!token.is(close)) {
    Operand element;
    if (!this->operand(element, depth + 1))
      return false;
    operand.elements.push_back(std::move(element));
    if (operand.elements.size() > 4096)
      return fail("too many elements");
    if (!token.is(close) && !expect(','))
      return false;
  }
  return advance();
}

bool Parser::operand(Operand &operand, unsigned depth) {
  if (depth > 4)
    return fail("operands nested too deeply");
  if (token.is('[')) {
    if (!address(operand))
      return false;
  } else if (token.is('{')) {
    if (!list(operand, '}', depth))
      return false;
  } else if (token.is('(')) {
    if (!list(operand, ')', depth))
      return false;
  } else if (token.is('!')) {
    if (!advance())
      return false;
    if (token.kind != Token::Kind::Identifier)
      return fail("expected a predicate");
    if (!name(operand))
      return false;
    operand.negated = true;
  } else if (token.kind == Token::Kind::Identifier) {
    if (!name(operand))
      return false;
  } else if (token.kind == Token::Kind::Integer ||
             token.kind == Token::Kind::Float || token.is('-') ||
             token.is('+') || token.is('~')) {
    if (!number(operand))
      return false;
  } else {
    return fail("expected an operand");
  }
  if (token.is('|')) {
    if (!advance())
      return false;
    Operand second;
    if (!this->operand(second, depth + 1))
      return false;
    Operand pair;
    pair.kind = Operand::Kind::Pair;
    pair.elements.push_back(std::move(operand));
    pair.elements.push_back(std::move(second));
    operand = std::move(pair);
  } else if ((token.is('+') || token.is('-')) &&
             operand.kind == Operand::Kind::Variable) {
    return offset(operand);
  }
  return true;
}
