#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the Zig examples as a user would, and runs them on the host driver or on what ISOMAT_TEST_DRIVER names.
set -eu
# shellcheck source=examples/testing.sh
. "${top_srcdir:?is set by make check}/examples/testing.sh"
sources=$top_srcdir/examples/zig

has pkg-config || skip "no pkg-config"
# The compiler: $ZIG, one that is installed, or that of the Python package.
for ZIG in "${ZIG:-zig}" "$top_srcdir/.zig/ziglang/zig" "python3 -m ziglang" none; do
    version=$($ZIG version 2>/dev/null) && break
done
[ "$ZIG" != none ] || skip "zig is not installed"
case $version in
0.15.*) ;;
*) skip "Zig $version, and not 0.15" ;;
esac

ZIG_LOCAL_CACHE_DIR=$top_builddir/examples/zig/cache
ZIG_GLOBAL_CACHE_DIR=$ZIG_LOCAL_CACHE_DIR
export ZIG_LOCAL_CACHE_DIR ZIG_GLOBAL_CACHE_DIR
mkdir -p "$ZIG_LOCAL_CACHE_DIR" "$scratch/build"
cd "$scratch/build"
$ZIG fmt --check "$sources"/*.zig >"$scratch/out" || fail "zig fmt has something to say of these"
# Without optimisation, which takes a minute.
make -s -f "$sources/Makefile" VPATH="$sources" ZIG="$ZIG" ZIGFLAGS= all test_binding >"$scratch/out" 2>&1 ||
    fail "they do not build"

test_ten_lines ./ten_lines
test_loop zig ./loop
test_overhead zig ./overhead
test_own_kernel zig ./own_kernel
refused_without_driver ./ten_lines ./loop ./overhead ./own_kernel
refused_with_old_library ./ten_lines ./loop
ends 0 ./test_binding
