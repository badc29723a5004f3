#!/bin/sh
# SPDX-License-Identifier: MIT
# test_manual.sh: the manual pages are well-formed, and those of section 3 have all of the headers.
# shellcheck disable=SC2013 # names without spaces
set -eu

: "${top_srcdir:=.}" "${top_builddir:=.}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

wrong() {
    echo "$*" >&2
    failures=$((failures + 1))
}

pages=$top_builddir/docs/man3
for header in isomat isomat_cuda_kernels; do
    for function in $(sed -n 's/^ISOMAT_API .*[ *]\([a-z_0-9]*\)(.*/\1/p' "$top_srcdir/include/$header.h"); do
        grep -lx "\.Nm $function\( ,\)\?" "$pages"/*.3 >"$folder/found" || true
        [ "$(wc -l <"$folder/found")" -eq 1 ] || wrong "$function is the name of $(wc -l <"$folder/found") pages"
        grep -q "^\.Fn $function " "$pages"/*.3 || wrong "no page declares $function"
        grep -q "^\.Ss .*$function\( ,\|\$\)" "$pages"/*.3 || wrong "no page tells of $function"
    done
done
for constant in $(sed -n 's/^#define \(ISOMAT_[A-Z0-9_]*\)[ \\].*/\1/p' "$top_srcdir/include/isomat.h" | grep -v '^ISOMAT_API$'); do
    grep -q "^\.It Dv $constant Pq " "$pages"/*.3 || wrong "no page has $constant"
done
for struct in $(sed -n 's/^typedef struct \(isomat_[a-z_]*\) {/\1/p' "$top_srcdir/include/isomat.h"); do
    grep -q "^} $struct;" "$pages"/*.3 || wrong "no page has struct $struct"
done
# Every word of a comment: the statuses that functions may return, by number of their rows.
[ "$(cat "$pages"/*.3 | grep -c '^\.It Er ')" -eq "$(sed 's/\.  \([A-Z_]*  \)/\n * \1/g' "$top_srcdir/include/isomat.h" |
    grep -cE '^ \* [A-Z][A-Z_]+(, [A-Z_]+)*  ')" ] || wrong "rows of statuses are missing"

# What the script does not understand is an error.
refused() { # refused LINE: at the end of the header's first section
    awk -v line="$1" '/^\/\* -+ status/ { print line; print "" } { print }' "$top_srcdir/include/isomat.h" >"$folder/other.h"
    if "${AWK:-awk}" -v folder="$folder" -f "$top_srcdir/build-aux/man3.awk" "$folder/other.h" 2>/dev/null; then
        wrong "the script takes: $1"
    fi
}
refused '/* ------------------------------------ other things */'
refused '#define ISOMAT_TEXT "text"'

for page in "$top_srcdir"/tools/*.1 "$pages"/*.3; do
    if command -v mandoc >/dev/null; then
        mandoc -T lint -W warning "$page" >"$folder/log" 2>&1 || true
    elif command -v groff >/dev/null; then
        groff -mdoc -ww -z "$page" >"$folder/log" 2>&1 || true
    else
        [ $failures -eq 0 ] || exit 1
        echo "skipped: neither mandoc nor groff" >&2
        exit 77
    fi
    if [ -s "$folder/log" ]; then
        cat "$folder/log" >&2
        wrong "$page is not well-formed, as above"
    fi
done

exit $((failures != 0))
