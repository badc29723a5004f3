# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# hosts.sh: for the test.sh of a language, which sources it and defines how a program of its folder is run:
#     program NAME [ARGUMENT...]
# The programs of every folder are tested here, on the host driver or on what ISOMAT_TEST_DRIVER names.
libraries=${top_builddir:?is set by make check}/.libs
ISOMAT_DRIVER=${ISOMAT_TEST_DRIVER:-host}
ISOMAT_LIBRARY=$libraries/libisomat.so.0
export ISOMAT_DRIVER ISOMAT_LIBRARY
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

skip() {
    echo "SKIP: $*"
    exit 77
}

fail() {
    echo "FAIL: $*"
    head -n 50 "$scratch/out" "$scratch/err" 2>/dev/null || :
    exit 1
}

# Skips where a program that was not built with it cannot open the library.
need_library() {
    [ -e "$ISOMAT_LIBRARY" ] || skip "configured without shared libraries"
    if grep -aqE '__(asan|tsan|msan)_init' "$ISOMAT_LIBRARY"; then
        skip "the library is built with a sanitizer"
    fi
}

# run STATUS NAME ARGUMENT...: runs a program and compares its exit status.
run() {
    wanted=$1
    shift
    status=0
    program "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
    [ $status -eq "$wanted" ] || fail "$*: exit status $status, not $wanted"
    if [ "$wanted" -eq 0 ] && [ -s "$scratch/err" ]; then
        fail "$*: not silent"
    fi
}

# prints PATTERN NAME ARGUMENT...: its one line is as the pattern says.
prints() {
    pattern=$1
    shift
    run 0 "$@"
    grep -Eqx "$pattern" "$scratch/out" || fail "$*: another line than it should print"
    [ "$(wc -l <"$scratch/out")" -eq 1 ] || fail "$*: not one line"
    cat "$scratch/out"
}

# fails_with PATTERN NAME ARGUMENT...: exit status 1 and one line, the library's.
fails_with() {
    pattern=$1
    shift
    run 1 "$@"
    [ "$(wc -l <"$scratch/err")" -eq 1 ] || fail "$*: not one line"
    grep -Eq "$pattern" "$scratch/err" || fail "$*: another message"
}

# check_programs LANGUAGE
check_programs() {
    run 0 ten_lines
    [ "$(tr '\n' ' ' <"$scratch/out")" = "22 28 49 64 " ] || fail "ten_lines: a wrong product"

    for size in 1 96; do
        prints "$1: $size x $size, 3 multiplications, .+: device [0-9]+\.[0-9]{3} ms, with overhead [0-9]+\.[0-9]{3} ms" \
            loop $size 3
    done
    for argument in 0 -1 12x 99999999999999999999 ''; do
        run 2 loop "$argument"
        grep -q '^usage: ' "$scratch/err" || fail "loop '$argument': does not tell its usage"
    done
    run 2 loop 1 0
    run 2 loop 1 1 1

    prints "$1: 500 calls: empty launch [1-9][0-9]* ns, 64 x 64 product [1-9][0-9]* ns" overhead 500
    run 2 overhead 0

    prints "$1: axpy, 1000 elements, [0-9]+ registers" own_kernel
    fails_with absent.fatbin own_kernel absent.fatbin
}

# check_library: no driver; no library; one that is older than the binding; one that is another.
check_library() {
    ISOMAT_DRIVER=/nonexistent/libcuda.so.1 fails_with /nonexistent/libcuda.so.1 loop 1 1
    ISOMAT_LIBRARY=/nonexistent/libisomat.so.0 fails_with /nonexistent/libisomat.so.0 loop 1 1
    if ! echo 'int isomat_version(void) { return 7; }' | ${CC:-cc} -shared -fPIC -o "$scratch/old.so" -x c -; then
        echo "no compiler for a library that is too old: not tried"
        return
    fi
    ISOMAT_LIBRARY=$scratch/old.so fails_with 'version 0\.0\.7, this binding needs [0-9]+\.[0-9]+\.[0-9]+ ' loop 1 1
    echo 'int other(void) { return 7; }' | ${CC:-cc} -shared -fPIC -o "$scratch/other.so" -x c -
    ISOMAT_LIBRARY=$scratch/other.so fails_with 'other\.so.*isomat_version' loop 1 1
}
