#!/bin/sh
# SPDX-License-Identifier: MIT
# test_symbols.sh: what the built libraries export and need.
set -eu

: "${top_srcdir:=.}" "${top_builddir:=.}" "${NM:=nm}" "${READELF:=readelf}"
isomat=$top_builddir/.libs/libisomat.so
dropin=$top_builddir/.libs/libcuda_kernels.so
header=$top_srcdir/include/isomat.h
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

wrong() {
    echo "$*" >&2
    failures=$((failures + 1))
}

# Names of the functions that a library exports, without its version nodes.
exported() {
    "$NM" -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u
}

# Names of the functions that a header declares.
declared() {
    sed '/^#/d; s/\/\*.*\*\///' "$1" | tr '\n' ' ' | grep -o 'ISOMAT_API [^;{]*(' | sed 's/(.*//; s/.*[ *]//' | sort -u
}

for library in "$isomat" "$dropin"; do
    if ! [ -e "$library" ]; then
        echo "skipped: $library was not built" >&2
        exit 77
    fi
done

exported "$isomat" >"$folder/exported"
declared "$header" >"$folder/declared"
[ "$(wc -l <"$folder/declared")" -ge 60 ] || wrong "only $(wc -l <"$folder/declared") functions were found in $header"
diff -u "$folder/declared" "$folder/exported" >&2 || wrong "isomat.h and libisomat.so differ, as above"
if grep -v '^isomat_' "$folder/exported" >&2; then
    wrong "libisomat.so exports names without the prefix, as above"
fi

exported "$dropin" >"$folder/dropin"
cat >"$folder/five" <<END
cuda_matrix_multiply
cuda_synchronize
get_matrix_data
register_matrix
unregister_matrix
END
diff -u "$folder/five" "$folder/dropin" >&2 || wrong "libcuda_kernels.so exports other names, as above"

# Each symbol has a version, so that a later library can keep an old one.
for library in "$isomat" "$dropin"; do
    "$NM" -D --defined-only --with-symbol-versions "$library" | awk '$2 != "A" && $3 !~ /@/ { print $3 }' >"$folder/bare"
    if [ -s "$folder/bare" ]; then
        cat "$folder/bare" >&2
        wrong "$library exports names without a version, as above"
    fi
    "$READELF" -d "$library" >"$folder/dynamic"
    if grep NEEDED "$folder/dynamic" | grep -E 'libcuda\.|libcudart|libnvidia|libstdc' >&2; then
        wrong "$library needs a library that it should open itself or not at all"
    fi
    grep TEXTREL "$folder/dynamic" >&2 && wrong "$library has relocations in its code"
    "$READELF" -lW "$library" | grep GNU_STACK | grep -q 'RWE' && wrong "$library asks for an executable stack"
done
"$READELF" -d "$isomat" | grep -q 'SONAME.*libisomat\.so\.0' || wrong "libisomat.so has another soname than libisomat.so.0"
"$READELF" -d "$isomat" | grep -q NODELETE || wrong "libisomat.so may be unloaded, which the driver does not survive"
"$READELF" -VW "$isomat" | grep -q 'ISOMAT_0\.1' || wrong "libisomat.so has no version node ISOMAT_0.1"

exit $((failures != 0))
