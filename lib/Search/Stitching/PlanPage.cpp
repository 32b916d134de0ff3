//===- PlanPage.cpp - A partition as a page -------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Stitching/PlanPage.h"
#include "llvm/Support/FormatVariadic.h"

using namespace fusion;

namespace {

constexpr llvm::StringLiteral head = R"html(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Kernels</title>
<style>
body { font: 14px/1.4 system-ui, sans-serif; margin: 2em; color: #222; }
table { border-collapse: collapse; margin: 1em 0; } td, th { padding: .2em .7em; text-align: right; }
th { border-bottom: 1px solid #999; } td:first-child, th:first-child, td.text { text-align: left; }
svg text { font: 11px system-ui, sans-serif; } h2 { margin-top: 2em; } .graph { overflow: auto; border: 1px solid #ddd; }
</style></head><body><h1>Kernels</h1><div id="plan"></div>
<script type="application/json" id="data">)html";

// Kernels are drawn in layers, each below all kernels that it depends on, and
// so are the operators of a kernel.
constexpr llvm::StringLiteral tail = R"html(</script>
<script>
const report = JSON.parse(document.getElementById('data').textContent);
const root = document.getElementById('plan');
const colours = {light: '#76b7b2', expensive: '#e0a030', reduction: '#b05060', alone: '#999', other: '#4878a8'};
const nodeWidth = 118, nodeHeight = 20, gap = 14, layerGap = 46;
function add(parent, tag, attributes, text) {
  const svg = ['svg', 'g', 'rect', 'line', 'text', 'path', 'title'].includes(tag);
  const node = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  parent.appendChild(node);
  return node;
}
// The layer of each of `count` things, of which before(i) names those it waits for.
function layers(count, before) {
  const layer = new Array(count).fill(-1);
  const of = i => {
    if (layer[i] < 0) { layer[i] = 0; layer[i] = Math.max(0, ...before(i).map(j => of(j) + 1)); }
    return layer[i];
  };
  for (let i = 0; i < count; ++i) of(i);
  return layer;
}
function rowsOf(layer) {
  const rows = [];
  layer.forEach((level, i) => (rows[level] = rows[level] || []).push(i));
  return rows;
}
function draw(parent, f) {
  const kernelOf = [];
  f.kernels.forEach((kernel, k) => kernel.vertices.forEach(v => kernelOf[v] = k));
  const boxes = f.kernels.map((kernel, k) => {
    const place = new Map(kernel.vertices.map((v, i) => [v, i]));
    const rows = rowsOf(layers(kernel.vertices.length, i =>
        f.vertices[kernel.vertices[i]].inputs.map(e => e.from).filter(v => place.has(v)).map(v => place.get(v))));
    const widest = Math.max(...rows.map(row => row.length));
    return {rows, width: widest * (nodeWidth + gap) + gap, height: rows.length * (nodeHeight + gap) + gap + 14};
  });
  const before = k => [...new Set(f.kernels[k].vertices.flatMap(v => f.vertices[v].inputs.map(e => kernelOf[e.from])))].filter(j => j !== k);
  const rows = rowsOf(layers(f.kernels.length, before));
  // Each kernel near the middle of those it reads from.
  const centre = [], at = [];
  let y = 10, widest = 0;
  for (const row of rows) {
    row.sort((a, b) => {
      const mean = k => { const from = before(k).map(j => centre[j]).filter(x => x !== undefined); return from.length ? from.reduce((s, x) => s + x, 0) / from.length : 0; };
      return mean(a) - mean(b) || a - b;
    });
    let x = 10;
    for (const k of row) {
      boxes[k].x = x; boxes[k].y = y; centre[k] = x + boxes[k].width / 2;
      x += boxes[k].width + 2 * gap;
    }
    widest = Math.max(widest, x);
    y += Math.max(...row.map(k => boxes[k].height)) + layerGap;
  }
  boxes.forEach((box, k) => box.rows.forEach((row, level) => row.forEach((i, column) => {
    at[f.kernels[k].vertices[i]] = {x: box.x + gap + column * (nodeWidth + gap), y: box.y + 18 + gap / 2 + level * (nodeHeight + gap)};
  })));
  const svg = add(add(parent, 'div', {class: 'graph'}), 'svg', {width: widest + 20, height: y});
  boxes.forEach((box, k) => {
    const kernel = f.kernels[k], group = add(svg, 'g');
    // A reshape is somebody else's bytes.
    const isNone = kernel.predicted_us === null && kernel.bytes === 0;
    add(group, 'rect', {x: box.x, y: box.y, width: box.width, height: box.height, rx: 6, fill: '#f4f4f4',
        stroke: kernel.vertices.length > 1 ? '#333' : '#bbb', 'stroke-dasharray': isNone ? '4' : 'none'});
    add(group, 'text', {x: box.x + 6, y: box.y + 13}, isNone ? 'no kernel' : kernel.predicted_us === null ? '' :
        (kernel.bytes / 1e6).toFixed(2) + ' MB, ' + kernel.predicted_us.toFixed(1) + ' us' + (kernel.forced ? ', forced' : ''));
  });
  const why = new Map(f.boundaries.map(b => [b.maker + ':' + b.reader, b.why]));
  f.vertices.forEach((vertex, v) => vertex.inputs.forEach(edge => {
    const a = at[edge.from], b = at[v], reason = why.get(kernelOf[edge.from] + ':' + kernelOf[v]);
    const x0 = a.x + nodeWidth / 2, y0 = a.y + nodeHeight, x1 = b.x + nodeWidth / 2, y1 = b.y, middle = (y0 + y1) / 2;
    const path = add(svg, 'path', {d: `M${x0} ${y0} C${x0} ${middle} ${x1} ${middle} ${x1} ${y1}`, fill: 'none',
        stroke: kernelOf[edge.from] === kernelOf[v] ? '#555' : reason ? '#b05060' : '#4878a8',
        'stroke-width': Math.max(1, Math.min(6, Math.log10(1 + edge.bytes) - 3))});
    add(path, 'title', {}, edge.bytes.toLocaleString('en') + ' bytes' + (reason ? ': ' + reason : ''));
  }));
  f.vertices.forEach((vertex, v) => {
    const node = add(svg, 'g');
    add(node, 'rect', {x: at[v].x, y: at[v].y, width: nodeWidth, height: nodeHeight, rx: 3, fill: colours[vertex.kind], 'fill-opacity': .45, stroke: colours[vertex.kind]});
    const label = vertex.body || vertex.name;
    add(node, 'text', {x: at[v].x + 4, y: at[v].y + 14}, label.length > 19 ? label.slice(0, 18) + '…' : label);
    add(node, 'title', {}, `${vertex.name} (${vertex.kind}), ${vertex.place}: ${vertex.body}; result of ${vertex.result_bytes.toLocaleString('en')} bytes` + (vertex.escapes ? ', returned' : ''));
  });
}
function table(parent, columns, rows) {
  const node = add(parent, 'table'), header = add(node, 'tr');
  columns.forEach(column => add(header, 'th', {}, column));
  rows.forEach(row => {
    const line = add(node, 'tr');
    row.forEach(cell => add(line, 'td', typeof cell === 'string' ? {class: 'text'} : {}, cell));
  });
}
const counted = (count, what) => `${count} ${what}${count === 1 ? '' : 's'}`;
add(root, 'p', {}, `Chip: ${report.chip}. Times are predictions. Boxes are kernels but dashed ones, which move nothing; lines are values, red ones between stitched kernels: ` +
    'rest the pointer on them to see why they are apart. Nodes: ' + Object.keys(colours).join(', ') + '.');
const legend = add(root, 'svg', {width: 620, height: 24});
Object.entries(colours).forEach(([kind, colour], i) => {
  add(legend, 'rect', {x: 120 * i, y: 4, width: 14, height: 14, fill: colour});
  add(legend, 'text', {x: 120 * i + 19, y: 15}, kind);
});
for (const f of report.functions) {
  add(root, 'h2', {}, f.name);
  add(root, 'p', {}, `${counted(f.total.kernels, 'kernel')}, predicted ${f.total.predicted_us.toFixed(2)} us: ${counted(f.chains.length, 'chain')} of contractions, ` +
      `${counted(f.chosen.kernels, 'kernel')} of the other operators` +
      (f.total.without_prediction ? `, ${counted(f.total.without_prediction, 'contraction')} in the generic form, without a prediction` : '') + '.');
  draw(root, f);
  if (f.chains.length)
    table(root, ['chain', 'contractions', 'predicted, us', 'contractions separately, us', ''],
        f.chains.map(c => [c.place, c.products, c.predicted_us.toFixed(2), c.apart_us === null ? 'generic form' : c.apart_us.toFixed(2),
            c.forced ? 'forced: more than several kernels are predicted to take' : '']));
  // Without such operators there is nothing to choose.
  if (f.chosen.kernels) {
    add(root, 'p', {}, 'Kernels of the operators that are in no chain, by strategy; the strategies apart and greedy have those of the chains, too, except contractions:');
    table(root, ['strategy', 'kernels', 'compulsory bytes', 'predicted, us', 'patterns scored'],
          [['chosen', f.chosen], ...Object.entries(f.plans)].map(([name, p]) =>
              [name, p.kernels, p.bytes.toLocaleString('en'), p.predicted_us.toFixed(2), p.patterns_scored]));
  }
  const name = k => f.kernels[k].vertices.map(v => f.vertices[v].place).filter((p, i, all) => all.indexOf(p) === i).join(', ');
  if (f.boundaries.length)
    table(root, ['kernel', '', 'kernel', 'why they are two'],
      f.boundaries.map(b => [name(b.reader), b.shares_only ? 'reads what is read by' : 'reads the values of', name(b.maker), b.why]));
}
</script></body></html>
)html";

} // namespace

std::string fusion::renderPlan(const llvm::json::Value &report) {
  std::string data = llvm::formatv("{0}", report).str();
  // "</" inside of a string would end the script.
  std::string safe;
  for (char c : data) {
    safe += c;
    if (c == '<')
      safe.back() = '\\', safe += "u003c";
  }
  return (head + safe + tail).str();
}
