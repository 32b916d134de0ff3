//===- Lexer.h - Tokens of PTX text -----------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_PARSE_LEXER_H
#define FUSION_LIB_EMULATOR_PARSE_LEXER_H

#include <cstdint>
#include <string_view>

namespace fusion::emulator {

struct Token {
  enum class Kind : uint8_t {
    End,
    Identifier, ///< opcodes with their modifiers are one: `ld.global.f32`
    Directive,  ///< `.reg`; also a type or space in a declaration
    Integer,    ///< value, without sign
    Float,      ///< value: bits of an f32 (bytes 4) or f64 (bytes 8)
    String,
    Punctuation, ///< text is one character
    Invalid,     ///< text says what is wrong
  };
  Kind kind = Kind::End;
  uint8_t bytes = 0;
  std::string_view text;
  uint64_t value = 0;
  unsigned line = 1;

  bool is(char c) const {
    return kind == Kind::Punctuation && text.front() == c;
  }
};

/// Splits PTX text into tokens; comments and `#` lines are skipped.
class Lexer {
public:
  /// The mark with which some editors begin a text in UTF-8 is skipped.
  explicit Lexer(std::string_view text)
      : text(text), position(text.substr(0, 3) == "\xef\xbb\xbf" ? 3 : 0) {}
  Token next();

private:
  bool skipBlank();
  Token number();
  Token make(Token::Kind kind, size_t begin) const;
  Token invalid(std::string_view message) const;
  char peek(size_t ahead = 0) const {
    return position + ahead < text.size() ? text[position + ahead] : '\0';
  }

  std::string_view text;
  size_t position = 0;
  unsigned line = 1;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_PARSE_LEXER_H
