/*===- call.c - Calls functions that were compiled ahead of time --*- C -*-===*\
|*                                                                            *|
|* Part of the Fusion project, under the Apache License v2.0 with LLVM        *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The functions of kernels.mlir: alone, in a loop of this program with       *|
|* several workers, and from two threads at the same time.                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "kernels.h"
#include <pthread.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

enum { elements = 640, workers = 3 };

struct part {
  fusion_body body;
  void *data;
  int64_t first, end, worker;
};

static void *run_part(void *argument) {
  struct part *part = argument;
  if (part->first < part->end)
    part->body(part->data, part->first, part->end, part->worker);
  return 0;
}

/* One range for each worker. */
static void loop(void *context, fusion_body body, void *data, int64_t count) {
  pthread_t threads[workers];
  struct part parts[workers];
  int64_t share = (count + workers - 1) / workers;
  for (int64_t i = 0; i < workers; ++i) {
    int64_t end = (i + 1) * share < count ? (i + 1) * share : count;
    parts[i] = (struct part){body, data, i * share, end, i};
    pthread_create(&threads[i], 0, run_part, &parts[i]);
  }
  for (int i = 0; i < workers; ++i)
    pthread_join(threads[i], 0);
  ++*(int *)context;
}

static alignas(64) float a[elements], b[elements];

static int is_wrong(fusion_parallel_for parallel_for) {
  alignas(256) char workspace[FUSION_MAIN_WORKSPACE_BYTES];
  alignas(64) char scratch[workers][FUSION_MAIN_SCRATCH_BYTES];
  alignas(64) float sum[elements], constant[4], same[elements];
  int64_t number = 0;
  int launches = 0, wrong = 0;
  fusion_main(a, b, 0.5f, sum, constant, same, &number, workspace, scratch, parallel_for, &launches);
  for (int i = 0; i < elements; ++i)
    wrong += sum[i] != (a[i] + b[i]) * 0.5f;
  for (int i = 0; i < 4; ++i)
    wrong += constant[i] != i + 1;
  return wrong + memcmp(same, b, sizeof(b)) + (number != 7) + (launches != (parallel_for ? 2 : 0));
}

static void *call_often(void *wrong) {
  for (int i = 0; i < 100; ++i)
    *(int *)wrong += is_wrong(loop) != 0;
  return 0;
}

int main(void) {
  for (int i = 0; i < elements; ++i) {
    a[i] = i;
    b[i] = 3 * i - 100;
  }
  printf("alone: %d wrong\n", is_wrong(0));
  printf("in a loop: %d wrong\n", is_wrong(loop));
  pthread_t thread;
  int here = 0, there = 0;
  pthread_create(&thread, 0, call_often, &there);
  call_often(&here);
  pthread_join(thread, 0);
  printf("at the same time: %d wrong\n", here + there);
  return 0;
}
