#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the Fortran examples as a user would, and runs them on the host driver or on what ISOMAT_TEST_DRIVER names.
set -eu
# shellcheck source=examples/testing.sh
. "${top_srcdir:?is set by make check}/examples/testing.sh"
sources=$top_srcdir/examples/fortran
FC=${FC:-gfortran}
has pkg-config || skip "no pkg-config"
has "$FC" || skip "no compiler of Fortran"

mkdir "$scratch/build"
cd "$scratch/build"
make -s -f "$sources/Makefile" VPATH="$sources" FC="$FC" FFLAGS="-O1 -Wall -Wextra -Werror -fcheck=all" \
    all test_binding >"$scratch/out" 2>&1 || fail "they do not build"

test_ten_lines ./ten_lines
test_loop fortran ./loop
test_overhead fortran ./overhead
test_own_kernel fortran ./own_kernel
refused_without_driver ./ten_lines ./loop ./overhead ./own_kernel
refused_with_old_library ./ten_lines ./loop
ends 0 ./test_binding
