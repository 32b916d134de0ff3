//===- Lexer.cpp - Tokens of PTX text -------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Parse/Lexer.h"

#include <cstdlib>
#include <cstring>
#include <string>

using namespace fusion::emulator;

static bool isDigit(char c) { return c >= '0' && c <= '9'; }

static bool isNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '$' || c == '%';
}

static bool isNamePart(char c) { return isNameStart(c) || isDigit(c); }

static int digitValue(char c) {
  if (isDigit(c))
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return 99;
}

Token Lexer::make(Token::Kind kind, size_t begin) const {
  Token token;
  token.kind = kind;
  token.text = text.substr(begin, position - begin);
  token.line = line;
  return token;
}

Token Lexer::invalid(std::string_view message) const {
  Token token;
  token.kind = Token::Kind::Invalid;
  token.text = message;
  token.line = line;
  return token;
}

/// Skips white space and comments; false at a comment without end.
bool Lexer::skipBlank() {
  while (position < text.size()) {
    char c = text[position];
    if (c == '\n') {
      ++line;
      ++position;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' ||
               (c == '\0' && position + 1 == text.size())) {
      ++position;
    } else if (c == '/' && peek(1) == '/') {
      while (position < text.size() && text[position] != '\n')
        ++position;
    } else if (c == '/' && peek(1) == '*') {
      size_t end = text.find("*/", position + 2);
      if (end == std::string_view::npos)
        return false;
      for (size_t i = position; i < end; ++i)
        line += text[i] == '\n';
      position = end + 2;
    } else if (c == '#') {
      while (position < text.size() && text[position] != '\n')
        ++position;
    } else {
      break;
    }
  }
  return true;
}

/// Integers (decimal, 0x, 0b, octal; suffix U), 0f and 0d bit patterns, and
/// decimal floating-point constants, which are f64 (PTX ISA, "Constants").
Token Lexer::number() {
  size_t begin = position;
  char second = peek(1);
  if (peek() == '0' &&
      (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
    unsigned digits = second == 'f' || second == 'F' ? 8 : 16;
    uint64_t value = 0;
    position += 2;
    for (unsigned i = 0; i < digits; ++i, ++position) {
      int digit = digitValue(peek());
      if (digit > 15)
        return invalid("malformed floating-point constant");
      value = value << 4 | uint64_t(digit);
    }
    if (isNamePart(peek()))
      return invalid("malformed floating-point constant");
    Token token = make(Token::Kind::Float, begin);
    token.value = value;
    token.bytes = digits / 2;
    return token;
  }

  unsigned base = 10;
  if (peek() == '0' && (second == 'x' || second == 'X')) {
    base = 16;
    position += 2;
  } else if (peek() == '0' && (second == 'b' || second == 'B')) {
    base = 2;
    position += 2;
  } else {
    size_t end = position;
    while (end < text.size() && isDigit(text[end]))
      ++end;
    char stop = end < text.size() ? text[end] : '\0';
    if (stop == '.' || stop == 'e' || stop == 'E') {
      // strtod needs a terminated string; constants are short.
      std::string copy(text.substr(position, 64));
      char *rest = nullptr;
      double value = std::strtod(copy.c_str(), &rest);
      position += size_t(rest - copy.c_str());
      if (isNamePart(peek()))
        return invalid("malformed floating-point constant");
      Token token = make(Token::Kind::Float, begin);
      std::memcpy(&token.value, &value, 8);
      token.bytes = 8;
      return token;
    }
    if (peek() == '0')
      base = 8;
  }
  uint64_t value = 0;
  size_t digits = 0;
  for (; unsigned(digitValue(peek())) < base; ++position, ++digits) {
    uint64_t digit = uint64_t(digitValue(peek()));
    if (value > (UINT64_MAX - digit) / base)
      return invalid("integer constant exceeds 64 bits");
    value = value * base + digit;
  }
  if (!digits)
    return invalid("malformed integer constant");
  if (peek() == 'U')
    ++position;
  if (isNamePart(peek()))
    return invalid("malformed integer constant");
  Token token = make(Token::Kind::Integer, begin);
  token.value = value;
  return token;
}

Token Lexer::next() {
  if (!skipBlank())
    return invalid("comment without end");
  if (position >= text.size())
    return make(Token::Kind::End, position);
  size_t begin = position;
  char c = text[position];
  if (isNameStart(c)) {
    // `%r1`, `$L__BB0_1`, `ld.global.L2::128B.v4.f32`, `%tid.x`, `_`.
    while (isNamePart(peek()) || (peek() == '.' && isNamePart(peek(1))) ||
           (peek() == ':' && peek(1) == ':' && isNamePart(peek(2))))
      position += peek() == ':' ? 2 : 1;
    return make(Token::Kind::Identifier, begin);
  }
  if (isDigit(c))
    return number();
  if (c == '.' && isNamePart(peek(1))) {
    ++position;
    while (isNamePart(peek()) ||
           (peek() == ':' && peek(1) == ':' && isNamePart(peek(2))))
      position += peek() == ':' ? 2 : 1;
    return make(Token::Kind::Directive, begin);
  }
  if (c == '"') {
    size_t end = position + 1;
    while (end < text.size() && text[end] != '"' && text[end] != '\n')
      end += text[end] == '\\' && end + 1 < text.size() ? 2 : 1;
    if (end >= text.size() || text[end] != '"')
      return invalid("string without end");
    position = end + 1;
    return make(Token::Kind::String, begin);
  }
  if (std::strchr("{}()[]<>,;:@!|+-=*&^~/?", c) && c != '\0') {
    ++position;
    return make(Token::Kind::Punctuation, begin);
  }
  return invalid("unexpected character");
}
