//===- Report.cpp - Output of fusion-emulate ------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "llvm/Support/JSON.h"

#include <cinttypes>
#include <cstdio>

using namespace fusion::emulator;
namespace json = llvm::json;

namespace {
struct Field {
  const char *name;
  uint64_t Counters::*member;
};
} // namespace

static const Field fields[] = {
    {"global_load_bytes", &Counters::globalLoadBytes},
    {"global_store_bytes", &Counters::globalStoreBytes},
    {"global_sectors", &Counters::globalSectors},
    {"dram_bytes", &Counters::dramBytes},
    {"shared_wavefronts", &Counters::sharedWavefronts},
    {"shared_bank_conflicts", &Counters::sharedBankConflicts},
    {"mma_flops", &Counters::mmaFlops},
    {"instructions", &Counters::instructions},
    {"barriers", &Counters::barriers}};

/// DRAM traffic is what the L2 model says.
static bool isKnown(const Field &field, bool hasL2) {
  return hasL2 || field.member != &Counters::dramBytes;
}

std::string fusion::emulator::toJson(const Counters &counters, bool hasL2,
                                     const std::vector<Finding> &findings,
                                     const std::string &time) {
  json::Object counts;
  for (const Field &field : fields)
    counts[field.name] = isKnown(field, hasL2)
                             ? json::Value(counters.*field.member)
                             : json::Value(nullptr);
  json::Array list;
  for (const Finding &finding : findings) {
    auto triple = [](const std::array<uint32_t, 3> &v) {
      return json::Array{v[0], v[1], v[2]};
    };
    list.push_back(json::Object{
        {"kind", finding.kind},
        {"kernel", finding.kernel},
        {"block", triple(finding.block)},
        {"thread", triple(finding.thread)},
        {"line",
         finding.line ? json::Value(finding.line) : json::Value(nullptr)},
        {"other_line", finding.otherLine ? json::Value(finding.otherLine)
                                         : json::Value(nullptr)},
        {"message", finding.message}});
  }
  json::Object result{{"counters", std::move(counts)},
                      {"sanitizer", std::move(list)}};
  if (!time.empty())
    result["time"] = llvm::cantFail(json::parse(time));
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << llvm::formatv("{0:2}\n", json::Value(std::move(result)));
  return text;
}

std::string fusion::emulator::toText(const Counters &counters, bool hasL2) {
  std::string text;
  for (const Field &field : fields) {
    char line[64];
    if (isKnown(field, hasL2))
      std::snprintf(line, sizeof(line), "%-22s %" PRIu64 "\n", field.name,
                    counters.*field.member);
    else
      std::snprintf(line, sizeof(line), "%-22s unknown (--l2=BYTES)\n",
                    field.name);
    text += line;
  }
  return text;
}

std::string fusion::emulator::toText(const Finding &finding,
                                     const std::string &file) {
  auto triple = [](const std::array<uint32_t, 3> &v) {
    return "(" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," +
           std::to_string(v[2]) + ")";
  };
  std::string text = file;
  if (finding.line)
    text += ":" + std::to_string(finding.line);
  text += ": " + finding.kind + ": " + finding.message + " (kernel '" +
          finding.kernel + "', block " + triple(finding.block) + ", thread " +
          triple(finding.thread);
  if (finding.otherLine)
    text += "; the other at line " + std::to_string(finding.otherLine);
  return text + ")";
}

std::string
fusion::emulator::annotatedListing(const std::string &ptx,
                                   const std::map<unsigned, Counters> &lines) {
  std::string text =
      "  executed  load bytes store bytes   sectors wavefronts  conflicts"
      "     mma flops  barriers |\n";
  unsigned number = 1;
  for (size_t begin = 0; begin < ptx.size(); ++number) {
    size_t end = ptx.find('\n', begin);
    if (end == std::string::npos)
      end = ptx.size();
    char columns[192];
    auto it = lines.find(number);
    if (it == lines.end()) {
      std::snprintf(columns, sizeof(columns), "%89s", "");
    } else {
      const Counters &c = it->second;
      std::snprintf(columns, sizeof(columns),
                    "%10" PRIu64 " %11" PRIu64 " %11" PRIu64 " %9" PRIu64
                    " %10" PRIu64 " %10" PRIu64 " %13" PRIu64 " %9" PRIu64,
                    c.instructions, c.globalLoadBytes, c.globalStoreBytes,
                    c.globalSectors, c.sharedWavefronts, c.sharedBankConflicts,
                    c.mmaFlops, c.barriers);
    }
    text +=
        std::string(columns) + " | " + ptx.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return text;
}
