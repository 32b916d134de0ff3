//===- ReportPage.cpp - The report of a search as a page ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Chains/SearchReport.h"
#include "llvm/Support/FormatVariadic.h"

using namespace fusion;

namespace {

constexpr llvm::StringLiteral head = R"html(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Schedules</title>
<style>
body { font: 14px/1.4 system-ui, sans-serif; margin: 2em auto; max-width: 72em; color: #222; }
table { border-collapse: collapse; margin: 1em 0; } td, th { padding: .2em .7em; text-align: right; }
th { border-bottom: 1px solid #999; } td:first-child, th:first-child, td.text { text-align: left; }
code { font-size: 12px; } svg text { font: 11px system-ui, sans-serif; } h2 { margin-top: 2em; }
.chosen { font-weight: bold; }
</style></head><body><h1>Schedules</h1><div id="report"></div>
<script type="application/json" id="data">)html";

// Bars of one phase start together, as these costs overlap, and end with the
// longest; the next phase follows. The last one's end is the total.
constexpr llvm::StringLiteral tail = R"html(</script>
<script>
const report = JSON.parse(document.getElementById('data').textContent);
const root = document.getElementById('report');
const phases = [[['launch_us', 'launch', '#888888']],
                [['dram_us', 'DRAM', '#4878a8'], ['l2_us', 'L2', '#76b7b2'], ['shared_us', 'shared', '#e0a030'],
                 ['compute_us', 'tensor cores', '#59a14f'], ['issue_us', 'issue slots', '#8c6d46'],
                 ['pipeline_us', 'pipeline', '#b05060']],
                [['exposed_issue_us', 'exposed issue slots', '#8c6d46']],
                [['combine_us', 'combining', '#9467bd']]];
function add(parent, tag, attributes, text) {
  const svg = ['svg', 'rect', 'line', 'text', 'circle', 'path'].includes(tag);
  const node = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  parent.appendChild(node);
  return node;
}
function bars(parent, ranking) {
  const height = 14 * phases.flat().length + 10, most = Math.max(...ranking.map(r => r.cost.total_us));
  const svg = add(parent, 'svg', {width: 900, height: height * ranking.length + 30});
  ranking.forEach((entry, i) => {
    add(svg, 'text', {x: 0, y: i * height + 14}, (i + 1) + '. ' + entry.cost.total_us.toFixed(2) + ' us');
    let start = 0, y = i * height + 4;
    for (const phase of phases) {
      for (const [key, label, colour] of phase) {
        const x = 110 + 600 * start / most, width = 600 * entry.cost[key] / most;
        add(svg, 'rect', {x, y, width: Math.max(1, width), height: 11, fill: colour});
        add(svg, 'text', {x: x + width + 5, y: y + 10}, label + ' ' + entry.cost[key].toFixed(2));
        y += 14;
      }
      start += Math.max(...phase.map(([key]) => entry.cost[key]));
    }
  });
}
function roofline(parent, roof) {
  const w = 520, h = 260, left = 60, bottom = 220;
  const svg = add(parent, 'svg', {width: w, height: h});
  const xs = [0.25, 16384], ys = [roof.peak_flop_per_second / 65536, roof.peak_flop_per_second * 2];
  const x = v => left + (w - left - 20) * Math.log(v / xs[0]) / Math.log(xs[1] / xs[0]);
  const y = v => bottom - (bottom - 15) * Math.log(v / ys[0]) / Math.log(ys[1] / ys[0]);
  const ridge = roof.peak_flop_per_second / roof.dram_bytes_per_second;
  const start = Math.max(xs[0], ys[0] / roof.dram_bytes_per_second);
  add(svg, 'path', {fill: 'none', stroke: '#333', d: `M${x(start)} ${y(start * roof.dram_bytes_per_second)}` +
      ` L${x(ridge)} ${y(roof.peak_flop_per_second)} L${x(xs[1])} ${y(roof.peak_flop_per_second)}`});
  add(svg, 'line', {x1: left, y1: bottom, x2: w - 20, y2: bottom, stroke: '#999'});
  add(svg, 'line', {x1: left, y1: 15, x2: left, y2: bottom, stroke: '#999'});
  add(svg, 'circle', {cx: x(roof.flop_per_byte), cy: y(roof.flop_per_second), r: 4, fill: '#b05060'});
  add(svg, 'text', {x: x(roof.flop_per_byte) + 8, y: y(roof.flop_per_second) + 4},
      (roof.flop_per_second / 1e12).toFixed(1) + ' Tflop/s at ' + roof.flop_per_byte.toFixed(0) + ' flop per byte');
  add(svg, 'text', {x: x(ridge), y: y(roof.peak_flop_per_second) - 5}, (roof.peak_flop_per_second / 1e12).toFixed(0) + ' Tflop/s');
  add(svg, 'text', {x: left, y: h - 15}, 'flop per byte of DRAM (logarithmic) →');
}
function funnel(parent, group) {
  const used = rule => group.options.rules.includes(rule);
  const rules = [['raw', 'all'], ['after_rule1', 'duplicates removed', '1'],
                 ['after_rule2', 'one tile of intermediates', '2'], ['after_rule3', 'little padding', '3'],
                 ['after_rule4', 'fits', '4']].filter(([, , rule]) => !rule || used(rule));
  const most = Math.log(Number(group.raw) + 1);
  const svg = add(parent, 'svg', {width: 900, height: 18 * rules.length + 6});
  rules.forEach(([key, label], i) => {
    const width = 560 * Math.log(Number(group[key]) + 1) / most;
    add(svg, 'text', {x: 0, y: 18 * i + 14}, label);
    add(svg, 'rect', {x: 160, y: 18 * i + 4, width: Math.max(1, width), height: 13, fill: '#4878a8'});
    add(svg, 'text', {x: 165 + width, y: 18 * i + 14}, Number(group[key]).toLocaleString('en'));
  });
}
function table(parent, columns, rows, chosen) {
  const node = add(parent, 'table'), header = add(node, 'tr');
  columns.forEach(column => add(header, 'th', {}, column));
  rows.forEach((row, i) => {
    const line = add(node, 'tr', chosen && i === 0 ? {class: 'chosen'} : {});
    row.forEach(cell => add(line, 'td', typeof cell === 'string' ? {class: 'text'} : {}, cell));
  });
}
const list = object => Object.entries(object).map(([key, value]) => key + '=' + value).join(' ');
add(root, 'p', {}, `Chip: ${report.chip} (${report.product}). Times are predictions in microseconds.`);
for (const group of report.groups) {
  add(root, 'h2', {}, group.name);
  add(root, 'p', {}, `Axes: ${list(group.axes)}. Space ${group.space} under model ${group.model}, ${group.search} search` +
      `${group.proven ? ' to the end' : ''}. Candidates: ${group.candidates}; legal: ${group.legal}; rejected: ` +
      `${group.refused.reduce((sum, r) => sum + r.candidates, 0)}; pruned because their lower bound exceeds the best ` +
      `time: ${group.bounded}. Evaluated in addition for the rest of the ranking: ${group.ranked_from}.`);
  add(root, 'p', {}, `Options: ${list(group.options)}.`);
  add(root, 'p', {}, `Chosen: ${group.in_words}.`);
  if (group.raw) funnel(root, group);
  bars(root, group.ranking);
  // The times that ranked them get a column next to our model's times, which the bars show.
  const isOurs = group.model === 'default';
  if (!isOurs)
    add(root, 'p', {}, `Ranked by model ${group.model}; bars, loops and the roofline are by model default.`);
  table(root, ['schedule', 'tiles', 'stages', 'registers', 'warps', ...(isOurs ? [] : [`us by ${group.model}`]),
               isOurs ? 'us' : 'us by default', 'bound by', 'blocks', 'shared', 'why not'],
        group.ranking.map(r => [r.tiling, list(r.tiles), list(r.stages), list(r.register_stages), r.warps,
                                ...(isOurs ? [] : [r.model_us.toFixed(2)]), r.cost.total_us.toFixed(2), r.cost.bound,
                                r.footprint.blocks, r.footprint.shared_memory, r.why_not || 'chosen']), true);
  if (group.ranking[0].loops.length)
    table(root, ['loop', 'iterations', 'stages', 'loads, us', 'work, us', 'total, us', 'bound by'],
          group.ranking[0].loops.map(l => [l.axis, l.iterations, l.stages, l.load_us.toFixed(3),
                                           l.use_us.toFixed(3), l.total_us.toFixed(3), l.bound]));
  roofline(root, group.roofline);
  if (group.would_give.length)
    table(root, ['instead', 'us', 'gain, us', 'why not'],
          group.would_give.map(g => [g.what, g.total_us?.toFixed(2) ?? "", g.gain_us?.toFixed(2) ?? "", g.why_not]));
  if (group.refused.length)
    table(root, ['refused because', 'candidates'], group.refused.map(r => [r.reason, r.candidates]));
}
for (const group of report.stitched) {
  add(root, 'h2', {}, group.name);
  add(root, 'p', {}, `Stitched group of ${group.operators.length} operators: ${group.operators.join(', ')}. Axes: ${list(group.axes)}. ` +
      `Candidates: ${group.candidates}, of which ${group.legal} fit into a block. Below are the fastest of the evaluated ones: ` +
      'the search skips candidates that cannot be the best.');
  table(root, ['tiles', 'warps', 'blocks', 'registers', 'shared', 'us', 'DRAM', 'L2', 'waves', 'instructions', 'why not', 'schedule'],
        group.ranking.map(r => [list(r.tiles), r.warps, r.blocks, r.registers, r.shared_memory, r.cost.total_us.toFixed(2),
                                r.cost.memory_us.toFixed(2), r.cost.traffic_us.toFixed(2), r.cost.latency_us.toFixed(2),
                                r.cost.issue_us.toFixed(2), r.why_not || 'chosen', r.schedule]), true);
}
if (report.not_searched.length) {
  add(root, 'h2', {}, 'Groups that were not searched');
  table(root, ['group', 'why'], report.not_searched.map(g => [g.name, g.why]));
}
if (!report.groups.length && !report.stitched.length && !report.not_searched.length)
  add(root, 'p', {}, 'The module has no groups: run fuse-form-groups before.');
</script></body></html>
)html";

} // namespace

std::string fusion::renderReport(const llvm::json::Value &report) {
  std::string data = llvm::formatv("{0}", report).str();
  // "</script>" in a name must not end the data.
  std::string safe;
  for (char c : data)
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  return (head + safe + tail).str();
}
