//===- Interrupt.h - Ctrl-C that lets work end in order ---------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// It depends on the system's C library alone, as the emulator does.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SUPPORT_INTERRUPT_H
#define FUSION_SUPPORT_INTERRUPT_H

#include <signal.h>

namespace fusion {

/// While one exists, the first SIGINT is noted, for those who ask; the second
/// ends the process as it always does. Where the signal is ignored, as in a
/// shell's background jobs, it stays so. One at a time.
class InterruptGuard {
public:
  InterruptGuard() {
    noted = 0;
    sigaction(SIGINT, nullptr, &before());
    if (before().sa_handler == SIG_IGN)
      return;
    struct sigaction action = {};
    action.sa_handler = note;
    // A program that is writing a result must not fail because of it.
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, nullptr);
  }
  ~InterruptGuard() { sigaction(SIGINT, &before(), nullptr); }
  InterruptGuard(const InterruptGuard &) = delete;
  InterruptGuard &operator=(const InterruptGuard &) = delete;

  static bool isInterrupted() { return noted; }

  /// While one exists beside a guard, SIGINT does what it did before the guard.
  class Pause {
  public:
    Pause() { sigaction(SIGINT, &before(), &guarded); }
    ~Pause() { sigaction(SIGINT, &guarded, nullptr); }
    Pause(const Pause &) = delete;
    Pause &operator=(const Pause &) = delete;

  private:
    struct sigaction guarded;
  };

private:
  static void note(int) {
    noted = 1;
    sigaction(SIGINT, &before(), nullptr);
  }
  static struct sigaction &before() {
    static struct sigaction action; // constant initialisation: no lock
    return action;
  }

  static inline volatile sig_atomic_t noted = 0;
};

} // namespace fusion

#endif // FUSION_SUPPORT_INTERRUPT_H
