//===- StitchExplorerBenchmark.cpp - Time of partitions -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Time of the explorer by the number of operators, which it is linear in:
// layers of normalisations and element-wise operators with residual values.
//
// And that of forming groups of IR, which asks for tile programs and schedules
// of each pattern once: layers of 100 drawn operators that are one another's
// copies, graphs of which no part is another one's, and what is as long or as
// wide as there are operators.
//
//===----------------------------------------------------------------------===//

#include "fusion/InitAll.h"
#include "fusion/Search/Stitching/StitchExplorer.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <benchmark/benchmark.h>
#include <random>

using namespace fusion;

static OperatorGraph makeLayers(unsigned size) {
  constexpr double rows = 4096, length = 1024;
  OperatorGraph graph;
  auto add = [&](std::initializer_list<unsigned> inputs, double points,
                 double result, bool isForeign = false) {
    OperatorGraph::Vertex vertex;
    for (unsigned input : inputs)
      vertex.inputs.push_back({input, graph.vertices[input].resultBytes});
    vertex.points = vertex.instructions = points;
    vertex.rows = result;
    vertex.isReduction = result < points;
    vertex.isForeign = isForeign;
    vertex.resultBytes = result * 2;
    graph.vertices.push_back(vertex);
    return unsigned(graph.vertices.size() - 1);
  };
  constexpr double all = rows * length;
  unsigned stream = add({}, all, all);
  while (graph.vertices.size() < size) {
    unsigned sum = add({stream}, all, rows), mean = add({sum}, rows, rows);
    unsigned centred = add({stream, mean}, all, all);
    unsigned square = add({centred}, all, all);
    unsigned scale = add({add({square}, all, rows)}, rows, rows);
    unsigned scaled = add({centred, scale}, all, all);
    unsigned contraction = add({scaled}, all, all, /*isForeign=*/true);
    unsigned biased = add({contraction}, all, all);
    unsigned active = add({add({biased}, all, all), biased}, all, all);
    stream = add({stream, active}, all, all);
  }
  graph.vertices.back().escapes = true;
  return graph;
}

static void explorer(benchmark::State &state, PatternForm form) {
  OperatorGraph graph = makeLayers(state.range(0));
  ExplorerOptions options;
  options.form = form;
  auto canStitch = [](llvm::ArrayRef<unsigned>) { return true; };
  for (auto _ : state)
    benchmark::DoNotOptimize(
        explore(graph, *lookupChip("sm_80"), options, {canStitch}));
  state.SetComplexityN(state.range(0));
}

BENCHMARK_CAPTURE(explorer, printed, PatternForm::Printed)
    ->RangeMultiplier(10)
    ->Range(100, 10000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity();
BENCHMARK_CAPTURE(explorer, spanning, PatternForm::Spanning)
    ->RangeMultiplier(10)
    ->Range(100, 10000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity();

/// Element-wise operators on matrices, some with the values of rows, and sums
/// of rows; each reads of the last values. The drawing begins again after
/// `period` operators, which then are the same on other values.
static std::string drawOperators(unsigned size, unsigned period) {
  constexpr unsigned lastMatrices = 6, lastRows = 4;
  static constexpr const char *all = "affine_map<(i, j) -> (i, j)>",
                              *ofRow = "affine_map<(i, j) -> (i)>",
                              *matrix = "tensor<64x256xf32>",
                              *row = "tensor<64xf32>";
  static constexpr const char *operations[] = {"addf", "mulf", "subf"};
  std::string text = llvm::formatv("func.func @f(%a: {0}, %b: {0}) -> {0} {{\n"
                                   "  %zero = arith.constant 0.0 : f32\n",
                                   matrix)
                         .str();
  std::vector<std::string> matrices = {"%a", "%b"}, rows;
  std::mt19937 random;
  auto draw = [&](const std::vector<std::string> &from, unsigned last) {
    return from[from.size() - 1 -
                random() % std::min<size_t>(last, from.size())];
  };
  for (unsigned number = 0; number < size; ++number) {
    if (number % period == 0) {
      random.seed(1);
      rows.clear();
      matrices.erase(matrices.begin(), matrices.end() - 2);
    }
    std::string name = "%v" + std::to_string(number);
    unsigned kind = random() % 20;
    std::string first = draw(matrices, lastMatrices);
    if (kind < 3) {
      text += llvm::formatv(
                  "  {0}_e = tensor.empty() : {1}\n"
                  "  {0}_f = linalg.fill ins(%zero : f32) outs({0}_e : {1}) -> "
                  "{1}\n"
                  "  {0} = linalg.generic {{indexing_maps = [{2}, {3}], "
                  "iterator_types = [\"parallel\", \"reduction\"]} ins({4} : "
                  "{5}) outs({0}_f : {1}) {{\n  ^bb0(%x: f32, %y: f32):\n"
                  "    %s = arith.addf %x, %y : f32\n"
                  "    linalg.yield %s : f32\n  } -> {1}\n",
                  name, row, all, ofRow, first, matrix)
                  .str();
      rows.push_back(name);
      continue;
    }
    bool readsRow = kind < 7 && !rows.empty();
    std::string with =
        readsRow ? draw(rows, lastRows) : draw(matrices, lastMatrices);
    const char *operation = operations[random() % std::size(operations)];
    text += llvm::formatv(
                "  {0}_e = tensor.empty() : {1}\n"
                "  {0} = linalg.generic {{indexing_maps = [{2}, {3}, {2}], "
                "iterator_types = [\"parallel\", \"parallel\"]} ins({4}, {5} : "
                "{1}, {6}) outs({0}_e : {1}) {{\n"
                "  ^bb0(%x: f32, %y: f32, %o: f32):\n"
                "    %s = arith.{7} %x, %y : f32\n"
                "    linalg.yield %s : f32\n  } -> {1}\n",
                name, matrix, all, readsRow ? ofRow : all, first, with,
                readsRow ? row : matrix, operation)
                .str();
    matrices.push_back(name);
  }
  return text + "  return " + matrices.back() + " : " + matrix + "\n}\n";
}

static std::string drawRepeated(unsigned size) {
  return drawOperators(size, 100);
}
static std::string drawDifferent(unsigned size) {
  return drawOperators(size, size);
}

/// Element-wise operators of one operand, which `operandOf` says by their
/// number. The last one's value is returned, or all are.
static std::string
makeUnary(unsigned size, bool returnsAll,
          llvm::function_ref<std::string(unsigned)> operandOf) {
  std::string text, values, types;
  for (unsigned number = 0; number < size; ++number) {
    text += llvm::formatv(
                "  %e{0} = tensor.empty() : !t\n"
                "  %v{0} = linalg.generic {{indexing_maps = [#all, #all], "
                "iterator_types = [\"parallel\", \"parallel\"]} ins({1} : !t) "
                "outs(%e{0} : !t) {{\n  ^bb0(%x: f32, %o: f32):\n"
                "    %s = math.{2} %x : f32\n"
                "    linalg.yield %s : f32\n  } -> !t\n",
                number, operandOf(number), number % 2 ? "absf" : "exp")
                .str();
    if (returnsAll || number + 1 == size) {
      values += (values.empty() ? "%v" : ", %v") + std::to_string(number);
      types += types.empty() ? "!t" : ", !t";
    }
  }
  return llvm::formatv("!t = tensor<64x256xf32>\n"
                       "#all = affine_map<(i, j) -> (i, j)>\n"
                       "func.func @f(%a: !t) -> ({0}) {{\n{1}  return {2} : "
                       "{0}\n}\n",
                       types, text, values)
      .str();
}

/// One after the other, none with another reader.
static std::string makeChain(unsigned size) {
  return makeUnary(size, /*returnsAll=*/false, [](unsigned number) {
    return number ? "%v" + std::to_string(number - 1) : "%a";
  });
}

/// One value that all others read.
static std::string makeFan(unsigned size) {
  return makeUnary(size, /*returnsAll=*/true,
                   [](unsigned number) { return number ? "%v0" : "%a"; });
}

/// No operator reads another's value.
static std::string makeSeparate(unsigned size) {
  return makeUnary(size, /*returnsAll=*/true, [](unsigned) { return "%a"; });
}

static void forming(benchmark::State &state, std::string (*draw)(unsigned)) {
  unsigned size = state.range(0);
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(draw(size), &context);
  for (auto _ : state) {
    state.PauseTiming();
    mlir::OwningOpRef<mlir::ModuleOp> copy(module->clone());
    mlir::PassManager passes(&context, "builtin.module");
    passes.enableVerifier(false);
    if (failed(
            mlir::parsePassPipeline("fuse-form-groups{chip=sm_90a}", passes)))
      return state.SkipWithError("no pipeline");
    state.ResumeTiming();
    if (failed(passes.run(*copy)))
      return state.SkipWithError("no groups can be formed");
  }
  state.SetComplexityN(size);
}

#define FORMING(NAME, DRAW)                                                    \
  BENCHMARK_CAPTURE(forming, NAME, DRAW)                                       \
      ->RangeMultiplier(10)                                                    \
      ->Range(100, 10000)                                                      \
      ->Unit(benchmark::kMillisecond)                                          \
      ->Complexity()
FORMING(repeated, drawRepeated);
FORMING(different, drawDifferent);
FORMING(chain, makeChain);
FORMING(fan, makeFan);
FORMING(separate, makeSeparate);

int main(int argc, char **argv) {
  fusion::registerAllPasses();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
