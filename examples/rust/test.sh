#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the Rust example's tests in the debug profile, and its programs, on
# the host driver or on what ISOMAT_TEST_DRIVER names.
set -eu
# shellcheck source=examples/testing.sh
. "${top_srcdir:?is set by make check}/examples/testing.sh"
sources=$top_srcdir/examples/rust
ISOMAT_LIBRARY=$libraries/libisomat.so.0
ISOMAT_CUDA_KERNELS=$libraries/libcuda_kernels.so.0
CARGO_TARGET_DIR=$top_builddir/examples/rust/target
export ISOMAT_LIBRARY ISOMAT_CUDA_KERNELS CARGO_TARGET_DIR

cargo --version >/dev/null 2>&1 || skip "cargo is not installed"

cargo_in() {
    verb=$1
    shift
    cargo "$verb" --quiet --offline --locked --manifest-path "$sources/Cargo.toml" "$@"
}

cargo_in test -- --nocapture
cargo_in build --bins

cd "$CARGO_TARGET_DIR/debug"
test_ten_lines ./ten_lines
test_loop 'rust debug' ./loop
test_loop 'rust debug' ./loop_dropin
test_overhead 'rust debug' ./overhead
test_own_kernel rust ./own_kernel
refused_without_driver ./ten_lines ./loop ./loop_dropin ./overhead ./own_kernel
ISOMAT_LIBRARY=/nonexistent/libisomat.so.0 refused /nonexistent/libisomat.so.0 ./ten_lines
