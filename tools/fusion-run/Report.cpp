//===- Report.cpp - What fusion-run says of a function --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "llvm/Support/Format.h"
#include <cmath>

using namespace fusion;
using namespace fusion::run;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

std::optional<bool> FunctionReport::pass() const {
  if (error)
    return false;
  std::optional<bool> result;
  for (const ResultReport &entry : results)
    if (entry.comparison)
      result = result.value_or(true) && entry.comparison->pass;
  return result;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

template <typename T> static Value orNull(const std::optional<T> &value) {
  return value ? Value(*value) : Value(nullptr);
}

static Value textOrNull(const std::string &text) {
  return text.empty() ? Value(nullptr) : Value(text);
}

/// JSON has no infinities.
static Value number(double value) {
  return std::isfinite(value) ? Value(value) : Value(nullptr);
}

static Value triple(const std::array<uint32_t, 3> &values) {
  return Array{values[0], values[1], values[2]};
}

static Value toJson(const emulator::Counters &counters) {
  return Object{{"global_load_bytes", counters.globalLoadBytes},
                {"global_store_bytes", counters.globalStoreBytes},
                {"global_sectors", counters.globalSectors},
                {"dram_bytes", counters.dramBytes},
                {"shared_wavefronts", counters.sharedWavefronts},
                {"shared_bank_conflicts", counters.sharedBankConflicts},
                {"mma_flops", counters.mmaFlops},
                {"instructions", counters.instructions},
                {"barriers", counters.barriers}};
}

static Value toJson(const LaunchReport &launch) {
  Object object{{"name", launch.kernel},
                {"grid", triple(launch.grid)},
                {"block", triple(launch.block)},
                {"cluster", triple(launch.cluster)},
                {"dynamic_shared_memory", launch.dynamicSharedMemory},
                {"schedule", textOrNull(launch.schedule)},
                {"predicted", nullptr},
                {"counters", nullptr},
                {"measured_us", orNull(launch.measuredUs)}};
  if (launch.predicted)
    object["predicted"] = Object{
        {"us", orNull(launch.predicted->us)},
        {"global_load_bytes", orNull(launch.predicted->globalLoadBytes)},
        {"global_store_bytes", orNull(launch.predicted->globalStoreBytes)},
        {"shared_memory", orNull(launch.predicted->sharedMemory)}};
  if (launch.counters)
    object["counters"] = toJson(*launch.counters);
  if (launch.time)
    object["time"] = Object(launch.time->json);
  return object;
}

static Value toJson(const emulator::Finding &finding) {
  return Object{{"kind", finding.kind},
                {"kernel", finding.kernel},
                {"block", triple(finding.block)},
                {"thread", triple(finding.thread)},
                {"line", finding.line ? Value(finding.line) : Value(nullptr)},
                {"other_line",
                 finding.otherLine ? Value(finding.otherLine) : Value(nullptr)},
                {"message", finding.message}};
}

Value fusion::run::toJson(const FunctionReport &report) {
  double maxAbs = 0, maxRel = 0;
  bool compared = false;
  Array results;
  for (const ResultReport &result : report.results) {
    Object entry{{"type", elementTypeName(result.type)},
                 {"shape", Array(result.shape)},
                 {"atol", result.tolerance.atol},
                 {"rtol", result.tolerance.rtol},
                 {"mismatches", nullptr},
                 {"max_abs_error", nullptr},
                 {"max_rel_error", nullptr},
                 {"reference_rms", nullptr},
                 {"uninitialized", Array(result.uninitialized)}};
    if (result.comparison) {
      compared = true;
      maxAbs = std::max(maxAbs, result.comparison->maxAbsError);
      maxRel = std::max(maxRel, result.comparison->maxRelError);
      entry["mismatches"] = result.comparison->mismatches;
      entry["max_abs_error"] = number(result.comparison->maxAbsError);
      entry["max_rel_error"] = number(result.comparison->maxRelError);
      entry["reference_rms"] = number(result.rms);
    }
    results.push_back(std::move(entry));
  }
  Array kernels, sanitizer;
  for (const LaunchReport &launch : report.launches)
    kernels.push_back(::toJson(launch));
  for (const emulator::Finding &finding : report.findings)
    sanitizer.push_back(::toJson(finding));
  return Object{{"entry", report.entry},
                {"chip", textOrNull(report.chip)},
                {"device", report.device},
                {"device_name", textOrNull(report.deviceName)},
                {"assembler", textOrNull(report.assembler)},
                {"pass", orNull(report.pass())},
                {"error", orNull(report.error)},
                {"undefined", report.isUndefined},
                {"max_abs_error", compared ? number(maxAbs) : Value(nullptr)},
                {"max_rel_error", compared ? number(maxRel) : Value(nullptr)},
                {"measured_us", orNull(report.measuredUs)},
                {"temporary_bytes", orNull(report.temporaryBytes)},
                {"results", std::move(results)},
                {"kernels", std::move(kernels)},
                {"sanitizer", std::move(sanitizer)}};
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string tripleText(const std::array<uint32_t, 3> &values) {
  return std::to_string(values[0]) + "x" + std::to_string(values[1]) + "x" +
         std::to_string(values[2]);
}

template <typename T> static std::string orDash(const std::optional<T> &value) {
  return value ? std::to_string(*value) : "-";
}

static void print(llvm::raw_ostream &os, const LaunchReport &launch) {
  os << "  kernel " << launch.kernel << ": grid " << tripleText(launch.grid)
     << ", block " << tripleText(launch.block);
  if (launch.cluster != std::array<uint32_t, 3>{1, 1, 1})
    os << ", cluster " << tripleText(launch.cluster);
  os << ", dynamic shared memory " << launch.dynamicSharedMemory << " B\n";
  if (!launch.schedule.empty())
    os << "    schedule:  " << launch.schedule << "\n";
  if (launch.predicted) {
    os << "    predicted: global load "
       << orDash(launch.predicted->globalLoadBytes) << " B, store "
       << orDash(launch.predicted->globalStoreBytes) << " B, shared memory "
       << orDash(launch.predicted->sharedMemory) << " B";
    if (launch.predicted->us)
      os << ", " << llvm::format("%.2f", *launch.predicted->us) << " us";
    os << "\n";
  }
  if (launch.counters) {
    const emulator::Counters &c = *launch.counters;
    os << "    counted:   global load " << c.globalLoadBytes << " B, store "
       << c.globalStoreBytes << " B, sectors " << c.globalSectors
       << ", bank conflicts " << c.sharedBankConflicts << ", mma flops "
       << c.mmaFlops << ", instructions " << c.instructions << "\n";
  }
  if (launch.time) {
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(launch.time->text).rtrim().split(lines, '\n');
    for (llvm::StringRef line : lines)
      os << "    " << line << "\n";
  }
  if (launch.measuredUs)
    os << "    measured:  " << llvm::format("%.2f", *launch.measuredUs)
       << " us\n";
}

static void print(llvm::raw_ostream &os, const ResultReport &result,
                  size_t index) {
  os << "  result " << index << ": " << elementTypeName(result.type) << " "
     << shapeText(result.shape);
  if (!result.comparison) {
    os << ", not compared\n";
    return;
  }
  const Comparison &c = *result.comparison;
  os << llvm::format(", max abs error %.3g, max rel error %.3g (atol %.3g, "
                     "rtol %.3g)",
                     c.maxAbsError, c.maxRelError, result.tolerance.atol,
                     result.tolerance.rtol);
  if (c.pass) {
    os << ": ok\n";
    return;
  }
  os << ": " << c.mismatches << " elements differ\n";
  for (const Comparison::Mismatch &mismatch : c.first) {
    os << "    at [";
    llvm::interleaveComma(mismatch.coordinates, os);
    os << llvm::format("]: %.9g, reference %.9g\n", mismatch.actual,
                       mismatch.reference);
  }
  for (const std::string &text : result.uninitialized)
    os << "    note: the result depends on undefined values: " << text << "\n";
}

void fusion::run::print(llvm::raw_ostream &os, const FunctionReport &report) {
  os << report.entry << " on " << report.device;
  if (!report.deviceName.empty())
    os << " (" << report.deviceName << ")";
  if (!report.chip.empty())
    os << ", compiled for " << report.chip;
  if (!report.assembler.empty())
    os << ", assembled by " << report.assembler;
  os << "\n";
  for (const LaunchReport &launch : report.launches)
    ::print(os, launch);
  if (report.measuredUs && report.launches.size() > 1)
    os << "  all launches: " << llvm::format("%.2f", *report.measuredUs)
       << " us\n";
  if (report.temporaryBytes.value_or(0))
    os << "  temporaries: " << *report.temporaryBytes << " bytes at most\n";
  for (size_t i = 0; i < report.results.size(); ++i)
    ::print(os, report.results[i], i);
  for (const emulator::Finding &finding : report.findings)
    os << "  sanitizer: " << finding.kind << " in " << finding.kernel
       << ", block " << tripleText(finding.block) << ", thread "
       << tripleText(finding.thread) << ", PTX line " << finding.line << ": "
       << finding.message << "\n";
  if (report.error) {
    os << "  error: " << *report.error << "\n";
    return;
  }
  if (report.isUndefined)
    os << "  note: integers are divided by zero, or the quotient overflows, or "
          "an element is read at an index outside of its tensor, which has no "
          "defined value\n";
  std::optional<bool> pass = report.pass();
  os << "  " << (!pass ? "done" : *pass ? "PASS" : "FAIL") << "\n";
}
