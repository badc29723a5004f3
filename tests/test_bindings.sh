#!/bin/sh
# SPDX-License-Identifier: MIT
# test_bindings.sh: the generated layers of the bindings are what isomat.h says now, and lie in memory as a
# compiler of C has it.
set -eu

: "${top_srcdir:=.}" "${CC:=cc}"
header=$top_srcdir/include/isomat.h
generator=$top_srcdir/build-aux/bindings.py
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

wrong() {
    echo "$*" >&2
    failures=$((failures + 1))
}

python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || {
    echo "skipped: no Python 3.9 or later" >&2
    exit 77
}

current() { # current LANGUAGE FILE
    python3 "$generator" "$1" "$header" >"$folder/$1" || wrong "the generator fails"
    diff -u "$top_srcdir/$2" "$folder/$1" >&2 ||
        wrong "$2 is not what isomat.h says: build-aux/bindings.py $1 include/isomat.h >$2"
}
current python examples/python/isomat/_api.py
current rust examples/rust/src/api.rs

# What the generator does not know is refused, and not left out.
refused() { # refused LINE: added before the last function
    awk -v line="$1" '/isomat_gemm_get_kernel\(/ { print line } { print }' "$header" >"$folder/other.h"
    grep -qF "$1" "$folder/other.h" || wrong "no place for: $1"
    for language in python rust; do
        if python3 "$generator" $language "$folder/other.h" >/dev/null 2>"$folder/err"; then
            wrong "the generator takes, for $language: $1"
        fi
        grep -q '^bindings.py: not understood: ' "$folder/err" || wrong "another message for: $1"
    done
}
refused '#define ISOMAT_LATER 1u'
refused '#define ISOMAT_LATER "text"'
refused '#define ISOMAT_LATER(x) 1'
refused 'ISOMAT_API float isomat_later(void);'
refused 'ISOMAT_API int32_t isomat_later(isomat_launch launch);'
refused 'ISOMAT_API int32_t isomat_later(int32_t (*callback)(void));'
refused 'ISOMAT_API int32_t isomat_later(int32_t **values);'
refused 'ISOMAT_API int32_t isomat_later(int32_t);'
refused 'int32_t isomat_later(void);'
refused 'typedef int32_t isomat_later;'
refused 'typedef struct isomat_later { int32_t a : 3; } isomat_later;'
refused 'enum isomat_later { ISOMAT_LATER };'

# What Rust has no plain name for is escaped.
grep -qx '    pub r#type: i32,' "$folder/rust" || wrong "a keyword of Rust is a name in it"

# Every constant, and every field's place, once by the compiler and once by ctypes.
PYTHONPATH=$top_srcdir/examples/python/isomat python3 - "$folder/layout.c" >"$folder/ctypes" <<'END'
import ctypes
import sys

import _api

c = ["#include <isomat.h>", "#include <stdio.h>", "int main(void) {"]
for name, value in vars(_api).items():
    if name.startswith("ISOMAT_"):
        print(name, value)
        c.append(f'printf("{name} %d\\n", {name});')
    if isinstance(value, type) and issubclass(value, ctypes.Structure) and name.startswith("isomat_"):
        print(name, ctypes.sizeof(value))
        c.append(f'printf("{name} %zu\\n", sizeof({name}));')
        for field, *_ in value._fields_:
            place = getattr(value, field)
            print(name, field, place.offset, place.size)
            c.append(f'printf("{name} {field} %zu %zu\\n", offsetof({name}, {field}), sizeof((({name} *)0)->{field}));')
with open(sys.argv[1], "w", encoding="ascii") as file:
    print(*c, "return 0; }", sep="\n", file=file)
END
# shellcheck disable=SC2086 # a list of words
$CC -I"$top_srcdir/include" -o "$folder/layout" "$folder/layout.c"
"$folder/layout" >"$folder/compiled"
[ "$(wc -l <"$folder/compiled")" -ge 120 ] || wrong "only $(wc -l <"$folder/compiled") constants and fields"
diff -u "$folder/compiled" "$folder/ctypes" >&2 || wrong "ctypes differs from the compiler, as above"

# All that the header defines and declares, counted another way.
[ "$(grep -c '^    "isomat_' "$folder/python")" -eq "$(grep -c '^ISOMAT_API' "$header")" ] || wrong "functions are missing"
constants=$(grep -E '^#define ISOMAT_[A-Z0-9_]+' "$header" | grep -cvE '^#define ISOMAT_(H|API\b)')
[ "$(grep -c '^ISOMAT_' "$folder/python")" -eq "$constants" ] || wrong "constants are missing"
[ "$(grep -c '^        fn isomat_' "$folder/rust")" -eq "$(grep -c '^ISOMAT_API' "$header")" ] || wrong "functions are missing"
[ "$(grep -c '^pub const ISOMAT_' "$folder/rust")" -eq "$constants" ] || wrong "constants are missing"

exit $((failures != 0))
