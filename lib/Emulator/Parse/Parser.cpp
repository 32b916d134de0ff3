//===- Parser.cpp - Parser of PTX: the module's level ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Parse/Parser.h"

#include "Emulator/Parse/Targets.h"

#include <atomic>
#include <cstring>

using namespace fusion::emulator;

std::unique_ptr<Module> fusion::emulator::parseModule(std::string_view text,
                                                      Error &error) {
  static std::atomic<uint64_t> nextId{0};
  auto module = std::make_unique<Module>();
  module->id = nextId++;
  module->text = std::string(text);
  Parser parser(*module, error);
  if (!parser.run())
    return nullptr;
  return module;
}

bool Parser::fail(std::string message, unsigned line) {
  error.message = std::move(message);
  error.line = line ? line : token.line;
  return false;
}

bool Parser::advance() {
  token = lexer.next();
  if (token.kind == Token::Kind::Invalid)
    return fail(std::string(token.text));
  return true;
}

bool Parser::accept(char c) {
  // A lexical error after the character shows up at the next use of the token.
  if (!token.is(c))
    return false;
  token = lexer.next();
  return true;
}

std::string fusion::emulator::describe(const Token &token) {
  switch (token.kind) {
  case Token::Kind::End:
    return "the end of the text";
  case Token::Kind::Invalid:
    return std::string(token.text);
  default:
    return "'" + std::string(token.text.substr(0, 80)) + "'";
  }
}

bool Parser::expect(char c) {
  if (!token.is(c)) {
    if (token.kind == Token::Kind::Invalid)
      return fail(std::string(token.text));
    return fail(std::string("expected '") + c + "' instead of " +
                describe(token));
  }
  return advance();
}

void Parser::skipLine() {
  unsigned line = token.line;
  while (token.line == line && token.kind != Token::Kind::End &&
         token.kind != Token::Kind::Invalid)
    token = lexer.next();
}

bool Parser::skipBalanced(char open, char close) {
  unsigned depth = 0;
  do {
    if (token.is(open))
      ++depth;
    else if (token.is(close))
      --depth;
    else if (token.kind == Token::Kind::End)
      return fail(std::string("missing '") + close + "'");
    if (!advance())
      return false;
  } while (depth);
  return true;
}

bool Parser::run() {
  if (!advance())
    return false;
  while (token.kind != Token::Kind::End)
    if (!moduleStatement())
      return false;
  if (!module.version)
    return fail("no .version directive", 1);
  return resolveInitializers();
}

/// Later major versions may change known instructions. Later minor versions add
/// instructions, which the decoder rejects one by one.
static constexpr unsigned kNewestMajor = 9;

/// Whether this version of the PTX ISA exists ("Release Notes"), as far as
/// known.
static bool isVersion(unsigned major, unsigned minor) {
  static constexpr unsigned newestMinor[kNewestMajor] = {0, 5, 3, 2, 3,
                                                         1, 5, 8, 8};
  return major == kNewestMajor ? minor <= 9
                               : major && minor <= newestMinor[major];
}

/// Takes one of the names after .target.
bool Parser::target(std::string_view name) {
  if (name.substr(0, 3) != "sm_")
    return name == "texmode_unified" || name == "texmode_independent" ||
           name == "debug" || name == "map_f64_to_f32";
  name.remove_prefix(3);
  size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
  unsigned number = 0;
  for (char c : name.substr(0, std::min<size_t>(digits, 4)))
    number = number * 10 + unsigned(c - '0');
  std::string_view suffix = name.substr(digits);
  if (!digits || name[0] == '0' || !isTarget(number, suffix))
    return false;
  module.target = number;
  module.targetSuffix = suffix.empty() ? 0 : suffix[0];
  return true;
}

bool Parser::moduleStatement() {
  if (token.kind != Token::Kind::Directive) {
    if (token.is(';'))
      return advance();
    return fail("expected a directive instead of " + describe(token));
  }
  std::string_view text = token.text;
  if (text == ".version") {
    if (!advance())
      return false;
    const char *wanted = "malformed .version, which is two numbers such as 8.0";
    if (token.kind != Token::Kind::Float || token.text.size() > 8)
      return fail(wanted);
    unsigned major = 0, minor = 0;
    size_t dot = token.text.find('.');
    if (dot == std::string_view::npos || dot + 1 == token.text.size())
      return fail(wanted);
    for (char c : token.text.substr(0, dot))
      major = major * 10 + unsigned(c - '0');
    for (char c : token.text.substr(dot + 1)) {
      if (c < '0' || c > '9')
        return fail(wanted);
      minor = minor * 10 + unsigned(c - '0');
    }
    if (major > kNewestMajor)
      return fail(
          "PTX ISA " + std::to_string(major) + "." + std::to_string(minor) +
          " is newer than this emulator knows: it knows versions up to " +
          std::to_string(kNewestMajor) + ".x");
    if (!isVersion(major, minor))
      return fail("there is no PTX ISA " + std::to_string(major) + "." +
                  std::to_string(minor));
    module.version = major * 10 + minor;
    return advance();
  }
  if (text == ".target") {
    do {
      if (!advance())
        return false;
      if (token.kind != Token::Kind::Identifier)
        return fail("malformed .target");
      if (!target(token.text))
        return fail("unknown .target " + describe(token));
      if (!advance())
        return false;
    } while (token.is(','));
    return true;
  }
  if (text == ".address_size") {
    if (!advance())
      return false;
    if (token.kind != Token::Kind::Integer || token.value != 64)
      return fail("only .address_size 64 is supported");
    return advance();
  }
  if (text == ".file" || text == ".loc") {
    skipLine();
    return true;
  }
  if (text == ".section") {
    while (!token.is('{')) {
      if (token.kind == Token::Kind::End)
        return fail("malformed .section");
      if (!advance())
        return false;
    }
    return skipBalanced('{', '}');
  }
  if (text == ".pragma" || text == ".alias")
    return skipStatement();
  if (text == ".visible" || text == ".extern" || text == ".weak" ||
      text == ".common") {
    if (!advance())
      return false;
    return linkedDeclaration(text);
  }
  return linkedDeclaration("");
}

bool Parser::linkedDeclaration(std::string_view linkage) {
  bool isExtern = linkage == ".extern";
  std::string_view text = token.text;
  if (token.kind != Token::Kind::Directive)
    return fail("expected a declaration instead of " + describe(token));
  if (text == ".entry" || text == ".func") {
    if (!advance())
      return false;
    return function(text == ".entry", isExtern);
  }
  Space space;
  if (text == ".global")
    space = Space::Global;
  else if (text == ".const")
    space = Space::Const;
  else if (text == ".shared")
    space = Space::Shared;
  else
    return fail("unknown directive " + describe(token));
  if (!advance())
    return false;
  return variables(space, isExtern, /*inFunction=*/false);
}

bool Parser::dimensions(std::array<uint32_t, 3> &values) {
  values = {1, 1, 1};
  if (!advance())
    return false;
  for (unsigned i = 0; i < 3; ++i) {
    if (token.kind != Token::Kind::Integer || token.value == 0 ||
        token.value > UINT32_MAX)
      return fail("expected a positive integer instead of " + describe(token));
    values[i] = uint32_t(token.value);
    if (!advance())
      return false;
    if (!token.is(','))
      return true;
    if (i < 2 && !advance())
      return false;
  }
  return fail("more than three dimensions");
}

bool Parser::functionDirectives(Function &function) {
  while (token.kind == Token::Kind::Directive) {
    std::string_view text = token.text;
    if (text == ".maxntid") {
      if (!dimensions(function.maxThreads))
        return false;
    } else if (text == ".reqntid") {
      if (!dimensions(function.requiredThreads))
        return false;
    } else if (text == ".reqnctapercluster") {
      if (!dimensions(function.requiredCluster))
        return false;
    } else if (text == ".maxnreg" || text == ".minnctapersm" ||
               text == ".maxnctapersm" || text == ".maxclusterrank") {
      std::array<uint32_t, 3> values;
      if (!dimensions(values))
        return false;
      if (text == ".maxnreg")
        function.maxRegisters = values[0];
      if (text == ".minnctapersm")
        function.leastBlocks = values[0];
    } else if (text == ".noreturn" || text == ".explicitcluster" ||
               text == ".blocksareclusters" || text == ".FORCE_INLINE") {
      if (!advance())
        return false;
    } else if (text == ".pragma") {
      if (!skipStatement())
        return false;
    } else if (text == ".attribute") {
      if (!advance() || !skipBalanced('(', ')'))
        return false;
    } else {
      return fail("unknown directive " + describe(token));
    }
  }
  return true;
}

bool Parser::formals(Function &function, std::vector<Formal> &list) {
  if (!expect('('))
    return false;
  while (!token.is(')')) {
    if (isDirective(".reg")) {
      if (!advance())
        return false;
      Type type = token.kind == Token::Kind::Directive
                      ? parseType(token.text.substr(1))
                      : Type::None;
      if (!bytesOf(type))
        return fail("expected a register type instead of " + describe(token));
      if (!advance())
        return false;
      if (token.kind != Token::Kind::Identifier)
        return fail("expected a register instead of " + describe(token));
      Formal formal;
      formal.reg = uint32_t(function.registers.size());
      function.registers.push_back({token.text, type});
      Symbol symbol{Symbol::Kind::Register, type, formal.reg, 0};
      if (!scopes.back().emplace(token.text, symbol).second)
        return fail("redefinition of " + describe(token));
      list.push_back(formal);
      if (!advance())
        return false;
    } else if (isDirective(".param")) {
      if (!advance())
        return false;
      Variable variable;
      variable.space = Space::Param;
      Formal formal;
      if (!declarator(variable, /*isParameter=*/true) ||
          !addVariable(std::move(variable), true, formal.variable))
        return false;
      list.push_back(formal);
    } else {
      return fail("expected a parameter instead of " + describe(token));
    }
    if (!token.is(')') && !expect(','))
      return false;
    if (list.size() > 4096)
      return fail("too many parameters");
  }
  return advance();
}

bool Parser::function(bool isEntry, bool isExtern) {
  Function parsed;
  parsed.isEntry = isEntry;
  scopes.assign(1, Scope());
  ranges.assign(1, Scope());
  scopeIds.assign(1, 0);
  nextScopeId = 1;
  labels.assign(1, {});
  rangeRegisters.assign(1, {});
  fixups.clear();
  current = &parsed;
  if (isDirective(".attribute"))
    if (!advance() || !skipBalanced('(', ')'))
      return false;
  if (!isEntry && token.is('(') && !formals(parsed, parsed.results))
    return false;
  if (token.kind != Token::Kind::Identifier)
    return fail("expected a function name instead of " + describe(token));
  parsed.name = token.text;
  parsed.line = token.line;
  if (!advance())
    return false;
  if (token.is('(') && !formals(parsed, parsed.parameters))
    return false;
  if (!functionDirectives(parsed))
    return false;

  // A declaration may come before the definition; calls then refer to its
  // index, which the definition takes over.
  auto [it, isNew] = globals.emplace(
      parsed.name, Symbol{Symbol::Kind::Function, Type::None,
                          uint32_t(module.functions.size()), 0});
  if (!isNew && (it->second.kind != Symbol::Kind::Function ||
                 module.functions[it->second.index].isEntry != isEntry))
    return fail("redefinition of '" + std::string(parsed.name) + "'",
                parsed.line);
  uint32_t index = it->second.index;
  if (isNew)
    module.functions.emplace_back();
  if (token.is(';')) {
    if (isNew)
      module.functions[index] = std::move(parsed);
    current = nullptr;
    return advance();
  }
  if (isExtern)
    return fail("an .extern function has no body");
  if (!isNew && module.functions[index].hasBody)
    return fail("redefinition of '" + std::string(parsed.name) + "'",
                parsed.line);
  parsed.hasBody = true;
  if (!body())
    return false;
  module.functions[index] = std::move(parsed);
  current = nullptr;
  return true;
}
