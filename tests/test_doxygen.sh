#!/bin/sh
# SPDX-License-Identifier: MIT
# test_doxygen.sh: make doxygen gives no warning, and a page for each function.
set -eu

: "${top_srcdir:=.}" "${top_builddir:=.}"
command -v "${DOXYGEN:-doxygen}" >/dev/null || {
    echo "skipped: doxygen is not installed" >&2
    exit 77
}
unset MAKEFLAGS MFLAGS MAKELEVEL
log=$(mktemp)
trap 'rm -f "$log"' EXIT
${MAKE:-make} -C "$top_builddir" -s doxygen >"$log" 2>&1 || {
    cat "$log" >&2
    exit 1
}
html=$top_builddir/docs/doxygen/html
# shellcheck disable=SC2013 # names without spaces
for function in $(sed -n 's/^ISOMAT_API .*[ *]\([a-z_0-9]*\)(.*/\1/p' "$top_srcdir"/include/*.h); do
    grep -q "class=\"memname\">.*$function *</td>" "$html"/*.html || {
        echo "no page has $function" >&2
        exit 1
    }
done
