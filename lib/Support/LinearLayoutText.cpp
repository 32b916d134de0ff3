//===- LinearLayoutText.cpp - Layouts from digits, printing, parsing ------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinearLayoutForm.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace llvm;

namespace fusion {

using detail::FormDigit;
using detail::FormIn;
using detail::FormOut;
using detail::kMaxIndexSize;
using detail::LayoutForm;
using detail::Place;

//===----------------------------------------------------------------------===//
// From digits
//===----------------------------------------------------------------------===//

namespace {
/// Builds a form from steps. Every method returns false and sets `error` where
/// the digits are not a layout.
class FormBuilder {
public:
  FormBuilder(ArrayRef<LinearLayout::Input> ins,
              ArrayRef<LinearLayout::Output> outs)
      : ins(ins), outs(outs) {}

  bool build() {
    for (const LinearLayout::Output &out : outs) {
      if (form.findOut(out.dim) >= 0)
        return fail("output '" + layoutDimName(out.dim) + "' is given twice");
      form.outs.push_back({out.dim, {}});
    }
    if (!checkInputs())
      return false;
    for (unsigned o = 0; o < outs.size(); ++o)
      if (!(outs[o].radices.empty() ? deriveSystem(o) : takeSystem(o)))
        return false;
    for (const LinearLayout::Input &in : ins) {
      FormIn &formIn = form.ins.emplace_back(FormIn{in.dim, {}});
      for (const LinearLayout::Digit &digit : in.digits)
        if (!addDigit(formIn, digit))
          return false;
    }
    return true;
  }

  LayoutForm form;
  std::string error;

private:
  bool fail(const Twine &message) {
    error = message.str();
    return false;
  }

  bool checkInputs() {
    SmallVector<LayoutDim, 4> seen;
    for (const LinearLayout::Input &in : ins) {
      if (is_contained(seen, in.dim))
        return fail("input '" + layoutDimName(in.dim) + "' is given twice");
      seen.push_back(in.dim);
      int64_t size = 1;
      for (const LinearLayout::Digit &digit : in.digits) {
        if (digit.radix < 1)
          return fail("a radix must be positive");
        if (digit.radix > kMaxIndexSize / size)
          return fail("input '" + layoutDimName(in.dim) + "' is too large");
        size *= digit.radix;
        if (digit.steps.size() != outs.size())
          return fail("a digit of '" + layoutDimName(in.dim) + "' has " +
                      Twine(digit.steps.size()) + " steps for " +
                      Twine(outs.size()) + " outputs");
        if (any_of(digit.steps, [](int64_t step) { return step < 0; }))
          return fail("steps must not be negative");
        if (digit.isXor && digit.radix != 2)
          return fail("a bit has radix 2");
        if (!digit.isXor && digit.radix > 1 &&
            count_if(digit.steps, [](int64_t step) { return step != 0; }) > 1)
          return fail("a repetition moves along one output");
      }
    }
    return true;
  }

  /// The places of an output that the steps name: binary ones for the bits, one
  /// for each repetition, gaps between them.
  bool deriveSystem(unsigned o) {
    int64_t size = outs[o].size;
    StringRef name = layoutDimName(outs[o].dim);
    if (size < 1 || size > kMaxIndexSize)
      return fail("size of output '" + name + "' is out of range");
    std::map<int64_t, int64_t> radixAt;
    uint64_t bits = 0;
    for (const LinearLayout::Input &in : ins)
      for (const LinearLayout::Digit &digit : in.digits)
        if (digit.isXor)
          bits |= digit.steps[o];
    for (; bits != 0; bits &= bits - 1)
      radixAt.emplace(int64_t(1) << countr_zero(bits), 2);
    for (const LinearLayout::Input &in : ins)
      for (const LinearLayout::Digit &digit : in.digits)
        if (!digit.isXor && digit.radix > 1 && digit.steps[o] != 0 &&
            !radixAt.emplace(digit.steps[o], digit.radix).second)
          return fail("two digits move output '" + name + "' by " +
                      Twine(digit.steps[o]));
    SmallVectorImpl<int64_t> &radices = form.outs[o].radices;
    int64_t weight = 1;
    for (auto [step, radix] : radixAt) {
      if (step % weight != 0)
        return fail("step " + Twine(step) + " of output '" + name +
                    "' is no multiple of the " + Twine(weight) +
                    " values inside it");
      if (step != weight)
        radices.push_back(step / weight);
      if (step >= size || radix > size / step)
        return fail("step " + Twine(step) + " leaves output '" + name +
                    "' of size " + Twine(size));
      radices.push_back(radix);
      weight = step * radix;
    }
    if (size % weight != 0)
      return fail("size " + Twine(size) + " of output '" + name +
                  "' is no multiple of the " + Twine(weight) +
                  " values inside it");
    if (size != weight)
      radices.push_back(size / weight);
    return true;
  }

  bool takeSystem(unsigned o) {
    int64_t size = 1;
    for (int64_t radix : outs[o].radices) {
      if (radix < 1 || radix > kMaxIndexSize / size)
        return fail("size of output '" + layoutDimName(outs[o].dim) +
                    "' is out of range");
      size *= radix;
      if (radix != 1)
        form.outs[o].radices.push_back(radix);
    }
    return true;
  }

  /// Index of the place with this place value.
  std::optional<unsigned> placeAt(unsigned o, int64_t step) {
    int64_t weight = 1;
    for (auto [p, radix] : enumerate(form.outs[o].radices)) {
      if (weight == step)
        return p;
      weight *= radix;
    }
    return std::nullopt;
  }

  bool addDigit(FormIn &in, const LinearLayout::Digit &digit) {
    FormDigit result{digit.radix, {}};
    if (digit.radix > 1) {
      for (auto [o, step] : enumerate(digit.steps)) {
        if (step == 0)
          continue;
        StringRef name = layoutDimName(outs[o].dim);
        if (!digit.isXor) {
          auto p = placeAt(o, step);
          if (!p || form.outs[o].radices[*p] != digit.radix)
            return fail("the numeral system of output '" + name +
                        "' has no digit of radix " + Twine(digit.radix) +
                        " at " + Twine(step));
          Place place{unsigned(o), *p};
          if (!taken.emplace(place, true).second)
            return fail("two digits move output '" + name + "' by " +
                        Twine(step));
          result.to.push_back(place);
          continue;
        }
        int64_t rest = step;
        for (auto [p, radix] : enumerate(form.outs[o].radices)) {
          int64_t value = rest % radix;
          rest /= radix;
          if (value == 0)
            continue;
          Place place{unsigned(o), unsigned(p)};
          auto entry = taken.emplace(place, false).first;
          if (value != 1 || radix != 2 || entry->second)
            return fail("step " + Twine(step) +
                        " of a bit needs binary digits "
                        "of output '" +
                        name + "' that it does not have");
          result.to.push_back(place);
        }
        if (rest != 0)
          return fail("step " + Twine(step) + " leaves output '" + name +
                      "' of size " + Twine(form.outs[o].size()));
      }
    }
    in.digits.push_back(std::move(result));
    return true;
  }

  ArrayRef<LinearLayout::Input> ins;
  ArrayRef<LinearLayout::Output> outs;
  /// Places used so far; true for those of repetitions.
  std::map<Place, bool> taken;
};
} // namespace

std::optional<LinearLayout> LinearLayout::fromDigits(ArrayRef<Input> ins,
                                                     ArrayRef<Output> outs,
                                                     std::string *error) {
  FormBuilder builder(ins, outs);
  if (builder.build())
    return LinearLayout(std::move(builder.form));
  if (error)
    *error = builder.error;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

void LinearLayout::print(raw_ostream &os) const {
  std::vector<Input> ins;
  for (LayoutDim in : inDims())
    ins.push_back({in, digits(in)});
  std::vector<Output> outs;
  for (LayoutDim out : outDims())
    outs.push_back({out, outSize(out), {}});
  auto byIntegers = fromDigits(ins, outs);
  bool systems = !byIntegers || *byIntegers != *this;

  ListSeparator semicolon("; ");
  for (const Input &in : ins) {
    os << semicolon << layoutDimName(in.dim) << ':';
    for (const Digit &digit : in.digits) {
      if (digit.isXor)
        os << " x[";
      else
        os << ' ' << digit.radix << "*[";
      interleave(digit.steps, os, ",");
      os << ']';
    }
  }
  os << (ins.empty() ? "-> [" : " -> [");
  bool named = false;
  for (auto [o, out] : enumerate(outs))
    named |= out.dim != tileDim(o) || o >= kMaxTileRank;
  ListSeparator comma;
  for (auto [o, out] : enumerate(outs)) {
    os << comma;
    if (named)
      os << layoutDimName(out.dim) << ": ";
    if (systems && out.size != 1)
      interleave(form().outs[o].radices, os, "*");
    else
      os << out.size;
  }
  os << ']';
}

std::string LinearLayout::str() const {
  std::string text;
  raw_string_ostream os(text);
  print(os);
  return text;
}

raw_ostream &operator<<(raw_ostream &os, const LinearLayout &layout) {
  layout.print(os);
  return os;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
class Parser {
public:
  explicit Parser(StringRef text) : text(text), rest(text) {}

  bool parse() {
    // Digits are read before the number of outputs is known; fromDigits
    // compares the counts.
    if (!accept("->")) {
      do {
        if (!parseInput())
          return false;
      } while (accept(";"));
      if (!accept("->"))
        return fail("expected ';' or '->'");
    }
    if (!accept("["))
      return fail("expected '['");
    if (!accept("]")) {
      do {
        if (!parseOutput())
          return false;
      } while (accept(","));
      if (!accept("]"))
        return fail("expected ',' or ']'");
    }
    rest = rest.ltrim();
    return rest.empty() || fail("unexpected text behind the layout");
  }

  std::vector<LinearLayout::Input> ins;
  std::vector<LinearLayout::Output> outs;
  std::string error;

private:
  bool fail(const Twine &message) {
    error =
        (message + " at column " + Twine(text.size() - rest.size() + 1)).str();
    return false;
  }

  bool accept(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }

  bool parseNumber(int64_t &value) {
    rest = rest.ltrim();
    uint64_t number;
    StringRef before = rest;
    if (rest.empty() || !isDigit(rest.front()) ||
        rest.consumeInteger(10, number) || number > uint64_t(kMaxIndexSize)) {
      rest = before;
      return fail("expected a number up to 2^40");
    }
    value = number;
    return true;
  }

  std::optional<LayoutDim> acceptName() {
    rest = rest.ltrim();
    StringRef name = rest.take_while(isAlnum);
    std::optional<LayoutDim> dim = parseLayoutDim(name);
    if (dim)
      rest = rest.drop_front(name.size());
    return dim;
  }

  bool parseInput() {
    auto dim = acceptName();
    if (!dim)
      return fail("expected the name of an input");
    if (!accept(":"))
      return fail("expected ':'");
    LinearLayout::Input &in = ins.emplace_back();
    in.dim = *dim;
    while (true) {
      rest = rest.ltrim();
      LinearLayout::Digit digit;
      if (accept("x"))
        digit.isXor = true;
      else if (rest.empty() || !isDigit(rest.front()))
        return true;
      else if (!parseNumber(digit.radix))
        return false;
      else if (!accept("*"))
        return fail("expected '*'");
      if (!accept("["))
        return fail("expected '['");
      if (!accept("]")) {
        do {
          if (!parseNumber(digit.steps.emplace_back()))
            return false;
        } while (accept(","));
        if (!accept("]"))
          return fail("expected ',' or ']'");
      }
      in.digits.push_back(std::move(digit));
    }
  }

  bool parseOutput() {
    LinearLayout::Output out;
    if (auto dim = acceptName()) {
      out.dim = *dim;
      if (!accept(":"))
        return fail("expected ':'");
    } else {
      if (outs.size() >= kMaxTileRank)
        return fail("a tile has at most " + Twine(kMaxTileRank) +
                    " coordinates");
      out.dim = tileDim(outs.size());
    }
    if (!parseNumber(out.size))
      return false;
    if (accept("*")) {
      out.radices.push_back(out.size);
      do {
        if (!parseNumber(out.radices.emplace_back()))
          return false;
      } while (accept("*"));
    }
    outs.push_back(std::move(out));
    return true;
  }

  StringRef text, rest;
};
} // namespace

std::optional<LinearLayout> LinearLayout::parse(StringRef text,
                                                std::string *error) {
  Parser parser(text);
  if (!parser.parse()) {
    if (error)
      *error = parser.error;
    return std::nullopt;
  }
  return fromDigits(parser.ins, parser.outs, error);
}

} // namespace fusion
