#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the C examples at a small size, on the host driver or on what
# ISOMAT_TEST_DRIVER names.
set -eu
folder=${top_builddir:?is set by make check}/examples/c
ISOMAT_DRIVER=${ISOMAT_TEST_DRIVER:-host}
export ISOMAT_DRIVER
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
    echo "FAIL: $*"
    cat "$scratch"/*
    exit 1
}

# run STATUS PROGRAM ARGUMENT...: runs it and compares its exit status.
run() {
    wanted=$1
    program=$2
    shift 2
    status=0
    "$folder/$program" "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
    [ $status -eq "$wanted" ] || fail "$program $*: exit status $status, not $wanted"
}

run 0 ten_lines
[ "$(tr '\n' ' ' <"$scratch/out")" = "22 28 49 64 " ] || fail "ten_lines: a wrong product"

for each in loop loop_dropin; do
    for size in 1 96; do
        run 0 $each $size 3
        grep -Eqx "c: $size x $size, 3 multiplications, .+: device [0-9]+\.[0-9]{3} ms, with overhead [0-9]+\.[0-9]{3} ms" \
            "$scratch/out" || fail "$each: another line than it should print"
    done
    for argument in 0 -1 12x 99999999999999999999 ''; do
        run 2 $each "$argument"
    done
    run 2 $each 1 0
    run 2 $each 1 1 1
done

for calls in 1 600; do
    run 0 overhead $calls
    grep -Eqx "c: $calls calls: empty launch [1-9][0-9]* ns, 64 x 64 product [1-9][0-9]* ns" "$scratch/out" ||
        fail "overhead: another line than it should print"
done
run 2 overhead 0
run 2 overhead 12x
run 2 overhead 1 1

run 0 own_kernel "${top_srcdir:?is set by make check}/examples/python/axpy.ptx"
grep -Eqx "c: axpy, 1000 elements, [0-9]+ registers" "$scratch/out" || fail "own_kernel: another line than it should print"
run 1 own_kernel /nonexistent/module.ptx
[ "$(wc -l <"$scratch/err")" -eq 1 ] || fail "own_kernel: not one line"

# A failure of the library: its message, on one line.
ISOMAT_DRIVER=/nonexistent/libcuda.so.1
for each in ten_lines loop loop_dropin overhead own_kernel; do
    run 1 $each
    [ "$(wc -l <"$scratch/err")" -eq 1 ] || fail "$each: not one line"
    grep -q /nonexistent/libcuda.so.1 "$scratch/err" || fail "$each: not the library's message"
done
