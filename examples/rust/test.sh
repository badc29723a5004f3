#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the Rust example's tests in the debug profile, and both programs, on
# the host driver or on what ISOMAT_TEST_DRIVER names.
set -eu
sources=${top_srcdir:?is set by make check}/examples/rust
libraries=${top_builddir:?is set by make check}/.libs
ISOMAT_DRIVER=${ISOMAT_TEST_DRIVER:-host}
ISOMAT_LIBRARY=$libraries/libisomat.so.0
ISOMAT_CUDA_KERNELS=$libraries/libcuda_kernels.so.0
CARGO_TARGET_DIR=$top_builddir/examples/rust/target
export ISOMAT_DRIVER ISOMAT_LIBRARY ISOMAT_CUDA_KERNELS CARGO_TARGET_DIR

skip() {
    echo "SKIP: $*"
    exit 77
}

fail() {
    echo "FAIL: $*"
    exit 1
}

cargo --version >/dev/null 2>&1 || skip "cargo is not installed"
[ -e "$ISOMAT_LIBRARY" ] || skip "configured without shared libraries"
# A program that was not built with a sanitizer cannot open a library that was.
if grep -aqE '__(asan|tsan|msan)_init' "$ISOMAT_LIBRARY"; then
    skip "the library is built with a sanitizer"
fi
# The jobs of make are not cargo's.
unset MAKEFLAGS MFLAGS

cargo_in() {
    verb=$1
    shift
    cargo "$verb" --quiet --offline --locked --manifest-path "$sources/Cargo.toml" "$@"
}

cargo_in test -- --nocapture

for program in loop loop_dropin; do
    line=$(cargo_in run --bin $program -- 96 3)
    echo "$line"
    echo "$line" | grep -Eqx "rust debug: 96 x 96, 3 multiplications, .+: device [0-9]+\.[0-9]{3} ms, with overhead [0-9]+\.[0-9]{3} ms" ||
        fail "$program: another line than it should print"
    status=0
    message=$(ISOMAT_DRIVER=/nonexistent/libcuda.so.1 cargo_in run --bin $program -- 1 1 2>&1) || status=$?
    [ $status -eq 1 ] || fail "$program without a driver: exit status $status"
    case $message in
    *"
"*) fail "$program without a driver: not one line: $message" ;;
    *"/nonexistent/libcuda.so.1"*) ;;
    *) fail "$program without a driver: not the library's message: $message" ;;
    esac
done
