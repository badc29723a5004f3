#!/bin/sh
# SPDX-License-Identifier: MIT
# test_bindings.sh: the generated layers of the bindings are what isomat.h says now, and lie in memory as a
# compiler of C has it; bindgen, cffi and cgo, where they are installed, read the header.
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
current fortran examples/fortran/isomat_api.f90
current java examples/java/isomat/Api.java
current lua examples/luajit/isomat/api.lua
current python examples/python/isomat/_api.py
current ruby examples/ruby/isomat/api.rb
current rust examples/rust/src/api.rs

# What the generator does not know is refused, and not left out; the languages share what reads the header.
refused() { # refused LINE: added before the last function
    awk -v line="$1" '/isomat_gemm_get_kernel\(/ { print line } { print }' "$header" >"$folder/other.h"
    grep -qF "$1" "$folder/other.h" || wrong "no place for: $1"
    if python3 "$generator" lua "$folder/other.h" >/dev/null 2>"$folder/err"; then
        wrong "the generator takes: $1"
    fi
    grep -q '^bindings.py: not understood: ' "$folder/err" || wrong "another message for: $1"
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
refused 'typedef struct isomat_later { int32_t *a; } isomat_later;'
refused 'enum isomat_later { ISOMAT_LATER };'

# What Rust has no plain name for is escaped.
grep -qx '    pub r#type: i32,' "$folder/rust" || wrong "a keyword of Rust is a name in it"

# Every constant, and every field's place, by the compiler and by each language: programs that print them.
PYTHONPATH=$top_srcdir/examples/python/isomat python3 - "$folder" "$top_srcdir" >"$folder/ctypes" <<'END'
import ctypes
import sys

import _api

folder, top_srcdir = sys.argv[1:]
c, lua, variables, fortran = [], [], [], []
for name, value in vars(_api).items():
    if name.startswith("ISOMAT_"):
        print(name, value)
        c.append(f'printf("{name} %d\\n", {name});')
        lua.append(f'print("{name} " .. api.{name})')
        fortran.append(f"print '(a, 1x, i0)', '{name}', {name}")
    if isinstance(value, type) and issubclass(value, ctypes.Structure) and name.startswith("isomat_"):
        print(name, ctypes.sizeof(value))
        c.append(f'printf("{name} %zu\\n", sizeof({name}));')
        lua.append(f'print("{name} " .. ffi.sizeof("{name}"))')
        variables.append(f"type({name}), target :: of_{name}")
        fortran.append(f"print '(a, 1x, i0)', '{name}', c_sizeof(of_{name})")
        for field, *_ in value._fields_:
            place = getattr(value, field)
            print(name, field, place.offset, place.size)
            c.append(f'printf("{name} {field} %zu %zu\\n", offsetof({name}, {field}), sizeof((({name} *)0)->{field}));')
            # The ffi tells a field's place; its size shows in the next one's.
            lua.append(f'print("{name} {field} " .. ffi.offsetof("{name}", "{field}") .. " {place.size}")')
            fortran.append(f"print '(a, 2(1x, i0))', '{name} {field}', &")
            fortran.append(f"    place(c_loc(of_{name}%{field})) - place(c_loc(of_{name})), &")
            fortran.append(f"    c_sizeof(of_{name}%{field})")
place = """contains
integer(c_int64_t) function place(pointer)
type(c_ptr), intent(in) :: pointer
place = transfer(pointer, place)
end function
end program"""
for suffix, lines in {
    "c": ["#include <isomat.h>", "#include <stdio.h>", "int main(void) {", *c, "return 0; }"],
    "lua": ['local ffi = require("ffi")', f'local api = dofile("{top_srcdir}/examples/luajit/isomat/api.lua")', *lua],
    "f90": ["program layout", "use isomat_api", "implicit none", *variables, *fortran, place],
}.items():
    with open(f"{folder}/layout.{suffix}", "w", encoding="ascii") as file:
        print(*lines, sep="\n", file=file)
END
# shellcheck disable=SC2086 # a list of words
$CC -I"$top_srcdir/include" -o "$folder/layout" "$folder/layout.c"
"$folder/layout" >"$folder/compiled"
[ "$(wc -l <"$folder/compiled")" -ge 120 ] || wrong "only $(wc -l <"$folder/compiled") constants and fields"

# A tool that is missing leaves out what it would have shown, and no more.
missing=
is_there() { # is_there COMMAND WHAT
    command -v "$1" >/dev/null && return
    missing="$missing, no $1 to read $2"
    return 1
}

same_layout() { # same_layout LANGUAGE
    diff -u "$folder/compiled" "$folder/$1" >&2 || wrong "$1 differs from the compiler, as above"
}
same_layout ctypes
if is_there luajit examples/luajit/isomat/api.lua; then
    luajit "$folder/layout.lua" >"$folder/luajit" || wrong "LuaJIT does not take its layer"
    same_layout luajit
fi
if is_there gfortran examples/fortran/isomat_api.f90; then
    gfortran -std=f2018 -Wall -Werror -J"$folder" -o "$folder/layout-fortran" \
        "$top_srcdir/examples/fortran/isomat_api.f90" "$folder/layout.f90" || wrong "gfortran does not take its layer"
    "$folder/layout-fortran" >"$folder/gfortran" || wrong "no layout by gfortran"
    same_layout gfortran
fi

# All that the header defines and declares, counted another way.
functions=$(grep -c '^ISOMAT_API' "$header")
constants=$(grep -E '^#define ISOMAT_[A-Z0-9_]+' "$header" | grep -cvE '^#define ISOMAT_(H|API\b)')
counted() { # counted LANGUAGE PATTERN-OF-A-FUNCTION PATTERN-OF-A-CONSTANT
    [ "$(grep -cE "$2" "$folder/$1")" -eq "$functions" ] || wrong "$1: functions are missing"
    [ "$(grep -cE "$3" "$folder/$1")" -eq "$constants" ] || wrong "$1: constants are missing"
}
counted fortran '^        function isomat_' '^    integer\(c_int[0-9]+_t\), parameter :: ISOMAT_'
counted lua '^[a-z][a-z0-9_ ]*[ *]isomat_[a-z0-9_]+\(' '^    ISOMAT_[A-Z0-9_]+ = '
counted python '^    "isomat_' '^ISOMAT_'
counted rust '^        fn isomat_' '^pub const ISOMAT_'

# bindgen finds the same functions, of the same types, as the Rust layer has.
if is_there bindgen isomat.h; then
    bindgen --no-layout-tests --allowlist-function 'isomat_.*' "$header" >"$folder/bindgen" 2>"$folder/err" || {
        cat "$folder/err" >&2
        wrong "bindgen does not read isomat.h"
    }
    python3 - "$folder/bindgen" "$folder/rust" >&2 <<'END' || wrong "bindgen and the Rust layer differ, as above"
import re
import sys

bindgen, rust = (open(path, encoding="ascii").read() for path in sys.argv[1:])
handles = "|".join(re.findall(r"pub type (isomat_\w+) = u64;", bindgen))


def types(text):
    text = re.sub(rf"\b({handles})\b", "u64", text.replace("::std::os::raw::", ""))
    return " ".join(re.sub(r"\w+: ", "", text).split()).strip(" ,")


declared = {
    name: (types(parameters), types(result))
    for name, parameters, result in re.findall(r"pub fn (\w+)\((.*?)\)\s*->(.*?);", bindgen, re.S)
}
generated = {
    name: (types(parameters), types(result))
    for name, parameters, result in re.findall(r"^ +fn (\w+)\((.*)\) ->(.*);", rust, re.M)
}
for name in sorted(declared.keys() | generated.keys()):
    if declared.get(name) != generated.get(name):
        print(name, declared.get(name), generated.get(name))
sys.exit(declared != generated)
END
fi

# cffi, which parses C by itself, finds the same functions and sizes as the Python layer has.
cffi=
for python in python3 /usr/bin/python3; do
    $python -c 'import cffi' 2>/dev/null && cffi=$python
done
if is_there "${cffi:-cffi}" isomat.h; then
    mkdir "$folder/empty"
    touch "$folder/empty/stddef.h" "$folder/empty/stdint.h" # cffi knows these types
    # shellcheck disable=SC2086 # a list of words
    $CC -E -P -nostdinc -I"$folder/empty" -DISOMAT_API= "$header" >"$folder/cffi.h"
    PYTHONPATH=$top_srcdir/examples/python/isomat $cffi - "$folder/cffi.h" >&2 <<'END' || wrong "cffi does not read isomat.h"
import ctypes
import sys

import _api
import cffi

ffi = cffi.FFI()
with open(sys.argv[1], encoding="ascii") as header:
    ffi.cdef(header.read())
functions = set(dir(ffi.dlopen(None)))
assert functions == set(_api.PROTOTYPES), functions ^ set(_api.PROTOTYPES)
structs = [name for name in ffi.list_types()[0] if ffi.typeof(name).kind == "struct"]
assert len(structs) >= 7, structs
for name in structs:
    assert ffi.sizeof(name) == ctypes.sizeof(getattr(_api, name)), name
END
fi

# cgo reads every function, constant and struct.
if is_there go isomat.h; then
    {
        printf 'package all\n\n// #include <isomat.h>\nimport "C"\nimport "unsafe"\n\nvar all = []any{\n'
        sed -n 's/^ISOMAT_API.*[ *]\(isomat_[a-z0-9_]*\)(.*/    unsafe.Pointer(C.\1),/p' "$header"
        sed -n 's/^\(ISOMAT_[A-Z0-9_]*\) .*/    C.\1,/p; s/^\(isomat_[a-z_]*\) [0-9]*$/    C.\1{},/p' "$folder/compiled"
        echo '}'
    } >"$folder/all.go"
    [ "$(grep -c 'Pointer(C.isomat_' "$folder/all.go")" -eq "$functions" ] || wrong "cgo is not asked for every function"
    include=$(cd "$top_srcdir/include" && pwd)
    mkdir "$folder/cgo"
    (cd "$folder" && go tool cgo -objdir "$folder/cgo" -- -I"$include" all.go) >&2 || wrong "cgo does not read isomat.h"
fi

[ $failures -eq 0 ] || exit 1
[ -z "$missing" ] || echo "left out: ${missing#, }"
