# SPDX-License-Identifier: MIT
# testing.sh: what the tests of the examples have in common; read by them, not run.
# shellcheck shell=sh
: "${top_srcdir:?is set by make check}" "${top_builddir:?is set by make check}"
libraries=$top_builddir/.libs
ISOMAT_DRIVER=${ISOMAT_TEST_DRIVER:-host}
ISOMAT_STRESS_SECONDS=${ISOMAT_STRESS_SECONDS:-2}
export ISOMAT_DRIVER ISOMAT_STRESS_SECONDS
unset MAKEFLAGS MFLAGS MAKELEVEL
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

skip() {
    echo "SKIP: $*"
    exit 77
}

fail() {
    echo "FAIL: $*"
    cat "$scratch/out" "$scratch/err" 2>/dev/null
    exit 1
}

has() {
    command -v "$1" >/dev/null 2>&1
}

[ -e "$libraries/libisomat.so.0" ] || skip "configured without shared libraries"
# A program that was not built with a sanitizer cannot open a library that was.
if grep -aqE '__(asan|tsan|msan)_init' "$libraries/libisomat.so.0"; then
    skip "the library is built with a sanitizer"
fi

# The library as pkg-config would give it had it been installed.
mkdir "$scratch/pkgconfig"
cat >"$scratch/pkgconfig/isomat.pc" <<END
Name: isomat
Description: the build folder's
Version: 0
Cflags: -I$top_srcdir/include
Libs: -L$libraries -lisomat
END
PKG_CONFIG_PATH=$scratch/pkgconfig
LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PKG_CONFIG_PATH LD_LIBRARY_PATH

# ends STATUS COMMAND...: it ends with this status.
ends() {
    wanted=$1 status=0
    shift
    "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
    [ $status -eq "$wanted" ] || fail "$*: exit status $status, not $wanted"
}

# refused TEXT COMMAND...: exit status 1, and one line of error that has TEXT.
refused() {
    text=$1
    shift
    ends 1 "$@"
    [ "$(wc -l <"$scratch/err")" -eq 1 ] || fail "$*: not one line of error"
    grep -qF -- "$text" "$scratch/err" || fail "$*: the line lacks: $text"
}

# prints PATTERN COMMAND...: status 0, one line that matches, and nothing on standard error.
prints() {
    pattern=$1
    shift
    ends 0 "$@"
    grep -Eqx -- "$pattern" "$scratch/out" || fail "$*: another line than it should print"
    [ "$(wc -l <"$scratch/out")" -eq 1 ] || fail "$*: not one line"
    [ ! -s "$scratch/err" ] || fail "$*: wrote to standard error"
    cat "$scratch/out"
}

# A library of version 0.0.7 in $scratch/old, which has an error's message and nothing else.
make_old_library() {
    mkdir "$scratch/old"
    {
        cat <<END
#include <stdio.h>
static char line[200];
int isomat_version(void) { return 7; }
int isomat_error_set(int status, const char *message) { return snprintf(line, sizeof line, "%s", message), status; }
const char *isomat_error_message(void) { return line; }
long isomat_error_copy(char *to, long capacity) { return snprintf(to, (size_t)capacity, "%s", line); }
END
        sed -n 's/^ISOMAT_API.*[ *]\(isomat_[a-z0-9_]*\)(.*/long \1(void) { return 0; }/p' "$top_srcdir/include/isomat.h" |
            grep -v 'isomat_version(\|isomat_error_[scm][eo][a-z]*('
    } >"$scratch/old/isomat.c"
    # shellcheck disable=SC2086 # a list of words
    ${CC:-cc} -shared -fPIC -Wl,-soname,libisomat.so.0 -Wl,--version-script="$top_srcdir/lib/isomat.map" \
        -o "$scratch/old/libisomat.so.0" "$scratch/old/isomat.c"
}

# test_loop LANGUAGE COMMAND...: loop [size [iterations]]
test_loop() {
    language=$1
    shift
    for size in 1 96; do
        prints "$language: $size x $size, 3 multiplications, .+: device [0-9]+\.[0-9]{3} ms, with overhead [0-9]+\.[0-9]{3} ms" \
            "$@" $size 3
    done
    for argument in 0 -1 12x 65537 99999999999999999999 ''; do
        ends 2 "$@" "$argument"
    done
    ends 2 "$@" 1 0
    ends 2 "$@" 1 1 1
}

# test_overhead LANGUAGE COMMAND...: overhead [calls]
test_overhead() {
    language=$1
    shift
    for calls in 1 600; do
        prints "$language: $calls calls: empty launch [1-9][0-9]* ns, 64 x 64 product [1-9][0-9]* ns" "$@" $calls
    done
    ends 2 "$@" 0
    ends 2 "$@" 12x
    ends 2 "$@" 1 1
}

# test_ten_lines COMMAND...
test_ten_lines() {
    ends 0 "$@"
    [ "$(tr -s '[:space:]' ' ' <"$scratch/out" | sed 's/^ //')" = "22 28 49 64 " ] || fail "$*: a wrong product"
}

# test_own_kernel LANGUAGE COMMAND...: own_kernel [module]
test_own_kernel() {
    language=$1
    shift
    prints "$language: axpy, 1000 elements, [0-9]+ registers" "$@" "$top_srcdir/examples/python/axpy.ptx"
    refused /nonexistent/module.ptx "$@" /nonexistent/module.ptx
    printf 'no module at all' >"$scratch/none"
    refused "fatbin" "$@" "$scratch/none"
}

# refused_without TEXT PROGRAM...: each says, in one line, that there is no driver at the path TEXT.
refused_without_driver() {
    for program in "$@"; do
        ISOMAT_DRIVER=/nonexistent/libcuda.so.1 refused /nonexistent/libcuda.so.1 "$program"
    done
}

# refused_with_old_library PROGRAM...: each names both versions, in one line.
refused_with_old_library() {
    make_old_library
    for program in "$@"; do
        LD_LIBRARY_PATH=$scratch/old refused "the library is version 0.0.7" "$program"
        grep -qE 'needs 0\.[0-9]+\.[0-9]+ or later' "$scratch/err" || fail "$program: not the version that it needs"
    done
}
