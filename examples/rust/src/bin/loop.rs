// SPDX-License-Identifier: MIT
//! Multiplies two matrices in a loop and times it, with isomat.h.

fn main() {
    isomat::workload::main(isomat::workload::run);
}
