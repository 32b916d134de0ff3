// RUN: fusion-opt %s --split-input-file --verify-diagnostics --convert-tile-to-cpu

// expected-error @below {{is for sm_80, which is no CPU}}
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
  tile.kernel @nothing() attributes {warps = 1 : i64} {
    tile.return
  }
}

// -----

// expected-error @below {{does not say for which chip}}
module {
  tile.kernel @nothing() attributes {warps = 1 : i64} {
    tile.return
  }
}

// -----

module attributes {fuse.chip = #fuse.chip<"x86-64-v3">} {
  tile.kernel @barrier() attributes {warps = 1 : i64} {
    // expected-error @below {{cannot be lowered for a CPU}}
    tile.barrier
    tile.return
  }
}
