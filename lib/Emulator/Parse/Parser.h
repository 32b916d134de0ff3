//===- Parser.h - Recursive-descent parser of PTX ---------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_PARSE_PARSER_H
#define FUSION_LIB_EMULATOR_PARSE_PARSER_H

#include "Emulator/Parse/Lexer.h"
#include "Emulator/Parse/Module.h"

#include "fusion/Emulator/Parse/Error.h"

#include <memory>
#include <optional>

namespace fusion::emulator {

/// A token in an error message.
std::string describe(const Token &token);

/// Parses `text`. Null, with `error` set, where it is not PTX.
std::unique_ptr<Module> parseModule(std::string_view text, Error &error);

/// Parses one module. Every method returns false, with the error set, where the
/// text is wrong; nothing is read after that.
class Parser {
public:
  Parser(Module &module, Error &error)
      : module(module), error(error), lexer(module.text) {}
  bool run();

private:
  struct Symbol {
    enum class Kind : uint8_t {
      Register,
      Range,
      Variable,
      Function,
      Label,
      Table,
      Prototype
    };
    Kind kind;
    Type type = Type::None;
    uint32_t index = kNone; ///< of the register, variable, function, …
    uint64_t count = 0;     ///< of a range
  };
  using Scope = std::unordered_map<std::string_view, Symbol>;
  /// A name used before a definition of it was seen.
  struct Fixup {
    uint32_t instruction;
    uint32_t operand; ///< kNone: entry `element` of branch table `table`
    uint32_t table;
    uint32_t element;
    std::string_view name;
    unsigned line;
    std::vector<uint32_t> scopes; ///< ids, innermost first
  };

  // Parser.cpp: the module's level; ParserVariables.cpp: declarations.
  bool target(std::string_view name);
  bool moduleStatement();
  bool linkedDeclaration(std::string_view linkage);
  bool function(bool isEntry, bool isExtern);
  bool formals(Function &function, std::vector<Formal> &list);
  bool functionDirectives(Function &function);
  bool dimensions(std::array<uint32_t, 3> &values);
  bool variables(Space space, bool isExtern, bool inFunction);
  bool declarator(Variable &variable, bool isParameter);
  bool initializer(Variable &variable);
  bool initializerValue(Variable &variable, uint64_t &position, unsigned depth);
  /// Parses a number behind its signs to the bits of an element.
  bool initializerNumber(const Variable &variable, bool minus, uint64_t &value);
  /// Parses the address of a variable, which is not known yet, as the element
  /// at a position.
  bool initializerAddress(Variable &variable, uint64_t position);
  bool addVariable(Variable variable, bool inFunction, uint32_t &index);
  bool skipBalanced(char open, char close);
  void skipLine();
  bool resolveInitializers();

  // ParserBody.cpp: the body of a function.
  bool body();
  bool statement();
  bool registers();
  bool label(std::string_view name, unsigned line);
  bool branchTable(std::string_view name);
  bool instruction();
  bool skipStatement();
  bool resolveLabels();

  // ParserOperands.cpp
  bool operand(Operand &operand, unsigned depth);
  bool number(Operand &operand);
  bool offset(Operand &operand);
  bool address(Operand &operand);
  bool list(Operand &operand, char close, unsigned depth);
  bool name(Operand &operand);
  Symbol *lookup(std::string_view name, uint32_t &rangeElement);
  uint32_t internRegister(std::string_view name, Type type);

  bool advance();
  bool expect(char c);
  bool accept(char c);
  bool fail(std::string message, unsigned line = 0);
  bool isDirective(std::string_view text) const {
    return token.kind == Token::Kind::Directive && token.text == text;
  }

  Module &module;
  Error &error;
  Lexer lexer;
  Token token;
  Scope globals;
  std::vector<Scope> scopes; ///< of the current function, outermost first
  std::vector<Scope> ranges; ///< the same, `%r<n>` by `%r`, which is no name
  std::vector<uint32_t> scopeIds;
  uint32_t nextScopeId = 0;
  std::vector<std::unordered_map<std::string_view, uint32_t>>
      labels; ///< by scope id
  std::vector<Fixup> fixups;
  std::vector<std::unordered_map<std::string_view, uint32_t>> rangeRegisters;
  Function *current = nullptr;
  struct InitializerName {
    uint32_t variable;
    uint32_t relocation;
    std::string_view name;
    unsigned line;
  };
  std::vector<InitializerName> initializerNames;
  std::vector<InitializerName> pendingNames;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_PARSE_PARSER_H
