#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the C++ examples as a user would, and runs them on the host driver or on what ISOMAT_TEST_DRIVER names.
set -eu
# shellcheck source=examples/testing.sh
. "${top_srcdir:?is set by make check}/examples/testing.sh"
sources=$top_srcdir/examples/cpp
has pkg-config || skip "no pkg-config"
has "${CXX:-g++}" || skip "no compiler of C++"

mkdir "$scratch/build"
cd "$scratch/build"
make -s -f "$sources/Makefile" VPATH="$sources" CXX="${CXX:-g++}" CXXFLAGS="-O1 -Wall -Wextra -Werror" all test_binding \
    >"$scratch/out" 2>&1 || fail "they do not build"

test_ten_lines ./ten_lines
test_loop 'c\+\+' ./loop
test_overhead 'c\+\+' ./overhead
test_own_kernel 'c\+\+' ./own_kernel
refused_without_driver ./ten_lines ./loop ./overhead ./own_kernel
refused_with_old_library ./ten_lines ./loop
prints '[0-9]+ operations in 16 threads' ./test_binding
