//===- ParserBody.cpp - Parser of PTX: the body of a function -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Parse/Parser.h"

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
      ranges.emplace_back();
      scopeIds.push_back(nextScopeId++);
      labels.emplace_back();
      rangeRegisters.emplace_back();
      if (!advance())
        return false;
    } else if (token.is('}')) {
      --depth;
      scopes.pop_back();
      ranges.pop_back();
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
    if (text == ".pragma")
      return skipStatement();
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
        return skipStatement();
      }
      return label(name, line);
    }
  }
  return instruction();
}

/// Whatever it says.
bool Parser::skipStatement() {
  while (!token.is(';')) {
    if (token.kind == Token::Kind::End)
      return fail("missing ';'");
    if (!advance())
      return false;
  }
  return advance();
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
    Scope &scope =
        (symbol.kind == Symbol::Kind::Range ? ranges : scopes).back();
    if (!scope.emplace(name, symbol).second)
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
  parsed.lastLine = token.line;
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
