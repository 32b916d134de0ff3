//===- ParserBody.cpp - Parser of PTX: the body of a function -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

#include <cstring>

using namespace fusion::emulator;

// Bounds on what hostile text may ask for.
static constexpr size_t kMaxInstructions = size_t(1) << 22;
static constexpr size_t kMaxScopeDepth = 256;

/// `{ statements }`, blocks within it included, without recursion.
bool Parser::body() {
  if (!token.is('{')) {
    return expect('{');
  }
  size_t depth = 0;
  do {
    if (token.kind == Token::Kind::Invalid)
      return fail(std::string(token.text));
    if (token.kind == Token::Kind::End)
      return fail("missing '}' at the end of '" + std::string(current->name) +
                  "'");
    if (token.is('{')) {
      if (++depth > kMaxScopeDepth)
        return fail("blocks nested too deeply");
      scopes.emplace_back();
      scopeIds.push_back(nextScopeId++);
      labels.emplace_back();
      rangeRegisters.emplace_back();
      if (!advance())
        return false;
    } else if (token.is('}')) {
      --depth;
      scopes.pop_back();
      scopeIds.pop_back();
      if (!depth && !resolveLabels())
        return false;
      if (!advance())
        return false;
    } else if (!statement()) {
      return false;
    }
  } while (depth);
  return true;
}

bool Parser::statement() {
  if (token.is(';'))
    return advance();
  if (token.kind == Token::Kind::Directive) {
    std::string_view text = token.text;
    if (text == ".reg")
      return registers();
    Space space = text == ".shared"   ? Space::Shared
                  : text == ".local"  ? Space::Local
                  : text == ".param"  ? Space::Param
                  : text == ".const"  ? Space::Const
                  : text == ".global" ? Space::Global
                                      : Space::Generic;
    if (space != Space::Generic) {
      if (!advance())
        return false;
      return variables(space, false, /*inFunction=*/true);
    }
    if (text == ".loc" || text == ".file") {
      skipLine();
      return true;
    }
    if (text == ".pragma") {
      while (!token.is(';')) {
        if (token.kind == Token::Kind::End)
          return fail("missing ';'");
        if (!advance())
          return false;
      }
      return advance();
    }
    return fail("unknown directive '" + std::string(text) + "'");
  }
  if (token.kind == Token::Kind::Identifier) {
    // A label, or an instruction.
    Lexer ahead = lexer;
    Token after = ahead.next();
    if (after.is(':')) {
      std::string_view name = token.text;
      unsigned line = token.line;
      lexer = ahead;
      if (!advance())
        return false;
      if (isDirective(".branchtargets"))
        return branchTable(name);
      if (isDirective(".callprototype") || isDirective(".calltargets")) {
        scopes.back().emplace(
            name, Symbol{Symbol::Kind::Prototype, Type::None, 0, 0});
        while (!token.is(';')) {
          if (token.kind == Token::Kind::End)
            return fail("missing ';'");
          if (!advance())
            return false;
        }
        return advance();
      }
      return label(name, line);
    }
  }
  return instruction();
}

/// `.reg .b32 %r<10>, %x;`
bool Parser::registers() {
  if (!advance())
    return false;
  Type type = Type::None;
  while (token.kind == Token::Kind::Directive) {
    if (token.text == ".v2" || token.text == ".v4")
      return fail("vector registers are not supported");
    type = parseType(token.text.substr(1));
    if (!bytesOf(type))
      return fail("unknown register type '" + std::string(token.text) + "'");
    if (!advance())
      return false;
  }
  if (type == Type::None)
    return fail(".reg without a type");
  while (true) {
    if (token.kind != Token::Kind::Identifier)
      return fail("expected a register name");
    std::string_view name = token.text;
    Symbol symbol{Symbol::Kind::Register, type, kNone, 0};
    if (!advance())
      return false;
    if (token.is('<')) {
      if (!advance())
        return false;
      if (token.kind != Token::Kind::Integer)
        return fail("expected the number of registers");
      symbol.kind = Symbol::Kind::Range;
      symbol.count = token.value;
      symbol.index = scopeIds.back();
      if (!advance() || !expect('>'))
        return false;
    }
    if (!scopes.back().emplace(name, symbol).second)
      return fail("redefinition of '" + std::string(name) + "'");
    if (!token.is(','))
      return expect(';');
    if (!advance())
      return false;
  }
}

bool Parser::label(std::string_view name, unsigned line) {
  if (!labels[scopeIds.back()]
           .emplace(name, uint32_t(current->body.size()))
           .second)
    return fail("redefinition of label '" + std::string(name) + "'", line);
  return true;
}

bool Parser::branchTable(std::string_view name) {
  uint32_t table = uint32_t(current->branchTables.size());
  current->branchTables.emplace_back();
  scopes.back().emplace(name,
                        Symbol{Symbol::Kind::Table, Type::None, table, 0});
  do {
    if (!advance())
      return false;
    if (token.kind != Token::Kind::Identifier)
      return fail("expected a label");
    Fixup fixup{kNone,      kNone,
                table,      uint32_t(current->branchTables[table].size()),
                token.text, token.line,
                scopeIds};
    current->branchTables[table].push_back(0);
    fixups.push_back(std::move(fixup));
    if (!advance())
      return false;
  } while (token.is(','));
  return expect(';');
}

const Parser::Symbol *Parser::lookup(std::string_view name,
                                     uint32_t &rangeElement) {
  // The number at the end of a name may select an element of a range.
  size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
    --digits;
  for (size_t i = scopes.size(); i-- > 0;) {
    auto it = scopes[i].find(name);
    if (it != scopes[i].end() && it->second.kind != Symbol::Kind::Range)
      return &it->second;
    // `%r01` is not an element; a prefix may itself end in digits.
    for (size_t cut = digits; cut < name.size(); ++cut) {
      std::string_view number = name.substr(cut);
      if (number.size() > 1 && number[0] == '0')
        continue;
      if (number.size() > 9)
        continue;
      it = scopes[i].find(name.substr(0, cut));
      if (it == scopes[i].end() || it->second.kind != Symbol::Kind::Range)
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
  unsigned line = token.line;
  operand.name = text;
  if (!advance())
    return false;
  if (text == "_") {
    operand.kind = Operand::Kind::Sink;
    return true;
  }
  uint32_t element = 0;
  const Symbol *symbol = lookup(text, element);
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
    (void)line;
    return true;
  }
  switch (symbol->kind) {
  case Symbol::Kind::Register: {
    operand.kind = Operand::Kind::Register;
    if (symbol->index == kNone)
      const_cast<Symbol *>(symbol)->index = internRegister(text, symbol->type);
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
  while (token.is('-') || token.is('+') || token.is('~')) {
    minus ^= token.is('-');
    inverted ^= token.is('~');
    if (!advance())
      return false;
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
  while (token.is('+') || token.is('-')) {
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
    uint64_t offset = uint64_t(operand.offset);
    offset += negative ? 0 - token.value : token.value;
    operand.offset = int64_t(offset);
    if (!advance())
      return false;
  }
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
    bool negative = token.is('-');
    if (!advance())
      return false;
    if (token.kind != Token::Kind::Integer)
      return fail("expected an offset");
    operand.offset = int64_t(negative ? 0 - token.value : token.value);
    if (!advance())
      return false;
  }
  return true;
}

bool Parser::instruction() {
  Instruction parsed;
  parsed.line = token.line;
  if (token.is('@')) {
    if (!advance())
      return false;
    if (token.is('!')) {
      parsed.guardNegated = true;
      if (!advance())
        return false;
    }
    if (token.kind != Token::Kind::Identifier)
      return fail("expected a predicate after '@'");
    Operand guard;
    if (!name(guard))
      return false;
    if (guard.kind != Operand::Kind::Register ||
        current->registers[guard.index].type != Type::Pred)
      return fail("'" + std::string(guard.name) + "' is not a predicate",
                  parsed.line);
    parsed.guard = guard.index;
  }
  if (token.kind != Token::Kind::Identifier) {
    if (token.kind == Token::Kind::End)
      return fail("expected an instruction before the end of the text");
    return fail("expected an instruction instead of '" +
                std::string(token.text) + "'");
  }
  parsed.opcode = token.text;
  std::string_view rest = token.text;
  size_t dot = rest.find('.');
  parsed.root = rest.substr(0, dot);
  while (dot != std::string_view::npos) {
    rest = rest.substr(dot + 1);
    dot = rest.find('.');
    parsed.modifiers.push_back(rest.substr(0, dot));
  }
  if (!advance())
    return false;
  while (!token.is(';')) {
    Operand parsedOperand;
    if (!operand(parsedOperand, 0))
      return false;
    parsed.operands.push_back(std::move(parsedOperand));
    if (parsed.operands.size() > 64)
      return fail("too many operands");
    if (!token.is(';') && !expect(','))
      return false;
  }
  if (!advance())
    return false;
  for (uint32_t i = 0; i < parsed.operands.size(); ++i)
    if (parsed.operands[i].kind == Operand::Kind::Label)
      fixups.push_back({uint32_t(current->body.size()), i, kNone, 0,
                        parsed.operands[i].name, parsed.line, scopeIds});
  current->body.push_back(std::move(parsed));
  if (current->body.size() > kMaxInstructions)
    return fail("too many instructions");
  return true;
}

bool Parser::resolveLabels() {
  for (const Fixup &fixup : fixups) {
    uint32_t target = kNone;
    for (size_t i = fixup.scopes.size(); i-- > 0 && target == kNone;) {
      const auto &scope = labels[fixup.scopes[i]];
      auto it = scope.find(fixup.name);
      if (it != scope.end())
        target = it->second;
    }
    if (target != kNone) {
      if (fixup.operand == kNone)
        current->branchTables[fixup.table][fixup.element] = target;
      else
        current->body[fixup.instruction].operands[fixup.operand].index = target;
      continue;
    }
    // A branch table or prototype may follow its use in the text.
    if (fixup.operand != kNone) {
      Operand &operand =
          current->body[fixup.instruction].operands[fixup.operand];
      auto it = globals.find(fixup.name);
      if (it != globals.end() && it->second.kind == Symbol::Kind::Function) {
        operand.kind = Operand::Kind::Function;
        operand.index = it->second.index;
        continue;
      }
    }
    return fail("'" + std::string(fixup.name) + "' is not defined", fixup.line);
  }
  return true;
}
