#!/bin/sh
# SPDX-License-Identifier: MIT
# test_headers.sh: each public header alone, as strict C and C++.
set -eu

: "${top_srcdir:=.}" "${CC:=cc}" "${CXX:=c++}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
strict='-Wall -Wextra -Wpedantic -Werror -Wundef -Wshadow -Wconversion -Wcast-qual -fsyntax-only'
strict_c='-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition'
strict_cxx='-Wold-style-cast -Wzero-as-null-pointer-constant'

check() { # check COMPILER STANDARD FILE FLAGS
    # shellcheck disable=SC2086 # lists of words
    $1 -std="$2" $strict $4 -I"$top_srcdir/include" "$3" >"$folder/log" 2>&1 && return
    echo "$(head -1 "$3") with $1 -std=$2:" >&2
    cat "$folder/log" >&2
    failures=$((failures + 1))
}

for header in "$top_srcdir"/include/*.h; do
    name=$(basename "$header")
    for suffix in c cc; do
        # Twice, to try the guard; an unused function must not matter.
        printf '#include <%s>\n#include <%s>\nint main(void) { return 0; }\n' "$name" "$name" >"$folder/one.$suffix"
    done
    for standard in c99 c11 c17; do
        check "$CC" $standard "$folder/one.c" "$strict_c"
    done
    if command -v "${CXX%% *}" >/dev/null 2>&1; then
        for standard in c++11 c++14 c++17 c++20; do
            check "$CXX" $standard "$folder/one.cc" "$strict_cxx"
        done
    fi
done

# What bindgen, cffi and cgo read as they stand: no struct by value, bool, enum,
# long, varargs, bit-field, or macro with parameters.
text=$(sed ':a; s,/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/,,g; /\/\*/{N; ba}' "$top_srcdir"/include/*.h)
for word in '\bbool\b' '\benum\b' '\blong\b' '\.\.\.' '^ *[a-z0-9_]+ +[a-z0-9_]+ *: *[0-9]+;' '# *define +[A-Za-z_0-9]+\('; do
    if echo "$text" | grep -nE "$word" >&2; then
        echo "the headers contain $word, as above" >&2
        failures=$((failures + 1))
    fi
done

exit $((failures != 0))
