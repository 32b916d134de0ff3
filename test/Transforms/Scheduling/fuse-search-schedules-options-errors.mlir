// RUN: not fusion-opt %s --fuse-search-schedules=space=mcfuser 2>&1 | FileCheck %s --check-prefix=SPACE
// RUN: not fusion-opt %s --fuse-search-schedules=model=best 2>&1 | FileCheck %s --check-prefix=MODEL
// RUN: not fusion-opt %s --fuse-search-schedules=search=fast 2>&1 | FileCheck %s --check-prefix=SEARCH
// RUN: not fusion-opt %s --fuse-search-schedules=rules=125 2>&1 | FileCheck %s --check-prefix=RULES
// RUN: not fusion-opt %s --fuse-search-schedules=rules=11 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not fusion-opt %s --fuse-search-schedules=rules= 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not fusion-opt %s --fuse-search-schedules=max-stages=0 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: not fusion-opt %s --fuse-search-schedules=max-register-stages=0 2>&1 | FileCheck %s --check-prefix=LEVELS
// RUN: not fusion-opt %s --fuse-search-schedules=max-register-stages=3 2>&1 | FileCheck %s --check-prefix=LEVELS
// RUN: not fusion-opt %s --fuse-search-schedules=random-seed=-5 2>&1 | FileCheck %s --check-prefix=SEED
// RUN: not fusion-opt %s --fuse-search-schedules="random-seed=1 space=chimera" 2>&1 | FileCheck %s --check-prefix=DRAWN
// RUN: not fusion-opt %s --fuse-search-schedules="random-seed=1 search=evolutionary" 2>&1 | FileCheck %s --check-prefix=NOSEARCH
// RUN: not fusion-opt %s --fuse-search-schedules="search=descents space=paper" 2>&1 | FileCheck %s --check-prefix=DESCENTS
// RUN: not fusion-opt %s --fuse-search-schedules=effort=0 2>&1 | FileCheck %s --check-prefix=EFFORT
// RUN: not fusion-opt %s --fuse-search-schedules=effort=65 2>&1 | FileCheck %s --check-prefix=EFFORT
// RUN: not fusion-opt %s --fuse-search-schedules=rescale-threshold=127 2>&1 | FileCheck %s --check-prefix=RESCALE
// RUN: not fusion-opt %s --fuse-search-schedules=padding=5 2>&1 | FileCheck %s --check-prefix=PADDING
// Whatever leads to one file: two spellings, and links to it before it is there and after that.
// RUN: not fusion-opt %s --fuse-search-schedules="report=%t.json report-html=%t.json" 2>&1 | FileCheck %s --check-prefix=SAMEFILE
// RUN: rm -rf %t && mkdir -p %t/folder && ln -s folder %t/other && ln -s ../folder/a.json %t/folder/link
// RUN: not fusion-opt %s --fuse-search-schedules="report=%t/folder/a.json report-html=%t/folder/./a.json" 2>&1 | FileCheck %s --check-prefix=SAMEFILE
// RUN: not fusion-opt %s --fuse-search-schedules="report=%t/folder/a.json report-html=%t/other/a.json" 2>&1 | FileCheck %s --check-prefix=SAMEFILE
// RUN: not fusion-opt %s --fuse-search-schedules="report=%t/other/a.json report-html=%t/folder/link" 2>&1 | FileCheck %s --check-prefix=SAMEFILE
// RUN: cd %t/folder && not fusion-opt %s --fuse-search-schedules="report=a.json report-html=../other/link" 2>&1 | FileCheck %s --check-prefix=SAMEFILE
// RUN: touch %t/folder/a.json && ln %t/folder/a.json %t/folder/hard
// RUN: not fusion-opt %s --fuse-search-schedules="report=%t/folder/a.json report-html=%t/folder/hard" 2>&1 | FileCheck %s --check-prefix=SAMEFILE
// RUN: not fusion-opt %s --fuse-form-groups="plan-report=%t/folder/a.json plan-html=%t/other/a.json" 2>&1 | FileCheck %s --check-prefix=SAMEPLAN
// RUN: not test -s %t/folder/a.json
// RUN: not fusion-opt %s --fuse-search-schedules=rules=124 2>&1 | FileCheck %s --check-prefix=OURRULES
// RUN: not fusion-opt %s --fuse-search-schedules="rules=none space=default" 2>&1 | FileCheck %s --check-prefix=OURRULES
// RUN: not fusion-opt %s --fuse-search-schedules=padding=least-of-trips 2>&1 | FileCheck %s --check-prefix=OURPADDING
// RUN: not fusion-opt %s --fuse-search-schedules=remove-dead-loops=false 2>&1 | FileCheck %s --check-prefix=OURLOOPS
// Nor is anything else that would change nothing.
// RUN: not fusion-opt %s --fuse-search-schedules="random-seed=1 seed=2" 2>&1 | FileCheck %s --check-prefix=OTHERSEED
// RUN: not fusion-opt %s --fuse-search-schedules="space=paper model=mcfuser search=exhaustive seed=2" 2>&1 | FileCheck %s --check-prefix=NOSEED
// RUN: not fusion-opt %s --fuse-search-schedules="random-seed=1 model=mcfuser" 2>&1 | FileCheck %s --check-prefix=NOMODEL
// RUN: not fusion-opt %s --fuse-search-schedules="convergence=printed" 2>&1 | FileCheck %s --check-prefix=NOTEVOLVED
// RUN: not fusion-opt %s --fuse-search-schedules="space=paper search=exhaustive convergence=printed" 2>&1 | FileCheck %s --check-prefix=NOTEVOLVED
// RUN: not fusion-opt %s --fuse-search-schedules="space=paper rules=124 padding=printed" 2>&1 | FileCheck %s --check-prefix=NORULE
// RUN: not fusion-opt %s --fuse-search-schedules="space=paper rules=none padding=least-of-trips" 2>&1 | FileCheck %s --check-prefix=NORULE
// RUN: not fusion-opt %s --fuse-search-schedules="model=mcfuser max-stages=2" 2>&1 | FileCheck %s --check-prefix=NOSTAGES
// RUN: not fusion-opt %s --fuse-search-schedules="space=chimera max-register-stages=1" 2>&1 | FileCheck %s --check-prefix=ONESTAGE
// RUN: not fusion-opt %s --fuse-search-schedules="effort=2 space=paper" 2>&1 | FileCheck %s --check-prefix=PAPEREFFORT
// RUN: not fusion-opt %s --fuse-search-schedules="effort=2 search=evolutionary" 2>&1 | FileCheck %s --check-prefix=EVOLVED
// RUN: not fusion-opt %s --fuse-search-schedules="effort=2 random-seed=1" 2>&1 | FileCheck %s --check-prefix=DRAWNEFFORT
// What they are anyway may be said.
// RUN: fusion-opt %s --fuse-search-schedules="rules=all padding=auto remove-dead-loops=true" 2>&1 | FileCheck %s --check-prefix=UNSET
// RUN: not fusion-opt %s --fuse-search-schedules=convergence=soon 2>&1 | FileCheck %s --check-prefix=CONVERGENCE
// RUN: not fusion-opt %s --fuse-search-schedules="space=paper rules=none search=exhaustive" 2>&1 | FileCheck %s --check-prefix=MANY

// SAMEPLAN: error: 'plan-report' and 'plan-html' name the same file
// OTHERSEED: error: 'seed' is of searches; random-seed draws with its own
// NOSEED: error: 'seed' is of searches that draw; exhaustive ones of space 'paper' do not
// RUN: not fusion-opt %s --fuse-search-schedules="random-seed=1 latency-evaluator=printed" 2>&1 | FileCheck %s --check-prefix=NOEVALUATOR
// NOEVALUATOR: error: random-seed draws a schedule; no latency-evaluator evaluates it
// RUN: not fusion-opt %s --fuse-search-schedules="latency-evaluator=auto" 2>&1 | FileCheck %s --check-prefix=EVALUATOR
// EVALUATOR: error: no latency-evaluator 'auto'; known are default, printed
// NOMODEL: error: random-seed draws a schedule; no model evaluates it
// NOTEVOLVED: error: 'convergence' is an option of the evolutionary search alone
// NORULE: error: 'padding' is what rule 3 does, which 'rules' leaves out
// EFFORT: error: effort is from 1 to 64
// PAPEREFFORT: error: 'effort' is of searches of space default, not of space 'paper'
// EVOLVED: error: 'effort' is of descents and bounds; the evolutionary search ends when it has converged
// DRAWNEFFORT: error: 'effort' is of searches; random-seed draws a schedule
// NOSTAGES: error: model 'mcfuser' sees no stages: 'max-stages' and 'max-register-stages' would change nothing
// ONESTAGE: error: buffers of space 'chimera' have one stage but under model alcop: 'max-stages' and 'max-register-stages' would change nothing
// SPACE: error: no space 'mcfuser'; known are default, paper, chimera
// MODEL: error: no model 'best'; known are default, mcfuser, chimera-printed, chimera-obs2, alcop
// NOSEARCH: error: random-seed draws a schedule; nothing is left to search
// DESCENTS: error: descents are a search of space default, not of space 'paper'
// SEARCH: error: no search 'fast'; known are auto, exhaustive, descents, evolutionary
// RULES: error: no rules '125'; known are all, none, or digits of 1234, each once
// TWICE: error: no rules '11'; known are all
// EMPTY: error: no rules ''; known are all
// STAGES: error: max-stages is at least 1
// LEVELS: error: max-register-stages is from 1 to 2
// SEED: error: random-seed is a number from 0 on, or -1 for none
// DRAWN: error: random-seed draws from space default, not from space 'chimera'
// RESCALE: :[[@LINE+11]]:1: error: rescale-threshold is at most 126 powers of two
// PADDING: error: no padding '5'; known are auto, printed, least-of-trips
// SAMEFILE: 'report' and 'report-html' name the same file
// OURRULES: error: 'rules' is an option of spaces paper and chimera, not of space default
// OURPADDING: error: 'padding' is an option of spaces paper and chimera, not of space default
// OURLOOPS: error: 'remove-dead-loops' is an option of spaces paper and chimera, not of space default
// UNSET-NOT: error
// UNSET: schedule = #fuse.schedule
// CONVERGENCE: error: no convergence 'soon'; known are printed, best-of-all
// MANY: [[@LINE+4]]:8: error: no schedule found: 25165824 candidates are too many to list; use the evolutionary search

module attributes {fuse.chip = #fuse.chip<"sm_80">} {
func.func @product(%a: tensor<4096x4096xf16>, %b: tensor<4096x1024xf16>, %o: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {
  %r = fuse.chain ins(%x = %a : tensor<4096x4096xf16>, %y = %b : tensor<4096x1024xf16>) outs(%p = %o : tensor<4096x1024xf32>) {
    %z = arith.constant 0.0 : f32
    %f = linalg.fill ins(%z : f32) outs(%p : tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
    %c = linalg.matmul ins(%x, %y : tensor<4096x4096xf16>, tensor<4096x1024xf16>) outs(%f : tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
    fuse.yield %c : tensor<4096x1024xf32>
  } -> tensor<4096x1024xf32>
  return %r : tensor<4096x1024xf32>
}
}
