// SPDX-License-Identifier: MIT
//! The same loop with the id-based library, isomat_cuda_kernels.h.

fn main() {
    isomat::workload::main(isomat::workload::run_dropin);
}
