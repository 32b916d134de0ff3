//===- FusionEmulate.cpp - The tool fusion-emulate ------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionEmulate.h"

#include "Files.h"
#include "FusionCommit.h"
#include "LaunchFile.h"
#include "Report.h"
#include "Time.h"
#include "fusion/Support/Interrupt.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <optional>

using namespace fusion::emulator;

static const char *const usage =
    "usage: fusion-emulate KERNEL.ptx --launch=FILE [options]\n"
    "\n"
    "Runs one launch of a PTX kernel on the CPU and counts what it does.\n"
    "\n"
    "  --launch=FILE          the launch in JSON (docs/emulator-reference.md)\n"
    "  --sanitize             look for races, redundant writes, uninitialised\n"
    "                         reads and more (\"Findings\" of the same page)\n"
    "  --seed=N               draws the order in which warps run (0: in turn)\n"
    "  --schedules=N          run N times, with seeds seed, seed + 1, …;\n"
    "                         results that differ are a finding\n"
    "  --annotate             print the PTX with the counts of every line\n"
    "  --json=FILE            write counters and findings (- for the console)\n"
    "  --threads=N            host threads; without it, as many as cores\n"
    "  --l2=BYTES             capacity of the L2 model behind dram_bytes\n"
    "  --instruction-limit=N  per warp (0: none)\n"
    "  --launch-limit=N       instructions of all warps together (0: none);\n"
    "                         without it, 1024 times the limit of a warp\n"
    "  --time                 predict the time on a chip from the machine "
    "code\n"
    "                         (docs/timing.md); with --annotate it is listed "
    "too\n"
    "  --time-code=CODE       what the prediction replays: sass (machine code, "
    "by\n"
    "                         ptxas and nvdisasm), ptx, or best: PTX if "
    "there is\n"
    "                         no machine code that fits (best)\n"
    "  --chip=NAME            the chip that is timed; without it, the "
    "target's\n"
    "  --clock=MHZ            the clock of its SMs; without it, the chip "
    "table's\n"
    "  --warm                 time the launch behind another one like it, "
    "which\n"
    "                         has left its data in L2\n"
    "  --full-l2              L2 is full of data that launches before have "
    "stored,\n"
    "                         and that goes to DRAM to make room\n"
    "  --time-waves=N         execute and time the first N waves of blocks, "
    "for\n"
    "                         the time of all (a wave is what all SMs hold at\n"
    "                         once); buffers have only their results\n"
    "  --time-trace=FILE      write what one SM did, in Chrome's trace format\n"
    "  --version              print the version\n"
    "\n"
    "Exit code: 0 ran, 3 findings, 1 anything else.\n";

namespace {

struct Arguments {
  std::string ptx, launch, json;
  uint64_t schedules = 1;
  Options options;
  TimeArguments time;
};

bool error(const std::string &message) {
  std::fprintf(stderr, "fusion-emulate: error: %s\n", message.c_str());
  return false;
}

bool number(const std::string &text, const std::string &option,
            uint64_t &value) {
  errno = 0;
  char *end = nullptr;
  value = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || text[0] < '0' || text[0] > '9' || *end || errno)
    return error("'" + option + "' requires a number, not '" + text + "'");
  return true;
}

bool parseArguments(int argc, char **argv, Arguments &out) {
  // Guards against kernels that never end; far beyond what tests need.
  out.options.instructionLimit = 1000000000;
  std::optional<uint64_t> launchLimit;
  for (int i = 1; i < argc; ++i) {
    std::string text = argv[i];
    size_t equals = text.find('=');
    std::string option = text.substr(0, equals);
    std::string value =
        equals == std::string::npos ? "" : text.substr(equals + 1);
    uint64_t n = 0;
    if (option == "--launch") {
      out.launch = value;
    } else if (option == "--json") {
      out.json = value;
      if (value.empty())
        return error("'--json' requires a file name");
    } else if (text == "--sanitize") {
      out.options.sanitize = true;
    } else if (text == "--time") {
      out.time.isWanted = true;
    } else if (text == "--full-l2") {
      out.time.hasFullL2 = true;
    } else if (text == "--warm") {
      out.time.isWarm = true;
    } else if (option == "--chip") {
      out.time.chip = value;
    } else if (option == "--clock") {
      if (!number(value, option, out.time.clockMHz))
        return false;
      if (!out.time.clockMHz)
        return error("'--clock' requires at least 1");
    } else if (option == "--time-waves") {
      if (!number(value, option, out.time.waves))
        return false;
      if (!out.time.waves)
        return error("'--time-waves' requires at least 1");
    } else if (option == "--time-code") {
      auto code = fusion::timing::codeChoiceOf(value);
      if (!code)
        return error("'--time-code' is best, sass or ptx, not '" + value + "'");
      out.time.code = *code;
      out.time.hasCode = true;
    } else if (option == "--time-trace") {
      out.time.trace = value;
      if (value.empty())
        return error("'--time-trace' requires a file name");
    } else if (text == "--annotate") {
      out.options.annotate = true;
    } else if (option == "--seed") {
      if (!number(value, option, out.options.seed))
        return false;
    } else if (option == "--schedules") {
      if (!number(value, option, out.schedules))
        return false;
      if (!out.schedules)
        return error("'--schedules' requires at least 1");
    } else if (option == "--threads") {
      if (!number(value, option, n))
        return false;
      if (!n)
        return error("'--threads' requires at least 1");
      out.options.threads = unsigned(std::min<uint64_t>(n, 1024));
    } else if (option == "--l2") {
      if (!number(value, option, out.options.l2Bytes))
        return false;
    } else if (option == "--instruction-limit") {
      if (!number(value, option, out.options.instructionLimit))
        return false;
    } else if (option == "--launch-limit") {
      if (!number(value, option, n))
        return false;
      launchLimit = n;
    } else if (text.size() > 1 && text[0] == '-') {
      return error("unknown option '" + text + "'");
    } else if (out.ptx.empty()) {
      out.ptx = text;
    } else {
      return error("more than one PTX file");
    }
  }
  // Against grids that never end.
  out.options.launchLimit = launchLimit.value_or(
      std::min(out.options.instructionLimit, UINT64_MAX >> 10) << 10);
  const TimeArguments &time = out.time;
  if (!time.isWanted &&
      (time.isWarm || time.hasFullL2 || time.waves || time.clockMHz ||
       time.hasCode || !time.chip.empty() || !time.trace.empty()))
    return error("'--chip', '--clock', '--warm', '--full-l2', '--time-waves', "
                 "'--time-code' and '--time-trace' are for '--time'");
  if (time.isWarm && time.hasFullL2)
    return error("'--warm' and '--full-l2' exclude each other");
  if (time.waves && (out.options.sanitize || out.schedules > 1))
    return error("'--time-waves' executes only a part of the launch: "
                 "'--sanitize' and '--schedules' need all of it");
  if (out.ptx.empty())
    return error("no PTX file (--help shows the usage)");
  if (out.launch.empty())
    return error("no launch file: --launch=FILE is missing");
  return true;
}

/// One schedule on fresh memory; `contents` gets the buffers afterwards.
LaunchResult runOnce(const Program &program, const LaunchFile &file,
                     const Options &options,
                     std::vector<std::vector<uint8_t>> &contents) {
  Memory memory;
  std::vector<uint64_t> addresses;
  Launch launch = bindLaunch(file, memory, addresses);
  LaunchResult result = run(program, launch, memory, options);
  contents.clear();
  for (size_t i = 0; i < file.buffers.size(); ++i) {
    contents.emplace_back(file.buffers[i].contents.size());
    memory.read(addresses[i], contents.back().data(), contents.back().size());
  }
  return result;
}

void addFindings(std::vector<Finding> &all, std::vector<Finding> more) {
  for (Finding &finding : more) {
    // All who have a part in a deadlock are named.
    bool known = finding.kind != "deadlock" &&
                 std::any_of(all.begin(), all.end(), [&](const Finding &f) {
                   return f.kind == finding.kind && f.line == finding.line &&
                          f.otherLine == finding.otherLine;
                 });
    if (!known)
      all.push_back(std::move(finding));
  }
}

} // namespace

int fusionEmulateMain(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    std::string text = argv[i];
    if (text == "--help" || text == "-h") {
      std::fputs(usage, stdout);
      return 0;
    }
    if (text == "--version") {
      std::fputs("fusion-emulate " FUSION_VERSION " (" FUSION_COMMIT ")\n",
                 stdout);
      return 0;
    }
  }
  Arguments arguments;
  if (!parseArguments(argc, argv, arguments))
    return 1;
  std::vector<uint8_t> bytes;
  if (std::string problem; !readFile(arguments.ptx, bytes, problem)) {
    error(problem);
    return 1;
  }
  std::string ptx(bytes.begin(), bytes.end());
  Error problem;
  auto program = Program::parse(ptx, problem);
  auto printProblem = [&](const Error &e) {
    std::fprintf(stderr, "%s:", arguments.ptx.c_str());
    if (e.line)
      std::fprintf(stderr, "%u:", e.line);
    std::fprintf(stderr, " error: %s\n", e.message.c_str());
  };
  if (!program) {
    printProblem(problem);
    return 1;
  }
  LaunchFile file;
  std::string message;
  if (!readLaunchFile(arguments.launch, file, message)) {
    error(message);
    return 1;
  }

  // What cannot be written is said before a long run, not after it.
  std::vector<std::string> outputs;
  for (const auto &buffer : file.buffers)
    outputs.insert(outputs.end(), buffer.writeBack.begin(),
                   buffer.writeBack.end());
  if (!arguments.json.empty() && arguments.json != "-")
    outputs.push_back(arguments.json);
  if (!arguments.time.trace.empty())
    outputs.push_back(arguments.time.trace);
  for (const std::string &path : outputs)
    if (!canWriteFile(path, message)) {
      error(message);
      return 1;
    }

  Options options = arguments.options;
  std::optional<TimedRun> timed;
  if (arguments.time.isWanted) {
    // Tensor maps and addresses do not change the shape of the launch.
    timed =
        TimedRun::create(arguments.time, ptx, *program, file.launch, message);
    if (!timed) {
      error(message);
      return 1;
    }
  }
  fusion::InterruptGuard interrupt;
  options.proceed = [] { return !fusion::InterruptGuard::isInterrupted(); };
  LaunchResult first;
  std::vector<std::vector<uint8_t>> contents;
  std::vector<Finding> findings;
  uint64_t finished = 0; // schedules; Ctrl-C keeps what they have given
  for (uint64_t schedule = 0; schedule < arguments.schedules; ++schedule) {
    if (schedule && fusion::InterruptGuard::isInterrupted())
      break;
    options.seed = arguments.options.seed + schedule;
    options.records = nullptr;
    if (timed && schedule == 0)
      timed->record(options);
    std::vector<std::vector<uint8_t>> now;
    LaunchResult result = runOnce(*program, file, options, now);
    if (schedule && result.error && fusion::InterruptGuard::isInterrupted())
      break;
    if (result.error) {
      printProblem(*result.error);
      if (arguments.schedules > 1)
        std::fprintf(stderr, "note: with --seed=%llu\n",
                     static_cast<unsigned long long>(options.seed));
      addFindings(findings, std::move(result.findings));
      // The error itself is one of them.
      for (const Finding &finding : findings)
        if (finding.message != result.error->message)
          std::fprintf(stderr, "%s\n", toText(finding, arguments.ptx).c_str());
      std::string json = toJson(result.counters, options.l2Bytes, findings);
      if (arguments.json == "-")
        std::fputs(json.c_str(), stdout);
      else if (!arguments.json.empty() &&
               !writeFile(arguments.json, json.data(), json.size()))
        error("cannot write '" + arguments.json + "'");
      return 1;
    }
    ++finished;
    addFindings(findings, std::move(result.findings));
    if (schedule == 0) {
      first = std::move(result);
      contents = std::move(now);
      continue;
    }
    for (size_t i = 0; i < now.size(); ++i) {
      auto [here, there] =
          std::mismatch(now[i].begin(), now[i].end(), contents[i].begin());
      if (here == now[i].end())
        continue;
      Finding finding;
      finding.kind = "schedule-dependent";
      finding.kernel = file.launch.kernel;
      finding.message =
          "buffer '" + file.buffers[i].path + "' differs at byte " +
          std::to_string(here - now[i].begin()) +
          " between --seed=" + std::to_string(arguments.options.seed) +
          " and --seed=" + std::to_string(options.seed);
      addFindings(findings, {finding});
    }
  }

  for (size_t i = 0; i < file.buffers.size(); ++i)
    for (const std::string &path : file.buffers[i].writeBack)
      if (!writeFile(path, contents[i].data(), contents[i].size())) {
        error("cannot write '" + path + "'");
        return 1;
      }
  if (timed && !timed->finish(first.recordings, message)) {
    error(message);
    return 1;
  }
  if (std::string reason = timed ? timed->fallback() : ""; !reason.empty())
    std::fprintf(stderr,
                 "fusion-emulate: warning: the time is that of the PTX, not of "
                 "machine code: %s\n",
                 reason.c_str());
  if (arguments.options.annotate) {
    std::fputs(annotatedListing(ptx, first.lines).c_str(), stdout);
    if (timed)
      std::fputs(timed->listing().c_str(), stdout);
  }
  std::string json = toJson(first.counters, options.l2Bytes, findings,
                            timed ? timed->json() : "");
  if (arguments.json == "-")
    std::fputs(json.c_str(), stdout);
  else if (!arguments.json.empty() &&
           !writeFile(arguments.json, json.data(), json.size())) {
    error("cannot write '" + arguments.json + "'");
    return 1;
  }
  if (arguments.json.empty()) {
    std::fputs(toText(first.counters, options.l2Bytes).c_str(), stdout);
    if (timed)
      std::fputs(timed->text().c_str(), stdout);
  }
  for (const Finding &finding : findings)
    std::fprintf(stderr, "%s\n", toText(finding, arguments.ptx).c_str());
  if (finished < arguments.schedules) {
    error("stopped after " + std::to_string(finished) + " of " +
          std::to_string(arguments.schedules) + " schedules");
    return 1;
  }
  return findings.empty() ? 0 : 3;
}
