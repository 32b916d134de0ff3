// Schedules written by hand that are rejected, each with its reason. Every line changes the schedule
// below in one place.

// Unchanged it is legal, and kept.
// RUN: fusion-opt %s --fuse-search-schedules | FileCheck %s --check-prefix=KEEP
// KEEP: tiling = <"mh(n(k(LA,LB,CC),LD,CE),SE)", {h = 32 : i64, k = 32 : i64, m = 32 : i64, n = 32 : i64}>

// The schedule speaks of another group, or is no expression.
// RUN: sed -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|mq(n(k(LA,LB,CC),LD,CE),SE)|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=AXIS
// AXIS: error: schedule does not fit the group: tiling expression 'mq(n(k(LA,LB,CC),LD,CE),SE)', column 2: the group has no axis 'q'
// RUN: sed -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|mh(n(k(LA,LX,CC),LD,CE),SE)|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=TENSOR
// TENSOR: error: {{.*}}column 11: the group has no tensor 'X'
// RUN: sed -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|mh(n(k(LA,LB,CC),LD,CE),SE|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: error: {{.*}}column 27: ')' was expected
// RUN: sed -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|mh(n(k(LA,LB,CC),LD,CE),SE))|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: error: {{.*}}column 28: unexpected ')'
// RUN: sed -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|mh(n(k(LA,LB,CC),,CE),SE)|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: error: {{.*}}column 18: a loop or statement was expected
// RUN: sed -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|mh|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=END
// END: error: {{.*}}column 3: a loop or statement was expected
// RUN: sed -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm(LA)|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=DEEP
// DEEP: error: {{.*}}nested too deeply
// RUN: sed -e 's|k = 32, h|h|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=TILES
// TILES: error: {{.*}}the tiling gives no tile size for axis 'k'
// RUN: sed -e 's|k = 32, h|k = 32, q = 3, h|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=TILEAXIS
// TILEAXIS: error: {{.*}}the group has no axis 'q'
// RUN: sed -e 's|"m", "h"\]|"m", "q"]|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=BLOCKAXIS
// BLOCKAXIS: error: {{.*}}the group has no axis 'q'
// RUN: sed -e 's|E = #fuse\.op|F = #fuse.op|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=PRODUCT
// PRODUCT: error: {{.*}}the mapping says nothing of the contraction 'E'
// RUN: sed -e 's|E = #fuse\.op|A = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "h", r1 = "n", warps = [2, 1]>, E = #fuse.op|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=NOPRODUCT
// NOPRODUCT: error: {{.*}}the group has no contraction 'A'
// RUN: sed -e 's|E = #fuse\.operator_map<"mma\.m16n8k16"|E = #fuse.operator_map<"mma.m8n8k4"|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=INTRINSIC
// INTRINSIC: error: {{.*}}unknown intrinsic 'mma.m8n8k4'
// RUN: sed -e 's|r1 = "n"|r1 = "q"|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=MAPAXIS
// MAPAXIS: error: {{.*}}the group has no axis 'q'
// RUN: sed -e 's|D = #fuse\.place|Q = #fuse.place<shared>, D = #fuse.place|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=PLACE
// PLACE: error: {{.*}}the group has no tensor 'Q'
// RUN: sed -e 's|<shared>}>>}|<shared>}>, pipeline = <{Q = 2}>>}|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=STAGES
// STAGES: error: {{.*}}the group has no tensor 'Q'
// Fields that are not lowered are rejected, not ignored.
// RUN: sed -e 's|warps = \[2, 1\]>}>,|warps = [2, 1]>}, block_swizzle = 4>,|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=RASTER
// RASTER: error: {{.*}}a block_swizzle of 4 blocks is row by row: axis 'h' has 2
// RUN: sed -e 's|warps = \[2, 1\]>}>,|warps = [2, 1]>}, persistent = true>,|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=PERSISTENT
// PERSISTENT: error: {{.*}}'persistent' without 'producers' is not lowered: a block would load its next tile when it has stored the last one
// RUN: sed -e 's|warps = \[2, 1\]>}>,|warps = [2, 1]>}, cluster = 2>,|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=CLUSTER
// CLUSTER: error: {{.*}}sm_80 has no clusters
// RUN: sed -e 's|<shared>}>>}|<shared>}>, pipeline = <{}, register_stages = 3>>}|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=REGISTERS
// REGISTERS: error: {{.*}}the fragments of 'A' ask for 3 stages; they have 1 or 2
// Fields of one tensor: it must be multiplied from shared memory, and be there.
// RUN: sed -e 's|<shared>}>>}|<shared>}>, pipeline = <{}, fragments = {B = 2, D = 2}>>}|' %s | fusion-opt --fuse-search-schedules | FileCheck %s --check-prefix=FRAGMENTS
// FRAGMENTS: pipeline = <{}, fragments = {B = 2 : i64, D = 2 : i64}>
// RUN: sed -e 's|<shared>}>>}|<shared>}>, pipeline = <{}, fragments = {C = 2}>>}|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=NOFRAGMENTS
// NOFRAGMENTS: error: {{.*}}'C' is not multiplied from shared memory and has no fragments with stages
// RUN: sed -e 's|<shared>}>>}|<shared>}>, pipeline = <{}, fragments = {Q = 2}>>}|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=FRAGMENTSOF
// FRAGMENTSOF: error: {{.*}}the group has no tensor 'Q'
// RUN: sed -e 's|<shared>}>>}|<shared>}>, pipeline = <{}, overlap = {Q = 2}>>}|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=PRODUCTSTAGES
// PRODUCTSTAGES: error: {{.*}}the group has no contraction 'Q'
// RUN: sed -e 's|<shared>}>>}|<shared>}>, pipeline = <{}, overlap = {E = 2}>>}|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=OVERLAP
// OVERLAP: error: {{.*}}'E' cannot overlap with the next iteration's contractions: mma.m16n8k16 is synchronous: it has ended when the next instruction begins
// RUN: sed -e 's|<shared>}>>}|<shared>}>, parallel = <{k = 2}>>}|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=SPLIT
// SPLIT: error: {{.*}}axis 'k' cannot be split: it is reduced by 'C', which is rounded before it is used
// RUN: sed -e 's|<shared>}>>}|<shared>}>, parallel = <{}, producers = 1>>}|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=PRODUCERS
// PRODUCERS: error: {{.*}}sm_80 has no TMA copies for a producer to issue
// RUN: sed -e 's|<shared>}>>}|<shared>}>, parallel = <{}, producers = 1>>}|' %s | not fusion-opt --fuse-search-schedules=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=NOBULK
// NOBULK: error: {{.*}}no operand has TMA copies in several stages, which producers would prefetch
// RUN: sed -e 's|<shared>}>>}|<shared>}>, parallel = <{q = 2}>>}|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=SPLITAXIS
// SPLITAXIS: error: {{.*}}the group has no axis 'q'
// RUN: sed -e 's|<shared>}>>}|<shared>}>, reduction = <online>>}|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=REDUCTION
// REDUCTION: error: {{.*}}'reduction' is for groups with reductions between contractions
// How products use the intrinsic and the warps.
// RUN: sed -e 's|i1 = "m", i2 = "n", r1 = "k"|i1 = "k", i2 = "n", r1 = "m"|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=I1
// I1: error: schedule cannot be lowered: i1 = 'k' is no parallel axis of one operand of 'C'
// RUN: sed -e 's|i2 = "n", r1 = "k"|i2 = "k", r1 = "n"|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=I2
// I2: error: {{.*}}i2 = 'k' is no parallel axis of the other operand of 'C'
// RUN: sed -e 's|r1 = "n"|r1 = "k"|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=R1
// R1: error: {{.*}}r1 = 'k' is not reduced by 'E'
// RUN: sed -e 's|warps = 2,|warps = 4,|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=WARPS
// WARPS: error: {{.*}}'C' arranges 2 warps but the block has 4
// RUN: sed -e 's|m = 32|m = 48|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=MULTIPLE
// MULTIPLE: error: {{.*}}the tile of 'C' (48 x 32 x 32) is no multiple of mma.m16n8k16 over 2 x 1 warps
// Columns come in steps of 16 though the intrinsic takes 8: they are the next reduction.
// RUN: sed -e 's|h = 32|h = 24|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: error: {{.*}}the tile of 'E' (32 x 24 x 32) is no multiple of mma.m16n8k16 over 2 x 1 warps
// What is bound to the grid.
// RUN: sed -e 's|"m", "h"\]|"m", "h", "n"]|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=GRIDREDUCED
// GRIDREDUCED: error: {{.*}}axis 'n' is reduced by 'E' and cannot be bound to the grid (a reduction is split by 'parallel')
// The nest of loops and the places of statements.
// RUN: sed -e 's|k = 32|k = 64|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=ONETRIP
// ONETRIP: error: {{.*}}loop 'k' has one iteration and must not be in the expression
// RUN: sed -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|mh(n(k(n(LA,LB,CC)),LD,CE),SE)|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=NESTED
// NESTED: error: {{.*}}loop 'n' is nested in itself
// RUN: sed -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|m(n(h(k(LA,LB,CC),LD,CE)),SE)|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=GRIDINSIDE
// GRIDINSIDE: error: {{.*}}loop 'h' is bound to the grid but stands inside of 'n', which is not
// RUN: sed -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|m(LA,h(n(k(LB,CC),LD,CE),SE))|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=GRIDBESIDE
// GRIDBESIDE: error: {{.*}}loop 'h' is bound to the grid and must enclose everything else
// RUN: sed -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|mh(n(k(LA,LA,LB,CC),LD,CE),SE)|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: {{.*}}tensor 'A' has the same statement twice
// RUN: sed -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|mh(n(k(LA,LB,LC,CC),LD,CE),SE)|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=LOADPRODUCT
// LOADPRODUCT: error: {{.*}}contraction 'C' must not be loaded
// RUN: sed -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|mh(n(k(LA,CC),LD,CE),SE)|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=NOLOAD
// NOLOAD: error: {{.*}}operand 'B' is never loaded
// RUN: sed -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|mh(n(k(LA,LB,CC),LD),SE)|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=NOCOMPUTE
// NOCOMPUTE: error: {{.*}}contraction 'E' is never computed
// RUN: sed -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|mh(n(k(LA,LB,CC),LD,CD,CE),SE)|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=COMPUTEOPERAND
// COMPUTEOPERAND: error: {{.*}}operand 'D' must not be computed
// RUN: sed -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|mh(n(k(LA,LB,CC),LD,CE))|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=NOSTORE
// NOSTORE: error: {{.*}}result 'E' is never stored
// RUN: sed -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|mh(n(k(LA,LB,CC),SC,LD,CE),SE)|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=STOREINNER
// STOREINNER: error: {{.*}}'C' is no result and must not be stored
// RUN: sed -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|mh(n(LA,k(LB,CC),LD,CE),SE)|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: error: {{.*}}LA stands outside of loop 'k'
// RUN: sed -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|mh(n(k(LA,LB,CC),LD),CE,SE)|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=COMPUTEOUTSIDE
// COMPUTEOUTSIDE: error: {{.*}}CE stands outside of loop 'n'
// RUN: sed -e 's|blocks = \["m", "h"\]|blocks = ["m"]|' -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|m(h(n(k(LA,LB,CC),LD,CE)),SE)|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=STOREOUTSIDE
// STOREOUTSIDE: error: {{.*}}SE stands outside of loop 'h'
// What is complete when.
// RUN: sed -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|mh(n(LD,CE,k(LA,LB,CC)),SE)|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: error: {{.*}}CE does not follow the completion of 'C'
// RUN: sed -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|mh(n(k(LA,LB,CC,LD,CE)),SE)|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=INSIDE
// INSIDE: error: {{.*}}CE does not follow the completion of 'C'
// RUN: sed -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|mh(k(LA,n(LB,CC,LD,CE)),SE)|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT: error: {{.*}}CE does not follow the completion of 'C'
// RUN: sed -e 's|blocks = \["m", "h"\]|blocks = ["m"]|' -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|m(k(h(LA,n(LB,CC,LD,CE),SE)))|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=REPEATED
// REPEATED: error: {{.*}}loop 'h' repeats CC inside of its own reduction
// RUN: sed -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|mh(n(k(LA,LB,CC),LD,CE,SE))|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=STORELATE
// STORELATE: error: {{.*}}SE must directly follow the completion of 'E'
// RUN: sed -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|mh(n(k(LA,LB,LD,CC),CE),SE)|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=LOADREPEATED
// LOADREPEATED: error: {{.*}}loop 'k' repeats LD, which is used outside of it
// RUN: sed -e 's|blocks = \["m", "h"\]|blocks = ["m"]|' -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|m(h(n(k(LA,LB,CC))),h(n(LD,CE),SE))|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=COMPUTEREPEATED
// COMPUTEREPEATED: error: {{.*}}loop 'h' repeats CC, which is used outside of it
// RUN: sed -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|mh(n(k(LA,LB,CC),LD,CE),k(SE))|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=STOREREPEATED
// STOREREPEATED: error: {{.*}}loop 'k' repeats SE
// RUN: sed -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|mh(n(k(LB,CC,LA),LD,CE),SE)|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=LOADLATE
// LOADLATE: error: {{.*}}LA does not precede CC
// Where tensors live.
// RUN: sed -e 's|<shared>}>>}|<shared>}>, pipeline = <{A = 9}>>}|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=STAGED
// STAGED: error: {{.*}}'A' asks for 9 stages; a buffer has 1 to 8
// RUN: sed -e 's|<shared>}>>}|<shared>}>, pipeline = <{E = 2}>>}|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=STAGEDPRODUCT
// STAGEDPRODUCT: error: {{.*}}'E' is no operand that is loaded in a loop and has one stage
// RUN: sed -e 's|<shared>}>>}|<shared>}>, pipeline = <{A = 2, D = 2}>>}|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=STAGEDNEST
// STAGEDNEST: error: {{.*}}loop 'n' of 'D' holds the pipelined loop of 'A'; groups of copies are waited for in order, so only the inner one can have stages
// RUN: sed -e 's|<shared>}>>}|<shared>}>, pipeline = <{A = 2}>>}|' -e 's|mh(n(k(LA,LB,CC),LD,CE),SE)|mh(k(LA),n(k(LB,CC),LD,CE),SE)|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=STAGEDKEPT
// STAGEDKEPT: error: {{.*}}'A' is retained in 2 tiles, which loops of its own load before they are used, and has one stage
// RUN: sed -e 's|B = #fuse\.place<shared, async16>|B = #fuse.place<registers>|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=OPERANDPLACE
// OPERANDPLACE: error: {{.*}}operand 'B' of a contraction must be placed in shared memory
// RUN: sed -e 's|i1 = "m", i2 = "h", r1 = "n"|i1 = "h", i2 = "m", r1 = "n"|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=SECOND
// SECOND: error: {{.*}}'C' cannot stay in registers: the warps that multiply it do not hold all of axis 'n'
// RUN: sed -e 's|warps = \[2, 1\]>,|warps = [1, 2]>,|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=HANDOVER
// HANDOVER: error: {{.*}}'C' cannot stay in registers: the warps that multiply it do not hold all of axis 'n'
// RUN: sed -e 's|C = #fuse\.place<registers>|C = #fuse.place<shared>|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=HELD
// HELD: error: {{.*}}'C' is held by the threads that multiply it next and stays in registers
// RUN: sed -e 's|C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n"|C = #fuse.operator_map<"mma.m16n8k16", i1 = "n", i2 = "m"|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=LIES
// LIES: error: {{.*}}'C' cannot stay in registers: its accumulator's layout is none of an operand of the next intrinsic
// Fields that change nothing about a tensor are rejected as well, even where they state a fact.
// RUN: sed -e 's|C = #fuse.place<registers>|C = #fuse.place<registers, async16>|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=TRANSPORT
// TRANSPORT: :[[@LINE+20]]:8: error: schedule cannot be lowered: 'C' is not copied into shared memory and has no transport
// RUN: sed -e 's|E = #fuse.place<shared>|E = #fuse.place<shared, async16>|' %s | not fusion-opt --fuse-search-schedules=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=STORED
// STORED: error: {{.*}}'E' is stored by threads or by TMA, not by asynchronous copies of threads
// RUN: sed -e 's|<shared>}>>}|<shared>}>, pipeline = <{}, fragments = {C = 1}>>}|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=NOSTAGE
// NOSTAGE: error: schedule does not fit the group: 'C' is not multiplied from shared memory and has no fragments with stages
// RUN: sed -e 's|<shared>}>>}|<shared>}>, pipeline = <{}, fragments = {E = 1}>>}|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=RESULTFRAGMENTS
// RESULTFRAGMENTS: error: {{.*}}'E' is not multiplied from shared memory and has no fragments with stages
// RUN: sed -e 's|<shared>}>>}|<shared>}>, pipeline = <{C = 1}>>}|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=NOBUFFER
// NOBUFFER: error: {{.*}}'C' is in registers and has no buffer with stages
// RUN: sed -e 's|<shared>}>>}|<shared>}>, stitching = <{}>>}|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=STITCHING
// STITCHING: error: {{.*}}'stitching' is for stitched groups
// Parts that have nothing to do are no error, since what they add is zero.
// RUN: sed -e 's|<shared>}>>}|<shared>}>, parallel = <{n = 100}>>}|' -e 's|n(k(LA,LB,CC),LD,CE),SE|k(LA,LB,CC),LD,CE,SE|' %s | fusion-opt --fuse-search-schedules -o /dev/null 2>&1 | FileCheck %s --check-prefix=PARTS
// PARTS: warning: 98 of the 100 splits of axis 'n' are empty: it has 2 tiles
// Resources.
// RUN: sed -e 's|m = 32, n = 32, k = 32, h = 32|m = 32, n = 32, k = 8192, h = 32|' -e 's|k(LA,LB,CC)|LA,LB,CC|' %s | not fusion-opt --fuse-search-schedules 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: error: {{.*}}the tiles need 1050624 bytes of shared memory; a block of sm_80 has at most 166912

func.func @chain(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %d: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %r = fuse.chain ins(%x = %a : tensor<64x64xf16>, %y = %b : tensor<64x64xf16>, %w = %d : tensor<64x64xf16>)
                  outs(%o = %e : tensor<64x64xf32>)
      attributes {schedule = #fuse.schedule<version = 2,
        tiling = <"mh(n(k(LA,LB,CC),LD,CE),SE)", {m = 32, n = 32, k = 32, h = 32}>,
        mapping = <warps = 2, blocks = ["m", "h"], operators = {
          C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [2, 1]>,
          E = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "h", r1 = "n", warps = [2, 1]>}>,
        memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<registers>,
                   D = #fuse.place<shared, async16>, E = #fuse.place<shared>}>>} {
    %z = arith.constant 0.0 : f32
    %e0 = tensor.empty() : tensor<64x64xf32>
    %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %c = linalg.matmul ins(%x, %y : tensor<64x64xf16>, tensor<64x64xf16>) outs(%f0 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %e1 = tensor.empty() : tensor<64x64xf16>
    %h = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%c : tensor<64x64xf32>) outs(%e1 : tensor<64x64xf16>) {
    ^bb0(%u: f32, %v: f16):
      %t = arith.truncf %u : f32 to f16
      linalg.yield %t : f16
    } -> tensor<64x64xf16>
    %f1 = linalg.fill ins(%z : f32) outs(%o : tensor<64x64xf32>) -> tensor<64x64xf32>
    %p = linalg.matmul ins(%h, %w : tensor<64x64xf16>, tensor<64x64xf16>) outs(%f1 : tensor<64x64xf32>) -> tensor<64x64xf32>
    fuse.yield %p : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
