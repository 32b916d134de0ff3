//===- AddressPlan.cpp - From a layout to address arithmetic --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Support/AddressPlan.h"
#include "LinearLayoutForm.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace fusion {

using detail::FormDigit;
using detail::FormIn;
using detail::Place;

int64_t AddressPlan::evaluate(int64_t reg, int64_t lane, int64_t warp,
                              int64_t block) const {
  int64_t dynamicXor = 0, dynamicAdd = 0;
  for (const Term &term : terms) {
    int64_t index = term.input == LayoutDim::Lane   ? lane
                    : term.input == LayoutDim::Warp ? warp
                                                    : block;
    int64_t value = index / term.weight % term.radix * term.step;
    if (term.isXor)
      dynamicXor ^= value;
    else
      dynamicAdd += value;
  }
  const Constant &constant = registers[reg % registers.size()];
  return (dynamicXor ^ constant.xorPart) + dynamicAdd + constant.addPart;
}

/// Joins `next` to the term below it where one multiplication does for both.
static void addTerm(std::vector<AddressPlan::Term> &terms,
                    const AddressPlan::Term &next) {
  for (AddressPlan::Term &term : terms) {
    if (term.input != next.input || term.isXor != next.isXor ||
        term.weight * term.radix != next.weight ||
        term.step * term.radix != next.step)
      continue;
    // d * step is the XOR of its bits' steps only if these share no bit.
    if (term.isXor && !isPowerOf2_64(term.step))
      continue;
    term.radix *= next.radix;
    term.last = next.last;
    return;
  }
  terms.push_back(next);
}

std::optional<AddressPlan>
planAddresses(const LinearLayout &layout,
              ArrayRef<std::pair<LayoutDim, int64_t>> strides) {
  const detail::LayoutForm &form = layout.form();
  auto uses = form.uses();
  SmallVector<int64_t, 4> strideOf;
  for (const detail::FormOut &out : form.outs) {
    int64_t stride = strides.empty() ? 1 : 0;
    for (auto [dim, value] : strides)
      if (dim == out.dim)
        stride = value;
    strideOf.push_back(stride);
  }

  AddressPlan plan;
  // What every register digit contributes, least significant first.
  struct RegisterDigit {
    int64_t radix, xorStep, addStep;
  };
  SmallVector<RegisterDigit> registerDigits;
  for (const FormIn &in : form.ins) {
    bool isRegister = in.dim == LayoutDim::Register;
    if (!isRegister && in.dim != LayoutDim::Lane && in.dim != LayoutDim::Warp &&
        in.dim != LayoutDim::Block)
      return std::nullopt;
    int64_t weight = 1;
    for (const FormDigit &digit : in.digits) {
      int64_t xorStep = 0, addStep = 0;
      for (Place place : digit.to) {
        int64_t value =
            form.outs[place.out].weight(place.pos) * strideOf[place.out];
        if (uses[place.out][place.pos] == 1)
          addStep += value;
        else if (value != 0 && isPowerOf2_64(value))
          xorStep ^= value;
        else if (value != 0)
          return std::nullopt;
      }
      bool last = &digit == &in.digits.back();
      if (isRegister) {
        registerDigits.push_back({digit.radix, xorStep, addStep});
      } else {
        if (xorStep != 0)
          addTerm(plan.terms,
                  {in.dim, weight, digit.radix, xorStep, true, last});
        if (addStep != 0)
          addTerm(plan.terms,
                  {in.dim, weight, digit.radix, addStep, false, last});
        plan.dynamicXorMask |= xorStep;
      }
      weight *= digit.radix;
    }
  }
  // Places of different outputs must not meet in one bit of the XOR.
  int64_t seen = 0;
  for (auto [o, out] : enumerate(form.outs))
    for (unsigned p = 0; p < out.radices.size(); ++p) {
      int64_t value = out.weight(p) * strideOf[o];
      if (uses[o][p] < 2 || value == 0)
        continue;
      if (seen & value)
        return std::nullopt;
      seen |= value;
    }

  for (int64_t r = 0, e = layout.inSize(LayoutDim::Register); r < e; ++r) {
    AddressPlan::Constant constant;
    int64_t rest = r;
    for (const RegisterDigit &digit : registerDigits) {
      int64_t value = rest % digit.radix;
      rest /= digit.radix;
      if (value != 0)
        constant.xorPart ^= digit.xorStep;
      constant.addPart += value * digit.addStep;
    }
    constant.foldable = (constant.xorPart & plan.dynamicXorMask) == 0;
    plan.registers.push_back(constant);
  }
  return plan;
}

} // namespace fusion
