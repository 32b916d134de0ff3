//===- SearchSchedules.cpp - fuse-search-schedules ------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleRemarks.h"
#include "StitchSchedules.h"
#include "fusion/Analysis/Chains/ReadChain.h"
#include "fusion/Analysis/Groups/GroupAxes.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Search/Chains/SearchMemo.h"
#include "fusion/Search/Chains/SearchReport.h"
#include "fusion/Support/Remark.h"
#include "fusion/Support/StepAction.h"
#include "fusion/Transforms/Passes.h"
#include "fusion/Transforms/Scheduling/GroupMeasurer.h"
#include "fusion/Transforms/Support/ChipOption.h"
#include "fusion/Transforms/Support/ReportFile.h"
#include <chrono>
#include <thread>

namespace fusion {
#define GEN_PASS_DEF_FUSESEARCHSCHEDULES
#include "fusion/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;

namespace {

struct SearchSchedulesPass
    : fusion::impl::FuseSearchSchedulesBase<SearchSchedulesPass> {
  using FuseSearchSchedulesBase::FuseSearchSchedulesBase;
  SearchSchedulesPass(FuseSearchSchedulesOptions options,
                      GroupMeasurer *measurer)
      : FuseSearchSchedulesBase(std::move(options)), measurer(measurer) {}

  void runOnOperation() override {
    FailureOr<const ChipInfo *> target = resolveChip(getOperation(), chip);
    if (failed(target))
      return signalPassFailure();
    bool wantsReport = !report.empty() || !reportPage.empty();
    std::optional<SearchOptions> read = readOptions();
    if (!read)
      return signalPassFailure();
    SearchOptions options = *read;
    constexpr unsigned reported = 10;
    options.ranked = wantsReport ? reported : 1;
    if (measurer)
      options.ranked = std::max(1u, measurer->candidates());
    SearchReports reports;
    WalkResult result =
        getOperation().walk([&](fuse::FusedGroupOpInterface group) {
          return WalkResult(schedule(group, **target, options, reports));
        });
    if (result.wasInterrupted())
      return signalPassFailure();
    if (reports.groups.empty() && keepsGiven && !wantsReport && setsSearch())
      mlir::emitWarning(findPlace(getOperation()),
                        "nothing was searched: all groups have schedules, and "
                        "options of searches change nothing");
    if (!wantsReport)
      return;
    if (reports.groups.empty() && reports.stitched.empty())
      mlir::emitWarning(findPlace(getOperation()),
                        "nothing was searched: the report has no groups, and "
                        "says why");
    llvm::json::Value whole = makeReport(**target, std::move(reports));
    if (failed(writeReport(findPlace(getOperation()), "report", report,
                           llvm::formatv("{0:2}\n", whole).str())) ||
        failed(writeReport(findPlace(getOperation()), "report", reportPage,
                           renderReport(whole))))
      signalPassFailure();
  }

  /// Returns the option's value among the known ones, or nullopt with a
  /// diagnostic.
  template <typename Kind>
  std::optional<Kind> choose(StringRef option, StringRef value,
                             std::optional<Kind> found, StringRef known) {
    if (!found)
      emitError(findPlace(getOperation()))
          << "no " << option << " '" << value << "'; known are " << known;
    return found;
  }

  std::optional<SearchOptions> readOptions() {
    SearchOptions options;
    options.skipMasked = skipMasked;
    if (rescaleThreshold > 126) {
      emitError(findPlace(getOperation()))
          << "rescale-threshold is at most 126 powers of two";
      return std::nullopt;
    }
    auto reject = [&](const Twine &why) {
      emitError(findPlace(getOperation())) << why;
      return std::nullopt;
    };
    if (maxStages < 1)
      return reject("max-stages is at least 1");
    // By default as many as lowering supports.
    if (maxRegisterStages < 1 || maxRegisterStages > options.maxRegisterStages)
      return reject("max-register-stages is from 1 to " +
                    Twine(options.maxRegisterStages));
    options.maxStages = maxStages;
    options.maxRegisterStages = maxRegisterStages;
    if (randomSeed < -1)
      return reject("random-seed is a number from 0 on, or -1 for none");
    if (randomSeed >= 0)
      options.randomSeed = randomSeed;
    options.seed = seed;
    if (effort < 1 || effort > kMaxEffort)
      return reject("effort is from 1 to " + Twine(kMaxEffort));
    options.effort = effort;
    // More threads than cores only wait; the answer is the same.
    unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    options.threads =
        threads == 0 ? cores : std::min(cores, threads.getValue());
    options.rules.removeDeadLoops = removeDeadLoops;
    auto ofSpace =
        choose("space", space, lookupSpace(space), "default, paper, chimera");
    auto ofModel =
        choose("model", model, lookupModel(model), knownModelNames());
    auto ofSearch = choose("search", search, lookupMethod(search),
                           "auto, exhaustive, descents, evolutionary");
    auto ofStitching =
        choose("latency-evaluator", latencyEvaluator,
               lookupEvaluatorForm(latencyEvaluator), "default, printed");
    std::optional<Convergence> ends;
    if (convergence == "printed")
      ends = Convergence::Printed;
    else if (convergence == "best-of-all")
      ends = Convergence::BestOfAll;
    ends = choose("convergence", convergence, ends, "printed, best-of-all");
    std::optional<PaddingRule> rule3;
    if (padding == "auto")
      rule3 = PaddingRule::Auto;
    else if (padding == "printed")
      rule3 = PaddingRule::Printed;
    else if (padding == "least-of-trips")
      rule3 = PaddingRule::LeastOfTrips;
    rule3 = choose("padding", padding, rule3, "auto, printed, least-of-trips");
    if (!ofSpace || !ofModel || !ofSearch || !ofStitching || !ends || !rule3)
      return std::nullopt;
    evaluator = *ofStitching;
    options.space = *ofSpace;
    options.model = *ofModel;
    options.method = *ofSearch;
    options.convergence = *ends;
    StringRef digits = rules;
    if (digits == "all")
      digits = "1234";
    bool isRules = !digits.empty() && llvm::all_of(digits, [&](char digit) {
      return StringRef("1234").contains(digit) && digits.count(digit) == 1;
    });
    if (digits == "none")
      digits = "";
    else if (!isRules)
      return reject("no rules '" + Twine(rules) +
                    "'; known are all, none, or digits of 1234, each once");
    if (leadToSameFile(report, reportPage))
      return reject("'report' and 'report-html' name the same file");
    if (std::optional<std::string> why = findIgnored(options, digits))
      return reject(*why);
    auto has = [&](char digit) { return digits.contains(digit); };
    options.rules.deduplicate = has('1');
    options.rules.completeIntermediates = has('2');
    options.rules.padding = has('3') ? *rule3 : PaddingRule::None;
    options.rules.limitSharedMemory = has('4');
    return options;
  }

  /// Returns whether an option says what to search for or how.
  bool setsSearch() const {
    const FuseSearchSchedulesOptions unset;
    auto all = [](const auto &of) {
      return std::make_tuple(
          std::string(of.space), std::string(of.model), std::string(of.search),
          std::string(of.latencyEvaluator), std::string(of.rules),
          std::string(of.padding), std::string(of.convergence),
          bool(of.removeDeadLoops), int64_t(of.seed), unsigned(of.effort),
          int64_t(of.randomSeed), unsigned(of.maxStages),
          unsigned(of.maxRegisterStages));
    };
    return all(*this) != all(unset);
  }

  /// Returns the reason why an option that differs from its default would have
  /// no effect, or nullopt.
  std::optional<std::string> findIgnored(const SearchOptions &options,
                                         StringRef digits) const {
    const FuseSearchSchedulesOptions unset;
    bool isOurs = options.space == SpaceKind::Default;
    // Options that were set, each with the reason why it may have no meaning.
    struct Use {
      bool isSet, isMeaningless;
      std::string why;
    };
    bool isDrawn = options.randomSeed.has_value();
    bool evolves = options.method == SearchMethod::Evolutionary ||
                   (options.method == SearchMethod::Auto && !isOurs);
    bool setsStages = maxStages != unset.maxStages ||
                      maxRegisterStages != unset.maxRegisterStages;
    std::string inSpace = space, byModel = model;
    std::string ofSpace = " of space default, not of space '" + inSpace + "'",
                ofPapers = "' is an option of spaces paper and chimera, not of "
                           "space default";
    const Use uses[] = {
        {options.method == SearchMethod::Descents, !isOurs,
         "descents are a search" + ofSpace},
        {isDrawn, options.method != SearchMethod::Auto,
         "random-seed draws a schedule; nothing is left to search"},
        {isDrawn, !isOurs,
         "random-seed draws from space default, not from space '" + inSpace +
             "'"},
        {isDrawn, options.model != ModelKind::Default,
         "random-seed draws a schedule; no model evaluates it"},
        {isDrawn, evaluator != EvaluatorForm::Default,
         "random-seed draws a schedule; no latency-evaluator evaluates it"},
        {seed != unset.seed, isDrawn,
         "'seed' is of searches; random-seed draws with its own"},
        {seed != unset.seed,
         !isOurs && options.method == SearchMethod::Exhaustive,
         "'seed' is of searches that draw; exhaustive ones of space '" +
             inSpace + "' do not"},
        {effort != unset.effort, isDrawn,
         "'effort' is of searches; random-seed draws a schedule"},
        {effort != unset.effort, !isOurs, "'effort' is of searches" + ofSpace},
        {effort != unset.effort, options.method == SearchMethod::Evolutionary,
         "'effort' is of descents and bounds; the evolutionary search ends "
         "when it has converged"},
        {convergence != unset.convergence, isDrawn || !evolves,
         "'convergence' is an option of the evolutionary search alone"},
        {rules != unset.rules, isOurs, "'rules" + ofPapers},
        {padding != unset.padding, isOurs, "'padding" + ofPapers},
        {removeDeadLoops != unset.removeDeadLoops, isOurs,
         "'remove-dead-loops" + ofPapers},
        {padding != unset.padding, !digits.contains('3'),
         "'padding' is what rule 3 does, which 'rules' leaves out"},
        {setsStages, !isDrawn && seesTilesOnly(options.model),
         "model '" + byModel +
             "' sees no stages: 'max-stages' and 'max-register-stages' would "
             "change nothing"},
        {setsStages, !isOurs && options.model == ModelKind::Default,
         "buffers of space '" + inSpace +
             "' have one stage but under model alcop: 'max-stages' and "
             "'max-register-stages' would change nothing"},
    };
    for (const Use &use : uses)
      if (use.isSet && use.isMeaningless)
        return use.why;
    return std::nullopt;
  }

  /// Returns the schedule of a stitched group, and adds its search to the
  /// report.
  fuse::ScheduleAttr searchStitched(fuse::FusedGroupOpInterface group,
                                    const ChipInfo &chip,
                                    const SearchOptions &options,
                                    SearchReports &reports) {
    if (report.empty() && reportPage.empty())
      return chooseStitching(group, chip,
                             {nullptr, {}, 1, options.randomSeed, evaluator});
    StitchReport found;
    auto start = std::chrono::steady_clock::now();
    fuse::ScheduleAttr schedule = chooseStitching(
        group, chip,
        {&found, nameOf(group), options.ranked, options.randomSeed, evaluator});
    std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - start;
    if (found.search.empty()) {
      reports.leaveOut(nameOf(group),
                       "it runs in the generic form: " + found.whyGeneric);
      return schedule;
    }
    found.search["seconds"] = taken.count();
    reports.stitched.push_back(std::move(found.search));
    return schedule;
  }

  /// Returns "function, at file:line", for the report.
  static std::string nameOf(fuse::FusedGroupOpInterface group) {
    std::string name;
    if (auto function = group->getParentOfType<func::FuncOp>())
      name = function.getSymName().str();
    if (std::optional<FileLineColLoc> at = findFileLocation(group.getLoc()))
      name += llvm::formatv(", line {0}", at->getLine()).str();
    return name;
  }

  LogicalResult schedule(fuse::FusedGroupOpInterface group,
                         const ChipInfo &chip, SearchOptions options,
                         SearchReports &reports) {
    fuse::ScheduleAttr given = group.getGroupSchedule();
    if (given)
      reports.leaveOut(nameOf(group), "it has a schedule already");
    if (isa<fuse::StitchOp>(group)) {
      if (!given)
        group.setGroupSchedule(
            given = searchStitched(group, chip, options, reports));
      if (given.getStitching())
        return verifyStitching(group, given, chip);
      if (!isGenericSchedule(given))
        return mlir::emitError(group.getLoc(),
                               "schedule cannot be lowered: a stitched group "
                               "has a 'stitching' part, or the generic form");
    }
    if (given && isGenericSchedule(given)) {
      if (auto illegal = checkGenericSchedule(group, given))
        return mlir::emitError(group.getLoc(), "schedule cannot be lowered: ")
               << *illegal;
      return success();
    }
    std::string reason;
    FailureOr<GroupAxes> axes =
        readChain(group.getOperators(), group.getYieldedValues(),
                  [&](const Twine &why) { reason = why.str(); });
    if (failed(axes))
      return mlir::emitError(group.getLoc(), "cannot be lowered as a chain: ")
             << reason;
    if (!given && group.getGroupPartial())
      return mlir::emitError(group.getLoc(),
                             "is partial but has no schedule that splits '")
             << group.getGroupPartial().getAxis() << "'";
    if (given) {
      std::optional<Schedule> schedule = importSchedule(
          given, axes->model, [&](const Twine &why) { reason = why.str(); });
      if (!schedule)
        return mlir::emitError(group.getLoc(),
                               "schedule does not fit the group: ")
               << reason;
      if (auto illegal = checkSchedule(axes->model, *schedule, chip))
        return mlir::emitError(group.getLoc(), "schedule cannot be lowered: ")
               << *illegal;
      if (group.getGroupPartial())
        if (auto other =
                whyNotPartial(group.getGroupPartial(), axes->model, *schedule))
          return mlir::emitError(group.getLoc(),
                                 "schedule does not fit the group: ")
                 << *other;
      keepsGiven = true;
      warnOfEmptyParts(group, axes->model, *schedule);
      explainMasks(group, *axes, *schedule);
      explainLoops(group, axes->model, *schedule, chip);
      return success();
    }
    std::unique_ptr<Measurement<Schedule>> measurement;
    if (measurer)
      measurement = measurer->measure(group, axes->model);
    options.measurement = measurement.get();
    options.proceed = [&] { return goesOn(&getContext()); };
    auto start = std::chrono::steady_clock::now();
    std::optional<SearchResult> found;
    if (SearchMemo::isRemembered(options)) {
      const SearchMemo::Entry &entry =
          getAnalysis<SearchMemo>().search(group, axes->model, chip, options);
      found = entry.found;
      reason = entry.reason;
    } else {
      found = searchSchedule(axes->model, chip, reason, options);
    }
    std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - start;
    if (options.isStopped())
      return failure();
    if (!found)
      return mlir::emitError(group.getLoc(), "no schedule found: ") << reason;
    deferRescaling(group, axes->model, *found, chip);
    group.setGroupSchedule(
        exportSchedule(found->schedule, axes->model, group.getContext()));
    explainChoice(group, axes->model, *found, options);
    explainTransports(group, axes->model, found->schedule, options, chip);
    explainMovement(group, axes->model, *found, chip);
    explainPadding(group, *found);
    explainMasks(group, *axes, found->schedule);
    if (!found->measuredBy.empty())
      explainMeasurement(group, axes->model, *found);
    explainLoops(group, axes->model, found->schedule, chip);
    llvm::json::Object entry =
        reportSearch(nameOf(group), axes->model, *found, options, chip);
    entry["seconds"] = taken.count();
    reports.groups.push_back(std::move(entry));
    return success();
  }

  /// Sets the requested threshold of conditional rescaling if lowering supports
  /// it.
  void deferRescaling(fuse::FusedGroupOpInterface group,
                      const GroupModel &model, SearchResult &found,
                      const ChipInfo &chip) {
    if (rescaleThreshold == 0 ||
        found.schedule.reduction != fuse::ReductionForm::Online)
      return;
    Schedule late = found.schedule;
    late.rescaleThreshold = rescaleThreshold;
    if (auto illegal = checkSchedule(model, late, chip)) {
      remarkMissed(group, "fuse", "rescale",
                   "every iteration rescales the accumulators: " + *illegal);
      return;
    }
    found.schedule = std::move(late);
    found.footprint = computeFootprint(model, found.schedule);
  }

  EvaluatorForm evaluator = EvaluatorForm::Default; ///< of stitched groups
  GroupMeasurer *measurer = nullptr;
  bool keepsGiven = false; ///< a schedule that was there
};

} // namespace

std::unique_ptr<Pass>
fusion::createFuseSearchSchedules(FuseSearchSchedulesOptions options,
                                  GroupMeasurer *measurer) {
  return std::make_unique<SearchSchedulesPass>(std::move(options), measurer);
}
