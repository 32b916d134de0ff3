// RUN: fusion-opt %s --reference-report-assertions -verify-diagnostics

func.func @inside(%n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @below {{an assertion inside of 'scf.for' cannot be reported}}
    cf.assert %c, "never"
  }
  return
}
