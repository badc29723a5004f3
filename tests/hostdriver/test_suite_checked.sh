#!/bin/sh
# SPDX-License-Identifier: MIT
# test_suite_checked.sh [TEST...]
#
# Runs programs of the library's suite on the host driver with ISOMAT_HOST_CHECK=all: none may fail and
# nothing may be reported.  By default those in CHECKED_TESTS, or a few that launch each kind of kernel; in the
# build's folder
#     ISOMAT_HOSTDRIVER=$PWD/.libs/isomat-hostdriver.so sh ../tests/hostdriver/test_suite_checked.sh all
# runs them all, in about six minutes on two cores.
set -eu

: "${top_builddir:=.}"
if [ "${ISOMAT_TEST_DRIVER:-host}" != host ]; then
    echo "the checks are the host driver's"
    exit 77
fi
[ -x "$top_builddir/tests/test_kept" ] || {
    echo "the suite is not built: cmocka is missing"
    exit 77
}
# shellcheck disable=SC2086 # a list of words
[ $# -gt 0 ] ||
    set -- ${CHECKED_TESTS:-test_gemm_values test_kept test_types_convert test_matrix test_copy2d test_launch}
if [ "$1" = all ]; then
    shift
    for program in "$top_builddir"/tests/test_*; do
        case $program in
        *.sh | *.log | *.trs | *.o) ;;
        *) [ ! -f "$program" ] || [ ! -x "$program" ] || set -- "$@" "${program##*/}" ;;
        esac
    done
fi
failed=0
for name; do
    status=0
    ISOMAT_HOST_CHECK=all
    # Where a call that destroys is made to fail, or the device lost, something is left.
    case $name in
    test_faults | test_lost) ISOMAT_HOST_CHECK=memory,race,init,sync ;;
    esac
    export ISOMAT_HOST_CHECK
    output=$("$top_builddir/tests/$name" 2>&1) || status=$?
    reports=$(printf '%s\n' "$output" | grep '^isomat host driver: ' || :)
    if { [ $status -ne 0 ] && [ $status -ne 77 ]; } || [ -n "$reports" ]; then
        printf '%s\n' "$name: exit status $status" "$reports" >&2
        failed=1
    fi
done
exit $failed
