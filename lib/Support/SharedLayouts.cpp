//===- SharedLayouts.cpp - Swizzled buffers and copies into them ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Support/TileLayouts.h"

#include "fusion/Target/Chips/Hardware.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>
#include <tuple>

using namespace llvm;

namespace fusion {

using D = LayoutDim;

static LinearLayout identity(D in, D out, int64_t size) {
  return LinearLayout::identity(in, out, size);
}

//===----------------------------------------------------------------------===//
// Panels
//===----------------------------------------------------------------------===//

std::optional<PanelShape> panelShape(int64_t cols, int64_t elementBytes) {
  if (elementBytes < 1 || elementBytes > 16 || !isPowerOf2_64(elementBytes) ||
      cols < 1 || cols * elementBytes % 16 != 0)
    return std::nullopt;
  PanelShape shape;
  shape.units = cols * elementBytes / 16;
  shape.panelUnits = std::gcd(shape.units, int64_t(8));
  shape.panels = shape.units / shape.panelUnits;
  return shape;
}

/// Returns by how many positions an order rotates the bits of a row.
static unsigned turned(PanelOrder order) {
  return order == PanelOrder::Pairs ? 1 : order == PanelOrder::Quads ? 2 : 0;
}

/// Returns the row bits, from the lowest bit of a place on, that an order
/// permutes.
static ArrayRef<unsigned> bitsOfPlace(PanelOrder order) {
  static constexpr unsigned plain[] = {0, 1, 2}, alternating[] = {0, 2, 3, 1};
  if (order == PanelOrder::Alternating)
    return alternating;
  return plain;
}

/// (Dim0 = place, Dim1 = unit) -> (Dim0 = row, Dim1 = unit), for a multiple of
/// the rows that are exchanged.
static LinearLayout rowsOfPlaces(int64_t rows, int64_t units,
                                 PanelOrder order) {
  LinearLayout::Bases bases;
  for (unsigned bit : bitsOfPlace(order))
    bases.push_back({int64_t(1) << bit});
  int64_t exchanged = int64_t(1) << bases.size();
  return LinearLayout::fromBits({{D::Dim0, bases}}, {{D::Dim0, exchanged}}) *
         identity(D::Dim0, D::Dim0, rows / exchanged) *
         identity(D::Dim1, D::Dim1, units);
}

/// One panel in units: Offset -> (Dim0 = row, Dim1 = unit), or two, of which
/// the second has neighbouring units exchanged. Rows and units must not cut the
/// swizzle's bits.
static LinearLayout onePanel(int64_t rows, int64_t panelUnits,
                             PanelOrder order = PanelOrder::Plain,
                             bool isDouble = false) {
  unsigned unitBits = Log2_64(panelUnits), shift = 3 - unitBits;
  // The low row bits. The bits of a row that the swizzle uses change the unit,
  // too.
  LinearLayout::Bases bases;
  for (unsigned b = 0; b < unitBits; ++b)
    bases.push_back({0, int64_t(1) << b});
  ArrayRef<unsigned> bits = bitsOfPlace(order);
  int64_t lowRows = std::gcd(rows, int64_t(1) << bits.size());
  auto moved = [&](unsigned b) -> int64_t {
    if (b < shift || b >= 3)
      return 0;
    return int64_t(1) << (b - shift + turned(order)) % unitBits;
  };
  for (unsigned b = 0; b < Log2_64(lowRows); ++b)
    bases.push_back({int64_t(1) << bits[b], moved(b)});
  if (isDouble)
    bases.push_back({0, panelUnits | 1});
  return LinearLayout::fromBits(
             {{D::Offset, bases}},
             {{D::Dim0, lowRows}, {D::Dim1, panelUnits << isDouble}}) *
         identity(D::Offset, D::Dim0, rows / lowRows);
}

/// Returns whether the XORed bits of a row are digits of it.
static bool swizzleFits(int64_t rows, int64_t panelUnits, PanelOrder order) {
  if (order == PanelOrder::Alternating)
    return rows >= 1 && rows % 16 == 0;
  return rows >= 1 && (panelUnits == 1 || rows % 8 == 0 || rows == 1 ||
                       rows == 2 || rows == 4);
}

std::optional<LinearLayout> sharedPanels(int64_t rows, int64_t cols,
                                         int64_t elementBytes,
                                         PanelOrder order) {
  auto shape = panelShape(cols, elementBytes);
  if (!shape || !swizzleFits(rows, shape->panelUnits, order))
    return std::nullopt;
  bool isDouble = order == PanelOrder::Pairs && shape->panels % 2 == 0;
  return identity(D::Offset, D::Dim1, 16 / elementBytes) *
         onePanel(rows, shape->panelUnits, order, isDouble) *
         identity(D::Offset, D::Dim1, shape->panels >> isDouble);
}

std::optional<PanelOrder> panelOrder(const LinearLayout &layout, int64_t rows,
                                     int64_t cols, int64_t elementBytes) {
  for (PanelOrder order : {PanelOrder::Plain, PanelOrder::Pairs,
                           PanelOrder::Quads, PanelOrder::Alternating})
    if (sharedPanels(rows, cols, elementBytes, order) == layout)
      return order;
  return std::nullopt;
}

std::optional<BoxShape> boxShape(int64_t rows, int64_t cols,
                                 int64_t elementBytes) {
  constexpr int64_t repeated = 8;
  auto panel = panelShape(cols, elementBytes);
  if (!panel || rows < 1 || rows % repeated != 0)
    return std::nullopt;
  int64_t groups = rows / repeated, boxes = divideCeil(rows, kMaxOfBox);
  while (groups % boxes != 0)
    ++boxes;
  BoxShape shape;
  shape.rows = rows / boxes;
  shape.columns = panel->panelBytes() / elementBytes;
  shape.rowBoxes = boxes;
  shape.panels = panel->panels;
  shape.swizzleBytes = panel->panelUnits > 1 ? panel->panelBytes() : 0;
  shape.boxBytes = shape.rows * panel->panelBytes();
  return shape;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

bool CopyAssignment::active(int64_t iteration, int64_t lane,
                            int64_t warp) const {
  auto at = chunks.coords(iteration, lane, warp);
  return at[0] < rows && at[1] < units;
}

AddressPlan CopyAssignment::destination(int64_t elementBytes) const {
  // Rows beyond the tile would run into the next panel. So the panel is an
  // output of its own, Dim2, whose stride is that of the unpadded panel.
  int64_t paddedRows = chunks.outSize(D::Dim0);
  int64_t paddedPanels = chunks.outSize(D::Dim1) / panel.panelUnits;
  LinearLayout stored = onePanel(paddedRows, panel.panelUnits, order) *
                        identity(D::Dim2, D::Dim1, paddedPanels);
  auto offsets = compose(chunks, *stored.invert());
  assert(offsets && "rows of a copy keep the bits of the swizzle apart");
  int64_t unit = 16 / elementBytes;
  auto plan = planAddresses(
      *offsets, {{D::Offset, unit}, {D::Dim2, rows * panel.panelUnits * unit}});
  assert(plan && "the swizzle is an XOR of powers of two");
  return *plan;
}

namespace {
/// How the lines of a buffer are divided over lanes, warps and iterations. The
/// lines are panels x groups (of 8 / p rows); a warp accesses four at a time.
struct Split {
  int64_t lanePanels, laneGroups;
  int64_t warpPanels, warpGroups;
  int64_t panelIterations, groupIterations;
  /// A factor of the groups' iterations that is placed below the odd factor of
  /// the warps: the swizzle needs the low bits of a row to be digits.
  int64_t innerIterations;

  int64_t iterations() const { return panelIterations * groupIterations; }
};
} // namespace

/// Divides the lines. `exchanged`: rows whose bits must be digits.
static Split splitLines(const PanelShape &panel, int64_t rows, int64_t warps,
                        int64_t exchanged) {
  int64_t rowsPerGroup = 8 / panel.panelUnits;
  int64_t groups = divideCeil(rows, rowsPerGroup);
  std::optional<Split> best;
  // Fewest iterations; then no iteration that ends beyond the last panel; then
  // the longest run along a row of the tile.
  auto rank = [&](const Split &split) {
    int64_t run = split.lanePanels * split.warpPanels;
    return std::make_tuple(split.iterations(), panel.panels % run != 0,
                           -split.lanePanels, -run);
  };
  for (int64_t lanePanels : {1, 2, 4}) {
    for (int64_t warpPanels = 1; warpPanels <= warps; ++warpPanels) {
      if (warps % warpPanels != 0)
        continue;
      Split split;
      split.lanePanels = lanePanels;
      split.laneGroups = 4 / lanePanels;
      split.warpPanels = warpPanels;
      split.warpGroups = warps / warpPanels;
      split.panelIterations = divideCeil(panel.panels, lanePanels * warpPanels);
      split.groupIterations =
          divideCeil(groups, split.laneGroups * split.warpGroups);
      split.innerIterations = 1;
      int64_t binary = int64_t(1) << countr_zero(uint64_t(split.warpGroups));
      if (binary != split.warpGroups &&
          (panel.panelUnits > 1 || exchanged > 8)) {
        int64_t lowRows = rowsPerGroup * split.laneGroups * binary;
        split.innerIterations = exchanged / std::gcd(lowRows, exchanged);
        split.groupIterations =
            alignTo(split.groupIterations, split.innerIterations);
      }
      if (!best || rank(split) < rank(*best))
        best = split;
    }
  }
  return *best;
}

std::optional<CopyAssignment> copyAssignment(int64_t rows, int64_t cols,
                                             int64_t elementBytes,
                                             int64_t threads,
                                             PanelOrder order) {
  auto panel = panelShape(cols, elementBytes);
  if (!panel || !swizzleFits(rows, panel->panelUnits, order) ||
      threads < kWarpSize || threads % kWarpSize != 0)
    return std::nullopt;
  int64_t p = panel->panelUnits, warps = threads / kWarpSize;
  int64_t exchanged = int64_t(1) << bitsOfPlace(order).size();
  Split split = splitLines(*panel, rows, warps, exchanged);
  int64_t binary = int64_t(1) << countr_zero(uint64_t(split.warpGroups));

  CopyAssignment copy;
  copy.chunks = identity(D::Lane, D::Dim1, p) *
                identity(D::Lane, D::Dim0, 8 / p) *
                identity(D::Lane, D::Dim1, split.lanePanels) *
                identity(D::Lane, D::Dim0, split.laneGroups) *
                identity(D::Warp, D::Dim1, split.warpPanels) *
                identity(D::Warp, D::Dim0, binary) *
                identity(D::Register, D::Dim0, split.innerIterations) *
                identity(D::Warp, D::Dim0, split.warpGroups / binary) *
                identity(D::Register, D::Dim1, split.panelIterations) *
                identity(D::Register, D::Dim0,
                         split.groupIterations / split.innerIterations);
  // Replace the places among the chunks' coordinates by rows.
  if (order == PanelOrder::Alternating) {
    auto placed =
        compose(copy.chunks, rowsOfPlaces(copy.chunks.outSize(D::Dim0),
                                          copy.chunks.outSize(D::Dim1), order));
    assert(placed && "the bits that are exchanged are digits");
    copy.chunks = *placed;
  }
  copy.order = order;
  copy.rows = rows;
  copy.units = panel->units;
  copy.panel = *panel;
  copy.iterations = split.iterations();
  for (int64_t i = 0; i < copy.iterations; ++i) {
    bool full = true;
    for (int64_t w = 0; w < warps; ++w)
      for (int64_t l = 0; l < kWarpSize; ++l)
        full &= copy.active(i, l, w);
    copy.full.push_back(full);
  }
  return copy;
}

} // namespace fusion
