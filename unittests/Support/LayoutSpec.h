//===- LayoutSpec.h - Layouts by definition, for tests ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layout written down as in the definition (radices of every index, places
// every input digit goes to), evaluated digit by digit without the library;
// all layouts of given sizes; random ones.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_UNITTESTS_SUPPORT_LAYOUTSPEC_H
#define FUSION_UNITTESTS_SUPPORT_LAYOUTSPEC_H

#include "fusion/Support/LinearLayout.h"
#include "llvm/Support/ErrorHandling.h"

#include <functional>
#include <random>
#include <vector>

namespace fusion::test {

using NamedSizes = std::vector<std::pair<LayoutDim, int64_t>>;

struct Spec {
  struct Target {
    unsigned out, pos;
  };
  struct In {
    LayoutDim dim;
    std::vector<int64_t> radices;
    std::vector<std::vector<Target>> targets; // per digit
  };
  struct Out {
    LayoutDim dim;
    std::vector<int64_t> radices;
  };
  std::vector<In> ins;
  std::vector<Out> outs;

  static int64_t product(const std::vector<int64_t> &radices) {
    int64_t size = 1;
    for (int64_t radix : radices)
      size *= radix;
    return size;
  }

  /// Values of the outputs for values of the inputs, both in order.
  std::vector<int64_t> evaluate(std::vector<int64_t> inputs) const {
    std::vector<std::vector<int64_t>> digits;
    for (const Out &out : outs)
      digits.emplace_back(out.radices.size(), 0);
    for (size_t i = 0; i < ins.size(); ++i) {
      for (size_t d = 0; d < ins[i].radices.size(); ++d) {
        int64_t radix = ins[i].radices[d], digit = inputs[i] % radix;
        inputs[i] /= radix;
        for (Target t : ins[i].targets[d]) {
          int64_t &place = digits[t.out][t.pos];
          place = radix == 2 ? (place ^ digit) : digit;
        }
      }
    }
    std::vector<int64_t> values;
    for (size_t o = 0; o < outs.size(); ++o) {
      int64_t value = 0;
      for (size_t p = digits[o].size(); p-- > 0;)
        value = value * outs[o].radices[p] + digits[o][p];
      values.push_back(value);
    }
    return values;
  }

  NamedSizes inSizes() const {
    NamedSizes result;
    for (const In &in : ins)
      result.emplace_back(in.dim, product(in.radices));
    return result;
  }

  /// All values, the first input fastest: the function as a table.
  std::vector<int64_t> table() const {
    std::vector<int64_t> result;
    std::vector<int64_t> inputs(ins.size(), 0);
    while (true) {
      for (int64_t value : evaluate(inputs))
        result.push_back(value);
      size_t i = 0;
      for (; i < ins.size(); ++i) {
        if (++inputs[i] < product(ins[i].radices))
          break;
        inputs[i] = 0;
      }
      if (i == ins.size())
        return result;
    }
  }

  /// The layout, with the numeral systems spelled out.
  LinearLayout layout() const {
    std::vector<LinearLayout::Input> inputs;
    std::vector<LinearLayout::Output> outputs;
    for (const Out &out : outs) {
      outputs.push_back({out.dim, product(out.radices), {}});
      outputs.back().radices.append(out.radices.begin(), out.radices.end());
    }
    for (const In &in : ins) {
      inputs.push_back({in.dim, {}});
      for (size_t d = 0; d < in.radices.size(); ++d) {
        LinearLayout::Digit digit;
        digit.radix = in.radices[d];
        digit.isXor = digit.radix == 2;
        digit.steps.assign(outs.size(), 0);
        for (Target t : in.targets[d]) {
          int64_t weight = 1;
          for (unsigned p = 0; p < t.pos; ++p)
            weight *= outs[t.out].radices[p];
          digit.steps[t.out] += weight;
        }
        inputs.back().digits.push_back(std::move(digit));
      }
    }
    std::string error;
    auto result = LinearLayout::fromDigits(inputs, outputs, &error);
    if (!result)
      llvm::report_fatal_error(llvm::StringRef("the test's layout: " + error));
    return *result;
  }
};

/// The function of a layout as a table, first input fastest.
inline std::vector<int64_t> tableOf(const LinearLayout &layout,
                                    const NamedSizes &ins,
                                    const std::vector<LayoutDim> &outs) {
  std::vector<int64_t> result;
  llvm::SmallVector<LinearLayout::IndexValue> inputs;
  for (auto [dim, size] : ins)
    inputs.emplace_back(dim, 0);
  while (true) {
    auto values = layout.apply(inputs);
    for (LayoutDim out : outs)
      for (auto [dim, value] : values)
        if (dim == out)
          result.push_back(value);
    size_t i = 0;
    for (; i < ins.size(); ++i) {
      if (++inputs[i].second < ins[i].second)
        break;
      inputs[i].second = 0;
    }
    if (i == ins.size())
      return result;
  }
}

/// Ordered factorisations: 6 = 6, 2*3, 3*2.
inline std::vector<std::vector<int64_t>> factorisations(int64_t size) {
  if (size == 1)
    return {{}};
  std::vector<std::vector<int64_t>> result;
  for (int64_t first = 2; first <= size; ++first) {
    if (size % first != 0)
      continue;
    for (std::vector<int64_t> rest : factorisations(size / first)) {
      rest.insert(rest.begin(), first);
      result.push_back(rest);
    }
  }
  return result;
}

/// Calls back with every layout with inputs and outputs of the given sizes, in
/// every way to write it.
class AllSpecs {
public:
  AllSpecs(NamedSizes ins, NamedSizes outs,
           std::function<void(const Spec &)> callback)
      : ins(std::move(ins)), outs(std::move(outs)),
        callback(std::move(callback)) {
    chooseIn(0);
  }

private:
  void chooseIn(size_t i) {
    if (i == ins.size())
      return chooseOut(0);
    for (auto &radices : factorisations(ins[i].second)) {
      spec.ins.push_back({ins[i].first, radices, {}});
      spec.ins.back().targets.resize(radices.size());
      chooseIn(i + 1);
      spec.ins.pop_back();
    }
  }

  void chooseOut(size_t o) {
    if (o == outs.size()) {
      taken.clear();
      for (const Spec::Out &out : spec.outs)
        taken.emplace_back(out.radices.size(), false);
      return chooseTargets(0, 0);
    }
    for (auto &radices : factorisations(outs[o].second)) {
      spec.outs.push_back({outs[o].first, radices});
      chooseOut(o + 1);
      spec.outs.pop_back();
    }
  }

  void chooseTargets(size_t i, size_t d) {
    if (i == spec.ins.size())
      return callback(spec);
    if (d == spec.ins[i].radices.size())
      return chooseTargets(i + 1, 0);
    int64_t radix = spec.ins[i].radices[d];
    std::vector<Spec::Target> candidates;
    for (unsigned o = 0; o < spec.outs.size(); ++o)
      for (unsigned p = 0; p < spec.outs[o].radices.size(); ++p)
        if (spec.outs[o].radices[p] == radix && !taken[o][p])
          candidates.push_back({o, p});
    if (radix == 2) {
      for (unsigned set = 0; set < (1u << candidates.size()); ++set) {
        spec.ins[i].targets[d].clear();
        for (unsigned b = 0; b < candidates.size(); ++b)
          if (set >> b & 1)
            spec.ins[i].targets[d].push_back(candidates[b]);
        chooseTargets(i, d + 1);
      }
    } else {
      spec.ins[i].targets[d].clear();
      chooseTargets(i, d + 1);
      for (Spec::Target t : candidates) {
        taken[t.out][t.pos] = true;
        spec.ins[i].targets[d] = {t};
        chooseTargets(i, d + 1);
        taken[t.out][t.pos] = false;
      }
    }
    spec.ins[i].targets[d].clear();
  }

  NamedSizes ins, outs;
  std::function<void(const Spec &)> callback;
  Spec spec;
  /// Places that repetitions go to.
  std::vector<std::vector<bool>> taken;
};

inline void forAllSpecs(NamedSizes ins, NamedSizes outs,
                        std::function<void(const Spec &)> callback) {
  AllSpecs(std::move(ins), std::move(outs), std::move(callback));
}

/// Random layouts, up to 400 values per side.
class RandomSpecs {
public:
  explicit RandomSpecs(unsigned seed) : engine(seed) {}

  int64_t below(int64_t n) {
    return std::uniform_int_distribution<int64_t>(0, n - 1)(engine);
  }

  /// With `bijective`, every digit has its partner and the bits are an
  /// invertible matrix.
  Spec next(std::vector<LayoutDim> ins, std::vector<LayoutDim> outs,
            bool bijective) {
    Spec spec;
    for (LayoutDim dim : ins)
      spec.ins.push_back({dim, {}, {}});
    for (LayoutDim dim : outs)
      spec.outs.push_back({dim, {}});
    static const int64_t radices[] = {2, 2, 2, 3, 4, 5, 6};
    std::vector<std::pair<unsigned, unsigned>> bits;
    std::vector<Spec::Target> binary;
    int64_t total = 1;
    for (int n = 2 + below(5); n > 0; --n) {
      int64_t radix = radices[below(7)];
      if (total * radix > 400)
        break;
      total *= radix;
      unsigned i = below(ins.size()), o = below(outs.size());
      bool both = bijective || below(4) != 0;
      bool hasIn = both || below(2), hasOut = both || !hasIn;
      unsigned d = spec.ins[i].radices.size(), p = spec.outs[o].radices.size();
      if (hasIn) {
        spec.ins[i].radices.push_back(radix);
        spec.ins[i].targets.emplace_back();
        if (hasOut)
          spec.ins[i].targets[d] = {{o, p}};
        if (radix == 2)
          bits.push_back({i, d});
      }
      if (hasOut) {
        spec.outs[o].radices.push_back(radix);
        if (radix == 2)
          binary.push_back({o, p});
      }
    }
    auto toggle = [](std::vector<Spec::Target> &targets, Spec::Target t) {
      for (size_t k = 0; k < targets.size(); ++k)
        if (targets[k].out == t.out && targets[k].pos == t.pos) {
          targets.erase(targets.begin() + k);
          return;
        }
      targets.push_back(t);
    };
    if (bits.size() >= 2 && below(3) != 0) {
      for (int n = below(8); n > 0; --n) {
        // Adding one bit's places to another's keeps a matrix invertible.
        auto [i, d] = bits[below(bits.size())];
        auto [j, e] = bits[below(bits.size())];
        if (i == j && d == e)
          continue;
        auto source = spec.ins[i].targets[d];
        for (Spec::Target t : source)
          toggle(spec.ins[j].targets[e], t);
      }
    }
    if (!bijective && !bits.empty() && !binary.empty()) {
      for (int n = below(3); n > 0; --n) {
        auto [i, d] = bits[below(bits.size())];
        toggle(spec.ins[i].targets[d], binary[below(binary.size())]);
      }
    }
    return spec;
  }

private:
  std::mt19937 engine;
};

/// The layout of a text the test knows to be right.
inline LinearLayout layoutOf(llvm::StringRef text) {
  std::string error;
  auto layout = LinearLayout::parse(text, &error);
  if (!layout)
    llvm::report_fatal_error(
        llvm::StringRef("layout '" + text.str() + "': " + error));
  return *layout;
}

} // namespace fusion::test

#endif // FUSION_UNITTESTS_SUPPORT_LAYOUTSPEC_H
